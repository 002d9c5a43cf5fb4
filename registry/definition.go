package registry

import (
	"fmt"
	"slices"
	"sync"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/resource"
)

// A Definition is a CustomResourceDefinition of a registry. It is immutable and safe for concurrent use.
type Definition struct {
	// CRD is the definition. It must not be modified.
	CRD *crd.CustomResourceDefinition
	// Source is the document that it was read from; the zero Source for definitions of [New].
	Source Source

	compile   func() (*resource.Resource, error)
	converter conversion.Converter
}

// A Source is a document in a file.
type Source struct {
	File string // the name as given, with slashes; empty for [Parse]
	Line int    // of the document's first line in the file, from 1
	Text string // the document, which may be a list with more definitions
}

// String returns file:line, `line n` without a file, and "" for the zero Source.
func (s Source) String() string { return s.At(1) }

// At returns the same for another line of the document, counted from 1.
func (s Source) At(line int) string {
	if s.Line == 0 {
		return ""
	}
	n := s.Line + max(line, 1) - 1
	if s.File == "" {
		return fmt.Sprintf("line %d", n)
	}
	return fmt.Sprintf("%s:%d", s.File, n)
}

func newDefinition(d *crd.CustomResourceDefinition, source Source) *Definition {
	def := &Definition{CRD: d, Source: source}
	def.compile = sync.OnceValues(func() (*resource.Resource, error) {
		r, err := resource.Compile(d)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.Name(), err)
		}
		return r, nil
	})
	return def
}

// Name returns the name of the definition: widgets.example.com.
func (d *Definition) Name() string { return d.CRD.Name() }

// Group returns the group of its objects: example.com.
func (d *Definition) Group() string { return d.CRD.Spec.Group }

// Kind returns the kind of its objects: Widget.
func (d *Definition) Kind() string { return d.CRD.AcceptedNames().Kind }

// Namespaced reports whether its objects have namespaces.
func (d *Definition) Namespaced() bool { return d.CRD.Spec.Scope != crd.ClusterScoped }

// StorageVersion returns the name of the version in which a server stores objects, or "" for a definition without one,
// which does not compile.
func (d *Definition) StorageVersion() string {
	name, err := d.CRD.StorageVersion()
	if err != nil {
		return ""
	}
	return name
}

// Served returns the names of the served versions, each once, in the order of the document.
func (d *Definition) Served() []string {
	var names []string
	for _, v := range d.CRD.Spec.Versions {
		if v.Served && !slices.Contains(names, v.Name) {
			names = append(names, v.Name)
		}
	}
	return names
}

// Compile returns the compiled definition. The first call compiles it, in time linear in the size of the schemas; rules
// are compiled when an object first needs them. The error is that of [resource.Compile], and names the definition.
func (d *Definition) Compile() (*resource.Resource, error) { return d.compile() }

// Converter returns the converter that [Registry.WithConverter] has set, or nil.
func (d *Definition) Converter() conversion.Converter { return d.converter }

// converting returns d with another converter.
func (d *Definition) converting(conv conversion.Converter) *Definition {
	return d.with(conv, func(r *resource.Resource) (*resource.Resource, error) { return r.WithConverter(conv), nil })
}

// on returns d as a server of that version of Kubernetes serves it.
func (d *Definition) on(kubernetes string) *Definition {
	return d.with(d.converter, func(r *resource.Resource) (*resource.Resource, error) { return r.For(kubernetes) })
}

// with returns d with another converter and another compiled form.
func (d *Definition) with(conv conversion.Converter, compiled func(*resource.Resource) (*resource.Resource, error)) *Definition {
	out := &Definition{CRD: d.CRD, Source: d.Source, converter: conv}
	out.compile = sync.OnceValues(func() (*resource.Resource, error) {
		r, err := d.compile()
		if err != nil {
			return nil, err
		}
		return compiled(r)
	})
	return out
}
