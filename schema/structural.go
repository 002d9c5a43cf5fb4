package schema

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/origin"
	"github.com/crdkit/crdkit/internal/pattern"
	"github.com/crdkit/crdkit/internal/refusal"
)

// A schema is structural if its two parts are separate. Types, properties and items outside of allOf, anyOf, oneOf and
// not declare what an object may contain: they decide what is pruned, defaulted and published. Inside of these
// combinators there are only conditions on what the first part declares. In this file, a node is a schema of the first
// part, and a branch is one of the second: an element of a combinator, or a schema under its items or properties.

// Violations returns the reasons why p is not structural, as errors of a CustomResourceDefinition, or nil. at is the
// path of p, which is prepended to each error's path: spec.validation.openAPIV3Schema in a server, nil for a schema
// without a document. A nil p is no schema and has no violations. Nil elements of its lists and maps are treated as
// empty schemas.
//
// The errors are sorted by text, and by path if two have the same text. But if p has something that a server's compiled
// form cannot express (definitions, for example, or items that are a list), there is only one error, which says that
// this is not supported: Invalid, at the path at, with an empty value. The same applies to a p that is nested deeper
// than 10,000 levels, such as one built in Go that contains itself.
//
// The errors end at limit, or without one at the default [field.Limit]. If there are more, they are the first ones of a
// walk by name, sorted. Only the first limit counts. The error that p is not supported is always returned.
//
// Violations does not modify p, and the errors keep only strings from it. It takes time linear in the schema, plus the
// lengths of the errors' paths. It allocates nothing for a structural schema without patterns and rules.
func Violations(at *field.Path, p *JSONSchemaProps, limit ...field.Limit) field.List {
	errs, _ := violations(at, p, refusal.Optional(limit))
	return errs
}

// violations is Violations, and for a schema without violations also returns the patterns that it has parsed, each with
// its error.
//
// Almost every schema is structural. So the first walk only finds out whether there are errors, and the final errors
// are determined afterwards.
func violations(at *field.Path, p *JSONSchemaProps, limit field.Limit) (field.List, map[string]error) {
	if p == nil {
		return nil, nil
	}
	c := structureChecker{at: at, errs: refusal.Within(limit)}
	c.check(p)
	if c.unsupported || c.errs.Len() > 0 {
		if found := unsupported(p); found != nil {
			e := field.Invalid(at, "", found.text)
			if found.keyword != "" {
				origin.Set(e, origin.Place{Steps: found.place()}, found.keyword)
			}
			return field.List{e}, nil
		}
	}
	if c.errs.Full() && limit.Errors >= 0 { // visit properties by name, so that the result is always the same
		c = structureChecker{at: at, errs: refusal.Within(limit), byName: true}
		c.check(p)
	}
	return sortedByText(c.errs.Errors()), c.patterns
}

func (c *structureChecker) check(p *JSONSchemaProps) {
	c.node(p, rootLevel, nil)
	if !c.unsupported {
		c.complete(p, p, false, nil, nil)
	}
}

// A structureChecker collects the violations of a schema. It visits properties in any order, since the errors are
// sorted at the end. It stops at anything unsupported, including nesting beyond jsonval.MaxDepth. Schemas that it does not
// enter are errors at their own path.
type structureChecker struct {
	at          *field.Path // of the root
	errs        refusal.List
	byName      bool // properties are visited by name
	checker     pattern.Checker
	patterns    map[string]error // the results of checker: schemas repeat their patterns
	depth       int
	unsupported bool
}

// enter records p, and reports whether to continue with it.
func (c *structureChecker) enter(p *JSONSchemaProps) bool {
	if c.depth > jsonval.MaxDepth || unsupportedFirst(p) != "" || unsupportedLast(p) != nil {
		c.unsupported = true
	}
	return !c.unsupported
}

// A level is the position of a node in its parent (SVL-002).
type level uint8

const (
	rootLevel level = iota
	itemLevel
	fieldLevel // properties and additionalProperties
)

// node checks a schema of the structural part and everything below it, except for completeness.
func (c *structureChecker) node(p *JSONSchemaProps, lvl level, at *frame) {
	if p == nil {
		p = &JSONSchemaProps{} // CDC-002
	}
	if !c.enter(p) {
		return
	}
	c.depth++
	s := skipIn(p)
	below := frame{parent: at}
	for loc, q := range p.sequence(c.byName) {
		below.loc = loc
		switch loc.Keyword {
		case "items":
			c.node(q, itemLevel, &below)
		case "properties", "additionalProperties":
			c.node(q, fieldLevel, &below)
		default:
			c.branch(q, s.at(loc), &below)
		}
	}
	if c.depth--; c.unsupported {
		return
	}
	if p.Type == "array" && itemsOf(p) == nil { // SVL-004
		c.add(field.Required(c.under(at, "items"), "must be specified"))
	}
	c.nodeType(p, lvl, at)
	c.nodeExtensions(p, lvl, at)
	if lvl == rootLevel || p.XEmbeddedResource {
		c.resource(p, lvl, at)
	}
	c.pattern(p, at)
}

// nodeType checks the type of a node: SVL-003.
func (c *structureChecker) nodeType(p *JSONSchemaProps, lvl level, at *frame) {
	switch {
	case p.XEmbeddedResource && p.Type == "":
		c.add(field.Required(c.under(at, "type"), "must be object if x-kubernetes-embedded-resource is true"))
	case p.XEmbeddedResource && p.Type != "object":
		c.add(field.Invalid(c.under(at, "type"), p.Type, "must be object if x-kubernetes-embedded-resource is true"))
	case p.Type == "" && !p.XIntOrString && !preservesUnknown(p):
		detail := "must not be empty for specified object fields"
		switch lvl {
		case rootLevel:
			detail = "must not be empty at the root"
		case itemLevel:
			detail = "must not be empty for specified array items"
		}
		c.add(field.Required(c.under(at, "type"), detail))
	}
	if lvl == rootLevel && p.Type != "" && p.Type != "object" {
		c.add(field.Invalid(c.under(at, "type"), p.Type, "must be object at the root"))
	}
}

// nodeExtensions checks what the extensions and the root forbid or require.
func (c *structureChecker) nodeExtensions(p *JSONSchemaProps, lvl level, at *frame) {
	if p.AdditionalProperties != nil { // SVL-005
		if lvl == rootLevel {
			c.forbid(at, "additionalProperties", "must not be used at the root")
		}
		if p.XEmbeddedResource {
			c.forbid(at, "additionalProperties", "must not be used if x-kubernetes-embedded-resource is set")
		}
	}
	if p.XIntOrString { // SVL-006
		if preservesUnknown(p) {
			c.add(field.Invalid(c.under(at, "x-kubernetes-preserve-unknown-fields"), true,
				"must be false if x-kubernetes-int-or-string is true"))
		}
		if p.XEmbeddedResource {
			c.add(field.Invalid(c.under(at, "x-kubernetes-embedded-resource"), true,
				"must be false if x-kubernetes-int-or-string is true"))
		}
	}
	if p.XEmbeddedResource && !preservesUnknown(p) && len(p.Properties) == 0 { // SVL-007
		c.add(field.Required(c.under(at, "properties"), "must not be empty if x-kubernetes-embedded-resource is true"+
			" without x-kubernetes-preserve-unknown-fields"))
	}
}

// resource checks the properties that every Kubernetes object has, if p describes one.
func (c *structureChecker) resource(p *JSONSchemaProps, lvl level, at *frame) {
	// SVL-008.
	for _, r := range [...]struct{ name, typ, detail string }{
		{"apiVersion", "string", "must be string"},
		{"kind", "string", "must be string"},
		{"metadata", "object", "must be object"},
	} {
		if q, ok := p.Properties[r.name]; ok && (q == nil || q.Type != r.typ) {
			typ := ""
			if q != nil {
				typ = q.Type
			}
			c.add(field.Invalid(c.under(at, "properties").Key(r.name).Child("type"), typ, r.detail))
		}
	}
	if lvl == rootLevel {
		if m := p.Properties["metadata"]; m != nil && !restrictsNamesOnly(m) {
			c.add(field.Forbidden(c.under(at, "properties").Key("metadata"),
				"must not specify anything other than name and generateName, but metadata is implicitly specified"))
		}
	}
}

// A skip is a set of parts of a schema that are not checked.
type skip uint8

const (
	skipAll          skip = 1 << iota // the schema itself
	skipAnyOf                         // its anyOf
	skipAnyOfInAllOf                  // the anyOf of its allOf[0]
)

// skipIn returns what is not checked in a node: the two forms of int-or-string are allowed (SVL-011). The server does
// not also require the extension.
func skipIn(p *JSONSchemaProps) (s skip) {
	if isIntOrString(p.AnyOf) {
		s |= skipAnyOf
	}
	if len(p.AllOf) > 0 && p.AllOf[0] != nil && isIntOrString(p.AllOf[0].AnyOf) {
		s |= skipAnyOfInAllOf
	}
	return s
}

// at returns what is not checked at a location below.
func (s skip) at(loc Location) skip {
	switch {
	case s&skipAnyOf != 0 && loc.Keyword == "anyOf":
		return skipAll
	case s&skipAnyOfInAllOf != 0 && loc.Keyword == "allOf" && loc.Index == 0:
		return skipAnyOf
	}
	return 0
}

// pattern checks the pattern of a node or a branch: SVL-012.
func (c *structureChecker) pattern(p *JSONSchemaProps, at *frame) {
	if err := c.parse(p.Pattern); err != nil {
		c.add(field.Invalid(c.under(at, "pattern"), p.Pattern, "must be a valid regular expression, but isn't: "+err.Error()))
	}
}

// branch checks a schema in a combinator, and everything below it: SVL-010.
func (c *structureChecker) branch(v *JSONSchemaProps, s skip, at *frame) {
	if v == nil || !c.enter(v) || s == skipAll {
		return
	}
	c.depth++
	below := frame{parent: at}
	for loc, q := range v.sequence(c.byName) {
		if loc.Keyword != "additionalProperties" { // not entered: they are forbidden in branches
			below.loc = loc
			c.branch(q, s.at(loc), &below)
		}
	}
	if c.depth--; c.unsupported {
		return
	}
	c.pattern(v, at)
	const empty, undefined, unset = "must be empty to be structural", "must be undefined to be structural", "must be false to be structural"
	for _, k := range [...]struct {
		set             bool
		keyword, detail string
	}{
		{v.Type != "", "type", empty},
		{v.Title != "", "title", empty},
		{v.Description != "", "description", empty},
		{v.Default != nil, "default", undefined},
		{v.Nullable, "nullable", unset},
		{hasAdditional(v), "additionalProperties", undefined},
		{preservesUnknown(v), "x-kubernetes-preserve-unknown-fields", unset},
		{v.XEmbeddedResource, "x-kubernetes-embedded-resource", unset},
		{v.XIntOrString, "x-kubernetes-int-or-string", unset},
		{len(v.XListMapKeys) > 0, "x-kubernetes-list-map-keys", empty},
		{v.XListType != nil, "x-kubernetes-list-type", undefined},
		{v.XMapType != nil, "x-kubernetes-map-type", undefined},
		{len(v.XValidations) > 0, "x-kubernetes-validations", empty},
	} {
		if k.set {
			c.forbid(at, k.keyword, k.detail)
		}
	}
	if _, ok := v.Properties["metadata"]; ok {
		c.add(field.Forbidden(c.under(at, "properties").Key("metadata"), "must not be specified in a nested context"))
	}
}

// complete checks that the combinators of v only refer to what the node n declares: SVL-020. As in a server, it is
// called for the root, and in the branches of its combinators, but not for other nodes (SVL-021). inBranch says that v
// is a branch, whose items and properties must be declared, too.
func (c *structureChecker) complete(v, n *JSONSchemaProps, inBranch bool, atV, atN *frame) {
	if v == nil || n == nil {
		return
	}
	belowV, belowN := frame{parent: atV}, frame{parent: atN}
	for loc, u := range v.sequence(c.byName) {
		belowV.loc, belowN.loc = loc, loc
		declared, ok := itemsOf(n), itemsOf(n) != nil
		if loc.Keyword == "properties" {
			declared, ok = n.Properties[loc.Name]
		}
		switch {
		case loc.Combines():
			c.complete(u, n, true, &belowV, atN)
		case !inBranch || loc.Keyword == "additionalProperties":
		case ok:
			c.complete(u, declared, true, &belowV, &belowN)
		default:
			c.undeclared(&belowV, &belowN)
		}
	}
}

func (c *structureChecker) undeclared(atV, atN *frame) {
	if c.errs.Full() {
		c.errs.Skip(field.ErrorTypeRequired)
		return
	}
	c.add(field.Required(atN.path(c.at), "because it is defined in "+atV.path(c.at).String()))
}

func (c *structureChecker) add(e *field.Error) {
	if !c.errs.Full() {
		origin.SetInSchema(e, len(c.at.Segments()))
	}
	c.errs.Add(e)
}

func (c *structureChecker) forbid(at *frame, keyword, detail string) {
	c.add(field.Forbidden(c.under(at, keyword), detail))
}

// under returns the path of a keyword, or nil if the list of errors is full.
func (c *structureChecker) under(at *frame, keyword string) *field.Path {
	if c.errs.Full() {
		return nil
	}
	return at.path(c.at).Child(keyword)
}

// parse returns the error of a pattern, with regexp.Compile's text, or nil.
func (c *structureChecker) parse(text string) error {
	if text == "" {
		return nil
	}
	err, known := c.patterns[text]
	if !known {
		err = c.checker.Check(text)
		if c.patterns == nil {
			c.patterns = map[string]error{}
		}
		c.patterns[text] = err
	}
	return err
}

// itemsOf returns the schema of p's items, or nil, also if items was neither a schema nor a list of them (CDC-010).
func itemsOf(p *JSONSchemaProps) *JSONSchemaProps {
	if p.Items == nil {
		return nil
	}
	return p.Items.Schema
}

// preservesUnknown reports whether p has x-kubernetes-preserve-unknown-fields: true. False is unsupported, and must be
// ruled out before.
func preservesUnknown(p *JSONSchemaProps) bool { return p.XPreserveUnknownFields != nil }

// hasAdditional reports whether a branch has additional properties. False does not count, because a server drops it
// (STC-002).
func hasAdditional(v *JSONSchemaProps) bool {
	a := v.AdditionalProperties
	return a != nil && (a.Schema != nil || a.Allows)
}

// isIntOrString reports whether branches are exactly those of int-or-string: one of type integer and one of type
// string, in this order, with nothing else in them. Empty lists and maps that a server keeps do not match: SVL-011,
// STC-002.
func isIntOrString(branches []*JSONSchemaProps) bool {
	return len(branches) == 2 && hasTypeOnly(branches[0], "integer") && hasTypeOnly(branches[1], "string")
}

func hasTypeOnly(v *JSONSchemaProps, typ string) bool {
	return v != nil && v.Type == typ && v.Default == nil && v.Properties == nil && !hasAdditional(v) && hasNothingElse(v)
}

// restrictsNamesOnly reports whether the schema of a root's metadata has only a type, a default, and the properties
// name and generateName: SVL-009. The type and the default are checked elsewhere; the schemas of the two properties are
// not restricted.
func restrictsNamesOnly(m *JSONSchemaProps) bool {
	for name := range m.Properties {
		if name != "name" && name != "generateName" {
			return false
		}
	}
	return m.AdditionalProperties == nil && hasNothingElse(m)
}

// hasNothingElse reports whether p has only a type, a default, properties and additional properties. Empty lists count
// where a server's compiled form distinguishes them from absent ones: STC-002, SVT-003. Keywords that such a form
// cannot express do not count.
func hasNothingElse(p *JSONSchemaProps) bool {
	fields := reflect.ValueOf(p).Elem()
	return len(p.Enum)+len(p.AllOf)+len(p.AnyOf)+len(p.OneOf) == 0 && itemsOf(p) == nil &&
		!slices.ContainsFunc(otherKeywords, func(i int) bool { return !fields.Field(i).IsZero() })
}

// otherKeywords has the indexes of the keywords that hasNothingElse does not treat specially.
var otherKeywords = func() (indexes []int) {
	for i, name := range keywords.Names {
		switch name {
		case "type", "default", "properties", "additionalProperties", "enum", "allOf", "anyOf", "oneOf", "items",
			"id", "$schema", "$ref", "patternProperties", "dependencies", "additionalItems", "definitions":
		default:
			indexes = append(indexes, i)
		}
	}
	return indexes
}()

// sortedByText sorts by the whole text (SVL-001). Keys with brackets in them can give two paths the same text: then the
// paths decide, so that the order is always the same.
func sortedByText(errs field.List) field.List {
	type entry struct {
		text string
		err  *field.Error
	}
	sorted := errs
	if n := len(errs); n > 0 && errs[n-1].Type == field.ErrorTypeTooManyErrors { // which stays last
		sorted = errs[:n-1]
	}
	entries := make([]*entry, 0, len(sorted))
	for _, e := range sorted {
		entries = append(entries, &entry{e.Error(), e})
	}
	slices.SortFunc(entries, func(a, b *entry) int {
		if c := strings.Compare(a.text, b.text); c != 0 {
			return c
		}
		return slices.CompareFunc(a.err.Path.Segments(), b.err.Path.Segments(), func(s, t field.Segment) int {
			return cmp.Or(strings.Compare(s.Key, t.Key), cmp.Compare(s.Index, t.Index))
		})
	})
	for i, e := range entries {
		errs[i] = e.err
	}
	return errs
}
