package main

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	v1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/apis/admissionregistration"
	"k8s.io/kubernetes/pkg/apis/admissionregistration/validation"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/validatingadmissionpolicybinding"

	ours "github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/server/internal/hooks"
	"github.com/crdkit/crdkit/unstructured"
)

// Package server refuses admission policies and their bindings as Kubernetes does: with the same errors in the same
// order. One difference is known: the compiler's errors have other names of the types of request and namespaceObject.
func TestPolicies(t *testing.T) {
	refused := 0
	for n := range *objects * 20 {
		c := configurations{rand.New(rand.NewPCG(*seed, uint64(n)))}
		sent := map[string]any{"metadata": map[string]any{"name": pick(c, "a", "a.b")}}
		var obj runtime.Object = &v1.ValidatingAdmissionPolicy{}
		binding := n%3 == 0
		if sent["spec"] = c.policy(); binding {
			obj, sent["spec"] = &v1.ValidatingAdmissionPolicyBinding{}, c.binding()
		}
		text, got, want := validated(t, sent, obj, nil, nil)
		require.Equal(t, want, got, "%s", text)
		if len(want) > 0 {
			refused++
			continue
		}
		if binding {
			continue
		}
		spec := c.policy()
		for _, key := range []string{"matchConditions", "paramKind", "validations"} {
			if c.IntN(2) == 0 {
				spec[key] = sent["spec"].(map[string]any)[key]
			}
		}
		changed := map[string]any{"metadata": sent["metadata"], "spec": spec}
		text, got, want = validated(t, changed, &v1.ValidatingAdmissionPolicy{}, sent, obj)
		require.Equal(t, want, got, "%s", text)
	}
	require.Positive(t, refused)
	require.Less(t, refused, *objects*20)
}

// validated returns the errors of both for an object, or for an update of an old one. typed gets the object.
func validated(t *testing.T, sent map[string]any, typed runtime.Object, old map[string]any, oldTyped runtime.Object) (text []byte, got, want []string) {
	t.Helper()
	text, err := json.Marshal(sent)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, typed), "%s", text)
	scheme.Default(typed)
	completed, err := json.Marshal(typed)
	require.NoError(t, err)
	internal, err := scheme.ConvertToVersion(typed, admissionregistration.SchemeGroupVersion)
	require.NoError(t, err)
	decoded, err := unstructured.DecodeJSON(completed)
	require.NoError(t, err)

	var errs ours.List
	var theirs field.ErrorList
	switch o := internal.(type) {
	case *admissionregistration.ValidatingAdmissionPolicy:
		errs, err = hooks.ValidatePolicy(decoded, old)
		if theirs = validation.ValidateValidatingAdmissionPolicy(o); old != nil {
			before, err := scheme.ConvertToVersion(oldTyped, admissionregistration.SchemeGroupVersion)
			require.NoError(t, err)
			theirs = validation.ValidateValidatingAdmissionPolicyUpdate(o, before.(*admissionregistration.ValidatingAdmissionPolicy))
		}
	case *admissionregistration.ValidatingAdmissionPolicyBinding:
		errs, err = hooks.ValidateBinding(decoded)
		errs = refusal.DistinctErrors(errs) // as the strategy has them
		strategy := validatingadmissionpolicybinding.Strategy
		ctx := genericapirequest.WithRequestInfo(t.Context(), &genericapirequest.RequestInfo{
			IsResourceRequest: true, APIGroup: "admissionregistration.k8s.io", APIVersion: "v1", Resource: "validatingadmissionpolicybindings",
		})
		theirs = validation.ValidateValidatingAdmissionPolicyBinding(o)
		theirs = strategy.ValidateDeclaratively(ctx, o, nil, theirs, operation.Create, rest.DeclarativeValidationConfig{})
	}
	require.NoError(t, err)
	for _, e := range errs {
		got = append(got, string(e.Type)+" "+e.Error())
	}
	for _, e := range theirs {
		want = append(want, string(e.Type)+" "+e.Error())
	}
	return text, got, want
}

func (c configurations) policy() map[string]any {
	out := map[string]any{
		"failurePolicy":    pick[any](c, nil, "Fail", "Ignore", "fail", ""),
		"matchConstraints": c.resources(),
		"matchConditions":  c.conditions(),
		"validations":      c.validations(),
		"variables":        c.variables(),
		"auditAnnotations": c.annotations(),
	}
	if c.IntN(2) == 0 {
		out["paramKind"] = map[string]any{
			"apiVersion": pick(c, "v1", "apps/v1", "", "/", "a/b/c", "A/v1", "a/", "apps/V1"), "kind": pick(c, "ConfigMap", "", "a b", "-"),
		}
	}
	return out
}

func (c configurations) resources() any {
	if c.IntN(20) == 0 {
		return nil
	}
	return map[string]any{
		"matchPolicy":          pick[any](c, nil, "Exact", "Equivalent", "exact", ""),
		"namespaceSelector":    c.selector(),
		"objectSelector":       c.selector(),
		"resourceRules":        c.namedRules(),
		"excludeResourceRules": c.namedRules(),
	}
}

func (c configurations) namedRules() []any {
	rules := c.rules()
	for _, rule := range rules {
		rule.(map[string]any)["resourceNames"] = pick(c, nil, []string{"a"}, []string{"a", "a"}, []string{"a/b", ""}, []string{".."})
	}
	return rules
}

func (c configurations) expression() string {
	return pick(c, "object.a == params.b", "true", "variables.x == 1", "variables.y.size() > 1", "", " ", "1", "object.", " object.a ", "variables.z",
		"authorizer.requestResource.check('get').allowed()", "has(variables.x)", "has(variables.none)", "request.foo", "variables.x == 'a'",
		"namespaceObject.metadata.labels['a'] == 'b'", "variables.l[0] == 'a'", "variables.m.a == 1", "variables.l[0] == 1",
		"variables.w + 1 == 2", "variables == 1", "variables.o == 1", "variables.t == 'a'", "[1, 2].all(variables, variables.x == 1)")
}

func (c configurations) variables() (out []any) {
	for range pick(c, 0, 1, 2, 3) {
		out = append(out, map[string]any{
			"name": pick(c, "x", "", " ", "y", "l", "m", "o", "1a", "a-b", "in", "namespace", "w", "t"),
			"expression": pick(c, "1", "", "variables.x + 1", "['a']", "object.a", "{'a': 1}", "request", "variables.y", "authorizer", "optional.of(1)",
				"object.", "google.protobuf.Int64Value{value: 1}", "timestamp('2020-01-01T00:00:00Z')", "variables", "[request]", "params", "null", "type(1)",
				"1u", "b'a'", "1.5", "duration('1s')", "{1: [2]}", "quantity('1')"),
		})
	}
	return out
}

func (c configurations) validations() (out []any) {
	for range pick(c, 1, 0, 2, 3) {
		out = append(out, map[string]any{
			"expression":        c.expression(),
			"message":           pick(c, "", "no", " ", "a\nb", "a\n"),
			"messageExpression": pick(c, "", "'a'", " ", "1", "object.a", "string(variables.x)", "authorizer.path('/')", "params.a + 'b'", "'a' + string(params)"),
			"reason":            pick[any](c, nil, "Forbidden", "Invalid", "RequestEntityTooLarge", "Unauthorized", ""),
		})
	}
	return out
}

func (c configurations) annotations() (out []any) {
	for range pick(c, 0, 1, 2, 21) {
		out = append(out, map[string]any{
			"key":             pick(c, "a", "", "b", "a b", "a/b"),
			"valueExpression": pick(c, "'a'", "null", "", " ", "1", "object.a", " 'a' ", "string(variables.x)", "object.", "params == null ? 'a' : null"),
		})
	}
	return out
}

func (c configurations) binding() map[string]any {
	out := map[string]any{
		"policyName":        pick(c, "a", "", "A", "a.b"),
		"validationActions": some(c, "Deny", "Warn", "Audit", "deny", "Deny"),
	}
	if c.IntN(2) == 0 {
		out["matchResources"] = c.resources()
	}
	if c.IntN(2) == 0 {
		out["paramRef"] = map[string]any{
			"name": pick(c, "a", "", "a/b", ".."), "namespace": pick(c, "", "a", "A"), "selector": c.selector(),
			"parameterNotFoundAction": pick[any](c, "Deny", "Allow", nil, "", "deny"),
		}
	}
	return out
}
