package catalog

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
)

// ConvertError returns the error with which a server refuses to make a Go struct of a decoded object, as it does with
// the result of a strategic merge patch, or nil. The errors are others than those of decoding, and tell no place. Of
// several, a server has any in a map; here it is the first by key.
func (t Types) ConvertError(of string, v any) error { return t.convert(of, usualName(of), v) }

func (t Types) convert(of, name string, v any) error {
	if v == nil {
		return nil
	}
	if s := t[of]; s != nil {
		m, ok := v.(map[string]any)
		if !ok {
			return errors.New("cannot restore struct from: " + goKind(v))
		}
		return t.convertFields(s, m)
	}
	switch {
	case len(of) > 2 && of[:2] == "[]":
		list, ok := v.([]any)
		if !ok {
			return errors.New("cannot restore slice from " + goKind(v))
		}
		for _, item := range list {
			if err := t.convert(of[2:], elementName(name, of[2:]), item); err != nil {
				return err
			}
		}
		return nil
	case len(of) > 2 && of[:2] == "{}":
		m, ok := v.(map[string]any)
		if !ok {
			return errors.New("cannot restore map from " + goKind(v))
		}
		for _, key := range slices.Sorted(maps.Keys(m)) {
			if err := t.convert(of[2:], elementName(name, of[2:]), m[key]); err != nil {
				return err
			}
		}
		return nil
	}
	return convertScalar(of, name, v)
}

// convertFields converts the fields in the order of the struct.
func (t Types) convertFields(s *Struct, m map[string]any) error {
	for i := range s.Fields {
		f := &s.Fields[i]
		var v any = m
		if f.Name != "" {
			v = m[f.Name]
		}
		if err := t.convert(f.Type, f.goName(), v); err != nil {
			return err
		}
	}
	return nil
}

func convertScalar(of, name string, v any) error {
	switch of {
	case "string":
		switch v.(type) {
		case string:
			return nil
		case int64: // Go has such a conversion, and JSON does not
			return errors.New("cannot convert int64 to " + name)
		}
		return errors.New("unrecognized type: string")
	case "bool":
		if _, ok := v.(bool); !ok {
			return errors.New("unrecognized type: bool")
		}
	case "int":
		switch x := v.(type) {
		case int64:
		case float64:
			if x != math.Trunc(x) {
				return errors.New("cannot convert float64 to " + name)
			}
		default:
			return errors.New("unrecognized type: " + name)
		}
	case "float":
		switch v.(type) {
		case int64, float64:
		default:
			return errors.New("unrecognized type: float64")
		}
	case "bytes":
		switch x := v.(type) {
		case string:
			if _, err := base64.StdEncoding.DecodeString(x); err != nil {
				return fmt.Errorf("error decoding from json: %w", err)
			}
		case []any:
			for _, item := range x {
				if err := convertScalar("int", "uint8", item); err != nil && item != nil {
					return err
				}
			}
		default:
			return errors.New("cannot restore slice from " + goKind(v))
		}
	case "time", "duration", "quantity", "intOrString":
		text, err := json.Marshal(v)
		if err != nil {
			return err
		}
		return new(decoding).specialText(of, name, text)
	}
	return nil
}

// goKind returns the kind of the Go type of a decoded value.
func goKind(v any) string {
	switch v.(type) {
	case map[string]any:
		return "map"
	case []any:
		return "slice"
	}
	return fmt.Sprintf("%T", v)
}
