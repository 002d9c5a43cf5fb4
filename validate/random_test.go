package validate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/internal/validity"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/unstructured"
	"github.com/crdkit/crdkit/validate"
)

func TestRandom(t *testing.T) {
	invalid := given.Random(t, 1500, laws)
	require.Greater(t, invalid, 1000, "invalid objects")
	require.Less(t, invalid, 3500, "valid objects")
}

// laws checks everything that holds for any schema and object, and reports whether the object is valid.
func laws(t *testing.T, p props, s *schema.Structural, obj map[string]any) (valid bool) {
	t.Helper()
	before := unstructured.Clone(obj)
	errs := validate.Validate(s, obj)
	require.Equal(t, before, obj, "the argument is modified")
	for range 2 {
		require.Equal(t, errs, validate.Validate(s, obj), "the order depends on Go's maps")
	}

	// Validate is its three parts, in the order of STR-011.
	value, embedded, lists := validate.Value(s.Root(), nil, obj), validate.Embedded(s.Root(), nil, obj), validate.Lists(s.Root(), nil, obj)
	require.Equal(t, append(append(append(field.List(nil), value...), embedded...), lists...), errs)
	require.ElementsMatch(t, slowLists(p, "", obj), given.Texts(lists))
	everyNode(t, s.Root(), obj)

	// A place in front changes the fields and nothing else.
	at := field.NewPath("status", "x")
	placed := validate.Value(s.Root(), at, obj)
	require.Len(t, placed, len(value))
	for i, e := range placed {
		require.Equal(t, value[i].Detail, e.Detail)
		if value[i].Field == "<nil>" {
			require.Equal(t, "status.x", e.Field)
		} else {
			require.Equal(t, "status.x."+value[i].Field, e.Field)
		}
	}

	// VAL-005: no error is reported twice.
	said := map[string]bool{}
	for _, e := range value {
		if e.Type != field.ErrorTypeTooMany { // its message has a word that the error has not
			require.False(t, said[string(e.Type)+e.Field+e.Detail], "%s is said twice", e)
			said[string(e.Type)+e.Field+e.Detail] = true
		}
	}
	// Each error comes from a keyword of the schema: without that, there is no such error.
	for _, e := range errs {
		without, err := schema.CompileLoose(given.Without(t, p, e.Cause()))
		require.NoError(t, err)
		for _, other := range validate.Validate(without, obj) {
			require.False(t, other.Error() == e.Error() && other.Cause() == e.Cause(), "%s also without its cause: %+v", e, e.Cause())
		}
	}
	require.Equal(t, before, obj, "the argument is modified")
	return len(errs) == 0
}

// everyNode checks what the verdict says against the two walks that it is not exact about, for all nodes that describe
// v or a part of it.
func everyNode(t *testing.T, n schema.Node, v any) {
	t.Helper()
	if validity.OK(plan.Of(n), v, validity.Lists|validity.Schema) {
		require.Empty(t, validate.Lists(n, nil, v))
	}
	if validity.OK(plan.Of(n), v, validity.Embedded|validity.Schema) {
		require.Empty(t, validate.Embedded(n, nil, v))
	}
	switch x := v.(type) {
	case map[string]any:
		for k, c := range x {
			if child, _ := n.Child(k); !child.IsZero() {
				everyNode(t, child, c)
			}
		}
	case []any:
		if items := n.Items(); !items.IsZero() {
			for _, c := range x {
				everyNode(t, items, c)
			}
		}
	}
}

func TestNoAllocs(t *testing.T) {
	given.NoAllocs(t, map[string]func(given.Sized){
		"Validate": func(s given.Sized) { validate.Validate(s.Schema, s.Object) },
		"Value":    func(s given.Sized) { validate.Value(s.Schema.Root(), nil, s.Value) },
	})
}

// Goroutines may share a schema and an object, in the walk that finds nothing and in the one that reports.
func TestConcurrentUse(t *testing.T) {
	for _, size := range given.Sizes(t) {
		broken := unstructured.Clone(size.Object)
		breakStrings(broken["spec"].(map[string]any))
		want := given.Texts(validate.Validate(size.Schema, broken))
		require.NotEmpty(t, want)
		given.Concurrently(3, func() {
			if len(validate.Validate(size.Schema, size.Object)) != 0 {
				t.Error("another verdict")
			}
			if got := given.Texts(validate.Validate(size.Schema, broken)); strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Error("another result")
			}
		})
	}
}

// breakStrings makes a number of each string, and the reverse.
func breakStrings(m map[string]any) {
	for k, v := range m {
		switch x := v.(type) {
		case map[string]any:
			breakStrings(x)
		case string:
			m[k] = int64(len(x))
		case int64:
			m[k] = "text"
		}
	}
}

func FuzzValidate(f *testing.F) { given.Fuzz(f, laws) }

func BenchmarkValidate(b *testing.B) {
	for _, size := range given.Sizes(b) {
		one := unstructured.Clone(size.Object)
		given.BreakOne(one["spec"].(map[string]any))
		all := unstructured.Clone(size.Object)
		breakStrings(all["spec"].(map[string]any))
		for _, row := range []struct {
			name string
			obj  map[string]any
		}{{"valid", size.Object}, {"oneError", one}, {"manyErrors", all}} {
			given.Bench(b, size.Name+"/"+row.name, func() { validate.Validate(size.Schema, row.obj) })
		}
	}
}
