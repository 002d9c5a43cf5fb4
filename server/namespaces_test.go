package server

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const namespaces = "/api/v1/namespaces"

// A new server has the namespaces that every cluster has.
func TestInitialNamespaces(t *testing.T) {
	_, c := start(t, Options{})
	list := must(t, c, 200, "GET", namespaces, "")
	require.Equal(t, []string{"default", "kube-node-lease", "kube-public", "kube-system"}, namesOf(list))
	public := must(t, c, 200, "GET", namespaces+"/kube-public", "")
	require.Equal(t, object{"kubernetes.io/metadata.name": "kube-public"}, at(public, "metadata", "labels"))
	require.Equal(t, object{"finalizers": []any{"kubernetes"}}, public["spec"])
	require.Equal(t, object{"phase": "Active"}, public["status"])
	require.NotEmpty(t, at(public, "metadata", "uid"))
	for _, name := range []string{"default", "kube-system", "kube-public"} {
		must(t, c, 403, "DELETE", namespaces+"/"+name, "")
	}
	must(t, c, 200, "DELETE", namespaces+"/kube-node-lease", "")
}

// The name of a namespace is a DNS label (MET-004). Its name label also has a generated name.
func TestNamesOfNamespaces(t *testing.T) {
	_, c := start(t, Options{})
	const label = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character " +
		"(e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
	long := strings.Repeat("a", 64)
	for meta, want := range map[string]string{
		`"name":"A"`:                   `Namespace "A" is invalid: metadata.name: Invalid value: "A": ` + label,
		`"name":"` + long + `"`:        `Namespace "` + long + `" is invalid: metadata.name: Invalid value: "` + long + `": must be no more than 63 characters`,
		`"name":"a","labels":{"-":""}`: `Namespace "a" is invalid: metadata.labels: Invalid value: "-": `,
		`"name":"A","labels":{"-":""}`: `Namespace "A" is invalid: [metadata.name: Invalid value: "A": ` + label + `, metadata.labels: Invalid value: "-": `,
		`"generateName":"A-"`:          `metadata.name: Invalid value: "A-xxxxx": ` + label,
		`"generateName":"A"`:           `metadata.generateName: Invalid value: "A": ` + label,
		`"generateName":"a.b-"`:        `metadata.generateName: Invalid value: "a.b-": must not contain dots`,
		`"labels":{}`:                  `Namespace "" is invalid: metadata.name: Required value: name or generateName is required`,
	} {
		refused := must(t, c, 422, "POST", namespaces, `{"apiVersion":"v1","kind":"Namespace","metadata":{`+meta+`}}`)
		require.Contains(t, refused["message"], want, meta)
	}
	refused := must(t, c, 422, "POST", namespaces, `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"a.b"}}`)
	require.Contains(t, refused["message"], `Invalid value: "a.b": must not contain dots`)

	made := must(t, c, 201, "POST", namespaces, `{"apiVersion":"v1","kind":"Namespace","metadata":{"generateName":"team-","labels":{"a":"b"}}}`)
	name := at(made, "metadata", "name").(string)
	require.Regexp(t, "^team-[a-z0-9]{5}$", name)
	require.Equal(t, object{"a": "b", "kubernetes.io/metadata.name": name}, at(must(t, c, 200, "GET", namespaces+"/"+name, ""), "metadata", "labels"))
}

// A namespace with a finalizer in its metadata stays, without its objects, until a client removes the finalizer.
func TestNamespaceWithFinalizer(t *testing.T) {
	s, c := start(t, Options{})
	sweep := func() (done bool) { return s.sweepNamespaces(t.Context()) }
	require.True(t, sweep())
	for _, meta := range []string{`"name":"held","finalizers":["example.com/held"]`, `"name":"later"`} {
		must(t, c, 201, "POST", namespaces, `{"apiVersion":"v1","kind":"Namespace","metadata":{`+meta+`}}`)
	}
	must(t, c, 201, "POST", namespaces+"/held/configmaps", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}`)
	must(t, c, 201, "POST", "/api/v1/nodes", `{"apiVersion":"v1","kind":"Node","metadata":{"name":"later"}}`)
	must(t, c, 200, "DELETE", namespaces+"/held", "")
	gone(t, c, namespaces+"/held/configmaps/a")
	must(t, c, 200, "DELETE", namespaces+"/later", "")
	gone(t, c, namespaces+"/later") // namespaces are swept in the order of their names
	require.True(t, there(t, c, "/api/v1/nodes/later"), "what is in no namespace stays")
	require.Equal(t, "Terminating", at(must(t, c, 200, "GET", namespaces+"/held", ""), "status", "phase"))
	require.False(t, sweep())
	must(t, c, 200, "PATCH", namespaces+"/held", `{"metadata":{"finalizers":null}}`, "Content-Type", mergePatch)
	gone(t, c, namespaces+"/held")
	require.True(t, sweep())
}

// PUT of namespaces/NAME/finalize answers with the namespace, and changes nothing.
func TestFinalize(t *testing.T) {
	_, c := start(t, Options{})
	before := must(t, c, 200, "GET", namespaces+"/default", "")
	body := `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"default"},"spec":{"finalizers":[]}}`
	require.Equal(t, before, must(t, c, 200, "PUT", namespaces+"/default/finalize", body))
	require.Equal(t, before, must(t, c, 200, "GET", namespaces+"/default", ""))
	must(t, c, 400, "PUT", namespaces+"/missing/finalize", body)
	must(t, c, 404, "PUT", namespaces+"/missing/finalize", strings.Replace(body, "default", "missing", 1))
	for _, method := range []string{"GET", "PATCH", "DELETE", "POST"} {
		must(t, c, 405, method, namespaces+"/default/finalize", "")
	}
	answer := send(t, c, "PUT", configMaps+"/a/finalize", "")
	answer.Body.Close()
	require.Equal(t, http.StatusNotFound, answer.StatusCode, "other kinds have no such subresource")
}

// Without the sweeper of namespaces, a namespace stays Terminating until a client removes its finalizer.
func TestKeepNamespaces(t *testing.T) {
	s, c := start(t, Options{KeepNamespaces: true})
	must(t, c, 201, "POST", namespaces, `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"team"}}`)
	must(t, c, 201, "POST", namespaces+"/team/configmaps", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}`)
	const finalize = namespaces + "/team/finalize"
	body := func(version, finalizers string) string {
		return `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"team","resourceVersion":"` + version + `"},"spec":{"finalizers":[` + finalizers + `]}}`
	}
	made := must(t, c, 200, "PUT", finalize, body("", `"kubernetes","example.com/x"`))
	require.Equal(t, object{"finalizers": []any{"kubernetes", "example.com/x"}}, made["spec"])
	must(t, c, 409, "PUT", finalize, body("1", ""))
	must(t, c, 400, "PUT", finalize, "{")
	made = must(t, c, 200, "PATCH", namespaces+"/team", `{"metadata":{"labels":{"a":"b"}},"spec":{"finalizers":null}}`, "Content-Type", mergePatch)
	require.Equal(t, object{"finalizers": []any{"kubernetes", "example.com/x"}}, made["spec"], "only finalize changes them")

	must(t, c, 200, "DELETE", namespaces+"/team", "")
	s.wake()
	kept := must(t, c, 200, "GET", namespaces+"/team", "")
	require.Equal(t, "Terminating", at(kept, "status", "phase"))
	must(t, c, 403, "POST", namespaces+"/team/configmaps", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"}}`)
	require.True(t, there(t, c, namespaces+"/team/configmaps/a"))
	must(t, c, 200, "PUT", finalize, body(version(kept), ""))
	require.False(t, there(t, c, namespaces+"/team"))
}
