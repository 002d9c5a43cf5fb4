package hostile

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/crdkit/crdkit/cel"
	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/openapi"
	"github.com/crdkit/crdkit/prune"
	"github.com/crdkit/crdkit/ratchet"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/unstructured"
	"github.com/crdkit/crdkit/validate"
)

type valueObject = map[string]any

const valueTooLarge = "too large"

// valueRows are Go values, and objects that defaults multiply. For those with shared parts, n is how many levels there
// are, each of which has the one below ten times.
var valueRows = []row{
	valueRow("shared lists to create, where a schema preserves them", 64, valueTooLarge, func(n int) string {
		return valueAnswer(valueVersion().Create(context.Background(), valueWith("free", valueShared(n))))
	}),
	valueRow("shared lists to create, in a schema of lists of lists", 14, valueTooLarge, func(n int) string {
		return valueAnswer(valueVersion().Create(context.Background(), valueWith("lists", valueShared(n))))
	}),
	valueRow("shared maps to create", 64, valueTooLarge, func(n int) string {
		return valueAnswer(valueVersion().Create(context.Background(), valueWith("free", valueSharedMaps(n))))
	}),
	valueRow("shared lists with a wrong value", 64, valueTooLarge, func(n int) string {
		return valueAnswer(valueVersion().Create(context.Background(), valueWith("free", []any{1, valueShared(n)})))
	}),
	valueRow("one text of 1 MiB in 1,000 places", 1000, "no errors", func(n int) string {
		return valueAnswer(valueVersion().Create(context.Background(), valueWith("free", errorItems(n, string(make([]byte, 1<<20))))))
	}),
	valueRow("shared lists to update to", 64, valueTooLarge, func(n int) string {
		return valueAnswer(valueVersion().Update(context.Background(), valueWith("free", valueShared(n)), valueStored("free", nil)))
	}),
	valueRow("shared lists to update from", 64, valueTooLarge, func(n int) string {
		return valueAnswer(valueVersion().Update(context.Background(), valueWith("free", nil), valueStored("free", valueShared(n))))
	}),
	valueRow("shared lists in both objects of an update", 64, valueTooLarge, func(n int) string {
		return valueAnswer(valueVersion().Update(context.Background(), valueWith("free", valueShared(n)), valueStored("free", valueShared(n))))
	}),
	valueRow("shared lists in both statuses", 14, valueTooLarge, func(n int) string {
		return valueAnswer(valueVersion().UpdateStatus(context.Background(), valueWith("lists", valueShared(n)), valueStored("lists", valueShared(n))))
	}),
	valueRow("shared lists in the metadata", 64, valueTooLarge, func(n int) string {
		obj := valueWith("free", nil)
		obj["metadata"].(valueObject)["labels"] = valueObject{"a": valueShared(n)}
		return valueAnswer(valueVersion().Create(context.Background(), obj))
	}),
	valueRow("a stored object with shared lists to delete", 64, valueTooLarge, func(n int) string {
		return valueAnswer(valueVersion().Delete(context.Background(), valueStored("free", valueShared(n)), resource.DeleteOptions{}))
	}),
	valueRow("a stored object with shared lists to read", 64, valueTooLarge, func(n int) string {
		return valueAnswer(valueVersion().Read(valueStored("free", valueShared(n))))
	}),
	valueRow("a stored object with shared lists to scale", 64, valueTooLarge, func(n int) string {
		_, refused := valueVersion().Scale(valueStored("free", valueShared(n)))
		return valueRefusal(refused)
	}),
	valueRow("a table of shared lists", 64, "rows", func(n int) string {
		return fmt.Sprint(len(valueVersion().Table([]map[string]any{valueStored("free", valueShared(n))}, time.Time{}).Rows), " rows")
	}),

	valueRow("shared lists to validate", 14, valueTooLarge, func(n int) string {
		return validate.Validate(valueSchema(), valueWith("lists", valueShared(n))).String()
	}),
	valueRow("shared lists of a set", 64, valueTooLarge, func(n int) string {
		return validate.Validate(valueSchema(), valueWith("set", []any{valueShared(n), valueShared(n)})).String()
	}),
	valueRow("shared lists to ratchet", 14, valueTooLarge, func(n int) string {
		return ratchet.Validate(valueSchema(), valueWith("lists", valueShared(n)), valueWith("lists", valueShared(n))).String()
	}),
	valueRow("shared lists to compare with those of an invalid object", 14, "spec.lists", func(n int) string {
		return ratchet.Validate(valueSchema(), valueWith("lists", "x"), valueWith("lists", valueShared(n))).String()
	}),
	valueRow("shared lists to prune", 14, "unchanged", func(n int) string {
		obj := valueWith("lists", valueShared(n))
		return valueSame(obj, prune.Prune(valueSchema(), obj)) + fmt.Sprint(len(prune.Unknown(valueSchema(), obj)))
	}),
	valueRow("shared lists to prune where there is no schema", 64, "unchanged", func(n int) string {
		v := valueShared(n)
		return valueSame(v, prune.Value(schema.Node{}, v))
	}),
	valueRow("shared lists to clone", 64, "unchanged", func(n int) string {
		obj := valueObject{"a": valueShared(n)}
		return valueSame(obj, unstructured.Clone(obj))
	}),
	valueRow("shared lists in a struct", 64, valueTooLarge, func(n int) string {
		_, err := unstructured.FromStruct(struct{ A any }{valueShared(n)})
		return fmt.Sprint(err)
	}),
	valueRow("shared lists to decode into a struct", 64, valueTooLarge, func(n int) string {
		var to struct{ A any }
		return fmt.Sprint(unstructured.ToStruct(valueObject{"A": valueShared(n)}, &to))
	}),
	valueRow("shared lists to convert", 64, valueTooLarge, func(n int) string {
		d, err := conversion.Compile(valueDefinition())
		if err != nil {
			return err.Error()
		}
		convert := conversion.ConverterFunc(func(_ context.Context, objects []map[string]any, _ string) ([]map[string]any, error) {
			return objects, nil
		})
		_, refused := d.Convert(context.Background(), convert, valueWith("free", valueShared(n)), "example.com/v2")
		return valueRefusal(refused)
	}),
	valueRow("shared lists for a rule to compare", 14, "", func(n int) string {
		rules, errs := cel.Compile(valueSchema(), nil)
		if len(errs) > 0 {
			return errs.String()
		}
		obj := valueWith("lists", valueShared(n))
		return fmt.Sprint("answered ", len(rules.Evaluate(context.Background(), obj, obj, nil).Errors))
	}),
	valueRow("a default of shared lists", 64, valueTooLarge, func(n int) string {
		preserve := true
		p := &schema.JSONSchemaProps{Type: "object", Properties: map[string]*schema.JSONSchemaProps{"a": {XPreserveUnknownFields: &preserve, Default: valueShared(n)}}}
		_, err := schema.Compile(p)
		return fmt.Sprint(err)
	}),
	valueRow("an error about shared lists", 64, "[]interface {}", func(n int) string {
		return field.Invalid(field.NewPath("a"), valueShared(n), "").Error()
	}),

	valueRow("a Scale nested 3,000,000 deep", 3_000_000, "no kind is registered", func(n int) string {
		return valueAnswer(valueVersion().UpdateScale(context.Background(), valueObject{"spec": valueDeep(n)}, valueStored("free", nil)))
	}),
	valueRow("a Scale with a chain of foreign maps", 500_000, "no kind is registered", func(n int) string {
		return valueAnswer(valueVersion().UpdateScale(context.Background(), valueObject{"spec": valueChain(n)}, valueStored("free", nil)))
	}),
	valueRow("a chain of 3,000,000 pointers in a struct", 3_000_000, valueTooLarge, func(n int) string {
		type link struct{ Next *link }
		var first *link
		for range n {
			first = &link{first}
		}
		_, err := unstructured.FromStruct(first)
		return fmt.Sprint(err)
	}),
	valueRow("an object nested 3,000,000 deep", 3_000_000, "nested deeper", func(n int) string {
		return valueAnswer(valueVersion().Create(context.Background(), valueWith("free", valueDeep(n))))
	}),
	valueRow("a stored object nested 3,000,000 deep", 3_000_000, "nested deeper", func(n int) string {
		return valueAnswer(valueVersion().Patch(context.Background(), "application/merge-patch+json", []byte("{}"), valueStored("free", valueDeep(n))))
	}),
	valueRow("an item of a set nested 3,000,000 deep", 3_000_000, "valid", func(n int) string {
		return "valid" + validate.Validate(valueSchema(), valueWith("set", []any{valueDeep(n), valueDeep(n)})).String()
	}),
	valueRow("an error about a value nested 3,000,000 deep", 3_000_000, "[]interface {}", func(n int) string {
		return field.Invalid(field.NewPath("a"), valueDeep(n), "").Error()
	}),
	valueRow("a value nested 3,000,000 deep to prune", 3_000_000, "unchanged", func(n int) string {
		v := valueDeep(n)
		return valueSame(v, prune.Value(schema.Node{}, v))
	}),
	valueRow("a value nested 3,000,000 deep for a rule", 3_000_000, "", func(n int) string {
		rules, _ := cel.Compile(valueSchema(), nil)
		obj := valueWith("free", valueDeep(n))
		return fmt.Sprint("answered ", len(rules.Evaluate(context.Background(), obj, obj, nil).Errors))
	}),
	valueRow("a map that contains itself", 1, "nested deeper", func(int) string {
		obj := valueWith("free", nil)
		obj["spec"].(valueObject)["free"] = obj
		return valueAnswer(valueVersion().Create(context.Background(), obj))
	}),
	valueRow("a list that contains itself ten times", 10, valueTooLarge, func(n int) string {
		loop := make([]any, n)
		for i := range loop {
			loop[i] = loop
		}
		obj := valueWith("set", loop)
		defaulting.Default(valueSchema(), obj)
		prune.Prune(valueSchema(), obj)
		valueVersion().Create(context.Background(), obj)
		return validate.Validate(valueSchema(), obj).String()
	}),
	valueRow("an example of shared lists to publish", 64, "", func(n int) string {
		d := valueDefinition()
		d.Spec.Versions[0].Schema.OpenAPIV3Schema.Example = valueShared(n)
		_, err := openapi.V3(d, "v1")
		return fmt.Sprint("answered ", err)
	}),
	valueRow("keys of NaN numbers", 100_000, "no such number", func(n int) string {
		return valueAnswer(valueVersion().Create(context.Background(), valueWith("free", errorItems(n, math.NaN()))))
	}),
}

func valueRow(name string, n int, want string, call func(n int) string) row {
	if want == "" {
		want = "answered"
	}
	return row{name: "value: " + name, n: n, want: want, setup: func(n int) func() string { return func() string { return call(n) } }}
}

func valueShared(levels int) any {
	v := []any{"x"}
	for range levels {
		v = []any{v, v, v, v, v, v, v, v, v, v}
	}
	return v
}

func valueSharedMaps(levels int) any {
	v := valueObject{"x": "x"}
	for range levels {
		v = valueObject{"a": v, "b": v, "c": v, "d": v}
	}
	return v
}

func valueDeep(n int) any { return given.Deep(n, "x") }

type valueLink map[string]valueLink

func valueChain(n int) any {
	var v valueLink
	for range n {
		v = valueLink{"a": v}
	}
	return v
}

func valueSame(before, after any) string {
	if fmt.Sprintf("%p", before) == fmt.Sprintf("%p", after) {
		return "unchanged"
	}
	return "changed"
}

func valueWith(key string, v any) map[string]any {
	return valueObject{
		"apiVersion": "example.com/v1", "kind": "Thing", "metadata": valueObject{"name": "a", "namespace": "n"},
		"spec": valueObject{"replicas": int64(1), key: v}, "status": valueObject{"replicas": int64(1), key: v},
	}
}

func valueStored(key string, v any) map[string]any {
	obj := valueWith(key, v)
	meta := obj["metadata"].(valueObject)
	meta["uid"], meta["resourceVersion"], meta["generation"], meta["creationTimestamp"] = "u", "1", int64(1), "2024-01-01T00:00:00Z"
	return obj
}

func valueRefusal(refused error) string {
	if refused == nil {
		return "no refusal"
	}
	return refused.Error()
}

func valueAnswer(r resource.Result) string {
	if err := r.Err(); err != nil {
		return err.Error()
	}
	return "no errors"
}

// valueLists is a schema of so many lists in one another, all of which may have sets in them.
func valueLists(levels int) string {
	if levels == 0 {
		return "{type: string, maxLength: 5}"
	}
	return "{type: array, items: " + valueLists(levels-1) + "}"
}

func valueDefinition() *crd.CustomResourceDefinition {
	properties := "{replicas: {type: integer}, free: {nullable: true, x-kubernetes-preserve-unknown-fields: true}, lists: " + valueLists(15) +
		", set: {type: array, x-kubernetes-list-type: set, items: {x-kubernetes-preserve-unknown-fields: true}}}"
	object := "{type: object, properties: " + properties + ", x-kubernetes-validations: [{rule: '!has(self.lists) || self.lists == self.lists'}]}"
	version := func(name, storage string) string {
		return `
  - name: ` + name + `
    served: true
    storage: ` + storage + `
    subresources: {status: {}, scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}}
    additionalPrinterColumns: [{name: Free, type: string, jsonPath: .spec.free}]
    schema: {openAPIV3Schema: {type: object, properties: {spec: ` + object + `, status: ` + object + `}}}`
	}
	return definitionOf("example.com", version("v1", "true")+version("v2", "false"))
}

func valueVersion() *resource.Version {
	return compiled(valueDefinition()).Version("v1").With(resource.RequestOptions{Namespace: "n"})
}

func valueSchema() *schema.Structural { return valueVersion().Schema() }

// definitionOf returns that of Things in a group. versions is the YAML of its versions, indented by two blanks.
func definitionOf(group, versions string) *crd.CustomResourceDefinition {
	return must(crd.Parse([]byte(given.Head("Namespaced", "things."+group, "Thing") + "  versions:\n" + versions)))
}

func compiled(d *crd.CustomResourceDefinition) *resource.Resource {
	return must(resource.Compile(d))
}
