package server

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The approval of a CertificateSigningRequest changes only its conditions, and its status everything else.
func TestCertificateSigningRequest(t *testing.T) {
	const all = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
	now := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	_, c := start(t, Options{Now: func() time.Time { return now }})
	must(t, c, 201, "POST", all, `{"metadata":{"name":"a"},"spec":{"request":"eA==","signerName":"example.com/s","usages":["client auth"]}}`)
	patch := func(code int, sub, status string) object {
		t.Helper()
		return must(t, c, code, "PATCH", all+"/a"+sub, `{"status":`+status+`}`, "Content-Type", mergePatch)
	}
	message := func(refused object) string { return fmt.Sprint(refused["message"]) }
	const approved = `{"type":"Approved","status":"True","reason":"r"}`
	require.Contains(t, message(patch(422, "/status", `{"conditions":[`+approved+`]}`)),
		`status.conditions: Forbidden: updates may not add a condition of type "Approved"`)
	got := patch(200, "/approval", `{"conditions":[`+approved+`],"certificate":"eA=="}`)
	require.Equal(t, object{"conditions": []any{object{"type": "Approved", "status": "True", "reason": "r",
		"lastUpdateTime": "2024-01-01T00:00:00Z", "lastTransitionTime": "2024-01-01T00:00:00Z"}}}, got["status"])
	now = now.Add(time.Hour)
	again := patch(200, "/approval", `{"conditions":[`+approved+`]}`)
	condition := at(again, "status", "conditions").([]any)[0]
	require.Equal(t, []any{"2024-01-01T01:00:00Z", "2024-01-01T00:00:00Z"}, []any{at(condition, "lastUpdateTime"), at(condition, "lastTransitionTime")})
	require.Contains(t, message(patch(422, "/approval", `{"conditions":[`+approved+`,{"type":"Denied","status":"True"}]}`)), "mutually exclusive")
	require.Contains(t, message(patch(422, "/approval", `{"conditions":null}`)), `updates may not remove a condition of type "Approved"`)
	require.Equal(t, "eA==", at(patch(200, "/status", `{"certificate":"eA=="}`), "status", "certificate"))
	require.Contains(t, message(patch(422, "/status", `{"certificate":"eQ=="}`)), "updates may not modify existing certificate content")
	require.Equal(t, "a", at(must(t, c, 200, "GET", all+"/a/approval", ""), "metadata", "name"))
	must(t, c, 405, "DELETE", all+"/a/approval", "")
	resources := fmt.Sprint(must(t, c, 200, "GET", "/apis/certificates.k8s.io/v1", "")["resources"])
	require.Contains(t, resources, "certificatesigningrequests/approval")
}

// A write to the status of a namespace changes its conditions and its metadata. The phase follows from its life.
func TestStatusOfNamespace(t *testing.T) {
	_, c := start(t, Options{})
	const path = namespaces + "/default/status"
	got := must(t, c, 200, "PATCH", path, `{"metadata":{"labels":{"a":"b"}},"spec":{"finalizers":null},"status":{"conditions":[{"type":"T","status":"True"}]}}`,
		"Content-Type", mergePatch)
	require.Equal(t, object{"phase": "Active", "conditions": []any{object{"type": "T", "status": "True"}}}, got["status"])
	require.Equal(t, []any{"kubernetes"}, at(got, "spec", "finalizers"))
	require.Equal(t, "b", at(got, "metadata", "labels", "a"))
	require.Equal(t, got["status"], must(t, c, 200, "PATCH", namespaces+"/default", `{"status":null}`, "Content-Type", mergePatch)["status"])
	require.Equal(t, "Active", at(must(t, c, 200, "PATCH", path, `{"status":{"phase":null}}`, "Content-Type", mergePatch), "status", "phase"), "the default")
	refused := must(t, c, 422, "PATCH", path, `{"status":{"phase":"Terminating"}}`, "Content-Type", mergePatch)
	require.Contains(t, refused["message"], "status.Phase: Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is empty")
}

// A request has the user who sends it, whatever it says, and its spec does not change.
func TestUserOfACertificateSigningRequest(t *testing.T) {
	const all = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
	_, c := start(t, Options{})
	const text = `{"metadata":{"name":"a"},"spec":{"request":"eA==","signerName":"example.com/s","usages":["client auth"],"username":"eve","uid":"1","extra":{"a":["b"]}}}`
	created := must(t, c, 201, "POST", all, text, "Impersonate-User", "jane", "Impersonate-Group", "dev", "Impersonate-Extra-Scopes", "view")
	want := object{"request": "eA==", "signerName": "example.com/s", "usages": []any{"client auth"}, "username": "jane",
		"groups": []any{"dev", "system:authenticated"}, "extra": object{"scopes": []any{"view"}}}
	require.Equal(t, want, created["spec"])
	updated := must(t, c, 200, "PATCH", all+"/a", `{"metadata":{"labels":{"a":"b"}},"spec":{"username":"eve","request":"eQ=="}}`, "Content-Type", mergePatch)
	require.Equal(t, want, updated["spec"])
	require.Equal(t, "b", at(updated, "metadata", "labels", "a"))
}
