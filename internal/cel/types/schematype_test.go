package types

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/test/given"
)

// node returns the compiled property a of a resource's schema.
func node(t *testing.T, text string) *plan.Node {
	t.Helper()
	return root(t, "type: object\nproperties: {a: "+text+"}").Prop("a").Node
}

// root returns the compiled root of a resource's schema.
func root(t *testing.T, text string) *plan.Node {
	t.Helper()
	s := given.Loose(t, text)
	return plan.Root(s)
}

// CTY-001.
func TestSchemaTypes(t *testing.T) {
	plain := strings.NewReplacer("google.protobuf.Timestamp", "timestamp", "google.protobuf.Duration", "duration")
	for _, row := range []struct {
		schema, cel string
		size, min   uint64
	}{
		{`{x-kubernetes-int-or-string: true}`, "dyn", 3145726, 1},
		{`{x-kubernetes-int-or-string: true, type: string, maxLength: 5}`, "dyn", 20, 1},
		{`{x-kubernetes-int-or-string: true, maxLength: -5}`, "dyn", 0, 1},

		{`{type: string}`, "string", 3145726, 2},
		{`{type: string, maxLength: 5, minLength: 2, pattern: "^a", nullable: true}`, "string", 20, 2},
		{`{type: string, maxLength: 0}`, "string", 0, 2},
		{`{type: string, maxLength: -1}`, "string", 0, 2},
		{`{type: string, maxLength: 9223372036854775807}`, "string", 1<<64 - 4, 2},
		{`{type: string, enum: [a, bcd, üü]}`, "string", 4, 2},
		{`{type: string, enum: [""]}`, "string", 0, 2},
		{`{type: string, enum: [a], maxLength: 7}`, "string", 28, 2},
		{`{type: string, format: uuid, maxLength: 7}`, "string", 28, 2},
		{`{type: string, format: datetime}`, "string", 3145726, 2},
		{`{type: string, format: unknown}`, "string", 3145726, 2},
		{`{type: string, format: byte}`, "bytes", 3145726, 2},
		{`{type: string, format: byte, maxLength: 7}`, "bytes", 7, 2},
		{`{type: string, format: duration, maxLength: 7}`, "duration", 32, 3},
		{`{type: string, format: date, maxLength: 7}`, "timestamp", 12, 12},
		{`{type: string, format: date-time, maxLength: 7}`, "timestamp", 32, 21},

		{`{type: boolean}`, "bool", 0, 4},
		{`{type: number, minimum: 100}`, "double", 0, 1},
		{`{type: integer, format: int64}`, "int", 0, 1},

		{`{type: array, items: {type: boolean}}`, "list(bool)", 629145, 2},
		{`{type: array, items: {type: integer}}`, "list(int)", 1572863, 2},
		{`{type: array, items: {type: string}}`, "list(string)", 1048575, 2},
		{`{type: array, items: {type: string, format: duration}}`, "list(duration)", 786431, 2},
		{`{type: array, items: {type: string, format: date}}`, "list(timestamp)", 241978, 2},
		{`{type: array, items: {type: string, format: date-time}}`, "list(timestamp)", 142987, 2},
		{`{type: array, items: {type: object}}`, "list(selfType.@idx)", 1048575, 2},
		{`{type: array, items: {type: string}, maxItems: 3, maxProperties: 4}`, "list(string)", 3, 2},
		{`{type: array, items: {type: string}, maxItems: -3}`, "list(string)", 0, 2},
		{`{type: array, items: {type: string}, maxItems: 9223372036854775807}`, "list(string)", 1<<63 - 1, 2},
		{`{type: array, items: {type: array, items: {type: object}}}`, "list(list(selfType.@idx.@idx))", 1048575, 2},

		{`{type: object, additionalProperties: {type: string}}`, "map(string, string)", 393215, 2},
		{`{type: object, additionalProperties: {type: integer}}`, "map(string, int)", 449389, 2},
		{`{type: object, additionalProperties: {type: boolean}}`, "map(string, bool)", 314572, 2},
		{`{type: object, additionalProperties: {type: string, format: duration}}`, "map(string, duration)", 349525, 2},
		{`{type: object, additionalProperties: {type: string, format: date}}`, "map(string, timestamp)", 174762, 2},
		{`{type: object, additionalProperties: {type: object}, maxProperties: 3, maxItems: 4}`, "map(string, selfType.@elem)", 3, 2},

		{`{type: object}`, "selfType", 0, 2},
		{`{type: object, additionalProperties: true, maxProperties: 3}`, "selfType", 0, 2},
		{`{type: object, x-kubernetes-preserve-unknown-fields: true}`, "selfType", 0, 2},
	} {
		typ := Scope(node(t, row.schema))
		require.NotNil(t, typ, row.schema)
		require.Equal(t, row.cel, plain.Replace(typ.CEL().String()), row.schema)
		require.Same(t, typ.CEL(), typ.CEL(), row.schema)
		require.Equal(t, row.size, typ.Size(), row.schema)
		require.Equal(t, row.min, typ.Min(), row.schema)
	}
}

// CTY-002: what has no type, and that it is no field.
func TestNoSchemaType(t *testing.T) {
	for _, text := range []string{
		`{x-kubernetes-preserve-unknown-fields: true}`,
		`{type: array}`,
		`{type: array, items: {}}`,
		`{type: array, items: {type: array, items: {x-kubernetes-preserve-unknown-fields: true}}}`,
		`{type: object, additionalProperties: {x-kubernetes-preserve-unknown-fields: true}}`,
		`{type: unknown}`,
	} {
		require.Nil(t, Scope(node(t, text)), text)
		require.Nil(t, Scope(node(t, "{type: object, properties: {b: "+text+"}}")).Field("b"), text)
	}

	var none *SchemaType
	require.Nil(t, Scope(nil))
	require.Nil(t, none.CEL())
	require.Nil(t, none.Node())
	require.Nil(t, none.Field("a"))
	require.Nil(t, none.Elem())
	require.Nil(t, none.Key())
	require.Nil(t, none.Items())
	require.Nil(t, none.Items())
	require.Nil(t, none.Property("a", node(t, `{type: string}`)))
	require.Nil(t, none.Avoiding("selfType"))
	require.Zero(t, none.Size())
	require.Zero(t, none.Min())
}

// CTY-005.
func TestLeastSizeOfObjects(t *testing.T) {
	for _, row := range []struct {
		name, schema string
		min          uint64
	}{
		{"required", `{type: object, required: [bc], properties: {bc: {type: string}, d: {type: string}}}`, 2 + 2 + 2 + 4},
		{"twice", `{type: object, required: [b, b], properties: {b: {type: integer}}}`, 2 + 1 + 1 + 4},
		{"undeclared", `{type: object, required: [c], properties: {b: {type: integer}}}`, 2},
		{"no type", `{type: object, required: [b], properties: {b: {x-kubernetes-preserve-unknown-fields: true}}}`, 2},
		{"default", `{type: object, required: [b], properties: {b: {type: integer, default: 1}}}`, 2},
		{"default null", `{type: object, required: [b], properties: {b: {type: integer, default: null}}}`, 8},
		{"name without escape, in bytes", `{type: object, required: ["é"], properties: {"é": {type: integer}}}`, 2 + 2 + 1 + 4},
		{"nested", `{type: object, required: [b], properties: {b: {type: object, required: [c], properties: {c: {type: boolean}}}}}`, 2 + 1 + 4 + (2 + 1 + 4 + 4)},
		{"in a combinator", `{type: object, anyOf: [{required: [b]}], properties: {b: {type: integer}}}`, 2},
		{"embedded", `{type: object, x-kubernetes-embedded-resource: true, required: [kind, metadata]}`, 2 + (4 + 2 + 4) + (8 + 2 + 4)},
	} {
		typ := Scope(node(t, row.schema))
		require.Equal(t, row.min, typ.Min(), row.name)
		require.Equal(t, row.min, typ.Min(), row.name)
	}
	list := Scope(node(t, `{type: array, items: {type: object, required: [b], properties: {b: {type: integer}}}}`))
	require.Equal(t, uint64(3145726/(8+1)), list.Size(), "the count of a list comes from it")
}

// CTY-004, CTY-010, CTY-013.
func TestSchemaTypeFields(t *testing.T) {
	self := Scope(node(t, `{type: object, maxProperties: 1, properties: {
		a-b: {type: string, maxLength: 1},
		namespace: {type: string, maxLength: 2},
		"$": {type: string},
		l: {type: array, items: {type: object, properties: {m: {type: object, additionalProperties: {type: object, properties: {x: {type: object}}}}}}}}}`))
	require.Equal(t, 4, int(self.Field("a__dash__b").Size()))
	require.Equal(t, 8, int(self.Field("__namespace__").Size()))
	for _, name := range []string{"a-b", "namespace", "$", "zz", "", "@idx"} {
		require.Nil(t, self.Field(name), name)
	}
	x := self.Field("l").Elem().Field("m").Elem().Field("x")
	require.Equal(t, "selfType.l.@idx.m.@elem.x", x.CEL().TypeName())
	require.Equal(t, x.Name(), x.CEL().TypeName())
	require.Same(t, x, self.Field("l").Elem().Field("m").Elem().Field("x"))
	require.Equal(t, "object", x.Node().Type)
	require.Nil(t, self.Elem())
	require.Nil(t, self.Key())
	require.Nil(t, self.Field("l").Key())
	require.Nil(t, self.Field("l").Field("l"))
	key := self.Field("l").Elem().Field("m").Key()
	require.Equal(t, "string", key.CEL().String())
	require.Zero(t, key.Size())
}

// CTY-020, CTY-021.
func TestImpliedFields(t *testing.T) {
	const meta = `metadata: {type: object, properties: {name: {type: string, maxLength: 500}, generateName: {type: string, maxLength: 10}, labels: {type: object}}}`
	for _, row := range []struct {
		name, properties                   string
		kind, metaName, generateName       uint64
		labelsKnown, kindHasNode, required bool
	}{
		{"nothing declared", ``, 3145726, 253 * 4, 252 * 4, false, false, false},
		{"lengths of names count up to a limit", meta, 3145726, 253 * 4, 10 * 4, false, false, false},
		{"length of a kind does not", meta + `, kind: {type: string, maxLength: 3}`, 3145726, 253 * 4, 40, false, false, false},
		{"all declared", meta + `, kind: {type: string, maxLength: 3}, apiVersion: {type: string}`, 12, 2000, 40, true, true, false},
		{"a name of another type", `metadata: {type: object, properties: {name: {type: integer, maxLength: 5}, generateName: {type: string}}}, kind: {type: string}, apiVersion: {type: string}`,
			3145726, 20, 252 * 4, false, false, false},
	} {
		for place, self := range map[string]*SchemaType{
			"root":     Scope(root(t, `{type: object, properties: {`+row.properties+`}}`)),
			"embedded": Scope(node(t, `{type: object, x-kubernetes-embedded-resource: true, properties: {`+row.properties+`}}`)),
			"item":     Scope(node(t, `{type: array, items: {type: object, x-kubernetes-embedded-resource: true, properties: {`+row.properties+`}}}`)).Elem(),
		} {
			name := row.name + "/" + place
			require.Equal(t, row.kind, self.Field("kind").Size(), name)
			require.Equal(t, row.kindHasNode, self.Field("kind").Node() != nil, name)
			require.Equal(t, "string", self.Field("apiVersion").CEL().String(), name)
			require.Equal(t, self.Name()+".metadata", self.Field("metadata").CEL().TypeName(), name)
			require.Equal(t, row.metaName, self.Field("metadata").Field("name").Size(), name)
			require.Equal(t, row.generateName, self.Field("metadata").Field("generateName").Size(), name)
			require.Equal(t, row.labelsKnown, self.Field("metadata").Field("labels") != nil, name)
			require.Nil(t, self.Field("metadata").Field("uid"), name)
		}
	}
	plain := Scope(node(t, `{type: object, properties: {`+meta+`}}`))
	require.Equal(t, 2000, int(plain.Field("metadata").Field("name").Size()), "elsewhere metadata is a field like any other")
	require.Nil(t, plain.Field("kind"))
}

// CWH-008, CWH-009: types of nodes with rules come from above, and their names begin there again.
func TestWalk(t *testing.T) {
	r := root(t, `{type: object, properties: {
		kind: {type: string, maxLength: 20},
		metadata: {type: object, properties: {name: {type: string, maxLength: 9}}},
		"$": {type: string, maxLength: 1},
		untyped: {x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: string}}},
		l: {type: array, items: {type: object, properties: {x: {type: object}}}},
		m: {type: object, additionalProperties: {type: object, x-kubernetes-embedded-resource: true}}}}`)
	at := func(name string) *plan.Node { return r.Prop(name).Node }
	self := Scope(r)

	require.Equal(t, 80, int(Scope(at("kind")).Size()), "no rule above")
	require.Equal(t, 3145726, int(self.Property("kind", at("kind")).Size()))
	meta := self.Property("metadata", at("metadata"))
	require.Equal(t, 36, int(meta.Property("name", at("metadata").Prop("name").Node).Size()))
	require.Equal(t, 4, int(self.Property("$", at("$")).Size()), "by itself, since no expression can reach it")

	untyped := self.Property("untyped", at("untyped"))
	require.Nil(t, untyped)
	require.Nil(t, untyped.Property("a", at("untyped").Prop("a").Node), "nothing has a type below a node without one")

	item := self.Property("l", at("l")).Items()
	require.Equal(t, "selfType", item.CEL().TypeName())
	require.Equal(t, "selfType.x", item.Field("x").CEL().TypeName())
	require.Equal(t, at("l").Items, item.Node())
	value := self.Property("m", at("m")).Items()
	require.Equal(t, "selfType", value.CEL().TypeName())
	require.NotNil(t, value.Field("metadata"), "CTY-006")
	require.Nil(t, self.Items())
}

// CTY-013: no expression can name a type.
func TestAvoiding(t *testing.T) {
	self := Scope(node(t, `{type: object, properties: {x: {type: object}}}`))
	require.Same(t, self, self.Avoiding("self.x == null"))
	for _, row := range []struct{ text, name string }{
		{"type(self) == selfType", "selfType0"},
		{"selfType0{}", "selfType1"},
		{"[selfType, selfType0.x, selfType2]", "selfType1"},
	} {
		got := self.Avoiding(row.text)
		require.Equal(t, row.name, got.Name(), row.text)
		require.Equal(t, row.name+".x", got.Field("x").CEL().TypeName(), row.text)
	}
	require.Equal(t, "selfType", self.Name())
}

// Types are built only when they are used.
func TestTypesAreLazy(t *testing.T) {
	var text strings.Builder
	text.WriteString("{type: object, properties: {")
	for i := range 2000 {
		fmt.Fprintf(&text, "f%d: {type: object, properties: {g: {type: string}}}, ", i)
	}
	text.WriteString("l: {type: array, items: {type: string}}}}")
	self := Scope(node(t, text.String()))
	require.NotNil(t, self.Field("f7"))
	_, ok := NewProvider(self).FindStructFieldType("selfType", "f8")
	require.True(t, ok)
	require.Len(t, self.shape.fields, 2)
}
