package crdlint

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/manifest"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/schema"
)

// least is how many definitions with a finding, and how many near misses, each lint has in testdata.
const least = 3

// Each lint finds what the definitions bad-1, bad-2 ... of its file have, and nothing in good-1, good-2 ... The library
// confirms each witness.
func TestLints(t *testing.T) {
	require.True(t, slices.IsSortedFunc(Lints(), func(a, b Lint) int { return strings.Compare(a.Name, b.Name) }))
	for _, lint := range Lints() {
		if lint.Name == boundsOfSize.Name {
			continue // TestSize makes its definitions
		}
		require.FileExists(t, filepath.Join("testdata", lint.Name+".txtar"))
	}
	given.Cases(t, "testdata/*.txtar", func(t *testing.T, c *given.Case) {
		_, name, _ := strings.Cut(t.Name(), "/")
		for _, kind := range []string{"bad", "good"} {
			n := 1
			for ; ; n++ {
				part := fmt.Sprintf("%s-%d", kind, n)
				text, ok := c.Text(part + ".yaml")
				if !ok {
					break
				}
				others, _ := c.Text(part + "-others.yaml")
				found := findings(t, name, text, others)
				if kind == "good" {
					require.Empty(t, printed(found), part)
					continue
				}
				require.NotEmpty(t, found, part)
				c.WantText("want-"+part, printed(found))
			}
			require.Greater(t, n, least, "%s: too few definitions: %s", name, kind)
		}
	})
}

// findings returns what one lint finds in a definition that a server accepts.
func findings(t *testing.T, lint, text, others string) (found []Finding) {
	t.Helper()
	d := given.Definition(t, text)
	checked := crdcheck.Compile(d)
	require.NoError(t, checked.Errors().Err())
	opts := &Options{Also: []string{noDescription.Name}}
	if others != "" {
		opts.Others = append(opts.Others, given.Definition(t, others))
	}
	for _, f := range Find(t.Context(), checked, opts) {
		if f.Lint == lint {
			found = append(found, f)
			verify(t, text, &f)
		}
	}
	return found
}

var suggestedRule = regexp.MustCompile(`at ([^ ,]+|the object)(?:, with maxItems)?, the rule (.*?)(?:; at |$)`)

// With the rules that the fix suggests, the field is immutable.
func TestSuggestedRules(t *testing.T) {
	text := string(given.File(t, "testdata/bypassed-immutability.txtar"))
	for _, f := range manifest.ParseArchive(text).Files {
		if !strings.HasPrefix(f.Name, "bad-") {
			continue
		}
		d := given.Definition(t, f.Text)
		found := findings(t, bypassedImmutability.Name, f.Text, "")
		require.NotEmpty(t, found)
		suggested := 0
		for rest := found[0].Fix; ; suggested++ {
			m := suggestedRule.FindStringSubmatchIndex(rest)
			if m == nil {
				break
			}
			at, rule := d.Spec.Versions[0].Schema.OpenAPIV3Schema, rest[m[4]:m[5]]
			if path := rest[m[2]:m[3]]; path != "the object" {
				for _, name := range strings.Split(path, ".") {
					at = at.Properties[name]
				}
			}
			at.XValidations = append(at.XValidations, schema.ValidationRule{Rule: rule})
			rest = rest[m[5]:]
			rest = strings.TrimPrefix(rest, "; ")
		}
		require.NotZero(t, suggested)
		checked := crdcheck.Compile(d)
		require.NoError(t, checked.Errors().Err())
		for _, f := range Find(t.Context(), checked, nil) {
			require.NotEqual(t, bypassedImmutability.Name, f.Lint, "%s", &f)
		}
	}
}

// The size of a definition is that of its JSON, with the annotation of kubectl.
func TestSize(t *testing.T) {
	described := func(fields, length int) string {
		var b strings.Builder
		for i := range fields {
			fmt.Fprintf(&b, "f%d: {type: string, description: %q}, ", i, strings.Repeat("x", length))
		}
		return given.Kind("Cluster", "things.example.com", "Thing", "{type: object, properties: {spec: {type: object, properties: {"+b.String()+"}}}}")
	}
	for _, c := range []struct {
		fields, length int
		want           string
	}{
		{10, 100, ""},
		{1000, 100, ""},
		{1400, 100, ""},
		{1500, 100, "kubectl apply needs 213879 of the 262144 bytes that annotations may have, which is 81 %; descriptions take 82 % of it"},
		{2000, 100, "kubectl apply is refused: with its annotation there are 285379 bytes of annotations, and 262144 are allowed; descriptions take 82 % of it"},
		{2000, 800, "the definition has 1685331 bytes as JSON, and etcd takes 1572864 in a request; descriptions take 96 % of it"},
		{20_000, 0, "kubectl apply is refused: with its annotation there are 529379 bytes of annotations, and 262144 are allowed"},
	} {
		var messages string
		for _, f := range findings(t, boundsOfSize.Name, described(c.fields, c.length), "") {
			messages += f.Message
		}
		require.Equal(t, c.want, messages)
	}
}

// A server refuses the annotation of kubectl exactly if this package says so.
func TestSizeOfAnnotation(t *testing.T) {
	text := given.Kind("Cluster", "things.example.com", "Thing", "{type: object, description: DESCRIPTION}")
	refused := 0
	for n := 261_000; n < 262_144; n += 150 {
		described := strings.Replace(text, "DESCRIPTION", strings.Repeat("x", n), 1)
		d := given.Definition(t, described)
		value := d.Value()
		delete(value, "status")
		body, err := json.Marshal(value)
		require.NoError(t, err)
		d.Metadata["annotations"] = map[string]any{lastApplied: string(body) + "\n"}
		errs := crdcheck.Validate(d)
		require.Equal(t, len(errs) > 0, strings.Contains(printed(findings(t, boundsOfSize.Name, described, "")), "is refused"), "%d: %v", n, errs)
		refused += min(len(errs), 1)
	}
	require.Positive(t, refused)
	require.Less(t, refused, 20)
}

// An annotation and an option leave out lints.
func TestIgnore(t *testing.T) {
	text := given.KindWithStatus("Cluster", "things.example.com", "Thing", `{type: object, properties: {"on": {type: string}}}`, "{type: object, additionalProperties: {type: string}}")
	names := func(text string, opts *Options) (all []string) {
		for _, f := range Find(t.Context(), crdcheck.Compile(given.Definition(t, text)), opts) {
			all = append(all, f.Lint)
		}
		return all
	}
	require.Equal(t, []string{"yaml-key"}, names(text, nil))
	require.Empty(t, names(text, &Options{Ignore: []string{"yaml-key"}}))
	annotated := strings.Replace(text, "name: things.example.com", "name: things.example.com, annotations: {"+IgnoreAnnotation+`: "size, yaml-key"}`, 1)
	require.NotEqual(t, text, annotated)
	require.Empty(t, names(annotated, nil))
	require.Nil(t, Find(t.Context(), nil, nil))
	refused := given.Kind("Cluster", "things.example.com", "Thing", `{type: objekt, properties: {"on": {type: string}}}`)
	require.Empty(t, names(refused, nil), "a server refuses it")
}

// A lint has at most maxFindings findings, and one with the number of the others.
func TestMaxFindings(t *testing.T) {
	var b strings.Builder
	for i := range 80 {
		fmt.Fprintf(&b, "f%d: {type: object, properties: {metadata: {type: object}}}, ", i)
	}
	text := given.Kind("Cluster", "things.example.com", "Thing", "{type: object, properties: {spec: {type: object, properties: {"+b.String()+"}}}}")
	all := Find(t.Context(), crdcheck.Compile(given.Definition(t, text)), &Options{NoWitnesses: true})
	require.Equal(t, maxFindings+1, len(all))
	require.Contains(t, all[maxFindings].Message, "30 more")
	require.Nil(t, all[0].Witness)
}

// verify sends the requests of a witness again.
func verify(t *testing.T, text string, f *Finding) {
	t.Helper()
	if f.Witness == nil {
		return
	}
	r, err := resource.Compile(given.Definition(t, text))
	require.NoError(t, err)
	ctx := context.Background()
	var stored map[string]any
	for i, s := range f.Witness.Steps {
		v := r.Version(s.Version)
		var got resource.Result
		switch s.Request {
		case "create":
			got = v.Create(ctx, s.Object)
		case "update":
			got = v.Update(ctx, s.Object, stored)
		case "update status":
			got = v.UpdateStatus(ctx, s.Object, stored)
		case "read":
			got = v.Read(stored)
		}
		if s.Refusal != "" {
			require.NotEmpty(t, got.Errors, "%s: step %d", f, i)
			require.Equal(t, s.Refusal, got.Errors[0].Error())
			continue
		}
		require.NoError(t, got.Err(), "%s: step %d", f, i)
		require.True(t, jsonval.Equal(got.Object, s.Answer), "%s: step %d\n%s", f, i, given.YAML(got.Object))
		if s.Request != "read" {
			stored = got.Stored
		}
	}
}

// printed returns findings as text, with their witnesses.
func printed(found []Finding) string {
	var b strings.Builder
	for _, f := range found {
		fmt.Fprintf(&b, "%s\n  at %s\n", f.String(), f.Path)
		if f.Witness != nil {
			b.WriteString("  " + strings.ReplaceAll(strings.TrimSuffix(f.Witness.String(), "\n"), "\n", "\n  ") + "\n")
		}
	}
	return b.String()
}
