package constraint_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/internal/tool/constraint"
)

const ruled = `
type: object
x-kubernetes-validations:
- {rule: "self.metadata.name != 'x'"}
- {rule: "self.spec.size >= oldSelf.spec.size"}
properties:
  spec:
    type: object
    properties:
      size: {type: integer, default: 1}
      seen: {type: string, x-kubernetes-validations: [{rule: "!oldSelf.hasValue() || self != oldSelf.value()", optionalOldSelf: true}]}
      list:
        type: array
        x-kubernetes-list-type: map
        x-kubernetes-list-map-keys: [k]
        items:
          type: object
          anyOf: [{required: [k]}]
          required: [k]
          properties:
            k: {type: string}
            deep: {type: object, properties: {x: {type: integer}}}
            num: {type: integer, x-kubernetes-validations: [{rule: self >= 0}, {rule: self >= oldSelf}]}
      map:
        type: object
        additionalProperties: {type: integer, x-kubernetes-validations: [{rule: self < 5, message: too much}]}
      broken: {type: string, x-kubernetes-validations: [{rule: "self.nothing("}]}
`

// ECT-015: a rule at a time.
func TestJudge(t *testing.T) {
	p := given.Schema(t, ruled)
	rules := map[string]*constraint.Rule{}
	var names []string
	for _, r := range constraint.Rules(p) {
		names = append(names, r.Name())
		rules[r.Name()] = r
	}
	require.Equal(t, []string{
		"x-kubernetes-validations[0]", "x-kubernetes-validations[1]", "spec.broken.x-kubernetes-validations[0]",
		"spec.list[*].num.x-kubernetes-validations[0]", "spec.list[*].num.x-kubernetes-validations[1]", "spec.map[*].x-kubernetes-validations[0]",
		"spec.seen.x-kubernetes-validations[0]",
	}, names)
	for _, c := range []struct {
		name, rule, obj, old string
		yes, no              int
	}{
		{"the whole object", "x-kubernetes-validations[0]", "{metadata: {name: a}, spec: {}}", "", 1, 0},
		{"and its metadata", "x-kubernetes-validations[0]", "{metadata: {name: x}, spec: {}}", "", 0, 1},
		{"a transition needs an old object", "x-kubernetes-validations[1]", "{spec: {size: 1}}", "", 0, 0},
		{"a transition", "x-kubernetes-validations[1]", "{spec: {size: 2}}", "{spec: {size: 1}}", 1, 0},
		{"a transition that fails", "x-kubernetes-validations[1]", "{spec: {size: 0}}", "{spec: {size: 1}}", 0, 1},
		{"no value, no verdict", "spec.seen.x-kubernetes-validations[0]", "{spec: {size: 0}}", "", 0, 0},
		{"an optional old value", "spec.seen.x-kubernetes-validations[0]", "{spec: {seen: a}}", "", 1, 0},
		{"an optional old value that is there", "spec.seen.x-kubernetes-validations[0]", "{spec: {seen: a}}", "{spec: {seen: a}}", 0, 1},
		{"items", "spec.list[*].num.x-kubernetes-validations[0]", "{spec: {list: [{k: a, num: 1}, {k: b, num: -1}, {k: c}, {k: d, num: 0}]}}", "", 2, 1},
		{"items by their keys", "spec.list[*].num.x-kubernetes-validations[1]", "{spec: {list: [{k: b, num: 2}, {k: a, num: 0}]}}", "{spec: {list: [{k: a, num: 1}, {k: b, num: 2}]}}", 0, 1},
		{"a new item", "spec.list[*].num.x-kubernetes-validations[1]", "{spec: {list: [{k: b, num: 2}]}}", "{spec: {list: [{k: a, num: 1}]}}", 0, 0},
		{"entries of a map", "spec.map[*].x-kubernetes-validations[0]", "{spec: {map: {a: 1, b: 9, c: 4}}}", "", 2, 1},
		{"a rule that does not compile", "spec.broken.x-kubernetes-validations[0]", "{spec: {broken: a}}", "", 0, 1},
		{"an object of another shape", "spec.map[*].x-kubernetes-validations[0]", "{spec: {map: [1]}}", "", 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			obj := given.Object(t, c.obj)
			var old map[string]any
			if c.old != "" {
				old = given.Object(t, c.old)
			}
			v := rules[c.rule].Evaluate(t.Context(), obj, old)
			require.Equal(t, c.yes, v.True)
			require.Len(t, v.False, c.no)
		})
	}
	require.True(t, rules["x-kubernetes-validations[1]"].Transition())
	require.False(t, rules["spec.seen.x-kubernetes-validations[0]"].Transition())
	require.Empty(t, constraint.Rules(nil))
}
