package apply_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"strings"
	"time"

	"github.com/crdkit/crdkit/apply"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/resource"
)

// webs returns the version of Webs for requests to the one named shop.
func webs() *apply.Version {
	d, err := crd.Parse([]byte(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: webs.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: webs, kind: Web}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              replicas: {type: integer}
              containers:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items: {type: object, required: [name], properties: {name: {type: string}, image: {type: string}}}
`))
	if err != nil {
		log.Fatal(err)
	}
	r, err := resource.Compile(d)
	if err != nil {
		log.Fatal(err)
	}
	a, err := apply.Compile(r)
	if err != nil {
		log.Fatal(err)
	}
	return a.Version("v1").With(resource.RequestOptions{Namespace: "default", Name: "shop"})
}

// at returns the options of a request by manager at an hour of a fixed day.
func at(manager string, hour int) apply.Options {
	return apply.Options{Manager: manager, Now: time.Date(2026, 1, 2, hour, 0, 0, 0, time.UTC)}
}

// shop returns a Web that deploy applied in the morning, and that an autoscaler has changed since.
func shop(v *apply.Version) map[string]any {
	ctx := context.Background()
	made := v.Apply(ctx, []byte(`
apiVersion: example.com/v1
kind: Web
metadata: {name: shop}
spec:
  replicas: 2
  containers: [{name: web, image: "web:1"}]
`), nil, at("deploy", 9))
	if err := made.Err(); err != nil {
		log.Fatal(err)
	}
	scaled := v.Patch(ctx, "application/merge-patch+json", []byte(`{"spec":{"replicas":5}}`), made.Object, at("autoscaler", 12))
	if err := scaled.Err(); err != nil {
		log.Fatal(err)
	}
	return scaled.Object
}

// An apply that would change what another manager owns is refused. Conflicts has what a person wants to know about it.
func ExampleVersion_Conflicts() {
	ctx, v := context.Background(), webs()
	live := shop(v)
	body := []byte(`
apiVersion: example.com/v1
kind: Web
metadata: {name: shop}
spec:
  replicas: 2
  containers: [{name: web, image: "web:2"}]
`)
	options := at("deploy", 15)
	fmt.Println(v.Apply(ctx, body, live, options).Err())

	conflicts, err := v.Conflicts(ctx, body, live, options)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range conflicts {
		fmt.Printf("%s: %s wants %v, and %s has set it to %v (%s of %s, %s)\n",
			c.Path, options.Manager, c.Applied, c.Owner.Manager, c.Live, c.Owner.Operation, c.Owner.APIVersion, c.Owner.Since.Format(time.TimeOnly))
	}

	options.Force = true
	forced := v.Apply(ctx, body, live, options)
	fmt.Println(forced.Object["spec"])
	// Output:
	// Apply failed with 1 conflict: conflict with "autoscaler" using example.com/v1: .spec.replicas
	// spec.replicas: deploy wants 2, and autoscaler has set it to 5 (Update of example.com/v1, 12:00:00)
	// map[containers:[map[image:web:2 name:web]] replicas:2]
}

// A controller that does not remember what it applied extracts it from the object, changes it, and applies it again. It
// loses nothing, and takes nothing from others.
func ExampleVersion_Extract() {
	ctx, v := context.Background(), webs()
	live := shop(v)
	mine, err := v.Extract(ctx, live, "deploy")
	if err != nil {
		log.Fatal(err)
	}
	show := func(obj map[string]any) {
		text, err := json.Marshal(obj)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(string(text))
	}
	show(mine)

	container := mine["spec"].(map[string]any)["containers"].([]any)[0].(map[string]any)
	container["image"] = "web:2"
	body, err := json.Marshal(mine)
	if err != nil {
		log.Fatal(err)
	}
	r := v.Apply(ctx, body, live, at("deploy", 15))
	if err := r.Err(); err != nil {
		log.Fatal(err)
	}
	show(r.Object["spec"].(map[string]any))
	// Output:
	// {"apiVersion":"example.com/v1","kind":"Web","metadata":{"name":"shop","namespace":"default"},"spec":{"containers":[{"image":"web:1","name":"web"}]}}
	// {"containers":[{"image":"web:2","name":"web"}],"replicas":5}
}

func ExampleOwners() {
	live := shop(webs())
	for _, path := range []string{"spec.replicas", `spec.containers[name="web"].image`, "metadata.name"} {
		owners, err := apply.Owners(live, path)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(path, owners)
	}
	// Output:
	// spec.replicas [{autoscaler Update  example.com/v1 2026-01-02 12:00:00 +0000 UTC}]
	// spec.containers[name="web"].image [{deploy Apply  example.com/v1 2026-01-02 09:00:00 +0000 UTC}]
	// metadata.name []
}

func ExampleFields() {
	fields, err := apply.Fields(shop(webs()), "deploy")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Join(fields, "\n"))
	// Output:
	// spec.containers[name="web"].image
	// spec.containers[name="web"].name
}

// An operator applies what it wants, and gets what became of it.
func ExampleVersion_Apply() {
	ctx, v := context.Background(), webs()
	apply := func(live map[string]any, body string) map[string]any {
		r := v.Apply(ctx, []byte(body), live, at("operator", 9))
		if err := r.Err(); err != nil {
			log.Fatal(err)
		}
		fmt.Println(r.Object["spec"])
		return r.Object
	}
	live := apply(nil, `{apiVersion: example.com/v1, kind: Web, metadata: {name: shop}, spec: {replicas: 2, containers: [{name: web}]}}`)
	// The container is not in this text; the operator alone owns it, so it is removed.
	apply(live, `{apiVersion: example.com/v1, kind: Web, metadata: {name: shop}, spec: {replicas: 3}}`)
	// Output:
	// map[containers:[map[name:web]] replicas:2]
	// map[replicas:3]
}
