package compat

import (
	"slices"

	"github.com/crdkit/crdkit/internal/plan"
)

// emptyDepth bounds how deep a proof that a location accepts nothing looks.
const emptyDepth = 3

// empty reports whether f is proved to accept nothing.
func (f *facts) empty(depth int) bool {
	if f.accept == 0 {
		return true
	}
	if depth <= 0 {
		return false
	}
	if values, ok := f.finite(); ok {
		return len(values) == 0
	}
	kinds := f.accept
	if f.minLen > f.maxLen || f.noTextOfLength(f.minLen, f.maxLen) {
		kinds &^= plan.KindString
	}
	if f.minItems > f.maxItems || f.minItems > 0 && f.below(items).provedEmpty(depth-1) {
		kinds &^= plan.KindArray
	}
	if f.minProps > f.maxProps || f.maxProps < int64(len(f.required)) || f.minProps > 0 && f.closed() && int64(len(f.declaredNames())) < f.minProps {
		kinds &^= plan.KindObject
	}
	emptyField := func(name string) bool { return f.below(property(name)).provedEmpty(depth - 1) }
	if kinds&plan.KindObject != 0 && slices.ContainsFunc(f.required, emptyField) {
		kinds &^= plan.KindObject
	}
	kinds &^= f.emptyNumberKinds()
	return kinds == 0
}

// provedEmpty reports whether the schema at l is proved to accept nothing.
func (l *location) provedEmpty(depth int) bool {
	return !l.pruned() && !l.preserved && l.proofs.spend(1+len(l.branches)) && factsOf(l).empty(depth)
}

// emptyNumberKinds returns the kinds of numbers of which none is within the bounds. No number satisfies a bound that
// its type cannot hold (VAL-021).
func (f *facts) emptyNumberKinds() (kinds plan.Kinds) {
	if slices.ContainsFunc(slices.Concat(f.lower, f.upper, f.factors), func(b *plan.Bound) bool { return b.OutOfRange }) {
		return numbers
	}
	for _, lo := range f.lower {
		for _, hi := range f.upper {
			if lo.Int > hi.Int || lo.Int == hi.Int && (lo.Exclusive || hi.Exclusive) {
				kinds |= plan.KindInt
			}
			if lo.Value > hi.Value || lo.Value == hi.Value && (lo.Exclusive || hi.Exclusive) {
				kinds |= plan.KindWhole | plan.KindFloat
			}
		}
	}
	return kinds
}
