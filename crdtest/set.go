package crdtest

import (
	"fmt"
	"io/fs"
	"path"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/internal/since"
	"github.com/crdkit/crdkit/internal/tool/constraint"
	"github.com/crdkit/crdkit/registry"
	"github.com/crdkit/crdkit/resource"
)

// A Set holds the CustomResourceDefinitions under test. It is immutable, except for what it records for [Set.Coverage],
// and safe for concurrent use, so tests may call t.Parallel.
type Set struct {
	definitions []*definition // in the order of the files
	notes       *notes
	minor       since.Minor // of the server
}

// A definition is a definition of a set, with its compiled parts, which are built when first needed.
type definition struct {
	*crd.CustomResourceDefinition
	source    registry.Source
	converter conversion.Converter // nil: none
	findings  []string             // of strict decoding

	check    func() *crdcheck.Checked
	compile  func() (*resource.Resource, error)
	versions map[string]*version
}

// A version is a version of a definition.
type version struct {
	name   string
	status bool
	rules  func() []*constraint.Rule
}

// Load reads definitions from files. Each name is a file, a directory, or a pattern of [filepath.Glob], relative to the
// directory of the tested package: see [registry.Load]. A file may be YAML with several documents, JSON, or a list.
// Documents of other kinds are skipped. Load ends the test if a name matches no file, a document is not valid, two
// definitions have the same name or the same kind, or there are no definitions. It reports all of these at once.
func Load(t testing.TB, names ...string) *Set {
	t.Helper()
	return must(t)(Open(names...))
}

// LoadFS is [Load] from a file system, such as one of embedded files. Patterns are those of [fs.Glob].
func LoadFS(t testing.TB, files fs.FS, names ...string) *Set {
	t.Helper()
	return must(t)(newSet(registry.LoadFS(files, names...)))
}

// Parse is [Load] for a text instead of files.
func Parse(t testing.TB, manifest string) *Set {
	t.Helper()
	return must(t)(parse(manifest))
}

// Open is [Load] without a test that could fail: for a variable that TestMain passes to [Main].
func Open(names ...string) (*Set, error) { return newSet(registry.Load(names...)) }

// New returns a set of the definitions of a registry, for definitions in Go, or for those with a converter
// ([registry.Registry.WithConverter]), which all methods of the set use. Without one, objects that a conversion webhook
// would convert are validated in their own version, and what is stored is not known: a case that expects it fails.
func New(r *registry.Registry) *Set {
	s := &Set{notes: new(notes)}
	s.minor, _ = since.ParseServed(r.Kubernetes()) // a registry has no other
	for _, d := range r.Definitions() {
		s.definitions = append(s.definitions, newDefinition(d))
	}
	return s
}

// For returns s for a server of that minor version of Kubernetes, "1.30" to "1.38": see [resource.Resource.For]. Other
// versions are errors. What the result records for [Set.Coverage] counts for s, and the other way round. Methods that
// check the definitions themselves ([Set.Accepted]) are still about the newest release.
func (s *Set) For(kubernetes string) (*Set, error) {
	m, err := since.ParseServed(kubernetes)
	if err != nil {
		return nil, fmt.Errorf("crdtest: %w", err)
	}
	out := &Set{notes: s.notes, minor: m}
	for _, d := range s.definitions {
		of := *d
		of.compile = sync.OnceValues(func() (*resource.Resource, error) {
			r, err := d.compile()
			if err != nil {
				return nil, err
			}
			return r.For(kubernetes)
		})
		out.definitions = append(out.definitions, &of)
	}
	return out, nil
}

func must(t testing.TB) func(s *Set, err error) *Set {
	return func(s *Set, err error) *Set {
		t.Helper()
		if err != nil {
			t.Fatalf("crdtest: %v", err)
		}
		return s
	}
}

func newSet(r *registry.Registry, err error) (*Set, error) {
	if err != nil {
		return nil, err
	}
	return New(r), nil
}

func parse(manifest string) (*Set, error) { return newSet(registry.Parse([]byte(manifest))) }

func newDefinition(from *registry.Definition) *definition {
	d := from.CRD
	def := &definition{
		CustomResourceDefinition: d, source: from.Source, converter: from.Converter(), compile: from.Compile, versions: map[string]*version{},
	}
	if from.Source.Text != "" { // none for a list, whose findings cannot be assigned to a definition
		_, def.findings, _ = crd.ParseStrict([]byte(from.Source.Text))
	}
	def.check = sync.OnceValue(func() *crdcheck.Checked { return crdcheck.Compile(d) })
	of := d.Lookup()
	for _, v := range d.Spec.Versions {
		ver := &version{name: v.Name}
		if sub, err := of.Subresources(v.Name); err == nil {
			ver.status = sub.Status != nil
		}
		ver.rules = sync.OnceValue(func() []*constraint.Rule {
			props, err := of.Schema(v.Name)
			if err != nil {
				return nil
			}
			return constraint.Rules(props)
		})
		if def.versions[v.Name] == nil {
			def.versions[v.Name] = ver
		}
	}
	return def
}

// names returns the names of the definitions, such as widgets.example.com, in the order in which they were read.
func (s *Set) names() []string {
	names := make([]string, len(s.definitions))
	for i, d := range s.definitions {
		names[i] = d.Name()
	}
	return names
}

// Definitions returns the definitions, in the order in which they were read. They are shared, and must not be modified.
func (s *Set) Definitions() []*crd.CustomResourceDefinition {
	out := make([]*crd.CustomResourceDefinition, len(s.definitions))
	for i, d := range s.definitions {
		out[i] = d.CustomResourceDefinition
	}
	return out
}

// Converters returns the converters of the set's definitions, by the names of the definitions.
func (s *Set) Converters() map[string]conversion.Converter {
	out := map[string]conversion.Converter{}
	for _, d := range s.definitions {
		if d.converter != nil {
			out[d.Name()] = d.converter
		}
	}
	return out
}

// kinds returns the kinds of the definitions, in the form that find accepts, sorted.
func (s *Set) kinds() string {
	groups := map[string]int{}
	for _, d := range s.definitions {
		groups[d.Spec.Names.Kind]++
	}
	var names []string
	for _, d := range s.definitions {
		name := d.Spec.Names.Kind
		if groups[name] > 1 {
			name += "." + d.Spec.Group
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// find returns the definition for objects of a kind, in a group if one is given. Without a kind it returns the only
// one. A kind may be followed by its group: Widget.demo.example.com.
func (s *Set) find(group, kind string) (*definition, error) {
	if kind == "" && len(s.definitions) == 1 {
		return s.definitions[0], nil
	}
	if kind == "" {
		return nil, fmt.Errorf("the kind is missing, and there are several: %s", s.kinds())
	}
	if name, of, ok := strings.Cut(kind, "."); ok && (group == "" || group == of) {
		kind, group = name, of
	}
	found := s.ofKind(group, kind)
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return nil, fmt.Errorf("the kind %s is in several groups: the object needs an apiVersion, or the case one of the kinds %s", kind, s.kinds())
	case group == "":
		return nil, fmt.Errorf("no definition has the kind %s: the kinds are %s", kind, s.kinds())
	}
	return nil, fmt.Errorf("no definition has the kind %s in the group %s: the definitions are %s", kind, group, strings.Join(s.names(), ", "))
}

// ofKind returns the definitions with a kind, in a group if one is given.
func (s *Set) ofKind(group, kind string) (found []*definition) {
	for _, d := range s.definitions {
		if d.Spec.Names.Kind == kind && (group == "" || d.Spec.Group == group) {
			found = append(found, d)
		}
	}
	return found
}

// findFor returns the definition for the object of a case that has no kind: by the kind of the case, or by the name of
// the Go type of one of the values.
//
// Clauses: ECT-006.
func (s *Set) findFor(group, kind string, values ...any) (*definition, error) {
	if kind != "" || len(s.definitions) == 1 {
		return s.find(group, kind)
	}
	for _, v := range values {
		t := structType(v)
		if t == nil {
			continue
		}
		if found := s.ofKind(group, t.Name()); len(found) == 1 {
			return found[0], nil
		}
		return nil, fmt.Errorf("the object has no kind, and the name of its type %T is not that of one definition: set Case.Kind to one of %s", v, s.kinds())
	}
	return nil, fmt.Errorf("the object has no kind, and there are several definitions: set its kind or Case.Kind to one of %s", s.kinds())
}

// structType returns the named type of a Go value, also behind pointers, or nil for texts and maps without a named
// type.
func structType(v any) reflect.Type {
	if _, ok := textOf(v); ok {
		return nil
	}
	t := reflect.TypeOf(v)
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil || t.Name() == "" {
		return nil
	}
	return t
}

// versionOf returns the version of d that is the name of a Go type's package, such as v1beta1, or "".
func (d *definition) versionOf(values ...any) string {
	for _, v := range values {
		if t := structType(v); t != nil && t.PkgPath() != "" {
			if name := path.Base(t.PkgPath()); d.versions[name] != nil {
				return name
			}
			return ""
		}
	}
	return ""
}

// maxNames bounds the names of versions in an error.
const maxNames = 20

// version returns a version of d, ready to handle requests: the named one, or the storage version.
func (d *definition) version(name string) (*resource.Version, *version, error) {
	r, err := d.compile()
	if err != nil {
		return nil, nil, err // the error names the definition
	}
	if name == "" {
		if name, err = d.StorageVersion(); err != nil {
			return nil, nil, err
		}
	}
	v := r.Version(name)
	if v == nil || d.versions[name] == nil {
		var names []string
		for _, v := range d.Spec.Versions[:min(len(d.Spec.Versions), maxNames)] {
			names = append(names, v.Name)
		}
		if rest := len(d.Spec.Versions) - len(names); rest > 0 {
			names = append(names, fmt.Sprintf("%d more", rest))
		}
		return nil, nil, fmt.Errorf("%s has no version %s, but %s", d.Name(), name, strings.Join(names, ", "))
	}
	return v.With(resource.RequestOptions{FieldValidation: resource.FieldValidationIgnore}), d.versions[name], nil
}
