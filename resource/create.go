package resource

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/cel/ruleset"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/origin"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/internal/validity"
)

// Create answers a request to create obj. obj is either as it was sent, or as [Version.Decode] returned it. Create
// completes the decoding (type, metadata, pruning, nulls, defaults), prepares the object as a server does, validates
// it, and reads it back from what would be stored. The result's object shares unchanged parts with obj, which is not
// modified. A nil obj is refused, as null is.
//
// The context is checked between the steps, within the longer ones, and while rules are evaluated: see
// [github.com/crdkit/crdkit/cel.Rules.Evaluate].
func (v *Version) Create(ctx context.Context, obj map[string]any) Result {
	if r, ok := v.begin(ctx); !ok {
		return r
	}
	var p precheck
	in := v.receive(ctx, obj, &p)
	return v.create(ctx, &in, &p)
}

// CreateBody answers a request to create the object in body. It combines [Version.Decode] and [Version.Create], and has
// the warnings of both in the server's order. It decodes once: a null that comes from a default stays in the object
// until the object is read back. Short strings of the result's object share blocks of at most 1 KiB, and keep these
// alive. The object shares no memory with body, but [Result.Patch] reads body again: until then it must not change.
func (v *Version) CreateBody(ctx context.Context, body []byte) Result {
	if r, ok := v.begin(ctx); !ok {
		return r
	}
	var p precheck
	in, ok := v.decodePlain(body, &p)
	if !ok {
		in = v.decode(ctx, body)
	}
	return v.create(ctx, &in, &p)
}

// create runs the steps after decoding, in the server's order. p is the precheck of the decoded object, or the zero
// value.
func (v *Version) create(ctx context.Context, in *decoded, p *precheck) (r Result) {
	v.admitCreate(ctx, in, p)
	r = v.result()
	if in.options {
		r.about = refusal.AboutOptions(createOptions)
	}
	if !v.beginDecoded(&r, in, p.normal) {
		return r
	}
	if !p.normal {
		v.precheck(in.obj, p)
	}
	if r.Failure = canceled(ctx); r.Failure != nil {
		return r
	}

	// Prepare the metadata (STR-001) and drop the status (STR-002).
	obj, meta := in.obj, metadata(in.obj)
	namespace, refused := v.namespace(textOf(meta, "namespace"))
	if refused != nil {
		return r.refuse(refused)
	}
	// A client sends no generation. Often that is all that a server adds.
	kept := p.normal && p.meta.KeptByCreate && p.meta.Namespace == namespace
	changed := false
	switch {
	case !kept:
		var duplicates []string
		if meta, changed, duplicates = objectmeta.PrepareCreate(meta, namespace, in.ownsMeta); len(duplicates) > 0 {
			r.Warnings = append(r.Warnings, objectmeta.DuplicateOwnersWarning(duplicates, false))
		}
	case p.meta.Generation == 1:
	case in.ownsMeta:
		meta["generation"], changed = int64(1), true
	default:
		meta, changed = with(meta, "generation", int64(1)), true
	}
	if changed {
		if in.owned {
			obj["metadata"] = meta
		} else {
			obj = with(obj, "metadata", meta)
		}
		p.metadataChanged(v)
	}
	status, dropsStatus := obj["status"]
	if dropsStatus = dropsStatus && v.hasStatus && !v.createsStatus(); dropsStatus {
		if in.owned {
			delete(obj, "status")
		} else {
			obj = withValue(obj, "status", nil)
		}
		p.valid = p.valid && v.statusOptional
	}
	r.Object = obj

	// Validate.
	validated := obj
	if name := objectmeta.GeneratedName(meta); name != "" {
		// The schema and its rules see a generated name. It is not in the result: the caller generates the real one
		// when it stores the object.
		validated = with(obj, "metadata", with(meta, "name", name))
		p.valid = p.valid && v.root.Prop("metadata") == nil
		r.subject = validated
	}
	// Preparing metadata makes nothing invalid but its namespace.
	metaValid := p.normal && p.meta.Namespace == namespace && p.meta.ValidCreate(v.resource.namespaced) ||
		objectmeta.ValidCreate(meta, v.resource.namespaced)
	if v.validateCreate(ctx, &r, validated, meta, metaValid, p.valid); r.Failure != nil || len(r.Errors) > 0 {
		return r
	}
	if !kept {
		r.Warnings = v.server().AppendFinalizerWarnings(r.Warnings, meta, nil, v.options.Limit)
	}
	r.Warnings = refusal.Distinct(r.Warnings)

	// Store.
	if !kept && !v.options.DryRun {
		if obj, refused = withoutResourceVersion(obj, meta); refused != nil {
			return r.refuse(refused)
		}
	}
	addsStatus := dropsStatus && v.statusDefault != nil
	switch {
	case !p.normal || v.version != v.resource.storage || addsStatus && !v.statusDefaultNormal:
		v.store(ctx, &r, obj)
	case addsStatus: // when the object is read back
		if !jsonval.Equal(status, v.statusDefault) {
			status = jsonval.Clone(v.statusDefault)
		}
		r.Stored, r.Object = obj, with(obj, "status", status)
	default:
		r.Stored, r.Object = obj, obj
	}
	return r
}

// createsStatus reports whether a create may set the status, although that is a subresource.
func (v *Version) createsStatus() bool {
	return v.native() != nil && v.native().CreatesStatus
}

// finishUnchanged finishes a request that stores obj as it is: only the rules are left to evaluate. old is the object
// before an update, nil on a create. ratchets: see evaluate.
func (v *Version) finishUnchanged(ctx context.Context, r *Result, obj, old map[string]any, ratchets bool) {
	errs := refusal.Of(v.resource.profile(), v.options.Limit)
	v.evaluate(ctx, r, &errs, obj, old, ratchets)
	if r.Errors = errs.Errors(); len(r.Errors) == 0 {
		r.Stored, r.Warnings = obj, refusal.Distinct(r.Warnings)
	}
}

// withoutResourceVersion refuses a new object that has a resourceVersion, unless it is zero or not a number. Such a
// value is removed, as a server does (STR-001).
func withoutResourceVersion(obj, meta map[string]any) (map[string]any, *field.Status) {
	version := textOf(meta, "resourceVersion")
	if version == "" {
		return obj, nil
	}
	if n, err := strconv.ParseUint(version, 10, 64); err == nil && n != 0 {
		return nil, refusal.Plain("resourceVersion should not be set on objects to be created")
	}
	return with(obj, "metadata", withValue(meta, "resourceVersion", "")), nil
}

// beginDecoded sets in r what decoding has found. It reports false if the object is refused. own says that the object
// is known to have the apiVersion of v.
func (v *Version) beginDecoded(r *Result, in *decoded, own bool) bool {
	r.Object, r.subject, r.sent, r.body, r.keepsStatus = in.obj, in.obj, in.sent, in.body, v.hasStatus
	r.Warnings = append(r.Warnings, in.warnings...)
	if r.Errors, r.Failure = in.errs, in.refusal; r.Failure == nil && len(r.Errors) == 0 && !own {
		r.Failure = v.otherVersion(in.obj)
	}
	return r.Failure == nil && len(r.Errors) == 0
}

// with returns a copy of obj in which key has the value v.
//
//go:noinline
func with(obj map[string]any, key string, v any) map[string]any {
	var out map[string]any
	if 0 < len(obj) && len(obj) < groupSize {
		out = maps.Clone(obj) // copies the group, without hashing the keys
	} else {
		out = make(map[string]any, len(obj)+1)
		maps.Copy(out, obj)
	}
	out[key] = v
	return out
}

// groupSize is how many entries a map of Go has in one group. A larger map is made with its final size.
const groupSize = 8

// namespace returns the namespace to create an object in, or "" for none. own is the namespace in the object. If it
// differs from that of the request, the object is refused (STR-008).
func (v *Version) namespace(own string) (string, *field.Status) {
	request := v.options.Namespace
	switch {
	case own == request, request == "" && v.resource.namespaced:
		return own, nil // without a namespace in the options, the request has the object's own
	case own == "" || request == "":
		return request, nil
	}
	return "", refusal.OtherNamespace()
}

var metadataPath = field.NewPath("metadata")

// validateCreate checks an object in the order of STR-011. meta is its metadata, without a generated name, and
// metaValid says whether that is valid. valid is from the precheck of the object: if it is true, only the metadata, the
// scale and the rules are left to check.
func (v *Version) validateCreate(ctx context.Context, r *Result, obj, meta map[string]any, metaValid, valid bool) {
	limit, root := v.options.Limit, v.root
	server := v.server()
	errs := refusal.Of(server.Profile, limit)
	errs.Until(ctx.Done())
	errs.Append(v.wrongType(obj)...)
	if errs.Len() == 0 {
		if !metaValid {
			errs.Append(server.First(server.ValidateCreate(meta, metadataPath, v.resource.namespaced, objectmeta.Subdomain, limit), meta, nil)...)
		}
		if !valid && !validity.OK(root, obj, validity.Schema) {
			validity.Report(&errs, root, nil, "", obj)
		}
		errs.Append(v.validateScale(obj, false)...)
	}
	if !valid {
		validity.ReportEmbedded(&errs, root, nil, "", obj)
	}
	if !valid && v.native() == nil {
		validity.ReportLists(&errs, root, nil, obj)
	}
	if r.Failure = canceled(ctx); r.Failure != nil {
		return
	}
	if v.hasRules && blocksRules(&errs) {
		errs.Add(rulesSkipped())
	} else {
		v.evaluate(ctx, r, &errs, obj, nil, false)
	}
	if errs.Len() == 0 && !metaValid {
		errs.Append(server.ValidateCreate(meta, metadataPath, v.resource.namespaced, objectmeta.PathSegment, limit)...)
	}
	r.Errors = errs.Errors()
}

// rulesSkipped returns the error that a server adds if other errors kept it from evaluating rules (STR-013).
func rulesSkipped() *field.Error {
	e := field.Invalid(nil, nil,
		"some validation rules were not checked because the object was invalid; correct the existing errors to complete validation")
	origin.SetRulesSkipped(e)
	return e
}

// evaluate evaluates the rules of the schema, for a new object if old is nil. With ratchets, failures of rules for
// unchanged values are warnings.
func (v *Version) evaluate(ctx context.Context, r *Result, errs *refusal.List, obj, old map[string]any, ratchets bool) {
	if !v.hasRules {
		return
	}
	result := v.rules.Evaluate(ctx, obj, old, &ruleset.EvalOptions{Ratchet: ratchets, Limit: errs.Left(), Profile: errs.Profile()})
	r.Cost = result.Cost
	errs.Append(result.Errors...)
	r.Ratcheted = result.Warnings
	for _, ratcheted := range result.Warnings { // RAT-014
		r.Warnings = append(r.Warnings, ratcheted.Error())
	}
	if old != nil {
		r.Warnings = refusal.Distinct(r.Warnings)
	}
}

// optionalStatus reports whether a valid object stays valid without its status.
func optionalStatus(n *plan.Node) bool {
	return n.Combine == nil && n.Enum == nil && n.MinProperties <= 0 && !slices.Contains(n.Required, "status")
}

// wrongType reports a kind or an apiVersion that differs from the endpoint's (STR-010).
func (v *Version) wrongType(obj map[string]any) (errs field.List) {
	if kind := textOf(obj, "kind"); kind != v.resource.kind {
		errs = append(errs, field.Invalid(field.NewPath("kind"), kind, "must be "+v.resource.kind))
	}
	if apiVersion := textOf(obj, "apiVersion"); apiVersion != v.groupText {
		errs = append(errs, field.Invalid(field.NewPath("apiVersion"), apiVersion, "must be "+v.groupText))
	}
	return errs
}

// blocksRules reports whether errs keep a server from evaluating rules, because a value may not have its type
// (STR-013). Errors beyond the limit count as well.
func blocksRules(errs *refusal.List) bool {
	return errs.Has(field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany,
		field.ErrorTypeTypeInvalid)
}
