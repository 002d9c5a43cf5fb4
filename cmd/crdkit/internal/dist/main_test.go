package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/unstructured"
)

// made returns the files of a release of this test's own program for two platforms, by name.
func made(t *testing.T) (map[string][]byte, *buildinfo.BuildInfo) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	info, err := buildinfo.ReadFile(self)
	require.NoError(t, err)
	t.Chdir("../../../..")
	r := release{version: info.Main.Version, date: time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC), bin: t.TempDir(), out: t.TempDir()}
	for _, name := range []string{"linux_amd64/crdkit", "windows_amd64/crdkit.exe"} {
		program := filepath.Join(r.bin, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(program), 0o755))
		require.NoError(t, os.Symlink(self, program))
	}
	require.NoError(t, r.make())
	files := map[string][]byte{}
	entries, err := os.ReadDir(r.out)
	require.NoError(t, err)
	for _, e := range entries {
		files[e.Name()], err = os.ReadFile(filepath.Join(r.out, e.Name()))
		require.NoError(t, err)
	}
	return files, info
}

func TestRelease(t *testing.T) {
	files, info := made(t)
	base := "crdkit_" + strings.TrimPrefix(info.Main.Version, "v")
	names := []string{"LICENSE", "README.md", "CHANGELOG.md", "completions/crdkit.bash", "completions/_crdkit", "completions/crdkit.fish", "man/crdkit.1"}

	compressed, err := gzip.NewReader(bytes.NewReader(files[base+"_linux_amd64.tar.gz"]))
	require.NoError(t, err)
	var got []string
	for archive := tar.NewReader(compressed); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		got = append(got, header.Name)
		require.Equal(t, header.Name == "crdkit", header.Mode == 0o755, header.Name)
		require.Equal(t, int64(1767323046), header.ModTime.Unix())
		require.Positive(t, header.Size)
	}
	require.Equal(t, append([]string{"crdkit"}, names...), got)

	data := files[base+"_windows_amd64.zip"]
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	got = nil
	for _, f := range archive.File {
		got = append(got, f.Name)
	}
	require.Equal(t, append([]string{"crdkit.exe"}, names...), got)

	var bom billOfMaterials
	require.NoError(t, json.Unmarshal(files[base+"_windows_amd64.cdx.json"], &bom))
	require.Equal(t, "github.com/crdkit/crdkit", bom.Metadata.Component.Name)
	require.Len(t, bom.Parts, len(info.Deps)+1)
	require.Contains(t, string(files[base+"_windows_amd64.cdx.json"]), `"purl": "pkg:golang/github.com/google/cel-go@v0.29.2"`)

	for line := range strings.Lines(string(files["checksums.txt"])) {
		want, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		require.Equal(t, want, sum(files[name]), name)
		delete(files, name)
	}
	delete(files, "checksums.txt")
	require.Empty(t, files, "each file has a checksum")
}

func TestPackageManagers(t *testing.T) {
	platforms := []platform{
		{"darwin", "arm64", "crdkit", "d.tar.gz", "11"}, {"linux", "amd64", "crdkit", "l.tar.gz", "22"}, {"windows", "amd64", "crdkit.exe", "w.zip", "33"},
	}
	data, err := fill(krew, "v1.2.3", platforms)
	require.NoError(t, err)
	manifest, err := unstructured.Decode(data)
	require.NoError(t, err)
	spec := manifest["spec"].(map[string]any)
	require.Equal(t, "v1.2.3", spec["version"])
	require.Equal(t, map[string]any{
		"selector": map[string]any{"matchLabels": map[string]any{"os": "windows", "arch": "amd64"}},
		"uri":      "https://github.com/crdkit/crdkit/releases/download/v1.2.3/w.zip", "sha256": "33", "bin": "crdkit.exe",
	}, spec["platforms"].([]any)[2])

	data, err = fill(formula, "v1.2.3", platforms)
	require.NoError(t, err)
	require.Contains(t, string(data), `version "1.2.3"`)
	require.Contains(t, string(data), `  on_macos do
    on_arm do
      url "https://github.com/crdkit/crdkit/releases/download/v1.2.3/d.tar.gz"
      sha256 "11"
    end
  end

  on_linux do
    on_intel do
      url "https://github.com/crdkit/crdkit/releases/download/v1.2.3/l.tar.gz"
      sha256 "22"
    end
  end
`)
	require.NotContains(t, string(data), "w.zip")
}

// A program of another version is not released.
func TestBillChecksVersion(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	_, err = bill(self, "v9.9.9")
	require.ErrorContains(t, err, "not v9.9.9")
}
