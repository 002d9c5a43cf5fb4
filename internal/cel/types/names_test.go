package types

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// CTY-010.
func TestEscapeName(t *testing.T) {
	for _, row := range []struct{ name, want string }{
		{"a", "a"},
		{"aB_9", "aB_9"},
		{"_", "_"},
		{"_a", "_a"},
		{"a.b", "a__dot__b"},
		{"a-b", "a__dash__b"},
		{"a/b", "a__slash__b"},
		{"./-", "__dot____slash____dash__"},
		{"__", "__underscores__"},
		{"___", "__underscores___"},
		{"____", "__underscores____underscores__"},
		{"a__b", "a__underscores__b"},
		{"_.", "___dot__"},
		{"namespace", "__namespace__"},
		{"true", "__true__"},
		{"in", "__in__"},
		{"while", "__while__"},
		{"__true__", "__underscores__true__underscores__"},
		{"namespaces", "namespaces"},
		{"True", "True"},
		{"int", "int"},
		{"self", "self"},
		{"type", "type"},
		{"a9", "a9"},
	} {
		escaped, ok := EscapeName(row.name)
		require.True(t, ok, row.name)
		require.Equal(t, row.want, escaped, row.name)
		name, ok := UnescapeName(row.want)
		require.True(t, ok, row.want)
		require.Equal(t, row.name, name, row.want)
	}
	for _, name := range []string{"", "1a", "9", "$a", "a$", "a b", " ", "é", "a\xff", "a:b", "a@"} {
		_, ok := EscapeName(name)
		require.False(t, ok, name)
	}
	for _, escaped := range []string{"", "a.b", "a__b", "namespace", "__dot", "__x__", "__true", "true__", "_____", "1a", "__1a__", "é"} {
		_, ok := UnescapeName(escaped)
		require.False(t, ok, escaped)
	}
}

// CTY-010: what has a name in CEL has only that one, and gets back from it.
func FuzzEscapeName(f *testing.F) {
	for _, seed := range []string{"", "a", "__", "a__dot__b", "namespace", "__namespace__", "._-/", "_.__._", "é"} {
		f.Add(seed)
	}
	input := regexp.MustCompile(`^[A-Za-z_./-][A-Za-z0-9_./-]*$`)
	f.Fuzz(func(t *testing.T, s string) {
		escaped, ok := EscapeName(s)
		require.Equal(t, input.MatchString(s), ok)
		if ok {
			require.Regexp(t, `^[A-Za-z_][A-Za-z0-9_]*$`, escaped)
			require.False(t, IsKeyword(escaped))
			back, ok := UnescapeName(escaped)
			require.True(t, ok)
			require.Equal(t, s, back)
		}
		if name, ok := UnescapeName(s); ok {
			again, ok := EscapeName(name)
			require.True(t, ok)
			require.Equal(t, s, again)
		}
	})
}
