package crdcheck

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
)

// CVL-023, SEED-018.
func TestStoredVersionErrors(t *testing.T) {
	missing := func(i, v string) string {
		return "status.storedVersions[" + i + "]: Invalid value: \"" + v + "\": missing from spec.versions; " + v + " was previously a storage version, " +
			"and must remain in spec.versions until a storage migration ensures no data remains persisted in " + v + " and removes " + v +
			" from status.storedVersions"
	}
	v1, v3 := crd.Version{Name: "v1"}, crd.Version{Name: "v3"}
	inV1, inV2 := crd.Version{Name: "v1", Storage: true}, crd.Version{Name: "v2", Storage: true}
	for _, row := range []struct {
		name     string
		stored   []string
		versions []crd.Version
		want     []string
	}{
		{"fine", []string{"v1", "v2"}, []crd.Version{v1, inV2, v3}, nil},
		{"nothing stored", nil, []crd.Version{inV1}, []string{"status.storedVersions: Invalid value: null: must have at least one stored version"}},
		{"without the storage version", []string{"v1"}, []crd.Version{v1, inV2},
			[]string{`status.storedVersions: Invalid value: ["v1"]: must have the storage version v2`}},
		{"a removed version", []string{"v1", "v2"}, []crd.Version{inV2}, []string{missing("0", "v1")}},
		{"each at its last index", []string{"v1", "v3", "v1", "v2", "v3"}, []crd.Version{inV2}, []string{missing("2", "v1"), missing("4", "v3")}},
		{"both, the storage version first", []string{"v1"}, []crd.Version{inV2},
			[]string{`status.storedVersions: Invalid value: ["v1"]: must have the storage version v2`, missing("0", "v1")}},
		{"quirk: a second storage version of one name is not found", []string{"v1"}, []crd.Version{inV1, inV1},
			[]string{`status.storedVersions: Invalid value: ["v1"]: must have the storage version v1`}},
	} {
		t.Run(row.name, func(t *testing.T) {
			var got []string
			for _, err := range storedVersionErrors(row.stored, row.versions) {
				got = append(got, err.Error())
			}
			require.Equal(t, row.want, got)
		})
	}
}
