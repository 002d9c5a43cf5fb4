package crdcheck_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/resource"
)

// rich has something of almost everything that is checked.
const rich = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: lamps.example.com, labels: {a: b}}
spec:
  group: example.com
  names: {plural: lamps, singular: lamp, kind: Lamp, listKind: Lamps, shortNames: [l], categories: [all]}
  scope: Namespaced
  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {service: {name: a, namespace: b, path: /c, port: 1}}}}
  versions:
  - name: v1
    served: true
    storage: true
    deprecated: true
    deprecationWarning: gone soon
    subresources: {status: {}, scale: {specReplicasPath: .spec.count, statusReplicasPath: .status.count, labelSelectorPath: .status.selector}}
    additionalPrinterColumns: [{name: Colour, type: string, format: byte, jsonPath: .spec.colour, priority: 1}]
    selectableFields: [{jsonPath: .spec.colour}]
    schema: &schema
      openAPIV3Schema:
        type: object
        required: [spec]
        properties:
          metadata: {type: object, properties: {name: {type: string, maxLength: 20}}}
          spec:
            type: object
            x-kubernetes-validations: [{rule: "self.count <= 7 || self.colour != 'red'", message: too many, fieldPath: .count}]
            properties:
              colour: {type: string, enum: [red, blue], default: red, x-kubernetes-validations: [{rule: self == oldSelf, messageExpression: "'not ' + self"}]}
              count: {type: integer, format: int32, minimum: 0, default: 1}
              size: {x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}], pattern: "^[0-9]+$"}
              parts: {type: array, maxItems: 10, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name],
                items: {type: object, required: [name], properties: {name: {type: string, maxLength: 9}, on: {type: boolean, default: true}}}}
              tags: {type: array, x-kubernetes-list-type: set, items: {type: string}}
              options: {type: object, maxProperties: 5, additionalProperties: {type: object, properties: {x: {type: number, nullable: true}}}}
              template: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true,
                default: {apiVersion: v1, kind: Pod, metadata: {name: a}}}
            oneOf: [{required: [colour]}, {not: {required: [size]}}]
          status: {type: object, x-kubernetes-map-type: atomic, properties: {count: {type: integer}, selector: {type: string}}}
  - {name: v2, served: false, storage: false, schema: {openAPIV3Schema: {type: object}}}
`

// LIB-001: there are no panics, whatever a document says. An accepted definition can replace itself without an error,
// and package resource accepts it, too. The result is the same with and without what was compiled for the check.
func FuzzValidate(f *testing.F) {
	require.Empty(f, given.Texts(crdcheck.Validate(given.Definition(f, jsonOf(f, rich)))))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 80 {
		script := make([]byte, 4+i/4)
		for i := range script {
			script[i] = byte(random.IntN(256))
		}
		f.Add(byte(random.IntN(256)), script)
	}
	bases := []string{rich, lamp, rich, oldLamp}
	f.Fuzz(func(t *testing.T, base byte, script []byte) {
		if len(script) > 64 {
			return
		}
		doc := copied(t, value(t, bases[int(base)%len(bases)])).(map[string]any)
		before := copied(t, doc).(map[string]any)
		m := mutator{t: t, script: script}
		if base >= 128 {
			m.mutate(before)
		}
		m.mutate(doc)
		d, err := crd.Parse(m.text(doc))
		if err != nil {
			return
		}
		checked := crdcheck.Compile(d)
		require.Equal(t, given.Texts(checked.Errors()), given.Texts(crdcheck.Validate(d)))
		if old, err := crd.Parse(m.text(before)); err == nil {
			_ = given.Texts(crdcheck.ValidateUpdate(old, d))
			crdcheck.Warnings(d, old)
			requireServed(t, crdcheck.CompileUpdate(d, old))
		}
		if requireServed(t, checked) {
			require.Empty(t, given.Texts(crdcheck.ValidateUpdate(d, d)))
		}
	})
}

// requireServed reports whether a definition was taken, and requires that it can be served then.
func requireServed(t *testing.T, checked *crdcheck.Checked) bool {
	d := checked.Definition()
	handedOn, err := resource.CompileChecked(checked)
	if errs := checked.Errors(); errs != nil {
		require.ErrorIs(t, err, errs[0])
		return false
	}
	alone, aloneErr := resource.Compile(d)
	if err != nil {
		// DFV-005, PUF-003: a server takes a default of the whole object that is no object where the schema has no
		// type, and fails to serve it. So do we: taken or not is the server's answer, and there is nothing that could
		// be served.
		require.ErrorContains(t, err, "object root default value must be of object type")
		require.EqualError(t, aloneErr, err.Error())
		return true
	}
	require.NoError(t, aloneErr)
	obj := func(version string) map[string]any {
		return map[string]any{
			"apiVersion": d.Spec.Group + "/" + version, "kind": d.Spec.Names.Kind, "metadata": map[string]any{"name": "a", "namespace": "b"},
			"spec": map[string]any{"count": int64(9), "colour": "red", "x": int64(1), "parts": []any{map[string]any{"name": "n"}}},
		}
	}
	for _, v := range d.Spec.Versions {
		one := handedOn.Version(v.Name).Create(context.Background(), obj(v.Name))
		other := alone.Version(v.Name).Create(context.Background(), obj(v.Name))
		require.Equal(t, other.Status(), one.Status())
		require.Equal(t, other.Object, one.Object)
		require.Equal(t, other.Cost, one.Cost)
	}
	return true
}

func jsonOf(t testing.TB, text string) []byte {
	return given.JSON(t, value(t, text))
}
