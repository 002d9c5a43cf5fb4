package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A listed is a package in the output of `go list`.
type listed struct {
	ImportPath   string
	Dir          string
	Export       string // the file with its export data
	GoFiles      []string
	Deps         []string
	TestGoFiles  []string
	XTestGoFiles []string
	TestImports  []string
	XTestImports []string
	Module       *struct {
		Path string
		Main bool
	}
}

// A module has the packages of the main module, and loads them for mutation.
type module struct {
	path     string
	packages []*listed // of the main module, those with fewer dependencies first
	fset     *token.FileSet
	importer types.Importer
	deps     map[string]map[string]bool // by package: everything that its tests are built from
}

// loadModule lists the module in dir. It builds packages if necessary, for their export data.
func loadModule(dir string) (*module, error) {
	cmd := exec.Command("go", "list", "-export", "-deps", "-test=false", "-json=ImportPath,Dir,Export,GoFiles,Deps,TestGoFiles,"+
		"XTestGoFiles,TestImports,XTestImports,Module", "./...")
	cmd.Dir = dir
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	m := &module{fset: token.NewFileSet(), deps: map[string]map[string]bool{}}
	all := map[string]*listed{}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		p := new(listed)
		if err := dec.Decode(p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		all[p.ImportPath] = p
		if p.Module != nil && p.Module.Main {
			m.path = p.Module.Path
			m.packages = append(m.packages, p)
		}
	}
	slices.SortFunc(m.packages, func(a, b *listed) int {
		return cmp.Or(cmp.Compare(len(a.Deps), len(b.Deps)), strings.Compare(a.ImportPath, b.ImportPath))
	})
	for _, p := range m.packages {
		deps := map[string]bool{p.ImportPath: true}
		for _, d := range slices.Concat(p.Deps, p.TestImports, p.XTestImports) {
			deps[d] = true
			if q := all[d]; q != nil {
				for _, d := range q.Deps {
					deps[d] = true
				}
			}
		}
		m.deps[p.ImportPath] = deps
	}
	m.importer = importer.ForCompiler(m.fset, "gc", func(path string) (io.ReadCloser, error) {
		p := all[path]
		if p == nil || p.Export == "" {
			return nil, fmt.Errorf("no export data of %s", path)
		}
		return os.Open(p.Export)
	})
	return m, nil
}

// short returns an import path without the module's path.
func (m *module) short(path string) string { return strings.TrimPrefix(path, m.path+"/") }

// notAsked is a package whose tests only check that there is a result in time: a slow machine would notice every
// mutation.
const notAsked = "internal/test/hostile"

// dependents returns the packages whose tests a change of p could affect, without p itself, those with fewer
// dependencies first.
func (m *module) dependents(p *listed) []string {
	var found []string
	for _, q := range m.packages {
		if q != p && m.short(q.ImportPath) != notAsked && m.deps[q.ImportPath][p.ImportPath] && len(q.TestGoFiles)+len(q.XTestGoFiles) > 0 {
			found = append(found, q.ImportPath)
		}
	}
	return found
}

// A source is a package with its files.
type source struct {
	*listed
	module *module
	files  []*file
	info   *types.Info
}

// A file is a source file.
type file struct {
	path   string // absolute
	name   string // relative to the module's root, with slashes
	text   []byte
	syntax *ast.File
}

// load parses and checks p.
func (m *module) load(p *listed) (*source, error) {
	s := &source{listed: p, module: m, info: &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}}
	var syntax []*ast.File
	for _, name := range p.GoFiles {
		path := filepath.Join(p.Dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(m.fset, path, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		s.files = append(s.files, &file{path: path, name: m.short(p.ImportPath) + "/" + name, text: text, syntax: f})
		syntax = append(syntax, f)
	}
	conf := types.Config{Importer: m.importer}
	if _, err := conf.Check(p.ImportPath, m.fset, syntax, s.info); err != nil {
		return nil, err
	}
	return s, nil
}

// compiles reports whether the package compiles with the text of one file replaced.
func (s *source) compiles(mutated *file, text []byte) bool {
	changed, err := parser.ParseFile(s.module.fset, mutated.path, text, parser.SkipObjectResolution)
	if err != nil {
		return false
	}
	var syntax []*ast.File
	for _, f := range s.files {
		if f == mutated {
			syntax = append(syntax, changed)
		} else {
			syntax = append(syntax, f.syntax)
		}
	}
	conf := types.Config{Importer: s.module.importer}
	_, err = conf.Check(s.ImportPath, s.module.fset, syntax, nil)
	return err == nil
}
