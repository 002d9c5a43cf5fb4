package conversion

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/unstructured"
)

// This file checks the result of a webhook or a Converter, object by object.

// An answer is a converted object, or an error.
type answer struct {
	obj map[string]any
	err error
}

// answerOf takes an object from a Converter.
func answerOf(obj map[string]any) answer {
	normal, err := jsonval.Normalize(nil, obj)
	if err != nil {
		return answer{err: err}
	}
	obj = normal.(map[string]any)
	if typeOf(obj).kind != "" {
		return answer{obj: obj}
	}
	shown, _ := json.Marshal(obj) // a normal object always marshals
	return answer{err: missing("Kind", shown)}
}

// parseAnswer takes an object from a response.
func parseAnswer(data []byte) answer {
	if string(data) == "null" {
		data = nil // as a server does
	}
	obj, err := unstructured.DecodeJSON(data)
	if err == nil && typeOf(obj).kind == "" {
		err = missing("Kind", data)
	}
	return answer{obj, err}
}

func missing(key string, data []byte) error {
	//lint:ignore ST1005 the server's text
	return fmt.Errorf("Object '%s' is missing in '%s'", key, data)
}

// apply returns the result of the conversion from those answers, or refuses the first wrong one.
//
// Clauses: CNV-030 (6 to 11), CNV-032.
func (t *task) apply(answers []answer) (map[string]any, error) {
	if len(answers) != len(t.objects) {
		return nil, t.refuse("returned %d objects, expected %d", len(answers), len(t.objects))
	}
	converted := make([]map[string]any, len(answers))
	for i, a := range answers {
		obj, refused := t.accept(i, a)
		if refused != nil {
			return nil, refused
		}
		converted[i] = obj
	}
	return t.with(converted), nil
}

// accept checks the answer for object i. The messages for list items differ from those for a single object.
func (t *task) accept(i int, a answer) (map[string]any, error) {
	invalid, invalidType, invalidMeta := "returned invalid object: %s", "returned invalid object at index 0: %s", "returned invalid metadata: %s"
	if t.isList {
		invalid = fmt.Sprintf("returned invalid converted object at index %d: %%s", i)
		invalidType = invalid
		invalidMeta = fmt.Sprintf("returned invalid metadata in object at index %d: %%s", i)
	}
	switch {
	case a.err != nil && t.isList:
		return nil, t.refuse(invalid, a.err)
	case a.err != nil:
		return nil, refuse("%s", a.err) // no prefix here, as in a server
	}
	original := t.objects[i]
	if err := t.checkType(original, a.obj); err != nil {
		return nil, t.refuse(invalidType, err)
	}
	if err := checkIdentity(original, a.obj); err != nil {
		return nil, t.refuse(invalid, err)
	}
	meta, err := restoredMetadata(original, a.obj)
	if err != nil {
		return nil, t.refuse(invalidMeta, err)
	}
	out := maps.Clone(a.obj)
	out["metadata"] = meta
	return out, nil
}

// checkType checks CNV-030 (8 and 9).
func (t *task) checkType(original, converted map[string]any) error {
	want, got := typeOf(original), typeOf(converted)
	if got.group != t.to.group || got.version != t.to.version {
		return fmt.Errorf("invalid groupVersion (expected %s, received %s)", t.to.apiVersion(), got.apiVersion())
	}
	if got.kind != want.kind {
		return fmt.Errorf("invalid kind (expected %s, received %s)", want.kind, got.kind)
	}
	return nil
}

// checkIdentity checks CNV-030 (10). The kind is already checked.
func checkIdentity(original, converted map[string]any) error {
	before, _ := original["metadata"].(map[string]any)
	after, _ := converted["metadata"].(map[string]any)
	for _, f := range [...]struct{ key, name string }{{"name", "name"}, {"namespace", "namespace"}, {"uid", "UID"}} {
		if want, got := text(before[f.key]), text(after[f.key]); want != got {
			return fmt.Errorf("must have the same %s: %s != %s", f.name, want, got)
		}
	}
	return nil
}

// restoredMetadata returns the metadata of original with the labels and annotations of converted.
//
// Clause: CNV-031.
func restoredMetadata(original, converted map[string]any) (map[string]any, error) {
	v, ok := converted["metadata"]
	if !ok {
		return nil, errors.New("missing metadata in converted object")
	}
	after, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("invalid metadata of type %T in converted object", v)
	}
	v, has := original["metadata"]
	before, ok := v.(map[string]any)
	if has && !ok {
		return nil, fmt.Errorf("invalid metadata of type %T in input object", v)
	}
	meta := maps.Clone(before)
	if meta == nil {
		meta = map[string]any{}
	}
	for _, key := range [...]string{"labels", "annotations"} {
		v := after[key]
		if v == nil {
			delete(meta, key)
			continue
		}
		entries, ok := v.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("invalid metadata.%s of type %T in converted object", key, v)
		}
		if err := checkEntries(key, meta[key], entries); err != nil {
			return nil, err
		}
		meta[key] = entries
	}
	return meta, nil
}

// checkEntries checks the converted labels or annotations. Unchanged ones may be invalid.
func checkEntries(key string, before any, entries map[string]any) error {
	old, ok := before.(map[string]any)
	if !ok && before != nil {
		return fmt.Errorf("invalid metadata.%s of type %T in original object", key, before)
	}
	changed := len(old) != len(entries)
	for _, k := range slices.Sorted(maps.Keys(entries)) {
		v, ok := entries[k].(string)
		if !ok {
			return fmt.Errorf("metadata.%s[%s] must be a string, but is %T in converted object", key, k, entries[k])
		}
		if was, ok := old[k].(string); !ok || was != v {
			changed = true
		}
	}
	if !changed {
		return nil
	}
	// Applies the rules for updates to metadata without other fields.
	meta := map[string]any{key: entries}
	_, errs := objectmeta.ValidateUpdate(meta, nil, field.NewPath("metadata"), false, field.Limit{})
	for _, e := range errs {
		if e.Field == "metadata.annotations" {
			e.Field = "metadata.annotation" // the server's field
		}
	}
	return errs.Err()
}
