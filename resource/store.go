package resource

import (
	"context"

	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/refusal"
)

// This file writes objects to storage and reads them back: converted, encoded as JSON, decoded, and converted again.

// store writes obj, which is in version v. It sets in r what is stored and what is read back, or the failure of either.
// obj is stored without its missing defaults; reading fills in those of the storage version.
//
// Without a converter for a webhook, neither is known.
//
// Clauses: ORD-001 (W, S, S2), ORD-002, DEC-009.
func (v *Version) store(ctx context.Context, r *Result, obj map[string]any) {
	storage := v.resource.storage
	if v.version != storage && v.resource.webhook {
		r.Unconverted, r.Object = true, obj
		return
	}
	if v.version == storage {
		// In most cases only defaults are missing, if anything, and the other steps change nothing.
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

// fromStorage decodes an object that was stored in version v. It works as for a request, but drops what cannot be read,
// and sets the generation of objects that were stored before generations existed (DEC-021, DEC-023, ORD-001 S).
func (v *version) fromStorage(ctx context.Context, obj map[string]any, limit defaulting.Limit) (map[string]any, error) {
	n := normalizer{ctx: ctx, drop: true}
	out, err := n.object(v.resource, obj, v.resource.group, v.name, textOf(obj, "kind"))
	if err != nil {
		return nil, err
	}
	if meta := metadata(out); meta != nil && meta["generation"] == nil {
		out = with(out, "metadata", with(meta, "generation", int64(1)))
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return defaulting.FillWithin(v.schema, out, limit)
}

// Convert returns obj, which is in any version of the definition, as an object of version v, without defaults. It uses
// the conversion of the definition. obj is not modified; if it is in version v, it is returned itself.
func (v *Version) Convert(ctx context.Context, obj map[string]any) (map[string]any, error) {
	if v == nil {
		return nil, refusal.NoVersion()
	}
	if obj["apiVersion"] == v.groupText {
		return obj, nil
	}
	return v.converted(ctx, obj)
}

// convert converts obj to version v without filling in defaults (ORD-001 S2, ORD-004).
func (v *version) convert(ctx context.Context, obj map[string]any) (map[string]any, error) {
	if obj["apiVersion"] != v.groupText {
		var err error
		if obj, err = v.converted(ctx, obj); err != nil {
			return nil, err
		}
	}
	n := normalizer{ctx: ctx}
	return n.object(v.resource, obj, v.resource.group, v.name, textOf(obj, "kind"))
}

// converted uses the converter, or the definition's strategy. A server's store keeps no resourceVersion in an object,
// so a converter does not see it (CNV-020).
func (v *version) converted(ctx context.Context, obj map[string]any) (map[string]any, error) {
	r := v.resource
	meta := metadata(obj)
	stamp, stamped := meta["resourceVersion"]
	if stamped && r.converter != nil {
		obj = with(obj, "metadata", withValue(meta, "resourceVersion", ""))
	}
	out, refused := r.conversion.Convert(ctx, r.converter, obj, v.groupText)
	if refused != nil {
		return nil, refused
	}
	if stamped && r.converter != nil {
		out = with(out, "metadata", with(metadata(out), "resourceVersion", stamp))
	}
	return out, nil
}
