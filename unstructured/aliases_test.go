package unstructured

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v2"
)

func aliasedBytes(text string) int64 {
	s := aliasScanner{data: []byte(text), anchors: map[string]*anchor{}}
	return s.scan()
}

func TestAliasedBytes(t *testing.T) {
	for text, want := range map[string]int64{
		"a: 1\nb: 2\n":       0,
		"a: &a xyz\nb: *a\n": 4,
		"a: &a xyz  # *a\nb: [*a, *a, '*a', x*a]\n": 8,
		"a: &a [x, y]\nb: *a\n":                     4,
		"a: &a\n  k: x\n  l: y\nb: *a\nc: *a\n":     16,
		"a: &a\n- x\n- y\nb: *a\n":                  4,
		"&a key: x\nb: *a\n":                        4,
		"- &a\n  key: x\n- *a\n":                    6,
		"- &a\n- x\n- *a\n":                         0,
		"a: &a |\n  xyz\n\n  *a\nb: *a\n":           15,
		"a: &a \"x\n*a\"\nb: *a\n":                  7,
		"a: &a xy\n  z *a\nb: *a\n":                 10,
		// Two, then all that b stands for: two aliases and what they add.
		"a: &a [x]\nb: &b [*a, *a]\nc: *b\n": 10,
		"a: &a x\n---\nb: *a\n":              0,
		"a: &a x\nb: &a xyz\nc: *a\n":        4,
		"? &a x\n: y\n? *a\n: z\n":           2,
		"a: &a x\n<<: {b: *a}\n":             2,
		"a: &a !!str xy\nb: *a\n":            3,
		"{a: &a {b: x}, c: *a}":              4,
		"[a: &a x, ? *a : b]":                2,
		"a:\n  |\n  &a x\nb: &b y\nc: *b\n":  2,
		"a: &a >-2\n   x\nb: *a\n":           10,
		"\"a\\\"\": &a 'it''s'\nb: *a\n":     8,
		"a: &a x\r\nb: *a\r\n":               2,
		"a: &a x\u2028b: *a\n":               2,
	} {
		require.Equal(t, want, aliasedBytes(text), "%q", text)
	}
}

// TestAliasedBytesAreEnough compares with what the library makes of random texts: all that it accepts counts.
func TestAliasedBytesAreEnough(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 2))
	parts := strings.Split(`&a|&b|*a|*b|*a |*b |x|yy|zzz:|k: |l: |- |? |: |[|]|{|}|, |,|'|"|' |" ||
|
|
  |
    |
 |
- |
k: |
b: |
  - |	|# c|!!str |!t |> |>-|\\|\\n|---
|...
|-|.|:|?|é|\\"|%|''|||2|+|<<: |<<: *a
|[*a, *b]|{k: *b}|&a
|&b |&a |"x": |'y': `, "|")
	parts = append(parts, "|\n", "|-\n  ", ">\n ", "|2\n", " |\n")
	beginnings := []string{"k: ", "k: &a", "k: &a x\nb:", "k: &a\n- ", "- &a\n- ", "[&a ", "{k: &a ", "- &a\n  ", "k: &a\n  x: y\nb:", "k: &a |\n  x\n"}
	accepted, aliases := 0, 0
	for range 100_000 {
		var b strings.Builder
		b.WriteString(beginnings[random.IntN(len(beginnings))])
		for range 1 + random.IntN(14) {
			b.WriteString(parts[random.IntN(len(parts))])
		}
		text := b.String()
		var v any
		if yaml.Unmarshal([]byte(text), &v) != nil {
			continue
		}
		accepted++
		s := aliasScanner{data: []byte(text), anchors: map[string]*anchor{}}
		if s.scan() > 0 {
			aliases++
		}
		require.LessOrEqual(t, textBytes(v), s.size, "%q", text)
	}
	require.Greater(t, accepted, 500)
	require.Greater(t, aliases, 100)
	t.Log(accepted, aliases)
}

func textBytes(v any) (n int64) {
	switch x := v.(type) {
	case string:
		return int64(len(x))
	case []any:
		for _, e := range x {
			n += textBytes(e)
		}
	case map[any]any:
		for k, e := range x {
			n += textBytes(k) + textBytes(e)
		}
	}
	return n
}

func TestAliasesOfLargeScalars(t *testing.T) {
	text := func(scalar string, aliases int) []byte {
		return []byte("a: &a " + scalar + "\nb: [" + strings.Repeat("*a,", aliases) + "]\n")
	}
	large := strings.Repeat("x", 1<<20)
	obj, err := Decode(text(large, 15))
	require.NoError(t, err)
	require.Equal(t, large, obj["b"].([]any)[14])

	hostile := text(large, 512)
	units := utf16.Encode([]rune("\uFEFF" + string(text(large, 512))))
	wide := make([]byte, 0, 2*len(units))
	for _, u := range units {
		wide = append(wide, byte(u), byte(u>>8))
	}
	for name, data := range map[string][]byte{
		"plain": hostile, "digits": text(strings.Repeat("1", 1<<20), 512), "UTF-16": wide,
		"twice":  []byte(fmt.Sprintf("a: &a %s\nb: &b [*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b]\n", large)),
		"binary": text("!!binary "+strings.Repeat("QUJD", 1<<18), 512), "marked": []byte("\uFEFFa: 1\n\uFEFFb: &b x\nc: *b\n"),
	} {
		_, err := Decode(data)
		require.EqualError(t, err, "unstructured: "+errAliases.Error(), name)
		_, err = YAMLToJSON(data)
		require.Equal(t, errAliases, err, name)
		_, _, err = YAMLToJSONStrict(data)
		require.Equal(t, errAliases, err, name)
	}
}

func TestTagDirectives(t *testing.T) {
	text := func(n int) []byte {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%%TAG !t%d! tag:example.com:\n", i)
		}
		return []byte(b.String() + "---\na: 1\n")
	}
	_, err := Decode(text(maxDirectives))
	require.NoError(t, err)
	_, err = Decode(text(maxDirectives + 1))
	require.EqualError(t, err, "unstructured: yaml: too many %TAG directives")
	_, err = Decode([]byte("a: |\n" + strings.Repeat("  %TAG\n", 1000)))
	require.NoError(t, err)
}
