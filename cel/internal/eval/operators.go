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
		a := p.plan(args[0]).run
		return part{run: func(f *frame) value {
			v := a(f)
			f.charge(1)
			if v.kind != kindBool {
				return v.or(noSuchOverload)
			}
			return boolean(v.bits == 0)
		}}
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

// planLogic plans a && b and a || b: free, and an error gives way to an operand that decides (CRC-020, CMS-023).
func (p *planner) planLogic(args []ast.Expr, decides bool) part {
	parts := make([]evaluator, len(args))
	for i, a := range args {
		parts[i] = p.plan(a).run
	}
	decision := boolean(decides)
	if len(parts) == 2 {
		a, b := parts[0], parts[1]
		return part{run: func(f *frame) value {
			x := a(f)
			if x.kind == kindBool {
				if x.bits == decision.bits {
					return x
				}
				y := b(f)
				if y.kind != kindBool {
					return y.or(noSuchOverload)
				}
				return y
			}
			if y := b(f); y.kind == kindBool && y.bits == decision.bits {
				return y
			}
			return x.or(noSuchOverload)
		}}
	}
	return part{run: func(f *frame) value {
		result := boolean(!decides)
		for _, run := range parts {
			switch v := run(f); {
			case v.kind == kindBool && v.bits == decision.bits:
				return v
			case v.kind != kindBool && !result.failed():
				result = v.or(noSuchOverload)
			}
		}
		return result
	}}
}

func (p *planner) planConditional(args []ast.Expr) part {
	c, x, y := p.plan(args[0]).run, p.plan(args[1]).inner(), p.plan(args[2]).inner()
	run := func(f *frame) value {
		v := c(f)
		if v.kind != kindBool {
			return v.or(noSuchOverload)
		}
		if v.bits != 0 {
			return x(f)
		}
		return y(f)
	}
	return part{run: run, bare: run}
}

func (p *planner) planSize(arg ast.Expr) part {
	a := p.plan(arg).run
	return part{run: func(f *frame) value {
		v := a(f)
		f.charge(1)
		if v.kind == kindString {
			f.visits(len(v.str()))
		}
		return sizeOf(v)
	}}
}

// sizeOf is size(v).
func sizeOf(v value) value {
	switch v.kind {
	case kindString, kindBytes, kindList, kindRawList, kindMap, kindRawMap:
		return integer(v.size(false))
	}
	return v.or(unsupported(v, "size"))
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

func (p *planner) planEqual(args []ast.Expr, not bool) part {
	a, b := p.plan(args[0]), p.plan(args[1])
	if b.constant != nil && b.constant.kind == kindString && !not {
		return part{run: equalString(a.run, b.constant.str())}
	}
	x, y := a.run, b.run
	if b.constant != nil && b.constant.kind == kindInt && !not {
		want := *b.constant
		return part{run: func(f *frame) value {
			l := x(f)
			if l.kind == kindInt {
				f.charge(1)
				return boolean(l.bits == want.bits)
			}
			f.charge(equalCost(l, want, not))
			if l.failed() {
				return l
			}
			return f.equal(l, want)
		}}
	}
	return part{run: func(f *frame) value {
		l := x(f)
		r := y(f)
		eq := l
		switch {
		case l.failed():
		case r.failed():
			eq = r
		default:
			eq = f.equal(l, r)
		}
		f.charge(equalCost(l, r, not))
		if l.failed() || r.failed() {
			return eq
		}
		if not {
			return boolean(!eq.isTrue())
		}
		return eq
	}}
}

// equalString plans a == 'text'.
func equalString(a evaluator, s string) evaluator {
	want := textValue(s)
	size := want.size(false)
	return func(f *frame) value {
		l := a(f)
		if l.kind == kindString {
			mine := l.str()
			if n := int64(len(mine)); n <= 10 || size <= 10 {
				f.charge(c1(min(n, size, 1)))
			} else {
				f.charge(c1(min(l.size(true), size)))
			}
			return boolean(mine == s)
		}
		f.charge(equalCost(l, want, false))
		if l.failed() {
			return l
		}
		return f.equal(l, want)
	}
}

// equalCost is the cost of a comparison (CRC-025).
func equalCost(l, r value, not bool) int64 {
	switch l.kind {
	case kindInt, kindBool:
		if r.kind == l.kind {
			return 1
		}
	case kindQuantity, kindSemver, kindURL, kindFormat, kindIP, kindCIDR:
		if !not {
			return 1
		}
	case kindString:
		if r.kind == kindString && (len(l.str()) <= 10 || len(r.str()) <= 10) {
			return int64(min(len(l.str()), len(r.str()), 1))
		}
	}
	return c1(min(l.size(true), r.size(true)))
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
			return part{run: inConstants(a.run, l.vals)}
		}
	}
	x, y := a.run, b.run
	return part{run: func(f *frame) value {
		l := x(f)
		r := y(f)
		if r.isMap() && !l.failed() { // which may crash, before it is charged for
			v := f.contains(r, l)
			if overload == inList {
				f.charge(r.size(true))
			} else {
				f.charge(1)
			}
			return v
		}
		if overload == inList {
			f.charge(r.size(true))
		} else {
			f.charge(1)
		}
		if l.failed() {
			return l
		}
		if r.failed() {
			return r
		}
		return f.contains(r, l)
	}}
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
func inConstants(a evaluator, vals []value) evaluator {
	index := make(map[any]struct{}, len(vals))
	for _, v := range vals {
		index[numberKey(v)] = struct{}{}
	}
	return func(f *frame) value {
		v := a(f)
		if v.failed() {
			return v
		}
		hashable(v)
		if len(vals) <= smallDict && v.kind == kindString {
			for i := range vals {
				if vals[i].kind == kindString && vals[i].str() == v.str() {
					return yes
				}
			}
			return no
		}
		if k := numberKey(v); k != nil {
			_, ok := index[k]
			return boolean(ok)
		}
		return no
	}
}

// contains reports whether a list has an item, or a map a key (CVA-037, CVA-045).
func (f *frame) contains(in, v value) value {
	switch in.kind {
	case kindRawMap, kindMap:
		x, ok := find(in, v)
		if ok && x.failed() && in.kind == kindRawMap {
			return x
		}
		return boolean(ok)
	case kindRawList:
		var fault value
		for i := range listLen(in) {
			f.poll()
			eq := f.equalTo(listAt(in, i), v)
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
		for i := range listLen(in) {
			f.poll()
			if f.equalTo(v, listAt(in, i)).isTrue() {
				return yes
			}
		}
		return no
	}
	return noSuchOverload
}

func (p *planner) planOrder(e ast.Expr, name string, args []ast.Expr) part {
	a, b := p.plan(args[0]), p.plan(args[1])
	x, y := a.run, b.run
	sized := false
	switch p.only(e) {
	case "less_string", "less_bytes", "less_equals_string", "less_equals_bytes", "greater_string", "greater_bytes",
		"greater_equals_string", "greater_equals_bytes":
		sized = true
	}
	var wanted [3]value // of the orders -1, 0 and 1
	switch name {
	case opLess:
		wanted = [3]value{yes, no, no}
	case opLessEqual:
		wanted = [3]value{yes, yes, no}
	case opGreater:
		wanted = [3]value{no, no, yes}
	case opGreaterEqual:
		wanted = [3]value{no, yes, yes}
	}
	fixed := value{}
	if b.constant != nil && !sized {
		fixed = *b.constant
	}
	return part{run: func(f *frame) value {
		l := x(f)
		r := fixed
		if fixed.kind == kindError {
			r = y(f)
		}
		if sized {
			f.charge(c1(min(l.size(true), r.size(true))))
		} else {
			f.charge(1)
		}
		switch {
		case l.kind == kindInt && r.kind == kindInt:
			return wanted[1+order(l.int(), r.int())]
		case l.failed():
			return l
		case r.failed():
			return r
		case !l.ordered():
			return failure("no such overload: " + name)
		}
		c, fault := compare(l, r)
		if fault.failed() {
			return fault
		}
		return wanted[1+c]
	}}
}
