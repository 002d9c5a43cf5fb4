package unstructured_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/unstructured"
)

// brackets returns a value of that depth, in JSON and in YAML's flow style.
func brackets(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }

func TestDecodeJSON(t *testing.T) {
	minusZero := math.Copysign(0, -1)
	for _, r := range []struct {
		name, json string
		want       map[string]any
	}{
		{"DEC-003 case of keys", `{"Spec":1,"spec":2}`, map[string]any{"Spec": int64(1), "spec": int64(2)}},
		{"DEC-004 integers", `{"n":[1,-0,9223372036854775807,-9223372036854775808]}`,
			map[string]any{"n": []any{int64(1), int64(0), int64(math.MaxInt64), int64(math.MinInt64)}}},
		{"DEC-004 floats", `{"n":[1.0,1e3,1E2,1.5]}`, map[string]any{"n": []any{1.0, 1000.0, 100.0, 1.5}}},
		{"DEC-004 beyond int64", `{"n":[9223372036854775808,-9223372036854775809]}`,
			map[string]any{"n": []any{float64(1 << 63), float64(-1 << 63)}}},
		{"DEC-004 minus zero", `{"n":-0.0}`, map[string]any{"n": minusZero}},
		{"DEC-005 the last of two keys", `{"a":{"b":1},"a":{"c":2}}`, map[string]any{"a": map[string]any{"c": int64(2)}}},
		{"DEC-006 invalid UTF-8", "{\"a\xff\":\"\xfe\"}", map[string]any{"a\uFFFD": "\uFFFD"}},
		{"DEC-006 lone surrogate and NUL", `{"a":"\ud800\u0000"}`, map[string]any{"a": "\uFFFD\x00"}},
		{"DEC-008 null", ` null `, nil},
		{"next line", "{\"a\":\"\u0085\"}", map[string]any{"a": "\u0085"}},
	} {
		got, err := unstructured.DecodeJSON([]byte(r.json))
		require.NoError(t, err, r.name)
		require.Equal(t, r.want, got, r.name)
		strict, _, err := unstructured.DecodeJSONStrict([]byte(r.json))
		require.NoError(t, err, r.name)
		require.Equal(t, r.want, strict, r.name)
	}
	got, err := unstructured.DecodeJSON([]byte(`{"n":-0.0}`))
	require.NoError(t, err)
	require.True(t, math.Signbit(got["n"].(float64)), "DEC-004: -0.0 keeps its sign, which Equal does not see")
}

func TestDecodeJSONErrors(t *testing.T) {
	for _, r := range []struct{ name, json, want string }{
		{"DEC-004 too large", `{"a":1e400}`, "json: cannot unmarshal number 1e400 into Go value of type float64"},
		{"DEC-004 leading zero", `{"a":01}`, "invalid character '1' after object key:value pair"},
		{"DEC-004 sign", `{"a":+1}`, "invalid character '+' looking for beginning of value"},
		{"DEC-006 control character", "{\"a\":\"\t\"}", `invalid character '\t' in string literal`},
		{"DEC-007 depth", `{"a":` + brackets(10000) + `}`, "invalid character '[' exceeded max depth"},
		{"DEC-007 far too deep", `{"a":` + brackets(100_000) + `}`, "invalid character '[' exceeded max depth"},
		{"DEC-007 depth, never closed", strings.Repeat(`{"a":`, 100_000), "invalid character '{' exceeded max depth"},
		{"DEC-008 after the object", `{} x`, "invalid character 'x' after top-level value"},
		{"DEC-008 second object", `{}{}`, "invalid character '{' after top-level value"},
		{"DEC-008 empty", ``, "unexpected end of JSON input"},
		{"list", `[]`, "json: cannot unmarshal array into Go value of type map[string]interface {}"},
	} {
		got, err := unstructured.DecodeJSON([]byte(r.json))
		require.EqualError(t, err, r.want, r.name)
		require.Nil(t, got, r.name)
		got, findings, err := unstructured.DecodeJSONStrict([]byte(r.json))
		require.EqualError(t, err, r.want, r.name)
		require.Nil(t, got, r.name)
		require.Nil(t, findings, r.name)
	}
	_, err := unstructured.DecodeJSON([]byte(`{"a":` + brackets(9999) + `}`))
	require.NoError(t, err, "DEC-007: 10000 containers are allowed")
}

// TestDecodeJSONStrict: DEC-005.
func TestDecodeJSONStrict(t *testing.T) {
	for _, r := range []struct {
		name, json string
		want       []string
	}{
		{"none", `{"a":{"b":1},"c":{"b":1}}`, nil},
		{"nested", `{"spec":{"i":1,"i":2}}`, []string{`duplicate field "spec.i"`}},
		{"in a list", `{"items":[{"a":1,"a":2},{"a":1,"a":2}]}`, []string{`duplicate field "items[0].a"`, `duplicate field "items[1].a"`}},
		{"three times is one finding", `{"a":1,"a":2,"a":3}`, []string{`duplicate field "a"`}},
		{"quoted as Go does", `{"\"\n":1,"\"\n":2}`, []string{`duplicate field "\"\n"`}},
	} {
		_, findings, err := unstructured.DecodeJSONStrict([]byte(r.json))
		require.NoError(t, err, r.name)
		require.Equal(t, r.want, findings, r.name)
	}

	var many strings.Builder
	for i := range 150 {
		fmt.Fprintf(&many, `,"k%d":1,"k%d":2`, i, i)
	}
	_, findings, err := unstructured.DecodeJSONStrict([]byte(`{"a":0` + many.String() + `}`))
	require.NoError(t, err)
	require.Len(t, findings, 100)
}

// TestYAMLToJSON: DEC-010.
func TestYAMLToJSON(t *testing.T) {
	for _, r := range []struct{ name, yaml, want string }{
		{"keys off", "{n: 1, off: 2, no: 3}", `{"false":3}`},
		{"keys on", "{y: 1, on: 2}", `{"true":2}`},
		{"keys of numbers", "{1: a, 1.5: b, 0x10: c, .inf: d, -.inf: e, .nan: f}",
			`{"-.inf":"e",".inf":"d",".nan":"f","1":"a","1.5":"b","16":"c"}`},
		{"booleans", "[yes, True, off, n]", `[true,true,false,false]`},
		{"whole numbers", "[1.0, 1e3, +5, 1_000]", `[1,1000,5,1000]`},
		{"minus zero", "-0.0", `-0`},
		{"other bases", "[010, 0o10, 0x10, 0b11]", `[8,8,16,3]`},
		{"beyond int64", "9223372036854775808", `9223372036854775808`},
		{"base 60 and dates", "[1:30, 2020-01-01, 2020-01-01T00:00:00Z]", `["1:30","2020-01-01","2020-01-01T00:00:00Z"]`},
		{"binary", "!!binary aGVsbG8=", `"hello"`},
		{"binary that is no text", "!!binary /w==", `"\ufffd"`},
		{"nulls", "[~, Null, ]", `[null,null]`},
		{"anchor", "a: &x {b: 1}\nc: *x", `{"a":{"b":1},"c":{"b":1}}`},
		{"merge", "a: &x {b: 1, c: 1}\nd: {<<: *x, c: 2}", `{"a":{"b":1,"c":1},"d":{"b":1,"c":2}}`},
		{"empty", "", `null`},
		{"first document empty", "---\n---\na: 1", `null`},
		{"only the first document", "a: 1\n---\n]]]", `{"a":1}`},
		{"after the document's end", "a: 1\n...\n]]]", `{"a":1}`},
		{"after a flow mapping", "{a: 1} x", `{"a":1}`},
		{"byte order mark", "\uFEFFa: 1", `{"a":1}`},
		{"trailing comma", `{"a":1,}`, `{"a":1}`},
		{"UTF-16", "\xff\xfea\x00:\x00 \x001\x00", `{"a":1}`},
		{"the last of two keys", "a: 1\na: 2", `{"a":2}`},
		{"next line", "\"a\u0085b\"", `"a b"`},
		{"HTML", "<&>", `"\u003c\u0026\u003e"`},
		{"too deep for JSON only", "a: &x " + brackets(6000) + "\nb: " + strings.Repeat("[", 6000) + "*x" + strings.Repeat("]", 6000),
			`{"a":` + brackets(6000) + `,"b":` + brackets(12000) + `}`},
	} {
		got, err := unstructured.YAMLToJSON([]byte(r.yaml))
		require.NoError(t, err, r.name)
		require.Equal(t, r.want, string(got), r.name)
	}
}

func TestYAMLToJSONErrors(t *testing.T) {
	bomb := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := range 8 {
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 10), ", "))
	}
	for _, r := range []struct{ name, yaml, want string }{
		{"infinity", "a: .inf", "json: unsupported value: +Inf"},
		{"NaN", "a: .nan", "json: unsupported value: NaN"},
		{"null key", "~: 1", "unsupported map key of type: %!s(<nil>), key: <nil>, value: 1"},
		{"key beyond int64", "{0xab54a98ceb1f0ad2: 2}", "unsupported map key of type: uint64, key: 0xab54a98ceb1f0ad2, value: 2"},
		{"list as key", "{[a]: 1}", `yaml: invalid map key: []interface {}{"a"}`},
		{"invalid UTF-8", "a: \xff", "yaml: invalid leading UTF-8 octet"},
		{"surrogates", `a: "\ud83d\ude00"`, "yaml: found invalid Unicode character escape code"},
		{"escaped slash", `a: "\/"`, "yaml: found unknown escape character"},
		{"control character", "a: \x01", "yaml: control characters are not allowed"},
		{"YAML 1.2", "%YAML 1.2\n---\na: 1", "yaml: found incompatible YAML document"},
		{"anchor in itself", "a: &x [*x]", "yaml: anchor 'x' value contains itself"},
		{"unknown anchor", "a: *x", "yaml: unknown anchor 'x' referenced"},
		{"too deep", "a: 1\nb: 1\nc: " + brackets(10001), "yaml: line 3: exceeded max depth of 10000"},
		{"far too deep", brackets(100_000), "yaml: exceeded max depth of 10000"},
		{"blocks too deep", strings.Repeat("- ", 100_000), "yaml: exceeded max depth of 10000"},
		{"alias bomb", bomb, "yaml: document contains excessive aliasing"},
		{"tab", "a:\n\tb: 1", "yaml: line 2: found character that cannot start any token"},
	} {
		got, err := unstructured.YAMLToJSON([]byte(r.yaml))
		require.EqualError(t, err, r.want, r.name)
		require.Nil(t, got, r.name)
		got, findings, err := unstructured.YAMLToJSONStrict([]byte(r.yaml))
		require.EqualError(t, err, r.want, r.name)
		require.Nil(t, got, r.name)
		require.Nil(t, findings, r.name)
	}
}

// TestYAMLKeysInOrder: where a server picks a key, or an error, at random (DEC-010), the choice here is always the
// same.
func TestYAMLKeysInOrder(t *testing.T) {
	for yaml, want := range map[string]string{
		`{1: int, "1": text, 1.0: float}`:             `{"1":"text"}`,
		`{1: int, 1.0: float}`:                        `{"1":"int"}`,
		`{true: bool, "true": text}`:                  `{"true":"text"}`,
		`{1.00000001: less, 1.00000002: more}`:        `{"1":"more"}`,
		`{1.00000002: more, 1.00000001: less, 1: it}`: `{"1":"it"}`,
	} {
		for range 20 {
			got, err := unstructured.YAMLToJSON([]byte(yaml))
			require.NoError(t, err)
			require.Equal(t, want, string(got), yaml)
		}
	}
	for range 20 {
		_, err := unstructured.YAMLToJSON([]byte("{~: 1, 18446744073709551615: 2, a: {~: 0}}"))
		require.EqualError(t, err, "unsupported map key of type: %!s(<nil>), key: <nil>, value: 0")
	}
}

// TestYAMLToJSONStrict: DEC-011.
func TestYAMLToJSONStrict(t *testing.T) {
	for _, r := range []struct {
		name, yaml, want string
		findings         []string
	}{
		{"none", "a: 1\nb: {a: 1}", `{"a":1,"b":{"a":1}}`, nil},
		{"twice", "apiVersion: v1\nkind: A\nkind: B", `{"apiVersion":"v1","kind":"B"}`,
			[]string{"yaml: unmarshal errors:\n  line 3: key \"kind\" already set in map"}},
		{"several are one finding", "a: 1\na: 2\nb: {c: 1, c: 2}\n", `{"a":2,"b":{"c":2}}`,
			[]string{"yaml: unmarshal errors:\n  line 2: key \"a\" already set in map\n  line 3: key \"c\" already set in map"}},
		{"over a merged key", "x: &g {a: q}\nz: {<<: *g, a: r}", `{"x":{"a":"q"},"z":{"a":"r"}}`,
			[]string{"yaml: unmarshal errors:\n  line 2: key \"a\" already set in map"}},
		{"key that is no text", "{on: 1, true: 2}", `{"true":2}`,
			[]string{"yaml: unmarshal errors:\n  line 1: key true already set in map"}},
		{"twice in a second document", "a: 1\n---\nb: 1\nb: 1", `{"a":1}`, nil},
	} {
		got, findings, err := unstructured.YAMLToJSONStrict([]byte(r.yaml))
		require.NoError(t, err, r.name)
		require.Equal(t, r.want, string(got), r.name)
		require.Equal(t, r.findings, findings, r.name)
	}
}
