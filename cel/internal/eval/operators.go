package eval

import (
	"errors"
	"math"

	"github.com/google/cel-go/common/ast"
)

// c1 is what it costs to look at n code points, bytes or items once (CRC-004).
func c1(n int64) int64 {
	if n <= 10 {
		if n <= 0 {
			return 0
		}
		return 1
	}
	return int64(math.Ceil(float64(n) * 0.1))
}

func c2(n int64) int64 { return int64(math.Ceil(float64(n) * 0.2)) }

func patternCost(subject, pattern int64) int64 {
	return c1(1+subject) * int64(math.Ceil(float64(pattern)*0.25))
}

func (p *planner) planCall(e ast.Expr) part {
	c := e.AsCall()
	args := c.Args()
	switch name := c.FunctionName(); name {
	case opIndex, opOptIndex, opOptSelect:
		return p.planChain(e)
	case opAnd, opOr:
		return p.planLogic(args, name == opOr)
	case opConditional:
		return p.planConditional(args)
	case opNot:
		return p.planNot(args[0])
	case opNotStrictlyFalse: // only in loops, which have their own form of it
		return p.fail(errors.New("unexpected function " + name))
	case opEqual, opNotEqual:
		return p.planEqual(args, name == opNotEqual)
	case opIn:
		return p.planIn(e, args)
	case opLess, opLessEqual, opGreater, opGreaterEqual:
		return p.planOrder(e, name, args)
	case opAdd, opSubtract, opMultiply, opDivide, opModulo:
		return p.planArithmetic(e, name, args)
	case opNegate:
		a := p.plan(args[0]).run
		return part{run: func(f *frame) value {
			v := a(f)
			f.charge(1)
			return negate(v)
		}}
	case "size":
		if c.IsMemberFunction() {
			args = []ast.Expr{c.Target()}
		}
		return p.planSize(args[0])
	case "or", "orValue":
		if c.IsMemberFunction() {
			return p.planOr(c.Target(), args[0], name)
		}
	}
	return p.planFunction(e, c)
}

// planOr plans t.or(x) and t.orValue(x), which evaluate x only if t is none (CRC-031).
func (p *planner) planOr(target, arg ast.Expr, name string) part {
	t, x := p.plan(target).run, p.plan(arg).run
	return part{run: func(f *frame) value {
		v := t(f)
		if v.kind != kindOptional {
			return v.or(noSuchOverload)
		}
		if inner := v.inner(); inner != nil {
			if name == "or" {
				return v
			}
			return *inner
		}
		return x(f)
	}}
}

func (p *planner) overloads(e ast.Expr) []string {
	if r, ok := p.ast.ReferenceMap()[e.ID()]; ok {
		return r.OverloadIDs
	}
	return nil
}

// only returns the overload of a call if the checker found just one (CRC-023).
func (p *planner) only(e ast.Expr) string {
	if ids := p.overloads(e); len(ids) == 1 {
		return ids[0]
	}
	return ""
}

const inList = "in_list"

// planIn plans x in y (CRC-026).
func (p *planner) planIn(e ast.Expr, args []ast.Expr) part {
	a, b, overload := p.plan(args[0]), p.plan(args[1]), p.only(e)
	if b.constant != nil && b.constant.kind == kindList && overload == inList {
		l := b.constant.ref.(*list)
		if l.n == 0 {
			return constant(no) // CRC-026
		}
		if simpleScalars(l.vals) {
			return conditionPart(inConstants(a, l.vals, p.general))
		}
	}
	x, y := a.run, b.run
	return conditionPart(func(f *frame) truth {
		l := x(f)
		r := y(f)
		v := l
		switch {
		case l.failed():
		case r.failed():
			v = r
		default: // which may crash, before it is charged for
			v = f.contains(r, l)
		}
		if overload == inList {
			f.charge(r.size(true))
		} else {
			f.charge(1)
		}
		return f.give(v)
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
func inConstants(a part, vals []value, general bool) condition {
	index := make(map[any]struct{}, len(vals))
	texts := make([]string, 0, len(vals))
	for _, v := range vals {
		index[numberKey(v)] = struct{}{}
		if v.kind == kindString {
			texts = append(texts, v.str())
		}
	}
	look := func(f *frame, v value) truth {
		if v.failed() {
			return f.give(v)
		}
		hashable(v)
		if k := numberKey(v); k != nil {
			_, ok := index[k]
			return truthOf(ok)
		}
		return falsity
	}
	if len(texts) == 0 || general {
		run := a.run
		return func(f *frame) truth { return look(f, run(f)) }
	}
	text := a.asTexter()
	if len(texts) <= smallDict {
		return func(f *frame) truth {
			s, ok := text(f)
			if !ok {
				return look(f, f.other)
			}
			for _, t := range texts {
				if s == t {
					return verity
				}
			}
			return falsity
		}
	}
	set := make(map[string]struct{}, len(texts))
	for _, t := range texts {
		set[t] = struct{}{}
	}
	return func(f *frame) truth {
		s, ok := text(f)
		if !ok {
			return look(f, f.other)
		}
		_, ok = set[s]
		return truthOf(ok)
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
