package crd

import (
	"maps"
	"math"
	"slices"
	"time"

	"github.com/crdkit/crdkit/internal/objectmeta"
)

// metadata returns the members of an object as a server would write them: without unknown and empty ones. Their values
// must have the right types, because a server decodes them into a struct.
func (b *binder) metadata(o *objectmeta.Object, from map[string]any) map[string]any {
	to := make(map[string]any, len(from))
	for _, m := range o.Members {
		v := from[m.Name]
		if m.Required {
			to[m.Name] = "" // all required members are strings
		}
		if v == nil {
			continue
		}
		b.below(m.Name, func() {
			if v, present := b.member(m, v); present {
				to[m.Name] = v
			}
		})
	}
	return to
}

// member returns the value of a member, and whether it is not empty.
func (b *binder) member(m *objectmeta.Member, v any) (_ any, present bool) {
	switch m.Kind {
	case objectmeta.String:
		return v, as[string](b, v, "a string") != ""
	case objectmeta.Integer, objectmeta.IntegerPointer:
		return v, b.integer(v, math.MinInt64, math.MaxInt64) != 0 || m.Kind == objectmeta.IntegerPointer
	case objectmeta.BoolPointer:
		as[bool](b, v, "a boolean")
	case objectmeta.Time, objectmeta.TimePointer:
		t := b.time(v)
		return t.Format(time.RFC3339), !t.IsZero()
	case objectmeta.StringMap:
		texts := maps.Clone(b.object(v))
		for _, k := range slices.Sorted(maps.Keys(texts)) {
			if texts[k] == nil {
				texts[k] = ""
			}
			b.below(k, func() { as[string](b, texts[k], "a string") })
		}
		return texts, len(texts) > 0
	case objectmeta.StringList, objectmeta.ObjectList:
		l := slices.Clone(as[[]any](b, v, "a list"))
		b.items(l, func(i int, item any) { l[i] = b.item(m, item) })
		return l, len(l) > 0
	}
	return v, true
}

// item returns an item of a list. A null becomes an empty item.
func (b *binder) item(m *objectmeta.Member, v any) any {
	switch {
	case m.Kind == objectmeta.ObjectList:
		return b.metadata(m.Items, b.object(v))
	case v == nil:
		return ""
	}
	return as[string](b, v, "a string")
}
