package defaulting

import (
	"fmt"

	"github.com/crdkit/crdkit/schema"
)

// A Limit is how much defaults may add to an object. An API server has no such limit: an object of 3 MiB and a schema of a few
// kilobytes can make an object of gigabytes.
type Limit struct {
	Values int // scalars, lists and objects, and the objects that get any; 0: DefaultValues
	Bytes  int // of text, about as JSON; 0: DefaultBytes
}

// The limit where none is given.
const (
	DefaultValues = 2_000_000
	DefaultBytes  = 64 << 20
)

// orDefault returns l with the defaults in the place of zeros.
func (l Limit) orDefault() Limit {
	if l.Values == 0 {
		l.Values = DefaultValues
	}
	if l.Bytes == 0 {
		l.Bytes = DefaultBytes
	}
	return l
}

// A LimitError says that the defaults of an object are more than a limit. The limit is the one that was asked for, with the defaults in the
// place of zeros.
type LimitError struct{ Limit Limit }

func (e *LimitError) Error() string {
	return fmt.Sprintf("the object's defaults are more than %d values or %d bytes", e.Limit.Values, e.Limit.Bytes)
}

// DefaultWithin is [Default] with another limit. Where the defaults are more, it returns obj without nulls and without any default, as
// Default does, and a [*LimitError].
func DefaultWithin(s *schema.Structural, obj map[string]any, limit Limit) (map[string]any, error) {
	return within(s, obj, limit, true)
}

// FillWithin is [Fill] with another limit. Where the defaults are more, it returns obj, as Fill does, and a [*LimitError].
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

// spent reports whether l, which is what is left of a limit, is not enough.
func (l *Limit) spent() bool { return l.Values < 0 || l.Bytes < 0 }

// take takes a value off what is left, and stops where that is spent. It is called before the value is copied.
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
