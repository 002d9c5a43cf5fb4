package eval

import (
	"fmt"
	"strings"

	"github.com/crdkit/crdkit/cel/internal/check"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
)

// A binding is what an overload does. Its arguments are of the overload's types, without errors.
type binding func(f *frame, args []value) value

// A call is a planned call of a function.
type call struct {
	name      string
	args      []evaluator
	overloads []guarded // the checker's only one, or all that a call with that many arguments may mean
	resolved  bool      // just one
	stopFirst bool      // at the first argument that fails (CRC-021, CRC-022)
	cost      costRule
	late      bool // the cost depends on the result
}

type guarded struct {
	run     binding
	accepts []guard // nil: the binding looks for itself
}

// planFunction plans the call of a function that is no operator.
func (p *planner) planFunction(e ast.Expr, expr ast.CallExpr) part {
	name := expr.FunctionName()
	exprs := expr.Args()
	if expr.IsMemberFunction() {
		exprs = append([]ast.Expr{expr.Target()}, exprs...)
	}
	parts := make([]part, len(exprs))
	for i, a := range exprs {
		parts[i] = p.plan(a)
	}
	if p.err != nil {
		return constant(value{})
	}
	if name == "matches" {
		if planned, ok := p.planMatches(parts); ok {
			return planned
		}
	}
	c := &call{name: name}
	for _, a := range parts {
		c.args = append(c.args, a.run)
	}
	only := p.only(e)
	signatures := check.Signatures(name)
	for _, s := range signatures {
		if s.Method != expr.IsMemberFunction() || len(s.Args) != len(parts) || only != "" && s.ID != only {
			continue
		}
		g := guarded{run: bindings()[s.ID]}
		if g.run == nil {
			g.run = refuse
		}
		if !unguarded[name] {
			for _, t := range s.Args {
				g.accepts = append(g.accepts, guardOf(t))
			}
		}
		c.overloads = append(c.overloads, g)
	}
	if len(c.overloads) == 0 {
		return p.fail(fmt.Errorf("no such overload: %s", name))
	}
	c.resolved = only != ""
	c.stopFirst = len(parts) >= 3 || name == "format" || !c.resolved && !single[name]
	c.cost, c.late = costOf(name, only)
	if foldable[name] && len(parts) == 1 && parts[0].constant != nil {
		v := c.apply(unbounded(), []value{*parts[0].constant})
		if v.failed() {
			return p.fail(fmt.Errorf("%s", v.str()))
		}
		return constant(v)
	}
	if madeOnce[name] && only != "" && len(parts) == 1 && parts[0].constant != nil {
		return c.once([]value{*parts[0].constant})
	}
	if only != "" && !p.general {
		if test, ok := c.planComparison(only, parts); ok {
			return conditionPart(test)
		}
	}
	if find := p.precompile(c, parts); find != nil && !p.general {
		return textPart(find)
	}
	return part{run: c.run}
}

// madeOnce are the functions whose result for a constant is made where the program is planned. It costs the same each time. Those are not
// among them whose results are told apart, or change.
var madeOnce = map[string]bool{
	"ip": true, "cidr": true, "semver": true, "isIP": true, "isCIDR": true, "isURL": true, "isQuantity": true, "isSemver": true,
}

// once is a call with constant arguments.
func (c *call) once(args []value) part {
	f := unbounded()
	v, cost, length := c.apply(f, args), c.cost(f, args, value{}), args[0].length()
	return part{run: func(f *frame) value {
		f.visits(length)
		f.charge(cost)
		return v
	}}
}

// foldable are the conversions that are made of constants where the program is planned (CER-040, CRC-005).
var foldable = map[string]bool{
	"bool": true, "bytes": true, "double": true, "duration": true, "dyn": true, "int": true, "string": true, "timestamp": true,
	"type": true, "uint": true,
}

// unguarded are the functions whose bindings look at the types of their arguments themselves.
var unguarded = map[string]bool{
	"type": true, "dyn": true, "contains": true, "startsWith": true, "endsWith": true, "matches": true,
	"sort": true, "@sortByAssociatedKeys": true, "distinct": true, "flatten": true, "includes": true,
}

// single are the functions that a server has one implementation of for all overloads, which changes what of a call's arguments it evaluates.
var single = map[string]bool{"sort": true, "@sortByAssociatedKeys": true}

func refuse(*frame, []value) value { return noSuchOverload }

func (c *call) run(f *frame) value { return c.resume(f, len(f.stack)) }

// resume evaluates the arguments that are not yet on the stack, whose first one stands at bottom, and calls the function.
func (c *call) resume(f *frame, bottom int) value {
	fault, at := value{}, -1
	for i, v := range f.stack[bottom:] {
		if v.failed() && at < 0 {
			fault, at = v, i
		}
	}
	for i := len(f.stack) - bottom; i < len(c.args) && (at < 0 || !c.stopFirst); i++ {
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
		c.panicAsServer(f, args)
		if len(args) == len(c.args) {
			f.charge(c.cost(f, args, fault))
		}
		v = fault
	case c.late:
		v = c.apply(f, args)
		f.charge(c.cost(f, args, v))
	default:
		c.panicAsServer(f, args)
		cost := c.cost(f, args, value{})
		if cost > f.limit-f.cost { // It shall not be done at all.
			f.charge(cost)
		}
		v = c.apply(f, args) // which may crash, before it is charged for
		f.charge(cost)
	}
	if made := v.length(); made > 0 && !args[0].same(v) {
		f.makes(made)
	}
	f.stack = f.stack[:bottom]
	return v
}

// apply does what the first fitting overload does.
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

// panicAsServer ends the run where what a server counts the costs of a call with panics (CRC-062): before the call is charged for. Only
// the costs of a single overload are counted in that way.
func (c *call) panicAsServer(f *frame, args []value) {
	if !c.resolved {
		return
	}
	switch c.name {
	case "sort", "distinct":
		f.wantList(args[0])
	case "@sortByAssociatedKeys":
		if len(args) == 2 {
			f.wantList(args[1])
		}
	case "flatten":
		if len(args) == 2 && args[1].kind != kindInt {
			f.crash("interface conversion: ref.Val is " + goTypeName(args[1]) + ", not types.Int")
		}
	}
}

func (f *frame) wantList(v value) {
	if v.isList() {
		return
	}
	missing := "Add"
	if v.adds() {
		missing = "Contains"
	}
	f.crash("interface conversion: " + goTypeName(v) + " is not traits.Lister: missing method " + missing)
}

// A guard reports whether a value is of the type that an overload declares. It looks at the first item of a list, and no farther
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
