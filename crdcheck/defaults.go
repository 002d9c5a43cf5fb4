package crdcheck

import (
	"context"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/cel/ruleset"
	"github.com/crdkit/crdkit/internal/embedded"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/origin"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/internal/since"
	"github.com/crdkit/crdkit/internal/validity"
	"github.com/crdkit/crdkit/prune"
	"github.com/crdkit/crdkit/schema"
)

// defaultErrors returns the errors of the default values of s, which is structural. The order is that of a walk: a
// node's own errors, then those of its items, then those of its properties by name. With requirePruned, a default must
// not have fields that its schema does not have. As in a server, defaults below additionalProperties and in combinators
// are not checked.
//
// The embedded metadata of a default is checked as it is read, without its unknown fields. A server then stores the
// default in this form; here nothing is modified (DFV-008).
//
// Clauses: DFV-001 to DFV-009, EMB-004, EMB-006, CWH-012.
func defaultErrors(s *compiledSchema, requirePruned bool, limit field.Limit) field.List {
	if !s.facts.hasDefault {
		return nil
	}
	profile := since.Minor(s.minor).Profile()
	revision := plan.RevisionFor(profile)
	if s.compiled == nil && s.facts.validDefaults(requirePruned, revision) {
		return nil
	}
	root := revision.Node(plan.Root(s.structural()))
	// DFV-001: here the whole object is treated as an embedded resource.
	resource := *root
	resource.Has |= plan.HasEmbedded
	resource.Below |= plan.HasEmbedded
	d := defaultChecker{
		at: s.root, root: root, resource: &resource, rules: s.rules, requirePruned: requirePruned, left: defaultsBudget,
		errs: refusal.Of(profile, limit),
	}
	d.node(s.props, root, nil, s.root, resourceContext{})
	return d.errs.Errors()
}

// validDefaults reports whether all default values of a schema, which is structural and has no rules, are certainly
// valid. It may be a false negative, never a false positive: it is false for a default of the whole object, and for
// those in the metadata of resources. It compiles only the parts of the schema that have a default. It compiles them
// together, so that a pattern that occurs often is parsed once.
func (f *facts) validDefaults(requirePruned bool, revision plan.Revision) bool {
	if f.resourceDefault || len(f.defaulted) > manyProperties {
		return false
	}
	parts := schema.JSONSchemaProps{Properties: make(map[string]*schema.JSONSchemaProps, len(f.defaulted))}
	for i, p := range f.defaulted {
		parts.Properties[strconv.Itoa(i)] = p
	}
	compiled, err := schema.CompileLoose(&parts)
	if err != nil {
		return false
	}
	d := defaultChecker{requirePruned: requirePruned, left: defaultsBudget, errs: refusal.Within(field.Limit{Errors: 1})}
	root := revision.Node(plan.Root(compiled))
	for i := range root.Props {
		part := &root.Props[i]
		d.node(parts.Properties[part.Name], part.Node, nil, nil, resourceContext{})
	}
	return d.errs.Len() == 0
}

// defaultsBudget is the cost limit of the rules for all defaults of a schema together.
const defaultsBudget = 10_000_000

type defaultChecker struct {
	at             *field.Path // of the schema
	root, resource *plan.Node  // the whole object, with its own schema and as an embedded resource
	rules          *ruleset.Rules
	requirePruned  bool

	left    int64 // of the budget for rules
	stopped bool  // by a rule that cost too much: the remaining defaults are not checked
	errs    refusal.List
}

// A resourceContext is the resource whose metadata contains a default, and the position of the default in it. For all
// other defaults it is the zero value.
type resourceContext struct {
	resource *plan.Node
	segments []field.Segment
}

// then returns the context one level deeper.
func (s resourceContext) then(next field.Segment) resourceContext {
	if s.resource == nil {
		return s
	}
	s.segments = append(s.segments[:len(s.segments):len(s.segments)], next)
	return s
}

// object returns a resource that has only an apiVersion, a kind, and v at the end of the segments.
//
// Clauses: DFV-004, EMB-007.
func (s resourceContext) object(v any) map[string]any {
	obj := map[string]any{"apiVersion": "validation/v1", "kind": "Validation"}
	obj[s.segments[0].Key] = embedded.Within(s.segments[1:], v)
	return obj
}

// node checks the defaults at n and below. p is what n was compiled from, at its path. validation is the node that
// default values are validated against, or nil if no default above has needed it.
func (d *defaultChecker) node(p *schema.JSONSchemaProps, n, validation *plan.Node, at *field.Path, in resourceContext) {
	resource := n.Has&plan.HasEmbedded != 0 || n == d.root
	if resource {
		in = resourceContext{} // DFV-002
	}
	if p.Default != nil {
		if validation == nil {
			validation = nodeForDefaults(p, n)
		}
		d.value(p, n, validation, at.Child("default"), in)
	}
	if n.Items != nil && n.Items.Below&plan.HasDefault != 0 && !d.stopped {
		var below *plan.Node
		if validation != nil {
			below = validation.Items
		}
		d.node(p.Items.Schema, n.Items, below, at.Child("items"), in.then(field.Segment{IsIndex: true}))
	}
	var properties *field.Path
	if len(n.Props) > 0 {
		properties = at.Child("properties")
	}
	for i := 0; i < len(n.Props) && !d.stopped; i++ {
		name, child := n.Props[i].Name, n.Props[i].Node
		if child.Below&plan.HasDefault == 0 {
			continue
		}
		var below *plan.Node
		if validation != nil {
			below = validation.Props[i].Node
		}
		inner := in.then(field.Segment{Key: name})
		if resource && plan.ResourceField(name) {
			inner = resourceContext{d.asResource(n), []field.Segment{{Key: name}}}
		}
		d.node(p.Properties[name], child, below, properties.Key(name), inner)
	}
}

// asResource returns the embedded resource for the node of the whole object, and any other node itself.
func (d *defaultChecker) asResource(n *plan.Node) *plan.Node {
	if n == d.root {
		return d.resource
	}
	return n
}

// value checks one default, at its path.
//
// Clauses: DFV-003, DFV-004.
func (d *defaultChecker) value(p *schema.JSONSchemaProps, n, validation *plan.Node, at *field.Path, in resourceContext) {
	v := p.Default // not n.Default, which is as storage returns it
	if normal, err := jsonval.Normalize(nil, v); err == nil {
		v = normal
	}
	var errs field.List
	if in.resource != nil {
		errs = d.metadataErrors(v, at, in)
	} else {
		v, errs = d.ownErrors(v, n, at)
	}
	if len(errs) == 0 && !validity.OK(validation, v, validity.Schema) {
		found := d.errs.Sub()
		validity.Report(&found, validation, at, d.schemaOf(at), v)
		errs = found.Errors()
	}
	if len(errs) == 0 {
		errs = d.ruleErrors(n, at, v)
	}
	d.errs.Append(errs...)
}

// metadataErrors returns the errors of v, the default of a field that every resource has, or of a part of one, in a
// resource.
//
// Clauses: DFV-004.
func (d *defaultChecker) metadataErrors(v any, at *field.Path, in resourceContext) field.List {
	const invalid = "must result in valid metadata: "
	read, failed := new(embedded.Normalizer).Normalize(in.resource, in.object(v))
	if failed != nil {
		return field.List{field.Invalid(at, v, invalid+failed.Error())}
	}
	found := d.errs.Sub()
	validity.ReportEmbedded(&found, in.resource, nil, "", read)
	if err := found.Errors().Err(); err != nil {
		return field.List{field.Invalid(at, v, invalid+err.Error())}
	}
	return nil
}

// ownErrors returns v with its embedded metadata as it is read, and the errors of that. Unknown fields are reported
// separately, and do not prevent other checks.
//
// Clauses: DFV-003 (a) to (c), DFV-005, DFV-008.
func (d *defaultChecker) ownErrors(v any, n *plan.Node, at *field.Path) (any, field.List) {
	pruned := !d.requirePruned || jsonval.Equal(prune.Value(plan.View[schema.Node](n), v), v)
	n = d.asResource(n)
	if pruned && n.Below&plan.HasEmbedded == 0 {
		return v, nil
	}
	read, failed := new(embedded.Normalizer).Normalize(n, v)
	if failed == nil {
		v = read
	}
	if !pruned {
		d.errs.Add(field.Invalid(at, v, "must not have unknown fields"))
	}
	if failed != nil {
		return v, field.List{prefixed(at, failed)}
	}
	found := d.errs.Sub()
	validity.ReportEmbedded(&found, n, at, d.schemaOf(at), v)
	return v, found.Errors()
}

// schemaOf returns the path of the schema of the default at a path, from the root of the schema.
func (d *defaultChecker) schemaOf(at *field.Path) string {
	e := field.Required(at, "")
	origin.SetInSchema(e, len(d.at.Segments()))
	return e.Cause().Schema
}

// prefixed returns e, the error of a part of a value, with the path of the value prepended.
func prefixed(at *field.Path, e *field.Error) *field.Error {
	out := *e
	out.Field = at.String()
	if !strings.HasPrefix(e.Field, "[") {
		out.Field += "."
	}
	out.Field += e.Field
	out.Path = at
	for _, s := range e.Path.Segments() {
		if s.IsIndex {
			out.Path = out.Path.Index(s.Index)
		} else {
			out.Path = out.Path.Child(s.Key)
		}
	}
	return &out
}

// ruleErrors evaluates the rules at and below n for v: first as the default of an object that already has it, then as
// that of a new object, since oldSelf may be optional.
//
// Clauses: CWH-012, DFV-003 (e).
func (d *defaultChecker) ruleErrors(n *plan.Node, at *field.Path, v any) field.List {
	if n.Below&plan.HasRules == 0 {
		return nil
	}
	view := plan.View[schema.Node](n)
	rules := d.rules.At(view)
	var errs field.List
	budget, most := d.left, int64(0)
	for _, old := range [...]any{v, nil} {
		opts := ruleset.EvalOptions{Budget: budget, Limit: d.errs.Left(), Schema: d.schemaOf(at), Profile: d.errs.Profile()}
		if budget == 0 {
			opts.Budget = -1 // 0 would be the default, a server's budget
		}
		result := rules.EvaluateValue(context.Background(), view, at, v, old, &opts)
		errs = result.Errors
		most = max(most, result.Cost)
		if len(errs) > 0 {
			// An evaluation that stops early is an error, and uses up the rest of the budget.
			d.stopped = result.Cost == budget
			break
		}
	}
	d.left -= most
	return errs
}
