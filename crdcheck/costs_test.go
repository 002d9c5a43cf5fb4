package crdcheck

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/patch"
	"github.com/crdkit/crdkit/internal/test/given"
)

// withSpec returns a definition whose spec has the given schema.
func withSpec(t testing.TB, spec string) *crd.CustomResourceDefinition {
	t.Helper()
	schema := "{type: object, properties: {spec: " + spec + "}}"
	return given.Definition(t, given.Kind("Namespaced", "things.example.com", "Thing", schema))
}

// patched returns d with a JSON Patch.
func patched(t testing.TB, d *crd.CustomResourceDefinition, text []byte) *crd.CustomResourceDefinition {
	t.Helper()
	p, refused := patch.Accept("application/json-patch+json", text)
	require.Nil(t, refused)
	data, refused := p.Apply(given.JSON(t, d))
	require.Nil(t, refused)
	return given.Definition(t, data)
}

// costsAt returns the costs of the rule at a path in the document, and of its schema.
func costsAt(t testing.TB, d *crd.CustomResourceDefinition, path string) (RuleCosts, SchemaCosts) {
	t.Helper()
	for _, s := range Costs(d).Schemas {
		for _, r := range s.Rules {
			if r.Path == path {
				return r, s
			}
		}
	}
	t.Fatalf("no rule at %s", path)
	return RuleCosts{}, SchemaCosts{}
}

// isNatural reports whether a bound may be that of what rules read, or one in allOf: larger values may fit too.
func isNatural(at Bound, rules string) bool {
	if !slices.Contains(commonCounts, at.Value) && !slices.Contains(commonLengths, at.Value) {
		return true
	}
	for function, most := range naturalLengths {
		if at.Value == most && strings.Contains(rules, function+"(") {
			return true
		}
	}
	return false
}

// nexts returns the patches of f, for rules, with the next common value for one of the bounds, of each that has one.
func nexts(t testing.TB, f Fix, rules string) (patches [][]byte) {
	t.Helper()
	for i, at := range f.Bounds {
		values := commonCounts
		if at.Keyword == "maxLength" {
			values = commonLengths
		}
		k := slices.Index(values, at.Value)
		if k+1 == len(values) || isNatural(at, rules) {
			continue
		}
		require.GreaterOrEqual(t, k, 0, "%d is no common value", at.Value)
		var operations []map[string]any
		require.NoError(t, json.Unmarshal(f.Patch, &operations))
		each := len(operations) / len(f.Bounds)
		for j := range each {
			operations[i*each+j]["value"] = values[k+1]
		}
		patches = append(patches, given.JSON(t, operations))
	}
	return patches
}

// proves checks each fix of d: with its patch a server has nothing more against the rule, or the schema, and with the
// next common value of a bound it has. It returns the number of fixes.
func proves(t *testing.T, d *crd.CustomResourceDefinition) (fixes int) {
	t.Helper()
	for _, s := range Costs(d).Schemas {
		for _, r := range s.Rules {
			require.LessOrEqual(t, len(r.Fixes), maxFixes)
			for _, f := range r.Fixes {
				fixes++
				rule, schema := costsAt(t, patched(t, d, f.Patch), r.Path)
				require.LessOrEqual(t, rule.Share, 1.0, "%s: %s", r.Path, f.Patch)
				require.Equal(t, schema.Total, f.Total)
				require.Equal(t, rule.Estimate, f.Estimate)
				for _, more := range nexts(t, f, r.Rule) {
					rule, schema := costsAt(t, patched(t, d, more), r.Path)
					require.True(t, rule.Share > 1 || f.Total <= DefinitionCostLimit && schema.Total > DefinitionCostLimit, "%s: %s fits too", r.Path, more)
				}
			}
		}
		if s.Fix == nil {
			continue
		}
		fixes++
		require.Empty(t, Validate(patched(t, d, s.Fix.Patch)), "%s", s.Fix.Patch)
		rules := ""
		for _, r := range s.Rules {
			rules += r.Rule
		}
		for _, more := range nexts(t, *s.Fix, rules) {
			require.NotEmpty(t, Validate(patched(t, d, more)), "%s fits too", more)
		}
	}
	return fixes
}

func TestFixes(t *testing.T) {
	for _, tt := range []struct {
		name, spec string
		fixes      []string
		hints      []string
	}{
		{
			"a list of strings", `{type: array, items: {type: string}, x-kubernetes-validations: [{rule: "self.all(x, x.contains('abcdefghijk'))"}]}`,
			[]string{
				"maxItems: 8192 at spec.versions[0].schema.openAPIV3Schema.properties[spec], maxLength: 1024 at spec.versions[0].schema.openAPIV3Schema.properties[spec].items",
				"maxItems: 256 at spec.versions[0].schema.openAPIV3Schema.properties[spec], maxLength: 32768 at spec.versions[0].schema.openAPIV3Schema.properties[spec].items",
				"maxLength: 4 at spec.versions[0].schema.openAPIV3Schema.properties[spec].items",
			}, nil,
		},
		{
			"a pattern in an unbounded list", `{type: array, items: {type: string, maxLength: 253, x-kubernetes-validations: [{rule: "self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')"}]}}`,
			[]string{"maxItems: 8192 at spec.versions[0].schema.openAPIV3Schema.properties[spec]"},
			[]string{hintMatches},
		},
		{
			"a pattern of each item", `{type: array, maxItems: 64, items: {type: string}, x-kubernetes-validations: [{rule: "self.all(x, x.matches('^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$'))"}]}`,
			[]string{"maxLength: 32768 at spec.versions[0].schema.openAPIV3Schema.properties[spec].items"},
			[]string{hintMatches},
		},
		{
			"a pattern of something else", `{type: array, maxItems: 64, items: {type: string}, x-kubernetes-validations: [{rule: "self.all(x, self[0].matches('^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$'))"}]}`,
			[]string{"maxLength: 32768 at spec.versions[0].schema.openAPIV3Schema.properties[spec].items"},
			nil,
		},
		{
			"quantities", `{type: array, maxItems: 64, items: {type: object, properties: {min: {type: string}, max: {type: string}},
				x-kubernetes-validations: [{rule: "quantity(self.min).isLessThan(quantity(self.max))"}]}}`,
			[]string{"maxLength: 63 at spec.versions[0].schema.openAPIV3Schema.properties[spec].items.properties[max], " +
				"maxLength: 63 at spec.versions[0].schema.openAPIV3Schema.properties[spec].items.properties[min]"},
			nil,
		},
		{
			"a bound in allOf", `{type: array, maxItems: 1000, items: {type: string, allOf: [{maxLength: 10}], x-kubernetes-validations: [{rule: "self.contains('abcdefghijklmnopqrst')"}]}}`,
			[]string{"maxLength: 10 at spec.versions[0].schema.openAPIV3Schema.properties[spec].items"},
			[]string{hintAllOf},
		},
		{
			"unique items", `{type: array, items: {type: object, properties: {name: {type: string, maxLength: 253}}}, x-kubernetes-validations: [{rule: "self.all(x, self.exists_one(y, y.name == x.name))"}]}`,
			[]string{"maxItems: 256 at spec.versions[0].schema.openAPIV3Schema.properties[spec]"},
			[]string{hintUnique},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := withSpec(t, tt.spec)
			require.NotEmpty(t, Validate(d))
			r := Costs(d).Schemas[0].Rules[0]
			got := []string{}
			for _, f := range r.Fixes {
				got = append(got, f.String())
				require.Empty(t, Validate(patched(t, d, f.Patch)))
			}
			require.NotEmpty(t, got)
			require.Equal(t, tt.fixes, got)
			names := []string(nil)
			for _, h := range r.Hints {
				names = append(names, h.Name)
			}
			require.Equal(t, tt.hints, names)
			require.Equal(t, len(tt.fixes)+1, proves(t, d))
		})
	}
}

func TestHeadroom(t *testing.T) {
	d := withSpec(t, `{type: array, maxItems: 10, items: {type: string, maxLength: 20, x-kubernetes-validations: [{rule: "self.contains('abcdefghijk')"}]}}`)
	require.Empty(t, Validate(d))
	r := Costs(d).Schemas[0].Rules[0]
	require.Len(t, r.Headroom, 2)
	require.Nil(t, r.Fixes)
	p := d.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	for i, to := range []**int64{&p.MaxItems, &p.Items.Schema.MaxLength} {
		before, value := *to, r.Headroom[i].Value
		*to = &value
		require.Empty(t, Validate(d))
		more := value + 1
		*to = &more
		if value < largest {
			require.NotEmpty(t, Validate(d))
		}
		*to = before
	}
}

// Rules that are over the limit only together have bounds together.
func TestFixOfSchema(t *testing.T) {
	const list = `{type: array, maxItems: %d, items: {type: string, %s x-kubernetes-validations: [{rule: "self.contains('abcdefghijk')"}]}}`
	for _, tt := range []struct {
		name, spec, fix string
	}{
		{
			"all within their limits", spread(20, fmt.Sprintf(list, 1000, "maxLength: 20000,")),
			"maxLength: 8192",
		},
		{"lists without bounds", spread(20, `{type: array, items: {type: integer, x-kubernetes-validations: [{rule: "self > 1 && self < 1000 && self != 7"}]}}`), "maxItems: "},
		{
			"some over their limits, some without bounds", spread(12, fmt.Sprintf(list, 1000, "")),
			"maxLength: ",
		},
		{
			"one bound of many rules", `{type: array, items: ` + spread(30, `{type: integer, x-kubernetes-validations: [{rule: "self > 1 && self < 1000"}]}`) + `}`,
			"maxItems: 524288 at ",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := withSpec(t, tt.spec)
			require.NotEmpty(t, Validate(d))
			s := Costs(d).Schemas[0]
			require.NotNil(t, s.Fix)
			require.Contains(t, s.Fix.String(), tt.fix)
			require.LessOrEqual(t, s.Fix.Total, uint64(DefinitionCostLimit))
			require.NotZero(t, proves(t, d))
		})
	}
	require.Nil(t, Costs(withSpec(t, spread(3, fmt.Sprintf(list, 10, "maxLength: 20,")))).Schemas[0].Fix, "it fits")
}

// spread returns a schema with that many properties of the same schema.
func spread(n int, of string) string {
	text := "{type: object, properties: {"
	for i := range n {
		text += fmt.Sprintf("p%d: %s, ", i, of)
	}
	return text + "}}"
}

// No fix refuses what the schema has, or a sample.
func TestFixesKeepValues(t *testing.T) {
	const rule = `x-kubernetes-validations: [{rule: "self.all(x, self.all(y, x.contains(y)))"}]`
	strings20 := "[" + strings.Repeat("'', ", 20) + "]"
	for _, tt := range []struct {
		name, spec string
		sample     string // of spec.l, in YAML's flow style
		least      int64  // of maxItems in a fix; 0: there is none
	}{
		{"nothing", `{type: array, items: {type: string, maxLength: 100}, ` + rule + `}`, "", 1},
		{"minItems", `{type: array, minItems: 20, items: {type: string, maxLength: 100}, ` + rule + `}`, "", 32},
		{"minItems that is too much", `{type: array, minItems: 2000, items: {type: string, maxLength: 100}, ` + rule + `}`, "", 0},
		{"minItems in allOf", `{type: array, allOf: [{minItems: 2000}], items: {type: string, maxLength: 100}, ` + rule + `}`, "", 0},
		{"a default", `{type: array, default: ` + strings20 + `, items: {type: string}, ` + rule + `}`, "", 32},
		{"an example", `{type: array, example: ` + strings20 + `, items: {type: string}, ` + rule + `}`, "", 32},
		{"an enum", `{type: array, enum: [` + strings20 + `], items: {type: string}, ` + rule + `}`, "", 32},
		{"a sample", `{type: array, items: {type: string}, ` + rule + `}`, strings20, 32},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := withSpec(t, `{type: object, properties: {l: `+tt.spec+`}}`)
			require.NotEmpty(t, Validate(d))
			var samples []map[string]any
			if tt.sample != "" {
				samples = append(samples, given.Object(t, "{apiVersion: example.com/v1, kind: Thing, spec: {l: "+tt.sample+"}}"))
			}
			s := Costs(d, samples...).Schemas[0]
			r := s.Rules[0]
			if tt.least == 0 {
				require.Empty(t, r.Fixes)
				require.Nil(t, s.Fix)
				require.Equal(t, hintNoBound, r.Hints[len(r.Hints)-1].Name)
				require.Contains(t, r.Hints[len(r.Hints)-1].Text, "contradict a lower bound")
				return
			}
			require.NotEmpty(t, r.Fixes)
			for _, f := range r.Fixes {
				require.Empty(t, Validate(patched(t, d, f.Patch)))
				for _, at := range f.Bounds {
					if at.Keyword == "maxItems" {
						require.GreaterOrEqual(t, at.Value, tt.least)
					}
				}
			}
		})
	}
}

func TestNoBoundHelps(t *testing.T) {
	d := withSpec(t, `{type: object, properties: {l: {type: array, maxItems: 10, items: {type: string, maxLength: 10}}},
x-kubernetes-validations: [{rule: "self.l.map(x, x + 'a').join(',').contains('abcdefghijk')"}]}`)
	require.NotEmpty(t, Validate(d))
	s := Costs(d).Schemas[0]
	require.Empty(t, s.Rules[0].Fixes)
	require.Nil(t, s.Fix)
	require.Len(t, s.Rules[0].Hints, 1)
	require.Equal(t, hintNoBound, s.Rules[0].Hints[0].Name)
	require.Contains(t, s.Rules[0].Hints[0].Text, "contains('abcdefghijk') is over the limit whatever the bounds are")

	d = withSpec(t, `{type: integer, x-kubernetes-validations: [{rule: self > 1, messageExpression: "[1, 2].map(x, string(x)).join(',').replace('a', 'bcdefghijk')"}]}`)
	require.NotEmpty(t, Validate(d))
	require.Contains(t, Costs(d).Schemas[0].Rules[0].Hints[0].Text, "messageExpression")
}
