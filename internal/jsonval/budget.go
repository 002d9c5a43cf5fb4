package jsonval

import "github.com/crdkit/crdkit/field"

// A Budget is the size and the work that are left for a walk through a value. Its methods subtract the size of a part
// of the value, and report whether the budget was sufficient.
//
// A decoded value is a tree whose size is linear in its text. A Go value may hold one list in several places, and that
// list another one, so a walk through it may take exponential time although the value takes little memory.
type Budget struct {
	Size int // in the units of MaxSize
	Work int // steps of operations that are not linear in the value: pattern matches, and branches of combinators
}

// NewBudget returns the budget for one value.
func NewBudget() Budget { return Budget{MaxSize, MaxWork} }

// MaxSize is the maximum size of an object: 16 MiB of text in keys and strings, or four million numbers. A server
// accepts no text of more than 3 MiB, which always decodes to less than this.
const MaxSize = 128 << 20

// MaxWork is the maximum number of steps of work in a walk: one or two seconds.
const MaxWork = 1 << 27

// The sizes of the parts of a value, in bytes: about the memory that they take. A byte of text may take six when it is
// encoded.
const (
	valueSize = 32  // of each value in a list or a map
	mapSize   = 192 // of a map that is not empty
	byteSize  = 8   // of each byte in a text
)

// Map subtracts the size of m, without its keys and values.
func (b *Budget) Map(m map[string]any) bool {
	if len(m) > 0 {
		b.Size -= mapSize + valueSize*len(m)
	}
	return b.Size >= 0
}

// List subtracts the size of l, without its values.
func (b *Budget) List(l []any) bool {
	b.Size -= valueSize * len(l)
	return b.Size >= 0
}

// Text subtracts the size of s.
func (b *Budget) Text(s string) bool {
	b.Size -= byteSize * len(s)
	return b.Size >= 0
}

// TooLarge returns the error for a value at that path that is larger than [MaxSize], or nil. It counts only the first
// [MaxDepth] levels.
func TooLarge(at *field.Path, v any) *field.Error {
	b := NewBudget()
	if b.Each(v, MaxDepth, 1, func(any, int) bool { return true }) {
		return nil
	}
	return field.Invalid(at, field.OmitValue, tooLarge)
}

// TooDeep reports whether v contains itself, is deeper than [MaxDepth] or larger than [MaxSize]. It does not examine
// foreign values.
func TooDeep(v any) bool {
	b := NewBudget()
	return !b.Each(v, MaxDepth, 1, func(v any, _ int) bool { return !IsContainer(v) })
}

// IsContainer reports whether v is a list or a map.
func IsContainer(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}

// Each subtracts the size of v, and calls other with each float64 and each foreign value in it. For each level of lists
// and maps it subtracts step from depth. Lists and maps at which depth is used up are not entered, but passed to other.
// It ends when the budget is exceeded or other returns false, and reports whether neither happened.
func (b *Budget) Each(v any, depth, step int, other func(v any, depth int) bool) bool {
	switch x := v.(type) {
	case nil, bool, int64:
		return true
	case string:
		return b.Text(x)
	case map[string]any:
		if depth <= 0 {
			break
		}
		if !b.Map(x) {
			return false
		}
		for k, e := range x {
			if !b.Text(k) || !b.Each(e, depth-step, step, other) {
				return false
			}
		}
		return true
	case []any:
		if depth <= 0 {
			break
		}
		if !b.List(x) {
			return false
		}
		for _, e := range x {
			if !b.Each(e, depth-step, step, other) {
				return false
			}
		}
		return true
	}
	return other(v, depth)
}
