package eval

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/crdkit/crdkit/cel/internal/declare"
	"github.com/crdkit/crdkit/cel/internal/inet"
	"github.com/crdkit/crdkit/cel/internal/namedformat"
	"github.com/crdkit/crdkit/cel/internal/semver"
	"github.com/crdkit/crdkit/cel/internal/weburl"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/schema"
)

// equal returns a == b, or an error where the left value refuses to be compared (CVA-016, CVA-033 to CVA-045).
func (f *frame) equal(a, b value) value {
	if a.kind == kindNull || b.kind == kindNull {
		return boolean(a.kind == b.kind)
	}
	return f.equalTo(a, b)
}

// equalTo is equal as the elements of data are compared: a null is not asked for first.
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
		return boolean(a.kind == b.kind && a.str() == b.str())
	case kindBytes:
		return boolean(b.kind == kindBytes && string(a.ref.([]byte)) == string(b.ref.([]byte)))
	case kindTimestamp:
		return boolean(b.kind == kindTimestamp && a.ref.(time.Time).Equal(b.ref.(time.Time)))
	case kindList, kindRawList:
		return f.equalLists(a, b)
	case kindMap:
		return f.equalDicts(a, b)
	case kindRawMap:
		return f.equalData(a, b)
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
	case inet.IP:
		return boolean(x == b.ref.(inet.IP))
	case inet.CIDR:
		return boolean(x == b.ref.(inet.CIDR))
	case *weburl.URL:
		return boolean(x.Equal(b.ref.(*weburl.URL)))
	case semver.Version:
		return boolean(x.Compare(b.ref.(semver.Version)) == 0)
	case *namedformat.Format:
		return boolean(x == b.ref.(*namedformat.Format))
	case *amount:
		y := b.ref.(*amount)
		if y.computed { // CVA-042
			return noSuchOverload
		}
		return boolean(x.Equal(y.Quantity))
	}
	return no
}

// compareNumbers returns the order of two numbers of any types, and false if b is none or one of them is NaN. Beside a double, an
// int or uint counts as the nearest double (CVA-040).
func compareNumbers(a, b value) (int, bool) {
	switch {
	case b.kind != kindInt && b.kind != kindUint && b.kind != kindDouble:
		return 0, false
	case a.kind == kindDouble || b.kind == kindDouble:
		x, y := asDouble(a), asDouble(b)
		switch {
		case x < y:
			return -1, true
		case x > y:
			return 1, true
		}
		return 0, x == y
	case a.kind == b.kind && a.kind == kindInt:
		return order(a.int(), b.int()), true
	case a.kind == b.kind:
		return order(a.bits, b.bits), true
	case a.kind == kindInt:
		if a.int() < 0 {
			return -1, true
		}
	case b.int() < 0:
		return 1, true
	}
	return order(a.bits, b.bits), true
}

func asDouble(v value) float64 {
	switch v.kind {
	case kindInt:
		return float64(v.int())
	case kindUint:
		return float64(v.bits)
	}
	return v.double()
}

func order[T int64 | uint64 | float64 | time.Duration | string](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func (f *frame) equalLists(a, b value) value {
	if !b.isList() {
		if a.kind == kindList && a.ref.(*list).kind == schema.ListUntyped {
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
		case schema.ListSet:
			return f.equalSets(a, b)
		case schema.ListMap:
			return f.equalRawListMaps(a, b)
		}
		for i := range n {
			f.poll()
			if eq := f.equalTo(listAt(a, i), listAt(b, i)); !eq.isTrue() {
				return eq
			}
		}
		return yes
	}
	l := a.ref.(*list)
	switch l.kind {
	case schema.ListSet:
		return f.equalSets(a, b)
	case schema.ListMap:
		return f.equalListMaps(a, b, l.keys)
	}
	result := yes
	for i := range n {
		f.poll()
		switch eq := f.equal(l.at(i), listAt(b, i)); {
		case eq.isFalse():
			return no
		case eq.failed() && l.firstError && !result.failed():
			result = eq
		}
	}
	return result
}

// setKey returns what an element of a set is known by (CVA-034). With an error that stops the comparison, the key is nil.
func setKey(v value) (any, value) {
	switch v.kind {
	case kindList, kindRawList, kindMap, kindRawMap:
		return nil, failure("listSet operations are only supported on lists of scalar values")
	case kindError:
		return new(int), v // like no other
	case kindBool:
		return v.isTrue(), value{}
	case kindInt:
		return v.int(), value{}
	case kindUint:
		return v.bits, value{}
	case kindDouble:
		return v.double(), value{}
	case kindDuration:
		return v.duration(), value{}
	case kindBytes:
		return keyText(fmt.Sprintf("%#v", v.ref)), value{}
	case kindNull:
		return keyText("null"), value{}
	case kindOptional:
		if p := v.inner(); p != nil {
			return setKey(*p)
		}
		return keyText("none"), value{}
	case kindString:
		return v.str(), value{}
	case kindTimestamp, kindIP, kindCIDR, kindFormat:
		return v.ref, value{}
	case kindType:
		return keyText("type " + v.str()), value{}
	}
	return new(int), value{}
}

// keyText is the text that stands for a key that Go cannot compare; it equals no key that is a string itself.
type keyText string

func (f *frame) equalSets(a, b value) value {
	have := make(map[any]struct{}, listLen(a))
	for i := range listLen(a) {
		f.poll()
		k, fault := setKey(listAt(a, i))
		if k == nil {
			return fault
		}
		have[k] = struct{}{}
	}
	seen := make(map[any]struct{}, len(have))
	for i := range listLen(b) {
		f.poll()
		k, fault := setKey(listAt(b, i))
		if k == nil {
			return fault
		}
		if _, ok := have[k]; !ok {
			return no
		}
		seen[k] = struct{}{}
	}
	return boolean(len(seen) == len(have))
}

// equalRawListMaps compares by the keys of raw items, looked up under their escaped names (CVA-035).
func (f *frame) equalRawListMaps(a, b value) value {
	keys := escapedKeys(a.node.ListMapKeys)
	data := a.ref.([]any)
	byKey := make(map[any]any, len(data))
	for _, x := range data {
		f.poll()
		byKey[f.rawKey(x, keys)] = x
	}
	seen := make(map[any]struct{}, len(byKey))
	for i := range listLen(b) {
		f.poll()
		v := listAt(b, i)
		var k any = new(int)
		if v.kind == kindRawMap {
			k = f.rawKey(v.ref, keys)
		}
		mine, ok := byKey[k]
		if !ok {
			return no
		}
		if eq := f.equalTo(adapt(mine, a.node.Items), v); !eq.isTrue() {
			return eq
		}
		seen[k] = struct{}{}
	}
	return boolean(len(seen) == len(byKey))
}

func (f *frame) rawKey(item any, keys []string) any {
	m, ok := item.(map[string]any)
	if !ok {
		return new(int)
	}
	return composeKey(keys, func(name string) any {
		k := m[name]
		if len(keys) <= 3 {
			switch k.(type) {
			case map[string]any, []any:
				f.crash(fmt.Sprintf("runtime error: hash of unhashable type %T", k))
			}
		}
		return k
	})
}

// composeKey makes one key of several: up to three compare by type and value, more by their Go syntax (CVA-035).
func composeKey(names []string, get func(string) any) any {
	switch len(names) {
	case 1:
		return get(names[0])
	case 2:
		return [2]any{get(names[0]), get(names[1])}
	case 3:
		return [3]any{get(names[0]), get(names[1]), get(names[2])}
	}
	keys := make([]any, len(names))
	for i, name := range names {
		keys[i] = get(name)
	}
	return goSyntax(keys)
}

// goSyntax is the Go syntax of data as a key. What contains itself is like nothing else.
func goSyntax(data any) any {
	if jsonval.TooDeep(data) {
		return new(int)
	}
	return keyText(fmt.Sprintf("%#v", data))
}

// itemKey is the key of an item of a sum of list maps. names are escaped.
func itemKey(item value, names []string) any {
	return composeKey(names, func(name string) any {
		if !item.isMap() {
			return nil
		}
		v, ok := find(item, textValue(name))
		if !ok || v.failed() {
			return nil
		}
		switch v.kind {
		case kindRawMap, kindRawList:
			return goSyntax(v.ref)
		case kindList, kindMap:
			return new(int)
		}
		k, _ := setKey(v)
		return k
	})
}

func (f *frame) equalListMaps(a, b value, keys []string) value {
	byKey := make(map[any]value, listLen(a))
	for i := range listLen(a) {
		f.poll()
		v := listAt(a, i)
		byKey[itemKey(v, keys)] = v
	}
	seen := make(map[any]struct{}, len(byKey))
	for i := range listLen(b) {
		f.poll()
		v := listAt(b, i)
		k := itemKey(v, keys)
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

func escapedKeys(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = name
		if escaped, ok := declare.Escape(name); ok {
			out[i] = escaped
		}
	}
	return out
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
		f.poll()
		other, ok := find(b, k)
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
	data := a.ref.(map[string]any)
	f.visits(itemBytes * len(data))
	for _, k := range slices.Sorted(maps.Keys(data)) {
		f.poll()
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
		mine, found := find(a, key)
		other, otherFound := find(b, key)
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

// equalOpaque compares the data that no schema describes with the other side's data.
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

// deepEqual compares data. As the server does it, an empty list or map equals a missing one of its kind.
func (f *frame) deepEqual(a, b any) bool {
	f.poll()
	return jsonval.Equal(a, b)
}

// compare returns the order of two values that can be ordered, or an error.
func compare(a, b value) (int, value) {
	switch a.kind {
	case kindInt, kindUint, kindDouble:
		if a.kind == kindDouble && math.IsNaN(a.double()) || b.kind == kindDouble && math.IsNaN(b.double()) {
			return 0, failure("NaN values cannot be ordered")
		}
		if c, ok := compareNumbers(a, b); ok {
			return c, value{kind: kindBool}
		}
	case kindString:
		if b.kind == kindString {
			return order(a.str(), b.str()), value{kind: kindBool}
		}
	case kindBytes:
		if b.kind == kindBytes {
			return order(string(a.ref.([]byte)), string(b.ref.([]byte))), value{kind: kindBool}
		}
	case kindBool:
		if b.kind == kindBool {
			return order(a.bits, b.bits), value{kind: kindBool}
		}
	case kindDuration:
		if b.kind == kindDuration {
			return order(a.duration(), b.duration()), value{kind: kindBool}
		}
	case kindTimestamp:
		if b.kind == kindTimestamp {
			return a.ref.(time.Time).Compare(b.ref.(time.Time)), value{kind: kindBool}
		}
	}
	return 0, b.or(noSuchOverload)
}

// ordered reports whether values of the kind can be compared with < at all.
func (v value) ordered() bool {
	switch v.kind {
	case kindInt, kindUint, kindDouble, kindString, kindBytes, kindBool, kindDuration, kindTimestamp:
		return true
	}
	return false
}
