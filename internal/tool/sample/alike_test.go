package sample_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/internal/tool/constraint"
	"github.com/crdkit/crdkit/internal/tool/sample"
	"github.com/crdkit/crdkit/resource"
)

func makerOf(t *testing.T, spec string) *sample.Maker {
	t.Helper()
	d := given.Definition(t, given.Kind("Namespaced", "widgets.example.org", "Widget",
		"{type: object, required: [spec], properties: {spec: "+spec+"}}"))
	r, err := resource.Compile(d)
	require.NoError(t, err)
	return sample.For(d, r.Version("v1"), constraint.VersionRules(d, "v1"))
}

// Constraints and rules that depend on each other.
func TestLinked(t *testing.T) {
	for _, tt := range []struct{ name, spec, minimal, full string }{
		{"replicas", `{type: object, required: [replicas], properties: {replicas: {type: integer, minimum: 0}}}`, `{"replicas": 1}`, `{"replicas": 1}`},
		{"items of a set, each of which has a rule", `{type: object, required: [c], properties: {c: {type: array, minItems: 3, maxItems: 10, x-kubernetes-list-type: set,
			items: {type: string, maxLength: 43, x-kubernetes-validations: [{rule: "isCIDR(self)"}]}}}}`,
			`{"c": ["10.0.0.0/24", "10.0.0.0/25", "10.0.0.0/26"]}`, `{"c": ["10.0.0.0/24", "10.0.0.0/25", "10.0.0.0/26"]}`},
		{"a set with a rule of all items", `{type: object, required: [c], properties: {c: {type: array, minItems: 2, maxItems: 10, x-kubernetes-list-type: set,
			items: {type: string, maxLength: 43}, x-kubernetes-validations: [{rule: "self.all(c, isCIDR(c))"}]}}}`,
			`{"c": ["10.0.0.0/24", "10.0.0.0/25"]}`, `{"c": ["10.0.0.0/24", "10.0.0.0/25"]}`},
		{"three rules", `{type: object, required: [kind], properties: {apiGroup: {type: string, maxLength: 253}, kind: {type: string, maxLength: 63, minLength: 1}},
			x-kubernetes-validations: [{rule: "has(self.apiGroup)"}, {rule: "!has(self.apiGroup) || self.apiGroup in ['a.example.org', 'b.example.org']"},
			{rule: "!has(self.apiGroup) || (self.apiGroup == 'a.example.org' ? self.kind == 'Service' : self.kind in ['Pool', 'Backend'])"}]}`,
			`{"apiGroup": "a.example.org", "kind": "Service"}`, `{"apiGroup": "a.example.org", "kind": "Service"}`},
		{"fields that exclude each other", `{type: object, properties: {a: {type: string}, b: {type: string}, c: {type: string}}, oneOf: [{required: [a]}, {required: [b]}]}`,
			`{"a": "a"}`, `{"a": "a", "c": "a"}`},
		{"fields that must not be together", `{type: object, properties: {a: {type: string}, b: {type: string}, c: {type: string}}, not: {required: [a, c]}}`,
			`{}`, `{"a": "a", "b": "a"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := makerOf(t, tt.spec)
			minimal, err := m.Minimal(t.Context())
			require.NoError(t, err)
			require.JSONEq(t, tt.minimal, string(given.JSON(t, minimal["spec"])))
			full, err := m.Full(t.Context())
			require.NoError(t, err)
			require.JSONEq(t, tt.full, string(given.JSON(t, full["spec"])))
		})
	}
}

// If no object is found, the error has the text of the rule, which its message need not have.
func TestUnmet(t *testing.T) {
	m := makerOf(t, `{type: object, properties: {a: {type: string}}, x-kubernetes-validations: [{rule: "has(self.a) && !has(self.a)", message: "is never right"}]}`)
	_, err := m.Minimal(t.Context())
	require.ErrorContains(t, err, "is never right; not met: spec: rule has(self.a) && !has(self.a)")
}

// Lists in lists, each of which must have many items, are bounded.
func TestBrokenNestedLists(t *testing.T) {
	m := makerOf(t, `{type: array, minItems: 50, items: {type: array, minItems: 50, items: {type: array, minItems: 50, items: {type: string, minLength: 2, maxLength: 9, pattern: "^[a-z]+$"}}}}`)
	start := time.Now()
	_, _, err := m.BreakAll(t.Context())
	require.NoError(t, err)
	t.Logf("%v, %d steps", time.Since(start), m.Work())
	require.Less(t, m.Work(), 60_000_000)
}
