package server

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/server/storage"
)

const (
	accessReviews = "/apis/authorization.k8s.io/v1/"
	tokenReviews  = "/apis/authentication.k8s.io/v1/tokenreviews"
)

// Reviews answer with what the options say. By default everything is allowed.
func TestReviews(t *testing.T) {
	const mayGet = `{"spec":{"user":"guest","resourceAttributes":{"verb":"get","resource":"pods","namespace":"a","name":"b"}}}`
	const mayDelete = `{"spec":{"groups":["guests"],"resourceAttributes":{"verb":"delete","resource":"pods","namespace":"a"}}}`
	_, c := start(t, Options{})
	review := must(t, c, 201, "POST", accessReviews+"selfsubjectaccessreviews", mayDelete)
	require.Equal(t, []any{"SelfSubjectAccessReview", "authorization.k8s.io/v1", object{"allowed": true}}, []any{review["kind"], review["apiVersion"], review["status"]})
	require.Equal(t, "delete", at(review, "spec", "resourceAttributes", "verb"))
	rules := must(t, c, 201, "POST", accessReviews+"selfsubjectrulesreviews", `{"spec":{"namespace":"a"}}`)
	require.Equal(t, false, at(rules, "status", "incomplete"))
	require.Len(t, at(rules, "status", "resourceRules"), 1)

	var asked []any
	_, c = start(t, Options{Authorize: func(_ context.Context, user User, r RequestInfo) (bool, string) {
		asked = append(asked, user.Name, user.Groups, r)
		return r.Verb != "delete", map[bool]string{true: "because"}[r.Verb == "delete"]
	}})
	asked = nil
	review = must(t, c, 201, "POST", accessReviews+"subjectaccessreviews", mayGet)
	require.Equal(t, object{"allowed": true}, review["status"])
	require.Equal(t, []any{"guest", []string(nil), RequestInfo{Verb: "get", Version: "*", Resource: "pods", Namespace: "a", Name: "b"}}, asked[3:])
	review = must(t, c, 201, "POST", accessReviews+"subjectaccessreviews", mayDelete)
	require.Equal(t, object{"allowed": false, "reason": "because"}, review["status"])
	review = must(t, c, 201, "POST", accessReviews+"namespaces/a/localsubjectaccessreviews", mayDelete)
	require.Equal(t, false, at(review, "status", "allowed"))
	must(t, c, 422, "POST", accessReviews+"namespaces/b/localsubjectaccessreviews", mayDelete)
	review = must(t, c, 201, "POST", accessReviews+"selfsubjectaccessreviews", `{"spec":{"nonResourceAttributes":{"path":"/x","verb":"delete"}}}`)
	require.Equal(t, false, at(review, "status", "allowed"))
	require.Equal(t, true, at(must(t, c, 201, "POST", accessReviews+"selfsubjectrulesreviews", `{"spec":{"namespace":"a"}}`), "status", "incomplete"))
	must(t, c, 400, "POST", accessReviews+"selfsubjectrulesreviews", `{"spec":{}}`)
	// Without a type, as a client may send it.
	spec := wireText(2, wireText(1, wireText(2, "get")), wireText(3, "guest"), wireText(5, wireText(1, "k"), wireText(2, wireText(1, "v"))))
	review = must(t, c, 201, "POST", accessReviews+"subjectaccessreviews", protobufMagic+wireText(2, spec), "Content-Type", protobufType)
	require.Equal(t, object{"user": "guest", "extra": object{"k": []any{"v"}}, "resourceAttributes": object{"verb": "get"}}, review["spec"])
	must(t, c, 405, "GET", accessReviews+"subjectaccessreviews", "")
	resources := must(t, c, 200, "GET", "/apis/authorization.k8s.io/v1", "")["resources"].([]any)
	require.Len(t, resources, 4)
	require.Equal(t, []any{"create"}, resources[0].(object)["verbs"])
}

// The answer to a review with many errors is not larger than other answers.
func TestReviewErrors(t *testing.T) {
	_, c := start(t, Options{})
	for _, list := range []string{
		`"labelSelector":{"requirements":[` + strings.Repeat("{},", 300_000) + `{}]}`,
		`"fieldSelector":{"requirements":[` + strings.Repeat("{},", 300_000) + `{}]}`,
		`"labelSelector":{"requirements":[{"key":"a","operator":"In","values":[` + strings.Repeat(`"!",`, 300_000) + `"!"]}]}`,
	} {
		refused := must(t, c, 422, "POST", accessReviews+"subjectaccessreviews", `{"spec":{"user":"a","resourceAttributes":{`+list+`}}}`)
		n := len(at(refused, "details", "causes").([]any))
		require.Greater(t, n, 9_000)
		require.LessOrEqual(t, n, 10_001, "the errors of a list, and how many it leaves out")
	}
}

func TestTokenReview(t *testing.T) {
	s := serve(t, Options{}, storage.MemoryOptions{})
	review := s.must(t, 201, "POST", tokenReviews, `{"spec":{"token":"`+testToken+`"}}`)
	user := object{"username": "kubernetes-admin", "groups": []any{"system:masters", "system:authenticated"}}
	require.Equal(t, object{"authenticated": true, "audiences": []any{issuer}, "user": user}, review["status"])
	review = s.must(t, 201, "POST", tokenReviews, `{"spec":{"token":"`+testToken+`","audiences":["a"]}}`)
	require.Equal(t, object{"user": object{}, "error": "invalid bearer token"}, review["status"])
	review = s.must(t, 201, "POST", tokenReviews, `{"spec":{"token":"x"}}`)
	require.Nil(t, at(review, "status", "authenticated"))
	require.NotEmpty(t, at(review, "status", "error"))
	s.must(t, 400, "POST", tokenReviews, `{"spec":{}}`)
}

const boundPod = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"containers":[{"name":"a","image":"b","resources":{"limits":{"cpu":"1"}}}]}}`

// Subresources of Pods that are writes change the Pod. Others say that no Pod runs.
func TestPodSubresources(t *testing.T) {
	var reported []string
	var admitted []object
	_, c := start(t, Options{
		Unsupported: func(text string) { reported = append(reported, text) },
		Webhooks: []Webhook{{Name: "a", Resources: []string{"pods", "pods/binding", "pods/eviction", "pods/resize"}, Operations: []string{"CREATE", "UPDATE", "DELETE"},
			Handler: reviewed(&admitted, always(allowed))}},
	})
	must(t, c, 201, "POST", pods, boundPod)
	require.Equal(t, 204, send(t, c, "GET", pods+"/a/log", "").StatusCode)
	refused := must(t, c, 400, "POST", pods+"/a/exec", "")
	require.Equal(t, "pod a does not have a host assigned", refused["message"])
	must(t, c, 404, "GET", pods+"/none/log", "")
	require.Contains(t, reported, "no Pod runs: pods/exec is refused")
	must(t, c, 405, "POST", pods+"/a/log", "")

	bound := must(t, c, 201, "POST", pods+"/a/binding", `{"apiVersion":"v1","kind":"Binding","metadata":{"name":"a"},"target":{"kind":"Node","name":"n"}}`)
	require.Equal(t, []any{"Status", "Success"}, []any{bound["kind"], bound["status"]})
	now := must(t, c, 200, "GET", pods+"/a", "")
	require.Equal(t, "n", at(now, "spec", "nodeName"))
	require.Equal(t, "PodScheduled", at(now, "status", "conditions").([]any)[0].(object)["type"])
	refused = must(t, c, 409, "POST", pods+"/a/binding", `{"metadata":{"name":"a"},"target":{"name":"m"}}`)
	require.Equal(t, `Operation cannot be fulfilled on pods/binding "a": pod a is already assigned to node "n"`, refused["message"])
	must(t, c, 500, "POST", pods+"/a/binding", `{"metadata":{"name":"a"},"target":{"kind":"Pod"}}`)
	must(t, c, 405, "GET", pods+"/a/binding", "")
	refused = must(t, c, 500, "POST", pods+"/a/exec?command=ls", "")
	require.Contains(t, refused["message"], "this server has no nodes, so there is no exec")

	debug := `{"spec":{"ephemeralContainers":[{"name":"d","image":"e"}],"nodeName":"other"}}`
	changed := must(t, c, 200, "PATCH", pods+"/a/ephemeralcontainers", debug, "Content-Type", strategicPatch)
	require.Equal(t, "n", at(changed, "spec", "nodeName"))
	require.Len(t, at(changed, "spec", "ephemeralContainers"), 1)
	refused = must(t, c, 422, "PATCH", pods+"/a/ephemeralcontainers", `{"spec":{"ephemeralContainers":null}}`, "Content-Type", mergePatch)
	require.Contains(t, refused["message"], "existing ephemeral containers may not be changed or removed")
	must(t, c, 200, "GET", pods+"/a/ephemeralcontainers", "")

	resize := `{"spec":{"containers":[{"name":"a","image":"other","resources":{"limits":{"cpu":"2"}}}]}}`
	changed = must(t, c, 200, "PATCH", pods+"/a/resize", resize, "Content-Type", strategicPatch)
	container := at(changed, "spec", "containers").([]any)[0].(object)
	require.Equal(t, []any{"b", "2"}, []any{container["image"], at(container, "resources", "limits", "cpu")})
	must(t, c, 405, "DELETE", pods+"/a/resize", "")

	eviction := `{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"a"},"deleteOptions":{"dryRun":["All"]}}`
	must(t, c, 201, "POST", pods+"/a/eviction", eviction)
	must(t, c, 200, "GET", pods+"/a", "")
	must(t, c, 400, "POST", pods+"/a/eviction", `{"metadata":{"name":"b"}}`)
	must(t, c, 409, "POST", pods+"/a/eviction", `{"metadata":{"name":"a"},"deleteOptions":{"preconditions":{"uid":"x"}}}`)
	must(t, c, 201, "POST", pods+"/a/eviction", `{"metadata":{"name":"a"}}`)
	require.NotNil(t, at(must(t, c, 200, "GET", pods+"/a", ""), "metadata", "deletionTimestamp"), "it is on a node")
	must(t, c, 200, "DELETE", pods+"/a?gracePeriodSeconds=0", "")
	must(t, c, 404, "POST", pods+"/a/eviction", `{"metadata":{"name":"a"}}`)

	// Admission sees a Binding and an Eviction, not what they do to the Pod.
	var seen []string
	for _, r := range admitted {
		seen = append(seen, fmt.Sprint(r["operation"], " ", at(r, "kind", "kind"), " ", r["subResource"]))
	}
	// Not the Binding without a node, nor the Eviction with another name.
	require.Equal(t, []string{"CREATE Pod <nil>", "CREATE Binding binding", "CREATE Binding binding", "UPDATE Pod resize"}, seen[:4])
	const evicted = "CREATE Eviction eviction"
	require.Equal(t, []string{evicted, evicted, evicted, "DELETE Pod <nil>", evicted}, seen[4:])
}
