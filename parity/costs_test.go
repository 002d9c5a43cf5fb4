package parity

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/patch"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/parity/internal/reference"
)

var madeFlag = flag.Int("made", 10, "definitions without bounds that TestFixes makes")

// TestFixes applies the fixes that crdcheck has for definitions that are too expensive and nothing else. With each of
// them the reference has nothing more against the rule, or the whole definition, and with the next natural value of a
// bound it has.
//
// The definitions are those of testdata without some of their bounds. The variable CRDKIT_CONFORMANCE may name a
// directory with recorded ones: they are taken as they are, and without some of their bounds.
func TestFixes(t *testing.T) {
	f := fixing{T: t, definitions: reference.NewDefinitions()}
	var real [][]byte
	files := given.Files(t, "testdata/*.crd.yaml")
	if dir := os.Getenv("CRDKIT_CONFORMANCE"); dir != "" {
		files = append(files, given.Files(t, filepath.Join(dir, "suites", "crds", "*.yaml"))...)
		for _, name := range []string{"versions/definitions.jsonl", "crds/projects.jsonl", "crds/small.jsonl"} {
			for row := range given.Rows[recordedRow](t, filepath.Join(dir, name)) {
				if f.recorded(row.CRD); strings.HasPrefix(row.Name, "real: ") {
					real = append(real, row.CRD)
				}
			}
		}
		require.NotZero(t, f.recordedOver)
		t.Logf("%d recorded definitions are too expensive", f.recordedOver)
		f.report()
	}
	for _, file := range files {
		document, err := yaml.YAMLToJSON(given.File(t, file))
		require.NoError(t, err)
		real = append(real, document)
	}
	random := rand.New(rand.NewPCG(*seedFlag, 0))
	made := 0
	for tries := 0; made < *madeFlag && tries < 200**madeFlag; tries++ {
		if document := withoutBounds(random, real[random.IntN(len(real))]); document != nil && f.definition(document) {
			made++
		}
	}
	require.Equal(t, *madeFlag, made)
	t.Logf("%d made definitions", made)
	f.report()
}

type recordedRow struct {
	Name string
	CRD  json.RawMessage
}

// withoutBounds returns a definition without some of its bounds, or nil if it has no rules or no bounds.
func withoutBounds(random *rand.Rand, document []byte) []byte {
	if !bytes.Contains(document, []byte(`"x-kubernetes-validations"`)) {
		return nil
	}
	var v any
	if json.Unmarshal(document, &v) != nil {
		return nil
	}
	keep, taken := random.Float64(), 0
	var visit func(v any)
	visit = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				visit(e)
			}
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				_, number := v[key].(float64)
				if number && (key == "maxLength" || key == "maxItems" || key == "maxProperties") && random.Float64() >= keep {
					delete(v, key)
					taken++
					continue
				}
				visit(v[key])
			}
		}
	}
	visit(v)
	if taken == 0 {
		return nil
	}
	document, _ = json.Marshal(v)
	return document
}

// withRulesAt returns a definition in which other nodes have one rule each that costs next to nothing, which is
// validated faster. That there is a rule may matter for what is estimated below (CWH-008).
func withRulesAt(document []byte, path string) []byte {
	var d map[string]any
	if json.Unmarshal(document, &d) != nil {
		return nil
	}
	var visit func(v any, at string)
	visit = func(v any, at string) {
		schema, _ := v.(map[string]any)
		if schema == nil {
			return
		}
		if schema["x-kubernetes-validations"] != nil && strings.TrimPrefix(at+".x-kubernetes-validations", ".") != path {
			schema["x-kubernetes-validations"] = []any{map[string]any{"rule": "true"}}
		}
		visit(schema["items"], at+".items")
		visit(schema["additionalProperties"], at+".additionalProperties")
		properties, _ := schema["properties"].(map[string]any)
		for name, p := range properties {
			visit(p, at+".properties["+name+"]")
		}
	}
	spec, _ := d["spec"].(map[string]any)
	versions, _ := spec["versions"].([]any)
	for _, v := range append(versions, spec) { // v1beta1 may have the schema in the spec
		version, _ := v.(map[string]any)
		for _, key := range []string{"schema", "validation"} {
			validation, _ := version[key].(map[string]any)
			visit(validation["openAPIV3Schema"], "")
		}
	}
	document, _ = json.Marshal(d)
	return document
}

// A fixing tries fixes, and counts.
type fixing struct {
	*testing.T
	definitions  *reference.Definitions
	seen         map[string]bool
	recordedOver int

	rules, unfixed, schemas, unfixedSchemas, next int
	reasons                                       map[string]int
}

func (f *fixing) report() {
	f.Logf("%d fixes of rules, %d rules without one, %d fixes of schemas, %d schemas without one, %d next values refused; without: %v",
		f.rules, f.unfixed, f.schemas, f.unfixedSchemas, f.next, f.reasons)
	f.rules, f.unfixed, f.schemas, f.unfixedSchemas, f.next, f.reasons = 0, 0, 0, 0, 0, nil
}

func (f *fixing) recorded(document []byte) {
	if f.definition(document) {
		f.recordedOver++
	}
}

// definition tries the fixes of a definition that is too expensive and nothing else, and reports whether it is.
func (f *fixing) definition(document []byte) bool {
	d, err := crd.Parse(document)
	if err != nil || f.seen[string(document)] {
		return false
	}
	checked := crdcheck.Compile(d)
	errs := checked.Errors()
	if len(errs) == 0 || slices.ContainsFunc(errs, func(e *field.Error) bool {
		return e.Type != field.ErrorTypeForbidden || e.Cause().Keyword != "x-kubernetes-validations"
	}) {
		return false
	}
	if f.seen == nil {
		f.seen = map[string]bool{}
	}
	f.seen[string(document)] = true
	report := checked.Costs()
	all := document // with what all schemas need
	complete := true
	for _, s := range report.Schemas {
		fits := s.Total <= crdcheck.DefinitionCostLimit
		for _, r := range s.Rules {
			if r.Share <= 1 {
				continue
			}
			fits = false
			if len(r.Fixes) == 0 {
				f.without(r)
			}
			for _, fix := range r.Fixes {
				f.rules++
				below := strings.TrimPrefix(strings.TrimPrefix(r.Path, s.Path), ".")
				alone := withRulesAt(document, strings.TrimSuffix(below, below[strings.LastIndex(below, "["):]))
				require.Empty(f, f.costs(patchedText(f, alone, fix.Patch), s.Path, r.Path), "%s: %s\n%s", r.Path, fix.Patch, document)
				for _, more := range nextValues(f, fix) {
					f.next++
					errs := f.costs(patchedText(f, alone, more), s.Path, r.Path)
					if len(errs) == 0 && fix.Total <= crdcheck.DefinitionCostLimit {
						errs = f.costs(patchedText(f, document, more), s.Path, s.Path)
					}
					require.NotEmpty(f, errs, "%s fits too\n%s", more, document)
				}
			}
		}
		if fits {
			continue
		}
		if s.Fix == nil {
			f.unfixedSchemas++
			complete = false
			continue
		}
		all = patchedText(f, all, s.Fix.Patch)
	}
	if !complete {
		return true
	}
	require.Empty(f, f.validate(all), "%s", all)
	for _, s := range report.Schemas {
		if s.Fix == nil {
			continue
		}
		f.schemas++
		for _, more := range nextValues(f, *s.Fix) {
			f.next++
			require.NotEmpty(f, f.validate(patchedText(f, all, more)), "%s fits too\n%s", more, document)
		}
	}
	return true
}

// without counts a rule that has no fix, which must have a reason.
func (f *fixing) without(r crdcheck.RuleCosts) {
	f.unfixed++
	require.NotEmpty(f, r.Hints, r.Path)
	last := r.Hints[len(r.Hints)-1]
	require.Equal(f, "no-bound-helps", last.Name)
	reason := "a part that no bound helps"
	switch {
	case strings.Contains(last.Text, "would refuse"):
		reason = "values that the bounds would refuse"
	case strings.HasPrefix(last.Text, "the messageExpression"):
		reason = "a messageExpression that no bound helps"
	}
	if f.reasons == nil {
		f.reasons = map[string]int{}
	}
	f.reasons[reason]++
}

// validate returns what both sides have against a new definition, which must be the same.
func (f *fixing) validate(document []byte) []string {
	internal, err := f.definitions.Internal(document)
	require.NoError(f, err)
	theirs := reference.Validate(internal)
	var ours []string
	for _, e := range crdcheck.Validate(given.Definition(f, document)) {
		ours = append(ours, e.Error())
	}
	// Of rules that cost the same, the reference names some at random as contributors to the total.
	random := func(text string) bool { return strings.Contains(text, "contributed to") }
	ours, theirs = slices.DeleteFunc(ours, random), slices.DeleteFunc(theirs, random)
	require.ElementsMatch(f, theirs, ours)
	return theirs
}

// costs returns those that are about the limit of a rule, or of the schema if path is its path.
func (f *fixing) costs(document []byte, schema, path string) (found []string) {
	// A server names a schema that all versions have as if there were no versions.
	below := strings.TrimPrefix(path, schema)
	for _, text := range f.validate(document) {
		for _, root := range []string{schema, "spec.validation.openAPIV3Schema"} {
			if at, ok := strings.CutPrefix(text, root+below); ok && strings.Contains(text, "exceeds budget") && (below != "" || strings.HasPrefix(at, ": ")) {
				found = append(found, text)
			}
		}
	}
	return found
}

func patchedText(t require.TestingT, document, text []byte) []byte {
	p, refused := patch.Accept("application/json-patch+json", text)
	require.Nil(t, refused)
	out, refused := p.Apply(document)
	require.Nil(t, refused)
	return out
}

// nextValues returns the patches of a fix with the next natural value for one of its bounds, of each.
func nextValues(t require.TestingT, f crdcheck.Fix) (patches [][]byte) {
	for i, at := range f.Bounds {
		special := map[int64]int64{63: 128, 32: 63, 128: 253, 253: 512}
		value := 2 * at.Value
		if to, ok := special[at.Value]; ok && at.Keyword == "maxLength" {
			value = to
		}
		if value > 1<<20 { // the greatest that there is
			continue
		}
		if at.Keyword == "maxLength" && (at.Value == 63 || at.Value == 253 || at.Value == 2048) {
			continue // It may be the length that what a rule reads has anyway: larger values may fit.
		}
		var operations []map[string]any
		require.NoError(t, json.Unmarshal(f.Patch, &operations))
		for j := range operations {
			if strings.HasSuffix(fmt.Sprint(operations[j]["path"]), "/"+at.Keyword) && j/(len(operations)/len(f.Bounds)) == i {
				operations[j]["value"] = value
			}
		}
		text, err := json.Marshal(operations)
		require.NoError(t, err)
		patches = append(patches, text)
	}
	return patches
}
