package schema

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/keyword"
)

func ref[T any](v T) *T { return &v }

// everyKey has every key of a schema, in the form in which it is written.
const everyKey = `{
  "id": "i", "$schema": "s", "$ref": "r", "description": "d", "type": "object", "format": "f", "title": "t", "default": {"a": 1}, "nullable": true,
  "maximum": 1.5, "exclusiveMaximum": true, "minimum": 0, "exclusiveMinimum": true, "multipleOf": 2, "maxLength": 3, "minLength": 0, "pattern": "p",
  "maxItems": 4, "minItems": 5, "uniqueItems": true, "maxProperties": 6, "minProperties": 7, "enum": ["a", null, 1], "required": ["a"],
  "properties": {"a": {"type": "string"}}, "patternProperties": {"b": {}}, "definitions": {"c": {}},
  "dependencies": {"d": {"type": "string"}, "e": ["f"], "g": null},
  "items": {"type": "integer"}, "additionalItems": false, "additionalProperties": {"type": "number"},
  "allOf": [{"title": "1"}], "oneOf": [{"title": "2"}], "anyOf": [{"title": "3"}], "not": {"title": "4"},
  "externalDocs": {"description": "d", "url": "u"}, "example": [1],
  "x-kubernetes-preserve-unknown-fields": true, "x-kubernetes-embedded-resource": true, "x-kubernetes-int-or-string": true,
  "x-kubernetes-list-map-keys": ["k"], "x-kubernetes-list-type": "map", "x-kubernetes-map-type": "atomic",
  "x-kubernetes-validations": [{"rule": "r", "message": "m", "messageExpression": "e", "reason": "FieldValueInvalid", "fieldPath": ".a", "optionalOldSelf": true}]
}`

// TYP-008: each key has its field.
func TestDecodeEveryKey(t *testing.T) {
	want := &JSONSchemaProps{
		ID: "i", Schema: "s", Ref: ref("r"), Description: "d", Type: "object", Format: "f", Title: "t",
		Default: map[string]any{"a": int64(1)}, Nullable: true,
		Maximum: ref(1.5), ExclusiveMaximum: true, Minimum: ref(0.0), ExclusiveMinimum: true, MultipleOf: ref(2.0),
		MaxLength: ref[int64](3), MinLength: ref[int64](0), Pattern: "p", MaxItems: ref[int64](4), MinItems: ref[int64](5), UniqueItems: true,
		MaxProperties: ref[int64](6), MinProperties: ref[int64](7), Enum: []any{"a", nil, int64(1)}, Required: []string{"a"},
		Properties:        map[string]*JSONSchemaProps{"a": {Type: "string"}},
		PatternProperties: map[string]*JSONSchemaProps{"b": {}},
		Definitions:       map[string]*JSONSchemaProps{"c": {}},
		Dependencies:      map[string]SchemaOrStrings{"d": {Schema: &JSONSchemaProps{Type: "string"}}, "e": {Property: []string{"f"}}, "g": {}},
		Items:             &SchemaOrArray{Schema: &JSONSchemaProps{Type: "integer"}}, AdditionalItems: &SchemaOrBool{},
		AdditionalProperties: &SchemaOrBool{Allows: true, Schema: &JSONSchemaProps{Type: "number"}},
		AllOf:                []*JSONSchemaProps{{Title: "1"}}, OneOf: []*JSONSchemaProps{{Title: "2"}}, AnyOf: []*JSONSchemaProps{{Title: "3"}},
		Not:          &JSONSchemaProps{Title: "4"},
		ExternalDocs: &ExternalDocumentation{Description: "d", URL: "u"}, Example: []any{int64(1)},
		XPreserveUnknownFields: ref(true), XEmbeddedResource: true, XIntOrString: true, XListMapKeys: []string{"k"}, XListType: ref("map"), XMapType: ref("atomic"),
		XValidations: []ValidationRule{{Rule: "r", Message: "m", MessageExpression: "e", Reason: ref("FieldValueInvalid"), FieldPath: ".a", OptionalOldSelf: ref(true)}},
	}
	p, err := Decode([]byte(everyKey))
	require.NoError(t, err)
	require.Equal(t, want, p)

	// No field is missing in the above, and each is written as it was read (CDC-013).
	v := reflect.ValueOf(*want)
	for i := range v.NumField() {
		require.False(t, v.Field(i).IsZero(), v.Type().Field(i).Name)
	}
	text, err := json.Marshal(p)
	require.NoError(t, err)
	require.JSONEq(t, everyKey, string(text))
	var again JSONSchemaProps
	require.NoError(t, json.Unmarshal(text, &again))
	require.Equal(t, want, &again)
}

// A schema marshals in the same way by value, in a struct or a map, as by reference.
func TestMarshalByValue(t *testing.T) {
	p := JSONSchemaProps{Type: "object"}
	text, err := json.Marshal(struct {
		Field JSONSchemaProps
		Map   map[string]JSONSchemaProps
		None  *JSONSchemaProps
	}{p, map[string]JSONSchemaProps{"a": p}, nil})
	require.NoError(t, err)
	require.JSONEq(t, `{"Field": {"type": "object"}, "Map": {"a": {"type": "object"}}, "None": null}`, string(text))
}

// Strict decoding needs a struct of its own, with the tags of encoding/json. It has exactly the keywords.
func TestKnownKeysAreTheKeys(t *testing.T) {
	_, findings, err := DecodeStrict([]byte(everyKey))
	require.NoError(t, err)
	require.Empty(t, findings)
	var known keyword.SchemaKeys
	for _, row := range []struct {
		typ  reflect.Type
		want *keyword.Table
	}{
		{reflect.TypeOf(known), keywords}, {reflect.TypeOf(known.ExternalDocs), docsKeywords}, {reflect.TypeOf(known.XValidations).Elem(), ruleKeywords},
	} {
		var keys []string
		for i := range row.typ.NumField() {
			keys = append(keys, row.typ.Field(i).Tag.Get("json"))
		}
		require.ElementsMatch(t, row.want.Names, keys)
	}
}

func TestDecode(t *testing.T) {
	for _, row := range []struct {
		name, text string
		want       JSONSchemaProps
	}{
		{"CDC-001: YAML's numbers count by their value", "{maxLength: 1e3, minLength: 1.0, maximum: 0x10, default: 1.0}",
			JSONSchemaProps{MaxLength: ref[int64](1000), MinLength: ref[int64](1), Maximum: ref(16.0), Default: int64(1)}},
		{"CDC-001: YAML's booleans", "{nullable: yes, properties: {n: {}}}",
			JSONSchemaProps{Nullable: true, Properties: map[string]*JSONSchemaProps{"false": {}}}},
		{"CDC-001: scalars in YAML", "enum: [yes, No, y, 012, 0o12, 0x10, 0b11, 1_000, 1e3, 1.0, 2001-01-01, 1:30, ~]",
			JSONSchemaProps{Enum: []any{true, false, true, int64(10), int64(10), int64(16), int64(3), int64(1000), int64(1000), int64(1), "2001-01-01", "1:30", nil}}},
		{"CDC-002: keys are case-sensitive", `{"Type": "string"}`, JSONSchemaProps{}},
		{"CDC-002: null is no key", `{"type": null, "maximum": null, "required": null, "properties": null, "not": null, "items": null,
			"additionalProperties": null, "allOf": null, "nullable": null, "externalDocs": null, "x-kubernetes-validations": null, "dependencies": null}`, JSONSchemaProps{}},
		{"CDC-002: null elements", `{"properties": {"a": null}, "allOf": [null], "required": [null], "x-kubernetes-validations": [null, {"rule": null}], "definitions": {"a": null}}`,
			JSONSchemaProps{Properties: map[string]*JSONSchemaProps{"a": {}}, AllOf: []*JSONSchemaProps{{}}, Required: []string{""},
				XValidations: []ValidationRule{{}, {}}, Definitions: map[string]*JSONSchemaProps{"a": {}}}},
		{"empty lists and maps are there", `{"properties": {}, "allOf": [], "required": [], "enum": [], "x-kubernetes-validations": [], "dependencies": {}, "$ref": "", "x-kubernetes-list-type": ""}`,
			JSONSchemaProps{Properties: map[string]*JSONSchemaProps{}, AllOf: []*JSONSchemaProps{}, Required: []string{}, Enum: []any{},
				XValidations: []ValidationRule{}, Dependencies: map[string]SchemaOrStrings{}, Ref: ref(""), XListType: ref("")}},
		{"CDC-003: unknown keys are dropped, whatever they have", `{"readOnly": true, "x": {"type": 1}, "externalDocs": {"x": 1}}`,
			JSONSchemaProps{ExternalDocs: &ExternalDocumentation{}}},
		{"CDC-003: the last of equal keys counts", `{"type": "a", "type": "b"}`, JSONSchemaProps{Type: "b"}},
		{"CDC-007: bounds are floats", `{"maximum": 9007199254740993, "minimum": 18446744073709551616, "multipleOf": 1e2, "maxLength": -3}`,
			JSONSchemaProps{Maximum: ref(9007199254740992.0), Minimum: ref(18446744073709551616.0), MultipleOf: ref(100.0), MaxLength: ref[int64](-3)}},
		{"CDC-009: null is no default", `{"default": null, "example": null, "enum": [null, 1]}`, JSONSchemaProps{Enum: []any{nil, int64(1)}}},
		{"CDC-009: false is one", `{"default": false, "example": {}}`, JSONSchemaProps{Default: false, Example: map[string]any{}}},
		{"CDC-009: numbers", `{"enum": [1, 1.0, 1e2, 18446744073709551616, -0]}`,
			JSONSchemaProps{Enum: []any{int64(1), 1.0, 100.0, 18446744073709551616.0, int64(0)}}},
		{"CDC-010: items with a schema", `{"items": {"type": "string"}}`, JSONSchemaProps{Items: &SchemaOrArray{Schema: &JSONSchemaProps{Type: "string"}}}},
		{"CDC-010: items with schemas", `{"items": [{"type": "string"}, null]}`, JSONSchemaProps{Items: &SchemaOrArray{Schemas: []*JSONSchemaProps{{Type: "string"}, {}}}}},
		{"CDC-010: items with no schemas", `{"items": []}`, JSONSchemaProps{Items: &SchemaOrArray{Schemas: []*JSONSchemaProps{}}}},
		{"CDC-010: items: true", `{"items": true}`, JSONSchemaProps{Items: &SchemaOrArray{}}},
		{"CDC-010: items: 1", `{"items": 1}`, JSONSchemaProps{Items: &SchemaOrArray{}}},
		{"CDC-010: items with a text", `{"items": "x"}`, JSONSchemaProps{Items: &SchemaOrArray{}}},
		{"CDC-011: {} is a schema", `{"additionalProperties": {}, "additionalItems": {}}`, JSONSchemaProps{
			AdditionalProperties: &SchemaOrBool{Allows: true, Schema: &JSONSchemaProps{}}, AdditionalItems: &SchemaOrBool{Allows: true, Schema: &JSONSchemaProps{}}}},
		{"CDC-011: true and false", `{"additionalProperties": true, "additionalItems": false}`, JSONSchemaProps{
			AdditionalProperties: &SchemaOrBool{Allows: true}, AdditionalItems: &SchemaOrBool{}}},
		{"CDC-012: dependencies", `{"dependencies": {"a": {}, "b": [null, "x"], "c": 1, "d": null, "e": []}}`, JSONSchemaProps{Dependencies: map[string]SchemaOrStrings{
			"a": {Schema: &JSONSchemaProps{}}, "b": {Property: []string{"", "x"}}, "c": {}, "d": {}, "e": {Property: []string{}}}}},
		{"JSON is read as JSON", "{\"title\": \"a\u0085b\"}", JSONSchemaProps{Title: "a\u0085b"}},
		{"a flow mapping is YAML", "{title: a}", JSONSchemaProps{Title: "a"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			p, err := Decode([]byte(row.text))
			require.NoError(t, err)
			require.Equal(t, &row.want, p)
		})
	}
}

func TestDecodeErrors(t *testing.T) {
	const integer = "must be an integer of 64 bits without point or exponent, not "
	for _, row := range []struct{ name, text, want string }{
		{"nothing", "", "schema: no object: the text is empty or null"},
		{"null", "null", "schema: no object: the text is empty or null"},
		{"a list", "[]", "schema: document 1 is an array, not an object"},
		{"CDC-006: types", `{"type": ["string"]}`, "schema: type: must be a string, not a list"},
		{"CDC-006: deep down", `{"properties": {"a": {"items": {"anyOf": [{}, {"additionalProperties": {"title": 1}}]}}}}`,
			"schema: properties.a.items.anyOf[1].additionalProperties.title: must be a string, not the number 1"},
		{"CDC-006: draft 6 bounds", `{"exclusiveMinimum": 1.5}`, "schema: exclusiveMinimum: must be a boolean, not the number 1.5"},
		{"CDC-006: a schema that is a boolean", `{"properties": {"a": true}}`, "schema: properties.a: must be an object, not a boolean"},
		{"SEED-019: required among the properties", "properties: {required: [a]}", "schema: properties.required: must be an object, not a list"},
		{"CDC-006: a list that is an object", `{"allOf": {}}`, "schema: allOf: must be a list, not an object"},
		{"CDC-006: a number in required", `{"required": ["a", 1]}`, "schema: required[1]: must be a string, not the number 1"},
		{"CDC-006: required: true", `{"required": true}`, "schema: required: must be a list, not a boolean"},
		{"CDC-006: enum as an object", `{"enum": {}}`, "schema: enum: must be a list, not an object"},
		{"CDC-006: a bound in quotes", `{"maximum": "1"}`, "schema: maximum: must be a number, not a string"},
		{"CDC-006: a rule that is a text", `{"x-kubernetes-validations": ["self > 1"]}`, "schema: x-kubernetes-validations[0]: must be an object, not a string"},
		{"CDC-006: in a rule", `{"x-kubernetes-validations": [{"rule": true}]}`, "schema: x-kubernetes-validations[0].rule: must be a string, not a boolean"},
		{"CDC-006: optionalOldSelf", `{"x-kubernetes-validations": [{"optionalOldSelf": "true"}]}`, "schema: x-kubernetes-validations[0].optionalOldSelf: must be a boolean, not a string"},
		{"CDC-006: reason", `{"x-kubernetes-validations": [{"reason": {}}]}`, "schema: x-kubernetes-validations[0].reason: must be a string, not an object"},
		{"CDC-006: rules as an object", `{"x-kubernetes-validations": {}}`, "schema: x-kubernetes-validations: must be a list, not an object"},
		{"CDC-006: externalDocs", `{"externalDocs": {"url": 1}}`, "schema: externalDocs.url: must be a string, not the number 1"},
		{"CDC-006: externalDocs as a text", `{"externalDocs": "u"}`, "schema: externalDocs: must be an object, not a string"},
		{"CDC-007: a point", `{"maxLength": 1.0}`, "schema: maxLength: " + integer + "the number 1"},
		{"CDC-007: an exponent", `{"minItems": 1e3}`, "schema: minItems: " + integer + "the number 1000"},
		{"CDC-007: 2^63", `{"maxLength": 9223372036854775808}`, "schema: maxLength: " + integer + "the number 9.223372036854776e+18"},
		{"CDC-007: no finite number", `{"maximum": 1e400}`, "schema: document 1: json: cannot unmarshal number 1e400 into Go value of type float64"},
		{"CDC-011: a text", `{"additionalProperties": "true"}`, "schema: additionalProperties: must be a schema or a boolean, not a string"},
		{"CDC-011: a number", `{"additionalItems": 1}`, "schema: additionalItems: must be a schema or a boolean, not the number 1"},
		{"CDC-012: a number in a list", `{"dependencies": {"a": [1]}}`, "schema: dependencies.a[0]: must be a string, not the number 1"},
		{"CDC-012: dependencies as a list", `{"dependencies": []}`, "schema: dependencies: must be an object, not a list"},
		{"the first of many, by name", `{"type": 1, "title": 1, "properties": {"b": 1, "a": {"z": 1, "y": 1, "title": true, "id": false}}, "x": 1}`,
			"schema: properties.a.id: must be a string, not a boolean"},
	} {
		t.Run(row.name, func(t *testing.T) {
			for range 10 { // Go's order of maps does not show.
				p, err := Decode([]byte(row.text))
				require.Nil(t, p)
				require.EqualError(t, err, row.want)
				var decodeError *DecodeError
				require.ErrorAs(t, err, &decodeError)
			}
			_, findings, err := DecodeStrict([]byte(row.text))
			require.EqualError(t, err, row.want)
			require.Nil(t, findings)
		})
	}
}

// CDC-003, CDC-004.
func TestDecodeStrict(t *testing.T) {
	many := `{"type": "object"`
	for i := range 150 {
		many += `, "x` + strings.Repeat("x", i) + `": 1`
	}
	for _, row := range []struct {
		name, text string
		want       []string
	}{
		{"below properties, not, allOf", `{"properties": {"a": {"readOnly": true}}, "not": {"x": 1}, "allOf": [{"y": 1}], "patternProperties": {"p": {"x": 1}}, "definitions": {"d": {"x": 1}}}`,
			[]string{`unknown field "properties.a.readOnly"`, `unknown field "not.x"`, `unknown field "allOf[0].y"`, `unknown field "patternProperties.p.x"`, `unknown field "definitions.d.x"`}},
		{"blind below items and the like", `{"items": {"type": "string", "readOnly": true}, "additionalProperties": {"x": 1}, "additionalItems": {"x": 1},
			"dependencies": {"a": {"x": 1, "x": 2}}, "default": {"x": 1, "x": 2}, "example": {"x": 1}, "enum": [{"x": 1}]}`, nil},
		{"rules and docs", `{"x-kubernetes-validations": [{"x": 1}, null], "externalDocs": {"x": 1}}`,
			[]string{`unknown field "x-kubernetes-validations[0].x"`, `unknown field "externalDocs.x"`}},
		{"duplicates", `{"type": "a", "type": "b", "properties": {"a": {}, "a": {"x": 1}}, "dependencies": {"a": [], "a": []}}`,
			[]string{`duplicate field "type"`, `duplicate field "properties.a"`, `unknown field "properties.a.x"`, `duplicate field "dependencies.a"`}},
		{"YAML", "type: a\nzz: 1\ntype: b\naa: 1\n", []string{"yaml: unmarshal errors:\n  line 3: key \"type\" already set in map", `unknown field "aa"`, `unknown field "zz"`}},
	} {
		t.Run(row.name, func(t *testing.T) {
			p, findings, err := DecodeStrict([]byte(row.text))
			require.NoError(t, err)
			require.Equal(t, row.want, findings)
			lax, err := Decode([]byte(row.text))
			require.NoError(t, err)
			require.Equal(t, lax, p)
		})
	}
	_, findings, err := DecodeStrict([]byte(many + "}"))
	require.NoError(t, err)
	require.Len(t, findings, 100)
}

// CDC-008.
func TestDecodeDeep(t *testing.T) {
	for _, nest := range []string{`"not":`, `"items":`, `"additionalProperties":`, `"properties":{"a":`} {
		close := strings.Repeat("}", strings.Count(nest, "{")+1)
		deep := func(n int) []byte {
			return []byte(strings.Repeat("{"+nest, n) + "{}" + strings.Repeat(close, n))
		}
		_, err := Decode(deep(4900))
		require.NoError(t, err, nest)
		_, err = Decode(deep(10001))
		require.ErrorContains(t, err, "exceeded max depth", nest)
	}
}

func TestFromValue(t *testing.T) {
	t.Run("nil", func(t *testing.T) {
		p, err := FromValue(nil)
		require.NoError(t, err)
		require.Equal(t, &JSONSchemaProps{}, p)
	})
	t.Run("what contains itself", func(t *testing.T) {
		for name, build := range map[string]func() map[string]any{
			"schema": func() map[string]any { m := map[string]any{}; m["not"] = m; return m },
			"items":  func() map[string]any { m := map[string]any{}; m["items"] = []any{m, m}; return m },
			"map": func() map[string]any {
				m := map[string]any{}
				m["properties"] = map[string]any{"a": m, "b": m}
				return m
			},
			"default": func() map[string]any { m := map[string]any{}; m["a"] = m; return map[string]any{"default": m} },
			"enum":    func() map[string]any { l := []any{nil, nil}; l[0], l[1] = l, l; return map[string]any{"enum": l} },
		} {
			p, err := FromValue(build())
			require.Nil(t, p, name)
			require.EqualError(t, err, "schema: exceeded max depth", name)
		}
		// Unknown keys are not looked into.
		m := map[string]any{}
		m["unknown"] = m
		_, err := FromValue(m)
		require.NoError(t, err)
	})
	t.Run("other Go types", func(t *testing.T) {
		for want, v := range map[string]any{
			"schema: maxLength: must be an integer of 64 bits without point or exponent, not a Go int": map[string]any{"maxLength": 1},
			"schema: required: must be a list, not a Go []string":                                      map[string]any{"required": []string{"a"}},
			"schema: default.a[0]: must be a JSON value, not a Go float32":                             map[string]any{"default": map[string]any{"a": []any{float32(1)}}},
			"schema: enum[1]: must be a JSON value, not a Go int":                                      map[string]any{"enum": []any{nil, 1}},
			"schema: example: must be a JSON value, not a Go json.Number":                              map[string]any{"example": json.Number("1")},
			"schema: must be an object, not a Go struct {}":                                            struct{}{},
		} {
			_, err := FromValue(v)
			require.EqualError(t, err, want)
		}
	})
	t.Run("does not modify its argument", func(t *testing.T) {
		var v, before any
		require.NoError(t, json.Unmarshal([]byte(`{"properties": {"a": {"enum": ["a"], "default": {"b": [true]}, "type": "string"}}}`), &v))
		require.NoError(t, json.Unmarshal([]byte(`{"properties": {"a": {"enum": ["a"], "default": {"b": [true]}, "type": "string"}}}`), &before))
		p, err := FromValue(v)
		require.NoError(t, err)
		p.Properties["a"].Enum = append(p.Properties["a"].Enum, "b")
		p.Properties["a"].Type = "x"
		require.Equal(t, before, v)
	})
}

// CDC-013: what a server leaves out, and what it does not.
func TestValue(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"zero values vanish", `{"nullable": false, "enum": [], "properties": {}, "exclusiveMaximum": false, "required": [], "type": "", "allOf": [], "dependencies": {}}`, `{}`},
		{"pointers stay", `{"minimum": 0, "maxLength": 0, "$ref": "", "x-kubernetes-preserve-unknown-fields": false, "x-kubernetes-list-type": ""}`,
			`{"minimum": 0, "maxLength": 0, "$ref": "", "x-kubernetes-preserve-unknown-fields": false, "x-kubernetes-list-type": ""}`},
		{"items without a schema", `{"items": true}`, `{"items": null}`},
		{"items with no schemas", `{"items": []}`, `{"items": null}`},
		{"items with schemas", `{"items": [{}]}`, `{"items": [{}]}`},
		{"additionalProperties", `{"additionalProperties": false, "additionalItems": true}`, `{"additionalProperties": false, "additionalItems": true}`},
		{"a schema that allows", `{"additionalProperties": {}}`, `{"additionalProperties": {}}`},
		{"dependencies", `{"dependencies": {"a": [], "b": 1, "c": {}}}`, `{"dependencies": {"a": null, "b": null, "c": {}}}`},
		{"a rule", `{"x-kubernetes-validations": [{}]}`, `{"x-kubernetes-validations": [{"rule": ""}]}`},
		{"numbers", `{"enum": [1.0, 1e2, 1.5], "default": {"a": 2.0}}`, `{"enum": [1, 100, 1.5], "default": {"a": 2}}`},
		{"docs", `{"externalDocs": {}}`, `{"externalDocs": {}}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			p, err := Decode([]byte(row.text))
			require.NoError(t, err)
			text, err := json.Marshal(p)
			require.NoError(t, err)
			require.JSONEq(t, row.want, string(text))
		})
	}
	require.Nil(t, (*JSONSchemaProps)(nil).Value())
	p := &JSONSchemaProps{Type: "string"}
	require.NoError(t, p.UnmarshalJSON([]byte("null")))
	require.Error(t, p.UnmarshalJSON([]byte(`{"type": 1}`)))
	require.Equal(t, &JSONSchemaProps{Type: "string"}, p)
}

// Whatever the text: no panic, the same answer each time, and what is written reads as the same.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{"", "{}", everyKey, "type: [a]", "properties: {n: {maxLength: 1e3}}", `{"items": [], "dependencies": {"a": 1}}`, `{"enum": [1.0, null]}`, "a: &a [*a]"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Decode(data)
		same, findings, strictErr := DecodeStrict(data)
		require.Equal(t, err, strictErr)
		require.Equal(t, p, same)
		if err != nil {
			require.Nil(t, p)
			require.Nil(t, findings)
			return
		}
		text, err := json.Marshal(p)
		require.NoError(t, err)
		again, findings, err := DecodeStrict(text)
		require.NoError(t, err)
		require.Empty(t, findings)
		text, err = json.Marshal(again)
		require.NoError(t, err)
		third, err := Decode(text)
		require.NoError(t, err)
		require.Equal(t, third.Value(), again.Value())
	})
}

func BenchmarkFromValue(b *testing.B) {
	properties := map[string]any{}
	for _, name := range strings.Fields("alpha beta gamma delta epsilon zeta eta theta iota kappa") {
		properties[name] = map[string]any{"type": "string", "description": "a text", "maxLength": int64(63), "enum": []any{"a", "b"}}
	}
	v := map[string]any{"type": "object", "properties": properties}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := FromValue(v); err != nil {
			b.Fatal(err)
		}
	}
}
