package resource

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validate"
)

// Create answers a request to create obj, which is as it was sent or as [Version.Decode] returned it: it is decoded's rest
// (type, metadata, pruning, nulls, defaults), then prepared as a server does, validated, and read back from what would be
// stored. The result's object shares unchanged parts with obj, which is not modified. A nil obj is an empty object, and refused for
// what it lacks.
//
// The context is asked once, before the work begins.
//
// Clauses: ORD-002 (create), STR-001, STR-002, STR-008 to STR-011, STR-013, STR-016, STR-017, DEC-018, MET-003.
func (v *Version) Create(ctx context.Context, obj map[string]any) Result {
	r := v.result()
	if refused := canceled(ctx); refused != nil {
		return r.refuse(refused)
	}
	if r.Errors = v.options.invalid(); len(r.Errors) > 0 {
		r.Object = obj
		return r
	}
	in := v.receive(obj)
	r.Warnings = append(r.Warnings, in.warnings...)
	if in.refusal != nil || len(in.errs) > 0 {
		r.Object, r.Errors, r.Failure = in.obj, in.errs, in.refusal
		return r
	}
	if refused := v.otherVersion(in.obj); refused != nil {
		return r.refuse(refused)
	}

	// settled: besides being clean, it comes back from storage as it is.
	obj, clean, settled := in.obj, in.clean, in.clean
	meta := edit{now: metadata(obj)}
	if refused := v.place(&meta); refused != nil {
		return r.refuse(refused)
	}
	if deduplicated, uids := objectmeta.DeduplicateOwners(meta.now); len(uids) > 0 {
		r.Warnings = append(r.Warnings, objectmeta.DuplicateOwnersWarning(uids))
		meta.now, meta.copied = deduplicated, true
	}
	if _, sent := meta.now["managedFields"]; sent {
		if kept := objectmeta.ManagedFields(meta.now, nil); len(kept) > 0 {
			meta.set("managedFields", kept)
		} else {
			meta.remove("managedFields")
		}
	}
	stored := meta.text("resourceVersion") // nothing may be there yet: STR-001
	for _, key := range clearedOnCreate {
		meta.remove(key)
	}
	meta.set("generation", int64(1))
	obj = meta.into(obj)
	if _, has := obj["status"]; has && v.hasStatus {
		obj = maps.Clone(obj)
		delete(obj, "status")
		clean = clean && v.statusOptional
		settled = clean && v.statusDefault == nil
	}

	r.Object, r.name = obj, meta.text("name")
	if r.Errors = v.validateCreate(obj, meta.now, clean); len(r.Errors) > 0 {
		return r
	}
	r.Warnings = append(r.Warnings, objectmeta.FinalizerWarnings(meta.now, nil)...)
	if stored != "" {
		if n, err := strconv.ParseUint(stored, 10, 64); err == nil && n != 0 {
			return r.refuse(plainError("resourceVersion should not be set on objects to be created"))
		}
		meta.remove("resourceVersion") // any other text is nothing to a server
		r.Object = meta.into(obj)
	}
	switch {
	case settled && v.version == v.resource.storage:
	case clean && v.statusSettled && v.version == v.resource.storage:
		r.Object["status"] = jsonval.Clone(v.statusDefault) // the map is ours: the status was taken out of it
	default:
		back, refused := v.storedAndRead(r.Object)
		if refused != nil {
			return r.refuse(refused)
		}
		r.Object = back
	}
	return r
}

// clearedOnCreate are the members of metadata that only a server sets (STR-001). It would now set some; that is the caller's affair.
var clearedOnCreate = []string{
	"creationTimestamp", "uid", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink",
}

// place puts the object into the request's namespace, or refuses one that says another (STR-008).
func (v *Version) place(meta *edit) *field.Status {
	own, request := meta.text("namespace"), v.options.Namespace
	switch {
	case request == "" && v.resource.namespaced, own == request:
		// Without a namespace in the options, the object's own is the request's.
	case request == "":
		meta.remove("namespace")
	case own == "":
		meta.set("namespace", request)
	default:
		return badRequest("the namespace of the provided object does not match the namespace sent on the request")
	}
	return nil
}

// validateCreate checks obj, whose metadata is meta, in the order of STR-011. For a clean one only metadata and scale are left.
func (v *Version) validateCreate(obj, meta map[string]any, clean bool) field.List {
	if clean && objectmeta.ValidCreate(meta, v.resource.namespaced) && len(v.validateScale(obj)) == 0 {
		return nil
	}
	path := field.NewPath("metadata")
	errs := v.wrongType(obj)
	if len(errs) == 0 {
		errs = objectmeta.Deduplicate(objectmeta.ValidateCreate(meta, path, v.resource.namespaced, objectmeta.Subdomain))
		errs = append(errs, validate.Value(v.root(), nil, obj)...)
		errs = append(errs, v.validateScale(obj)...)
	}
	errs = append(errs, validate.Embedded(v.root(), nil, obj)...)
	errs = append(errs, validate.Lists(v.root(), nil, obj)...)
	if v.ruled && blocksRules(errs) {
		errs = append(errs, field.Invalid(nil, nil, rulesBlocked))
	}
	if len(errs) == 0 {
		errs = objectmeta.ValidateCreate(meta, path, v.resource.namespaced, objectmeta.PathSegment)
	}
	return errs
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

const rulesBlocked = "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation"

// blocksRules reports whether errs keep a server from evaluating rules: those after which a value may not have its type (STR-013).
func blocksRules(errs field.List) bool {
	for _, e := range errs {
		switch e.Type {
		case field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid:
			return true
		}
	}
	return false
}

// An edit changes metadata without touching the object that it came from.
type edit struct {
	now    map[string]any // the metadata as it is by now
	copied bool           // now is the edit's own
}

// metadata returns the metadata of an object that has been decoded: a map, or none.
func metadata(obj map[string]any) map[string]any {
	meta, _ := obj["metadata"].(map[string]any)
	return meta
}

func (e *edit) text(key string) string {
	s, _ := e.now[key].(string)
	return s
}

func (e *edit) own() {
	if e.copied {
		return
	}
	e.copied = true
	if e.now = maps.Clone(e.now); e.now == nil {
		e.now = map[string]any{}
	}
}

func (e *edit) remove(key string) {
	if _, ok := e.now[key]; ok {
		e.own()
		delete(e.now, key)
	}
}

func (e *edit) set(key string, v any) {
	if n, ok := v.(int64); ok && e.now[key] == n {
		return
	}
	e.own()
	e.now[key] = v
}

// into returns obj with the edited metadata, and obj itself if nothing was changed.
func (e *edit) into(obj map[string]any) map[string]any {
	if !e.copied {
		return obj
	}
	out := maps.Clone(obj)
	if out == nil {
		out = map[string]any{}
	}
	out["metadata"] = e.now
	return out
}
