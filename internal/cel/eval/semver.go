package eval

import (
	"errors"
	"strings"

	"github.com/blang/semver/v4"
)

// A version is a semantic version. It is immutable; the zero version is 0.0.0.
type version struct {
	v semver.Version
}

// parseSemver parses s, which may be any text, after normalization if normalize is set, which writes zeros for missing
// numbers: 1.2.-rc is 1.2.0-rc. It takes time and memory linear in s, parts of which are kept. The errors are those of
// CLI-050 and CLI-051.
//
// Clauses: CLI-050, CLI-051.
func parseSemver(s string, normalize bool) (version, error) {
	if normalize {
		var err error
		if s, err = normalizedVersion(s); err != nil {
			return version{}, err
		}
	}
	v, err := semver.Parse(s)
	if err != nil {
		return version{}, err
	}
	v.Build = nil // it is never used (CLI-052)
	return version{v: v}, nil
}

// normalizedVersion returns s after the normalization of CLI-051.
func normalizedVersion(s string) (string, error) {
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

// major returns the first number. Numbers above 2^63 - 1 overflow to negative ones, here and below (CLI-050).
func (v version) major() int64 { return int64(v.v.Major) }

// minor returns the second number.
func (v version) minor() int64 { return int64(v.v.Minor) }

// patch returns the third number.
func (v version) patch() int64 { return int64(v.v.Patch) }

// String returns the version as it is written without normalisation.
func (v version) String() string { return v.v.String() }

// compare returns -1, 0 or 1 if v is lower than, equal to, or higher than w. Build data do not count.
//
// Clauses: CLI-052.
func (v version) compare(w version) int { return v.v.Compare(w.v) }

// identifiers returns the number of prerelease identifiers of v, which [version.compare] reads.
func (v version) identifiers() int { return len(v.v.Pre) }
