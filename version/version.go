package version

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Compare compares the priorities of two version names. It is positive if a has the higher priority and comes before b
// in a sorted list, negative if b does, and 0 if the priorities are equal. Different names may have equal priorities:
// v1 and v01.
func Compare(a, b string) int {
	x, y := parse(a), parse(b)
	if x == (rank{}) && y == (rank{}) {
		return strings.Compare(b, a) // VER-002: a smaller name has the higher priority
	}
	return cmp.Or(cmp.Compare(x.stability, y.stability), cmp.Compare(x.major, y.major), cmp.Compare(x.minor, y.minor))
}

// Sort sorts the names in place by decreasing priority, as defined by [Compare]. Names of equal priority keep their
// order.
func Sort(versions []string) {
	slices.SortStableFunc(versions, func(a, b string) int { return Compare(b, a) })
}

// A rank is the priority of a Kubernetes-like name. That of other names is zero.
type rank struct {
	stability    stability
	major, minor uint64
}

type stability int

const (
	alpha stability = iota + 1
	beta
	stable
)

// parse returns the rank of a name: a v and a number, optionally followed by alpha or beta and a second number.
// VER-001: a name that does not match as a whole, or has a number that does not fit, is not Kubernetes-like.
func parse(name string) rank {
	rest, ok := strings.CutPrefix(name, "v")
	if !ok {
		return rank{}
	}
	major, rest, ok := number(rest)
	switch {
	case !ok:
		return rank{}
	case rest == "":
		return rank{stable, major, 0}
	}
	level := beta
	digits, ok := strings.CutPrefix(rest, "beta")
	if !ok {
		level = alpha
		if digits, ok = strings.CutPrefix(rest, "alpha"); !ok {
			return rank{}
		}
	}
	minor, rest, ok := number(digits)
	if !ok || rest != "" {
		return rank{}
	}
	return rank{level, major, minor}
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
