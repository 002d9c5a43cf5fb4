package plan

// Kinds is a set of the kinds of values that a schema distinguishes.
type Kinds uint8

// The kinds of values. A float64 that counts as an integer is KindWhole, any other is KindFloat (VAL-011).
const (
	KindNull Kinds = 1 << iota
	KindBool
	KindInt
	KindWhole
	KindFloat
	KindString
	KindArray
	KindObject

	NumberKinds       = KindInt | KindWhole | KindFloat
	AllKinds    Kinds = 0xff
)

// KindOf returns the kind of v among those that a schema distinguishes, and 0 for a value of another Go type and for
// NaN and infinities, which no JSON document has.
func KindOf(v any) Kinds {
	switch x := v.(type) {
	case nil:
		return KindNull
	case bool:
		return KindBool
	case int64:
		return KindInt
	case float64:
		return FloatKind(x)
	case string:
		return KindString
	case []any:
		return KindArray
	case map[string]any:
		return KindObject
	}
	return 0
}

// KindOf is the function [KindOf] for a value at n.
func (n *Node) KindOf(v any) Kinds {
	if f, ok := v.(float64); ok {
		return n.FloatKind(f)
	}
	return KindOf(v)
}

// FloatKind is the function [FloatKind] for a number at n.
func (n *Node) FloatKind(f float64) Kinds {
	kind := FloatKind(f)
	if n.Has&FormerIntegers == 0 || kind == 0 {
		return kind
	}
	if formerlyWhole(f) {
		return KindWhole
	}
	return KindFloat
}

// FloatKind returns KindWhole for a float64 that counts as an integer, KindFloat for another, and 0 for NaN and
// infinities.
func FloatKind(f float64) Kinds {
	switch {
	case f-f != 0:
		return 0
	case wholeEnough(f):
		return KindWhole
	}
	return KindFloat
}
