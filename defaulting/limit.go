package defaulting

import (
	"cmp"
	"fmt"
	"math"

	"github.com/crdkit/crdkit/internal/fill"
	"github.com/crdkit/crdkit/schema"
)

// A Limit bounds what defaults may add to an object. An API server has no such limit: an object of 3 MiB and a schema
// of a few kilobytes can make an object of gigabytes.
type Limit struct {
	Values int // scalars, lists and objects, and the objects that get any; 0: 2,000,000
	Bytes  int // of text, about as JSON; 0: 64 MiB
}

// budget returns the budget of one call with the limit l.
func (l Limit) budget() *fill.Budget { return fill.NewBudget(l.Values, l.Bytes, math.MaxInt) }

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
	left := limit.budget()
	out := fill.Filler{Nulls: nulls, Defaults: true, Left: left}.Object(root(s), obj)
	if !left.Spent() {
		return out, nil
	}
	return fill.Filler{Nulls: nulls, Left: left}.Object(root(s), obj), &LimitError{Limit{cmp.Or(limit.Values, fill.MaxValues), cmp.Or(limit.Bytes, fill.MaxBytes)}}
}
