package resource_test

import (
	"context"
	"fmt"
	"log"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/resource"
)

// An older server does not check the format int32, and prints the type of a value that breaks a rule.
func ExampleResource_For() {
	d, err := crd.Parse([]byte(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: queues.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {plural: queues, kind: Queue}
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
              size: {type: integer, format: int32}
              name: {type: string, x-kubernetes-validations: [{rule: self != 'all', message: is reserved}]}
`))
	if err != nil {
		log.Fatal(err)
	}
	newest, err := resource.Compile(d)
	if err != nil {
		log.Fatal(err)
	}
	for _, version := range []string{"1.33", "1.37"} {
		r, err := newest.For(version)
		if err != nil {
			log.Fatal(err)
		}
		for _, spec := range []map[string]any{{"size": int64(3_000_000_000)}, {"name": "all"}} {
			result := r.Version("v1").Create(context.Background(), map[string]any{
				"apiVersion": "example.com/v1", "kind": "Queue", "metadata": map[string]any{"name": "a"}, "spec": spec,
			})
			fmt.Println(version, result.Errors)
		}
	}
	// Output:
	// 1.33 []
	// 1.33 spec.name: Invalid value: "string": is reserved
	// 1.37 <nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.size
	// 1.37 spec.name: Invalid value: "all": is reserved
}

// What each fact changes in an answer: the errors and warnings of the last version without it, and of the first with it.
func TestFor(t *testing.T) {
	r := things(t, `subresources: {status: {}},
		selectableFields: [{jsonPath: .spec.s}], schema: {openAPIV3Schema: {type: object, properties: {
		spec: {type: object, properties: {
			s: {type: string, maxLength: 1, minLength: 1},
			num: {type: integer},
			list: {type: array, maxItems: 1, items: {type: string}},
			least: {type: array, minItems: 2, items: {type: string}},
			set: {type: array, x-kubernetes-list-type: set, items: {type: object, x-kubernetes-map-type: atomic, properties: {a: {type: string}}}},
			keys: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string}}}},
			small: {type: integer, format: int32},
			name: {type: string, format: k8s-short-name},
			rule: {type: string, x-kubernetes-validations: [{rule: self == 'a'}]},
			rules: {type: object, properties: {x: {type: string}}, x-kubernetes-validations: [{rule: self.x == 'a'}]},
			embedded: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}}},
		status: {type: object, properties: {s: {type: string}, num: {type: integer}, o: {type: object, properties: {s: {type: string}}}},
			anyOf: [{required: [s]}, {required: [o]}]}}}}`)
	long := func(s string, n int) string {
		for len(s) < n {
			s += s[:1]
		}
		return s
	}
	skipped := func(value string) string {
		return "<nil>: Invalid value: " + value + ": some validation rules were not checked because the object was invalid; " +
			"correct the existing errors to complete validation"
	}
	for _, c := range []struct {
		name           string
		before, after  string // versions
		obj            string
		old            string // for updates
		status         bool
		want, wantThen []string
	}{
		{"a length", "1.31", "1.32", `{spec: {s: abc}}`, "", false,
			[]string{"spec.s: Too long: may not be longer than 1", skipped(`"null"`)},
			[]string{"spec.s: Too long: may not be more than 1 bytes", skipped(`"null"`)}},
		{"a length of one", "1.33", "1.34", `{spec: {s: abc, list: [a, b]}}`, "", false,
			[]string{"spec.list: Too many: 2: must have at most 1 items", "spec.s: Too long: may not be more than 1 bytes", skipped(`"null"`)},
			[]string{"spec.list: Too many: 2: must have at most 1 item", "spec.s: Too long: may not be more than 1 byte", skipped("null")}},
		{"lists and objects", "1.33", "1.34", `{spec: {set: [{a: x}, {a: x}], keys: [{k: a}, {k: a}]}}`, "", false,
			[]string{`spec.keys[1]: Duplicate value: map[string]interface {}{"k":"a"}`, `spec.set[1]: Duplicate value: map[string]interface {}{"a":"x"}`},
			[]string{`spec.keys[1]: Duplicate value: {"k":"a"}`, `spec.set[1]: Duplicate value: {"a":"x"}`}},
		{"values of rules", "1.34", "1.35", `{spec: {rule: b, rules: {x: b}}}`, "", false,
			[]string{`spec.rule: Invalid value: "string": failed rule: self == 'a'`, `spec.rules: Invalid value: "object": failed rule: self.x == 'a'`},
			[]string{`spec.rule: Invalid value: "b": failed rule: self == 'a'`, `spec.rules: Invalid value: failed rule: self.x == 'a'`}},
		{"formats of names", "1.34", "1.35", `{spec: {name: A_}}`, "", false, nil,
			[]string{`spec.name: Invalid value: "A_": spec.name in body must be of type k8s-short-name: "A_"`, skipped("null")}},
		{"formats of numbers", "1.35", "1.36", `{spec: {small: 3000000000}}`, "", false, nil,
			[]string{`<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.small`}},
		{"types of numbers", "1.35", "1.36", `{spec: {small: x}}`, "", false,
			[]string{`spec.small: Invalid value: "string": spec.small in body must be of type integer: "string"`, skipped("null")},
			[]string{`spec.small: Invalid value: "string": spec.small in body must be of type integer: "string"`, skipped("null")}},
		{"numbers near integers", "1.36", "1.37", `{spec: {small: -2147483647.5}}`, "", false,
			[]string{`spec.small: Invalid value: "float64": spec.small in body must be of type int32: "float64"`,
				`<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.small`, skipped("null")},
			[]string{`<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.small`}},
		{"sizes", "1.37", "1.38", `{spec: {least: [a], s: ""}}`, "", false,
			[]string{"spec.least: Invalid value: 1: spec.least in body should have at least 2 items",
				`spec.s: Invalid value: "": spec.s in body should be at least 1 chars long`},
			[]string{"spec.least: Too few: 1: must have at least 2 items", "spec.s: Too short: must be at least 1 character"}},
		{"embedded resources", "1.33", "1.34", `{spec: {embedded: {}}}`, "", false,
			[]string{"spec.embedded.apiVersion: Required value: must not be empty", "spec.embedded.kind: Required value: must not be empty", skipped(`"null"`)},
			[]string{"spec.embedded.apiVersion: Required value", "spec.embedded.kind: Required value", skipped("null")}},
		{"paths in the status", "1.30", "1.31", `{status: {s: 5, o: x}}`, `{}`, true,
			[]string{`o: Invalid value: "string": o in body must be of type object: "string"`,
				`s: Invalid value: "integer": s in body must be of type string: "integer"`, skipped(`"null"`)},
			[]string{`status.o: Invalid value: "string": o in body must be of type object: "string"`,
				`status.s: Invalid value: "integer": s in body must be of type string: "integer"`, skipped(`"null"`)}},
		{"the status as a whole", "1.30", "1.31", `{status: {num: 1}}`, `{}`, true,
			[]string{`<nil>: Invalid value: "": "" must validate at least one schema (anyOf)`, "s: Required value", skipped(`"null"`)},
			[]string{`status: Invalid value: "": "" must validate at least one schema (anyOf)`, "status.s: Required value", skipped(`"null"`)}},
		{"ratcheting of the status", "1.32", "1.33", `{status: {s: a, num: x}}`, `{status: {s: b, num: x}, spec: {rule: b}}`, true,
			[]string{`status.num: Invalid value: "string": num in body must be of type integer: "string"`, skipped(`"null"`)},
			[]string{`warning: spec.rule: Invalid value: "string": failed rule: self == 'a'`}},
		{"rules and the status", "1.32", "1.33", `{status: {s: a}}`, `{status: {s: b}, spec: {rule: b}}`, true,
			[]string{`spec.rule: Invalid value: "string": failed rule: self == 'a'`},
			[]string{`warning: spec.rule: Invalid value: "string": failed rule: self == 'a'`}},
		{"values in warnings", "1.34", "1.35", `{spec: {rule: b, s: x}}`, `{spec: {rule: b}}`, false,
			[]string{`warning: spec.rule: Invalid value: "string": failed rule: self == 'a'`},
			[]string{`warning: spec.rule: Invalid value: "b": failed rule: self == 'a'`}},
		{"finalizers", "1.31", "1.32", `{metadata: {name: a, finalizers: [a.b]}}`, "", false,
			[]string{`warning: metadata.finalizers: "a.b": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers`},
			[]string{`warning: metadata.finalizers: "a.b": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers`}},
		{"labels", "1.34", "1.35", `{metadata: {name: a, labels: {` + long("a", 64) + `: ` + long("v", 64) + `}}}`, "", false,
			[]string{`metadata.labels: Invalid value: "` + long("a", 64) + `": name part must be no more than 63 characters`,
				`metadata.labels: Invalid value: "` + long("v", 64) + `": must be no more than 63 characters`},
			[]string{`metadata.labels: Invalid value: "` + long("a", 64) + `": name part must be no more than 63 bytes`,
				`metadata.labels: Invalid value: "` + long("v", 64) + `": must be no more than 63 bytes`}},
		{"texts of owners", "1.33", "1.34", `{metadata: {name: a, ownerReferences: [{kind: "", apiVersion: v1, name: "", uid: u}]}}`, "", false,
			[]string{`metadata.ownerReferences.kind: Invalid value: "": kind must not be empty`, `metadata.ownerReferences.name: Invalid value: "": name must not be empty`},
			[]string{`metadata.ownerReferences.kind: Invalid value: "": must not be empty`, `metadata.ownerReferences.name: Invalid value: "": must not be empty`}},
		{"an event as the owner", "1.33", "1.34", `{metadata: {name: a, ownerReferences: [{kind: Event, apiVersion: v1, name: o, uid: u, controller: true}]}}`, "", false,
			[]string{`metadata.ownerReferences: Invalid value: v1.OwnerReference{APIVersion:"v1", Kind:"Event", Name:"o", UID:"u", ` +
				`Controller:(*bool)(0xc000000000), BlockOwnerDeletion:(*bool)(nil)}: /v1, Kind=Event is disallowed from being an owner`},
			[]string{`metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"o","uid":"u","controller":true}: ` +
				`/v1, Kind=Event is disallowed from being an owner`}},
		{"paths of owners", "1.36", "1.37", `{metadata: {name: a, ownerReferences: [{kind: K, name: o, uid: u}, {kind: K, apiVersion: a/b/c, name: o, uid: v}]}}`, "", false,
			[]string{`metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty`,
				`metadata.ownerReferences.apiVersion: Invalid value: "a/b/c": version must not be empty`},
			[]string{`metadata.ownerReferences[0].apiVersion: Required value: must not be empty`,
				`metadata.ownerReferences[1].apiVersion: Invalid value: "a/b/c": must be <group>/<version> or <version>`, skipped("null")}},
		{"repeated errors", "1.36", "1.37", `{metadata: {name: a, labels: {a: -, b: -}}}`, "", false,
			[]string{labelError("-"), labelError("-")}, []string{labelError("-")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for version, want := range map[string][]string{c.before: c.want, c.after: c.wantThen} {
				of, err := r.For(version)
				require.NoError(t, err)
				v := of.Version("v1")
				var result resource.Result
				switch {
				case c.old == "":
					result = v.Create(t.Context(), thing(t, c.obj))
				case c.status:
					result = v.UpdateStatus(t.Context(), thing(t, c.obj), thing(t, c.old))
				default:
					result = v.Update(t.Context(), thing(t, c.obj), thing(t, c.old))
				}
				got := given.Texts(result.Errors)
				for _, w := range result.Warnings {
					got = append(got, "warning: "+w)
				}
				require.Equal(t, want, got, version)
			}
		})
	}
}

// labelError is the error of a label with that value.
func labelError(value string) string {
	return `metadata.labels: Invalid value: "` + value + `": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', ` +
		`and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is ` +
		`'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`
}

// BenchmarkFor measures For for a definition of a megabyte: the first time that a version is asked for, another version
// with the same formats, and the same version again.
func BenchmarkFor(b *testing.B) {
	var fields strings.Builder
	for i := range 12_000 {
		fmt.Fprintf(&fields, `, field%d: {type: integer, format: int32, description: "A number that says how many of these there are."}`, i)
	}
	document := `schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {a: {type: string}` + fields.String() + `}}}}}`
	d := definition(b, document)
	ask := func(b *testing.B, r *resource.Resource, version string) {
		if _, err := r.For(version); err != nil {
			b.Fatal(err)
		}
	}
	for _, row := range []struct{ name, before, version string }{
		{"first", "", "1.33"}, {"similar", "1.32", "1.33"}, {"again", "1.33", "1.33"},
	} {
		b.Run(row.name, func(b *testing.B) {
			for range b.N {
				b.StopTimer()
				r, err := resource.Compile(d)
				require.NoError(b, err)
				if row.before != "" {
					ask(b, r, row.before)
				}
				b.StartTimer()
				ask(b, r, row.version)
			}
		})
	}
}

// The path of an error leads to the value in every version, whatever the field says.
func TestForKeepsPaths(t *testing.T) {
	r := things(t, `subresources: {status: {}}, schema: {openAPIV3Schema: {type: object, properties: {status: {type: object, properties: {s: {type: string}}}}}}`)
	of, err := r.For("1.30")
	require.NoError(t, err)
	errs := of.Version("v1").UpdateStatus(t.Context(), thing(t, `{status: {s: 5}}`), thing(t, `{}`)).Errors
	require.Equal(t, "s", errs[0].Field)
	require.Equal(t, "/status/s", errs[0].Pointer())
	errs = of.Version("v1").Create(t.Context(), thing(t, `{metadata: {name: a, ownerReferences: [{kind: K, apiVersion: v1, name: o}]}}`)).Errors
	require.Equal(t, "metadata.ownerReferences.uid", errs[0].Field)
	require.Equal(t, "/metadata/ownerReferences/0/uid", errs[0].Pointer())
}

func TestForSharesResources(t *testing.T) {
	r := things(t, `schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {num: {type: integer, format: int32}}}}}}`,
		`schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {s: {type: string}}}}}}`)
	of := func(r *resource.Resource, version string) *resource.Resource {
		t.Helper()
		out, err := r.For(version)
		require.NoError(t, err)
		return out
	}
	require.Same(t, r, of(r, ""))
	require.Same(t, r, of(r, "1.37"))
	old := of(r, "1.33")
	require.NotSame(t, r, old)
	require.Same(t, old, of(r, "1.33"))
	require.Same(t, old, of(of(r, "1.30"), "1.33"))
	require.Same(t, r, of(old, ""))
	require.Same(t, old.Version("v1").Schema(), of(r, "1.30").Version("v1").Schema(), "servers with the same formats share a schema")
	require.NotSame(t, r.Version("v1").Schema(), old.Version("v1").Schema())
	require.Same(t, r.Version("v2").Schema(), old.Version("v2").Schema(), "nothing differs")
	require.Same(t, r.Version("v1").Schema(), of(r, "1.38").Version("v1").Schema())

	converter := conversion.ConverterFunc(func(_ context.Context, objects []map[string]any, _ string) ([]map[string]any, error) {
		return objects, nil
	})
	converted := old.WithConverter(converter)
	require.Same(t, converted, of(converted, "1.33"))
	require.Same(t, old.Version("v1").Schema(), converted.Version("v1").Schema())
	require.Same(t, converted, of(of(converted, ""), "1.33"))
}

func TestForRefusesOtherVersions(t *testing.T) {
	_, err := things(t, `schema: {openAPIV3Schema: {type: object}}`).For("1.29")
	require.EqualError(t, err, `resource: unknown version "1.29" of Kubernetes: must be a minor version from 1.30 to 1.38, without a patch release`)
}

// 1.30 drops selectableFields by default.
func TestForWithoutSelectableFields(t *testing.T) {
	r := things(t, `selectableFields: [{jsonPath: .spec.s}], schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {s: {type: string}}}}}}`)
	for version, refused := range map[string]bool{"1.30": true, "1.31": false} {
		of, err := r.For(version)
		require.NoError(t, err)
		_, err = of.Version("v1").Selector("", "spec.s=a")
		require.Equal(t, refused, err != nil, version)
	}
}

// Settled objects are those that the server would not change.
func TestForSettles(t *testing.T) {
	r := things(t, `schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {num: {type: integer, format: int32}}}}}}`)
	body := []byte(`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"},"spec":{"num":3000000000}}`)
	for version, settled := range map[string]bool{"1.35": true, "1.36": false} {
		of, err := r.For(version)
		require.NoError(t, err)
		require.Equal(t, settled, of.Version("v1").Settled(body), version)
		require.Equal(t, settled, of.Version("v1").CreateBody(t.Context(), body).Err() == nil, version)
	}
}

func TestForIsSafeForConcurrentUse(t *testing.T) {
	r := things(t, `schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {num: {type: integer, format: int32}}}}}}`)
	var group sync.WaitGroup
	for i := range 32 {
		group.Go(func() {
			of, err := r.For(fmt.Sprintf("1.%d", 30+i%9))
			if err != nil {
				t.Error(err)
				return
			}
			of.Version("v1").Create(context.Background(), map[string]any{
				"apiVersion": "example.com/v1", "kind": "Thing", "metadata": map[string]any{"name": "a"}, "spec": map[string]any{"num": int64(1 << 40)},
			})
		})
	}
	group.Wait()
}
