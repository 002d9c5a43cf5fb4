package main

import (
	"encoding/json"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestProgramParses(t *testing.T) {
	_, err := parser.ParseFile(token.NewFileSet(), "judge.txt", program, 0)
	require.NoError(t, err)
}

func TestNewest(t *testing.T) {
	versions := []string{"v0.36.9", "v0.37.0-rc.1", "v0.37.0", "v0.37.2", "v0.37.3-rc.0", "v0.38.0-beta.0"}
	v, err := newest(versions, "v0.37.")
	require.NoError(t, err)
	require.Equal(t, "v0.37.2", v)
	_, err = newest(versions, "v0.38.")
	require.EqualError(t, err, "there is no release v0.38.*")
	_, err = moduleVersion("", "2.0")
	require.ErrorContains(t, err, "must be a version such as")
	v, err = moduleVersion("", "1.38.0-beta.0")
	require.NoError(t, err)
	require.Equal(t, "v0.38.0-beta.0", v)
}

// A program that stops is started again.
func TestJudgeStops(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "judge")
	const script = "#!/bin/sh\nwhile read -r line; do case $line in *bad*) exit 3 ;; *) echo '{\"warnings\":[\"a\"]}' ;; esac; done\n"
	require.NoError(t, os.WriteFile(binary, []byte(script), 0o755))
	j, err := start(binary)
	require.NoError(t, err)
	for range 2 {
		a, err := j.ask(&question{Kind: "good"})
		require.NoError(t, err)
		require.Equal(t, &answer{Warnings: []string{"a"}}, a)
		a, err = j.ask(&question{Kind: "bad"})
		require.NoError(t, err)
		require.Equal(t, &answer{Failure: "stopped: exit status 3"}, a)
	}
	require.NoError(t, j.stop())
}

func TestReplacements(t *testing.T) {
	var r replacements
	require.NoError(t, r.Set("a.io/b=a.io/b@v1.2.3"))
	require.NoError(t, r.Set("a.io/c=/dir"))
	require.Error(t, r.Set("a.io/c"))
	mod := goMod("v0.38.0", "1.27.0", r)
	require.Contains(t, mod, "go 1.27.0\n")
	require.Contains(t, mod, "k8s.io/apiserver v0.38.0\n")
	require.Contains(t, mod, "\nreplace a.io/b => a.io/b v1.2.3\nreplace a.io/c => /dir\n")
}

func TestQuestions(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	write("a.yaml", "kind: Other\n---\nkind: CustomResourceDefinition\nmetadata: {name: a}\n")
	write("b.txtar", "a text\n-- b.yaml --\nkind: CustomResourceDefinition\nmetadata: {name: b}\n-- c --\n")
	write("recorded/minors/x.jsonl", `{"crd":"../../a.yaml","op":"create","version":"v1","object":{}}`+"\n"+
		`{"crd":"../../a.yaml","op":"update","version":"v1","object":{},"old":{}}`+"\n"+`{"crd":"../../a.yaml","op":"updateStatus"}`+"\n")
	write("recorded/versions/x.jsonl", `{"crd":{"kind":"CustomResourceDefinition"}}`+"\n")
	all, err := allQuestions(options{seed: 1, n: 2, definition: dir, recorded: filepath.Join(dir, "recorded")})
	require.NoError(t, err)
	require.Len(t, all, 2*4+2+1+1+2)
	again, err := allQuestions(options{seed: 1, n: 2, definition: dir, recorded: filepath.Join(dir, "missing")})
	require.NoError(t, err)
	require.Len(t, again, 2*4+2)
	require.Equal(t, asJSON(t, all[0]), asJSON(t, again[0]))
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return string(text)
}

func TestDiffers(t *testing.T) {
	refused := &answer{Errors: []problem{{"FieldValueInvalid", "a", "b"}}}
	for _, tt := range []struct {
		kind string
		a, b *answer
	}{
		{"", &answer{}, &answer{}},
		{"decoding", &answer{}, &answer{Failure: "x"}},
		{"verdict", &answer{}, refused},
		{"type", &answer{Errors: []problem{{"FieldValueTooFew", "a", "b"}}}, refused},
		{"text", &answer{Errors: []problem{{"FieldValueInvalid", "a", "c"}}}, refused},
		{"object", &answer{Object: map[string]any{"a": 1.0}}, &answer{Object: map[string]any{"a": 2.0}}},
		{"warning", &answer{Warnings: []string{"x"}}, &answer{}},
		{"cost", &answer{Costs: []string{"a: 1"}}, &answer{Costs: []string{"a: 2"}}},
	} {
		require.Equal(t, tt.kind, differs(tt.a, tt.b))
	}
	require.Empty(t, leastKind([2][]*answer{{{}, refused}, {refused}}), "one answer is equal")
}

func TestGrouped(t *testing.T) {
	ask := func(rules ...string) *question {
		var all []any
		for _, r := range rules {
			all = append(all, map[string]any{"rule": r})
		}
		return &question{Kind: "definition", Definition: map[string]any{"spec": map[string]any{"x-kubernetes-validations": all}}, size: len(asJSON(t, rules))}
	}
	both, alone, neither := ask("has(self.a) == has(self.b)", "self.c.size() < 3"), ask("has(self.a) == has(self.b)"), ask("self.c.size() == 3")
	questions := []*question{both, alone, neither}
	refused := &answer{Errors: []problem{{"FieldValueForbidden", "a", "too expensive: 314575"}}}
	groups := grouped(questions, []*difference{
		{kind: "verdict", question: both, answers: [2]*answer{{}, refused}}, {kind: "verdict", question: alone, answers: [2]*answer{{}, refused}},
		{kind: "text", question: neither, answers: [2]*answer{refused, {Errors: []problem{{"FieldValueForbidden", "a", "too \"a\" expensive"}}}}},
	})
	require.Len(t, groups, 2)
	require.Equal(t, "has", groups[0].subject)
	require.Equal(t, 2, groups[0].asked)
	require.Equal(t, "too expensive: _ -> too _ expensive", groups[1].subject)
	var b strings.Builder
	groups[0].print(&b, "1.37", "1.38")
	require.Contains(t, b.String(), "## verdict: has\n\n2 differences among 2 questions that have it.")
	require.Contains(t, b.String(), "    1.37: {}\n    1.38: {\"errors\"")
	require.NotContains(t, b.String(), "size()", "the smallest example")
}

// A difference is explained if crdkit's answers for both versions differ in the same way, or if it is of a listed kind.
func TestExplain(t *testing.T) {
	const definition = `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "kites.wind.example.com"},
		"spec": {"group": "wind.example.com", "scope": "Namespaced", "names": {"kind": "Kite", "plural": "kites"}, "versions": [{
		"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "array", "items": {"type": "object",
		"properties": {"a": {"type": "array", "items": {"type": "string"}}, "b": {"type": "array", "items": {"type": "string"}}},
		"x-kubernetes-validations": [{"rule": "has(self.a) == has(self.b)"}]}}}}}}]}}`
	q := &question{Kind: "definition"}
	require.NoError(t, json.Unmarshal([]byte(definition), &q.Definition))
	accepted, refused := &answer{}, &answer{Errors: []problem{{Type: "FieldValueForbidden", Field: "spec", Text: "Forbidden"}}}
	versions := [2]string{"1.37.2", "1.38.0-beta.0"}
	require.Equal(t, known, explain(&difference{kind: "verdict", question: q, answers: [2]*answer{accepted, refused}}, versions))
	require.Equal(t, unexplained, explain(&difference{kind: "verdict", question: q, answers: [2]*answer{refused, accepted}}, versions))
	require.Equal(t, unexplained, explain(&difference{kind: "type", question: q, answers: [2]*answer{accepted, refused}}, versions))
	require.EqualValues(t, "texts of definitions", explain(&difference{kind: "text", question: q, answers: [2]*answer{accepted, refused}}, versions))

	o := &question{Kind: "object", Definition: q.Definition, Version: "v1", Object: map[string]any{
		"apiVersion": "wind.example.com/v1", "kind": "Kite", "metadata": map[string]any{"name": "a"}, "spec": []any{},
	}}
	require.EqualValues(t, "costs of evaluations", explain(&difference{kind: "cost", question: o, answers: [2]*answer{accepted, refused}}, versions))
	text := func(s string) *answer { return &answer{Errors: []problem{{"FieldValueInvalid", "spec", s}}} }
	require.EqualValues(t, "texts of the compiler of rules",
		explain(&difference{kind: "text", question: o, answers: [2]*answer{text("rule compile error: a"), text("rule compile error: b")}}, versions))
	require.Equal(t, unexplained, explain(&difference{kind: "text", question: o, answers: [2]*answer{text("a"), text("rule compile error: b")}}, versions))
	_, err := ask(o, "1.2")
	require.Error(t, err)
}
