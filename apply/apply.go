package apply

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/merge"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/patch"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/internal/since"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

// A Resource is a custom resource whose objects can be applied. It is immutable and safe for concurrent use.
type Resource struct {
	of       resource.GroupResource
	types    types
	versions map[string]*version // by apiVersion
	builtIn  *plan.GoType        // nil: custom
	plain    bool                // see keyOf
}

// A version has what all requests for it share.
type version struct {
	resource   *Resource
	of         *resource.Version
	apiVersion string
	node       *plan.Node     // the root of the schema; nil: none
	replicas   fieldpath.Path // nil: none (SSA-038)
	// The fields that the two endpoints reset, and that are therefore unowned there (SSA-024).
	resets, resetsStatus map[fieldpath.APIVersion]fieldpath.Filter
}

// Compile prepares all versions of r, with the types of their objects.
func Compile(r *resource.Resource) (*Resource, error) {
	d := r.Definition()
	out := &Resource{
		of:       r.GroupResource(),
		types:    types{kind: d.AcceptedNames().Kind, versions: map[string]typed.ParseableType{}},
		versions: map[string]*version{},
		builtIn:  plan.GoTypeOf(r),
		plain:    since.ProfileOf(r).Has(since.PlainKeys),
	}
	preserves := d.Spec.PreserveUnknownFields != nil && *d.Spec.PreserveUnknownFields
	lookup := d.Lookup()
	resetsStatus := map[fieldpath.APIVersion]*fieldpath.Set{}
	for _, v := range r.Versions() {
		name := objectmeta.APIVersion(d.Spec.Group, v.Name())
		of := &version{resource: out, of: v, apiVersion: name}
		switch s := v.Schema(); {
		case out.builtIn != nil && out.builtIn.Root != nil:
			of.node = out.builtIn.Root
			out.types.versions[name] = builtInType(out.builtIn)
		default:
			if s != nil {
				of.node = plan.Root(s)
			}
			out.types.versions[name] = typeOf(s, preserves)
		}
		out.versions[name] = of
		sub, err := lookup.Subresources(v.Name())
		if err != nil {
			return nil, fmt.Errorf("apply: %w", err)
		}
		if sub == nil {
			continue
		}
		if sub.Status != nil {
			of.resets = fieldpath.NewExcludeFilterSetMap(map[fieldpath.APIVersion]*fieldpath.Set{
				fieldpath.APIVersion(name): fieldpath.NewSet(fieldpath.MakePathOrDie("status")),
			})
			resetsStatus[fieldpath.APIVersion(name)] = statusResets(plan.BuiltInOf(r))
		}
		if sub.Scale != nil {
			for _, step := range strings.Split(strings.TrimPrefix(sub.Scale.SpecReplicasPath, "."), ".") {
				of.replicas = append(of.replicas, fieldpath.FieldNameElement(step))
			}
		}
	}
	for _, v := range out.versions {
		v.resetsStatus = fieldpath.NewExcludeFilterSetMap(resetsStatus)
	}
	return out, nil
}

// statusResets returns the fields that a request to the status subresource resets. k is nil for custom resources.
func statusResets(k *plan.BuiltIn) *fieldpath.Set {
	out := fieldpath.NewSet(fieldpath.MakePathOrDie("spec"))
	if k == nil {
		out.Insert(fieldpath.MakePathOrDie("metadata"))
		return out
	}
	for _, name := range k.StatusKeeps {
		out.Insert(fieldpath.MakePathOrDie("metadata", name))
	}
	return out
}

// Version returns the version of that name, or nil if there is none.
func (r *Resource) Version(name string) *Version {
	v, ok := r.versions[objectmeta.APIVersion(r.of.Group, name)]
	if !ok {
		return nil
	}
	return &Version{version: v}
}

// A Version is a version of a custom resource, for requests with the same options. It is immutable and safe for
// concurrent use. A nil Version refuses requests as a [resource.Version] does.
type Version struct {
	*version
	options resource.RequestOptions
}

// With returns v for requests with the options o. They replace the options of v.
func (v *Version) With(o resource.RequestOptions) *Version {
	if v == nil {
		return nil
	}
	return &Version{v.version, o}
}

// Options are the options of a write that concern its field manager.
type Options struct {
	// Manager is the name of the writer: the request's fieldManager. An apply needs one. Other writes without one have
	// the manager "unknown", where a server uses the beginning of the client's User-Agent.
	Manager string
	// Force takes fields over from other managers instead of refusing an apply. It must not be set for other writes.
	Force bool
	// Now is the time of the entries in managedFields that the request adds or changes, to the second. Zero is the time
	// of the call.
	Now time.Time
	// Untimed leaves out the time of a new manager whose apply changes no value, as a server does. By default it is Now,
	// so that each entry has a time.
	Untimed bool
}

// now returns o with a time.
func (o Options) now() *Options {
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	return &o
}

// invalid returns the errors in the options of an apply, or of another write (SSA-010).
func (o *Options) invalid(apply bool) (errs field.List) {
	switch {
	case apply && o.Manager == "":
		errs = append(errs, field.Required(field.NewPath("fieldManager"), "is required for apply patch"))
	case !apply && o.Force:
		errs = append(errs, field.Forbidden(field.NewPath("force"), "may not be specified for non-apply patch"))
	}
	return append(errs, objectmeta.CheckManager(o.Manager)...)
}

// tracker returns the tracker of a request.
func (v *Version) tracker(ctx context.Context, subresource string) *tracker {
	resets := v.resets
	if subresource == subresourceStatus {
		resets = v.resetsStatus
	}
	return &tracker{
		types: v.resource.types, versions: v.resource.versions, apiVersion: v.apiVersion, kind: v.resource.types.kind, subresource: subresource,
		builtIn: v.resource.builtIn, plain: v.resource.plain,
		updater: (&merge.UpdaterBuilder{Converter: &converter{ctx: ctx, types: v.resource.types, versions: v.resource.versions}, IgnoreFilter: resets}).BuildUpdater(),
	}
}

const (
	subresourceStatus = "status"
	subresourceScale  = "scale"
)

// base returns the version that answers requests, with v's options.
func (v *Version) base() *resource.Version {
	if v == nil {
		return nil
	}
	return v.of.With(v.options)
}

// Apply answers a request to apply the configuration in body, YAML or JSON, to live, the object as it is stored or as a
// Result has it. If live is nil, it creates the object. Neither is modified.
func (v *Version) Apply(ctx context.Context, body []byte, live map[string]any, o Options) resource.Result {
	return v.apply(ctx, "", body, live, o)
}

// ApplyStatus is [Version.Apply] for the status subresource of an existing object.
func (v *Version) ApplyStatus(ctx context.Context, body []byte, live map[string]any, o Options) resource.Result {
	return v.apply(ctx, subresourceStatus, body, live, o)
}

// apply answers a request for the object itself, if subresource is empty, or for its status.
func (v *Version) apply(ctx context.Context, subresource string, body []byte, live map[string]any, o Options) resource.Result {
	base := v.base()
	if base == nil {
		return base.Create(ctx, nil)
	}
	opts := o.now()
	if errs := opts.invalid(true); len(errs) > 0 {
		return invalidOptions("PatchOptions", errs)
	}
	applied, strict, err := v.read(body)
	if err != nil {
		return failed(err)
	}
	patch := base.PatchFunc
	if subresource == subresourceStatus {
		patch = base.PatchStatusFunc
	}
	t := v.tracker(ctx, subresource)
	var warnings []string
	r := patch(ctx, func(live map[string]any) (map[string]any, error) {
		exists := live != nil
		if !exists {
			live = t.empty()
		}
		obj, err := t.applied(applied, live, opts)
		switch {
		case err != nil:
			return nil, err
		case strict.refusal != nil:
			return nil, strict.refusal
		}
		if warnings = strict.warnings; !exists {
			return v.created(obj)
		}
		return obj, nil
	}, live)
	r.Warnings = append(warnings, r.Warnings...)
	return r
}

// failed returns the answer to a request that failed with err.
func failed(err error) resource.Result { return resource.Result{Failure: refusalOf(err)} }

// invalidOptions returns the answer to a request with invalid options of that kind.
func invalidOptions(kind string, errs field.List) resource.Result {
	r := resource.Result{Errors: errs}
	refusal.SetAbout(&r, refusal.AboutOptions(kind))
	return r
}

// A strictResult is the result of strict decoding of an applied configuration, which is used after the apply: a
// refusal, warnings or nothing.
type strictResult struct {
	refusal  error
	warnings []string
}

// read decodes an applied configuration. A number without a fraction is an int64.
//
// Clauses: SSA-011.
func (v *Version) read(body []byte) (obj map[string]any, l strictResult, err error) {
	if jsonscan.ReadsAsYAML(body) { // most clients send JSON
		if obj, findings, err := unstructured.DecodeJSONStrict(body); err == nil && len(findings) == 0 {
			return obj, l, nil
		}
	}
	text, findings, err := unstructured.YAMLToJSONStrict(body)
	if err != nil {
		return nil, l, refusal.BadRequest("error encoding patch: " + err.Error())
	}
	switch kind := patch.KindName(text); kind {
	case "object":
	case "null":
		return map[string]any{}, l, nil
	default:
		return nil, l, refusal.BadRequest("error decoding patch: error unmarshaling JSON: while decoding JSON: " +
			"json: cannot unmarshal " + kind + " into Go value of type map[string]interface {}")
	}
	if obj, err = unstructured.DecodeJSON(text); err != nil {
		return nil, l, refusal.BadRequest("error decoding patch: " + err.Error())
	}
	if len(findings) == 0 || v.options.FieldValidation == resource.FieldValidationIgnore {
		return obj, l, nil
	}
	finding := "error converting YAML to JSON: " + findings[0]
	if v.options.FieldValidation == resource.FieldValidationStrict {
		l.refusal = refusal.BadRequest("error strict decoding patch: " + finding)
	} else {
		l.warnings = []string{finding}
	}
	return obj, l, nil
}

// applied returns live with the applied configuration merged into it, and with its new managedFields.
func (t *tracker) applied(applied, live map[string]any, o *Options) (map[string]any, error) {
	m, err := decode(managedFields(live))
	if err != nil {
		return nil, refusal.Plain("failed to decode managed fields: " + err.Error())
	}
	if applied["apiVersion"] != t.apiVersion || applied["kind"] != t.kind {
		return nil, refusal.BadRequest("invalid object type: " + kindText(applied))
	}
	obj, m, err := t.applyAs(m, applied, live, o)
	if err != nil {
		return nil, refusalOf(err)
	}
	if o.Manager == kubectl {
		if obj, err = noteApplied(obj, applied); err != nil {
			return nil, refusal.Plain(err.Error())
		}
	}
	entries, err := m.encode(t.plain)
	if err != nil {
		return nil, refusal.Plain("failed to encode managed fields: " + err.Error())
	}
	return withManaged(obj, entries), nil
}

// refusalOf returns the refusal of a request that failed with err.
func refusalOf(err error) *field.Status {
	var conflicts merge.Conflicts
	var s *field.Status
	switch {
	case errors.As(err, &conflicts):
		return conflictStatus(conflicts)
	case errors.As(err, &s):
		return s
	}
	return refusal.Plain(shortened(err.Error()))
}

// created returns the object that an apply creates. It must have the name of the request.
//
// Clauses: SSA-012.
func (v *Version) created(obj map[string]any) (map[string]any, error) {
	if uid := text(metadata(obj), "uid"); uid != "" {
		return nil, v.resource.of.Conflict(v.options.Name, "uid mismatch: the provided object specified uid "+uid+", and no existing object was found")
	}
	switch name := text(metadata(obj), "name"); {
	case v.options.Name == "", name == v.options.Name:
		return obj, nil
	case name == "":
		return nil, refusal.BadRequest(fmt.Sprintf("the name of the object (%s based on URL) was undeterminable: name must be provided", v.options.Name))
	default:
		return nil, refusal.BadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", name, v.options.Name))
	}
}

// withManaged returns obj with those managedFields, or without any if there are no entries.
func withManaged(obj map[string]any, entries []any) map[string]any {
	if len(entries) == 0 {
		return withMeta(obj, "managedFields", nil)
	}
	return withMeta(obj, "managedFields", entries)
}

// withMeta returns obj with that value in its metadata, or without the key if the value is nil or an empty map.
func withMeta(obj map[string]any, key string, value any) map[string]any {
	meta := metadata(obj)
	if m, isMap := value.(map[string]any); value == nil || isMap && len(m) == 0 {
		if _, has := meta[key]; !has {
			return obj
		}
		meta = maps.Clone(meta)
		delete(meta, key)
	} else {
		if meta = maps.Clone(meta); meta == nil {
			meta = map[string]any{}
		}
		meta[key] = value
	}
	out := maps.Clone(obj)
	out["metadata"] = meta
	return out
}

func managedFields(obj map[string]any) []any {
	list, _ := metadata(obj)["managedFields"].([]any)
	return list
}

func metadata(obj map[string]any) map[string]any {
	meta, _ := obj["metadata"].(map[string]any)
	return meta
}

func text(m map[string]any, key string) string {
	s, _ := m[key].(string)
	return s
}
