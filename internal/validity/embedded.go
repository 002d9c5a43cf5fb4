package validity

import (
	"maps"
	"slices"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/origin"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/refusal"
)

// ReportEmbedded adds the errors in the apiVersion, kind and metadata of the embedded resources in v. The order is that
// of a walk with sorted keys, a resource before those within it. schema is the path of n in the schema.
//
// Clauses: OME-020 to OME-022.
func ReportEmbedded(errs *refusal.List, n *plan.Node, at *field.Path, schema string, v any) {
	if OK(n, v, Embedded) {
		return
	}
	if err := jsonval.TooLarge(at, v); err != nil {
		errs.Add(err)
		return
	}
	e := embedded{base: at, schema: schema, errs: *errs}
	e.value(n, v, nil)
	*errs = e.errs
}

type embedded struct {
	base   *field.Path
	schema string // the path of the schema
	errs   refusal.List

	found   int // invalid resources
	stopped bool
}

func (e *embedded) value(n *plan.Node, v any, at *plan.Frame) {
	if n == nil || n.Below&plan.HasEmbedded == 0 || e.stopped {
		return
	}
	f := plan.Frame{Parent: at}
	switch x := v.(type) {
	case map[string]any:
		if n.Has&plan.HasEmbedded != 0 && !objectmeta.ValidEmbedded(x) {
			e.resource(x, at)
		}
		for _, k := range slices.Sorted(maps.Keys(x)) {
			child, declared := n.Child(k)
			f.Key, f.Step = k, plan.StepProperty
			if !declared {
				f.Step = plan.StepOtherKey
			}
			e.value(child, x[k], &f)
		}
	case []any:
		f.Step = plan.StepItem
		for i, c := range x {
			f.Index = i
			e.value(n.Items, c, &f)
		}
	}
}

// resource reports on an invalid embedded resource.
func (e *embedded) resource(obj map[string]any, at *plan.Frame) {
	if e.found++; e.found%checkInterval == 0 {
		e.stopped = e.errs.Stopped()
	}
	var path *field.Path
	var schema origin.Place
	if !e.errs.Full() { // otherwise the errors are only counted
		path, schema = at.Path(e.base), origin.Place{Steps: at.Schema(e.schema)}
	}
	found := objectmeta.Server{Profile: e.errs.Profile()}.ValidateEmbedded(obj, path, e.errs.Left())
	for _, err := range found {
		origin.Set(err, schema, origin.EmbeddedResource)
	}
	e.errs.Append(found...)
}
