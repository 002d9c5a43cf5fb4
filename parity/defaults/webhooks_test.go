package main

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	v1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/apis/admissionregistration"
	"k8s.io/kubernetes/pkg/apis/admissionregistration/validation"

	"github.com/crdkit/crdkit/server/internal/hooks"
	"github.com/crdkit/crdkit/unstructured"
)

// Package server refuses webhook configurations as Kubernetes does: with the same errors in the same order. One
// difference is known: the compiler's errors have other names of the types of request and namespaceObject.
func TestWebhookConfigurations(t *testing.T) {
	refused := 0
	for n := range *objects * 20 {
		c := configurations{rand.New(rand.NewPCG(*seed, uint64(n)))}
		mutating := n%2 == 0
		sent := map[string]any{"metadata": map[string]any{"name": "hooks"}, "webhooks": c.webhooks(mutating)}
		var obj runtime.Object = &v1.ValidatingWebhookConfiguration{}
		if mutating {
			obj = &v1.MutatingWebhookConfiguration{}
		}
		text, err := json.Marshal(sent)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, obj), "%s", text)
		scheme.Default(obj)
		completed, err := json.Marshal(obj)
		require.NoError(t, err)

		want := kubernetesErrors(t, obj)
		ours, err := unstructured.DecodeJSON(completed)
		require.NoError(t, err)
		errs, err := hooks.Validate(ours, nil, mutating)
		require.NoError(t, err)
		var got []string
		for _, e := range errs {
			got = append(got, string(e.Type)+" "+e.Error())
		}
		require.Equal(t, want, got, "%s", text)
		if len(want) > 0 {
			refused++
		}
	}
	require.Positive(t, refused)
	require.Less(t, refused, *objects*20)
}

func kubernetesErrors(t *testing.T, obj runtime.Object) (texts []string) {
	internal, err := scheme.ConvertToVersion(obj, admissionregistration.SchemeGroupVersion)
	require.NoError(t, err)
	var errs field.ErrorList
	switch c := internal.(type) {
	case *admissionregistration.MutatingWebhookConfiguration:
		errs = validation.ValidateMutatingWebhookConfiguration(c)
	case *admissionregistration.ValidatingWebhookConfiguration:
		errs = validation.ValidateValidatingWebhookConfiguration(c)
	}
	for _, e := range errs {
		texts = append(texts, string(e.Type)+" "+e.Error())
	}
	return texts
}

// configurations makes webhooks that are mostly valid.
type configurations struct{ *rand.Rand }

// pick returns the first value in five of six cases, or one of all.
func pick[T any](c configurations, values ...T) T {
	if c.IntN(6) > 0 {
		return values[0]
	}
	return values[c.IntN(len(values))]
}

func some[T any](c configurations, values ...T) (out []T) {
	for range pick(c, 1, 0, 2, 3) {
		out = append(out, values[c.IntN(len(values))])
	}
	return out
}

func (c configurations) webhooks(mutating bool) (out []any) {
	for range pick(c, 1, 0, 2, 3) {
		w := map[string]any{
			"name":                    pick(c, "a.example.com", "", "b.example.com", "example.com", "A.b.c", "a..b.c", "a.b.c.d"),
			"clientConfig":            c.client(),
			"sideEffects":             pick[any](c, "None", "NoneOnDryRun", "Some", "Unknown", "none", nil),
			"admissionReviewVersions": pick(c, []string{"v1"}, []string{"v1beta1", "v1"}, nil, []string{"v1", "v1"}, []string{"v2"}, []string{"V1", "v1"}, []string{""}),
			"failurePolicy":           pick[any](c, nil, "Fail", "Ignore", "fail", ""),
			"matchPolicy":             pick[any](c, nil, "Exact", "Equivalent", "exact", ""),
			"timeoutSeconds":          pick[any](c, nil, 1, 30, 31, 0, -1),
			"namespaceSelector":       c.selector(),
			"objectSelector":          c.selector(),
			"rules":                   c.rules(),
			"matchConditions":         c.conditions(),
		}
		if mutating {
			w["reinvocationPolicy"] = pick[any](c, nil, "Never", "IfNeeded", "Always", "")
		}
		out = append(out, w)
	}
	return out
}

func (c configurations) client() map[string]any {
	url := pick[any](c, "https://example.com/path", "http://example.com", "https://", "example.com", "https://user@example.com", "https://example.com?a=b",
		"https://example.com#a", "", ":", "https://example.com:99999", "https://u:p@example.com/?x#y", "%zz")
	service := map[string]any{
		"namespace": pick(c, "default", "", "A_"), "name": pick(c, "hooks", "", "A.b", "a-"),
		"path": pick[any](c, nil, "/a", "a", "//", "/a//b", "/A_b", "/", "", "/a/", "/"+"é"), "port": pick[any](c, nil, 443, 0, 65536, -1),
	}
	switch c.IntN(9) {
	case 0:
		return map[string]any{}
	case 1:
		return map[string]any{"url": url, "service": service}
	case 2, 3, 4:
		return map[string]any{"url": url}
	}
	return map[string]any{"service": service}
}

func (c configurations) selector() any {
	if c.IntN(3) > 0 {
		return nil
	}
	s := map[string]any{}
	if c.IntN(2) == 0 {
		labels := map[string]string{}
		labels[pick(c, "app", "", "a/b", "a/b/c", "-a", "A.b/c")] = pick(c, "shop", "", "a b", "-", "é")
		s["matchLabels"] = labels
	}
	var expressions []any
	for range pick(c, 1, 0, 2) {
		expressions = append(expressions, map[string]any{
			"key": pick(c, "app", "", "a/b", "a b"), "operator": pick(c, "In", "NotIn", "Exists", "DoesNotExist", "in", ""),
			"values": pick(c, []string{"a"}, nil, []string{"a", "b c"}, []string{""}),
		})
	}
	s["matchExpressions"] = expressions
	return s
}

func (c configurations) rules() (out []any) {
	for range pick(c, 1, 0, 2) {
		out = append(out, map[string]any{
			"operations":  append([]string{pick(c, "CREATE", "UPDATE", "*", "CONNECT", "Create", "")}, some(c, "DELETE", "CONNECT", "*")...)[c.IntN(2):],
			"apiGroups":   append([]string{pick(c, "apps", "", "*", "a b")}, some(c, "", "*", "batch")...)[c.IntN(2):],
			"apiVersions": append([]string{pick(c, "v1", "*", "", "V")}, some(c, "v1", "*", "")...)[c.IntN(2):],
			"resources": append([]string{pick(c, "pods", "*", "pods/status", "", "*/*", "pods/*", "*/scale", "a/b/c", "/")},
				some(c, "pods", "pods/*", "pods/scale", "*/scale", "*", "*/*", "", "jobs/scale", "/x", "x/")...)[c.IntN(2):],
			"scope": pick[any](c, nil, "*", "Cluster", "Namespaced", "cluster", ""),
		})
	}
	return out
}

func (c configurations) conditions() (out []any) {
	if c.IntN(3) > 0 {
		return nil
	}
	for range pick(c, 1, 2, 3, 65) {
		out = append(out, map[string]any{
			"name": pick(c, "a", "", "b", "a b", "x/y", "/", "A"),
			"expression": pick(c, "true", "object.metadata.name == 'x'", "", " ", "request.operation == 'CREATE'", "oldObject == null", "namespaceObject != null",
				"1", "object.", " foo ", "authorizer.group('').resource('pods').check('get').allowed()", "variables.x", "authorizer.requestResource.check('get').allowed()", "request.foo", "has(object.spec)",
				"'a'", "object.spec.replicas", "namespaceObject.metadata.name == 'x'", "namespaceObject.x",
				"namespaceObject.status.conditions.all(c, c.lastTransitionTime > timestamp('2020-01-01T00:00:00Z'))", "request.userInfo.groups.exists(g, g == 1)",
				"authorizer == 1", "request.options.x == 1", "object.x.includes(1)"),
		})
	}
	return out
}
