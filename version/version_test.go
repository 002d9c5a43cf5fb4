package version

import (
	"cmp"
	"fmt"
	"math/big"
	"math/rand"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCompare(t *testing.T) {
	for _, tc := range []struct {
		name string
		a, b string
		want int
	}{
		{"VER-002: a name with itself", "v1", "v1", 0},
		{"VER-002: two empty names", "", "", 0},
		{"VER-002: a larger major", "v10", "v2", 1},
		{"VER-002: GA before beta, whatever the number", "v1", "v2beta1", 1},
		{"VER-002: GA before alpha", "v0", "v9alpha9", 1},
		{"VER-002: beta before alpha", "v1beta1", "v2alpha9", 1},
		{"VER-002: among betas the major first", "v3beta1", "v2beta9", 1},
		{"VER-002: then the minor, as a number", "v11beta10", "v11beta9", 1},
		{"VER-002: among alphas likewise", "v12alpha1", "v11alpha2", 1},
		{"VER-002: kube-like before others", "v0alpha0", "a", 1},
		{"VER-002: others in byte order", "foo1", "foo10", 1},
		{"VER-002: upper case first", "B", "a", 1},
		{"VER-002: the empty name first among others", "", "foo", 1},
		{"VER-002: but after what is kube-like", "v1", "", 1},
		{"VER-002: leading zeros do not count", "v1", "v01", 0},
		{"VER-002: nor in the minor", "v1beta2", "v1beta002", 0},

		{"VER-002: others that differ late", "experimental1", "experimental2", 1},
		{"VER-002: others with a zero byte", "foo", "foo\x00", 1},

		// If the second name were kube-like, it would come first.
		{"VER-001: v1beta is not kube-like", "a", "v1beta", 1},
		{"VER-001: v1alpha is not kube-like", "a", "v1alpha", 1},
		{"VER-001: V1 is not kube-like", "v1", "V1", 1},
		{"VER-001: v1.2 is not kube-like", "a", "v1.2", 1},
		{"VER-001: v1gamma1 is not kube-like", "a", "v1gamma1", 1},
		{"VER-001: v is not kube-like", "a", "v", 1},
		{"VER-001: vbeta1 is not kube-like", "a", "vbeta1", 1},
		{"VER-001: v-1 is not kube-like", "a", "v-1", 1},
		{"VER-001: v+1 is not kube-like", "a", "v+1", 1},
		{"VER-001: v1_0 is not kube-like", "a", "v1_0", 1},
		{"VER-001: no blank in front", " a", " v1", 1},
		{"VER-001: no line end behind", "a", "v1\n", 1},
		{"VER-001: nothing behind the minor", "a", "v1beta1x", 1},
		{"VER-001: one stability only", "a", "v1alpha1beta1", 1},
		{"VER-001: ASCII digits only", "a", "v١", 1},
		{"VER-001: the largest number", "v9223372036854775807", "v9223372036854775806", 1},
		{"VER-001: one more does not fit", "a", "v9223372036854775808", 1},
		{"VER-001: nor does it as a minor", "a", "v1beta9223372036854775808", 1},
		{"VER-001: far too large", "a", "v99999999999999999999", 1},
		{"VER-001: zeros in front take no room", "v000000000000000000000000000002", "v1", 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			require.Equal(t, tc.want, Compare(tc.a, tc.b), "Compare(%q, %q)", tc.a, tc.b)
			require.Equal(t, -tc.want, Compare(tc.b, tc.a), "Compare(%q, %q)", tc.b, tc.a)
		})
	}
}

func TestSort(t *testing.T) {
	for _, tc := range []struct {
		name     string
		in, want string
	}{
		{"nothing", "", ""},
		{"one name", "v1", "v1"},
		{"VER-003: the list of the documentation", "foo10 v1 v11alpha2 v10beta3 v2 v12alpha1 v3beta1 foo1 v11beta2 v10",
			"v10 v2 v1 v11beta2 v10beta3 v3beta1 v12alpha1 v11alpha2 foo1 foo10"},
		{"VER-003: v0 before foo", "foo v0", "v0 foo"},
		{"VER-003: ties keep their order", "v01 v1 v001", "v01 v1 v001"},
		{"VER-003: ties keep their order among others", "v1beta1 v1 a v01 v1beta01 v001 b v2", "v2 v1 v01 v001 v1beta1 v1beta01 a b"},
		{"duplicates stay", "v1 v2 v1", "v2 v1 v1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			names := strings.Fields(tc.in)
			Sort(names)
			require.Equal(t, tc.want, strings.Join(names, " "))
		})
	}
	Sort(nil)
}

// TestSortLarge sorts many names, with many ties among them.
func TestSortLarge(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, n := range []int{7, 8, 9, 100, 5000} {
		names := randomNames(r, n)
		want := slices.Clone(names)
		slowSort(want)
		Sort(names)
		require.Equal(t, want, names)
	}
}

func TestAllocs(t *testing.T) {
	names := randomNames(rand.New(rand.NewSource(2)), 1000)
	work := make([]string, len(names))
	require.Zero(t, testing.AllocsPerRun(10, func() {
		copy(work, names)
		Sort(work)
	}))
	require.Zero(t, testing.AllocsPerRun(10, func() { Compare("v1beta1", "v12345alpha2") }))
}

func randomNames(r *rand.Rand, n int) []string {
	names := make([]string, n)
	for i := range names {
		switch r.Intn(5) {
		case 0:
			names[i] = fmt.Sprintf("v%d", r.Intn(n))
		case 1:
			names[i] = fmt.Sprintf("v%dbeta%d", r.Intn(20), r.Intn(20))
		case 2:
			names[i] = fmt.Sprintf("v0%dalpha%d", r.Intn(20), r.Intn(20))
		case 3:
			names[i] = fmt.Sprintf("v%02d", r.Intn(n))
		default:
			names[i] = fmt.Sprintf("name%d", r.Intn(n))
		}
	}
	return names
}

// The rest is a slow and obvious reading of VER-001 and VER-002 to compare with.

var kubeLikePattern = regexp.MustCompile(`\Av([0-9]+)(?:(alpha|beta)([0-9]+))?\z`)

// slowParse returns nil for a name that is not Kubernetes-like, otherwise its stability and its numbers.
func slowParse(name string) []*big.Int {
	m := kubeLikePattern.FindStringSubmatch(name)
	if m == nil {
		return nil
	}
	rank := map[string]int64{"": 3, "beta": 2, "alpha": 1}[m[2]]
	numbers := []*big.Int{big.NewInt(rank)}
	for _, digits := range []string{m[1], "0" + m[3]} {
		n, _ := new(big.Int).SetString(digits, 10)
		if !n.IsInt64() {
			return nil
		}
		numbers = append(numbers, n)
	}
	return numbers
}

func slowCompare(a, b string) int {
	x, y := slowParse(a), slowParse(b)
	switch {
	case x == nil && y == nil:
		return strings.Compare(b, a)
	case x == nil:
		return -1
	case y == nil:
		return 1
	}
	return slices.CompareFunc(x, y, (*big.Int).Cmp)
}

func slowSort(versions []string) {
	slices.SortStableFunc(versions, func(a, b string) int { return slowCompare(b, a) })
}

// FuzzCompare checks that Compare is the slow comparison, and an order: antisymmetric and transitive.
func FuzzCompare(f *testing.F) {
	f.Add("v1", "v01", "v1beta1")
	f.Add("foo", "", "v99999999999999999999")
	f.Add("v1alpha1", "v1alpha", "V1")
	f.Add("v9223372036854775807", "v9223372036854775808", "v1\n")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		names := []string{a, b, c, "v" + a, "v1beta" + b}
		for _, x := range names {
			for _, y := range names {
				require.Equal(t, slowCompare(x, y), Compare(x, y), "%q, %q", x, y)
				require.Equal(t, -Compare(y, x), Compare(x, y), "%q, %q", x, y)
				for _, z := range names {
					if Compare(x, y) >= 0 && Compare(y, z) >= 0 {
						require.GreaterOrEqual(t, Compare(x, z), 0, "%q, %q, %q", x, y, z)
					}
				}
			}
		}
	})
}

// FuzzSort checks that Sort reorders its argument and nothing else, and orders it as the slow one does, ties included.
func FuzzSort(f *testing.F) {
	f.Add("v1 v01 v2beta1 foo  v1alpha1")
	f.Add("v10 v9 v8 v7 v6 v5 v4 v3 v2 v1 v1")
	f.Fuzz(func(t *testing.T, text string) {
		in := strings.Split(text, " ")
		got, want := slices.Clone(in), slices.Clone(in)
		Sort(got)
		slowSort(want)
		require.Equal(t, want, got)
		require.True(t, slices.IsSortedFunc(got, func(a, b string) int { return Compare(b, a) }))
		slices.Sort(in)
		permuted := slices.Sorted(slices.Values(got))
		require.Equal(t, in, permuted)
		reversed := slices.Clone(got)
		slices.Reverse(reversed)
		Sort(reversed)
		require.Zero(t, slices.CompareFunc(got, reversed, Compare), "the order of the input does not count")
	})
}

// BenchmarkSort has a plain sort of the same strings beside it as a measure.
func BenchmarkSort(b *testing.B) {
	for _, n := range []int{3, 1000} {
		names := randomNames(rand.New(rand.NewSource(3)), n)
		work := make([]string, n)
		b.Run(fmt.Sprintf("versions/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				copy(work, names)
				Sort(work)
			}
		})
		b.Run(fmt.Sprintf("strings/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				copy(work, names)
				slices.SortFunc(work, cmp.Compare[string])
			}
		})
	}
}
