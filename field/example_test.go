package field_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/crdkit/crdkit/field"
)

func ExampleError() {
	at := field.NewPath("spec").Child("ports").Index(2).Child("protocol")
	e := field.NotSupported(at, "ICMP", "TCP", "UDP")
	fmt.Println(e)
	fmt.Println(e.Type, e.Field)
	fmt.Println(e.ErrorBody())
	fmt.Println(e.Pointer())
	// Output:
	// spec.ports[2].protocol: Unsupported value: "ICMP": supported values: "TCP", "UDP"
	// FieldValueNotSupported spec.ports[2].protocol
	// Unsupported value: "ICMP": supported values: "TCP", "UDP"
	// /spec/ports/2/protocol
}

func ExampleError_Is() {
	errs := field.List{field.Required(field.NewPath("spec", "replicas"), "")}
	err := fmt.Errorf("create: %w", errs.Err())
	fmt.Println(errors.Is(err, &field.Error{Type: field.ErrorTypeRequired}))
	fmt.Println(errors.Is(err, &field.Error{Field: "spec.image"}))
	// Output:
	// true
	// false
}

func ExampleList_Err() {
	check := func(name string) field.List {
		if name == "" {
			return field.List{field.Required(field.NewPath("metadata", "name"), "name or generateName is required")}
		}
		return nil
	}
	fmt.Println(check("a").Err())
	fmt.Println(check("").Err())
	// Output:
	// <nil>
	// metadata.name: Required value: name or generateName is required
}

func ExampleErrorList() {
	err := fmt.Errorf("create: %w", field.List{
		field.TooMany(field.NewPath("spec", "hosts"), 9, 8),
		field.TooLong(field.NewPath("spec", "name"), 63),
	}.Err())
	for _, e := range field.ErrorList(err) {
		fmt.Println(e)
	}
	// Output:
	// spec.hosts: Too many: 9: must have at most 8 items
	// spec.name: Too long: may not be more than 63 bytes
}

func ExampleList_Status() {
	errs := field.List{field.Forbidden(field.NewPath("spec", "host"), "is immutable")}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(errs.Status("example.com", "Route", "r")); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {
	//   "kind": "Status",
	//   "apiVersion": "v1",
	//   "metadata": {},
	//   "status": "Failure",
	//   "message": "Route.example.com \"r\" is invalid: spec.host: Forbidden: is immutable",
	//   "reason": "Invalid",
	//   "details": {
	//     "name": "r",
	//     "group": "example.com",
	//     "kind": "Route",
	//     "causes": [
	//       {
	//         "reason": "FieldValueForbidden",
	//         "message": "Forbidden: is immutable",
	//         "field": "spec.host"
	//       }
	//     ]
	//   },
	//   "code": 422
	// }
}

func ExamplePath() {
	p := field.NewPath("spec", "template")
	fmt.Println(p.Child("labels").Key("app.kubernetes.io/name"))
	fmt.Println(p.Child("containers").Index(0).Child("image"))
	// Output:
	// spec.template.labels[app.kubernetes.io/name]
	// spec.template.containers[0].image
}
