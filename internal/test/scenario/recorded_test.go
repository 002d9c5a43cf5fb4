package scenario

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/server"
)

// newPlayer returns a player for a server of this module, which ends with the test.
func newPlayer(t *testing.T) Player {
	s, err := server.New(t.Context(), server.Options{CustomOnly: true, KeepGarbage: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	client := &http.Client{Transport: s.RoundTripper()}
	answer, err := client.Post("http://server/api/v1/namespaces", "application/json", strings.NewReader(`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"ns"}}`))
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusCreated, answer.StatusCode)
	return Player{Client: client, Base: "http://server"}
}

// Package server, and with it resource, crdcheck and apply, answers as a Kubernetes API server did when the requests were
// recorded (conformance/README.md).
func TestRecorded(t *testing.T) {
	f, err := os.Open("testdata/recorded.jsonl.gz")
	require.NoError(t, err)
	defer f.Close()
	all, err := Read(f)
	require.NoError(t, err)
	p := newPlayer(t)
	compared := map[string]int{}
	for i, s := range all {
		p.Group = fmt.Sprintf("g%05d.io", i) // a definition whose objects have finalizers stays
		answers, err := p.Play(t.Context(), s)
		require.NoError(t, err)
		require.Len(t, answers, len(s.Requests), s.Name)
	requests:
		for i, r := range s.Requests {
			for _, result := range Compare(r, *r.Answer, answers[i]) {
				compared[result.Aspect]++
				if result.Difference != "" {
					t.Errorf("%s, request %d, %s: %s\n%s %s %s", s.Name, i, result.Aspect, result.Difference, r.Method, r.Path, r.Body)
					break requests // later answers depend on this one
				}
			}
		}
	}
	require.Greater(t, compared["verdict"], 1400)
	for _, aspect := range Aspects {
		require.Greater(t, compared[aspect], 150, aspect)
	}
}

// The comparison notices each kind of difference.
func TestCompare(t *testing.T) {
	refusal := func(reason, field, message string) Answer {
		body, err := json.Marshal(map[string]any{"kind": "Status", "details": map[string]any{
			"causes": []any{map[string]any{"reason": reason, "field": field, "message": message}},
		}})
		require.NoError(t, err)
		return answerOf(422, nil, body)
	}
	object := func(body string, warnings ...string) Answer { return answerOf(200, warnings, []byte(body)) }
	for _, c := range []struct {
		name      string
		want, got Answer
		aspect    string // with a difference; empty: none has one
	}{
		{"what a server draws", object(`{"metadata":{"uid":"1","resourceVersion":"2","creationTimestamp":"3"},"a":1}`), object(`{"a":1,"metadata":{}}`), ""},
		{"the number of self's type", refusal("R", "f", "in selfType12"), refusal("R", "f", "in selfType"), ""},
		{"the uid of the stored object", answerOf(409, nil, []byte(`{"message":"UID in object meta: 3a45b1d7-5fdd-4203-bed1-fa22d46f7020"}`)),
			answerOf(409, nil, []byte(`{"message":"UID in object meta: 67047a49-58cb-494c-a677-d041a0bb0370"}`)), ""},
		{"the revision of a stored object", answerOf(500, nil, []byte(`{"message":"not decodable revision=1308: m"}`)),
			answerOf(500, nil, []byte(`{"message":"not decodable revision=971: m"}`)), ""},
		{"a subresource that is not found", answerOf(404, nil, []byte(`{"kind":"Status","reason":"NotFound"}`)), answerOf(404, nil, []byte(`"404"`)), "error types"},
		{"the order of warnings", object(`{}`, "a", "b"), object(`{}`, "b", "a"), ""},
		{"codes", object(`{}`), answerOf(201, nil, []byte(`{}`)), "verdict"},
		{"values", object(`{"a":1}`), object(`{"a":"1"}`), "object"},
		{"numbers", object(`{"a":1}`), object(`{"a":1.0}`), "object"},
		{"types of errors", refusal("R", "f", "m"), refusal("S", "f", "m"), "error types"},
		{"fields of errors", refusal("R", "f", "m"), refusal("R", "g", "m"), "error fields"},
		{"texts of errors", refusal("R", "f", "m"), refusal("R", "f", "n"), "error texts"},
		{"warnings", object(`{}`, "a"), object(`{}`), "warnings"},
	} {
		t.Run(c.name, func(t *testing.T) {
			aspect := ""
			for _, r := range Compare(Request{}, c.want, c.got) {
				if r.Difference != "" {
					require.Empty(t, aspect)
					aspect = r.Aspect
				}
			}
			require.Equal(t, c.aspect, aspect)
		})
	}
}

// The same scenarios give the same bytes.
func TestWrite(t *testing.T) {
	all := []Scenario{{Name: "1/2", Requests: []Request{{
		Area: "a", Method: "POST", Path: "/", Body: json.RawMessage(`{"x":"<"}`), Answer: &Answer{Code: 200, Body: json.RawMessage(`{}`)},
	}}}}
	var first, second bytes.Buffer
	require.NoError(t, Write(&first, all))
	require.NoError(t, Write(&second, all))
	require.Equal(t, first.Bytes(), second.Bytes())
	read, err := Read(&first)
	require.NoError(t, err)
	require.Equal(t, all, read)
	_, err = Read(strings.NewReader("x"))
	require.Error(t, err)
}
