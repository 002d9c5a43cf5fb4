package settled_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/internal/validity"
	"github.com/crdkit/crdkit/prune"
	"github.com/crdkit/crdkit/resource/internal/settled"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/unstructured"
)

// A subject is a schema, and what texts have to be.
type subject struct {
	*settled.Root
	schema *schema.Structural
}

func subjectOf(s *schema.Structural) subject {
	return subject{&settled.Root{Node: plan.Root(s), Kind: "Thing", APIVersion: "g.io/v1"}, s}
}

func compiled(t testing.TB, document string) subject {
	t.Helper()
	return subjectOf(given.Structural(t, document))
}

// scan returns what a scan says of a text. If that is yes, the decoded object is valid, and pruning, defaults and
// storage do not change it.
func scan(t testing.TB, root subject, text string) bool {
	t.Helper()
	s := settled.New([]byte(text))
	defer s.Release()
	if !s.Object(root.Root) {
		return false
	}
	obj, err := unstructured.DecodeJSON([]byte(text))
	require.NoError(t, err, text)
	require.Equal(t, root.Kind, obj["kind"], text)
	require.Equal(t, root.APIVersion, obj["apiVersion"], text)
	require.True(t, validity.OK(root.Node, obj, validity.Schema|validity.Embedded|validity.Lists), text)
	require.Equal(t, obj, prune.Prune(root.schema, obj), text)
	require.Equal(t, obj, defaulting.Default(root.schema, obj), text)
	stored, _ := jsonval.Stored(obj)
	require.Equal(t, any(obj), stored, text)
	meta, _ := obj["metadata"].(map[string]any)
	if s.Meta().Plain {
		require.True(t, objectmeta.Canonical(meta), text)
	}
	require.Equal(t, meta, s.Metadata(), text)
	return true
}

func object(fields string) string {
	return `{"apiVersion":"g.io/v1","kind":"Thing","metadata":{"name":"a"},` + fields + "}"
}

func TestObject(t *testing.T) {
	for _, c := range []struct {
		properties string
		yes, no    []string
	}{
		{"a: {type: string, maxLength: 3}", []string{`"a":"xyz"`, `"a":"\u00e9\n\""`, `"a":"\ud83d\ude00"`}, []string{`"a":"wxyz"`, `"a":1`, `"a":null`, `"a":"\ud83d"`, `"a":"\x"`, `"a":"`, `"a":"x","a":"x"`}},
		{"a: {type: integer, minimum: 0, enum: [0, 1, 300]}", []string{`"a":300`, `"a":0`}, []string{`"a":2`, `"a":-0`, `"a":01`, `"a":1.0`, `"a":1e0`, `"a":`, `"a":+1`, `"a":1.`, `"a":1e`}},
		{"a: {type: number, maximum: 9}", []string{`"a":1`, `"a":1.5`, `"a":-1.5e-3`, `"a":2E-1`}, []string{`"a":10`, `"a":9.5`, `"a":2.0`, `"a":1e400`, `"a":.5`, `"a":5e-400`}},
		{"a: {type: boolean, enum: [true]}", []string{`"a":true`}, []string{`"a":false`, `"a":tru`, `"a":"true"`}},
		{"a: {type: boolean}", []string{`"a":true`, `"a":false`}, []string{`"a":falsy`, `"a":null`}},
		{"a: {type: string, nullable: true}", []string{`"a":null`, `"a":""`}, []string{`"a":nul`}},
		{"a: {x-kubernetes-int-or-string: true}", []string{`"a":1`, `"a":"1"`}, []string{`"a":1.5`, `"a":true`}},
		{"a: {type: object, minProperties: 1, maxProperties: 2, additionalProperties: {type: integer}}", []string{`"a":{"x":1}`, `"a":{"y":1,"x":2}`, `"a":{"\u0078":1}`},
			[]string{`"a":{}`, `"a":{"x":1,"y":2,"z":3}`, `"a":{"x":"1"}`, `"a":{"x":1,"x":1}`, `"a":{"y":1,"x":1,"y":1}`, `"a":{"x":1,"\u0078":1}`, `"a":{"x":1,}`, `"a":{"x"}`, `"a":{x:1}`}},
		{"a: {type: object, required: [x], properties: {x: {type: integer}, w: {type: integer, default: 1}}}", []string{`"a":{"x":1,"w":2}`, `"a":{"x":1,"w":1}`}, []string{`"a":{"w":1}`, `"a":{"x":1}`, `"a":{"x":1,"w":1,"z":1}`}},
		{"a: {type: array, minItems: 1, maxItems: 2, items: {type: string}}", []string{`"a":["x"]`, `"a":[ "x" , "x" ]`}, []string{`"a":[]`, `"a":["x","y","z"]`, `"a":[1]`, `"a":["x",]`, `"a":["x"`, `"a":["x" "y"]`, `"a":{}`}},
		{"a: {type: array, x-kubernetes-list-type: set, items: {type: number}}", []string{`"a":[1,2,1.5]`, `"a":[]`, `"a":[9223372036854775808,92233720368547758080]`}, []string{`"a":[1,2,1]`, `"a":[1.5,15e-1]`, `"a":[9223372036854775808,9223372036854775809]`}},
		{"a: {type: array, x-kubernetes-list-type: set, items: {type: string}}", []string{`"a":["\u0061","b"]`}, []string{`"a":["\u0061","a"]`}},
		{"a: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k, l], items: {type: object, required: [k, l], properties: {k: {type: string}, l: {type: integer}, m: {type: string}}}}",
			[]string{`"a":[{"k":"x","l":1},{"k":"x","l":2},{"l":1,"k":"y"}]`}, []string{`"a":[{"k":"x","l":1},{"l":1,"m":"","k":"x"}]`, `"a":[1]`, `"a":[null]`}},
		{"a: {type: object, x-kubernetes-preserve-unknown-fields: true}", []string{`"a":{"x":[null,{"y":{}},1.5,"z",true,false]}`, `"a":{"\n":1}`},
			[]string{`"a":{"x":1.0}`, `"a":{"x":{"y":1,"y":1}}`, `"a":{"x":[1 2]}`, `"a":{"x":[`, `"a":{"b":1,"a":1,"b":1}`, `"a":{"\u0061":1,"a":1}`, `"a":{"x":nul}`, `"a":{"x" 1}`}},
		{"a: {type: object, additionalProperties: true}", []string{`"a":{}`, `"a":{"x":{}}`, `"a":{"x":[{}]}`}, []string{`"a":{"x":{"y":1}}`}},
		{"a: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}",
			[]string{`"a":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{}}`, `"a":{"apiVersion":"a/b","kind":"Pod"}`},
			[]string{`"a":{"kind":"Pod"}`, `"a":{"apiVersion":"v1"}`, `"a":{"apiVersion":"a/b/c","kind":"Pod"}`, `"a":{"apiVersion":"v1","kind":"P d"}`, `"a":{"apiVersion":"v1","kind":1}`,
				`"a":{"apiVersion":"v1","kind":"Pod","metadata":null}`, `"a":{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{}}}`, `"a":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a/b"}}`}},
		{"a: {type: string, anyOf: [{minLength: 3}, {pattern: '^x'}], not: {enum: [xno]}}", []string{`"a":"abc"`, `"a":"x"`}, []string{`"a":"ab"`, `"a":"xno"`}},
		{"a: {type: integer, oneOf: [{minimum: 3}, {maximum: 5}], allOf: [{multipleOf: 2}]}", []string{`"a":2`, `"a":6`}, []string{`"a":4`, `"a":7`}},
		{"a: {type: array, items: {type: integer}, enum: [[1], [2, 3]]}", []string{`"a":[1]`, `"a":[2,3]`}, []string{`"a":[2]`, `"a":[]`}},
		{"a: {type: object, properties: {b: {type: array, items: {type: object, properties: {c: {type: string}}}}}, anyOf: [{required: [b]}, {maxProperties: 0}]}",
			[]string{`"a":{}`, `"a":{"b":[{"c":"d"},{}]}`}, []string{`"a":{"b":[{"d":1}]}`}},
	} {
		root := compiled(t, "{type: object, properties: {"+c.properties+"}}")
		for _, fields := range c.yes {
			require.True(t, scan(t, root, object(fields)), fields)
			require.True(t, scan(t, root, " "+strings.NewReplacer(",", " ,\n", ":", "\t: ").Replace(object(fields))+"\r\n"), fields)
		}
		for _, fields := range c.no {
			require.False(t, scan(t, root, object(fields)), fields)
		}
	}
}

func TestRoot(t *testing.T) {
	const open = "x-kubernetes-preserve-unknown-fields: true"
	for _, c := range []struct {
		document string
		yes, no  []string
	}{
		{"{type: object, " + open + "}", []string{
			`{"apiVersion":"g.io/v1","kind":"Thing","metadata":{"name":"a"}}`,
			`{"apiVersion":"g.io/v1","kind":"Thing","metadata":{}}`,
			`{"apiVersion":"g.io/v1","kind":"Thing","metadata":{"name":"a","finalizers":["f"],"generation":3}}`,
			`{"apiVersion":"g.io/v1","kind":"Thing","metadata":{"annotations":{"b":"\n","a":""},"labels":{"b":"","a":"x"},"name":"\u0061"}}`,
			`{"apiVersion":"g.io/v1","kind":"Thing","metadata":{"annotations":{"a":"` + strings.Repeat("x", 1<<18-1) + `"}}}`,
			`{"apiVersion":"g.io/v1","kind":"Thing","metadata":{"uid":"u","resourceVersion":"7","creationTimestamp":"2020-01-01T00:00:00Z"},"x":1}`,
		}, []string{
			``, `[]`, `null`, `{`, `{}`, `{"apiVersion":"g.io/v1","kind":"Thing"}`, `{"apiVersion":"g.io/v1","kind":"Thing","metadata":null}`,
			`{"apiVersion":"g.io/v1","kind":"Thing","metadata":{}}x`, `{"apiVersion":"g.io/v2","kind":"Thing","metadata":{}}`, `{"apiVersion":"g.io/v1","kind":"Ding","metadata":{}}`,
			`{"apiVersion":"g.io/v1","kind":"Thing","Kind":"Thing","metadata":{}}`, `{"apiVersion":"g.io/v1","kind":"Thing","APIversion":"","metadata":{}}`,
			`{"apiVersion":"g.io/v1","kind":"Thing","metadata":{},"kind":"Thing"}`, `{"kind":"Thing","metadata":{}}`, `{"apiVersion":"g.io/v1","metadata":{}}`,
			`{"apiVersion":"g.io/v1","kind":"Thing","metadata":{"name":""}}`, `{"apiVersion":"g.io/v1","kind":"Thing","metadata":{"name":1}}`,
			`{"apiVersion":"g.io/v1","kind":"Thing","metadata":{"name":"a","name":"a"}}`, `{"apiVersion":"g.io/v1","kind":"Thing","metadata":{"x":1,"w":1,"x":1}}`,
			`{"apiVersion":"g.io/v1","kind":"Thing","metadata":{"labels":{}}}`, `{"apiVersion":"g.io/v1","kind":"Thing","metadata":{"labels":{"a":1}}}`,
			`{"apiVersion":"g.io/v1","kind":"Thing","metadata":{"labels":{"a":"x y"}}}`, `{"apiVersion":"g.io/v1","kind":"Thing","metadata":{"labels":{"b":"","a":"","b":""}}}`,
			`{"apiVersion":"g.io/v1","kind":"Thing","metadata":{"annotations":{"a b":""}}}`, `{"apiVersion":"g.io/v1","kind":"Thing","metadata":{"creationTimestamp":"2020-01-01"}}`,
			`{"apiVersion":"g.io/v1","kind":"Thing","metadata":{"annotations":{"a":"` + strings.Repeat("x", 1<<18) + `"}}}`,
			`{"apiVersion":"g.io/v1","kind":"Thing","metadata":{"generateName":"a-","generateName":"b-"}}`, `{"apiVersion":"g.io/v1","kind":"Thing","metadata":{"namespace":"a","namespace":"a"}}`,
			`{"apiVersion":"g.io/v1","kind":"Thing","metadata":{"uid":"a","uid":"a"}}`, `{"apiVersion":"g.io/v1","kind":"Thing","metadata":{"resourceVersion":"1","resourceVersion":"1"}}`,
			`{"apiVersion":"g.io/v1","kind":"Thing","metadata":{"labels":{"a":"b"},"labels":{"a":"b"}}}`, `{"apiVersion":"g.io/v1","kind":"Thing","metadata":{"annotations":{"a":"b"},"annotations":{"a":"b"}}}`,
			`{"apiVersion":"g.io/v1","kind":"Thing","metadata":{"generation":1,"generation":1}}`,
			`{"apiVersion":"g.io/v1","kind":"Thing","metadata":{"creationTimestamp":"2020-01-01T00:00:00Z","creationTimestamp":"2020-01-01T00:00:00Z"}}`,
			`{"apiVersion":"g.io/v1","kind":"Thing","metadata":{"name":"a",}}`, `{"apiVersion":"g.io/v1","kind":"Thing","metadata":{"name":"a"`,
			"{\"apiVersion\":\"g.io/v1\",\"kind\":\"Thing\",\"metadata\":{\"name\":\"\xff\"}}",
			`{"apiVersion":"g.io/v1","kind":"Thing","metadata":{},"x":` + strings.Repeat("[", 500) + strings.Repeat("]", 500) + "}",
		}},
		{"{type: object, properties: {metadata: {type: object, properties: {name: {type: string, maxLength: 3}}}, kind: {type: string, enum: [Thing]}}}", []string{
			`{"apiVersion":"g.io/v1","kind":"Thing","metadata":{"name":"abc"}}`,
		}, []string{
			`{"apiVersion":"g.io/v1","kind":"Thing","metadata":{"name":"abcd"}}`, `{"apiVersion":"g.io/v1","kind":"Thing","metadata":{"generateName":"a"}}`,
		}},
		{"{type: object, x-kubernetes-embedded-resource: true, " + open + "}", []string{
			`{"apiVersion":"g.io/v1","kind":"Thing","metadata":{"name":"a"}}`,
		}, []string{
			`{"apiVersion":"g.io/v1","kind":"Thing","metadata":{"name":"a/b"}}`, `{"apiVersion":"g.io/v1","kind":"Thing","metadata":{"finalizers":["a b"]}}`,
		}},
	} {
		root := compiled(t, c.document)
		for _, text := range c.yes {
			require.True(t, scan(t, root, text), text)
		}
		for _, text := range c.no {
			require.False(t, scan(t, root, text), "%.300s", text)
		}
	}
}

// A status that a create drops has to be the one that the answer has.
func TestStatus(t *testing.T) {
	root := compiled(t, "{type: object, properties: {status: {type: object, properties: {a: {type: integer}}}}}")
	scan := func(text string) (yes, hasStatus bool) {
		s := settled.New([]byte(text))
		defer s.Release()
		return s.Object(root.Root), s.HasStatus()
	}
	for _, c := range []struct {
		drops    bool
		standard any
		fields   string
		want     bool
	}{
		{false, nil, `"status":{"a":1}`, true},
		{true, nil, `"status":{"a":1}`, false},
		{true, map[string]any{"a": int64(1)}, `"status":{"a":1}`, true},
		{true, map[string]any{"a": int64(1)}, `"status":{"a":2}`, false},
	} {
		root.DropsStatus, root.StatusDefault = c.drops, c.standard
		yes, has := scan(object(c.fields))
		require.Equal(t, c.want, yes, c)
		require.True(t, has)
	}
	yes, has := scan(`{"apiVersion":"g.io/v1","kind":"Thing","metadata":{}}`)
	require.True(t, yes)
	require.False(t, has)
}

func TestFields(t *testing.T) {
	root := compiled(t, `{type: object, properties: {spec: {type: object, properties: {
		x: {type: string}, list: {type: array, items: {type: integer}}, map: {type: object, additionalProperties: {type: number}}}}}}`)
	s := settled.New([]byte(object(`"spec":{"x":"x","list":[1],"map":{"k":1,"\u006c":2.5}}`)))
	defer s.Release()
	require.True(t, s.Object(root.Root))
	require.True(t, s.Integer([]string{"spec", "list"}, 0, 9) == false && s.Integer([]string{"spec", "none"}, 0, 9) && s.Integer([]string{"status", "a"}, 0, 9))
	require.True(t, s.Integer([]string{"spec", "map", "k"}, 1, 1))
	require.False(t, s.Integer([]string{"spec", "map", "k"}, 2, 3))
	require.False(t, s.Integer([]string{"spec", "map", "l"}, 0, 9))
	require.True(t, s.String([]string{"spec", "x"}))
	require.False(t, s.String([]string{"spec", "map"}))
	require.True(t, s.String([]string{"spec", "map", "none"}))
	require.False(t, s.String([]string{"spec", "x", "y"}))
}

// Objects with many required properties take work for each key, but not so much that a large text is refused.
func TestManyRequired(t *testing.T) {
	const properties, objects = 500, 40
	var names, fields []string
	for i := range properties {
		names = append(names, fmt.Sprintf("p%d", i))
		fields = append(fields, fmt.Sprintf(`"p%d":1`, i))
	}
	root := compiled(t, "{type: object, properties: {a: {type: array, items: {type: object, x-kubernetes-preserve-unknown-fields: true, required: ["+strings.Join(names, ", ")+"]}}}}")
	item := "{" + strings.Join(fields, ",") + "}"
	require.True(t, scan(t, root, object(`"a":[`+strings.Repeat(item+",", objects)+item+"]")))
	require.False(t, scan(t, root, object(`"a":[`+item+","+strings.Replace(item, `"p499"`, `"p500"`, 1)+"]")))
}

// Whatever the schema and the object, a yes is one of package validity, too; and there are few others.
func TestRandom(t *testing.T) {
	yes, missed := 0, 0
	for seed := range uint64(4000) {
		m := given.NewMaker(seed)
		doc := m.Schema()
		s := given.Compiled(t, doc)
		root := subjectOf(s)
		obj := m.Object(doc)
		obj["apiVersion"], obj["kind"], obj["metadata"] = root.APIVersion, root.Kind, map[string]any{"name": "a"}
		normal, valid := validity.Object(plan.Root(s), obj)
		switch ok := scan(t, root, given.ExactJSON(obj)); {
		case ok:
			yes++
		case normal && valid:
			missed++
		}
	}
	require.Greater(t, yes, 500)
	require.Less(t, missed, yes/50)
}
