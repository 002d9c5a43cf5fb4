package compat_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/compat"
	"github.com/crdkit/crdkit/internal/test/given"
)

// A schema deeper than the limit is compared as far as that. What is below is said to be unknown, unless it is the same.
func TestDeepSchemas(t *testing.T) {
	side := func(inner string) string {
		const levels = 2_000
		return given.Kind("Namespaced", "widgets.example.com", "Widget",
			"{type: object, properties: {spec: "+strings.Repeat("{type: object, properties: {a: ", levels)+inner+strings.Repeat("}}", levels)+"}}")
	}
	old := given.Definition(t, side("{type: string}"))
	r, err := compat.Compare(t.Context(), old, old, nil)
	require.NoError(t, err)
	require.Empty(t, r.Findings)
	require.Zero(t, r.NotCompared)

	r, err = compat.Compare(t.Context(), old, given.Definition(t, side("{type: string, maxLength: 3}")), nil)
	require.NoError(t, err)
	require.Equal(t, compat.Unknown, r.Worst())
	require.Equal(t, 1, r.NotCompared)
	require.Len(t, r.Findings, 1)
	require.Equal(t, "notCompared", r.Findings[0].Check)
	require.Contains(t, string(r.JSON()), `"notCompared": 1`)
}

// Findings beyond the limit are counted, and the worst verdict is that of all.
func TestManyFindings(t *testing.T) {
	side := func(names, spec string) string {
		d := given.Kind("Namespaced", "widgets.example.com", "Widget", "{type: object, properties: {spec: "+spec+"}}")
		return strings.Replace(d, "kind: Widget}", "kind: Widget, shortNames: ["+names+"]}", 1)
	}
	const many = 30_000
	names := strings.Join(given.List(many, func(i int) string { return fmt.Sprintf("n%d", i) }), ", ")
	old := given.Definition(t, side(names, "{type: object, properties: {a: {type: string}, b: {type: string}}}"))
	now := given.Definition(t, side("other", "{type: object, properties: {a: {type: string}}}"))
	r, err := compat.Compare(t.Context(), old, now, nil)
	require.NoError(t, err)
	require.Greater(t, r.Omitted, many/2)
	require.Equal(t, many+1, len(r.Findings)+r.Omitted)
	last := r.Findings[len(r.Findings)-1]
	require.Equal(t, compat.LosesData, last.Verdict, "the only one of its verdict is listed")
	require.Contains(t, r.String(), fmt.Sprintf("and %d more\n", many+1-strings.Count(r.String(), "\n")+1+strings.Count(r.String(), "  object:")))
}

// Many versions are compared as far as the limit of schemas, and the pairs that are left are counted.
func TestManyVersions(t *testing.T) {
	const versions, fields = 50, 60
	var b strings.Builder
	b.WriteString(given.Head("Namespaced", "widgets.example.com", "Widget") + "  versions:\n")
	for i := range versions {
		properties := strings.Join(given.List(fields, func(k int) string { return fmt.Sprintf("k%d: {type: string, maxLength: %d}", k, i+1) }), ", ")
		fmt.Fprintf(&b, "  - {name: v%d, served: true, storage: %v, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {%s}}}}}}\n", i+1, i == 0, properties)
	}
	r, err := compat.Versions(t.Context(), given.Definition(t, b.String()), nil)
	require.NoError(t, err)
	require.Positive(t, r.NotCompared)
	require.Equal(t, compat.Unknown, r.Worst())
}

// Default items of lists in each other would make objects too large to compare. That is said, and nothing is claimed.
func TestLargeDefaults(t *testing.T) {
	side := func(inner string) string {
		const levels = 20
		return given.Kind("Namespaced", "widgets.example.com", "Widget", "{type: object, properties: {spec: "+
			strings.Repeat("{type: array, default: [{}, {}], items: {type: object, properties: {a: ", levels)+inner+strings.Repeat("}}}", levels)+"}}")
	}
	r, err := compat.Compare(t.Context(), given.Definition(t, side("{type: string}")), given.Definition(t, side("{type: string, maxLength: 3}")), nil)
	require.NoError(t, err)
	require.NotEmpty(t, r.Findings)
	for _, f := range r.Findings {
		require.Equal(t, compat.Unknown, f.Verdict, "%s", f.String())
		require.Nil(t, f.Witness)
	}
}
