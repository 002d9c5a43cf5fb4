package ruleset_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/cel/ruleset"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validate"
)

// The examples of Kubernetes' documentation, in testdata/kubernetes_docs: of the page on custom resource definitions
// (validation_rules.yaml), the page on CEL (cel.yaml), the reference of ValidationRule (api_reference.yaml), and of all
// the functions (functions.txt). What they do was recorded from k8s.io/apiextensions-apiserver v0.37.2, also where the
// documentation says something else: some examples are over a server's limits, some call what there is not, some have
// other results.

// A docExample is a schema, and what becomes of objects with it.
type docExample struct {
	Name    string
	Schema  json.RawMessage   // of the object, without its type
	Rule    string            // at the root; others stand in the schema
	Invalid []string          // what is wrong with the rules, if anything is: then no object is validated
	Accepts []json.RawMessage // objects without errors on a create
	Refuses []json.RawMessage // objects for which Rule is false, and nothing else is wrong
	Answers []struct {
		Object, Old      json.RawMessage // with an old object it is an update
		Errors, Warnings []string
	}
}

func TestKubernetesDocsRules(t *testing.T) {
	for _, file := range given.Files(t, "testdata/kubernetes_docs/*.yaml") {
		var examples []docExample
		require.NoError(t, yaml.UnmarshalStrict(given.File(t, file), &examples), file)
		require.NotEmpty(t, examples, file)
		for _, e := range examples {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml")+"/"+e.Name, e.run)
		}
	}
}

func (e docExample) run(t *testing.T) {
	require.False(t, e.Invalid == nil && e.Accepts == nil && e.Refuses == nil && e.Answers == nil, "an example must say something")
	s, rules, invalid := docRules(t, e.Schema, e.Rule)
	require.Equal(t, docErrors(e.Invalid), invalid, "definition")
	if len(invalid) > 0 {
		require.Zero(t, len(e.Accepts)+len(e.Refuses)+len(e.Answers), "a definition that is refused has no objects")
		return
	}
	check := func(new, old json.RawMessage) (errs, warnings []string) {
		obj := object(t, string(new))
		require.Empty(t, validate.Validate(s, obj), "only rules may have something against %s", new)
		before := object(t, string(old))
		r := rules.Evaluate(context.Background(), obj, before, &ruleset.EvalOptions{Ratchet: before != nil})
		return given.Texts(r.Errors), given.Texts(r.Warnings)
	}
	for _, obj := range e.Accepts {
		errs, warnings := check(obj, nil)
		require.Empty(t, errs, "%s", obj)
		require.Empty(t, warnings, "%s", obj)
	}
	for _, obj := range e.Refuses {
		errs, _ := check(obj, nil)
		require.Equal(t, []string{"<nil>: Invalid value: failed rule: " + e.Rule}, errs, "%s", obj)
	}
	for _, a := range e.Answers {
		errs, warnings := check(a.Object, a.Old)
		require.Equal(t, a.Errors, errs, "errors of %s, old %s", a.Object, a.Old)
		require.Equal(t, a.Warnings, warnings, "warnings of %s, old %s", a.Object, a.Old)
	}
}

func TestKubernetesDocsFunctions(t *testing.T) {
	examples := docFunctions(t, string(given.File(t, "testdata/kubernetes_docs/functions.txt")))
	require.NotEmpty(t, examples)
	for _, e := range examples {
		t.Run(e.group+"/"+e.rule, e.run)
	}
}

// A docFunction is a rule that looks at no object, and what becomes of it.
type docFunction struct {
	group   string // the function's library
	outcome string // holds, fails, errors or refused
	rule    string
	text    string // of the error
}

// docFunctions parses functions.txt: comments begin with #, groups with ==. Each line has an outcome and a rule; the
// lines of the error's text follow, each after a bar.
func docFunctions(t *testing.T, text string) []docFunction {
	var examples []docFunction
	var group string
	for i, line := range strings.Split(text, "\n") {
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case line == "" || word == "#":
		case word == "==":
			group = rest
		case slices.Contains([]string{"holds", "fails", "errors", "refused"}, word):
			examples = append(examples, docFunction{group: group, outcome: word, rule: strings.TrimSpace(rest)})
		default:
			said, ok := strings.CutPrefix(line, "       | ")
			require.True(t, ok && len(examples) > 0, "line %d: %s", i+1, line)
			last := &examples[len(examples)-1]
			last.text = strings.TrimPrefix(last.text+"\n"+said, "\n")
		}
	}
	return examples
}

func (e docFunction) run(t *testing.T) {
	_, rules, invalid := docRules(t, nil, e.rule)
	if e.outcome == "refused" {
		require.Equal(t, docErrors([]string{"x-kubernetes-validations[0].rule: " + e.text}), invalid)
		return
	}
	require.Empty(t, invalid)
	var want []string
	switch e.outcome {
	case "holds":
	case "fails":
		want = []string{"<nil>: Invalid value: failed rule: " + e.rule}
	case "errors":
		of := " evaluating rule: "
		if strings.HasPrefix(e.text, "'no such overload") { // CMS-021
			of = " for rule: "
		}
		want = []string{`<nil>: Invalid value: "object": ` + e.text + of + e.rule}
	}
	r := rules.Evaluate(context.Background(), nil, nil, nil)
	require.Equal(t, want, given.Texts(r.Errors))
}

// docSchemaPath is the path of the schema in a definition with one version.
const docSchemaPath = "spec.validation.openAPIV3Schema"

// docRules compiles a schema with a rule at its root, and returns the errors of its rules: each text has the field
// below the schema, the type of the error, and its detail.
func docRules(t *testing.T, text json.RawMessage, rule string) (*schema.Structural, *ruleset.Rules, []string) {
	doc := map[string]any{}
	if text != nil {
		require.NoError(t, json.Unmarshal(text, &doc))
	}
	doc["type"] = "object"
	if rule != "" {
		require.NotContains(t, doc, "x-kubernetes-validations", "the rule stands there")
		doc["x-kubernetes-validations"] = []any{map[string]any{"rule": rule}}
	}
	s := given.Structural(t, given.JSON(t, doc))
	rules, errs := ruleset.Compile(s, &ruleset.Options{Path: docSchemaPath})
	var invalid []string
	for _, e := range errs {
		at := strings.TrimPrefix(strings.TrimPrefix(e.Field, docSchemaPath), ".")
		invalid = append(invalid, fmt.Sprintf("%s: %s: %s", at, strings.TrimPrefix(string(e.Type), "FieldValue"), e.Detail))
	}
	return s, rules, invalid
}

// docHint is what errors of costs end with; (try ...) in the examples.
const docHint = "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)"

// docErrors completes what examples leave out. An expression that alone is far over the limit of an expression is over
// that of the schema too, and so two more errors follow (CES-090).
func docErrors(texts []string) []string {
	if len(texts) == 1 && strings.HasSuffix(texts[0], "cost exceeds budget by factor of more than 100x (try ...)") {
		at, _, _ := strings.Cut(texts[0], ": ")
		texts = []string{
			texts[0],
			at + ": Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema",
			": Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x (try ...)",
		}
	}
	var all []string
	for _, t := range texts {
		all = append(all, strings.ReplaceAll(t, "(try ...)", docHint))
	}
	return all
}
