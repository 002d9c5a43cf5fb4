package settled

import (
	"bytes"
	"hash/maphash"
	"slices"

	"github.com/crdkit/crdkit/internal/verdict"
)

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

// unequal reports whether the texts of the items differ.
func (s *Scan) unequal(values []span, size, count int) bool {
	item := func(i int) []span { return values[i*size : (i+1)*size] }
	return verdict.Differ(count, func(i int) (sum uint64) {
		for _, v := range item(i) {
			sum = sum*31 + maphash.Bytes(verdict.Seed, s.data[v.from:v.to])
		}
		return sum
	}, func(i, j int) bool { return s.sameItem(item(i), item(j)) })
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
	return slices.EqualFunc(a, b, func(v, w span) bool { return s.part(v) == s.part(w) })
}

// A keyList has the keys of an object among which no two may be the same: those in Scan.others from an index on.
type keyList struct {
	from      int
	unordered bool // a key does not come after the one before it
}

// addKey adds the key between two offsets, as it is written.
func (s *Scan) addKey(keys *keyList, from, to int) {
	key := span{int32(from), int32(to)}
	if last := len(s.others) - 1; last >= keys.from && !keys.unordered {
		keys.unordered = s.part(s.others[last]) >= s.part(key)
	}
	s.others = append(s.others, key)
}

// endKeys reports whether all keys differ, and forgets them.
func (s *Scan) endKeys(keys *keyList) bool {
	all := s.others[keys.from:]
	s.others = s.others[:keys.from]
	return !keys.unordered || s.unequal(all, 1, len(all))
}
