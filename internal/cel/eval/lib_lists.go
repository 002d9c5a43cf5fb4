package eval

import (
	"fmt"
	"slices"
	"sort"

	"github.com/crdkit/crdkit/internal/cel/estimate"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/since"
)

// A comparable is a type whose values can be ordered.
type comparable struct {
	name string
	typ  *types.Type
	zero *value // the initial value of a sum; nil: sums are not supported
}

var comparables = []comparable{
	{"int", intType, &value{kind: kindInt}},
	{"uint", uintType, &value{kind: kindUint}},
	{"double", doubleType, &value{kind: kindDouble}},
	{"bool", boolType, nil},
	{"duration", durationType, &value{kind: kindDuration}},
	{"timestamp", timestampType, nil},
	{"string", stringType, nil},
	{"bytes", bytesType, nil},
}

// kubernetesLists are the list functions of Kubernetes in all versions (CEN-026, CLI-010).
func kubernetesLists() []*Function {
	sorted, sums, lowest, highest := fn("isSorted"), fn("sum"), fn("min"), fn("max")
	for _, c := range comparables {
		l := listOf(c.typ)
		sorted.add(method("list_"+c.name+"_is_sorted_bool", boolType, l).does(isSorted))
		lowest.add(method("list_"+c.name+"_min_"+c.name, c.typ, l).does(least))
		highest.add(method("list_"+c.name+"_max_"+c.name, c.typ, l).does(greatest))
		if c.zero != nil {
			sums.add(method("list_"+c.name+"_sum_"+c.name, c.typ, l).does(func(f *frame, a []value) value {
				return f.sum(a[0], *c.zero)
			}))
		}
	}
	return []*Function{
		sorted.costing(visitingAll),
		sums.costing(visitingAll),
		lowest.costing(visitingAll),
		highest.costing(visitingAll),
		fn("indexOf", method("list_a_index_of_int", intType, listOf(typeA), typeA).does(func(f *frame, a []value) value {
			return integer(int64(f.indexOf(a[0], a[1])))
		})).costing(visitingAll),
		fn("lastIndexOf", method("list_a_last_index_of_int", intType, listOf(typeA), typeA).does(func(f *frame, a []value) value {
			f.layOut(a[0])
			for i := listLen(a[0]) - 1; i >= 0; i-- {
				f.poll()
				if f.equalTo(f.listAt(a[0], i), a[1]).isTrue() {
					return integer(int64(i))
				}
			}
			return integer(-1)
		})).costing(visitingAll),
	}
}

// includes has the functions that only stored expressions may call (CEN-001, CEN-026, CLI-011).
func includes() []*Function {
	return []*Function{
		fn("includes", method("list_includes_dyn_dyn", boolType, dynType, dynType).does(func(f *frame, a []value) value {
			if !a[0].isList() {
				return boolean(f.equalTo(a[0], a[1]).isTrue())
			}
			return boolean(f.indexOf(a[0], a[1]) >= 0)
		})).is(unguarded).costing(costs{charge: visit, static: func(c *estimate.Call) estimate.Result {
			if len(c.Target.Type.Parameters()) == 0 {
				return estimate.Costing(c.Size(c.Target).Hi)
			}
			return comparingItems(c)
		}}),
	}
}

// listFunctions are cel-go's lists extension in version 3 (CEN-024, CLI-010).
func listFunctions() []*Function {
	sorted, sortedByKeys := fn("sort"), fn("@sortByAssociatedKeys")
	for _, c := range comparables {
		// The ids of these overloads contain the full names of types.
		id := "list_" + c.typ.TypeName()
		each := 2.0
		if c.typ == stringType || c.typ == bytesType {
			each += estimate.PerByte
		}
		sorted.add(method(id+"_sort", listOf(c.typ), listOf(c.typ)).costing(comparingAll(0, each)).does(func(f *frame, a []value) value {
			return f.sortBy("sort", a[0], a[0])
		}))
		sortedByKeys.add(method(id+"_sortByAssociatedKeys", listOf(typeT), listOf(typeT), listOf(c.typ)).costing(comparingAll(1, each)).
			does(func(f *frame, a []value) value { return f.sortBy("@sortByAssociatedKeys", a[0], a[1]) }))
	}
	copying := func(c *estimate.Call) estimate.Result {
		c.Sizes.KeepItems(c.Target.Expr)
		return makingList(c.Size(c.Target), 1)
	}
	return []*Function{
		fn("slice", method("list_slice", listOf(typeT), listOf(typeT), intType, intType).does(func(f *frame, a []value) value {
			return f.slice(a[0], a[1].int(), a[2].int())
		})).costing(costs{
			static: func(c *estimate.Call) estimate.Result {
				c.Sizes.KeepItems(c.Target.Expr)
				from, _ := c.Args[0].Int()
				to := c.Size(c.Target).Hi
				if i, ok := c.Args[1].Int(); ok {
					to = uint64(max(i, 0))
				}
				return makingList(estimate.Exactly(to-uint64(max(from, 0))), 1) // wraps around if the end is before the start
			},
			charge: func(f *frame, a []value, _ value) int64 {
				if from, to := a[1].int(), a[2].int(); a[0].isList() && 0 <= from && from <= to && to <= int64(listLen(a[0])) &&
					a[1].kind == kindInt && a[2].kind == kindInt {
					return newListCost + to - from
				}
				if f.profile.Has(since.FreeErrors) {
					return newListCost
				}
				return newListCost + 1 // an error has size 1
			},
		}),
		fn("flatten",
			method("list_flatten", listOf(typeT), listOf(listOf(typeT))).does(func(f *frame, a []value) value {
				if !a[0].isList() {
					return failure("no such overload: " + parametrised(a[0]) + ".flatten()")
				}
				return f.flatten(a[0], 1)
			}).costing(costs{static: copying, charge: func(_ *frame, a []value, _ value) int64 { return newListCost + a[0].size(false) }}),
			method("list_flatten_int", listOf(dynType), listOf(dynType), intType).does(func(f *frame, a []value) value {
				switch {
				case !a[0].isList() || a[1].kind != kindInt:
					return failure("no such overload: " + parametrised(a[0]) + ".flatten(" + parametrised(a[1]) + ")")
				case a[1].int() < 0:
					return failure("level must be non-negative")
				}
				return f.flatten(a[0], a[1].int())
			}).costing(costs{
				static: func(c *estimate.Call) estimate.Result {
					c.Sizes.KeepItems(c.Target.Expr)
					return makingList(c.Size(c.Target), float64(atMost(&c.Args[0])))
				},
				charge: func(_ *frame, a []value, _ value) int64 {
					depth := 1.0
					if a[1].kind == kindInt && a[1].int() >= 0 {
						depth = float64(a[1].int())
					}
					return newListCost + floor(float64(a[0].size(false))*depth)
				},
				crash: func(f *frame, a []value) {
					if len(a) == 2 && a[1].kind != kindInt {
						f.crash("interface conversion: ref.Val is " + goTypeName(a[1]) + ", not types.Int")
					}
				},
			})).is(unguarded),
		sorted.is(unguarded | single),
		sortedByKeys.is(unguarded | single),
		fn("lists.range", global("lists_range", listOf(intType), intType).does(makeRange)).costing(costs{
			static: func(c *estimate.Call) estimate.Result {
				c.Sizes.KeepItems(nil)
				return makingList(estimate.Exactly(atMost(&c.Args[0])), 1)
			},
			charge: func(_ *frame, a []value, _ value) int64 {
				if n := a[0].int(); a[0].kind == kindInt && 0 <= n && n <= maxRange {
					return newListCost + n
				}
				return newListCost + 1
			},
		}),
		fn("reverse", method("list_reverse", listOf(typeT), listOf(typeT)).does(func(f *frame, a []value) value {
			f.makes(itemBytes * listLen(a[0]))
			vals := f.appendItems(make([]value, 0, listLen(a[0])), a[0])
			slices.Reverse(vals)
			return newList(vals)
		})).costing(costs{static: copying, charge: func(_ *frame, a []value, _ value) int64 {
			if !a[0].isList() {
				return newListCost + 1
			}
			return newListCost + a[0].size(false)
		}}),
		fn("distinct", method("list_distinct", listOf(typeT), listOf(typeT)).costing(comparingAll(0, 2)).
			does(func(f *frame, a []value) value { return f.distinct(a[0]) })).is(unguarded),
	}
}

// newListCost is the cost of a call that returns a new list, without its items.
const newListCost = 11

// makingList returns the static cost of a call that returns a new list of that size. each is the work for one item.
func makingList(size estimate.Span, each float64) estimate.Result {
	return estimate.Giving(size, estimate.Plus(size.Cost(each), newListCost))
}

// atMost returns the value of an operand that is a literal, 0 for a negative one; otherwise estimate.Most.
func atMost(o *estimate.Operand) uint64 {
	if i, ok := o.Int(); ok {
		return uint64(max(i, 0))
	}
	return estimate.Most
}

// comparingAll is the cost of comparing the items of a list, the operand with that index, with one another and of
// creating a new list. each is the static cost of one comparison.
func comparingAll(operand int, each float64) costs {
	return costs{
		static: func(c *estimate.Call) estimate.Result {
			c.Sizes.KeepItems(c.Operand(0).Expr)
			size := c.Size(c.Operand(operand))
			return makingList(size.Times(size), each)
		},
		charge: func(f *frame, a []value, _ value) int64 { return f.quadratic(a[operand]) },
		crash: func(f *frame, a []value) {
			if len(a) > operand {
				f.requireList(a[operand])
			}
		},
	}
}

// indexOf returns the index of the first item that equals v, or -1.
func (f *frame) indexOf(l, v value) int {
	for i, item := range f.each(l) {
		if f.equalTo(item, v).isTrue() {
			return i
		}
	}
	return -1
}

// maxRange is the maximum length of the result of lists.range.
const maxRange = 1_000_000

func makeRange(f *frame, a []value) value {
	n := a[0].int()
	switch {
	case n < 0:
		return failure(fmt.Sprintf("lists.range: size must be non-negative, got %d", n))
	case n > maxRange:
		return failure(fmt.Sprintf("lists.range: size %d exceeds maximum allowed (%d)", n, maxRange))
	}
	f.makes(itemBytes * int(n))
	vals := make([]value, n)
	for i := range vals {
		vals[i] = integer(int64(i))
	}
	return newList(vals)
}

// quadratic is the cost of comparing the items of a list with one another.
func (f *frame) quadratic(l value) int64 {
	n := float64(l.size(false))
	factor := 2.0
	if listLen(l) > 0 {
		if k := f.listAt(l, 0).kind; k == kindString || k == kindBytes {
			factor = 2.1
		}
	}
	return newListCost + floor(n*n*factor)
}

func (f *frame) slice(l value, from, to int64) value {
	n := int64(listLen(l))
	switch {
	case from < 0 || to < 0:
		return failure(fmt.Sprintf("cannot slice(%d, %d), negative indexes not supported", from, to))
	case from > to:
		return failure(fmt.Sprintf("cannot slice(%d, %d), start index must be less than or equal to end index", from, to))
	case to > n:
		return failure(fmt.Sprintf("cannot slice(%d, %d), list is length %d", from, to, n))
	}
	f.layOut(l)
	f.makes(itemBytes * int(to-from))
	vals := make([]value, 0, to-from)
	for i := from; i < to; i++ {
		vals = append(vals, f.listAt(l, int(i)))
	}
	return newList(vals)
}

func (f *frame) distinct(l value) value {
	f.requireList(l)
	var kept []value
	for _, v := range f.each(l) {
		seen := false
		for _, k := range kept {
			f.poll()
			if seen = f.equalTo(v, k).isTrue(); seen {
				break
			}
		}
		if !seen {
			f.makes(2 * itemBytes)
			kept = append(kept, v)
		}
	}
	return newList(kept)
}

// parametrised returns the name of a value's type with its parameters.
func parametrised(v value) string {
	switch {
	case v.isList():
		return "list(dyn)"
	case v.isMap():
		return "map(dyn, dyn)"
	case v.kind == kindOptional:
		return "optional_type(dyn)"
	}
	return v.typeName()
}

func (f *frame) flatten(l value, depth int64) value {
	n := f.flatLen(0, l, depth)
	if n > maxItems {
		return tooManyItems(n)
	}
	f.makes(itemBytes * n)
	return newList(f.appendFlat(make([]value, 0, n), l, depth))
}

// flatLen adds to n the number of items that appendFlat appends, and stops if they are too many.
func (f *frame) flatLen(n int, l value, depth int64) int {
	f.layOut(l)
	for i := 0; i < listLen(l) && n <= maxItems; i++ {
		f.poll()
		if v := f.listAt(l, i); depth > 0 && v.isList() {
			n = f.flatLen(n, v, depth-1)
		} else {
			n++
		}
	}
	return n
}

// appendFlat appends the items of l, and those of nested lists up to depth.
func (f *frame) appendFlat(to []value, l value, depth int64) []value {
	for _, v := range f.each(l) {
		if depth == 0 || !v.isList() {
			to = append(to, v)
		} else {
			to = f.appendFlat(to, v, depth-1)
		}
	}
	return to
}

func isSorted(f *frame, a []value) value {
	last := value{}
	for i, v := range f.each(a[0]) {
		if !v.ordered() {
			return v.or(noSuchOverload)
		}
		if i > 0 {
			if c, fault := f.compare(last, v); !fault.failed() && c > 0 {
				return no
			}
		}
		last = v
	}
	return yes
}

func least(f *frame, a []value) value    { return f.extreme(a[0], "min", 1) }
func greatest(f *frame, a []value) value { return f.extreme(a[0], "max", -1) }

// extreme returns the first of the smallest or largest items. An item replaces the best one so far if comparing that
// with the item gives worse.
func (f *frame) extreme(l value, name string, worse int) value {
	if listLen(l) == 0 {
		return failure(name + " called on empty list")
	}
	best := value{}
	for i, v := range f.each(l) {
		if !v.ordered() {
			return v.or(noSuchOverload)
		}
		if i == 0 {
			best = v
		} else if c, fault := f.compare(best, v); !fault.failed() && c == worse {
			best = v
		}
	}
	return best
}

func (f *frame) sum(l, sum value) value {
	for _, v := range f.each(l) {
		if !v.adds() {
			return v.or(noSuchOverload)
		}
		if sum = f.add(sum, v); sum.failed() {
			return sum
		}
	}
	return sum
}

// sortBy sorts the items of l by the keys with the same indexes. It is not stable: like a server, it uses sort.Slice.
func (f *frame) sortBy(function string, l, keys value) value {
	if !l.isList() {
		return unsupported(l, function)
	}
	f.requireList(keys)
	n := listLen(l)
	if n != listLen(keys) {
		return failure(fmt.Sprintf("@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got %d and "+
			"%d elements respectively", n, listLen(keys)))
	}
	if n == 0 {
		return l
	}
	k := f.items(keys)
	if !k[0].ordered() {
		return failure("list elements must be comparable")
	}
	f.layOut(l)
	f.makes((8 + itemBytes) * n)
	places := make([]int, n)
	for i := range places {
		places[i] = i
	}
	mixed := false
	sort.Slice(places, func(i, j int) bool {
		f.poll()
		a, b := k[places[i]], k[places[j]]
		if a.kind != k[0].kind || b.kind != k[0].kind {
			mixed = true
			return false
		}
		c, fault := f.compare(a, b)
		return !fault.failed() && c < 0
	})
	if mixed {
		return failure("list elements must have the same type")
	}
	vals := make([]value, n)
	for i, place := range places {
		if i%itemsPerCheck == itemsPerCheck-1 {
			f.checkLimits()
		}
		vals[i] = f.listAt(l, place)
	}
	return newList(vals)
}
