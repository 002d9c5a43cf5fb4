package condition

import (
	"context"
	"fmt"
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
		{[]string{`authorizer.group("").resource("pods").check("get").allowed()`}, Fails, "resulted in error: no such attribute(s): authorizer"},
	} {
		env := NewEnvironment(false, false)
		var conditions []*Condition
		for _, text := range c.conditions {
			conditions = append(conditions, env.Compile(Match, text))
		}
		got, err := env.Evaluate(t.Context(), conditions, &Input{Object: Of(given.Object(t, object)), Request: Of(given.Object(t, `{"name":"a","kind":{"kind":"Kite"},
			"operation":"CREATE","userInfo":{"username":"u","groups":["system:masters"],"extra":{"k":["v"]}},"options":{"fieldManager":"me"}}`))})
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
	env := NewEnvironment(false, false)
	one := []*Condition{env.Compile(Match, loop)}
	outcome, err := env.Evaluate(t.Context(), one, &Input{})
	require.NoError(t, err)
	require.Equal(t, Matches, outcome)
	outcome, err = env.Evaluate(t.Context(), []*Condition{one[0], one[0], one[0], one[0], one[0], one[0], one[0], one[0]}, &Input{})
	require.Equal(t, Fails, outcome)
	require.EqualError(t, err, "validation failed due to running out of cost budget, no further validation rules will be run")
}

func TestCheck(t *testing.T) {
	env := NewEnvironment(false, false)
	require.NoError(t, env.Check(Match, `object.a.b == oldObject.c && request.dryRun && authorizer.path("/").check("get").allowed()`, false))
	for text, want := range map[string]string{
		"object":                          "must evaluate to bool",
		"'a'":                             "must evaluate to bool",
		"self.a":                          "compilation failed: ERROR: <input>:1:1: undeclared reference to 'self' (in container '')",
		"request.object":                  "undefined field 'object'",
		"request.dryRun == 1":             "found no matching overload for '_==_' applied to '(bool, int)'",
		strings.Repeat("(", 300) + "true": "compilation failed: ",
	} {
		require.ErrorContains(t, env.Check(Match, text, false), want, text)
	}
}

// decide returns the denials of a policy for an input.
func decide(t *testing.T, p *Policy, in *Input) []Denial {
	t.Helper()
	return p.Decide(t.Context(), in, in)
}

func TestVariables(t *testing.T) {
	env := NewEnvironment(true, true)
	require.NoError(t, env.Declare("names", "object.list.map(x, x.name)", false))
	require.NoError(t, env.Declare("many", "size(variables.names) > params.most", false))
	require.NoError(t, env.Declare("unused", "object.none.none", false))
	require.ErrorContains(t, env.Declare("wrong", "variables.later", false), "undefined field 'later'")
	require.NoError(t, env.Declare("one", "1", false))
	require.NoError(t, env.Declare("counts", "[1, variables.one]", false))
	require.ErrorContains(t, env.Check(Match, "variables.counts[0] == 'a'", false), "no matching overload for '_==_' applied to '(int, string)'")
	require.ErrorContains(t, env.Check(Match, "variables.none", false), "undefined field 'none'")
	require.ErrorContains(t, env.Check(Message, "authorizer.path('/').check('get').reason()", false), "undeclared reference to 'authorizer'")
	require.EqualError(t, env.Check(Message, "variables.one", false), "must evaluate to string but got int")
	require.EqualError(t, env.Check(Annotation, "variables.one", false), "must evaluate to one of [string null_type] but got int")
	require.NoError(t, env.Check(Annotation, "null", false))
	p := &Policy{Environment: env, Conditions: []*Condition{env.Compile(Match, "has(variables.names) && variables.names != []")}}
	p.Validations = []Validation{
		{Condition: env.Compile(Match, "!variables.many"), Message: env.Compile(Message, "'  only ' + string(params.most) + ': ' + variables.names.join(' ')"), Reason: "Forbidden"},
		{Condition: env.Compile(Match, "variables.counts == [1, 1] && variables.?one.orValue(2) == 1 && dyn(variables)['one'] == 1")},
		{Condition: env.Compile(Match, "variables.wrong == 1")},
		{Condition: env.Compile(Match, "object.list.all(x, x.name in variables.names)")},
		{Condition: env.Compile(Match, "object.kind == 'b'"), Message: env.Compile(Message, "'a\\nb'"), Text: " no b "},
		{Condition: env.Compile(Match, " object.kind == 'b'"), Message: env.Compile(Message, "variables.unused")},
	}
	p.Annotations = []*Condition{env.Compile(Annotation, "'a'"), env.Compile(Annotation, "string(object.none)")}
	in := &Input{Object: Of(given.Object(t, `{"kind":"a","list":[{"name":"x"},{"name":"y"}]}`)), Params: Of(given.Object(t, `{"most":1}`))}
	want := []Denial{
		{Message: "only 1: x y", Reason: "Forbidden"},
		{Message: `expression 'variables.wrong == 1' resulted in error: composited variable "wrong" fails to compile: compilation failed: ERROR: <input>:1:10: undefined field 'later'
 | variables.later
 | .........^`},
		{Message: "no b"},
		{Message: "failed expression: object.kind == 'b'"},
		{Message: "expression 'string(object.none)' resulted in error: no such key: none", Certain: true},
	}
	require.Equal(t, want, decide(t, p, in))
	p.Ignore = true
	require.Equal(t, []Denial{want[0], want[2], want[3]}, decide(t, p, in))
	in = &Input{Object: Of(given.Object(t, `{"list":[]}`))}
	require.Nil(t, decide(t, p, in), "its match condition")
	p.Ignore = false
	require.Equal(t, []Denial{{Message: `expression 'has(variables.names) && variables.names != []' resulted in error: composited variable "names" fails to evaluate: no such key: list`}},
		decide(t, p, &Input{Object: Of(map[string]any{})}))
}

// Variables may not make the computation endless, neither while it is compiled nor while it runs.
func TestVariablesAreBounded(t *testing.T) {
	env := NewEnvironment(true, false)
	require.NoError(t, env.Declare("v0", "[1]", false))
	for i := range 300 {
		require.NoError(t, env.Declare(fmt.Sprint("v", i+1), fmt.Sprintf("{variables.v%d: variables.v%d}", i, i), true))
	}
	p := &Policy{Environment: env, Validations: []Validation{{Condition: env.Compile(Match, "variables.v300 == null")}}}
	require.Contains(t, decide(t, p, &Input{})[0].Message, `composited variable "v200" is nested too deeply`)

	env = NewEnvironment(true, false)
	require.NoError(t, env.Declare("a", "1", false))
	require.NoError(t, env.Declare("a", "variables.a + 1", false))
	p = &Policy{Environment: env, Validations: []Validation{{Condition: env.Compile(Match, "variables.a == 1")}}}
	require.Contains(t, decide(t, p, &Input{})[0].Message, `composited variable "a" refers to itself`)

	// A variable is computed once, and its cost counts.
	const ten = "[1,2,3,4,5,6,7,8,9,0]"
	loop := "true"
	for range 5 {
		loop = ten + ".all(x, " + loop + ")"
	}
	env = NewEnvironment(true, false)
	require.NoError(t, env.Declare("dear", loop, false))
	p = &Policy{Environment: env, Validations: []Validation{{Condition: env.Compile(Match, strings.Repeat("variables.dear && ", 100)+"true")}}}
	require.Nil(t, decide(t, p, &Input{}))
	p.Validations = nil
	for i := range 40 {
		name := fmt.Sprint("dear", i)
		require.NoError(t, env.Declare(name, loop, false))
		p.Validations = append(p.Validations, Validation{Condition: env.Compile(Match, "variables."+name)})
	}
	require.Equal(t, []Denial{{Message: "validation failed due to running out of cost budget, no further validation rules will be run"}}, decide(t, p, &Input{}))

	// The values of variables have a limit together.
	env = NewEnvironment(true, false)
	double := "['0123456789012345678901234567890123456789']"
	for range 12 {
		double = "[" + double + "].map(x, x + x)[0]"
	}
	sum := "true"
	for i := range 1000 {
		name := fmt.Sprint("large", i)
		require.NoError(t, env.Declare(name, double+".map(x, x + 'a')", false))
		sum += " && variables." + name + " != []"
	}
	p = &Policy{Environment: env, Validations: []Validation{{Condition: env.Compile(Match, sum)}}}
	require.Len(t, decide(t, p, &Input{}), 1)
}

func TestAuthorizer(t *testing.T) {
	var asked []Inquiry
	in := &Input{
		Authorizer: func(_ context.Context, i Inquiry) (bool, string) {
			asked = append(asked, i)
			return i.Verb == "get", "because " + i.Resource
		},
		Resource: Inquiry{Group: "g", Resource: "kites", Namespace: "n", Name: "a"},
	}
	env := NewEnvironment(true, false)
	for text, want := range map[string]Inquiry{
		`authorizer.path("/x").check("get").allowed()`:                {Path: "/x", Verb: "get"},
		`!authorizer.requestResource.check("list").allowed()`:         {Group: "g", Resource: "kites", Namespace: "n", Name: "a", Verb: "list"},
		`authorizer.requestResource.name("b").check("get").allowed()`: {Group: "g", Resource: "kites", Namespace: "n", Name: "b", Verb: "get"},
		`authorizer.group("").resource("pods").subresource("log").namespace("n").name("p").fieldSelector("a=b").check("get").reason() == "because pods"`: {
			Resource: "pods", Subresource: "log", Namespace: "n", Name: "p", Verb: "get"},
		`authorizer.serviceAccount("n", "s").group("g").resource("r").check("get").error() == ""`: {
			ServiceAccount: &[2]string{"n", "s"}, Group: "g", Resource: "r", Verb: "get"},
		`!authorizer.group("g").resource("r").check("get").errored()`: {Group: "g", Resource: "r", Verb: "get"},
	} {
		asked = nil
		p := &Policy{Environment: env, Validations: []Validation{{Condition: env.Compile(Match, text)}}}
		require.Nil(t, decide(t, p, in), text)
		require.Equal(t, []Inquiry{want}, asked, text)
	}
	for text, want := range map[string]string{
		`authorizer.path(" ").check("get").allowed()`:                        "path must not be empty",
		`authorizer.group("").resource("").check("get").allowed()`:           "resource must not be empty",
		`authorizer.serviceAccount("N", "s").path("/").check("").allowed()`:  "Invalid service account namespace",
		`authorizer.serviceAccount("n", "S_").path("/").check("").allowed()`: "Invalid service account name",
	} {
		p := &Policy{Environment: env, Validations: []Validation{{Condition: env.Compile(Match, text)}}}
		require.Equal(t, []Denial{{Message: "expression '" + text + "' resulted in error: " + want}}, decide(t, p, in))
	}
}
