package resource

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/internal/since"
	"github.com/crdkit/crdkit/internal/validity"
)

// Update answers a request to replace old with obj (PUT). old is the object as it is stored or as a Result has it. obj
// is either as it was sent, or as [Version.Decode] returned it. Update reads old as a server does and completes the
// decoding of obj. It keeps what an update does not change, including the status if that is a subresource, and
// increments the generation if anything outside the metadata changed. Then it validates with ratcheting, and reads the
// object back from what would be stored. Errors in unchanged values are ignored; rules that fail for such values are
// warnings.
//
// resourceVersion and uid are compared only if old has them. A nil old is refused: an update creates nothing. Neither
// obj nor old is modified; the result's object shares unchanged parts with both.
func (v *Version) Update(ctx context.Context, obj, old map[string]any) Result {
	return v.update(ctx, obj, old, false)
}

// UpdateStatus is [Version.Update] for the status subresource. Only the status of obj is used, and only the status is
// validated. A version without that subresource is refused (404).
func (v *Version) UpdateStatus(ctx context.Context, obj, old map[string]any) Result {
	return v.update(ctx, obj, old, true)
}

func (v *Version) update(ctx context.Context, obj, old map[string]any, status bool) Result {
	r, ok := v.begin(ctx)
	if !ok {
		return r
	}
	if old == nil && v.options.Name == "" || status && !v.hasStatus {
		return r.refuse(v.notFound(old))
	}
	r.Object, r.subject, r.sent, r.onStatus, r.keepsStatus = obj, obj, obj, status, v.hasStatus
	if errs := v.options.invalid(); len(errs) > 0 {
		r.Errors, r.about = errs, refusal.AboutOptions(updateOptions)
		return r
	}
	if old == nil {
		return v.updateMissing(ctx, r, obj)
	}
	c := change{obj: obj, status: status, put: true}
	if v.precheckChange(&c, old); !c.check.normal {
		if r.Failure = canceled(ctx); r.Failure != nil {
			return r
		}
		in, ok := v.fillChange(&c, &old)
		if !ok {
			in = v.decodeObject(ctx, obj)
		}
		if !v.beginDecoded(&r, &in, ok) {
			return r
		}
		c.obj = in.obj
	}
	v.replace(ctx, &r, &c, old)
	return r
}

// updateMissing refuses an update of an object that does not exist. A server checks the name before it looks for the
// object (STR-008).
func (v *Version) updateMissing(ctx context.Context, r Result, obj map[string]any) Result {
	in := v.decodeObject(ctx, obj)
	if !v.beginDecoded(&r, &in, false) {
		return r
	}
	if refused := v.sameObject(v.options.Namespace, metadata(in.obj), nil); refused != nil {
		return r.refuse(refused)
	}
	return r.refuse(v.notFound(nil))
}

// A change is what an update does to an object.
type change struct {
	obj     map[string]any
	check   precheck // of obj and the old object, or the zero value
	status  bool     // of the status subresource
	put     bool     // a whole object was sent: its uid is a precondition
	scale   bool     // of the scale subresource: the replicas may be a field that the schema does not have
	managed bool     // the object has the managed fields that it is to have
}

// precheckChange sets the precheck of a change of old.
func (v *Version) precheckChange(c *change, old map[string]any) {
	v.precheckUpdate(c.obj, old, !c.status, &c.check)
}

// fillChange is decodeObject for an object that only lacks defaults, and sets the precheck of the change. It also reads
// the old object if that lacks only defaults. It reports false for any other object.
func (v *Version) fillChange(c *change, old *map[string]any) (decoded, bool) {
	if _, own := v.metadataOfOwn(c.obj); !own || v.native() != nil {
		return decoded{}, false
	}
	obj, changed, ok := v.filled(c.obj)
	if !ok || !changed {
		return decoded{}, false
	}
	before, _, ok := v.filled(*old)
	if !ok {
		return decoded{}, false
	}
	filled := *c
	filled.obj = obj
	if v.precheckChange(&filled, before); !filled.check.normal {
		return decoded{}, false
	}
	if filled.check.oldNormal {
		*old = before
	}
	c.check = filled.check
	return decoded{obj: obj, sent: c.obj}, true
}

// replace runs the steps after decoding, in the server's order, and writes the answer into r.
func (v *Version) replace(ctx context.Context, r *Result, c *change, stored map[string]any) {
	if !c.check.normal {
		v.precheckChange(c, stored)
		if r.Failure = canceled(ctx); r.Failure != nil {
			return
		}
	}
	meta := metadata(c.obj)
	namespace := v.requestNamespace(c, meta, stored)
	if v.untouched(c, namespace) {
		v.replaceUntouched(ctx, r, c, stored)
		return
	}

	// Check that the stored object is the one, and in the state, that the request is for.
	if r.Failure = v.sameObject(namespace, meta, metadata(stored)); r.Failure != nil {
		return
	}
	old := stored
	if !c.check.oldNormal {
		if old = v.readOld(ctx, r, stored); r.Failure != nil {
			return
		}
		if c.check.normal {
			v.precheckChange(c, old)
		}
	}
	if r.Failure = canceled(ctx); r.Failure != nil {
		return
	}
	oldMeta := metadata(old)
	if textOf(meta, "namespace") != namespace {
		meta = withValue(meta, "namespace", namespace)
	}
	meta, duplicates := objectmeta.DeduplicateOwners(meta)
	if len(duplicates) > 0 {
		r.Warnings = append(r.Warnings, objectmeta.DuplicateOwnersWarning(duplicates, !c.put))
	}
	if !v.preconditions(r, meta, oldMeta, c.put) {
		return
	}
	if !c.put && !hasVersion(c.obj) {
		r.Failure = refusal.Internal(errNoAPIVersion)
		return
	}

	// Run admission, and restore what an update does not change.
	if v.options.Admit != nil {
		if !v.admitUpdate(ctx, r, c, meta, old) {
			return
		}
		meta = metadata(c.obj)
	}
	if c.status {
		meta = v.prepareStatus(c, meta, old, oldMeta)
	} else {
		meta = v.prepareUpdate(c, meta, old, oldMeta)
	}
	if c.managed && keepTimes(c, old) {
		meta = metadata(c.obj)
	}
	r.Object, r.subject = c.obj, c.obj
	if r.Failure = canceled(ctx); r.Failure != nil {
		return
	}

	// Validate.
	v.validateUpdate(ctx, r, c, meta, old, oldMeta)
	if r.Failure != nil || len(r.Errors) > 0 {
		return
	}
	if !c.status {
		r.Warnings = refusal.Distinct(v.server().AppendFinalizerWarnings(r.Warnings, meta, oldMeta, v.options.Limit))
	}

	// Store or delete.
	if c.check.normal && v.version == v.resource.storage {
		r.Stored = c.obj
	} else {
		v.store(ctx, r, c.obj)
	}
	if r.Deleted = deletes(meta, oldMeta); r.Deleted {
		r.Stored = nil
	}
}

// untouched reports whether a change leaves the stored object as it is, except for labels and annotations, and the
// object is valid except for its rules.
func (v *Version) untouched(c *change, namespace string) bool {
	meta := &c.check.meta
	return c.check.same && c.keepsMetadata() && c.check.valid && v.options.Admit == nil && v.version == v.resource.storage &&
		meta.Name != "" && (v.options.Name == "" || v.options.Name == meta.Name) && meta.Namespace == namespace &&
		meta.ValidUpdate(v.resource.namespaced) && meta.KeptByUpdate() && len(v.validateScale(c.obj, false)) == 0
}

// keepsMetadata reports whether a change keeps the metadata, except for labels and annotations.
func (c *change) keepsMetadata() bool {
	return c.check.meta.Same || c.check.meta.Relabeled && !c.status
}

// replaceUntouched is replace for an untouched object. Only the preconditions and the rules are left to check.
func (v *Version) replaceUntouched(ctx context.Context, r *Result, c *change, stored map[string]any) {
	obj := c.obj
	if c.status {
		obj = stored
	}
	if meta := metadata(obj); !v.preconditions(r, meta, meta, c.put) {
		return
	}
	r.Object, r.subject = obj, obj
	if r.Failure = canceled(ctx); r.Failure != nil {
		return
	}
	v.finishUnchanged(ctx, r, obj, stored, v.ratchets(c))
}

// requestNamespace returns the namespace of the request. If the options have none, it is the object's own, or that of
// the stored object for a patch.
func (v *Version) requestNamespace(c *change, meta, stored map[string]any) string {
	if v.options.Namespace != "" || !v.resource.namespaced {
		return v.options.Namespace
	}
	namespace := textOf(meta, "namespace")
	if namespace == "" || !c.put {
		namespace = textOf(metadata(stored), "namespace")
	}
	return namespace
}

// sameObject refuses an object that is not the one in the request's URL, in that namespace (STR-008). If the options
// have no name, the request's name is that of old.
func (v *Version) sameObject(namespace string, meta, old map[string]any) *field.Status {
	if own := textOf(meta, "namespace"); own != "" && namespace != "" && own != namespace {
		return refusal.OtherNamespace()
	}
	return refusal.OtherName(textOf(meta, "name"), cmp.Or(v.options.Name, textOf(old, "name")))
}

// preconditions compares uid and resourceVersion with those that old has (STR-007), and reports whether to continue. A
// patched object has the uid of old unless the patch sets another, which is an error like that of any other immutable
// field.
func (v *Version) preconditions(r *Result, meta, old map[string]any, put bool) bool {
	uid, oldUID := textOf(meta, "uid"), textOf(old, "uid")
	if put && uid != "" && oldUID != "" && uid != oldUID {
		root := "/registry"
		if v.options.DryRun {
			root = "" // as a server says
		}
		r.Failure = v.conflict(old, refusal.InvalidInStore(root+v.storageKey(old),
			"Precondition failed: UID in precondition: "+uid+", UID in object meta: "+oldUID))
		return false
	}
	want := textOf(old, "resourceVersion")
	if want == "" {
		return true
	}
	have := textOf(meta, "resourceVersion")
	n := uint64(0)
	if have != "" {
		var err error
		if n, err = strconv.ParseUint(have, 10, 64); err != nil {
			r.Failure = refusal.Plain(err.Error())
			return false
		}
	}
	if n == 0 {
		r.Errors = field.List{field.Invalid(field.NewPath("metadata", "resourceVersion"), int64(0), "must be specified for an update")}
		r.about = refusal.AboutObject(v.resource.group, v.resource.plural, textOf(meta, "name"))
		return false
	}
	if m, err := strconv.ParseUint(want, 10, 64); err != nil || n != m {
		r.Failure = v.conflict(old, "the object has been modified; please apply your changes to the latest version and try again")
		return false
	}
	return true
}

// prepareUpdate restores what the request cannot change, and sets the generation (STR-003 to STR-005). It returns the
// metadata.
func (v *Version) prepareUpdate(c *change, meta, old, oldMeta map[string]any) map[string]any {
	if v.hasStatus && !c.check.same {
		if obj, changed := withStatus(c.obj, old); changed {
			c.obj = obj
			v.precheckChange(c, old)
		}
	}
	if !c.managed {
		meta = objectmeta.WithManagedFields(meta, oldMeta)
	}
	changed := !c.check.same && (c.check.oldNormal || !equalBesideMetadata(c.obj, old))
	prepared := objectmeta.Retain(meta, oldMeta, changed)
	if !sameMap(prepared, metadata(c.obj)) {
		c.obj = with(c.obj, "metadata", prepared)
		c.check.metadataChanged(v)
	}
	return prepared
}

// prepareStatus reduces the change to one of the old object's status, and of the metadata for a native kind. It returns
// the metadata.
func (v *Version) prepareStatus(c *change, sentMeta, old, oldMeta map[string]any) map[string]any {
	sent := c.obj
	c.obj = old
	if !c.check.same {
		c.obj, _ = withStatus(old, sent)
		v.precheckChange(c, old)
	}
	kept := oldMeta
	if k := v.native(); k != nil {
		kept = k.StatusMetadata(sentMeta, oldMeta)
	}
	meta := objectmeta.WithManagedFields(kept, oldMeta)
	if c.managed {
		meta = withValue(kept, "managedFields", metadata(sent)["managedFields"])
	}
	prepared := objectmeta.Retain(meta, oldMeta, false)
	if !sameMap(prepared, oldMeta) {
		c.obj = with(c.obj, "metadata", prepared)
	}
	return prepared
}

// withStatus returns obj with the status of from, or without one if from has none, and whether it differs from obj.
func withStatus(obj, from map[string]any) (out map[string]any, changed bool) {
	want, wanted := from["status"]
	have, had := obj["status"]
	switch {
	case wanted == had && (!had || jsonval.Equal(want, have)):
		return obj, false
	case wanted:
		return with(obj, "status", want), true
	}
	return withValue(obj, "status", nil), true
}

// withValue returns a copy of meta in which key has the value v, or is missing if v is nil or an empty text.
func withValue(meta map[string]any, key string, v any) map[string]any {
	if v != nil && v != "" {
		return with(meta, key, v)
	}
	out := maps.Clone(meta)
	delete(out, key)
	return out
}

// sameMap reports whether a and b have the same members.
func sameMap(a, b map[string]any) bool {
	return (a == nil) == (b == nil) && (jsonval.Identical(a, b) || jsonval.Equal(a, b))
}

// equalBesideMetadata reports whether two objects are equal except for their metadata.
func equalBesideMetadata(a, b map[string]any) bool {
	return jsonval.Equal(withValue(a, "metadata", nil), withValue(b, "metadata", nil))
}

// keepTimes copies the times in old's managedFields to those of a change, if nothing but these times has changed: such
// a write changes nothing (SSA-026). It reports whether it copied them.
func keepTimes(c *change, old map[string]any) bool {
	is, _ := metadata(c.obj)["managedFields"].([]any)
	was, _ := metadata(old)["managedFields"].([]any)
	if len(is) == 0 || jsonval.Equal(is, was) || !slices.EqualFunc(is, was, equalButTime) {
		return false
	}
	restored := with(c.obj, "metadata", with(metadata(c.obj), "managedFields", was))
	if !jsonval.Equal(restored, old) {
		return false
	}
	c.obj = restored
	return true
}

// equalButTime reports whether two entries of managedFields are equal except for their times.
func equalButTime(a, b any) bool {
	x, isEntry := a.(map[string]any)
	y, _ := b.(map[string]any)
	return isEntry && y != nil && jsonval.Equal(withValue(x, "time", nil), withValue(y, "time", nil))
}

// deletes reports whether an update removes the last finalizer of an object that is being deleted (DEL-004).
func deletes(meta, old map[string]any) bool {
	finalizers, _ := meta["finalizers"].([]any)
	if len(finalizers) > 0 || old["deletionTimestamp"] == nil {
		return false
	}
	grace, _ := old["deletionGracePeriodSeconds"].(int64)
	return grace == 0
}

// validateUpdate checks the object, whose metadata is meta, in the order of STR-012 or STR-014.
func (v *Version) validateUpdate(ctx context.Context, r *Result, c *change, meta, old, oldMeta map[string]any) {
	server := v.server()
	var created, changed field.List
	if !v.keepsValid(c, meta) {
		created, changed = server.ValidateUpdate(meta, oldMeta, metadataPath, v.resource.namespaced, v.options.Limit)
	}
	all := refusal.Of(server.Profile, v.options.Limit)
	all.Append(created...)
	all.Append(changed...)
	errs := all.Sub() // which may block rules, unlike those so far
	errs.Until(ctx.Done())
	errs.Append(v.wrongType(c.obj)...)
	if errs.Len() == 0 {
		errs.Append(server.First(changed, meta, oldMeta)...)
		if !c.check.valid {
			v.validateSchema(&errs, c, old)
		}
		errs.Append(v.validateScale(c.obj, c.status)...)
	}
	if !c.status && !c.check.valid {
		validity.ReportEmbedded(&errs, v.root, nil, "", c.obj)
	}
	if !c.check.valid && v.native() == nil {
		validity.ReportUpdatedLists(&errs, v.root, nil, c.obj, old) // RAT-020
	}
	if r.Failure = canceled(ctx); r.Failure != nil {
		return
	}
	blocked := v.hasRules && blocksRules(&errs)
	all.Append(errs.Errors()...)
	if blocked {
		all.Add(rulesSkipped())
	} else {
		v.evaluate(ctx, r, &all, c.obj, old, v.ratchets(c))
	}
	r.Errors = all.Errors()
}

// ratchets reports whether a change may keep what was invalid before.
func (v *Version) ratchets(c *change) bool {
	return !c.status || v.resource.profile().Has(since.StatusRatcheting)
}

// keepsValid reports whether an update certainly leaves the metadata valid. meta is that of the change, prepared.
func (v *Version) keepsValid(c *change, meta map[string]any) bool {
	is := &c.check.meta // before it was prepared
	return c.check.normal && c.keepsMetadata() && is.Generation < math.MaxInt64 &&
		is.Namespace == textOf(meta, "namespace") && is.ValidUpdate(v.resource.namespaced)
}

// validateSchema validates the object, or its status alone, against the schema, with ratcheting.
func (v *Version) validateSchema(errs *refusal.List, c *change, old map[string]any) {
	root := v.root
	if !c.status {
		if !validity.OK(root, c.obj, validity.Schema) {
			validity.ReportUpdate(errs, root, nil, "", c.obj, old)
		}
		return
	}
	status, has := c.obj["status"]
	if !has || root == nil || root.Prop("status") == nil {
		return
	}
	n := root.Prop("status").Node
	if validity.OK(n, status, validity.Schema) {
		return
	}
	found := errs.Sub()
	found.Until(errs.Done())
	at, schema := field.NewPath("status"), "properties[status]"
	if v.ratchets(c) {
		validity.ReportUpdate(&found, n, at, schema, status, old["status"])
	} else {
		validity.Report(&found, n, at, schema, status)
	}
	all := found.Errors()
	if !v.resource.profile().Has(since.StatusPaths) {
		withoutStatus(all)
	}
	errs.Append(all...)
}

// withoutStatus makes the fields of errors relative to the status. Their paths still have it.
func withoutStatus(errs field.List) {
	var whole *field.Path
	for _, e := range errs {
		if rest, below := strings.CutPrefix(e.Field, "status."); below {
			e.Field = rest
		} else if e.Field == "status" {
			e.Field = whole.String()
		}
	}
}
