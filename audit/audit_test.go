package audit_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/audit"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/schema"
)

// widgets is a definition with two versions that differ.
const widgets = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema: {openAPIV3Schema: {type: object, properties: {
      spec: {type: object, properties: {
        size: {type: integer, maximum: 9}, mode: {type: string, default: fast},
        parts: {type: array, items: {type: object, required: [name], properties: {name: {type: string}, old: {type: string}}}},
        limits: {type: object, additionalProperties: {type: integer}},
        low: {type: integer}, high: {type: integer}},
        x-kubernetes-validations: [{rule: "!has(self.low) || !has(self.high) || self.low <= self.high", message: low is above high}]},
      status: {type: object, properties: {ready: {type: boolean}}}}}}
`

const second = `  - name: v2
    served: true
    storage: false
    schema: {openAPIV3Schema: {type: object, properties: {
      spec: {type: object, required: [mode], properties: {size: {type: integer, minimum: 2}, mode: {type: string}}}, status: {type: object, properties: {ready: {type: boolean}}}}}}
`

func newAudit(t testing.TB, document string, o *audit.Options) *audit.Audit {
	t.Helper()
	a, err := audit.New(given.Definition(t, document), o)
	require.NoError(t, err)
	return a
}

func widget(name, spec string) string {
	return `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"creationTimestamp":"2020-01-01T00:00:00Z","generation":1,"name":"` + name +
		`","namespace":"ns","resourceVersion":"7","uid":"u"},"spec":` + spec + `,"status":{"ready":true}}`
}

// found returns the findings of an outcome, one per line.
func found(o audit.Outcome) (lines []string) {
	for _, f := range o.Findings {
		line := fmt.Sprintf("%s %s %s %s: %s", f.Question, f.Version, f.Path, f.Type, f.Text)
		if f.Rule != "" {
			line += " (" + f.Rule + ")"
		}
		if f.Before {
			line += " before"
		}
		lines = append(lines, line)
	}
	return lines
}

func TestObject(t *testing.T) {
	a := newAudit(t, widgets, nil)
	for _, c := range []struct {
		body  string
		class audit.Class
		want  []string
	}{
		{body: widget("a", `{"mode":"slow","size":3}`), class: audit.Clean},
		{body: strings.Replace(widget("a", `{"mode":"slow"}`), `"generation":1,`, "", 1), class: audit.Clean},
		{body: widget("a", `{"mode":"slow","size":10}`), class: audit.Broken, want: []string{
			"create v1 spec.size FieldValueInvalid: spec.size: Invalid value: 10: spec.size in body should be less than or equal to 9"}},
		{body: widget("a", `{"mode":"slow","parts":[{"name":"x"},{},{}],"limits":{"a.b":1,"c":"x"}}`), class: audit.Broken, want: []string{
			"create v1 spec.limits[*] FieldValueTypeInvalid: spec.limits.c: Invalid value: \"string\": spec.limits.c in body must be of type integer: \"string\"",
			"create v1 spec.parts[*].name FieldValueRequired: spec.parts[1].name: Required value"}},
		{body: widget("a", `{"mode":"slow","low":5,"high":4}`), class: audit.Broken, want: []string{
			"create v1 spec FieldValueInvalid: spec: Invalid value: low is above high (!has(self.low) || !has(self.high) || self.low <= self.high)"}},
		{body: widget("a", `{"size":1,"colour":"red","parts":[{"name":"a","x":1},{"name":"b","x":2}]}`), class: audit.Changed, want: []string{
			`prune v1 spec.colour : unknown field "spec.colour"`, `prune v1 spec.parts[*].x : unknown field "spec.parts[0].x"`, `default v1 spec.mode : default for "spec.mode"`}},
		{body: strings.Replace(widget("a", `{"mode":"slow"}`), "/v1", "/v9", 1), class: audit.Broken, want: []string{
			"read v1  InternalError: Internal error occurred: StorageError: corrupt object, Code: 7, Key: /example.com/widgets/ns/a, ResourceVersion: 0, AdditionalErrorMsg: " +
				"object not decodable revision=7: request to convert CR from an invalid group/version: example.com/v9"}},
		{body: strings.Replace(widget("a", `{}`), "Widget", "Gadget", 1), class: audit.Foreign},
		{body: strings.Replace(widget("a", `{}`), "example.com", "example.org", 1), class: audit.Foreign},
		{body: `{"a":`, class: audit.Damaged},
		{body: `null`, class: audit.Damaged},
		{body: `[]`, class: audit.Damaged},
	} {
		before := c.body
		o := a.Object(t.Context(), []byte(c.body))
		require.Equal(t, c.class, o.Class, "%s: %v", c.body, o)
		require.Equal(t, c.class == audit.Damaged, o.Err != nil, c.body)
		require.Equal(t, c.want, found(o), c.body)
		require.Equal(t, before, c.body)
		if o.Class == audit.Broken || o.Class == audit.Changed {
			require.Equal(t, "ns/a", o.Name)
		}
	}
}

// All served versions validate the object, and the old definition determines whether it was broken before.
func TestObjectVersions(t *testing.T) {
	a := newAudit(t, widgets+second, &audit.Options{Old: given.Definition(t, strings.Replace(widgets, "maximum: 9", "maximum: 7", 1))})
	require.Equal(t, []string{
		"create v1 spec.size FieldValueInvalid: spec.size: Invalid value: 10: spec.size in body should be less than or equal to 9 before",
		`prune v1 spec.colour : unknown field "spec.colour" before`,
		`prune v2 spec.parts : unknown field "spec.parts"`,
	}, found(a.Object(t.Context(), []byte(widget("a", `{"mode":"slow","size":10,"colour":"red","parts":[{"name":"a"}]}`)))))
	require.Equal(t, []string(nil), found(a.Object(t.Context(), []byte(widget("a", `{"mode":"slow","size":2}`)))))
	require.Equal(t, []string{`prune v2 spec.parts : unknown field "spec.parts"`}, found(a.Object(t.Context(), []byte(widget("a", `{"mode":"slow","size":2,"parts":[]}`)))))

	a = newAudit(t, strings.Replace(widgets+second, "names: {plural", "conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {url: 'https://example.com'}}}\n  names: {plural", 1), nil)
	require.Equal(t, audit.Clean, a.Object(t.Context(), []byte(widget("a", `{"mode":"slow","size":2,"parts":[]}`))).Class)
	a = newAudit(t, widgets+second, &audit.Options{Version: "v2"})
	require.Equal(t, []string{`prune v2 spec.parts : unknown field "spec.parts"`}, found(a.Object(t.Context(), []byte(widget("a", `{"mode":"slow","size":2,"parts":[]}`)))))
}

// A rule that cannot be evaluated is identified by its expression, not by its message.
func TestObjectRuleError(t *testing.T) {
	const rule = "[{rule: self.low <= 9, message: low is too high}]"
	begin := strings.Index(widgets, `[{rule: "!has(self.low)`)
	end := begin + strings.Index(widgets[begin:], "}]") + 2
	o := newAudit(t, widgets[:begin]+rule+widgets[end:], nil).Object(t.Context(), []byte(widget("a", `{"mode":"slow"}`)))
	require.Len(t, o.Findings, 2, "as a create and as an update: %v", o)
	for _, f := range o.Findings {
		require.Equal(t, "self.low <= 9", f.Rule, f.Text)
		require.Contains(t, f.Text, "evaluating rule: low is too high")
	}
}

// Of rules with the same message, a finding names the one that failed.
func TestObjectSameMessage(t *testing.T) {
	const rules = `[{rule: self.mode.size() > 1, message: bad mode}, {rule: "self.mode.startsWith('x')", message: bad mode}]`
	begin := strings.Index(widgets, `[{rule: "!has(self.low)`)
	end := begin + strings.Index(widgets[begin:], "}]") + 2
	o := newAudit(t, widgets[:begin]+rules+widgets[end:], nil).Object(t.Context(), []byte(widget("a", `{"mode":"ya"}`)))
	require.NotEmpty(t, o.Findings)
	for _, f := range o.Findings {
		require.Equal(t, "self.mode.startsWith('x')", f.Rule, f.Text)
	}
}

func TestNew(t *testing.T) {
	for _, c := range []struct {
		d    *crd.CustomResourceDefinition
		o    *audit.Options
		want string
	}{
		{nil, nil, "audit: no definition"},
		{given.Definition(t, widgets), &audit.Options{Version: "v7"}, "audit: there is no version v7"},
		{given.Definition(t, strings.Replace(widgets, "storage: true", "storage: false", 1)), nil, "audit: resource: "},
		{given.Definition(t, widgets), &audit.Options{Old: given.Definition(t, strings.Replace(widgets, "storage: true", "storage: false", 1))}, "audit: the old definition: "},
		{given.Definition(t, widgets), &audit.Options{Old: given.Definition(t, strings.Replace(widgets, "kind: Widget", "kind: Wodget", 1))}, "audit: the old definition is one of Wodget in group example.com, not of Widget in group example.com"},
	} {
		_, err := audit.New(c.d, c.o)
		require.ErrorContains(t, err, c.want)
	}
}

// texts collects the values of an iterator, and errors in parentheses.
func texts(objects iter.Seq2[[]byte, error]) (all []string) {
	for body, err := range objects {
		if err != nil {
			all = append(all, "("+err.Error()+")")
		} else {
			all = append(all, string(body))
		}
	}
	return all
}

func TestObjects(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"nothing", "", nil},
		{"blanks", " \n\t", nil},
		{"one object", `{"a":1}`, []string{`{"a":1}`}},
		{"byte order mark", "\uFEFF" + `{"a":1}`, []string{`{"a":1}`}},
		{"lines", "{\"a\":1}\n{\"b\":\"}\\\"{\"}\r\n\n{\"c\":[{}]}", []string{`{"a":1}`, `{"b":"}\"{"}`, `{"c":[{}]}`}},
		{"dashes between", "{\"a\":1}\n---\n{\"b\":2}\n", []string{`{"a":1}`, `{"b":2}`}},
		{"an array", ` [ {"a":1} , {"b":2}]`, []string{`{"a":1}`, `{"b":2}`}},
		{"an empty array", `[]`, nil},
		{"a list as kubectl writes it", `{"apiVersion":"v1","items":[{"a":1},{"b":{"items":[{}]}}],"kind":"List","metadata":{"resourceVersion":""}}`, []string{`{"a":1}`, `{"b":{"items":[{}]}}`}},
		{"a list with its kind first", `{"kind":"WidgetList","items":[{"a":1}]}`, []string{`{"a":1}`}},
		{"an object that has items", `{"kind":"Box","items":[{"a":1}]}`, []string{`{"kind":"Box","items":[{"a":1}]}`}},
		{"items elsewhere", `{"spec":{"items":[{"a":1}]},"x":"items","y":[1]}`, []string{`{"spec":{"items":[{"a":1}]},"x":"items","y":[1]}`}},
		{"an empty list", `{"items":[],"kind":"List"}`, nil},
		{"lists one after another", `{"items":[{"a":1}]}` + "\n" + `{"items":[{"b":2}]}`, []string{`{"a":1}`, `{"b":2}`}},
		{"documents", "a: 1\n---\nb: 2\n...\n---\n# nothing\n---\n{c: 3}\n", []string{`{"a":1}`, `{"b":2}`, `{"c":3}`}},
		{"documents with dashes first", "---\na: 1\n---\n", []string{`{"a":1}`}},
		{"a list of YAML", "kind: List\nitems:\n- a: 1\n- b: 2\n", []string{`{"a":1}`, `{"b":2}`}},
		// Damage.
		{"a cut object", `{"a":1}` + "\n" + `{"b":`, []string{`{"a":1}`, "(at byte 8: unexpected EOF)"}},
		{"a cut string", `{"a":"x`, []string{"(at byte 0: unexpected EOF)"}},
		{"a cut escape", `{"a":"x\`, []string{"(at byte 0: unexpected EOF)"}},
		{"a cut list", `{"items":[{"a":1},{"b"`, []string{`{"a":1}`, "(at byte 18: unexpected EOF)"}},
		{"a cut list between items", `{"items":[{"a":1},`, []string{`{"a":1}`, "(at byte 18: unexpected EOF)"}},
		{"a list cut behind its items", `{"items":[{"a":1}]`, []string{`{"a":1}`, "(at byte 18: unexpected EOF)"}},
		{"a broken line", "{\"a\":1}\n{\"b\":\"x}\n{\"c\":3}\n", []string{`{"a":1}`, "(at byte 8: a line break in a string)", `{"c":3}`}},
		{"an open line", "{\"a\":1}\n{\"b\":{\n{\"c\":3}\n{\"d\":4}", []string{`{"a":1}`, "(at byte 8: invalid character '{')", `{"c":3}`, `{"d":4}`}},
		{"records of JSON text sequences", "\x1e{\"a\":1}\n\x1e{\"b\":2}\n", []string{`{"a":1}`, `{"b":2}`}},
		{"zeros", "\x00\x00\x00", []string{"(at byte 0: yaml: control characters are not allowed)"}},
		{"zeros between objects", "{\"a\":1}\n\x00\x00\n{\"c\":3}\n", []string{`{"a":1}`, `(at byte 8: '\x00' instead of an object)`, `{"c":3}`}},
		{"a line of something else", "{\"a\":1}\nhello\n{\"c\":3}\n", []string{`{"a":1}`, "(at byte 8: 'h' instead of an object)", `{"c":3}`}},
		{"dashes with something behind them", "{\"a\":1}\n---x", []string{`{"a":1}`, "(at byte 8: '-' instead of an object)"}},
		{"a number in an array", `[{"a":1},5,{"apiVersion":"v1","kind":"X","metadata":{}}]`, []string{`{"a":1}`, "(at byte 9: '5' instead of an object)", `{"apiVersion":"v1","kind":"X","metadata":{}}`}},
		{"an invalid document", "a: 1\n---\nb: [\n---\n- 1\n---\nc: 3\n", []string{`{"a":1}`, "(at byte 5: yaml: line 2: did not find expected node content)", "(at byte 14: the document is not an object)", `{"c":3}`}},
		{"a document that is not UTF-8", "a: 1\n---\nb: \xff\n---\nc: 3\n", []string{`{"a":1}`, "(at byte 5: the document is not UTF-8)", `{"c":3}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, texts(audit.Objects(strings.NewReader(c.text))))
			require.Equal(t, c.want, texts(audit.Objects(iotest.OneByteReader(strings.NewReader(c.text)))))
			require.Equal(t, c.want, texts(audit.Objects(iotest.DataErrReader(strings.NewReader(c.text)))))
			first := 0
			for range audit.Objects(strings.NewReader(c.text)) {
				first++
				break
			}
			require.Equal(t, min(len(c.want), 1), first)
		})
	}
	failed := errors.New("no more")
	require.Equal(t, []string{`{"a":1}`, "(at byte 7: no more)"}, texts(audit.Objects(io.MultiReader(strings.NewReader(`{"a":1}`), iotest.ErrReader(failed)))))
}

// listed returns the objects as a list in the format of kubectl.
func listed(t testing.TB, indent bool, objects ...string) string {
	text := `{"apiVersion":"v1","items":[` + strings.Join(objects, ",") + `],"kind":"List","metadata":{"resourceVersion":""}}`
	if !indent {
		return text
	}
	var b bytes.Buffer
	require.NoError(t, json.Indent(&b, []byte(text), "", "    "))
	return b.String() + "\n"
}

// If one object of a list is damaged, at most that object and one neighbour are lost.
func TestDamagedLists(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const count = 20 // objects
	var objects []string
	for i := range count {
		objects = append(objects, strings.Replace(widget(fmt.Sprintf("w%02d", i), `{"mode":"slow","parts":[{"name":"a"},{"name":"b"}]}`), `"generation"`,
			`"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u"}],"generation"`, 1))
	}
	a := newAudit(t, widgets, nil)
	for _, indent := range []bool{false, true} {
		for round := range 200 {
			text := []byte(listed(t, indent, objects...))
			lost := int64(0)
			for _, name := range []string{`"w10"`, `"w14"`}[:1+round%2] {
				text = damaged(r, text, bytes.Index(text, []byte(name))-100+r.IntN(250))
				lost += 2
			}
			report, err := a.Run(t.Context(), audit.Objects(bytes.NewReader(text)))
			require.NoError(t, err)
			require.GreaterOrEqual(t, report.Clean+report.Changed+report.Broken, count-lost, "%s\n%s", text, report)
		}
	}
}

// damaged returns text with a few bytes changed at a position.
func damaged(r *rand.Rand, text []byte, at int) []byte {
	switch r.IntN(3) {
	case 0:
		return append(text[:at], text[at+1+r.IntN(30):]...)
	case 1:
		text[at] = `{}[]",:x\`[r.IntN(9)]
		return text
	}
	return append(text[:at:at], append([]byte{`{}[]",:`[r.IntN(7)]}, text[at:]...)...)
}

// An object without a closing bracket appears to contain all the following text. The text is buffered only up to the
// maximum size of an object.
func TestDamagedLongList(t *testing.T) {
	const count = 3 * audit.MaxObject / 2 / 1000
	var b strings.Builder
	b.WriteString(`{"apiVersion":"v1","items":[`)
	for i := range count {
		text := widget(fmt.Sprintf("w%d", i), `{"mode":"slow","x":"`+strings.Repeat("x", 800)+`"}`)
		if i == 2 || i == 5 {
			text = strings.Replace(text, `"status":{`, `"status":[{`, 1)
		}
		b.WriteString(text + ",\n")
	}
	text := strings.TrimSuffix(b.String(), ",\n") + `],"kind":"List"}`
	require.Greater(t, len(text), audit.MaxObject)
	read, damages := 0, 0
	for _, err := range audit.Objects(strings.NewReader(text)) {
		if read++; err != nil {
			damages++
		}
	}
	require.Equal(t, count-2, read-damages)
	require.Equal(t, 2, damages)
}

// A report does not depend on the number of workers.
func TestRun(t *testing.T) {
	var objects []string
	for i := range 1000 {
		switch {
		case i%100 == 7:
			objects = append(objects, widget(fmt.Sprintf("w%03d", i), `{"mode":"slow","size":10}`))
		case i%100 == 8:
			objects = append(objects, widget(fmt.Sprintf("w%03d", i), fmt.Sprintf(`{"mode":"slow","low":%d,"high":4}`, i)))
		case i%100 == 9:
			objects = append(objects, widget(fmt.Sprintf("w%03d", i), `{"colour":"red"}`))
		case i%100 == 10:
			objects = append(objects, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}}`)
		case i == 500:
			objects = append(objects, `{"apiVersion":"v1",`+"}")
		default:
			objects = append(objects, widget(fmt.Sprintf("w%03d", i), `{"mode":"slow","size":3}`))
		}
	}
	text := strings.Join(objects, "\n")
	var first *audit.Report
	for _, workers := range []int{1, 2, 8} {
		a := newAudit(t, widgets, &audit.Options{Workers: workers, Examples: 2})
		report, err := a.Run(t.Context(), audit.Objects(strings.NewReader(text)))
		require.NoError(t, err)
		require.Positive(t, report.PerSecond)
		report.Seconds, report.PerSecond = 0, 0
		if first == nil {
			first = report
		}
		require.Equal(t, first.String(), report.String())
		require.Equal(t, string(given.JSON(t, first)), string(given.JSON(t, report)))
	}
	require.Equal(t, int64(1000), first.Objects)
	require.Equal(t, `Widget.example.com: 1000 objects, 959 clean, 10 changed, 20 broken, 10 of another kind, 1 damaged

create v1 spec FieldValueInvalid: 10
  rule: !has(self.low) || !has(self.high) || self.low <= self.high
  spec: Invalid value: low is above high
  ns/w008, ns/w108, ...

create v1 spec.size FieldValueInvalid: 10
  spec.size: Invalid value: 10: spec.size in body should be less than or equal to 9
  ns/w007, ns/w107, ...

prune v1 spec.colour: 10
  unknown field "spec.colour"
  ns/w009, ns/w109, ...

default v1 spec.mode: 10
  default for "spec.mode"
  ns/w009, ns/w109, ...

damaged:
  object 501: at byte 118138: invalid character '}'
`, first.String())
}

// The memory of a group is limited, for any names of objects.
func TestRunIsBounded(t *testing.T) {
	a := newAudit(t, widgets, nil)
	long := strings.Repeat("x", 1<<16)
	report, err := a.Run(t.Context(), func(yield func([]byte, error) bool) {
		for i := range 1200 {
			if !yield([]byte(widget("a", fmt.Sprintf(`{"mode":"slow","%05d%s":1}`, i, long))), nil) {
				return
			}
		}
	})
	require.NoError(t, err)
	require.Len(t, report.Findings, 1000)
	require.Equal(t, int64(200), report.Omitted)
	require.Equal(t, int64(1200), report.Changed)
	require.Empty(t, report.Damages)
	require.Less(t, len(given.JSON(t, report)), 4<<20)

	report, err = a.Run(t.Context(), audit.Objects(strings.NewReader(strings.Repeat("{x}\n", 50))))
	require.NoError(t, err)
	require.Equal(t, int64(50), report.Damaged)
	require.Len(t, report.Damages, 20)
	require.Equal(t, int64(19), report.Damages[19].Position)
}

func TestRunEnds(t *testing.T) {
	a := newAudit(t, widgets, nil)
	ctx, cancel := context.WithCancel(t.Context())
	body := []byte(widget("a", `{"mode":"slow","size":10}`))
	seen := 0
	report, err := a.Run(ctx, func(yield func([]byte, error) bool) {
		for yield(body, nil) {
			if seen++; seen == 1000 {
				cancel()
			}
		}
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 1000, seen, "it asks for no more objects")
	require.LessOrEqual(t, report.Objects, int64(1000))

	// A worker audits no other object of its batch, and does not count the one it was working on.
	for _, workers := range []int{1, 2} {
		ctx, cancel := context.WithCancel(t.Context())
		seen := 0
		report, err = newAudit(t, widgets, &audit.Options{Workers: workers}).Run(ctx, func(yield func([]byte, error) bool) {
			for yield(body, nil) {
				if seen++; seen == 64*workers {
					cancel()
				}
			}
		})
		require.ErrorIs(t, err, context.Canceled)
		require.LessOrEqual(t, report.Objects, int64(64*workers), "no more than the batches that they had")
	}

	// A blocked iterator does not prevent a run from ending.
	ctx, cancel = context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	in, out := io.Pipe()
	defer out.Close()
	_, err = a.Run(ctx, audit.Objects(in))
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// held is a context whose Err blocks at its second call. In a run of one object, this call is the worker's.
type held struct {
	context.Context
	asked          atomic.Int32
	holding, letGo chan struct{}
}

func (h *held) Err() error {
	if h.asked.Add(1) == 2 {
		close(h.holding)
		<-h.letGo
	}
	return h.Context.Err()
}

// A canceled run does not wait for a slow object.
func TestRunDoesNotWait(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	h := &held{Context: ctx, holding: make(chan struct{}), letGo: make(chan struct{})}
	defer close(h.letGo)
	go func() {
		<-h.holding
		cancel()
	}()
	report, err := newAudit(t, widgets, &audit.Options{Workers: 1}).Run(h, func(yield func([]byte, error) bool) {
		yield([]byte(widget("a", `{"mode":"slow"}`)), nil)
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Zero(t, report.Objects)
}

func TestSources(t *testing.T) {
	files := fstest.MapFS{
		"b/one.json": {Data: []byte(`{"a":1}`)}, "a.yaml": {Data: []byte("b: 2\n---\nc: 3\n")}, "notes.txt": {Data: []byte("hello")}, "c.ndjson": {Data: []byte("{\"d\":4}\nx\n")},
	}
	want := []string{`{"b":2}`, `{"c":3}`, `{"a":1}`, `{"d":4}`, "(c.ndjson: at byte 8: 'x' instead of an object)"}
	require.Equal(t, want, texts(audit.Dir(files)))

	var archive bytes.Buffer
	out := tar.NewWriter(&archive)
	for _, name := range []string{"a.yaml", "b/one.json", "notes.txt", "c.ndjson"} {
		require.NoError(t, out.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(files[name].Data)), Typeflag: tar.TypeReg}))
		_, err := out.Write(files[name].Data)
		require.NoError(t, err)
	}
	require.NoError(t, out.Close())
	require.Equal(t, want, texts(audit.Tar(bytes.NewReader(archive.Bytes()))))
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, err := zip.Write(archive.Bytes())
	require.NoError(t, err)
	require.NoError(t, zip.Close())
	require.Equal(t, want, texts(audit.Tar(&packed)))
	cut := texts(audit.Tar(bytes.NewReader(archive.Bytes()[:520])))
	require.Contains(t, cut[len(cut)-1], "unexpected EOF")
}

// A stream of any length needs the memory of one object. A line that is too long needs no more.
func TestObjectsMemory(t *testing.T) {
	line := func(n int) io.Reader {
		return io.MultiReader(strings.NewReader(`{"a":"`), io.LimitReader(repeated('x'), int64(n)), strings.NewReader("\"}\n"))
	}
	in := io.MultiReader(strings.NewReader("{\"b\":1}\n"), line(100<<20), strings.NewReader("{\"c\":2}\n"))
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	require.Equal(t, []string{`{"b":1}`, fmt.Sprintf("(at byte 8: the object has more than %d bytes)", audit.MaxObject), `{"c":2}`}, texts(audit.Objects(in)))
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(150<<20))

	large := `{"a":"` + strings.Repeat("x", 1<<20) + `","b":"` + strings.Repeat("y", 1<<20) + `"}`
	require.Equal(t, []string{large, large}, texts(audit.Objects(strings.NewReader(large+large))))

	in = io.MultiReader(strings.NewReader("b: 1\n---\na: "), io.LimitReader(repeated('x'), 50<<20), strings.NewReader("\n---\nc: 2\n"))
	require.Equal(t, []string{`{"b":1}`, fmt.Sprintf("(at byte 5: the document has more than %d bytes)", audit.MaxObject), `{"c":2}`}, texts(audit.Objects(in)))
}

// repeated is an endless reader of one byte value.
type repeated byte

func (r repeated) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(r)
	}
	return len(p), nil
}

func FuzzObjects(f *testing.F) {
	for _, text := range []string{listed(f, false, widget("a", "{}"), widget("b", "{}")), listed(f, true, widget("a", "{}")), "a: 1\n---\nb: 2\n", "{}\n{}\n", "[{},{}]"} {
		f.Add([]byte(text), 3)
	}
	f.Fuzz(func(t *testing.T, text []byte, size int) {
		all := texts(audit.Objects(bytes.NewReader(text)))
		if size > 0 && size < 100 {
			require.Equal(t, all, texts(audit.Objects(&slow{text, size})))
		}
		require.LessOrEqual(t, len(all), len(text)+1)
	})
}

// slow is a reader that returns a few bytes at a time.
type slow struct {
	text []byte
	size int
}

func (s *slow) Read(p []byte) (int, error) {
	n := copy(p, s.text[:min(s.size, len(s.text))])
	if s.text = s.text[n:]; n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// Nothing is pruned or defaulted if the definition preserves unknown fields, or if a version has no schema.
func TestNothingIsPruned(t *testing.T) {
	const document = `
apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  version: v1
`
	for _, more := range []string{"", "  validation: {openAPIV3Schema: {type: object, properties: {spec: {type: object}}}}\n"} {
		o := newAudit(t, document+more, nil).Object(t.Context(), []byte(widget("a", `{"colour":"red"}`)))
		require.Equal(t, audit.Clean, o.Class, "%v", o)
		require.Empty(t, found(o))
	}
}

// A small object may lack very many fields with defaults: there are findings for as many as there may be errors.
func TestManyDefaults(t *testing.T) {
	d := given.Definition(t, widgets)
	spec := d.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	spec.Properties = map[string]*schema.JSONSchemaProps{}
	for i := range 50_000 {
		spec.Properties[fmt.Sprint("f", i)] = &schema.JSONSchemaProps{Type: "string", Default: "x"}
	}
	spec.XValidations = nil
	a, err := audit.New(d, nil)
	require.NoError(t, err)
	for range 10 {
		o := a.Object(t.Context(), []byte(widget("a", "{}")))
		require.Equal(t, audit.Changed, o.Class)
		require.Len(t, o.Findings, 10_000)
	}
}
