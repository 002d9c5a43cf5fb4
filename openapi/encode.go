package openapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/crdkit/crdkit/internal/jsonval"
)

// A format is a version of OpenAPI.
type format uint8

const (
	formatV3 format = iota
	formatV2
	formats // their number

	formatIndex = formats // an Index, which is not an OpenAPI document
)

// pointer returns the prefix of JSON pointers to definitions.
func (f format) pointer() string {
	if f == formatV2 {
		return "/definitions/"
	}
	return "/components/schemas/"
}

// plain has the ASCII characters that need no escape in a string.
var plain = [formats][256]bool{formatV3: plainBytes(`"\<>&`), formatV2: plainBytes(`"\`)}

func plainBytes(except string) (t [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		t[c] = true
	}
	for _, c := range except {
		t[c] = false
	}
	return t
}

const hexDigits = "0123456789abcdef"

// appendString appends s as JSON.
//
// PV3-050: version 3 escapes the characters that are special in HTML or end a line of JavaScript, version 2 does not.
func (f format) appendString(dst []byte, s string) []byte {
	return append(f.appendText(append(dst, '"'), s), '"')
}

// appendText appends the text between the quotes.
func (f format) appendText(dst []byte, s string) []byte {
	safe := &plain[f]
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if safe[c] {
			i++
			continue
		}
		if c < utf8.RuneSelf {
			dst = append(dst, s[start:i]...)
			dst = appendEscaped(dst, c)
			i++
			start = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			dst = append(append(dst, s[start:i]...), `\ufffd`...)
			start = i + size
		case f == formatV3 && (r == '\u2028' || r == '\u2029'):
			dst = append(append(dst, s[start:i]...), `\u202`...)
			dst = append(dst, hexDigits[r&0xF])
			start = i + size
		}
		i += size
	}
	return append(dst, s[start:]...)
}

func appendEscaped(dst []byte, c byte) []byte {
	if i := strings.IndexByte("\"\\\b\f\n\r\t", c); i >= 0 {
		return append(dst, '\\', `"\bfnrt`[i])
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xF])
}

// appendValue appends a JSON value, with the keys of objects sorted. A value that is not JSON is an error.
func (f format) appendValue(dst []byte, v any, depth int) ([]byte, error) {
	if depth > jsonval.MaxDepth {
		return dst, fmt.Errorf("must not be nested deeper than %d levels", jsonval.MaxDepth)
	}
	switch x := v.(type) {
	case nil:
		return append(dst, "null"...), nil
	case bool:
		return strconv.AppendBool(dst, x), nil
	case int64:
		return strconv.AppendInt(dst, x, 10), nil
	case float64:
		text, err := json.Marshal(x) // as ECMAScript prints it (PV3-050)
		if err != nil {
			return dst, fmt.Errorf("%v is not a JSON number", x)
		}
		return append(dst, text...), nil
	case string:
		return f.appendString(dst, x), nil
	case []any:
		dst = append(dst, '[')
		for i, e := range x {
			if i > 0 {
				dst = append(dst, ',')
			}
			var err error
			if dst, err = f.appendValue(dst, e, depth+1); err != nil {
				return dst, err
			}
		}
		return append(dst, ']'), nil
	case map[string]any:
		dst = append(dst, '{')
		for i, key := range slices.Sorted(maps.Keys(x)) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(f.appendString(dst, key), ':')
			var err error
			if dst, err = f.appendValue(dst, x[key], depth+1); err != nil {
				return dst, err
			}
		}
		return append(dst, '}'), nil
	}
	known, bad := jsonval.Normalize(nil, v)
	if bad != nil {
		return dst, fmt.Errorf("a value of type %T is not JSON", v)
	}
	return f.appendValue(dst, known, depth+1)
}
