package conversion_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/crd"
)

// exampleDefinition has the versions v1 and v2, and a conversion webhook.
func exampleDefinition() *conversion.Definition {
	d, err := conversion.Compile(&crd.CustomResourceDefinition{Spec: crd.Spec{
		Group:      "example.com",
		Versions:   []crd.Version{{Name: "v1"}, {Name: "v2"}},
		Conversion: &crd.Conversion{Strategy: crd.ConversionWebhook, ConversionReviewVersions: []string{"v1"}},
	}})
	if err != nil {
		panic(err)
	}
	return d
}

func widget() map[string]any {
	return map[string]any{
		"apiVersion": "example.com/v1", "kind": "Widget",
		"metadata": map[string]any{"name": "w"},
		"spec":     map[string]any{"size": int64(3)},
	}
}

func printJSON(v any) {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(text))
}

func ExampleNone() {
	printJSON(conversion.None(widget(), "example.com/v2"))
	// Output:
	// {"apiVersion":"example.com/v2","kind":"Widget","metadata":{"name":"w"},"spec":{"size":3}}
}

func ExampleDefinition_Convert() {
	rename := conversion.ConverterFunc(func(_ context.Context, objects []map[string]any, apiVersion string) ([]map[string]any, error) {
		for _, obj := range objects {
			obj["apiVersion"] = apiVersion
			spec := obj["spec"].(map[string]any)
			spec["width"] = spec["size"]
			delete(spec, "size")
			obj["metadata"] = map[string]any{"name": "w", "finalizers": []any{"example.com/no-effect"}}
		}
		return objects, nil
	})
	v2, err := exampleDefinition().Convert(context.Background(), rename, widget(), "example.com/v2")
	fmt.Println(err == nil)
	printJSON(v2)

	lazy := conversion.ConverterFunc(func(_ context.Context, objects []map[string]any, _ string) ([]map[string]any, error) {
		return objects, nil
	})
	_, err = exampleDefinition().Convert(context.Background(), lazy, widget(), "example.com/v2")
	fmt.Println(err)
	// Output:
	// true
	// {"apiVersion":"example.com/v2","kind":"Widget","metadata":{"name":"w"},"spec":{"width":3}}
	// conversion webhook for example.com/v1, Kind=Widget returned invalid object at index 0: invalid groupVersion (expected example.com/v2, received example.com/v1)
}

func ExampleDefinition_ConvertList() {
	done := widget()
	done["apiVersion"] = "example.com/v2"
	list := map[string]any{"apiVersion": "example.com/v1", "kind": "WidgetList", "items": []any{widget(), done}}
	count := conversion.ConverterFunc(func(_ context.Context, objects []map[string]any, _ string) ([]map[string]any, error) {
		return nil, fmt.Errorf("asked for %d", len(objects))
	})
	_, err := exampleDefinition().ConvertList(context.Background(), count, list, "example.com/v2")
	fmt.Println(err)
	// Output:
	// conversion webhook for example.com/v1, Kind=WidgetList failed: asked for 1
}

func ExampleDefinition_Webhook() {
	d := exampleDefinition()
	uid := func() string { return "6b4ff5f2" } // in a real program: a random UUID
	post := func(_ context.Context, review []byte) ([]byte, error) {
		fmt.Println(string(review)) // the body of the request
		return []byte(`{"kind": "ConversionReview", "apiVersion": "apiextensions.k8s.io/v1", "response": {
		  "uid": "6b4ff5f2", "result": {"status": "Success"},
		  "convertedObjects": [{"apiVersion": "example.com/v2", "kind": "Widget", "metadata": {"name": "w"}, "spec": {"width": 3}}]}}`), nil
	}
	v2, err := d.Convert(context.Background(), d.Webhook(uid, post), widget(), "example.com/v2")
	fmt.Println(err == nil)
	printJSON(v2)

	down := func(context.Context, []byte) ([]byte, error) { return nil, errors.New("connection refused") }
	_, err = d.Convert(context.Background(), d.Webhook(uid, down), widget(), "example.com/v2")
	fmt.Println(err)
	// Output:
	// {"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"6b4ff5f2","desiredAPIVersion":"example.com/v2","objects":[{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"size":3}}]},"response":{"uid":"","convertedObjects":null,"result":{"metadata":{}}}}
	// true
	// {"apiVersion":"example.com/v2","kind":"Widget","metadata":{"name":"w"},"spec":{"width":3}}
	// conversion webhook for example.com/v1, Kind=Widget failed: connection refused
}

func ExampleRespond() {
	body := `{"kind": "ConversionReview", "apiVersion": "apiextensions.k8s.io/v1", "request": {"uid": "6b4ff5f2",
	  "desiredAPIVersion": "example.com/v2", "objects": [{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"}}]}}`
	none := conversion.ConverterFunc(func(_ context.Context, objects []map[string]any, apiVersion string) ([]map[string]any, error) {
		for i := range objects {
			objects[i] = conversion.None(objects[i], apiVersion)
		}
		return objects, nil
	})
	response, err := conversion.Respond(context.Background(), []byte(body), none)
	fmt.Println(string(response), err)
	// Output:
	// {"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"uid":"6b4ff5f2","convertedObjects":[{"apiVersion":"example.com/v2","kind":"Widget","metadata":{"name":"w"}}],"result":{"metadata":{},"status":"Success"}}} <nil>
}
