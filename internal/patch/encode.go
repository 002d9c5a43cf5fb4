package patch

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"

	"github.com/crdkit/crdkit/internal/jsonval"
)

// Encode returns the JSON of obj as a server writes it: on one line, with sorted keys, HTML characters escaped, and a
// float64 without a fraction written like an integer (DEC-009), so that decoding gives the same as [jsonval.Stored].
// Nil maps and lists are empty ones (GEN-002).
//
// NaN, the infinities, and an object that contains itself or is deeper than [jsonval.MaxDepth] are errors. A value of a
// foreign type is encoded by encoding/json, which may also be an error.
func Encode(obj map[string]any) ([]byte, error) {
	return encoder{}.encode(obj)
}

// Exact is [Encode] for any value, with each float64 written so that it is decoded as one again: 5.0, not 5.
func Exact(v any) ([]byte, error) { return encoder{exact: true}.encode(v) }

// Append appends the JSON of v to dst, as [Encode] writes it. v must not be nested too deeply.
func Append(dst []byte, v any) ([]byte, error) { return encoder{}.append(dst, v) }

type encoder struct{ exact bool }

func (e encoder) encode(v any) ([]byte, error) {
	if jsonval.TooDeep(v) {
		return nil, errors.New("nested too deeply for JSON")
	}
	return e.append(nil, v)
}

func (e encoder) append(dst []byte, v any) ([]byte, error) {
	switch x := v.(type) {
	case nil:
		return append(dst, "null"...), nil
	case bool:
		return strconv.AppendBool(dst, x), nil
	case int64:
		return strconv.AppendInt(dst, x, 10), nil
	case string:
		return appendString(dst, x), nil
	case []any:
		return e.appendList(dst, x)
	case map[string]any:
		return e.appendObject(dst, x)
	}
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	dst = append(dst, text...)
	if e.exact {
		if _, whole := jsonval.Stored(v); whole {
			dst = append(dst, ".0"...)
		}
	}
	return dst, nil
}

func (e encoder) appendList(dst []byte, l []any) (_ []byte, err error) {
	dst = append(dst, '[')
	for i, v := range l {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = e.append(dst, v); err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}

func (e encoder) appendObject(dst []byte, m map[string]any) (_ []byte, err error) {
	dst = append(dst, '{')
	for i, key := range slices.Sorted(maps.Keys(m)) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, key), ':')
		if dst, err = e.append(dst, m[key]); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

// appendString appends the JSON of s to dst.
func appendString(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			text, _ := json.Marshal(s) // cannot fail: s is a string
			return append(dst, text...)
		}
	}
	dst = append(dst, '"')
	dst = append(dst, s...)
	return append(dst, '"')
}
