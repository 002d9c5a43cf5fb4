package text

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A Clause is a placeholder in a format string, with the text before it.
type Clause struct {
	Before    string // the text after the previous clause, with %% as %
	Verb      byte   // one of s d f e b x X o
	Precision int    // the number between the point and the verb; -1 without a point
}

// A Format is a parsed format string. It is immutable.
type Format struct {
	clauses []Clause
	tail    string // the text after the last clause, unless there is a mistake
	mistake error  // the error in the clause after the last one in clauses
}

// errEnd is the error of a text that ends with a percent sign. A server reports it before or after a missing argument,
// depending on the operation.
var errEnd = errors.New("unexpected end of string")

// ParseFormat parses a format string. An error in it is kept for Append and Check.
//
// Clauses: CLI-003, CLI-004.
func ParseFormat(s string) *Format {
	f := new(Format)
	for {
		before, rest, found := literalText(s)
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

// literalText returns the text before the first clause of s, and the rest of s after the clause's percent sign.
func literalText(s string) (before, rest string, found bool) {
	before, rest, found = strings.Cut(s, "%")
	parts := []string{before}
	for found && strings.HasPrefix(rest, "%") {
		before, rest, found = strings.Cut(rest[1:], "%")
		parts = append(parts, before)
	}
	return strings.Join(parts, "%"), rest, found
}

// parseClause parses the clause at the beginning of s, which follows the percent sign, and returns its length.
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
			return c, 0, clauseError("error while parsing precision: could not find end of precision specifier")
		}
		if c.Precision, err = strconv.Atoi(s[1:n]); err != nil {
			return c, 0, clauseError("error while parsing precision: error while converting precision to integer: " + err.Error())
		}
	}
	c.Verb = s[n]
	if strings.IndexByte("sdfebxXo", c.Verb) < 0 {
		// The byte is printed as a code point, even if it is the first one of several.
		return c, 0, clauseError(fmt.Sprintf("unrecognized formatting clause \"%c\"", rune(c.Verb)))
	}
	return c, n + 1, nil
}

func clauseError(problem string) error {
	return errors.New("could not parse formatting clause: " + problem)
}

func argumentError(index int) error { return fmt.Errorf("index %d out of range", index) }

// Append appends the text of f for args arguments. For each clause it calls each, which appends the argument with that
// number, or returns an error; that error is returned with the prefix "error during formatting: ". A clause without an
// argument and an error in the text are errors, too, after those of the arguments before them. Arguments without a
// clause are ignored.
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

// duringFormatting adds the server's prefix to an error, except to that of our own limit.
func duringFormatting(err error) error {
	if errors.Is(err, ErrTooLarge) {
		return err
	}
	return fmt.Errorf("error during formatting: %w", err)
}

// Check returns the first error of f for a list of args arguments. For each clause it calls each, which returns a
// VerbError if the argument with that number has a wrong type.
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

// Fits returns ErrTooLarge if dst is larger than a result may be.
func Fits(dst []byte) error {
	if len(dst) > MaxSize {
		return ErrTooLarge
	}
	return nil
}

// VerbError is the error of a clause with that verb whose argument has a wrong type. typeName is the type's name in
// CEL, for example list or google.protobuf.Timestamp.
//
// Clauses: CEN-053, CLI-004.
func VerbError(verb byte, typeName string) error {
	return errors.New(wanted[verb] + ", was given " + typeName)
}

var wanted = map[byte]string{
	'd': "decimal clause can only be used on integers",
	'f': "fixed-point clause can only be used on doubles",
	'e': "scientific clause can only be used on doubles",
	'b': "only integers and bools can be formatted as binary",
	'x': "only integers, byte buffers, and strings can be formatted as hex",
	'X': "only integers, byte buffers, and strings can be formatted as hex",
	'o': "octal clause can only be used on integers",
	's': "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps",
}

// ElementError is the error of a list or a map with an element, or a value, of a type that cannot be printed there.
func ElementError(typeName string) error { return errors.New("no formatting function for " + typeName) }

// KeyError is the error of a map with a key that is not a string, bool, int or uint.
func KeyError(typeName string) error {
	return errors.New("no formatting function for map key of type " + typeName)
}

// MissingKeyError is the error of a map that has no value for one of its own keys. key is the key's text.
func MissingKeyError(key string) error { return fmt.Errorf("could not find key: %q", key) }

// noTextError is the error of an argument of %s that cannot be converted to a string, for example bytes that are not
// UTF-8. reason is the text of the conversion's error.
func noTextError(reason string) error {
	return fmt.Errorf("could not convert argument %q to string", reason)
}
