package hostile

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/apply"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

// applyRows are requests of package apply: what is applied, and managedFields that no server made.
var applyRows = slices.Concat(
	applyBodies("a flat object of 64 KiB", func(n int) string { return `"free":{` + applyList(n, `"NAME":NUMBER`) + `}` }),
	applyBodies("a map of 64 KiB", func(n int) string { return `"texts":{` + applyList(n, `"NAME":"x"`) + `}` }),
	applyBodies("a set of 64 KiB", func(n int) string { return `"set":[` + applyList(n, `"NAME"`) + `]` }),
	applyBodies("a list of 64 KiB with keys", func(n int) string { return `"items":[` + applyList(n, `{"name":"NAME"}`) + `]` }),
	applyRefused,
	applyFields("fields", func(n int) string { return applyEntry("m", `"f:free":{`+applyList(n, `"f:NAME":{}`)+`}`) }),
	applyFields("indexes", func(n int) string { return applyEntry("m", `"f:free":{`+applyList(n, `"i:NUMBER":{}`)+`}`) }),
	applyFields("numbers of a set", func(n int) string { return applyEntry("m", `"f:free":{`+applyList(n, `"v:NUMBER":{}`)+`}`) }),
	applyFields("keys", func(n int) string {
		return applyEntry("m", `"f:items":{`+applyList(n, `"k:{\"name\":\"NAME\"}":{".":{}}`)+`}`)
	}),
	applyFields("one field of each manager", oneOfEach),
	applyOfEachManager,
	applyFields("what is nested to the limit", func(n int) string {
		n = min(n/16, 9900)
		return applyEntry("m", `"f:free":{`+strings.Repeat(`"f:a":{},"f:b":{`, n)+strings.Repeat("}", n)+`}`)
	}),
	applyFields("texts of a set", func(n int) string { return applyEntry("m", `"f:set":{`+applyList(n, `"v:\"NAME\"":{}`)+`}`) }),
	applyFields("a key with many fields", func(n int) string {
		return applyEntry("m", `"f:items":{"k:{`+strings.ReplaceAll(applyList(n/2, `"NAME":1`), `"`, `\"`)+`}":{}}`)
	}),
)

// applyList returns n bytes of items: a text in which NAME and NUMBER stand for what differs between them, in no order.
func applyList(n int, item string) string {
	return requestList(n, func(i int) string {
		number := strconv.Itoa((i * 7919) % 1_000_003)
		return strings.NewReplacer("NAME", "k"+number, "NUMBER", number).Replace(item)
	})
}

func applyEntry(manager, fields string) string {
	return `{"manager":"` + manager + `","operation":"Update","apiVersion":"g.io/v1","time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{` + fields + `}}`
}

func applyVersion() *apply.Version {
	r := compiled(definitionOf("g.io", `
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          free: {type: object, x-kubernetes-preserve-unknown-fields: true}
          texts: {type: object, additionalProperties: {type: string}}
          set: {type: array, x-kubernetes-list-type: set, items: {type: string}}
          items: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name], items: {type: object, required: [name],
            properties: {name: {type: string}, size: {type: integer}, atomic: {type: object, x-kubernetes-map-type: atomic,
              properties: {a: {type: string}}}}}}
          maps: {type: object, additionalProperties: {type: object, additionalProperties: {type: string}}}
          replicas: {type: integer}
    subresources: {scale: {specReplicasPath: .replicas, statusReplicasPath: .replicas}}
`))
	a := must(apply.Compile(r))
	return a.Version("v1").With(resource.RequestOptions{Namespace: "ns", Name: "n"})
}

// applyObject returns the text of a Thing.
func applyObject(meta, fields string) string {
	if fields != "" {
		fields = "," + fields
	}
	return `{"apiVersion":"g.io/v1","kind":"Thing","metadata":{"name":"n","namespace":"ns"` + meta + `}` + fields + `}`
}

func applyDecode(text string) map[string]any {
	return must(unstructured.DecodeJSON([]byte(text)))
}

// applyMade returns the Thing that the manager m applied.
func applyMade(fields string) map[string]any {
	return applyVersion().Apply(context.Background(), []byte(applyObject("", fields)), nil, apply.Options{Manager: "m"}).Object
}

// applyTo is the call that applies the fields of a Thing to live, or creates it if live is nil.
func applyTo(live map[string]any, fields, manager string) func() string {
	v, body := applyVersion(), []byte(applyObject("", fields))
	return func() string {
		return valueAnswer(v.Apply(context.Background(), body, live, apply.Options{Manager: manager}))
	}
}

// applyUpdate is the call that updates live.
func applyUpdate(obj, live map[string]any, manager string) func() string {
	v := applyVersion()
	return func() string {
		return valueAnswer(v.Update(context.Background(), obj, live, apply.Options{Manager: manager}))
	}
}

// applyBodies are an apply that creates an object, one that takes all of it away, and an update that makes it. Their
// time is not linear: structured-merge-diff inserts into sorted slices (Security considerations of package apply).
func applyBodies(name string, fields func(n int) string) []row {
	const size = 64 << 10
	return []row{
		{name: "apply: " + name, n: size, want: "no errors", setup: func(n int) func() string {
			return applyTo(nil, fields(n), "m")
		}},
		{name: "apply: " + name + ", nothing of it left", n: size, want: "no errors", setup: func(n int) func() string {
			return applyTo(applyMade(fields(n)), "", "m")
		}},
		{name: "apply: " + name + ", in an update", n: size, want: "no errors", setup: func(n int) func() string {
			return applyUpdate(applyDecode(applyObject("", fields(n))), applyMade(`"texts":{"a":"b"}`), "o")
		}},
	}
}

// applyOfEachManager are more requests with an object of which each manager owns one field.
var applyOfEachManager = func() []row {
	const size = 3<<20 - 1000
	return []row{
		{name: "apply: managedFields of one field of each manager that an update sends", n: size, linear: true, want: "no errors", setup: func(n int) func() string {
			return applyUpdate(applyManaged(oneOfEach(n)), applyDecode(applyObject(`,"uid":"u"`, `"texts":{"a":"b"}`)), "a")
		}},
		{name: "apply: managedFields of one field of each manager in an update that changes nothing", n: size, linear: true, want: "no errors",
			setup: func(n int) func() string {
				live := applyManaged(oneOfEach(n))
				return applyUpdate(live, live, "a")
			}},
		{name: "apply: managedFields of one field of each manager in an update of the scale", n: size, linear: true, want: "no errors", setup: func(n int) func() string {
			v, live := applyVersion(), applyManaged(oneOfEach(n))
			live["replicas"] = int64(1)
			scale := applyDecode(`{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"n","namespace":"ns"},"spec":{"replicas":2}}`)
			return func() string {
				return valueAnswer(v.UpdateScale(context.Background(), scale, live, apply.Options{Manager: "a"}))
			}
		}},
	}
}()

// oneOfEach are the entries of n bytes of managers, each of which owns a field.
func oneOfEach(n int) string { return applyList(n, applyEntry("NAME", `"f:free":{"f:NAME":{}}`)) }

// applyManaged returns a Thing with those managedFields.
func applyManaged(entries string) map[string]any {
	return applyDecode(applyObject(`,"uid":"u","managedFields":[`+entries+`]`, `"free":{"k1":1},"texts":{"a":"b"}`))
}

// applyFields are an apply to an object with those managedFields, an update of it, and questions about them.
func applyFields(name string, entries func(n int) string) []row {
	const size = 3<<20 - 1000
	return []row{
		{name: "apply: managedFields of " + name, n: size, linear: true, want: "no errors", setup: func(n int) func() string {
			return applyTo(applyManaged(entries(n)), `"texts":{"c":"d"}`, "a")
		}},
		{name: "apply: managedFields of " + name + " in an update", n: size, linear: true, want: "no errors", setup: func(n int) func() string {
			return applyUpdate(applyDecode(applyObject("", `"texts":{"c":"d"}`)), applyManaged(entries(n)), "a")
		}},
		{name: "apply: managedFields of " + name + ", asked for", n: size, linear: true, want: " owners ", setup: func(n int) func() string {
			live := applyManaged(entries(n))
			return func() string {
				owners, err := apply.Owners(live, "free.k1")
				fields, failed := apply.Fields(live, "m")
				return fmt.Sprint(len(owners), " owners ", len(fields), " fields ", err, failed)
			}
		}},
	}
}

// applyRefused are applies that structured-merge-diff would take hours, or gigabytes, for: they are refused.
var applyRefused = []row{
	{name: "apply: an object nested to the limit", n: 9_900, want: "too many fields, or too long paths", setup: func(n int) func() string {
		return applyTo(nil, applyNested(n, "1"), "m")
	}},
	{name: "apply: conflicts in what is nested", n: 1_900, want: "too long to look for conflicts", setup: func(n int) func() string {
		return applyTo(applyMade(applyNested(n, "1")), applyNested(n, "2"), "o")
	}},
	{name: "apply: conflicts of many fields", n: 300_000, want: "Apply failed with 21601 conflicts", setup: func(n int) func() string {
		return applyTo(applyMade(`"texts":{`+applyList(n, `"NAME":"x"`)+`}`), `"texts":{`+applyList(n, `"NAME":"y"`)+`}`, "o")
	}},
	{name: "apply: conflicts with many managers", n: 3 << 20, want: "Apply failed with 20436 conflicts", setup: func(n int) func() string {
		live := applyDecode(applyObject(`,"uid":"u","managedFields":[`+applyList(n-1000, applyEntry("NAME", `"f:free":{"f:k1":{}}`))+`]`, `"free":{"k1":1}`))
		return applyTo(live, `"free":{"k1":2}`, "a")
	}},
	{name: "apply: wrong values below a long key", n: 300_000, want: "too many fields, or too long paths", setup: func(n int) func() string {
		return applyTo(nil, `"maps":{"`+strings.Repeat("k", 900)+`":{`+applyList(n, `"NAME":1`)+`}}`, "m")
	}},
	{name: "apply: managedFields of what is atomic by now", n: 3<<20 - 1000, want: "owned as a whole", setup: func(n int) func() string {
		return applyTo(applyBelowAtomic(n), `"texts":{"c":"d"}`, "a")
	}},
	{name: "apply: managedFields of what is atomic by now, in an update, which is not tracked", n: 3<<20 - 1000, want: "no errors",
		setup: func(n int) func() string {
			return applyUpdate(applyDecode(applyObject("", `"texts":{"c":"d"}`)), applyBelowAtomic(n), "a")
		}},
	{name: "apply: many managers and many fields", n: 1 << 20, want: "too many for an object", setup: func(n int) func() string {
		live := applyDecode(applyObject(`,"uid":"u","managedFields":[`+oneOfEach(n)+`]`, `"free":{"k1":1}`))
		return applyTo(live, `"texts":{`+applyList(n/4, `"NAME":"x"`)+`}`, "a")
	}},
	{name: "apply: a set of 3 MiB", n: 3<<20 - 1000, want: "too many fields, or too long paths", setup: func(n int) func() string {
		return applyTo(nil, `"set":[`+applyList(n, `"NAME"`)+`]`, "m")
	}},
	{name: "apply: a set of 3 MiB in an update, which is not tracked", n: 3<<20 - 1000, linear: true, want: "no errors", setup: func(n int) func() string {
		obj := applyDecode(applyObject("", `"set":[`+applyList(n, `"NAME"`)+`]`))
		return applyUpdate(obj, applyDecode(applyObject(`,"uid":"u"`, `"texts":{"a":"b"}`)), "m")
	}},
}

// applyBelowAtomic returns a Thing with managedFields of n bytes, all below what is atomic.
func applyBelowAtomic(n int) map[string]any {
	fields := applyEntry("m", `"f:items":{`+applyList(n, `"k:{\"name\":\"NAME\"}":{"f:atomic":{"f:a":{}}}`)+`}`)
	return applyDecode(applyObject(`,"uid":"u","managedFields":[`+fields+`]`, `"texts":{"a":"b"}`))
}

// applyNested returns n objects in one another, each with a field of that value.
func applyNested(n int, value string) string {
	return `"free":` + strings.Repeat(`{"a":`+value+`,"b":`, n) + "1" + strings.Repeat("}", n)
}
