package clause

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/internal/cel/text"
)

// A Clause is one place of a format text that an argument fills, with the text in front of it.
type Clause struct {
	Before    string // the text since the clause before, %% as %
	Verb      byte   // one of s d f e b x X o
	Precision int    // the number between the dot and the verb; -1 without a dot
}

// A Format is a format text that was read. It is immutable.
type Format struct {
	clauses []Clause
	tail    string // the text behind the last clause, unless there is a mistake
	mistake error  // what is wrong with the clause behind the last one of clauses
}

// errEnd is the mistake of a text that ends in a percent sign. A server asks for it before or after it asks for an argument, depending on
// what it does.
var errEnd = errors.New("unexpected end of string")

// Parse reads a format text. A mistake in it is kept for Append and Check.
//
// Clauses: CLI-003, CLI-004.
func Parse(s string) *Format {
	f := new(Format)
	for {
		before, rest, found := literal(s)
		if !found {
			f.tail = before
			return f
		}
		c, n, err := parseClause(rest)
		if err != nil {
			f.mistake = err
			return f
		}
		c.Before = before
		f.clauses = append(f.clauses, c)
		s = rest[n:]
	}
}

// literal returns the text in front of the first clause of s, and s behind the clause's percent sign.
func literal(s string) (before, rest string, found bool) {
	var b strings.Builder
	for {
		i := strings.IndexByte(s, '%')
		if i < 0 || i+1 == len(s) || s[i+1] != '%' {
			if i < 0 {
				i = len(s)
			} else {
				found, rest = true, s[i+1:]
			}
			if b.Len() == 0 {
				return s[:i], rest, found
			}
			b.WriteString(s[:i])
			return b.String(), rest, found
		}
		b.WriteString(s[:i+1])
		s = s[i+2:]
	}
}

// parseClause reads the clause whose percent sign stands in front of s, and returns its length.
func parseClause(s string) (c Clause, n int, err error) {
	if s == "" {
		return c, 0, errEnd
	}
	c.Precision = -1
	if s[0] == '.' {
		for n = 1; n < len(s) && '0' <= s[n] && s[n] <= '9'; {
			n++
		}
		if n == len(s) {
			return c, 0, parseError("error while parsing precision: could not find end of precision specifier")
		}
		if c.Precision, err = strconv.Atoi(s[1:n]); err != nil {
			return c, 0, parseError("error while parsing precision: error while converting precision to integer: " + err.Error())
		}
	}
	c.Verb = s[n]
	if strings.IndexByte("sdfebxXo", c.Verb) < 0 {
		// The byte is taken for a code point, even if it is the first one of several.
		return c, 0, parseError(fmt.Sprintf("unrecognized formatting clause \"%c\"", rune(c.Verb)))
	}
	return c, n + 1, nil
}

func parseError(problem string) error {
	return errors.New("could not parse formatting clause: " + problem)
}

func argumentError(index int) error { return fmt.Errorf("index %d out of range", index) }

// Append appends the text that f has with args arguments. For each clause it calls each, which appends the argument with that
// number, or says why it cannot; that error is returned with "error during formatting: " in front. A clause without an argument and a
// mistake in the text are errors, too, behind those of the arguments in front of it. Arguments without a clause are ignored.
//
// Clauses: CLI-003, CLI-004.
func (f *Format) Append(dst []byte, args int, each func(dst []byte, c Clause, arg int) ([]byte, error)) ([]byte, error) {
	start := len(dst)
	for i, c := range f.clauses {
		dst = append(dst, c.Before...)
		if i >= args {
			return dst, argumentError(i)
		}
		var err error
		if dst, err = each(dst, c, i); err != nil {
			return dst, duringFormatting(err)
		}
		if err := Fits(dst[start:]); err != nil {
			return dst, err
		}
	}
	if f.mistake != nil {
		if len(f.clauses) >= args {
			return dst, argumentError(len(f.clauses))
		}
		return dst, f.mistake
	}
	dst = append(dst, f.tail...)
	return dst, Fits(dst[start:])
}

// duringFormatting puts the words of a server in front of an error, but for the bound, which a server does not have.
func duringFormatting(err error) error {
	if errors.Is(err, text.ErrTooLarge) {
		return err
	}
	return fmt.Errorf("error during formatting: %w", err)
}

// Check reports the first mistake in f when it stands before a list of args arguments. For each clause it calls each, which says
// whether the type of the argument with that number is a wrong one (TypeError).
//
// Clause: CEN-053.
func (f *Format) Check(args int, each func(c Clause, arg int) error) error {
	for i, c := range f.clauses {
		if i >= args {
			return argumentError(i)
		}
		if err := each(c, i); err != nil {
			return duringFormatting(err)
		}
	}
	n := len(f.clauses)
	switch {
	case f.mistake == errEnd || f.mistake != nil && n < args:
		return f.mistake
	case f.mistake != nil:
		return argumentError(n)
	case args > n:
		return fmt.Errorf("too many arguments supplied to string.format (expected %d, got %d)", n, args)
	}
	return nil
}

// Fits returns text.ErrTooLarge if dst has more bytes than a result may have.
func Fits(dst []byte) error {
	if len(dst) > text.MaxSize {
		return text.ErrTooLarge
	}
	return nil
}

// TypeError is the error of a clause with that verb whose argument is of a wrong type. The type has the name that it has in CEL, for
// example list or google.protobuf.Timestamp.
//
// Clauses: CEN-053, CLI-004.
func TypeError(verb byte, typeName string) error {
	var wants string
	switch verb {
	case 'd':
		wants = "decimal clause can only be used on integers"
	case 'f':
		wants = "fixed-point clause can only be used on doubles"
	case 'e':
		wants = "scientific clause can only be used on doubles"
	case 'b':
		wants = "only integers and bools can be formatted as binary"
	case 'x', 'X':
		wants = "only integers, byte buffers, and strings can be formatted as hex"
	case 'o':
		wants = "octal clause can only be used on integers"
	default:
		wants = "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps"
	}
	return errors.New(wants + ", was given " + typeName)
}

// ElementError is the error of a list or a map that has an element, or a value, of a type that cannot be printed in there.
func ElementError(typeName string) error { return errors.New("no formatting function for " + typeName) }

// KeyError is the error of a map with keys that are no string, bool, int or uint.
func KeyError(typeName string) error {
	return errors.New("no formatting function for map key of type " + typeName)
}

// MissingKeyError is the error of a map that has no value for one of its own keys. The key is as it prints itself.
func MissingKeyError(key string) error { return fmt.Errorf("could not find key: %q", key) }

// NoTextError is the error of an argument of %s that cannot be made a string, for example bytes that are no UTF-8. The reason is the
// text of the error of that conversion.
func NoTextError(reason string) error {
	return fmt.Errorf("could not convert argument %q to string", reason)
}
