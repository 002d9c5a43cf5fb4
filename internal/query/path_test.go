package query_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/query"
)

func object() map[string]any {
	return map[string]any{
		"s": "text", "i": int64(7), "f": 1.5, "b": true, "z": nil, "": "empty", "a.b": "dotted", "true": "word",
		"list":  []any{"n0", "n1", "n2", "n3"},
		"none":  []any{},
		"byKey": map[string]any{"k2": "two", "k1": "one", "a b": "blank"},
		"d": []any{
			map[string]any{"i": int64(1), "f": 1.5, "k": "A"},
			map[string]any{"i": int64(2), "f": 2.0, "k": "B"},
			map[string]any{"k": "C"},
		},
		"lists": []any{[]any{int64(1)}, []any{}, []any{int64(2)}},
		"nulls": []any{nil, map[string]any{"x": nil}},
	}
}

// nothing stands for no result: there is no value, or an error.
type nothing struct{}

// find is First without a limit but that of each evaluation.
func find(p *query.Path, v any) (any, bool) {
	left := int64(1) << 40
	return p.First(v, &left)
}

func TestFirst(t *testing.T) {
	for _, row := range []struct {
		name, path string
		want       any
	}{
		{"TAB-010 field", ".s", "text"},
		{"TAB-010 at and dollar are ignored", "$@.s", "text"},
		{"TAB-010 blanks are skipped", " .s ", "text"},
		{"TAB-010 backslash before a dot", `.a\.b`, "dotted"},
		{"TAB-010 every backslash is dropped", `.\s`, "text"},
		{"TAB-010 quoted name", "['s']", "text"},
		{"TAB-010 quoted name is read again: a dot parts it", "['a.b']", nothing{}},
		{"TAB-010 quoted name with a backslash", `['a\.b']`, "dotted"},
		{"TAB-010 quoted name is read again: a blank ends it", ".byKey['a b']", nothing{}},
		{"TAB-010 a dot alone is the name of no letters", ".", "empty"},
		{"TAB-010 wildcard over a list", ".list.*", "n0"},
		{"TAB-010 all items", ".list[*]", "n0"},
		{"TAB-010 recursive descent", "..k1", "one"},
		{"TAB-010 recursive descent, then brackets", "..['k1']", "one"},
		{"TAB-010 union", ".list[2,0]", "n2"},
		{"TAB-010 union of names, with blanks", ".byKey['k2', 'k1']", "two"},
		{"TAB-010 literal text", "'x'", "x"},
		{"TAB-010 escapes in a literal", `"\tx\""`, "\tx\""},
		{"TAB-010 escape of a byte", `"\xff"`, "\xff"},
		{"TAB-010 escape of a rune", `"\u00e9"`, "é"},
		{"TAB-010 literal instead of nothing", ".missing 'x'", "x"},
		{"TAB-010 whole number", ".s 5", query.PathInt(5)},
		{"TAB-010 number with a sign", ".s -5", query.PathInt(-5)},
		{"TAB-010 number with a point", ".s 1.5", 1.5},
		{"TAB-010 number beyond int64", ".s 9223372036854775808", 9223372036854775808.0},
		{"TAB-010 true", ".s true", true},
		{"TAB-010 a name that is a word", ".true", "word"},
		{"TAB-010 number instead of nothing is nothing", ".missing 5", nothing{}},

		{"TAB-010 index", ".list[1]", "n1"},
		{"TAB-010 index from the end", ".list[-1]", "n3"},
		{"TAB-010 index of nothing is the first", ".list[]", "n0"},
		{"TAB-010 slice", ".list[1:3]", "n1"},
		{"TAB-010 slice from the end", ".list[-3:]", "n1"},
		{"TAB-010 slice up to the end", ".list[:-3]", "n0"},
		{"TAB-010 slice with a step", ".list[1::2]", "n1"},
		{"TAB-012 index out of range", ".list[4]", nothing{}},
		{"TAB-012 index out of range from the end", ".list[-5]", nothing{}},
		{"TAB-012 index in an empty list", ".none[-1]", nothing{}},
		{"TAB-012 end out of range", ".list[0:5]", nothing{}},
		{"TAB-012 slice backwards", ".list[2:1]", nothing{}},
		{"TAB-012 empty slice", ".list[1:1]", nothing{}},
		{"TAB-012 empty slice out of range is no error", ".list[9:9]'x'", "x"},
		{"TAB-012 step of 0", ".list[0:2:0]'x'", nothing{}},
		{"TAB-012 huge step", ".list[1::9223372036854775807]", "n1"},
		{"TAB-012 index of an object", ".byKey[0]", nothing{}},
		{"TAB-012 index of a string", ".s[0]", nothing{}},
		{"TAB-012 index of null is no error", ".z[0]'x'", "x"},
		{"TAB-012 slice of a list of lists ends at an empty one", ".lists[*][:]", int64(1)},

		{"TAB-012 missing", ".missing", nothing{}},
		{"TAB-012 below what is missing", ".missing.x", nothing{}},
		{"TAB-012 field of a string", ".s.x", nothing{}},
		{"TAB-012 field of a list", ".list.x", nothing{}},
		{"TAB-012 null is a value", ".z", nil},
		{"TAB-012 wildcard over a map, sorted", ".byKey.*", "blank"},
		{"TAB-012 wildcard over a string", ".s.*", query.PathByte('t')},
		{"TAB-012 wildcard over a number", ".i.*", nothing{}},
		{"TAB-012 the first element counts", ".s}{.i", "text"},
		{"TAB-012 text between elements does not", ".s} and {.i", "text"},
		{"TAB-012 an error in another element does", ".s}{.list[9]", nothing{}},
		{"TAB-012 an element without a value does not", ".s}{.missing", "text"},
		{"TAB-012 unknown word", ".s word", nothing{}},
		{"TAB-012 range", ".s}{range .list[*]}{@}{end", nothing{}},

		{"TAB-011 equal", ".d[?(@.i==2)].k", "B"},
		{"TAB-011 int and float", ".d[?(@.i==2.0)].k", nothing{}},
		{"TAB-011 int and string", ".d[?(@.i=='2')].k", nothing{}},
		{"TAB-011 float and int", ".d[?(@.f>1)].k", nothing{}},
		{"TAB-011 first of two", ".d[?(@.f>1.0)].k", "A"},
		{"TAB-011 less", ".d[?(@.i<2)].k", "A"},
		{"TAB-011 at most", ".d[?(@.i<=1)].k", "A"},
		{"TAB-011 at least", ".d[?(@.i>=2)].k", "B"},
		{"TAB-011 not equal", ".d[?(@.k!='A')].k", "B"},
		{"TAB-011 strings have an order", ".d[?(@.k>\"B\")].k", "C"},
		{"TAB-011 item without a side is left out", ".d[?(@.i!=1)].k", "B"},
		{"TAB-011 existence", ".d[?(@.i)].k", "A"},
		{"TAB-011 double quotes", ".d[?(@.k==\"B\")].k", "B"},
		{"TAB-011 parenthesis in quotes", ".d[?(@.k==\")\")]'x'", "x"},
		{"TAB-011 quote that is escaped", `.d[?(@.k=="\")")]'x'`, "x"},
		{"TAB-011 word without quotes", ".d[?(@.k==A)].k", nothing{}},
		{"TAB-011 two fields", ".d[?(@.k==@.k)].k", "A"},
		{"TAB-011 null", ".nulls[?(@.x==1)]", nothing{}},
		{"TAB-011 null exists", ".nulls[?(@.x)].x", nil},
		{"TAB-011 booleans are equal", ".d[?(true==true)].k", "A"},
		{"TAB-011 booleans differ", ".d[?(true==false)]'x'", "x"},
		{"TAB-011 booleans have no order", ".d[?(true<=true)].k", nothing{}},
		{"TAB-011 several values", ".d[?(@.*==1)]", nothing{}},
		{"TAB-011 filter of an object", ".byKey[?(@.x)]'x'", nothing{}},
		{"TAB-011 filter of null", ".z[?(@.x)]'x'", nothing{}},
		{"TAB-011 unknown operator", ".d[?(@.i=1)].k", nothing{}},
		{"TAB-011 operator without a right side is part of the name", ".d[?(@.i=)]'x'", "x"},
		{"TAB-011 an error counts as existence", ".d[?(@.k[0])].k", "A"},
		{"TAB-011 byte and number", ".d[?(@.k.*==65)].k", "A"},
		{"TAB-011 filter in a filter", `.list[?(@.a"b[?(@.c)]"")]`, "n0"},
	} {
		p, err := query.ParsePath(row.path)
		require.NoError(t, err, "%s: %s", row.name, row.path)
		got, ok := find(p, object())
		if !ok {
			got = nothing{}
		}
		require.Equal(t, row.want, got, "%s: %s", row.name, row.path)
	}
}

// TAB-010: the errors of invalid paths.
func TestParseErrors(t *testing.T) {
	for _, row := range []struct{ path, want string }{
		{".spec.[", "unterminated array"},
		{".a[1\n]", "unterminated array"},
		{"....a", "invalid multiple recursive descent"},
		{".a[x]", "invalid array index x"},
		{".a['x'']", "invalid array index 'x''"},
		{".a[1:2:3:4]", "invalid array index 1:2:3:4"},
		{".a[-]", "array index - is not a number"},
		{".a[0,b]", "invalid array index b"},
		{".a[?(@.b", "unterminated filter"},
		{".a[?(@.b)", "unclosed array expect ]"},
		{".a[?(@.n==1 && @.t=='x')]", "unrecognized character in action: U+0026 '&'"},
		{".a[?(==1)]", "unrecognized character in action: U+003D '='"},
		{".a[?(@.b==)]", "unrecognized character in action: U+003D '='"},
		{".a,", "unrecognized character in action: U+002C ','"},
		{".a\n", "unclosed action"},
		{`.a\`, "unclosed action"},
		{"'a", "unterminated quoted string"},
		{`'\"'`, `unquote string '\"' error invalid syntax`},
		{"1.2.3", "cannot parse number 1.2.3"},
		{"+", "cannot parse number +"},
		{".a}{.b[", "unterminated array"},
		{strings.Repeat(`[?(a"`, 200) + strings.Repeat(`")]`, 200), ""},
	} {
		_, err := query.ParsePath(row.path)
		if require.Error(t, err, row.path); row.want != "" {
			require.EqualError(t, err, row.want, row.path)
		}
	}
}

// TAB-012: an evaluation ends for any path and any object.
func TestBounds(t *testing.T) {
	loop := map[string]any{}
	loop["l"] = []any{loop, loop}
	many := make([]any, 100)
	for i := range many {
		many[i] = many
	}
	for _, path := range []string{"..x", "..l[*]..x", strings.Repeat(".l[*]", 40), strings.Repeat("[0,0,0,0]", 40), "..[?(@..x)]"} {
		p, err := query.ParsePath(path)
		require.NoError(t, err, path)
		for _, v := range []any{loop, many} {
			_, ok := find(p, v)
			require.False(t, ok, path)
		}
	}
}

// All elements of a path, and all items that a filter looks at, count together; so do paths that share what is left.
func TestBoundsTogether(t *testing.T) {
	parse := func(path string) *query.Path {
		p, err := query.ParsePath(path)
		require.NoError(t, err, path)
		return p
	}
	obj := map[string]any{"l": slices.Repeat([]any{map[string]any{"a": int64(1)}}, 100_000)}
	names := strings.TrimSuffix(strings.Repeat("'l',", 100_000), ",")
	for _, path := range []string{
		".l" + strings.Repeat("}{.l[*]", 20), "[" + names + "][?(@.b == 2)]", "[" + names + "][?(@.b)]",
	} {
		_, ok := find(parse(path), obj)
		require.False(t, ok, path[:20])
	}
	p, left := parse(".l[*].a"), int64(450_000)
	for _, want := range []bool{true, true, false, false} {
		_, ok := p.First(obj, &left)
		require.Equal(t, want, ok)
	}
	require.Zero(t, left)
}

// GEN-002: other Go types never cause a panic.
func TestForeignValues(t *testing.T) {
	obj := map[string]any{"n": 7, "m": map[string]string{"a": "b"}, "l": []any{map[string]any{"n": uint8(2)}, map[string]any{"n": struct{}{}}}}
	for _, row := range []struct {
		path string
		want any
	}{
		{".n", 7}, {".m.a", nothing{}}, {".m[0]", nothing{}}, {".l[0:1][?(@)]", nothing{}},
		{".l[?(@.n==2)].n", nothing{}}, // the second one compares with nothing
		{".l[?(@.n)].n", uint8(2)},
	} {
		p, err := query.ParsePath(row.path)
		require.NoError(t, err)
		got, ok := find(p, obj)
		if !ok {
			got = nothing{}
		}
		require.Equal(t, row.want, got, row.path)
	}
}

func FuzzParse(f *testing.F) {
	for _, path := range []string{
		".spec.names[*]", "..a", ".a[?(@.b=='c')].d", ".a['b\\.c',0]", ".a[1:-1:2]", "'x'}{\"y\"", ".a 1.5 true word", ".a[?(@.n<=2.0)]",
	} {
		f.Add(path)
	}
	obj := object()
	f.Fuzz(func(t *testing.T, path string) {
		p, err := query.ParsePath(path)
		if err != nil {
			return
		}
		first, ok := find(p, obj)
		again, okAgain := find(p, obj)
		require.Equal(t, ok, okAgain)
		require.Equal(t, first, again)
		require.Equal(t, object(), obj, "the object was modified")
		// Another pair of braces does not change the value unless it fails.
		if more, err := query.ParsePath(path + "}{.s"); err == nil {
			withMore, okMore := find(more, obj)
			require.Equal(t, ok, okMore)
			require.Equal(t, first, withMore)
		}
	})
}
