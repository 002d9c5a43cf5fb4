package resource

import (
	"context"
	"maps"

	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/refusal"
)

// This file takes objects to storage and back: converted, encoded as JSON, decoded, and converted again.

// store answers a write of obj, which is of version v: it sets what is stored of it in r, and what is read from there, or the failure of
// either. obj is stored without the defaults that are missing in it; reading fills in those of the storage version.
//
// Clauses: ORD-001 (W, S, S2), ORD-002, DEC-009.
func (v *Version) store(ctx context.Context, r *Result, obj map[string]any) {
	storage := v.resource.storage
	if v.version == storage {
		// Mostly just defaults are missing, if anything: then the rest of the way changes nothing.
		if r.Failure = canceled(ctx); r.Failure != nil {
			return
		}
		filled, err := defaulting.FillWithin(v.schema, obj, v.options.Defaults)
		if err != nil {
			r.Failure = refusal.TooLarge(err.Error())
			return
		}
		if v.isNormal(filled) {
			r.Stored, r.Object = obj, filled
			return
		}
		if r.Failure = canceled(ctx); r.Failure != nil {
			return
		}
	} else {
		var err error
		if obj, err = storage.convert(ctx, obj); err != nil {
			r.Failure = refusal.Plain(err.Error())
			return
		}
	}
	normal, _ := jsonval.Stored(obj)
	r.Stored = normal.(map[string]any)
	back, err := storage.fromStorage(ctx, r.Stored, v.options.Defaults)
	if err == nil {
		back, err = v.convert(ctx, back)
	}
	if r.Failure = canceled(ctx); r.Failure != nil {
		r.Stored = nil
		return
	}
	if err != nil {
		r.Failure = refusal.Plain(err.Error())
		return
	}
	r.Object = back
}

// fromStorage decodes what was stored in version v: like a request, but what cannot be read is dropped, and a generation is made up for
// an object from the time before there were any (ORD-001 S).
func (v *version) fromStorage(ctx context.Context, obj map[string]any, limit defaulting.Limit) (map[string]any, error) {
	kind, _ := obj["kind"].(string)
	n := normalizer{ctx: ctx, drop: true}
	out, err := n.object(v.resource, obj, v.resource.group, v.name, kind)
	if err != nil {
		return nil, err
	}
	if meta := metadata(out); meta != nil {
		if repaired := objectmeta.RepairGeneration(meta); len(repaired) != len(meta) || meta["generation"] != repaired["generation"] {
			out = with(out, "metadata", repaired)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return defaulting.FillWithin(v.schema, out, limit)
}

// Convert returns obj, which is of any version of the definition, as an object of version v, without defaults. The conversion is that of the
// definition. obj is not modified, and is returned if it is of version v.
func (v *Version) Convert(ctx context.Context, obj map[string]any) (map[string]any, error) {
	if v == nil {
		return nil, refusal.NoVersion()
	}
	if obj["apiVersion"] == v.groupText {
		return obj, nil
	}
	return v.converted(ctx, obj)
}

// convert makes obj an object of version v, which fills in no defaults (ORD-001 S2, ORD-004).
func (v *version) convert(ctx context.Context, obj map[string]any) (map[string]any, error) {
	if obj["apiVersion"] != v.groupText {
		var err error
		if obj, err = v.converted(ctx, obj); err != nil {
			return nil, err
		}
	}
	kind, _ := obj["kind"].(string)
	n := normalizer{ctx: ctx}
	return n.object(v.resource, obj, v.resource.group, v.name, kind)
}

// converted asks the definition's strategy, or the converter. A server's store keeps no resourceVersion in an object, so that nobody gets
// to see it (CNV-020).
func (v *version) converted(ctx context.Context, obj map[string]any) (map[string]any, error) {
	r := v.resource
	meta := metadata(obj)
	stamp, stamped := meta["resourceVersion"]
	if stamped && r.converter != nil {
		obj = with(obj, "metadata", withText(meta, "resourceVersion", ""))
	}
	out, refused := r.conversion.Convert(ctx, r.converter, obj, v.groupText)
	if refused != nil {
		return nil, refused
	}
	if stamped && r.converter != nil {
		meta = maps.Clone(metadata(out))
		meta["resourceVersion"] = stamp
		out = with(out, "metadata", meta)
	}
	return out, nil
}
