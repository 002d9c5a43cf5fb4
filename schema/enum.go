package schema

import "github.com/crdkit/crdkit/internal/jsonval"

// An Enum is the set of values that a node allows.
type Enum struct {
	Values []any // in the schema's order, nulls too
	texts  map[string]struct{}
}

// fewTexts is up to how many strings a comparison of each beats a look-up.
const fewTexts = 8

func newEnum(values []any) *Enum {
	if len(values) == 0 {
		return nil
	}
	e := &Enum{Values: values}
	if len(values) > fewTexts {
		e.texts = make(map[string]struct{}, len(values))
		for _, v := range values {
			if s, ok := v.(string); ok {
				e.texts[s] = struct{}{}
			}
		}
	}
	return e
}

// Has reports whether v is one of the values, by the rules of a server: v is first converted to the Go type of the value it is
// compared with. So a number is cut to an integer, and an integer is the text of its code point. Null is never one of them.
//
// Clauses: VAL-013.
func (e *Enum) Has(v any) bool {
	switch x := v.(type) {
	case nil:
		return false
	case string:
		return e.hasText(x)
	case int64:
		for _, w := range e.Values {
			switch y := w.(type) {
			case int64:
				if x == y {
					return true
				}
			case float64:
				if float64(x) == y {
					return true
				}
			case string:
				if codePoint(x) == y {
					return true
				}
			}
		}
	case float64:
		for _, w := range e.Values {
			switch y := w.(type) {
			case int64:
				if cutInt(x) == y {
					return true
				}
			case float64:
				if x == y {
					return true
				}
			}
		}
	default:
		for _, w := range e.Values {
			if w != nil && jsonval.Equal(x, w) {
				return true
			}
		}
	}
	return false
}

func (e *Enum) hasText(s string) bool {
	if e.texts != nil {
		_, ok := e.texts[s]
		return ok
	}
	for _, w := range e.Values {
		if t, ok := w.(string); ok && t == s {
			return true
		}
	}
	return false
}

// codePoint is the text that Go converts an integer to; numbers that are no code point become U+FFFD.
func codePoint(x int64) string {
	if x != int64(rune(x)) {
		x = -1
	}
	return string(rune(x))
}
