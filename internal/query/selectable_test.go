package query

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// SEL-001: the labels of a version are the name, the namespace if its objects have one, and its selectable fields
// without the leading dot.
func TestSelectableLabels(t *testing.T) {
	obj := map[string]any{"metadata": map[string]any{"name": "a", "namespace": "ns"}, "spec": map[string]any{"colour": "red"}}
	for _, row := range []struct {
		name string
		s    *Selectable
		want map[string]string
	}{
		{"namespaced", NewSelectable(true), map[string]string{"metadata.name": "a", "metadata.namespace": "ns"}},
		{"cluster-scoped", NewSelectable(false), map[string]string{"metadata.name": "a"}},
		{"own field", NewSelectable(false, ".spec.colour"), map[string]string{"metadata.name": "a", "spec.colour": "red"}},
		{"own field of a known label", NewSelectable(false, ".metadata.name"), map[string]string{"metadata.name": "a"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := row.s.Values(obj)
			require.NoError(t, err)
			require.Equal(t, row.want, got)
			_, err = row.s.Parse("metadata.namespace=ns")
			_, offers := row.want["metadata.namespace"]
			require.Equal(t, offers, err == nil)
		})
	}
}

// SEL-002, SEL-003: the text of a value.
func TestSelectableValue(t *testing.T) {
	cyclic := map[string]any{}
	cyclic["a"] = cyclic
	type name string
	for _, row := range []struct {
		name  string
		value any
		want  string
		fails bool
	}{
		{"null", nil, "", false},
		{"empty text", "", "", false},
		{"text", "a b", "a b", false},
		{"integer", int64(-7), "-7", false},
		{"true", true, "true", false},
		{"false", false, "false", false},
		{"whole float64 as storage gives it back", 1e3, "1000", false},
		{"large whole float64", 1e6, "1000000", false},
		{"negative zero", math.Copysign(0, -1), "0", false},
		{"float64 that no int64 holds", 1e19, "1e+19", false},
		{"fraction", 1.5, "1.5", false},
		{"small fraction", 1e-7, "1e-07", false},
		{"object", map[string]any{"b": nil, "a": 1.0}, "map[a:1 b:<nil>]", false},
		{"list", []any{int64(1), "x"}, "[1 x]", false},
		{"number of another type", uint8(7), "7", false},
		{"number as text", json.Number("7"), "7", false},
		{"text of a named type", name("x"), "x", false},
		{"no JSON number", math.NaN(), "", true},
		{"no JSON", struct{}{}, "", true},
		{"contains itself", cyclic, "", true},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := NewSelectable(false, ".x")
			obj := map[string]any{"x": row.value}
			got, err := s.Values(obj)
			f, parseErr := s.Parse("x=" + row.want)
			require.NoError(t, parseErr)
			if row.fails {
				require.Error(t, err)
				require.False(t, f.Matches(obj))
				f, parseErr = s.Parse("x!=y")
				require.NoError(t, parseErr)
				require.False(t, f.Matches(obj))
				return
			}
			require.NoError(t, err)
			require.Equal(t, row.want, got["x"])
			require.True(t, f.Matches(obj))
		})
	}
}

// SEL-002: the values of paths. A missing value has an empty text.
func TestSelectablePath(t *testing.T) {
	spec := map[string]any{
		"a": map[string]any{"b": "deep"}, "s": "text", "l": []any{"one", "two"}, "null": nil, "a.b": "dotted", "": "nameless", "odd": "odd",
		"single": map[string]any{"only": "one"}, "letter": "x", "none": map[string]any{},
	}
	const broken = "unexpected error parsing jsonPath: "
	for _, row := range []struct{ name, path, want, err string }{
		{"name below name", ".spec.a.b", "deep", ""},
		{"absent", ".spec.x", "", ""},
		{"below absent", ".spec.x.y.z", "", ""},
		{"below null", ".spec.null.x", "", ""},
		{"below a text", ".spec.s.x", "", ""},
		{"below a list", ".spec.l.x", "", ""},
		{"escaped dot", `.spec.a\.b`, "dotted", ""},
		{"blank at the end", ".spec.odd ", "odd", ""},
		{"@ and $", "$@.spec@.odd$", "odd", ""},
		{"empty name", ".spec.", "nameless", ""},
		{"all of one", ".spec.single.*", "one", ""},
		{"all of none", ".spec.none.*", "", ""},
		{"all of null", ".spec.null.*", "", ""},
		{"all of a text of one letter", ".spec.letter.*", "120", ""},
		{"all, and then one", ".spec.*.only", "one", ""},
		{"all of several", ".spec.l.*", "", "unexpectedly received more than one JSON path result"},
		{"no dot", "spec.odd", "", broken + `"spec.odd" is not a path of field names`},
		{"two words", ".spec.odd x", "", broken + `".spec.odd x" is not a path of field names`},
		{"brackets", ".spec['odd']", "", broken + `".spec['odd']" is not a path of field names`},
		{"descent", "..odd", "", broken + `"..odd" is not a path of field names`},
		{"backslash at the end", `.spec.odd\`, "", broken + `".spec.odd\\" is not a path of field names`},
		{"brace", ".spec.odd}", "", broken + `".spec.odd}" is not a path of field names`},
		{"line end", ".spec.odd\n", "", broken + `".spec.odd\n" is not a path of field names`},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := NewSelectable(true, row.path)
			obj := map[string]any{"metadata": map[string]any{"name": "a", "labels": map[string]any{"l": "1"}}, "spec": spec}
			values, err := s.Values(obj)
			// SEL-006: an object with an unreadable field is selected only by the empty selector.
			for _, texts := range [][2]string{{"", ""}, {"l", ""}, {"", "metadata.name=a"}} {
				both, parseErr := s.Selector(texts[0], texts[1])
				require.NoError(t, parseErr)
				require.Equal(t, row.err == "" || both.Empty(), both.Matches(obj))
			}
			if row.err != "" {
				require.EqualError(t, err, row.err)
				return
			}
			require.NoError(t, err)
			label := row.path
			if label[0] == '.' {
				label = label[1:]
			}
			require.Equal(t, row.want, values[label])
		})
	}
}

// A map that contains itself has an unlimited number of values.
func TestSelectableBounded(t *testing.T) {
	cyclic := map[string]any{}
	cyclic["a"], cyclic["b"] = cyclic, cyclic
	_, err := NewSelectable(false, ".*.*.*.*.*.*.*.*.*.*.*.*.*.*.*.*.*.*.*.*.*.*.*.*.*.*.*.*.*.*.*.*.*.*.*.*.*.*.*.*").Values(cyclic)
	require.EqualError(t, err, "unexpected error finding value with jsonPath: too many values")
}

// SEL-002: a name is a string. A value of another type counts as absent.
func TestSelectableName(t *testing.T) {
	s := NewSelectable(true)
	for _, metadata := range []any{nil, "x", map[string]any{}, map[string]any{"name": int64(5), "namespace": nil}} {
		got, err := s.Values(map[string]any{"metadata": metadata})
		require.NoError(t, err)
		require.Equal(t, map[string]string{"metadata.name": "", "metadata.namespace": ""}, got)
	}
}

// SEL-002, SEL-003: terms over values.
func TestFieldsMatches(t *testing.T) {
	obj := map[string]any{
		"metadata": map[string]any{"name": "a", "namespace": "ns"},
		"spec":     map[string]any{"int": int64(7), "str": nil},
	}
	for _, row := range []struct {
		text string
		want bool
	}{
		{"", true},
		{"=", true},
		{"metadata.name=a,metadata.namespace=ns", true},
		{"metadata.name!=a", false},
		{"spec.int=7", true},
		{"spec.int=07", false},
		{"spec.int=7.0", false},
		{"spec.int=7,spec.bool=false", false},
		{"spec.bool=", true},
		{"spec.bool!=", false},
		{"spec.bool!=true", true},
		{"spec.str=", true},
		{"spec.int!=", true},
		{"spec.m.k=", true},
	} {
		f, err := offered.Parse(row.text)
		require.NoError(t, err, row.text)
		require.Equal(t, row.want, f.Matches(obj), row.text)
	}
}

// SEL-006: both selectors must match. An error in the labels is reported first.
func TestSelector(t *testing.T) {
	obj := map[string]any{"metadata": map[string]any{"name": "a", "labels": map[string]any{"l": "1"}}}
	for _, row := range []struct {
		labels, fields string
		want           bool
	}{
		{"", "", true},
		{"l=1", "", true},
		{"", "metadata.name=a", true},
		{"l=1", "metadata.name=a", true},
		{"l=2", "metadata.name=a", false},
		{"l=1", "metadata.name=b", false},
	} {
		s, err := offered.Selector(row.labels, row.fields)
		require.NoError(t, err)
		require.Equal(t, row.want, s.Matches(obj), "%s %s", row.labels, row.fields)
		require.Equal(t, row.labels == "" && row.fields == "", s.Empty())
		require.Equal(t, row.labels, s.Labels().String())
		require.Equal(t, row.fields, s.Fields().String())
	}
	_, err := offered.Selector("=", "x")
	require.EqualError(t, err, "found '=', expected: !, identifier, or 'end of string'")
	_, err = offered.Selector("a", "x")
	require.EqualError(t, err, "invalid selector: 'x'; can't understand 'x'")
	var zero Selector
	require.True(t, zero.Matches(nil))
}

func FuzzSelectablePath(f *testing.F) {
	for _, s := range []string{".spec.a", ".*.b", `.a\.b`, ".a b", "..", ".", "", "$.a", ".a[0]"} {
		f.Add(s)
	}
	obj := map[string]any{"spec": map[string]any{"a": "x", "b": []any{int64(1), "yy"}}, "a.b": 1.5}
	f.Fuzz(func(t *testing.T, path string) {
		s := NewSelectable(true, path)
		first, err := s.Values(obj)
		second, again := s.Values(obj)
		require.Equal(t, err == nil, again == nil)
		require.Equal(t, first, second)
	})
}

func TestName(t *testing.T) {
	for selector, want := range map[string]string{
		"": "", "metadata.name=a": "a", "metadata.name==a": "a", "metadata.name!=a": "", "x=y,metadata.name=a": "a", "metadata.name=b,metadata.name=a": "a",
		`x=y\\,metadata.name=a`: "a", `x=y\,metadata.name=a`: "", " metadata.name=a": "", "metadata.name= a": " a", `metadata.name=a\=b`: "a=b", "metadata.name=a,b": "",
	} {
		require.Equal(t, want, Name(selector), selector)
	}
}
