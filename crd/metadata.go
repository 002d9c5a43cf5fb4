package crd

import (
	"maps"
	"slices"
	"time"

	"github.com/crdkit/crdkit/internal/objectmeta"
)

// metadata returns the members of an object as a server would write them: without unknown and empty ones. Their values
// must have the right types, because a server decodes them into a struct.
func (b *binder) metadata(o *objectmeta.Object, from map[string]any) map[string]any {
	to := make(map[string]any, len(from))
	for _, m := range o.Members {
		if v, present := b.member(m, from); present || m.Required {
			to[m.Name] = v
		}
	}
	return to
}

// member returns the value of a member, and whether it is not empty.
func (b *binder) member(m *objectmeta.Member, from map[string]any) (v any, present bool) {
	switch key := m.Name; m.Kind {
	case objectmeta.String:
		if b.text(from, key) == "" {
			return "", false
		}
		return from[key], true
	case objectmeta.Integer:
		return from[key], b.int64(from, key) != 0
	case objectmeta.IntegerPointer:
		return b.int64(from, key), from[key] != nil
	case objectmeta.BoolPointer:
		return from[key], b.flagPointer(from, key) != nil
	case objectmeta.Time, objectmeta.TimePointer:
		t := b.time(from, key)
		return t.Format(time.RFC3339), !t.IsZero()
	case objectmeta.JSON:
		return from[key], from[key] != nil
	case objectmeta.StringMap:
		strings := b.stringMap(from, key)
		return strings, len(strings) > 0
	case objectmeta.StringList:
		strings := b.texts(from, key)
		return values(strings, text), len(strings) > 0
	}
	items := list(b, from, m.Name, func(item map[string]any) any { return b.metadata(m.Items, item) })
	return items, len(items) > 0
}

func (b *binder) stringMap(from map[string]any, key string) (to map[string]any) {
	b.value(from, key, func(v any) {
		m := b.object(v)
		to = make(map[string]any, len(m))
		for _, k := range slices.Sorted(maps.Keys(m)) {
			to[k] = b.text(m, k)
		}
	})
	return to
}
