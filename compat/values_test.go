package compat

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/internal/tool/constraint"
	"github.com/crdkit/crdkit/internal/tool/sample"
)

// newPair returns a pair of definitions of widgets, whose specs have these schemas.
func newPair(t *testing.T, old, now string) *pair {
	t.Helper()
	c := newComparer(t.Context(), nil)
	compiled := func(spec string) *version {
		d := given.Definition(t, given.Kind("Namespaced", "widgets.example.com", "Widget", "{type: object, properties: {spec: "+spec+"}}"))
		versions, err := c.compile(d)
		require.NoError(t, err)
		return versions["v1"]
	}
	return &pair{c: c, label: "v1", old: compiled(old), now: compiled(now)}
}

// factsAt returns the facts about values at a schema path.
func factsAt(v *version, schemaPath constraint.Steps) *facts {
	l := v.rootLocation()
	for _, step := range schemaPath {
		l = v.effective(factsOf(l).below(step))
	}
	return factsOf(l)
}

// The values that are tried for a witness, for each restriction of spec in either direction.
//
// A case of testdata/values.txt is "== NAME", the old and the new schema of spec, and the values, which -update writes.
func TestValues(t *testing.T) {
	const file = "testdata/values.txt"
	head, rest, _ := strings.Cut(string(given.File(t, file)), "== ")
	updated := head
	update := given.Update()
	for _, text := range strings.Split(rest, "\n== ") {
		lines := strings.SplitN(text, "\n", 4)
		require.GreaterOrEqual(t, len(lines), 3, text)
		name := lines[0]
		old, isOld := strings.CutPrefix(lines[1], "old: ")
		now, isNew := strings.CutPrefix(lines[2], "new: ")
		require.True(t, isOld && isNew, name)
		got := "== " + strings.Join(lines[:3], "\n") + "\n" + triedValues(newPair(t, old, now), false) + triedValues(newPair(t, now, old), true)
		updated += got + "\n"
		if !update {
			require.Equal(t, "== "+strings.TrimRight(text, "\n")+"\n", got)
		}
	}
	if update {
		require.NoError(t, os.WriteFile(file, []byte(strings.TrimRight(updated, "\n")+"\n"), 0o644))
	}
}

// triedValues returns a line for each restriction of the new side, and a line for each value tried for it.
func triedValues(p *pair, loosens bool) string {
	var b strings.Builder
	schemaPath := constraint.Steps{property("spec")}
	x, y := factsAt(p.old, schemaPath), factsAt(p.now, schemaPath)
	for _, r := range restrictions(x, y) {
		q := &question{schemaPath: schemaPath, restriction: r, x: x, y: y, accepting: p.old, refusing: p.now, loosens: loosens}
		before, after := q.texts()
		fmt.Fprintf(&b, "%s (%s, now %s):\n", r.keyword, before, after)
		obj, err := p.old.objectAt(schemaPath)
		if err != nil {
			fmt.Fprintf(&b, "  %v\n", err)
			continue
		}
		values := p.values(q, obj["spec"])
		for i := 0; i < len(values); i++ {
			if n := len(sample.Texts); i+n <= len(values) && slices.EqualFunc(values[i:i+n], sample.Texts, func(v any, s string) bool { return v == s }) {
				b.WriteString("  ... sample.Texts\n")
				i += n - 1
				continue
			}
			v := values[i]
			text, err := json.Marshal(v)
			if err != nil {
				text = []byte(err.Error())
			}
			if len(text) > 120 {
				text = fmt.Appendf(text[:100:100], "... %d values, %d bytes", countValues(v), len(text))
			}
			mark := " "
			if r.violated != nil && r.violated(v) {
				mark = "!"
			}
			fmt.Fprintf(&b, " %s%s\n", mark, text)
		}
	}
	return b.String()
}
