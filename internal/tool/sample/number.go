package sample

import (
	"iter"
	"math"

	"github.com/crdkit/crdkit/internal/plan"
)

// scalars yields values that nodes may accept: those of enums, the default, and, depending on the type, values from
// bounds, formats and patterns. It yields more than trial values if the type has that many. Not all of them are valid.
func (m *Maker) scalars(nodes []*plan.Node, trial int) iter.Seq[any] {
	return func(yield func(any) bool) {
		enum := false
		for _, n := range nodes {
			if n.Enum == nil {
				continue
			}
			enum = true
			for _, v := range n.Enum.Values {
				if v != nil && !yield(v) {
					return
				}
			}
		}
		if enum {
			return
		}
		kind := kindOf(nodes)
		if d := nodes[0].Default; d != nil && kind != "object" && kind != "array" && !yield(d) {
			return
		}
		switch kind {
		case "boolean":
			_ = yield(true) && yield(false)
		case "string":
			m.texts(nodes, trial, yield)
		case "integer":
			for _, f := range numbers(nodes, trial) {
				if f = math.Trunc(f); math.Abs(f) < 1<<62 && !yield(int64(f)) {
					return
				}
			}
			if nodes[0].Has&plan.IntOrString != 0 {
				m.texts(nodes, trial, yield)
			}
		case "number":
			for _, f := range numbers(nodes, trial) {
				if !yield(asNumber(f)) {
					return
				}
			}
		}
	}
}

// asNumber returns f as a server reads it back: an int64 if that has the same text.
func asNumber(f float64) any {
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return int64(f)
	}
	return f
}

// numbers returns numbers around the bounds of nodes, and small ones.
func numbers(nodes []*plan.Node, trial int) []float64 {
	out := []float64{1, 0}
	for _, n := range nodes {
		if n.Number == nil {
			continue
		}
		step := 1.0
		if f := n.Number.MultipleOf; f != nil && f.Value > 0 {
			step = f.Value
			out = append(out, step, 0)
		}
		for _, b := range []*plan.Bound{n.Number.Minimum, n.Number.Maximum} {
			if b == nil {
				continue
			}
			near := math.Ceil(b.Value/step) * step
			out = append(out, b.Value, b.Value+1, b.Value-1, near, near+step, near-step, b.Value+0.5, b.Value-0.5)
		}
		if lo, hi := n.Number.Minimum, n.Number.Maximum; lo != nil && hi != nil {
			out = append(out, (lo.Value+hi.Value)/2)
		}
	}
	for i := range trial + 1 {
		out = append(out, float64(i+2))
		if lo := nodes[0].Number; lo != nil && lo.Minimum != nil {
			out = append(out, lo.Minimum.Value+float64(i+1))
		}
	}
	return out
}
