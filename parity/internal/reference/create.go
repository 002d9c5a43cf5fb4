package reference

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	k8serrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured/unstructuredscheme"
	"k8s.io/apimachinery/pkg/runtime"
	k8sschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
)

// A Resource is one version of a custom resource, with what a server has computed before it handles requests.
type Resource struct {
	Schema     *Schema
	Kind       k8sschema.GroupVersionKind
	Namespaced bool
	Status     bool // there is a status subresource
}

// NewResource prepares a version of a definition for requests.
func NewResource(d *v1.CustomResourceDefinition, version string) (*Resource, error) {
	i := slices.IndexFunc(d.Spec.Versions, func(v v1.CustomResourceDefinitionVersion) bool { return v.Name == version })
	if i < 0 || d.Spec.Versions[i].Schema == nil || !d.Spec.Versions[i].Storage {
		return nil, errors.New("no such version, or one without a schema, or not the one that is stored")
	}
	if d.Spec.Scope != v1.NamespaceScoped && d.Spec.Scope != v1.ClusterScoped {
		return nil, errors.New("no scope")
	}
	v := d.Spec.Versions[i]
	document, err := json.Marshal(v.Schema.OpenAPIV3Schema)
	if err != nil {
		return nil, err
	}
	s, err := Compile(document)
	if err != nil {
		return nil, err
	}
	if errs := structural.ValidateStructural(nil, s.Structural); len(errs) > 0 {
		return nil, errs.ToAggregate()
	}
	if err := defaulting.PruneDefaults(s.Structural); err != nil {
		return nil, err
	}
	return &Resource{
		Schema: s, Kind: k8sschema.GroupVersionKind{Group: d.Spec.Group, Version: version, Kind: d.Spec.Names.Kind},
		Namespaced: d.Spec.Scope == v1.NamespaceScoped, Status: v.Subresources != nil && v.Subresources.Status != nil,
	}, nil
}

// A Result is the answer to a request. If it is refused, either Decode or Status is set.
type Result struct {
	Object  map[string]any
	Unknown []string               // paths of fields that were dropped, in order
	Decode  error                  // the body cannot be decoded
	Status  *k8serrors.StatusError // any other refusal

	generated bool // the object had no name, and got one
}

// Create answers a request to create obj in a namespace. The object's kind and apiVersion are strings, and the latter
// is the resource's.
func (r *Resource) Create(ctx context.Context, namespace string, obj map[string]any) Result {
	obj, _ = Copy(obj).(map[string]any)
	u := unstructured.Unstructured{Object: obj}
	out := r.Receive(ctx, namespace, obj)
	if out.Decode != nil || out.Status != nil {
		return out
	}
	if out.generated {
		u.SetName("")
	}
	out.Object, out.Decode = r.reread(obj)
	return out
}

// Receive is Create without the steps after validation. It modifies obj.
func (r *Resource) Receive(ctx context.Context, namespace string, obj map[string]any) (out Result) {
	if out.Unknown, out.Decode = r.coerce(obj, false); out.Decode != nil {
		return out
	}
	if r.mine(obj) {
		defaulting.Default(obj, r.Schema.Structural)
	}
	out.Object = obj

	u := &unstructured.Unstructured{Object: obj}
	rest.WipeObjectMetaSystemFields(u) // this module leaves it to its callers to set them again
	s := strategy{r, unstructuredscheme.NewUnstructuredObjectTyper()}
	if out.generated = u.GetName() == "" && u.GetGenerateName() != ""; out.generated {
		u.SetName(s.GenerateName(u.GetGenerateName()))
	}
	err := rest.EnsureObjectNamespaceMatchesRequestNamespace(rest.ExpectedNamespaceForScope(namespace, r.Namespaced), u)
	if err == nil {
		s.PrepareForCreate(ctx, u)
		if errs := rest.ValidateCreate(ctx, u, s); len(errs) > 0 {
			err = k8serrors.NewInvalid(r.Kind.GroupKind(), u.GetName(), errs)
		}
	}
	if err != nil {
		if !errors.As(err, &out.Status) {
			out.Status = k8serrors.NewInternalError(err)
		}
	}
	return out
}

func (r *Resource) mine(obj map[string]any) bool {
	u := unstructured.Unstructured{Object: obj}
	kind := u.GroupVersionKind()
	return kind.Group == r.Kind.Group && kind.Kind == r.Kind.Kind
}

// coerce normalizes a decoded object: its metadata, unknown fields, nulls, embedded resources.
func (r *Resource) coerce(obj map[string]any, drop bool) (unknown []string, err error) {
	meta, found, unknown, err := objectmeta.GetObjectMetaWithOptions(obj, objectmeta.ObjectMetaOptions{
		DropMalformedFields: drop, ReturnUnknownFieldPaths: true,
	})
	if err != nil {
		return nil, err
	}
	if r.mine(obj) {
		unknown = append(unknown, pruning.PruneWithOptions(
			obj, r.Schema.Structural, true, structural.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})...)
		defaulting.PruneNonNullableNullsWithoutDefaults(obj, r.Schema.Structural)
		failed, more := objectmeta.CoerceWithOptions(nil, obj, r.Schema.Structural, false, objectmeta.CoerceOptions{
			DropInvalidFields: drop, ReturnUnknownFieldPaths: true,
		})
		if failed != nil {
			return nil, failed
		}
		unknown = append(unknown, more...)
	}
	if found {
		return unknown, objectmeta.SetObjectMeta(obj, meta)
	}
	return unknown, nil
}

// reread returns obj as it is read from storage.
func (r *Resource) reread(obj map[string]any) (map[string]any, error) {
	text, err := json.Marshal(obj)
	if err != nil {
		return nil, err
	}
	var read map[string]any
	if err := json.Unmarshal(text, &read); err != nil {
		return nil, err
	}
	if _, err := r.coerce(read, true); err != nil {
		return nil, err
	}
	defaulting.Default(read, r.Schema.Structural)
	_, err = r.coerce(read, false)
	return read, err
}

// A strategy has a resource's own part in the creation of objects.
type strategy struct {
	*Resource
	runtime.ObjectTyper
}

func (s strategy) NamespaceScoped() bool { return s.Namespaced }

// GenerateName is not random: any five letters will do.
func (strategy) GenerateName(base string) string { return base[:min(len(base), 58)] + "xxxxx" }

func (s strategy) PrepareForCreate(_ context.Context, obj runtime.Object) {
	u := obj.(*unstructured.Unstructured)
	if s.Status {
		delete(u.Object, "status")
	}
	u.SetGeneration(1)
}

func (s strategy) Validate(ctx context.Context, obj runtime.Object) field.ErrorList {
	u := obj.(*unstructured.Unstructured)
	var errs field.ErrorList
	if u.GetKind() != s.Kind.Kind {
		errs = append(errs, field.Invalid(field.NewPath("kind"), u.GetKind(), fmt.Sprintf("must be %v", s.Kind.Kind)))
	}
	if gv := s.Kind.GroupVersion().String(); u.GetAPIVersion() != gv {
		errs = append(errs, field.Invalid(field.NewPath("apiVersion"), u.GetAPIVersion(), "must be "+gv))
	}
	if errs == nil {
		errs = append(errs, s.metadata(ctx, u)...)
		errs = append(errs, s.Schema.Value(nil, u.Object)...)
	}
	errs = append(errs, s.Schema.Embedded(nil, u.Object)...)
	return append(errs, s.Schema.Lists(nil, u.Object)...)
}

func (s strategy) metadata(ctx context.Context, u *unstructured.Unstructured) field.ErrorList {
	meta := &metav1.ObjectMeta{}
	raw, _, err := unstructured.NestedMap(u.Object, "metadata")
	if err == nil {
		err = runtime.DefaultUnstructuredConverter.FromUnstructured(raw, meta)
	}
	if err != nil {
		return field.ErrorList{field.Invalid(field.NewPath("metadata"), raw, err.Error())}
	}
	return validation.ValidateObjectMetaDeclaratively(
		ctx, operation.Create, meta, nil, s.Namespaced, validation.NameIsDNSSubdomain, field.NewPath("metadata"), true)
}

func (strategy) WarningsOnCreate(context.Context, runtime.Object) []string { return nil }
func (strategy) Canonicalize(runtime.Object)                               {}

// Warning returns a server's warning about an unknown field.
func Warning(path string) string { return strings.Join([]string{`unknown field "`, path, `"`}, "") }
