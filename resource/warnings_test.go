package resource_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// DSC-009, DSC-010: a request's warnings, each text once.
func TestWarnings(t *testing.T) {
	twice := things(t, "schema: {openAPIV3Schema: {type: object, properties: {size: {type: integer, x-kubernetes-validations: [{rule: self < 5}, {rule: self < 5}]}}}}").
		Version("v1").Update(t.Context(), thing(t, "{size: 9, metadata: {name: a, finalizers: [f, f, g]}}"), thing(t, "{size: 9}"))
	require.NoError(t, twice.Err())
	require.Len(t, twice.Warnings, 3, "each text once: %q", twice.Warnings)
	twice = things(t, "schema: {openAPIV3Schema: {type: object}}").Version("v1").Create(t.Context(), thing(t, "{metadata: {name: a, finalizers: [f, f]}}"))
	require.NoError(t, twice.Err())
	require.Len(t, twice.Warnings, 1)

	d := things(t, "deprecated: true, schema: {openAPIV3Schema: {type: object}}")
	result := d.Version("v1").Create(t.Context(), thing(t, "{}"))
	require.Equal(t, []string{"example.com/v1 Thing is deprecated"}, result.Warnings, "DSC-009")
}
