package version

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strings"
)

// Compare compares the priorities of two version names. It is positive if a has the higher priority and comes before b
// in a sorted list, negative if b does, and 0 if the priorities are equal. Different names may have equal priorities:
// v1 and v01.
func Compare(a, b string) int {
	if a == b {
		return 0
	}
	return parse(a).compare(parse(b), a, b)
}

// Sort sorts the names in place by decreasing priority, as defined by [Compare]. Names of equal priority keep their
// order.
func Sort(versions []string) {
	if len(versions) < 2 {
		return
	}
	type entry struct {
		rank
		position int
	}
	// A group rarely has more versions than this. Then nothing is allocated.
	var few [8]entry
	var fewNames [8]string
	entries, names := few[:0], fewNames[:0]
	if len(versions) > len(few) {
		entries, names = make([]entry, 0, len(versions)), make([]string, 0, len(versions))
	}
	for i, name := range versions {
		entries = append(entries, entry{parse(name), i})
	}
	names = append(names, versions...)
	slices.SortFunc(entries, func(a, b entry) int {
		if c := b.compare(a.rank, names[b.position], names[a.position]); c != 0 {
			return c
		}
		return a.position - b.position
	})
	for i, e := range entries {
		versions[i] = names[e.position]
	}
}

// A rank is the priority of a name as one large number, which is enough for most comparisons: 2 bits for the stability,
// 63 for the major version and 63 for the minor version. Other names than Kubernetes-like ones have 62 zeros and the
// first 8 bytes of the name instead, inverted because a smaller name has the higher priority (VER-002).
type rank struct{ high, low uint64 }

// The stabilities, as the highest bits of a rank.
const (
	alpha  = 1 << 62
	beta   = 2 << 62
	stable = 3 << 62
)

// compare is [Compare] for the ranks of the names a and b. The names are compared only if neither is Kubernetes-like
// and their first bytes are equal.
func (r rank) compare(s rank, a, b string) int {
	switch {
	case r.high != s.high:
		return cmp.Compare(r.high, s.high)
	case r.low != s.low:
		return cmp.Compare(r.low, s.low)
	case r.high < alpha:
		return strings.Compare(b, a)
	}
	return 0
}

// parse returns the rank of a name. VER-001: a name that does not match as a whole, or has a number that does not fit,
// is not Kubernetes-like.
func parse(name string) rank {
	if stability, major, minor, ok := kubeLike(name); ok {
		return rank{high: stability | major>>1, low: major<<63 | minor}
	}
	var prefix [8]byte
	copy(prefix[:], name)
	return rank{low: ^binary.BigEndian.Uint64(prefix[:])}
}

// kubeLike parses a name that is a v and a number, optionally followed by alpha or beta and a second number.
func kubeLike(name string) (stability, major, minor uint64, ok bool) {
	rest, ok := strings.CutPrefix(name, "v")
	if !ok {
		return 0, 0, 0, false
	}
	major, rest, ok = number(rest)
	if !ok {
		return 0, 0, 0, false
	}
	if rest == "" {
		return stable, major, 0, true
	}
	stability = beta
	digits, ok := strings.CutPrefix(rest, "beta")
	if !ok {
		stability = alpha
		if digits, ok = strings.CutPrefix(rest, "alpha"); !ok {
			return 0, 0, 0, false
		}
	}
	minor, rest, ok = number(digits)
	return stability, major, minor, ok && rest == ""
}

// number reads the decimal digits at the start of s. It fails if there are none or if the number is larger than an
// int64. Leading zeros are allowed: v01 is equivalent to v1.
func number(s string) (n uint64, rest string, ok bool) {
	i := 0
	for ; i < len(s) && '0' <= s[i] && s[i] <= '9'; i++ {
		d := uint64(s[i] - '0')
		if n > (math.MaxInt64-d)/10 {
			return 0, "", false
		}
		n = n*10 + d
	}
	return n, s[i:], i > 0
}
