package text

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// CLI-001: positions count code points, and each function has its own idea of what is out of range.
func TestCharAt(t *testing.T) {
	for _, c := range []struct {
		s     string
		index int64
		want  string
		err   string
	}{
		{"abc", 0, "a", ""},
		{"abc", 2, "c", ""},
		{"abc", 3, "", ""},
		{"abc", 4, "", "index out of range: 4"},
		{"abc", -1, "", "index out of range: -1"},
		{"", 0, "", ""},
		{"", 1, "", "index out of range: 1"},
		{"aé世🙂", 3, "🙂", ""},
		{"aé世🙂", 4, "", ""},
		{"aé世🙂", 5, "", "index out of range: 5"},
		{"a\xffb", 1, "\uFFFD", ""},
		{"a\xffb", 2, "b", ""},
		{"abc", 1 << 62, "", "index out of range: 4611686018427387904"},
	} {
		got, err := CharAt(c.s, c.index)
		requireResult(t, c.want, c.err, got, err, "%q.charAt(%d)", c.s, c.index)
	}
}

func TestSubstring(t *testing.T) {
	for _, c := range []struct {
		s          string
		start, end int64 // no end: -9
		want       string
		err        string
	}{
		{"abc", 0, -9, "abc", ""},
		{"abc", 3, -9, "", ""},
		{"abc", 4, -9, "", "index out of range: 4"},
		{"abc", -1, -9, "", "index out of range: -1"},
		{"é世🙂", 1, -9, "世🙂", ""},
		{"a\xff", 1, -9, "\uFFFD", ""},
		{"abc", 1, 2, "b", ""},
		{"abc", 3, 3, "", ""},
		{"é世🙂", 1, 3, "世🙂", ""},
		{"abc", 2, 1, "", "invalid substring range. start: 2, end: 1"},
		{"abc", 1, -1, "", "invalid substring range. start: 1, end: -1"},
		{"abc", 9, 8, "", "invalid substring range. start: 9, end: 8"},
		{"abc", 0, 4, "", "index out of range: 4"},
		{"abc", -1, 1, "", "index out of range: -1"},
		{"abc", 5, 6, "", "index out of range: 5"},
	} {
		if c.end == -9 {
			got, err := Substring(c.s, c.start)
			requireResult(t, c.want, c.err, got, err, "%q.substring(%d)", c.s, c.start)
			continue
		}
		got, err := SubstringTo(c.s, c.start, c.end)
		requireResult(t, c.want, c.err, got, err, "%q.substring(%d, %d)", c.s, c.start, c.end)
	}
}

func TestIndexOf(t *testing.T) {
	for _, c := range []struct {
		s, sub      string
		first, last int64
	}{
		{"abcabc", "bc", 1, 4},
		{"abc", "x", -1, -1},
		{"abc", "", 0, 3},
		{"", "", 0, 0},
		{"", "a", -1, -1},
		{"世a世", "世", 0, 2},
		{"aaa", "aa", 0, 1},
		{"ab\xff", "\uFFFD", 2, 2},
		{"\xff", "\uFFFD", 0, -1},
	} {
		require.Equal(t, c.first, IndexOf(c.s, c.sub), "%q.indexOf(%q)", c.s, c.sub)
		require.Equal(t, c.last, LastIndexOf(c.s, c.sub), "%q.lastIndexOf(%q)", c.s, c.sub)
	}
}

func TestIndexOfFrom(t *testing.T) {
	for _, c := range []struct {
		s, sub      string
		offset      int64
		first, last int64
		err         string
	}{
		{"abcabc", "bc", 1, 1, 1, ""},
		{"abcabc", "bc", 2, 4, 1, ""},
		{"abcabc", "bc", 4, 4, 4, ""},
		{"abcabc", "bc", 5, -1, 4, ""},
		{"abcabc", "bc", 6, -1, -1, ""},
		{"abcabc", "bc", 60, -1, -1, ""},
		{"abc", "a", -1, 0, 0, "index out of range: -1"},
		{"abc", "", -1, 0, 0, "index out of range: -1"},
		{"abc", "", 2, 2, 2, ""},
		{"abc", "", 9, 3, 3, ""},
		{"", "a", 0, -1, -1, ""},
		{"世a世a", "a", 2, 3, 1, ""},
	} {
		first, err := IndexOfFrom(c.s, c.sub, c.offset)
		requireResult(t, c.first, c.err, first, err, "%q.indexOf(%q, %d)", c.s, c.sub, c.offset)
		last, err := LastIndexOfFrom(c.s, c.sub, c.offset)
		requireResult(t, c.last, c.err, last, err, "%q.lastIndexOf(%q, %d)", c.s, c.sub, c.offset)
	}
}

func TestSplit(t *testing.T) {
	require.Equal(t, []string{""}, Split("", ",", -1))
	require.Equal(t, []string{"a", "b", "c"}, Split("abc", "", -1))
	require.Equal(t, []string{"a", ""}, Split("a,", ",", -1))
	require.Empty(t, Split("", "", -1))
	require.Empty(t, Split("a,b", ",", 0))
	require.Equal(t, []string{"a,b,c"}, Split("a,b,c", ",", 1))
	require.Equal(t, []string{"a", "b,c"}, Split("a,b,c", ",", 2))
	require.Equal(t, []string{"a", "b", "c"}, Split("a,b,c", ",", -1<<63))
	require.Equal(t, []string{"a", "b", "c"}, Split("a,b,c", ",", 1<<62))
}

func TestReplace(t *testing.T) {
	for _, c := range []struct {
		s, old, with string
		n            int64
		want         string
	}{
		{"aXbX", "X", "--", -1, "a--b--"},
		{"aXbX", "X", "--", 1, "a--bX"},
		{"aXbX", "X", "--", 0, "aXbX"},
		{"aXbX", "X", "", -1, "ab"},
		{"é世", "", "-", -1, "-é-世-"},
		{"", "", "-", -1, "-"},
		{"ab", "", "-", 2, "-a-b"},
		{"ab", "x", "-", 1 << 62, "ab"},
	} {
		got, err := Replace(c.s, c.old, c.with, c.n)
		requireResult(t, c.want, "", got, err, "%q.replace(%q, %q, %d)", c.s, c.old, c.with, c.n)
	}
}

// A rule pays for the target only, so the result is bounded.
func TestTooLarge(t *testing.T) {
	s, with := strings.Repeat("a", 10000), strings.Repeat("b", 10000)
	for name, c := range map[string]struct {
		s, old string
		n      int64
		fits   bool
	}{
		"all places":          {s, "a", -1, false},
		"between code points": {s, "", -1, false},
		"few places":          {s, "a", 100, true},
		"no place":            {s, "x", -1, true},
		"no place in reach":   {s, "a", 0, true},
		"one place":           {s, s, -1, true},
	} {
		got, err := Replace(c.s, c.old, with, c.n)
		if c.fits {
			require.NoError(t, err, name)
			require.Equal(t, strings.Replace(c.s, c.old, with, int(c.n)), got, name)
		} else {
			require.Equal(t, ErrTooLarge, err, name)
		}
	}

	exact := strings.Repeat("c", MaxSize/4)
	got, err := Replace("aaaa", "a", exact, -1)
	require.NoError(t, err)
	require.Len(t, got, MaxSize)
	_, err = Replace("aaaa.", "a", exact, -1)
	require.Equal(t, ErrTooLarge, err)

	got, err = Join([]string{exact, exact, exact, exact}, "")
	require.NoError(t, err)
	require.Len(t, got, MaxSize)
	_, err = Join([]string{exact, exact, exact, exact}, ".")
	require.Equal(t, ErrTooLarge, err)
	_, err = Join(make([]string, 6), exact)
	require.Equal(t, ErrTooLarge, err)
}

func TestTrimAndCase(t *testing.T) {
	require.Equal(t, "abc-09é@[`{", LowerASCII("AbC-09é@[`{"))
	require.Equal(t, "ABC-09é@[`{", UpperASCII("AbC-09é@[`{"))
	require.Equal(t, "É\u212A", LowerASCII("É\u212A"), "only ASCII changes")
	require.Equal(t, "a\uFFFD", LowerASCII("A\xff"))
}

func TestJoin(t *testing.T) {
	for want, parts := range map[string][]string{"": nil, "a": {"a"}, "a, b": {"a", "b"}} {
		got, err := Join(parts, ", ")
		requireResult(t, want, "", got, err, "%q", parts)
	}
}

func TestQuote(t *testing.T) {
	require.Equal(t, `"a\a\b\t\n\v\f\r\\\"'é`+"\x00\x1b"+`"`, Quote("a\a\b\t\n\v\f\r\\\"'é\x00\x1b"))
	require.Equal(t, "\"\uFFFD\"", Quote("\xff"))
}

// The functions agree with the plain way of doing it: on a slice of runes.
func FuzzPositions(f *testing.F) {
	f.Add("abcabc", "bc", int64(2), int64(4))
	f.Add("aé世🙂", "世", int64(-1), int64(9))
	f.Add("a\xff\xe4", "\uFFFD", int64(1), int64(1))
	f.Add("", "", int64(0), int64(0))
	f.Fuzz(func(t *testing.T, s, sub string, i, j int64) {
		r := []rune(s)
		n := int64(len(r))
		requireRunes(t, r, i, min(i+1, n), 0 <= i && i <= n, func() (string, error) { return CharAt(s, i) })
		requireRunes(t, r, i, n, 0 <= i && i <= n, func() (string, error) { return Substring(s, i) })
		requireRunes(t, r, i, j, 0 <= i && i <= j && j <= n, func() (string, error) { return SubstringTo(s, i, j) })

		subRunes := []rune(sub)
		occurs := func(at int64) bool {
			return at+int64(len(subRunes)) <= n && string(r[at:at+int64(len(subRunes))]) == string(subRunes)
		}
		first, last, firstFrom, lastTo := int64(-1), int64(-1), int64(-1), int64(-1)
		for at := range n + 1 {
			if !occurs(at) {
				continue
			}
			last = at
			if first < 0 {
				first = at
			}
			if at >= i && firstFrom < 0 {
				firstFrom = at
			}
			if at <= i && (i < n || sub == "") {
				lastTo = at
			}
		}
		if sub == "" {
			firstFrom = min(i, n)
		}
		require.Equal(t, first, IndexOf(s, sub))
		if utf8.ValidString(s) {
			require.Equal(t, last, LastIndexOf(s, sub))
		}
		got, err := IndexOfFrom(s, sub, i)
		gotLast, errLast := LastIndexOfFrom(s, sub, i)
		if i < 0 {
			require.Error(t, err)
			require.Error(t, errLast)
			return
		}
		require.NoError(t, err)
		require.NoError(t, errLast)
		require.Equal(t, firstFrom, got)
		require.Equal(t, lastTo, gotLast)
	})
}

func requireRunes(t *testing.T, r []rune, start, end int64, ok bool, get func() (string, error)) {
	got, err := get()
	if !ok {
		require.Error(t, err)
		return
	}
	require.NoError(t, err)
	require.Equal(t, string(r[start:end]), got)
}

func FuzzQuote(f *testing.F) {
	f.Add("a\a\\\"\xff世")
	f.Fuzz(func(t *testing.T, s string) {
		quoted := Quote(s)
		require.True(t, utf8.ValidString(quoted))
		unquoted := strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\a`, "\a", `\b`, "\b", `\t`, "\t", `\n`, "\n", `\v`, "\v", `\f`, "\f", `\r`, "\r").
			Replace(quoted[1 : len(quoted)-1])
		require.Equal(t, string([]rune(s)), unquoted)
	})
}

func requireResult[T any](t *testing.T, want T, wantErr string, got T, err error, format string, args ...any) {
	t.Helper()
	if wantErr != "" {
		require.EqualErrorf(t, err, wantErr, format, args...)
		return
	}
	require.NoErrorf(t, err, format, args...)
	require.Equalf(t, want, got, format, args...)
}

// Len looks at eight bytes at a time.
func TestLen(t *testing.T) {
	for _, unit := range []string{"a", "\x7f", "\u0080", "ä", "€", "😀", "\xff", "aaaaaaaä", "aaaaaaaaaaaaaaaaa\xff"} {
		for before := range 20 {
			for after := range 20 {
				s := strings.Repeat("x", before) + unit + strings.Repeat("y", after)
				require.Equal(t, int64(len([]rune(s))), Len(s), "%q", s)
			}
		}
	}
	require.Zero(t, Len(""))
}
