package eval

import (
	"iter"
	"strconv"

	"github.com/crdkit/crdkit/internal/plan"
)

// A list is a list that is not part of the object: a literal, or a computed one. Its items are in vals, or are strings
// in texts, or it is a concatenation of two lists.
type list struct {
	n           int
	vals        []value
	texts       []string
	left, right value // of a concatenation whose items have not been needed yet

	// growing marks a list that a loop is building, so that adding to it modifies it.
	growing bool
	// firstError: a comparison with the list returns the first error of an item, as for a concatenation; otherwise
	// items whose comparison fails are treated as equal (CVA-045).
	firstError bool
	// kind and keys are those of a sum of lists whose left operand is a set or a map.
	kind plan.ListType
	keys []string // escaped
}

func newList(vals []value) value {
	return value{kind: kindList, ref: &list{n: len(vals), vals: vals}}
}

// at returns an item. In a concatenation that is not laid out, it searches for the item.
func (f *frame) at(l *list, i int) value {
	for l.vals == nil && l.texts == nil {
		f.visits(bytesPerTurn / 2)
		part := l.left
		if n := listLen(l.left); i >= n {
			part, i = l.right, i-n
		}
		if part.kind != kindList {
			return f.listAt(part, i)
		}
		l = part.ref.(*list)
	}
	if l.texts != nil {
		return value{kind: kindString, ref: &l.texts[i]}
	}
	return l.vals[i]
}

// layOut copies the items of v into one slice if it is a concatenation, before they are visited. A list belongs to one
// run only, so it may keep the slice.
func (f *frame) layOut(v value) {
	if l, ok := v.ref.(*list); ok && l.vals == nil && l.texts == nil && l.n > 0 {
		f.makes(itemBytes * l.n)
		l.vals = f.appendItems(f.appendItems(make([]value, 0, l.n), l.left), l.right)
		l.left, l.right = value{}, value{}
	}
}

// itemsPerCheck is the number of items that are copied between two checks of the context. Their bytes are counted
// beforehand.
const itemsPerCheck = 1 << 12

// appendItems appends all items of a list.
func (f *frame) appendItems(to []value, v value) []value {
	switch v.kind {
	case kindRawList:
		for i, x := range v.ref.([]any) {
			if i%itemsPerCheck == itemsPerCheck-1 {
				f.checkLimits()
			}
			to = append(to, f.adapt(x, v.node.Items))
		}
	case kindList:
		l := v.ref.(*list)
		switch {
		case l.texts != nil:
			for i := range l.texts {
				to = append(to, value{kind: kindString, ref: &l.texts[i]})
			}
		case l.vals == nil && l.n > 0:
			return f.appendItems(f.appendItems(to, l.left), l.right)
		}
		to = append(to, l.vals...)
	}
	return to
}

// items returns all items of a list. The result must not be modified.
func (f *frame) items(v value) []value {
	if v.kind == kindList {
		f.layOut(v)
		if l := v.ref.(*list); l.texts == nil {
			return l.vals
		}
	}
	n := listLen(v)
	f.makes(itemBytes * n)
	return f.appendItems(make([]value, 0, n), v)
}

//go:noinline
func listLen(v value) int {
	switch v.kind {
	case kindRawList:
		return len(v.ref.([]any))
	case kindList:
		return v.ref.(*list).n
	}
	return 0
}

// listAt returns item i, which must exist.
func (f *frame) listAt(v value, i int) value {
	if v.kind == kindRawList {
		return f.adapt(v.ref.([]any)[i], v.node.Items)
	}
	return f.at(v.ref.(*list), i)
}

// each returns the items of a list with their indexes, and counts the visit of each.
func (f *frame) each(l value) iter.Seq2[int, value] {
	return func(yield func(int, value) bool) {
		f.layOut(l)
		for i := range listLen(l) {
			f.poll()
			if !yield(i, f.listAt(l, i)) {
				return
			}
		}
	}
}

// listIndex returns the index for key, and whether there is such an item. The error says why key cannot be an index
// (CMS-022).
func listIndex(v, key value) (i int, present bool, fault value) {
	at := int64(0)
	switch key.kind {
	case kindInt:
		at = key.int()
	case kindDouble:
		var whole bool
		if at, whole = wholeNumber(key.double()); !whole {
			return 0, false, failure("unsupported index value " + plainText(key) + " in list")
		}
	case kindUint:
		if at = key.int(); at < 0 {
			return 0, false, failure("unsupported index value " + plainText(key) + " in list")
		}
	default:
		return 0, false, failure("unsupported index type '" + key.typeName() + "' in list")
	}
	return int(at), at >= 0 && at < int64(listLen(v)), value{}
}

// concat returns a + b of two lists (CVA-030, CVA-031).
func (f *frame) concat(a, b value) value {
	if !b.isList() {
		return b.or(noSuchOverload)
	}
	if a.kind == kindRawList {
		switch a.node.List {
		case plan.ListSet:
			return f.sumOfSets(a, b)
		case plan.ListMap:
			return f.sumOfMaps(a, b, escapedKeys(a.node.ListMapKeys))
		}
		return f.joined(a, b, false)
	}
	l := a.ref.(*list)
	switch {
	case l.kind == plan.ListSet:
		return f.sumOfSets(a, b)
	case l.kind == plan.ListMap:
		return f.sumOfMaps(a, b, l.keys)
	case l.growing:
		f.makes(2 * itemBytes * listLen(b))
		l.vals = f.appendItems(l.vals, b)
		l.n = len(l.vals)
		return a
	case l.n == 0:
		return b
	case listLen(b) == 0:
		return a
	}
	return f.joined(a, b, true)
}

// maxItems is the maximum length of lists whose length costs nothing: sums of sums, and flattened lists. No list in an
// object reaches it: each item takes bytes, and a request has 3 MiB.
const maxItems = 1 << 21

func tooManyItems(n int) value {
	return failure("list of " + strconv.Itoa(n) + " items is longer than " + strconv.Itoa(maxItems))
}

func (f *frame) joined(a, b value, firstError bool) value {
	n := listLen(a) + listLen(b)
	if n > maxItems {
		return tooManyItems(n)
	}
	return value{kind: kindList, ref: &list{n: n, left: a, right: b, firstError: firstError}}
}

func (f *frame) sumOfSets(a, b value) value {
	f.makes(2 * itemBytes * (listLen(a) + listLen(b)))
	have := make(map[any]struct{}, listLen(a))
	sum := f.appendItems(make([]value, 0, listLen(a)+listLen(b)), a)
	for _, v := range sum {
		f.poll()
		k := f.setKey(v)
		if k == nil {
			return notScalar
		}
		have[k] = struct{}{}
	}
	for _, v := range f.items(b) {
		f.poll()
		k := f.setKey(v)
		if k == nil {
			return notScalar
		}
		if _, has := have[k]; !has {
			have[k] = struct{}{}
			sum = append(sum, v)
		}
	}
	return value{kind: kindList, ref: &list{n: len(sum), vals: sum, kind: plan.ListSet}}
}

func (f *frame) sumOfMaps(a, b value, keys []string) value {
	f.makes(2 * itemBytes * (listLen(a) + listLen(b)))
	sum := f.appendItems(make([]value, 0, listLen(a)+listLen(b)), a)
	place := make(map[any]int, len(sum))
	for i, v := range sum {
		f.poll()
		place[f.itemKey(v, keys)] = i
	}
	for _, v := range f.items(b) {
		f.poll()
		if i, has := place[f.itemKey(v, keys)]; has {
			sum[i] = v
		} else {
			sum = append(sum, v)
		}
	}
	return value{kind: kindList, ref: &list{n: len(sum), vals: sum, kind: plan.ListMap, keys: keys}}
}
