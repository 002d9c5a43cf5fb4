package resource_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

// STR-003, MET-010: the generation does not overflow.
func TestLastGeneration(t *testing.T) {
	v := things(t, `schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, x-kubernetes-preserve-unknown-fields: true}}}}`).Version("v1")
	old := thing(t, "{spec: {}}")
	old["metadata"].(map[string]any)["generation"] = int64(math.MaxInt64)
	require.NoError(t, v.Update(t.Context(), unstructured.Clone(old), old).Err(), "nothing changed")
	obj := unstructured.Clone(old)
	obj["spec"] = map[string]any{"a": "b"}
	errs := v.Update(t.Context(), obj, old).Errors
	require.Len(t, errs, 5)
	require.Equal(t, "metadata.generation: Invalid value: -9223372036854775808: must be greater than or equal to 0", errs[0].Error())
}

// OME-020: if the root is declared as an embedded resource, its metadata is also checked as that of an embedded
// resource, after the request has set it.
func TestPreparedMetadataOfEmbeddedRoot(t *testing.T) {
	v := things(t, `schema: {openAPIV3Schema: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}}`).Version("v1")
	count := func(r resource.Result, text string) int {
		n := 0
		for _, e := range r.Errors {
			if e.Error() == text {
				n++
			}
		}
		return n
	}
	obj, old := thing(t, "{}"), thing(t, "{}")
	old["metadata"].(map[string]any)["generation"] = int64(-1)
	require.Equal(t, 4, count(v.Update(t.Context(), obj, old), "metadata.generation: Invalid value: -1: must be greater than or equal to 0"))

	delete(obj["metadata"].(map[string]any), "namespace")
	const refused = `metadata.namespace: Invalid value: "A_B": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', ` +
		`and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`
	created := v.With(resource.RequestOptions{Namespace: "A_B"}).Create(t.Context(), obj)
	require.Equal(t, 1, count(created, refused), "%v", created.Errors)
}
