package resource_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

// things compiles a definition of cluster-scoped Things, with the versions v1 (the storage version), v2 and so on. Each
// text has the members of a version, as in "subresources: {status: {}}, schema: {openAPIV3Schema: {type: object}}".
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

// thing returns a Thing of v1 with the name a and generation 1. Members of the document are added or replace these.
func thing(t testing.TB, document string) map[string]any {
	t.Helper()
	obj := map[string]any{"apiVersion": "example.com/v1", "kind": "Thing", "metadata": map[string]any{"name": "a", "generation": int64(1)}}
	maps.Copy(obj, given.Object(t, document))
	return obj
}

// An answer is an expected Result.
type answer struct {
	object   map[string]any // nil: not compared
	errors   []string
	failure  string
	warnings []string
	deleted  bool
}

// require compares a result with the expected one.
func (want answer) require(t *testing.T, got resource.Result) {
	t.Helper()
	failure := ""
	if got.Failure != nil {
		failure = encodeStatus(got.Failure)
	}
	require.Equal(t, want.failure, failure)
	require.Equal(t, want.errors, given.Typed(got.Errors))
	require.Equal(t, want.warnings, got.Warnings)
	require.Equal(t, want.deleted, got.Deleted)
	if want.object != nil {
		require.Equal(t, want.object, got.Object)
	}
	require.Equal(t, want.errors != nil || want.failure != "", got.Err() != nil)
}

// A requestCase is a request for a Thing with its expected result. A table uses the fields that its requests need.
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

// requireAnswers compares the results of requests with the expected ones. No request may change old.
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

// requireUpdates is requireAnswers for updates, which must not change the sent object either. sent returns that object
// for a case.
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
