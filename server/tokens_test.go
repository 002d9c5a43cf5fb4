package server

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	accounts   = "/api/v1/namespaces/default/serviceaccounts"
	account    = `{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"bot"}}`
	accountPod = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"serviceAccountName":"bot","containers":[{"name":"a","image":"a"}]}}`
)

// A request for a token has metadata again if a webhook has removed it.
func TestTokenWithoutMetadata(t *testing.T) {
	_, c := start(t, Options{Webhooks: []Webhook{{Name: "a", Mutating: true, Resources: []string{"serviceaccounts/token"}, Admit: func(_ context.Context, r *AdmissionRequest) (map[string]any, error) {
		return object{"apiVersion": r.Object["apiVersion"], "kind": r.Object["kind"], "spec": r.Object["spec"]}, nil
	}}}})
	must(t, c, 201, "POST", accounts, account)
	answer := must(t, c, 201, "POST", accounts+"/bot/token", `{"metadata":{"labels":{"a":"b"}}}`)
	require.Equal(t, []any{"bot", nil}, []any{at(answer, "metadata", "name"), at(answer, "metadata", "labels")})
}

// A token of a ServiceAccount is its user until it expires, or the ServiceAccount is deleted.
func TestTokens(t *testing.T) {
	var passed atomic.Int64 // since the begin, in nanoseconds
	began := time.Now()
	_, c := start(t, Options{RBAC: true, Token: "secret", Now: func() time.Time { return began.Add(time.Duration(passed.Load())) }})
	created := must(t, c, 201, "POST", accounts, account)
	uid := at(created, "metadata", "uid")
	request := func(body string) (token string, answer object) {
		t.Helper()
		answer = must(t, c, 201, "POST", accounts+"/bot/token", body)
		return at(answer, "status", "token").(string), answer
	}
	token, answer := request(`{"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest"}`)
	require.Equal(t, []any{"TokenRequest", "bot", uid, object{"audiences": []any{issuer}, "expirationSeconds": 3600.0, "boundObjectRef": nil}},
		[]any{answer["kind"], at(answer, "metadata", "name"), at(answer, "metadata", "uid"), answer["spec"]})
	require.Equal(t, began.Add(time.Hour).UTC().Format(time.RFC3339), at(answer, "status", "expirationTimestamp"))
	text, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[1])
	require.NoError(t, err)
	var claims object
	require.NoError(t, json.Unmarshal(text, &claims))
	require.Equal(t, []any{"system:serviceaccount:default:bot", issuer, object{"namespace": "default", "serviceaccount": object{"name": "bot", "uid": uid}}},
		[]any{claims["sub"], claims["iss"], claims["kubernetes.io"]})

	user := object{
		"username": "system:serviceaccount:default:bot", "uid": uid,
		"groups": []any{"system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"},
		"extra":  object{"authentication.kubernetes.io/credential-id": []any{"JTI=" + claims["jti"].(string)}},
	}
	bearer := func(token string) []string { return []string{"Authorization", "Bearer " + token} }
	require.Equal(t, user, at(must(t, c, 201, "POST", selfReviews, `{}`, bearer(token)...), "status", "userInfo"))
	refused := must(t, c, 403, "GET", configMaps, "", bearer(token)...)
	require.Contains(t, refused["message"], `User "system:serviceaccount:default:bot" cannot list`)
	must(t, c, 201, "POST", bindingsPath, roleBinding("bots", "ClusterRole", "cluster-admin", `{"kind":"ServiceAccount","name":"bot"}`))
	must(t, c, 200, "GET", configMaps, "", bearer(token)...)

	review := func(token, audiences string) object {
		t.Helper()
		return must(t, c, 201, "POST", tokenReviews, `{"spec":{"token":"`+token+`","audiences":[`+audiences+`]}}`)["status"].(object)
	}
	require.Equal(t, object{"authenticated": true, "user": user, "audiences": []any{issuer}}, review(token, ""))
	require.Equal(t, object{"user": object{}, "error": `[invalid bearer token, token audiences ["` + issuer + `"] is invalid for the target audiences ["b"]]`}, review(token, `"b"`))
	other, _ := request(`{"spec":{"audiences":["b","c"]}}`)
	require.Equal(t, []any{"b"}, review(other, `"b","d"`)["audiences"])
	must(t, c, 401, "GET", "/api", "", bearer(other)...)

	// Nothing but the server's own signature counts.
	parts := strings.Split(token, ".")
	for name, forged := range map[string]string{
		"another signature": parts[0] + "." + parts[1] + "." + base64.RawURLEncoding.EncodeToString(make([]byte, 64)),
		"none":              parts[0] + "." + parts[1] + ".",
		"short":             parts[0] + "." + parts[1],
		"other claims":      parts[0] + "." + base64.RawURLEncoding.EncodeToString([]byte(strings.Replace(string(text), "bot", "top", 1))) + "." + parts[2],
	} {
		must(t, c, 401, "GET", "/api", "", bearer(forged)...)
		require.Equal(t, object{"user": object{}, "error": "invalid bearer token"}, review(forged, ""), name)
	}
	unsigned := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." + parts[1] + "."
	require.Equal(t, "invalid bearer token", review(unsigned, "")["error"])

	must(t, c, 201, "POST", pods, accountPod)
	ofPod, answer := request(`{"spec":{"expirationSeconds":86400,"boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"p"}}}`)
	require.Equal(t, object{"kind": "Pod", "apiVersion": "v1", "name": "p"}, at(answer, "spec", "boundObjectRef"))
	extra := at(review(ofPod, ""), "user", "extra").(object)
	require.Equal(t, []any{"p"}, extra["authentication.kubernetes.io/pod-name"])
	passed.Store(int64(time.Hour + leeway + 2*time.Second))
	require.Equal(t, "[invalid bearer token, service account token has expired]", review(token, "")["error"])
	must(t, c, 200, "GET", configMaps, "", bearer(ofPod)...)
	must(t, c, 200, "DELETE", pods+"/p", "")
	must(t, c, 401, "GET", configMaps, "", bearer(ofPod)...)

	// Typed clients send protobuf.
	meta, spec := wireText(1, "authentication.k8s.io/v1")+wireText(2, "TokenRequest"), wireText(1, "b")+wireNumber(4, 700)
	answer = must(t, c, 201, "POST", accounts+"/bot/token", protobufMagic+wireText(1, meta)+wireText(2, wireText(1)+wireText(2, spec)+wireText(3, wireText(1, ""))),
		"Content-Type", protobufType)
	require.Equal(t, object{"audiences": []any{"b"}, "expirationSeconds": 700.0, "boundObjectRef": nil}, answer["spec"])

	last, _ := request(`{}`)
	must(t, c, 200, "GET", configMaps, "", bearer(last)...)
	must(t, c, 200, "DELETE", accounts+"/bot", "")
	must(t, c, 401, "GET", configMaps, "", bearer(last)...)
	must(t, c, 201, "POST", accounts, account)
	must(t, c, 401, "GET", configMaps, "", bearer(last)...)
}

// Requests for tokens that a server refuses are refused with its texts.
func TestTokenRequestsAreChecked(t *testing.T) {
	_, c := start(t, Options{})
	uid := at(must(t, c, 201, "POST", accounts, account), "metadata", "uid").(string)
	must(t, c, 201, "POST", pods, strings.Replace(accountPod, "bot", "default", 1))
	const invalid = `TokenRequest.authentication.k8s.io "" is invalid: `
	for _, row := range []struct {
		code       int
		body, want string
	}{
		{422, `{"spec":{"expirationSeconds":599}}`, invalid + `spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes`},
		{422, `{"spec":{"expirationSeconds":4294967297}}`, invalid + `spec.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds`},
		{422, `{"metadata":{"name":"x"}}`, `TokenRequest.authentication.k8s.io "bot" is invalid: metadata.name: Invalid value: "x": must match the service account name if specified`},
		{400, `{"metadata":{"namespace":"x"}}`, `the namespace of the provided object does not match the namespace sent on the request`},
		{409, `{"metadata":{"uid":"x"}}`, `Operation cannot be fulfilled on TokenRequest.authentication.k8s.io "bot": ` +
			`the UID in the token request (x) does not match the UID of the service account (` + uid + `)`},
		{404, `{"spec":{"boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"none"}}}`, `pods "none" not found`},
		{400, `{"spec":{"boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"p"}}}`,
			`cannot bind token for serviceaccount "bot" to pod running with different serviceaccount name.`},
		{404, `{"spec":{"boundObjectRef":{"kind":"Secret","apiVersion":"v1","name":"none"}}}`, `secrets "none" not found`},
		{404, `{"spec":{"boundObjectRef":{"kind":"Node","apiVersion":"v1","name":"none"}}}`, `nodes "none" not found`},
		{400, `{"spec":{"boundObjectRef":{"kind":"ConfigMap","apiVersion":"v1","name":"none"}}}`, `cannot bind token to object of type /v1, Kind=ConfigMap`},
		{400, `{"spec":{"boundObjectRef":{"kind":"Pod","apiVersion":"apps/v1","name":"p"}}}`, `cannot bind token to object of type apps/v1, Kind=Pod`},
		{400, `{"apiVersion":"v1","kind":"Pod"}`, `Pod in version "v1" cannot be handled as a TokenRequest: ` +
			`converting (v1.Pod) to (authentication.TokenRequest): unknown conversion`},
	} {
		t.Run(row.body, func(t *testing.T) {
			require.Equal(t, row.want, must(t, c, row.code, "POST", accounts+"/bot/token", row.body)["message"])
		})
	}
	require.Equal(t, `serviceaccounts "none" not found`, must(t, c, 404, "POST", accounts+"/none/token", `{}`)["message"])
	must(t, c, 405, "GET", accounts+"/bot/token", "")
}
