package apply

import (
	"context"
	"fmt"

	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/resource"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/merge"
)

// The scale subresource (SSA-038). A server sees the managers of an object there as managers of a Scale: who owns the object's replicas owns
// the Scale's. Of custom resources it cannot convert a Scale for the comparison, so that no write to /scale ever adds or takes away an owner.

const (
	scaleVersion = "autoscaling/v1"
	scaleKind    = "Scale"
)

var replicasOfScale = fieldpath.MakePathOrDie("spec", "replicas")

// trackScale returns obj, which a request to /scale writes over old, with the managers of old. Those of versions that the definition has no
// more are dropped.
func (v *Version) trackScale(obj, old map[string]any) (map[string]any, error) {
	m, err := decode(managedFields(old))
	if err != nil {
		return nil, refusal.Plain(err.Error())
	}
	for key, set := range m.sets {
		if _, ok := v.resource.replicas[string(set.APIVersion())]; !ok {
			m.drop(key)
		}
	}
	entries, err := m.encode()
	if err != nil {
		return nil, refusal.Plain(err.Error())
	}
	return withManaged(obj, entries), nil
}

// ApplyScale answers a request to apply a Scale. A server of Kubernetes 1.37 refuses what conflicts (409), and fails otherwise (500): the
// request never succeeds.
func (v *Version) ApplyScale(ctx context.Context, body []byte, live map[string]any, o Options) resource.Result {
	base := v.base()
	if base == nil {
		return base.Create(ctx, nil)
	}
	scale, err := base.Scale(live)
	if err != nil {
		return failed(err)
	}
	opts := o.now()
	if errs := opts.invalid(true); len(errs) > 0 {
		return resource.InvalidOptions("PatchOptions", errs)
	}
	applied, _, err := v.read(body)
	if err != nil {
		return failed(err)
	}
	return failed(v.refuseScale(scale, applied, live, opts))
}

// refuseScale returns why a Scale cannot be applied.
func (v *Version) refuseScale(scale, applied, live map[string]any, o *Options) error {
	m, err := decode(managedFields(live))
	if err != nil {
		return refusal.Plain(err.Error())
	}
	if applied["apiVersion"] != scaleVersion || applied["kind"] != scaleKind {
		return refusal.BadRequest("invalid object type: " + kindText(applied))
	}
	cannot := "request to convert CR to an invalid group/version: " + scaleVersion
	self := identity{Manager: o.Manager, Operation: operationApply, Subresource: subresourceScale}.key()
	var owners merge.Conflicts
	owned := false
	for key, set := range m.sets {
		path := v.resource.replicas[string(set.APIVersion())]
		if path == nil || !set.Set().Has(path) {
			continue
		}
		owned = true
		if key != self {
			owners = append(owners, merge.Conflict{Manager: key, Path: replicasOfScale})
		}
	}
	if !owned {
		empty := map[string]any{"apiVersion": scaleVersion, "kind": scaleKind}
		return refusal.Plain(fmt.Sprintf("failed to create manager for existing fields: failed to convert live object (%s) to proper version: %s",
			objectText(empty), cannot))
	}
	was, _ := scale["spec"].(map[string]any)
	want, _ := applied["spec"].(map[string]any)
	if replicas, set := want["replicas"]; set && replicas != was["replicas"] && len(owners) > 0 && !o.Force {
		return conflictStatus(owners)
	}
	return refusal.Plain(fmt.Sprintf("failed to convert new object (%s) to proper version: %s", objectText(applied), cannot))
}
