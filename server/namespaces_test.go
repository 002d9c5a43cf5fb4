package server

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

const namespaces = "/api/v1/namespaces"

// A new server has the namespaces that each cluster has, as a server writes them.
func TestInitialNamespaces(t *testing.T) {
	_, c := start(t, Options{})
	list := must(t, c, 200, "GET", namespaces, "")
	require.Equal(t, []string{"default", "kube-node-lease", "kube-public", "kube-system"}, names(list))
	public := must(t, c, 200, "GET", namespaces+"/kube-public", "")
	require.Equal(t, object{"kubernetes.io/metadata.name": "kube-public"}, at(public, "metadata", "labels"))
	require.Equal(t, object{"finalizers": []any{"kubernetes"}}, public["spec"])
	require.Equal(t, object{"phase": "Active"}, public["status"])
	require.NotEmpty(t, at(public, "metadata", "uid"))
	must(t, c, 403, "DELETE", namespaces+"/default", "")
	must(t, c, 200, "DELETE", namespaces+"/kube-public", "")
}

// PUT of namespaces/NAME/finalize answers with the namespace, and changes nothing.
func TestFinalize(t *testing.T) {
	_, c := start(t, Options{})
	before := must(t, c, 200, "GET", namespaces+"/default", "")
	body := `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"default"},"spec":{"finalizers":[]}}`
	require.Equal(t, before, must(t, c, 200, "PUT", namespaces+"/default/finalize", body))
	require.Equal(t, before, must(t, c, 200, "GET", namespaces+"/default", ""))
	must(t, c, 404, "PUT", namespaces+"/missing/finalize", body)
	for _, method := range []string{"GET", "PATCH", "DELETE", "POST"} {
		must(t, c, 405, method, namespaces+"/default/finalize", "")
	}
	answer := send(t, c, "PUT", configMaps+"/a/finalize", "")
	answer.Body.Close()
	require.Equal(t, http.StatusNotFound, answer.StatusCode, "other kinds have no such subresource")
}
