package field

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/internal/origin"
)

// ErrorType is the kind of an [Error]. Its text is the reason of a cause in a Kubernetes Status.
type ErrorType string

// The error types, with the text that begins an error's body (EMD-001, GEN-003).
const (
	ErrorTypeRequired     ErrorType = "FieldValueRequired"     // Required value
	ErrorTypeInvalid      ErrorType = "FieldValueInvalid"      // Invalid value
	ErrorTypeTypeInvalid  ErrorType = "FieldValueTypeInvalid"  // Invalid value: of a wrong type or format
	ErrorTypeDuplicate    ErrorType = "FieldValueDuplicate"    // Duplicate value
	ErrorTypeNotSupported ErrorType = "FieldValueNotSupported" // Unsupported value
	ErrorTypeNotFound     ErrorType = "FieldValueNotFound"     // Not found
	ErrorTypeForbidden    ErrorType = "FieldValueForbidden"    // Forbidden
	ErrorTypeTooLong      ErrorType = "FieldValueTooLong"      // Too long
	ErrorTypeTooShort     ErrorType = "FieldValueTooShort"     // Too short
	ErrorTypeTooMany      ErrorType = "FieldValueTooMany"      // Too many
	ErrorTypeTooFew       ErrorType = "FieldValueTooFew"       // Too few
	ErrorTypeInternal     ErrorType = "InternalError"          // Internal error

	// ErrorTypeTooManyErrors is specific to this library: the type of the last error of a list that was cut. See
	// [Limit].
	ErrorTypeTooManyErrors ErrorType = "TooManyErrors" // Too many errors
)

// titles has the text that begins the body of an error of each type.
var titles = map[ErrorType]struct {
	text    string
	noValue bool // the value is not in the text
}{
	ErrorTypeRequired:      {"Required value", true},
	ErrorTypeInvalid:       {"Invalid value", false},
	ErrorTypeTypeInvalid:   {"Invalid value", false},
	ErrorTypeDuplicate:     {"Duplicate value", false},
	ErrorTypeNotSupported:  {"Unsupported value", false},
	ErrorTypeNotFound:      {"Not found", false},
	ErrorTypeForbidden:     {"Forbidden", true},
	ErrorTypeTooLong:       {"Too long", true},
	ErrorTypeTooShort:      {"Too short", true},
	ErrorTypeTooMany:       {"Too many", false},
	ErrorTypeTooFew:        {"Too few", false},
	ErrorTypeInternal:      {"Internal error", true},
	ErrorTypeTooManyErrors: {"Too many errors", true},
}

// An Error is one thing that is wrong with an object, as an API server would report it.
type Error struct {
	Type     ErrorType
	Field    string // as the server prints it: spec.items[7].name; <nil> where it names no field
	BadValue any    // aliases the object; [OmitValue] prints none
	Detail   string // why; may be empty

	// Path is the path of the value that failed. Field is ambiguous if a key has dots or brackets, and <nil> for some
	// errors. Path is nil if the error is not about a value in an object, or is about its root.
	Path *Path

	//lint:ignore U1000 see Cause
	cause
}

type omitted struct{}

// OmitValue as an Error's BadValue means that the error prints no value, whatever its type.
var OmitValue any = omitted{}

// Error returns the error's whole text: the field, then [Error.ErrorBody].
func (e *Error) Error() string { return e.Field + ": " + e.ErrorBody() }

// ErrorBody returns the error's text without the field: the message of a cause in a Status.
func (e *Error) ErrorBody() string {
	title := titles[e.Type]
	text := cmp.Or(title.text, string(e.Type))
	if _, none := e.BadValue.(omitted); !title.noValue && !none {
		if origin.GoSyntax(e) {
			text += ": " + goText(e.BadValue)
		} else {
			text += ": " + valueText(e.BadValue)
		}
	}
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	return text
}

// valueText prints numbers and booleans as Go does, strings quoted, and everything else as JSON (EMD-002).
func valueText(v any) string {
	switch x := v.(type) {
	case int64:
		return strconv.FormatInt(x, 10)
	case int32:
		return strconv.FormatInt(int64(x), 10)
	case float64, float32, bool:
		return fmt.Sprint(x)
	case string:
		return strconv.Quote(x)
	}
	if fits(v) {
		if b, err := json.Marshal(v); err == nil {
			return string(b)
		}
	}
	return opaqueText(v)
}

// goText prints a value as a server before Kubernetes 1.34 does: lists and objects in Go syntax, and null in quotes.
func goText(v any) string {
	switch x := v.(type) {
	case nil:
		return `"null"`
	case int64, int32, float64, float32, bool, string:
		return valueText(x)
	case fmt.Stringer:
		return x.String()
	case map[string]any, []any:
		if fits(v) {
			return fmt.Sprintf("%#v", v)
		}
		return opaqueText(v)
	}
	return valueText(v)
}

// opaqueText prints a value that cannot be printed as JSON.
func opaqueText(v any) string {
	// Channels, cyclic maps and similar values never come from JSON. Only their type can be printed safely.
	if s, ok := v.(fmt.Stringer); ok {
		return s.String()
	}
	return fmt.Sprintf("%T", v)
}

// maxShown limits the values and bytes of text that a printed BadValue may have, and maxLevels its depth. No object
// that a server could have decoded comes near them, but a Go value may hold one list in many places.
const (
	maxShown  = 16 << 20
	maxLevels = 10000
)

// fits reports whether v can be printed.
func fits(v any) bool {
	left := maxShown
	return shown(v, &left, maxLevels)
}

// shown subtracts the printed size of v from left, and reports whether it fits.
func shown(v any, left *int, levels int) bool {
	switch x := v.(type) {
	case string:
		*left -= len(x)
	case map[string]any:
		if *left -= len(x); levels == 0 {
			return false
		}
		for k, e := range x {
			if *left -= len(k); *left < 0 || !shown(e, left, levels-1) {
				return false
			}
		}
	case []any:
		if *left -= len(x); levels == 0 {
			return false
		}
		for _, e := range x {
			if *left < 0 || !shown(e, left, levels-1) {
				return false
			}
		}
	}
	return *left >= 0
}

// MarshalJSON writes e as a cause of a Status: reason, message and field.
func (e Error) MarshalJSON() ([]byte, error) { return json.Marshal(e.statusCause()) }

func (e *Error) statusCause() StatusCause {
	return StatusCause{Reason: string(e.Type), Message: e.ErrorBody(), Field: e.Field}
}

// Is makes errors.Is compare e with a pattern: another *Error whose Type and Field, if set, equal those of e.
func (e *Error) Is(target error) bool {
	p, _ := target.(*Error)
	return p != nil && (p.Type != "" || p.Field != "") &&
		(p.Type == "" || p.Type == e.Type) && (p.Field == "" || p.Field == e.Field)
}

// Pointer returns the path of the error as a JSON Pointer (RFC 6901): /spec/items/7/name. It is empty for the root.
func (e *Error) Pointer() string {
	var b strings.Builder
	for _, s := range e.Path.Segments() {
		b.WriteByte('/')
		if s.IsIndex {
			b.WriteString(strconv.Itoa(s.Index))
			continue
		}
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(s.Key, "~", "~0"), "/", "~1"))
	}
	return b.String()
}

// A List has all errors of an object; it is nil if there are none. The order is that of the checks, and within a check
// properties by name and items by index. It is always the same for the same input (GEN-005).
type List []*Error

// Err returns the list as an error, or nil if it is empty. errors.Is and errors.As examine each of its errors.
func (l List) Err() error {
	if len(l) == 0 {
		return nil
	}
	return listError(l)
}

// String returns the text of [List.Err]: a single error's text as it is, several in brackets, separated by commas, each
// text once (EMD-006, GEN-006).
func (l List) String() string {
	texts := make([]string, 0, len(l))
	seen := make(map[string]bool, len(l))
	for _, e := range l {
		if text := e.Error(); !seen[text] {
			seen[text] = true
			texts = append(texts, text)
		}
	}
	if len(texts) == 1 {
		return texts[0]
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

type listError List

func (l listError) Error() string { return List(l).String() }

func (l listError) Unwrap() []error {
	errs := make([]error, len(l))
	for i, e := range l {
		errs[i] = e
	}
	return errs
}

// ErrorList returns the List from which [List.Err] made err, even if err is wrapped. It returns nil if there is none.
func ErrorList(err error) List {
	var l listError
	if errors.As(err, &l) {
		return List(l)
	}
	return nil
}

//go:noinline
func newError(t ErrorType, p *Path, value any, detail string) *Error {
	return &Error{Type: t, Field: p.String(), BadValue: value, Detail: detail, Path: p}
}

// Required reports that a value is missing at p. The detail may be empty.
//
//go:noinline
func Required(p *Path, detail string) *Error { return newError(ErrorTypeRequired, p, "", detail) }

// Forbidden reports that no value is allowed at p.
//
//go:noinline
func Forbidden(p *Path, detail string) *Error { return newError(ErrorTypeForbidden, p, "", detail) }

// Invalid reports a value that breaks a rule.
//
//go:noinline
func Invalid(p *Path, value any, detail string) *Error {
	return newError(ErrorTypeInvalid, p, value, detail)
}

// TypeInvalid reports a value of a wrong type or format.
func TypeInvalid(p *Path, value any, detail string) *Error {
	return newError(ErrorTypeTypeInvalid, p, value, detail)
}

// Duplicate reports a value that occurs again.
func Duplicate(p *Path, value any) *Error { return newError(ErrorTypeDuplicate, p, value, "") }

// NotFound reports a reference to something that does not exist.
func NotFound(p *Path, value any) *Error { return newError(ErrorTypeNotFound, p, value, "") }

// NotSupported reports a value that is not supported. The detail lists the supported ones in the order given (EMD-005).
func NotSupported(p *Path, value any, supported ...string) *Error {
	detail := ""
	if len(supported) > 0 {
		quoted := make([]string, len(supported))
		for i, s := range supported {
			quoted[i] = strconv.Quote(s)
		}
		detail = "supported values: " + strings.Join(quoted, ", ")
	}
	e := newError(ErrorTypeNotSupported, p, value, detail)
	origin.SetSupported(e, supported)
	return e
}

// TooLong reports a text of more than max bytes. The detail does not mention a negative max (EMD-005): a schema may
// have maxLength -1, which every text exceeds.
func TooLong(p *Path, max int64) *Error {
	detail := "value is too long"
	if max >= 0 {
		detail = "may not be more than " + count(max, "byte")
	}
	return newError(ErrorTypeTooLong, p, OmitValue, detail)
}

// TooMany reports a list or a map with more than max items. The detail does not mention a negative max. A negative
// actual leaves out the value (EMD-001, EMD-005).
func TooMany(p *Path, actual, max int64) *Error {
	var value any = actual
	if actual < 0 {
		value = OmitValue
	}
	detail := "has too many items"
	if max >= 0 {
		detail = "must have at most " + count(max, "item")
	}
	return newError(ErrorTypeTooMany, p, value, detail)
}

// TooShort reports a text of less than min characters. The detail does not mention a negative min.
func TooShort(p *Path, value string, min int64) *Error {
	detail := "value is too short"
	if min >= 0 {
		detail = "must be at least " + count(min, "character")
	}
	return newError(ErrorTypeTooShort, p, value, detail)
}

// TooFew reports a list or a map with less than min items. The detail does not mention a negative min.
func TooFew(p *Path, actual, min int64) *Error {
	detail := "has too few items"
	if min >= 0 {
		detail = "must have at least " + count(min, "item")
	}
	return newError(ErrorTypeTooFew, p, actual, detail)
}

// InternalError reports a failure that is not caused by the object.
func InternalError(p *Path, err error) *Error {
	return newError(ErrorTypeInternal, p, nil, err.Error())
}

// count returns n and the noun, with a trailing s unless n is 1.
func count(n int64, noun string) string {
	text := strconv.FormatInt(n, 10) + " " + noun
	if n != 1 {
		text += "s"
	}
	return text
}
