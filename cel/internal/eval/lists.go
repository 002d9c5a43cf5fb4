package eval

import (
	"fmt"
	"slices"
	"sort"
)

// maxRange is the longest list that lists.range makes.
const maxRange = 1_000_000

// lists are the functions of lists whose items may be of any type (CLI-010).
func lists() map[string]binding {
	return map[string]binding{
		"list_a_index_of_int": func(f *frame, a []value) value {
			f.layOut(a[0])
			for i := range listLen(a[0]) {
				f.poll()
				if f.equalTo(f.listAt(a[0], i), a[1]).isTrue() {
					return integer(int64(i))
				}
			}
			return integer(-1)
		},
		"list_a_last_index_of_int": func(f *frame, a []value) value {
			f.layOut(a[0])
			for i := listLen(a[0]) - 1; i >= 0; i-- {
				f.poll()
				if f.equalTo(f.listAt(a[0], i), a[1]).isTrue() {
					return integer(int64(i))
				}
			}
			return integer(-1)
		},
		"list_includes_dyn_dyn": func(f *frame, a []value) value {
			if !a[0].isList() {
				return boolean(f.equalTo(a[0], a[1]).isTrue())
			}
			f.layOut(a[0])
			for i := range listLen(a[0]) {
				f.poll()
				if f.equalTo(f.listAt(a[0], i), a[1]).isTrue() {
					return yes
				}
			}
			return no
		},
		"list_slice": func(f *frame, a []value) value { return f.slice(a[0], a[1].int(), a[2].int()) },
		"list_flatten": func(f *frame, a []value) value {
			if !a[0].isList() {
				return failure("no such overload: " + parametrised(a[0]) + ".flatten()")
			}
			return f.flatten(a[0], 1)
		},
		"list_flatten_int": func(f *frame, a []value) value {
			switch {
			case !a[0].isList() || a[1].kind != kindInt:
				return failure("no such overload: " + parametrised(a[0]) + ".flatten(" + parametrised(a[1]) + ")")
			case a[1].int() < 0:
				return failure("level must be non-negative")
			}
			return f.flatten(a[0], a[1].int())
		},
		"lists_range": func(f *frame, a []value) value {
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
		},
		"list_reverse": func(f *frame, a []value) value {
			f.makes(itemBytes * listLen(a[0]))
			vals := f.appendItems(make([]value, 0, listLen(a[0])), a[0])
			slices.Reverse(vals)
			return newList(vals)
		},
		"list_distinct": func(f *frame, a []value) value { return f.distinct(a[0]) },
	}
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
	f.wantList(l)
	if listLen(l) == 0 {
		return l
	}
	f.layOut(l)
	var kept []value
	for i := range listLen(l) {
		f.poll()
		v := f.listAt(l, i)
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

// parametrised is the name of a value's type with its parameters.
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

// flatLen adds to n how many items appendFlat appends, and stops where they are too many.
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

// appendFlat appends the items of l.
func (f *frame) appendFlat(to []value, l value, depth int64) []value {
	for i := range listLen(l) {
		f.poll()
		v := f.listAt(l, i)
		if depth == 0 || !v.isList() {
			to = append(to, v)
		} else {
			to = f.appendFlat(to, v, depth-1)
		}
	}
	return to
}

// comparableLists are the functions of lists that have an overload for every type of items that can be ordered.
func comparableLists() map[string]binding {
	all := make(map[string]binding)
	for _, t := range []string{"int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes"} {
		all["list_"+t+"_is_sorted_bool"] = isSorted
		all["list_"+t+"_min_"+t] = func(f *frame, a []value) value { return f.extreme(a[0], "min", 1) }
		all["list_"+t+"_max_"+t] = func(f *frame, a []value) value { return f.extreme(a[0], "max", -1) }
		id := t
		switch t {
		case "duration":
			id = "google.protobuf.Duration"
		case "timestamp":
			id = "google.protobuf.Timestamp"
		}
		all["list_"+id+"_sort"] = func(f *frame, a []value) value { return f.sortBy("sort", a[0], a[0]) }
		all["list_"+id+"_sortByAssociatedKeys"] = func(f *frame, a []value) value { return f.sortBy("@sortByAssociatedKeys", a[0], a[1]) }
	}
	for t, zero := range map[string]value{"int": integer(0), "uint": unsigned(0), "double": double(0), "duration": duration(0)} {
		all["list_"+t+"_sum_"+t] = func(f *frame, a []value) value { return f.sum(a[0], zero) }
	}
	return all
}

func isSorted(f *frame, a []value) value {
	last := value{}
	f.layOut(a[0])
	for i := range listLen(a[0]) {
		f.poll()
		v := f.listAt(a[0], i)
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

// extreme returns the first item that no other is beyond: an item gives way to one that it compares to as worse.
func (f *frame) extreme(l value, name string, worse int) value {
	n := listLen(l)
	if n == 0 {
		return failure(name + " called on empty list")
	}
	f.layOut(l)
	best := value{}
	for i := range n {
		f.poll()
		v := f.listAt(l, i)
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
	f.layOut(l)
	for i := range listLen(l) {
		f.poll()
		v := f.listAt(l, i)
		if !v.adds() {
			return v.or(noSuchOverload)
		}
		if sum = f.add(sum, v); sum.failed() {
			return sum
		}
	}
	return sum
}

// sortBy sorts the items of l by the keys at their places. It is not stable: like the server's, it is what sort.Slice makes of it.
func (f *frame) sortBy(function string, l, keys value) value {
	if !l.isList() {
		return unsupported(l, function)
	}
	f.wantList(keys)
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
		vals[i] = f.listAt(l, place)
	}
	return newList(vals)
}
