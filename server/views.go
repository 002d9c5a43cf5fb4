package server

import (
	"encoding/json"
	"sync"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/server/internal/catalog"
)

// This file has a cache for watches. Many watches send the same object, of the same revision and in the same version,
// at about the same time. It is decoded and encoded once for all of them, while it is in the cache.

// viewBytes is the maximum size of all views of a server, in bytes of JSON. A decoded object counts as several times
// its JSON.
const viewBytes = 32 << 20

// decodedCost is the approximate ratio of the size of a decoded object to that of its JSON.
const decodedCost = 8

// A viewKey identifies an object in an API version, at a revision.
type viewKey struct {
	compiled *catalog.Compiled
	version  string
	key      string
	revision int64
	// previous is for the value before the revision. Its resourceVersion is the revision, not that of the previous
	// write.
	previous bool
	decoded  bool // the object, not its JSON
}

// A view is an object or its JSON. It is not modified.
type view struct {
	cost    int
	once    sync.Once
	object  map[string]any
	json    []byte
	refused *field.Status
}

// views is a cache of the latest views. It is safe for concurrent use.
type views struct {
	limit int

	mu    sync.Mutex
	cost  int // of all views in byKey
	byKey map[viewKey]*view
}

func newViews(limit int) *views { return &views{limit: limit, byKey: map[viewKey]*view{}} }

// get returns the view of a key. The caller sets its content, in view.once. If there is no room for another view, all
// others are dropped: watches rarely need an earlier revision again.
func (v *views) get(key viewKey, cost int) *view {
	v.mu.Lock()
	defer v.mu.Unlock()
	of := v.byKey[key]
	if of == nil {
		if v.cost += cost; v.cost > v.limit {
			clear(v.byKey)
			v.cost = cost
		}
		of = &view{cost: cost}
		v.byKey[key] = of
	}
	return of
}

// drop removes the view of a key, because making it has failed. The next get starts again.
func (v *views) drop(key viewKey) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if of := v.byKey[key]; of != nil {
		v.cost -= of.cost
		delete(v.byKey, key)
	}
}

// A seen is a stored value to be sent in the API version of a watch.
type seen struct {
	q        *request
	key      string
	value    []byte
	revision int64
	previous bool
}

// object returns the object in the request's version. It is shared, and must not be modified.
func (s seen) object() (map[string]any, *field.Status) {
	v := s.view(true, len(s.value)*decodedCost)
	return v.object, v.refused
}

// json returns the JSON of the object.
func (s seen) json() ([]byte, *field.Status) {
	v := s.view(false, len(s.value))
	return v.json, v.refused
}

func (s seen) view(decoded bool, cost int) *view {
	key := viewKey{s.q.kind.Compiled(), s.q.kind.VersionName, s.key, s.revision, s.previous, decoded}
	v := s.q.s.views.get(key, cost)
	v.once.Do(func() {
		// The view is for all watches, so it does not depend on the context of this one.
		if len(s.value) > small {
			leave, err := s.q.s.budget.work.Enter(s.q.s.ctx, growth*int64(len(s.value)), 0)
			if err != nil {
				v.refused = failed(err)
				s.q.s.views.drop(key)
				return
			}
			defer leave()
		}
		v.object, v.refused = s.q.shown(s.value, s.revision)
		if v.refused != nil {
			s.q.s.views.drop(key)
		} else if !decoded {
			v.json, _ = json.Marshal(v.object) // it was decoded from JSON
			v.object = nil
		}
	})
	return v
}
