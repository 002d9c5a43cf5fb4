package crdcheck_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/internal/test/given"
)

func TestHints(t *testing.T) {
	hints := func(schemas ...string) []string {
		document := `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: as.x.io}, spec: {group: x.io, scope: Cluster,
			names: {plural: as, kind: A}, versions: [`
		for _, s := range schemas {
			document += "{name: v1, served: true, storage: true, schema: {openAPIV3Schema: " + s + "}}, "
		}
		d := given.Definition(t, document+"{name: v2}]}}")
		require.NotContains(t, crdcheck.Warnings(d, nil), "items", "no server warns of it")
		return crdcheck.Hints(d)
	}
	const array, object = "{type: object, properties: {items: {type: array, items: {type: string}}}}", "{type: object, properties: {items: {type: object}}}"
	got := hints(object, array, "{type: object, properties: {items: {x-kubernetes-preserve-unknown-fields: true}}}")
	require.Len(t, got, 2)
	require.Regexp(t, `^spec\.versions\[1\]\.schema\.openAPIV3Schema\.properties\[items\]: a server takes an object with a list`, got[0])
	require.Regexp(t, `^spec\.versions\[2\]`, got[1])
	require.Empty(t, hints(object, "{type: object, properties: {spec: "+array+"}}"))
	require.Empty(t, crdcheck.Hints(nil))
}
