package compat

import (
	"maps"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/constraint"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/sample"
	"github.com/crdkit/crdkit/internal/single"
	"github.com/crdkit/crdkit/prune"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/schema"
)

// A side is a compiled definition.
type side struct {
	versions map[string]*version
}

// A version is one of a side's, ready to be asked.
type version struct {
	c         *comparer
	d         *crd.CustomResourceDefinition
	name      string
	resource  *resource.Version
	root      *plan.Node // nil: no schema
	prunes    bool
	hasStatus bool // there is a status subresource
	props     *schema.JSONSchemaProps

	needsWebhook bool          // a webhook, which is not given, has a part in all answers
	storage      *version      // that objects are stored in
	maker        *sample.Maker // made when it is first needed
	rules        []*single.Rule
	bases        map[string]base

	preserving []constraint.Way // see preserving
}

// A base is a valid object with a value at the end of a way, if there is one.
type base struct {
	object map[string]any
	err    error
}

func (c *comparer) compile(d *crd.CustomResourceDefinition) (*side, error) {
	r, err := resource.Compile(d)
	if err != nil {
		return nil, err
	}
	if c.options.Converter != nil {
		r = r.WithConverter(c.options.Converter)
	}
	webhook := c.options.Converter == nil && d.Spec.Conversion != nil && d.Spec.Conversion.Strategy == crd.ConversionWebhook
	s := &side{versions: map[string]*version{}}
	of := d.Lookup()
	for i := range d.Spec.Versions {
		name := d.Spec.Versions[i].Name
		v := r.Version(name)
		if v == nil || s.versions[name] != nil {
			continue
		}
		w := &version{c: c, d: d, name: name, prunes: d.Spec.PreserveUnknownFields == nil || !*d.Spec.PreserveUnknownFields, bases: map[string]base{}}
		options := resource.RequestOptions{FieldValidation: resource.FieldValidationIgnore}
		if d.Spec.Scope == crd.NamespaceScoped {
			options.Namespace = "default"
		}
		w.resource = v.With(options)
		w.needsWebhook = webhook && r.StorageVersion().Name() != name
		if s := v.Schema(); s != nil {
			w.root = plan.Root(s)
		}
		if sub, err := of.Subresources(name); err == nil && sub != nil {
			w.hasStatus = sub.Status != nil
		}
		if w.props, err = of.Schema(name); err != nil {
			w.props = nil
		}
		s.versions[name] = w
		if _, ok := c.versionOrder[name]; !ok {
			c.versionOrder[name] = len(c.versionOrder)
		}
	}
	for _, v := range s.versions {
		v.storage = s.versions[r.StorageVersion().Name()]
	}
	return s, nil
}

func (v *version) apiVersion() string { return v.d.Spec.Group + "/" + v.name }

// own returns obj with the apiVersion of v.
func (v *version) withAPIVersion(obj map[string]any) map[string]any {
	if obj == nil || obj["apiVersion"] == v.apiVersion() {
		return obj
	}
	obj = maps.Clone(obj)
	obj["apiVersion"] = v.apiVersion()
	return obj
}

// samples returns the maker of the version's objects.
func (v *version) samples() *sample.Maker {
	if v.maker == nil {
		v.rules = single.List(v.props)
		head := map[string]any{"apiVersion": v.apiVersion(), "kind": v.d.Spec.Names.Kind, "metadata": map[string]any{"name": "sample"}}
		v.maker = sample.New(v.resource, v.rules, head, v.hasStatus)
		v.maker.Budget = &v.c.effort
	}
	return v.maker
}

// at returns a valid object with a value at the end of a way.
func (v *version) objectAt(way constraint.Way) (map[string]any, error) {
	key := way.String()
	b, ok := v.bases[key]
	if !ok {
		budget := v.c.limit(baseEffort)
		b.object, b.err = v.samples().At(v.c.ctx, way)
		v.c.restore(budget)
		v.bases[key] = b
	}
	return b.object, b.err
}

// judge asks the version about a request. A create has nothing stored.
func (v *version) handle(request string, obj, stored map[string]any) resource.Result {
	obj = v.withAPIVersion(obj)
	var r resource.Result
	switch request {
	case Update:
		r = v.resource.Update(v.c.ctx, obj, v.withAPIVersion(stored))
	case StatusUpdate:
		r = v.resource.UpdateStatus(v.c.ctx, obj, v.withAPIVersion(stored))
	default:
		r = v.resource.Create(v.c.ctx, obj)
	}
	v.c.effort -= 1 + countValues(obj)/sizeUnit + int(r.Cost/costUnit)
	return r
}

// drops reports whether v has no schema for something in obj, and so drops it.
func (v *version) dropsFields(obj map[string]any) bool {
	return v.prunes && v.resource.Schema() != nil && len(prune.Unknown(v.resource.Schema(), obj)) > 0
}

// top returns the spot of whole objects.
func (v *version) rootLocation() location {
	return location{node: v.root, preserved: v.root == nil, proofs: &v.c.proofs}
}

// settle makes a spot without a schema one where everything is kept, if the definition does not prune.
func (v *version) effective(s location) location {
	if s.pruned() && !v.prunes {
		s.preserved = true
	}
	return s
}

// errorPath returns the path of the schema that the first error is about.
func (v *version) errorPath(errs field.List) string {
	if len(errs) == 0 {
		return ""
	}
	path, n := "", v.root
	for _, s := range errs[0].Path.Segments() {
		below := nodeAt(n, []field.Segment{s})
		if s.IsIndex || n != nil && n.Additional != nil && below == n.Additional {
			path += "[*]"
		} else {
			path = constraint.Join(path, s.Key)
		}
		n = below
	}
	return path
}

// preserving returns the ways to some objects in which all fields are kept, the shorter ones first.
func (v *version) preservingWays() []constraint.Way {
	if v.preserving != nil || v.root == nil {
		return v.preserving
	}
	v.preserving = []constraint.Way{}
	type at struct {
		n   *plan.Node
		way constraint.Way
	}
	todo := []at{{v.root, nil}}
	for i := 0; i < len(todo) && i < 20_000 && len(v.preserving) < 30; i++ {
		n, way := todo[i].n, todo[i].way
		next := func(n *plan.Node, step constraint.Step) {
			if n != nil && len(way) < 30 {
				todo = append(todo, at{n, way.To(step)})
			}
		}
		if n.Has&plan.PreserveFields != 0 && n.Accept&plan.KindObject != 0 && len(way) > 0 {
			v.preserving = append(v.preserving, way)
		}
		for i := range n.Props {
			next(n.Props[i].Node, constraint.Step{Name: n.Props[i].Name})
		}
		next(n.Items, constraint.Step{Item: true})
		next(n.Additional, constraint.Step{Other: true})
	}
	return v.preserving
}
