package resource

import (
	"context"
	"slices"
	"time"

	"github.com/crdkit/crdkit/field"
)

// DeleteOptions say how an object is deleted. The zero value is what kubectl and most clients send.
type DeleteOptions struct {
	// PropagationPolicy says what becomes of the objects that the object owns: [PropagationOrphan], [PropagationForeground] or
	// [PropagationBackground]. Empty is whatever the object's finalizers say already, else the background. Another word is a
	// server's error, and one here.
	PropagationPolicy string
	// Now is the time of the request, for the object's deletionTimestamp.
	Now time.Time
}

// What DeleteOptions.PropagationPolicy may be.
const (
	PropagationOrphan     = "Orphan"
	PropagationBackground = "Background"
	PropagationForeground = "Foreground"
)

const (
	orphanFinalizer     = "orphan"
	foregroundFinalizer = "foregroundDeletion"
)

// Delete answers a request to delete old, an object as it is stored. Without finalizers it is gone: Result.Deleted is true, and Object is
// the last state. With some it stays, marked as being deleted until an update takes the last of them ([Version.Update]): with a
// deletionTimestamp, and a generation counted up the first time. Custom objects have no grace period, whatever a request asks for.
//
// A nil old is a 404. old is not modified; the result's object shares unchanged parts with it. Nothing is validated.
func (v *Version) Delete(ctx context.Context, old map[string]any, o DeleteOptions) Result {
	if v == nil {
		return noVersion()
	}
	r := v.result()
	if refused := canceled(ctx); refused != nil {
		return r.refuse(refused)
	}
	if old == nil {
		return r.refuse(v.notFound(nil))
	}
	switch o.PropagationPolicy {
	case "", PropagationOrphan, PropagationBackground, PropagationForeground:
	default:
		r.Errors = field.List{field.NotSupported(field.NewPath("propagationPolicy"), o.PropagationPolicy,
			PropagationForeground, PropagationBackground, PropagationOrphan, "nil")}
		r.about = options(deleteOptions)
		return r
	}
	obj, refused := v.readStored(ctx, old)
	if refused != nil {
		return r.refuse(refused)
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

// finalizersOfDeletion returns what has to finish before the object can go (DEL-002).
func finalizersOfDeletion(meta map[string]any, policy string) []any {
	had, _ := meta["finalizers"].([]any)
	if policy == "" {
		switch {
		case slices.Contains(had, any(orphanFinalizer)):
			policy = PropagationOrphan
		case slices.Contains(had, any(foregroundFinalizer)):
			policy = PropagationForeground
		}
	}
	out := make([]any, 0, len(had)+1)
	for _, f := range had {
		if f != orphanFinalizer && f != foregroundFinalizer {
			out = append(out, f)
		}
	}
	switch policy {
	case PropagationOrphan:
		out = append(out, orphanFinalizer)
	case PropagationForeground:
		out = append(out, foregroundFinalizer)
	}
	return out
}

// beingDeleted returns meta with the marks of an object that waits for its finalizers (DEL-003).
func beingDeleted(meta map[string]any, finalizers []any, now time.Time) map[string]any {
	out := make(map[string]any, len(meta)+3)
	for k, v := range meta {
		out[k] = v
	}
	out["finalizers"] = finalizers
	since, _ := meta["deletionTimestamp"].(string)
	if generation, _ := meta["generation"].(int64); since == "" && generation > 0 {
		out["generation"] = generation + 1
	}
	if at, err := time.Parse(time.RFC3339, since); err != nil || at.After(now) {
		out["deletionTimestamp"] = now.UTC().Format(time.RFC3339)
	}
	out["deletionGracePeriodSeconds"] = int64(0)
	return out
}
