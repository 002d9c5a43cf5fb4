package sample

import (
	"context"
	"iter"
	"math"
	"regexp"
	"strconv"

	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/schema"
)

// Values that are like a valid one are often valid, too: the items of a set must differ, and each must meet the same
// rules.

var digits = regexp.MustCompile(`[0-9]+`)

// maxAlike is the maximum number of values for each number in a text.
const maxAlike = 10

// likewise yields v and different scalars that are like it: a number in a text is counted up, the last one first.
func likewise(v any) iter.Seq[any] {
	return func(yield func(any) bool) {
		if !yield(v) {
			return
		}
		switch x := v.(type) {
		case int64:
			for i := int64(1); i <= maxAlike && x <= math.MaxInt64-i; i++ {
				if !yield(x + i) {
					return
				}
			}
		case string:
			if len(x) > maxText {
				return
			}
			runs := digits.FindAllStringIndex(x, 10)
			for k := len(runs) - 1; k >= 0; k-- {
				head, number, tail := x[:runs[k][0]], x[runs[k][0]:runs[k][1]], x[runs[k][1]:]
				n, err := strconv.ParseUint(number, 10, 32)
				for i := uint64(1); err == nil && i <= maxAlike; i++ {
					if !yield(head + strconv.FormatUint(n+i, 10) + tail) {
						return
					}
				}
			}
			for i := range maxAlike {
				if !yield(x + strconv.Itoa(i)) {
					return
				}
			}
		}
	}
}

// alike returns a list of size values like v.
func alike(v any, size int) []any {
	out := []any{}
	for w := range likewise(v) {
		if len(out) == size {
			break
		}
		out = append(out, w)
	}
	return out
}

// another returns the value like v with the index trial among those that are valid for n and its rules, or v.
func (m *Maker) another(n *plan.Node, v any, trial int) any {
	found := 0
	for w := range likewise(v) {
		if m.exhausted() {
			break
		}
		if !m.fits([]*plan.Node{n}, w) {
			continue
		}
		r := m.all.EvaluateValue(context.Background(), plan.View[schema.Node](n), nil, w, nil, nil)
		m.charge(requestSteps + int(min(r.Cost, maxWork)))
		if len(r.Errors) > 0 {
			continue
		}
		if found == trial {
			return w
		}
		found++
	}
	return v
}
