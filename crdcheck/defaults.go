package crdcheck

import (
	"context"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/cel/ruleset"
	"github.com/crdkit/crdkit/internal/embedded"
	"github.com/crdkit/crdkit/internal/errlist"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/report"
	"github.com/crdkit/crdkit/internal/verdict"
	"github.com/crdkit/crdkit/prune"
	"github.com/crdkit/crdkit/schema"
)

// defaultErrors returns what is wrong with the default values of s, which is structural, in the order of a walk: a node's own, its
// items', its properties' by name. requirePruned says that a default must not have fields that its schema does not know. Defaults beneath
// additionalProperties and in combinators are not looked at, as on a server.
//
// The embedded metadata of a default is judged as it is read, without what is unknown in it. A server goes on to store the default so; here
// nothing is modified (DFV-008).
//
// Clauses: DFV-001 to DFV-009, EMB-004, EMB-006, CWH-012.
func defaultErrors(s *compiledSchema, requirePruned bool, limit field.Limit) field.List {
	if !s.facts.hasDefault {
		return nil
	}
	if goodDefaults(s, requirePruned) {
		return nil
	}
	root := plan.Root(s.compiled)
	if root.Below&plan.HasDefault == 0 {
		return nil
	}
	// DFV-001: here the whole object is an embedded resource like any other.
	resource := *root
	resource.Has |= plan.HasEmbedded
	resource.Below |= plan.HasEmbedded
	d := defaultChecker{
		root: root, resource: &resource, rules: s.rules, requirePruned: requirePruned, left: defaultsBudget,
		errs: errlist.Within(limit),
	}
	d.node(s.props, root, nil, s.root, surrounding{})
	return d.errs.Errors()
}

// defaultsBudget is what the rules may cost on all defaults of a schema together.
const defaultsBudget = 10_000_000

type defaultChecker struct {
	root, resource *plan.Node // the whole object, as the schema has it and as an embedded resource
	rules          *ruleset.Rules
	requirePruned  bool

	left    int64 // of the budget for rules
	stopped bool  // by a rule that cost too much: nothing is looked at any more
	errs    errlist.List
}

// A surrounding is the resource that a default is metadata of, and where in it the default stands. Its zero value is for all other defaults.
type surrounding struct {
	resource *plan.Node
	steps    []step
}

// A step leads to the value of a key, or to an item of a list.
type step struct {
	key  string
	item bool
}

// then returns the surrounding one step further down.
func (s surrounding) then(next step) surrounding {
	if s.resource == nil {
		return s
	}
	s.steps = append(s.steps[:len(s.steps):len(s.steps)], next)
	return s
}

// object returns a resource with nothing in it but its apiVersion, its kind, and v at the end of the steps.
//
// Clauses: DFV-004, EMB-007.
func (s surrounding) object(v any) map[string]any {
	for i := len(s.steps) - 1; i > 0; i-- {
		if s.steps[i].item {
			v = []any{v}
		} else {
			v = map[string]any{s.steps[i].key: v}
		}
	}
	obj := map[string]any{"apiVersion": "validation/v1", "kind": "Validation"}
	obj[s.steps[0].key] = v
	return obj
}

// node checks the defaults at n and beneath it. p is what n was compiled from, reading what values of defaults are validated by, nil if
// no default above has asked for that.
func (d *defaultChecker) node(p *schema.JSONSchemaProps, n, reading *plan.Node, at *field.Path, in surrounding) {
	if n.Below&plan.HasDefault == 0 {
		return
	}
	resource := n.Has&plan.HasEmbedded != 0 || n == d.root
	if resource {
		in = surrounding{} // DFV-002
	}
	if p.Default != nil {
		if reading == nil {
			reading = readForDefaults(p, n)
		}
		d.value(p, n, reading, at.Child("default"), in)
	}
	if n.Items != nil && !d.stopped {
		var below *plan.Node
		if reading != nil {
			below = reading.Items
		}
		d.node(p.Items.Schema, n.Items, below, at.Child("items"), in.then(step{item: true}))
	}
	for i := 0; i < len(n.Props) && !d.stopped; i++ {
		name, child := n.Props[i].Name, n.Props[i].Node
		var below *plan.Node
		if reading != nil {
			below = reading.Props[i].Node
		}
		around := in.then(step{key: name})
		if resource && plan.ResourceField(name) {
			around = surrounding{d.asResource(n), []step{{key: name}}}
		}
		d.node(p.Properties[name], child, below, at.Child("properties").Key(name), around)
	}
}

// asResource returns n as the schema of an embedded resource, if it is the whole object's.
func (d *defaultChecker) asResource(n *plan.Node) *plan.Node {
	if n == d.root {
		return d.resource
	}
	return n
}

// value checks one default.
//
// Clauses: DFV-003, DFV-004.
func (d *defaultChecker) value(p *schema.JSONSchemaProps, n, reading *plan.Node, at *field.Path, in surrounding) {
	v := p.Default // not n's, which has been through storage
	if normal, err := jsonval.Normalize(nil, v); err == nil {
		v = normal
	}
	var errs field.List
	if in.resource != nil {
		errs = metadataErrors(v, at, in, d.errs.Left())
	} else {
		v, errs = d.ownErrors(v, n, at)
	}
	if len(errs) == 0 {
		if !verdict.OK(reading, v, verdict.Schema) {
			found := errlist.Within(d.errs.Left())
			report.Value(&found, reading, at, v)
			errs = found.Errors()
		}
	}
	if len(errs) == 0 {
		errs = d.ruleErrors(n, at, v)
	}
	d.errs.Append(errs...)
}

// metadataErrors returns why v, the default of a field that every resource has or of a part of one, makes no valid resource.
//
// Clauses: DFV-004.
func metadataErrors(v any, at *field.Path, in surrounding, limit field.Limit) field.List {
	const invalid = "must result in valid metadata: "
	var c embedded.Coercer
	read, failed := c.Coerce(in.resource, in.object(v))
	if failed != nil {
		return field.List{field.Invalid(at, v, invalid+failed.Error())}
	}
	found := errlist.Within(limit)
	report.Embedded(&found, in.resource, nil, read)
	if err := found.Errors().Err(); err != nil {
		return field.List{field.Invalid(at, v, invalid+err.Error())}
	}
	return nil
}

// ownErrors returns v with its embedded metadata as it is read, and what is wrong with that. Unknown fields are reported besides, and keep
// nothing from being checked.
//
// Clauses: DFV-003 (a) to (c), DFV-005, DFV-008.
func (d *defaultChecker) ownErrors(v any, n *plan.Node, at *field.Path) (any, field.List) {
	pruned := !d.requirePruned || jsonval.Equal(prune.Value(plan.View[schema.Node](n), v), v)
	n = d.asResource(n)
	var c embedded.Coercer
	read, failed := c.Coerce(n, v)
	if failed == nil {
		v = read
	}
	if !pruned {
		d.errs.Add(field.Invalid(at, v, "must not have unknown fields"))
	}
	if failed != nil {
		return v, field.List{below(at, failed)}
	}
	found := errlist.Within(d.errs.Left())
	report.Embedded(&found, n, at, v)
	return v, found.Errors()
}

// below returns e, the error of a part of a value, with the path of that value in front.
func below(at *field.Path, e *field.Error) *field.Error {
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

// ruleErrors judges v by the rules at n and beneath it: as the default of an object that has it already, then as that of a new one, since
// oldSelf may be optional.
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
		opts := ruleset.EvalOptions{Budget: budget, Limit: d.errs.Left()}
		if budget == 0 {
			opts.Budget = -1 // 0 would be a server's
		}
		result := rules.EvaluateValue(context.Background(), view, at, v, old, &opts)
		errs = result.Errors
		most = max(most, result.Cost)
		if len(errs) > 0 {
			// What ends an evaluation early is an error, and takes what is left.
			d.stopped = result.Cost == budget
			break
		}
	}
	d.left -= most
	return errs
}
