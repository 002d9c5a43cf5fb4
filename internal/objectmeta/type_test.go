package objectmeta_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/objectmeta"
)

// TestDecodeType: DEC-001 step 1, DEC-002.
func TestDecodeType(t *testing.T) {
	const prefix = "couldn't get version/kind; json parse error: "
	const target = `Go value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`
	for _, r := range []struct{ name, json, apiVersion, kind, err string }{
		{"both", `{"apiVersion":"a/b","kind":"K"}`, "a/b", "K", ""},
		{"neither", `{}`, "", "", ""},
		{"null", `null`, "", "", ""},
		{"null keys", `{"apiVersion":null,"kind":null}`, "", "", ""},
		{"any case, the last", `{"apiVersion":"a","KIND":"J","APIVERSION":"b/c/d","kind":"K"}`, "b/c/d", "K", ""},
		{"wrong type", `{"kind":"K","KIND":5}`, "", "", "json: cannot unmarshal number into Go struct field .kind of type string"},
		{"list", `[]`, "", "", "json: cannot unmarshal array into " + target},
		{"number", `5`, "", "", "json: cannot unmarshal number into " + target},
		{"empty", ``, "", "", "unexpected end of JSON input"},
		{"DEC-007 depth", `{"a":` + strings.Repeat("[", 10000) + strings.Repeat("]", 10000) + `}`, "", "", "invalid character '[' exceeded max depth"},
	} {
		apiVersion, kind, err := objectmeta.DecodeType([]byte(r.json))
		require.Equal(t, r.apiVersion, apiVersion, r.name)
		require.Equal(t, r.kind, kind, r.name)
		if r.err == "" {
			require.NoError(t, err, r.name)
			continue
		}
		require.EqualError(t, err, prefix+r.err, r.name)
		require.Error(t, errors.Unwrap(err), r.name)
	}
}

// FuzzDecodeType compares with encoding/json.
func FuzzDecodeType(f *testing.F) {
	for _, s := range []string{
		"", "null", "{}", "[]", `{"a":1}`, `{"a":[1,1.0,-0,1e3,1e400,9223372036854775808]}`, `{"a":1,"a":2}`, "{\"a\":\"\u0085\\ud800\xff\"}",
		`{"a":1}{"b":2}`, "{a: 1} x", "\uFEFFa: 1", `{"apiVersion":"a/v1","kind":"K","x":{"kind":"no"}}`, `{"kind":"a","kind":"b","apiVersion":null}`,
		`{"\u212aind":"a"}`, `{"KIND":"a","kind":"b"}`, `{"kind":"\ud800\xff"}`, `{"a":1e999,"kind":"b"}`, `{"a":[{},{"b":"\\"}],"kind":"b"} x`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var want struct{ APIVersion, Kind string }
		wantErr := json.Unmarshal(data, &want)
		apiVersion, kind, err := objectmeta.DecodeType(data)
		require.Equal(t, wantErr == nil, err == nil, "%v, %v", wantErr, err)
		if err == nil {
			require.Equal(t, want.APIVersion, apiVersion)
			require.Equal(t, want.Kind, kind)
		}
	})
}
