package jsonval_test

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/test/given"
)

// sample has every kind of value, none of which Stored or Normalize changes.
func sample() map[string]any {
	return map[string]any{
		"null": nil, "bool": true, "int": int64(math.MaxInt64), "float": 1.5, "huge": 1e21, "string": "a",
		"list":  []any{int64(1), []any{}, map[string]any{"a": "b"}},
		"empty": map[string]any{}, "nilMap": map[string]any(nil), "nilList": []any(nil),
	}
}

// nested returns that many lists in one another.
func nested(depth int) any {
	var v any = "inside"
	for range depth {
		v = []any{v}
	}
	return v
}

// cyclic returns a map that contains itself in several ways, so that there are 2^10000 ways down to the limit.
func cyclic() map[string]any {
	m := map[string]any{"x": int64(1)}
	m["a"], m["b"], m["l"] = m, m, []any{m, m}
	return m
}

func TestDescribe(t *testing.T) {
	for want, v := range map[string]any{
		"null": nil, "a boolean": false, "the number -1": int64(-1), "the number 1.5": 1.5, "the number 1": 1.0, "a string": "",
		"a list": []any(nil), "an object": map[string]any(nil), "a Go int": 1, "a Go json.Number": json.Number("1"),
	} {
		require.Equal(t, want, jsonval.Describe(v))
	}
}

func TestTooDeep(t *testing.T) {
	for name, v := range map[string]any{
		"DEC-007 one too deep": nested(jsonval.MaxDepth + 1), "far too deep": nested(100_000), "cyclic": cyclic(),
		"in a map": map[string]any{"a": nil, "b": nested(jsonval.MaxDepth)},
	} {
		require.True(t, jsonval.TooDeep(v), name)
	}
	for name, v := range map[string]any{
		"nil": nil, "scalar": int64(1), "sample": sample(), "DEC-007 deepest": nested(jsonval.MaxDepth), "foreign": []string{"a"},
	} {
		require.False(t, jsonval.TooDeep(v), name)
	}
}

func TestClone(t *testing.T) {
	in := sample()
	out := jsonval.Clone(in).(map[string]any)
	require.Equal(t, sample(), out)

	out["list"].([]any)[2].(map[string]any)["a"] = "changed"
	out["empty"].(map[string]any)["new"] = true
	out["list"].([]any)[0] = nil
	require.Equal(t, sample(), in, "the clone shares nothing with its original")

	foreign := []string{"a"}
	copied := jsonval.Clone([]any{foreign}).([]any)
	copied[0].([]string)[0] = "b"
	require.Equal(t, []string{"b"}, foreign, "foreign values are shared")

	deepest := nested(jsonval.MaxDepth)
	require.True(t, jsonval.Equal(deepest, jsonval.Clone(deepest)))
	for name, v := range map[string]any{"cyclic": cyclic(), "too deep": nested(100_000)} {
		got := jsonval.Clone(v)
		require.Equal(t, reflect.ValueOf(v).Pointer(), reflect.ValueOf(got).Pointer(), "%s: the argument itself", name)
	}
}

func TestEqual(t *testing.T) {
	type row struct {
		name string
		a, b any
		want bool
	}
	rows := []row{
		{"null", nil, nil, true},
		{"null and false", nil, false, false},
		{"bools", true, true, true},
		{"other bools", true, false, false},
		{"STR-006 types of number", int64(1), 1.0, false},
		{"integers", int64(2), int64(2), true},
		{"floats", 0.5, 0.5, true},
		{"zeros", 0.0, math.Copysign(0, -1), true},
		{"NaN", math.NaN(), math.NaN(), false},
		{"number and text", int64(1), "1", false},
		{"strings", "a", "b", false},
		{"GEN-002 nil and empty map", map[string]any(nil), map[string]any{}, true},
		{"GEN-002 nil and empty list", []any(nil), []any{}, true},
		{"GEN-002 nil map and null", map[string]any(nil), nil, false},
		{"list and map", []any{}, map[string]any{}, false},
		{"lists", []any{int64(1), "a"}, []any{int64(1), "a"}, true},
		{"order of lists", []any{"a", "b"}, []any{"b", "a"}, false},
		{"longer list", []any{"a"}, []any{"a", "a"}, false},
		{"other keys", map[string]any{"a": nil}, map[string]any{"b": nil}, false},
		{"other entry", map[string]any{"a": []any{"x"}}, map[string]any{"a": []any{"y"}}, false},
		{"foreign numbers", 1, 1, true},
		{"foreign numbers of two types", 1, int32(1), false},
		{"json.Number by text", json.Number("1"), json.Number("1.0"), false},
		{"uncomparable type", []string{"a"}, []string{"a"}, false},
		{"uncomparable type and value", map[string]string{}, map[string]any{}, false},
		{"value and uncomparable type", "a", []string{"a"}, false},
		{"deepest", nested(jsonval.MaxDepth), nested(jsonval.MaxDepth), true},
		{"too deep", nested(jsonval.MaxDepth + 1), nested(jsonval.MaxDepth + 1), false},
		{"cyclic", cyclic(), cyclic(), false},
		{"samples", sample(), sample(), true},
	}
	for _, r := range rows {
		require.Equal(t, r.want, jsonval.Equal(r.a, r.b), r.name)
		require.Equal(t, r.want, jsonval.Equal(r.b, r.a), "%s, the other way round", r.name)
	}
}

// TestStored compares with a round trip through encoding/json, read as a server reads its storage: DEC-004, DEC-009.
func TestStored(t *testing.T) {
	roundTrip := func(f float64) any {
		text, err := json.Marshal(f)
		require.NoError(t, err)
		if i, err := strconv.ParseInt(string(text), 10, 64); err == nil {
			return i
		}
		f, err = strconv.ParseFloat(string(text), 64)
		require.NoError(t, err)
		return f
	}
	for f, want := range map[float64]any{
		1.0: int64(1), 1e3: int64(1000), -7: int64(-7), 1.5: 1.5, 1e21: 1e21, 1e-7: 1e-7,
		1 << 53: int64(1 << 53), 1<<53 + 2: int64(1<<53 + 2), 1 << 62: int64(4611686018427388000),
		1 << 63: float64(1 << 63), -1 << 63: float64(-1 << 63), 9223372036854774784: int64(9223372036854775000),
		1e18: int64(1e18), 1e20: 1e20, math.MaxFloat64: math.MaxFloat64,
	} {
		require.Equal(t, want, roundTrip(f), "the test's own expectation of %v", f)
	}
	check := func(f float64) {
		want := roundTrip(f)
		got, changed := jsonval.Stored(f)
		require.Equal(t, want, got, "%v", f)
		require.Equal(t, want != any(f), changed, "%v", f)
	}
	for _, f := range []float64{0, math.Copysign(0, -1), 0.1, 1e21, 1e22, 1e-6, 9.9e20, math.SmallestNonzeroFloat64} {
		check(f)
		check(-f)
	}
	for e := range 72 { // powers of two and their neighbours, from 2^-4 on
		f := math.Ldexp(1, e-4)
		for _, x := range []float64{f, math.Nextafter(f, 0), math.Nextafter(f, math.Inf(1)), f * 3, math.Pow(10, float64(e-20))} {
			check(x)
			check(-x)
		}
	}
	for _, f := range []float64{math.NaN(), math.Inf(1)} {
		_, changed := jsonval.Stored(f)
		require.False(t, changed, "%v", f)
	}
}

func TestStoredCopiesOnWrite(t *testing.T) {
	in := map[string]any{"keep": map[string]any{"a": 1.5}, "list": []any{"x", map[string]any{"n": 2.0}, int64(3)}}
	before := jsonval.Clone(in)
	out, changed := jsonval.Stored(in)
	require.True(t, changed)
	require.Equal(t, map[string]any{
		"keep": map[string]any{"a": 1.5}, "list": []any{"x", map[string]any{"n": int64(2)}, int64(3)},
	}, out)
	require.Equal(t, before, any(in))
	in["keep"].(map[string]any)["a"] = "shared"
	require.Equal(t, "shared", out.(map[string]any)["keep"].(map[string]any)["a"], "what did not change is shared")

	for name, v := range map[string]any{"cyclic": cyclic(), "too deep": []any{1.0, nested(jsonval.MaxDepth)}} {
		_, changed := jsonval.Stored(v)
		require.False(t, changed, name)
	}
	deepest := nested(jsonval.MaxDepth - 1)
	out, changed = jsonval.Stored([]any{1.0, deepest})
	require.True(t, changed)
	require.True(t, jsonval.Equal([]any{int64(1), deepest}, out))
}

type (
	word     string
	flag     bool
	celsius  float64
	loud     string
	textual  int
	document map[string]any
)

func (loud) MarshalJSON() ([]byte, error)    { return []byte(`{}`), nil }
func (textual) MarshalText() ([]byte, error) { return []byte("text"), nil }

// TestNormalize: GEN-001, GEN-002, DEC-004.
func TestNormalize(t *testing.T) {
	for _, r := range []struct {
		name     string
		in, want any
	}{
		{"int", 5, int64(5)},
		{"int8", int8(-5), int64(-5)},
		{"uint8", uint8(255), int64(255)},
		{"uint64 that fits", uint64(math.MaxInt64), int64(math.MaxInt64)},
		{"uint64 that does not fit", uint64(math.MaxUint64), float64(math.MaxUint64)},
		{"uintptr", uintptr(7), int64(7)},
		{"float32, whole", float32(2), int64(2)},
		{"float32 by its own text", float32(0.1), 0.1},
		{"float32 with an exponent", float32(1e21), 1e21},
		{"float64 stays", 1.0, 1.0},
		{"named float64, by its text", celsius(1), int64(1)},
		{"json.Number, integer", json.Number("12"), int64(12)},
		{"json.Number, point", json.Number("12.0"), 12.0},
		{"json.Number, exponent", json.Number("1e3"), 1000.0},
		{"json.Number beyond int64", json.Number("9223372036854775808"), float64(1 << 63)},
		{"json.Number, minus zero", json.Number("-0"), int64(0)},
		{"json.Number, empty", json.Number(""), int64(0)},
		{"named integer", time.Second, int64(1e9)},
		{"named string", word("w"), "w"},
		{"named bool", flag(true), true},
		{"in a map", map[string]any{"a": 1, "b": "x"}, map[string]any{"a": int64(1), "b": "x"}},
		{"in a list", []any{"x", uint(1)}, []any{"x", int64(1)}},
		{"nil map", map[string]any(nil), map[string]any(nil)},
		{"nil list", []any(nil), []any(nil)},
	} {
		got, err := jsonval.Normalize(nil, r.in)
		require.Nil(t, err, r.name)
		require.Equal(t, r.want, got, r.name)
	}
}

func TestNormalizeErrors(t *testing.T) {
	at := field.NewPath("spec")
	convert := func(goType string) string {
		return "Invalid value: Go type " + goType + " is not a JSON value: convert with unstructured.FromStruct"
	}
	for _, r := range []struct {
		name string
		in   any
		want string
	}{
		{"map of strings", map[string]any{"items": []any{nil, map[string]any{"x": map[string]string{}}}},
			"spec.items[1].x: " + convert("map[string]string")},
		{"list of strings", []string{"a"}, "spec: " + convert("[]string")},
		{"list of maps", map[string]any{"l": []map[string]any{}}, "spec.l: " + convert("[]map[string]interface {}")},
		{"named map", document{}, "spec: " + convert("jsonval_test.document")},
		{"struct", []any{time.Time{}}, "spec[0]: " + convert("time.Time")},
		{"pointer", new(int64), "spec: " + convert("*int64")},
		{"nil pointer", (*string)(nil), "spec: " + convert("*string")},
		{"own JSON", loud("x"), "spec: " + convert("jsonval_test.loud")},
		{"own text", textual(1), "spec: " + convert("jsonval_test.textual")},
		{"function", func() {}, "spec: " + convert("func()")},
		{"complex number", 1i, "spec: " + convert("complex128")},
		{"bytes", []byte("a"), "spec: " + convert("[]uint8")},
		{"NaN", map[string]any{"n": math.NaN()}, "spec.n: Invalid value: NaN: JSON has no such number"},
		{"infinity", []any{math.Inf(-1)}, "spec[0]: Invalid value: -Inf: JSON has no such number"},
		{"float32 infinity", float32(math.Inf(1)), "spec: Invalid value: +Inf: JSON has no such number"},
		{"json.Number, no number", json.Number("abc"), "spec: Invalid value: abc: JSON has no such number"},
		{"json.Number, too large", json.Number("1e400"), "spec: Invalid value: 1e400: too large for a float64"},
		{"the first of several", map[string]any{"c": 1, "b": math.NaN(), "d": []string{}}, "spec.b: Invalid value: NaN: JSON has no such number"},
		{"cyclic", cyclic(), "spec.a.a.a.a.a.a.a.a.a: Invalid value: nested deeper than 10000 levels, or contains itself"},
		{"too deep", nested(100_000), "spec[0][0][0][0][0][0][0][0][0]: Invalid value: nested deeper than 10000 levels, or contains itself"},
	} {
		for range 5 { // the order of a Go map must not show
			got, err := jsonval.Normalize(at, r.in)
			require.NotNil(t, err, r.name)
			require.Nil(t, got, r.name)
			require.Equal(t, field.ErrorTypeInvalid, err.Type, r.name)
			require.Equal(t, r.want, err.Error(), r.name)
		}
	}
	_, err := jsonval.Normalize(nil, map[string]any{"a": []any{1i}})
	require.Equal(t, "a[0]", err.Field)
	require.Equal(t, "/a/0", err.Pointer())
}

func TestNormalizeCopiesOnWrite(t *testing.T) {
	kept := map[string]any{"a": "b"}
	in := map[string]any{"kept": kept, "list": []any{"x", map[string]any{"n": 2}}, "deepest": nested(jsonval.MaxDepth - 1)}
	before := jsonval.Clone(in)
	out, err := jsonval.Normalize(nil, in)
	require.Nil(t, err)
	require.Equal(t, []any{"x", map[string]any{"n": int64(2)}}, out.(map[string]any)["list"])
	require.True(t, jsonval.Equal(before, in), "the argument is as it was")
	kept["a"] = "shared"
	require.Equal(t, "shared", out.(map[string]any)["kept"].(map[string]any)["a"], "what did not change is shared")
}

func TestWithoutChanges(t *testing.T) {
	in := sample()
	out, changed := jsonval.Stored(in)
	require.False(t, changed)
	require.True(t, given.Same(in, out))
	out, err := jsonval.Normalize(nil, in)
	require.Nil(t, err)
	require.True(t, given.Same(in, out))
}

func BenchmarkNormalize(b *testing.B) {
	var in any = sample()
	for b.Loop() {
		_, _ = jsonval.Normalize(nil, in)
	}
}

func BenchmarkEqual(b *testing.B) {
	var in, same any = sample(), sample()
	for b.Loop() {
		jsonval.Equal(in, same)
	}
}
