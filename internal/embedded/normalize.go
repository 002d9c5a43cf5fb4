package embedded

import (
	"maps"
	"slices"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/refusal"
)

// A Normalizer normalizes embedded resources. The zero value is for objects in requests.
type Normalizer struct {
	// Drop leaves out what cannot be read, as a server does with objects from its storage. Otherwise it is an error.
	Drop bool
	// Track makes Normalize collect the paths of unknown fields of metadata.
	Track bool
	// Limit bounds the number of collected paths and their bytes.
	Limit field.Limit

	unknown *refusal.Texts
}

// Normalize returns v, which n describes, with the metadata of each embedded resource in it decoded and encoded again.
// It does not modify v: if nothing changes, it returns v itself; otherwise it copies along the paths to the changes and
// shares the rest. Its error is the first one in the order of properties' names and items' indexes. If v itself is a
// resource, the caller handles it, unless x-kubernetes-embedded-resource says that it is one.
//
// Clauses: OME-010 to OME-012, EMB-004.
func (norm *Normalizer) Normalize(n *plan.Node, v any) (any, *field.Error) {
	out, _, err := norm.value(n, v, nil)
	return out, err
}

// Unknown returns the paths of the unknown fields that were left out so far, sorted (OME-005), and the number of
// further ones.
func (norm *Normalizer) Unknown() (paths []string, more int) {
	if norm.unknown == nil {
		return nil, 0
	}
	paths, more = norm.unknown.Kept()
	slices.Sort(paths)
	return paths, more
}

func (norm *Normalizer) value(n *plan.Node, v any, at *plan.Frame) (out any, changed bool, err *field.Error) {
	if n == nil || n.Below&plan.HasEmbedded == 0 {
		return v, false, nil
	}
	switch x := v.(type) {
	case map[string]any:
		if m, changed, err := norm.object(n, x, at); changed || err != nil {
			return m, changed, err
		}
	case []any:
		if l, changed, err := norm.list(n, x, at); changed || err != nil {
			return l, changed, err
		}
	}
	return v, false, nil
}

func (norm *Normalizer) object(n *plan.Node, m map[string]any, at *plan.Frame) (out map[string]any, changed bool, err *field.Error) {
	out = m
	f := plan.Frame{Parent: at}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		f.Key, f.Step = k, plan.StepProperty
		v, was, keep := m[k], false, true
		if n.Has&plan.HasEmbedded != 0 {
			if v, was, keep, err = norm.own(k, v, at); err != nil {
				return nil, false, err
			}
		}
		if child, declared := n.Child(k); keep && child != nil {
			if !declared {
				f.Step = plan.StepOtherKey
			}
			// A resource within the metadata of another one, which no CRD may declare, is normalized as it was sent,
			// but only the outer metadata is written back.
			w, more, err := norm.value(child, m[k], &f)
			if err != nil {
				return nil, false, err
			}
			if n.Has&plan.HasEmbedded == 0 || k != "metadata" {
				v, was = w, was || more
			}
		}
		if !was {
			continue
		}
		if !changed {
			out, changed = maps.Clone(m), true
		}
		if keep {
			out[k] = v
		} else {
			delete(out, k)
		}
	}
	return out, changed, nil
}

// found records unknown paths in the metadata at key k of the resource.
func (norm *Normalizer) found(paths []string, k string, at *plan.Frame) {
	if norm.unknown == nil {
		texts := refusal.TextsWithin(norm.Limit)
		norm.unknown = &texts
	}
	if len(paths) == 0 || norm.unknown.Full() {
		norm.unknown.Skip(len(paths))
		return
	}
	place := at.Path(nil).Child(k).String()
	for _, path := range paths {
		norm.unknown.Add(place + "." + path)
	}
}

// own normalizes one of the fields that every resource has.
func (norm *Normalizer) own(k string, v any, at *plan.Frame) (out any, changed, keep bool, err *field.Error) {
	switch k {
	case "apiVersion", "kind":
		if _, ok := v.(string); ok {
			break
		}
		if norm.Drop {
			return nil, true, false, nil
		}
		return nil, false, false, field.Invalid(at.Path(nil).Child(k), v, "must be a string")
	case "metadata":
		meta, changed, failed := objectmeta.Read(v, norm.Drop)
		if failed != nil && !norm.Drop {
			return nil, false, false, field.Invalid(at.Path(nil).Child(k), v, failed.Error())
		}
		if failed != nil || !changed {
			break // OME-010: metadata that is not an object stays, if errors are not possible
		}
		if norm.Track {
			norm.found(objectmeta.Unknown(v), k, at)
		}
		return meta, true, true, nil
	}
	return v, false, true, nil
}

func (norm *Normalizer) list(n *plan.Node, items []any, at *plan.Frame) (out []any, changed bool, err *field.Error) {
	out = items
	f := plan.Frame{Parent: at, Step: plan.StepItem}
	for i, v := range items {
		f.Index = i
		w, was, err := norm.value(n.Items, v, &f)
		if err != nil {
			return nil, false, err
		}
		if !was {
			continue
		}
		if !changed {
			out, changed = slices.Clone(items), true
		}
		out[i] = w
	}
	return out, changed, nil
}
