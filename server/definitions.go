package server

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/crdkit/crdkit/apply"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/internal/since"
	"github.com/crdkit/crdkit/kubeversion"
	"github.com/crdkit/crdkit/resource"
	v1 "github.com/crdkit/crdkit/server/internal/apiextensions/v1"
	"github.com/crdkit/crdkit/server/internal/catalog"
	"github.com/crdkit/crdkit/server/protocol"
	"github.com/crdkit/crdkit/unstructured"
)

// This file handles requests for definitions: package crdcheck validates them, and the server sets their status.

// prepareDefinition validates a decoded definition and sets its status. For a create, stored is nil.
func (q *request) prepareDefinition(o writing, r resource.Result, stored map[string]any) resource.Result {
	unconditional := slices.ContainsFunc(r.Errors, func(e *field.Error) bool { return e.Field == "metadata.resourceVersion" })
	if r.Object == nil || unconditional { // a missing resourceVersion is refused before anything else
		return r
	}
	sent := r.Object
	if q.admitted != nil && q.sub == "" {
		sent = q.admitted
	}
	exact, _ := withPoints(sent)
	encoded, _ := json.Marshal(exact) // a decoded object can be encoded
	d, findings, err := crd.ParseStrict(encoded)
	if err == nil && o.fieldValidation == resource.FieldValidationStrict && len(findings) > 0 {
		err = fmt.Errorf("strict decoding error: %s", strings.Join(findings, ", "))
	}
	if err != nil {
		r.Failure, r.Warnings = q.undecodableWrite(o, sent, encoded, err), nil // which are about values of wrong types as well
		return r
	}
	if o.fieldValidation != resource.FieldValidationIgnore {
		r.Warnings = append(r.Warnings, findings...)
	}
	old, err := definitionOf(stored)
	if err != nil {
		r.Failure = protocol.Internal(err)
		return r
	}
	d.Metadata = maps.Clone(metadata(r.Object))
	var v *kubeversion.Verdict // nil for the newest version
	if q.sub == "" && q.s.minor != since.Newest {
		v = q.verdict(d, old)
	}
	if errs := q.checkDefinition(d, old, v); len(errs) > 0 {
		r.Errors = errs
		return r
	}
	if q.sub == "" {
		r.Warnings = append(r.Warnings, definitionWarnings(d, old, v)...)
		q.setCounters(d, old)
	}
	c := q.s.keeper.Catalog()
	q.checkedAt = c.Revision
	q.unsettled = storedForm(d)
	d.Status = d.Settle(c.Definitions, q.s.now().Truncate(time.Second))
	r.Object = q.withOwnStatus(storedForm(d), q.unsettled)
	return r
}

// storedForm returns a definition with the numbers that are stored.
func storedForm(d *crd.CustomResourceDefinition) map[string]any {
	normal, _ := jsonval.Stored(d.Value())
	out, _ := normal.(map[string]any)
	return out
}

// serverManager is the field manager of a server that writes the status of a definition.
const serverManager = "kube-apiserver"

// withOwnStatus returns obj, a definition with the status that the server has set in before, with the managedFields
// that follow from it. It does not modify either.
func (q *request) withOwnStatus(obj, before map[string]any) map[string]any {
	if jsonval.Equal(obj["status"], before["status"]) {
		return obj
	}
	identity := map[string]any{"uid": "unset", "resourceVersion": "1"} // of a new definition; an update requires them
	meta := maps.Clone(identity)
	maps.Copy(meta, metadata(before))
	v := q.kind.Tracked().With(resource.RequestOptions{Name: text(meta, "name"), FieldValidation: resource.FieldValidationIgnore})
	r := v.UpdateStatus(q.r.Context(), with(obj, meta), with(before, meta), apply.Options{Manager: serverManager, Now: q.s.now()})
	entries, has := metadata(r.Object)["managedFields"]
	if r.Err() != nil || !has {
		return obj
	}
	meta = maps.Clone(metadata(obj))
	meta["managedFields"] = entries
	return with(obj, meta)
}

// answered returns the object to answer a write with. A server accepts the names of a definition after it has answered.
func (q *request) answered(obj map[string]any) map[string]any {
	if q.unsettled == nil {
		return obj
	}
	meta := maps.Clone(metadata(obj))
	delete(meta, "managedFields")
	if entries, has := metadata(q.unsettled)["managedFields"]; has {
		meta["managedFields"] = entries
	}
	out := with(obj, meta)
	out["status"] = q.unsettled["status"]
	return out
}

// noting returns a function that calls admit, unless it is nil, and notes the admitted object.
func (q *request) noting(admit admitter) admitter {
	return func(ctx context.Context, obj, old map[string]any) (_ map[string]any, err error) {
		if admit != nil {
			obj, err = admit(ctx, obj, old)
		}
		q.admitted = obj
		return obj, err
	}
}

// An admitter is the type of [resource.RequestOptions.Admit].
type admitter = func(ctx context.Context, obj, old map[string]any) (map[string]any, error)

// withPoints returns v with JSON texts in place of whole float64s, such that they are decoded as float64s again: 1.0
// and -0.0, where encoding/json writes 1 and -0. The errors of a definition depend on it: the default 1.0 is of another
// type than 1, and -0.0 is printed with its sign. The second result reports whether anything changes. It does not
// modify v.
func withPoints(v any) (any, bool) {
	switch x := v.(type) {
	case float64:
		if x == math.Trunc(x) && math.Abs(x) < 1e21 { // the text of others has a point or an exponent
			return json.RawMessage(strconv.FormatFloat(x, 'f', 1, 64)), true
		}
	case map[string]any:
		var m map[string]any // the copy, made at the first change
		for k, e := range x {
			if c, changed := withPoints(e); changed {
				m = jsonval.WithKey(m, x, k, c)
			}
		}
		if m != nil {
			return m, true
		}
	case []any:
		var l []any
		for i, e := range x {
			if c, changed := withPoints(e); changed {
				l = jsonval.WithItem(l, x, i, c)
			}
		}
		if l != nil {
			return l, true
		}
	}
	return v, false
}

// undecodableWrite refuses a write of a definition that crd cannot decode. encoded is its JSON. A patch that makes a
// stored definition undecodable is an invalid patch.
func (q *request) undecodableWrite(o writing, definition map[string]any, encoded []byte, err error) *field.Status {
	if of := v1.DecodeError(encoded); of != nil {
		err = of
	}
	value := string(encoded)
	switch q.patchType() {
	case strategicPatch:
		patch, _ := unstructured.DecodeJSON(o.body) // which was decoded before
		value = fmt.Sprint(patch)
	case mergePatch, jsonPatch:
	default:
		return undecodableDefinition(err)
	}
	why := err.Error()
	apiVersion, kind := text(definition, "apiVersion"), text(definition, "kind")
	if kind != q.kind.Names.Kind || apiVersion != q.kind.APIVersion() {
		why = refusal.NotRegistered(kind, apiVersion)
	}
	return field.List{field.Invalid(field.NewPath("patch"), refusal.Cut(value), why)}.Status("", "", "")
}

// undecodableDefinition refuses a definition that cannot be decoded.
func undecodableDefinition(err error) *field.Status {
	return refusal.BadRequest(`CustomResourceDefinition in version "v1" cannot be handled as a CustomResourceDefinition: ` + err.Error())
}

// checkDefinition returns the errors of a definition, or of an update of it. v is the verdict of the version in
// Options.Kubernetes, or nil.
func (q *request) checkDefinition(d, old *crd.CustomResourceDefinition, v *kubeversion.Verdict) field.List {
	switch {
	case v != nil:
		return v.Errors
	case old == nil:
		return crdcheck.Validate(d)
	case q.sub == "status":
		return crdcheck.ValidateStatusUpdate(d, old)
	}
	return crdcheck.ValidateUpdate(d, old)
}

// definitionWarnings returns the warnings about an accepted definition. v is as in checkDefinition.
func definitionWarnings(d, old *crd.CustomResourceDefinition, v *kubeversion.Verdict) (texts []string) {
	if v == nil {
		return crdcheck.Warnings(d, old)
	}
	for _, w := range v.Warnings() {
		texts = append(texts, w.Text)
	}
	return texts
}

// verdict returns what a server of the version in Options.Kubernetes says about a definition, or an update of it.
func (q *request) verdict(d, old *crd.CustomResourceDefinition) (v *kubeversion.Verdict) {
	var err error
	if old == nil {
		v, err = kubeversion.Check(d, q.s.minor.String())
	} else {
		v, err = kubeversion.CheckUpdate(d, old, q.s.minor.String())
	}
	if err != nil {
		panic(err) // New has parsed the version
	}
	return v
}

// setCounters sets the generation and the stored versions of a definition (PRE-001, PRE-002).
func (q *request) setCounters(d, old *crd.CustomResourceDefinition) {
	stored := d.StoredVersionsAfter(old)
	generation := int64(1)
	if old == nil {
		d.Status = crd.Status{}
	} else {
		d.Status = old.Status
		generation = old.Generation()
		if !jsonval.EqualTyped(&d.Spec, &old.Spec) {
			generation++
		}
	}
	d.Status.StoredVersions = stored
	d.Metadata["generation"] = generation
}

// definitionOf decodes a stored definition. It returns nil for nil.
func definitionOf(stored map[string]any) (*crd.CustomResourceDefinition, error) {
	if stored == nil {
		return nil, nil
	}
	text, _ := json.Marshal(stored) // a decoded object can be encoded
	d, err := crd.Parse(text)
	if err != nil {
		return nil, err
	}
	d.Metadata = metadata(stored)
	return d, nil
}

// markDeleted marks a definition or a namespace as being deleted. The sweeper deletes the objects in it first.
func (q *request) markDeleted(r resource.Result, stored map[string]any) (resource.Result, *field.Status) {
	if !q.definition() {
		return q.markNamespaceDeleted(r)
	}
	d, err := definitionOf(stored)
	if err != nil {
		return r, protocol.Internal(err)
	}
	if d.Deleted() {
		return r, nil
	}
	// PRE-004: set the finalizer first, so that package resource does not delete the definition.
	meta := maps.Clone(metadata(stored))
	finalizers, _ := meta["finalizers"].([]any)
	meta["finalizers"] = append(append([]any(nil), finalizers...), crd.CleanupFinalizer)
	r = q.kind.Version().Delete(q.r.Context(), with(stored, meta), resource.DeleteOptions{Now: q.s.now()})
	if refused := r.Status(); refused != nil {
		return r, refused
	}
	// Unlike that of an object, the deletion of a definition is no change of it, and has no grace period.
	meta["deletionTimestamp"] = metadata(r.Object)["deletionTimestamp"]
	d.Metadata = meta
	d.Status = d.Status.WithCondition(terminatingCondition(deletionPending), q.s.now().Truncate(time.Second))
	r.Object = d.Value()
	return r, nil
}

// The reasons that this server gives for the condition Terminating.
const (
	deletionPending    = "InstanceDeletionPending"
	deletionInProgress = "InstanceDeletionInProgress"
	deletionCompleted  = "InstanceDeletionCompleted"
	deletionFailed     = "InstanceDeletionFailed"
)

// terminatingCondition returns the condition Terminating for a reason, without a time (EST-003). The messages of
// InstanceDeletionFailed and InstanceDeletionCheck are error texts, and empty here.
func terminatingCondition(reason string) crd.Condition {
	c := crd.Condition{Type: crd.Terminating, Status: "True", Reason: reason}
	switch reason {
	case deletionPending:
		c.Message = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon"
	case deletionInProgress:
		c.Message = "CustomResource deletion is in progress"
	case deletionCompleted:
		c.Status, c.Message = "False", "removed all instances"
	case "NeverEstablished":
		c.Status, c.Message = "False", "resource was never established"
	case "OverlappingBuiltInResource":
		c.Status, c.Message = "False", "instances overlap with built-in resources in storage"
	}
	return c
}

// refreshConditions updates the status of all definitions after one of them has changed. For example, a name may be
// free again.
func (s *Server) refreshConditions(ctx context.Context) {
	s.definitions.Lock()
	defer s.definitions.Unlock()
	for _, d := range s.keeper.Catalog().Definitions {
		if d.HasCondition(crd.Established) && jsonval.EqualTyped(d.Spec.Names, d.Status.AcceptedNames) {
			continue // the rest of its status depends on no other definition
		}
		q := s.ownDefinition(ctx, d.Name())
		before, after := d.Status, *d
		after.Status = d.Settle(q.catalog.Definitions, s.now().Truncate(time.Second))
		if jsonval.EqualTyped(before.AcceptedNames, after.Status.AcceptedNames) &&
			slices.EqualFunc(before.Conditions, after.Status.Conditions, crd.Condition.Equivalent) {
			continue
		}
		q.checkedAt = q.catalog.Revision
		item, stored, refused := q.get(q.name)
		if refused != nil || fmt.Sprint(item.Revision) != d.ResourceVersion() {
			continue // the catalog is not up to date; sweep calls this again when it is
		}
		if _, err := q.replace(ctx, writing{}, item, resource.Result{Object: q.withOwnStatus(after.Value(), stored)}); err != nil {
			if !overtaken(ctx, err) {
				s.log.Warn("status of a definition", "name", d.Name(), "error", err)
			}
			return
		}
	}
}

// ownRequest returns a request of the server itself. The caller sets the kind.
func (s *Server) ownRequest(ctx context.Context) *request {
	return &request{s: s, r: new(http.Request).WithContext(ctx), catalog: s.keeper.Catalog()}
}

// ownDefinition returns a request of the server itself for a definition.
func (s *Server) ownDefinition(ctx context.Context, name string) *request {
	q := s.ownRequest(ctx)
	q.kind, q.name = q.catalog.Kind(crd.Group, "v1", catalog.Definitions), name
	return q
}

// ownNamespace returns a request of the server itself for namespaces.
func (s *Server) ownNamespace(ctx context.Context) *request {
	q := s.ownRequest(ctx)
	q.kind = q.catalog.Kind("", "v1", catalog.Namespaces)
	return q
}
