package finding

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/internal/tool/yamltext"
	"github.com/crdkit/crdkit/resource"
)

// listOf returns a list about the first document of a text, or about an item of the list that the document is.
func listOf(t *testing.T, text string, item ...field.Segment) *List {
	t.Helper()
	part := yamltext.Split([]byte(text))[0]
	return &List{Object: Object{Part: part, Item: item, Locate: func() *yamltext.Document {
		located, _ := yamltext.Locate(part)
		return located
	}}}
}

// inItem is the path of the second item of a list.
var inItem = []field.Segment{{Key: "items"}, {Index: 1, IsIndex: true}}

const (
	widget = "# a comment\n\nkind: Widget\nspec:\n  size: 11\n  sise: 1\n"
	list   = "kind: List\nitems:\n- kind: Widget\n- kind: Widget\n  spec: {size: 11}\n"
)

// Each finding has its severity, code and text, and the position of what it is about, or the nearest one.
func TestList(t *testing.T) {
	size := []field.Segment{{Key: "spec"}, {Key: "size"}}
	invalid := field.Invalid(field.PathOf(size...), 11, "too large")
	unparsed := &crd.ParseError{Path: "spec.size"}
	required := field.Required(field.NewPath("spec", "name"), "")
	for _, c := range []struct {
		name, text string
		item       []field.Segment
		strict     bool
		add        func(l *List)
		want       []string
	}{
		{"the start", widget, nil, false, func(l *List) { l.Say(Note, Owned, "m") }, []string{"3:1 note Owned m"}},
		{"the start of an item", list, inItem, false, func(l *List) { l.Say(Note, Owned, "m") }, []string{"4:3 note Owned m"}},
		{"no position", "# a\nb", nil, false, func(l *List) { l.Add(Finding{Message: "m"}, yamltext.Position{}) },
			[]string{"2:1   m"}},
		{"a bad value", widget, nil, false, func(l *List) { l.Error(invalid, size, "a hint") },
			[]string{"5:9 error Invalid spec.size: Invalid value: 11: too large (spec.size /spec/size) [a hint]"}},
		{"a bad value in an item", list, inItem, false, func(l *List) { l.Error(invalid, size) },
			[]string{"5:16 error Invalid spec.size: Invalid value: 11: too large (spec.size /spec/size)"}},
		{"a missing value", widget, nil, false, func(l *List) { l.Error(required, required.Path.Segments()) },
			[]string{"4:1 error Required spec.name: Required value (spec.name /spec/name)"}},
		{"a warning", widget, nil, true, func(l *List) { l.Warning("beware", nil) }, []string{"3:1 warning Warning beware"}},
		{"an unknown field", widget, nil, false, func(l *List) { l.Warning(`unknown field "spec.sise"`, suggest) },
			[]string{`6:3 warning UnknownField unknown field "spec.sise" (spec.sise /spec/sise) [instead of sise]`}},
		{"an unknown field, strictly", widget, nil, true, func(l *List) { l.Warning(`unknown field "spec.sise"`, nil) },
			[]string{`6:3 error UnknownField strict decoding error: unknown field "spec.sise" (spec.sise /spec/sise)`}},
		{"a field that the document does not have", widget, nil, false,
			func(l *List) { l.Warning(`duplicate field "spec.x"`, suggest) },
			[]string{`3:1 warning DuplicateKey duplicate field "spec.x" (spec.x )`}},
		{"duplicate keys", "a: 1\nb:\n- c: 1\n  c: 2\na: 2\n", nil, false, func(l *List) {
			first := "line 4: key \"c\" already set in map\n  line 5: key \"a\" already set in map"
			l.DuplicateKeys([]string{first, "line 9: key \"d\" already set in map"})
		}, []string{
			`4:3 warning DuplicateKey key "c" already set in map`,
			`5:1 warning DuplicateKey key "a" already set in map`,
			`1:1 warning DuplicateKey key "d" already set in map`,
		}},
		{"a duplicate key, strictly", "a: 1\na: 2\n", nil, true,
			func(l *List) { l.DuplicateKeys([]string{`line 2: key "a" already set in map`}) },
			[]string{`2:1 error DuplicateKey strict decoding error: key "a" already set in map`}},
		{"what is no YAML", "a: 1\n\tb: 2\n", nil, false,
			func(l *List) { l.Unreadable(errors.New("yaml: line 2: found a tab")) },
			[]string{"2:1 error Unreadable yaml: found a tab"}},
		{"a template", "{{ if .x }}\n", nil, false, func(l *List) { l.Unreadable(errors.New("broken")) },
			[]string{"1:1 error Unreadable broken [{{ begins a template, of Helm for example, which is not YAML: " +
				"validate what the template makes (helm template)]"}},
		{"a definition that cannot be parsed", widget, nil, false, func(l *List) { l.ParseError(unparsed) },
			[]string{"5:9 error Refused " + unparsed.Error() + " (spec.size )"}},
		{"a refusal", widget, nil, false,
			func(l *List) { l.Result(nil, &resource.Result{Failure: &field.Status{Message: "conflict"}}, true) },
			[]string{"3:1 error Refused conflict"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := listOf(t, c.text, c.item...)
			l.Strict, l.StrictKeys = c.strict, c.strict
			c.add(l)
			var got []string
			for _, f := range l.Findings {
				line := fmt.Sprintf("%v %s %s %s", f.Position, f.Severity, f.Code, f.Message)
				if f.Path != "" {
					line += fmt.Sprintf(" (%s %s)", f.Path, f.Pointer)
				}
				if f.Hints != nil {
					line += fmt.Sprintf(" %v", f.Hints)
				}
				got = append(got, line)
			}
			require.Equal(t, c.want, got)
		})
	}
}

func suggest(path []field.Segment) []string { return []string{"instead of " + path[len(path)-1].Key} }

// A list has no more findings than its maximum, and counts the others.
func TestMax(t *testing.T) {
	for maximum, omitted := range map[int]int{0: 0, 1: 2, 2: 1, 3: 0, 4: 0} {
		l := listOf(t, widget)
		l.Max = maximum
		for range 3 {
			l.Say(Warning, Warned, "m")
		}
		require.Len(t, l.Findings, 3-omitted)
		require.Equal(t, omitted, l.Omitted)
	}
}

// However many findings there are, the comments in front are read once, and hints are searched for a few times.
func TestManyFindings(t *testing.T) {
	l := listOf(t, strings.Repeat("# a comment\n", 300_000)+"x: 1\n")
	l.Locate = sync.OnceValue(l.Locate)
	searched := 0
	for range 30_000 {
		l.Say(Note, Owned, "m")
		l.Warning(`unknown field "x"`, func([]field.Segment) []string {
			searched++
			return nil
		})
	}
	require.Equal(t, 300_001, l.Findings[0].Line)
	require.Equal(t, maxHinted/2, searched)

	l = listOf(t, "x: 1\n")
	l.Result(nil, &resource.Result{Errors: slices.Repeat(field.List{field.Invalid(nil, 1, "")}, 2*maxHinted)}, false)
	require.Len(t, l.Findings, 2*maxHinted)
}

// A create that a server accepts has a compiled definition, an update and a refusal have none.
func TestDefinition(t *testing.T) {
	text := given.Kind("Cluster", "things.example.com", "Thing", "{type: object}")
	good, bad := given.Definition(t, text), given.Definition(t, text)
	bad.Spec.Scope = "Nowhere"
	for _, c := range []struct {
		d, old   *crd.CustomResourceDefinition
		compiled bool
	}{{good, nil, true}, {good, good, false}, {bad, nil, false}} {
		l := listOf(t, text)
		checked, compiled := l.Definition(c.d, []string{`unknown field "spec.x"`}, c.old, "")
		require.Equal(t, c.compiled, compiled != nil)
		require.Equal(t, UnknownField, l.Findings[0].Code)
		require.Equal(t, c.d == bad, len(checked.Errors()) > 0)
	}
}

// Paths are those in the object, also if it is an item of a list.
func TestObject(t *testing.T) {
	o := listOf(t, list, inItem...).Object
	path, ok := o.Path("spec.size")
	require.True(t, ok)
	require.Equal(t, []field.Segment{{Key: "spec"}, {Key: "size"}}, path)
	_, ok = o.Path("spec.sise")
	require.False(t, ok)
	require.Equal(t, "5:10", o.At("spec.size").String())
	require.Equal(t, "4:3", o.At("spec.sise").String(), "the object")
	require.Equal(t, "5:3", o.Nearest([]field.Segment{{Key: "spec"}, {Key: "sise"}}).String())
	text, plain := o.Plain(path)
	require.Equal(t, "11", text)
	require.True(t, plain)
	_, plain = (&listOf(t, `{"spec": {"size": 11}}`).Object).Plain(path)
	require.False(t, plain, "JSON has no plain scalars")
}

// Each code and each type of an error has a description, and so has what else may be the identity of a check.
func TestDescribe(t *testing.T) {
	declared := regexp.MustCompile(`(?m)^\s+(?:\w+\s+Code = "(\w+)"|ErrorType\w+\s+ErrorType = "(?:FieldValue)?(\w+)")`)
	found := declared.FindAllSubmatch(slices.Concat(given.File(t, "finding.go"), given.File(t, "../../../field/error.go")), -1)
	require.Greater(t, len(found), 30)
	for _, m := range found {
		code := string(m[1]) + string(m[2])
		require.NotContains(t, Describe(code), "keyword", code)
	}
	require.Len(t, descriptions, len(found))
	for check, want := range map[string]string{
		"maxLength":                   "The keyword maxLength of a schema: a value violates it, or it is wrong itself.",
		"spec.names.plural":           "The field spec.names.plural of a definition is wrong.",
		"x-kubernetes-validations[1]": "Rule 1 of the schema: an object violates it, or it is wrong itself.",
		"properties[a].items.x-kubernetes-validations[0]": "Rule 0 at properties[a].items: an object violates it, or it is wrong itself.",
	} {
		require.Equal(t, want, Describe(check))
	}
}
