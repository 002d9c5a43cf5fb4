package parity

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/test/given"
)

// The command's SARIF is valid by the schema that OASIS publishes (sarif-schema-2.1.0.json), formats included. The
// schema is not part of this repository: CRDKIT_SARIF_SCHEMA names its file.
func TestSARIF(t *testing.T) {
	name := os.Getenv("CRDKIT_SARIF_SCHEMA")
	if name == "" {
		t.Skip("CRDKIT_SARIF_SCHEMA names no file")
	}
	document, err := santhosh.UnmarshalJSON(bytes.NewReader(given.File(t, name)))
	require.NoError(t, err)
	c := santhosh.NewCompiler()
	c.AssertFormat()
	require.NoError(t, c.AddResource("sarif.json", document))
	s, err := c.Compile("sarif.json")
	require.NoError(t, err)

	command := filepath.Join(t.TempDir(), "crdkit")
	build := exec.Command("go", "build", "-o", command, "./cmd/crdkit")
	build.Dir = ".."
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	for _, args := range [][]string{
		{"validate", "-crd", "crd.yaml", "nightly.yaml", "broken.yaml", "none: é.yaml", "main.go"},
		{"validate", "crd.yaml"},
		{"check", "-strict", "crd.yaml", "-"},
		{"cost", "-over", "0", "crd.yaml"},
		{"versions", "-min", "1.28", "crd.yaml"},
		{"compat", "crd.yaml", "../unittest/config/crd"},
		{"audit", "-crd", "crd.yaml", "nightly.yaml", "broken.yaml", "-"},
	} {
		cmd := exec.Command(command, append(args, "-o", "sarif")...)
		cmd.Dir = "../examples/quickstart"
		cmd.Stdin = bytes.NewReader([]byte("a: ["))
		text, _ := cmd.Output() // most of them find errors
		log, err := santhosh.UnmarshalJSON(bytes.NewReader(text))
		require.NoError(t, err, "%v: %s", args, text)
		require.NoError(t, s.Validate(log), "%v", args)
	}
}
