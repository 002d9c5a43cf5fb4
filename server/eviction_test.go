package server

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"

// An eviction needs the budget that selects the Pod, and takes from it.
func TestEvictionsAndBudgets(t *testing.T) {
	now := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	_, c := start(t, Options{Now: func() time.Time { return now }})
	pod := func(name, labels, status string) {
		must(t, c, 201, "POST", defaultPods, fmt.Sprintf(`{"metadata":{"name":%q,"labels":%s},"spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}}`, name, labels))
		must(t, c, 200, "PATCH", defaultPods+"/"+name+"/status", `{"status":`+status+`}`, "Content-Type", mergePatch)
	}
	evict := func(code int, name string, more ...string) object {
		t.Helper()
		options := ""
		if len(more) > 0 {
			options = `,"deleteOptions":` + more[0]
		}
		return must(t, c, code, "POST", defaultPods+"/"+name+"/eviction", fmt.Sprintf(`{"metadata":{"name":%q}%s}`, name, options))
	}
	budget := func(name, spec string) {
		must(t, c, 201, "POST", budgets, fmt.Sprintf(`{"metadata":{"name":%q},"spec":%s}`, name, spec))
	}
	status := func(name, status string) {
		must(t, c, 200, "PATCH", budgets+"/"+name+"/status", `{"status":`+status+`}`, "Content-Type", mergePatch)
	}
	refusal := func(code int, message, cause string, seconds any, got object) {
		t.Helper()
		require.Equal(t, message, got["message"])
		require.Equal(t, []any{object{"reason": "DisruptionBudget", "message": cause}}, at(got, "details", "causes"))
		require.Equal(t, seconds, at(got, "details", "retryAfterSeconds"))
		require.Equal(t, float64(code), got["code"])
	}
	const (
		ready   = `{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}`
		tooMany = "Cannot evict pod as it would violate the pod's disruption budget."
	)
	for _, name := range []string{"a", "b", "c"} {
		pod(name, `{"app":"x"}`, ready)
	}
	budget("x", `{"minAvailable":1,"selector":{"matchExpressions":[{"key":"app","operator":"In","values":["x"]}]}}`)
	refusal(429, tooMany, "The disruption budget x is still being processed by the server.", 10.0, evict(429, "a"))
	answer := send(t, c, "POST", defaultPods+"/a/eviction", `{"metadata":{"name":"a"}}`)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, "10", answer.Header.Get("Retry-After"))
	status("x", `{"observedGeneration":1,"disruptionsAllowed":0,"currentHealthy":2,"desiredHealthy":3,"expectedPods":3}`)
	refusal(429, tooMany, "The disruption budget x needs 3 healthy pods and has 2 currently", nil, evict(429, "a"))
	status("x", `{"currentHealthy":4,"conditions":[{"type":"DisruptionAllowed","status":"False","reason":"SyncFailed","message":"why","lastTransitionTime":"2024-01-01T00:00:00Z"}]}`)
	refusal(429, tooMany, "The disruption budget x does not allow evicting pods currently because it failed sync: why", nil, evict(429, "a"))
	negative := must(t, c, 422, "PATCH", budgets+"/x/status", `{"status":{"disruptionsAllowed":-1}}`, "Content-Type", mergePatch)
	require.Equal(t, `PodDisruptionBudget.policy "x" is invalid: status.disruptionsAllowed: Invalid value: -1: must be greater than or equal to 0`, negative["message"])

	status("x", `{"disruptionsAllowed":1,"conditions":null}`)
	evict(201, "a", `{"dryRun":["All"]}`)
	older := protobufMagic + wireText(1, wireText(1, "policy/v1beta1"), wireText(2, "Eviction")) + wireText(2, wireText(1, wireText(1, "a")), wireText(2, wireText(5, "All")))
	must(t, c, 201, "POST", defaultPods+"/a/eviction", older, "Content-Type", protobufType)
	require.Nil(t, at(must(t, c, 200, "GET", defaultPods+"/a", ""), "metadata", "deletionTimestamp"))
	evict(201, "a", `{"gracePeriodSeconds":30}`)
	evicted := must(t, c, 200, "GET", defaultPods+"/a", "")
	require.NotNil(t, at(evicted, "metadata", "deletionTimestamp"))
	require.Contains(t, at(evicted, "status", "conditions"), object{"type": "DisruptionTarget", "status": "True", "reason": "EvictionByEvictionAPI",
		"message": "Eviction API: evicting", "lastTransitionTime": "2024-01-01T00:00:00Z"})
	left := must(t, c, 200, "GET", budgets+"/x", "")["status"].(object)
	require.Equal(t, []any{0.0, object{"a": "2024-01-01T00:00:00Z"}}, []any{left["disruptionsAllowed"], left["disruptedPods"]})
	require.Equal(t, []any{object{"type": "DisruptionAllowed", "status": "False", "reason": "InsufficientPods", "message": "", "observedGeneration": 1.0,
		"lastTransitionTime": "2024-01-01T00:00:00Z"}}, left["conditions"])
	evict(201, "a") // it is being deleted
	refusal(429, tooMany, "The disruption budget x does not allow evicting pods currently", nil, evict(429, "b"))

	// A Pod that is not ready may go if enough others are healthy; one that has ended always may.
	must(t, c, 200, "PATCH", defaultPods+"/b/status", `{"status":{"conditions":[{"type":"Ready","status":"False"}]}}`, "Content-Type", mergePatch)
	evict(201, "b")
	must(t, c, 200, "PATCH", defaultPods+"/c/status", `{"status":{"phase":"Failed"}}`, "Content-Type", mergePatch)
	evict(201, "c")

	pod("two", `{"app":"x","more":"y"}`, ready)
	budget("y", `{"maxUnavailable":0,"selector":{"matchLabels":{"more":"y"}}}`)
	got := must(t, c, 500, "POST", defaultPods+"/two/eviction", `{"metadata":{"name":"two"}}`)
	require.Contains(t, got["message"], "more than one PodDisruptionBudget")
	pod("free", `{}`, ready)
	require.Contains(t, evict(422, "free", `{"ignoreStoreReadErrorWithClusterBreakingPotential":true}`)["message"], "can not be set for pod eviction")
	evict(201, "free")
}

// A Binding may be sent to the path of all Bindings. The Pod gets its annotations and labels.
func TestBindings(t *testing.T) {
	_, c := start(t, Options{})
	const bindings = "/api/v1/namespaces/default/bindings"
	pod := func(name, more string) {
		must(t, c, 201, "POST", defaultPods, fmt.Sprintf(`{"metadata":{"name":%q,"annotations":{"a":"1"}},"spec":{"containers":[{"name":"c","image":"i"}]%s}}`, name, more))
	}
	pod("p", "")
	must(t, c, 201, "POST", bindings, `{"metadata":{"name":"p","annotations":{"b":"2"},"labels":{"zone":"z"}},"target":{"kind":"Node","name":"n"}}`)
	got := must(t, c, 200, "GET", defaultPods+"/p", "")
	require.Equal(t, []any{"n", object{"a": "1", "b": "2"}, object{"zone": "z"}},
		[]any{at(got, "spec", "nodeName"), at(got, "metadata", "annotations"), at(got, "metadata", "labels")})
	again := must(t, c, 409, "POST", bindings, `{"metadata":{"name":"p"},"target":{"name":"m"}}`)
	require.Contains(t, again["message"], `pod p is already assigned to node "n"`)
	require.Equal(t, "Name parameter required.", must(t, c, 400, "POST", bindings, `{"metadata":{},"target":{"name":"m"}}`)["message"])
	must(t, c, 404, "POST", bindings, `{"metadata":{"name":"lost"},"target":{"name":"m"}}`)
	must(t, c, 405, http.MethodGet, bindings, "")
	pod("gated", `,"schedulingGates":[{"name":"example.com/g"}]`)
	require.Contains(t, must(t, c, 409, "POST", bindings, `{"metadata":{"name":"gated"},"target":{"name":"m"}}`)["message"], "has non-empty .spec.schedulingGates")
	require.Equal(t, "name in URL does not match name in Binding object", must(t, c, 400, "POST", defaultPods+"/gated/binding", `{"metadata":{"name":"p"},"target":{"name":"m"}}`)["message"])
	require.Contains(t, fmt.Sprint(must(t, c, 200, "GET", "/api/v1", "")["resources"]), "name:bindings")

	refused := func(code int, metadata, node, want string) {
		t.Helper()
		got := must(t, c, code, "POST", defaultPods+"/free/binding", `{"metadata":`+metadata+`,"target":{"name":"`+node+`"}}`)
		require.Contains(t, got["message"], want)
	}
	pod("free", "")
	refused(400, `{}`, "n", "name in URL does not match")
	refused(400, `{"name":"free","namespace":"other"}`, "n", "the namespace of the provided object does not match")
	refused(400, `{"name":"free","annotations":{"a":1}}`, "n",
		`Binding in version "v1" cannot be handled as a Binding: json: cannot unmarshal number into Go struct field ObjectMeta.metadata.annotations of type string`)
	refused(409, `{"name":"free","uid":"x"}`, "n", "Precondition failed: UID in precondition: x, UID in object meta: ")
	refused(500, `{"name":"free"}`, "N", "a lowercase RFC 1123 subdomain")
	free := must(t, c, 200, "GET", defaultPods+"/free", "")
	require.Nil(t, at(free, "spec", "nodeName"))
	must(t, c, 201, "POST", defaultPods+"/free/binding", fmt.Sprintf(`{"metadata":{"name":"free","uid":%q},"target":{"name":"n"}}`, at(free, "metadata", "uid")))
}

// A webhook is asked about Bindings by the path to which they were sent. A missing node is refused before.
func TestReviewsOfBindings(t *testing.T) {
	var seen []string
	note := func(_ context.Context, r *AdmissionRequest) (object, error) {
		seen = append(seen, strings.TrimSuffix(r.Resource+"/"+r.Subresource, "/"))
		return nil, nil
	}
	_, c := start(t, Options{Webhooks: []Webhook{{Name: "a.example.com", Admit: note, Resources: []string{"bindings", "pods/binding"}}}})
	must(t, c, 201, "POST", defaultPods, `{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}}`)
	must(t, c, 500, "POST", defaultPods+"/p/binding", `{"metadata":{"name":"p"},"target":{}}`)
	must(t, c, 201, "POST", defaultPods+"/p/binding?dryRun=All", `{"metadata":{"name":"p"},"target":{"name":"n"}}`)
	must(t, c, 201, "POST", "/api/v1/namespaces/default/bindings?dryRun=All", `{"metadata":{"name":"p"},"target":{"name":"n"}}`)
	require.Equal(t, []string{"pods/binding", "bindings"}, seen)
}
