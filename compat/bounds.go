package compat

import (
	"cmp"
	"math"
	"slices"

	"github.com/crdkit/crdkit/internal/plan"
)

// An integer is compared with a bound that is cut to an integer, another number with the bound itself (VAL-021).

// withinMaximum reports whether all numbers of f are proved to satisfy a maximum.
func (f *facts) withinMaximum(b *plan.Bound) bool { return f.impliesBound(b, f.upper, &maxInt32, 1) }

// withinMinimum reports whether all numbers of f are proved to satisfy a minimum.
func (f *facts) withinMinimum(b *plan.Bound) bool { return f.impliesBound(b, f.lower, &minInt32, -1) }

// The bounds of the format int32.
var (
	minInt32 = plan.Bound{Value: math.MinInt32, Int: math.MinInt32}
	maxInt32 = plan.Bound{Value: math.MaxInt32, Int: math.MaxInt32}
)

// impliesBound reports whether one of the bounds own of f, or that of its format, implies b for each kind of number
// that f accepts. up is 1 for a maximum and -1 for a minimum.
func (f *facts) impliesBound(b *plan.Bound, own []*plan.Bound, int32 *plan.Bound, up int) bool {
	if b.OutOfRange {
		return false
	}
	if slices.Contains(f.ranged, plan.RangeInt32) {
		own = append(own[:len(own):len(own)], int32)
	}
	tighter := func(a *plan.Bound, order int) bool { // order is that of the values of a and b
		return up*order < 0 || order == 0 && (a.Exclusive || !b.Exclusive)
	}
	ints := func(a *plan.Bound) bool {
		return tighter(a, cmp.Compare(a.Int, b.Int)) || a.Exclusive && !b.Exclusive && a.Int-int64(up) == b.Int
	}
	floats := func(a *plan.Bound) bool {
		return tighter(a, cmp.Compare(a.Value, b.Value)) ||
			f.accept&plan.KindFloat == 0 && isWhole(a.Value) && isWhole(b.Value) && ints(a)
	}
	return (f.accept&plan.KindInt == 0 || slices.ContainsFunc(own, ints)) &&
		(f.accept&(plan.KindWhole|plan.KindFloat) == 0 || slices.ContainsFunc(own, floats))
}

// tightest returns the bound that implies the others: the first that no number satisfies, or else the least maximum, if
// up is 1, or the greatest minimum, if it is -1. It returns none if there are none.
func tightest(bounds []*plan.Bound, up int) []*plan.Bound {
	var least *plan.Bound
	for _, b := range bounds {
		switch {
		case b.OutOfRange:
			return []*plan.Bound{b}
		case least == nil || up*cmp.Compare(b.Value, least.Value) < 0 || b.Value == least.Value && b.Exclusive:
			least = b
		}
	}
	if least == nil {
		return nil
	}
	return []*plan.Bound{least}
}

// isWhole reports whether f is a whole number that a float64 holds exactly.
func isWhole(f float64) bool { return f == math.Trunc(f) && math.Abs(f) < 1<<53 }

// impliesMultipleOf reports whether all numbers of f are proved to be multiples of b.
func (f *facts) impliesMultipleOf(b *plan.Bound) bool {
	switch {
	case b.OutOfRange || b.Value <= 0:
		return false
	case b.Value == 1 && f.accept&plan.KindFloat == 0:
		return true
	}
	return slices.ContainsFunc(f.factors, func(a *plan.Bound) bool {
		return !a.OutOfRange && (a.Value == b.Value ||
			f.accept&plan.KindFloat == 0 && isWhole(a.Value) && isWhole(b.Value) && a.Int > 0 && a.Int%b.Int == 0)
	})
}

// withinRange reports whether all numbers of f are proved to be within the range of a format.
func (f *facts) withinRange(r plan.Range) bool {
	whole := f.accept&plan.KindFloat == 0
	switch {
	case r == plan.RangeAny || r == plan.RangeInt || slices.Contains(f.ranged, r):
		return true
	case r == plan.RangeInt64:
		return whole
	}
	return r == plan.RangeInt32 && whole && f.withinMinimum(&minInt32) && f.withinMaximum(&maxInt32)
}

// violates reports whether v is a number that fails the checks.
func violates(c *plan.NumberChecks, v any) bool {
	switch x := v.(type) {
	case int64:
		return c.Int(x) != 0
	case float64:
		return c.Float(x) != 0
	}
	return false
}
