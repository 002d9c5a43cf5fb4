package server

import (
	"fmt"
	"log/slog"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/server/internal/catalog"
	"github.com/crdkit/crdkit/server/storage"
)

// DIS-003: the requests that a server answers with a definition. The definitions are stored, since a request cannot
// make them.
func TestServing(t *testing.T) {
	const established, accepted, refused = `{"type":"Established","status":"True"}`, `{"type":"NamesAccepted","status":"True"}`, `{"type":"NamesAccepted","status":"False"}`
	for _, row := range []struct {
		title, scope, conditions         string
		version, method, namespace, name string
		want                             bool
	}{
		{"an object in a namespace", "Namespaced", established, "v1", "GET", "n", "a", true},
		{"without a namespace", "Namespaced", established, "v1", "GET", "", "a", false},
		{"a list or a watch of all namespaces", "Namespaced", established, "v1", "GET", "", "", true},
		{"a deletion in all namespaces", "Namespaced", established, "v1", "DELETE", "", "", false},
		{"an object of the cluster", "Cluster", established, "v1", "PUT", "", "a", true},
		{"in a namespace", "Cluster", established, "v1", "GET", "n", "", false},
		{"a version that is stored, and not served", "Cluster", established, "v2", "GET", "", "a", false},
		{"the first of a name is served", "Cluster", established, "v3", "GET", "", "a", true},
		{"the first of a name is not", "Cluster", established, "v4", "GET", "", "a", false},
		{"no such version", "Cluster", established, "v9", "GET", "", "a", false},
		{"names that are accepted do", "Cluster", accepted, "v1", "GET", "", "a", true},
		{"neither established nor accepted", "Cluster", refused, "v1", "GET", "", "a", false},
		{"no conditions", "Cluster", "", "v1", "GET", "", "a", false},
	} {
		store := storage.NewMemory(storage.MemoryOptions{})
		_, err := store.Create(t.Context(), "/apiextensions.k8s.io/customresourcedefinitions/kites.wind.example.com", fmt.Appendf(nil, `{
			"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"kites.wind.example.com"},
			"spec":{"group":"wind.example.com","scope":%q,"names":{"plural":"kites","kind":"Kite"},"versions":[{"name":"v1","served":true},
			{"name":"v2","storage":true},{"name":"v3","served":true},{"name":"v3"},{"name":"v4"},{"name":"v4","served":true}]},
			"status":{"conditions":[%s]}}`, row.scope, row.conditions))
		require.NoError(t, err)
		keeper, err := catalog.NewKeeper(t.Context(), store, catalog.Options{Log: slog.New(slog.DiscardHandler), CustomOnly: true})
		require.NoError(t, err)
		require.Len(t, keeper.Catalog().Definitions, 1)
		q := &request{
			r: httptest.NewRequest(row.method, "/", nil), kind: keeper.Catalog().Kind("wind.example.com", row.version, "kites"),
			namespace: row.namespace, name: row.name,
		}
		require.Equal(t, row.want, q.kind != nil && q.inScope(), row.title)
		require.NoError(t, store.Close())
	}
}
