package conversion

import (
	"context"
	"fmt"
	"strings"

	"github.com/crdkit/crdkit/unstructured"
)

// A Pair has the names of two versions: v1 and v2.
type Pair struct{ From, To string }

// Functions is a [Converter] that has a function for each pair of versions. [Typed] makes one from a function over
// structs. It refuses to convert between versions without a function.
type Functions map[Pair]func(obj map[string]any) (map[string]any, error)

// Convert converts each object with the function for its version.
func (f Functions) Convert(_ context.Context, objects []map[string]any, apiVersion string) ([]map[string]any, error) {
	out := make([]map[string]any, len(objects))
	_, to, _ := strings.Cut(apiVersion, "/")
	for i, obj := range objects {
		pair := Pair{typeOf(obj).version, to}
		function := f[pair]
		if function == nil {
			return nil, fmt.Errorf("no function converts from %s to %s", pair.From, pair.To)
		}
		converted, err := function(obj)
		if err != nil {
			return nil, err
		}
		out[i] = None(converted, apiVersion)
	}
	return out, nil
}

// Typed returns a function of [Functions] from one over structs. They are decoded and encoded as by
// [unstructured.ToStruct] and [unstructured.FromStruct]: keys without a field are lost. The result gets the kind of the
// object, and its metadata if the struct has none.
func Typed[A, B any](convert func(A) (B, error)) func(obj map[string]any) (map[string]any, error) {
	return func(obj map[string]any) (map[string]any, error) {
		var from A
		if err := unstructured.ToStruct(obj, &from); err != nil {
			return nil, err
		}
		to, err := convert(from)
		if err != nil {
			return nil, err
		}
		out, err := unstructured.FromStruct(to)
		if err != nil {
			return nil, err
		}
		out["kind"] = obj["kind"]
		if out["metadata"] == nil {
			out["metadata"] = obj["metadata"]
		}
		return out, nil
	}
}
