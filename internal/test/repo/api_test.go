package repo

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/doc"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/test/given"
)

const (
	root   = "../../.."
	listed = root + "/docs/api.txt"
)

// Whoever changes the API on purpose runs `go test ./internal/test/repo -update`, and has a line for CHANGELOG.md to write.
func TestAPI(t *testing.T) {
	got := listing(t)
	if given.Update() {
		require.NoError(t, os.WriteFile(listed, []byte(got), 0o644))
	}
	require.Equal(t, string(given.File(t, listed)), got, "the API is another: go test ./internal/test/repo -update")
}

func listing(t *testing.T) string {
	var out strings.Builder
	out.WriteString("The API of this module, written by `go test ./internal/test/repo -update`.\n")
	for _, dir := range packages(t) {
		files := token.NewFileSet()
		var parsed []*ast.File
		for _, name := range given.Files(t, filepath.Join(root, dir, "*.go")) {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			parsed = append(parsed, f)
		}
		if parsed[0].Name.Name == "main" {
			continue // a command exports nothing
		}
		p, err := doc.NewFromFiles(files, parsed, "github.com/crdkit/crdkit/"+dir)
		require.NoError(t, err)
		fmt.Fprintf(&out, "\n# %s\n", dir)
		for _, line := range declarations(t, files, p) {
			fmt.Fprintln(&out, line)
		}
	}
	return out.String()
}

// packages returns the directories of packages that others may import, as slash-separated paths.
func packages(t *testing.T) []string {
	found := map[string]bool{}
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if entry.IsDir() && rel != "." {
			_, notOurs := os.Stat(filepath.Join(path, "go.mod"))
			if notOurs == nil || entry.Name() == "internal" || entry.Name() == "testdata" || entry.Name() == "examples" || entry.Name()[0] == '.' {
				return filepath.SkipDir
			}
		}
		if !entry.IsDir() && strings.HasSuffix(rel, ".go") {
			found[filepath.ToSlash(filepath.Dir(rel))] = true
		}
		return nil
	}))
	all := make([]string, 0, len(found))
	for dir := range found {
		all = append(all, dir)
	}
	slices.Sort(all)
	return all
}

// declarations returns what p exports, a line each if it is short: constants, variables, functions, types with their
// methods.
func declarations(t *testing.T, files *token.FileSet, p *doc.Package) []string {
	var lines []string
	add := func(decl ast.Decl) {
		var text bytes.Buffer
		require.NoError(t, format.Node(&text, files, decl))
		lines = append(lines, strings.ReplaceAll(text.String(), "\n\n", "\n"))
	}
	values := func(groups ...[]*doc.Value) {
		for _, values := range groups {
			for _, v := range values {
				add(withoutComments(v.Decl))
			}
		}
	}
	functions := func(groups ...[]*doc.Func) {
		for _, functions := range groups {
			for _, f := range functions {
				f.Decl.Doc, f.Decl.Body = nil, nil
				add(f.Decl)
			}
		}
	}
	values(p.Consts, p.Vars)
	functions(p.Funcs)
	for _, typ := range p.Types {
		add(withoutComments(typ.Decl))
		values(typ.Consts, typ.Vars)
		functions(typ.Funcs, typ.Methods)
	}
	return lines
}

// withoutComments drops the comments of a declaration.
func withoutComments(decl *ast.GenDecl) *ast.GenDecl {
	ast.Inspect(decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			n.Doc = nil
		case *ast.TypeSpec:
			n.Doc, n.Comment = nil, nil
		case *ast.ValueSpec:
			n.Doc, n.Comment = nil, nil
		case *ast.Field:
			n.Doc, n.Comment = nil, nil
		}
		return true
	})
	return decl
}
