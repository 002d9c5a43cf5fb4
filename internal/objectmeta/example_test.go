package objectmeta_test

import (
	"fmt"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/test/given"
)

func ExampleRead() {
	sent := map[string]any{"name": "web", "labels": map[string]any{}, "creationTimestamp": "2020-01-01T01:00:00.5+01:00", "colour": "red"}
	meta, changed, err := objectmeta.Read(sent, false)
	fmt.Println(meta, changed, err, objectmeta.Unknown(sent))

	_, _, err = objectmeta.Read(map[string]any{"generation": 1.5}, false)
	fmt.Println(err)
	// Output:
	// map[creationTimestamp:2020-01-01T00:00:00Z name:web] true <nil> [colour]
	// json: cannot unmarshal number 1.5 into Go struct field ObjectMeta.generation of type int64
}

func ExampleRead_drop() {
	stored := map[string]any{"name": "web", "labels": map[string]any{"tier": 5.0, "app": "web"}}
	fmt.Println(objectmeta.Read(stored, true))
	// Output: map[name:web] true <nil>
}

func ExampleValidateCreate() {
	meta := map[string]any{"name": "web", "generation": int64(-1), "namespace": "a.b"}
	for _, e := range objectmeta.ValidateCreate(meta, field.NewPath("metadata"), true, objectmeta.Subdomain, field.Limit{}) {
		fmt.Println(e)
	}
	fmt.Println(objectmeta.ValidCreate(meta, true))
	// Output:
	// metadata.namespace: Invalid value: "a.b": must not contain dots
	// metadata.generation: Invalid value: -1: must be greater than or equal to 0
	// false
}

func ExampleValidateUpdate() {
	old := map[string]any{"name": "web", "uid": "1", "resourceVersion": "5"}
	meta := map[string]any{"name": "db", "uid": "1", "resourceVersion": "5"}
	fmt.Println(objectmeta.ValidateUpdate(meta, old, field.NewPath("metadata"), false, field.Limit{}))
	// Output: [] metadata.name: Invalid value: "db": field is immutable
}

func ExampleValidateEmbedded() {
	errs := objectmeta.ValidateEmbedded(map[string]any{"apiVersion": "a/b/c"}, field.NewPath("spec", "template"), field.Limit{})
	fmt.Println(strings.Join(given.Texts(errs), "\n"))
	// Output:
	// spec.template.kind: Required value
	// spec.template.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c
}

func ExampleServer_AppendFinalizerWarnings() {
	meta := map[string]any{"finalizers": []any{"cleanup"}}
	fmt.Println(objectmeta.Server{}.AppendFinalizerWarnings(nil, meta, nil, field.Limit{}))
	// Output: [metadata.finalizers: "cleanup": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers]
}

func ExampleDecodeType() {
	fmt.Println(objectmeta.DecodeType([]byte(`{"apiVersion":"example.com/v1","KIND":"Widget"}`)))
	_, _, err := objectmeta.DecodeType([]byte(`{"kind":5}`))
	fmt.Println(err)
	// Output:
	// example.com/v1 Widget <nil>
	// couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string
}
