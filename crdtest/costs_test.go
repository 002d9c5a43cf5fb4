package crdtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/test/given"
)

// ECT-020: costs in a file.
func TestRequireCosts(t *testing.T) {
	const spec = `{type: object, properties: {
  a: {type: array, maxItems: 10, items: {type: string, maxLength: 20, x-kubernetes-validations: [{rule: "self.contains('x')", messageExpression: "self + '!'"}]}},
  b: {type: integer, x-kubernetes-validations: [{rule: "self > 1 &&\n  self < 10", message: between}]}}}`
	file := filepath.Join(t.TempDir(), "costs.txt")
	s := Parse(t, definitionOf(spec))

	r := &recorder{TB: t}
	s.RequireCosts(r, file)
	require.Len(t, r.errors, 1)
	require.Contains(t, r.errors[0], "costs.txt is missing: CRDTEST_UPDATE=1 or -crdtest.update writes it")
	require.NoFileExists(t, file)

	t.Setenv("CRDTEST_UPDATE", "1")
	s.RequireCosts(t, file)
	t.Setenv("CRDTEST_UPDATE", "")
	s.RequireCosts(t, file)
	data := given.File(t, file)
	require.Equal(t, `# The estimated costs of rules, written by crdtest.
things.example.com
  spec.versions[0].schema.openAPIV3Schema: total 104
    properties[spec].properties[a].items.x-kubernetes-validations[0]: 90, 0.0%, message 10: self.contains('x')
    properties[spec].properties[b].x-kubernetes-validations[0]: 4, 0.0%: self > 1 && self < 10
`, string(data))
	require.NoError(t, os.WriteFile(file, []byte(strings.ReplaceAll(string(data), "\n", "\r\n")), 0o644))
	s.RequireCosts(t, file) // as git may write it on Windows

	r = &recorder{TB: t}
	Parse(t, definitionOf(strings.Replace(spec, "maxItems: 10", "maxItems: 100", 1))).RequireCosts(r, file)
	require.Len(t, r.errors, 1)
	_, diff, _ := strings.Cut(r.errors[0], "\n")
	require.Equal(t, `    - spec.versions[0].schema.openAPIV3Schema: total 104
    - properties[spec].properties[a].items.x-kubernetes-validations[0]: 90, 0.0%, message 10: self.contains('x')
    + spec.versions[0].schema.openAPIV3Schema: total 914
    + properties[spec].properties[a].items.x-kubernetes-validations[0]: 900, 0.0%, message 10: self.contains('x')`, diff)

	r = &recorder{TB: t}
	Parse(t, definitionOf(withRules(60))).RequireCosts(r, file)
	require.Contains(t, r.errors[0], "\n    and 24 more")
}

// withRules returns a schema with that many rules.
func withRules(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "p%02d: {type: integer, x-kubernetes-validations: [{rule: self > 1}]}, ", i)
	}
	return "{type: object, properties: {" + b.String() + "}}"
}
