package admission

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/registry"
)

// Observe learns of each request, answered or not.
func TestObserve(t *testing.T) {
	var mu sync.Mutex
	var seen []Observation
	handler := newOf(t, &Options{Observe: func(o Observation) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, o)
	}}).Handler()
	widgets := GroupVersionResource{"example.org", "v1", "widgets"}
	create, _ := review(t, "create")
	dry, _ := review(t, "create", change{"request.dryRun", "true"}, change{"request.object.spec.size", "0"})
	status, _ := review(t, "status")
	bad, _ := review(t, "create", change{"request.object", "[]"})
	for _, row := range []struct {
		path, contentType, body string
		want                    Observation
	}{
		{MutatePath, "application/json", create, Observation{Mutating: true, Code: 200, Resource: widgets, Operation: "CREATE", Allowed: true, Patched: true}},
		{ValidatePath, "application/json", create, Observation{Code: 200, Resource: widgets, Operation: "CREATE", Allowed: true}},
		{ValidatePath, "application/json", dry, Observation{Code: 200, Resource: widgets, Operation: "CREATE", DryRun: true, Reason: "Invalid"}},
		{ValidatePath, "application/json", status, Observation{Code: 200, Resource: widgets, Subresource: "status", Operation: "UPDATE", Allowed: true, Warnings: 1}},
		{ValidatePath, "application/json", bad, Observation{Code: 400, Resource: widgets, Operation: "CREATE"}},
		{MutatePath, "application/json", "{", Observation{Mutating: true, Code: 400}},
		{ValidatePath, "text/plain", create, Observation{Code: 415}},
	} {
		seen = nil
		request := httptest.NewRequest("POST", row.path, strings.NewReader(row.body))
		request.Header.Set("Content-Type", row.contentType)
		handler.ServeHTTP(httptest.NewRecorder(), request)
		require.Len(t, seen, 1)
		require.Positive(t, seen[0].Duration)
		seen[0].Duration = 0
		require.Equal(t, row.want, seen[0])
	}
}

// A review that takes too long is answered in time, and observed as that.
func TestTimeout(t *testing.T) {
	seen := make(chan Observation, 1)
	w := newOf(t, &Options{Observe: func(o Observation) { seen <- o }})
	body, _ := review(t, "create")
	goOn := make(chan bool)
	slow := w.observed(false, w.guard.Handler(func(ctx context.Context, review []byte) ([]byte, error) {
		answer, err := w.RespondValidating(ctx, review)
		<-goOn
		return answer, err
	}))
	request := httptest.NewRequest("POST", "/validate?timeout=200ms", strings.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	answer, before := httptest.NewRecorder(), time.Now()
	slow.ServeHTTP(answer, request)
	close(goOn)
	require.Equal(t, http.StatusGatewayTimeout, answer.Code)
	require.Less(t, time.Since(before), 5*time.Second)
	o := <-seen
	require.Equal(t, []any{http.StatusGatewayTimeout, "CREATE", false}, []any{o.Code, o.Operation, o.Allowed})
}

func TestReviewError(t *testing.T) {
	w := newOf(t, nil)
	missing, _ := review(t, "create", change{"request.object", ""})
	_, err := w.RespondValidating(t.Context(), []byte(missing))
	var wrong *ReviewError
	require.ErrorAs(t, err, &wrong)
	require.Equal(t, []string{"request.object", "is missing"}, []string{wrong.Field, wrong.Problem})
	require.EqualError(t, err, "request.object is missing")
	_, err = w.RespondMutating(t.Context(), []byte("{"))
	require.ErrorAs(t, err, &wrong)
	require.Empty(t, wrong.Field)
	var syntax *json.SyntaxError
	require.True(t, errors.As(err, &syntax))
}

func TestCompileFails(t *testing.T) {
	const definition = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.example.org"},"spec":{
		"group":"example.org","scope":"Namespaced","names":{"kind":"Widget","plural":"widgets"},"versions":[
		{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}`
	for text, want := range map[string]string{
		strings.Replace(definition, `"served":true`, `"served":false`, 1):        "no CustomResourceDefinition with a served version",
		strings.Replace(definition, `{"type":"object"}`, `{"properties":{}}`, 1): "widgets.example.org: resource: version v1: ",
	} {
		parsed, err := crd.Parse([]byte(text))
		require.NoError(t, err)
		definitions, err := registry.New(parsed)
		require.NoError(t, err)
		_, err = Compile(definitions, nil)
		require.ErrorContains(t, err, want)
	}
}
