package resource

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/refusal"
)

// DeleteOptions are the options of a delete request. The zero value is what kubectl and most clients send.
type DeleteOptions struct {
	// PropagationPolicy says what happens to the objects that this object owns: [PropagationOrphan],
	// [PropagationForeground] or [PropagationBackground]. If it is empty, the object's finalizers decide, and without
	// them it is background. Any other value is an error in a server, and here.
	PropagationPolicy string
	// Now is the time of the request. It is used for the object's deletionTimestamp.
	Now time.Time
}

// The values of DeleteOptions.PropagationPolicy.
const (
	PropagationOrphan     = "Orphan"
	PropagationBackground = "Background"
	PropagationForeground = "Foreground"
)

// Delete answers a request to delete old, an object as it is stored. An object without finalizers is deleted at once:
// Result.Deleted is true, and Object is its last state. An object with finalizers stays and is marked as being deleted,
// until an update removes the last finalizer ([Version.Update]). The mark is a deletionTimestamp, and a generation that
// the first delete increments. Custom objects have no grace period, even if a request sets one.
//
// A nil old is a 404. old is not modified; the result's object shares unchanged parts with it. Nothing is validated.
func (v *Version) Delete(ctx context.Context, old map[string]any, o DeleteOptions) Result {
	r, ok := v.begin(ctx)
	if !ok {
		return r
	}
	if old == nil {
		return r.refuse(v.notFound(nil))
	}
	switch o.PropagationPolicy {
	case "", PropagationOrphan, PropagationBackground, PropagationForeground:
	default:
		r.Errors = field.List{field.NotSupported(field.NewPath("propagationPolicy"), o.PropagationPolicy,
			PropagationForeground, PropagationBackground, PropagationOrphan, "nil")}
		r.about = refusal.AboutOptions(deleteOptions)
		return r
	}
	obj := v.readFor(ctx, &r, old)
	if r.Failure != nil {
		return r
	}
	r.Object, r.subject = obj, obj
	finalizers := finalizersOfDeletion(metadata(obj), o.PropagationPolicy)
	if len(finalizers) == 0 {
		r.Deleted = true
		return r
	}
	v.store(ctx, &r, with(obj, "metadata", beingDeleted(metadata(obj), finalizers, o.Now)))
	return r
}

// finalizersOfDeletion returns the finalizers that must be removed before the object is deleted (DEL-002).
func finalizersOfDeletion(meta map[string]any, policy string) []any {
	had, _ := meta["finalizers"].([]any)
	if policy == "" {
		switch {
		case slices.Contains(had, any(objectmeta.OrphanFinalizer)):
			policy = PropagationOrphan
		case slices.Contains(had, any(objectmeta.ForegroundFinalizer)):
			policy = PropagationForeground
		}
	}
	out := make([]any, 0, len(had)+1)
	for _, f := range had {
		if f != objectmeta.OrphanFinalizer && f != objectmeta.ForegroundFinalizer {
			out = append(out, f)
		}
	}
	switch policy {
	case PropagationOrphan:
		out = append(out, objectmeta.OrphanFinalizer)
	case PropagationForeground:
		out = append(out, objectmeta.ForegroundFinalizer)
	}
	return out
}

// beingDeleted returns a copy of meta for an object that is being deleted and waits for its finalizers (DEL-003).
func beingDeleted(meta map[string]any, finalizers []any, now time.Time) map[string]any {
	out := with(meta, "finalizers", finalizers)
	since := textOf(meta, "deletionTimestamp")
	if generation, _ := meta["generation"].(int64); since == "" && generation > 0 {
		out["generation"] = generation + 1
	}
	if at, err := time.Parse(time.RFC3339, since); err != nil || at.After(now) {
		out["deletionTimestamp"] = now.UTC().Format(time.RFC3339)
	}
	out["deletionGracePeriodSeconds"] = int64(0)
	return out
}

// Preconditions are conditions in the options of a deletion. Nil ones are not checked.
type Preconditions struct {
	UID, ResourceVersion *string
}

// Check refuses to delete old, an object as it is stored, if its uid or resourceVersion differs from p's (409, a
// [*field.Status]).
func (p Preconditions) Check(old map[string]any) error {
	meta, reason := metadata(old), ""
	uid, version := textOf(meta, "uid"), textOf(meta, "resourceVersion")
	switch {
	case p.UID != nil && *p.UID != uid:
		reason = fmt.Sprintf("the UID in the precondition (%s) does not match the UID in record (%s). "+
			"The object might have been deleted and then recreated", *p.UID, uid)
	case p.ResourceVersion != nil && *p.ResourceVersion != version:
		reason = fmt.Sprintf("the ResourceVersion in the precondition (%s) does not match the ResourceVersion in record (%s). "+
			"The object might have been modified", *p.ResourceVersion, version)
	default:
		return nil
	}
	// The refusal of a deletion names the object's kind.
	group, _, ok := strings.Cut(textOf(old, "apiVersion"), "/")
	if !ok {
		group = ""
	}
	return GroupResource{Group: group, Resource: textOf(old, "kind")}.Conflict(textOf(meta, "name"), reason)
}

// DeletedStatus returns a server's answer after it has deleted obj: a Status of success with the object's name and uid.
func (v *Version) DeletedStatus(obj map[string]any) *field.Status {
	if v == nil {
		return refusal.NoVersion()
	}
	meta := metadata(obj)
	return &field.Status{
		Code: 200, Group: v.resource.group, Kind: v.resource.plural, Name: textOf(meta, "name"), UID: textOf(meta, "uid"),
	}
}
