package semver

import "strings"

// Valid reports whether [Parse] accepts s. It does not allocate.
//
// Clauses: CLI-050, CLI-051.
func Valid(s string, normalize bool) bool {
	if normalize {
		s = strings.TrimPrefix(s, "v")
	}
	major, rest, _ := strings.Cut(s, ".")
	minor, patch, hasPatch := strings.Cut(rest, ".")
	if !normalize {
		return hasPatch && isNumber(major) && isNumber(minor) && isPatch(patch)
	}
	// CLI-051: the second and the third part may be missing, but not empty.
	return isPadded(major) &&
		(len(major) == len(s) || isPadded(minor)) &&
		(!hasPatch || isPaddedPatch(patch))
}

// isNumber reports whether s is a number of 64 bits without leading zeros.
func isNumber(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	const largest = "18446744073709551615"
	switch {
	case s == "" || s[0] == '0' && len(s) > 1:
		return false
	case len(s) == len(largest):
		return s <= largest
	}
	return len(s) < len(largest)
}

// isPadded reports whether s is a number, possibly with leading zeros.
func isPadded(s string) bool {
	if len(s) <= 1 {
		return isNumber(s)
	}
	s = strings.TrimLeft(s, "0")
	return s == "" || isNumber(s)
}

// isPatch reports whether s is the third part of a version: a number, then optionally a prerelease, then optionally
// build data.
func isPatch(s string) bool {
	i := strings.IndexAny(s, "-+")
	if i < 0 {
		return isNumber(s)
	}
	return isNumber(s[:i]) && isTail(s[i:])
}

// isPaddedPatch is isPatch for a number that may have leading zeros, or be missing before something else.
func isPaddedPatch(s string) bool {
	if len(s) <= 1 {
		return isNumber(s)
	}
	s = strings.TrimLeft(s, "0")
	if startsWithDigit(s) {
		return isPatch(s)
	}
	return s == "" || isTail(s)
}

// isTail reports whether s is what may follow the third number: a prerelease, build data, or both.
func isTail(s string) bool {
	pre, build, hasBuild := strings.Cut(s, "+")
	if hasBuild && !areIdentifiers(build, true) {
		return false
	}
	return pre == "" && hasBuild || pre != "" && pre[0] == '-' && areIdentifiers(pre[1:], false)
}

// areIdentifiers reports whether s is a list of identifiers separated by dots. Numeric ones may have any form if
// anyNumber is set; otherwise isNumber must accept them.
func areIdentifiers(s string, anyNumber bool) bool {
	for more := true; more; {
		var id string
		id, s, more = strings.Cut(s, ".")
		digits := 0
		for i := range len(id) {
			switch c := id[i]; {
			case isDigit(c):
				digits++
			case c == '-', 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
			default:
				return false
			}
		}
		if id == "" || digits == len(id) && !anyNumber && !isNumber(id) {
			return false
		}
	}
	return true
}
