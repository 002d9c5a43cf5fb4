package crdcheck

import (
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/cel/ruleset"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/schema"
)

// walkSchema returns the errors of a schema and of those below it, structural or not, and the invalid schemas, or nil.
// It visits properties by name. An inspection finds out faster whether there are errors.
//
// Clauses: SCH-006 to SCH-041.
func walkSchema(p *schema.JSONSchemaProps, root *field.Path, on switches, limit field.Limit) (field.List, invalidSchema) {
	w := schemaWalk{on: on, root: root, errs: refusal.Within(limit)}
	bad, _ := w.node(p, nil, mode{root: true})
	return w.errs.Errors(), bad
}

// A schemaWalk checks each schema on its own.
type schemaWalk struct {
	on   switches
	root *field.Path
	errs refusal.List
}

// A mode has the checks that depend on the position of a schema.
type mode struct {
	root bool
	// meta: it is in the metadata, kind or apiVersion of a resource, the root or an embedded one (SCH-013).
	meta bool
	// noDefaults is the reason why defaults are forbidden; empty if they are allowed: SCH-012.
	noDefaults string
	// passesDefaults: an inspection does not collect defaults here, because a schema above has one, or because a server
	// does not check them: it checks defaults only below properties and items (DFV-001).
	passesDefaults bool
}

// An invalidSchema is a schema with an error at or below it: its rules are not compiled (CWH-003). It has the invalid
// schemas below it by the keyword and the name of their locations. Nil is a schema without an error.
type invalidSchema map[[2]string]invalidSchema

// blocks returns a function that finds a schema by its path below root, and reports whether it is invalid.
func (w invalidSchema) blocks(root *field.Path) func(at *field.Path) bool {
	if w == nil {
		return func(*field.Path) bool { return false }
	}
	above := len(root.Segments())
	return func(at *field.Path) bool {
		found := w
		steps := at.Segments()[above:]
		for i := 0; found != nil && i < len(steps); i++ {
			switch keyword := steps[i].Key; keyword {
			case "items", "additionalProperties":
				found = found[[2]string{keyword}]
			case "properties":
				if i++; i < len(steps) {
					found = found[[2]string{keyword, steps[i].Key}]
				}
			default:
				return true
			}
		}
		return found != nil
	}
}

// node checks p and all schemas below it. It returns p as an invalidSchema, or nil if it is valid, and reports whether
// it has something that a structural schema cannot express (STC-003).
func (w *schemaWalk) node(p *schema.JSONSchemaProps, at *frame, m mode) (invalidSchema, bool) {
	before := w.errs.Len()
	w.keywords(p, at, m)
	bad, inexpressible := w.below(p, at, m)
	inexpressible = inexpressible || unsupported(p)
	w.extensions(p, at)
	w.lists(p, at)
	w.rules(p, at, inexpressible)
	if w.errs.Len() == before {
		return nil, inexpressible
	}
	if bad == nil {
		bad = invalidSchema{}
	}
	return bad, inexpressible
}

// rules checks the syntax of the rules of p. inexpressible is the second result of node.
func (w *schemaWalk) rules(p *schema.JSONSchemaProps, at *frame, inexpressible bool) {
	where := p // the schema in which a fieldPath is resolved
	if inexpressible {
		where = nil
	}
	for i := range p.XValidations {
		w.add(ruleset.CheckFieldsIn(where, &p.XValidations[i], w.under(at, "x-kubernetes-validations").Index(i))...)
	}
}

// unsupported reports whether p itself has something that a structural schema cannot express: STC-003. Package schema
// has the same list, with texts in a server's order.
func unsupported(p *schema.JSONSchemaProps) bool {
	return p.ID != "" || p.Schema != "" || p.Ref != nil && *p.Ref != "" || len(p.PatternProperties) > 0 || len(p.Dependencies) > 0 ||
		p.AdditionalItems != nil || len(p.Definitions) > 0 || p.Items != nil && len(p.Items.Schemas) > 0 ||
		p.XPreserveUnknownFields != nil && !*p.XPreserveUnknownFields
}

// keywords checks for forbidden keywords: SCH-009 to SCH-014.
func (w *schemaWalk) keywords(p *schema.JSONSchemaProps, at *frame, m mode) {
	if w.on.requireValidTypes && p.Type != "" && !isValidType(p.Type) {
		w.add(field.NotSupported(w.under(at, "type"), p.Type, validTypes...))
	}
	if p.Default != nil && m.noDefaults != "" {
		w.forbid(at, "default", "must not be set "+m.noDefaults)
	}
	for _, k := range [...]struct {
		set bool
		key string
	}{
		{p.ID != "", "id"}, {p.AdditionalItems != nil, "additionalItems"}, {len(p.PatternProperties) > 0, "patternProperties"},
		{len(p.Definitions) > 0, "definitions"}, {p.Dependencies != nil, "dependencies"}, {p.Ref != nil, "$ref"},
	} {
		if k.set {
			w.forbid(at, k.key, k.key+" is not supported")
		}
	}
	if p.Type == "null" {
		w.forbid(at, "type", "type cannot be set to null, use nullable as an alternative")
	}
	if p.Items != nil && len(p.Items.Schemas) > 0 {
		w.forbid(at, "items", "items must be a schema object and not an array")
	}
	if m.meta && p.XEmbeddedResource {
		w.forbid(at, "x-kubernetes-embedded-resource", "must not be used inside of resource meta")
	}
	if p.UniqueItems {
		w.forbid(at, "uniqueItems", "uniqueItems cannot be set to true since the runtime complexity becomes quadratic")
	}
	if a := p.AdditionalProperties; a != nil && len(p.Properties) > 0 && (!a.Allows || a.Schema != nil) {
		w.forbid(at, "additionalProperties", "additionalProperties and properties are mutual exclusive")
	}
}

// below checks the schemas below p. Its results are those of node.
func (w *schemaWalk) below(p *schema.JSONSchemaProps, at *frame, m mode) (bad invalidSchema, inexpressible bool) {
	next := frame{parent: at} // one for all, so that it stays on the stack
	for loc, q := range p.ChildrenByName() {
		if !isChecked(loc) {
			continue
		}
		next.loc = loc
		child, o := w.node(q, &next, m.of(p, loc))
		inexpressible = inexpressible || o
		if child != nil {
			if bad == nil {
				bad = invalidSchema{}
			}
			bad[[2]string{loc.Keyword, loc.Name}] = child
		}
	}
	return bad, inexpressible
}

// isChecked reports whether a server checks the schema at a location.
func isChecked(loc schema.Location) bool {
	return loc.Keyword != "patternProperties" && loc.Keyword != "additionalItems"
}

// of returns the mode of a schema at a location below p, whose own mode is m.
func (m mode) of(p *schema.JSONSchemaProps, loc schema.Location) mode {
	of := m
	of.root = false
	of.passesDefaults = m.passesDefaults || loc.Keyword != "properties" && loc.Keyword != "items"
	switch loc.Keyword {
	case "additionalProperties":
		if m.meta {
			of.noDefaults = "inside additionalProperties applying to object metadata"
		}
	case "properties":
		if (m.root || p.XEmbeddedResource) && plan.ResourceField(loc.Name) {
			of.meta = true
			if m.root {
				of.noDefaults = "in top-level " + loc.Name
			}
		}
	}
	return of
}

// extensions checks preserve-unknown-fields and the types that map-type and list-type require: SCH-020 to SCH-023.
func (w *schemaWalk) extensions(p *schema.JSONSchemaProps, at *frame) {
	if p.XPreserveUnknownFields != nil && !*p.XPreserveUnknownFields {
		w.add(field.Invalid(w.under(at, "x-kubernetes-preserve-unknown-fields"), false, "must be true or undefined"))
	}
	if p.XMapType != nil {
		w.typed(p, at, "object", "must be object if x-kubernetes-map-type is specified")
		if *p.XMapType != "atomic" && *p.XMapType != "granular" {
			w.add(field.NotSupported(w.under(at, "x-kubernetes-map-type"), *p.XMapType, "atomic", "granular"))
		}
	}
	if p.XListType == nil {
		return
	}
	if w.typed(p, at, "array", "must be array if x-kubernetes-list-type is specified") && w.on.requireAtomicSets {
		if keyword := setItemsFault(p); keyword != "" {
			// A server prints the list-type of the items even if the map-type is wrong.
			w.add(field.Invalid(w.under(at, "items").Child(keyword), p.Items.Schema.XListType,
				"must be atomic as item of a list with x-kubernetes-list-type=set"))
		}
	}
	if *p.XListType != "atomic" && *p.XListType != "set" && *p.XListType != "map" {
		w.add(field.NotSupported(w.under(at, "x-kubernetes-list-type"), *p.XListType, "atomic", "set", "map"))
	}
}

// typed requires a type, and reports whether p has it.
func (w *schemaWalk) typed(p *schema.JSONSchemaProps, at *frame, typ, detail string) bool {
	switch p.Type {
	case typ:
		return true
	case "":
		w.add(field.Required(w.under(at, "type"), detail))
	default:
		w.add(field.Invalid(w.under(at, "type"), p.Type, detail))
	}
	return false
}

func (w *schemaWalk) add(errs ...*field.Error) { w.errs.Append(errs...) }

func (w *schemaWalk) forbid(at *frame, keyword, detail string) {
	w.add(field.Forbidden(w.under(at, keyword), detail))
}

// under returns the path of a keyword, or nil if the list of errors is full.
func (w *schemaWalk) under(at *frame, keyword string) *field.Path {
	if w.errs.Full() {
		return nil
	}
	return at.path(w.root).Child(keyword)
}

// A frame is the location of a schema below the root, whose frame is nil. The frames of a walk form a linked list on
// the Go stack, so that a path costs nothing unless there is an error.
type frame struct {
	parent *frame
	loc    schema.Location // in the parent
}

// path returns the path of s below root.
func (s *frame) path(root *field.Path) *field.Path {
	if s == nil {
		return root
	}
	return s.loc.Path(s.parent.path(root))
}
