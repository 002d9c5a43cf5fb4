package objectmeta_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/objectmeta"
)

// STR-009.
func TestDeduplicateOwners(t *testing.T) {
	in := decodeMap(t, `{"name": "a", "ownerReferences": [
		{"apiVersion": "v1", "kind": "A", "name": "a", "uid": "u1"},
		{"apiVersion": "v1", "kind": "A", "name": "a", "uid": "u1", "controller": false},
		{"apiVersion": "v1", "kind": "B", "name": "b", "uid": "u2", "controller": true},
		{"apiVersion": "v1", "kind": "A", "name": "a", "uid": "u1"},
		{"apiVersion": "v1", "kind": "B", "name": "b", "uid": "u2", "controller": true},
		{"apiVersion": "v1", "kind": "A", "name": "a", "uid": "u1"}]}`)
	before := clone(in)
	got, uids := objectmeta.DeduplicateOwners(in)
	require.Equal(t, []string{"u1", "u2", "u1"}, uids)
	owners := in["ownerReferences"].([]any)
	require.Equal(t, map[string]any{"name": "a", "ownerReferences": owners[:3]}, got)
	require.Equal(t, before, any(in))

	const rest = "; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; " +
		"duplicate UID(s) observed: u1, u2, u1"
	require.Equal(t, ".metadata.ownerReferences contains duplicate entries"+rest, objectmeta.DuplicateOwnersWarning(uids, false))
	require.Equal(t, ".metadata.ownerReferences contains duplicate entries after mutating admission happens"+rest,
		objectmeta.DuplicateOwnersWarning(uids, true))

	many := []any{}
	for i := range 20 {
		many = append(many, map[string]any{"name": fmt.Sprint(i), "uid": "u"})
	}
	for _, unique := range []map[string]any{nil, {}, {"ownerReferences": owners[:3]}, {"ownerReferences": many}} {
		got, uids := objectmeta.DeduplicateOwners(unique)
		require.Nil(t, uids)
		require.Equal(t, unique, got)
	}
	_, uids = objectmeta.DeduplicateOwners(map[string]any{"ownerReferences": append(many, many[3])})
	require.Equal(t, []string{"u"}, uids)
}
