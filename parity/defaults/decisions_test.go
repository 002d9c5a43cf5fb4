package main

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	v1 "k8s.io/api/admissionregistration/v1"
	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	theirs "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/crdkit/crdkit/server/internal/condition"
	"github.com/crdkit/crdkit/server/internal/hooks"
	"github.com/crdkit/crdkit/unstructured"
)

// verbs allows what ends with an e.
type verbs struct{}

func (verbs) Authorize(_ context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
	if verb := a.GetVerb(); verb[len(verb)-1] == 'e' {
		return authorizer.DecisionAllow, "it is " + a.GetResource() + a.GetPath() + a.GetName(), nil
	}
	return authorizer.DecisionDeny, a.GetUser().GetName(), nil
}

// reference compiles a policy with Kubernetes' evaluators.
func reference(t *testing.T, p *v1.ValidatingAdmissionPolicy) validating.Validator {
	t.Helper()
	compiler, err := cel.NewCompositedCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
	require.NoError(t, err)
	full := cel.OptionalVariableDeclarations{HasParams: p.Spec.ParamKind != nil, HasAuthorizer: true}
	plain := cel.OptionalVariableDeclarations{HasParams: p.Spec.ParamKind != nil}
	var variables []cel.NamedExpressionAccessor
	for _, v := range p.Spec.Variables {
		variables = append(variables, &validating.Variable{Name: v.Name, Expression: v.Expression})
	}
	compiler.CompileAndStoreVariables(variables, full, environment.StoredExpressions)
	var conditions, validations, annotations []cel.ExpressionAccessor
	for i := range p.Spec.MatchConditions {
		conditions = append(conditions, (*matchconditions.MatchCondition)(&p.Spec.MatchConditions[i]))
	}
	messages := make([]cel.ExpressionAccessor, len(p.Spec.Validations))
	for i, v := range p.Spec.Validations {
		validations = append(validations, &validating.ValidationCondition{Expression: v.Expression, Message: v.Message, Reason: v.Reason})
		if v.MessageExpression != "" {
			messages[i] = &validating.MessageExpressionCondition{MessageExpression: v.MessageExpression}
		}
	}
	for _, a := range p.Spec.AuditAnnotations {
		annotations = append(annotations, &validating.AuditAnnotationCondition{Key: a.Key, ValueExpression: a.ValueExpression})
	}
	compile := func(of []cel.ExpressionAccessor, with cel.OptionalVariableDeclarations) cel.ConditionEvaluator {
		return compiler.CompileCondition(of, with, environment.StoredExpressions)
	}
	var matcher matchconditions.Matcher
	if len(conditions) > 0 {
		matcher = matchconditions.NewMatcher(compile(conditions, full), p.Spec.FailurePolicy, "policy", "validate", p.Name)
	}
	return validating.NewValidator(compile(validations, full), matcher, compile(annotations, full), compile(messages, plain), p.Spec.FailurePolicy, nil)
}

// A policy decides as in Kubernetes: with the same denials, their texts and their reasons.
func TestDecisions(t *testing.T) {
	denied := 0
	for n := range max(1, *objects/3) {
		c := decisions{configurations{rand.New(rand.NewPCG(*seed, uint64(n)))}}
		sent := map[string]any{"metadata": map[string]any{"name": "p"}, "spec": c.policy()}
		text, err := json.Marshal(sent)
		require.NoError(t, err)
		policy := new(v1.ValidatingAdmissionPolicy)
		require.NoError(t, json.Unmarshal(text, policy))
		decoded, err := unstructured.DecodeJSON(text)
		require.NoError(t, err)
		ours, err := hooks.CompilePolicy(decoded)
		require.NoError(t, err)

		object, old, params := c.object(), c.object(), c.object()
		kind := schema.GroupVersionKind{Group: "g", Version: "v1", Kind: "Kite"}
		resource := schema.GroupVersionResource{Group: "g", Version: "v1", Resource: "kites"}
		who := &user.DefaultInfo{Name: "me", Groups: []string{"a", "b"}, Extra: map[string][]string{"k": {"v"}}}
		attributes := admission.NewAttributesRecord(kubernetesObject(object), kubernetesObject(old), kind, "n", "a", resource, "", admission.Update,
			&meta.UpdateOptions{FieldManager: "m"}, false, who)
		versioned := &admission.VersionedAttributes{
			Attributes: attributes, VersionedKind: kind,
			VersionedObject: admission.NewLazyObject(kubernetesObject(object)), VersionedOldObject: admission.NewLazyObject(kubernetesObject(old)),
		}
		namespace := &core.Namespace{ObjectMeta: meta.ObjectMeta{Name: "n", Labels: map[string]string{"a": "b"}}}
		want := reference(t, policy).Validate(t.Context(), resource, versioned, kubernetesObject(params), namespace, celconfig.RuntimeCELCostBudget, verbs{})
		request, err := json.Marshal(cel.CreateAdmissionRequest(attributes, meta.GroupVersionResource(resource), meta.GroupVersionKind(kind)))
		require.NoError(t, err)
		asked, err := unstructured.DecodeJSON(request)
		require.NoError(t, err)
		asked["options"] = map[string]any{"fieldManager": "m"}

		in := condition.Input{
			Object: value(object), OldObject: value(old), Params: value(params), Request: condition.Of(asked),
			Authorizer: func(ctx context.Context, i condition.Inquiry) (bool, string) {
				name := who.Name
				if i.ServiceAccount != nil {
					name = "system:serviceaccount:" + i.ServiceAccount[0] + ":" + i.ServiceAccount[1]
				}
				decision, reason, _ := verbs{}.Authorize(ctx, authorizer.AttributesRecord{
					Verb: i.Verb, Path: i.Path, Resource: i.Resource, Name: i.Name, User: &user.DefaultInfo{Name: name},
				})
				return decision == authorizer.DecisionAllow, reason
			},
			Resource: condition.Inquiry{Group: "g", Resource: "kites", Namespace: "n", Name: "a"},
		}
		match := in
		in.Namespace = condition.Of(map[string]any{"metadata": map[string]any{"name": "n", "labels": map[string]any{"a": "b"}}, "spec": map[string]any{}, "status": map[string]any{}})
		got := ours.Decide(t.Context(), &match, &in)
		require.Equal(t, denials(want), got, "%s\nobject: %v\nold: %v\nparams: %v", text, object, old, params)
		if len(got) > 0 {
			denied++
		}
	}
	require.Positive(t, denied)
	require.Less(t, denied, max(2, *objects/3))
}

// denials returns what the dispatcher makes of the result.
func denials(of validating.ValidateResult) (out []condition.Denial) {
	for _, d := range of.Decisions {
		if d.Action == validating.ActionDeny {
			reason := string(d.Reason)
			if reason == "Invalid" { // the default
				reason = ""
			}
			out = append(out, condition.Denial{Message: d.Message, Reason: reason})
		}
	}
	for _, a := range of.AuditAnnotations {
		if a.Action == validating.AuditAnnotationActionError {
			out = append(out, condition.Denial{Message: a.Error, Certain: true})
		}
	}
	return out
}

func kubernetesObject(obj map[string]any) runtime.Object {
	if obj == nil {
		return nil
	}
	return &theirs.Unstructured{Object: obj}
}

func value(obj map[string]any) *condition.Value {
	if obj == nil {
		return nil
	}
	return condition.Of(obj)
}

// decisions makes policies most of which can be evaluated.
type decisions struct{ configurations }

// one returns one of the values.
func one[T any](c decisions, values ...T) T { return values[c.IntN(len(values))] }

func (c decisions) object() map[string]any {
	if c.IntN(8) == 0 {
		return nil
	}
	out := map[string]any{"kind": "Kite", "metadata": map[string]any{"name": "a"}}
	if c.IntN(3) > 0 {
		out["a"] = one[any](c, "x", int64(1), true, nil, []any{"x", "y"}, map[string]any{"b": "c"}, 1.5)
	}
	if c.IntN(2) == 0 {
		out["l"] = []any{map[string]any{"k": "x"}, map[string]any{"k": one[any](c, "y", int64(2), nil)}}
	}
	return out
}

func (c decisions) expression() string {
	const ten = "[1,2,3,4,5,6,7,8,9,0]"
	loop := func(depth int) string {
		text := "true"
		for range depth {
			text = ten + ".all(x, " + text + ")"
		}
		return text
	}
	return one(c, "object != null", "object.a == 'x'", "has(object.a)", "variables.x == 'x'", "variables.x == variables.y", "has(variables.z)",
		"variables.l.exists(k, k == 'x')", "params != null", "params.a == object.a", "oldObject.?a.orValue('x') == 'x'", "request.name == 'a'",
		"authorizer.requestResource.check('create').allowed()", "!authorizer.path('/a').check('get').allowed()", "authorizer.group('').resource('').check('x').allowed()",
		"authorizer.serviceAccount('n', 's').group('g').resource('r').namespace('n').check('get').reason() == 'system:serviceaccount:n:s'",
		"namespaceObject.metadata.labels['a'] == 'b'", "namespaceObject == null", "object.l.all(i, i.k in variables.l)", "size(variables.l) > 1",
		loop(5), loop(6), "variables.loop", "variables.over", "object == oldObject", "variables.t > 1", "request.options.fieldManager == 'm'",
		"request.userInfo.extra['k'] == ['v']", "!has(request.subResource)", "[variables.x, variables.y].exists(v, v == 'y')", "object.a",
		"variables.x + variables.y == 'xy'", "variables.m.a == 'x' || variables.m.?b.hasValue()", "dyn(variables).x == 'x'", "type(variables.x) == string",
		"cel.bind(v, variables.x, v == v)", "variables.?x.hasValue()", "variables.x.matches('^x')", "string(object.a) == 'x'", "object.none == 1 || true", "false")
}

func (c decisions) policy() map[string]any {
	const ten = "[1,2,3,4,5,6,7,8,9,0]"
	loop := "true"
	for range 5 {
		loop = ten + ".all(x, " + loop + ")"
	}
	variables := []any{}
	for _, v := range [][]string{
		{"x", "object.a", "'x'", "object.l[0].k", "params.a"}, {"y", "variables.x", "'y'", "variables.none", "1 / 0"}, {"z", "1", "variables.y"},
		{"l", "object.l.map(i, i.k)", "['x']", "[variables.x]"}, {"m", "{'a': variables.x}", "object"}, {"t", "2", "size(variables.l)", "object.a"},
		{"loop", loop, "true"}, {"over", ten + ".all(y, " + loop + ")", "variables.loop"},
	} {
		if c.IntN(12) > 0 {
			variables = append(variables, map[string]any{"name": v[0], "expression": v[1+c.IntN(len(v)-1)]})
		}
	}
	out := map[string]any{"failurePolicy": one(c, "Fail", "Ignore"), "variables": variables}
	if c.IntN(2) == 0 {
		out["paramKind"] = map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}
	}
	var conditions, validations, annotations []any
	for i := range one(c, 0, 1, 2) {
		conditions = append(conditions, map[string]any{"name": string(rune('a' + i)), "expression": c.expression()})
	}
	for range one(c, 3, 0, 1, 12, 30) {
		validations = append(validations, map[string]any{
			"expression": c.expression(), "message": one(c, "", " no "),
			"messageExpression": one(c, "", "'m ' + variables.x", "string(object.a)", "'a\\nb'", "'  '", "variables.over ? 'a' : 'b'", "params.a + 'x'", "1"),
			"reason":            one[any](c, nil, "Forbidden"),
		})
	}
	for range one(c, 0, 1, 2) {
		annotations = append(annotations, map[string]any{
			"key": "k", "valueExpression": one(c, "'a'", "null", "string(variables.x)", "variables.over ? 'a' : null", "object.a == null ? 'b' : 'c'"),
		})
	}
	out["matchConditions"], out["validations"], out["auditAnnotations"] = conditions, validations, annotations
	return out
}
