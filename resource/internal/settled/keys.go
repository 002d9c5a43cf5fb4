package settled

import (
	"bytes"
	"hash/maphash"
	"slices"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
)

// This file defines for texts which items of sets and maps are the same, as package plan does for decoded values
// (keys.go and items.go).

// distinct reports whether the items of a set or a map certainly differ. values has size spans for each item: the item
// of a set, or the keys of an item of a map, empty if a key is missing. It compares their texts, and returns false if
// that is not enough.
func (s *Scan) distinct(values []span, size, count int) bool {
	for _, v := range values {
		if !s.comparable(v) {
			return false
		}
	}
	return s.unequal(values, size, count)
}

// unequal reports whether no two items have the same texts.
func (s *Scan) unequal(values []span, size, count int) bool {
	item := func(i int) []span { return values[i*size : (i+1)*size] }
	return jsonval.Differ(count, func(i int) (sum uint64) {
		for _, v := range item(i) {
			sum = sum*31 + maphash.Bytes(jsonval.Seed, s.data[v.from:v.to])
		}
		return sum
	}, func(i, j int) bool { return s.sameItem(item(i), item(j)) })
}

// maxDigits is the length up to which every integer is an int64. Longer ones may be float64s, which can be equal
// although their texts differ.
const maxDigits = 18

// comparable reports whether a value equals another only if their texts are the same: strings without escapes, integers
// that are not too long, and booleans. It does not matter what it reports for a key that is missing.
func (s *Scan) comparable(v span) bool {
	text := s.data[v.from:v.to]
	switch s.at(int(v.from)) {
	case '"':
		return bytes.IndexByte(text, '\\') == -1
	case 't', 'f':
		return true
	case 'n', '{', '[':
		return false
	}
	return len(text) <= maxDigits && !bytes.ContainsAny(text, ".eE")
}

func (s *Scan) sameItem(a, b []span) bool {
	return slices.EqualFunc(a, b, func(v, w span) bool { return s.part(v) == s.part(w) })
}

// correlated reports whether all keys of an item of a list map are scalars, so that the item corresponds to itself, as
// [plan.Items] does it for decoded values (RAT-003). exact is false if a key is not an integer: such numbers are compared as text, so that the item may be
// correlated with another one.
func (w *walk) correlated(list *plan.Node, at int) (ok, exact bool) {
	for _, key := range list.ListMapKeys {
		kind := byte(0)
		for i, end := at+1, w.after(at); i < end; i = w.after(i) {
			w.reading--
			if prop := int(w.tape[i].prop); prop >= 0 && list.Items.FieldName(prop) == key {
				kind = w.kind(i)
			}
		}
		switch kind {
		case '"', 't', '0':
		case '.':
			return false, false
		default:
			return false, true
		}
	}
	return true, w.reading > 0
}

// A keyList has keys of an object that must be distinct: those in Scan.others from an index on.
type keyList struct {
	from      int
	unordered bool // some key is not greater than the one before it
}

// addKey adds the key between two offsets, with its escapes.
func (s *Scan) addKey(keys *keyList, from, to int) {
	key := span{int32(from), int32(to)}
	if last := len(s.others) - 1; last >= keys.from && !keys.unordered {
		keys.unordered = s.part(s.others[last]) >= s.part(key)
	}
	s.others = append(s.others, key)
}

// endKeys removes all keys, and reports whether they are distinct.
func (s *Scan) endKeys(keys *keyList) bool {
	all := s.others[keys.from:]
	s.others = s.others[:keys.from]
	return !keys.unordered || s.unequal(all, 1, len(all))
}
