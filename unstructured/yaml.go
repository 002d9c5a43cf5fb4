package unstructured

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
)

// encodeYAML returns the JSON of a result of the YAML decoder, as a server converts it.
func encodeYAML(v any) ([]byte, error) {
	v, err := stringKeys(v)
	if err != nil {
		return nil, err
	}
	return json.Marshal(v)
}

// stringKeys returns v with string keys, or an error for a key that cannot be converted: the first one in the order of
// the errors' texts.
func stringKeys(v any) (any, error) {
	switch x := v.(type) {
	case map[any]any:
		return stringMap(x)
	case []any:
		out := make([]any, len(x))
		for i, e := range x {
			c, err := stringKeys(e)
			if err != nil {
				return nil, err
			}
			out[i] = c
		}
		return out, nil
	}
	return v, nil
}

func stringMap(m map[any]any) (map[string]any, error) {
	out := make(map[string]any, len(m))
	var odd map[string]any // the keys that are not strings, by the string that replaces them
	var first error
	for k, v := range m {
		text, isText := k.(string)
		if !isText {
			var err error
			if text, err = keyText(k, v); err != nil {
				first = firstError(first, err)
				continue
			}
		}
		c, err := stringKeys(v)
		if err != nil {
			first = firstError(first, err)
			continue
		}
		if !isText {
			_, lost := m[text]
			if other, taken := odd[text]; lost || taken && !outranks(k, other) {
				continue
			}
			if odd == nil {
				odd = make(map[string]any)
			}
			odd[text] = k
		}
		out[text] = c
	}
	return out, first
}

// firstError returns the error that sorts first, so that the result does not depend on Go's map order.
func firstError(a, b error) error {
	if a == nil || b.Error() < a.Error() {
		return b
	}
	return a
}

// keyText returns the JSON key for a key k that is not a string. The value v is for the text of the error.
func keyText(k, v any) (string, error) {
	switch x := k.(type) {
	case int:
		return strconv.Itoa(x), nil
	case int64: // on platforms where int has 32 bits
		return strconv.FormatInt(x, 10), nil
	case bool:
		return strconv.FormatBool(x), nil
	case float64:
		switch text := strconv.FormatFloat(x, 'g', -1, 32); text { // 32 bits, as in a server
		case "+Inf":
			return ".inf", nil
		case "-Inf":
			return "-.inf", nil
		case "NaN":
			return ".nan", nil
		default:
			return text, nil
		}
	}
	return "", fmt.Errorf("unsupported map key of type: %s, key: %+#v, value: %+#v", reflect.TypeOf(k), k, v)
}

// outranks reports which of two non-string keys with the same text is kept: it is true for a.
func outranks(a, b any) bool {
	x, aFloat := a.(float64)
	y, bFloat := b.(float64)
	if aFloat && bFloat {
		return x > y
	}
	return bFloat
}
