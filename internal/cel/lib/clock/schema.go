package clock

// Texts of objects, in fields with a format.

import (
	"encoding/base64"
	"time"

	"github.com/crdkit/crdkit/internal/format"
)

// A textError is the error of an invalid text. Its message contains the text, which may be long, so it is built only if
// needed.
type textError struct {
	problem, text string
	err           error
}

func (e *textError) Error() string { return e.problem + e.text + ": " + e.err.Error() }

func (e *textError) Unwrap() error { return e.err }

// SchemaTimestamp parses the value of a field of format date-time: RFC 3339, with any number of fractional digits, or
// the same without a zone, which is UTC. The empty text is the beginning of 1970.
//
// Clauses: CVA-001, CVA-003, CVA-020.
func SchemaTimestamp(s string) (time.Time, error) {
	if s == "" {
		return time.Unix(0, 0).UTC(), nil
	}
	var err error
	for _, layout := range timestampLayouts {
		var t time.Time
		if t, err = parse(layout, s); err == nil {
			return t, nil
		}
	}
	return time.Time{}, &textError{"Invalid date-time formatted string ", s, err}
}

// timestampLayouts are the layouts of a date-time. In a server, RFC 3339 is the third. Here it is the first, because
// nearly all texts have it; if several layouts accept a text, the results are the same. The others accept texts that
// RFC 3339 does not: those with a sign among the fractional digits.
var timestampLayouts = [...]string{
	time.RFC3339, "2006-01-02T15:04:05.000000Z07:00", "2006-01-02T15:04:05.000Z07:00", time.RFC3339Nano, "2006-01-02T15:04:05",
}

// SchemaDate parses the value of a field of format date: midnight in UTC.
//
// Clauses: CVA-001, CVA-020.
func SchemaDate(s string) (time.Time, error) {
	t, err := parse("2006-01-02", s)
	if err != nil {
		return time.Time{}, &textError{"Invalid date formatted string ", s, err}
	}
	return t, nil
}

// SchemaBytes parses the value of a field of format byte: base64 in the URL alphabet, with padding. The bytes are the
// caller's.
//
// Clauses: CVA-001, CVA-020.
func SchemaBytes(s string) ([]byte, error) { return schemaBytes(base64.URLEncoding, s) }

// SchemaStandardBytes is [SchemaBytes] for the standard alphabet.
func SchemaStandardBytes(s string) ([]byte, error) { return schemaBytes(base64.StdEncoding, s) }

func schemaBytes(encoding *base64.Encoding, s string) ([]byte, error) {
	b, err := encoding.DecodeString(s)
	if err != nil {
		return nil, &textError{"Invalid byte formatted string ", s, err}
	}
	return b, nil
}

// SchemaDuration parses the value of a field of format duration, as [format.ParseDuration] does.
//
// Clauses: CVA-003, CVA-020.
func SchemaDuration(s string) (time.Duration, error) {
	d, err := format.ParseDuration(s)
	if err != nil {
		return 0, &textError{"Invalid duration ", s, err}
	}
	return d, nil
}
