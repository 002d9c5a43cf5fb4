package clientlibs

import (
	"context"
	"errors"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

var groupVersion = schema.GroupVersion{Group: "demo.example.com", Version: "v1"}

// A Gadget is a custom object as operators declare them.
type Gadget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              GadgetSpec `json:"spec"`
}

type GadgetSpec struct {
	Color string           `json:"color,omitempty"`
	Size  int32            `json:"size"`
	Every *metav1.Duration `json:"every,omitempty"`
}

func (g *Gadget) DeepCopyObject() runtime.Object {
	c := &Gadget{TypeMeta: g.TypeMeta, ObjectMeta: *g.ObjectMeta.DeepCopy(), Spec: g.Spec}
	if g.Spec.Every != nil {
		every := *g.Spec.Every
		c.Spec.Every = &every
	}
	return c
}

func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	scheme.AddKnownTypes(groupVersion, &Gadget{})
	metav1.AddToGroupVersion(scheme, groupVersion)
	return scheme
}

func newGadget(size int32) *Gadget {
	return &Gadget{
		TypeMeta:   metav1.TypeMeta{APIVersion: groupVersion.String(), Kind: "Gadget"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "one"},
		Spec:       GadgetSpec{Size: size},
	}
}

// definition is a Go value of the API's own types, as programs have it that install their definitions themselves.
func definition() *apiextensionsv1.CustomResourceDefinition {
	most := 10.0
	spec := apiextensionsv1.JSONSchemaProps{
		Type:     "object",
		Required: []string{"size"},
		Properties: map[string]apiextensionsv1.JSONSchemaProps{
			"color": {Type: "string", Default: &apiextensionsv1.JSON{Raw: []byte(`"red"`)}},
			"size":  {Type: "integer", Format: "int32", Maximum: &most},
			"every": {Type: "string", Format: "duration"},
		},
		XValidations: apiextensionsv1.ValidationRules{{Rule: "self.color != 'black' || self.size < 5", Message: "black gadgets are small"}},
	}
	return &apiextensionsv1.CustomResourceDefinition{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition"},
		ObjectMeta: metav1.ObjectMeta{Name: "gadgets.demo.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: groupVersion.Group,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "gadgets", Kind: "Gadget"},
			Scope: apiextensionsv1.NamespaceScoped,
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: groupVersion.Version, Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
					Type:       "object",
					Properties: map[string]apiextensionsv1.JSONSchemaProps{"spec": spec},
				}},
			}},
		},
	}
}

// gadgetWebhook has the two interfaces of controller-runtime for webhooks, by the names that they have in all its
// versions here.
type gadgetWebhook struct{}

var (
	_ admission.CustomDefaulter = gadgetWebhook{}
	_ admission.CustomValidator = gadgetWebhook{}
)

func (gadgetWebhook) Default(_ context.Context, obj runtime.Object) error {
	g, ok := obj.(*Gadget)
	if !ok {
		return errors.New("not a Gadget")
	}
	if g.Spec.Size > 7 {
		g.Spec.Color = "black"
	}
	return nil
}

func (gadgetWebhook) ValidateCreate(_ context.Context, obj runtime.Object) (admission.Warnings, error) {
	if g, ok := obj.(*Gadget); !ok || g.Spec.Size < 0 {
		return nil, errors.New("size must not be negative")
	}
	return nil, nil
}

func (w gadgetWebhook) ValidateUpdate(ctx context.Context, _, obj runtime.Object) (admission.Warnings, error) {
	return w.ValidateCreate(ctx, obj)
}

func (gadgetWebhook) ValidateDelete(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}
