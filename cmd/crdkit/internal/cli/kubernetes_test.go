package cli

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// With -kubernetes, objects are answered as by a server of the version.
func TestKubernetesVersion(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "crd.yaml", `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: queues.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {plural: queues, kind: Queue}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size: {type: integer, format: int32}
              title: {type: string, maxLength: 3, x-kubernetes-validations: [{rule: self != 'all', message: is reserved}]}
`)
	write(t, "large.yaml", `{apiVersion: example.com/v1, kind: Queue, metadata: {name: a}, spec: {size: 3000000000}}`)
	write(t, "reserved.yaml", `{apiVersion: example.com/v1, kind: Queue, metadata: {name: a}, spec: {title: all}}`)
	const validate = "crdkit validate -crd crd.yaml "
	require.NotContains(t, runLine(t, validate+"-kubernetes 1.35 large.yaml"), "exit code")
	require.Contains(t, runLine(t, validate+"-kubernetes 1.36 large.yaml"), "with format int32 in spec.size")
	require.Contains(t, runLine(t, validate+"large.yaml"), "with format int32 in spec.size")
	require.Contains(t, runLine(t, validate+"-kubernetes 1.34 reserved.yaml"), `spec.title: Invalid value: "string": is reserved`)
	require.Contains(t, runLine(t, validate+"-kubernetes 1.37 reserved.yaml"), `spec.title: Invalid value: "all": is reserved`)
	unknown := runLine(t, validate+"-kubernetes 1.29 reserved.yaml")
	require.Contains(t, unknown, `-kubernetes: unknown version "1.29" of Kubernetes: must be a minor version from 1.30 to 1.38, without a patch release`)
	require.Contains(t, unknown, "exit code 2")
}
