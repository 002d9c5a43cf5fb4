package eval

import "github.com/crdkit/crdkit/internal/cel/estimate"

// sets are cel-go's sets extension (CEN-023), the functions of lists as sets.
func sets() []*Function {
	set := func(name, id string, times int64, run func(f *frame, l, other value) value) *Function {
		return fn(name, global(id, boolType, listOf(typeT), listOf(typeT)).does(func(f *frame, a []value) value {
			return run(f, a[0], a[1])
		})).costing(costs{
			static: func(c *estimate.Call) estimate.Result {
				pairs := c.Size(&c.Args[0]).Times(c.Size(&c.Args[1]))
				return estimate.Costing(estimate.Plus(pairs.Cost(float64(times)), 1))
			},
			charge: func(_ *frame, a []value, _ value) int64 { return 1 + times*(a[0].size(false)*a[1].size(false)) },
		})
	}
	return []*Function{
		set("sets.contains", "list_sets_contains_list", 1, (*frame).setContains),
		set("sets.equivalent", "list_sets_equivalent_list", 2, func(f *frame, l, other value) value {
			if v := f.setContains(l, other); !v.isTrue() {
				return v
			}
			return f.setContains(other, l)
		}),
		set("sets.intersects", "list_sets_intersects_list", 1, (*frame).setIntersects),
	}
}

func (f *frame) setContains(l, part value) value {
	for _, item := range f.each(part) {
		if v := f.containsItem(l, item); !v.isTrue() {
			return v
		}
	}
	return yes
}

// containsItem is contains for an item that may be an error.
func (f *frame) containsItem(l, v value) value {
	if l.kind == kindRawList && v.failed() {
		return v
	}
	return f.contains(l, v)
}

func (f *frame) setIntersects(l, other value) value {
	for _, item := range f.each(l) {
		if f.containsItem(other, item).isTrue() {
			return yes
		}
	}
	return no
}
