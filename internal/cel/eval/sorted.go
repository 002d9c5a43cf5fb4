package eval

import (
	"maps"
	"math/bits"
	"reflect"
	"slices"

	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/plan"
)

// A sortedMap has the sorted keys of a map of data.
type sortedMap struct {
	names []string // all of them
	keys  []value  // as a loop visits them; nil until a loop needs them
}

// sortedMaps keeps the sorted keys of large maps until other values are loaded.
type sortedMaps struct {
	known map[handle]*sortedMap
	keys  int       // number of kept keys
	names []string  // of maps that are in use but not kept
	spare sortedMap // the last map that is not kept
}

const (
	// manyKeys is the least number of keys of a map that is kept.
	manyKeys = 64
	// maxSorted is the maximum number of kept keys.
	maxSorted = 1 << 18
)

// forget drops all keys.
func (s *sortedMaps) forget() { *s = sortedMaps{names: emptied(s.names)} }

// A handle identifies a list or a map.
type handle struct {
	ref  any     // a list or a map that is not data, or the first item of a list of data
	at   uintptr // of a map of data, which does not move while it is loaded
	n    int
	node *plan.Node
}

// handleOf returns the handle of a list or a map, and false for other values.
func handleOf(v value) (handle, bool) {
	switch v.kind {
	case kindList:
		return handle{ref: v.ref}, !v.ref.(*list).growing
	case kindMap:
		return handle{ref: v.ref}, !v.ref.(*dict).growing
	case kindRawList:
		if l := v.ref.([]any); len(l) > 0 {
			return handle{ref: &l[0], n: len(l), node: v.node}, true
		}
	case kindRawMap:
		return handle{at: reflect.ValueOf(v.ref).Pointer(), node: v.node}, true
	}
	return handle{}, false
}

// sort returns the sorted keys of a map of data. When the caller no longer needs them, it resets f.sorted.names to its
// previous length. The sortedMap itself is valid until the next call.
func (f *frame) sort(v value) *sortedMap {
	data := v.ref.(map[string]any)
	s := &f.sorted
	if len(data) < manyKeys {
		f.visits(len(data) * bits.Len(uint(len(data))) * bytesPerTurn / 2)
		mark := len(s.names)
		s.names = slices.AppendSeq(s.names, maps.Keys(data))
		s.spare.names = s.names[mark:]
		slices.Sort(s.spare.names)
		return &s.spare
	}
	id, _ := handleOf(v)
	if known := s.known[id]; known != nil {
		return known
	}
	f.visits(len(data) * bits.Len(uint(len(data))) * bytesPerTurn)
	if s.known == nil || s.keys+len(data) > maxSorted {
		s.known, s.keys = map[handle]*sortedMap{}, 0
	}
	s.keys += len(data)
	known := &sortedMap{names: slices.AppendSeq(make([]string, 0, len(data)), maps.Keys(data))}
	slices.Sort(known.names)
	s.known[id] = known
	return known
}

// keysOf returns the keys of a map as a loop visits them. Those of data are sorted, and each key without a schema is
// followed by a null (CVA-014).
func (f *frame) keysOf(v value) []value {
	if v.kind == kindMap {
		return v.ref.(*dict).keys
	}
	mark := len(f.sorted.names)
	s := f.sort(v)
	if s.keys != nil {
		return s.keys
	}
	large := len(s.names) >= manyKeys
	var keys []value
	if large { // The keys may be kept longer than the results of a run.
		f.visits(itemBytes * len(s.names))
		keys = make([]value, 0, len(s.names))
	} else {
		keys = f.values(len(s.names))[:0]
	}
	object := isObject(v.node)
	for i, name := range s.names {
		if field(v.node, name) == nil {
			continue
		}
		if object {
			if escaped, ok := types.EscapeName(name); ok {
				name = escaped
			}
		}
		switch {
		case !large:
			keys = append(keys, f.text(name))
		case name == s.names[i]:
			keys = append(keys, value{kind: kindString, ref: &s.names[i]})
		default:
			keys = append(keys, textValue(name))
		}
	}
	for len(keys) < len(s.names) {
		keys = append(keys, null)
	}
	f.sorted.names = f.sorted.names[:mark]
	if large {
		s.keys = keys
	}
	return keys
}
