package reference

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	k8sschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apiserver/pkg/endpoints/handlers/fieldmanager"
	"k8s.io/kube-openapi/pkg/builder3"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Managers track the fields of a definition's objects, as the handlers of custom resources do: of one version, on its main endpoint and on
// /status. Definitions have the conversion None.
type Managers struct {
	of, status *managedfields.FieldManager
	schema     *structural.Structural
	hasStatus  bool
}

// commonModels has the models of types that all definitions use.
var commonModels = func() map[string]*spec.Schema {
	config := &common.OpenAPIV3Config{
		Info:           &spec.Info{InfoProps: spec.InfoProps{Title: "common", Version: "v1"}},
		GetDefinitions: openapi.GetOpenAPIDefinitions,
	}
	models, err := builder3.BuildOpenAPIDefinitionsForResources(config, "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta")
	if err != nil {
		panic(err)
	}
	return models
}()

// NewManagers returns those of a definition's version. The definition is complete.
func NewManagers(d *v1.CustomResourceDefinition, version string) (*Managers, error) {
	info := &spec.Info{InfoProps: spec.InfoProps{Title: "all", Version: "v1"}}
	documents := []*spec3.OpenAPI{{Version: "3.0.0", Info: info, Components: &spec3.Components{Schemas: commonModels}}}
	resets := map[fieldpath.APIVersion]*fieldpath.Set{}
	statusResets := map[fieldpath.APIVersion]*fieldpath.Set{}
	gv := k8sschema.GroupVersion{Group: d.Spec.Group, Version: version}
	m := new(Managers)
	for _, v := range d.Spec.Versions {
		document, err := builder.BuildOpenAPIV3(d, v.Name, builder.Options{})
		if err != nil {
			return nil, err
		}
		documents = append(documents, document)
		name := fieldpath.APIVersion(d.Spec.Group + "/" + v.Name)
		if v.Name == version {
			var props apiextensions.JSONSchemaProps
			if err := v1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(v.Schema.OpenAPIV3Schema, &props, nil); err != nil {
				return nil, err
			}
			if m.schema, err = structural.NewStructural(&props); err != nil {
				return nil, err
			}
		}
		if v.Subresources != nil && v.Subresources.Status != nil {
			if v.Name == version {
				m.hasStatus = true
				resets[name] = fieldpath.NewSet(fieldpath.MakePathOrDie("status"))
			}
			statusResets[name] = fieldpath.NewSet(fieldpath.MakePathOrDie("metadata"), fieldpath.MakePathOrDie("spec"))
		}
	}
	merged, err := builder.MergeSpecsV3(documents...)
	if err != nil {
		return nil, err
	}
	types, err := managedfields.NewTypeConverter(merged.Components.Schemas, d.Spec.PreserveUnknownFields)
	if err != nil {
		return nil, err
	}
	manager := func(subresource string, resets map[fieldpath.APIVersion]*fieldpath.Set) (*managedfields.FieldManager, error) {
		return managedfields.NewDefaultCRDFieldManager(types, noConversion{}, noDefaults{}, creator{}, gv.WithKind(d.Spec.Names.Kind), gv, subresource,
			fieldpath.NewExcludeFilterSetMap(resets))
	}
	if m.of, err = manager("", resets); err != nil {
		return nil, err
	}
	m.status, err = manager("status", statusResets)
	return m, err
}

func (m *Managers) endpoint(status bool) *managedfields.FieldManager {
	if status {
		return m.status
	}
	return m.of
}

// Update returns obj, which replaces live and is not nil, with its managed fields. A nil live is created.
func (m *Managers) Update(obj, live map[string]any, manager string, status bool, now time.Time) map[string]any {
	old := &unstructured.Unstructured{Object: Copy(live).(map[string]any)}
	if live == nil {
		old = &unstructured.Unstructured{Object: map[string]any{"apiVersion": obj["apiVersion"], "kind": obj["kind"]}}
	}
	next := &unstructured.Unstructured{Object: Copy(obj).(map[string]any)}
	out := m.endpoint(status).UpdateNoErrors(old, next, manager)
	return m.stored(out, old, live != nil, status, now)
}

// Apply returns live with applied, with defaults. A nil live is created.
func (m *Managers) Apply(applied, live map[string]any, manager string, force, status bool, now time.Time) (map[string]any, error) {
	old := &unstructured.Unstructured{Object: map[string]any{"apiVersion": applied["apiVersion"], "kind": applied["kind"]}}
	if live != nil {
		old.Object = Copy(live).(map[string]any)
	}
	out, err := m.endpoint(status).Apply(old, &unstructured.Unstructured{Object: Copy(applied).(map[string]any)}, manager, force)
	if err != nil {
		return nil, err
	}
	defaulting.Default(out.(*unstructured.Unstructured).Object, m.schema)
	return m.stored(out, old, live != nil, status, now), nil
}

// stored returns obj as it is read back after it was stored in the place of live: pruned, without what the endpoint resets, and with the times of live where nothing else has
// changed. What a create resets is left in it.
func (m *Managers) stored(obj, live runtime.Object, exists, status bool, now time.Time) map[string]any {
	out, old := obj.(*unstructured.Unstructured), live.(*unstructured.Unstructured)
	pruning.Prune(out.Object, m.schema, true)
	if !exists {
		return stamped(out, now)
	}
	switch {
	case status:
		fields := out.GetManagedFields()
		next := old.DeepCopy()
		delete(next.Object, "status")
		if v, ok := out.Object["status"]; ok {
			next.Object["status"] = v
		}
		next.SetManagedFields(fields)
		out = next
	case m.hasStatus:
		delete(out.Object, "status")
		if v, ok := old.Object["status"]; ok {
			out.Object["status"] = v
		}
	}
	kept, err := fieldmanager.IgnoreManagedFieldsTimestampsTransformer(context.Background(), out, old)
	if err != nil {
		panic(err)
	}
	return stamped(kept, now)
}

// stamped returns obj as JSON data, with another time for the managed fields that were made or renewed just now. What has no time gets one, as
// before an object is stored.
func stamped(obj runtime.Object, now time.Time) map[string]any {
	u := obj.(*unstructured.Unstructured)
	fields := u.GetManagedFields()
	for i := range fields {
		if t := fields[i].Time; t == nil || time.Since(t.Time) < time.Hour {
			fields[i].Time = &metav1.Time{Time: now}
		}
	}
	if fields != nil {
		u.SetManagedFields(fields)
	}
	text, err := json.Marshal(u.Object)
	if err != nil {
		panic(err)
	}
	out, err := DecodeObject(text)
	if err != nil {
		panic(err)
	}
	return out
}

type noConversion struct{}

func (noConversion) Convert(_, _, _ any) error { return errors.New("not here") }

func (noConversion) ConvertToVersion(in runtime.Object, target runtime.GroupVersioner) (runtime.Object, error) {
	u, ok := in.(*unstructured.Unstructured)
	if !ok {
		return nil, errors.New("no custom object")
	}
	kind, ok := target.KindForGroupVersionKinds([]k8sschema.GroupVersionKind{u.GroupVersionKind()})
	if !ok || !strings.HasPrefix(kind.Version, "v") {
		return nil, errors.New("no kind")
	}
	out := u.DeepCopy()
	out.SetGroupVersionKind(kind)
	return out, nil
}

func (noConversion) ConvertFieldLabel(_ k8sschema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}

type noDefaults struct{}

func (noDefaults) Default(runtime.Object) {}

type creator struct{}

func (creator) New(kind k8sschema.GroupVersionKind) (runtime.Object, error) {
	out := &unstructured.Unstructured{}
	out.SetGroupVersionKind(kind)
	return out, nil
}

// ApplyQuickly is Apply of an object that exists, without copies and without a time of its own, for benchmarks: it may modify both.
func (m *Managers) ApplyQuickly(applied, live map[string]any, manager string) (map[string]any, error) {
	old := &unstructured.Unstructured{Object: live}
	out, err := m.of.Apply(old, &unstructured.Unstructured{Object: applied}, manager, false)
	if err != nil {
		return nil, err
	}
	obj := out.(*unstructured.Unstructured)
	defaulting.Default(obj.Object, m.schema)
	kept, err := fieldmanager.IgnoreManagedFieldsTimestampsTransformer(context.Background(), obj, old)
	if err != nil {
		return nil, err
	}
	return kept.(*unstructured.Unstructured).Object, nil
}

// UpdateQuickly is Update likewise.
func (m *Managers) UpdateQuickly(obj, live map[string]any, manager string) {
	old := &unstructured.Unstructured{Object: live}
	out := m.of.UpdateNoErrors(old, &unstructured.Unstructured{Object: obj}, manager)
	if _, err := fieldmanager.IgnoreManagedFieldsTimestampsTransformer(context.Background(), out, old); err != nil {
		panic(err)
	}
}
