package engine

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/unstructured"

	"github.com/crdkit/crdkit/internal/test/given"
)

// example returns the question of an example of the page.
func example(t *testing.T, name string) Question {
	read := func(file string) string {
		data, err := os.ReadFile(filepath.Join("../../web/examples", name, file+".yaml"))
		if err != nil {
			return ""
		}
		return string(data)
	}
	q := Question{Definition: read("definition"), Object: read("object"), Stored: read("stored"), Old: read("old")}
	require.NotEmpty(t, q.Definition)
	require.NotEmpty(t, q.Object)
	return q
}

// ask returns the answer to a question.
func ask[T any](t *testing.T, e *Engine, q Question) (answer T, failure string) {
	t.Helper()
	var reply struct {
		Answer T
		Error  string
	}
	require.NoError(t, json.Unmarshal(e.Answer(&q), &reply))
	return reply.Answer, reply.Error
}

// The answers for the page's examples in all views.
func TestExamples(t *testing.T) {
	entries, err := os.ReadDir("../../web/examples")
	require.NoError(t, err)
	require.NotEmpty(t, entries)
	for _, entry := range entries {
		t.Run(entry.Name(), func(t *testing.T) {
			var e Engine
			got := map[string]any{}
			for _, view := range []string{"validate", "rules", "versions", "samples", "compare"} {
				q := example(t, entry.Name())
				q.View = view
				answer, failure := ask[any](t, &e, q)
				if got[view] = answer; failure != "" {
					got[view] = failure
				}
			}
			out, err := json.MarshalIndent(got, "", " ")
			require.NoError(t, err)
			file := filepath.Join("testdata", entry.Name()+".json")
			if given.Update() {
				require.NoError(t, os.WriteFile(file, append(out, '\n'), 0o644))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, string(want), string(out)+"\n")
		})
	}
}

func TestValidate(t *testing.T) {
	crontab := example(t, "crontab")
	head := "apiVersion: stable.example.com/v1\nkind: CronTab\nmetadata: {name: a}\n"
	for _, c := range []struct {
		name, definition, object, stored string
		want                             string // of the status, or of the first finding of the object or definition
		verdicts                         [2]string
	}{
		{"nothing", "", "", "", "", [2]string{verdictEmpty, verdictEmpty}},
		{"no YAML", "a: [\n", "", "", "did not find expected node content", [2]string{verdictUnreadable, verdictEmpty}},
		{"no object", "- a\n", "", "", "this is no object", [2]string{verdictUnreadable, verdictEmpty}},
		{"another kind", head, "", "", "apiextensions.k8s.io", [2]string{verdictUnreadable, verdictEmpty}},
		{"an object of another kind", crontab.Definition, "apiVersion: v1\nkind: Pod\n", "", `no matches for kind "Pod"`, [2]string{verdictAccepted, verdictRefused}},
		{"of another version", crontab.Definition, "apiVersion: stable.example.com/v9\nkind: CronTab\n", "", "the definition has CronTab in stable.example.com/v1",
			[2]string{verdictAccepted, verdictRefused}},
		{"a definition that is refused", strings.Replace(crontab.Definition, "plural: crontabs", "plural: CronTabs", 1), head, "", "Invalid value", [2]string{verdictRefused, verdictWaiting}},
		{"no name", crontab.Definition, strings.Replace(head, "name: a", "", 1) + "spec: {cronSpec: '* * * * *', image: a}\n", "", "name or generateName is required",
			[2]string{verdictAccepted, verdictRefused}},
		{"unchanged", crontab.Definition, head + "spec: {cronSpec: '* * * * *', image: a}\n", head + "spec: {cronSpec: '* * * * *', image: a}\n",
			"crontab.stable.example.com/a unchanged", [2]string{verdictAccepted, verdictAccepted}},
		{"a null in the place of metadata", crontab.Definition, "apiVersion: stable.example.com/v1\nkind: CronTab\nmetadata: null\n", "", "", [2]string{verdictAccepted, verdictRefused}},
		{"an invalid stored object", crontab.Definition, head + "spec: {cronSpec: '* * * * *', image: a}\n", head + "metadata: 3\nspec: 4\n", "", [2]string{verdictAccepted, verdictRefused}},
		{"JSON", crontab.Definition, `{"apiVersion": "stable.example.com/v1", "kind": "CronTab", "metadata": {"name": "a"}, "spec": {"cronSpec": 1, "image": "a"}}`, "",
			"spec.cronSpec", [2]string{verdictAccepted, verdictRefused}},
	} {
		var e Engine
		j, failure := ask[Validation](t, &e, Question{View: "validate", Definition: c.definition, Object: c.object, Stored: c.stored})
		require.Empty(t, failure, c.name)
		require.Equal(t, c.verdicts, [2]string{j.Definition.Verdict, j.Object.Verdict}, c.name)
		got := j.Status
		for _, f := range append(j.Definition.Findings, j.Object.Findings...) {
			got += "\n" + f.Message
		}
		require.Contains(t, got, c.want, c.name)
	}
}

// Findings have the line numbers of the file, not of its first document.
func TestPlaces(t *testing.T) {
	q := example(t, "crontab")
	q.View, q.Object = "validate", "# one\n---\n# two\n"+strings.Replace(q.Object, "image:", "image: {}\n  imag:", 1)+"---\nb: c\n"
	var e Engine
	j, _ := ask[Validation](t, &e, q)
	var lines []int
	for _, f := range j.Object.Findings {
		lines = append(lines, f.Line)
		require.Positive(t, f.Column)
	}
	require.Equal(t, []int{4, 10, 11, 12, 14}, lines, "%+v", j.Object.Findings)
}

func TestLimits(t *testing.T) {
	var e Engine
	_, failure := ask[any](t, &e, Question{View: "validate", Definition: strings.Repeat(" ", maxText+1)})
	require.Contains(t, failure, "more than 3 MiB")
	_, failure = ask[any](t, &e, Question{View: "nothing"})
	require.Contains(t, failure, "no view")

	q := example(t, "crontab")
	var object strings.Builder
	object.WriteString(q.Object)
	for i := range 3 * maxLines {
		object.WriteString("  unknown" + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + ": 1\n")
	}
	q.View, q.Object = "validate", object.String()
	j, failure := ask[Validation](t, &e, q)
	require.Empty(t, failure)
	require.LessOrEqual(t, len(j.Object.Findings), maxFindings)
	require.Positive(t, j.Object.Omitted)

	var rules, fields []string
	for i := range maxFindings - 50 {
		rules = append(rules, "{rule: 'true'}") // no object breaks it
		fields = append(fields, fmt.Sprintf("f%d: {type: integer, minimum: 3}", i))
	}
	q.View, q.Definition = "samples", given.Kind("Namespaced", "as.example.com", "A", fmt.Sprintf(
		"{type: object, properties: {spec: {type: object, properties: {%s}, x-kubernetes-validations: [%s]}}}", strings.Join(fields, ", "), strings.Join(rules, ", ")))
	s, failure := ask[Samples](t, &e, q)
	require.Empty(t, failure)
	require.Len(t, s.Broken, len(fields))
	require.Len(t, s.Missing, maxFindings-len(fields))
	require.Equal(t, len(rules)-len(s.Missing), s.Omitted)

	deep := `{"c":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + "}"
	lines, more := diff(map[string]any{"a": 1}, map[string]any{"b": decoded(t, deep)})
	require.True(t, more)
	size := 0
	for _, l := range lines {
		size += len(l.Text)
	}
	require.LessOrEqual(t, size, maxBytes)
}

func decoded(t *testing.T, text string) (v any) {
	obj, err := unstructured.DecodeJSON([]byte(text))
	require.NoError(t, err)
	return obj
}

func TestDiff(t *testing.T) {
	for _, c := range []struct{ name, before, after, want string }{
		{"equal", `{"a": 1}`, `{"a": 1}`, " a: 1\n"},
		{"the order of fields", `{"status": 1, "b": 1, "spec": 1, "kind": 1, "apiVersion": 1}`, `{}`, "-apiVersion: 1\n-kind: 1\n-spec: 1\n-b: 1\n-status: 1\n"},
		{"a changed value", `{"a": 1}`, `{"a": "x"}`, "-a: 1\n+a: x\n"},
		{"nested", `{"a": {"b": 1}}`, `{"a": {"b": 1, "c": {"d": [1, {"e": []}]}}}`, " a:\n   b: 1\n+  c:\n+    d:\n+    - 1\n+    - e: []\n"},
		{"an item with a new first field", `{"a": [{"c": 1}]}`, `{"a": [{"b": 2, "c": 1}]}`, " a:\n - c: 1\n+  b: 2\n"},
		{"an item with other fields", `{"a": [{"c": 1}]}`, `{"a": [{"b": 2}]}`, " a:\n -\n+  b: 2\n-  c: 1\n"},
		{"an item more and less", `{"a": [1], "b": [1, 2]}`, `{"a": [1, {}], "b": [1]}`, " a:\n - 1\n+- {}\n b:\n - 1\n-- 2\n"},
		{"lists in lists", `{"a": [[1, [2]]]}`, `{"a": [[1, [2]]]}`, " a:\n -\n   - 1\n   -\n     - 2\n"},
		{"lines", `{"a": "b\n\nc"}`, `{"a": "b\n\nc"}`, " a: |-\n   b\n \n   c\n"},
		{"keys that look like something else", `{"yes": "no", "1": "2"}`, `{"yes": "no", "1": "2"}`, " \"1\": \"2\"\n \"yes\": \"no\"\n"},
	} {
		before, _ := decoded(t, c.before).(map[string]any)
		after, _ := decoded(t, c.after).(map[string]any)
		lines, more := diff(before, after)
		require.False(t, more)
		got := ""
		for _, l := range lines {
			op := l.Op
			if op == "" {
				op = " "
			}
			got += op + l.Text + "\n"
		}
		require.Equal(t, c.want, got, c.name)
	}
}

// Written YAML decodes to the same value.
func TestYAMLRoundTrip(t *testing.T) {
	for _, text := range []string{
		`{"a": [[1, [2, {"b": [{"c": [[]]}]}]], {}, [], null, true, "true", "", " x", "x: y", "- z", "#"]}`,
		`{"<<": {"=": "<<"}, "y": {"on": "~"}, "1e3": ["- a", {"?": "a\u0085b", "": {"b": "\ufeff"}}], "a": [{"b": {"c": "1"}, "d": "2"}]}`,
		`{"metadata": {"annotations": {"a/b": "one\ntwo\n", "c": "\ttab"}}, "spec": {"x": 1.5, "y": -3, "z": "1e3"}}`,
	} {
		obj, _ := decoded(t, text).(map[string]any)
		r := read(yamlText(obj))
		require.JSONEq(t, text, string(r.body), yamlText(obj))
	}
}

func TestExplain(t *testing.T) {
	q := example(t, "crontab")
	q.View = "explain"
	at := func(in, text, word string) Question {
		before, _, ok := strings.Cut(text, word)
		require.True(t, ok)
		q.In, q.Line = in, strings.Count(before, "\n")+1
		q.Column = len(before) - strings.LastIndex(before, "\n")
		return q
	}
	type info struct{ Path string }
	var e Engine
	for _, c := range []struct{ in, text, word, want string }{
		{"definition", q.Definition, "maximum: 10", "spec.replicas"},
		{"definition", q.Definition, "replicas:", "spec.replicas"},
		{"definition", q.Definition, "start:\n", "spec.window.start"},
		{"definition", q.Definition, "openAPIV3Schema", ""},
		{"object", q.Object, "image", "spec.image"},
	} {
		got, failure := ask[info](t, &e, at(c.in, c.text, c.word))
		require.Empty(t, failure, c.word)
		require.Equal(t, c.want, got.Path, c.word)
	}
	for _, c := range []struct{ in, text, word, want string }{
		{"definition", q.Definition, "plural", "put the cursor on a field of the schema"},
		{"object", q.Object, "nightly", "metadata is a field of every object"},
		{"object", q.Object, "replica:", `did you mean "replicas"?`},
	} {
		_, failure := ask[info](t, &e, at(c.in, c.text, c.word))
		require.Contains(t, failure, c.want)
	}
	q.Object = `{"apiVersion": "stable.example.com/v1", "kind": "CronTab", "spec": {"cronSpec": "a", "window": {"end": 3}}}`
	got, _ := ask[info](t, &e, at("object", q.Object, `"end"`))
	require.Equal(t, "spec.window.end", got.Path, "in one line, columns count")
}

func TestFix(t *testing.T) {
	q := example(t, "costs")
	var e Engine
	q.View = "rules"
	schemas, failure := ask[[]SchemaCosts](t, &e, q)
	require.Empty(t, failure)
	require.Greater(t, schemas[0].Share, 1.0)
	q.View, q.Bounds = "fix", schemas[0].Fix
	q.Definition, failure = ask[string](t, &e, q)
	require.Empty(t, failure)
	q.View = "rules"
	schemas, _ = ask[[]SchemaCosts](t, &e, q)
	require.LessOrEqual(t, schemas[0].Share, 1.0)
	require.Nil(t, schemas[0].Fix)

	q.View, q.Bounds = "fix", []Bound{{"spec.nothing", "maxItems", 3}}
	_, failure = ask[string](t, &e, q)
	require.Equal(t, "the definition has no spec.nothing", failure)
}

// Any texts have an answer, whose texts are limited.
func FuzzAnswer(f *testing.F) {
	f.Add("validate", "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n", "a: b", "c: d", 1, 1)
	f.Add("explain", "spec: {versions: [{schema: {openAPIV3Schema: {}}}]}", "", "", 1, 40)
	f.Fuzz(func(t *testing.T, view, definition, object, stored string, line, column int) {
		var e Engine
		q := Question{View: view, Definition: definition, Object: object, Stored: stored, Old: stored, Line: line, Column: column}
		require.True(t, json.Valid(e.Answer(&q)))
	})
}
