package resource_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

func decodedJSON(t *testing.T, text string) map[string]any {
	obj, err := unstructured.DecodeJSON([]byte(text))
	require.NoError(t, err)
	return obj
}

func TestSettled(t *testing.T) {
	v := compile(t, gadgets).Version("v1")
	for _, c := range []struct {
		body string
		want bool
	}{
		{`{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"a","namespace":"ns"},"spec":{"replicas":2}}`, true},
		{" {\n\t\"spec\" : { \"replicas\" : 2 , \"tags\" : [ \"a\" , \"b\" ] } ,\r\n \"kind\" : \"Gadget\", \"metadata\": {\"namespace\":\"ns\", \"name\":\"a\"}, \"apiVersion\":\"example.com/v1\" } \n", true},
	} {
		require.Equal(t, c.want, v.Settled([]byte(c.body)), c.body)
	}
	for _, c := range []struct {
		metadata, spec string
		want           bool
	}{
		{`"name":"a","namespace":"ns"`, `"replicas":2,"size":"small","ratio":1.5,"note":null,"tags":["x","y"],"free":{"x":[1,{"c":null}]}`, true},
		{`"name":"a","namespace":"ns","labels":{"a":"b","app.kubernetes.io/name":"x"},"annotations":{"A/b":"\u00e9 \n \"q\""},"generation":7`, `"replicas":2`, true},
		{`"generateName":"a-","namespace":"ns"`, `"replicas":2`, true},
		{`"name":"a","namespace":"ns","uid":"u","creationTimestamp":"2020-01-01T00:00:00Z"`, `"replicas":2`, true},
		{`"name":"a","namespace":"ns","finalizers":["x.io/f"],"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u"}]`, `"replicas":2`, true},
		{`"name":"a","namespace":"ns"`, `"replicas":2,"template":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","labels":{"a":"b"}},"spec":{"image":"x"}}`, true},
		{`"name":"a","namespace":"ns"`, `"replicas":2,"note":"\ud83d\ude00 \\ \/ \t"`, true},
		{`"name":"a","namespace":"ns"`, `"replicas":2,"size":"sm\u0061ll"`, true},
		// Metadata.
		{`"name":"A","namespace":"ns"`, `"replicas":2`, false},
		{`"name":"a"`, `"replicas":2`, false},
		{`"namespace":"ns"`, `"replicas":2`, false},
		{`"name":"a","namespace":"ns","name":"a"`, `"replicas":2`, false},
		{`"name":"a","namespace":"ns","labels":{}`, `"replicas":2`, false},
		{`"name":"a","namespace":"ns","labels":{"a":"b","b":"c","a":"d"}`, `"replicas":2`, false},
		{`"name":"a","namespace":"ns","labels":{"a":"b/c"}`, `"replicas":2`, false},
		{`"name":"a","namespace":"ns","labels":{"a b":"c"}`, `"replicas":2`, false},
		{`"name":"a","namespace":"ns","labels":{"a":null}`, `"replicas":2`, false},
		{`"name":"a","namespace":"ns","annotations":{"a b":"c"}`, `"replicas":2`, false},
		{`"name":"a","namespace":"ns","annotations":null`, `"replicas":2`, false},
		{`"name":"a","namespace":"ns","generation":0`, `"replicas":2`, true},
		{`"name":"a","namespace":"ns","generation":1.0`, `"replicas":2`, true},
		{`"name":"a","namespace":"ns","generation":null`, `"replicas":2`, true},
		{`"name":"a","namespace":"ns","generation":1.5`, `"replicas":2`, false},
		{`"name":"a","namespace":"ns","labels":{"a":"\u0062"}`, `"replicas":2`, true},
		{`"name":"a","namespace":"ns","generation":"1"`, `"replicas":2`, false},
		{`"name":"a","namespace":"ns","resourceVersion":"5"`, `"replicas":2`, false},
		{`"name":"a","namespace":"ns","resourceVersion":"0"`, `"replicas":2`, false},
		{`"name":"a","namespace":"ns","deletionTimestamp":"2020-01-01T00:00:00Z"`, `"replicas":2`, false},
		{`"name":"a","namespace":"ns","creationTimestamp":null`, `"replicas":2`, false},
		{`"name":"a","namespace":"ns","finalizers":["f"]`, `"replicas":2`, false},
		{`"name":"a","namespace":"ns","unknown":1`, `"replicas":2`, false},
		{`"name":"a","namespace":"ns","generateName":"_"`, `"replicas":2`, false},
		// Fields.
		{`"name":"a","namespace":"ns"`, `"size":"small"`, false},
		{`"name":"a","namespace":"ns"`, `"replicas":2,"unknown":1`, false},
		{`"name":"a","namespace":"ns"`, `"replicas":2,"replicas":2`, false},
		{`"name":"a","namespace":"ns"`, `"replicas":2,"siz\u0065":"small"`, true},
		{`"name":"a","namespace":"ns"`, `"replicas":2,"free":{"\n":1,"\"":2}`, true},
		{`"name":"a","namespace":"ns"`, `"replicas":2,"free":{"a":1,"\u0061":2}`, false},
		{`"name":"a","namespace":"ns"`, `"replicas":2,"siz\u0065":"small","size":"small"`, false},
		{`"name":"a","namespace":"ns"`, `"replicas":"2"`, false},
		{`"name":"a","namespace":"ns"`, `"replicas":2.0`, false},
		{`"name":"a","namespace":"ns"`, `"replicas":2e0`, false},
		{`"name":"a","namespace":"ns"`, `"replicas":9223372036854775808`, false},
		{`"name":"a","namespace":"ns"`, `"replicas":-1`, false},
		{`"name":"a","namespace":"ns"`, `"replicas":2147483648`, false},
		{`"name":"a","namespace":"ns"`, `"replicas":null`, false},
		{`"name":"a","namespace":"ns"`, `"replicas":02`, false},
		{`"name":"a","namespace":"ns"`, `"replicas":2,"ratio":1e400`, false},
		{`"name":"a","namespace":"ns"`, `"replicas":2,"ratio":-0`, false},
		{`"name":"a","namespace":"ns"`, `"replicas":2,"ratio":-0.0`, false},
		{`"name":"a","namespace":"ns"`, `"replicas":2,"ratio":9223372036854774784.0`, false},
		{`"name":"a","namespace":"ns"`, `"replicas":2,"ratio":9223372036854775808`, true},
		{`"name":"a","namespace":"ns"`, `"replicas":2,"ratio":1e300`, true},
		{`"name":"a","namespace":"ns"`, `"replicas":2,"ratio":1e-400`, false},
		{`"name":"a","namespace":"ns"`, `"replicas":2,"size":"medium"`, false},
		{`"name":"a","namespace":"ns"`, `"replicas":2,"size":null`, false},
		{`"name":"a","namespace":"ns"`, `"replicas":2,"tags":["a","b","a"]`, false},
		{`"name":"a","namespace":"ns"`, `"replicas":2,"tags":["a","\u0061"]`, false},
		{`"name":"a","namespace":"ns"`, `"replicas":2,"free":{"x":{"b":1,"a":1,"b":2}}`, false},
		{`"name":"a","namespace":"ns"`, `"replicas":2,"free":{"x":1.0}`, false},
		{`"name":"a","namespace":"ns"`, `"replicas":2,"note":"\ud83d"`, false},
		{`"name":"a","namespace":"ns"`, "\"replicas\":2,\"note\":\"\xff\"", false},
		{`"name":"a","namespace":"ns"`, "\"replicas\":2,\"note\":\"\n\"", false},
		{`"name":"a","namespace":"ns"`, `"replicas":2,"template":{"kind":"Pod"}`, false},
		{`"name":"a","namespace":"ns"`, `"replicas":2,"template":{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{}}}`, false},
		{`"name":"a","namespace":"ns"`, `"replicas":2,"template":{"apiVersion":"a/b/c","kind":"Pod"}`, false},
		{`"name":"a","namespace":"ns"`, `"replicas":2,"template":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a/b"}}`, false},
	} {
		body := `{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{` + c.metadata + `},"spec":{` + c.spec + `}}`
		require.Equal(t, c.want, v.Settled([]byte(body)), body)
		if c.want {
			require.True(t, isClean(v, []byte(body), decodedJSON(t, body)), body)
		}
	}
	good := `{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"a","namespace":"ns","generation":1},"spec":{"replicas":2}}`
	for _, body := range []string{
		"", "null", "[]", "{}", good + "x", good[:len(good)-1], strings.Replace(good, "Gadget", "Widget", 1), strings.Replace(good, "/v1", "/v1beta1", 1),
		strings.Replace(good, `"spec"`, `"Kind":"x","spec"`, 1), strings.Replace(good, `"spec"`, `"status":{},"spec"`, 1), strings.Replace(good, `"kind":"Gadget",`, "", 1),
		strings.Replace(good, `"apiVersion":"example.com/v1",`, "", 1), strings.Replace(good, `"spec"`, `"kind":"Gadget","spec"`, 1), strings.Replace(good, `{"replicas":2}`, "null", 1),
		strings.Replace(good, `{"replicas":2}`, `{"replicas":2,"free":{"a":`+strings.Repeat("[", 20_000)+strings.Repeat("]", 20_000)+"}}", 1),
		strings.Replace(good, "2", "2"+strings.Repeat(" ", 3<<20), 1),
	} {
		require.False(t, v.Settled([]byte(body)), "%.300s", body)
	}
	require.True(t, v.Settled([]byte(good)))
	require.True(t, v.SettledUpdate([]byte(good), []byte(good+"\n")))
	require.False(t, v.SettledUpdate([]byte(good), []byte(strings.Replace(good, "2", "3", 1))))
	require.False(t, v.SettledUpdate([]byte(strings.Replace(good, `,"generation":1`, "", 1)), []byte(strings.Replace(good, `,"generation":1`, "", 1))))

	var none *resource.Version
	require.False(t, none.Settled([]byte(good)))
	require.False(t, none.SettledUpdate([]byte(good), []byte(good)))
	for _, o := range []resource.RequestOptions{
		{ContentType: "application/yaml"}, {ContentType: "text/plain"}, {FieldValidation: "x"}, {Namespace: "other"},
		{Admit: func(_ context.Context, obj, _ map[string]any) (map[string]any, error) { return obj, nil }},
	} {
		require.False(t, v.With(o).Settled([]byte(good)))
		require.False(t, v.With(o).SettledUpdate([]byte(good), []byte(good)))
	}
	require.True(t, v.With(resource.RequestOptions{ContentType: "application/json; charset=utf-8", FieldValidation: "Strict", Namespace: "ns"}).Settled([]byte(good)))
	require.False(t, compile(t, gadgets).Version("v1beta1").Settled([]byte(strings.Replace(good, "/v1", "/v1beta1", 1))))
	require.False(t, v.With(resource.RequestOptions{Name: "b"}).SettledUpdate([]byte(good), []byte(good)))
}

// Updates of objects as they are in a cluster.
func TestSettledUpdate(t *testing.T) {
	v := compile(t, gadgets).Version("v1")
	for _, c := range []struct {
		metadata string
		want     bool
	}{
		{`"resourceVersion":"7","uid":"u","creationTimestamp":"2020-01-01T00:00:00Z","finalizers":["f"]`, true},
		{`"managedFields":[{"manager":"m","operation":"Update","apiVersion":"example.com/v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{}},"time":"2020-01-01T00:00:00Z"}]`, true},
		{`"deletionTimestamp":"2020-01-01T00:00:00Z","deletionGracePeriodSeconds":0,"finalizers":["x.io/f"]`, true},
		{`"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u"}]`, true},
		{`"managedFields":[{"manager":"m"}]`, false},
		{`"resourceVersion":"x"`, false},
		{`"resourceVersion":"0"`, false},
		{`"selfLink":"s"`, false},
		{`"deletionTimestamp":"2020-01-01T00:00:00Z","deletionGracePeriodSeconds":0`, false},
		{`"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u"},{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u"}]`, false},
	} {
		body := []byte(`{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"a","namespace":"ns","generation":1,` + c.metadata +
			`},"spec":{"replicas":2},"status":{"replicas":2,"selector":"a=b"}}`)
		require.Equal(t, c.want, v.SettledUpdate(body, body), string(body))
		if c.want {
			require.True(t, isUnchanged(v, decodedJSON(t, string(body))), string(body))
		}
	}
}

// Only the values that rules read are decoded for them.
func TestSettledRules(t *testing.T) {
	v := things(t, `schema: {openAPIV3Schema: {type: object, x-kubernetes-validations: [{rule: "!has(self.metadata.name) || self.metadata.name != 'no'"}], properties: {
		plain: {type: object, properties: {x: {type: string}}},
		spec: {type: object, properties: {a: {type: integer, x-kubernetes-validations: [{rule: self < 9}]},
			list: {type: array, items: {type: object, properties: {t: {type: string, x-kubernetes-validations: [{rule: "self != 'no'"}]}}}},
			map: {type: object, additionalProperties: {type: object, x-kubernetes-validations: [{rule: "self.m >= oldSelf.m", message: down}, {rule: "size(self.l) < 3"}], properties: {
				m: {type: integer}, l: {type: array, items: {type: string}}}}}}}}}}`).Version("v1")
	for spec, want := range map[string]bool{
		`{"a":1,"list":[{"t":"x"},{},{"t":"y"}],"map":{"k":{"m":1,"l":["a","b"]},"j":{"m":2,"l":[]}}}`: true,
		`{"a":9}`:                                 false,
		`{"list":[{"t":"x"},{"t":"no"}]}`:         false,
		`{"map":{"k":{"m":1,"l":["a","b","c"]}}}`: false,
		`{"map":{"k":{"m":1}}}`:                   false, // size of a missing value
		`{"map":{}}`:                              true,
		`{}`:                                      true,
		`{"list":[]}`:                             true,
		`{"list":[{"t":"\u006eo"}]}`:              false,
		`{"a":-3,"map":{"long-key-` + strings.Repeat("k", 200) + `":{"m":5,"l":["` + strings.Repeat("v", 300) + `"]}}}`: true,
	} {
		body := []byte(`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a","generation":1},"spec":` + spec + `,"plain":{"x":"y"}}`)
		require.Equal(t, want, v.Settled(body), string(body))
		require.Equal(t, want, isClean(v, body, decodedJSON(t, string(body))), string(body))
		require.Equal(t, want, v.SettledUpdate(body, body), string(body))
		no := bytes.Replace(body, []byte(`"name":"a"`), []byte(`"name":"no"`), 1)
		require.False(t, v.Settled(no), string(no))
		no = bytes.Replace(body, []byte(`"name":"a"`), []byte(`"generateName":"n-"`), 1)
		require.Equal(t, want, v.Settled(no), string(no))
	}
}

// Rules of the whole object see the metadata after a create or an update, and rules on metadata are evaluated.
func TestSettledMetadataRules(t *testing.T) {
	for _, schema := range []string{
		`{type: object, x-kubernetes-validations: [{rule: "dyn(self.metadata).size() == 2"}]}`,
		`{type: object, x-kubernetes-validations: [{rule: "dyn(self.metadata).size() == 3"}]}`,
		`{type: object, x-kubernetes-validations: [{rule: "dyn(self.metadata).size() == 5"}]}`,
		`{type: object, x-kubernetes-validations: [{rule: "dyn(self.metadata) == dyn({'name': 'a'})"}]}`,
		`{type: object, x-kubernetes-validations: [{rule: "self == self"}]}`,
		`{type: object, properties: {metadata: {type: object, properties: {name: {type: string, x-kubernetes-validations: [{rule: "self == 'b'"}]}}}}}`,
		`{type: object, properties: {metadata: {type: object}}, x-kubernetes-validations: [{rule: "self.metadata.name == 'b'"}]}`,
	} {
		v := things(t, "schema: {openAPIV3Schema: "+schema+"}").Version("v1")
		var c settledCounts
		for _, meta := range []string{`"name":"a"`, `"name":"b"`, `"name":"a","generation":1`, `"name":"a","labels":{"a":"b"}`, `"generateName":"a"`,
			`"name":"a","uid":"x","creationTimestamp":"2020-01-01T00:00:00Z"`, `"name":"a","generation":1,"resourceVersion":"7","uid":"x","creationTimestamp":"2020-01-01T00:00:00Z"`} {
			for range 2 {
				c.check(t, v, []byte(`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{`+meta+`}}`))
			}
		}
	}
}

// A rule without a cost is not evaluated when the budget is used up.
func TestSettledBudget(t *testing.T) {
	v := things(t, `schema: {openAPIV3Schema: {type: object, properties: {
		a: {type: array, items: {type: integer, x-kubernetes-validations: [{rule: "`+"[0"+strings.Repeat(",0", 98)+"].all(x, x == 0) && self == 0 && self == 0"+`"}]}},
		z: {type: integer, x-kubernetes-validations: [{rule: "true"}]}}}}`).Version("v1")
	body := func(items int) []byte {
		return []byte(`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"},"a":[0` + strings.Repeat(",0", items-1) + `],"z":1}`)
	}
	const budget = 10_000_000
	cost := v.CreateBody(t.Context(), body(1)).Cost
	require.Zero(t, budget%cost)
	full := int(budget / cost)
	require.True(t, v.Settled(body(full-1)))
	require.False(t, v.Settled(body(full)))
	require.Len(t, v.CreateBody(t.Context(), body(full)).Errors, 1)
}

// Rules with optionalOldSelf may have different results for a create and an update.
func TestSettledOptionalOldSelf(t *testing.T) {
	for rule, want := range map[string]struct{ settled, updated, kept bool }{
		"{rule: oldSelf.hasValue(), optionalOldSelf: true}":    {false, true, false},
		"{rule: '!oldSelf.hasValue()', optionalOldSelf: true}": {true, false, false},
		"{rule: self == oldSelf}":                              {true, true, true},
		"{rule: self != oldSelf}":                              {true, false, false},
		"{rule: self == 1}":                                    {true, true, true},
	} {
		v := things(t, "schema: {openAPIV3Schema: {type: object, properties: {a: {type: integer, x-kubernetes-validations: ["+rule+"]}}}}").Version("v1")
		body := []byte(`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a","generation":1},"a":1}`)
		obj := decodedJSON(t, string(body))
		require.Equal(t, want.settled, v.Settled(body), rule)
		require.Equal(t, want.settled, isClean(v, body, obj), rule)
		require.Equal(t, want.updated, v.SettledUpdate(body, body), rule)
		require.Equal(t, want.updated, isUnchanged(v, obj), rule)
		require.Equal(t, want.kept, v.SettledStored(t.Context(), body), rule)
		require.Equal(t, want.kept, isKept(v, obj), rule)
	}
}

// The rules of the whole object see a status that the create drops.
func TestSettledStatusRules(t *testing.T) {
	v := things(t, `subresources: {status: {}}, schema: {openAPIV3Schema: {type: object, x-kubernetes-validations: [{rule: "has(self.status) == has(self.a)"}], properties: {
		a: {type: integer}, status: {type: object, properties: {b: {type: integer}}}}}}`).Version("v1")
	for fields, kept := range map[string]bool{`"status":{"b":1}`: false, `"status":{"b":1},"a":1`: false, `"a":1`: false} {
		body := []byte(`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a","generation":1},` + fields + `}`)
		require.Equal(t, kept, v.SettledStored(t.Context(), body), fields)
		require.Equal(t, kept, isKept(v, decodedJSON(t, string(body))), fields)
	}
	require.True(t, v.SettledStored(t.Context(), []byte(`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a","generation":1}}`)))
}

// Settled returns false for versions without a schema, and the object is decoded.
func TestSettledWithoutSchema(t *testing.T) {
	for _, open := range []bool{true, false} {
		text := strings.Replace(given.OldHead("Cluster", "things.example.com", "Thing")+`
  version: v1
  preserveUnknownFields: OPEN
  validation: {openAPIV3Schema: {type: object}}
`, "OPEN", fmt.Sprint(open), 1)
		v := compile(t, text).Version("v1")
		body := []byte(`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"}}`)
		require.Equal(t, !open, v.Settled(body))
		require.NoError(t, v.CreateBody(t.Context(), body).Err())
	}
}

// For a stored object, a status that a create drops does not matter, even if its schema has a default.
func TestSettledStatusDefault(t *testing.T) {
	for schema, kept := range map[string]bool{
		"{type: object, default: {a: 1, b: [x]}, properties: {a: {type: integer}, b: {type: array, items: {type: string}}}}": true,
		// A read adds another default.
		"{type: object, default: {}, properties: {a: {type: integer, default: 1}, b: {type: array, items: {type: string}}}}":                false,
		"{type: object, default: {a: 1, b: [x]}, required: [a], properties: {a: {type: integer}, b: {type: array, items: {type: string}}}}": true,
	} {
		v := things(t, "subresources: {status: {}}, schema: {openAPIV3Schema: {type: object, properties: {status: "+schema+"}}}").Version("v1")
		body := func(status string) []byte {
			return []byte(`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a","generation":1},"status":` + status + `}`)
		}
		for status, settled := range map[string]bool{
			`{"a":1,"b":["x"]}`: kept, `{"b":["x"],"a":1}`: kept, `{ "a" : 1, "b" : ["\u0078"] }`: kept,
			`{"a":2,"b":["x"]}`: false, `{"a":1,"b":["x"],"c":1}`: false,
		} {
			text := body(status)
			require.Equal(t, settled, v.Settled(text), "%s: %s", schema, text)
			if settled {
				require.True(t, isClean(v, text, decodedJSON(t, string(text))), "%s: %s", schema, text)
			}
		}
		text := body(`{"a":7,"b":[]}`)
		require.Equal(t, kept, v.SettledStored(t.Context(), text), schema)
		require.True(t, isKept(v, decodedJSON(t, string(text))), schema)
	}
}

// Transition rules find the old values of list map items by key, independent of what else is decoded.
func TestSettledTransitions(t *testing.T) {
	for list, want := range map[string]bool{
		"x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k]": false,
		"x-kubernetes-list-type: atomic":                               true, // items have no old values
	} {
		v := things(t, "schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {m: {type: array, "+list+
			", items: {type: object, required: [k], properties: {k: {type: string}, v: {type: integer, x-kubernetes-validations: [{rule: self > oldSelf}]}}}}}}}}}").Version("v1")
		body := []byte(`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"n","generation":1},"spec":{"m":[{"k":"a","v":1},{"k":"b","v":2}]}}`)
		require.Equal(t, want, v.SettledUpdate(body, body), list)
		require.Equal(t, want, v.SettledStored(t.Context(), body), list)
		require.Equal(t, want, isUnchanged(v, decodedJSON(t, string(body))), list)
		require.True(t, v.Settled(body))
	}
}

// Duplicate keys are found even if an object has more properties than the bit set has bits.
func TestSettledWide(t *testing.T) {
	var properties, fields []string
	for i := range 600 {
		properties = append(properties, fmt.Sprintf("p%d: {type: integer}", i))
		fields = append(fields, fmt.Sprintf(`"p%d":%d`, i, i))
	}
	v := things(t, "schema: {openAPIV3Schema: {type: object, required: [spec], properties: {spec: {type: object, required: [p7, p599], properties: {"+
		strings.Join(properties, ", ")+"}}}}}").Version("v1")
	settled := func(fields ...string) bool {
		body := []byte(`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"},"spec":{` + strings.Join(fields, ",") + `}}`)
		yes := v.Settled(body)
		require.Equal(t, isClean(v, body, decodedJSON(t, string(body))), yes, "%.300s", body)
		return yes
	}
	require.True(t, settled(fields...))
	require.False(t, settled(fields[1:599]...))
	require.False(t, settled(append(fields, `"p300":300`)...))
	require.False(t, settled(append(fields, `"p600":300`)...))
	slices.Reverse(fields)
	require.True(t, settled(fields...))
	require.False(t, settled(append(fields, `"p599":599`)...))
}
