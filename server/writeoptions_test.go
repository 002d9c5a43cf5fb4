package server

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// All errors in the options of a write are reported together, before its body is read and its object is looked for. The
// format of a patch comes first. Each row is the answer of kube-apiserver 1.37.2.
func TestWriteOptions(t *testing.T) {
	_, c := start(t, Options{})
	must(t, c, 201, "POST", configMaps, `{"metadata":{"name":"a"}}`)
	must(t, c, 201, "POST", kites, kite("a", "red"))
	const unsupported = `dryRun: Unsupported value: [""]: supported values: "All"`
	for _, r := range []struct {
		method, path, contentType, body string
		code                            int
		want                            string
	}{
		{"PATCH", "/none?dryRun=&force=x", "application/json-patch+json", `{`, 422,
			`PatchOptions.meta.k8s.io "" is invalid: [force: Forbidden: may not be specified for non-apply patch, ` + unsupported + `]`},
		{"PATCH", "/a?dryRun=&force=true", applyPatch, `{`, 422,
			`PatchOptions.meta.k8s.io "" is invalid: [fieldManager: Required value: is required for apply patch, ` + unsupported + `]`},
		{"PATCH", "/none?fieldValidation=x", applyPatch, `[]`, 422, `PatchOptions.meta.k8s.io "" is invalid: [fieldManager: Required value: is required for apply patch, ` +
			`fieldValidation: Unsupported value: "x": supported values: "", "Ignore", "Strict", "Warn"]`},
		{"PATCH", "/a?dryRun=&fieldManager=" + strings.Repeat("a", 129), applyPatch, `[]`, 422,
			`PatchOptions.meta.k8s.io "" is invalid: [fieldManager: Too long: may not be more than 128 bytes, ` + unsupported + `]`},
		{"PUT", "/none?fieldValidation=x", "application/json", `{"metadata":{"name":"none"}}`, 422,
			`UpdateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "x": supported values: "", "Ignore", "Strict", "Warn"`},
	} {
		for _, of := range []string{configMaps, kites} {
			refused := must(t, c, r.code, r.method, of+r.path, r.body, "Content-Type", r.contentType)
			require.Equal(t, r.want, refused["message"], of+r.path)
		}
	}
	// Only patches have force.
	must(t, c, 201, "POST", configMaps+"?force=true", `{"metadata":{"name":"b"}}`)
	must(t, c, 200, "PUT", configMaps+"/b?force=x", `{"metadata":{"name":"b"}}`)

	refused := must(t, c, 415, "PATCH", configMaps+"/a?dryRun=all", `{}`, "Content-Type", "text/plain")
	require.Equal(t, []any{"415: Unsupported Media Type", object{}}, []any{refused["message"], refused["details"]})
	refused = must(t, c, 415, "PATCH", kites+"/none?dryRun=all", `{}`, "Content-Type", strategicPatch)
	// The answer to many characters that cannot be printed is bounded.
	long := must(t, c, 422, "POST", configMaps+"?fieldManager="+strings.Repeat("%0A", 20_000), `{"metadata":{"name":"c"}}`)
	require.Less(t, len(long["message"].(string)), 8<<20)

	wrong := must(t, c, 400, "DELETE", configMaps+"/a", `{"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":"x"}`)
	require.Equal(t, "json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64", wrong["message"])
	wrong = must(t, c, 400, "PATCH", configMaps+"/a", `{`, "Content-Type", strategicPatch)
	require.Equal(t, "invalid JSON patch", wrong["message"])
	require.Contains(t, refused["message"], "accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml")
}

// A list of built-in kinds has no empty continue, unlike one of custom objects.
func TestContinueOfLists(t *testing.T) {
	_, c := start(t, Options{})
	for path, has := range map[string]bool{configMaps: false, definitions: false, "/api/v1/namespaces": false, kites: true} {
		meta := must(t, c, 200, "GET", path, "")["metadata"]
		if has {
			require.Contains(t, meta, "continue", path)
		} else {
			require.NotContains(t, meta, "continue", path)
		}
	}
}
