package layering

import (
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/crdkit/crdkit"

// levels has the level of each package: it may import what has a lower one. A package under internal/ has the level of what it
// imports, and stands a half step above it, so that it may stand between two levels.
var levels = map[string]float64{
	"internal/notice": -0.5,
	"field":           0, "version": 0,
	"internal/uri": 0, "internal/jsonscan": 0, "internal/blockyaml": 0, "internal/pattern": 0, "internal/keyword": 0,
	"internal/jsonval": 0.2, "internal/names": 0.2, "internal/errlist": 0.2, "internal/format": 0.2, "internal/walk": 0.2, "internal/refusal": 0.2,
	"internal/since": 0.2, "internal/manifest": 0.2,
	"unstructured": 0.5, "position": 0.7,
	"internal/objectmeta":     0.5,
	"internal/autoscaling/v1": 0.7, "internal/strictjson": 0.7, "internal/jsonpath": 0.7, "internal/selector": 0.7, "internal/patch": 0.7,
	"internal/plan":    0.8,
	"schema":           1,
	"internal/verdict": 1.5, "internal/embedded": 1.5, "internal/correlate": 1.5, "internal/fieldpath": 1.5,
	"internal/settled": 1.7, "internal/report": 1.7, "internal/schemascan": 1.7, "internal/rulesyntax": 1.7,
	"prune": 2, "defaulting": 2, "validate": 2, "crd": 2,
	"cel/internal/convert": 2.1, "cel/internal/inet": 2.1, "cel/internal/namedformat": 2.1, "cel/internal/quantity": 2.1,
	"cel/internal/semver": 2.1, "cel/internal/text": 2.1, "cel/internal/weburl": 2.1,
	"cel/internal/clock":   2.2,
	"cel/internal/clause":  2.3,
	"cel/internal/declare": 2.5, "cel/internal/parse": 2.5, "cel/internal/price": 2.5, "cel/internal/eval": 2.6, "cel/internal/check": 2.7,
	"cel/internal/estimate":   2.7,
	"internal/storeddefaults": 2.5,
	"conversion":              2.5,
	"protocol":                2.5,
	"ratchet":                 3, "cel": 3, "openapi": 3,
	"crdcheck":                 4,
	"resource":                 5,
	"registry":                 5.4,
	"crdtest/internal/archive": 5, "crdtest/internal/listing": 5,
	"internal/constraint": 5.1, "internal/single": 5.2, "internal/sample": 5.5,
	"apply": 6, "kubeversion": 6, "audit": 6, "compat": 6,
	"server/storage":             6,
	"server/internal/catalog":    6.05,
	"server":                     6.1,
	"crdtest":                    6.2,
	"crdtest/servertest":         6.3,
	"examples/webhook/admission": 6.5, "examples/webhook/guard": 6.5,
	"examples/quickstart": 7, "examples/webhook": 7, "examples/unittest": 7, "examples/unittest/mutate": 7, "cmd/crdkit": 9,
	"cmd/crdkit/internal/input": 0.1, "cmd/crdkit/internal/report": 1, "cmd/crdkit/internal/cli": 8, "internal/jsonschema": 3,
}

// testOnly has the packages that only tests may import, or none.
var testOnly = map[string]bool{"internal/layering": true, "internal/behaviour": true, "internal/golden": true, "internal/api": true,
	"internal/hostile": true, "internal/mutate": true, "server/storage/storagetest": true}

// networkFree are the packages that must not link net/http: tests of definitions and programs without a server need none.
var networkFree = []string{"resource", "registry", "kubeversion", "crdtest", "server/storage"}

// celFree are the packages that must not link cel-go, and with it protobuf and a parser.
var celFree = []string{"field", "unstructured", "version", "schema", "prune", "defaulting", "validate", "crd", "ratchet", "conversion", "openapi", "protocol"}

func goList(t *testing.T, args ...string) []string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Dir = "../.."
	out, err := cmd.Output()
	require.NoError(t, err, "go list %s", strings.Join(args, " "))
	return strings.Fields(string(out))
}

func TestImportsPointDown(t *testing.T) {
	edges := goList(t, "-f", `{{$p := .ImportPath}}{{range .Imports}}{{$p}}>{{.}} {{end}}`, "./...")
	require.NotEmpty(t, edges)
	for _, edge := range edges {
		from, to, _ := strings.Cut(edge, ">")
		to, ours := strings.CutPrefix(to, module+"/")
		if from = strings.TrimPrefix(from, module+"/"); !ours || testOnly[from] {
			continue
		}
		above, known := levels[from]
		require.True(t, known, "%s has no level: give it one in this test", from)
		require.False(t, testOnly[to], "%s imports %s, which is for tests", from, to)
		below, known := levels[to]
		require.True(t, known, "%s has no level: give it one in this test", to)
		require.Less(t, below, above, "%s imports %s, which does not stand below it", from, to)
	}
}

// Every package says what it is in a doc.go.
func TestPackagesAreDocumented(t *testing.T) {
	dirs := goList(t, "-f", "{{.Dir}}", "./...")
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
	// The module itself counts, and half of the rest are cel-go's. Seven are structured-merge-diff's, which a server merges with: only package
	// apply links it. A new one needs a good reason.
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
