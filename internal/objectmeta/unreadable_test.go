package objectmeta_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/test/given"
)

func TestUnreadables(t *testing.T) {
	list := func(v any) (texts []string) {
		for _, u := range objectmeta.Unreadables(v) {
			texts = append(texts, field.PathOf(u.Path...).String()+" "+u.Want)
			require.Error(t, u.Err)
			require.Equal(t, len(u.Path) == 2 && u.Path[0].Key != "finalizers" && !u.Path[1].IsIndex, u.Alone, "%v", u.Path)
		}
		return texts
	}
	require.Equal(t, []string{
		"annotations.b a string", "annotations.x a string", "creationTimestamp a time such as 2026-01-02T03:04:05Z", "finalizers[1] a string",
		"generation an integer", "labels.app a string", "managedFields a list of objects", "name a string",
		"ownerReferences[0].controller a boolean", "ownerReferences[0].name a string", "ownerReferences[1] an object",
	}, list(given.Object(t, `
annotations: {x: false, b: [a], z: a, w: null}
creationTimestamp: yesterday
finalizers: [a, 1]
generation: "1"
labels: {app: 1.10, ok: b}
managedFields: {}
name: 5
ownerReferences: [{name: 1, controller: "true", other: 5}, a]
other: 5`)))
	require.Equal(t, []string{"<nil> an object"}, list("a"))
	require.Equal(t, []string{"labels an object of strings"}, list(map[string]any{"labels": []any{"a"}}))
	require.Empty(t, list(nil))
	require.Empty(t, list(given.Object(t, `{name: a, labels: {a: b}, other: 5}`)))
}
