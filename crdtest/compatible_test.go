package crdtest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crdtest"
	"github.com/crdkit/crdkit/internal/given"
)

var compatibleText = given.Kind("Namespaced", "widgets.example.com", "Widget",
	"{type: object, properties: {spec: {type: object, properties: {a: {type: integer, maximum: 5}, b: {type: string}}}}}")

// told keeps what a test says instead of failing.
type told struct {
	testing.TB
	errors, logs []string
}

func (t *told) Helper() {}
func (t *told) Errorf(format string, a ...any) {
	t.errors = append(t.errors, fmt.Sprintf(format, a...))
}
func (t *told) Logf(format string, a ...any) { t.logs = append(t.logs, fmt.Sprintf(format, a...)) }

// Clauses: CMP-009.
func TestCompatible(t *testing.T) {
	old := crdtest.Parse(t, compatibleText)
	run := func(before, after string, accepted ...string) *told {
		require.Contains(t, compatibleText, before)
		tb := &told{TB: t}
		crdtest.Parse(t, strings.Replace(compatibleText, before, after, 1)).Compatible(tb, old, accepted...)
		return tb
	}

	t.Run("nothing changes", func(t *testing.T) {
		tb := run("maximum: 5", "maximum: 5")
		require.Empty(t, tb.errors)
		require.Empty(t, tb.logs)
	})
	t.Run("something breaks", func(t *testing.T) {
		tb := run("maximum: 5", "maximum: 4")
		require.Len(t, tb.errors, 1)
		require.Contains(t, tb.errors[0], `v1 maximum spec.a: breaks: maximum refuses what was accepted. Before: 5. Now: 4.
---
# create
apiVersion: example.com/v1
kind: Widget
metadata:
  name: sample
spec:
  a: 5
`)
	})
	t.Run("data is lost", func(t *testing.T) {
		tb := run(", b: {type: string}", "")
		require.Len(t, tb.errors, 1)
		require.Contains(t, tb.errors[0], "v1 existingFieldRemoval spec.b: loses data")
	})
	t.Run("it is meant", func(t *testing.T) {
		tb := run("maximum: 5", "maximum: 4", "v1 maximum spec.a")
		require.Empty(t, tb.errors)
		require.Len(t, tb.logs, 1)
	})
	t.Run("a name of no finding", func(t *testing.T) {
		require.Equal(t, []string{`no finding has the name "v1 minimum spec.a"`}, run("maximum: 5", "maximum: 5", "v1 minimum spec.a").errors)
	})
	t.Run("it loosens", func(t *testing.T) {
		tb := run("maximum: 5", "maximum: 6")
		require.Empty(t, tb.errors)
		require.Len(t, tb.logs, 1)
	})
	t.Run("a definition is gone", func(t *testing.T) {
		tb := &told{TB: t}
		crdtest.Parse(t, strings.ReplaceAll(compatibleText, "widget", "gadget")).Compatible(tb, old)
		require.Equal(t, []string{"widgets.example.com is gone"}, tb.errors)
	})
}
