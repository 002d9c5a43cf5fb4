package crdcheck

import (
	"strings"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/names"
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

// checkNames checks the syntax of names, those of a spec or of a status: CVL-021, CVL-022.
func (c *checker) checkNames(n *crd.Names, at *field.Path) {
	if n.Plural != "" {
		c.label(at.Child("plural"), n.Plural)
	}
	if n.Singular != "" {
		c.label(at.Child("singular"), n.Singular)
	}
	if n.Kind != "" {
		c.kind(at.Child("kind"), n.Kind)
	}
	if n.ListKind != "" {
		c.kind(at.Child("listKind"), n.ListKind)
	}
	for i, name := range n.ShortNames {
		c.label(at.Child("shortNames").Index(i), name)
	}
	if n.Kind != "" && n.Kind == n.ListKind {
		c.add(field.Invalid(at.Child("listKind"), n.ListKind, "kind and listKind may not be the same"))
	}
	for i, name := range n.Categories {
		c.label(at.Child("categories").Index(i), name)
	}
}

// label asks for a DNS-1035 label. All that is wrong with it is one error.
func (c *checker) label(at *field.Path, name string) {
	if !names.IsDNS1035Label(name) {
		c.add(field.Invalid(at, name, strings.Join(names.DNS1035Label(name), ",")))
	}
}

// kind asks for what is a DNS-1035 label in lower case.
func (c *checker) kind(at *field.Path, name string) {
	if !names.IsDNS1035LabelFold(name) {
		c.add(field.Invalid(at, name, "may have mixed case, but should otherwise match: "+
			strings.Join(names.DNS1035Label(strings.ToLower(name)), ",")))
	}
}
