package compat_test

import (
	"fmt"
	"maps"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/test/given"
)

// The findings for pairs of schemas in both directions, with their witnesses. Clauses: CMP-001, CMP-003, CMP-004.
//
// A case of the file is "== NAME", the old and the new schema of spec, and the findings, which -update writes. A schema
// without braces around it has the properties of an object; one that begins with "properties:" is the schema of whole
// objects.
func TestFindings(t *testing.T) {
	cases(t, "testdata/findings.txt", whole)
}

// Artificial schemas have other findings, such as unknown ones and those about updates that change nothing.
func TestMadeUpFindings(t *testing.T) {
	cases(t, "testdata/madeup.txt", whole)
}

// The findings for changes of a definition with two versions. Clauses: CMP-005, CMP-008.
//
// The file has the form of TestFindings, except that old and new are replacements in a text: "BEFORE" -> "AFTER".
func TestDefinitionFindings(t *testing.T) {
	cases(t, "testdata/definitions.txt", func(t *testing.T, changes string) *crd.CustomResourceDefinition {
		text := definitionChanged
		for _, c := range strings.Split(changes, ", then ") {
			before, after, ok := strings.Cut(c, " -> ")
			if !ok {
				require.Equal(t, "as it is", c)
				continue
			}
			var err error
			before, err = strconv.Unquote(before)
			require.NoError(t, err, c)
			after, err = strconv.Unquote(after)
			require.NoError(t, err, c)
			require.Contains(t, text, before)
			text = strings.Replace(text, before, after, 1)
		}
		return given.Definition(t, text)
	})
}

// cases runs the cases of a file. of makes their definitions.
func cases(t *testing.T, file string, of func(t *testing.T, side string) *crd.CustomResourceDefinition) {
	t.Helper()
	head, rest, _ := strings.Cut(string(given.File(t, file)), "== ")
	out := head
	for _, text := range strings.Split(rest, "\n== ") {
		name, c, _ := strings.Cut(text, "\n")
		sides := [2]string{}
		for i, label := range []string{"old: ", "new: "} {
			var ok bool
			c, ok = strings.CutPrefix(c, label)
			require.True(t, ok, "%s: no %s", name, label)
			sides[i], c, _ = strings.Cut(c, "\n")
		}
		made := fmt.Sprintf("== %s\nold: %s\nnew: %s\n", name, sides[0], sides[1])
		t.Run(name, func(t *testing.T) {
			old, new := of(t, sides[0]), of(t, sides[1])
			made += findings(t, "forth", old, new) + findings(t, "back", new, old)
			want := "== " + strings.TrimRight(text, "\n") + "\n"
			if !given.Update() {
				require.Equal(t, want, made)
			}
		})
		out += made + "\n"
	}
	if given.Update() {
		require.NoError(t, os.WriteFile(file, []byte(strings.TrimRight(out, "\n")+"\n"), 0o644))
	}
}

// whole returns the definition for a schema in the form of the cases.
func whole(t *testing.T, schema string) *crd.CustomResourceDefinition {
	t.Helper()
	text := definitionText("{}")
	const marker = "        type: object\n        properties:\n"
	head, _, ok := strings.Cut(text, marker)
	require.True(t, ok)
	switch {
	case strings.HasPrefix(schema, "{"):
		return definition(t, schema)
	case strings.HasPrefix(schema, "properties:"):
		return given.Definition(t, head+"        type: object\n        "+schema+"\n")
	}
	return definition(t, object(schema))
}

func findings(t *testing.T, label string, old, new *crd.CustomResourceDefinition) string {
	t.Helper()
	r := compared(t, old, new, nil)
	holds(t, old, new, r)
	if len(r.Findings) == 0 {
		return label + ": none\n"
	}
	var b strings.Builder
	b.WriteString(label + ":\n")
	if r.Unconverted {
		b.WriteString("  what is stored is not known\n")
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		fmt.Fprintf(&b, "  %s\n", f)
		if w := f.Witness; w != nil {
			if w.Stored != nil {
				fmt.Fprintf(&b, "    stored: %s\n", knownValues(t, w.Stored))
			}
			fmt.Fprintf(&b, "    object: %s\n", knownValues(t, w.Object))
		}
	}
	return b.String()
}

// knownValues returns an object without the members that all objects have.
func knownValues(t *testing.T, obj map[string]any) string {
	t.Helper()
	out := maps.Clone(obj)
	maps.DeleteFunc(out, func(k string, _ any) bool { return k == "apiVersion" || k == "kind" || k == "metadata" })
	return string(given.JSON(t, out))
}
