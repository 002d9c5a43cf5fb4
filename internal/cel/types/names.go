package types

import "strings"

// EscapeName returns the name with which an expression selects the property called name, or false if that is
// impossible.
//
// Clauses: CTY-010.
func EscapeName(name string) (string, bool) {
	if IsKeyword(name) {
		return "__" + name + "__", true
	}
	if name == "" || digit(name[0]) {
		return "", false
	}
	plain := true
	for i := range len(name) {
		switch c := name[i]; {
		case c == '.', c == '-', c == '/':
			plain = false
		case c == '_':
			plain = plain && (i == 0 || name[i-1] != '_')
		case !digit(c) && !letter(c):
			return "", false
		}
	}
	if plain {
		return name, true
	}
	return escapes.Replace(name), true
}

// UnescapeName returns the name of the property that an expression selects as escaped, or false if there can be none. It
// is the inverse of [EscapeName].
//
// Clauses: CTY-010.
func UnescapeName(escaped string) (string, bool) {
	name := escaped
	if strings.Contains(escaped, "__") {
		name = unescapes.Replace(escaped)
		if inner, ok := cutAffixes(escaped); ok && IsKeyword(inner) {
			name = inner
		}
	}
	// Not every name that gets here is a valid escaped name: a__b and keywords are not.
	back, ok := EscapeName(name)
	return name, ok && back == escaped
}

func cutAffixes(s string) (string, bool) {
	s, before := strings.CutPrefix(s, "__")
	s, after := strings.CutSuffix(s, "__")
	return s, before && after
}

// Both replace from left to right, and continue after the replaced part.
var (
	escapes   = strings.NewReplacer("__", "__underscores__", ".", "__dot__", "-", "__dash__", "/", "__slash__")
	unescapes = strings.NewReplacer("__underscores__", "__", "__dot__", ".", "__dash__", "-", "__slash__", "/")
)

// IsKeyword reports whether s is reserved by CEL's grammar.
//
//go:noinline
func IsKeyword(s string) bool {
	switch s {
	case "true", "false", "null", "in",
		"as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop", "package", "namespace",
		"return", "var", "void", "while":
		return true
	}
	return false
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

func letter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
