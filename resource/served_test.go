package resource_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/server/protocol"
)

// servedThings returns an established definition with versions of the given names.
func servedThings(t *testing.T, served bool, names ...string) *crd.CustomResourceDefinition {
	t.Helper()
	document := `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: things.example.com}, spec: {
		group: example.com, scope: Cluster, names: {plural: things, kind: Thing, shortNames: [th]}, versions: [`
	for i, name := range names {
		document += fmt.Sprintf("{name: %s, served: %t, storage: %t, subresources: {status: {}}, schema: {openAPIV3Schema: {type: object}}}, ", name, served, i == 0)
	}
	d := given.Definition(t, document+"]}}")
	require.Empty(t, crdcheck.Validate(d))
	d.Status = d.Settle(nil, time.Time{})
	require.True(t, d.HasCondition(crd.Established))
	return d
}

func groupVersions(definitions ...*crd.CustomResourceDefinition) (names []string) {
	if g := protocol.Discover(definitions).Group("example.com"); g != nil {
		for _, v := range g.Versions {
			names = append(names, v.Version)
		}
		if g.PreferredVersion != g.Versions[0] {
			names = append(names, "but preferred: "+g.PreferredVersion.Version)
		}
	}
	return names
}

// DIS-001, SEED-015, SEED-023: the preferred version depends only on the names: stable versions come before beta, beta
// before alpha, and then they are sorted by their numbers. Neither the order of the list nor the storage version
// matters.
func TestPreferredVersion(t *testing.T) {
	names := []string{"v12alpha1", "v2beta3", "foo", "v1", "v3beta1", "v11alpha2"}
	want := []string{"v1", "v3beta1", "v2beta3", "v12alpha1", "v11alpha2", "foo"}
	require.Equal(t, want, groupVersions(servedThings(t, true, names...)))
	slices.Reverse(names)
	require.Equal(t, want, groupVersions(servedThings(t, true, names...)))
	require.Equal(t, want, groupVersions(servedThings(t, true, names[:3]...), servedThings(t, true, names[2:]...)), "each once")
}

// DIS-001, SEED-017: a definition without a served version is accepted and established, but it has no group.
func TestNoServedVersion(t *testing.T) {
	d := servedThings(t, false, "v1", "v2")
	require.Nil(t, groupVersions(d))
	require.Nil(t, protocol.APIResources(d, "v1"))
	require.Equal(t, []string{"v3"}, groupVersions(d, servedThings(t, true, "v3")))
}

// DIS-002: the entries of a resource in discovery have the accepted names, and a hash of the storage version if it is
// served.
func TestResourceInDiscovery(t *testing.T) {
	d := servedThings(t, true, "v1", "v2")
	d.Status.AcceptedNames.ShortNames = nil // taken by another definition
	entries := protocol.Discover([]*crd.CustomResourceDefinition{d}).Resources("example.com", "v2").Resources
	require.Len(t, entries, 2)
	main := entries[0]
	require.Equal(t, "MkkTy7bNlnM=", main.StorageVersionHash)
	main.StorageVersionHash = ""
	require.Equal(t, protocol.APIResource{
		Name: "things", SingularName: "thing", Kind: "Thing",
		Verbs: []string{"delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"},
	}, main)
	require.Equal(t, protocol.APIResource{Name: "things/status", Kind: "Thing", Verbs: []string{"get", "patch", "update"}}, entries[1])

	d.Spec.Versions[0].Served = false
	d.Status.Conditions = append(d.Status.Conditions, crd.Condition{Type: crd.Terminating, Status: "True"})
	entries = protocol.Discover([]*crd.CustomResourceDefinition{d}).Resources("example.com", "v2").Resources
	require.Empty(t, entries[0].StorageVersionHash)
	require.Equal(t, []string{"delete", "deletecollection", "get", "list", "watch"}, entries[0].Verbs)
}
