package server

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/server/internal/catalog"
	"github.com/crdkit/crdkit/server/protocol"
	"github.com/crdkit/crdkit/server/storage"
)

// This file encodes and decodes stored objects. The value of an object is its JSON, in the storage version at the time
// of the write. It has no resourceVersion: that is the revision of the key.

// encode returns the value to store for an object.
func encode(obj map[string]any) ([]byte, error) {
	return json.Marshal(withRevision(obj, 0))
}

// item returns the stored value of an object.
func (q *request) item(name string) (storage.Item, *field.Status) {
	item, err := q.s.store.Get(q.r.Context(), q.kind.Key(q.namespace, name))
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return item, q.kind.Resource().NotFound(name)
	case err != nil:
		return item, failed(err)
	}
	return item, nil
}

// get returns an object as it is stored.
func (q *request) get(name string) (storage.Item, map[string]any, *field.Status) {
	item, refused := q.item(name)
	if refused != nil {
		return item, nil, refused
	}
	if !q.definition() { // definitions are locked, one request at a time, and what has the lock must not wait
		if refused := q.reserve(len(item.Value)); refused != nil {
			return item, nil, refused
		}
	}
	obj, err := catalog.Decode(item.Value, item.Revision)
	if err != nil {
		return item, nil, protocol.Internal(err)
	}
	return item, obj, nil
}

// shown decodes a stored object and returns it in the version of the request.
func (q *request) shown(value []byte, revision int64) (map[string]any, *field.Status) {
	stored, err := catalog.Decode(value, revision)
	if err != nil {
		return nil, protocol.Internal(err)
	}
	return q.readStored(stored)
}

// readStored reads a stored object in the version of the request.
func (q *request) readStored(stored map[string]any) (map[string]any, *field.Status) {
	r := q.kind.Version().Read(stored)
	return q.encoded(r.Object), r.Status()
}

// metadata returns the metadata of an object, or nil.
func metadata(obj map[string]any) map[string]any {
	meta, _ := obj["metadata"].(map[string]any)
	return meta
}

// with returns a copy of obj with other metadata.
func with(obj, meta map[string]any) map[string]any {
	out := maps.Clone(obj)
	out["metadata"] = meta
	return out
}

// withRevision returns a copy of obj with the revision as its resourceVersion. For revision 0 it removes the
// resourceVersion.
func withRevision(obj map[string]any, revision int64) map[string]any {
	meta := maps.Clone(metadata(obj))
	delete(meta, "resourceVersion")
	if revision > 0 {
		meta["resourceVersion"] = strconv.FormatInt(revision, 10)
	}
	return with(obj, meta)
}

// text returns the string under a key, or "".
func text(m map[string]any, key string) string {
	s, _ := m[key].(string)
	return s
}

// removeFrom removes matching elements from a list in metadata, and removes the list if it becomes empty.
func removeFrom(meta map[string]any, list string, match func(v any) bool) {
	old, _ := meta[list].([]any)
	rest := slices.DeleteFunc(slices.Clone(old), match)
	if meta[list] = rest; len(rest) == 0 {
		delete(meta, list)
	}
}
