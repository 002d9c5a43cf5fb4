package yamltext_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/tool/yamltext"
)

// parse parses the first document of a text.
func parse(t *testing.T, text string) *yamltext.Document {
	t.Helper()
	parts := yamltext.Split([]byte(text))
	require.NotEmpty(t, parts)
	d, err := yamltext.Locate(parts[0])
	require.NoError(t, err)
	return d
}

// POS-002, POS-003, POS-006: the text has the mark ‹› in front of the expected position. The test removes the mark.
func TestValueAndKey(t *testing.T) {
	for _, tt := range []struct{ name, pointer, value, key string }{
		{"block", "/a/b", "a:\n  b: ‹›c\n", "a:\n  ‹›b: c\n"},
		{"flow", "/a/b", "{x: 1, a: {b: ‹›c}}", "{x: 1, a: {‹›b: c}}"},
		{"list", "/a/1", "a:\n- b\n- ‹›c: 1\n", "a:\n- b\n- ‹›c: 1\n"},
		{"JSON", "/a/1/é", "{\"x\":\"ü\\ud83d\\ude00\",\n\t\"a\" : [ 1 , {\"é\":‹›null} ] }", "{\"x\":\"ü\\ud83d\\ude00\",\n\t\"a\" : [ 1 , {‹›\"é\":null} ] }"},
		{"characters count", "/a", "{é: ü, a: ‹›1}", "{é: ü, ‹›a: 1}"},
		{"anchor", "/b/c", "a: &x\n  c: ‹›1\nb: *x\n", "a: &x\n  ‹›c: 1\nb: *x\n"},
		{"alias", "/b", "a: &x 1\nb: ‹›*x\n", "a: &x 1\n‹›b: *x\n"},
		{"merge key", "/b/c", "a: &x {c: ‹›1}\nb:\n  <<: *x\n  d: 1\n", "a: &x {‹›c: 1}\nb:\n  <<: *x\n  d: 1\n"},
		{"merged, and said again", "/b/c", "a: &x {c: 1}\nb:\n  <<: [*x]\n  c: ‹›1\n", "a: &x {c: 1}\nb:\n  <<: [*x]\n  ‹›c: 1\n"},
		{"twice", "/a", "a: 1\na: ‹›2\n", "a: 1\n‹›a: 2\n"},
		{"Windows", "/b", "a: 1\r\nb: ‹›2\r\n", "a: 1\r\n‹›b: 2\r\n"},
		{"other ends of lines for YAML", "/b/c", "a: \"x\u2028 y\u0085 \"\nb: {c: ‹›1}\n", "a: \"x\u2028 y\u0085 \"\nb: {‹›c: 1}\n"},
		{"a carriage return alone", "/b", "a: 1\rb: ‹›2", "a: 1\r‹›b: 2"},
		{"byte order mark", "/a", "\ufeffa: ‹›1", "\ufeff‹›a: 1"},
		{"empty value", "/a", "x: 1\n‹›a:\n", "x: 1\n‹›a:\n"},
		{"block scalar", "/a", "a: ‹›|\n  x\n", "‹›a: |\n  x\n"},
		{"quoted", "/a", "\"a\": ‹›'x'", "‹›\"a\": 'x'"},
		{"tagged", "/a", "a: ‹›!!str 1", "‹›a: !!str 1"},
		{"behind the dashes", "/a", "--- {a: ‹›1}", "--- {‹›a: 1}"},
		{"after comments", "/a", "# x\n---\n# y\n\na: ‹›1 # z\n", "# x\n---\n# y\n\n‹›a: 1 # z\n"},
		{"a key that is no text", "/true/1.5", "yes: {1.50: ‹›1}", "yes: {‹›1.50: 1}"},
		{"escaped pointer", "/a~1b~0c", "a/b~c: ‹›1", "‹›a/b~c: 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text, want := marked(t, tt.value)
			d := parse(t, text)
			path, ok := d.Pointer(tt.pointer)
			require.True(t, ok)
			got, ok := d.Value(path)
			require.True(t, ok)
			require.Equal(t, want, got, "value")
			_, want = marked(t, tt.key)
			got, ok = d.Key(path)
			require.True(t, ok)
			require.Equal(t, want, got, "key")
			require.Equal(t, want, d.Nearest(append(path, field.Segment{Key: "missing"})))
		})
	}
}

// marked returns a text without its mark, and the position of the mark. Lines end with "\n"; a byte order mark is not
// counted.
func marked(t *testing.T, text string) (string, yamltext.Position) {
	t.Helper()
	before, after, ok := strings.Cut(text, "‹›")
	require.True(t, ok)
	lines := strings.Split(strings.TrimPrefix(before, "\ufeff"), "\n")
	return before + after, yamltext.Position{Line: len(lines), Column: len([]rune(lines[len(lines)-1])) + 1}
}

// POS-001: each document, with its position.
func TestSplit(t *testing.T) {
	file := "# first\n---\n# Source: chart/templates/a.yaml\na: 1\n--- # second\r\nb: 1\r\n---\n\n--- {c: 1}\n---\n{\"d\": 1}\n {\"e\": 1} {\"f\": {}}\n---\n{g: [\n---\n# end\n"
	var got []string
	for _, p := range yamltext.Split([]byte(file)) {
		got = append(got, p.String()+" "+p.Template+" "+strings.TrimSpace(string(p.Text)))
	}
	require.Equal(t, []string{
		"3:1 chart/templates/a.yaml # Source: chart/templates/a.yaml\na: 1",
		"6:1  b: 1",
		"9:4  {c: 1}",
		"11:1  {\"d\": 1}",
		"12:2  {\"e\": 1}",
		"12:11  {\"f\": {}}",
		"14:1  {g: [",
	}, got)
	require.Empty(t, yamltext.Split([]byte("\ufeff# only\n---\n\n---\n# comments")))
}

// POS-001: positions count from the beginning of the file.
func TestSecondDocument(t *testing.T) {
	parts := yamltext.Split([]byte("a: 1\n---\n\nb:\n  c: 1\n---\n{\"d\":1}{\"e\":\n1}"))
	require.Len(t, parts, 4)
	for i, want := range map[int]string{1: "5:6", 2: "7:6", 3: "8:1"} {
		d, err := yamltext.Locate(parts[i])
		require.NoError(t, err)
		path, ok := d.Path([]string{"a", "b.c", "d", "e"}[i])
		require.True(t, ok)
		p, ok := d.Value(path)
		require.True(t, ok)
		require.Equal(t, want, p.String())
	}
}

// POS-004, POS-005: the position of a missing value is the key of its parent.
func TestOf(t *testing.T) {
	d := parse(t, "a: 1\nspec:\n  list:\n  - a: 1\n  - b: 1\n")
	at := field.NewPath("spec", "list").Index(1)
	for _, tt := range []struct {
		e    *field.Error
		want string
	}{
		{field.Invalid(at.Child("b"), 1, ""), "5:8"},
		{field.Required(at.Child("x"), ""), "5:5"},
		{field.Required(field.NewPath("spec", "other"), ""), "2:1"},
		{field.Required(field.NewPath("spec", "other", "deeper"), ""), "2:1"},
		{field.Required(field.NewPath("metadata"), ""), "1:1"},
		{field.Invalid(nil, nil, ""), "1:1"},
		{field.Invalid(field.NewPath("spec", "list").Index(7), nil, ""), "3:3"},
	} {
		require.Equal(t, tt.want, d.Of(tt.e).String(), tt.e.Error())
	}
	var none *yamltext.Document
	require.Zero(t, none.Of(field.Invalid(at, nil, "")))
}

// POS-007: an ambiguous text is the path that exists.
func TestPath(t *testing.T) {
	d := parse(t, "a.b: {c: 1}\na: {b.c: 1, x: [{y.z: 1, '[0]': 2}], 'k[1]': {v: 1}}\n")
	for text, want := range map[string]string{
		"a.b.c":       "2:10",
		"a.x[0].y.z":  "2:23",
		"a.x[0][[0]]": "2:33",
		"a.k[1].v":    "2:50",
		"a[x][0]":     "2:17",
		"a.x[0]":      "2:17",
		"a.x[1]":      "",
		"a.x[-1]":     "",
		"a.nothing":   "",
		"a.x[0].y.zz": "",
	} {
		path, ok := d.Path(text)
		require.Equal(t, want != "", ok, text)
		if ok {
			p, ok := d.Value(path)
			require.True(t, ok)
			require.Equal(t, want, p.String(), text)
		}
	}
}

// Invalid and cyclic documents have an error or positions, and every call ends.
func TestHostile(t *testing.T) {
	for _, text := range []string{
		"a: [", "{\"a\": 1", "\x00", "a: &a [*a]\n", "a: &a {<<: *a, b: 1}\n", "- - - - -", "[[[[", "? {a: b}\n: c\n", "&a *a", "a: *b",
		strings.Repeat("[", 20_000), strings.Repeat("{\"a\":", 20_000), strings.Repeat("- ", 20_000), strings.Repeat("a: &a\n", 1000),
	} {
		for _, p := range yamltext.Split([]byte(text)) {
			d, _ := yamltext.Locate(p)
			require.NotZero(t, d.Nearest(nil))
			for _, pointer := range []string{"/a/0/0/0/0", "/a/b", "/a/c", "/0/0"} {
				path, ok := d.Pointer(pointer)
				require.True(t, ok)
				require.NotZero(t, d.Nearest(path))
			}
			d.Path("a.b[0].c")
		}
	}
}

// Many lookups in a large map, deep paths, and maps that are merged again and again take no more than linear time.
func TestHostileLookups(t *testing.T) {
	const keys = 10_000
	var b strings.Builder
	for i := range keys {
		fmt.Fprintf(&b, "n%d: 1\n", i)
	}
	d := parse(t, b.String())
	for i := range keys {
		path, ok := d.Path(fmt.Sprintf("n%d", i))
		require.True(t, ok)
		require.Equal(t, i+1, d.Nearest(path).Line)
	}

	const depth = 9_000
	d = parse(t, strings.Repeat(`{"a":`, depth)+"1"+strings.Repeat("}", depth))
	path, ok := d.Pointer(strings.Repeat("/a", 20*depth))
	require.True(t, ok)
	require.Equal(t, 5*depth-3, d.Nearest(path).Column)
	_, ok = d.Path(strings.TrimPrefix(strings.Repeat(".a", depth), "."))
	require.True(t, ok)
	_, ok = d.Path(strings.Repeat(".a", depth+1))
	require.False(t, ok)

	b.Reset()
	b.WriteString("m0: &m0 {x: 1}\n")
	for i := 1; i < 30; i++ {
		merged := strings.Repeat(fmt.Sprintf("*m%d, ", i-1), 10)
		fmt.Fprintf(&b, "m%d: &m%d {<<: [%s]}\n", i, i, strings.TrimSuffix(merged, ", "))
	}
	d = parse(t, b.String())
	require.Equal(t, "30:1", d.Nearest([]field.Segment{{Key: "m29"}, {Key: "none"}}).String())
	require.Equal(t, "1:10", d.Nearest([]field.Segment{{Key: "m29"}, {Key: "x"}}).String(), "through all of them")
}

// A text with many possible meanings may have no path, but an answer soon.
func TestHostilePath(t *testing.T) {
	deep := "1"
	for range 12 { // each key leads on, and none to the end
		var b strings.Builder
		for n := 1; n <= 3; n++ {
			fmt.Fprintf(&b, "%s: %s, ", strings.TrimSuffix(strings.Repeat("a.", n), "."), deep)
		}
		if deep = "{" + b.String() + "}"; len(deep) > 1<<20 {
			break
		}
	}
	d := parse(t, "x: "+deep)
	for range 1_000 {
		_, ok := d.Path("x" + strings.Repeat(".a", 40) + ".b")
		require.False(t, ok)
	}
}

func FuzzPosition(f *testing.F) {
	for _, s := range []string{"a: {b: [1, c]}\n", "{\"a\": [1, {\"b\": null}]}", "a: &x\r\n  b: 1\r\nc: {<<: *x}\n", "a: |\n x\n\u2028b: 1"} {
		f.Add(s, "/a/b/1")
	}
	f.Fuzz(func(t *testing.T, text, pointer string) {
		lines := strings.Split(text, "\n")
		for _, p := range yamltext.Split([]byte(text)) {
			d, _ := yamltext.Locate(p)
			path, _ := d.Pointer(pointer)
			at := d.Nearest(path)
			require.True(t, at.Line >= 1 && at.Line <= len(lines), at)
			require.True(t, at.Column >= 1 && at.Column <= len([]rune(lines[at.Line-1]))+1, at)
		}
	})
}
