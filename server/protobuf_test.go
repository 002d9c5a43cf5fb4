package server

import (
	"encoding/binary"
	"math"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/server/internal/catalog"
)

// These functions encode fields, by their numbers.

func wireNumber(field int, n uint64) string {
	return string(binary.AppendUvarint(binary.AppendUvarint(nil, uint64(field)<<3|wireVarint), n))
}

func wireText(field int, parts ...string) string {
	text := strings.Join(parts, "")
	return string(binary.AppendUvarint(binary.AppendUvarint(nil, uint64(field)<<3|wireBytes), uint64(len(text)))) + text
}

func wireFloat(field int, f float64) string {
	return string(binary.LittleEndian.AppendUint64(binary.AppendUvarint(nil, uint64(field)<<3|wireFixed64), math.Float64bits(f)))
}

var wireTypes = catalog.Types{
	"Thing": {Fields: []catalog.Field{
		{Name: "text", Number: 1, Type: "string"}, {Name: "flag", Number: 2, Type: "bool"}, {Name: "n", Number: 3, Type: "int"},
		{Name: "data", Number: 4, Type: "bytes"}, {Name: "f", Number: 5, Type: "float"}, {Name: "texts", Number: 6, Type: "[]string"},
		{Name: "labels", Number: 7, Type: "{}string"}, {Name: "thing", Number: 8, Type: "Thing"}, {Name: "at", Number: 9, Type: "time"},
		{Name: "for", Number: 10, Type: "duration"}, {Name: "much", Number: 11, Type: "quantity"}, {Name: "port", Number: 12, Type: "intOrString"},
		{Name: "raw", Number: 13, Type: "raw"}, {Name: "any", Number: 14, Type: "json"}, {Name: "schemaOrBool", Number: 15, Type: "schemaOrBool"},
		{Name: "schemaOrArray", Number: 16, Type: "schemaOrArray"}, {Name: "schemaOrStrings", Number: 17, Type: "schemaOrStrings"},
		{Name: "omitted", Number: 18, Type: "int", Omit: true}, {Name: "", Number: 19, Type: "Inner"}, {Name: "unknown", Number: 20, Type: "unknown"},
		{Name: "lists", Number: 21, Type: "{}[]string"},
	}},
	"Inner": {Fields: []catalog.Field{{Name: "inner", Number: 1, Type: "string"}}},
	catalog.SchemaType: {Fields: []catalog.Field{
		{Name: "title", Number: 1, Type: "string"}, {Name: "items", Number: 2, Type: "schemaOrArray"},
		{Name: "additional", Number: 3, Type: "schemaOrBool"}, {Name: "dependencies", Number: 4, Type: "{}schemaOrStrings"},
		{Name: "all", Number: 5, Type: "[]" + catalog.SchemaType},
	}},
}

func TestProtobufValues(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"nothing", "", `{}`},
		{"a string", wireText(1, "a"), `{"text":"a"}`},
		{"the last of several values", wireText(1, "a") + wireText(1, "b"), `{"text":"b"}`},
		{"an unknown field", wireText(99, "a") + wireNumber(98, 1), `{}`},
		{"a fixed field of four bytes", string(binary.AppendUvarint(nil, 97<<3|wireFixed32)) + "abcd" + wireText(1, "a"), `{"text":"a"}`},
		{"true", wireNumber(2, 1), `{"flag":true}`},
		{"false", wireNumber(2, 0), `{"flag":false}`},
		{"a number", wireNumber(3, 7), `{"n":7}`},
		{"a negative number", wireNumber(3, math.MaxUint64), `{"n":-1}`},
		{"bytes", wireText(4, "\xff"), `{"data":"/w=="}`},
		{"a float", wireFloat(5, 1.5), `{"f":1.5}`},
		{"a list", wireText(6, "a") + wireText(6, "b"), `{"texts":["a","b"]}`},
		{"a map", wireText(7, wireText(1, "k"), wireText(2, "v")) + wireText(7, wireText(1, "l")), `{"labels":{"k":"v","l":""}}`},
		{"a map of lists", wireText(21, wireText(1, "k"), wireText(2, wireText(1, "v")+wireText(1, "w"))) + wireText(21, wireText(1, "l")), `{"lists":{"k":["v","w"],"l":[]}}`},
		{"an object", wireText(8, wireText(8, wireNumber(3, 1))), `{"thing":{"thing":{"n":1}}}`},
		{"a time", wireText(9, wireNumber(1, 1)), `{"at":"1970-01-01T00:00:01Z"}`},
		{"a time with a fraction", wireText(9, wireNumber(1, 1), wireNumber(2, 2000)), `{"at":"1970-01-01T00:00:01.000002Z"}`},
		{"no time", wireText(9), `{}`},
		{"a duration", wireText(10, wireNumber(1, 90e9)), `{"for":"1m30s"}`},
		{"a quantity", wireText(11, wireText(1, "1Gi")), `{"much":"1Gi"}`},
		{"a port", wireText(12, wireNumber(1, 0), wireNumber(2, 80)), `{"port":80}`},
		{"a negative port", wireText(12, wireNumber(2, math.MaxUint64)), `{"port":-1}`},
		{"a port's name", wireText(12, wireNumber(1, 1), wireText(3, "http")), `{"port":"http"}`},
		{"raw JSON", wireText(13, wireText(1, `{"a":1}`)), `{"raw":{"a":1}}`},
		{"no raw JSON", wireText(13), `{}`},
		{"JSON", wireText(14, wireText(1, `[1,"a"]`)), `{"any":[1,"a"]}`},
		{"true instead of a schema", wireText(15, wireNumber(1, 1)), `{"schemaOrBool":true}`},
		{"false instead of a schema", wireText(15, wireNumber(1, 0)), `{"schemaOrBool":false}`},
		{"a schema", wireText(15, wireNumber(1, 1), wireText(2, wireText(1, "a"))), `{"schemaOrBool":{"title":"a"}}`},
		{"a schema of items", wireText(16, wireText(1, wireText(1, "a"))), `{"schemaOrArray":{"title":"a"}}`},
		{"schemas", wireText(16, wireText(2, wireText(1, "a")), wireText(2, wireText(1, "b"))), `{"schemaOrArray":[{"title":"a"},{"title":"b"}]}`},
		{"a schema of a dependency", wireText(17, wireText(1, wireText(1, "a"))), `{"schemaOrStrings":{"title":"a"}}`},
		{"names", wireText(17, wireText(2, "a"), wireText(2, "b")), `{"schemaOrStrings":["a","b"]}`},
		{"a zero that JSON leaves out", wireNumber(18, 0), `{}`},
		{"a number where JSON leaves out zero", wireNumber(18, 1), `{"omitted":1}`},
		{"the fields of an embedded type", wireText(19, wireText(1, "a")), `{"inner":"a"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			obj, err := protobufDecoder{wireTypes}.object([]byte(c.in), "Thing", 0)
			require.NoError(t, err)
			require.JSONEq(t, c.want, string(given.JSON(t, obj)))
		})
	}
}

func TestProtobufErrors(t *testing.T) {
	deep := ""
	for range maxNested + 1 {
		deep = wireText(8, deep)
	}
	for name, in := range map[string]string{
		"a text that is not UTF-8":           wireText(1, "\xff"),
		"no number":                          wireFloat(5, math.NaN()),
		"infinity":                           wireFloat(5, math.Inf(1)),
		"a list of texts that are not UTF-8": wireText(6, "\xff"),
		"a key that is not UTF-8":            wireText(7, wireText(1, "\xff")),
		"a value that is not UTF-8":          wireText(7, wireText(2, "\xff")),
		"a damaged entry":                    wireText(7, "\x0a"),
		"a damaged object":                   wireText(8, "\x0a"),
		"a damaged object in its place":      wireText(19, "\x0a"),
		"a damaged time":                     wireText(9, "\x0a"),
		"a year too late":                    wireText(9, wireNumber(1, 1<<40)),
		"a year too early":                   wireText(9, wireNumber(1, math.MaxUint64-1<<40)),
		"raw that is no JSON":                wireText(13, wireText(1, "{")),
		"invalid JSON":                       wireText(14, wireText(1, "{")),
		"a damaged schema or bool":           wireText(15, wireText(2, "\x0a")),
		"a damaged schema or array":          wireText(16, wireText(1, "\x0a")),
		"a damaged schema or strings":        wireText(17, wireText(1, "\x0a")),
		"a type that there is not":           wireText(20, ""),
		"no tag":                             "\x80",
		"no number behind a tag":             "\x08\x80",
		"no length":                          "\x0a\x80",
		"too short a text":                   "\x0a\x02a",
		"too short a float":                  "\x29\x00",
		"too short a fixed field":            "\x0d\x00",
		"groups":                             "\x0b",
		"too deep":                           deep,
	} {
		_, err := protobufDecoder{wireTypes}.object([]byte(in), "Thing", 0)
		require.Error(t, err, name)
	}
	_, err := protobufDecoder{wireTypes}.object([]byte(deep[len(deep)-len(deep)/2:]), "Nothing", 0)
	require.ErrorIs(t, err, errProtobuf)
	fits := ""
	for range maxNested {
		fits = wireText(8, fits)
	}
	_, err = protobufDecoder{wireTypes}.object([]byte(fits), "Thing", 0)
	require.NoError(t, err)
}

// Schemas may be nested in several ways. Their depth is limited in all of them.
func TestNestedSchemas(t *testing.T) {
	for name, nest := range map[string]func(inner string) string{
		"items":        func(inner string) string { return wireText(2, wireText(1, inner)) },
		"several":      func(inner string) string { return wireText(2, wireText(2, inner)) },
		"additional":   func(inner string) string { return wireText(3, wireText(2, inner)) },
		"dependencies": func(inner string) string { return wireText(4, wireText(2, wireText(1, inner))) },
		"all":          func(inner string) string { return wireText(5, inner) },
	} {
		schema := ""
		for range maxNested / 3 {
			schema = nest(schema)
		}
		_, err := protobufDecoder{wireTypes}.object([]byte(schema), catalog.SchemaType, 0)
		require.NoError(t, err, name)
		for range maxNested {
			schema = nest(schema)
		}
		_, err = protobufDecoder{wireTypes}.object([]byte(schema), catalog.SchemaType, 0)
		require.ErrorIs(t, err, errProtobuf, name)
	}
}

func TestProtobufEnvelope(t *testing.T) {
	scale := wireText(2, wireText(2, wireNumber(1, 3)))
	obj, err := protobufObject([]byte(protobufMagic+wireText(1, wireText(1, "autoscaling/v1"), wireText(2, "Scale"))+scale), scaleType)
	require.NoError(t, err)
	require.Equal(t, map[string]any{"apiVersion": "autoscaling/v1", "kind": "Scale", "spec": map[string]any{"replicas": int64(3)}}, obj)
	obj, err = protobufObject([]byte(protobufMagic+scale), scaleType)
	require.NoError(t, err)
	require.Equal(t, map[string]any{"spec": map[string]any{"replicas": int64(3)}}, obj)
	for name, body := range map[string]string{
		"no magic":             scale,
		"a damaged envelope":   protobufMagic + "\x0a",
		"a damaged kind":       protobufMagic + wireText(1, "\x0a"),
		"a kind not in UTF-8":  protobufMagic + wireText(1, wireText(2, "\xff")),
		"a group not in UTF-8": protobufMagic + wireText(1, wireText(1, "\xff")),
		"a damaged object":     protobufMagic + wireText(2, "\x0a"),
	} {
		_, err := protobufObject([]byte(body), scaleType)
		require.ErrorIs(t, err, errProtobuf, name)
	}
	q := &request{r: httptest.NewRequest("DELETE", "/", nil)}
	q.r.Header.Set("Content-Type", protobufType)
	options, refused := q.decodeDeleteOptions([]byte(protobufMagic + wireText(2, wireText(2, wireText(1, "u")), wireText(4, "Orphan"), wireText(5, "All"))))
	require.Nil(t, refused)
	require.Equal(t, []string{"All"}, options.DryRun)
	require.Equal(t, "Orphan", *options.PropagationPolicy)
	require.Equal(t, "u", *options.Preconditions.UID)
	sent, refused := q.decodedScale(writing{body: []byte(protobufMagic + scale)})
	require.Nil(t, refused)
	require.Equal(t, object{"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": object{}, "spec": object{"replicas": int64(3)}}, object(sent))
}

// A definition in protobuf is decoded to the same object as in JSON.
func TestDefinitionInProtobuf(t *testing.T) {
	_, c := start(t, Options{})
	schema := wireText(1, wireText(5, "object"))
	version := wireText(7, wireText(1, "v1"), wireNumber(2, 1), wireNumber(3, 1), wireText(4, schema))
	spec := wireText(2, wireText(1, "wind.example.com"), wireText(3, wireText(1, "gusts"), wireText(4, "Gust")), wireText(4, "Cluster"), version)
	kind := wireText(1, wireText(1, "apiextensions.k8s.io/v1"), wireText(2, "CustomResourceDefinition"))
	body := protobufMagic + kind + wireText(2, wireText(1, wireText(1, "gusts.wind.example.com")), spec)
	made := must(t, c, 201, "POST", definitions, body, "Content-Type", protobufType)
	require.Equal(t, object{"kind": "Gust", "listKind": "GustList", "plural": "gusts", "singular": "gust"}, at(made, "spec", "names"))
	must(t, c, 200, "GET", "/apis/wind.example.com/v1/gusts", "")
}
