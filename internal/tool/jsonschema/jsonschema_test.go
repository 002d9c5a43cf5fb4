package jsonschema

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/schema"
)

// A pattern stays as it is where ECMAScript reads it the same way with the flag u, is translated where it does not, and
// is left out where it cannot.
func TestECMA(t *testing.T) {
	for _, tt := range []struct{ pattern, want string }{
		{`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`, `^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`},
		{`^(?:a|b)\.\d{1,3}$`, `^(?:a|b)\.\d{1,3}$`},
		{`\Aab\z`, `^ab$`},
		{`(?i)ab`, `[Aa][Bb]`},
		{`(?i)k`, "[Kk\u212a]"},
		{`(?P<year>\d+)-(?<day>x)`, `(?:\d+)-(?:x)`},
		{`[[:upper:]]+?`, `[A-Z]+?`},
		{`\Qa.b\E`, `a\.b`},
		{`(?s)a.b`, `a[\s\S]b`},
		{`a\-b\ c\_d\"e\/f\@`, `a-b c_d"e\/f@`},
		{`[\-\ \_\"\.a]`, `[\- _"\.a]`},
		{`a.b`, `a[^\n]b`},
		{`\s[\sx]\S`, `[\t\n\f\r ][\t\n\f\r x][^\t\n\f\r ]`},
		{`[\S]`, `[^\x09-\x0a\x0c-\x0d ]`},
		{`{a}]a{2}b{,3}`, `\{a\}\]a{2}b\{,3\}`},
		{`[]a][^]b]`, `[\]a][^\]b]`},
		{`[\w-.][a-][-a][+--][a-b-c]`, `[\w\-.][a-][-a][+--][a-b\-c]`},
		{`[[a]`, `[[a]`},
		{`^*a\b+`, `(?:^)*a(?:\b)+`},
		{`\07[\012]\x41`, `\x07\x0aA`},
		{`\B`, ""},
		{`\x{41}`, `A`},
		{`\p{Thai}`, "[\u0e01-\u0e3a\u0e40-\u0e5b]"},
		{`\x{41}|\p{Greek}{2,}`, ""}, // has characters of two units
		{`[^\x{1F600}]`, ""},
		{`\PL`, ""},
		{`\pN`, ""},
		{`(?m)^a$`, ""},
		{`\a`, `\x07`},
		{`a(?:b|[[:digit:]]){2,3}`, `a[0-9b]{2,3}`},
		{`(`, ""},
	} {
		got, ok := ecma(tt.pattern)
		require.Equal(t, tt.want != "", ok, tt.pattern)
		require.Equal(t, tt.want, got, tt.pattern)
	}
}

// What is translated matches the same texts.
func TestECMAMatches(t *testing.T) {
	texts := []string{"", "a", "ab", "AB", "a.b", "2024-x", "k", "\u212a", "x\ny", "a\nb", "A1", "ABC", "-", "a-b", "b12", "a\u2028b"}
	for _, pattern := range []string{`\Aab\z`, `(?i)a.?b`, `(?P<y>\d+)-x`, `[[:upper:]]+?$`, `\Qa.b\E`, `(?s)a.b`, `[^[:alpha:]]`, `(?i)k|[[:space:]]`} {
		got, ok := ecma(pattern)
		require.True(t, ok, pattern)
		for _, text := range texts {
			require.Equal(t, regexp.MustCompile(pattern).MatchString(text), regexp.MustCompile(got).MatchString(text), "%s as %s of %q", pattern, got, text)
		}
	}
}

func definition(t *testing.T, schema string) *crd.CustomResourceDefinition {
	t.Helper()
	return given.Definition(t, given.Kind("Namespaced", "widgets.example.org", "Widget", schema))
}

// What becomes of a schema of a field.
func TestField(t *testing.T) {
	for _, tt := range []struct{ name, field, want string }{
		{"closed", `{type: object, properties: {a: {type: string}}, required: [a]}`,
			`{"type":["object","null"],"properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`},
		{"preserve", `{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: object}}}`,
			`{"type":["object","null"],"properties":{"a":{"type":["object","null"],"additionalProperties":false}}}`},
		{"a list preserves unknown fields of its items, not those below", `{type: array, x-kubernetes-preserve-unknown-fields: true,
			items: {type: array, items: {type: object, properties: {a: {type: object}}}}}`,
			`{"type":["array","null"],"items":{"type":"array","items":{"type":"object","properties":{"a":{"type":["object","null"],"additionalProperties":false}}}}}`},
		{"map", `{type: object, additionalProperties: {type: integer}}`, `{"type":["object","null"],"additionalProperties":{"type":["integer","null"]}}`},
		{"int or string", `{x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}], pattern: x}`,
			`{"type":["integer","string","null"],"pattern":"x"}`},
		{"nullable items, enum", `{type: array, items: {type: string, nullable: true, enum: [a]}}`,
			`{"type":["array","null"],"items":{"type":["string","null"],"enum":["a",null]}}`},
		{"default instead of required", `{type: object, required: [a], properties: {a: {type: string, default: x}}}`,
			`{"type":["object","null"],"properties":{"a":{"type":["string","null"],"default":"x"}},"additionalProperties":false}`},
		{"embedded", `{type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}`,
			`{"type":["object","null"],"required":["apiVersion","kind"],"properties":{"apiVersion":{"type":"string"},"kind":{"type":"string"},"metadata":"..."}}`},
		{"numbers", `{type: number, minimum: 1, exclusiveMinimum: true, maximum: 2.5, multipleOf: 0.5}`,
			`{"type":["number","null"],"exclusiveMinimum":1,"maximum":2.5,"multipleOf":0.5}`},
		{"int32", `{type: integer, format: int32}`, `{"type":["integer","null"],"format":"int32","minimum":-2147483648,"maximum":2147483647}`},
		{"a format that others read another way", `{type: string, format: date-time}`, `{"type":["string","null"]}`},
		{"set", `{type: array, x-kubernetes-list-type: set, items: {type: string}}`,
			`{"type":["array","null"],"items":{"type":"string"},"uniqueItems":true}`},
		{"choice beside null", `{type: string, oneOf: [{pattern: a}, {maxLength: 1}]}`,
			`{"type":["string","null"],"if":{"type":"null"},"else":{"oneOf":[{"pattern":"a"},{"maxLength":1}]}}`},
		{"choice about defaults", `{type: object, properties: {a: {type: string, default: x}}, anyOf: [{required: [a]}]}`,
			`{"type":["object","null"],"properties":{"a":{"type":["string","null"],"default":"x"}},"additionalProperties":false}`},
		{"description", `{type: string, description: Says.}`, `{"type":["string","null"],"description":"Says.","markdownDescription":"Says."}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := Version(definition(t, `{type: object, properties: {f: `+tt.field+`}}`), "v1", Options{})
			require.NoError(t, err)
			field := s.Document["properties"].(map[string]any)["f"].(map[string]any)
			if p, ok := field["properties"].(map[string]any); ok && p["metadata"] != nil {
				p["metadata"] = "..."
			}
			require.JSONEq(t, tt.want, string(given.JSON(t, field)))
		})
	}
}

// Notes say what is not said.
func TestNotes(t *testing.T) {
	s, err := Version(definition(t, `{type: object, properties: {f: {type: string, pattern: "(?m)^a$", x-kubernetes-validations: [{rule: self != ''}]},
		l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string}}}}}}`), "v1", Options{})
	require.NoError(t, err)
	require.Equal(t, []string{"f: rule self != ''", "f: pattern (?m)^a$", "l: keys of the list: k"}, s.Notes)
	require.Equal(t, "example.org/widget_v1.json", s.File())
}

// The root knows its type, and its metadata what people write.
func TestRoot(t *testing.T) {
	s, err := Version(definition(t, `{type: object, properties: {metadata: {type: object, properties: {name: {type: string, maxLength: 5}}}}}`), "v1", Options{Open: true, Draft: Draft2020_12})
	require.NoError(t, err)
	text := given.JSON(t, s.Document)
	for _, part := range []string{`"apiVersion":{"const":"example.org/v1"}`, `"kind":{"const":"Widget"}`, `"maxLength":5`, `"$schema":"https://json-schema.org/draft/2020-12/schema"`} {
		require.Contains(t, string(text), part)
	}
	require.NotContains(t, s.Document, "additionalProperties")
	_, err = Version(definition(t, `{type: object}`), "v2", Options{})
	require.EqualError(t, err, "widgets.example.org has no version v2")
}

// A schema that is nested too deep is an error.
func TestDeep(t *testing.T) {
	deep := strings.Repeat("{type: object, properties: {a: ", maxDepth+1) + "{type: string}" + strings.Repeat("}}", maxDepth+1)
	_, err := Version(definition(t, deep), "v1", Options{})
	require.EqualError(t, err, "the schema of widgets.example.org v1 is nested too deep")
}

// Very many required fields take linear time, and notes with long paths have a limit.
func TestHostile(t *testing.T) {
	d := definition(t, "{type: object}")
	root := d.Spec.Versions[0].Schema.OpenAPIV3Schema
	for i := range 150_000 {
		root.Required = append(root.Required, strconv.Itoa(i))
	}
	root.Properties = map[string]*schema.JSONSchemaProps{}
	for i := range 20_000 {
		root.Properties[strconv.Itoa(i)] = &schema.JSONSchemaProps{Type: "string"}
	}
	inner := &schema.JSONSchemaProps{Type: "object", Properties: map[string]*schema.JSONSchemaProps{}}
	for i := range 20_000 {
		rules := []schema.ValidationRule{{Rule: "true"}}
		inner.Properties[strconv.Itoa(i)] = &schema.JSONSchemaProps{XValidations: rules}
	}
	root.Properties[strings.Repeat("x", 1<<20)] = inner
	for range 50_000 {
		root.AllOf = append(root.AllOf, &schema.JSONSchemaProps{})
	}
	s, err := Version(d, "v1", Options{})
	require.NoError(t, err)
	require.Len(t, s.Document["required"], 150_002)
	require.Len(t, s.Notes, 2)
	require.Equal(t, "and 19999 more", s.Notes[1])
}

// Merged schemas and those of lists accept the items of lists with and without their kind, and refuse the wrong ones.
// That of definitions accepts what a server does.
func TestListsAndDefinitions(t *testing.T) {
	for _, draft := range []Draft{Draft7, Draft2020_12} {
		o := Options{Draft: draft}
		s, err := Version(definition(t, `{type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}`), "v1", o)
		require.NoError(t, err)
		for name, document := range map[string]map[string]any{"all": Merge([]*Schema{s, Definition(o)}, o), "list": List(s, o).Document} {
			text := string(given.JSON(t, document))
			for _, ref := range regexp.MustCompile(`"\$ref":"#([^"]*)"`).FindAllStringSubmatch(text, -1) {
				at := any(document)
				for step := range strings.SplitSeq(strings.TrimPrefix(ref[1], "/"), "/") {
					if ref[1] != "" {
						m, _ := at.(map[string]any)
						at = m[step]
					}
				}
				require.IsType(t, map[string]any{}, at, "%s: %s", name, ref[1])
			}
		}
	}
}
