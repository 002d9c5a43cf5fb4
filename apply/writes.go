package apply

import (
	"context"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/resource"
)

// Create is [resource.Version.Create] with managedFields as a server updates them.
func (v *Version) Create(ctx context.Context, obj map[string]any, o Options) resource.Result {
	return v.tracked(ctx, "", o, "CreateOptions", func(v *resource.Version) resource.Result { return v.Create(ctx, obj) })
}

// CreateBody is [resource.Version.CreateBody] with managedFields as a server updates them.
func (v *Version) CreateBody(ctx context.Context, body []byte, o Options) resource.Result {
	return v.tracked(ctx, "", o, "CreateOptions", func(v *resource.Version) resource.Result { return v.CreateBody(ctx, body) })
}

// Update is [resource.Version.Update] with managedFields as a server updates them.
func (v *Version) Update(ctx context.Context, obj, live map[string]any, o Options) resource.Result {
	return v.tracked(ctx, "", o, "UpdateOptions", func(v *resource.Version) resource.Result { return v.Update(ctx, obj, live) })
}

// UpdateStatus is [resource.Version.UpdateStatus] with managedFields as a server updates them.
func (v *Version) UpdateStatus(ctx context.Context, obj, live map[string]any, o Options) resource.Result {
	return v.tracked(ctx, subresourceStatus, o, "UpdateOptions", func(v *resource.Version) resource.Result { return v.UpdateStatus(ctx, obj, live) })
}

// UpdateScale is [resource.Version.UpdateScale] with managedFields as a server updates them.
func (v *Version) UpdateScale(ctx context.Context, scale, live map[string]any, o Options) resource.Result {
	return v.tracked(ctx, subresourceScale, o, "UpdateOptions", func(v *resource.Version) resource.Result { return v.UpdateScale(ctx, scale, live) })
}

// Patch is [resource.Version.Patch] with managedFields as a server updates them.
func (v *Version) Patch(ctx context.Context, contentType string, patch []byte, live map[string]any, o Options) resource.Result {
	return v.tracked(ctx, "", o, "PatchOptions", func(v *resource.Version) resource.Result { return v.Patch(ctx, contentType, patch, live) })
}

// PatchStatus is [resource.Version.PatchStatus] with managedFields as a server updates them.
func (v *Version) PatchStatus(ctx context.Context, contentType string, patch []byte, live map[string]any, o Options) resource.Result {
	return v.tracked(ctx, subresourceStatus, o, "PatchOptions", func(v *resource.Version) resource.Result {
		return v.PatchStatus(ctx, contentType, patch, live)
	})
}

// PatchScale is [resource.Version.PatchScale] with managedFields as a server updates them.
func (v *Version) PatchScale(ctx context.Context, contentType string, patch []byte, live map[string]any, o Options) resource.Result {
	return v.tracked(ctx, subresourceScale, o, "PatchOptions", func(v *resource.Version) resource.Result {
		return v.PatchScale(ctx, contentType, patch, live)
	})
}

// tracked answers a request other than an apply. kind is the kind of its options.
func (v *Version) tracked(
	ctx context.Context, subresource string, o Options, kind string, request func(*resource.Version) resource.Result,
) resource.Result {
	if v == nil {
		return request(nil)
	}
	opts := o.now()
	if errs := opts.invalid(false); len(errs) > 0 {
		return invalidOptions(kind, errs)
	}
	t := v.tracker(ctx, subresource)
	options := v.options
	admit := options.Admit
	options.Admit = func(ctx context.Context, obj, old map[string]any) (map[string]any, error) {
		obj, err := v.track(t, obj, old, opts)
		if err != nil || admit == nil {
			return obj, err
		}
		return admit(ctx, obj, old)
	}
	return request(v.of.With(options))
}

// track returns obj, which a request of the manager writes over old, with its new managedFields (SSA-003, SSA-035 to
// SSA-038).
func (v *Version) track(t *tracker, obj, old map[string]any, o *Options) (map[string]any, error) {
	if t.subresource == subresourceScale {
		return v.trackScale(obj, old, o)
	}
	if jsonval.Equal(obj, old) && t.settled(managedFields(old)) {
		return obj, nil
	}
	m := managersOf(obj, old, t.subresource != "")
	live := old
	if live == nil {
		live = t.zero()
	}
	if len(m.sets) == 0 && metadata(old)["uid"] != nil {
		return withManaged(obj, nil), nil
	}
	obj = withManaged(obj, nil)
	decoded := obj
	if t.builtIn != nil && t.builtIn.Decode != nil {
		decoded = t.builtIn.Decode(obj)
	}
	var entries []any
	next, err := t.update(m, decoded, live, o.Manager, o.Now)
	if err == nil {
		entries, err = next.encode(t.plain)
	}
	if err != nil { // SSA-037
		entries = managedFields(old)
	}
	return withManaged(obj, entries), nil
}

// managersOf returns the managers before a write: those that were sent, unless they are reset or cannot be read,
// otherwise those of old (SSA-036).
func managersOf(obj, old map[string]any, subresource bool) *managers {
	if !subresource {
		sent := managedFields(obj)
		if objectmeta.ResetsManagedFields(sent) {
			return newManagers()
		}
		if m, err := decode(sent); err == nil && len(m.sets) > 0 {
			return m
		}
	}
	if m, err := decode(managedFields(old)); err == nil {
		return m
	}
	return newManagers()
}
