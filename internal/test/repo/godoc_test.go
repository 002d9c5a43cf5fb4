package repo

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/test/given"
)

var (
	familiesPattern = regexp.MustCompile(`Its clauses are those of the (?:family|families) ([^:]*): docs/internals/behaviour\.md in the repository`)
	listPattern     = regexp.MustCompile(`(?m)^\s*Clauses?: `)
)

// The documentation of a package names its families of clauses once. That of functions and types has no lists of
// clauses, which say nothing to most of those who read it.
func TestDocumentation(t *testing.T) {
	text := given.File(t, "../../../"+list)
	listed := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if m := headingPattern.FindStringSubmatch(line); m != nil {
			listed[m[1]] = true
		}
	}
	docs := given.Files(t, "../../../*/doc.go")
	for _, path := range docs {
		// The facts of kubeversion are in docs/kubeversion.md.
		if name := filepath.Base(filepath.Dir(path)); skipped[name] || name == "kubeversion" {
			continue
		}
		p := documented(t, filepath.Dir(path))
		m := familiesPattern.FindStringSubmatch(strings.Join(strings.Fields(p.Doc), " "))
		require.NotNil(t, m, "%s does not name its families", p.Name)
		for _, family := range regexp.MustCompile(`[A-Z0-9]+`).FindAllString(m[1], -1) {
			require.True(t, listed[family], "%s names %s", p.Name, family)
		}
		for name, text := range comments(p) {
			require.NotRegexp(t, listPattern, text, "%s.%s", p.Name, name)
			if p.Name == "crd" || p.Name == "schema" { // which newcomers read first
				require.NotRegexp(t, idPattern, text, "%s.%s", p.Name, name)
			}
		}
	}
}

// documented returns the documentation of the package in a directory.
func documented(t *testing.T, dir string) *doc.Package {
	names := given.Files(t, filepath.Join(dir, "*.go"))
	files := token.NewFileSet()
	var parsed []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(files, name, nil, parser.ParseComments)
		require.NoError(t, err)
		parsed = append(parsed, f)
	}
	p, err := doc.NewFromFiles(files, parsed, "github.com/crdkit/crdkit/"+filepath.Base(dir))
	require.NoError(t, err)
	return p
}

// comments returns the comments of the functions, methods, types and values that p exports.
func comments(p *doc.Package) map[string]string {
	out := map[string]string{}
	add := func(prefix string, functions []*doc.Func, values ...[]*doc.Value) {
		for _, f := range functions {
			out[prefix+f.Name] = f.Doc
		}
		for _, group := range values {
			for _, v := range group {
				out[prefix+v.Names[0]] = v.Doc
			}
		}
	}
	add("", p.Funcs, p.Consts, p.Vars)
	for _, t := range p.Types {
		out[t.Name] = t.Doc
		add(t.Name+".", append(t.Funcs, t.Methods...), t.Consts, t.Vars)
	}
	return out
}
