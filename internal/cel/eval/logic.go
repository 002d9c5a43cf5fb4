package eval

import "github.com/crdkit/crdkit/internal/cel/ast"

// planNot plans !a.
func (p *planner) planNot(_ *ast.Expr, args []*ast.Expr) *part {
	a := bools.as(p.plan(args[0]))
	return bools.part(func(f *frame) (bool, bool) {
		x, ok := a(f)
		f.charge(1)
		if !ok {
			return f.notBool()
		}
		return !x, true
	})
}

// notBool returns the result of a condition if an operand is not a bool but frame.other: that value if it is an error.
func (f *frame) notBool() (b, ok bool) {
	if !f.other.failed() {
		f.other = noSuchOverload
	}
	return false, false
}

// planLogic plans a && b and a || b. They cost nothing, and an operand that decides takes precedence over an error
// (CRC-020, CMS-023).
func (p *planner) planLogic(args []*ast.Expr, decides bool) *part {
	name := opAnd
	if decides {
		name = opOr
	}
	operands := p.operands(nil, args, name)
	// The first operand often decides the result. A program of thousands of conditions does not fit into the CPU's
	// caches, so each read counts.
	first, rest := operands[0], operands[1:]
	return bools.part(func(f *frame) (bool, bool) {
		switch x, ok := first(f); {
		case !ok:
			return f.logic(rest, decides)
		case x == decides:
			return x, true
		}
		for i, operand := range rest {
			switch x, ok := operand(f); {
			case !ok:
				return f.logic(rest[i+1:], decides)
			case x == decides:
				return x, true
			}
		}
		return !decides, true
	})
}

// operands appends the evaluators of args, and flattens nested calls of the same operator: the result is the same, and
// a loop is faster than nested calls.
func (p *planner) operands(to []typed[bool], args []*ast.Expr, name string) []typed[bool] {
	for _, a := range args {
		if a.Kind() == ast.CallKind && a.AsCall().FunctionName() == name {
			to = p.operands(to, a.AsCall().Args(), name)
		} else {
			to = append(to, bools.as(p.plan(a)))
		}
	}
	return to
}

// logic evaluates the rest of the operands of && or || after one that is not a bool but frame.other. frame.other is the
// result, unless one of the rest decides it.
func (f *frame) logic(rest []typed[bool], decides bool) (b, ok bool) {
	f.notBool()
	fault := f.other
	for _, operand := range rest {
		if x, ok := operand(f); ok && x == decides {
			return x, true
		}
	}
	f.other = fault
	return false, false
}

// planConditional plans c ? x : y.
func (p *planner) planConditional(_ *ast.Expr, args []*ast.Expr) *part {
	c, x, y := bools.as(p.plan(args[0])), p.plan(args[1]), p.plan(args[2])
	a, b := x.branch(), y.branch()
	x, y = x.inner(), y.inner()
	r := &part{run: func(f *frame) value {
		switch yes, ok := c(f); {
		case !ok:
			f.notBool()
			v := f.other
			v.unmark()
			return v
		case yes:
			return a(f)
		}
		return b(f)
	}}
	switch p.kindOf(args[1], args[2]) {
	case kindBool:
		r.cond = bools.choice(c, x, y)
	case kindString:
		r.text = texts.choice(c, x, y)
	case kindInt:
		r.num = ints.choice(c, x, y)
	}
	inner := *r
	r.uncharged = &inner
	return r
}

// branch returns the evaluator of the part as a branch. An error that is an item of data is marked as such only after a
// chain.
func (p *part) branch() evaluator {
	if p.uncharged != nil {
		return p.uncharged.run
	}
	run := p.run
	return func(f *frame) value {
		v := run(f)
		v.unmark()
		return v
	}
}

// planSize plans size(a).
func (p *planner) planSize(_ *ast.Expr, args []*ast.Expr) *part {
	a := p.plan(args[0]).asLength()
	return ints.part(func(f *frame) (int64, bool) {
		n, ok := a(f)
		if ok || !f.stops(f.other) {
			f.charge(1)
		}
		return n, ok
	})
}
