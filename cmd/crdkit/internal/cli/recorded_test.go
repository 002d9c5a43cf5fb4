package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/cmd/crdkit/internal/output"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

// TestRecordedSamples reads the samples that the command prints for recorded definitions, and what validate -print
// prints for them: they are the objects that were to be printed. CRDKIT_CONFORMANCE names the directory of recorded
// answers.
func TestRecordedSamples(t *testing.T) {
	dir := os.Getenv("CRDKIT_CONFORMANCE")
	if dir == "" {
		t.Skip("CRDKIT_CONFORMANCE names no directory of recorded answers")
	}
	files, err := filepath.Glob(filepath.Join(dir, "random", "crds", "*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	definitions, objects := 0, 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		d, err := crd.Parse(data)
		require.NoError(t, err, file)
		compiled, err := resource.Compile(d)
		if err != nil {
			continue
		}
		definitions++
		for _, o := range []*sampleOptions{{}, {full: true}, {broken: true}} {
			objects += printedSamples(t, file, o, d, compiled.StorageVersion())
		}
	}
	t.Logf("%d objects of %d definitions", objects, definitions)
	require.Greater(t, objects, 20*definitions)
}

// printedSamples compares the samples that are printed with those that were made, and returns their number.
func printedSamples(t *testing.T, file string, o *sampleOptions, d *crd.CustomResourceDefinition, v *resource.Version) int {
	maker, err := o.maker(d)
	require.NoError(t, err, file)
	ctx := context.Background()
	var want []map[string]any
	switch {
	case o.full:
		full, err := maker.Full(ctx)
		if err != nil {
			return 0
		}
		want = append(want, full)
	case o.broken:
		broken, _, err := maker.BreakAll(ctx)
		if err != nil {
			return 0
		}
		for _, b := range broken {
			want = append(want, b.Object)
		}
	default:
		minimal, err := maker.Minimal(ctx)
		if err != nil {
			return 0
		}
		want = append(want, minimal)
	}
	var b bytes.Buffer
	w := output.Buffered(&b)
	maker, err = o.maker(d) // the work of each is bounded
	require.NoError(t, err, file)
	require.NoError(t, o.print(w, d, maker), file)
	require.NoError(t, w.Flush())
	got, err := unstructured.DecodeAll(b.Bytes())
	require.NoError(t, err, "%s\n%s", file, b.Bytes())
	require.Equal(t, want, got, file)
	for _, obj := range want {
		if r := v.Create(ctx, obj); r.Err() == nil {
			back, err := unstructured.Decode([]byte(yamlText(r.Object)))
			require.NoError(t, err, file)
			require.Equal(t, r.Object, back, file)
		}
	}
	return len(want)
}

// TestRecordedStrict creates the minimal and the full sample of each version of the recorded definitions as a client
// that refuses unknown fields. CRDKIT_CONFORMANCE names the directory of recorded answers.
func TestRecordedStrict(t *testing.T) {
	dir := os.Getenv("CRDKIT_CONFORMANCE")
	if dir == "" {
		t.Skip("CRDKIT_CONFORMANCE names no directory of recorded answers")
	}
	versions := 0
	for _, area := range []string{"suites", "random"} {
		files, err := filepath.Glob(filepath.Join(dir, area, "crds", "*.yaml"))
		require.NoError(t, err)
		for _, file := range files {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			d, err := crd.Parse(data)
			require.NoError(t, err, file)
			compiled, err := resource.Compile(d)
			require.NoError(t, err, file)
			for i := range d.Spec.Versions {
				o := &sampleOptions{}
				o.version = d.Spec.Versions[i].Name
				maker, err := o.maker(d)
				require.NoError(t, err, file)
				minimal, err := maker.Minimal(t.Context())
				require.NoError(t, err, "%s %s", file, o.version)
				full, err := maker.Full(t.Context())
				require.NoError(t, err, "%s %s", file, o.version)
				strict := compiled.Version(o.version).With(resource.RequestOptions{FieldValidation: resource.FieldValidationStrict})
				require.NoError(t, strict.Create(t.Context(), minimal).Err(), "%s %s", file, o.version)
				require.NoError(t, strict.Create(t.Context(), full).Err(), "%s %s", file, o.version)
				versions++
			}
		}
	}
	t.Logf("%d versions", versions)
	require.Greater(t, versions, 200)
}
