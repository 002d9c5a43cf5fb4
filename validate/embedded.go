package validate

import (
	"maps"
	"slices"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/walk"
	"github.com/crdkit/crdkit/schema"
)

// Embedded returns what is wrong with the apiVersion, kind and metadata of the embedded resources in v, in the order of a walk
// with keys by name, those of a resource before those within it. n is the node that describes v, at the place of v: nil for a whole
// object, whose own metadata is somebody else's affair, unless its schema says that it is embedded. A nil n accepts everything.
//
// Clauses: OME-020 to OME-022.
func Embedded(n *schema.Node, at *field.Path, v any) field.List {
	if n == nil || n.Below&schema.HasEmbedded == 0 {
		return nil
	}
	if e := jsonval.TooLarge(at, v); e != nil {
		return field.List{e}
	}
	e := embedded{base: at}
	e.value(n, v, nil)
	return e.errs
}

type embedded struct {
	base *field.Path
	errs field.List
}

func (e *embedded) value(n *schema.Node, v any, at *walk.Frame) {
	if n == nil || n.Below&schema.HasEmbedded == 0 {
		return
	}
	f := walk.Frame{Parent: at}
	switch x := v.(type) {
	case map[string]any:
		if n.Has&schema.HasEmbedded != 0 {
			e.errs = append(e.errs, objectmeta.ValidateEmbedded(x, at.Path(e.base))...)
		}
		for _, k := range slices.Sorted(maps.Keys(x)) {
			child, declared := n.Child(k)
			f.Key, f.Step = k, walk.Property
			if !declared {
				f.Step = walk.OtherKey
			}
			e.value(child, x[k], &f)
		}
	case []any:
		f.Step = walk.Item
		for i, c := range x {
			f.Index = i
			e.value(n.Items, c, &f)
		}
	}
}
