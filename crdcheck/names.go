package crdcheck

import (
	"strings"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/format"
)

// checkRequiredNames: CVL-020.
func (c *checker) checkRequiredNames(at *field.Path) {
	n := &c.spec.Names
	for _, name := range [...]struct{ key, text string }{
		{"plural", n.Plural}, {"singular", n.Singular}, {"kind", n.Kind}, {"listKind", n.ListKind},
	} {
		if name.text == "" {
			c.add(field.Required(at.Child(name.key), ""))
		}
	}
}

// checkNames checks the syntax of the names in a spec or a status: CVL-021, CVL-022.
func (c *checker) checkNames(n *crd.Names, at *field.Path) {
	if n.Plural != "" {
		c.label(at, "plural", n.Plural)
	}
	if n.Singular != "" {
		c.label(at, "singular", n.Singular)
	}
	if n.Kind != "" {
		c.kind(at, "kind", n.Kind)
	}
	if n.ListKind != "" {
		c.kind(at, "listKind", n.ListKind)
	}
	c.labels(at, "shortNames", n.ShortNames)
	if n.Kind != "" && n.Kind == n.ListKind {
		c.add(field.Invalid(at.Child("listKind"), n.ListKind, "kind and listKind may not be the same"))
	}
	c.labels(at, "categories", n.Categories)
}

// label requires a DNS-1035 label at a key below at. It reports all faults of the label in one error.
func (c *checker) label(at *field.Path, key, name string) {
	if messages := format.DNS1035Label(name); messages != nil {
		c.add(field.Invalid(at.Child(key), name, strings.Join(messages, ",")))
	}
}

// labels requires a list of DNS-1035 labels.
func (c *checker) labels(at *field.Path, key string, list []string) {
	for i, name := range list {
		if messages := format.DNS1035Label(name); messages != nil {
			c.add(field.Invalid(at.Child(key).Index(i), name, strings.Join(messages, ",")))
		}
	}
}

// kind requires a name that is a DNS-1035 label when converted to lower case.
func (c *checker) kind(at *field.Path, key, name string) {
	if !format.IsDNS1035LabelFold(name) {
		c.add(field.Invalid(at.Child(key), name, "may have mixed case, but should otherwise match: "+
			strings.Join(format.DNS1035Label(strings.ToLower(name)), ",")))
	}
}
