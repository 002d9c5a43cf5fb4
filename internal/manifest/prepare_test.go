package manifest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/internal/manifest"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/unstructured"
)

func TestReplace(t *testing.T) {
	const live = `{name: a, resourceVersion: "7", uid: u, creationTimestamp: "2026-01-01T00:00:00Z", generation: 3}`
	for _, c := range []struct{ name, obj, old, wantObj, wantOld string }{
		{"both from files", `{name: a}`, `{name: a}`, `{name: a}`, `{name: a}`},
		{"a dump as the old object", `{name: a}`, live, `{name: a, resourceVersion: "7", uid: u, creationTimestamp: "2026-01-01T00:00:00Z"}`, live},
		{"a dump as the new object", live, `{name: a}`, live, `{name: a, resourceVersion: "7", uid: u, creationTimestamp: "2026-01-01T00:00:00Z"}`},
		{"members that are empty", `{name: a, resourceVersion: "", uid: null, creationTimestamp: null}`, live,
			`{name: a, resourceVersion: "7", uid: u, creationTimestamp: "2026-01-01T00:00:00Z"}`, live},
		{"another state", `{name: a, resourceVersion: "6"}`, live, `{name: a, resourceVersion: "6", uid: u, creationTimestamp: "2026-01-01T00:00:00Z"}`, live},
		{"no metadata", ``, live, `{resourceVersion: "7", uid: u, creationTimestamp: "2026-01-01T00:00:00Z"}`, live},
	} {
		t.Run(c.name, func(t *testing.T) {
			object := func(meta string) map[string]any {
				if meta == "" {
					return map[string]any{"kind": "K"}
				}
				return given.Object(t, "{kind: K, metadata: "+meta+"}")
			}
			obj, old := object(c.obj), object(c.old)
			before, oldBefore := unstructured.Clone(obj), unstructured.Clone(old)
			newObj, newOld := manifest.Replace(obj, old)
			require.Equal(t, object(c.wantObj), newObj)
			require.Equal(t, object(c.wantOld), newOld)
			require.Equal(t, before, obj, "modified")
			require.Equal(t, oldBefore, old, "modified")
		})
	}
}

// A definition from a file is an established one, unless its status says something else.
func TestReplaceDefinition(t *testing.T) {
	const schema = `{type: object}`
	old := given.Definition(t, given.Kind("Namespaced", "widgets.example.org", "Widget", schema))
	d := given.Definition(t, given.Kind("Cluster", "widgets.example.org", "Gadget", schema))
	errors := func(d, old *crd.CustomResourceDefinition) []string {
		var texts []string
		for _, e := range crdcheck.ValidateUpdate(manifest.ReplaceDefinition(d, old)) {
			texts = append(texts, e.Error())
		}
		return texts
	}
	immutable := []string{
		`spec.scope: Invalid value: "Cluster": field is immutable`,
		`spec.names.kind: Invalid value: "Gadget": field is immutable`,
	}
	require.Equal(t, immutable, errors(d, old))
	require.Empty(t, old.Status.Conditions, "modified")

	established := crd.Condition{Type: crd.Established, Status: "False"}
	pending := *old
	pending.Status.Conditions = []crd.Condition{established}
	require.Empty(t, errors(d, &pending))

	// The status of a dump, and its resourceVersion.
	live := *old
	live.Metadata = map[string]any{"name": old.Name(), "resourceVersion": "7", "uid": "u", "creationTimestamp": "2026-01-01T00:00:00Z"}
	established.Status = "True"
	live.Status = crd.Status{Conditions: []crd.Condition{established}, StoredVersions: []string{"v1"}}
	require.Equal(t, immutable, errors(d, &live))
	require.Empty(t, errors(old, &live))
	require.Empty(t, errors(&live, old))

	// A version that objects are stored in cannot be removed.
	next := given.Definition(t, given.Head("Namespaced", "widgets.example.org", "Widget")+
		"  versions:\n  - {name: v2, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}\n")
	require.Len(t, errors(next, old), 1)
	require.Contains(t, errors(next, old)[0], "status.storedVersions[0]: Invalid value: \"v1\": missing from spec.versions; v1 was previously a storage version")
	migrated := *old
	migrated.Status.StoredVersions = []string{"v2"}
	require.Empty(t, errors(next, &migrated))
}

func TestStored(t *testing.T) {
	require.True(t, manifest.Stored(given.Object(t, `{metadata: {name: a, resourceVersion: "1"}}`)))
	require.True(t, manifest.Stored(given.Object(t, `{metadata: {name: a, uid: u}}`)))
	require.False(t, manifest.Stored(given.Object(t, `{metadata: {name: a, creationTimestamp: null, resourceVersion: ""}}`)))
	require.False(t, manifest.Stored(given.Object(t, `{metadata: []}`)))
}
