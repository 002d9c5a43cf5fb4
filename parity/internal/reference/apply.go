package reference

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	autoscaling "k8s.io/api/autoscaling/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/conversion"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	k8sschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/apiserver/pkg/endpoints/handlers"
	"k8s.io/apiserver/pkg/endpoints/handlers/fieldmanager"
	"k8s.io/kube-openapi/pkg/builder3"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Managers track the fields of a definition's objects, as the handlers of custom resources do: of one version, on its
// main endpoint, on /status and on /scale. Definitions have the conversion None.
type Managers struct {
	of, status, scale *managedfields.FieldManager // scale is nil without the subresource
	schema, storage   *structural.Structural      // of the version, and of the one that is stored
	hasStatus         bool
	version           k8sschema.GroupVersion
	replicas          managedfields.ResourcePathMappings // of all versions, nil where there is no scale subresource
}

var converters = func() *conversion.CRConverterFactory {
	factory, err := conversion.NewCRConverterFactory(nil, nil)
	if err != nil {
		panic(err)
	}
	return factory
}()

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

// NewManagers returns those of a definition's versions, by name. The definition is complete.
func NewManagers(d *v1.CustomResourceDefinition) (map[string]*Managers, error) {
	info := &spec.Info{InfoProps: spec.InfoProps{Title: "all", Version: "v1"}}
	documents := []*spec3.OpenAPI{{Version: "3.0.0", Info: info, Components: &spec3.Components{Schemas: commonModels}}}
	statusResets := map[fieldpath.APIVersion]*fieldpath.Set{}
	replicas := managedfields.ResourcePathMappings{}
	schemas := map[string]*structural.Structural{}
	var stored *structural.Structural
	for _, v := range d.Spec.Versions {
		if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
			return nil, errors.New("no schema")
		}
		document, err := builder.BuildOpenAPIV3(d, v.Name, builder.Options{})
		if err != nil {
			return nil, err
		}
		documents = append(documents, document)
		var props apiextensions.JSONSchemaProps
		if err := v1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(v.Schema.OpenAPIV3Schema, &props, nil); err != nil {
			return nil, err
		}
		if schemas[v.Name], err = structural.NewStructural(&props); err != nil {
			return nil, err
		}
		if v.Storage {
			stored = schemas[v.Name]
		}
		name := d.Spec.Group + "/" + v.Name
		replicas[name] = nil
		if v.Subresources != nil && v.Subresources.Scale != nil {
			for _, key := range strings.Split(strings.TrimPrefix(v.Subresources.Scale.SpecReplicasPath, "."), ".") {
				replicas[name] = append(replicas[name], fieldpath.PathElement{FieldName: &key})
			}
		}
		if v.Subresources != nil && v.Subresources.Status != nil {
			statusResets[fieldpath.APIVersion(name)] = fieldpath.NewSet(fieldpath.MakePathOrDie("metadata"), fieldpath.MakePathOrDie("spec"))
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
	safe, _, err := converters.NewConverter(d)
	if err != nil {
		return nil, err
	}
	all := map[string]*Managers{}
	for _, v := range d.Spec.Versions {
		gv := k8sschema.GroupVersion{Group: d.Spec.Group, Version: v.Name}
		manager := func(subresource string, kind k8sschema.GroupVersionKind, resets map[fieldpath.APIVersion]*fieldpath.Set) (*managedfields.FieldManager, error) {
			return managedfields.NewDefaultCRDFieldManager(types, safe, noDefaults{}, creator{}, kind, gv, subresource,
				fieldpath.NewExcludeFilterSetMap(resets))
		}
		kind := gv.WithKind(d.Spec.Names.Kind)
		m := &Managers{version: gv, replicas: replicas, schema: schemas[v.Name], storage: stored}
		resets := map[fieldpath.APIVersion]*fieldpath.Set{}
		if v.Subresources != nil && v.Subresources.Status != nil {
			m.hasStatus = true
			resets[fieldpath.APIVersion(gv.String())] = fieldpath.NewSet(fieldpath.MakePathOrDie("status"))
		}
		if m.of, err = manager("", kind, resets); err != nil {
			return nil, err
		}
		if m.status, err = manager("status", kind, statusResets); err != nil {
			return nil, err
		}
		if replicas[gv.String()] != nil {
			if m.scale, err = manager("scale", autoscaling.SchemeGroupVersion.WithKind("Scale"), nil); err != nil {
				return nil, err
			}
		}
		all[v.Name] = m
	}
	return all, nil
}

func (m *Managers) endpoint(status bool) *managedfields.FieldManager {
	if status {
		return m.status
	}
	return m.of
}

// Update returns obj, which replaces live, with its managed fields. If live is nil, it is a create. obj is not nil.
func (m *Managers) Update(obj, live map[string]any, manager string, status bool, now time.Time) map[string]any {
	old := &unstructured.Unstructured{Object: Copy(live).(map[string]any)}
	if live == nil {
		old = &unstructured.Unstructured{Object: map[string]any{"apiVersion": obj["apiVersion"], "kind": obj["kind"]}}
	}
	next := &unstructured.Unstructured{Object: Copy(obj).(map[string]any)}
	out := m.endpoint(status).UpdateNoErrors(old, next, manager)
	return m.stored(out, old, live != nil, status, now)
}

// namer finds the name of an object as the handlers of requests do.
var namer = handlers.ContextBasedNaming{Namer: meta.NewAccessor()}

// Apply returns the result of applying applied to live, with defaults. If live is nil, it is a create. An apply that
// removes the name fails, as in the handler.
func (m *Managers) Apply(applied, live map[string]any, manager string, force, status bool, now time.Time) (map[string]any, error) {
	old := &unstructured.Unstructured{Object: map[string]any{"apiVersion": applied["apiVersion"], "kind": applied["kind"]}}
	if live != nil {
		old.Object = Copy(live).(map[string]any)
	}
	out, err := m.endpoint(status).Apply(old, &unstructured.Unstructured{Object: Copy(applied).(map[string]any)}, manager, force)
	if err != nil {
		return nil, err
	}
	if _, _, err := namer.ObjectName(out); err != nil {
		return nil, fmt.Errorf("the name of the object (n based on URL) was undeterminable: %w", err)
	}
	defaulting.Default(out.(*unstructured.Unstructured).Object, m.schema)
	return m.stored(out, old, live != nil, status, now), nil
}

// Scale returns the managed fields of live, nil for none, after a request to /scale for that many replicas.
func (m *Managers) Scale(live map[string]any, replicas int64, manager string, apply, force bool, now time.Time) (any, error) {
	parent := &unstructured.Unstructured{Object: Copy(live).(map[string]any)}
	handler := managedfields.NewScaleHandler(parent.GetManagedFields(), m.version, m.replicas)
	entries, err := handler.ToSubresource()
	if err != nil {
		return nil, err
	}
	is, found, err := unstructured.NestedInt64(live, fieldNames(m.replicas[m.version.String()])...)
	switch {
	case err != nil:
		return nil, err
	case !found:
		is = math.MinInt32
	}
	old := &autoscaling.Scale{
		TypeMeta:   metav1.TypeMeta{APIVersion: "autoscaling/v1", Kind: "Scale"},
		ObjectMeta: metav1.ObjectMeta{Name: parent.GetName(), Namespace: parent.GetNamespace(), UID: parent.GetUID(), ManagedFields: entries},
		Spec:       autoscaling.ScaleSpec{Replicas: int32(is)},
	}
	var next runtime.Object
	if apply {
		next, err = m.scale.Apply(old, &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": map[string]any{"name": "n", "namespace": "ns"}, "spec": map[string]any{"replicas": replicas},
		}}, manager, force)
		if err != nil {
			return nil, err
		}
	} else {
		scale := old.DeepCopy()
		scale.ManagedFields, scale.Spec.Replicas = nil, int32(replicas)
		next = m.scale.UpdateNoErrors(old, scale, manager)
	}
	if entries, err = handler.ToParent(next.(*autoscaling.Scale).ManagedFields); err != nil {
		return nil, err
	}
	parent.SetManagedFields(entries)
	if err := unstructured.SetNestedField(parent.Object, replicas, fieldNames(m.replicas[m.version.String()])...); err != nil {
		return nil, err
	}
	kept, err := fieldmanager.IgnoreManagedFieldsTimestampsTransformer(context.Background(), parent, &unstructured.Unstructured{Object: live})
	if err != nil {
		return nil, err
	}
	meta, _ := stamped(kept, now)["metadata"].(map[string]any)
	return meta["managedFields"], nil
}

// HasScale reports whether there is a scale subresource.
func (m *Managers) HasScale() bool { return m.scale != nil }

// MergePatch returns obj with a merge patch applied, as JSON data.
func MergePatch(obj map[string]any, patch []byte) (map[string]any, error) {
	text, err := json.Marshal(obj)
	if err != nil {
		return nil, err
	}
	if text, err = jsonpatch.MergePatch(text, patch); err != nil {
		return nil, err
	}
	return DecodeObject(text)
}

func fieldNames(path fieldpath.Path) []string {
	var names []string
	for _, e := range path {
		names = append(names, *e.FieldName)
	}
	return names
}

// stored returns obj as it is read back after it replaced live in storage: pruned, without the fields that the endpoint
// resets, and with the times of live if nothing else has changed. It does not reset what a create resets.
func (m *Managers) stored(obj, live runtime.Object, exists, status bool, now time.Time) map[string]any {
	out, old := obj.(*unstructured.Unstructured), live.(*unstructured.Unstructured)
	pruning.Prune(out.Object, m.schema, true)
	if !exists {
		return m.readBack(out, now)
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
	return m.readBack(kept, now)
}

// readBack returns an object as it is read after it was stored: with the defaults of the version that is stored.
func (m *Managers) readBack(obj runtime.Object, now time.Time) map[string]any {
	out := stamped(obj, now)
	pruning.Prune(out, m.storage, true)
	defaulting.Default(out, m.storage)
	pruning.Prune(out, m.schema, true)
	return out
}

// stamped returns obj as JSON data, with now as the time of managed fields that were just added or changed. Applied
// ones without a time get it too, as in the recorded answers.
func stamped(obj runtime.Object, now time.Time) map[string]any {
	u := obj.(*unstructured.Unstructured)
	fields := u.GetManagedFields()
	for i := range fields {
		if t := fields[i].Time; t == nil && fields[i].Operation == metav1.ManagedFieldsOperationApply || t != nil && time.Since(t.Time) < time.Hour {
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

type noDefaults struct{}

func (noDefaults) Default(runtime.Object) {}

type creator struct{}

func (creator) New(kind k8sschema.GroupVersionKind) (runtime.Object, error) {
	out := &unstructured.Unstructured{}
	out.SetGroupVersionKind(kind)
	return out, nil
}

// DecodePatch decodes the body of an apply as a server does, which reads it twice if field validation only warns.
func DecodePatch(body []byte) (map[string]any, error) {
	var obj map[string]any
	if err := yaml.Unmarshal(body, &obj); err != nil {
		return nil, err
	}
	return obj, yaml.UnmarshalStrict(body, &map[string]any{})
}

// ApplyQuickly is like Apply for an existing object, without copies and without replacing times, for benchmarks. It may
// modify both objects.
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

// UpdateQuickly is to Update what ApplyQuickly is to Apply.
func (m *Managers) UpdateQuickly(obj, live map[string]any, manager string) {
	old := &unstructured.Unstructured{Object: live}
	out := m.of.UpdateNoErrors(old, &unstructured.Unstructured{Object: obj}, manager)
	if _, err := fieldmanager.IgnoreManagedFieldsTimestampsTransformer(context.Background(), out, old); err != nil {
		panic(err)
	}
}
