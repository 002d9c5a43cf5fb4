package ruleset_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/cel/ruleset"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/test/given"
)

func pathRoot(t testing.TB) *plan.Node {
	t.Helper()
	return plan.Root(given.Structural(t, pathDocument))
}

const pathDocument = `
type: object
properties:
  a: {type: string}
  a-b: {type: string}
  "it's": {type: string}
  "": {type: object, properties: {x: {type: string}}}
  y.z: {type: string}
  m: {type: object, additionalProperties: {type: object, properties: {x: {type: string}}}}
  any: {type: object, additionalProperties: true}
  list: {type: array, items: {type: object, properties: {x: {type: string}}}}
`

func TestResolve(t *testing.T) {
	n, p := pathRoot(t), given.Schema(t, pathDocument)
	const none = "does not refer to a valid field"
	for _, c := range []struct {
		name, text, path, err string
	}{
		{"CRF-006 a field", ".a", "a", ""},
		{"CRF-006 a dash", ".a-b", "a-b", ""},
		{"CRF-006 in brackets", "['a-b']", "a-b", ""},
		{"JPV-001 an escaped quote", `['it\'s']`, "it's", ""},
		{"CRF-006 a dot in a name", "['y.z']", "y.z", ""},
		{"CRF-006 the field without a name", "['']", "[]", ""},
		{"CRF-006 below that", "[''].x", "[].x", ""},
		{"CRF-006 a map's key", ".m.k", "m[k]", ""},
		{"CRF-006 in brackets", ".m['k.1'].x", "m[k.1].x", ""},
		{"JPV-002 undeclared", ".b", "", none},
		{"JPV-002 below a scalar", ".a.x", "", none},
		{"JPV-002 below a list", ".list.x", "", none},
		{"JPV-003 additionalProperties: true", ".any.x", "any[x]", ""},
		{"JPV-003 below that", ".any.x.y", "", none},
		{"JPV-001 no dot", "a", "", "expected [ or . but got: a"},
		{"JPV-001 self", "self.a", "", "expected [ or . but got: self"},
		{"JPV-001 a blank", " .a", "", "expected [ or . but got:  "},
		{"JPV-001 an index", ".list[0]", "", "expected single quoted string but got 0"},
		{"JPV-001 ends", ".", "", "unexpected end of JSON path"},
		{"JPV-001 ends behind a field", ".a.", "", "unexpected end of JSON path"},
		{"JPV-001 ends in brackets", "['a'", "", "unexpected end of JSON path"},
		{"JPV-001 a bracket alone", "[", "", "unexpected end of JSON path"},
		{"JPV-001 no closing quote", "['a", "", "expected single quoted string but got 'a"},
		{"JPV-001 a single quote", "[']", "", "expected single quoted string but got ']"},
		{"JPV-001 no closing bracket", "['a'.b", "", "expected ] but got ."},
		{"JPV-002 two dots", "..a", "", none},
		{"JPV-001 a bad escape", `['\q']`, "", `invalid string literal: invalid escape char \q`},
		{"JPV-001 the last bad escape is told", `['\q\é']`, "", `invalid string literal: invalid escape char \é`},
		{"JPV-001 an escape that is no UTF-8", "['\\\xff']", "", "invalid string literal: invalid escape char \\\xff"},
		{"JPV-001 escapes", `.m['\a\b\f\n\r\t\v\\x']`, "m[\a\b\f\n\r\t\v\\x]", ""},
		{"JPV-001 a quote behind a backslash ends nothing", `.m['\\']`, "", `expected single quoted string but got '\\']`},
		{"CRF-006 escaped names are none", ".__namespace__", "", none},
	} {
		t.Run(c.name, func(t *testing.T) {
			path, end, err := ruleset.ResolvePath(n, c.text, true)
			same, schema, fault := ruleset.ResolvePathIn(p, c.text, true)
			require.Equal(t, err, fault)
			require.Equal(t, path, same)
			require.Equal(t, end == nil, schema == nil)
			if c.err != "" {
				require.EqualError(t, err, c.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.path, path.String())
		})
	}
}

func TestResolveOthers(t *testing.T) {
	n := pathRoot(t)
	path, end, err := ruleset.ResolvePath(n, "", true)
	require.NoError(t, err)
	require.Nil(t, path)
	require.Same(t, n, end)

	_, end, err = ruleset.ResolvePath(n, ".any.x", true)
	require.NoError(t, err)
	require.Nil(t, end, "JPV-003")

	_, _, err = ruleset.ResolvePath(n, "['a']", false)
	require.EqualError(t, err, "array notation is not allowed")
	_, _, err = ruleset.ResolvePath(nil, ".a", true)
	require.EqualError(t, err, "does not refer to a valid field")
	_, _, err = ruleset.ResolvePathIn(nil, ".a", true)
	require.EqualError(t, err, "does not refer to a valid field")
}

func FuzzResolve(f *testing.F) {
	for _, s := range []string{".a", "['it\\'s']", ".m.k.x", "['\\", "[']'", "\\", "''"} {
		f.Add(s)
	}
	n := pathRoot(f)
	f.Fuzz(func(t *testing.T, text string) {
		path, _, err := ruleset.ResolvePath(n, text, true)
		if err != nil || text == "" {
			require.Nil(t, path)
			return
		}
		require.NotEmpty(t, path.Segments())
	})
}
