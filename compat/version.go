package compat

import (
	"errors"
	"strings"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/tool/constraint"
	"github.com/crdkit/crdkit/internal/tool/sample"
	"github.com/crdkit/crdkit/prune"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/unstructured"
)

// A version is a served version of a definition, ready to handle requests.
type version struct {
	c         *comparer
	d         *crd.CustomResourceDefinition
	name      string
	resource  *resource.Version
	root      *plan.Node // nil if the version has no schema
	served    bool
	prunes    bool // the definition does not preserve unknown fields
	hasStatus bool // there is a status subresource
	props     *schema.JSONSchemaProps

	needsWebhook bool                // requests need a conversion webhook, which is not given
	storage      *version            // in which objects are stored
	siblings     map[string]*version // all versions of the definition, this one included

	// Built when first needed.
	maker      *sample.Maker
	rules      []*constraint.Rule
	bases      map[string]base    // by the text of their schema paths
	preserving []constraint.Steps // see preservingPaths
	schemas    int                // see size
}

// A base is a valid object that has a value at a schema path, or the reason why there is none.
type base struct {
	object map[string]any
	err    error
}

// resource compiles a definition for the server.
func (c *comparer) resource(d *crd.CustomResourceDefinition) (*resource.Resource, error) {
	r, err := resource.Compile(d)
	if err != nil {
		return nil, err
	}
	if c.options.Converter != nil {
		r = r.WithConverter(c.options.Converter)
	}
	return r.For(c.options.Kubernetes)
}

// compile returns the versions of a definition by name, and ranks them for the order of findings.
func (c *comparer) compile(d *crd.CustomResourceDefinition) (map[string]*version, error) {
	r, err := c.resource(d)
	if err != nil {
		return nil, err
	}
	stored := r.StorageVersion().Name()
	webhook := c.options.Converter == nil && d.Spec.Conversion != nil && d.Spec.Conversion.Strategy == crd.ConversionWebhook
	versions, declared, served := map[string]*version{}, d.Lookup(), servedNames(d)
	for i := range d.Spec.Versions {
		name := d.Spec.Versions[i].Name
		if r.Version(name) == nil || versions[name] != nil {
			continue
		}
		v := c.newVersion(d, declared, r.Version(name))
		v.served = served[name]
		v.needsWebhook = webhook && name != stored
		versions[name] = v
		c.rankVersion(name)
	}
	for _, v := range versions {
		v.storage, v.siblings = versions[stored], versions
	}
	return versions, nil
}

// servedNames returns the names of the served versions of d.
func servedNames(d *crd.CustomResourceDefinition) map[string]bool {
	served := map[string]bool{}
	for i := range d.Spec.Versions {
		if v := &d.Spec.Versions[i]; v.Served {
			served[v.Name] = true
		}
	}
	return served
}

// newVersion returns a version of d without its storage.
func (c *comparer) newVersion(d *crd.CustomResourceDefinition, declared *crd.Lookup, r *resource.Version) *version {
	v := &version{c: c, d: d, name: r.Name(), bases: map[string]base{}}
	v.prunes = d.Spec.PreserveUnknownFields == nil || !*d.Spec.PreserveUnknownFields
	options := resource.RequestOptions{FieldValidation: resource.FieldValidationIgnore, Defaults: defaulting.Limit{Values: maxDefaults}}
	if d.Spec.Scope == crd.NamespaceScoped {
		options.Namespace = "default"
	}
	v.resource = r.With(options)
	if s := r.Schema(); s != nil {
		v.root = plan.Root(s)
	}
	sub, _ := declared.Subresources(v.name) // Invariant: d compiles, so that there is no error
	v.hasStatus = sub.Status != nil
	v.props, _ = declared.Schema(v.name)
	return v
}

func (v *version) apiVersion() string { return v.d.Spec.Group + "/" + v.name }

// withAPIVersion returns obj with the apiVersion of v. It does not modify obj.
func (v *version) withAPIVersion(obj map[string]any) map[string]any {
	if obj == nil || obj["apiVersion"] == v.apiVersion() {
		return obj
	}
	return with(obj, "apiVersion", v.apiVersion())
}

// samples returns the maker of objects of the version.
func (v *version) samples() *sample.Maker {
	if v.maker == nil {
		v.rules = constraint.Rules(v.props)
		head := map[string]any{"apiVersion": v.apiVersion(), "kind": v.d.Spec.Names.Kind, "metadata": map[string]any{"name": "sample"}}
		v.maker = sample.New(v.resource, v.rules, head, v.hasStatus)
		v.maker.Budget = &v.c.effort
	}
	return v.maker
}

// objectAt returns a valid object that has a value at schemaPath.
func (v *version) objectAt(schemaPath constraint.Steps) (map[string]any, error) {
	key := schemaPath.String()
	b, ok := v.bases[key]
	if !ok {
		budget := v.c.limit(baseEffort)
		b.object, b.err = v.samples().At(v.c.ctx, schemaPath)
		v.c.restore(budget)
		if size := countValues(b.object); v.c.kept+size <= maxKept {
			v.c.kept += size
			v.bases[key] = b
		}
	}
	return b.object, b.err
}

// handle returns what a server does with a request. An object of another version of the definition is converted, if there
// is a converter, and so is the object of the result, back to that version.
func (v *version) handle(r request) resource.Result {
	sent, _ := r.object["apiVersion"].(string)
	if !v.converts(sent) {
		return v.handleOwn(r)
	}
	var err error
	for _, obj := range []*map[string]any{&r.object, &r.stored} {
		if *obj != nil && err == nil {
			*obj, err = v.converted(*obj, v.apiVersion())
		}
	}
	if err != nil {
		v.c.effort--
		return resource.Result{Failure: &field.Status{Code: codeInternal, Message: err.Error()}}
	}
	result := v.handleOwn(r)
	if accepted(result) {
		if result.Object, err = v.converted(result.Object, sent); err != nil {
			return resource.Result{Failure: &field.Status{Code: codeInternal, Message: err.Error()}}
		}
	}
	return result
}

// codeInternal is the code of a refusal because a conversion failed.
const codeInternal = 500

// converts reports whether objects of an apiVersion are converted before v handles them: only [Versions] compares two
// versions.
func (v *version) converts(apiVersion string) bool {
	return v.c.options.Converter != nil && apiVersion != v.apiVersion() && v.d.Spec.Conversion != nil &&
		v.d.Spec.Conversion.Strategy == crd.ConversionWebhook && strings.HasPrefix(apiVersion, v.d.Spec.Group+"/")
}

// converted returns obj as an object of apiVersion. It does not modify obj.
func (v *version) converted(obj map[string]any, apiVersion string) (map[string]any, error) {
	out, err := v.c.options.Converter.Convert(v.c.ctx, []map[string]any{unstructured.Clone(obj)}, apiVersion)
	switch {
	case err != nil:
		return nil, err
	case len(out) != 1 || out[0] == nil:
		return nil, errors.New("the converter did not return one object")
	}
	return out[0], nil
}

// handleOwn is handle without a conversion between the versions that are compared.
func (v *version) handleOwn(r request) resource.Result {
	obj := v.withAPIVersion(r.object)
	var result resource.Result
	switch r.kind {
	case requestUpdate:
		result = v.resource.Update(v.c.ctx, obj, v.withAPIVersion(r.stored))
	case requestStatus:
		result = v.resource.UpdateStatus(v.c.ctx, obj, v.withAPIVersion(r.stored))
	default:
		result = v.resource.Create(v.c.ctx, obj)
	}
	v.c.effort -= 1 + max(countValues(obj), countValues(result.Object))/valuesPerRequest + int(result.Cost/ruleCostPerRequest) + pathSize(result.Errors)/pathsPerRequest
	if result.Failure != nil && result.Failure.Code == codeTooLarge {
		v.c.tooLarge, v.c.effort = true, min(v.c.effort, 0)
	}
	return result
}

// accepts reports whether a server accepts a request.
func (v *version) accepts(r request) bool { return accepted(v.handle(r)) }

// codeTooLarge is the code of a refusal because of the size of an object.
const codeTooLarge = 413

// accepted reports whether a request is not refused. [resource.Result.Err] would make the texts of all errors.
func accepted(r resource.Result) bool { return r.Failure == nil && len(r.Errors) == 0 }

// pathSize returns the length of the paths of errors.
func pathSize(errs field.List) (n int) {
	for _, e := range errs {
		n += len(e.Field)
	}
	return n
}

// dropsFields reports whether v prunes something in obj.
func (v *version) dropsFields(obj map[string]any) bool {
	return v.prunes && v.resource.Schema() != nil && len(prune.Unknown(v.resource.Schema(), obj)) > 0
}

// rootLocation returns the location of whole objects.
func (v *version) rootLocation() *location {
	return &location{node: v.root, preserved: v.root == nil, proofs: &v.c.proofs}
}

// effective returns l, with the values there preserved if it has no schema and the definition does not prune.
func (v *version) effective(l *location) *location {
	if l.pruned() && !v.prunes {
		kept := *l
		kept.preserved = true
		return &kept
	}
	return l
}

// errorPath returns the schema path of the first error.
func (v *version) errorPath(errs field.List) string {
	if len(errs) == 0 {
		return ""
	}
	path, n := "", v.root
	for _, s := range errs[0].Path.Segments() {
		below := constraint.NodeAt(n, []field.Segment{s})
		if s.IsIndex || n != nil && n.Additional != nil && below == n.Additional {
			path += "[*]"
		} else {
			path = constraint.Join(path, s.Key)
		}
		n = below
	}
	return path
}

// preservingPaths returns the schema paths to objects in which unknown fields are preserved, the shorter ones first. It
// returns some of them if there are many.
func (v *version) preservingPaths() []constraint.Steps {
	if v.preserving != nil || v.root == nil {
		return v.preserving
	}
	v.preserving = []constraint.Steps{}
	type at struct {
		n          *plan.Node
		schemaPath constraint.Steps
	}
	todo := []at{{v.root, nil}}
	for i := 0; i < len(todo) && i < 20_000 && len(v.preserving) < 30; i++ {
		n, schemaPath := todo[i].n, todo[i].schemaPath
		next := func(n *plan.Node, step constraint.Step) {
			if n != nil && len(schemaPath) < 30 {
				todo = append(todo, at{n, schemaPath.To(step)})
			}
		}
		if n.Has&plan.PreserveFields != 0 && n.Accept&plan.KindObject != 0 && len(schemaPath) > 0 {
			v.preserving = append(v.preserving, schemaPath)
		}
		for i := range n.Props {
			next(n.Props[i].Node, property(n.Props[i].Name))
		}
		next(n.Items, items)
		next(n.Additional, undeclared)
	}
	return v.preserving
}
