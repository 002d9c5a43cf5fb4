package eval

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
)

// equal returns a == b, or an error if the left value cannot be compared (CVA-016, CVA-033 to CVA-045).
func (f *frame) equal(a, b value) value {
	if a.kind == kindNull || b.kind == kindNull {
		return boolean(a.kind == b.kind)
	}
	return f.equalTo(a, b)
}

// equalTo is equal for elements of data: it has no check for null first.
func (f *frame) equalTo(a, b value) value {
	switch a.kind {
	case kindError:
		return a
	case kindNull:
		return boolean(b.kind == kindNull)
	case kindBool, kindDuration:
		return boolean(a.kind == b.kind && a.bits == b.bits)
	case kindInt, kindUint, kindDouble:
		if a.kind == kindInt && b.kind == kindInt {
			return boolean(a.bits == b.bits)
		}
		c, comparable := compareNumbers(a, b)
		return boolean(comparable && c == 0)
	case kindString, kindType:
		if a.kind != b.kind {
			return no
		}
		return boolean(sameText(f, a.str(), b.str()))
	case kindBytes:
		return boolean(b.kind == kindBytes && sameText(f, a.ref.([]byte), b.ref.([]byte)))
	case kindTimestamp:
		return boolean(b.kind == kindTimestamp && a.ref.(time.Time).Equal(b.ref.(time.Time)))
	case kindList, kindRawList:
		return f.once(a, b, (*frame).equalLists)
	case kindMap:
		return f.once(a, b, (*frame).equalDicts)
	case kindRawMap:
		return f.once(a, b, (*frame).equalData)
	case kindOpaque:
		return boolean(f.equalOpaque(a, b))
	case kindOptional:
		if b.kind != kindOptional {
			return no
		}
		x, y := a.inner(), b.inner()
		if x == nil || y == nil {
			return boolean(x == y)
		}
		return f.equalTo(*x, *y)
	}
	if b.kind != a.kind {
		return b.or(noSuchOverload)
	}
	switch x := a.ref.(type) {
	case ipAddress:
		return boolean(x == b.ref.(ipAddress))
	case cidr:
		return boolean(x == b.ref.(cidr))
	case *webURL:
		y := b.ref.(*webURL)
		f.visits(readBytes * (x.Len() + y.Len()))
		return boolean(x.Equal(y))
	case version:
		y := b.ref.(version)
		f.visits(stepBytes * min(x.identifiers(), y.identifiers()))
		return boolean(x.compare(y) == 0)
	case *namedFormat:
		return boolean(x == b.ref.(*namedFormat))
	case *amount:
		y := b.ref.(*amount)
		if y.computed { // CVA-042
			return noSuchOverload
		}
		f.visits(limbBytes * (x.Limbs() + y.Limbs()))
		return boolean(x.Equal(y.Quantity))
	}
	return no
}

// sameText reports whether a and b are equal, and counts the bytes that it has to read for that.
func sameText[T string | []byte](f *frame, a, b T) bool {
	if len(a) != len(b) {
		return false
	}
	f.visits(len(a) / 8)
	return string(a) == string(b)
}

// compareNumbers returns the order of two numbers of any types, and false if b is not a number or one of them is NaN.
// An int or uint is compared with a double as the nearest double (CVA-040).
func compareNumbers(a, b value) (int, bool) {
	switch {
	case b.kind != kindInt && b.kind != kindUint && b.kind != kindDouble:
		return 0, false
	case a.kind == kindDouble || b.kind == kindDouble:
		x, y := doubleOf(a), doubleOf(b)
		switch {
		case x < y:
			return -1, true
		case x > y:
			return 1, true
		}
		return 0, x == y
	case a.kind == b.kind && a.kind == kindInt:
		return cmp.Compare(a.int(), b.int()), true
	case a.kind == b.kind:
		return cmp.Compare(a.bits, b.bits), true
	case a.kind == kindInt:
		if a.int() < 0 {
			return -1, true
		}
	case b.int() < 0:
		return 1, true
	}
	return cmp.Compare(a.bits, b.bits), true
}

func (v value) isNaN() bool { return v.kind == kindDouble && math.IsNaN(v.double()) }

func (v value) isNumber() bool {
	return v.kind == kindInt || v.kind == kindUint || v.kind == kindDouble
}

func doubleOf(v value) float64 {
	switch v.kind {
	case kindInt:
		return float64(v.int())
	case kindUint:
		return float64(v.bits)
	}
	return v.double()
}

func (f *frame) equalLists(a, b value) value {
	if !b.isList() {
		if a.kind == kindList && a.ref.(*list).kind == plan.ListUntyped {
			return no
		}
		return b.or(noSuchOverload)
	}
	n := listLen(a)
	if n != listLen(b) {
		return no
	}
	if a.kind == kindRawList {
		switch a.node.List {
		case plan.ListSet:
			return f.equalSets(a, b)
		case plan.ListMap:
			keys := escapedKeys(a.node.ListMapKeys)
			return f.equalListMaps(a, b, func(item value) any { return f.rawKey(item, keys) })
		}
		for i := range n {
			f.pollPair()
			if eq := f.equalTo(f.listAt(a, i), f.listAt(b, i)); !eq.isTrue() {
				return eq
			}
		}
		return yes
	}
	l := a.ref.(*list)
	switch l.kind {
	case plan.ListSet:
		return f.equalSets(a, b)
	case plan.ListMap:
		return f.equalListMaps(a, b, func(item value) any { return f.itemKey(item, l.keys) })
	}
	f.layOut(a)
	f.layOut(b)
	result := yes
	for i := range n {
		f.pollPair()
		switch eq := f.equal(f.at(l, i), f.listAt(b, i)); {
		case eq.isFalse():
			return no
		case eq.failed() && l.firstError && !result.failed():
			result = eq
		}
	}
	return result
}

func (f *frame) equalSets(a, b value) value {
	f.layOut(a)
	f.layOut(b)
	have := make(map[any]struct{}, listLen(a))
	for i := range listLen(a) {
		f.pollPair()
		k := f.setKey(f.listAt(a, i))
		if k == nil {
			return notScalar
		}
		have[k] = struct{}{}
	}
	seen := make(map[any]struct{}, len(have))
	for i := range listLen(b) {
		f.pollPair()
		k := f.setKey(f.listAt(b, i))
		if k == nil {
			return notScalar
		}
		if _, ok := have[k]; !ok {
			return no
		}
		seen[k] = struct{}{}
	}
	return boolean(len(seen) == len(have))
}

// equalListMaps compares two lists whose items have keys.
func (f *frame) equalListMaps(a, b value, key func(item value) any) value {
	f.layOut(a)
	f.layOut(b)
	byKey := make(map[any]value, listLen(a))
	for i := range listLen(a) {
		f.pollPair()
		v := f.listAt(a, i)
		byKey[key(v)] = v
	}
	seen := make(map[any]struct{}, len(byKey))
	for i := range listLen(b) {
		f.pollPair()
		v := f.listAt(b, i)
		k := key(v)
		mine, ok := byKey[k]
		if !ok {
			return no
		}
		if eq := f.equalTo(mine, v); !eq.isTrue() {
			return eq
		}
		seen[k] = struct{}{}
	}
	return boolean(len(seen) == len(byKey))
}

func mapLen(v value) int {
	if v.kind == kindMap {
		return len(v.ref.(*dict).keys)
	}
	return len(v.ref.(map[string]any))
}

func (f *frame) equalDicts(a, b value) value {
	if !b.isMap() || mapLen(a) != mapLen(b) {
		return no
	}
	d := a.ref.(*dict)
	for i, k := range d.keys {
		f.pollPair()
		other, ok := f.find(b, k)
		if !ok || f.equal(d.vals[i], other).isFalse() {
			return no
		}
	}
	return yes
}

// equalData compares an object or a map of data with any map (CVA-016).
func (f *frame) equalData(a, b value) value {
	if !b.isMap() {
		return b.or(noSuchOverload)
	}
	if mapLen(a) != mapLen(b) {
		return no
	}
	mark := len(f.sorted.names)
	eq := f.equalEntries(a, b, f.sort(a).names)
	f.sorted.names = f.sorted.names[:mark]
	return eq
}

// equalEntries compares the entries of two maps for the given names. a is data.
func (f *frame) equalEntries(a, b value, names []string) value {
	data := a.ref.(map[string]any)
	for _, k := range names {
		f.pollPair()
		if field(a.node, k) == nil {
			if b.kind != kindRawMap {
				return b.or(noSuchOverload)
			}
			if other, ok := b.ref.(map[string]any)[k]; ok && !f.deepEqual(data[k], other) {
				return no
			}
			continue
		}
		key := value{kind: kindString, ref: k}
		mine, found := f.find(a, key)
		other, otherFound := f.find(b, key)
		if found != otherFound {
			return no
		}
		if !found {
			continue
		}
		if eq := f.equalTo(mine, other); !eq.isTrue() {
			return eq
		}
	}
	return yes
}

// equalOpaque compares data without a schema with the other side's data.
func (f *frame) equalOpaque(a, b value) bool {
	switch b.kind {
	case kindString:
		return f.deepEqual(a.ref, b.str())
	case kindOpaque, kindRawMap, kindRawList:
		return f.deepEqual(a.ref, b.ref)
	case kindBool:
		return a.ref == any(b.isTrue())
	case kindInt:
		return a.ref == any(b.int())
	case kindDouble:
		return a.ref == any(b.double())
	}
	return false
}

// deepEqual compares data. As in a server, an empty list or map equals a nil one.
func (f *frame) deepEqual(a, b any) bool {
	f.visitData(a, jsonval.MaxDepth)
	return jsonval.Equal(a, b)
}

// visitData counts the work of reading all of data.
func (f *frame) visitData(data any, depth int) {
	f.poll()
	switch x := data.(type) {
	case string:
		f.visits(len(x))
	case []any:
		for i := 0; i < len(x) && depth > 0; i++ {
			f.visitData(x[i], depth-1)
		}
	case map[string]any:
		if depth > 0 {
			for k, v := range x {
				f.visits(len(k))
				f.visitData(v, depth-1)
			}
		}
	}
}

// compare returns the order of two values, or an error if they cannot be ordered.
func (f *frame) compare(a, b value) (int, value) {
	switch a.kind {
	case kindInt, kindUint, kindDouble:
		if a.isNaN() || b.isNaN() {
			return 0, failure("NaN values cannot be ordered")
		}
		if c, ok := compareNumbers(a, b); ok {
			return c, value{kind: kindBool}
		}
	case kindString:
		if b.kind == kindString {
			f.visits(min(len(a.str()), len(b.str())) / 8)
			return cmp.Compare(a.str(), b.str()), value{kind: kindBool}
		}
	case kindBytes:
		if b.kind == kindBytes {
			f.visits(min(a.length(), b.length()) / 8)
			return slices.Compare(a.ref.([]byte), b.ref.([]byte)), value{kind: kindBool}
		}
	case kindBool:
		if b.kind == kindBool {
			return cmp.Compare(a.bits, b.bits), value{kind: kindBool}
		}
	case kindDuration:
		if b.kind == kindDuration {
			return cmp.Compare(a.duration(), b.duration()), value{kind: kindBool}
		}
	case kindTimestamp:
		if b.kind == kindTimestamp {
			return a.ref.(time.Time).Compare(b.ref.(time.Time)), value{kind: kindBool}
		}
	}
	return 0, b.or(noSuchOverload)
}

// ordered reports whether values of the kind support <.
func (v value) ordered() bool {
	switch v.kind {
	case kindInt, kindUint, kindDouble, kindString, kindBytes, kindBool, kindDuration, kindTimestamp:
		return true
	}
	return false
}
