package repo

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/crdkit/crdkit"

// layers has all packages. A package imports only packages of its own layer, of the layers that this one imports, and
// of those that they import in turn.
var layers = []struct{ name, imports, packages string }{
	{"basics", "", `
		version internal/jsonscan internal/origin internal/pattern internal/test/scenario`},
	{"values", "basics", `
		field unstructured internal/definition internal/format internal/jsonval internal/keyword
		internal/objectmeta internal/patch internal/query internal/refusal internal/since`},
	{"schemas", "values", "schema internal/fill internal/plan internal/schemadoc internal/validity"},
	{"operations", "schemas", "defaulting prune ratchet validate internal/embedded"},
	{"rules", "schemas", `
		cel internal/cel/ast internal/cel/check internal/cel/estimate internal/cel/eval internal/cel/lib/clock
		internal/cel/lib/quantity internal/cel/lib/text internal/cel/parse internal/cel/ruleset internal/cel/types`},
	{"definitions", "schemas", `
		conversion crd openapi server/protocol internal/manifest internal/tool/jsonschema internal/tool/yamltext`},
	{"checks", "operations rules definitions", "crdcheck kubeversion internal/tool/constraint internal/tool/explain"},
	{"requests", "checks", "apply registry resource resource/internal/autoscaling/v1 resource/internal/settled"},
	{"tools", "requests", "audit compat crdlint internal/tool/finding internal/tool/sample"},
	{"servers", "requests", `
		admission server server/guard server/internal/apiextensions/v1
		server/internal/apiextensions/v1/types server/internal/catalog server/internal/condition server/internal/follow
		server/internal/hooks server/internal/limits server/internal/rbac server/storage`},
	{"tests", "tools servers", "crdtest crdtest/servertest"},
	{"command", "tools", `
		cmd/crdkit cmd/crdkit/internal/catalog cmd/crdkit/internal/cli cmd/crdkit/internal/dist
		cmd/crdkit/internal/input cmd/crdkit/internal/merge cmd/crdkit/internal/output cmd/crdkit/internal/report`},
	{"examples", "tests", `
		examples/converter examples/manifests examples/playground examples/playground/internal/engine
		examples/playground/internal/wasmstrip examples/quickstart examples/unittest examples/unittest/mutate
		examples/webhook`},
}

// testOnly has the packages that only tests may import, or none.
var testOnly = map[string]bool{"internal/test/repo": true, "internal/test/given": true, "internal/test/celgo": true,
	"internal/test/scenario": true, "internal/test/hostile": true, "internal/test/mutate": true, "server/storage/storagetest": true}

// networkFree are the packages that must not link net/http: tests of definitions and programs without a server need
// none.
var networkFree = []string{"resource", "registry", "kubeversion", "crdtest", "server/storage"}

// celFree are the packages that must not link a parser of rules, which is large.
var celFree = []string{"field", "unstructured", "version", "schema", "prune", "defaulting", "validate", "crd", "ratchet", "conversion", "openapi", "server/protocol"}

func goList(t *testing.T, args ...string) []string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Dir = "../../.."
	out, err := cmd.Output()
	require.NoError(t, err, "go list %s", strings.Join(args, " "))
	return strings.Fields(string(out))
}

// allPackages returns patterns for all packages: ./... and the directories that go.mod ignores in it.
func allPackages(t *testing.T) []string {
	t.Helper()
	patterns := []string{"./..."}
	for _, ignored := range []string{"cmd/crdkit/internal/dist", "examples", "internal/test/mutate"} {
		require.NoError(t, filepath.WalkDir("../../../"+ignored, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.IsDir() {
				if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil {
					return fs.SkipDir // another module
				}
			}
			if entry.Name() == "doc.go" {
				patterns = append(patterns, "./"+filepath.ToSlash(strings.TrimPrefix(filepath.Dir(path), filepath.FromSlash("../../../"))))
			}
			return nil
		}))
	}
	require.Greater(t, len(patterns), 5)
	return patterns
}

// go install ./... installs the command and nothing else: pre-commit does this to run a hook.
func TestOneProgramIsInstalled(t *testing.T) {
	require.Equal(t, []string{module + "/cmd/crdkit"}, goList(t, "-f", `{{if eq .Name "main"}}{{.ImportPath}}{{end}}`, "./..."))
}

func TestImportsPointDown(t *testing.T) {
	edges := goList(t, append([]string{"-f", `{{$p := .ImportPath}}{{range .Imports}}{{$p}}>{{.}} {{end}}`}, allPackages(t)...)...)
	require.NotEmpty(t, edges)
	layerOf := map[string]string{}             // of a package
	importable := map[string]map[string]bool{} // the layers that a layer may import
	for _, l := range layers {
		importable[l.name] = map[string]bool{l.name: true}
		for _, below := range strings.Fields(l.imports) {
			require.Contains(t, importable, below, "layer %s imports one that is not above it in the table", l.name)
			maps.Copy(importable[l.name], importable[below])
		}
		for _, pkg := range strings.Fields(l.packages) {
			layerOf[pkg] = l.name
		}
	}
	for _, edge := range edges {
		from, to, _ := strings.Cut(edge, ">")
		to, ours := strings.CutPrefix(to, module+"/")
		if from = strings.TrimPrefix(from, module+"/"); !ours || testOnly[from] {
			continue
		}
		above, known := layerOf[from]
		require.True(t, known, "%s is in no layer: add it to one in this test", from)
		require.False(t, testOnly[to], "%s imports %s, which is for tests", from, to)
		below, known := layerOf[to]
		require.True(t, known, "%s is in no layer: add it to one in this test", to)
		require.True(t, importable[above][below], "%s imports %s, but layer %s does not import layer %s", from, to, above, below)
	}
}

// Every package says what it is in a doc.go.
func TestPackagesAreDocumented(t *testing.T) {
	dirs := goList(t, append([]string{"-f", "{{.Dir}}"}, allPackages(t)...)...)
	require.NotEmpty(t, dirs)
	for _, dir := range dirs {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, "doc.go"), nil, parser.ParseComments|parser.PackageClauseOnly)
		require.NoError(t, err)
		require.NotEmpty(t, f.Doc.Text(), "%s has a doc.go without a package comment", dir)
	}
}

func TestModuleGraph(t *testing.T) {
	modules := goList(t, "-m", "all")
	for _, m := range modules {
		require.False(t, strings.HasPrefix(m, "k8s.io/"), "%s is in the module graph", m)
	}
	// The module itself counts, and half of the rest are cel-go's. Seven are structured-merge-diff's, which a server
	// merges with: only package apply links it. A new one needs a good reason.
	names := 0
	for _, m := range modules {
		if !strings.HasPrefix(m, "v") {
			names++
		}
	}
	require.LessOrEqual(t, names, 33, "modules: %s", strings.Join(modules, " "))
}

func TestNoCELBelow(t *testing.T) {
	for _, pkg := range celFree {
		for _, dep := range goList(t, "-deps", "./"+pkg) {
			require.False(t, strings.Contains(dep, "cel-go") || strings.Contains(dep, "cel.dev"), "%s links %s", pkg, dep)
		}
	}
}

func TestNoNetworkBelow(t *testing.T) {
	for _, pkg := range networkFree {
		require.False(t, slices.Contains(goList(t, "-deps", "./"+pkg), "net/http"), "%s links net/http", pkg)
	}
}
