package compat_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/compat"
	"github.com/crdkit/crdkit/crd"
)

// What is found about pairs of schemas in both directions, with the objects that show it. Clauses: CMP-001, CMP-003, CMP-004.
//
// A case of the file is "== NAME", the schema of spec before and after, and the findings, which -update writes. A schema that has no braces around
// it is the properties of an object; one that begins with "properties:" is that of whole objects.
func TestFindings(t *testing.T) {
	const file = "testdata/findings.txt"
	body, err := os.ReadFile(file)
	require.NoError(t, err)
	head, rest, _ := strings.Cut(string(body), "== ")
	out := head
	for _, text := range strings.Split(rest, "\n== ") {
		name, c, _ := strings.Cut(text, "\n")
		schemas := [2]string{}
		for i, label := range []string{"old: ", "new: "} {
			var ok bool
			c, ok = strings.CutPrefix(c, label)
			require.True(t, ok, "%s: no %s", name, label)
			schemas[i], c, _ = strings.Cut(c, "\n")
		}
		made := fmt.Sprintf("== %s\nold: %s\nnew: %s\n", name, schemas[0], schemas[1])
		t.Run(name, func(t *testing.T) {
			old, new := whole(t, schemas[0]), whole(t, schemas[1])
			made += findings(t, "forth", old, new) + findings(t, "back", new, old)
			want := "== " + strings.TrimRight(text, "\n") + "\n"
			if flag.Lookup("update").Value.String() != "true" {
				require.Equal(t, want, made)
			}
		})
		out += made + "\n"
	}
	if flag.Lookup("update").Value.String() == "true" {
		require.NoError(t, os.WriteFile(file, []byte(strings.TrimRight(out, "\n")+"\n"), 0o644))
	}
}

// whole returns the definition with a schema in the form of the cases.
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
		return parse(t, head+"        type: object\n        "+schema+"\n")
	}
	return definition(t, object(schema))
}

func findings(t *testing.T, label string, old, new *crd.CustomResourceDefinition) string {
	t.Helper()
	r, err := compat.Compare(t.Context(), old, new, nil)
	require.NoError(t, err)
	holds(t, old, new, r)
	if len(r.Findings) == 0 {
		return label + ": none\n"
	}
	var b strings.Builder
	b.WriteString(label + ":\n")
	for i := range r.Findings {
		f := &r.Findings[i]
		fmt.Fprintf(&b, "  %s\n", f)
		if w := f.Witness; w != nil {
			if w.Stored != nil {
				fmt.Fprintf(&b, "    stored: %s\n", told(t, w.Stored))
			}
			fmt.Fprintf(&b, "    object: %s\n", told(t, w.Object))
		}
	}
	return b.String()
}

// told returns an object without what all of them have.
func told(t *testing.T, obj map[string]any) string {
	t.Helper()
	out := map[string]any{}
	for k, v := range obj {
		if k != "apiVersion" && k != "kind" && k != "metadata" {
			out[k] = v
		}
	}
	text, err := json.Marshal(out)
	require.NoError(t, err)
	return string(text)
}
