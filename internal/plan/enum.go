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

// An Enum is the set of values that a node allows.
type Enum struct {
	Values []any // in the schema's order, nulls too

	scalars map[any]struct{} // those among many values; nil if the values are few

	detail, printed atomic.Pointer[string] // the results of the methods of these names, after the first call
}

// fewValues is the number of values up to which comparing with each is faster than a look-up.
const fewValues = 8

// NewEnum returns the set of values, or nil if there are none. They are kept, and not modified; each is nil, bool,
// int64, float64, string, []any or map[string]any.
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
// their JSON (VAL-013). It is made once.
func (e *Enum) Supported() string { return e.Detail()[len(supportedValues):] }

const supportedValues = "supported values: "

// Detail returns the detail of an error about a value that is none of those allowed: the supported values. It is made
// once, so that all errors of an enum share it.
func (e *Enum) Detail() string {
	return once(&e.detail, func() string { return supportedValues + e.list() })
}

// Printed returns the values as fmt prints them: two errors of enums are the same to a server if they agree in that
// (VAL-005). It is made once.
func (e *Enum) Printed() string {
	return once(&e.printed, func() string { return fmt.Sprint(e.Values) })
}

// once returns the text in p, which make makes. Several goroutines may make it at once, and it is always the same.
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
			b, _ := json.Marshal(v) // values of a compiled schema are JSON
			text = string(b)
		}
		quoted[i] = strconv.Quote(text)
	}
	return strings.Join(quoted, ", ")
}

// Has reports whether v is one of the values, by the rules of a server: v is first converted to the Go type of the
// value it is compared with. So a number is cut to an integer, and an integer is the text of its code point. Null is
// never one of them.
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

// hasText is has for a string. To compare strings is much faster than to compare interface values.
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

// codePoint is the text that Go converts an integer to; numbers that are no code point become U+FFFD.
func codePoint(x int64) string {
	if x != int64(rune(x)) {
		x = -1
	}
	return string(rune(x))
}
