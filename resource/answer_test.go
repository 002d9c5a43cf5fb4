package resource_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/given"
	"github.com/crdkit/crdkit/internal/golden"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

// things compiles a definition of cluster-scoped Things, with the versions v1, which is stored, v2 and so on. Each has the members that
// its text gives it, as in "subresources: {status: {}}, schema: {openAPIV3Schema: {type: object}}".
func things(t testing.TB, versions ...string) *resource.Resource {
	t.Helper()
	r, err := resource.Compile(definition(t, versions...))
	require.NoError(t, err)
	return r
}

// definition returns that definition.
func definition(t testing.TB, versions ...string) *crd.CustomResourceDefinition {
	t.Helper()
	document := given.Head("Cluster", "things.example.com", "Thing") + `
  versions:
`
	for i, members := range versions {
		document += fmt.Sprintf("  - {name: v%d, served: true, storage: %t, %s}\n", i+1, i == 0, members)
	}
	return given.Definition(t, document)
}

// thing returns a Thing of v1 named a, of the first generation, with the members that the document gives it besides or instead.
func thing(t testing.TB, document string) map[string]any {
	t.Helper()
	obj := map[string]any{"apiVersion": "example.com/v1", "kind": "Thing", "metadata": map[string]any{"name": "a", "generation": int64(1)}}
	maps.Copy(obj, given.Object(t, document))
	return obj
}

// An answer is a Result as tests write it down.
type answer struct {
	object   map[string]any // nil: is not looked at
	errors   []string
	failure  string
	warnings []string
	deleted  bool
}

// require compares a result with what is wanted.
func (want answer) require(t *testing.T, got resource.Result) {
	t.Helper()
	failure := ""
	if got.Failure != nil {
		failure = encodeStatus(got.Failure)
	}
	require.Equal(t, want.failure, failure)
	require.Equal(t, want.errors, golden.Typed(got.Errors))
	require.Equal(t, want.warnings, got.Warnings)
	require.Equal(t, want.deleted, got.Deleted)
	if want.object != nil {
		require.Equal(t, want.object, got.Object)
	}
	require.Equal(t, want.errors != nil || want.failure != "", got.Err() != nil)
}

// A requestCase is a request about a Thing, and what becomes of it. A table uses the fields that its requests need.
type requestCase struct {
	name        string
	v           *resource.Version
	options     resource.RequestOptions
	contentType string // of a patch
	sent, old   string
	want        string // the object
	errors      []string
	failure     string
	warnings    []string
}

// requireAnswers compares the answers of requests with what is wanted. No request may change old.
func requireAnswers(t *testing.T, cases []requestCase, request func(t *testing.T, c requestCase, old map[string]any) resource.Result) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			old := thing(t, c.old)
			before := unstructured.Clone(old)
			result := request(t, c, old)
			require.Equal(t, before, old, "old was modified")
			want := answer{errors: c.errors, failure: c.failure, warnings: c.warnings}
			if c.want != "" {
				want.object = given.Object(t, encode(t, thing(t, c.want)))
			}
			want.require(t, result)
		})
	}
}

// requireUpdates is requireAnswers for updates, which may not change what is sent either. sent returns it for a case.
func requireUpdates(t *testing.T, cases []requestCase, sent func(t testing.TB, text string) map[string]any,
	update func(c requestCase, obj, old map[string]any) resource.Result) {
	requireAnswers(t, cases, func(t *testing.T, c requestCase, old map[string]any) resource.Result {
		obj := sent(t, c.sent)
		before := unstructured.Clone(obj)
		result := update(c, obj, old)
		require.Equal(t, before, obj, "the input was modified")
		return result
	})
}
