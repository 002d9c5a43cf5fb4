package crdcheck

import (
	"reflect"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/cel/ruleset"
	"github.com/crdkit/crdkit/internal/origin"
	"github.com/crdkit/crdkit/schema"
)

// setSchemas sets the schema of all versions, and that of each version: nil if there is none. Each is checked once, and
// their rules share what they compile.
func (c *checker) setSchemas(found map[*schema.JSONSchemaProps]facts) {
	s := &c.spec
	// SCH-005: what the definition uses may need structural schemas, even if the old definition had none.
	required := c.on.requireStructural || !preserving(s) || c.on.facts.hasDefault || c.on.facts.hasExtensions
	hasStatus, anyStatus := statusSubresources(s)

	var all []*compiledSchema
	place := func(v *crd.Validation, status bool, version string, root *field.Path) *compiledSchema {
		p := openAPISchema(v)
		if p == nil {
			return nil
		}
		placed := &compiledSchema{
			props: p, root: root, status: status, same: c.on.unchangedSchemas[version], required: required, facts: found[p], minor: c.minor,
		}
		if required {
			placed.checkStructural(c.violations.Left())
			c.violations.Append(placed.violations...)
		}
		all = append(all, placed)
		return placed
	}
	c.top = place(s.Validation, anyStatus, s.Version, topSchemaPath)
	c.versions = make([]*compiledSchema, len(s.Versions))
	for i := range s.Versions {
		v := &s.Versions[i]
		c.versions[i] = place(v.Schema, hasStatus(v), v.Name, schemaPath(i))
	}
	if !c.on.facts.hasRules {
		return
	}
	// If there are rules, all schemas must be structural.
	trees := make([]*schema.Structural, len(all))
	for i, placed := range all {
		if placed.facts.hasRules {
			trees[i] = placed.compiled
		}
	}
	for i, rules := range ruleset.PrepareMore(c.before.anyRules(), trees...) {
		all[i].rules = rules
	}
}

// statusSubresources returns whether the status subresource is enabled for a version, which applies to the version's
// own schema, and whether it is enabled anywhere, which applies to the schema of all versions: SCH-002. Of versions
// with the same name, the first decides.
func statusSubresources(s *crd.Spec) (of func(v *crd.Version) bool, anywhere bool) {
	enabled := func(s *crd.Subresources) bool { return s != nil && s.Status != nil }
	all := enabled(s.Subresources)
	if !hasPerVersion(s, hasSubresources) {
		return func(*crd.Version) bool { return all }, all
	}
	anywhere = all
	byVersion := make(map[string]bool, len(s.Versions))
	for i := range s.Versions {
		v := &s.Versions[i]
		anywhere = anywhere || enabled(v.Subresources)
		if _, known := byVersion[v.Name]; !known {
			byVersion[v.Name] = enabled(v.Subresources)
		}
	}
	return func(v *crd.Version) bool { return byVersion[v.Name] }, anywhere
}

// checkSchema checks one schema, in the order of SCH-001. s may be nil.
func (c *checker) checkSchema(s *compiledSchema) {
	if s == nil {
		return
	}
	root, before := s.root, c.list.Len()
	if s.status {
		c.checkRoot(s.props, root)
	}
	if s.props.Nullable { // SCH-004
		c.add(field.Forbidden(root.Child("nullable"), "nullable cannot be true at the root"))
	}
	clean := s.required && s.isStructural // no errors so far that prevent the compilation of rules: CWH-002
	switch {
	case clean:
		errs := defaultErrors(s, c.on.requirePruned, c.list.Left())
		clean = len(errs) == 0
		c.add(errs...)
	case s.required && !s.unsupported:
		c.add(s.violations...)
	}
	var bad invalidSchema
	if s.facts.faulty {
		var errs field.List
		errs, bad = walkSchema(s.props, root, c.on, c.list.Left())
		c.add(errs...)
	}
	if clean && s.facts.hasRules {
		c.add(ruleErrors(s, bad, c.on.stored, c.list.Left())...)
	}
	if s.required && s.unsupported && c.list.Len() == before { // SCH-011
		c.add(s.violations...)
	}
}

// ruleErrors returns the errors of the rules of s. Rules of an invalid node, or of one with invalid nodes below it, are
// not compiled. stored has the expressions of the stored definition, or is nil on a create.
//
// The compiled rules stay in s.rules.
//
// Clauses: CWH-001 to CWH-011, CES-080 to CES-091, CCO-003 to CCO-005, SCH-042, SCH-043.
func ruleErrors(s *compiledSchema, invalid invalidSchema, stored *storedExpressions, limit field.Limit) field.List {
	root := s.root
	opts := ruleset.Options{Path: root.String(), Unchanged: s.same, Faulty: invalid.blocks(root), Minor: s.minor, Limit: limit}
	if stored != nil {
		opts.Stored = func(text string) bool { return stored.rules[text] }
		opts.StoredMessage = func(text string) bool { return stored.messages[text] }
	}
	return s.rules.Validate(&opts)
}

// allowedAtRoot lists the fields, by their Go names, that are allowed at the root of a schema with a status
// subresource: SCH-003.
const allowedAtRoot = "Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems " +
	"MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations"

// checkRoot reports the first field that is not allowed at a root with a status subresource: SCH-003. A status is
// validated with the schema of the property alone, so other root keywords would not apply to it. Empty lists and maps
// count.
func (c *checker) checkRoot(p *schema.JSONSchemaProps, at *field.Path) {
	fields, allowed := reflect.ValueOf(p).Elem(), strings.Fields(allowedAtRoot)
	for _, name := range fieldNames(fields.Type()) {
		switch {
		case fields.FieldByName(name).IsZero():
		case name == "Type" && p.Type != "object":
			c.add(field.Invalid(at.Child("type"), p.Type, `only "object" is allowed as the type at the root of the schema if the status `+
				"subresource is enabled"))
			return
		case !slices.Contains(allowed, name):
			e := field.Invalid(at, propsValue{p}, "only ["+allowedAtRoot+"] fields are allowed at the root of the schema if the status "+
				"subresource is enabled")
			keyword, _ := fields.Type().FieldByName(name)
			origin.Set(e, origin.Place{}, keyword.Tag.Get("keyword"))
			c.add(e)
			return
		}
	}
}
