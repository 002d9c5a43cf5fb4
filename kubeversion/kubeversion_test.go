package kubeversion_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/kubeversion"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validate"
)

// define returns a definition whose spec has the given schema, in YAML's flow style.
func define(t testing.TB, spec string) *crd.CustomResourceDefinition {
	t.Helper()
	return given.Definition(t, given.Kind("Namespaced", "things.example.com", "Thing", "{type: object, properties: {spec: "+spec+"}}"))
}

// firstAccepting returns the first version that accepts d. All later versions must accept it, too.
func firstAccepting(t *testing.T, d *crd.CustomResourceDefinition) string {
	t.Helper()
	first := ""
	for _, v := range kubeversion.Range(d) {
		switch {
		case v.Accepted() && first == "":
			first = v.Version
		case first != "":
			require.True(t, v.Accepted(), "%s takes it, %s does not: %v", first, v.Version, v.Errors)
		}
	}
	return first
}

func TestFirstVersion(t *testing.T) {
	const text = `{type: string, maxLength: 50, x-kubernetes-validations: [{rule: "%s"}]}`
	for _, tt := range []struct{ name, spec, since, note string }{
		{"always", fmt.Sprintf(text, `self.find('a') == ''`), "1.28", ""},
		{"quantity", fmt.Sprintf(text, `isQuantity(self)`), "1.29", "isQuantity came with 1.29"},
		{"optionals", fmt.Sprintf(text, `optional.of(self).hasValue()`), "1.29", "hasValue came with 1.29"},
		{"format", fmt.Sprintf(text, `'%s'.format([self]) != ''`), "1.30", "format came with 1.30"},
		{"sets", fmt.Sprintf(text, `sets.contains([self], ['a'])`), "1.30", "sets.contains came with 1.30"},
		{"IP address", fmt.Sprintf(text, `isIP(self)`), "1.31", "isIP came with 1.31"},
		{"masked CIDR", fmt.Sprintf(text, `cidr(self) == cidr(self).masked()`), "1.32", "cidr came with 1.31"},
		{"named format", fmt.Sprintf(text, `!format.dns1123Label().validate(self).hasValue()`), "1.32", "format.dns1123Label came with 1.32"},
		{"two variables", fmt.Sprintf(text, `[self].all(i, v, v != '')`), "1.33", "macros with two variables came with 1.33"},
		{"first", fmt.Sprintf(text, `[self].first().hasValue()`), "1.33", "first came with 1.33"},
		{"semver", fmt.Sprintf(text, `isSemver(self)`), "1.34", "isSemver came with 1.34"},
		{"lists", fmt.Sprintf(text, `[self].distinct().size() == 1`), "1.35", "distinct came with 1.35"},
		{"keyword", `{type: object, properties: {namespace: {type: string}}, x-kubernetes-validations: [{rule: self.namespace == 'a'}]}`,
			"1.32", "keywords as names of fields came with 1.32"},
		{"backticks", "{type: object, properties: {a-b: {type: string}}, x-kubernetes-validations: [{rule: \"self.`a__dash__b` == 'a'\"}]}",
			"1.37", "names in backticks came with 1.37"},
		{"comparison", `{type: integer, x-kubernetes-validations: [{rule: self > 1.5}]}`, "1.29", "comparison of numbers of different types came with 1.29"},
		{"optionalOldSelf", fmt.Sprintf(`{type: string, x-kubernetes-validations: [{rule: "%s", optionalOldSelf: true}]}`,
			`!oldSelf.hasValue() || self == oldSelf.value()`), "1.30", "hasValue came with 1.29"},
		{"type of addresses", fmt.Sprintf(text, `type(self) != net.IP`), "1.31", ""},
		{"type of optionals", fmt.Sprintf(text, `type(optional.none()) == optional_type`), "1.31", "optional.none came with 1.29"},
		{"authorizers", `{type: object, properties: {x: {x-kubernetes-int-or-string: true}}, x-kubernetes-validations: [{rule: "self.x.group('').resource('a').labelSelector('b').check('get').allowed()"}]}`,
			"1.32", "labelSelector came with 1.32"},
		{"never", fmt.Sprintf(text, `math.greatest(1, 2) == 2`), "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := define(t, tt.spec)
			require.Equal(t, tt.since, firstAccepting(t, d))
			if tt.note == "" {
				return
			}
			v, err := kubeversion.Check(d, "1.28")
			require.NoError(t, err)
			texts := []string{}
			for _, n := range v.Notes {
				texts = append(texts, n.Text)
			}
			require.Contains(t, texts, tt.note)
		})
	}
}

func TestNote(t *testing.T) {
	d := define(t, `{type: object, properties: {hosts: {type: array, maxItems: 3, items: {type: string, maxLength: 50,
  x-kubernetes-validations: [{rule: "self != ''"}, {rule: isIP(self), messageExpression: "string(ip(self))"}]}}}}`)
	v, err := kubeversion.Check(d, "1.30")
	require.NoError(t, err)
	const at = "spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[hosts].items.x-kubernetes-validations[1]"
	require.Equal(t, kubeversion.Note{Path: at + ".rule", Rule: "isIP(self)", Needs: "isIP", Since: "1.31", Text: "isIP came with 1.31"}, v.Notes[0])
	require.Equal(t, at+".messageExpression: string came with 1.31", v.Notes[1].String())
	require.Len(t, v.Errors, 1)
	v, err = kubeversion.Check(d, "1.31")
	require.NoError(t, err)
	require.True(t, v.Accepted())
	require.Empty(t, v.Notes)
}

func TestFields(t *testing.T) {
	d := define(t, `{type: object, properties: {a: {type: string, x-kubernetes-validations: [{rule: oldSelf.hasValue() || true, optionalOldSelf: true}]},
  l: {type: array, maxItems: 2, items: {type: string, x-kubernetes-validations: [{rule: self != '', reason: FieldValueInvalid}]}}}}`)
	d.Spec.Versions[0].SelectableFields = []crd.SelectableField{{JSONPath: ".spec.a"}}
	const (
		optional = "spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.a.x-kubernetes-validations[0].optionalOldSelf"
		reason   = "spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.l.items.x-kubernetes-validations[0].reason"
		fields   = "spec.versions[0].selectableFields"
	)
	for _, tt := range []struct {
		version          string
		unknown, dropped []string
		errors           int
	}{
		{"1.27", []string{optional, fields}, []string{reason}, 1},
		{"1.28", []string{optional, fields}, nil, 1},
		{"1.29", []string{fields}, []string{optional}, 1},
		{"1.30", nil, []string{fields}, 0},
		{"1.31", nil, nil, 0},
	} {
		v, err := kubeversion.Check(d, tt.version)
		require.NoError(t, err)
		require.Equal(t, tt.unknown, v.Unknown, tt.version)
		require.Equal(t, tt.dropped, v.Dropped, tt.version)
		require.Len(t, v.Errors, tt.errors, tt.version)
	}
	require.NotNil(t, d.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Properties["a"].XValidations[0].OptionalOldSelf, "it was modified")
}

// Names of properties that begin with a bracket are no indexes, and the empty one is written in brackets, as in package
// field.
func TestFieldsOfOddNames(t *testing.T) {
	for name, want := range map[string]string{"[0": "properties.[0", "[0]": "properties.[0]", "": "properties[]"} {
		d := define(t, `{type: object}`)
		d.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Properties = map[string]*schema.JSONSchemaProps{
			name: {Type: "string", XValidations: []schema.ValidationRule{{Rule: "true", FieldPath: ".a"}}},
		}
		v, err := kubeversion.Check(d, "1.27")
		require.NoError(t, err)
		want = "spec.versions[0].schema.openAPIV3Schema.properties.spec." + want + ".x-kubernetes-validations[0].fieldPath"
		require.Equal(t, []string{want}, v.Unknown)
	}
}

func TestObjects(t *testing.T) {
	d := define(t, `{type: object, properties: {asn: {type: integer, format: int32, maximum: 4294967295, default: 5}}}`)
	d.Spec.Versions[0].Subresources = &crd.Subresources{Status: &crd.SubresourceStatus{}}
	of := func(version string) (accepted bool, needs []string) {
		v, err := kubeversion.Check(d, version)
		require.NoError(t, err)
		for _, n := range v.Notes {
			needs = append(needs, n.Needs)
		}
		return v.Accepted(), needs
	}
	for _, tt := range []struct {
		version  string
		accepted bool
		needs    []string
	}{
		{"1.29", true, []string{"ratcheting", "ratcheting of status"}},
		{"1.30", true, []string{"ratcheting of status"}},
		{"1.33", true, nil},
		{"1.35", true, nil},
		{"1.36", false, []string{"format int32"}}, // the default is no valid value any more
	} {
		accepted, needs := of(tt.version)
		require.Equal(t, tt.accepted, accepted, tt.version)
		require.Equal(t, tt.needs, needs, tt.version)
	}
	require.Empty(t, kubeversion.Range(define(t, `{type: integer, format: int32, maximum: 2147483647}`))[9].Notes)
}

// TestRangeIsCheck: that versions share work makes no difference to any of them.
func TestRangeIsCheck(t *testing.T) {
	const rule = `{type: object, properties: {x: {type: string, maxLength: 9}, i: {type: integer}}, x-kubernetes-validations: [{rule: "%s"}]}`
	deep := func(n int) string { return strings.Repeat("[", n) + "1" + strings.Repeat("]", n) + ".size() == 1" }
	for _, tt := range []struct {
		name, rule string
		versions   []string
		since      string
	}{
		{"no work", "isIP(self.x) || self.i > 1.5 || [1].all(i, x, x == i)", kubeversion.Versions(), "1.33"},
		{"deep literals", deep(249), kubeversion.Versions(), "1.28"},
		{"some work", deep(60) + " && isIP(self.none)", []string{"1.28", "1.30", "1.31", "1.36"}, "none"},
		{"much work", deep(180) + " && self.none", []string{"1.36"}, "none"}, // ten times of it are over the limit
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := define(t, fmt.Sprintf(rule, tt.rule))
			all := kubeversion.Range(d)
			for _, v := range all {
				require.Equal(t, v.Version >= tt.since, v.Accepted(), v.Version)
			}
			for _, version := range tt.versions {
				v, err := kubeversion.Check(d, version)
				require.NoError(t, err)
				ranged := all[slices.Index(kubeversion.Versions(), version)]
				require.Nil(t, ranged.Checked())
				require.Empty(t, ranged.Warnings())
				require.Equal(t, exported(&ranged), exported(v), version)
			}
		})
	}
}

// exported returns the exported fields of a verdict.
func exported(v *kubeversion.Verdict) (fields []any) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[kubeversion.Verdict]()) {
		if f.IsExported() {
			fields = append(fields, reflect.ValueOf(v).Elem().FieldByIndex(f.Index).Interface())
		}
	}
	return fields
}

// TestFormats: what a format does to objects once it is enforced.
func TestFormats(t *testing.T) {
	for _, tt := range []struct{ spec, since, text string }{
		{`{type: integer, format: int32, maximum: 2147483647}`, "", ""},
		{`{type: integer, format: int32, minimum: -2147483649}`, "1.36", "its minimum is no value of the format, so that every value is invalid"},
		{`{type: integer, format: int32, minimum: 0.5}`, "1.36", "its minimum is no value of the format, so that every value is invalid"},
		{`{type: integer, format: int64, maximum: 4294967295}`, "", ""},
		{`{type: integer, format: int64, maximum: 9223372036854775807}`, "1.36", "its maximum is no value of the format, so that every value is invalid"},
		{`{type: number, format: float, multipleOf: 1e39}`, "1.36", "its multipleOf is no value of the format, so that every value is invalid"},
		{`{type: number, format: double, maximum: 1e308}`, "", ""},
		{`{type: integer, maximum: 1e10}`, "", ""},
		{`{type: string, format: k8s-short-name}`, "1.35", "versions before it take any string"},
		{`{type: array, items: {type: string, format: k8s-long-name}}`, "1.35", "versions before it take any string"},
	} {
		t.Run(tt.spec, func(t *testing.T) {
			for _, v := range kubeversion.Range(define(t, tt.spec)) {
				require.Empty(t, v.Errors)
				texts := []string{}
				for _, n := range v.Notes {
					if strings.HasPrefix(n.Needs, "format ") {
						texts = append(texts, n.Text)
					}
				}
				if tt.since == "" || v.Version < tt.since {
					require.Empty(t, texts, v.Version)
					continue
				}
				require.Len(t, texts, 1, v.Version)
				require.Contains(t, texts[0], "is enforced since "+tt.since+": "+tt.text)
			}
		})
	}
}

// TestBeyondFormat: of the definitions that a note is about, no value is valid.
func TestBeyondFormat(t *testing.T) {
	d := define(t, `{type: integer, format: int64, maximum: 9223372036854775807}`)
	s := crdcheck.Compile(d).Schema("v1")
	require.NotEmpty(t, validate.Validate(s, map[string]any{"spec": int64(5)}))
	d = define(t, `{type: integer, format: int64, maximum: 9223372036854774784}`)
	s = crdcheck.Compile(d).Schema("v1")
	require.Empty(t, validate.Validate(s, map[string]any{"spec": int64(5)}))
}

// TestLastVersion: what newer versions refuse.
func TestLastVersion(t *testing.T) {
	for _, tt := range []struct{ rule, last string }{
		{`'\ud800' == 'a'`, "1.32"},
		{`[dyn(1), 1].size() == 2`, "1.28"},
		{`{'a': [1], 'b': [dyn(1)]}.size() == 2`, "1.28"},
		{`matches('[', self)`, "1.29"},
		{`[1, 'a'].size() == 2`, ""},
	} {
		d := define(t, fmt.Sprintf(`{type: string, maxLength: 9, x-kubernetes-validations: [{rule: "%s"}]}`, strings.ReplaceAll(tt.rule, `\`, `\\`)))
		for _, v := range kubeversion.Range(d) {
			require.Equal(t, v.Version <= tt.last, v.Accepted(), "%s in %s: %v", tt.rule, v.Version, v.Errors)
		}
	}
}

func TestUnknownVersion(t *testing.T) {
	for _, version := range []string{"", "1", "1.", "1.24", "1.39", "1.28.0", "v1.30", "2.30", "1.+30", "1.030"} {
		_, err := kubeversion.Check(nil, version)
		require.ErrorContains(t, err, "from 1.25 to 1.38", version)
	}
	require.Equal(t, "1.28 1.29 1.30 1.31 1.32 1.33 1.34 1.35 1.36 1.37", strings.Join(kubeversion.Versions(), " "))
}

func TestHostileDefinition(t *testing.T) {
	v, err := kubeversion.Check(nil, "1.30")
	require.NoError(t, err)
	require.NotEmpty(t, v.Errors)
	d := define(t, `{type: object}`)
	p := d.Spec.Versions[0].Schema.OpenAPIV3Schema
	p.Properties["spec"] = p // it contains itself
	require.NotEmpty(t, kubeversion.Range(d)[0].Errors)
	p.Properties["spec"] = nil
	require.NotEmpty(t, kubeversion.Range(d)[0].Errors)
}

// TestNext: what the prerelease refuses, and what it adds.
func TestNext(t *testing.T) {
	require.Equal(t, "1.38", kubeversion.Next())
	for _, tt := range []struct {
		name, spec     string
		accepted, next bool
	}{
		{"presence", `{type: array, maxItems: 50, items: {type: object, properties: {a: {type: string}, b: {type: string}}},
  x-kubernetes-validations: [{rule: "self.all(x, has(x.a) == has(x.b))"}]}`, true, false},
		{"presence, negated", `{type: array, maxItems: 50, items: {type: object, properties: {a: {type: string}, b: {type: string}}},
  x-kubernetes-validations: [{rule: "self.all(x, !has(x.a) == !has(x.b))"}]}`, true, true},
		{"an item of split", `{type: string, maxLength: 100, x-kubernetes-validations: [{rule: "self.split('@')[0].matches('^[a-z./]+$')"}]}`, true, false},
		{"find", `{type: string, maxLength: 100, x-kubernetes-validations: [{rule: "self.find('^[^@]*').matches('^[a-z./]+$')"}]}`, true, true},
		{"includes", `{type: array, maxItems: 9, items: {type: string, maxLength: 9}, x-kubernetes-validations: [{rule: self.includes('a')}]}`, false, true},
		{"a part of a URL", `{type: string, maxLength: 100, x-kubernetes-validations: [{rule: "url(self).getHost().matches('^[a-z.]+$')"}]}`, false, true},
		{"type", `{type: object, properties: {a: {type: string}}, x-kubernetes-validations: [{rule: "self.all(x, type(x) == type(x))"}]}`, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := define(t, tt.spec)
			newest, err := kubeversion.Check(d, "1.37")
			require.NoError(t, err)
			require.Equal(t, tt.accepted, newest.Accepted(), "%v", newest.Errors)
			require.Empty(t, newest.Prerelease)
			next, err := kubeversion.Check(d, kubeversion.Next())
			require.NoError(t, err)
			require.Equal(t, tt.next, next.Accepted(), "%v", next.Errors)
			require.Equal(t, "1.38.0-beta.0", next.Prerelease)
		})
	}
}

// TestTypesOfDefaults: what is wrong with a default has another type in 1.38.
func TestTypesOfDefaults(t *testing.T) {
	d := define(t, `{type: object, properties: {a: {type: array, minItems: 1, default: [], items: {type: string}}, b: {type: string, minLength: 2, default: x},
  c: {type: object, minProperties: 1, default: {}, additionalProperties: {type: string}}, d: {type: string, maxLength: 1, default: xx}}}`)
	types := func(version string) (all []string) {
		v, err := kubeversion.Check(d, version)
		require.NoError(t, err)
		for _, e := range v.Errors {
			all = append(all, string(e.Type))
		}
		return all
	}
	require.Equal(t, []string{"FieldValueInvalid", "FieldValueInvalid", "FieldValueInvalid", "FieldValueTooLong"}, types("1.37"))
	require.Equal(t, []string{"FieldValueTooFew", "FieldValueTooShort", "FieldValueTooFew", "FieldValueTooLong"}, types("1.38"))
}

// A server clears the namespace of a definition, since the request has none.
func TestNamespace(t *testing.T) {
	d := define(t, `{type: string}`)
	d.Metadata["namespace"] = "system"
	for _, v := range kubeversion.Range(d) {
		require.True(t, v.Accepted(), "%s: %v", v.Version, v.Errors)
	}
	require.Equal(t, "system", d.Metadata["namespace"], "it was modified")
}

// Compare is Check for two versions.
func TestCompare(t *testing.T) {
	d := define(t, `{type: array, maxItems: 9, items: {type: string, maxLength: 9}, x-kubernetes-validations: [{rule: self.includes('a')}]}`)
	for _, versions := range [][2]string{{"1.37", "1.38"}, {"1.38", "1.30"}, {"1.33", "1.33"}} {
		before, after, err := kubeversion.Compare(d, versions[0], versions[1])
		require.NoError(t, err)
		require.Equal(t, exported(must(kubeversion.Check(d, versions[0]))), exported(before))
		require.Equal(t, exported(must(kubeversion.Check(d, versions[1]))), exported(after))
	}
	_, _, err := kubeversion.Compare(d, "1.99", "1.37")
	require.Error(t, err)
	_, _, err = kubeversion.Compare(d, "1.37", "1.99")
	require.Error(t, err)
}

// An update may keep what a server refuses in a new definition.
func TestCheckUpdate(t *testing.T) {
	const list = `{type: array, maxItems: 99, items: {type: object, properties: {a: {type: string}, b: {type: string}}}, ` +
		`x-kubernetes-validations: [{rule: "self.all(x, has(x.a) == has(x.b))"}]}`
	d, old := define(t, list), define(t, list)
	d.Metadata = map[string]any{"name": "things.example.com", "labels": map[string]any{"a": "b"}}
	v, err := kubeversion.Check(d, "1.38")
	require.NoError(t, err)
	require.NotEmpty(t, v.Errors)
	v, err = kubeversion.CheckUpdate(d, old, "1.38")
	require.NoError(t, err)
	require.Empty(t, v.Errors)
	require.Equal(t, "1.38.0-beta.0", v.Prerelease)
	v, err = kubeversion.CheckUpdate(d, define(t, `{type: array}`), "1.38")
	require.NoError(t, err)
	require.NotEmpty(t, v.Errors)
	v, err = kubeversion.CheckUpdate(d, nil, "1.37")
	require.NoError(t, err)
	require.NotEmpty(t, v.Errors, "the old definition is empty, so that names change")
	_, err = kubeversion.CheckUpdate(d, old, "1.99")
	require.Error(t, err)

	// Fields that the version does not keep are those of the new definition.
	const rule = `{type: string, x-kubernetes-validations: [{rule: "!oldSelf.hasValue() || self == oldSelf.value()", optionalOldSelf: true}]}`
	v, err = kubeversion.CheckUpdate(define(t, rule), define(t, rule), "1.28")
	require.NoError(t, err)
	require.Len(t, v.Unknown, 1)
	require.Equal(t, crdcheck.CompileUpdate(define(t, rule), old).Errors(), must(kubeversion.CheckUpdate(define(t, rule), old, "1.37")).Errors)
}

func must(v *kubeversion.Verdict, err error) *kubeversion.Verdict {
	if err != nil {
		panic(err)
	}
	return v
}

// A verdict has the warnings of the version, and what was checked.
func TestVerdictWarnings(t *testing.T) {
	d := define(t, `{type: string, format: k8s-short-name}`)
	texts := func(version string) (texts []string) {
		for _, w := range must(kubeversion.Check(d, version)).Warnings() {
			texts = append(texts, w.Text)
		}
		return texts
	}
	require.Empty(t, texts("1.33"))
	require.Equal(t, []string{`unrecognized format "k8s-short-name"`}, texts("1.34"))
	require.Empty(t, texts("1.35"))
	require.Empty(t, must(kubeversion.Check(define(t, `{type: bad, format: foo}`), "1.37")).Warnings(), "it is refused")
	require.Empty(t, new(kubeversion.Verdict).Warnings())

	v := must(kubeversion.Check(d, "1.37"))
	require.Same(t, d, v.Checked().Definition())
	v = must(kubeversion.CheckUpdate(define(t, `{type: string, format: foo}`), d, "1.37"))
	require.Len(t, v.Warnings(), 1)
	v = must(kubeversion.CheckUpdate(define(t, `{type: string, format: foo}`), define(t, `{type: string, format: foo}`), "1.37"))
	require.Empty(t, v.Warnings(), "the old definition has the format, too")
}
