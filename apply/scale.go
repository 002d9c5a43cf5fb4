package apply

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"sync"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/resource"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/merge"
	smd "sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// This file handles the scale subresource (SSA-038). A server treats the managers of the object's replicas as managers
// of the Scale's. It cannot convert the Scale of a custom resource that results from an apply, so an apply fails unless
// it changes nothing. Other writes take over the replicas.

const (
	scaleVersion = "autoscaling/v1"
	scaleKind    = "Scale"
)

var replicasOfScale = fieldpath.MakePathOrDie("spec", "replicas")

// trackScale returns obj, which a request to /scale writes over old, with the managers of old and that of the request.
// Managers of versions that the definition no longer has are dropped. A server writes the owners of the Scale's
// replicas back with their identities there, in which the version of updates is that of the Scale: an update that owned
// the replicas loses them to a separate entry, without a time.
func (v *Version) trackScale(obj, old map[string]any, o *Options) (map[string]any, error) {
	m, err := decode(managedFields(old))
	if err != nil {
		return nil, refusal.Plain(err.Error())
	}
	owners := v.scaleOwners(m)
	v.takeReplicas(owners, obj, old, o)
	entries, err := v.returnReplicas(m, owners)
	if err != nil {
		return nil, refusal.Plain(err.Error())
	}
	return withManaged(obj, entries), nil
}

// returnReplicas returns the managedFields of m, in which exactly those in owners own the replicas. Both are changed.
// If owners has an entry with the same identity as an entry of m, it replaces that entry, and gets its time.
func (v *Version) returnReplicas(m, owners *managers) ([]any, error) {
	before := maps.Clone(m.entries)
	for key, set := range m.sets {
		of := v.resource.versions[string(set.APIVersion())]
		switch {
		case of == nil:
			m.drop(key)
		case of.replicas == nil || !set.Set().Has(of.replicas):
		case owners.entries[key] != nil:
			owners.drop(key)
		default:
			m.remove(key, fieldpath.NewSet(of.replicas))
		}
	}
	replicas := fieldpath.NewSet(v.replicas)
	for key, set := range owners.sets {
		e := owners.entries[key]
		renewed := &entry{identity: e.identity, added: e.added}
		if replaced := before[key]; replaced != nil {
			renewed.time = replaced.time
		}
		m.entries[key] = renewed
		m.sets[key] = fieldpath.NewVersionedSet(replicas, fieldpath.APIVersion(v.apiVersion), set.Applied())
	}
	return m.encode(v.resource.plain)
}

// scaleOwners returns the managers that own the replicas of an object as those of its Scale.
func (v *Version) scaleOwners(m *managers) *managers {
	owners := newManagers()
	for key, set := range m.sets {
		of := v.resource.versions[string(set.APIVersion())]
		if of == nil || of.replicas == nil || !set.Set().Has(of.replicas) {
			continue
		}
		e := m.entries[key]
		id := e.identity
		if id.Operation == operationUpdate {
			id.APIVersion = scaleVersion
		}
		owners.put(id, fieldpath.NewVersionedSet(fieldpath.NewSet(replicasOfScale), scaleVersion, set.Applied()), e.time)
	}
	return owners
}

// takeReplicas gives the replicas to the manager of a request that changes them. Replicas without an owner stay
// unowned. Replicas of 0 have no owner: a Scale leaves them out.
func (v *Version) takeReplicas(owners *managers, obj, old map[string]any, o *Options) {
	if len(owners.sets) == 0 {
		return
	}
	is := at(obj, v.replicas)
	if is == at(old, v.replicas) {
		owners.mergeOldest()
		return
	}
	clear(owners.sets)
	clear(owners.entries)
	if is == int64(0) {
		return
	}
	id := identity{Manager: cmp.Or(o.Manager, unnamed), Operation: operationUpdate, APIVersion: scaleVersion, Subresource: subresourceScale}
	owners.put(id, fieldpath.NewVersionedSet(fieldpath.NewSet(replicasOfScale), scaleVersion, false), o.Now)
}

// ApplyScale answers a request to apply a Scale. A server of Kubernetes 1.37 cannot convert the merged Scale of a custom
// resource: it refuses conflicts (409), accepts an apply that changes nothing, and fails otherwise (500). The result's
// Object is the custom resource.
func (v *Version) ApplyScale(ctx context.Context, body []byte, live map[string]any, o Options) resource.Result {
	base := v.base()
	if base == nil {
		return base.Create(ctx, nil)
	}
	scale, err := v.scaleOf(live)
	if err != nil {
		return failed(err)
	}
	opts := o.now()
	if errs := opts.invalid(true); len(errs) > 0 {
		return invalidOptions("PatchOptions", errs)
	}
	applied, strict, err := v.read(body)
	if err != nil {
		return failed(err)
	}
	merged, entries, err := v.appliedScale(ctx, scale, applied, live, opts)
	if err == nil {
		err = strict.refusal
	}
	if err != nil {
		return failed(err)
	}
	options := v.options
	options.Admit = func(_ context.Context, obj, _ map[string]any) (map[string]any, error) {
		return withManaged(obj, entries), nil
	}
	patch := map[string]any{}
	if is := at(merged, replicasOfScale); is != at(scale, replicasOfScale) {
		if is == nil {
			is = int64(0)
		}
		patch["spec"] = map[string]any{"replicas": is}
	}
	if is := text(metadata(merged), "resourceVersion"); is != text(metadata(scale), "resourceVersion") {
		patch["metadata"] = map[string]any{"resourceVersion": is}
	}
	if body, err = json.Marshal(patch); err != nil {
		return failed(err)
	}
	r := v.of.With(options).PatchScale(ctx, "application/merge-patch+json", body, live)
	r.Warnings = append(strict.warnings, r.Warnings...)
	return r
}

// noReplicas are the replicas of a Scale that is applied to an object without replicas.
const noReplicas = int64(math.MinInt32)

// scaleOf returns the Scale of live, which has noReplicas if live has none.
func (v *Version) scaleOf(live map[string]any) (map[string]any, error) {
	base := v.base()
	scale, err := base.Scale(live)
	if err == nil || v.replicas == nil || live == nil {
		return scale, err
	}
	read := base.Read(live)
	if read.Err() != nil || at(read.Object, v.replicas) != nil {
		return nil, err
	}
	return base.Scale(set(read.Object, v.replicas, noReplicas))
}

// set returns obj with value at a path of fields.
func set(obj map[string]any, path fieldpath.Path, value any) map[string]any {
	name := *path[0].FieldName
	if len(path) > 1 {
		below, _ := obj[name].(map[string]any)
		value = set(below, path[1:], value)
	}
	out := make(map[string]any, len(obj)+1)
	maps.Copy(out, obj)
	out[name] = value
	return out
}

// appliedScale returns the Scale and the managedFields of live after a Scale was applied to scale, the Scale of live, or
// why that fails.
func (v *Version) appliedScale(
	ctx context.Context, scale, applied, live map[string]any, o *Options,
) (merged map[string]any, entries []any, err error) {
	m, err := decode(managedFields(live))
	if err != nil {
		return nil, nil, refusal.Plain(err.Error())
	}
	if applied["apiVersion"] != scaleVersion || applied["kind"] != scaleKind {
		return nil, nil, refusal.BadRequest("invalid object type: " + kindText(applied))
	}
	custom := v.resource.builtIn == nil
	cannot := "request to convert CR to an invalid group/version: " + scaleVersion
	owners := v.scaleOwners(m)
	if len(owners.sets) == 0 && custom {
		empty := map[string]any{"apiVersion": scaleVersion, "kind": scaleKind}
		return nil, nil, refusal.Plain(fmt.Sprintf("failed to create manager for existing fields: failed to convert live object (%s) to proper version: %s",
			objectText(empty), cannot))
	}
	t := tracker{types: scaleTypes(), apiVersion: scaleVersion, kind: scaleKind, subresource: subresourceScale}
	t.updater = (&merge.UpdaterBuilder{Converter: &converter{ctx: ctx, types: t.types}}).BuildUpdater()
	merged, owners, err = t.apply(owners, applied, scale, o)
	switch {
	case err != nil:
		return nil, nil, refusalOf(err)
	case custom && !jsonval.Equal(merged, scale):
		return nil, nil, refusal.Plain(fmt.Sprintf("failed to convert new object (%s) to proper version: %s", objectText(applied), cannot))
	}
	for key := range owners.entries { // also of those who own nothing any more
		if set, owns := owners.sets[key]; !owns || custom && !set.Set().Has(replicasOfScale) {
			owners.drop(key)
		}
	}
	if entries, err = v.returnReplicas(m, owners); err != nil {
		return nil, nil, refusal.Plain(err.Error())
	}
	return merged, entries, nil
}

// scaleTypes has the type of a Scale.
var scaleTypes = sync.OnceValue(func() types {
	object := func(fields []smd.StructField) smd.TypeRef {
		return smd.TypeRef{Inlined: smd.Atom{Map: &smd.Map{Fields: fields}}}
	}
	root := smd.Atom{Map: &smd.Map{Fields: append(fields("apiVersion", "string", "kind", "string", "metadata", metaType),
		smd.StructField{Name: "spec", Type: object(fields("replicas", "numeric"))},
		smd.StructField{Name: "status", Type: object(fields("replicas", "numeric", "selector", "string"))},
	)}}
	return types{kind: scaleKind, versions: map[string]typed.ParseableType{scaleVersion: parseable(root)}}
})
