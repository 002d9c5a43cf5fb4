package controllerruntime

import (
	"context"
	"encoding/json"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	kunstructured "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/registry"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

// Interceptor returns functions for controller-runtime's fake client. If reg has a definition of an object, creates,
// updates and patches of it and of its status are answered as a server answers them: pruned, defaulted, validated with
// ratcheting, and with a generation. A refusal has the error of a server (an [apierrors.StatusError]). The fake client
// stores the result. It handles everything else without changes: server-side apply, deletion, lists, watches, and
// objects of other kinds.
//
// The functions are safe for concurrent use, as reg is.
func Interceptor(reg *registry.Registry) interceptor.Funcs {
	i := intercepted{reg}
	return interceptor.Funcs{
		Create: i.create, Update: i.update, Patch: i.patch, SubResourceUpdate: i.updateStatus, SubResourcePatch: i.patchStatus,
	}
}

type intercepted struct{ reg *registry.Registry }

// A typed is an object with the version that answers requests for it.
type typed struct {
	client.Object
	version *resource.Version
	value   map[string]any
}

// typed returns an object with its version, or nil if there is no definition of it.
func (i intercepted) typed(c client.Client, obj client.Object) (*typed, error) {
	gvk, err := apiutil.GVKForObject(obj, c.Scheme())
	if err != nil {
		return nil, err
	}
	v, err := i.reg.Version(gvk.GroupVersion().String(), gvk.Kind)
	if err != nil || v == nil {
		return nil, nil // the fake client handles it
	}
	value, err := unstructured.FromStruct(obj)
	if err != nil {
		return nil, err
	}
	value["apiVersion"], value["kind"] = gvk.GroupVersion().String(), gvk.Kind
	v = v.With(resource.RequestOptions{Namespace: obj.GetNamespace(), FieldValidation: resource.FieldValidationIgnore})
	return &typed{obj, v, value}, nil
}

// take copies a result into the object.
func (t *typed) take(r resource.Result) error {
	if s := r.Status(); s != nil {
		return statusError(s)
	}
	return unstructured.ReplaceStruct(r.Object, t.Object)
}

// changed updates obj as a server does, given the object that the fake client has. It reports false if there is no
// definition of obj.
func (i intercepted) changed(ctx context.Context, c client.Client, obj client.Object,
	change func(v *resource.Version, ctx context.Context, obj, old map[string]any) resource.Result,
) (defined bool, err error) {
	t, err := i.typed(c, obj)
	if t == nil || err != nil {
		return false, err
	}
	stored := &kunstructured.Unstructured{}
	stored.SetAPIVersion(t.value["apiVersion"].(string))
	stored.SetKind(t.value["kind"].(string))
	if err := c.Get(ctx, client.ObjectKeyFromObject(obj), stored); err != nil {
		return true, err
	}
	old, err := unstructured.FromStruct(stored)
	if err != nil {
		return true, err
	}
	return true, t.take(change(t.version, ctx, t.value, old))
}

// statusError returns a refusal as the error type of client libraries.
func statusError(s *field.Status) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	out := new(apierrors.StatusError)
	if err := json.Unmarshal(text, &out.ErrStatus); err != nil {
		return err
	}
	return out
}

func (i intercepted) create(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.CreateOption) error {
	t, err := i.typed(c, obj)
	if err != nil {
		return err
	}
	if t != nil {
		if err := t.take(t.version.Create(ctx, t.value)); err != nil {
			return err
		}
	}
	return c.Create(ctx, obj, opts...)
}

func (i intercepted) update(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.UpdateOption) error {
	if _, err := i.changed(ctx, c, obj, (*resource.Version).Update); err != nil {
		return err
	}
	return c.Update(ctx, obj, opts...)
}

func (i intercepted) updateStatus(ctx context.Context, c client.Client, sub string, obj client.Object, opts ...client.SubResourceUpdateOption) error {
	o := (&client.SubResourceUpdateOptions{}).ApplyOptions(opts)
	if sub == "status" && o.SubResourceBody == nil {
		if _, err := i.changed(ctx, c, obj, (*resource.Version).UpdateStatus); err != nil {
			return err
		}
	}
	return c.SubResource(sub).Update(ctx, obj, opts...)
}

// patched applies a patch to the object that the fake client has, and copies the result into obj. It reports false if
// there is no definition of obj, or for an apply.
func (i intercepted) patched(ctx context.Context, c client.Client, obj client.Object, p client.Patch,
	patch func(v *resource.Version, ctx context.Context, contentType string, patch []byte, old map[string]any) resource.Result,
) (bool, error) {
	if p.Type() == types.ApplyPatchType {
		return false, nil
	}
	data, err := p.Data(obj)
	if err != nil {
		return false, err
	}
	return i.changed(ctx, c, obj, func(v *resource.Version, ctx context.Context, _, old map[string]any) resource.Result {
		return patch(v, ctx, string(p.Type()), data, old)
	})
}

func (i intercepted) patch(ctx context.Context, c client.WithWatch, obj client.Object, p client.Patch, opts ...client.PatchOption) error {
	patched, err := i.patched(ctx, c, obj, p, (*resource.Version).Patch)
	switch o := (&client.PatchOptions{}).ApplyOptions(opts); {
	case err != nil:
		return err
	case patched:
		return c.Update(ctx, obj, &client.UpdateOptions{DryRun: o.DryRun, FieldManager: o.FieldManager})
	}
	return c.Patch(ctx, obj, p, opts...)
}

func (i intercepted) patchStatus(ctx context.Context, c client.Client, sub string, obj client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
	o := (&client.SubResourcePatchOptions{}).ApplyOptions(opts)
	if sub == "status" && o.SubResourceBody == nil {
		patched, err := i.patched(ctx, c, obj, p, (*resource.Version).PatchStatus)
		switch {
		case err != nil:
			return err
		case patched:
			update := client.UpdateOptions{DryRun: o.DryRun, FieldManager: o.FieldManager}
			return c.SubResource(sub).Update(ctx, obj, &client.SubResourceUpdateOptions{UpdateOptions: update})
		}
	}
	return c.SubResource(sub).Patch(ctx, obj, p, opts...)
}
