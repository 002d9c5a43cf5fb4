package plan

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
)

// frame returns the frame that the steps lead to: a text is a property, a text behind * another key, a number an item.
func frame(steps ...any) *Frame {
	var f *Frame
	for _, s := range steps {
		switch x := s.(type) {
		case int:
			f = &Frame{Parent: f, Index: x, Step: StepItem}
		case string:
			if key, other := strings.CutPrefix(x, "*"); other {
				f = &Frame{Parent: f, Key: key, Step: StepOtherKey}
			} else {
				f = &Frame{Parent: f, Key: x}
			}
		}
	}
	return f
}

// The same place has three texts: VAL-004, PRU-010, and OME-012 with LST-009.
func TestTexts(t *testing.T) {
	for _, row := range []struct {
		steps              []any
		name, dotted, path string
	}{
		{nil, "", "", "<nil>"},
		{[]any{"spec"}, "spec", "spec", "spec"},
		{[]any{"*foo"}, ".foo", "foo", "[foo]"},
		{[]any{"spec", "items", 7, "name"}, "spec.items[7].name", "spec.items[7].name", "spec.items[7].name"},
		{[]any{"spec", "m", "*k.1"}, "spec.m.k.1", "spec.m.k.1", "spec.m[k.1]"},
		{[]any{"mp", "*k.1", 1}, "mp.k.1[1]", "mp.k.1[1]", "mp[k.1][1]"},
		{[]any{0}, "[0]", "[0]", "[0]"},
		{[]any{0, "a"}, "[0].a", "[0].a", "[0].a"},
		{[]any{3, 0, "z"}, "[3][0].z", "[3][0].z", "[3][0].z"},
		{[]any{""}, "", "", "[]"},
		{[]any{"*"}, ".", "", "[]"},
		{[]any{"spec", ""}, "spec.", "spec.", "spec[]"},
		{[]any{"", "a"}, "a", ".a", "[].a"},
		{[]any{"*", "a"}, "..a", ".a", "[].a"},
		{[]any{"a.b", "[0]"}, "a.b.[0]", "a.b.[0]", "a.b.[0]"},
		{[]any{"a", 1234567890}, "a[1234567890]", "a[1234567890]", "a[1234567890]"},
	} {
		f := frame(row.steps...)
		require.Equal(t, row.name, f.Name(), "%v", row.steps)
		require.Equal(t, row.dotted, f.Dotted(), "%v", row.steps)
		require.Equal(t, row.path, f.Path(nil).String(), "%v", row.steps)
	}
}

// The path of a schema begins at the last branch; a branch is in no path of a value.
func TestSchemaPath(t *testing.T) {
	require.Empty(t, frame().Schema(""))
	require.Equal(t, "properties[status]", frame().Schema("properties[status]"))
	require.Equal(t, "properties[a.b].additionalProperties.items.properties[]", frame("a.b", "*k", 1, "").Schema(""))
	require.Equal(t, "properties[status].properties[a]", frame("a").Schema("properties[status]"))
	branch := &Frame{Parent: frame("a", 1), Step: StepBranch}
	below := &Frame{Parent: branch, Key: "b"}
	require.Empty(t, branch.Schema("x"))
	require.Equal(t, "properties[b]", below.Schema("x"))
	require.Equal(t, []string{"a[1]", "a[1].b"}, []string{branch.Name(), below.Name()})
	require.Equal(t, []string{"a[1]", "a[1].b"}, []string{branch.Path(nil).String(), below.Path(nil).String()})
	require.True(t, (&Frame{Step: StepBranch}).Unnamed())
	require.False(t, below.Unnamed())
}

func TestPathBehindAnother(t *testing.T) {
	base := field.NewPath("status")
	require.Same(t, base, frame().Path(base))
	require.Equal(t, "status[0].a[b]", frame(0, "a", "*b").Path(base).String())
	require.Equal(t, "status", base.String(), "the base stays")
}

// A deep path takes time in its length, not in its square.
func TestDeepTexts(t *testing.T) {
	const depth = 100_000
	steps := make([]any, depth)
	for i := range steps {
		steps[i] = "a"
	}
	f := frame(steps...)
	want := strings.Repeat(".a", depth)[1:]
	require.True(t, want == f.Name())
	require.True(t, want == f.Dotted())
}
