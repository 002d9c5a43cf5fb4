package check

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
)

// A clause is a clause of a format string: the types that it accepts, and the error for others (CEN-053).
type clause struct {
	kinds []types.Kind
	text  string
}

// clauses has the clauses by their letters. All of them accept dyn.
var clauses = func() map[byte]clause {
	const was = ", was given "
	real := []types.Kind{types.DoubleKind, types.StringKind} // infinities and NaN may be written as strings
	whole := []types.Kind{types.IntKind, types.UintKind}
	hex := clause{append(slices.Clone(whole), types.StringKind, types.BytesKind),
		"only integers, byte buffers, and strings can be formatted as hex" + was}
	return map[byte]clause{
		's': {[]types.Kind{
			types.ListKind, types.MapKind, types.IntKind, types.UintKind, types.DoubleKind, types.BoolKind, types.StringKind,
			types.TimestampKind, types.BytesKind, types.DurationKind, types.TypeKind, types.NullTypeKind,
		}, "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps" + was},
		'd': {whole, "decimal clause can only be used on integers" + was},
		'o': {whole, "octal clause can only be used on integers" + was},
		'f': {real, "fixed-point clause can only be used on doubles" + was},
		'e': {real, "scientific clause can only be used on doubles" + was},
		'b': {append(slices.Clone(whole), types.BoolKind), "only integers and bools can be formatted as binary" + was},
		'x': hex,
		'X': hex,
	}
}()

// format checks the clauses of a call '<literal>'.format([...]) until the first error: CEN-053. Other forms of calls
// are not checked.
func (v *validator) format(e ast.Expr) {
	c := e.AsCall()
	if !c.IsMemberFunction() || len(c.Args()) != 1 || c.Args()[0].Kind() != ast.ListKind ||
		c.Target().Kind() != ast.LiteralKind {
		return
	}
	template, ok := c.Target().AsLiteral().Value().(string)
	if !ok {
		return
	}
	args := c.Args()[0].AsList().Elements()
	used := 0
	for {
		_, rest, more := strings.Cut(template, "%")
		if !more {
			break
		}
		if strings.HasPrefix(rest, "%") {
			template = rest[1:]
			continue
		}
		switch {
		case rest == "":
			v.add(e.ID(), "unexpected end of string")
			return
		case used >= len(args):
			v.add(e.ID(), fmt.Sprintf("index %d out of range", used))
			return
		}
		letter, rest, err := nextClause(rest)
		if err != nil {
			v.add(e.ID(), "could not parse formatting clause: "+err.Error())
			return
		}
		if bad := v.mismatched(args[used], letter); bad != nil {
			v.add(bad.ID(), "error during formatting: "+clauses[letter].text+v.GetType(bad.ID()).TypeName())
			return
		}
		template = rest
		used++
	}
	if len(args) > used {
		v.add(e.ID(), fmt.Sprintf("too many arguments supplied to string.format (expected %d, got %d)", used, len(args)))
	}
}

// nextClause returns the letter of the clause at the beginning of s, which must not be empty, and the rest of s.
func nextClause(s string) (letter byte, rest string, err error) {
	if s[0] == '.' {
		digits := s[1:]
		end := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || '9' < r })
		if end < 0 {
			return 0, "", errors.New("error while parsing precision: could not find end of precision specifier")
		}
		if _, err := strconv.Atoi(digits[:end]); err != nil {
			return 0, "", fmt.Errorf("error while parsing precision: error while converting precision to integer: %w", err)
		}
		s = digits[end:]
	}
	if _, known := clauses[s[0]]; !known {
		// A server reads a letter as a byte. Of a longer character, it prints the first byte as a code point.
		return 0, "", fmt.Errorf("unrecognized formatting clause \"%c\"", rune(s[0]))
	}
	return s[0], s[1:], nil
}

// mismatched returns the part that the clause does not accept: e itself, or for %s an element, key or value in it; nil
// if there is none.
func (v *validator) mismatched(e ast.Expr, letter byte) ast.Expr {
	kind := v.GetType(e.ID()).Kind()
	if kind != types.DynKind && !slices.Contains(clauses[letter].kinds, kind) {
		return e
	}
	if letter != 's' {
		return nil
	}
	switch e.Kind() {
	case ast.ListKind:
		for _, elem := range e.AsList().Elements() {
			if bad := v.mismatched(elem, letter); bad != nil {
				return bad
			}
		}
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			for _, part := range []ast.Expr{entry.AsMapEntry().Key(), entry.AsMapEntry().Value()} {
				if bad := v.mismatched(part, letter); bad != nil {
					return bad
				}
			}
		}
	}
	return nil
}
