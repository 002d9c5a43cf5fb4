package resource_test

import (
	"testing"
)

// Ratcheting in whole requests. Package ratchet has its own tests.
func TestRatcheting(t *testing.T) {
	const spec = `schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, required: [must], properties: {
		must: {type: string}, size: {type: integer, maximum: 5}, colour: {type: string, default: red},
		free: {type: object, x-kubernetes-preserve-unknown-fields: true, maxProperties: 1, properties: {size: {type: integer, maximum: 5}}},
		tags: {type: array, x-kubernetes-list-type: set, items: {type: string}},
		more: {type: array, x-kubernetes-list-type: set, items: {type: string}},
		pod: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}}}}}}`
	const tooBig = "FieldValueInvalid spec.size: Invalid value: 9: spec.size in body should be less than or equal to 5"
	for _, c := range []struct {
		name, version, old, obj string
		errors                  []string
		warnings                []string
	}{{
		name: "RAT-007: an unchanged field stays wrong", version: spec,
		old: "{spec: {must: x, size: 9}}", obj: "{spec: {must: z, size: 9}}",
	}, {
		name: "RAT-007: a changed one does not", version: spec,
		old: "{spec: {must: x, size: 8}}", obj: "{spec: {must: z, size: 9}}", errors: []string{tooBig},
	}, {
		name: "RAT-007: a missing field is ratcheted while its siblings do not change", version: spec,
		old: "{spec: {size: 1}}", obj: "{metadata: {name: a, labels: {a: b}}, spec: {size: 1}}",
	}, {
		name: "RAT-007: or not", version: spec,
		old: "{spec: {size: 1}}", obj: "{spec: {size: 2}}", errors: []string{"FieldValueRequired spec.must: Required value"},
	}, {
		name: "RAT-006: numbers in another form have changed", version: spec,
		old: `{"spec":{"must":"x","size":9}}`, obj: `{"spec":{"must":"x","size":9.0}}`,
		errors: []string{"FieldValueInvalid spec.size: Invalid value: 9: spec.size in body should be less than or equal to 5"},
	}, {
		name: "RAT-008: a new default of the schema is not a change", version: spec,
		old: "{spec: {size: 9}}", obj: "{metadata: {name: a, labels: {a: b}}, spec: {size: 9}}",
	}, {
		name: "RAT-008: a field removed from the schema is not a change", version: spec,
		old: "{spec: {size: 9, zz: 1}}", obj: "{spec: {size: 9}}",
	}, {
		name: "RAT-009: an object with an unknown field is always changed, but its fields may be unchanged", version: spec,
		old: "{spec: {must: x, free: {size: 9, zz: 1}}}", obj: "{spec: {must: x, free: {size: 9, zz: 1}}}",
		errors: []string{"FieldValueTooMany spec.free: Too many: 2: must have at most 1 item"},
	}, {
		name:    "RAT-010: so the object as a whole is forgiven nothing",
		version: "schema: {openAPIV3Schema: {type: object, required: [spec], properties: {spec: {type: object}, more: {type: string}}}}",
		old:     "{more: x}", obj: "{more: x}", errors: []string{"FieldValueRequired spec: Required value"},
	}, {
		name:    "RAT-011: errors of the schema for the name are ratcheted",
		version: "schema: {openAPIV3Schema: {type: object, properties: {metadata: {type: object, properties: {name: {type: string, maxLength: 2}}}, more: {type: string}}}}",
		old:     "{metadata: {name: long}}", obj: "{metadata: {name: long}, more: x}",
	}, {
		name: "RAT-011: Kubernetes' own rules are, also in embedded resources", version: spec,
		old: "{spec: {must: x, pod: {kind: Pod}}}", obj: "{spec: {must: x, pod: {kind: Pod}}}",
		errors: []string{"FieldValueRequired spec.pod.apiVersion: Required value"},
	}, {
		name:    "RAT-014: rules that stay broken warn",
		version: "schema: {openAPIV3Schema: {type: object, properties: {size: {type: integer, x-kubernetes-validations: [{rule: self < 5}]}, more: {type: integer, maximum: 5}}}}",
		old:     "{size: 9}", obj: "{size: 9, more: 1}", warnings: []string{"size: Invalid value: 9: failed rule: self < 5"},
	}, {
		name:    "RAT-014: also with a refusal",
		version: "schema: {openAPIV3Schema: {type: object, properties: {size: {type: integer, x-kubernetes-validations: [{rule: self < 5}]}, more: {type: integer, maximum: 5}}}}",
		old:     "{size: 9}", obj: "{size: 9, more: 6}", warnings: []string{"size: Invalid value: 9: failed rule: self < 5"},
		errors: []string{"FieldValueInvalid more: Invalid value: 6: more in body should be less than or equal to 5"},
	}, {
		name:    "RAT-021: a rule about the old value is forgiven nothing",
		version: "schema: {openAPIV3Schema: {type: object, properties: {size: {type: integer, x-kubernetes-validations: [{rule: self > oldSelf}]}}}}",
		old:     "{size: 9}", obj: "{size: 9}", errors: []string{"FieldValueInvalid size: Invalid value: 9: failed rule: self > oldSelf"},
	}, {
		name: "RAT-020: a duplicate", version: spec,
		old: "{spec: {must: x, tags: [x]}}", obj: "{spec: {must: x, tags: [x, x]}}", errors: []string{`FieldValueDuplicate spec.tags[1]: Duplicate value: "x"`},
	}, {
		name: "RAT-020: with one anywhere in old, no list is checked", version: spec,
		old: "{spec: {must: x, more: [z, z]}}", obj: "{spec: {must: x, tags: [x, x]}}",
	}} {
		t.Run(c.name, func(t *testing.T) {
			v := things(t, c.version).Version("v1")
			answer{errors: c.errors, warnings: c.warnings}.require(t, v.Update(t.Context(), thing(t, c.obj), thing(t, c.old)))
		})
	}
}

// RAT-013: a create is never ratcheted, even if an object of that name exists.
func TestCreateIsNotRatcheted(t *testing.T) {
	v := things(t, "schema: {openAPIV3Schema: {type: object, properties: {size: {type: integer, maximum: 5}}}}").Version("v1")
	want := answer{errors: []string{"FieldValueInvalid size: Invalid value: 9: size in body should be less than or equal to 5"}}
	want.require(t, v.Create(t.Context(), thing(t, "{size: 9}")))
	answer{}.require(t, v.Update(t.Context(), thing(t, "{size: 9}"), thing(t, "{size: 9}")))
}
