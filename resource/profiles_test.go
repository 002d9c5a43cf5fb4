package resource_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/resource"
)

// Rules are evaluated as by the server of the version, whatever another version has evaluated before.
func TestEvaluationsOfVersions(t *testing.T) {
	for _, tt := range []struct{ schema, value, accepted, refused string }{
		{`{type: string, format: byte, x-kubernetes-validations: [{rule: "self == b'\\xfb\\xff'"}]}`, `"+/8="`, "1.38", "1.37"},
		{`{type: string, format: byte, x-kubernetes-validations: [{rule: "self != b'a'"}]}`, `"-_8="`, "", ""},
		{`{type: object, properties: {b: {type: string, format: byte}}, x-kubernetes-validations: [{rule: "size(self.b) == 2"}]}`,
			`{"b":"+/8="}`, "1.38", "1.36"},
		{`{type: string, x-kubernetes-validations: [{rule: "quantity(self).isInteger()"}]}`, `"9223372036854775807"`, "1.38", "1.37"},
		{`{type: string, x-kubernetes-validations: [{rule: "quantity('9223372036854775807').asInteger() > 0"}]}`, `"a"`, "1.38", "1.37"},
		{`{type: string, x-kubernetes-validations: [{rule: "quantity(self) != quantity('1e30')"}]}`, `"999999999999999999999999999999"`, "1.37", "1.38"},
		{`{type: number, x-kubernetes-validations: [{rule: "!(self < double('NaN')) && !(double('NaN') >= self)"}]}`, "1.5", "1.38", "1.37"},
		{`{type: integer, x-kubernetes-validations: [{rule: "!(self <= double('NaN')) && !(double('NaN') > self)"}]}`, "1", "1.38", "1.37"},
	} {
		d := given.Definition(t, given.Kind("Cluster", "things.example.com", "Thing", "{type: object, properties: {spec: "+tt.schema+"}}"))
		newest, err := resource.Compile(d)
		require.NoError(t, err)
		body := []byte(`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a","generation":1},"spec":` + tt.value + `}`)
		accepts := func(version string) bool {
			r, err := newest.For(version)
			require.NoError(t, err)
			result := r.Version("v1").CreateBody(t.Context(), body)
			settled := r.Version("v1").Settled(body)
			require.False(t, settled && result.Err() != nil, "%s in %s", tt.schema, version)
			return result.Err() == nil
		}
		if tt.accepted == "" { // the other alphabet is an invalid value for the format, not only for rules
			require.False(t, accepts("1.38"), tt.schema)
			continue
		}
		for range 2 {
			require.True(t, accepts(tt.accepted), tt.schema)
			require.False(t, accepts(tt.refused), tt.schema)
		}
	}

	// NaN is no more equal than before, and texts are not compared with it.
	d := given.Definition(t, strings.Replace(given.Kind("Cluster", "things.example.com", "Thing", "RULE"), "RULE",
		`{type: object, x-kubernetes-validations: [{rule: "double('NaN') != double('NaN')"}]}`, 1))
	newest, err := resource.Compile(d)
	require.NoError(t, err)
	for _, version := range []string{"1.37", "1.38"} {
		r, err := newest.For(version)
		require.NoError(t, err)
		body := []byte(`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"}}`)
		require.NoError(t, r.Version("v1").CreateBody(t.Context(), body).Err())
	}
}

// The text of an error in a rule is that of the server of the version.
func TestFaultsOfVersions(t *testing.T) {
	d := given.Definition(t, strings.Replace(given.Kind("Cluster", "things.example.com", "Thing", "RULE"), "RULE",
		`{type: object, properties: {spec: {type: object, additionalProperties: {type: string}, x-kubernetes-validations: [{rule: "[self['b']].distinct().size() == 1"}]}}}`, 1))
	newest, err := resource.Compile(d)
	require.NoError(t, err)
	body := []byte(`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"},"spec":{"a":"x"}}`)
	for version, text := range map[string]string{
		"1.37": "internal error: interface conversion: *types.Err is not traits.Lister: missing method Add",
		"1.38": "no such key: b",
	} {
		r, err := newest.For(version)
		require.NoError(t, err)
		require.ErrorContains(t, r.Version("v1").CreateBody(t.Context(), body).Err(), text+" evaluating rule: [self['b']].distinct().size() == 1")
	}
}
