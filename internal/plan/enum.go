package plan

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/crdkit/crdkit/internal/jsonval"
)

// An Enum is the list of values that a node allows.
type Enum struct {
	Values []any // in the schema's order, nulls too

	scalars map[any]struct{} // those in Values; nil if there are few values

	detail, printed atomic.Pointer[string] // cached results of Listed and Printed
}

// fewValues is the number of values up to which a linear search is faster than a map.
const fewValues = 8

// NewEnum returns the set of values, or nil if there are none. The Enum keeps values. Each is nil, bool, int64,
// float64, string, []any or map[string]any.
func NewEnum(values []any) *Enum {
	if len(values) == 0 {
		return nil
	}
	e := &Enum{Values: values}
	if len(values) <= fewValues {
		return e
	}
	e.scalars = map[any]struct{}{}
	for _, v := range values {
		if !jsonval.IsContainer(v) {
			e.scalars[v] = struct{}{}
		}
	}
	return e
}

// Supported returns the values as an error lists them: each quoted, separated by commas; those that are not strings as
// their JSON (VAL-013). The text is built once.
func (e *Enum) Supported() string { return e.Listed()[len(supportedValues):] }

const supportedValues = "supported values: "

// Listed returns the detail of an error about a value that is not allowed: the supported values. The text is built
// once, and all errors of an enum share it.
func (e *Enum) Listed() string {
	return once(&e.detail, func() string { return supportedValues + e.list() })
}

// Printed returns the values as fmt prints them. For a server, errors of enums with the same printed values are
// duplicates (VAL-005). The text is built once.
func (e *Enum) Printed() string {
	return once(&e.printed, func() string { return fmt.Sprint(e.Values) })
}

// once returns the text in p, which it builds with make on the first call. Several goroutines may build it at the same
// time, with the same result.
func once(p *atomic.Pointer[string], make func() string) string {
	text := p.Load()
	if text == nil {
		made := make()
		text = &made
		p.Store(text)
	}
	return *text
}

func (e *Enum) list() string {
	quoted := make([]string, len(e.Values))
	for i, v := range e.Values {
		text, ok := v.(string)
		if !ok {
			b, _ := json.Marshal(v) // no error: values of a compiled schema are JSON
			text = string(b)
		}
		quoted[i] = strconv.Quote(text)
	}
	return strings.Join(quoted, ", ")
}

// Has reports whether v is one of the values. Like a server, it first converts v to the Go type of the value that it is
// compared with: a float is truncated to an integer, and an integer becomes the string of its code point. Null is never
// one of the values.
func (e *Enum) Has(v any) bool {
	switch x := v.(type) {
	case nil:
		return false
	case bool:
		return e.has(v)
	case string:
		return e.hasText(x)
	case int64:
		return e.has(v) || e.has(float64(x)) || e.hasText(codePoint(x))
	case float64:
		return e.has(v) || e.has(cutInt(x))
	}
	return slices.ContainsFunc(e.Values, func(w any) bool { return jsonval.Equal(v, w) })
}

// has reports whether a scalar is one of the values.
func (e *Enum) has(scalar any) bool {
	if e.scalars != nil {
		_, found := e.scalars[scalar]
		return found
	}
	return slices.Contains(e.Values, scalar)
}

// hasText is has for a string. Comparing strings is much faster than comparing interface values.
func (e *Enum) hasText(s string) bool {
	if e.scalars != nil {
		return e.has(s)
	}
	for _, v := range e.Values {
		if t, ok := v.(string); ok && t == s {
			return true
		}
	}
	return false
}

// codePoint returns the string that Go converts an integer to. A number that is not a code point becomes U+FFFD.
func codePoint(x int64) string {
	if x != int64(rune(x)) {
		x = -1
	}
	return string(rune(x))
}
