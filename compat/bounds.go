package compat

import (
	"math"
	"slices"

	"github.com/crdkit/crdkit/internal/plan"
)

// below reports whether all numbers of f are proved to be within a maximum.
func (f *facts) withinMaximum(b *plan.Bound) bool {
	if b.OutOfRange {
		return false
	}
	ints := func(a *plan.Bound) bool {
		return a.Int < b.Int || a.Int == b.Int && (a.Exclusive || !b.Exclusive) || a.Exclusive && !b.Exclusive && a.Int-1 == b.Int && a.Int > math.MinInt64
	}
	floats := func(a *plan.Bound) bool {
		return a.Value < b.Value || a.Value == b.Value && (a.Exclusive || !b.Exclusive)
	}
	return f.impliesBound(b, ints, floats, f.upper, &plan.Bound{Value: math.MaxInt32, Int: math.MaxInt32})
}

// above is below for a minimum.
func (f *facts) withinMinimum(b *plan.Bound) bool {
	if b.OutOfRange {
		return false
	}
	ints := func(a *plan.Bound) bool {
		return a.Int > b.Int || a.Int == b.Int && (a.Exclusive || !b.Exclusive) || a.Exclusive && !b.Exclusive && b.Int-1 == a.Int && b.Int > math.MinInt64
	}
	floats := func(a *plan.Bound) bool {
		return a.Value > b.Value || a.Value == b.Value && (a.Exclusive || !b.Exclusive)
	}
	return f.impliesBound(b, ints, floats, f.lower, &plan.Bound{Value: math.MinInt32, Int: math.MinInt32})
}

// bounded reports whether one of f's own bounds implies b, for each kind of number that f accepts. int32 is the bound of that format.
func (f *facts) impliesBound(b *plan.Bound, ints, floats func(own *plan.Bound) bool, own []*plan.Bound, int32 *plan.Bound) bool {
	if slices.Contains(f.ranged, plan.RangeInt32) {
		own = append(own[:len(own):len(own)], int32)
	}
	return (f.accept&plan.KindInt == 0 || slices.ContainsFunc(own, ints)) && (f.accept&(plan.KindWhole|plan.KindFloat) == 0 || slices.ContainsFunc(own, func(a *plan.Bound) bool {
		return floats(a) || f.accept&plan.KindFloat == 0 && wholeBound(a) && wholeBound(b) && ints(a)
	}))
}

// wholeBound reports whether a bound is cut to itself, exactly.
func wholeBound(b *plan.Bound) bool {
	return b.Value == math.Trunc(b.Value) && math.Abs(b.Value) < 1<<53
}

// multiples reports whether all numbers of f are proved to be multiples of a factor.
func (f *facts) impliesMultipleOf(b *plan.Bound) bool {
	switch {
	case b.OutOfRange || b.Value <= 0:
		return false
	case b.Value == 1 && f.accept&plan.KindFloat == 0:
		return true
	}
	return slices.ContainsFunc(f.factors, func(a *plan.Bound) bool {
		return !a.OutOfRange && (a.Value == b.Value || f.accept&plan.KindFloat == 0 && wholeBound(a) && wholeBound(b) && a.Int > 0 && a.Int%b.Int == 0)
	})
}

// breaks reports whether v is a number that fails the checks.
func violates(c *plan.NumberChecks, v any) bool {
	switch x := v.(type) {
	case int64:
		return c.Int(x) != 0
	case float64:
		return c.Float(x) != 0
	}
	return false
}

func asFloat(v any) (float64, bool) {
	switch x := v.(type) {
	case int64:
		return float64(x), true
	case float64:
		return x, true
	}
	return 0, false
}
