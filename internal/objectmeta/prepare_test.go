package objectmeta_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/objectmeta"
)

// STR-001, STR-002, STR-008, STR-009, MET-015.
func TestPrepareCreate(t *testing.T) {
	const owner = `{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u"}`
	for _, tt := range []struct {
		name, in, namespace, want string
		duplicates                []string
	}{
		{"what only a server sets", `{"name": "a", "uid": "u", "selfLink": "/x", "creationTimestamp": "2020-01-01T00:00:00Z", "deletionTimestamp": null,
			"deletionGracePeriodSeconds": 0, "resourceVersion": "1", "generation": 7}`, "", `{"name": "a", "resourceVersion": "1", "generation": 1}`, nil},
		{"the request's namespace", `{"name": "a"}`, "ns", `{"name": "a", "namespace": "ns", "generation": 1}`, nil},
		{"no namespace", `{"name": "a", "namespace": "ns"}`, "", `{"name": "a", "generation": 1}`, nil},
		{"owners twice", `{"ownerReferences": [` + owner + `, ` + owner + `]}`, "", `{"ownerReferences": [` + owner + `], "generation": 1}`, []string{"u"}},
		{"managed fields that cannot be decoded", `{"managedFields": [{"manager": "m"}]}`, "", `{"generation": 1}`, nil},
		{"nothing at all", `null`, "", `{"generation": 1}`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in, _ := decode(t, tt.in).(map[string]any)
			before := clone(in)
			got, changed, duplicates := objectmeta.PrepareCreate(in, tt.namespace, false)
			require.Equal(t, decode(t, tt.want), any(got))
			require.True(t, changed)
			require.Equal(t, tt.duplicates, duplicates)
			require.Equal(t, before, any(in))

			again, changed, _ := objectmeta.PrepareCreate(got, tt.namespace, false)
			require.False(t, changed)
			again["same"] = true
			require.Contains(t, got, "same")

			own, _ := decode(t, tt.in).(map[string]any)
			got, changed, duplicates = objectmeta.PrepareCreate(own, tt.namespace, true)
			require.Equal(t, decode(t, tt.want), any(got))
			require.True(t, changed)
			require.Equal(t, tt.duplicates, duplicates)
			require.True(t, own == nil || reflect.ValueOf(own).Pointer() == reflect.ValueOf(got).Pointer(), "it is another map")
		})
	}
}

// STR-002, STR-003.
func TestRetain(t *testing.T) {
	const old = `{"name": "a", "uid": "u", "generation": 3, "creationTimestamp": "2020-01-01T00:00:00Z", "deletionTimestamp": "2021-01-01T00:00:00Z",
		"deletionGracePeriodSeconds": 0}`
	tests := []struct{ name, in, old, want string }{
		{"all from old", `{"name": "a"}`, old, old},
		{"nothing to do", old, old, old},
		{"what wins", `{"uid": "v", "generation": 9, "creationTimestamp": "2022-01-01T00:00:00Z", "deletionTimestamp": "2022-01-01T00:00:00Z",
			"deletionGracePeriodSeconds": 5}`, old, `{"uid": "v", "generation": 3, "creationTimestamp": "2020-01-01T00:00:00Z",
			"deletionTimestamp": "2021-01-01T00:00:00Z", "deletionGracePeriodSeconds": 5}`},
		{"old has nothing", `{"uid": "v", "generation": 9, "creationTimestamp": "2022-01-01T00:00:00Z", "deletionTimestamp": "2022-01-01T00:00:00Z"}`,
			`{}`, `{"uid": "v", "creationTimestamp": "2022-01-01T00:00:00Z", "deletionTimestamp": "2022-01-01T00:00:00Z"}`},
		{"selfLink", `{"name": "b", "selfLink": "x"}`, `{"name": "a", "selfLink": "y"}`, `{"name": "b"}`},
		{"wrong types", `{"uid": {}, "generation": {}}`, `{"uid": {}, "generation": "x"}`, `{"uid": {}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in, old := decodeMap(t, tt.in), decodeMap(t, tt.old)
			got := objectmeta.Retain(in, old, false)
			require.Equal(t, decode(t, tt.want), any(got))
			require.Equal(t, decode(t, tt.in), any(in))
			require.Equal(t, decode(t, tt.old), any(old))
		})
	}
	require.Equal(t, map[string]any{"uid": "u"}, objectmeta.Retain(nil, map[string]any{"uid": "u"}, false))
	require.Nil(t, objectmeta.Retain(nil, nil, false))

	// A change of anything but the metadata increments the generation.
	meta := decodeMap(t, `{"name": "a", "generation": 3}`)
	require.Equal(t, decode(t, `{"name": "a", "generation": 4}`), any(objectmeta.Retain(meta, meta, true)))
	require.Equal(t, map[string]any{"generation": int64(1)}, objectmeta.Retain(nil, nil, true))
	require.Equal(t, decode(t, `{"name": "a", "generation": 3}`), any(meta))

	objectmeta.Retain(meta, meta, false)["same"] = true
	require.Contains(t, meta, "same")
}
