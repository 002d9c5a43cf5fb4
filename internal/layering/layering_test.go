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

// layers has all packages, a line for each layer: a package imports only what is in a layer above its own line. Those
// that import nothing of this module come first.
const layers = `
texts            internal/archive internal/notice internal/uri internal/jsonscan internal/blockyaml internal/pattern internal/keyword version internal/cabundle
errors           field
values           internal/jsonval internal/names internal/errlist internal/format internal/walk internal/refusal internal/since internal/approval
files            internal/manifest
objects          unstructured internal/objectmeta
paths            internal/jsonpath
parts of objects position internal/strictjson internal/selector
bodies           internal/autoscaling/v1 internal/patch
compiled schemas internal/plan
schemas          schema
keywords         internal/verdict internal/embedded internal/correlate internal/fieldpath internal/schemacopy
walks            internal/report internal/schemascan internal/rulesyntax
operations       prune defaulting validate crd
types of rules   internal/cel/convert internal/cel/inet internal/cel/namedformat internal/cel/quantity internal/cel/semver internal/cel/text internal/cel/weburl
times            internal/cel/clock
clauses          internal/cel/clause
files changed    internal/textedit
parts of rules   internal/cel/declare internal/cel/parse internal/cel/price internal/storeddefaults conversion protocol
evaluation       internal/cel/eval
type checks      internal/cel/check internal/cel/estimate
sets of rules    internal/cel/ruleset
texts of objects internal/settled
rules            ratchet cel openapi internal/jsonschema
definitions      crdcheck
requests         resource internal/listing
constraints      internal/constraint
explanations     internal/hint
findings         internal/finding
isolated rules   internal/single
sets             registry cmd/crdkit/internal/input cmd/crdkit/internal/report
samples          internal/sample
tools            apply kubeversion audit compat server/storage
kinds            server/internal/catalog
servers          server
tests            crdtest
servers in tests crdtest/servertest
webhooks         examples/webhook/admission examples/webhook/guard
explained fields internal/explain
playground       examples/playground/internal/engine examples/playground/internal/wasmstrip
programs         examples/playground examples/quickstart examples/webhook examples/unittest examples/unittest/mutate cmd/crdkit/internal/cli
the command      cmd/crdkit
`

// levels returns the line of each package in layers.
func levels() map[string]int {
	out := map[string]int{}
	for i, line := range strings.Split(layers, "\n") {
		for _, pkg := range strings.Fields(line[min(len(line), len("compiled schemas")):]) {
			out[pkg] = i
		}
	}
	return out
}

// testOnly has the packages that only tests may import, or none.
var testOnly = map[string]bool{"internal/layering": true, "internal/behaviour": true, "internal/golden": true, "internal/given": true,
	"internal/api": true, "internal/hostile": true, "internal/mutate": true, "server/storage/storagetest": true}

// networkFree are the packages that must not link net/http: tests of definitions and programs without a server need
// none.
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
	levels := levels()
	for _, edge := range edges {
		from, to, _ := strings.Cut(edge, ">")
		to, ours := strings.CutPrefix(to, module+"/")
		if from = strings.TrimPrefix(from, module+"/"); !ours || testOnly[from] {
			continue
		}
		above, known := levels[from]
		require.True(t, known, "%s is in no layer: add it to one in this test", from)
		require.False(t, testOnly[to], "%s imports %s, which is for tests", from, to)
		below, known := levels[to]
		require.True(t, known, "%s is in no layer: add it to one in this test", to)
		require.Less(t, below, above, "%s imports %s, which is not in a layer above its line", from, to)
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
