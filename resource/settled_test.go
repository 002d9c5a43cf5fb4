package resource_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/golden"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

var settledBodies = flag.Int("settled-bodies", 20_000, "how many bodies TestSettledMutations makes up")

var showMissed = flag.Int("settled-missed", 0, "how many bodies are shown that are clean and not settled")

// besidesServer returns a copy of obj without what a server sets in any new object.
func besidesServer(obj map[string]any) map[string]any {
	obj = unstructured.Clone(obj)
	if meta, ok := obj["metadata"].(map[string]any); ok {
		for _, key := range []string{"uid", "creationTimestamp", "generation", "managedFields"} {
			delete(meta, key)
		}
	}
	return obj
}

// isClean reports whether CreateBody answers without an error or a warning, with the object of the body.
func isClean(t testing.TB, v *resource.Version, body []byte) bool {
	r := v.CreateBody(context.Background(), body)
	if r.Err() != nil || len(r.Warnings) > 0 {
		return false
	}
	sent, err := unstructured.DecodeJSON(body)
	if err != nil || !utf8.Valid(body) || bytes.Contains(body, []byte(`\ud800`)) { // it is YAML, or the decoder mends it
		return false
	}
	return r.Stored["apiVersion"] == sent["apiVersion"] && reflect.DeepEqual(besidesServer(sent), besidesServer(r.Object))
}

// isUnchanged reports whether an update of the object in body by itself answers without an error or a warning, and stores that object.
func isUnchanged(t testing.TB, v *resource.Version, body []byte) bool {
	obj, err := unstructured.DecodeJSON(body)
	require.NoError(t, err)
	r := v.Update(context.Background(), obj, obj)
	return r.Err() == nil && len(r.Warnings) == 0 && reflect.DeepEqual(r.Object, obj) && reflect.DeepEqual(r.Stored, obj)
}

// settledCounts has how many bodies were clean, and how many of those Settled says so of.
type settledCounts struct{ bodies, clean, settled, unchanged int }

// check asks Settled about a body, and CreateBody whether that is right.
func (c *settledCounts) check(t testing.TB, v *resource.Version, body []byte) {
	t.Helper()
	before := string(body)
	c.bodies++
	yes, clean := v.Settled(body), isClean(t, v, body)
	if clean && !yes && *showMissed > 0 {
		*showMissed--
		t.Logf("missed: %.600s", body)
	}
	require.Equal(t, before, string(body), "the body was modified")
	if clean {
		c.clean++
	}
	if yes {
		c.settled++
		require.True(t, clean, "settled, but CreateBody changes or refuses %s", body)
	}
	if v.SettledUpdate(body, body) {
		c.unchanged++
		require.True(t, isUnchanged(t, v, body), "an update changes or refuses %s", body)
	}
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
			require.True(t, isClean(t, v, []byte(body)), body)
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

// The update of an object as a cluster has it.
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
			require.True(t, isUnchanged(t, v, body), string(body))
		}
	}
}

// Rules see what they read, and no more of it is decoded.
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
		`{"map":{"k":{"m":1}}}`:                   false, // size of what is missing
		`{"map":{}}`:                              true,
		`{}`:                                      true,
		`{"list":[]}`:                             true,
		`{"list":[{"t":"\u006eo"}]}`:              false,
		`{"a":-3,"map":{"long-key-` + strings.Repeat("k", 200) + `":{"m":5,"l":["` + strings.Repeat("v", 300) + `"]}}}`: true,
	} {
		body := []byte(`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a","generation":1},"spec":` + spec + `,"plain":{"x":"y"}}`)
		require.Equal(t, want, v.Settled(body), string(body))
		require.Equal(t, want, isClean(t, v, body), string(body))
		require.Equal(t, want, v.SettledUpdate(body, body), string(body))
		no := bytes.Replace(body, []byte(`"name":"a"`), []byte(`"name":"no"`), 1)
		require.False(t, v.Settled(no), string(no))
		no = bytes.Replace(body, []byte(`"name":"a"`), []byte(`"generateName":"n-"`), 1)
		require.Equal(t, want, v.Settled(no), string(no))
	}
}

// TestSettledRandom asks about objects of random definitions, and some changes of their text.
func TestSettledRandom(t *testing.T) {
	var c settledCounts
	forEach(t, func(m *golden.Maker, doc map[string]any, r *resource.Resource, _ bool) {
		v := r.Version("v1")
		for range 8 {
			obj := randomObject(m, doc)
			c.check(t, v, []byte(golden.JSON(obj)))
			r := v.Create(t.Context(), obj)
			if r.Err() != nil {
				continue
			}
			body := []byte(golden.JSON(r.Object))
			c.check(t, v, body)
			for range 8 {
				c.check(t, v, mutated(m.Rand, body))
			}
		}
	})
	t.Logf("%+v", c)
	require.Greater(t, c.clean, 500)
	require.GreaterOrEqual(t, c.settled*100, c.clean*99)
}

// mutated returns body with a change of its bytes, of its tokens or of its values.
func mutated(r *rand.Rand, body []byte) []byte {
	out := bytes.Clone(body)
	if len(out) == 0 {
		return out
	}
	switch r.IntN(8) {
	case 0: // one byte is another
		out[r.IntN(len(out))] = "\"\\{}[]:,0123456789.eE-+truefalsnl \n\x00\x7f\x80\xffA/"[r.IntN(41)]
	case 1: // some bytes are gone
		from := r.IntN(len(out))
		out = append(out[:from], out[min(len(out), from+1+r.IntN(8)):]...)
	case 2: // some come again
		from := r.IntN(len(out))
		to := min(len(out), from+1+r.IntN(40))
		out = append(bytes.Clone(out[:to]), body[from:]...)
	case 3, 4: // a token is another
		tokens := tokensOf(out)
		k := tokens[r.IntN(len(tokens))]
		others := []string{"null", "true", "false", "0", "-0", "1", "1.0", "1e3", "1.5", "-1", "1e-400", "1e400", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
			"12345678901234567890123", `""`, `"a"`, `"A"`, `"\u0061"`, `"\ud800"`, `"\u0000"`, `"é"`, "{}", "[]", "[null]", `{"a":1}`, `{"a":1,"a":1}`, `"1h"`, `"2020-01-01T00:00:00Z"`,
			"[1,1.0]", "[[[]]]", " ", "", `"name"`, `"kind"`, `"Kind"`, `"metadata"`}
		out = append(append(bytes.Clone(out[:k[0]]), others[r.IntN(len(others))]...), body[k[1]:]...)
	case 5: // one token takes the place of another
		tokens := tokensOf(out)
		k, l := tokens[r.IntN(len(tokens))], tokens[r.IntN(len(tokens))]
		out = append(append(bytes.Clone(out[:k[0]]), body[l[0]:l[1]]...), body[k[1]:]...)
	case 6: // written in another way
		var b bytes.Buffer
		if json.Indent(&b, out, "", "  ") == nil {
			out = b.Bytes()
		}
	case 7: // a value is another
		obj, err := unstructured.DecodeJSON(out)
		if err == nil && obj != nil {
			m := golden.NewMaker(r.Uint64())
			out = []byte(golden.JSON(m.Changed(obj)))
		}
	}
	return out
}

// tokensOf returns where the scalars and keys of a JSON text are.
func tokensOf(body []byte) (tokens [][2]int) {
	for i := 0; i < len(body); i++ {
		from := i
		switch c := body[i]; {
		case c == '"':
			for i++; i < len(body) && body[i] != '"'; i++ {
				if body[i] == '\\' {
					i++
				}
			}
			tokens = append(tokens, [2]int{from, min(i+1, len(body))})
		case strings.IndexByte("{}[]:, \n", c) < 0:
			for i+1 < len(body) && strings.IndexByte("{}[]:, \n\"", body[i+1]) < 0 {
				i++
			}
			tokens = append(tokens, [2]int{from, i + 1})
		}
	}
	return append(tokens, [2]int{0, 0})
}

// A recorded is a request that a server has answered.
type recorded struct {
	CRD, Version, Op string
	Request          struct{ Namespace, FieldValidation, ContentType string }
	Body             string
	BodyBase64       []byte
	Object           json.RawMessage
}

// forRecorded calls f with each recorded create or post, with its body. It skips the test where there are none.
func forRecorded(t *testing.T, f func(v *resource.Version, body []byte)) {
	files, _ := filepath.Glob("../../shared/conformance/*/*.jsonl")
	versions := map[string]*resource.Resource{}
	found := 0
	for _, file := range files {
		dir := filepath.Dir(file)
		switch filepath.Base(dir) {
		case "suites", "random", "requests", "stored":
		default:
			continue
		}
		text, err := os.Open(file)
		require.NoError(t, err)
		in := bufio.NewScanner(text)
		in.Buffer(nil, 64<<20)
		for in.Scan() {
			var row recorded
			require.NoError(t, json.Unmarshal(in.Bytes(), &row))
			if row.Op != "create" && row.Op != "post" {
				continue
			}
			path := filepath.Join(dir, row.CRD)
			key := path + " " + row.Version
			r := versions[key]
			if r == nil {
				document, err := os.ReadFile(path)
				require.NoError(t, err)
				d, err := crd.Parse(document)
				require.NoError(t, err)
				if base := filepath.Base(dir); base == "suites" || base == "random" {
					for _, version := range d.Spec.Versions {
						if version.Name == row.Version {
							version.Storage = true
							d.Spec.Versions = []crd.Version{version}
							break
						}
					}
				}
				if r, err = resource.Compile(d); err != nil {
					continue
				}
				versions[key] = r
			}
			body := []byte(row.Body)
			switch {
			case row.BodyBase64 != nil:
				body = row.BodyBase64
			case row.Body == "":
				body = row.Object
			}
			v := r.Version(row.Version).With(resource.RequestOptions{Namespace: row.Request.Namespace, FieldValidation: row.Request.FieldValidation, ContentType: row.Request.ContentType})
			if v == nil {
				continue
			}
			found++
			f(v, body)
		}
		require.NoError(t, text.Close())
	}
	if found == 0 {
		t.Skip("no recorded requests")
	}
}

// TestSettledRecorded asks about what servers have answered.
func TestSettledRecorded(t *testing.T) {
	var c settledCounts
	forRecorded(t, func(v *resource.Version, body []byte) {
		c.check(t, v, body)
	})
	t.Logf("%+v", c)
	require.GreaterOrEqual(t, c.settled*100, c.clean*99)
}

// TestSettledMutations asks about changes of what servers have accepted.
func TestSettledMutations(t *testing.T) {
	type valid struct {
		v    *resource.Version
		body []byte
	}
	var all []valid
	forRecorded(t, func(v *resource.Version, body []byte) {
		if len(body) < 4<<10 && v.Settled(body) {
			all = append(all, valid{v, body})
		}
	})
	require.NotEmpty(t, all)
	var c settledCounts
	r := rand.New(rand.NewPCG(1, 2))
	for range *settledBodies {
		from := all[r.IntN(len(all))]
		body := mutated(r, from.body)
		if r.IntN(4) == 0 {
			body = mutated(r, body)
		}
		c.check(t, from.v, body)
	}
	t.Logf("%+v", c)
	require.GreaterOrEqual(t, c.settled*100, c.clean*99)
}

// A body is judged without an allocation where there are no rules.
func TestSettledNoAllocs(t *testing.T) {
	v := compile(t, gadgets).Version("v1")
	body := []byte(`{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"a","namespace":"ns","labels":{"a":"b","c":"d"},"annotations":{"a":"\n"}},` +
		`"spec":{"replicas":2,"size":"small","ratio":1.5,"note":"\u00e9\n","tags":["b","a"],"free":{"x":[1,{"z":null,"c":1e-3}]}}}`)
	require.True(t, v.Settled(body))
	require.Zero(t, testing.AllocsPerRun(100, func() { v.Settled(body) }))
}

// FuzzSettled asks about any text, for a definition with one of everything, and for random ones.
func FuzzSettled(f *testing.F) {
	gadgetry := compile(f, gadgets).Version("v1")
	f.Add(uint64(0), []byte(`{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"a","namespace":"ns","labels":{"a":"b"}},"spec":{"replicas":2,"tags":["a"],"free":{"x":[1]},"template":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"}}}}`))
	for seed := range uint64(20) {
		m := golden.NewMaker(seed + 1)
		doc := m.Schema()
		f.Add(seed+1, []byte(golden.JSON(randomObject(m, doc))))
		if r := random(doc, false); r != nil {
			if created := r.Version("v1").Create(context.Background(), randomObject(m, doc)); created.Err() == nil {
				f.Add(seed+1, []byte(golden.JSON(created.Object)))
			}
		}
	}
	f.Fuzz(func(t *testing.T, seed uint64, body []byte) {
		v := gadgetry
		if seed != 0 {
			r := random(golden.NewMaker(seed).Schema(), seed%2 == 0)
			if r == nil {
				return
			}
			v = r.Version("v1")
		}
		var c settledCounts
		c.check(t, v, body)
		c.check(t, v, mutated(rand.New(rand.NewPCG(seed, 1)), body))
	})
}
