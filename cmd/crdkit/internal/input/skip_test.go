package input

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSkipPatterns(t *testing.T) {
	for _, c := range []struct {
		dir, pattern, name string
		want               bool
	}{
		{".", "charts", "charts/a.yaml", true},
		{".", "charts", "x/charts/y/a.yaml", true},
		{".", "charts", "mycharts/a.yaml", false},
		{".", "*.sops.yaml", "x/a.sops.yaml", true},
		{".", "*.sops.yaml", "x/a.yaml", false},
		{".", "x/*.yaml", "x/a.yaml", true},
		{".", "x/*.yaml", "x/y/a.yaml", false},
		{".", "./x/", "x/y/a.yaml", true},
		{".", "x/**/a.yaml", "x/a.yaml", true},
		{".", "x/**/a.yaml", "x/y/z/a.yaml", true},
		{".", "x/**", "x/y/z/a.yaml", true},
		{".", "/x", "y/x/a.yaml", false},
		{".", "a?.yaml", "ab.yaml", true},
		{".", "a.yaml", "abyaml", false},
		{".", "[a].yaml", "[a].yaml", true},
		{"d", "x", "d/x/a.yaml", true},
		{"d", "x", "x/a.yaml", false},
		{"./d/", "/x", "d/x/a.yaml", true},
	} {
		p := NewPattern(c.dir, c.pattern)
		require.Equal(t, c.want, p.matches(c.name), "%+v", c)
	}
}

func TestSkip(t *testing.T) {
	tree(t, map[string]string{
		"d/a.yaml": "1", "d/b.yaml": "2", "d/e/c.yaml": "3", "d/.crdkitignore": "# c\n\ne/\n",
		"chart/Chart.yaml": "4", "chart/templates/x.yaml": "5", "chart/templates/sub/y.yaml": "6", "templates/z.yaml": "7", "chart/crds/t.yaml": "8",
	})
	r := &Reader{Limits: DefaultLimits, Skip: []Pattern{NewPattern(".", "b.yaml")}}
	require.Equal(t, []string{"d/a.yaml 1", "chart/Chart.yaml 4", "chart/crds/t.yaml 8", "templates/z.yaml 7"}, lines(r.Read("d", "chart", "templates")))
	require.Equal(t, [2]int{2, 2}, [2]int{r.Skipped, r.Templates})
	// What is named itself is read.
	require.Equal(t, []string{"d/b.yaml 2", "d/e/c.yaml 3", "chart/templates/x.yaml 5"}, lines(r.Read("d/b.yaml", "d/e/c.yaml", "chart/templates/x.yaml")))
}

// What an ignore file is, and how much it has, is limited: directories come from others.
func TestHostileIgnoreFiles(t *testing.T) {
	for name, c := range map[string]struct {
		make func(t *testing.T, file string)
		want string
	}{
		"a device": {func(t *testing.T, file string) { require.NoError(t, os.Symlink("/dev/zero", file)) }, "not a regular file"},
		"a large file": {func(t *testing.T, file string) {
			require.NoError(t, os.WriteFile(file, bytes.Repeat([]byte("#"), maxSmallFile+1), 0o600))
		}, "larger than the limit"},
		"many patterns": {func(t *testing.T, file string) {
			require.NoError(t, os.WriteFile(file, bytes.Repeat([]byte("x\n"), maxPatterns+1), 0o600))
		}, "more than 1000 patterns"},
		"no UTF-8": {func(t *testing.T, file string) { require.NoError(t, os.WriteFile(file, []byte("\xff*\n"), 0o600)) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			tree(t, map[string]string{"d/a.yaml": "1"})
			c.make(t, filepath.Join("d", IgnoreFile))
			r := Reader{Limits: DefaultLimits}
			var errs []string
			for range 2 {
				for _, f := range r.Read("d") {
					if f.Err != nil {
						errs = append(errs, f.Err.Error())
					}
				}
			}
			if c.want == "" {
				require.Empty(t, errs)
				return
			}
			require.Len(t, errs, 1, "it is said once")
			require.Contains(t, errs[0], c.want)
		})
	}
}

// A kustomization that is a device or a pipe is not read.
func TestSmallIsRegular(t *testing.T) {
	r := Reader{Limits: DefaultLimits}
	_, err := r.Small("/dev/zero")
	require.EqualError(t, err, "this is not a regular file")
}
