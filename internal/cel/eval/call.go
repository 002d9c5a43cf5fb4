package eval

import (
	"fmt"
	"strings"

	"github.com/crdkit/crdkit/internal/cel/ast"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/since"
)

// A binding implements an overload. Its arguments have the overload's types, and are not errors.
type binding func(f *frame, args []value) value

// A call is a planned call of a function.
type call struct {
	name      string
	args      []evaluator
	overloads []guarded // the checker's only overload, or all that are possible with that many arguments
	only      *Overload // the checker's only overload, or nil
	stopFirst bool      // evaluation stops at the first argument that fails (CRC-021, CRC-022)
	costs
}

type guarded struct {
	run     binding
	accepts []guard // nil: the binding checks the types itself
}

// planFunction plans a call of a function that evaluates its arguments. overloads are those of the function.
func (p *planner) planFunction(e *ast.Expr, expr *ast.CallExpr, args []*ast.Expr, overloads []*Overload) *part {
	parts := make([]*part, len(args))
	for i, a := range args {
		parts[i] = p.plan(a)
	}
	if p.err != nil {
		return constant(value{})
	}
	c := &call{name: expr.FunctionName(), only: p.only(e)}
	for _, a := range parts {
		c.args = append(c.args, a.run)
	}
	var first *Overload
	for _, o := range overloads {
		if o.Method != expr.IsMemberFunction() || len(o.Args) != len(parts) || c.only != nil && o != c.only {
			continue
		}
		if first == nil {
			first = o
		}
		g := guarded{run: o.run}
		if g.run == nil {
			g.run = refuse
		}
		if o.flags&unguarded == 0 {
			for _, t := range o.Args {
				g.accepts = append(g.accepts, guardOf(t))
			}
		}
		c.overloads = append(c.overloads, g)
	}
	if first == nil {
		return p.fail(fmt.Errorf("no such overload: %s", c.name))
	}
	is := func(f flags) bool { return first.flags&f != 0 }
	c.stopFirst = len(parts) >= 3 || is(stopsFirst) || c.only == nil && !is(single)
	c.costs = first.costs
	if c.only == nil {
		c.charge, c.crash = c.shared, nil
	}
	if c.charge == nil {
		c.charge = one
	}
	if len(parts) == 1 && parts[0].constant != nil {
		args := []value{*parts[0].constant}
		if is(folds) {
			v := c.apply(unbounded(), args)
			if v.failed() {
				return p.fail(fmt.Errorf("%s", v.str()))
			}
			return constant(v)
		}
		if is(once) && c.only != nil {
			return c.once(args)
		}
	}
	if first.special != nil {
		if planned := first.special(p, c, parts); planned != nil {
			return planned
		}
	}
	return &part{run: c.run}
}

// once returns the part for a call with constant arguments.
func (c *call) once(args []value) *part {
	f := unbounded()
	v, cost, length := c.apply(f, args), c.charge(f, args, value{}), args[0].length()
	return &part{run: func(f *frame) value {
		f.visits(length)
		f.charge(cost)
		return v
	}}
}

func one(*frame, []value, value) int64 { return 1 }

func refuse(*frame, []value) value { return noSuchOverload }

func (c *call) run(f *frame) value { return c.resume(f, len(f.stack)) }

// resume calls the function. The first arguments are already on the stack, from index bottom; resume evaluates the
// others.
func (c *call) resume(f *frame, bottom int) value {
	fault, at := value{}, -1
	free := f.profile.Has(since.FreeErrors)
	for i, v := range f.stack[bottom:] {
		if v.failed() && at < 0 {
			fault, at = v, i
		}
	}
	for i := len(f.stack) - bottom; i < len(c.args) && (at < 0 || !c.stopFirst && !free); i++ {
		v := c.args[i](f)
		f.stack = append(f.stack, v)
		if v.failed() && at < 0 {
			fault, at = v, i
		}
	}
	args := f.stack[bottom:]
	for i := range args {
		f.visits(args[i].length())
	}
	var v value
	switch {
	case at >= 0:
		if c.crash != nil && !f.profile.Has(since.FaultyOperands) {
			c.crash(f, args)
		}
		if len(args) == len(c.args) && !free {
			f.charge(c.charge(f, args, fault))
		}
		v = fault
	case c.late:
		v = c.apply(f, args)
		f.charge(c.charge(f, args, v))
	default:
		if c.crash != nil {
			c.crash(f, args)
		}
		cost := c.charge(f, args, value{})
		if cost > f.limit-f.cost { // over the limit: the function is not called
			f.charge(cost)
		}
		v = c.apply(f, args) // a crash comes before the charge
		f.charge(cost)
	}
	if made := v.length(); made > 0 && !args[0].same(v) {
		f.makes(made)
	}
	f.stack = f.stack[:bottom]
	return v
}

// apply calls the first overload that accepts the arguments.
func (c *call) apply(f *frame, args []value) value {
	for i := range c.overloads {
		if o := &c.overloads[i]; o.fits(f, args) {
			return o.run(f, args)
		}
	}
	names := make([]string, len(args))
	for i, v := range args {
		names[i] = v.typeName()
	}
	return failure("no such overload: " + c.name + "(" + strings.Join(names, ", ") + ")")
}

func (g *guarded) fits(f *frame, args []value) bool {
	for i, accepts := range g.accepts {
		if accepts != nil && !accepts(f, args[i]) {
			return false
		}
	}
	return true
}

// requireList ends the run with the text of a server's panic if v is not a list.
func (f *frame) requireList(v value) {
	if v.isList() {
		return
	}
	missing := "Add"
	if v.adds() {
		missing = "Contains"
	}
	f.crash("interface conversion: " + goTypeName(v) + " is not traits.Lister: missing method " + missing)
}

// A guard reports whether a value has the type that an overload declares. Of a list it checks only the first item
// (CLI-010).
type guard func(f *frame, v value) bool

func guardOf(t *types.Type) guard {
	switch t.Kind() {
	case types.DynKind, types.AnyKind, types.TypeParamKind:
		return nil
	case types.ListKind:
		item := guardOf(t.Parameters()[0])
		return func(f *frame, v value) bool {
			return v.isList() && (item == nil || listLen(v) == 0 || item(f, f.listAt(v, 0)))
		}
	case types.MapKind:
		return func(_ *frame, v value) bool { return v.isMap() }
	case types.BoolKind:
		return func(_ *frame, v value) bool { return v.kind == kindBool }
	case types.IntKind:
		return func(_ *frame, v value) bool { return v.kind == kindInt }
	case types.StringKind:
		return func(_ *frame, v value) bool { return v.kind == kindString }
	}
	name := t.TypeName()
	return func(_ *frame, v value) bool { return v.typeName() == name }
}
