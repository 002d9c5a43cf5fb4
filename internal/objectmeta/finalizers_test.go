package objectmeta_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/test/given"
)

// STR-016.
func TestFinalizerWarnings(t *testing.T) {
	const domain = "prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers"
	const path = "prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers"
	tests := []struct {
		name, in, old string
		want          []string
	}{
		{"good ones", `["a.io/x", "orphan", "foregroundDeletion", "kubernetes"]`, `null`, nil},
		{"sorted, each once", `["foo.bar", "foo", "a.io/x", "foo"]`, `null`, []string{
			`metadata.finalizers: "foo": ` + domain, `metadata.finalizers: "foo.bar": ` + path}},
		{"syntax first", `["b_", "A.b/c", "a/b/c"]`, `null`, []string{
			`metadata.finalizers: "A.b/c": prefix part ` + mSubdomain,
			`metadata.finalizers: "a/b/c": a valid label key ` + mKey + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
			`metadata.finalizers: "b_": name part ` + mKey,
			`metadata.finalizers: "b_": ` + domain,
		}},
		{"the empty one", `[""]`, `null`, []string{
			`metadata.finalizers: "": name part must be non-empty`, `metadata.finalizers: "": name part ` + mKey, `metadata.finalizers: "": ` + domain}},
		{"only new ones", `["foo", "bar"]`, `["foo"]`, []string{`metadata.finalizers: "bar": ` + domain}},
		{"none", `null`, `["foo"]`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			meta := map[string]any{"finalizers": decode(t, tt.in)}
			require.Equal(t, tt.want, objectmeta.Server{}.AppendFinalizerWarnings(nil, meta, map[string]any{"finalizers": decode(t, tt.old)}, field.Limit{}))
			require.Equal(t, decode(t, tt.in), meta["finalizers"])
		})
	}
}

// Many finalizers are compared as few are.
func TestManyFinalizers(t *testing.T) {
	var had []any
	for i := range 20 {
		had = append(had, "example.com/f"+strconv.Itoa(i))
	}
	const deleted = "2020-01-01T00:00:00Z"
	old := map[string]any{"name": "a", "deletionTimestamp": deleted, "finalizers": had}
	fewer := map[string]any{"name": "a", "deletionTimestamp": deleted, "finalizers": had[3:]}
	more := map[string]any{"name": "a", "deletionTimestamp": deleted, "finalizers": append(slices.Clone(had), "new")}
	require.Empty(t, updateErrors(fewer, old))
	require.True(t, validUpdate(fewer, old, false))
	require.Equal(t, []string{`metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"new"}`},
		given.Texts(updateErrors(more, old)))
	require.False(t, validUpdate(more, old, false))
	require.Len(t, objectmeta.Server{}.AppendFinalizerWarnings(nil, more, old, field.Limit{}), 1)
	require.Empty(t, objectmeta.Server{}.AppendFinalizerWarnings(nil, old, more, field.Limit{}))
}
