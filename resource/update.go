package resource

import (
	"context"
	"fmt"
	"maps"
	"strconv"

	"github.com/crdkit/crdkit/cel"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/ratchet"
	"github.com/crdkit/crdkit/validate"
)

// Update answers a request to replace old, the object as it is stored or as a Result has it, by obj, which is as it was sent or as
// [Version.Decode] returned it (PUT). It reads old as a server does, does what of decoding is left to do, keeps what an update does not
// change (with a status subresource the status is such), counts the generation up if anything outside the metadata changed, validates
// with ratcheting, and reads the object back from what would be stored. What was wrong already and did not change is no error; rules
// that fail on such are warnings.
//
// resourceVersion and uid are compared only where old has them. A nil old is refused: an update creates nothing. Neither obj nor old is
// modified; the result's object shares unchanged parts with both.
//
// Clauses: ORD-002 (U1), STR-003, STR-004, STR-006 to STR-010, STR-012, STR-013, DEL-004, RAT.
func (v *Version) Update(ctx context.Context, obj, old map[string]any) Result {
	return v.update(ctx, func() decoded { return v.receive(obj) }, old, false)
}

// UpdateStatus is [Version.Update] of the status subresource: nothing of obj counts but its status, which is also all of the schema that
// is checked. A version without that subresource refuses (404).
//
// Clauses: STR-005, STR-014, STR-015, STR-020, SUB-010 to SUB-012.
func (v *Version) UpdateStatus(ctx context.Context, obj, old map[string]any) Result {
	if !v.hasStatus {
		return v.result().refuse(v.notFound(old))
	}
	return v.update(ctx, func() decoded { return v.receive(obj) }, old, true)
}

func (v *Version) update(ctx context.Context, decode func() decoded, old map[string]any, status bool) Result {
	if refused := canceled(ctx); refused != nil {
		return v.result().refuse(refused)
	}
	if old == nil {
		return v.result().refuse(v.notFound(nil))
	}
	in := decode()
	r := v.result()
	r.Object, r.subject, r.sent, r.onStatus, r.keepsStatus = in.obj, in.obj, in.sent, status, v.hasStatus
	if in.options {
		r.options = updateOptions
	}
	r.Warnings = append(r.Warnings, in.warnings...)
	if r.Errors, r.Failure = in.errs, in.refusal; in.refusal != nil || len(in.errs) > 0 {
		return r
	}
	if !in.clean {
		if refused := v.otherVersion(in.obj); refused != nil {
			return r.refuse(refused)
		}
	}
	return v.replace(ctx, r, change{obj: in.obj, clean: in.clean, status: status, put: true}, old)
}

// A change is what an update makes of an object.
type change struct {
	obj    map[string]any
	clean  bool // as decoded says
	status bool // of the status subresource
	put    bool // a whole object was sent: its uid is a precondition
}

// replace goes on with an object that was decoded.
func (v *Version) replace(ctx context.Context, r Result, c change, stored map[string]any) Result {
	meta := metadata(c.obj)
	namespace := v.options.Namespace
	if namespace == "" && v.resource.namespaced {
		// Without a namespace in the options, a whole object's own is the request's; a patch is made for the object that it patches.
		namespace, _ = meta["namespace"].(string)
		if namespace == "" || !c.put {
			namespace, _ = metadata(stored)["namespace"].(string)
		}
	}
	if refused := sameObject(namespace, meta, metadata(stored)); refused != nil {
		return r.refuse(refused)
	}
	old, oldClean, refused := v.readStored(ctx, stored)
	if refused != nil {
		return r.refuse(refused)
	}
	oldMeta := metadata(old)
	if own, _ := meta["namespace"].(string); own != namespace {
		meta = withText(meta, "namespace", namespace)
	}
	meta, duplicates := objectmeta.DeduplicateOwners(meta)
	if len(duplicates) > 0 {
		warning := objectmeta.DuplicateOwnersWarning
		if !c.put {
			warning = objectmeta.DuplicateOwnersWarningAfterAdmission
		}
		r.Warnings = append(r.Warnings, warning(duplicates))
	}
	if refused, errs := v.preconditions(meta, oldMeta, c.put); refused != nil || len(errs) > 0 {
		r.Errors = errs
		return r.refuse(refused)
	}

	obj, meta, clean := v.prepareUpdate(c, meta, old, oldMeta, oldClean)
	r.Object, r.subject = obj, obj
	u := updating{Version: v, obj: obj, meta: meta, old: old, oldMeta: oldMeta, clean: clean, status: c.status}
	u.validate(ctx, &r)
	if len(r.Errors) > 0 {
		return r
	}
	if !c.status {
		r.Warnings = append(r.Warnings, objectmeta.FinalizerWarnings(meta, oldMeta)...)
	}
	r.Deleted = deletes(meta, oldMeta)
	if clean && v.version == v.resource.storage {
		return r
	}
	back, refused := v.storedAndRead(ctx, obj)
	if refused != nil {
		return r.refuse(refused)
	}
	r.Object = back
	return r
}

// sameObject refuses an object that is not the one that the request names: that is old, in that namespace (STR-008).
func sameObject(namespace string, meta, old map[string]any) *field.Status {
	if own, _ := meta["namespace"].(string); own != "" && namespace != "" && own != namespace {
		return refusal.BadRequest("the namespace of the provided object does not match the namespace sent on the request")
	}
	name, _ := meta["name"].(string)
	url, _ := old["name"].(string)
	switch {
	case name == "":
		return refusal.BadRequest(fmt.Sprintf("the name of the object (%s based on URL) was undeterminable: name must be provided", url))
	case name != url:
		return refusal.BadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", name, url))
	}
	return nil
}

// preconditions compares uid and resourceVersion with those of old, as far as it has them (STR-007). A patch has the uid of old unless
// it sets another, which is an error like that of any other field that must not change.
func (v *Version) preconditions(meta, old map[string]any, put bool) (*field.Status, field.List) {
	uid, _ := meta["uid"].(string)
	if oldUID, _ := old["uid"].(string); put && uid != "" && oldUID != "" && uid != oldUID {
		return v.conflict(old, fmt.Sprintf("StorageError: invalid object, Code: 4, Key: %s, ResourceVersion: 0, AdditionalErrorMsg: "+
			"Precondition failed: UID in precondition: %s, UID in object meta: %s", "/registry"+v.storageKey(old), uid, oldUID)), nil
	}
	want, _ := old["resourceVersion"].(string)
	if want == "" {
		return nil, nil
	}
	have, _ := meta["resourceVersion"].(string)
	n := uint64(0)
	if have != "" {
		var err error
		if n, err = strconv.ParseUint(have, 10, 64); err != nil {
			return refusal.Plain(err.Error()), nil
		}
	}
	if n == 0 {
		return nil, field.List{field.Invalid(field.NewPath("metadata", "resourceVersion"), int64(0), "must be specified for an update")}
	}
	if m, err := strconv.ParseUint(want, 10, 64); err != nil || n != m {
		return v.conflict(old, "the object has been modified; please apply your changes to the latest version and try again"), nil
	}
	return nil, nil
}

// prepareUpdate puts back what the request cannot change, and counts the generation (STR-003 to STR-005). clean says that the object
// is valid and comes back from storage as it is.
func (v *Version) prepareUpdate(c change, meta, old, oldMeta map[string]any, oldClean bool) (obj, prepared map[string]any, clean bool) {
	if c.status {
		return v.prepareStatus(c, old, oldMeta, oldClean)
	}
	obj, clean = c.obj, c.clean
	if v.hasStatus {
		kept, had := old["status"]
		sent, has := obj["status"]
		if had != has || had && !jsonval.Equal(kept, sent) {
			clean = false
			if had {
				obj = with(obj, "status", kept)
			} else {
				obj = maps.Clone(obj)
				delete(obj, "status")
			}
		}
	}
	prepared = objectmeta.Retain(withManagedFields(meta, meta, oldMeta), oldMeta)
	if !equalBesideMetadata(obj, old) {
		generation, _ := oldMeta["generation"].(int64)
		prepared = objectmeta.WithGeneration(prepared, generation+1)
	}
	if !sameMap(prepared, metadata(obj)) {
		obj = with(obj, "metadata", prepared)
	}
	return obj, prepared, clean || v.isClean(obj)
}

func (v *Version) prepareStatus(c change, old, oldMeta map[string]any, oldClean bool) (obj, prepared map[string]any, clean bool) {
	prepared = objectmeta.Retain(withManagedFields(oldMeta, nil, oldMeta), oldMeta)
	obj = old
	kept, had := old["status"]
	if sent, has := c.obj["status"]; had != has || had && !jsonval.Equal(kept, sent) {
		oldClean = false
		if has {
			obj = with(old, "status", sent)
		} else {
			obj = maps.Clone(old)
			delete(obj, "status")
		}
	}
	if !sameMap(prepared, oldMeta) {
		obj = with(obj, "metadata", prepared)
	}
	return obj, prepared, oldClean || v.isClean(obj)
}

// withManagedFields returns meta with the managed fields that the rules get to see (MET-015).
func withManagedFields(meta, sent, old map[string]any) map[string]any {
	if meta["managedFields"] == nil && old["managedFields"] == nil {
		return meta
	}
	kept := objectmeta.ManagedFields(sent, old)
	if has, _ := meta["managedFields"].([]any); len(kept) > 0 && len(kept) == len(has) && &kept[0] == &has[0] {
		return meta // the very same list
	}
	out := maps.Clone(meta)
	delete(out, "managedFields")
	if len(kept) > 0 {
		if out == nil {
			out = map[string]any{}
		}
		out["managedFields"] = kept
	}
	return out
}

// withText returns a copy of meta with that text, or without that key if the text is empty.
func withText(meta map[string]any, key, text string) map[string]any {
	out := maps.Clone(meta)
	if text == "" {
		delete(out, key)
		return out
	}
	if out == nil {
		out = map[string]any{}
	}
	out[key] = text
	return out
}

// sameMap reports whether a and b have the same members.
func sameMap(a, b map[string]any) bool {
	return (a == nil) == (b == nil) && jsonval.Equal(a, b)
}

// equalBesideMetadata reports whether two objects are equal but for their metadata.
func equalBesideMetadata(a, b map[string]any) bool {
	n := 0
	for k, x := range a {
		if k == "metadata" {
			continue
		}
		n++
		if y, ok := b[k]; !ok || !jsonval.Equal(x, y) {
			return false
		}
	}
	if _, has := b["metadata"]; has {
		n++
	}
	return n == len(b)
}

// deletes reports whether an update takes away the last reason to keep an object that is being deleted (DEL-004).
func deletes(meta, old map[string]any) bool {
	finalizers, _ := meta["finalizers"].([]any)
	if len(finalizers) > 0 || old["deletionTimestamp"] == nil {
		return false
	}
	grace, _ := old["deletionGracePeriodSeconds"].(int64)
	return grace == 0
}

// An updating is an update to be validated.
type updating struct {
	*Version
	obj, meta    map[string]any
	old, oldMeta map[string]any
	clean        bool
	status       bool
}

// validate checks the object in the order of STR-012 or STR-014.
func (u *updating) validate(ctx context.Context, r *Result) {
	if u.clean && objectmeta.ValidUpdate(u.meta, u.oldMeta, u.resource.namespaced) && len(u.validateScale(u.obj)) == 0 {
		u.evaluate(ctx, r)
		return
	}
	path := field.NewPath("metadata")
	generic := objectmeta.ValidateCreate(u.meta, path, u.resource.namespaced, objectmeta.PathSegment)
	changed := objectmeta.ValidateUpdate(u.meta, u.oldMeta, path)
	generic = append(generic, changed...)

	errs := u.wrongType(u.obj)
	if len(errs) == 0 {
		errs = append(errs, objectmeta.Deduplicate(changed)...)
		errs = append(errs, u.validateSchema()...)
		errs = append(errs, u.validateScaleOf(u.obj, u.status)...)
	}
	if !u.status {
		errs = append(errs, validate.Embedded(u.root(), nil, u.obj)...)
	}
	if lists := validate.Lists(u.root(), nil, u.obj); len(lists) > 0 && len(validate.Lists(u.root(), nil, u.old)) == 0 { // RAT-020
		errs = append(errs, lists...)
	}
	r.Errors = append(generic, errs...)
	if u.ruled && blocksRules(errs) {
		r.Errors = append(r.Errors, field.Invalid(nil, nil, rulesBlocked))
		return
	}
	u.evaluate(ctx, r)
}

// validateSchema checks what the schema says of the object, or of its status alone, but for what was wrong already.
func (u *updating) validateSchema() field.List {
	root := u.root()
	if !u.status {
		return ratchet.Value(root, nil, u.obj, u.old)
	}
	status, has := u.obj["status"]
	if !has || root == nil || root.Prop("status") == nil {
		return nil
	}
	return ratchet.Value(root.Prop("status").Node, field.NewPath("status"), status, u.old["status"])
}

// evaluate judges the object by the rules of its schema.
func (u *updating) evaluate(ctx context.Context, r *Result) {
	if !u.ruled {
		return
	}
	judged := cel.EvaluateRules(ctx, u.rules, u.obj, u.old, &cel.EvalOptions{Ratchet: true})
	r.Cost = judged.Cost
	r.Errors = append(r.Errors, judged.Errors...)
	for _, forgiven := range judged.Warnings { // RAT-014
		r.Warnings = append(r.Warnings, forgiven.Error())
	}
}
