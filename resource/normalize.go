package resource

import (
	"context"
	"maps"

	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/embedded"
	"github.com/crdkit/crdkit/internal/errlist"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/prune"
	"github.com/crdkit/crdkit/schema"
)

// A normalizer brings objects into the form that the rest of a request works on, without filling in defaults (DEC-020, DEC-021).
type normalizer struct {
	ctx     context.Context // asked between the steps
	drop    bool            // what cannot be read, as with objects from storage; else it is an error
	track   bool            // gather the paths of unknown fields
	unknown errlist.Texts   // of unknown fields
	limit   field.Limit
}

// object returns obj, whose kind and version are given, with its metadata read and written back and, if it is one of r's objects,
// pruned, rid of nulls and with its embedded resources' metadata in form. It does not modify obj.
func (n *normalizer) object(r *Resource, obj map[string]any, group, version, kind string) (map[string]any, error) {
	meta, found, err := n.metadata(obj)
	if err != nil {
		return nil, err
	}
	out := obj
	if r.has(group, kind) {
		var s *schema.Structural // a version that r does not have has no fields (DEC-024)
		if of := r.versions[version]; of != nil {
			s = of.schema
		}
		if out, err = n.byDefinition(r, s, out); err != nil {
			return nil, err
		}
	}
	if found {
		out = maps.Clone(out)
		out["metadata"] = meta
	}
	return out, nil
}

func (n *normalizer) byDefinition(r *Resource, s *schema.Structural, obj map[string]any) (map[string]any, error) {
	if r.prunes {
		if n.track {
			n.find(prune.UnknownWithin(s, obj, n.limit))
			if err := n.ctx.Err(); err != nil {
				return nil, err
			}
		}
		obj = prune.Prune(s, obj)
		if err := n.ctx.Err(); err != nil {
			return nil, err
		}
		obj = defaulting.DropNulls(s, obj)
	}
	if err := n.ctx.Err(); err != nil || s == nil {
		return obj, err
	}
	e := embedded.Coercer{Drop: n.drop, Track: n.track, Limit: n.limit}
	out, failed := e.Coerce(plan.Root(s), obj)
	if failed != nil {
		return nil, failed
	}
	n.find(e.Unknown())
	return out.(map[string]any), nil
}

// metadata reads the object's own metadata.
func (n *normalizer) metadata(obj map[string]any) (meta map[string]any, found bool, err error) {
	v, found := obj["metadata"]
	if !found {
		return nil, false, nil
	}
	changed := false
	if n.drop {
		meta, changed, err = objectmeta.ReadDropping(v)
	} else {
		meta, changed, err = objectmeta.Read(v)
	}
	if err == nil && n.track && changed {
		for _, path := range objectmeta.Unknown(v) {
			n.find([]string{"metadata." + path}, 0)
		}
	}
	return meta, true, err
}
