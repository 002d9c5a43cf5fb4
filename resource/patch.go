package resource

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/patch"
	"github.com/crdkit/crdkit/internal/refusal"
)

// Patch answers a request to patch old, an object as it is stored or as a Result has it. contentType is
// application/merge-patch+json or application/json-patch+json, with any parameters. Others are refused (415), including
// strategic merge patches, which custom objects do not support, and apply patches. The patched object is decoded and
// updates old as in [Version.Update].
//
// A server's patches differ slightly from RFC 7396 and RFC 6902; the clauses say where. old is not modified.
func (v *Version) Patch(ctx context.Context, contentType string, patch []byte, old map[string]any) Result {
	return v.patch(ctx, contentType, patch, old, false)
}

// PatchStatus is [Version.Patch] for the status subresource. The patch is applied to the whole object, but only the
// status is used.
func (v *Version) PatchStatus(ctx context.Context, contentType string, patch []byte, old map[string]any) Result {
	return v.patch(ctx, contentType, patch, old, true)
}

func (v *Version) patch(ctx context.Context, contentType string, body []byte, stored map[string]any, status bool) Result {
	r, ok := v.begin(ctx)
	if !ok {
		return r
	}
	if status && !v.hasStatus {
		return r.refuse(v.notFound(stored))
	}
	text, findings, r, ok := v.patchText(ctx, contentType, body, stored, patch.Encode)
	if !ok {
		return r
	}
	obj, warnings, err := v.patched(ctx, text, findings)
	if refused := canceled(ctx); refused != nil {
		return r.refuse(refused)
	}
	switch {
	case errors.As(err, new(*defaulting.LimitError)):
		return r.refuse(refusal.TooLarge(err.Error()))
	case err != nil:
		r.Errors = undecodable(text, err)
		return r
	}
	r.Object, r.subject = obj, obj
	r.Warnings = append(r.Warnings, warnings...)
	v.replace(ctx, &r, &change{obj: obj, status: status}, stored)
	return r
}

// PatchFunc is [Version.Patch] with a function instead of a patch, for kinds of patches that this package does not
// support. The function gets old as it is read in the version of the request, and must not modify it. It returns the
// object to write, with the managedFields that it is to have, or an error. A [field.Status] in the error is the
// refusal; any other error is a server error (500). The result gets defaults, but is not pruned and keeps its nulls. It
// updates old as in [Version.Update]. If old is nil, the function gets nil, and its result is created.
func (v *Version) PatchFunc(ctx context.Context, patch func(old map[string]any) (map[string]any, error), old map[string]any) Result {
	return v.patchFunc(ctx, patch, old, false)
}

// PatchStatusFunc is [Version.PatchFunc] for the status subresource. It creates nothing, and uses only the status and
// the managedFields of the result.
func (v *Version) PatchStatusFunc(ctx context.Context, patch func(old map[string]any) (map[string]any, error), old map[string]any) Result {
	return v.patchFunc(ctx, patch, old, true)
}

func (v *Version) patchFunc(
	ctx context.Context, patch func(old map[string]any) (map[string]any, error), stored map[string]any, status bool,
) Result {
	r, ok := v.begin(ctx)
	if !ok {
		return r
	}
	if status && (!v.hasStatus || stored == nil) {
		return r.refuse(v.notFound(stored))
	}
	if errs := v.options.invalid(); len(errs) > 0 {
		r.Errors, r.about = errs, refusal.AboutOptions(patchOptions)
		return r
	}
	var old map[string]any
	if stored != nil {
		if old = v.readOld(ctx, &r, stored); r.Failure != nil {
			return r
		}
	}
	obj, err := patch(old)
	if err != nil {
		return r.refuse(refusalOf(err))
	}
	obj, malformed := withoutMalformedTimes(obj)
	in := v.decodeReturned(ctx, obj)
	if stored == nil {
		return v.create(ctx, &in, new(precheck))
	}
	r.Object, r.subject = in.obj, in.obj
	if r.Errors, r.Failure = in.errs, in.refusal; r.Failure != nil || len(r.Errors) > 0 {
		return r
	}
	v.replace(ctx, &r, &change{obj: in.obj, status: status, managed: true}, stored)
	if malformed != nil && !status && r.Failure == nil && metadata(r.Object)["deletionTimestamp"] == nil {
		meta := maps.Clone(metadata(r.Object))
		meta["deletionTimestamp"] = malformed.value
		r.Errors = slices.Insert(r.Errors, 0, field.Invalid(field.NewPath("metadata"), meta, malformed.err.Error()))
		r.Stored = nil
	}
	return r
}

// A malformedTime is a value that is not a time.
type malformedTime struct {
	value any
	err   error
}

// withoutMalformedTimes returns obj without a creationTimestamp and a deletionTimestamp that are no times, and the
// deletionTimestamp if it is none. A server does not decode what an apply made. Its own times replace these where it has
// them: always but for a deletionTimestamp in an update, which it validates.
//
// Clauses: SSA-023.
func withoutMalformedTimes(obj map[string]any) (out map[string]any, deletion *malformedTime) {
	for _, key := range []string{"creationTimestamp", "deletionTimestamp"} {
		value, ok := metadata(obj)[key]
		if text, isText := value.(string); !ok || isText && objectmeta.CanonicalTime(text) {
			continue
		}
		_, _, err := objectmeta.Read(map[string]any{key: value}, false)
		if err == nil {
			continue
		}
		meta := maps.Clone(metadata(obj))
		delete(meta, key)
		obj = with(obj, "metadata", meta)
		if key == "deletionTimestamp" {
			deletion = &malformedTime{value, err}
		}
	}
	return obj, deletion
}

// decodeReturned is decodeObject for an object that a function has returned. A server only adds defaults to it.
func (v *Version) decodeReturned(ctx context.Context, obj map[string]any) decoded {
	normal, failed := jsonval.Normalize(nil, obj)
	if failed != nil {
		return decoded{obj: obj, errs: field.List{failed}}
	}
	obj, _ = normal.(map[string]any)
	n := normalizer{ctx: ctx}
	meta, found, err := n.metadata(obj)
	if err != nil {
		return decoded{obj: obj, refusal: refusal.Internal(err)}
	}
	if found && !sameMap(meta, metadata(obj)) {
		obj = with(obj, "metadata", meta)
	}
	filled, err := v.complete(v.schema, obj)
	if err != nil {
		return decoded{obj: obj, refusal: refusal.TooLarge(err.Error())}
	}
	return decoded{obj: filled, sent: obj}
}

// patchText makes the first checks of a patch request (PAT-001), and applies the patch to the text of the stored
// object, as it is read, with the strictness of the request's options. If ok is false, the request ends with r;
// otherwise the caller completes r.
func (v *Version) patchText(
	ctx context.Context, contentType string, body []byte, stored map[string]any, textOf func(old map[string]any) ([]byte, error),
) (text []byte, findings []string, r Result, ok bool) {
	r = v.result()
	refuse := func(refused *field.Status) ([]byte, []string, Result, bool) {
		return nil, nil, r.refuse(refused), false
	}
	if stored == nil && v.options.Name == "" {
		return refuse(v.notFound(nil))
	}
	p, refused := patch.Accept(contentType, body)
	if refused != nil {
		return refuse(refused)
	}
	if errs := v.options.invalid(); len(errs) > 0 {
		r.Errors, r.about = errs, refusal.AboutOptions(patchOptions)
		return nil, nil, r, false
	}
	if refused := p.Check(); refused != nil {
		return refuse(refused)
	}
	if stored == nil {
		return refuse(v.notFound(nil))
	}
	old := v.readOld(ctx, &r, stored)
	if r.Failure != nil {
		return nil, nil, r, false
	}
	text, err := textOf(old)
	if err != nil {
		return refuse(refusalOf(err))
	}
	if refused = canceled(ctx); refused != nil {
		return refuse(refused)
	}
	if v.options.FieldValidation == FieldValidationIgnore {
		text, refused = p.Apply(text)
	} else {
		text, findings, refused = p.ApplyStrict(text)
	}
	if refused == nil {
		refused = canceled(ctx)
	}
	if refused != nil {
		return refuse(refused)
	}
	return text, findings, r, true
}

// undecodable returns the error for a patched text (PAT-005).
func undecodable(text []byte, err error) field.List {
	return field.List{field.Invalid(field.NewPath("patch"), string(text), err.Error())}
}

// patched decodes the text of a patched object. findings are those of the patch itself.
//
// Clauses: PAT-005.
func (v *Version) patched(ctx context.Context, text []byte, findings []string) (obj map[string]any, warnings []string, err error) {
	p, err := v.parse(text, findings)
	if err != nil {
		return nil, nil, err
	}
	if !hasKind(p.obj) {
		return nil, nil, missingKind(text)
	}
	if k := v.native(); k != nil && k.DecodeError != nil {
		if err := k.DecodeError(text); err != nil {
			return nil, nil, err
		}
	}
	obj, _, found, err := v.normalized(ctx, p.obj, p.findings)
	if err != nil {
		return nil, nil, err
	}
	warnings, err = v.fieldWarnings(&found)
	return obj, warnings, err
}

// PatchScale is [Version.Patch] for the scale subresource. The patch is applied to the Scale of old, and the result
// updates old as in [Version.UpdateScale].
func (v *Version) PatchScale(ctx context.Context, contentType string, patch []byte, old map[string]any) Result {
	r, ok := v.begin(ctx)
	if !ok {
		return r
	}
	if v.scale == nil {
		return r.refuse(v.notFound(old))
	}
	text, findings, r, ok := v.patchText(ctx, contentType, patch, old, v.scaleText)
	if !ok {
		return r
	}
	s, err := readScale(text)
	found := v.texts(append(findings, s.findings...))
	warnings, strict := v.fieldWarnings(&found)
	if err = cmp.Or(err, strict); err != nil {
		r.Errors = undecodable(text, err)
		return r
	}
	r.Warnings = append(r.Warnings, warnings...)
	return v.replaceScale(ctx, r, s, old, false)
}
