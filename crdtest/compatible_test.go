package crdtest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/test/given"
)

var compatibleText = given.Kind("Namespaced", "widgets.example.com", "Widget",
	"{type: object, properties: {spec: {type: object, properties: {a: {type: integer, maximum: 5}, b: {type: string}}}}}")

// Clauses: CMP-009.
func TestCompatible(t *testing.T) {
	for _, c := range []struct {
		name, before, after string
		accepted            []string
		failure             string // a part of the only error; "": none
		logs                int
	}{
		{name: "nothing changes"},
		{name: "something breaks", before: "maximum: 5", after: "maximum: 4", failure: `v1 maximum spec.a: breaks: ` +
			`maximum refuses what was accepted. Before: 5. Now: 4.
---
# create
apiVersion: example.com/v1
kind: Widget
metadata:
  name: sample
spec:
  a: 5
`},
		{name: "data is lost", before: ", b: {type: string}", failure: "v1 existingFieldRemoval spec.b: loses data"},
		{name: "it is meant", before: "maximum: 5", after: "maximum: 4", accepted: []string{"v1 maximum spec.a"}, logs: 1},
		{name: "a name of no finding", accepted: []string{"v1 minimum spec.a"},
			failure: `no finding has the name "v1 minimum spec.a"`},
		{name: "it loosens", before: "maximum: 5", after: "maximum: 6", logs: 1},
		{name: "a definition is gone", before: "widget", after: "gadget", failure: "widgets.example.com is gone"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &recorder{TB: t}
			text := compatibleText
			if c.before != "" {
				require.Contains(t, text, c.before)
				text = strings.ReplaceAll(text, c.before, c.after)
			}
			Parse(t, text).Compatible(r, Parse(t, compatibleText), c.accepted...)
			require.Len(t, r.logs, c.logs)
			require.Len(t, r.errors, min(len(c.failure), 1))
			require.Contains(t, strings.Join(r.errors, ""), c.failure)
		})
	}
}
