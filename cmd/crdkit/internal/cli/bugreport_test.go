package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const gadgets = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.example.com}
spec:
  group: example.com
  names: {kind: Gadget, plural: gadgets}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            size: {type: integer, default: 3, x-kubernetes-validations: [{rule: self >= oldSelf}]}
`

func TestReport(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "crd.yaml", gadgets)
	write(t, "good.yaml", "# ```` in a comment\napiVersion: example.com/v1\nkind: Gadget\nmetadata: {name: g}\n")
	write(t, "bad.yaml", "apiVersion: example.com/v1\nkind: Gadget\nmetadata: {name: g}\nsize: 2\n")

	out := runLine(t, "crdkit report -crd crd.yaml good.yaml")
	require.True(t, strings.HasPrefix(out, "### Definition\n\n```yaml\n"+gadgets+"```\n\n### Object\n\n`````yaml\n# ```` in"), out)
	require.Contains(t, out, "### crdkit's answer\n\n```text\n")
	require.Contains(t, out, "\nsize: 3\n", "the stored object has defaults")
	require.Contains(t, out, "\n1 object\n```\n")
	require.Contains(t, out, "### crdkit version\n\n```text\ncrdkit 0.0.0-devel, Kubernetes 1.")
	require.True(t, strings.HasSuffix(out, "### The server's answer\n\n```text\n"+
		"Add the output of: kubectl create --dry-run=server -o yaml -f good.yaml\nAnd of: kubectl version\n```\n\n"), out)

	out = runLine(t, "crdkit report -crd crd.yaml -old good.yaml bad.yaml")
	require.Contains(t, out, "### Old object\n\n`````yaml\n")
	require.Contains(t, out, "bad.yaml:4:7: error: size: Invalid value: 2: failed rule: self >= oldSelf")
	require.Contains(t, out, "kubectl replace --dry-run=server")
}

func TestReportRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "crd.yaml", gadgets)
	for args, want := range map[string]string{
		"-crd crd.yaml":              "which object?",
		"-crd crd.yaml -":            "standard input",
		"-crd - crd.yaml":            "standard input",
		"-crd missing.yaml crd.yaml": "missing.yaml",
		"-crd crd.yaml missing.yaml": "missing.yaml",
	} {
		var out, stderr bytes.Buffer
		require.Equal(t, 2, Main(append([]string{"report"}, strings.Fields(args)...), strings.NewReader(""), &out, &stderr), args)
		require.Contains(t, stderr.String(), want)
		require.Empty(t, out.String())
	}
}
