package defaulting

import (
	"fmt"

	"github.com/crdkit/crdkit/schema"
)

// A Limit bounds what defaults may add to an object. An API server has no such limit: an object of 3 MiB and a schema
// of a few kilobytes can make an object of gigabytes.
type Limit struct {
	Values int // scalars, lists and objects, and the objects that get any; 0: 2,000,000
	Bytes  int // of text, about as JSON; 0: 64 MiB
}

// orDefault returns l with zeros replaced by the defaults.
func (l Limit) orDefault() Limit {
	if l.Values == 0 {
		l.Values = 2_000_000
	}
	if l.Bytes == 0 {
		l.Bytes = 64 << 20
	}
	return l
}

// A LimitError reports that the defaults of an object exceed a limit. Limit is the requested limit, with zeros replaced
// by the defaults.
type LimitError struct{ Limit Limit }

func (e *LimitError) Error() string {
	return fmt.Sprintf("the object's defaults are more than %d values or %d bytes", e.Limit.Values, e.Limit.Bytes)
}

// DefaultWithin is [Default] with another limit. If the defaults exceed it, it returns a [*LimitError] and, as Default
// does, obj without nulls and without any default.
func DefaultWithin(s *schema.Structural, obj map[string]any, limit Limit) (map[string]any, error) {
	return within(s, obj, limit, true)
}

// FillWithin is [Fill] with another limit. If the defaults exceed it, it returns a [*LimitError] and, as Fill does,
// obj.
func FillWithin(s *schema.Structural, obj map[string]any, limit Limit) (map[string]any, error) {
	return within(s, obj, limit, false)
}

func within(s *schema.Structural, obj map[string]any, limit Limit, nulls bool) (map[string]any, error) {
	limit = limit.orDefault()
	left := limit
	out := filler{nulls: nulls, fill: true, left: &left}.whole(s, obj)
	if !left.spent() {
		return out, nil
	}
	return filler{nulls: nulls, left: &left}.whole(s, obj), &LimitError{limit}
}

// spent reports whether l, the rest of a limit, is exceeded.
func (l *Limit) spent() bool { return l.Values < 0 || l.Bytes < 0 }

// take subtracts a value from the rest, and stops when it is exceeded. It is called before the value is copied.
func (l *Limit) take(v any) {
	if l.Values--; l.spent() {
		return
	}
	switch x := v.(type) {
	case string:
		l.Bytes -= len(x) + 2
	case map[string]any:
		for k, member := range x {
			l.Bytes -= len(k) + 4
			if l.take(member); l.spent() {
				return
			}
		}
	case []any:
		for _, item := range x {
			l.Bytes--
			if l.take(item); l.spent() {
				return
			}
		}
	default:
		l.Bytes -= 5
	}
}
