package settled_test

import (
	"bufio"
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/cel/ruleset"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/resource/internal/settled"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/unstructured"
)

// passes returns what is said of the rules for a text, the second time, and what is true of the decoded object. It
// requires that there is no false positive. ok is false if the text is not one that package settled accepts.
func passes(t testing.TB, root subject, rules *ruleset.Rules, text string, update bool) (yes, want, ok bool) {
	t.Helper()
	obj, err := unstructured.DecodeJSON([]byte(text))
	require.NoError(t, err, text)
	var old map[string]any
	if update {
		old = obj
	}
	r := rules.Evaluate(t.Context(), obj, old, nil)
	want = len(r.Errors) == 0
	for range 2 {
		s := settled.New([]byte(text))
		if ok = s.Object(root.Root); ok {
			yes = s.Passes(t.Context(), settled.Request{Rules: rules, Update: update})
			require.True(t, want || !yes, "%s: %v", text, r.Errors)
		}
		s.Release()
	}
	return yes, want, ok
}

// tally has the numbers of objects that pass, of those that do not, and of those that do but are not said to.
type tally struct{ yes, no, missed int }

func (c *tally) add(yes, want, ok bool) {
	switch {
	case !ok:
	case yes:
		c.yes++
	case want:
		c.missed++
	default:
		c.no++
	}
}

func TestPasses(t *testing.T) {
	for _, c := range []struct {
		properties string
		update     bool
		yes, no    []string // each after the ones before, which are known by then
	}{
		{"a: {type: string, x-kubernetes-validations: [{rule: 'self.size() < 3'}]}", false, []string{`"a":"xy"`, `"a":""`, `"a":"\u00e9"`}, []string{`"a":"xyz"`}},
		{"a: {type: integer, nullable: true, x-kubernetes-validations: [{rule: 'self > 3'}]}", false, []string{`"a":4`, `"a":null`}, []string{`"a":3`, `"a":-4`}},
		{"a: {type: object, properties: {b: {type: string}, c: {type: string}}, x-kubernetes-validations: [{rule: 'has(self.b)'}]}", false,
			[]string{`"a":{"b":"x"}`, `"a":{"b":"y","c":"x"}`, `"a":{"c":"x","b":""}`}, []string{`"a":{}`, `"a":{"c":"x"}`}},
		{"a: {type: array, items: {type: object, properties: {b: {type: string}, c: {type: string}}}, x-kubernetes-validations: [{rule: 'self.filter(x, x.b == \"b\").size() <= 1'}]}", false,
			[]string{`"a":[]`, `"a":[{"b":"b"},{"b":"c"},{"b":""}]`, `"a":[{"b":"b","c":"d"},{"b":"c"},{"b":""}]`}, []string{`"a":[{"b":"b"},{"b":"b"},{"b":""}]`, `"a":[{"b":"b"},{"c":"c"},{"b":"b"}]`}},
		{"a: {type: array, items: {type: object, properties: {b: {type: array, items: {type: string}}}}, x-kubernetes-validations: [{rule: 'self.all(x, x.b.size() < 2) && self.size() < 3'}]}", false,
			[]string{`"a":[{"b":[]},{"b":["x"]}]`, `"a":[{"b":[]},{"b":["y"]}]`}, []string{`"a":[{"b":[]},{"b":["x","y"]}]`, `"a":[{"b":[]},{"b":[]},{"b":[]}]`}},
		{"a: {type: object, additionalProperties: {type: integer, x-kubernetes-validations: [{rule: 'self > 3'}]}}", false, []string{`"a":{"x":4,"y":5}`}, []string{`"a":{"x":4,"y":3}`}},
		{"a: {type: object, additionalProperties: {type: integer}, x-kubernetes-validations: [{rule: 'self.all(k, k.size() < self[k])'}]}", false, []string{`"a":{"x":4,"yy":5}`}, []string{`"a":{"x":4,"yy":2}`}},
		{"a: {type: string, format: date-time, x-kubernetes-validations: [{rule: 'self.getFullYear() > 2000'}]}", false, []string{`"a":"2020-01-01T00:00:00Z"`}, []string{`"a":"1999-01-01T00:00:00Z"`}},
		{"a: {x-kubernetes-int-or-string: true, x-kubernetes-validations: [{rule: 'type(self) == int ? self > 3 : self == \"x\"'}]}", false, []string{`"a":4`, `"a":"x"`}, []string{`"a":3`, `"a":"4"`}},
		{"a: {type: string, x-kubernetes-validations: [{rule: 'self == oldSelf'}, {rule: 'self.size() > 1'}]}", true, []string{`"a":"xy"`}, []string{`"a":"x"`}},
		{"a: {type: string, x-kubernetes-validations: [{rule: 'oldSelf.hasValue() == (self == \"x\")', optionalOldSelf: true}]}", true, []string{`"a":"x"`}, []string{`"a":"y"`}},
		{"a: {type: string, x-kubernetes-validations: [{rule: 'oldSelf.hasValue() == (self == \"x\")', optionalOldSelf: true}]}", false, []string{`"a":"y"`}, []string{`"a":"x"`}},
		{"a: {type: array, items: {type: string, x-kubernetes-validations: [{rule: 'oldSelf.hasValue() == (self == \"x\")', optionalOldSelf: true}]}}", true, []string{`"a":["y"]`}, []string{`"a":["x"]`}},
		{`a: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string, nullable: true}, v: {type: string}},
			x-kubernetes-validations: [{rule: 'oldSelf.hasValue() == (self.?v.orValue("") == "x")', optionalOldSelf: true}]}}`, true,
			[]string{`"a":[{"k":"a","v":"x"},{"k":"b","v":"x"},{"k":null}]`}, []string{`"a":[{"k":"a","v":"y"}]`, `"a":[{"k":null,"v":"x"}]`}},
		{"a: {type: object, properties: {b: {x-kubernetes-int-or-string: true}}, x-kubernetes-validations: [{rule: has(self.b)}]}", false, []string{`"a":{"b":1}`, `"a":{"b":"x"}`}, []string{`"a":{"b":1.0000000001}`}},
		{"a: {type: object, x-kubernetes-embedded-resource: true, properties: {kind: {type: string, x-kubernetes-validations: [{rule: 'self == \"K\"'}]}, b: {type: string}}, x-kubernetes-validations: [{rule: 'self.metadata.name == \"n\"'}]}", false,
			[]string{`"a":{"apiVersion":"v1","kind":"K","metadata":{"name":"n"}}`, `"a":{"apiVersion":"v1","kind":"K","metadata":{"name":"n","labels":{"a":"b"}}}`},
			[]string{`"a":{"apiVersion":"v1","kind":"L","metadata":{"name":"n"}}`, `"a":{"apiVersion":"v1","kind":"K","metadata":{"name":"m"}}`}},
		{"a: {type: string, x-kubernetes-validations: [{rule: 'self.nothing'}]}", false, nil, []string{`"a":"x"`}},
		{"a: {type: string, x-kubernetes-validations: [{rule: ''}]}", false, []string{`"a":"x"`}, nil},
	} {
		root := compiled(t, "{type: object, properties: {"+c.properties+"}}")
		rules := ruleset.Prepare(root.schema)
		for range 2 {
			for _, text := range c.yes {
				yes, _, ok := passes(t, root, rules, object(text), c.update)
				require.True(t, yes && ok, "%s: %s", c.properties, text)
			}
			for _, text := range c.no {
				_, want, ok := passes(t, root, rules, object(text), c.update)
				require.True(t, !want && ok, "%s: %s", c.properties, text)
			}
		}
	}
}

// A list map may have keys that are equal as text only: an item may then have another as its old item, so the answer is
// no.
func TestFractionsAsKeys(t *testing.T) {
	root := compiled(t, `{type: object, properties: {a: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k, l], items: {type: object, required: [k, l],
		properties: {k: {type: number}, l: {type: string}}, x-kubernetes-validations: [{rule: self == oldSelf}]}}}}`)
	rules := ruleset.Prepare(root.schema)
	for text, want := range map[string]bool{
		`"a":[{"k":1,"l":""},{"k":2,"l":""}]`: true, `"a":[{"k":0.10000001,"l":""},{"k":0.10000002,"l":""}]`: false,
	} {
		yes, _, _ := passes(t, root, rules, object(text), true)
		require.Equal(t, want, yes, text)
	}
}

func TestRequest(t *testing.T) {
	root := compiled(t, `{type: object, properties: {status: {type: object, properties: {a: {type: integer}}, x-kubernetes-validations: [{rule: self.a < 3}]}},
		x-kubernetes-validations: [{rule: "has(self.status) == (self.metadata.name == 'a')"}]}`)
	request := settled.Request{Rules: ruleset.Prepare(root.schema)}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for range 2 {
		s := settled.New([]byte(object(`"status":{"a":2}`)))
		require.True(t, s.Object(root.Root))
		require.True(t, s.Passes(t.Context(), request))
		renamed, dropping := request, request
		renamed.Name, dropping.DropsStatus = "b", true
		require.False(t, s.Passes(t.Context(), renamed))
		require.False(t, s.Passes(t.Context(), dropping))
		dropping.Name = "b"
		require.True(t, s.Passes(t.Context(), dropping))
		s.Release()
		s = settled.New([]byte(object(`"status":{"a":3}`)))
		require.True(t, s.Object(root.Root))
		require.False(t, s.Passes(t.Context(), request))
		require.True(t, s.Passes(t.Context(), dropping))
		s.Release()
	}
	many := compiled(t, "{type: object, properties: {a: {type: array, items: {type: integer, x-kubernetes-validations: [{rule: self < 1000}]}}}}")
	text := `"a":[0`
	for i := range 200 {
		text += "," + string(rune('1'+i%9)) + string(rune('0'+i/9%10))
	}
	s := settled.New([]byte(object(text + "]")))
	defer s.Release()
	require.True(t, s.Object(many.Root))
	require.False(t, s.Passes(ended, settled.Request{Rules: ruleset.Prepare(many.schema)}))
}

// Rules of made-up definitions pass if they do for the decoded objects.
func TestMadeUpRules(t *testing.T) {
	var c tally
	for seed := range uint64(3000) {
		m := given.NewMaker(seed)
		doc := m.RuledSchema()
		root := subjectOf(given.Compiled(t, doc))
		rules := ruleset.Prepare(root.schema)
		for i := range 6 {
			obj := m.Object(doc)
			obj["apiVersion"], obj["kind"], obj["metadata"] = root.APIVersion, root.Kind, map[string]any{"name": "a"}
			c.add(passes(t, root, rules, given.ExactJSON(obj), i%2 == 1))
		}
	}
	t.Logf("%+v", c)
	require.Greater(t, min(c.yes, c.no), 200)
	require.Less(t, c.missed*20, c.yes) // rules on metadata, which no definition has
}

// Recorded rules pass if they do for the decoded objects, also if objects of the same schema have been seen before.
func TestRecordedRules(t *testing.T) {
	dir := os.Getenv("CRDKIT_CONFORMANCE")
	if dir == "" {
		t.Skip("no recorded rules: CRDKIT_CONFORMANCE names their directory")
	}
	file, err := os.Open(filepath.Join(dir, "cel/evaluate.jsonl"))
	require.NoError(t, err)
	defer file.Close()
	type subjectWithRules struct {
		subject
		rules *ruleset.Rules
	}
	known := map[string]*subjectWithRules{}
	var c tally
	in := bufio.NewScanner(file)
	in.Buffer(nil, 64<<20)
	for in.Scan() {
		var row struct {
			Schema json.RawMessage
			Object map[string]any
		}
		require.NoError(t, json.Unmarshal(in.Bytes(), &row))
		about := known[string(row.Schema)]
		if about == nil {
			props, err := schema.Decode(row.Schema)
			require.NoError(t, err)
			s, errs := schema.Compile(props)
			if len(errs) > 0 {
				continue
			}
			about = &subjectWithRules{subjectOf(s), ruleset.Prepare(s)}
			known[string(row.Schema)] = about
		}
		obj := map[string]any{"apiVersion": about.APIVersion, "kind": about.Kind, "metadata": map[string]any{"name": "a"}}
		maps.Copy(obj, row.Object)
		for _, update := range []bool{false, true} {
			c.add(passes(t, about.subject, about.rules, given.ExactJSON(obj), update))
		}
	}
	require.NoError(t, in.Err())
	t.Logf("%+v", c)
	require.Greater(t, min(c.yes, c.no), 1000)
	require.Less(t, c.missed*100, c.yes)
}

// A definition whose rules read all of an object in each of many levels is not read again and again.
func TestNestedReads(t *testing.T) {
	const rule = `x-kubernetes-validations: [{rule: self == self}]`
	document, text := `{type: object, properties: {a: {type: string}}, `+rule+`}`, `{"a":"`+strings.Repeat("x", 10_000)+`"}`
	for range 60 {
		document, text = `{type: object, properties: {a: `+document+`}, `+rule+`}`, `{"a":`+text+`}`
	}
	root := compiled(t, `{type: object, properties: {a: `+document+`}}`)
	yes, want, ok := passes(t, root, ruleset.Prepare(root.schema), object(`"a":`+text), false)
	require.True(t, ok && want && !yes)
}
