package semver

import (
	"errors"
	"strings"

	"github.com/blang/semver/v4"
)

// A Version is a semantic version. The zero Version is 0.0.0.
type Version struct {
	v semver.Version
}

// Parse parses s, which may be any text, after normalization if normalize is set. The errors are those of CLI-050 and
// CLI-051.
//
// Clauses: CLI-050, CLI-051.
func Parse(s string, normalize bool) (Version, error) {
	if normalize {
		var err error
		if s, err = normalized(s); err != nil {
			return Version{}, err
		}
	}
	v, err := semver.Parse(s)
	if err != nil {
		return Version{}, err
	}
	v.Build = nil // it is never used (CLI-052)
	return Version{v: v}, nil
}

// normalized returns s after the normalization of CLI-051.
func normalized(s string) (string, error) {
	parts := strings.SplitN(strings.TrimPrefix(s, "v"), ".", 3)
	for i, part := range parts {
		parts[i] = withoutZeros(part)
	}
	if len(parts) < 3 && strings.ContainsAny(parts[len(parts)-1], "+-") {
		return "", errors.New("short version cannot contain PreRelease/Build meta data")
	}
	for len(parts) < 3 {
		parts = append(parts, "0")
	}
	return strings.Join(parts, "."), nil
}

// withoutZeros returns a part of a version without leading zeros. If no digit is left, it adds one zero.
func withoutZeros(part string) string {
	if len(part) <= 1 {
		return part
	}
	part = strings.TrimLeft(part, "0")
	if part == "" || part[0] < '0' || '9' < part[0] {
		return "0" + part
	}
	return part
}

// Major returns the first number. Numbers above 2^63 - 1 overflow to negative ones, here and below (CLI-050).
func (v Version) Major() int64 { return int64(v.v.Major) }

// Minor returns the second number.
func (v Version) Minor() int64 { return int64(v.v.Minor) }

// Patch returns the third number.
func (v Version) Patch() int64 { return int64(v.v.Patch) }

// String returns the version as it is written without normalisation.
func (v Version) String() string { return v.v.String() }

// Compare returns -1, 0 or 1 if v is lower than, equal to, or higher than w. Build data do not count.
//
// Clauses: CLI-052.
func (v Version) Compare(w Version) int { return v.v.Compare(w.v) }

// Identifiers returns the number of prerelease identifiers of v, which [Version.Compare] reads.
func (v Version) Identifiers() int { return len(v.v.Pre) }
