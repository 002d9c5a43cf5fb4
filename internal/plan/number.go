package plan

import "math"

// NumberChecks are the checks of a number. An API server also checks each bound against the node's type and format: if
// it does not fit them, every value is refused (VAL-020).
type NumberChecks struct {
	// Ranged is the type and format that the value itself must fit.
	Ranged     Range
	Minimum    *Bound // nil: none
	Maximum    *Bound
	MultipleOf *Bound
	Former     bool // quotients of MultipleOf are integers as before Kubernetes 1.37
}

// A Bound is a minimum, a maximum, or the factor of multipleOf.
type Bound struct {
	Value      float64
	Int        int64 // Value truncated to an int64, to compare with integers (VAL-021)
	Exclusive  bool
	OutOfRange bool // Value does not fit the node's own type and format
}

// A Range is the range of numbers that the type and format of a node allow.
type Range uint8

// The ranges.
const (
	RangeAny   Range = iota
	RangeInt         // type integer, no format
	RangeInt32       // type integer, format int32
	RangeInt64       // type integer, format int64
	RangeFloat       // type number, format float
)

// A NumberFault is a set of the checks that a number fails.
type NumberFault uint8

// The faults of numbers, in the order in which they are reported. A bound that is out of range, and a bound that the
// number violates, are two faults; a number may have both.
const (
	ValueRange NumberFault = 1 << iota
	FactorRange
	FactorNotPositive
	NotMultiple
	MinimumRange
	BelowMinimum
	MaximumRange
	AboveMaximum
)

// Int returns the checks that v fails. Bounds that fit their type are compared without their fraction.
func (c *NumberChecks) Int(v int64) (faults NumberFault) {
	if c.Ranged == RangeInt32 && v != int64(int32(v)) {
		faults |= ValueRange
	}
	if b := c.MultipleOf; b != nil {
		switch {
		case b.OutOfRange:
			faults |= FactorRange | c.multipleFault(float64(v), b.Value)
		case b.Int <= 0:
			faults |= FactorNotPositive
		case v/b.Int*b.Int != v:
			faults |= NotMultiple
		}
	}
	if b := c.Minimum; b != nil {
		switch {
		case b.OutOfRange:
			faults |= MinimumRange | belowFault(float64(v), b)
		case v < b.Int || b.Exclusive && v == b.Int:
			faults |= BelowMinimum
		}
	}
	if b := c.Maximum; b != nil {
		switch {
		case b.OutOfRange:
			faults |= MaximumRange | aboveFault(float64(v), b)
		case v > b.Int || b.Exclusive && v == b.Int:
			faults |= AboveMaximum
		}
	}
	return faults
}

// Float returns the checks that v fails.
func (c *NumberChecks) Float(v float64) (faults NumberFault) {
	if !c.Ranged.holds(v) {
		faults |= ValueRange
	}
	if b := c.MultipleOf; b != nil {
		if b.OutOfRange {
			faults |= FactorRange
		}
		faults |= c.multipleFault(v, b.Value)
	}
	if b := c.Minimum; b != nil {
		if b.OutOfRange {
			faults |= MinimumRange
		}
		faults |= belowFault(v, b)
	}
	if b := c.Maximum; b != nil {
		if b.OutOfRange {
			faults |= MaximumRange
		}
		faults |= aboveFault(v, b)
	}
	return faults
}

func (c *NumberChecks) multipleFault(v, factor float64) NumberFault {
	if factor <= 0 {
		return FactorNotPositive
	}
	quotient := v / factor
	if factor < 1 {
		quotient = 1 / factor * v
	}
	whole := wholeEnough
	if c.Former {
		whole = formerlyWhole
	}
	if !whole(quotient) {
		return NotMultiple
	}
	return 0
}

func belowFault(v float64, b *Bound) NumberFault {
	if v < b.Value || b.Exclusive && v == b.Value {
		return BelowMinimum
	}
	return 0
}

func aboveFault(v float64, b *Bound) NumberFault {
	if v > b.Value || b.Exclusive && v == b.Value {
		return AboveMaximum
	}
	return 0
}

// holds reports whether f is in the range. For integers, that depends on its shortest decimal text.
func (r Range) holds(f float64) bool {
	switch r {
	case RangeInt32:
		return f == math.Trunc(f) && f >= math.MinInt32 && f <= math.MaxInt32
	case RangeInt, RangeInt64:
		return f == math.Trunc(f) && f > -1<<63 && f < 1<<63 // the shortest text of -2^63 is below the minimum of int64
	case RangeFloat:
		// The bound is half a step beyond the greatest float32. Its shortest text is a little smaller, and rounds down.
		return math.Abs(f) <= 0x1.ffffffp127
	}
	return true
}

// NewBound returns a bound of a node with range r, or nil for nil.
func NewBound(v *float64, exclusive bool, r Range) *Bound {
	if v == nil {
		return nil
	}
	return &Bound{Value: *v, Int: cutInt(*v), Exclusive: exclusive, OutOfRange: !r.holds(*v)}
}

// cutInt truncates f to an int64. If f is out of range, the result is the smallest int64, as on amd64, which servers
// run on; in Go it depends on the architecture (VAL-021).
func cutInt(f float64) int64 {
	if f >= -1<<63 && f < 1<<63 {
		return int64(f)
	}
	return math.MinInt64
}

// formerlyWhole is wholeEnough before Kubernetes 1.37. Of the numbers that are no integers, only those a little above a
// positive integer count as one: the server converts the number to an unsigned integer and compares the two.
func formerlyWhole(f float64) bool {
	const limit = 1<<53 - 1
	if !(f >= -limit && f <= limit) {
		return false
	}
	below := math.Trunc(f)
	return f == below || f > 1 && (f-below)/(f+below) < 1e-9
}

// wholeEnough reports whether f counts as an integer: its absolute value is at most 2^53 - 1, and it differs from the
// nearest integer by less than a billionth of it (VAL-011).
func wholeEnough(f float64) bool {
	const limit = 1<<53 - 1
	if !(f >= -limit && f <= limit) {
		return false
	}
	if f == math.Trunc(f) {
		return true
	}
	near := math.Round(f)
	return near != 0 && math.Abs(f-near) < 1e-9*math.Abs(near)
}
