package crdcheck_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/resource"
)

// What the documentation of Kubernetes, its design documents and tutorials say of definitions, against what a server
// does.
func TestSeeds(t *testing.T) {
	structural := `{type: object, properties: {a: {type: object, properties: {c: {type: string}}}}, allOf: [{properties: {a: {oneOf: [{properties: {b: {minimum: 1}}}]}}}]}`
	loose := `{type: object, properties: {a: {type: object, oneOf: [{properties: {b: {minimum: 1}}}]}}}`
	requireRows(t, []row{
		{"SEED-001 deprecated, discriminator, readOnly, writeOnly and xml are unknown, and dropped", change{
			schema: `{type: object, properties: {a: {type: string, deprecated: true, discriminator: {}, readOnly: true, writeOnly: true, xml: {}}}}`,
		}, nil},
		{"SEED-001 the others are forbidden", change{schema: `{type: object, properties: {a: {type: string, id: x}}}`}, []string{`P.properties[a].id: Forbidden: id is not supported`}},
		{"SEED-002 additionalProperties: false below the root", change{schema: `{type: object, properties: {a: {type: object, additionalProperties: false}}}`}, nil},
		{"SEED-002 at the root", change{schema: `{type: object, additionalProperties: false}`}, []string{`P.additionalProperties: Forbidden: must not be used at the root`}},
		{"SEED-003 additionalProperties: true beside properties", change{schema: `{type: object, properties: {a: {type: object, properties: {b: {type: string}}, additionalProperties: true}}}`}, nil},
		{"SEED-004 two more keywords at the root of a definition with status", change{
			version: `{subresources: {status: {}}}`, schema: `{type: object, x-kubernetes-preserve-unknown-fields: true, x-kubernetes-validations: [{rule: "true"}]}`,
		}, nil},
		{"SEED-006 completeness below a combinator of a property", change{schema: loose}, nil},
		{"SEED-006 and below one of the root", change{schema: structural}, []string{
			`P.properties[a].properties[b]: Required value: because it is defined in P.allOf[0].properties[a].oneOf[0].properties[b]`,
		}},
		{"SEED-007 int-or-string in the other order", change{schema: `{type: object, properties: {a: {x-kubernetes-int-or-string: true, anyOf: [{type: string}, {type: integer}]}}}`}, []string{
			`P.properties[a].anyOf[0].type: Forbidden: must be empty to be structural`,
			`P.properties[a].anyOf[1].type: Forbidden: must be empty to be structural`,
		}},
		{"SEED-007 without the extension", change{schema: `{type: object, properties: {a: {type: string, anyOf: [{type: integer}, {type: string}]}}}`}, nil},
		{"SEED-008 an embedded resource", change{schema: `{type: object, properties: {a: {type: object, x-kubernetes-embedded-resource: true}}}`}, []string{
			`P.properties[a].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields`,
		}},
		{"SEED-009 defaults have to be pruned", change{schema: `{type: object, properties: {a: {type: object, default: {x: 1}}}}`}, []string{
			`P.properties[a].default: Invalid value: {"x":1}: must not have unknown fields`,
		}},
		{"SEED-009 but not the metadata of embedded resources", change{schema: `{type: object, properties: {a: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true, default: {apiVersion: v1, kind: K, metadata: {bogus: 1}}}}}`}, nil},
		{"SEED-010 formats of columns", change{version: `{additionalPrinterColumns: [{name: a, type: string, format: name, jsonPath: .a}]}`}, []string{
			`spec.additionalPrinterColumns[0].format: Invalid value: "name": must be one of byte,date,date-time,double,float,int32,int64,password`,
		}},
		{"SEED-011 array notation in a scale", change{version: `{subresources: {scale: {specReplicasPath: ".spec.a[0]", statusReplicasPath: ".status.a['b']"}}}`}, nil},
		{"SEED-012 metadata may not be selectable", change{
			schema: `{type: object, properties: {metadata: {type: object, properties: {name: {type: string}}}}}`, version: `{selectableFields: [{jsonPath: .metadata.name}]}`,
		}, []string{`spec.selectableFields[0].jsonPath: Invalid value: ".metadata.name": must not point to fields in metadata`}},
		{"SEED-013 the text of a rule that is too expensive, and its path", change{schema: `{type: object, properties: {a: {type: array, items: {type: integer}, x-kubernetes-validations: [{rule: "self.all(x, self.all(y, x == y))"}]}}}`}, []string{
			`P.properties[a].x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`,
			`P.properties[a].x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema`,
			`P: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`,
		}},
		{"SEED-016 version is that of the first one, which need not be served", change{base: oldLamp, spec: `{version: v1, versions: [{name: v1, storage: true}, {name: v2, served: true}]}`}, nil},
		{"SEED-018 one storage version", change{version: `{storage: false}`}, []string{
			`spec.versions: Invalid value: [{"Name":"v1","Served":true,"Storage":false,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}]: must have exactly one version marked as storage version`,
			`status.storedVersions: Invalid value: null: must have at least one stored version`,
		}},
		{"SEED-019 there is no type float", change{schema: `{type: object, properties: {a: {type: float}}}`}, []string{
			`P.properties[a].type: Unsupported value: "float": supported values: "array", "boolean", "integer", "number", "object", "string"`,
		}},
		{"SEED-020 v1beta1 without preserveUnknownFields", change{base: oldLamp, spec: `{preserveUnknownFields: null}`}, []string{
			`spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead`,
		}},
		{"SEED-021 a minimal definition", change{doc: `{metadata: {name: exam.example.com}}`, spec: `{names: {plural: exam, singular: exam, kind: Exam}}`}, nil},
		{"SEED-022 webhookClientConfig is v1beta1's", change{spec: `{conversion: {strategy: Webhook, webhookClientConfig: {url: "https://a"}}}`}, []string{
			`spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook`,
			`spec.conversion.conversionReviewVersions: Required value`,
		}},
		{"SEED-024 items by position", change{schema: `{type: object, properties: {a: {type: array, items: [{type: string}, {type: integer}]}}}`}, []string{
			`P.properties[a].items: Forbidden: items must be a schema object and not an array`,
		}},
	})
}

// SEED-025: two of the samples.
func TestSeedSamples(t *testing.T) {
	d := given.Definition(t, `
apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata: {name: crontabs.stable.example.com}
spec:
  group: stable.example.com
  version: v1
  versions: [{name: v1, served: true, storage: true}]
  scope: Namespaced
  names: {plural: crontabs, singular: crontab, kind: CronTab}
  preserveUnknownFields: false
  validation: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {
    cronSpec: {type: string, default: "5 0 * * *"}, image: {type: string}, replicas: {type: integer, minimum: 1, maximum: 10, default: 1}}}}}}
`)
	require.Empty(t, given.Texts(crdcheck.Validate(d)), "SEED-025 (2)")

	d = given.Definition(t, `
apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata: {name: crontabs.stable.example.com}
spec:
  group: stable.example.com
  versions: [{name: v1, served: true, storage: true}]
  scope: Namespaced
  names: {plural: crontabs, singular: crontab, kind: CronTab, shortNames: [ct], categories: [all]}
`)
	require.Equal(t, []string{
		`spec.versions[0].schema.openAPIV3Schema: Required value`,
		`spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead`,
	}, given.Texts(crdcheck.Validate(d)), "SEED-025 (4)")
}

// Samples of the documentation that are not even valid documents: in one, required is among the properties; the other
// is not YAML.
func TestUnreadableSeedSamples(t *testing.T) {
	_, err := crd.Parse(change{schema: `{type: object, properties: {spec: {type: object, properties: {a: {type: string}, required: [a]}}}}`}.document(t))
	require.ErrorContains(t, err, "properties.required: must be an object", "SEED-019, SEED-025 (1)")
	_, err = crd.Parse([]byte(lamp + "  additionalPrinterColumns: name: Age\n"))
	require.ErrorContains(t, err, "mapping values are not allowed in this context", "SEED-025 (3)")
}

// SEED-014: an error of an object, in one line, with its value. The form with an empty path and a map as a value is of
// old servers.
func TestSeedObjectErrors(t *testing.T) {
	d := given.Definition(t, change{schema: `{type: object, properties: {spec: {type: object, properties: {replicas: {type: integer, minimum: 1, maximum: 10}}}}}`}.document(t))
	r, err := resource.CompileChecked(crdcheck.Compile(d))
	require.NoError(t, err)
	refused := r.Version("v1").Create(t.Context(), map[string]any{
		"apiVersion": "example.com/v1", "kind": "Lamp", "metadata": map[string]any{"name": "a", "namespace": "b"},
		"spec": map[string]any{"replicas": int64(15)},
	})
	require.Equal(t, []string{"spec.replicas: Invalid value: 15: spec.replicas in body should be less than or equal to 10"}, given.Texts(refused.Errors))
}
