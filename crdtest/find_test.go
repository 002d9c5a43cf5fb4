package crdtest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMissingKind(t *testing.T) {
	const one = `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: as.example.com}, spec: {group: example.com, scope: Cluster,
  names: {plural: as, kind: A}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}}
`
	const other = `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: bs.example.com}, spec: {group: example.com, scope: Cluster,
  names: {plural: bs, kind: B}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}}
`
	d, err := Parse(t, one).find("", "")
	require.NoError(t, err)
	require.Equal(t, "A", d.Spec.Names.Kind)
	_, err = Parse(t, one+"---\n"+other).find("", "")
	require.EqualError(t, err, "the kind is missing, and there are several: A, B")
}
