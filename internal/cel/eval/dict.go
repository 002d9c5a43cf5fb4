package eval

import "math"

// A dict is a map that is not part of the object: a literal, or a computed one. Its entries keep the order in which
// they were added.
type dict struct {
	keys, vals []value
	index      map[any]int // nil while there are few
	growing    bool        // a loop is still adding to it
}

// smallDict is the number of entries up to which a dict is searched linearly.
const smallDict = 8

func newDict(n int) *dict {
	return &dict{keys: make([]value, 0, n), vals: make([]value, 0, n)}
}

// reserve allocates memory for n entries in an empty dict.
func (d *dict) reserve(n int) {
	d.keys, d.vals = make([]value, 0, n), make([]value, 0, n)
	d.index = make(map[any]int, n)
}

// numberKey is dictKey, except that equal numbers of different types are equal.
func numberKey(k value) any {
	switch k.kind {
	case kindUint:
		if k.int() >= 0 {
			return k.int()
		}
	case kindDouble:
		if i, whole := wholeNumber(k.double()); whole {
			return i
		}
	}
	return dictKey(k)
}

// dictKey returns a Go key that is equal for equal keys, or nil if the key equals none. Numbers of different types are
// different keys.
func dictKey(k value) any {
	switch k.kind {
	case kindString:
		return k.str()
	case kindBool:
		return k.isTrue()
	case kindInt:
		return k.int()
	case kindUint:
		return k.bits
	case kindDouble:
		return k.double()
	case kindNull:
		return keyText("null")
	case kindDuration:
		return k.duration()
	case kindType:
		return keyText("type " + k.str())
	case kindTimestamp, kindIP, kindCIDR, kindList, kindMap, kindOptional, kindQuantity, kindURL:
		return k.ref // equal if Go's == says so
	case kindRawMap, kindRawList:
		if k.bits != 0 {
			return identity64(k.bits)
		}
	}
	return nil
}

// An identity64 is the identity of data.
type identity64 uint64

// unhashable returns the name of the type of a key that a server's map cannot have, which makes it crash.
func unhashable(k value) string {
	switch k.kind {
	case kindBytes, kindSemver, kindFormat:
		return goTypeName(k)
	}
	return ""
}

func hashable(k value) {
	if name := unhashable(k); name != "" {
		panic(crashed("internal error: runtime error: hash of unhashable type " + name))
	}
}

// at returns the index of key, or -1.
func (d *dict) at(key value) int {
	if d.index != nil {
		if k := dictKey(key); k != nil {
			if i, ok := d.index[k]; ok {
				return i
			}
		}
		return -1
	}
	if key.kind == kindString {
		for i := range d.keys {
			if d.keys[i].kind == kindString && d.keys[i].str() == key.str() {
				return i
			}
		}
		return -1
	}
	want := dictKey(key)
	if want == nil {
		return -1
	}
	for i := range d.keys {
		if dictKey(d.keys[i]) == want {
			return i
		}
	}
	return -1
}

func (d *dict) find(key value) (value, bool) {
	if key.failed() {
		return key, true
	}
	if len(d.keys) == 0 {
		return value{}, false
	}
	hashable(key)
	if i := d.at(key); i >= 0 {
		return d.vals[i], true
	}
	for _, other := range otherNumbers(key) {
		if i := d.at(other); i >= 0 {
			return d.vals[i], true
		}
	}
	return value{}, false
}

// otherNumbers returns the keys that a number also finds: an int finds the equal uint and the reverse, and a double
// finds both. Only a double finds a double.
func otherNumbers(key value) []value {
	switch key.kind {
	case kindInt:
		if key.int() >= 0 {
			return []value{unsigned(key.bits)}
		}
	case kindUint:
		if key.int() >= 0 {
			return []value{integer(key.int())}
		}
	case kindDouble:
		if i, whole := wholeNumber(key.double()); whole && i >= 0 {
			return []value{integer(i), unsigned(uint64(i))}
		} else if whole {
			return []value{integer(i)}
		}
	}
	return nil
}

// put sets the value of key.
func (d *dict) put(key, v value) {
	if i := d.at(key); i >= 0 {
		d.vals[i] = v
		return
	}
	d.keys, d.vals = append(d.keys, key), append(d.vals, v)
	switch {
	case d.index != nil:
		d.addToIndex(len(d.keys) - 1)
	case len(d.keys) > smallDict:
		d.index = make(map[any]int, 2*len(d.keys))
		for i := range d.keys {
			d.addToIndex(i)
		}
	}
}

// addToIndex adds entry i, unless its key equals no key.
func (d *dict) addToIndex(i int) {
	if k := dictKey(d.keys[i]); k != nil {
		d.index[k] = i
	}
}

// wholeNumber returns f as an int64, if it is one.
func wholeNumber(f float64) (int64, bool) {
	if f != math.Trunc(f) || f <= -1<<63 || f >= 1<<63 {
		return 0, false
	}
	return int64(f), true
}
