package objectmeta

import (
	"maps"
	"slices"

	"github.com/crdkit/crdkit/field"
)

// An Unreadable value is one for which [Read] returns an error.
type Unreadable struct {
	Path []field.Segment // in the metadata; empty if that is neither an object nor null
	Want string          // what a server reads there: "a string"
	Err  error           // of Read for this value alone
	// Alone reports that null in the place of the value changes nothing else: it is a label or an annotation.
	Alone bool
}

// Unreadables returns the values in v that make [Read] fail, in the order in which a server reads them. Read names only
// one of them. The time is linear in v.
func Unreadables(v any) (all []Unreadable) {
	_, _, err := Read(v, false)
	if err == nil {
		return nil
	}
	m, ok := v.(map[string]any)
	if !ok {
		return []Unreadable{{Want: "an object", Err: err}}
	}
	for _, f := range Metadata.ByName {
		if v, ok := m[f.Name]; ok {
			all = f.unreadables(all, v, field.Segment{Key: f.Name}, func(v any) any { return map[string]any{f.Name: v} })
		}
	}
	return all
}

// unreadables appends v, a value of m, or the values in it. metadata returns metadata in which only v is replaced.
func (m *Member) unreadables(all []Unreadable, v any, at field.Segment, metadata func(v any) any) []Unreadable {
	_, _, err := Read(metadata(v), false)
	if err == nil {
		return all
	}
	before := len(all)
	each := func(s field.Segment, v any, of *Member, in func(v any) any) {
		from := len(all)
		all = of.unreadables(all, v, s, func(v any) any { return metadata(in(v)) })
		for i := range all[from:] {
			u := &all[from+i]
			u.Path, u.Alone = append([]field.Segment{at}, u.Path...), m.Kind == StringMap
		}
	}
	switch x := v.(type) {
	case map[string]any:
		if m.Kind == StringMap {
			for _, k := range slices.Sorted(maps.Keys(x)) {
				each(field.Segment{Key: k}, x[k], entryMember, func(v any) any { return map[string]any{k: v} })
			}
		}
	case []any:
		for i, item := range x {
			s, in := field.Segment{Index: i, IsIndex: true}, func(v any) any { return []any{v} }
			if m.Kind == StringList || m.Kind == ObjectList {
				each(s, item, &Member{Kind: itemKind(m), Items: m.Items}, in)
			}
		}
	}
	if o, ok := v.(map[string]any); ok && m.Kind == objectItem {
		for _, f := range m.Items.ByName {
			if v, ok := o[f.Name]; ok {
				each(field.Segment{Key: f.Name}, v, f, func(v any) any { return map[string]any{f.Name: v} })
			}
		}
	}
	if len(all) == before { // the value itself
		all = append(all, Unreadable{Path: []field.Segment{at}, Want: wants[m.Kind], Err: err})
	}
	return all
}

// objectItem is the kind of an item of an ObjectList.
const objectItem = ObjectList + 1

func itemKind(m *Member) Kind {
	if m.Kind == ObjectList {
		return objectItem
	}
	return String
}

var entryMember = &Member{Kind: String}

// wants has what a server reads for each kind.
var wants = [...]string{
	String: "a string", Integer: "an integer", IntegerPointer: "an integer", BoolPointer: "a boolean",
	Time: "a time such as 2026-01-02T03:04:05Z", TimePointer: "a time such as 2026-01-02T03:04:05Z", JSON: "a value that is nested less",
	StringMap: "an object of strings", StringList: "a list of strings", ObjectList: "a list of objects", objectItem: "an object",
}
