package unstructured

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
)

// encodeYAML returns the JSON of what the YAML decoder gave, as a server converts it.
func encodeYAML(v any) ([]byte, error) {
	v, err := stringKeys(v)
	if err != nil {
		return nil, err
	}
	return json.Marshal(v)
}

// stringKeys returns v with texts for keys, or an error for the first key, by the error's text, that has none.
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
	var odd map[string]any // the keys that are no text, by the text that stands for them
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

// firstError returns the error that sorts first, since the order of a Go map must not show.
func firstError(a, b error) error {
	if a == nil || b.Error() < a.Error() {
		return b
	}
	return a
}

// keyText returns the JSON key for a key k that is no string. The value v is for the error's text.
func keyText(k, v any) (string, error) {
	switch x := k.(type) {
	case int:
		return strconv.Itoa(x), nil
	case int64: // where int has 32 bits
		return strconv.FormatInt(x, 10), nil
	case bool:
		return strconv.FormatBool(x), nil
	case float64:
		switch text := strconv.FormatFloat(x, 'g', -1, 32); text { // 32 bits: the server's choice
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

// outranks reports whether key a, of two that have one text and are no text themselves, is the one to keep.
func outranks(a, b any) bool {
	x, aFloat := a.(float64)
	y, bFloat := b.(float64)
	if aFloat && bFloat {
		return x > y
	}
	return bFloat
}
