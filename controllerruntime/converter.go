package controllerruntime

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	hubs "sigs.k8s.io/controller-runtime/pkg/conversion"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/unstructured"
)

// Converter returns a converter that uses the types in a scheme, as controller-runtime's conversion webhook does: one
// version of a kind is a Hub, and the others are Convertible from and to it. Objects are decoded into these types, so
// fields that a type does not have are lost.
//
//	reg, err = reg.WithConverter("widgets.example.com", controllerruntime.Converter(scheme))
//	crdtest.New(reg).RoundTrips(t, "Widget")
//
// It is safe for concurrent use.
func Converter(scheme *runtime.Scheme) conversion.Converter {
	return conversion.ConverterFunc(func(_ context.Context, objects []map[string]any, apiVersion string) ([]map[string]any, error) {
		to, err := schema.ParseGroupVersion(apiVersion)
		if err != nil {
			return nil, err
		}
		out := make([]map[string]any, len(objects))
		for i, obj := range objects {
			if out[i], err = convert(scheme, obj, to); err != nil {
				return nil, err
			}
		}
		return out, nil
	})
}

func convert(scheme *runtime.Scheme, obj map[string]any, to schema.GroupVersion) (map[string]any, error) {
	apiVersion, _ := obj["apiVersion"].(string)
	kind, _ := obj["kind"].(string)
	from := schema.FromAPIVersionAndKind(apiVersion, kind)
	in, err := scheme.New(from)
	if err != nil {
		return nil, err
	}
	converted, err := scheme.New(to.WithKind(kind))
	if err != nil {
		return nil, err
	}
	if err := unstructured.ToStruct(obj, in); err != nil {
		return nil, err
	}
	if err := convertTyped(scheme, in, converted, from.GroupKind()); err != nil {
		return nil, err
	}
	out, err := unstructured.FromStruct(converted)
	if err != nil {
		return nil, err
	}
	out["apiVersion"], out["kind"] = to.String(), kind
	return out, nil
}

// convertTyped converts in to out, through the hub if neither is one.
func convertTyped(scheme *runtime.Scheme, in, out runtime.Object, kind schema.GroupKind) error {
	from, fromSpoke := in.(hubs.Convertible)
	to, toSpoke := out.(hubs.Convertible)
	inHub, fromHub := in.(hubs.Hub)
	outHub, toHub := out.(hubs.Hub)
	switch {
	case fromHub && toSpoke:
		return to.ConvertFrom(inHub)
	case fromSpoke && toHub:
		return from.ConvertTo(outHub)
	case !fromSpoke || !toSpoke:
		return fmt.Errorf("%T cannot be converted to %T: one version of %s must be a Hub, and the others Convertible", in, out, kind)
	}
	for _, version := range scheme.VersionsForGroupKind(kind) {
		middle, err := scheme.New(version.WithKind(kind.Kind))
		if err != nil {
			return err
		}
		if hub, ok := middle.(hubs.Hub); ok {
			if err := from.ConvertTo(hub); err != nil {
				return err
			}
			return to.ConvertFrom(hub)
		}
	}
	return fmt.Errorf("no version of %s in the scheme is a Hub", kind)
}
