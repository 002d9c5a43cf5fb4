package resource

import (
	"context"
	"maps"

	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/embedded"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/prune"
	"github.com/crdkit/crdkit/schema"
)

// A normalizer converts objects to the form that the rest of a request uses, without filling in defaults (DEC-020,
// DEC-021).
type normalizer struct {
	ctx     context.Context // checked between the steps
	drop    bool            // drop what cannot be read, as for objects from storage; otherwise it is an error
	track   bool            // collect the paths of unknown fields
	unknown refusal.Texts   // of unknown fields
	limit   field.Limit
}

// object returns obj, which has that group, version and kind, with its metadata read and written back. If it is an
// object of r, it is also pruned, its nulls are dropped, and the metadata of its embedded resources is normalized. obj
// is not modified.
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
	e := embedded.Normalizer{Drop: n.drop, Track: n.track, Limit: n.limit}
	out, failed := e.Normalize(plan.Root(s), obj)
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
	meta, changed, err := objectmeta.Read(v, n.drop)
	if err == nil && n.track && changed {
		for _, path := range objectmeta.Unknown(v) {
			n.find([]string{"metadata." + path}, 0)
		}
	}
	return meta, true, err
}
