package settled

import (
	"bytes"
	"hash/maphash"
	"math/bits"
	"slices"
)

// fewItems is up to how many items each is compared with each.
const fewItems = 16

// distinct reports whether the items of a set or a map differ for certain, going by the text of the values that tell
// them apart: size of them for each item. An empty span is a key that is missing. In doubt it says no.
func (s *Scan) distinct(values []span, size, count int) bool {
	for _, v := range values {
		if !s.comparable(v) {
			return false
		}
	}
	return s.unequal(values, size, count)
}

// repeated reports whether two of the keys, which have no escapes, are the same.
func (s *Scan) repeated(keys []span) bool { return !s.unequal(keys, 1, len(keys)) }

// unequal reports whether the texts of the items differ.
func (s *Scan) unequal(values []span, size, count int) bool {
	if count > fewItems {
		return s.manyUnequal(values, size, count)
	}
	for i := 1; i < count; i++ {
		for j := range i {
			if s.sameItem(values[i*size:(i+1)*size], values[j*size:(j+1)*size]) {
				return false
			}
		}
	}
	return true
}

// maxDigits is the length up to which an integer is an int64: of longer ones, several are the same float64.
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
	for i := range a {
		if a[i].to-a[i].from != b[i].to-b[i].from || s.view(int(a[i].from), int(a[i].to)) != s.view(int(b[i].from), int(b[i].to)) {
			return false
		}
	}
	return true
}

var seed = maphash.MakeSeed()

// manyUnequal looks the items up in a table of their hashes.
func (s *Scan) manyUnequal(values []span, size, count int) bool {
	slots := 1 << bits.Len(uint(2*count-1)) // at most half full
	s.hashes = slices.Grow(s.hashes[:0], slots)[:slots]
	table := s.hashes
	clear(table)
	const index = 1<<32 - 1
	for i := range count {
		item := values[i*size : (i+1)*size]
		var sum uint64
		for _, v := range item {
			sum = sum*31 + maphash.Bytes(seed, s.data[v.from:v.to])
		}
		at := sum & uint64(slots-1)
		for ; table[at] != 0; at = (at + 1) & uint64(slots-1) {
			if j := int(table[at]&index - 1); table[at]&^index == sum&^index && s.sameItem(item, values[j*size:(j+1)*size]) {
				return false
			}
		}
		table[at] = sum&^index | uint64(i+1)
	}
	return true
}
