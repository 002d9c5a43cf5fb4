package condition

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/test/given"
)

func TestEvaluate(t *testing.T) {
	const object = `{"metadata":{"name":"a","labels":{"tier":"front","x-y":"z"}},"spec":{"n":3,"f":1.5,"nul":null,"list":[{"k":"a"},{"k":"b"}],"b":true},
		"many":{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":10}}`
	for _, c := range []struct {
		conditions []string
		want       Outcome
		err        string
	}{
		{nil, Matches, ""},
		{[]string{`object.metadata.name == "a"`, `object.spec.n == 3 && object.spec.n < 4.5`, `object.spec.f == 1.5`}, Matches, ""},
		{[]string{`object.metadata.labels["x-y"] == "z" && "tier" in object.metadata.labels`}, Matches, ""},
		{[]string{`object.spec.list.map(x, x.k) == ["a", "b"]`, `object.spec.list[1].k == "b"`, `size(object.spec.list) == 2`}, Matches, ""},
		{[]string{`object.spec.nul == null`, `has(object.spec.nul)`, `!has(object.spec.none)`}, Matches, ""},
		{[]string{`object.many.j == 10`, `object.many.exists(k, object.many[k] == 9)`}, Matches, ""},
		{[]string{`oldObject == null`, `has(request.name) && request.name == "a"`, `!has(request.subResource)`}, Matches, ""},
		{[]string{`request.kind.kind == "Kite" && request.userInfo.groups.exists(g, g.startsWith("system:"))`}, Matches, ""},
		{[]string{`request.options.fieldManager == "me"`, `request.userInfo.extra["k"] == ["v"]`}, Matches, ""},
		{[]string{`object == object && object.spec != object.metadata`}, Matches, ""},
		{[]string{`object.metadata.name.matches("^a$")`, `quantity("1k").isGreaterThan(quantity("1"))`, `object.?spec.?none.orValue(1) == 1`}, Matches, ""},
		{[]string{`object.spec.n > 5`}, Differs, ""},
		{[]string{`object.spec.none == 1`, `object.spec.n > 5`}, Differs, ""},
		{[]string{`object.spec.none == 1`}, Fails, "expression 'object.spec.none == 1' resulted in error: no such key: none"},
		{[]string{`object.none.x == 1`, `true`, `object.none.y == 1`}, Fails,
			"[expression 'object.none.x == 1' resulted in error: no such key: none, expression 'object.none.y == 1' resulted in error: no such key: none]"},
		{[]string{`object.spec.n == "a"`}, Differs, ""},
		{[]string{`object.spec.b`}, Fails, "compilation error: must evaluate to bool but got dyn"},
		{[]string{`object.spec.n && true`}, Fails, "expression 'object.spec.n && true' resulted in error: no such overload"},
		{[]string{`object.none.x == 1`, `object.none.x == 1`}, Fails, "expression 'object.none.x == 1' resulted in error: no such key: none"},
		{[]string{`[1,2,3,4,5,6,7,8,9,0].all(a, [1,2,3,4,5,6,7,8,9,0].all(b, [1,2,3,4,5,6,7,8,9,0].all(c, [1,2,3,4,5,6,7,8,9,0].all(d,
			[1,2,3,4,5,6,7,8,9,0].all(e, [1,2,3,4,5,6,7,8,9,0].all(f, true))))))`}, Fails, "resulted in error: operation cancelled: actual cost limit exceeded"},
		{[]string{`request.none`}, Fails, "compilation error: compilation failed: ERROR: <input>:1:8: undefined field 'none'"},
		{[]string{`authorizer.group("").resource("pods").check("get").allowed()`}, Fails, "resulted in error: no such overload"},
	} {
		var conditions []*Condition
		for _, text := range c.conditions {
			conditions = append(conditions, Compile(text))
		}
		got, err := Evaluate(t.Context(), conditions, Input{Object: given.Object(t, object), Request: given.Object(t, `{"name":"a","kind":{"kind":"Kite"},
			"operation":"CREATE","userInfo":{"username":"u","groups":["system:masters"],"extra":{"k":["v"]}},"options":{"fieldManager":"me"}}`)})
		require.Equal(t, c.want, got, "%q: %v", c.conditions, err)
		if c.err == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, c.err)
		}
	}
}

// The conditions of a webhook share a budget.
func TestBudget(t *testing.T) {
	const ten = "[1,2,3,4,5,6,7,8,9,0]"
	loop := "true"
	for range 5 {
		loop = ten + ".all(x, " + loop + ")"
	}
	one := []*Condition{Compile(loop)}
	outcome, err := Evaluate(t.Context(), one, Input{})
	require.NoError(t, err)
	require.Equal(t, Matches, outcome)
	outcome, err = Evaluate(t.Context(), []*Condition{one[0], one[0], one[0], one[0], one[0], one[0], one[0], one[0]}, Input{})
	require.Equal(t, Fails, outcome)
	require.EqualError(t, err, "validation failed due to running out of cost budget, no further validation rules will be run")
}

func TestCheck(t *testing.T) {
	require.NoError(t, Check(`object.a.b == oldObject.c && request.dryRun && authorizer.path("/").check("get").allowed()`))
	for text, want := range map[string]string{
		"object":                          "must evaluate to bool",
		"'a'":                             "must evaluate to bool",
		"self.a":                          "compilation failed: ERROR: <input>:1:1: undeclared reference to 'self' (in container '')",
		"request.object":                  "undefined field 'object'",
		"request.dryRun == 1":             "found no matching overload for '_==_' applied to '(bool, int)'",
		strings.Repeat("(", 300) + "true": "compilation failed: ",
	} {
		require.ErrorContains(t, Check(text), want, text)
	}
}
