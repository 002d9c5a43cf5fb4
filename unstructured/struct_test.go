package unstructured_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/unstructured"
)

type widget struct {
	APIVersion string            `json:"apiVersion"`
	Count      int32             `json:"count"`
	Big        uint64            `json:"big"`
	Ratio      float32           `json:"ratio"`
	Exact      float64           `json:"exact"`
	Quantity   quantity          `json:"quantity"`
	Wait       time.Duration     `json:"wait"`
	At         time.Time         `json:"at"`
	Labels     map[string]string `json:"labels,omitempty"`
	Absent     *int              `json:"absent,omitempty"`
	Null       *int              `json:"null"`
	Bytes      []byte            `json:"bytes"`
	Number     json.Number       `json:"number"`
	Next       *widget           `json:"next,omitempty"`
	hidden     int
}

type quantity struct{ milli int64 }

func (q quantity) MarshalJSON() ([]byte, error) { return json.Marshal(float64(q.milli) / 1000) }

func (q *quantity) UnmarshalJSON(text []byte) error {
	var f float64
	if err := json.Unmarshal(text, &f); err != nil {
		return err
	}
	q.milli = int64(f * 1000)
	return nil
}

func sampleWidget() *widget {
	return &widget{
		APIVersion: "v1", Count: 3, Big: math.MaxUint64, Ratio: 0.1, Exact: 2, Quantity: quantity{1500}, Wait: time.Second,
		At: time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC), Labels: map[string]string{"<a>": "b"}, Bytes: []byte("hello"),
		Number: "1e3", Next: &widget{Number: "7"}, hidden: 1,
	}
}

func TestFromStruct(t *testing.T) {
	got, err := unstructured.FromStruct(sampleWidget())
	require.NoError(t, err)
	require.Equal(t, map[string]any{
		"apiVersion": "v1", "count": int64(3), "big": float64(math.MaxUint64), "ratio": 0.1, "exact": int64(2), "quantity": 1.5,
		"wait": int64(1e9), "at": "2020-01-02T03:04:05Z", "labels": map[string]any{"<a>": "b"}, "null": nil, "bytes": "aGVsbG8=",
		"number": 1000.0,
		"next": map[string]any{
			"apiVersion": "", "count": int64(0), "big": int64(0), "ratio": int64(0), "exact": int64(0), "quantity": int64(0),
			"wait": int64(0), "at": "0001-01-01T00:00:00Z", "null": nil, "bytes": nil, "number": int64(7),
		},
	}, got)

	for _, r := range []struct {
		name string
		in   any
		want map[string]any
	}{
		{"map of strings", map[string]string{"a": "b"}, map[string]any{"a": "b"}},
		{"map of integers", map[int]uint8{1: 2}, map[string]any{"1": int64(2)}},
		{"list of strings", map[string]any{"a": []string{"b"}}, map[string]any{"a": []any{"b"}}},
		{"object with whole floats", map[string]any{"a": 1.0, "b": 1e21}, map[string]any{"a": int64(1), "b": 1e21}},
		{"raw JSON", json.RawMessage(` {"a":1.0} `), map[string]any{"a": 1.0}},
		{"empty struct", struct{}{}, map[string]any{}},
		{"invalid UTF-8", map[string]string{"a": "\xff"}, map[string]any{"a": "\uFFFD"}},
	} {
		got, err := unstructured.FromStruct(r.in)
		require.NoError(t, err, r.name)
		require.Equal(t, r.want, got, r.name)
	}
}

type failing struct{ how string }

func (f failing) MarshalJSON() ([]byte, error) {
	if f.how == "panic" {
		panic("on purpose")
	}
	return nil, errors.New(f.how)
}

func (f *failing) UnmarshalJSON([]byte) error { panic("on purpose") }

func TestFromStructErrors(t *testing.T) {
	ring := &widget{}
	ring.Next = ring
	cyclic := map[string]any{}
	cyclic["a"], cyclic["b"] = cyclic, []any{cyclic}
	type link struct{ Next *link }
	var chain *link
	var deep any
	for range 100_000 {
		chain, deep = &link{chain}, []any{deep}
	}
	const deeper = "unstructured: nested deeper than 10000 levels, contains itself, or is too large"
	for _, r := range []struct {
		name string
		in   any
		want string
	}{
		{"nil", nil, "unstructured: a <nil> encodes as null, not as an object"},
		{"nil pointer", (*widget)(nil), "unstructured: a *unstructured_test.widget encodes as null, not as an object"},
		{"nil map", map[string]any(nil), "unstructured: a map[string]interface {} encodes as null, not as an object"},
		{"list", []widget{}, "unstructured: a []unstructured_test.widget encodes as an array, not as an object"},
		{"string", "a", "unstructured: a string encodes as a string, not as an object"},
		{"number", -1, "unstructured: a int encodes as a number, not as an object"},
		{"channel", map[string]any{"a": make(chan int)}, "unstructured: encoding a map[string]interface {}: json: unsupported type: chan int"},
		{"NaN", map[string]any{"a": math.NaN()}, "unstructured: encoding a map[string]interface {}: json: unsupported value: NaN"},
		{"failing marshaler", failing{"no"},
			"unstructured: encoding a unstructured_test.failing: json: error calling MarshalJSON for type unstructured_test.failing: no"},
		{"panicking marshaler", failing{"panic"}, "unstructured: encoding a unstructured_test.failing: panic: on purpose"},
		{"ring of pointers", ring, deeper},
		{"cyclic map", cyclic, deeper},
		{"DEC-007 deep map", map[string]any{"a": deep}, deeper},
		{"DEC-007 deep struct", chain, deeper},
	} {
		got, err := unstructured.FromStruct(r.in)
		require.EqualError(t, err, r.want, r.name)
		require.Nil(t, got, r.name)
	}
}

func TestToStruct(t *testing.T) {
	obj, err := unstructured.FromStruct(sampleWidget())
	require.NoError(t, err)
	delete(obj, "big") // 2^64-1 does not come back from a float64
	obj["Count"] = int64(99)
	obj["unknown"] = true
	before := unstructured.Clone(obj)

	got := widget{Big: 5}
	require.NoError(t, unstructured.ToStruct(obj, &got))
	want := *sampleWidget()
	want.Big, want.hidden, want.Number = 5, 0, "1000"
	require.Equal(t, want, got, "DEC-003: keys match in their case only; what has no key stays")
	require.Equal(t, before, obj)

	cyclic := map[string]any{}
	cyclic["a"] = cyclic
	for _, r := range []struct {
		name string
		obj  map[string]any
		into any
		want string
	}{
		{"wrong type", map[string]any{"apiVersion": int64(1)}, &widget{}, "cannot unmarshal number into Go struct field widget.apiVersion of type string"},
		{"fraction", map[string]any{"count": 1.5}, &widget{}, "cannot unmarshal number 1.5 into Go struct field widget.count of type int32"},
		{"no pointer", nil, widget{}, "json: Unmarshal(non-pointer unstructured_test.widget)"},
		{"nil", nil, nil, "json: Unmarshal(nil)"},
		{"cyclic", cyclic, &widget{}, "nested deeper than 10000 levels, contains itself, or is too large"},
		{"NaN", map[string]any{"a": math.NaN()}, &widget{}, "unsupported value: NaN"},
		{"panicking unmarshaler", map[string]any{}, &failing{}, "panic: on purpose"},
	} {
		err := unstructured.ToStruct(r.obj, r.into)
		require.ErrorContains(t, err, r.want, r.name)
		require.True(t, strings.HasPrefix(err.Error(), "unstructured: "), r.name)
	}
}

func TestClone(t *testing.T) {
	require.Nil(t, unstructured.Clone(nil))
	obj := map[string]any{"a": map[string]any{"b": []any{int64(1), nil, "c", true, 1.5}}, "nil": map[string]any(nil)}
	clone := unstructured.Clone(obj)
	require.Equal(t, obj, clone)
	clone["a"].(map[string]any)["b"].([]any)[0] = "changed"
	require.Equal(t, int64(1), obj["a"].(map[string]any)["b"].([]any)[0])

	cyclic := map[string]any{}
	cyclic["a"], cyclic["b"] = cyclic, cyclic
	clone = unstructured.Clone(cyclic)
	clone["same"] = true
	require.Contains(t, cyclic, "same", "what comes from no decoder is not copied")
}
