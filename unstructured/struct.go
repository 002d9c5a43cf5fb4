package unstructured

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	kjson "sigs.k8s.io/json"

	"github.com/crdkit/crdkit/internal/jsonval"
)

// Clone returns a deep copy of obj, nil for nil. Values of Go types that no object has are shared with obj. No decoder
// produces an obj that contains itself, is deeper than 10000 levels or is too large (see Security considerations): for
// these Clone returns obj itself.
func Clone(obj map[string]any) map[string]any {
	return jsonval.Clone(obj).(map[string]any)
}

// errTooLarge is the error for values for which the encoder would run out of stack, at a depth of several hundred
// thousand, or of memory.
var errTooLarge = fmt.Errorf("unstructured: nested deeper than %d levels, contains itself, or is too large", jsonval.MaxDepth)

// FromStruct returns a Go value as an object: the result of [Decode] for v's JSON. So struct tags, omitempty,
// json.Marshaler and encoding.TextMarshaler work as in encoding/json, and the type of each number depends on its text:
// an int32 or uint64 becomes an int64 if it fits, and so does a whole float, whose text has no point; a float32 becomes
// the float64 of its text. The value may be a struct, a map, a pointer, or anything else that encodes as a JSON object.
//
// What encoding/json refuses is an error: NaN, channels, a value that contains itself. So are nil, a value that encodes
// as null or as anything but an object, one that is nested deeper than 10000 levels or is too large (see Security
// considerations), and a marshaler that panics. Invalid UTF-8 in a string becomes U+FFFD.
//
// FromStruct does not modify v, unless v's own marshalers do.
func FromStruct(v any) (obj map[string]any, err error) {
	defer func() {
		if p := recover(); p != nil {
			obj, err = nil, fmt.Errorf("unstructured: encoding a value of type %T: panic: %v", v, p)
		}
	}()
	if !jsonval.Encodable(v) {
		return nil, errTooLarge
	}
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("unstructured: encoding a value of type %T: %w", v, err)
	}
	if text[0] != '{' {
		return nil, fmt.Errorf("unstructured: a value of type %T encodes as %s, not as an object", v, describe(text))
	}
	obj, err = DecodeJSON(text)
	if err != nil {
		return nil, fmt.Errorf("unstructured: encoding a value of type %T: %w", v, err)
	}
	return obj, nil
}

// ToStruct decodes obj into the value that into points to, as a Kubernetes client does with a server's answer: like
// encoding/json, but with case-sensitive keys. Fields without a key in obj stay as they are, and keys without a field
// are dropped. So if the server dropped a field from an object, a struct that was filled before keeps its value: see
// [ReplaceStruct].
//
// An error may leave into partly filled. Errors are what encoding/json refuses (a number for a string field, 1.5 for an
// int, an into that is not a pointer), an obj that contains itself, is deeper than 10000 levels or is too large, and an
// unmarshaler that panics. ToStruct does not modify obj.
func ToStruct(obj map[string]any, into any) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("unstructured: decoding into a value of type %T: panic: %v", into, p)
		}
	}()
	if !jsonval.Encodable(obj) {
		return errTooLarge
	}
	text, err := json.Marshal(obj)
	if err != nil {
		return fmt.Errorf("unstructured: encoding the object: %w", err)
	}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(text, into); err != nil {
		return fmt.Errorf("unstructured: decoding into a value of type %T: %w", into, err)
	}
	return nil
}

// ReplaceStruct replaces the value that into points to by the result of [ToStruct] for obj and a zero value. Nothing of
// the old value stays: neither fields without a key in obj, nor map keys, nor fields that JSON does not have, such as
// unexported ones. Use it to convert back an object that was made by [FromStruct] and then pruned, defaulted or
// returned by a server.
//
// Errors are those of ToStruct, and a nil into. They leave the value unchanged. ReplaceStruct does not modify obj.
func ReplaceStruct(obj map[string]any, into any) error {
	target := reflect.ValueOf(into)
	if target.Kind() != reflect.Pointer || target.IsNil() {
		return errors.New("unstructured: ReplaceStruct needs a pointer that is not nil")
	}
	fresh := reflect.New(target.Type().Elem())
	if err := ToStruct(obj, fresh.Interface()); err != nil {
		return err
	}
	target.Elem().Set(fresh.Elem())
	return nil
}
