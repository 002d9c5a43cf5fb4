package crdtest

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/crdtest/internal/sample"
	"github.com/crdkit/crdkit/crdtest/internal/single"
	"github.com/crdkit/crdkit/resource"
)

// A Set is the CustomResourceDefinitions that a test is about. It is immutable, but for the notes that it takes for [Set.Coverage], and
// safe for concurrent use, so that tests may call t.Parallel.
type Set struct {
	definitions []*definition // in the order of the files
	skipped     int
	notes       notes
}

// A definition is a definition of a set, with what is compiled of it when it is first needed.
type definition struct {
	*crd.CustomResourceDefinition
	file     string // "" for a text of [Parse]
	line     int    // of its document in the file
	text     string // the document
	findings []string

	check    func() *crdcheck.Checked
	compile  func() (*resource.Resource, error)
	versions map[string]*version
}

// A version is what a definition says of one of its versions.
type version struct {
	name   string
	status bool
	rules  func() []*single.Rule
}

// Load reads definitions from files. Each pattern is one of [filepath.Glob], relative to the directory of the package that is tested; one
// that matches nothing fails the test. A file may be YAML of several documents, JSON, or a list; documents of other kinds are left out,
// see [Set.Skipped]. Load ends the test if a file cannot be read as that, if there is no definition in any, or two of one name.
//
// Clauses: ECT-001.
func Load(t testing.TB, patterns ...string) *Set {
	t.Helper()
	return must(t)(Open(patterns...))
}

// LoadFS is [Load] from a file system, such as one of embedded files. The patterns are those of [fs.Glob].
//
// Clauses: ECT-001.
func LoadFS(t testing.TB, files fs.FS, patterns ...string) *Set {
	t.Helper()
	return must(t)(open(patterns, func(pattern string) ([]string, error) { return fs.Glob(files, pattern) },
		func(name string) ([]byte, error) { return fs.ReadFile(files, name) }))
}

// Parse is [Load] of a text instead of files.
//
// Clauses: ECT-001.
func Parse(t testing.TB, manifest string) *Set {
	t.Helper()
	return must(t)(parse(manifest))
}

// Open is [Load] for where there is no test to fail yet: for a variable that a TestMain hands to [Main].
func Open(patterns ...string) (*Set, error) { return open(patterns, filepath.Glob, os.ReadFile) }

func must(t testing.TB) func(s *Set, err error) *Set {
	return func(s *Set, err error) *Set {
		t.Helper()
		if err != nil {
			t.Fatalf("crdtest: %v", err)
		}
		return s
	}
}

func open(patterns []string, glob func(string) ([]string, error), read func(string) ([]byte, error)) (*Set, error) {
	s := &Set{}
	var files []string
	for _, pattern := range patterns {
		found, err := glob(pattern)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", pattern, err)
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("no file matches %s", pattern)
		}
		for _, file := range found {
			if !slices.Contains(files, file) {
				files = append(files, file)
			}
		}
	}
	for _, file := range files {
		data, err := read(file)
		if err != nil {
			return nil, err
		}
		if err := s.add(filepath.ToSlash(file), data); err != nil {
			return nil, err
		}
	}
	return s, s.complete(strings.Join(patterns, ", "))
}

func parse(manifest string) (*Set, error) {
	s := &Set{}
	if err := s.add("", []byte(manifest)); err != nil {
		return nil, err
	}
	return s, s.complete("the manifest")
}

// add takes the definitions of a file into s.
func (s *Set) add(file string, data []byte) error {
	for _, doc := range documents(data) {
		all, err := crd.ParseBundle([]byte(doc.text))
		if err != nil {
			where := place(file, doc.line)
			if i := strings.Index(doc.text, "{{"); i >= 0 {
				line := doc.line + strings.Count(doc.text[:i], "\n")
				return fmt.Errorf("%s: {{ is for a template of Helm, say, and this is no YAML yet: load what the template makes (helm template)", place(file, line))
			}
			return fmt.Errorf("%s: %w", where, err)
		}
		if len(all) == 0 {
			s.skipped++
		}
		for _, d := range all {
			if err := s.addDefinition(file, doc, d, len(all) == 1); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Set) addDefinition(file string, doc document, d *crd.CustomResourceDefinition, alone bool) error {
	for _, other := range s.definitions {
		if other.Name() == d.Name() {
			return fmt.Errorf("two definitions are called %s: %s and %s", d.Name(), place(other.file, other.line), place(file, doc.line))
		}
	}
	def := &definition{CustomResourceDefinition: d, file: file, line: doc.line, text: doc.text, versions: map[string]*version{}}
	if alone {
		_, def.findings, _ = crd.ParseStrict([]byte(doc.text))
	}
	def.check = sync.OnceValue(func() *crdcheck.Checked { return crdcheck.Check(d) })
	def.compile = sync.OnceValues(func() (*resource.Resource, error) { return sample.Compile(d) })
	for _, v := range d.Spec.Versions {
		ver := &version{name: v.Name}
		if sub, err := d.Subresources(v.Name); err == nil {
			ver.status = sub.Status != nil
		}
		ver.rules = sync.OnceValue(func() []*single.Rule {
			props, err := d.Schema(v.Name)
			if err != nil {
				return nil
			}
			return single.List(props)
		})
		if def.versions[v.Name] == nil {
			def.versions[v.Name] = ver
		}
	}
	s.definitions = append(s.definitions, def)
	return nil
}

func (s *Set) complete(where string) error {
	if len(s.definitions) == 0 {
		return fmt.Errorf("no CustomResourceDefinition in %s, which has %d other documents", where, s.skipped)
	}
	return nil
}

// Skipped returns how many documents of other kinds were left out.
func (s *Set) Skipped() int { return s.skipped }

// Names returns the names of the definitions, such as widgets.example.com, in the order in which they were read.
func (s *Set) Names() []string {
	names := make([]string, len(s.definitions))
	for i, d := range s.definitions {
		names[i] = d.Name()
	}
	return names
}

// A document is one of a file.
type document struct {
	text string
	line int // of its first line, from 1
}

// documents cuts a file at the lines that separate documents, and leaves out those without content.
func documents(data []byte) []document {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	var found []document
	var b strings.Builder
	begin, line, content := 1, 0, false
	end := func(next int) {
		if content {
			found = append(found, document{b.String(), begin})
		}
		b.Reset()
		begin, content = next, false
	}
	for s := range strings.Lines(string(data)) {
		line++
		if s = strings.TrimSuffix(s, "\n"); strings.HasPrefix(s, "---") && (len(s) == 3 || strings.ContainsAny(s[3:4], " \t\r")) {
			end(line + 1)
			continue
		}
		body := strings.TrimSpace(s)
		content = content || body != "" && body[0] != '#'
		b.WriteString(s + "\n")
	}
	end(line)
	return found
}

// place returns file:line, or the line alone where there is no file.
func place(file string, line int) string {
	if file == "" {
		return fmt.Sprintf("line %d", line)
	}
	return fmt.Sprintf("%s:%d", file, line)
}

// find returns the definition for objects of a kind, in a group if one is given; without a kind, the only one.
func (s *Set) find(group, kind string) (*definition, error) {
	if kind == "" && len(s.definitions) == 1 {
		return s.definitions[0], nil
	}
	if kind == "" {
		return nil, errors.New("the object has no kind, and there are several definitions")
	}
	var found *definition
	for _, d := range s.definitions {
		if d.Spec.Names.Kind != kind || group != "" && d.Spec.Group != group {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("the kind %s is in several groups: the object needs an apiVersion", kind)
		}
		found = d
	}
	if found == nil {
		return nil, fmt.Errorf("no definition of the kind %s in the group %q: there are %s", kind, group, strings.Join(s.Names(), ", "))
	}
	return found, nil
}

// version returns a version of d, ready to answer requests: that of the name, or the storage version.
func (d *definition) version(name string) (*resource.Version, *version, error) {
	r, err := d.compile()
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", d.Name(), err)
	}
	if name == "" {
		if name, err = d.StorageVersion(); err != nil {
			return nil, nil, err
		}
	}
	v := r.Version(name)
	if v == nil || d.versions[name] == nil {
		var names []string
		for _, v := range d.Spec.Versions {
			names = append(names, v.Name)
		}
		return nil, nil, fmt.Errorf("%s has no version %s, but %s", d.Name(), name, strings.Join(names, ", "))
	}
	return v.With(resource.RequestOptions{FieldValidation: resource.FieldValidationIgnore}), d.versions[name], nil
}
