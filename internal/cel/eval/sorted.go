package eval

import (
	"maps"
	"math/bits"
	"reflect"
	"slices"

	"github.com/crdkit/crdkit/internal/cel/declare"
	"github.com/crdkit/crdkit/internal/plan"
)

// A sortedMap has the keys of a map of data in order.
type sortedMap struct {
	names []string // all of them
	keys  []value  // as a loop sees them; nil until one asks
}

// sortedMaps remembers the keys of the large maps that were sorted, until other values are loaded.
type sortedMaps struct {
	known map[handle]*sortedMap
	keys  int       // that are remembered
	names []string  // those of the maps that are in use and not remembered
	spare sortedMap // the last of them
}

const (
	// manyKeys is from how many keys on a map is remembered.
	manyKeys = 64
	// maxSorted is how many keys are remembered at once.
	maxSorted = 1 << 18
)

// forget drops all keys.
func (s *sortedMaps) forget() { *s = sortedMaps{names: emptied(s.names)} }

// A handle tells lists and maps apart that are not the same ones.
type handle struct {
	ref  any     // of a list or a map that is not data, or the first item of a list of data
	at   uintptr // of a map of data, which stays where it is as long as it is loaded
	n    int
	node *plan.Node
}

// handleOf returns the handle of a list or a map, or false for another value.
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

// sort returns the keys of a map of data in order. The caller sets f.sorted.names back to the length that it had before when it no longer
// needs them; the sortedMap itself is good until the next call.
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

// keysOf returns the keys of a map as a loop sees them: those of data in sorted order, and for each key without a schema a null
// behind them (CVA-014).
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
	if large { // It may be remembered longer than what a run makes.
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
			if escaped, ok := declare.Escape(name); ok {
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
