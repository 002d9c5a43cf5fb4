package eval

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseVersion(t *testing.T) {
	const (
		invalid = `strconv.ParseUint: parsing "": invalid syntax`
		short   = "short version cannot contain PreRelease/Build meta data"
	)
	for _, tc := range []struct {
		name, in   string
		strict     string // the error
		normalized string
	}{
		{"CLI-050: three numbers", "1.2.3", "", ""},
		{"CLI-050: prerelease", "1.2.3-rc.1", "", ""},
		{"CLI-050: build data", "1.2.3+01.a-b", "", ""},
		{"CLI-050: both", "1.2.3--a.0+x.-", "", ""},
		{"CLI-050: the largest numbers", "18446744073709551615.0.0", "", ""},
		{"CLI-050: nothing", "", "Version string empty", invalid},
		{"CLI-050: no points", "1", "No Major.Minor.Patch elements found", ""},
		{"CLI-050: one point", "1.2", "No Major.Minor.Patch elements found", ""},
		{"CLI-050: a letter in front", "v1.2.3", `Invalid character(s) found in major number "v1"`, ""},
		{"CLI-050: a letter in the middle", "1.x.3", `Invalid character(s) found in minor number "x"`, `Invalid character(s) found in minor number "x"`},
		{"CLI-050: a letter in the third part", "1.2.3x", `Invalid character(s) found in patch number "3x"`, `Invalid character(s) found in patch number "3x"`},
		{"CLI-050: four numbers", "1.2.3.4", `Invalid character(s) found in patch number "3.4"`, `Invalid character(s) found in patch number "3.4"`},
		{"CLI-050: zeros in the first part", "01.2.3", `Major number must not contain leading zeroes "01"`, ""},
		{"CLI-050: zeros in the second part", "1.00.3", `Minor number must not contain leading zeroes "00"`, ""},
		{"CLI-050: zeros in the third part", "1.2.03-a", `Patch number must not contain leading zeroes "03"`, ""},
		{"CLI-050: an empty prerelease", "1.2.3-", "Prerelease is empty", "Prerelease is empty"},
		{"CLI-050: a prerelease with an empty part", "1.2.3-a..b", "Prerelease is empty", "Prerelease is empty"},
		{"CLI-050: empty build data", "1.2.3+", "Build meta data is empty", "Build meta data is empty"},
		{"CLI-050: zeros in a prerelease", "1.2.3-01", `Numeric PreRelease version must not contain leading zeroes "01"`,
			`Numeric PreRelease version must not contain leading zeroes "01"`},
		{"CLI-050: letters of a prerelease", "1.2.3-a_b", `Invalid character(s) found in prerelease "a_b"`, `Invalid character(s) found in prerelease "a_b"`},
		{"CLI-050: letters of build data", "1.2.3+é", `Invalid character(s) found in build meta data "é"`, `Invalid character(s) found in build meta data "é"`},
		{"CLI-050: two build data", "1.2.3+a+b", `Invalid character(s) found in build meta data "a+b"`, `Invalid character(s) found in build meta data "a+b"`},
		{"CLI-050: an empty part", "1..3", invalid, invalid},
		{"CLI-050: a number beyond 64 bits", "1.18446744073709551616.0", `strconv.ParseUint: parsing "18446744073709551616": value out of range`,
			`strconv.ParseUint: parsing "18446744073709551616": value out of range`},
		{"CLI-050: a prerelease beyond 64 bits", "1.2.3-18446744073709551616", `strconv.ParseUint: parsing "18446744073709551616": value out of range`,
			`strconv.ParseUint: parsing "18446744073709551616": value out of range`},
		{"CLI-051: one v only", "vv1.2.3", `Invalid character(s) found in major number "vv1"`, `Invalid character(s) found in major number "0v1"`},
		{"CLI-051: no V", "V1.2.3", `Invalid character(s) found in major number "V1"`, `Invalid character(s) found in major number "0V1"`},
		{"CLI-051: no blank", " 1.2.3", `Invalid character(s) found in major number " 1"`, `Invalid character(s) found in major number "0 1"`},
		{"CLI-051: short with a prerelease", "1-a", "No Major.Minor.Patch elements found", short},
		{"CLI-051: short with build data", "v1.2+a", "No Major.Minor.Patch elements found", short},
		{"CLI-051: short and v only", "v", "No Major.Minor.Patch elements found", invalid},
		{"CLI-051: a prerelease alone", "1.2.-rc", invalid, ""},
		{"CLI-051: build data behind zeros", "1.2.000+b", `Patch number must not contain leading zeroes "000"`, ""},
		{"CLI-051: one character is left alone", "1.2.-", invalid, invalid},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, normalize := range []bool{false, true} {
				want := tc.strict
				if normalize {
					want = tc.normalized
				}
				_, err := parseSemver(tc.in, normalize)
				if want == "" {
					require.NoError(t, err)
				} else {
					require.EqualError(t, err, want)
				}
			}
		})
	}
}

func TestVersionNumbers(t *testing.T) {
	for _, tc := range []struct {
		name, in            string
		major, minor, patch int64
	}{
		{"CLI-050: as written", "1.2.3-4+5", 1, 2, 3},
		{"CLI-050: large ones wrap round", "9223372036854775807.9223372036854775808.18446744073709551615", math.MaxInt64, math.MinInt64, -1},
		{"CLI-051: filled up", "v7", 7, 0, 0},
		{"CLI-051: zeros dropped", "007.08.00", 7, 8, 0},
		{"CLI-051: a number put in", "1.2.-rc", 1, 2, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v, err := parseSemver(tc.in, true)
			require.NoError(t, err)
			require.Equal(t, []int64{tc.major, tc.minor, tc.patch}, []int64{v.major(), v.minor(), v.patch()})
		})
	}
}

func TestCompareVersions(t *testing.T) {
	// CLI-052: from the lowest to the highest; those in one line are equal.
	lines := []string{
		"0.0.0-0",
		"0.0.0 0.0.0+a 0.0.0+b",
		"1.2.3-1 1.2.3-1+x",
		"1.2.3-2",
		"1.2.3-10",
		"1.2.3-A",
		"1.2.3-a",
		"1.2.3-a.1",
		"1.2.3-a.b",
		"1.2.3-b",
		"1.2.3 1.2.3+x",
		"1.2.10",
		"1.10.0",
		"10.0.0",
		"9223372036854775808.0.0",
	}
	for i, lower := range lines {
		for j, higher := range lines[i:] {
			for _, a := range strings.Fields(lower) {
				for _, b := range strings.Fields(higher) {
					v, err := parseSemver(a, false)
					require.NoError(t, err)
					w, err := parseSemver(b, false)
					require.NoError(t, err)
					require.Equal(t, -min(j, 1), v.compare(w), "%s, %s", a, b)
					require.Equal(t, min(j, 1), w.compare(v), "%s, %s", b, a)
					require.Equal(t, j == 0, v.compare(w) == 0, "%s, %s", a, b)
				}
			}
		}
	}
}

// FuzzParseVersion holds a version's parts against each other.
func FuzzParseVersion(f *testing.F) {
	for _, s := range []string{
		"", "v", "1.2.3", "1.2", "v01.002.0003-rc.1+b", "1.2.-a", "1.2.+a", "1.2.-", "1.2.3-+", "1.2.3+-", "1.2.00x", "18446744073709551616.0.0",
		"1.2.3-18446744073709551616", "1..3", "...", "1.2.3-a+b+c", "00.0.0", "V1.2.3",
	} {
		f.Add(s, false)
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, s string, normalize bool) {
		v, err := parseSemver(s, normalize)
		if err != nil {
			return
		}
		require.Zero(t, v.compare(v))
		if !normalize {
			w, err := parseSemver(s, true)
			require.NoError(t, err)
			require.True(t, v.compare(w) == 0, "normalization leaves valid versions alone")
			w, err = parseSemver("v"+s, true)
			require.NoError(t, err)
			require.True(t, v.compare(w) == 0, "and takes a v away")
		}
	})
}
