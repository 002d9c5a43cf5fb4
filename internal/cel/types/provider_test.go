package types

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/test/given"
)

func field(p Provider, typ, name string) string {
	f, ok := p.FindStructFieldType(typ, name)
	if !ok {
		return ""
	}
	return f.String()
}

func TestProviderFindsObjectsByName(t *testing.T) {
	self := Scope(node(t, `{type: object, properties: {
		s: {type: string},
		namespace: {type: integer},
		a-b: {type: boolean},
		untyped: {x-kubernetes-preserve-unknown-fields: true},
		l: {type: array, items: {type: object, properties: {x: {type: object, properties: {v: {type: number}}}}}},
		m: {type: object, additionalProperties: {type: array, items: {type: object, properties: {z: {type: string, format: byte}}}}}}}`))
	p := NewProvider(self)
	for _, row := range []struct{ name, typ, field, want string }{
		{"of self", "selfType", "s", "string"},
		{"keyword, CTY-011", "selfType", "namespace", "int"},
		{"keyword escaped", "selfType", "__namespace__", "int"},
		{"backtick name, CTY-012", "selfType", "a-b", ""},
		{"escaped", "selfType", "a__dash__b", "bool"},
		{"without a type", "selfType", "untyped", ""},
		{"unknown", "selfType", "zz", ""},
		{"keyword that is no field", "selfType", "if", ""},
		{"list", "selfType", "l", "list(selfType.l.@idx)"},
		{"item", "selfType.l.@idx", "x", "selfType.l.@idx.x"},
		{"field of an item", "selfType.l.@idx.x", "v", "double"},
		{"map", "selfType", "m", "map(string, list(selfType.m.@elem.@idx))"},
		{"item of a value", "selfType.m.@elem.@idx", "z", "bytes"},
		{"list is no object", "selfType.l", "x", ""},
		{"wrong step", "selfType.l.@elem", "x", ""},
		{"wrong step too", "selfType.m.@idx", "x", ""},
		{"no such object", "selfType.q", "x", ""},
		{"longer name", "selfTypes", "s", ""},
		{"dots", "selfType..l", "s", ""},
		{"trailing dot", "selfType.", "s", ""},
	} {
		require.Equal(t, row.want, field(p, row.typ, row.field), row.name)
	}
	for name, want := range map[string]bool{"selfType": true, "selfType.l.@idx.x": true, "selfType.l": false, "selfType.s": false, "self": false, "": false} {
		got, ok := p.FindStructType(name)
		require.Equal(t, want, ok, name)
		if ok {
			require.Equal(t, name, got.Parameters()[0].TypeName(), name)
		}
	}
}

// CEN-021: names of types that are not of the schema.
func TestProviderKnowsTypeNames(t *testing.T) {
	p := NewProvider(nil)
	for _, name := range []string{"bool", "bytes", "double", "int", "uint", "string", "list", "map", "null_type", "type", "optional_type", "net.IP", "net.CIDR",
		"google.protobuf.Timestamp", "google.protobuf.Duration"} {
		v, ok := p.FindIdent(name)
		require.True(t, ok, name)
		require.Equal(t, name, v.(*Type).TypeName())
	}
	for _, name := range []string{"timestamp", "duration", "google.protobuf.Int64Value", "google.protobuf.Struct"} {
		_, ok := p.FindStructType(name)
		require.True(t, ok, name)
	}
	for _, name := range []string{"dyn", "any", "kubernetes.Quantity", "kubernetes.URL", "google.protobuf.Foo", "selfType"} {
		_, ok := p.FindIdent(name)
		require.False(t, ok, name)
		_, ok = p.FindStructType(name)
		require.False(t, ok, name)
	}
	require.Equal(t, "int", field(p, "google.protobuf.Timestamp", "seconds"))
	require.Equal(t, "", field(p, "google.protobuf.Timestamp", "zz"))
	require.Equal(t, "", field(p, "int", "a"))
	require.Equal(t, "google.protobuf.Any", field(p, "map", "a"))
	zero, ok := p.FindIdent("google.protobuf.NullValue.NULL_VALUE")
	require.True(t, ok)
	require.Equal(t, Int(0), zero)

	self := Scope(node(t, `{type: object, additionalProperties: {type: string}}`))
	require.Equal(t, "string", field(NewProvider(self), "map", "a"), "self is known by the name map too")
}

// What all providers share may be used by several goroutines; a Type may not.
func TestProvidersShareNothingThatChanges(t *testing.T) {
	n := node(t, `{type: object, properties: {x: {type: object}}}`)
	given.Concurrently(1, func() {
		p := NewProvider(Scope(n))
		for range 100 {
			if field(p, "selfType", "x") == "" || field(p, "google.protobuf.Duration", "seconds") == "" {
				t.Error("not found")
			}
		}
	})
}
