package eval

import (
	"math"

	"github.com/crdkit/crdkit/internal/cel/estimate"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/plan"
)

// c1 is the cost of reading n code points, bytes or items once (CRC-004).
func c1(n int64) int64 {
	if n <= 10 {
		if n <= 0 {
			return 0
		}
		return 1
	}
	return int64(math.Ceil(float64(n) * 0.1))
}

func c2(n int64) int64 { return int64(math.Ceil(float64(n) * 0.2)) }

// Costs that functions of several libraries have (CES-050, CES-052, CES-054; CRC-040, CRC-041, CRC-043).
var (
	// scanning is the cost of reading the first operand.
	scanning = costs{static: reading(estimate.PerByte), charge: scan}
	// sameLength is scanning for a function whose result is as long as the operand.
	sameLength = costs{charge: scan, static: func(c *estimate.Call) estimate.Result {
		s := c.Size(c.Operand(0))
		return estimate.Giving(s, s.Cost(estimate.PerByte))
	}}
	// visitingAll is the cost of visiting everything in the receiver.
	visitingAll = costs{static: comparingItems, charge: visit, shared: visit}
)

// reading returns the static cost of reading the first operand.
func reading(factor float64) estimate.Function {
	return func(c *estimate.Call) estimate.Result { return estimate.Costing(c.Size(c.Operand(0)).Cost(factor)) }
}

// comparingItems is the static cost of comparing the items of a list, or of reading a string.
func comparingItems(c *estimate.Call) estimate.Result {
	t := c.Target
	if len(t.Type.Parameters()) == 0 {
		return estimate.Costing(c.Size(t).Cost(estimate.PerByte))
	}
	each := uint64(1)
	switch t.Type.Parameters()[0].Kind() {
	case types.StringKind, types.BytesKind:
		each = estimate.Plus(each, c.ItemSize(t).Cost(estimate.PerByte))
	}
	return estimate.Costing(estimate.Times(c.Size(t).Hi, each))
}

func scan(_ *frame, a []value, _ value) int64      { return c1(a[0].size(false)) }
func scanTwice(_ *frame, a []value, _ value) int64 { return c2(a[0].size(false)) }
func visit(f *frame, a []value, _ value) int64     { return f.walk(a[0]) }

// walk is the cost of visiting everything in a value (CRC-041). It stops counting far above every limit: values can be
// shared so often that visiting all occurrences would take forever.
func (f *frame) walk(v value) int64 {
	const enough = 1 << 40
	f.poll()
	sum := int64(1)
	switch v.kind {
	case kindString:
		sum = floor(float64(len(v.str())) * 0.1)
	case kindBytes:
		sum = floor(float64(len(v.ref.([]byte))) * 0.1)
	case kindRawList, kindList:
		f.layOut(v)
		sum = 0
		for i := 0; i < listLen(v) && sum < enough; i++ {
			sum += f.walk(f.listAt(v, i))
		}
	case kindMap:
		sum = 0
		d := v.ref.(*dict)
		for i := 0; i < len(d.keys) && sum < enough; i++ {
			sum += f.walk(d.keys[i]) + f.walk(d.vals[i])
		}
	case kindRawMap:
		sum = 0
		object := isObject(v.node)
		for k, x := range v.ref.(map[string]any) {
			sum += f.walkEntry(v.node, object, k, x)
		}
	}
	return sum
}

func (f *frame) walkEntry(n *plan.Node, object bool, k string, x any) int64 {
	child := field(n, k)
	if child == nil {
		return 2
	}
	if escaped, ok := types.EscapeName(k); ok && object {
		k = escaped
	}
	if object && x == nil {
		return f.walk(textValue(k)) + 1
	}
	return f.walk(textValue(k)) + f.walk(f.adapt(x, child))
}

// floor returns x rounded down, but at most a number above every limit.
func floor(x float64) int64 {
	if x >= 1<<62 {
		return 1 << 62
	}
	return int64(math.Floor(x))
}
