package eval

import (
	"errors"
	"slices"

	"github.com/crdkit/crdkit/internal/cel/ast"
)

// planCall plans a call of a function or an operator.
func (p *planner) planCall(e *ast.Expr) *part {
	c := e.AsCall()
	args := c.Args()
	if c.IsMemberFunction() {
		args = append([]*ast.Expr{c.Target()}, args...)
	}
	overloads := OverloadsOf(c.FunctionName())
	if len(overloads) > 0 && overloads[0].plan != nil {
		return overloads[0].plan(p, e, args)
	}
	return p.planFunction(e, c, args, overloads)
}

// planNotStrictlyFalse fails: only loops in their standard form have this operator.
func (p *planner) planNotStrictlyFalse(*ast.Expr, []*ast.Expr) *part {
	return p.fail(errors.New("unexpected function " + opNotStrictlyFalse))
}

// planNegate plans -a.
func (p *planner) planNegate(_ *ast.Expr, args []*ast.Expr) *part {
	a := p.plan(args[0]).run
	return &part{run: func(f *frame) value {
		v := a(f)
		if f.stops(v) {
			return v
		}
		f.charge(1)
		return negate(v)
	}}
}

// only returns the overload of a call if the checker found exactly one (CRC-023).
func (p *planner) only(e *ast.Expr) *Overload {
	if ids := p.ast.GetOverloadIDs(e.ID()); len(ids) == 1 {
		return OverloadByID(ids[0])
	}
	return nil
}

// bySize reports whether the cost of an operator depends on its operands. It does not if there are several overloads
// (CRC-023).
func (p *planner) bySize(e *ast.Expr) bool {
	only := p.only(e)
	return only != nil && only.flags&bySize != 0
}

// planIn plans x in y (CRC-026).
func (p *planner) planIn(e *ast.Expr, args []*ast.Expr) *part {
	a, b, sized := p.plan(args[0]), p.plan(args[1]), p.bySize(e)
	if b.constant != nil && b.constant.kind == kindList && sized {
		l := b.constant.ref.(*list)
		if l.n == 0 {
			return constant(no) // CRC-026
		}
		if simpleScalars(l.vals) {
			return bools.part(inConstants(a, l.vals, p.general))
		}
	}
	x, y := a.run, b.run
	return bools.part(func(f *frame) (bool, bool) {
		l := x(f)
		if f.stops(l) {
			return f.bool(l)
		}
		r := y(f)
		v := l
		switch {
		case f.stops(r):
			return f.bool(r)
		case l.failed():
		case r.failed():
			v = r
		default: // a crash comes before the charge
			v = f.contains(r, l)
		}
		if sized {
			f.charge(r.size(true))
		} else {
			f.charge(1)
		}
		return f.bool(v)
	})
}

func simpleScalars(vals []value) bool {
	for _, v := range vals {
		switch v.kind {
		case kindBool, kindInt, kindUint, kindDouble, kindString:
		default:
			return false
		}
	}
	return true
}

// inConstants plans x in [constants].
func inConstants(a *part, vals []value, general bool) typed[bool] {
	index := make(map[any]struct{}, len(vals))
	var words []string
	for _, v := range vals {
		index[numberKey(v)] = struct{}{}
		if v.kind == kindString {
			words = append(words, v.str())
		}
	}
	look := func(f *frame, v value) (found, ok bool) {
		if v.failed() {
			return f.bool(v)
		}
		hashable(v)
		if k := numberKey(v); k != nil {
			_, found = index[k]
		}
		return found, true
	}
	if len(words) == 0 || general {
		run := a.run
		return func(f *frame) (bool, bool) { return look(f, run(f)) }
	}
	text := texts.as(a)
	return func(f *frame) (bool, bool) {
		s, ok := text(f)
		if !ok {
			return look(f, f.other)
		}
		if len(words) <= smallDict {
			return slices.Contains(words, s), true
		}
		_, ok = index[s]
		return ok, true
	}
}

// contains reports whether a list has an item, or a map a key (CVA-037, CVA-045).
func (f *frame) contains(in, v value) value {
	switch in.kind {
	case kindRawMap, kindMap:
		x, ok := f.find(in, v)
		if ok && x.failed() && in.kind == kindRawMap {
			return x
		}
		return boolean(ok)
	case kindRawList:
		var fault value
		for i := range listLen(in) {
			f.poll()
			eq := f.equalTo(f.listAt(in, i), v)
			if eq.isTrue() {
				return yes
			}
			if eq.failed() && fault.ref == nil {
				fault = eq
			}
		}
		if fault.ref != nil {
			return fault
		}
		return no
	case kindList:
		f.layOut(in)
		for i := range listLen(in) {
			f.poll()
			if f.equalTo(v, f.listAt(in, i)).isTrue() {
				return yes
			}
		}
		return no
	}
	return noSuchOverload
}
