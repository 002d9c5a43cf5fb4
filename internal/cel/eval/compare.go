package eval

import (
	"unicode/utf8"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"

	"github.com/crdkit/crdkit/internal/cel/text"
)

// kindOf returns the kind of all of the expressions, if the checker knows that it is bool, int or string; otherwise
// kindError.
func (p *planner) kindOf(exprs ...ast.Expr) kind {
	all := kindError
	if p.general {
		return all
	}
	for i, e := range exprs {
		k := kindError
		if t := p.ast.GetType(e.ID()); t != nil {
			switch t.Kind() {
			case types.BoolKind:
				k = kindBool
			case types.IntKind:
				k = kindInt
			case types.StringKind:
				k = kindString
			}
		}
		if i > 0 && k != all {
			return kindError
		}
		all = k
	}
	return all
}

// planEqual plans a == b and a != b.
func (p *planner) planEqual(args []ast.Expr, not bool) *part {
	a, b := p.plan(args[0]), p.plan(args[1])
	if c := b.constant; c != nil && !p.general {
		switch c.kind {
		case kindString:
			return conditionPart(equalText(a.asTextFunc(), c.str(), not))
		case kindInt:
			return conditionPart(equalInt(a.asIntFunc(), *c, not))
		}
	}
	switch p.kindOf(args...) {
	case kindString:
		return conditionPart(equalTexts(a.asTextFunc(), b.asTextFunc(), b.run, not))
	case kindInt:
		return conditionPart(equalInts(a.asIntFunc(), b.asIntFunc(), b.run, not))
	case kindBool:
		return conditionPart(equalBools(a.asCondition(), b.asCondition(), b.run, not))
	}
	x, y := a.run, b.run
	return conditionPart(func(f *frame) triState {
		l := x(f)
		return f.compared(l, y(f), not)
	})
}

// compared is l == r or l != r for values of any kind.
func (f *frame) compared(l, r value, not bool) triState {
	eq := l
	switch {
	case l.failed():
	case r.failed():
		eq = r
	default:
		eq = f.equal(l, r)
	}
	f.charge(equalCost(l, r, not))
	switch {
	case l.failed() || r.failed():
		return f.asTriState(eq)
	case not:
		return triStateOf(!eq.isTrue())
	}
	return f.asTriState(eq)
}

// equalText plans a == 'text'.
func equalText(a textFunc, s string, not bool) condition {
	want := textValue(s)
	size := want.size(false)
	return func(f *frame) triState {
		mine, ok := a(f)
		if !ok {
			return f.compared(f.other, want, not)
		}
		switch n := int64(len(mine)); {
		case n <= 10 || size <= 10:
			f.charge(min(n, size, 1))
		default:
			f.charge(c1(min(lenUpTo(mine, size), size)))
		}
		return triStateOf((mine == s) != not)
	}
}

// equalTexts plans a == b for strings. general is the evaluator of b.
func equalTexts(a, b textFunc, general evaluator, not bool) condition {
	return func(f *frame) triState {
		l, ok := a(f)
		if !ok {
			left := f.other
			return f.compared(left, general(f), not)
		}
		r, ok := b(f)
		if !ok {
			right := f.other
			return f.compared(f.text(l), right, not)
		}
		f.charge(textsCost(l, r))
		return triStateOf((l == r) != not)
	}
}

// textsCost is the cost of comparing two strings (CRC-025).
func textsCost(l, r string) int64 {
	if n := min(len(l), len(r)); n <= 10 {
		return int64(min(n, 1))
	}
	return c1(lesserLen(l, r))
}

// lesserLen returns the smaller of the lengths of two strings.
func lesserLen(s, t string) int64 {
	if len(s) > len(t) {
		s, t = t, s
	}
	n := text.Len(s)
	return min(n, lenUpTo(t, n))
}

// lenUpTo returns the length of s, or n if the length is certainly not less. A long string need not be read.
func lenUpTo(s string, n int64) int64 {
	if int64(len(s)) >= utf8.UTFMax*n {
		return n
	}
	return text.Len(s)
}

// lesserSize returns the smaller of the sizes of two values.
func lesserSize(l, r value) int64 {
	if l.kind == kindString && r.kind == kindString {
		return lesserLen(l.str(), r.str())
	}
	return min(l.size(true), r.size(true))
}

// equalInt plans a == 1.
func equalInt(a intFunc, want value, not bool) condition {
	n := want.int()
	return func(f *frame) triState {
		i, ok := a(f)
		if !ok {
			return f.compared(f.other, want, not)
		}
		f.charge(1)
		return triStateOf((i == n) != not)
	}
}

// equalInts plans a == b for ints. general is the evaluator of b.
func equalInts(a, b intFunc, general evaluator, not bool) condition {
	return func(f *frame) triState {
		l, ok := a(f)
		if !ok {
			left := f.other
			return f.compared(left, general(f), not)
		}
		r, ok := b(f)
		if !ok {
			right := f.other
			return f.compared(integer(l), right, not)
		}
		f.charge(1)
		return triStateOf((l == r) != not)
	}
}

// equalBools plans a == b for bools. general is the evaluator of b.
func equalBools(a, b condition, general evaluator, not bool) condition {
	return func(f *frame) triState {
		l := a(f)
		if l == triNone {
			left := f.other
			return f.compared(left, general(f), not)
		}
		r := b(f)
		if r == triNone {
			right := f.other
			return f.compared(boolean(l == triTrue), right, not)
		}
		f.charge(1)
		return triStateOf((l == r) != not)
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
		if r.kind == kindString {
			return textsCost(l.str(), r.str())
		}
	}
	return c1(lesserSize(l, r))
}

// planOrder plans a < b and the like.
func (p *planner) planOrder(e ast.Expr, o ordering, args []ast.Expr) *part {
	a, b := p.plan(args[0]), p.plan(args[1])
	o.sized = p.bySize(e)
	x, y := a.run, b.run
	switch {
	case !p.general && !o.sized && b.constant != nil && b.constant.kind == kindInt:
		return conditionPart(o.toInt(a.asIntFunc(), *b.constant))
	case p.kindOf(args...) == kindInt:
		return conditionPart(o.ints(a.asIntFunc(), b.asIntFunc(), y))
	}
	return conditionPart(func(f *frame) triState {
		l := x(f)
		return o.of(f, l, y(f))
	})
}

// An ordering is one of the operators < <= > >=.
type ordering struct {
	name   string
	wanted [3]triState // the results for the orders -1, 0 and 1
	sized  bool        // the cost depends on the sizes of the operands
}

// toInt plans a < 1.
func (o *ordering) toInt(a intFunc, than value) condition {
	n, wanted := than.int(), o.wanted
	return func(f *frame) triState {
		i, ok := a(f)
		if !ok {
			return o.of(f, f.other, than)
		}
		f.charge(1)
		return wanted[1+order(i, n)]
	}
}

// ints plans a < b for ints. general is the evaluator of b.
func (o *ordering) ints(a, b intFunc, general evaluator) condition {
	return func(f *frame) triState {
		l, ok := a(f)
		if !ok {
			left := f.other
			return o.of(f, left, general(f))
		}
		r, ok := b(f)
		if !ok {
			right := f.other
			return o.of(f, integer(l), right)
		}
		f.charge(1)
		return o.wanted[1+order(l, r)]
	}
}

// of is the operator for values of any kind.
func (o *ordering) of(f *frame, l, r value) triState {
	if o.sized {
		f.charge(c1(lesserSize(l, r)))
	} else {
		f.charge(1)
	}
	switch {
	case l.kind == kindInt && r.kind == kindInt:
		return o.wanted[1+order(l.int(), r.int())]
	case l.failed():
		return f.asTriState(l)
	case r.failed():
		return f.asTriState(r)
	case !l.ordered():
		return f.asTriState(failure("no such overload: " + o.name))
	}
	c, fault := f.compare(l, r)
	if fault.failed() {
		return f.asTriState(fault)
	}
	return o.wanted[1+c]
}
