package crd

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// DIS-003: the requests that a server answers with a definition.
func TestAnswers(t *testing.T) {
	definition := func(scope string, conditions ...Condition) *CustomResourceDefinition {
		return &CustomResourceDefinition{
			Spec: Spec{Scope: scope, Versions: []Version{
				{Name: "v1", Served: true}, {Name: "v2", Storage: true}, {Name: "v3", Served: true}, {Name: "v3"}, {Name: "v4"}, {Name: "v4", Served: true},
			}},
			Status: Status{Conditions: conditions},
		}
	}
	established := Condition{Type: Established, Status: "True"}
	for _, row := range []struct {
		name          string
		d             *CustomResourceDefinition
		version, verb string
		namespaced    bool
		want          bool
	}{
		{"an object in a namespace", definition(NamespaceScoped, established), "v1", "get", true, true},
		{"without a namespace", definition(NamespaceScoped, established), "v1", "get", false, false},
		{"a list of all namespaces", definition(NamespaceScoped, established), "v1", "list", false, true},
		{"a watch of all namespaces", definition(NamespaceScoped, established), "v1", "watch", false, true},
		{"a deletion in all namespaces", definition(NamespaceScoped, established), "v1", "deletecollection", false, false},
		{"an object of the cluster", definition(ClusterScoped, established), "v1", "update", false, true},
		{"in a namespace", definition(ClusterScoped, established), "v1", "list", true, false},
		{"a version that is stored, and not served", definition(ClusterScoped, established), "v2", "get", false, false},
		{"the first of a name is served", definition(ClusterScoped, established), "v3", "get", false, true},
		{"the first of a name is not", definition(ClusterScoped, established), "v4", "get", false, false},
		{"no such version", definition(ClusterScoped, established), "v9", "get", false, false},
		{"names that are accepted do", definition(ClusterScoped, Condition{Type: NamesAccepted, Status: "True"}), "v1", "get", false, true},
		{"neither established nor accepted", definition(ClusterScoped, Condition{Type: NamesAccepted, Status: "False"}), "v1", "get", false, false},
		{"no conditions", definition(ClusterScoped), "v1", "get", false, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			require.Equal(t, row.want, row.d.Answers(row.version, row.verb, row.namespaced))
		})
	}
}

// NAM-010: names that are set by default, and names that are shown.
func TestNamesThatShow(t *testing.T) {
	const document = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"lamps.g"},
		"spec":{"group":"g","names":{"plural":"lamps","kind":"Lamp","shortNames":["l"]},"versions":[{"name":"v1","storage":true}]}}`
	d := must(Parse([]byte(document)))
	require.Equal(t, Names{Plural: "lamps", Singular: "lamp", Kind: "Lamp", ListKind: "LampList", ShortNames: []string{"l"}}, d.Spec.Names)

	other := definition("lights", Names{}, Names{Plural: "lights", ShortNames: []string{"l"}, Categories: []string{"all"}})
	d.Spec.Names.Categories = []string{"all"}
	d.Status = d.acceptOnce([]*CustomResourceDefinition{other}, time.Time{})
	names := d.AcceptedNames()
	require.Equal(t, "lamps", names.Plural)
	require.Empty(t, names.ShortNames, "the name of another")
	require.Equal(t, []string{"all"}, names.Categories, "categories may be shared")
}
