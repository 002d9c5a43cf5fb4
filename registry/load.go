package registry

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/manifest"
	"github.com/crdkit/crdkit/internal/refusal"
)

// ErrNoDefinitions is the error of [Load], [LoadFS] and [Parse] if everything could be read but has no definition.
var ErrNoDefinitions = errors.New("no CustomResourceDefinition")

// An Error reports why a document, or a definition in it, is not in the registry.
type Error struct {
	Source Source
	Err    error
}

// Error returns the place and the reason: crds/widgets.yaml:12: crd: ...
func (e *Error) Error() string { return e.Source.String() + ": " + e.Err.Error() }

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// Load reads definitions from files. Each name is a file, a directory, or a pattern of [filepath.Glob]. In a directory
// it reads the files that end in .yaml, .yml or .json, but not those in subdirectories, and not kustomization.yaml. A
// file may have several documents of YAML or JSON, and lists; documents of other kinds are skipped.
// A file that is named twice is read once. A file of more than 64 MiB is an error.
//
// The registry is never nil, and has all definitions that could be read. The error joins one error for each name
// without a file, one for each file that cannot be read, and an [*Error] for each document that is not valid YAML, not
// a valid definition, or a second definition of the same kind or name. Without such errors it is nil, or
// [ErrNoDefinitions] if there is no definition.
func Load(names ...string) (*Registry, error) {
	return load(names, files{
		stat: os.Stat,
		list: os.ReadDir,
		glob: filepath.Glob,
		read: manifest.ReadFile,
		join: filepath.Join,
	})
}

// LoadFS is [Load] from a file system such as an embed.FS. Patterns are those of [fs.Glob], and "." means all files in
// its root.
func LoadFS(fsys fs.FS, names ...string) (*Registry, error) {
	return load(names, files{
		stat: func(name string) (fs.FileInfo, error) { return fs.Stat(fsys, name) },
		list: func(name string) ([]fs.DirEntry, error) { return fs.ReadDir(fsys, name) },
		glob: func(pattern string) ([]string, error) { return fs.Glob(fsys, pattern) },
		read: func(name string) ([]byte, error) { return manifest.ReadFS(fsys, name) },
		join: path.Join,
	})
}

// Parse is [Load] of a text instead of files.
func Parse(manifest []byte) (*Registry, error) {
	b := newBuilder()
	b.document("", manifest)
	return b.finish("the text")
}

// New returns a registry of definitions. The error reports definitions with the same name, or the same group and kind;
// nil definitions are skipped. Definitions must not be modified afterwards.
func New(definitions ...*crd.CustomResourceDefinition) (*Registry, error) {
	b := newBuilder()
	for _, d := range definitions {
		if d != nil {
			b.add(d, Source{})
		}
	}
	return &b.Registry, errors.Join(b.errs...)
}

// Files are functions that read files by name.
type files struct {
	stat func(name string) (fs.FileInfo, error)
	list func(name string) ([]fs.DirEntry, error)
	glob func(pattern string) ([]string, error)
	read func(name string) ([]byte, error)
	join func(elem ...string) string
}

func load(names []string, f files) (*Registry, error) {
	b := newBuilder()
	var all []string
	for _, name := range names {
		found, err := f.named(name)
		if err != nil {
			b.errs = append(b.errs, err)
		}
		all = append(all, found...)
	}
	for _, file := range refusal.Distinct(all) {
		data, err := f.read(file)
		if err != nil {
			b.errs = append(b.errs, err)
			continue
		}
		b.document(filepath.ToSlash(file), data)
	}
	return b.finish(strings.Join(names, ", "))
}

// named returns the files of a name.
func (f files) named(name string) ([]string, error) {
	info, err := f.stat(name)
	switch {
	case err == nil && info.IsDir():
		return f.directory(name)
	case err == nil:
		return []string{name}, nil
	case !strings.ContainsAny(name, `*?[\`): // not a pattern
		return nil, err
	}
	found, err := f.glob(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no file matches %s: %w", name, fs.ErrNotExist)
	}
	// A pattern that matches a directory does not select its files.
	return slices.DeleteFunc(found, func(file string) bool {
		info, err := f.stat(file)
		return err == nil && info.IsDir()
	}), nil
}

// directory returns the files of a directory that may have definitions.
func (f files) directory(name string) ([]string, error) {
	entries, err := f.list(name)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, e := range entries {
		file := f.join(name, e.Name())
		if e.IsDir() || !manifest.IsName(e.Name()) {
			continue
		}
		if info, err := f.stat(file); err == nil && !info.Mode().IsRegular() {
			continue // a pipe may never end; a link that is broken is an error, when it is read
		}
		found = append(found, file)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no .yaml, .yml or .json file in the directory %s: %w", name, fs.ErrNotExist)
	}
	return found, nil
}

// A builder collects the definitions of a registry.
type builder struct {
	Registry
	skipped int // documents of other kinds
	errs    []error
}

func newBuilder() *builder { return &builder{Registry: Registry{byKind: map[groupKind]*Definition{}}} }

func (b *builder) finish(where string) (*Registry, error) {
	if len(b.definitions) == 0 && len(b.errs) == 0 {
		others := ""
		if b.skipped > 0 {
			others = fmt.Sprintf(", which has %d other documents", b.skipped)
		}
		b.errs = append(b.errs, fmt.Errorf("%w in %s%s", ErrNoDefinitions, where, others))
	}
	return &b.Registry, errors.Join(b.errs...)
}

// document adds the definitions of a file.
func (b *builder) document(file string, data []byte) {
	for _, part := range manifest.Split(data) {
		source := Source{file, part.Line, string(part.Text)}
		all, err := crd.ParseBundle(part.Text)
		if err != nil {
			var parse *crd.ParseError
			if errors.As(err, &parse) && parse.Document == 1 { // the source has the number of the document
				err = &crd.ParseError{Path: parse.Path, Detail: parse.Detail}
			}
			if i := strings.Index(source.Text, "{{"); i >= 0 {
				source.Line += strings.Count(source.Text[:i], "\n")
				err = errors.New("{{ begins a template, of Helm for example, which is not YAML: load what the template makes (helm template)")
			}
			b.errs = append(b.errs, &Error{source, err})
			continue
		}
		if len(all) == 0 {
			b.skipped++
		}
		for _, d := range all {
			b.add(d, source)
		}
	}
}

// add adds a definition, unless it conflicts with one that is already there.
func (b *builder) add(d *crd.CustomResourceDefinition, source Source) {
	def := newDefinition(d, source)
	if other := b.Definition(d.Name()); other != nil {
		b.refuse(def, fmt.Errorf("two definitions are called %s", d.Name()), other)
		return
	}
	key := groupKind{def.Group(), def.Kind()}
	if other := b.byKind[key]; other != nil && key.kind != "" {
		b.refuse(def, fmt.Errorf("%s and %s both define the kind %s of the group %s", other.Name(), d.Name(), key.kind, key.group), other)
		return
	}
	b.byKind[key] = def
	b.definitions = append(b.definitions, def)
}

// refuse records that def is left out because of other.
func (b *builder) refuse(def *Definition, err error, other *Definition) {
	if other.Source.Line > 0 {
		err = fmt.Errorf("%w: the other one is at %s", err, other.Source)
	}
	if def.Source.Line > 0 {
		err = &Error{def.Source, err}
	}
	b.errs = append(b.errs, err)
}
