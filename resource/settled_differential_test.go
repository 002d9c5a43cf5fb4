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
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

// These tests compare the results of Settled, SettledUpdate and SettledStored for the text of an object with the
// results for the decoded object. These are independent: Decode, Create, Update and Read do not use the text.

var settledBodies = flag.Int("settled-bodies", 20_000, "number of bodies that TestSettledMutations makes")

// conformanceVariable is the environment variable for a directory of recorded requests.
const conformanceVariable = "CRDKIT_CONFORMANCE"

// settledGadget is settled.
const settledGadget = `{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"a","namespace":"ns","labels":{"a":"b"}},"spec":{"replicas":2,"tags":["a"],"free":{"x":[1]},"template":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"}}}}`

// besidesServer returns a copy of obj without the fields that a server sets in every new object.
func besidesServer(obj map[string]any) map[string]any {
	return withoutMetadata(obj, "uid", "creationTimestamp", "generation", "managedFields")
}

func withoutMetadata(obj map[string]any, keys ...string) map[string]any {
	obj = unstructured.Clone(obj)
	if meta, ok := obj["metadata"].(map[string]any); ok {
		for _, key := range keys {
			delete(meta, key)
		}
	}
	return obj
}

// isClean reports whether a create succeeds without warnings and does not change sent, the object in the body.
func isClean(v *resource.Version, body []byte, sent map[string]any) bool {
	obj, warnings, err := v.Decode(body)
	if err != nil || len(warnings) > 0 {
		return false
	}
	r := v.Create(context.Background(), obj)
	return r.Err() == nil && len(r.Warnings) == 0 && r.Stored["apiVersion"] == sent["apiVersion"] && reflect.DeepEqual(besidesServer(sent), besidesServer(r.Object))
}

// isUnchanged reports whether an update of obj by itself succeeds without warnings and stores obj.
func isUnchanged(v *resource.Version, obj map[string]any) bool {
	r := v.Update(context.Background(), obj, obj)
	return r.Err() == nil && len(r.Warnings) == 0 && reflect.DeepEqual(r.Object, obj) && reflect.DeepEqual(r.Stored, obj)
}

// isKept returns the expected result of SettledStored. A read adds a missing generation.
func isKept(v *resource.Version, obj map[string]any) bool {
	read := v.Read(obj)
	if read.Err() != nil || !reflect.DeepEqual(besidesServer(read.Object), besidesServer(obj)) || !isUnchanged(v, read.Object) {
		return false
	}
	r := v.Create(context.Background(), withoutMetadata(obj, "resourceVersion"))
	return r.Err() == nil
}

// settledCounts has the number of bodies, of those that are clean, and of those that Settled, SettledUpdate and
// SettledStored accept.
type settledCounts struct{ bodies, clean, settled, unchanged, kept int }

// check requires that Settled, SettledUpdate and SettledStored are right about a body, and that CreateBody answers as
// Create does for one that is clean.
func (c *settledCounts) check(t testing.TB, v *resource.Version, body []byte) {
	t.Helper()
	before := string(body)
	settled, unchanged, kept := v.Settled(body), v.SettledUpdate(body, body), v.SettledStored(context.Background(), body)
	require.Equal(t, before, string(body), "the body was modified")
	c.bodies++
	obj, err := unstructured.DecodeJSON(body)
	if err != nil || obj == nil {
		require.False(t, settled || unchanged || kept, "no object: %q", body)
		return
	}
	requireSameCreates(t, v, body, obj)
	if isClean(v, body, obj) {
		// Decoders replace invalid UTF-8, so such a body is not equal to its object.
		if utf8.Valid(body) && !bytes.Contains(body, []byte(`\ud800`)) {
			c.clean++
		}
		r := v.CreateBody(context.Background(), body)
		require.NoError(t, r.Err(), "%s", body)
		require.Empty(t, r.Warnings, "%s", body)
		require.Equal(t, besidesServer(obj), besidesServer(r.Object), "%s", body)
	} else {
		require.False(t, settled, "a create changes or refuses %s", body)
	}
	if settled {
		c.settled++
	}
	if unchanged {
		c.unchanged++
		require.True(t, isUnchanged(v, obj), "an update changes or refuses %s", body)
	}
	if kept {
		c.kept++
		require.True(t, isKept(v, obj), "a read changes, or a create refuses %s", body)
	}
}

// requireSameCreates requires that the three ways to create the object in body have the same answer: [Version.Create]
// after [Version.Decode], which has no fast path for what lacks defaults, [Version.CreateBody], and Create of the
// decoded object, which is obj.
func requireSameCreates(t testing.TB, v *resource.Version, body []byte, obj map[string]any) {
	t.Helper()
	decoded, warnings, err := v.Decode(body)
	if hasNull(decoded) {
		return // one that comes from a default, which the second decoding drops
	}
	fromBody, fromObject := v.CreateBody(context.Background(), body), v.Create(context.Background(), obj)
	if err != nil {
		require.Equal(t, err.Error(), errorText(fromBody), "%s", body)
		return
	}
	want := v.Create(context.Background(), decoded)
	same := func(got resource.Result) {
		t.Helper()
		require.Equal(t, errorText(want), errorText(got), "%s", body)
		require.Equal(t, want.Object, got.Object, "%s", body)
		require.Equal(t, want.Stored, got.Stored, "%s", body)
		require.Equal(t, want.Cost, got.Cost, "%s", body)
	}
	same(fromBody)
	require.ElementsMatch(t, append(warnings, want.Warnings...), fromBody.Warnings, "%s", body)
	if utf8.Valid(body) && len(warnings) == 0 { // Neither is in the object.
		same(fromObject)
		require.Equal(t, want.Warnings, fromObject.Warnings, "%s", body)
		if stored, _ := jsonval.Stored(obj); reflect.DeepEqual(stored, any(obj)) { // otherwise 1.0 may be replaced by 1
			require.Equal(t, string(fromObject.Patch()), string(fromBody.Patch()), "%s", body)
		}
	}
	again, err := unstructured.DecodeJSON(body)
	require.NoError(t, err)
	require.Equal(t, again, obj, "the object was modified")
}

func errorText(r resource.Result) string {
	if err := r.Err(); err != nil {
		return err.Error()
	}
	return ""
}

func hasNull(v any) bool {
	switch x := v.(type) {
	case map[string]any:
		for _, e := range x {
			if e == nil || hasNull(e) {
				return true
			}
		}
	case []any:
		for _, e := range x {
			if e == nil || hasNull(e) {
				return true
			}
		}
	}
	return false
}

// TestSettledRandom checks objects of random definitions, with rules and without, and some changes of their text.
func TestSettledRandom(t *testing.T) {
	t.Run("without rules", func(t *testing.T) { checkRandom(t, (*given.Maker).Schema) })
	t.Run("with rules", func(t *testing.T) { checkRandom(t, (*given.Maker).RuledSchema) })
}

func checkRandom(t *testing.T, schema func(*given.Maker) map[string]any) {
	var c settledCounts
	forEachOf(t, schema, func(m *given.Maker, doc map[string]any, r *resource.Resource, _ bool) {
		v := r.Version("v1")
		for range 4 {
			obj := randomObject(m, doc)
			c.check(t, v, []byte(given.ExactJSON(obj)))
			r := v.Create(t.Context(), obj)
			if r.Err() != nil {
				continue
			}
			body := []byte(given.ExactJSON(r.Object))
			c.check(t, v, body)
			for range 4 {
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
	switch r.IntN(9) {
	case 0: // change a byte
		out[r.IntN(len(out))] = "\"\\{}[]:,0123456789.eE-+truefalsnl \n\x00\x7f\x80\xffA/"[r.IntN(41)]
	case 1: // remove some bytes
		from := r.IntN(len(out))
		out = append(out[:from], out[min(len(out), from+1+r.IntN(8)):]...)
	case 2: // repeat some bytes
		from := r.IntN(len(out))
		to := min(len(out), from+1+r.IntN(40))
		out = append(bytes.Clone(out[:to]), body[from:]...)
	case 3, 4: // change a token
		tokens := tokensOf(out)
		k := tokens[r.IntN(len(tokens))]
		others := []string{"null", "true", "false", "0", "-0", "1", "1.0", "1e3", "1.5", "-1", "1e-400", "1e400", "9223372036854775807", "9223372036854775808", "9223372036854775809", "-9223372036854775808", "-9223372036854775809",
			"12345678901234567890123", `""`, `"a"`, `"A"`, `"\u0061"`, `"\ud800"`, `"\u0000"`, `"é"`, "{}", "[]", "[null]", `{"a":1}`, `{"a":1,"a":1}`, `"1h"`, `"2020-01-01T00:00:00Z"`,
			"[1,1.0]", "[[[]]]", " ", "", `"name"`, `"kind"`, `"Kind"`, `"metadata"`}
		out = append(append(bytes.Clone(out[:k[0]]), others[r.IntN(len(others))]...), body[k[1]:]...)
	case 5: // replace a token by another token of the body
		tokens := tokensOf(out)
		k, l := tokens[r.IntN(len(tokens))], tokens[r.IntN(len(tokens))]
		out = append(append(bytes.Clone(out[:k[0]]), body[l[0]:l[1]]...), body[k[1]:]...)
	case 6: // write a token in another form
		var b bytes.Buffer
		if json.Indent(&b, out, "", "  ") == nil {
			out = b.Bytes()
		}
	case 8: // make two nearby tokens different forms of one value
		tokens := tokensOf(out)
		k := r.IntN(len(tokens))
		l := min(k+1+r.IntN(4), len(tokens)-1)
		if tokens[l][0] < tokens[k][1] { // the last token is empty and at the beginning
			break
		}
		forms := [][2]string{
			{"1", "1.0"}, {"100", "1e2"}, {"0", "-0"}, {"0.1", "1e-1"}, {"9223372036854775808", "9223372036854775809"}, {"-9223372036854775808", "-9223372036854775809"},
			{`"a"`, `"\u0061"`}, {`"/"`, `"\/"`}, {`{"a":1,"b":2}`, `{"b":2,"a":1}`}, {"[1]", "[1]"}, {"null", "null"}, {"true", "true"}, {`""`, `""`}, {`"\u00e9"`, `"é"`},
		}
		form := forms[r.IntN(len(forms))]
		out = slices.Concat(body[:tokens[k][0]], []byte(form[0]), body[tokens[k][1]:tokens[l][0]], []byte(form[1]), body[tokens[l][1]:])
	case 7: // change a value
		obj, err := unstructured.DecodeJSON(out)
		if err == nil && obj != nil {
			m := given.NewMaker(r.Uint64())
			out = []byte(given.ExactJSON(m.Changed(obj)))
		}
	}
	return out
}

// tokensOf returns the positions of the scalars and keys of a JSON text.
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

// A recorded is a request with a server's response.
type recorded struct {
	CRD, Version, Op string
	Request          struct{ Namespace, FieldValidation, ContentType string }
	Body             string
	BodyBase64       []byte
	Object, Old      json.RawMessage
}

// forRecorded calls f with the body of each recorded create or post, and with the stored object of each request.
// Without recorded requests it skips the test.
func forRecorded(t *testing.T, f func(v *resource.Version, body []byte)) {
	dir := os.Getenv(conformanceVariable)
	if dir == "" {
		t.Skip("no recorded requests: " + conformanceVariable + " names their directory")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*/*.jsonl"))
	require.NoError(t, err)
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
			creates := row.Op == "create" || row.Op == "post"
			if !creates && row.Old == nil {
				continue
			}
			path := filepath.Join(dir, row.CRD)
			key := path + " " + row.Version
			r := versions[key]
			if r == nil {
				d := given.Definition(t, given.File(t, path))
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
			if creates {
				f(v, body)
			}
			if row.Old != nil {
				f(v, row.Old)
			}
		}
		require.NoError(t, text.Close())
	}
	require.NotZero(t, found)
}

// TestSettledRecorded checks recorded responses of servers.
func TestSettledRecorded(t *testing.T) {
	var c settledCounts
	forRecorded(t, func(v *resource.Version, body []byte) {
		c.check(t, v, body)
	})
	t.Logf("%+v", c)
	require.GreaterOrEqual(t, c.settled*100, c.clean*99)
}

// TestSettledMutations checks changes of settled objects: the recorded ones, if there are any, and those of random
// definitions.
func TestSettledMutations(t *testing.T) {
	type valid struct {
		v    *resource.Version
		body []byte
	}
	var all []valid
	add := func(v *resource.Version, body []byte) {
		if len(body) < 4<<10 && (v.Settled(body) || v.SettledStored(t.Context(), body)) {
			all = append(all, valid{v, body})
		}
	}
	if os.Getenv(conformanceVariable) != "" {
		forRecorded(t, add)
	}
	ruled := 0
	forEachOf(t, (*given.Maker).RuledSchema, func(m *given.Maker, doc map[string]any, r *resource.Resource, _ bool) {
		v, before := r.Version("v1"), len(all)
		if created := v.Create(t.Context(), randomObject(m, doc)); created.Err() == nil {
			add(v, []byte(given.ExactJSON(created.Object)))
		}
		if plan.Root(v.Schema()).Below&plan.HasRules != 0 {
			ruled += len(all) - before
		}
	})
	require.Greater(t, ruled, 50, "too few objects fulfil rules")
	add(compile(t, gadgets).Version("v1"), []byte(settledGadget))
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

// FuzzSettled checks any text, for a definition with one of everything, and for random ones.
func FuzzSettled(f *testing.F) {
	gadgetry := compile(f, gadgets).Version("v1")
	f.Add(uint64(0), []byte(settledGadget))
	for seed := range uint64(20) {
		m := given.NewMaker(seed + 1)
		doc := fuzzedSchema(m, seed+1)
		f.Add(seed+1, []byte(given.ExactJSON(randomObject(m, doc))))
		if r := random(doc, false); r != nil {
			if created := r.Version("v1").Create(context.Background(), randomObject(m, doc)); created.Err() == nil {
				f.Add(seed+1, []byte(given.ExactJSON(created.Object)))
			}
		}
	}
	f.Fuzz(func(t *testing.T, seed uint64, body []byte) {
		v := gadgetry
		if seed != 0 {
			r := random(fuzzedSchema(given.NewMaker(seed), seed), seed%2 == 0)
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

// fuzzedSchema returns the schema of a seed. Every third has rules.
func fuzzedSchema(m *given.Maker, seed uint64) map[string]any {
	if seed%3 == 0 {
		return m.RuledSchema()
	}
	return m.Schema()
}
