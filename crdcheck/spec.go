package crdcheck

import (
	"slices"
	"strings"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/names"
)

// jsonText is a text that an error prints as JSON, as a server does with texts of a type of their own; a plain one is quoted as in Go
// (EMD-002).
type jsonText string

// checkSpec checks the spec, in the order of CVL-001.
func (c *checker) checkSpec() {
	s, path := &c.spec, field.NewPath("spec")
	c.checkGroup(path.Child("group"))
	c.checkScope(path.Child("scope"))
	c.checkSchemaPresence(path.Child("versions"))
	c.compileSchemas(path)

	for i := range s.Versions {
		c.checkVersion(&s.Versions[i], path.Child("versions").Index(i), c.versions[i])
	}
	c.checkPlaces(path)
	c.checkVersions(path.Child("versions"))
	c.checkFirstVersion(path.Child("version"))

	c.checkRequiredNames(path.Child("names"))
	c.checkNames(&s.Names, path.Child("names"))
	c.checkSchema(c.top)
	c.checkSubresources(s.Subresources, path.Child("subresources"))
	c.checkColumns(s.AdditionalPrinterColumns, path.Child("additionalPrinterColumns"))
	c.checkTopSelectableFields(path)

	conversion := path.Child("conversion")
	if s.Conversion != nil && s.Conversion.Strategy != crd.ConversionNone && preserving(s) { // CVL-030
		c.add(field.Invalid(conversion.Child("strategy"), jsonText(s.Conversion.Strategy), "must be None if spec.preserveUnknownFields is true"))
	}
	c.checkConversion(conversion)
}

// checkGroup: CVL-010.
func (c *checker) checkGroup(at *field.Path) {
	group := c.spec.Group
	switch {
	case group == "":
		c.add(field.Required(at, ""))
	case !names.IsDNS1123Subdomain(group):
		c.add(field.Invalid(at, group, strings.Join(names.DNS1123Subdomain(group), ",")))
	case !strings.Contains(group, "."):
		c.add(field.Invalid(at, group, "should be a domain with at least one dot"))
	}
}

// checkScope: CVL-011.
func (c *checker) checkScope(at *field.Path) {
	c.oneOf(at, c.spec.Scope, crd.ClusterScoped, crd.NamespaceScoped)
}

// oneOf asks for one of a few texts.
func (c *checker) oneOf(at *field.Path, text string, supported ...string) {
	switch {
	case text == "":
		c.add(field.Required(at, ""))
	case !slices.Contains(supported, text):
		c.add(field.NotSupported(at, text, supported...))
	}
}

// checkSchemaPresence asks for a schema of each version, and for none with defaults if unknown fields are preserved: CVL-012, CVL-013.
func (c *checker) checkSchemaPresence(versions *field.Path) {
	s := &c.spec
	if openAPISchema(s.Validation) == nil {
		for i := range s.Versions {
			v := &s.Versions[i]
			if openAPISchema(v.Schema) != nil {
				continue
			}
			at := versions.Index(i).Child("schema").Child("openAPIV3Schema")
			switch {
			case c.on.requireSchema:
				c.add(field.Required(at, ""))
			case !preserving(s) && v.Served:
				c.add(field.Required(at, "because otherwise all fields are pruned"))
			}
		}
	}
	if c.on.facts.hasDefault && preserving(s) {
		c.add(field.Invalid(field.NewPath("spec", "preserveUnknownFields"), true, "must be false in order to use defaults in the schema"))
	}
}

// checkImmutable: UPD-003.
func (c *checker) checkImmutable(old *crd.Spec) {
	const detail = "field is immutable"
	s, path := &c.spec, field.NewPath("spec")
	if c.on.established {
		if s.Scope != old.Scope {
			c.add(field.Invalid(path.Child("scope"), jsonText(s.Scope), detail))
		}
		if s.Names.Kind != old.Names.Kind {
			c.add(field.Invalid(path.Child("names").Child("kind"), s.Names.Kind, detail))
		}
	}
	if s.Group != old.Group {
		c.add(field.Invalid(path.Child("group"), s.Group, detail))
	}
	if s.Names.Plural != old.Names.Plural {
		c.add(field.Invalid(path.Child("names").Child("plural"), s.Names.Plural, detail))
	}
}

// checkPreserving refuses preserveUnknownFields where it was not true before: UPD-004. old is nil on create.
func (c *checker) checkPreserving(old *crd.Spec) {
	if (old == nil || !preservingExplicitly(old)) && preservingExplicitly(&c.spec) {
		c.add(field.Invalid(field.NewPath("spec", "preserveUnknownFields"), true, "cannot set to true, "+
			"set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead"))
	}
}

// checkStatus checks the names that are accepted, and the stored versions.
func (c *checker) checkStatus() {
	path := field.NewPath("status")
	c.checkNames(&c.status.AcceptedNames, path.Child("acceptedNames"))
	d := crd.CustomResourceDefinition{Spec: c.spec, Status: c.status}
	c.add(d.StoredVersionErrors()...) // CVL-023
}
