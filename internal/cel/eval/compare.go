package eval

import (
	"cmp"
	"unicode/utf8"

	"github.com/crdkit/crdkit/internal/cel/ast"
	"github.com/crdkit/crdkit/internal/cel/types"

	"github.com/crdkit/crdkit/internal/cel/lib/text"
	"github.com/crdkit/crdkit/internal/since"
)

// kindOf returns the kind of all of the expressions, if the checker knows that it is bool, int or string; otherwise
// kindError.
func (p *planner) kindOf(exprs ...*ast.Expr) kind {
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
func (p *planner) planEqual(args []*ast.Expr, not bool) *part {
	a, b := p.plan(args[0]), p.plan(args[1])
	k := p.kindOf(args...)
	if c := b.constant; c != nil && !p.general && (c.kind == kindString || c.kind == kindInt) {
		k = c.kind
	}
	switch k {
	case kindString:
		return texts.equal(a, b, not)
	case kindInt:
		return ints.equal(a, b, not)
	case kindBool:
		return bools.equal(a, b, not)
	}
	x, y := a.run, b.run
	return bools.part(func(f *frame) (bool, bool) {
		return f.comparedWith(x(f), y, not)
	})
}

// comparedWith is l == y or l != y for values of any kind.
func (f *frame) comparedWith(l value, y evaluator, not bool) (b, ok bool) {
	r := value{}
	if !f.stops(l) { // the comparison costs something nevertheless
		r = y(f)
	}
	return f.compared(l, r, not)
}

// compared is l == r or l != r for values of any kind.
func (f *frame) compared(l, r value, not bool) (b, ok bool) {
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
		return f.bool(eq)
	case not:
		return !eq.isTrue(), true
	}
	return f.bool(eq)
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

// planOrder plans comparisons such as a < b.
func (p *planner) planOrder(e *ast.Expr, o ordering, args []*ast.Expr) *part {
	a, b := p.plan(args[0]), p.plan(args[1])
	o.sized = p.bySize(e)
	x, y := a.run, b.run
	toInt := !p.general && !o.sized && b.constant != nil && b.constant.kind == kindInt
	if toInt || p.kindOf(args...) == kindInt {
		return bools.part(o.ints(ints.as(a), ints.as(b), y))
	}
	return bools.part(func(f *frame) (bool, bool) {
		return o.with(f, x(f), y)
	})
}

// An ordering is one of the operators < <= > >=.
type ordering struct {
	name   string
	wanted [3]bool // the results for the orders -1, 0 and 1
	sized  bool    // the cost depends on the sizes of the operands
}

// ints plans a < b for ints. general is the evaluator of b.
func (o *ordering) ints(a, b typed[int64], general evaluator) typed[bool] {
	return func(f *frame) (bool, bool) {
		l, ok := a(f)
		if !ok {
			return o.with(f, f.other, general)
		}
		r, ok := b(f)
		if !ok {
			right := f.other
			return o.of(f, integer(l), right)
		}
		f.charge(1)
		return o.wanted[1+cmp.Compare(l, r)], true
	}
}

// with is the operator for a value of any kind and the result of y.
func (o *ordering) with(f *frame, l value, y evaluator) (b, ok bool) {
	if f.stops(l) {
		return f.bool(l)
	}
	return o.of(f, l, y(f))
}

// of is the operator for values of any kind.
func (o *ordering) of(f *frame, l, r value) (b, ok bool) {
	if f.stops(r) {
		return f.bool(r)
	}
	if o.sized {
		f.charge(c1(lesserSize(l, r)))
	} else {
		f.charge(1)
	}
	switch {
	case l.kind == kindInt && r.kind == kindInt:
		return o.wanted[1+cmp.Compare(l.int(), r.int())], true
	case l.failed():
		return f.bool(l)
	case r.failed():
		return f.bool(r)
	case !l.ordered():
		return f.bool(failure("no such overload: " + o.name))
	}
	c, fault := f.compare(l, r)
	switch {
	case !fault.failed():
	case (l.isNaN() || r.isNaN()) && l.isNumber() && r.isNumber() && f.profile.Has(since.UnorderedNaN):
		return false, true
	default:
		return f.bool(fault)
	}
	return o.wanted[1+c], true
}
