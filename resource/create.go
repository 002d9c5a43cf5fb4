package resource

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/crdkit/crdkit/cel"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/errlist"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/notice"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/internal/report"
	"github.com/crdkit/crdkit/internal/verdict"
	"github.com/crdkit/crdkit/schema"
)

// Create answers a request to create obj, which is as it was sent or as [Version.Decode] returned it: it does what of decoding is left
// to do (type, metadata, pruning, nulls, defaults), prepares the object as a server does, validates it, and reads it back from what
// would be stored. The result's object shares unchanged parts with obj, which is not modified. A nil obj is refused, as null is.
//
// The context is asked between the steps of the work, within the longer ones, and by the rules of the schema: see [cel.Rules.Evaluate].
func (v *Version) Create(ctx context.Context, obj map[string]any) Result {
	if v == nil {
		return noVersion()
	}
	if refused := canceled(ctx); refused != nil {
		return v.result().refuse(refused)
	}
	var l look
	in := v.receive(ctx, obj, &l)
	v.admitCreate(ctx, &in, &l)
	return v.create(ctx, &in, &l)
}

// CreateBody answers a request to create the object in body: [Version.Decode] and [Version.Create] in one, with the warnings of both
// in the server's order. It decodes once: a null that a default put into the object stays until the object is read back.
func (v *Version) CreateBody(ctx context.Context, body []byte) Result {
	if v == nil {
		return noVersion()
	}
	if refused := canceled(ctx); refused != nil {
		return v.result().refuse(refused)
	}
	in := v.decode(ctx, body)
	var l look
	v.admitCreate(ctx, &in, &l)
	return v.create(ctx, &in, &l)
}

// create goes on with what was decoded, of which l is a look if it is formed.
func (v *Version) create(ctx context.Context, in *decoded, l *look) (r Result) {
	r = v.result()
	r.Object, r.subject, r.sent, r.keepsStatus = in.obj, in.obj, in.sent, v.hasStatus
	if in.options {
		r.about = options(createOptions)
	}
	r.Warnings = append(r.Warnings, in.warnings...)
	if r.Errors, r.Failure = in.errs, in.refusal; in.refusal != nil || len(in.errs) > 0 {
		return r
	}
	if !l.formed {
		if refused := v.otherVersion(in.obj); refused != nil {
			return r.refuse(refused)
		}
		v.lookAt(in.obj, l)
	}
	if refused := canceled(ctx); refused != nil {
		return r.refuse(refused)
	}
	obj, meta := in.obj, l.metadata(in.obj)
	own := l.meta.Namespace()
	if !l.formed {
		own, _ = meta["namespace"].(string)
	}
	namespace, refused := v.namespace(own)
	if refused != nil {
		return r.refuse(refused)
	}
	kept := l.meta.KeptByCreate && l.meta.Generation == 1 && own == namespace
	if !kept {
		prepared, changed, duplicates := objectmeta.PrepareCreate(meta, namespace)
		if len(duplicates) > 0 {
			r.Warnings = append(r.Warnings, objectmeta.DuplicateOwnersWarning(duplicates))
		}
		if meta = prepared; changed {
			obj = with(obj, "metadata", meta)
			l.prepared(v)
		}
	}
	// settled: besides being clean, it comes back from storage as it is.
	settled := l.formed
	if v.hasStatus {
		if _, has := obj["status"]; has {
			obj = maps.Clone(obj)
			delete(obj, "status")
			if !l.valid || !v.statusOptional {
				l.valid, settled = false, false
			}
			settled = settled && v.statusDefault == nil
		}
	}

	r.Object = obj
	c := creating{Version: v, obj: obj, meta: meta, valid: l.valid}
	if name := objectmeta.GeneratedName(meta); name != "" {
		c.generate(name)
		r.subject = c.obj
	}
	c.metaOK = kept && l.meta.ValidCreate(v.resource.namespaced) || objectmeta.ValidCreate(meta, v.resource.namespaced)
	if r.Errors, r.Cost, r.Failure = c.validate(ctx); r.Failure != nil || len(r.Errors) > 0 {
		return r
	}
	if !kept {
		r.Warnings = errlist.Distinct(objectmeta.AppendFinalizerWarnings(r.Warnings, meta, nil, v.options.Limit))
	}
	if version := resourceVersion(l, meta); version != "" {
		if n, err := strconv.ParseUint(version, 10, 64); err == nil && n != 0 {
			return r.refuse(refusal.Plain("resourceVersion should not be set on objects to be created"))
		}
		meta = maps.Clone(meta)
		delete(meta, "resourceVersion") // any other text is nothing to a server (STR-001)
		r.Object = with(obj, "metadata", meta)
	}
	switch {
	case settled && v.version == v.resource.storage:
		r.Stored = r.Object
	case l.valid && v.statusSettled && v.version == v.resource.storage:
		r.Stored = r.Object
		r.Object = with(r.Object, "status", jsonval.Clone(v.statusDefault))
	default:
		v.store(ctx, &r, r.Object)
	}
	return r
}

// resourceVersion returns what that metadata has, of which l is a look if it is formed.
func resourceVersion(l *look, meta map[string]any) string {
	if l.formed {
		return l.meta.ResourceVersion
	}
	version, _ := meta["resourceVersion"].(string)
	return version
}

// with returns a copy of obj with that member.
func with(obj map[string]any, key string, v any) map[string]any {
	out := make(map[string]any, len(obj)+1)
	maps.Copy(out, obj)
	out[key] = v
	return out
}

// namespace returns the namespace that an object with that one is created in, empty for none, or refuses one that says another than the
// request (STR-008).
func (v *Version) namespace(own string) (string, *field.Status) {
	request := v.options.Namespace
	switch {
	case own == request, request == "" && v.resource.namespaced:
		return own, nil // without a namespace in the options, the object's own is the request's
	case own == "" || request == "":
		return request, nil
	}
	return "", refusal.BadRequest("the namespace of the provided object does not match the namespace sent on the request")
}

// A creating is a new object to be validated.
type creating struct {
	*Version
	obj, meta map[string]any
	valid     bool // nothing is left to check but the metadata, the scale and the rules
	metaOK    bool // and so is the metadata
}

// generate gives the object a name that its schema and its rules get to see. No other answer has it: who stores the object makes it up.
func (c *creating) generate(name string) {
	c.obj = with(c.obj, "metadata", with(c.meta, "name", name))
	if root := c.root(); root != nil && root.Prop("metadata") != nil {
		c.valid = false
	}
}

// validate checks the object in the order of STR-011, and returns the cost of the rules. Mostly just these are left.
func (c *creating) validate(ctx context.Context) (_ field.List, cost int64, refused *field.Status) {
	limit := c.options.Limit
	if c.valid && c.metaOK && len(c.validateScale(c.obj)) == 0 {
		errs, cost := c.evaluate(ctx, c.obj, limit)
		return errs, cost, nil
	}
	path, root := field.NewPath("metadata"), c.root()
	errs := errlist.Within(limit)
	errs.Until(ctx.Done())
	errs.Append(c.wrongType(c.obj)...)
	if errs.Len() == 0 {
		if !c.metaOK {
			errs.Append(objectmeta.Deduplicate(objectmeta.ValidateCreate(c.meta, path, c.resource.namespaced, objectmeta.Subdomain, limit))...)
		}
		if !c.valid && !verdict.OK(root, c.obj, verdict.Schema) {
			report.Value(&errs, root, nil, c.obj)
		}
		errs.Append(c.validateScale(c.obj)...)
	}
	if !c.valid {
		report.Embedded(&errs, root, nil, c.obj)
		report.Lists(&errs, root, nil, c.obj)
	}
	if refused = canceled(ctx); refused != nil {
		return nil, 0, refused
	}
	if c.ruled && blocksRules(&errs) {
		errs.Add(field.Invalid(nil, nil, notice.RulesSkipped))
	} else {
		var broken field.List
		broken, cost = c.evaluate(ctx, c.obj, errs.Left())
		errs.Append(broken...)
	}
	if errs.Len() == 0 && !c.metaOK {
		errs.Append(objectmeta.ValidateCreate(c.meta, path, c.resource.namespaced, objectmeta.PathSegment, limit)...)
	}
	return errs.Errors(), cost, nil
}

// evaluate judges a new object by the rules of its schema.
func (v *Version) evaluate(ctx context.Context, obj map[string]any, limit field.Limit) (field.List, int64) {
	if !v.ruled {
		return nil, 0
	}
	r := v.rules.Evaluate(ctx, obj, nil, &cel.EvalOptions{Limit: limit})
	return r.Errors, r.Cost
}

// optionalStatus reports whether an object that is valid is so without its status as well.
func optionalStatus(n *schema.Node) bool {
	return n.Combine == nil && n.Enum == nil && n.MinProperties <= 0 && !slices.Contains(n.Required, "status")
}

// root returns the node of the whole object, or nil if the version has no schema.
func (v *version) root() *schema.Node {
	if v.schema == nil {
		return nil
	}
	return v.schema.Root
}

// wrongType reports a kind or an apiVersion that is not the endpoint's (STR-010).
func (v *Version) wrongType(obj map[string]any) (errs field.List) {
	if kind, _ := obj["kind"].(string); kind != v.resource.kind {
		errs = append(errs, field.Invalid(field.NewPath("kind"), kind, "must be "+v.resource.kind))
	}
	if apiVersion, _ := obj["apiVersion"].(string); apiVersion != v.groupText {
		errs = append(errs, field.Invalid(field.NewPath("apiVersion"), apiVersion, "must be "+v.groupText))
	}
	return errs
}

// blocksRules reports whether errs keep a server from evaluating rules: those after which a value may not have its type (STR-013). Those
// beyond the limit count as well.
func blocksRules(errs *errlist.List) bool {
	return errs.Has(field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany,
		field.ErrorTypeTypeInvalid)
}

// metadata returns the metadata of an object that has been decoded: a map, or none.
func metadata(obj map[string]any) map[string]any {
	meta, _ := obj["metadata"].(map[string]any)
	return meta
}
