package resource

import (
	"context"
	"errors"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/refusal"
)

// admitCreate calls the request's [RequestOptions.Admit] with the decoded object of a create, and replaces the object
// with what Admit returns. p is the precheck of the object, and becomes the precheck of the new one.
func (v *Version) admitCreate(ctx context.Context, in *decoded, p *precheck) {
	if v.options.Admit == nil || in.refusal != nil || len(in.errs) > 0 || v.otherVersion(in.obj) != nil {
		return
	}
	sent := metadata(in.obj)
	namespace, refused := v.namespace(textOf(sent, "namespace"))
	if refused != nil {
		return // create reports it
	}
	meta := objectmeta.Wipe(sent)
	if textOf(meta, "namespace") != namespace {
		meta = withValue(meta, "namespace", namespace)
	}
	obj := in.obj
	if !sameMap(meta, sent) {
		obj = with(obj, "metadata", meta)
	}
	admitted, err := v.options.Admit(ctx, obj, nil)
	if err != nil {
		in.refusal = refusalOf(err)
		return
	}
	*p = precheck{}
	next := v.receive(ctx, admitted, p)
	next.sent, next.body, next.warnings = in.sent, in.body, in.warnings
	*in = next
}

// admitUpdate calls the request's [RequestOptions.Admit] with the changed object and the stored one, and puts what
// Admit returns into the change. It reports false if it has set a refusal in r.
func (v *Version) admitUpdate(ctx context.Context, r *Result, c *change, meta, old map[string]any) bool {
	obj := c.obj
	if !sameMap(meta, metadata(obj)) {
		obj = with(obj, "metadata", meta)
	}
	admitted, err := v.options.Admit(ctx, obj, old)
	if err != nil {
		r.Failure = refusalOf(err)
		return false
	}
	if c.check.normal && sameMap(admitted, c.obj) {
		c.managed = true
		return true // its precheck is still valid
	}
	in := v.decodeObject(ctx, admitted)
	if r.Errors, r.Failure = in.errs, in.refusal; r.Failure != nil || len(r.Errors) > 0 {
		return false
	}
	if n, found, err := v.admittedReplicas(c, admitted); err != nil {
		r.Failure = refusal.Plain(err.Error())
		return false
	} else if found {
		if in.obj, err = setMember(in.obj, v.scale.specReplicas.keys, 0, n); err != nil {
			r.Failure = refusal.Plain(err.Error())
			return false
		}
	}
	c.obj, c.managed = in.obj, true
	v.precheckChange(c, old)
	return true
}

// admittedReplicas returns the replicas that a request to the scale subresource sets. A server validates them even if the
// schema prunes them.
func (v *Version) admittedReplicas(c *change, admitted map[string]any) (n int64, found bool, err error) {
	if !c.scale {
		return 0, false, nil
	}
	return findMember[int64](admitted, v.scale.specReplicas.keys)
}

// refusalOf returns the refusal in err, or an internal error if there is none.
func refusalOf(err error) *field.Status {
	var s *field.Status
	if errors.As(err, &s) {
		return s
	}
	return refusal.Internal(err)
}
