package resource

import (
	"context"
	"fmt"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/refusal"
)

// Read answers a request to get stored through v. stored is an object as the store has it, in any version of the
// definition. It may have been stored under an older schema, with unknown fields or without later defaults. It is
// decoded with the schema of its own version: what cannot be read is dropped, and defaults are filled in. Then it is
// converted to v, without further defaults. It is not validated, and nothing is written back.
//
// Read calls a [conversion.Converter] with a context that never ends: the converter should have a timeout of its own.
//
// The result's object shares unchanged parts with stored, which is not modified. Failure is set, as in a server, for an
// object with embedded resources that cannot be read, and for one of a version that the definition does not have.
func (v *Version) Read(stored map[string]any) Result {
	ctx := context.Background()
	r, ok := v.begin(ctx)
	if !ok {
		return r
	}
	if stored == nil {
		return r.refuse(v.notFound(nil))
	}
	r.Object = v.readFor(ctx, &r, stored)
	return r
}

// readFor reads a stored object for a request other than an update. It sets the failure of r, and whether only the webhook
// knows the answer.
func (v *Version) readFor(ctx context.Context, r *Result, stored map[string]any) map[string]any {
	obj, err := v.readStored(ctx, stored)
	if err != nil {
		r.Failure, r.Unconverted = v.corrupt(ctx, stored, err), v.needsWebhook(ctx, stored)
	}
	return obj
}

// readOld is readFor for an update, which a server refuses with another text (CNV-033).
func (v *Version) readOld(ctx context.Context, r *Result, stored map[string]any) map[string]any {
	obj, err := v.readStored(ctx, stored)
	if err != nil {
		if r.Failure = canceled(ctx); r.Failure == nil {
			r.Failure = refusal.Plain(notDecodable(stored, err).Error())
		}
		r.Unconverted = v.needsWebhook(ctx, stored)
	}
	return obj
}

// needsWebhook reports whether the webhook that v lacks could convert a stored object.
func (v *Version) needsWebhook(ctx context.Context, stored map[string]any) bool {
	if !v.resource.webhook || ctx.Err() != nil {
		return false
	}
	group, name, _ := objectmeta.GroupVersion(textOf(stored, "apiVersion"))
	return group == v.resource.group && name != v.name && v.resource.versions[name] != nil
}

// readStored decodes and converts a stored object.
func (v *Version) readStored(ctx context.Context, stored map[string]any) (map[string]any, error) {
	if generation, _ := metadata(stored)["generation"].(int64); generation != 0 {
		if v.isNormal(stored) {
			return stored, nil
		}
		// It may lack only defaults: those of fields that came later, or of a status that nobody has written.
		if _, own := v.metadataOfOwn(stored); own {
			if filled, changed, ok := v.filled(stored); ok && changed && v.isNormal(filled) {
				return filled, nil
			}
		}
	}
	return v.fromStore(ctx, stored)
}

// fromStore is readStored for an object that is not known to be in normal form.
func (v *Version) fromStore(ctx context.Context, stored map[string]any) (map[string]any, error) {
	normal, fault := jsonval.Normalize(nil, stored)
	if fault != nil {
		return nil, fault
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	normal, _ = jsonval.Stored(normal)
	obj, _ := normal.(map[string]any)
	apiVersion := textOf(obj, "apiVersion")
	group, name, err := objectmeta.GroupVersion(apiVersion)
	if err != nil {
		return nil, err
	}
	of := v.resource.versions[name]
	if of == nil || group != v.resource.group {
		// CNV-005
		return nil, fmt.Errorf("request to convert CR from an invalid group/version: %s", apiVersion)
	}
	if obj, err = of.fromStorage(ctx, obj, v.options.Defaults); err == nil {
		obj, err = v.convert(ctx, obj)
	}
	if err != nil {
		return nil, err
	}
	return obj, ctx.Err()
}

// notDecodable is the error for a stored object that cannot be read (ORD-008).
func notDecodable(stored map[string]any, err error) error {
	return fmt.Errorf("object not decodable revision=%s: %w", textOf(metadata(stored), "resourceVersion"), err)
}

// corrupt refuses to answer with the stored object (ORD-008).
func (v *Version) corrupt(ctx context.Context, stored map[string]any, err error) *field.Status {
	if refused := canceled(ctx); refused != nil {
		return refused
	}
	return refusal.Internal(fmt.Errorf("StorageError: corrupt object, Code: 7, Key: %s, ResourceVersion: 0, AdditionalErrorMsg: %w",
		v.storageKey(metadata(stored)), notDecodable(stored, err)))
}

// storageKey returns the key of an object in the store.
func (v *Version) storageKey(meta map[string]any) string {
	key := "/" + v.resource.group + "/" + v.resource.plural
	if kind := v.native(); kind != nil && kind.Registry != "" {
		key = kind.Registry
	}
	if namespace := textOf(meta, "namespace"); namespace != "" {
		key += "/" + namespace
	}
	return key + "/" + textOf(meta, "name")
}
