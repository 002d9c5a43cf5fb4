package fill

import "cmp"

// The limits of what defaults may add to one object, unless a caller sets others.
const (
	MaxValues = 2_000_000
	MaxBytes  = 64 << 20
)

// A Budget is what defaults may still add to an object.
type Budget struct {
	Values int // scalars, lists and objects, and the objects that get any
	Bytes  int // of text, about as JSON
	// Visits is how many values a walk may still visit. It matters for Go values in which a part occurs in many places.
	Visits int
}

// NewBudget returns a budget for one object. Zero values and bytes are the defaults.
func NewBudget(values, bytes, visits int) *Budget {
	return &Budget{Values: cmp.Or(values, MaxValues), Bytes: cmp.Or(bytes, MaxBytes), Visits: visits}
}

// Spent reports whether the defaults exceed the budget. Then the result of a Filler is incomplete.
func (b *Budget) Spent() bool { return b.Values < 0 || b.Bytes < 0 || b.Visits < 0 }

// take subtracts a value from the budget, and stops when that is spent. It is called before the value is copied.
func (b *Budget) take(v any) {
	if b.Values--; b.Spent() {
		return
	}
	switch x := v.(type) {
	case string:
		b.Bytes -= len(x) + 2
	case map[string]any:
		for k, member := range x {
			b.Bytes -= len(k) + 4
			if b.take(member); b.Spent() {
				return
			}
		}
	case []any:
		for _, item := range x {
			b.Bytes--
			if b.take(item); b.Spent() {
				return
			}
		}
	default:
		b.Bytes -= 5
	}
}
