package crdcheck

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/patch"
	"github.com/stretchr/testify/require"
)

// dear returns a definition whose spec has the given schema.
func dear(t testing.TB, spec string) *crd.CustomResourceDefinition {
	t.Helper()
	d, err := crd.Parse([]byte(`{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: things.example.com},
spec: {group: example.com, scope: Namespaced, names: {plural: things, kind: Thing}, versions: [{name: v1, served: true, storage: true,
schema: {openAPIV3Schema: {type: object, properties: {spec: ` + spec + `}}}}]}}`))
	require.NoError(t, err)
	return d
}

// patched returns d with a JSON Patch.
func patched(t testing.TB, d *crd.CustomResourceDefinition, text []byte) *crd.CustomResourceDefinition {
	t.Helper()
	p, refused := patch.Accept("application/json-patch+json", text)
	require.Nil(t, refused)
	document, err := json.Marshal(d)
	require.NoError(t, err)
	data, refused := p.Apply(document)
	require.Nil(t, refused)
	out, err := crd.Parse(data)
	require.NoError(t, err)
	return out
}

// over reports whether the rule at a path in the document is over its limit.
func over(d *crd.CustomResourceDefinition, path string) bool {
	for _, s := range Costs(d).Schemas {
		for _, r := range s.Rules {
			if r.Path == path {
				return !r.Fits()
			}
		}
	}
	return true
}

// next returns the natural value behind one.
func next(b Bound) (int64, bool) {
	values := naturalCounts
	if b.Keyword == "maxLength" {
		values = naturalLengths
	}
	i := slices.Index(values, b.Value)
	if i < 0 || i+1 == len(values) {
		return 0, false
	}
	return values[i+1], true
}

// proves checks each fix of d: with its patch a server has nothing more against the rule, and with the next natural value of a bound it has.
// It returns the number of fixes.
func proves(t *testing.T, d *crd.CustomResourceDefinition) (fixes, unfixed int) {
	t.Helper()
	for _, s := range Costs(d).Schemas {
		for _, r := range s.Rules {
			if !r.Fits() && len(r.Fixes) == 0 {
				unfixed++
			}
			require.LessOrEqual(t, len(r.Fixes), maxFixes)
			for _, f := range r.Fixes {
				fixes++
				fixed := patched(t, d, f.Patch)
				require.False(t, over(fixed, r.Path), "%s: %s", r.Path, f.Patch)
				total := uint64(0)
				for _, x := range Costs(fixed).Schemas {
					if x.Path == s.Path {
						total = x.Total
					}
				}
				require.Equal(t, total, f.Total)
				for i, b := range f.Bounds {
					value, ok := next(b)
					if !ok {
						continue
					}
					var operations []map[string]any
					require.NoError(t, json.Unmarshal(f.Patch, &operations))
					each := len(operations) / len(f.Bounds)
					for k := range each {
						operations[i*each+k]["value"] = value
					}
					text, err := json.Marshal(operations)
					require.NoError(t, err)
					more := patched(t, d, text)
					require.NotEmpty(t, Validate(more))
					total := uint64(0)
					for _, x := range Costs(more).Schemas {
						if x.Path == s.Path {
							total = x.Total
						}
					}
					require.True(t, over(more, r.Path) || f.Total <= DefinitionCostLimit && total > DefinitionCostLimit, "%s: %s fits too", r.Path, text)
				}
			}
		}
	}
	return fixes, unfixed
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
				"spec.versions[0].schema.openAPIV3Schema.properties[spec] maxItems: 8192, spec.versions[0].schema.openAPIV3Schema.properties[spec].items maxLength: 1024",
				"spec.versions[0].schema.openAPIV3Schema.properties[spec] maxItems: 256, spec.versions[0].schema.openAPIV3Schema.properties[spec].items maxLength: 32768",
				"spec.versions[0].schema.openAPIV3Schema.properties[spec].items maxLength: 4",
			}, nil,
		},
		{
			"a pattern in an unbounded list", `{type: array, items: {type: string, maxLength: 253, x-kubernetes-validations: [{rule: "self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')"}]}}`,
			[]string{"spec.versions[0].schema.openAPIV3Schema.properties[spec] maxItems: 8192"},
			[]string{HintMatches},
		},
		{
			"a bound in allOf", `{type: array, maxItems: 1000, items: {type: string, allOf: [{maxLength: 10}], x-kubernetes-validations: [{rule: "self.contains('abcdefghijklmnopqrst')"}]}}`,
			[]string{"spec.versions[0].schema.openAPIV3Schema.properties[spec].items maxLength: 8192"},
			[]string{HintAllOf},
		},
		{
			"unique items", `{type: array, items: {type: object, properties: {name: {type: string, maxLength: 253}}}, x-kubernetes-validations: [{rule: "self.all(x, self.exists_one(y, y.name == x.name))"}]}`,
			[]string{"spec.versions[0].schema.openAPIV3Schema.properties[spec] maxItems: 256"},
			[]string{HintUnique},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := dear(t, tt.spec)
			require.NotEmpty(t, Validate(d))
			r := Costs(d).Schemas[0].Rules[0]
			got := []string{}
			for _, f := range r.Fixes {
				got = append(got, f.text())
				require.Empty(t, Validate(patched(t, d, f.Patch)))
			}
			require.NotEmpty(t, got)
			require.Equal(t, tt.fixes, got)
			names := []string(nil)
			for _, h := range r.Hints {
				names = append(names, h.Name)
			}
			require.Equal(t, tt.hints, names)
			_, unfixed := proves(t, d)
			require.Zero(t, unfixed)
		})
	}
}

func TestHeadroom(t *testing.T) {
	d := dear(t, `{type: array, maxItems: 10, items: {type: string, maxLength: 20, x-kubernetes-validations: [{rule: "self.contains('abcdefghijk')"}]}}`)
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

// TestFixesOfRecorded looks at recorded definitions that are too dear and nothing else.
func TestFixesOfRecorded(t *testing.T) {
	f, err := os.Open("../../shared/conformance/versions/definitions.jsonl")
	if err != nil {
		t.Skip("no recorded definitions")
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 64<<20)
	definitions, fixes, unfixed, slowest := 0, 0, 0, time.Duration(0)
	for in.Scan() {
		var row struct {
			Name string
			CRD  json.RawMessage
		}
		require.NoError(t, json.Unmarshal(in.Bytes(), &row))
		d, err := crd.Parse(row.CRD)
		if err != nil {
			continue
		}
		errs := Validate(d)
		if len(errs) == 0 || slices.ContainsFunc(errs, func(e *field.Error) bool { return !strings.Contains(e.Detail, "cost") }) {
			continue
		}
		start := time.Now()
		Costs(d)
		slowest = max(slowest, time.Since(start))
		if definitions++; definitions%32 != 1 {
			continue
		}
		n, not := proves(t, d)
		fixes, unfixed = fixes+n, unfixed+not
	}
	require.NotZero(t, fixes)
	t.Logf("%d definitions, %d fixes, %d rules without one, slowest report %v", definitions, fixes, unfixed, slowest)
}
