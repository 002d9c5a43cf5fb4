package repo_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/registry"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

const widgets = "config/crd/bases/widgets.yaml"

// compile is called once. It reports the errors of a definition, and its result is safe for concurrent use.
func compile(definition []byte) (*resource.Resource, error) {
	d, err := crd.Parse(definition)
	if err != nil {
		return nil, err
	}
	return resource.CompileChecked(crdcheck.Compile(d))
}

// create returns the object that would be stored, or the error for which it is refused.
func create(ctx context.Context, r *resource.Resource, object []byte) (map[string]any, error) {
	obj, err := unstructured.Decode(object) // YAML or JSON, with the integers of a server
	if err != nil {
		return nil, err
	}
	v := r.Version("v1").With(resource.RequestOptions{Namespace: "default"})
	result := v.Create(ctx, obj) // v.Update(ctx, obj, old) for rules with oldSelf, and ratcheting
	return result.Object, result.Err()
}

func TestCreate(t *testing.T) {
	r, err := compile(given.File(t, widgets))
	require.NoError(t, err)
	obj, err := create(t.Context(), r, []byte(`{apiVersion: demo.example.com/v1, kind: Widget, metadata: {name: w}, spec: {name: a}}`))
	require.NoError(t, err)
	require.Equal(t, map[string]any{"name": "a", "colour": "red"}, obj["spec"])
	_, err = create(t.Context(), r, []byte(`{apiVersion: demo.example.com/v1, kind: Widget, metadata: {name: w}, spec: {name: a, size: 11}}`))
	require.EqualError(t, err, `Widget.demo.example.com "w" is invalid: spec.size: Invalid value: 11: spec.size in body should be less than or equal to 10`)
	_, err = compile([]byte("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition"))
	require.Error(t, err)
}

// validate returns the errors of an object by the definition of its kind. Keep the registry if there are more objects.
func validate(ctx context.Context, definitions, body []byte) error {
	reg, err := registry.Parse(definitions) // or registry.Load("config/crd/bases")
	if err != nil {
		return err
	}
	return reg.With(resource.RequestOptions{FieldValidation: resource.FieldValidationStrict}).CreateBody(ctx, body).Err()
}

func TestValidate(t *testing.T) {
	definition := given.File(t, widgets)
	check := func(spec string) error {
		return validate(t.Context(), definition, []byte("apiVersion: demo.example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec: "+spec))
	}
	require.NoError(t, check(`{name: a}`))
	require.ErrorContains(t, check(`{name: a, sise: 1}`), `strict decoding error: unknown field "spec.sise"`)
	require.ErrorContains(t, check(`{name: a, size: 0}`), "spec.size: Invalid value: 0")
	require.EqualError(t, validate(t.Context(), definition, []byte(`{"apiVersion":"v1","kind":"Pod"}`)), `no matches for kind "Pod" in version "v1"`)
}

// Widgets is the webhook. v1 is a version of the resource that compile returned.
type Widgets struct{ v1 *resource.Version }

// Default sets the defaults of the definition.
func (w Widgets) Default(ctx context.Context, widget *Widget) error {
	obj, err := unstructured.FromStruct(widget)
	if err != nil {
		return err
	}
	return unstructured.ReplaceStruct(defaulting.Default(w.v1.Schema(), obj), widget)
}

func (w Widgets) ValidateCreate(ctx context.Context, widget *Widget) ([]string, error) {
	obj, err := unstructured.FromStruct(widget)
	if err != nil {
		return nil, err
	}
	result := w.v1.Create(ctx, obj)
	return result.Warnings, result.Err()
}

func (w Widgets) ValidateUpdate(ctx context.Context, old, widget *Widget) ([]string, error) {
	before, err := unstructured.FromStruct(old)
	if err != nil {
		return nil, err
	}
	obj, err := unstructured.FromStruct(widget)
	if err != nil {
		return nil, err
	}
	result := w.v1.Update(ctx, obj, before) // old errors that did not change are at most warnings
	return result.Warnings, result.Err()
}

func TestWidgets(t *testing.T) {
	r, err := compile(given.File(t, widgets))
	require.NoError(t, err)
	w := Widgets{r.Version("v1")}
	widget := func(name string, size int32) *Widget {
		return &Widget{APIVersion: "demo.example.com/v1", Kind: "Widget", Metadata: Metadata{Name: "w", Namespace: "default"},
			Spec: WidgetSpec{Name: name, Size: size}}
	}
	_, err = w.ValidateCreate(t.Context(), widget("a", 11))
	require.ErrorContains(t, err, "spec.size: Invalid value: 11")
	_, err = w.ValidateUpdate(t.Context(), widget("a", 3), widget("b", 3))
	require.EqualError(t, err, `Widget.demo.example.com "w" is invalid: spec.name: Invalid value: "b": name is immutable`)
	_, err = w.ValidateUpdate(t.Context(), widget("a", 11), widget("a", 11))
	require.NoError(t, err, "ratcheting")

	changed := widget("a", 11)
	require.NoError(t, w.Default(t.Context(), changed))
	require.Equal(t, "red", changed.Spec.Colour)
}
