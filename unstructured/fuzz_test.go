package unstructured_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/unstructured"
)

var seeds = []string{
	"", "null", "{}", "[]", `{"a":1}`, `{"a":[1,1.0,-0,1e3,1e400,9223372036854775808]}`, `{"a":1,"a":2}`, "{\"a\":\"\u0085\\ud800\xff\"}",
	`{"a":1}{"b":2}`, "{\"a\":1}\n---\n{\"b\":2}", "a: 1\n---\nb: 2\n", "a: 1\n...\nb: [", "{a: 1} x", "# c\n---\n~\n", "\uFEFFa: 1",
	"a: [1.0, 1e3, 010, 0x10, 1:30, 2020-01-01, .inf, yes, ~]", "{~: 1}", "{1: a, \"1\": b, 1.0: c, on: d}", "a: &x {b: 1}\nc: {<<: *x, b: 2}",
	"a: b\nc:\n- d: [ ]\n  e: |-\n    f\n    g\n- 'h''i'\n- j k\n  l\nm: yes\nn: -5\no: ~\n", "a:\n  b: 1\n  b: 2\n", "\n---\na: \"b\\u00e4\"\n---\n",
	"a: !!binary aGVsbG8=\nb: !!timestamp 2020-01-01\n? [c]\n: d", "%YAML 1.1\n---\na: |\n  x\n", "a: &x [*x]", "\xff\xfea\x00:\x00 \x001\x00",
}

// FuzzDecode: what decodes is in the value domain, decodes the same from its own JSON but for storage's numbers
// (DEC-009), has as many objects for DecodeAll, and the same object for DecodeStrict.
func FuzzDecode(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		before := string(data)
		obj, err := unstructured.Decode(data)
		all, allErr := unstructured.DecodeAll(data)
		strict, _, strictErr := unstructured.DecodeStrict(data)
		require.Equal(t, before, string(data))
		if err != nil {
			require.EqualError(t, strictErr, err.Error())
			require.True(t, allErr != nil || len(all) != 1)
			return
		}
		require.NoError(t, allErr)
		require.Len(t, all, 1)
		require.True(t, jsonval.Equal(obj, all[0]))
		require.NoError(t, strictErr)
		require.True(t, jsonval.Equal(obj, strict))

		normal, nerr := jsonval.Normalize(nil, obj)
		require.Nil(t, nerr)
		require.True(t, jsonval.Equal(obj, normal))
		text, err := json.Marshal(obj)
		require.NoError(t, err)
		again, err := unstructured.Decode(text)
		require.NoError(t, err)
		stored, _ := jsonval.Stored(obj)
		require.True(t, jsonval.Equal(stored, again), "%s", text)
		require.True(t, jsonval.Equal(obj, unstructured.Clone(obj)))
	})
}

// FuzzYAMLToJSON compares with sigs.k8s.io/yaml, which a server uses. That one is random where two keys become one
// text.
func FuzzYAMLToJSON(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := unstructured.YAMLToJSON(data)
		for range 500 { // of keys that become one text, a random one wins there
			want, wantErr := yaml.YAMLToJSON(data)
			if string(got) == string(want) && text(err) == text(wantErr) {
				compareStrict(t, data, got, err)
				return
			}
		}
		want, wantErr := yaml.YAMLToJSON(data)
		require.Equal(t, text(wantErr), text(err))
		require.Equal(t, string(want), string(got))
	})
}

func compareStrict(t *testing.T, data, converted []byte, err error) {
	got, findings, strictErr := unstructured.YAMLToJSONStrict(data)
	require.Equal(t, text(err), text(strictErr))
	require.Equal(t, string(converted), string(got))
	if _, wantErr := yaml.YAMLToJSONStrict(data); err == nil && wantErr != nil {
		require.Equal(t, []string{wantErr.Error()}, findings)
	} else {
		require.Empty(t, findings)
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// FuzzFromStruct: a value built without a decoder becomes what its JSON decodes to.
func FuzzFromStruct(f *testing.F) {
	f.Add("key", "value", int64(1), uint64(1<<63), 1.5, float32(0.1), true)
	f.Add("", "\xff", int64(-1<<63), uint64(0), 1e21, float32(1e21), false)
	f.Add("<&>", "\u2028", int64(1<<53+1), uint64(1<<62), 4611686018427387904.0, float32(16777216), false)
	f.Fuzz(func(t *testing.T, key, s string, i int64, u uint64, f64 float64, f32 float32, b bool) {
		v := struct {
			Key    string `json:"key,omitempty"`
			Map    map[string]any
			List   []any
			F32    float32 `json:",omitempty"`
			Ptr    *uint64
			Object map[string]int64 `json:",omitempty"`
		}{key, map[string]any{key: s, "f": f64}, []any{i, u, f64, f32, b, nil}, f32, &u, map[string]int64{key: i}}
		encoded, err := json.Marshal(v)
		got, gotErr := unstructured.FromStruct(v)
		if err != nil { // NaN, infinities
			require.ErrorContains(t, gotErr, err.Error())
			return
		}
		require.NoError(t, gotErr)
		want, err := unstructured.Decode(encoded)
		require.NoError(t, err)
		require.True(t, jsonval.Equal(want, got), "%s", encoded)

		// The same numbers, one by one, without JSON in between.
		list, nerr := jsonval.Normalize(nil, v.List)
		require.Nil(t, nerr)
		stored, _ := jsonval.Stored(list)
		require.True(t, jsonval.Equal(stored, got["List"]), "%s", encoded)
	})
}

// FuzzDecodeJSON compares with sigs.k8s.io/json, which a server uses.
func FuzzDecodeJSON(f *testing.F) {
	for _, s := range append(seeds, `{"a":{"b":[1,"\u00e4\n",true,null,-0.5]},"c":""}`, `{"a":{"b":1,"b":2},"c":[{"d":1,"d":1}]}`, ` {"a":1} x`) {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var want map[string]any
		wantErr := kjson.UnmarshalCaseSensitivePreserveInts(data, &want)
		got, err := unstructured.DecodeJSON(data)
		require.Equal(t, text(wantErr), text(err))
		if wantErr != nil {
			want = nil
		}
		require.Equal(t, want, got)

		var strict map[string]any
		wantFindings, wantErr := kjson.UnmarshalStrict(data, &strict)
		got, findings, err := unstructured.DecodeJSONStrict(data)
		require.Equal(t, text(wantErr), text(err))
		if err != nil {
			return
		}
		require.Equal(t, strict, got)
		require.Len(t, findings, len(wantFindings))
		for i := range findings {
			require.EqualError(t, wantFindings[i], findings[i])
		}
	})
}
