package server

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"maps"
	"mime"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/protocol"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/server/internal/catalog"
	"github.com/crdkit/crdkit/unstructured"
)

// This file has what is special about the built-in kinds of Kubernetes: their bodies may be protobuf, null is as good as nothing in them,
// and few of them count generations.

// typed returns the body of an object of a built-in kind as JSON that package resource reads, and sets the content type.
func (q *request) typed(body []byte) ([]byte, *field.Status) {
	if q.kind.Type == "" {
		return body, nil
	}
	definition := q.kind.Type == catalog.DefinitionType
	mediaType, _, _ := mime.ParseMediaType(q.r.Header.Get("Content-Type"))
	var err error
	switch mediaType {
	case protobufType:
		if body, err = protobufObject(body, q.kind.Type); err == nil && definition {
			q.r.Header.Set("Content-Type", protocol.JSON)
			return body, nil
		}
	case protocol.YAML, "":
		if definition {
			return body, nil
		}
		if !json.Valid(body) {
			body, err = unstructured.YAMLToJSON(body)
		}
	case protocol.JSON:
		if definition {
			return body, nil // package crdcheck knows what null means there
		}
	default:
		return body, nil // which is refused later
	}
	if err != nil {
		return nil, protocol.BadRequest(err.Error())
	}
	q.r.Header.Set("Content-Type", protocol.JSON)
	obj, err := unstructured.DecodeJSON(body)
	if err != nil {
		return body, nil // which is refused later
	}
	withoutNulls(obj)
	if q.kind.Type == "core.v1.Secret" {
		encodeStringData(obj)
	}
	if body, err = json.Marshal(obj); err != nil {
		return nil, protocol.Internal(err)
	}
	return body, nil
}

// withoutNulls removes null from the maps in v, which it modifies.
func withoutNulls(v any) {
	switch x := v.(type) {
	case map[string]any:
		for k, e := range x {
			if e == nil {
				delete(x, k)
				continue
			}
			withoutNulls(e)
		}
	case []any:
		for _, e := range x {
			withoutNulls(e)
		}
	}
}

// encodeStringData moves the stringData of a Secret to its data.
func encodeStringData(obj map[string]any) {
	texts, ok := obj["stringData"].(map[string]any)
	if !ok {
		return
	}
	data, ok := obj["data"].(map[string]any)
	if !ok {
		if obj["data"] != nil {
			return // the schema refuses it
		}
		data = map[string]any{}
	}
	for k, v := range texts {
		s, ok := v.(string)
		if !ok {
			return
		}
		data[k] = base64.StdEncoding.EncodeToString([]byte(s))
	}
	obj["data"] = data
	delete(obj, "stringData")
}

// prepareStock goes on with an object of a built-in kind that was decoded: for a create, stored is nil.
func (q *request) prepareStock(r resource.Result, stored map[string]any) resource.Result {
	if len(r.Errors) > 0 || r.Object == nil {
		return r
	}
	q.s.unsupported.once(q.kind.Names.Kind + " in " + q.kind.APIVersion() + " is stored without defaults, and without validation but for metadata and types")
	if stored == nil && q.kind.Initial != nil {
		status := map[string]any{}
		for k, v := range q.kind.Initial {
			status[k] = v
		}
		r.Object = maps.Clone(r.Object)
		r.Object["status"] = status
	}
	if !q.kind.Generation {
		meta := maps.Clone(metadata(r.Object))
		delete(meta, "generation")
		r.Object = with(r.Object, meta)
	}
	return r
}

// mergePatchOf returns the JSON merge patch that makes after of before.
func mergePatchOf(before, after map[string]any) map[string]any {
	patch := map[string]any{}
	for k, old := range before {
		now, has := after[k]
		if !has {
			patch[k] = nil
			continue
		}
		was, wasMap := old.(map[string]any)
		is, isMap := now.(map[string]any)
		if wasMap && isMap {
			if inner := mergePatchOf(was, is); len(inner) > 0 {
				patch[k] = inner
			}
		} else if !equalJSON(old, now) {
			patch[k] = now
		}
	}
	for k, now := range after {
		if _, has := before[k]; !has {
			patch[k] = now
		}
	}
	return patch
}

// equalJSON reports whether two values have the same JSON.
func equalJSON(a, b any) bool {
	x, err := json.Marshal(a)
	if err != nil {
		return false
	}
	y, err := json.Marshal(b)
	return err == nil && bytes.Equal(x, y)
}

// strategicMerge returns the JSON merge patch that does to a stored object of a type what a strategic one does.
func strategicMerge(patch []byte, stored map[string]any, of string) ([]byte, error) {
	obj, err := unstructured.DecodeJSON(patch)
	if err != nil {
		return nil, err
	}
	m := merger{catalog.BuiltInTypes()}
	after, err := m.object(stored, obj, of)
	if err != nil {
		return nil, err
	}
	return json.Marshal(mergePatchOf(stored, after))
}
