package crdcheck

import (
	"slices"
	"strings"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/format"
	"github.com/crdkit/crdkit/schema"
)

// jsonText is a text that errors print as JSON, as a server does for its own string types. They quote a plain string as
// in Go (EMD-002).
type jsonText string

// checkSpec checks the spec in the order of CVL-001. found has the facts about its schemas.
func (c *checker) checkSpec(found map[*schema.JSONSchemaProps]facts) {
	s, path := &c.spec, specPath
	c.checkGroup()
	c.oneOf(path, "scope", s.Scope, crd.ClusterScoped, crd.NamespaceScoped) // CVL-011
	c.checkSchemaPresence()
	c.setSchemas(found)

	for i := range s.Versions {
		c.checkVersion(&s.Versions[i], versionsPath.Index(i), c.versions[i])
	}
	c.checkPerVersion(path)
	c.checkVersions(versionsPath)
	c.checkFirstVersion(path)

	c.checkRequiredNames(namesPath)
	c.checkNames(&s.Names, namesPath)
	c.checkSchema(c.top)
	c.checkSubresources(s.Subresources, path)
	c.checkColumns(s.AdditionalPrinterColumns, path)
	c.checkTopSelectableFields(path)

	if s.Conversion != nil && s.Conversion.Strategy != crd.ConversionNone && preserving(s) { // CVL-030
		c.add(field.Invalid(conversionPath.Child("strategy"), jsonText(s.Conversion.Strategy), "must be None if spec.preserveUnknownFields is true"))
	}
	c.checkConversion(conversionPath)
}

// checkGroup: CVL-010.
func (c *checker) checkGroup() {
	group := c.spec.Group
	invalid := func(detail string) { c.add(field.Invalid(specPath.Child("group"), group, detail)) }
	switch {
	case group == "":
		c.add(field.Required(specPath.Child("group"), ""))
	case format.DNS1123Subdomain(group) != nil:
		invalid(strings.Join(format.DNS1123Subdomain(group), ","))
	case !strings.Contains(group, "."):
		invalid("should be a domain with at least one dot")
	}
}

// oneOf requires one of a few texts at a key below at.
func (c *checker) oneOf(at *field.Path, key, text string, supported ...string) {
	switch {
	case text == "":
		c.add(field.Required(at.Child(key), ""))
	case !slices.Contains(supported, text):
		c.add(field.NotSupported(at.Child(key), text, slices.Clone(supported)...))
	}
}

// checkSchemaPresence requires a schema for each version, and none with defaults if unknown fields are preserved:
// CVL-012, CVL-013.
func (c *checker) checkSchemaPresence() {
	s := &c.spec
	if openAPISchema(s.Validation) == nil {
		for i := range s.Versions {
			v := &s.Versions[i]
			if openAPISchema(v.Schema) != nil {
				continue
			}
			switch {
			case c.on.requireSchema:
				c.add(field.Required(schemaPath(i), ""))
			case !preserving(s) && v.Served:
				c.add(field.Required(schemaPath(i), "because otherwise all fields are pruned"))
			}
		}
	}
	if c.on.facts.hasDefault && preserving(s) {
		c.add(field.Invalid(specPath.Child("preserveUnknownFields"), true, "must be false in order to use defaults in the schema"))
	}
}

// checkImmutable: UPD-003.
func (c *checker) checkImmutable(old *crd.Spec) {
	const detail = "field is immutable"
	s, path := &c.spec, specPath
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

// checkPreserving refuses preserveUnknownFields: true if it was not true before: UPD-004. old is nil on create.
func (c *checker) checkPreserving(old *crd.Spec) {
	if (old == nil || !preservingExplicitly(old)) && preservingExplicitly(&c.spec) {
		c.add(field.Invalid(specPath.Child("preserveUnknownFields"), true, "cannot set to true, "+
			"set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead"))
	}
}

// checkStatus checks the accepted names and the stored versions.
func (c *checker) checkStatus() {
	c.checkNames(&c.status.AcceptedNames, acceptedPath)
	c.add(storedVersionErrors(c.status.StoredVersions, c.spec.Versions)...)
}
