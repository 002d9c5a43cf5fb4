package eval

import "github.com/google/cel-go/common/ast"

// planNot plans !a.
func (p *planner) planNot(_ ast.Expr, args []ast.Expr) *part {
	a := p.plan(args[0]).asCondition()
	return conditionPart(func(f *frame) triState {
		t := a(f)
		f.charge(1)
		switch t {
		case triFalse:
			return triTrue
		case triTrue:
			return triFalse
		}
		return f.notBool()
	})
}

// notBool returns the result of a condition if an operand is not a bool but frame.other: that value if it is an error.
func (f *frame) notBool() triState {
	if !f.other.failed() {
		f.other = noSuchOverload
	}
	return triNone
}

// planLogic plans a && b and a || b. They cost nothing, and an operand that decides takes precedence over an error
// (CRC-020, CMS-023).
func (p *planner) planLogic(args []ast.Expr, decides bool) *part {
	parts := p.operands(nil, args, decides)
	decision := triStateOf(decides)
	return conditionPart(func(f *frame) triState {
		for i, run := range parts {
			switch run(f) {
			case decision:
				return decision
			case triNone:
				return f.logic(parts[i+1:], decision)
			}
		}
		return triStateOf(!decides)
	})
}

// operands appends the conditions of args, and those of nested calls of the same operator: parentheses make no
// difference.
func (p *planner) operands(to []condition, args []ast.Expr, or bool) []condition {
	name := opAnd
	if or {
		name = opOr
	}
	for _, a := range args {
		if a.Kind() == ast.CallKind && a.AsCall().FunctionName() == name {
			to = p.operands(to, a.AsCall().Args(), or)
		} else {
			to = append(to, p.plan(a).asCondition())
		}
	}
	return to
}

// logic evaluates the rest of the operands of && or || after one that is not a bool but frame.other. That is the
// result, unless one of the rest decides.
func (f *frame) logic(rest []condition, decision triState) triState {
	f.notBool()
	fault := f.other
	for _, run := range rest {
		if run(f) == decision {
			return decision
		}
	}
	f.other = fault
	return triNone
}

// planConditional plans c ? x : y.
func (p *planner) planConditional(_ ast.Expr, args []ast.Expr) *part {
	c, x, y := p.plan(args[0]).asCondition(), p.plan(args[1]), p.plan(args[2])
	a, b := x.branch(), y.branch()
	x, y = x.inner(), y.inner()
	r := &part{run: func(f *frame) value {
		switch c(f) {
		case triTrue:
			return a(f)
		case triFalse:
			return b(f)
		}
		f.notBool()
		return withoutOrigin(f.other)
	}}
	switch p.kindOf(args[1], args[2]) {
	case kindBool:
		a, b := x.asCondition(), y.asCondition()
		r.cond = func(f *frame) triState {
			switch c(f) {
			case triTrue:
				return a(f)
			case triFalse:
				return b(f)
			}
			return f.notBool()
		}
	case kindString:
		a, b := x.asTextFunc(), y.asTextFunc()
		r.text = func(f *frame) (string, bool) {
			switch c(f) {
			case triTrue:
				return a(f)
			case triFalse:
				return b(f)
			}
			f.notBool()
			return "", false
		}
	case kindInt:
		a, b := x.asIntFunc(), y.asIntFunc()
		r.num = func(f *frame) (int64, bool) {
			switch c(f) {
			case triTrue:
				return a(f)
			case triFalse:
				return b(f)
			}
			f.notBool()
			return 0, false
		}
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
	return func(f *frame) value { return withoutOrigin(run(f)) }
}

// withoutOrigin returns v. If it is an error that was found in data, it is no longer marked as such.
func withoutOrigin(v value) value {
	if v.failed() {
		v.bits = 0
	}
	return v
}

// planSize plans size(a).
func (p *planner) planSize(_ ast.Expr, args []ast.Expr) *part {
	a := p.plan(args[0]).asLength()
	return numberPart(func(f *frame) (int64, bool) {
		n, ok := a(f)
		f.charge(1)
		return n, ok
	})
}
