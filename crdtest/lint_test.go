package crdtest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/test/given"
)

// Warnings fail the test, with their line and their witness; notes do not, and ignored lints are not there.
func TestLint(t *testing.T) {
	text := given.Kind("Namespaced", "widgets.example.org", "Widget",
		"{type: object, properties: {spec: {type: object, properties: {template: {type: object, properties: {metadata: {type: object}}}}}, status: {type: object}}}")
	s := Parse(t, text)
	r := &recorder{TB: t}
	s.Lint(r)
	require.Len(t, r.errors, 1)
	require.Contains(t, r.errors[0], "widgets.example.org: warning: pruned-metadata: spec.template.metadata: every field in it is dropped")
	require.Contains(t, r.errors[0], `create through v1: {"spec":{"template":{"metadata":{"labels":{"a":"b"}}}}}`)
	require.Contains(t, strings.Join(r.logs, "\n"), "note: status-without-subresource")

	r = &recorder{TB: t}
	s.Lint(r, "pruned-metadata", "status-without-subresource")
	require.Empty(t, r.errors)
	require.Empty(t, r.logs)

	r = &recorder{TB: t}
	s.Lint(r, "pruned-metadata", "pruned")
	require.Len(t, r.errors, 1)
	require.Contains(t, r.errors[0], "no lint has the name pruned")
}
