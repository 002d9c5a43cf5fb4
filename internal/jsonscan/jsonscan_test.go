package jsonscan_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	kjson "sigs.k8s.io/json"

	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/internal/jsonval"
)

// value reads the whole text, and reports whether it was not declined.
func value(text string) (any, bool) {
	s := jsonscan.New([]byte(text))
	v := s.Value()
	return v, s.End()
}

func TestValue(t *testing.T) {
	for _, r := range []struct {
		name, text string
		want       any
	}{
		{"null", " null\n", nil},
		{"booleans", `[true,false]`, []any{true, false}},
		{"DEC-004 integers", `[0,-0,7,-12,9223372036854775807,-9223372036854775808]`,
			[]any{int64(0), int64(0), int64(7), int64(-12), int64(1<<63 - 1), int64(-1 << 63)}},
		{"DEC-004 other numbers", `[0.5,1.0,1e3,1E-2,9223372036854775808]`, []any{0.5, 1.0, 1000.0, 0.01, 9223372036854775808.0}},
		{"texts", `["","a","äß","\"\\\/\b\f\n\r\t","\u00e4\ud83d\ude00\u0000","tail \\"]`,
			[]any{"", "a", "äß", "\"\\/\b\f\n\r\t", "ä\U0001F600\x00", `tail \`}},
		{"a long text", `"` + strings.Repeat(`abcdefg"h`[:7]+`\"`, 300) + `"`, strings.Repeat(`abcdefg"`, 300)},
		{"containers", "{\"a\":{},\"b\":[],\r\n\t\"c\" : [ { \"d\" : 1 } , [ 2 ] ] }",
			map[string]any{"a": map[string]any{}, "b": []any{}, "c": []any{map[string]any{"d": int64(1)}, []any{int64(2)}}}},
		{"hexadecimal digits", `"\u0039\u00e9\u00af\u00AF\u00Fa\u9999"`, "9é¯¯ú\u9999"},
		{"an escaped key", `{"\u0061":1}`, map[string]any{"a": int64(1)}},
		{"as deep as it may be", nested(jsonscan.MaxDepth), deep(jsonscan.MaxDepth)},
	} {
		got, ok := value(r.text)
		require.True(t, ok, r.name)
		require.Equal(t, r.want, got, r.name)
	}
}

func TestDeclines(t *testing.T) {
	for _, r := range []struct{ name, text string }{
		{"nothing", " "},
		{"a word", "nul"},
		{"another word", "falsy"},
		{"two values", "1 2"},
		{"leading zero", "01"},
		{"only a sign", "-"},
		{"plus", "+1"},
		{"no digits after the point", "1."},
		{"no digits before the point", ".5"},
		{"no digits in the exponent", "1e+"},
		{"DEC-004 beyond float64", "1e400"},
		{"open text", `"abc`},
		{"open text after an escape", `"abc\n`},
		{"open escape", `"abc\`},
		{"unknown escape", `"\x"`},
		{"short hexadecimal number", `"\u12"`},
		{"no hexadecimal number", `"\u12g4"`},
		{"control character", "\"a\nb\""},
		{"control character after an escape", "\"\\ta\nb\""},
		{"DEC-006 high surrogate", `"\ud83d"`},
		{"DEC-006 low surrogate", `"\ude00\ud83d"`},
		{"DEC-006 high surrogate before another character", `"\ud83d\u0041"`},
		{"DEC-006 invalid UTF-8", "\"\xff\""},
		{"DEC-005 key twice", `{"a":1,"a":1}`},
		{"DEC-005 key twice, in two spellings", `{"a":1,"\u0061":1}`},
		{"no colon", `{"a" 1}`},
		{"no key", `{1:1}`},
		{"comma before the end", `{"a":1,}`},
		{"comma before the end of a list", `[1,]`},
		{"no comma", `[1 2]`},
		{"wrong end", `[1}`},
		{"no end", `{"a":[`},
		{"DEC-007 too deep", nested(jsonscan.MaxDepth + 1)},
		{"byte order mark", "\uFEFF1"},
	} {
		_, ok := value(r.text)
		require.False(t, ok, r.name)
		s := jsonscan.New([]byte(r.text))
		s.Skip()
		if !strings.HasPrefix(r.name, "DEC-005") {
			require.False(t, s.End(), "%s, skipped", r.name)
		}
	}
}

func TestRaw(t *testing.T) {
	s := jsonscan.New([]byte(` [ 1.50 , {"a": [ ]}, "\\u0041" ] `))
	defer s.Release()
	var got []string
	for ok := s.FirstItem(); ok; ok = s.NextItem() {
		got = append(got, string(s.Raw()))
	}
	require.True(t, s.End())
	require.Equal(t, []string{"1.50", `{"a": [ ]}`, `"\\u0041"`}, got)
	s = jsonscan.New([]byte(`{"a"`))
	require.Nil(t, s.Raw())
	require.False(t, s.End())
}

func nested(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }

func deep(depth int) any {
	v := []any{}
	for range depth - 1 {
		v = []any{v}
	}
	return v
}

// A caller that asks for another kind than there is declines the text, and comes to an end.
func TestWrongKind(t *testing.T) {
	for name, read := range map[string]func(s *jsonscan.Scanner){
		"text":   func(s *jsonscan.Scanner) { require.Empty(t, s.Text()) },
		"own":    func(s *jsonscan.Scanner) { require.Empty(t, s.Own()) },
		"bool":   func(s *jsonscan.Scanner) { require.False(t, s.Bool()) },
		"null":   func(s *jsonscan.Scanner) { s.Null() },
		"number": func(s *jsonscan.Scanner) { s.Number() },
		"list":   func(s *jsonscan.Scanner) { require.False(t, s.FirstItem()) },
		"object": func(s *jsonscan.Scanner) { _, ok := s.FirstKey(); require.False(t, ok) },
	} {
		for _, text := range []string{`"a"`, "true", "null", "1", "[1]", `{"a":1}`, "", "x"} {
			s := jsonscan.New([]byte(text))
			if kind := s.Kind(); kind == map[string]jsonscan.Kind{"text": jsonscan.String, "own": jsonscan.String, "bool": jsonscan.Bool,
				"null": jsonscan.Null, "number": jsonscan.Number, "list": jsonscan.Array, "object": jsonscan.Object}[name] {
				continue
			}
			read(s)
			require.True(t, s.Declined(), "%s of %s", name, text)
			require.Equal(t, jsonscan.None, s.Kind())
			require.Nil(t, s.Value())
			require.False(t, s.End())
		}
	}
}

// What a Scanner returned stays as it is while it serves other texts, and one that declined a text does not decline the
// next.
func TestRelease(t *testing.T) {
	read := func(text string) (any, bool) {
		s := jsonscan.New([]byte(text))
		defer s.Release()
		v := s.Value()
		return v, s.End()
	}
	var texts []string
	for i := range 300 { // more than there is room for
		texts = append(texts, fmt.Sprintf(`{"k%d":["v%d","k%d"]}`, i, i, i))
	}
	var all []any
	for _, text := range texts {
		v, ok := read(text)
		require.True(t, ok)
		all = append(all, v)
		_, ok = read(`{"k":["v"}`)
		require.False(t, ok)
	}
	for i, v := range all {
		name := strconv.Itoa(i)
		require.Equal(t, map[string]any{"k" + name: []any{"v" + name, "k" + name}}, v)
	}
}

// An object does not depend on the text that it is decoded from, or on other objects of the Scanner, whatever they
// share.
func TestDecodeObject(t *testing.T) {
	text := `{"key":["value","value","es\"caped","` + strings.Repeat("x", 300) + `",1234567890123456789,-9,""],"o":{"key":"value"}}`
	want := map[string]any{
		"key": []any{"value", "value", `es"caped`, strings.Repeat("x", 300), int64(1234567890123456789), int64(-9), ""},
		"o":   map[string]any{"key": "value"},
	}
	for _, space := range []int{0, 10, 1000, 100_000} { // Blocks have the size of what may follow.
		data := []byte(text + strings.Repeat(" ", space))
		got := jsonscan.DecodeObject(data)
		copy(data, strings.Repeat("#", len(data)))
		require.Equal(t, map[string]any{"value": []any{"#"}}, jsonscan.DecodeObject([]byte(`{"value":["#"]}`)))
		require.Equal(t, want, got)
	}
	require.Nil(t, jsonscan.DecodeObject([]byte("[1]")))
}

// The short strings of an object take little more memory than their bytes, however many there are.
func TestShortStrings(t *testing.T) {
	for n := 1; n < 3000; n = n*3/2 + 1 {
		text, size := `{"spec":[`, 0
		for i := range n {
			v := "value" + strconv.Itoa(i)
			text += `{"name":"` + v + `"},`
			size += len(v)
		}
		data := []byte(text + `0]}`)
		l := jsonscan.DecodeObject(data)["spec"].([]any)
		blocks, last := 0, uintptr(0)
		for _, item := range l[:n] {
			v := item.(map[string]any)["name"].(string)
			if at := uintptr(unsafe.Pointer(unsafe.StringData(v))); at == last {
				last += uintptr(len(v))
			} else {
				last = at + uintptr(len(v))
				blocks++
			}
		}
		require.LessOrEqual(t, blocks, 5+size/900, "%d strings of %d bytes", n, size)
	}
}

// What is not declined is what a server's decoder makes of it.
func FuzzValue(f *testing.F) {
	for _, s := range []string{"", "null", `{"a":[1,1.0,-0,1e3,1e400,9223372036854775808]}`, `{"a":1,"a":2}`, "{\"a\":\"\u0085\\ud800\xff\"}",
		`{"\ud83d\ude00":"\\\"\/\b\u2028"}`, `[[[["12345678\n12345678"]]]]`, `{"a":1} {`, nested(600)} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		before := string(data)
		got, ok := value(before)
		s := jsonscan.New(data)
		s.Skip()
		require.Equal(t, before, string(data))
		if !ok {
			return
		}
		require.True(t, s.End())
		var want any
		require.NoError(t, kjson.UnmarshalCaseSensitivePreserveInts(data, &want))
		require.True(t, jsonval.Equal(want, got), "%#v, not %#v", got, want)
		if obj, ok := want.(map[string]any); ok {
			require.Equal(t, obj, jsonscan.DecodeObject(data))
		}
	})
}
