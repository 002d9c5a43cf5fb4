package resource_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/resource"
)

// lights has fields that updates of the status validate, and many that they ignore.
const lights = `
subresources: {status: {}, scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas, labelSelectorPath: .status.selector}},
schema: {openAPIV3Schema: {type: object, required: [spec], properties: {
  spec: {type: object, properties: {
    replicas: {type: integer},
    size: {type: integer, maximum: 5},
    tags: {type: array, x-kubernetes-list-type: set, items: {type: string}},
    template: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}}},
  status: {type: object, required: [phase], properties: {
    phase: {type: string, enum: [Up, Down], default: Up},
    load: {type: integer, maximum: 5},
    kind: {type: string, maxLength: 3},
    replicas: {type: integer},
    selector: {type: string},
    seen: {type: array, x-kubernetes-list-type: set, items: {type: string}},
    pod: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}}}}}}`

func TestUpdateStatus(t *testing.T) {
	v := things(t, lights).Version("v1")
	requireUpdates(t, []requestCase{{
		name: "STR-005, SUB-010: only the status of the body is used",
		old:  "{metadata: {name: a, generation: 3, labels: {a: b}}, spec: {size: 1}, status: {phase: Up}}",
		sent: "{metadata: {name: a, generation: 9, labels: {c: d}, finalizers: [x]}, spec: {size: 99}, status: {phase: Down}}",
		want: "{metadata: {name: a, generation: 3, labels: {a: b}}, spec: {size: 1}, status: {phase: Down}}",
	}, {
		name: "STR-005, SUB-010: without a status there is none",
		old:  "{spec: {}, status: {phase: Up}}", sent: "{spec: {}}",
		want: "{spec: {}}",
	}, {
		name: "MET-015: managed fields that are sent do not count", old: "{spec: {}, status: {phase: Up}}",
		sent: "{metadata: {name: a, managedFields: [{manager: m, operation: Update, apiVersion: example.com/v1, fieldsType: FieldsV1, fieldsV1: {}}]}, status: {phase: Down}}",
		want: "{spec: {}, status: {phase: Down}}",
	}, {
		name: "MET-015: and those of old only if they can be decoded",
		old:  "{metadata: {name: a, generation: 1, managedFields: [{manager: m, operation: Nonsense}]}, spec: {}}", sent: "{status: {phase: Down}}",
		want: "{spec: {}, status: {phase: Down}}",
	}, {
		name: "SUB-012: the body is pruned and defaulted first",
		old:  "{spec: {}}", sent: "{spec: {zz: 1}, status: {load: 1, zz: 1}}",
		want: "{spec: {}, status: {load: 1, phase: Up}}", warnings: []string{`unknown field "spec.zz"`, `unknown field "status.zz"`},
	}, {
		name: "STR-020, SUB-012: not so an object of another kind; the status is pruned and defaulted when it is read back",
		old:  "{spec: {}}", sent: "{kind: Other, spec: {}, status: {phase: Down, zz: 1}}",
		want: "{spec: {}, status: {phase: Down}}",
	}, {
		name: "STR-020: the schema sees it as it was sent",
		old:  "{spec: {}}", sent: "{kind: Other, spec: {}, status: {load: 1}}",
		errors: []string{"FieldValueRequired status.phase: Required value"},
	}, {
		name: "STR-020, DEC-015: another apiVersion is refused",
		old:  "{spec: {}}", sent: "{apiVersion: example.com/v2, status: {}}",
		failure:  "400 BadRequest: the API version in the data (example.com/v2) does not match the expected API version (example.com/v1)",
		warnings: []string{`unknown field "status"`}, // DEC-024
	}, {
		name: "STR-014, STR-015, SUB-011: the schema of the status, and its part of the scale; no embedded resources",
		old:  "{spec: {}}", sent: "{spec: {}, status: {phase: Nope, load: 9, replicas: -1, selector: a=b, pod: {}}}",
		errors: []string{
			"FieldValueInvalid status.load: Invalid value: 9: load in body should be less than or equal to 5",
			`FieldValueNotSupported status.phase: Unsupported value: "Nope": supported values: "Up", "Down"`,
			"FieldValueInvalid .status.replicas: Invalid value: -1: should be a non-negative integer",
		},
	}, {
		name: "STR-015: a status of another type",
		old:  "{spec: {}}", sent: "{spec: {}, status: up}",
		errors: []string{
			`FieldValueTypeInvalid status: Invalid value: "string":  in body must be of type object: "string"`,
			`FieldValueInvalid .status.replicas: Invalid value: 0: .status.replicas accessor error: up is of the type string, expected map[string]interface{}`,
			`FieldValueInvalid .status.selector: Invalid value: "": .status.selector accessor error: up is of the type string, expected map[string]interface{}`,
		},
	}, {
		name: "STR-014, SUB-011: errors outside of the status are ignored",
		old:  "{spec: {size: 9, replicas: -1, template: {}}, status: {phase: Up}}", sent: "{status: {phase: Down}}",
		want: "{spec: {size: 9, replicas: -1, template: {}}, status: {phase: Down}}",
	}, {
		name: "STR-014, SUB-011: a missing spec is ignored, too",
		old:  "{status: {phase: Up}}", sent: "{status: {phase: Down}}",
		want: "{status: {phase: Down}}",
	}, {
		name: "STR-014: metadata that is wrong already is",
		old:  `{metadata: {name: a, labels: {x: "-"}}, spec: {}}`, sent: "{status: {phase: Down}}",
		errors: []string{badLabel, badLabel, badLabel},
	}, {
		name: "RAT-012: the status is ratcheted by the old one",
		old:  "{spec: {}, status: {phase: Up, load: 9}}", sent: "{status: {phase: Down, load: 9}}",
		want: "{spec: {}, status: {phase: Down, load: 9}}",
	}, {
		name: "RAT-012: without an old one nothing is forgiven",
		old:  "{spec: {}}", sent: "{status: {phase: Down, load: 9}}",
		errors: []string{"FieldValueInvalid status.load: Invalid value: 9: load in body should be less than or equal to 5"},
	}, {
		name: "RAT-012: its kind is never forgiven, as if it were a whole object's",
		old:  "{spec: {}, status: {phase: Up, kind: Lamp}}", sent: "{status: {phase: Down, kind: Lamp}}",
		errors: []string{"FieldValueTooLong status.kind: Too long: may not be more than 3 bytes"},
	}, {
		name: "STR-014, RAT-020: lists of the whole object",
		old:  "{spec: {}}", sent: "{status: {phase: Up, seen: [x, x]}}",
		errors: []string{`FieldValueDuplicate status.seen[1]: Duplicate value: "x"`},
	}, {
		name: "STR-014, RAT-020: unless old has a duplicate anywhere",
		old:  "{spec: {tags: [x, x]}}", sent: "{status: {phase: Up, seen: [x, x]}}",
		want: "{spec: {tags: [x, x]}, status: {phase: Up, seen: [x, x]}}",
	}, {
		name: "STR-016, SUB-005: no warnings of finalizers",
		old:  "{metadata: {name: a, generation: 1, finalizers: [f]}, spec: {}}", sent: "{metadata: {name: a, finalizers: [f, g]}}",
		want: "{metadata: {name: a, generation: 1, finalizers: [f]}, spec: {}}",
	}, {
		name: "STR-007, SUB-010: a resourceVersion is needed here, too",
		old:  `{metadata: {name: a, resourceVersion: "7"}, spec: {}}`, sent: "{status: {load: 9}}",
		errors: []string{"FieldValueInvalid metadata.resourceVersion: Invalid value: 0: must be specified for an update"},
	}, {
		name: "STR-008: and the name",
		old:  "{spec: {}}", sent: "{metadata: {name: b}}",
		failure: "400 BadRequest: the name of the object (b) does not match the name on the URL (a)",
	}}, thing, func(_ requestCase, obj, old map[string]any) resource.Result {
		return v.UpdateStatus(t.Context(), obj, old)
	})
}

// STR-014, SUB-011: rules see the whole object, including parts that are not validated.
func TestRulesOfAStatusUpdate(t *testing.T) {
	v := things(t, `subresources: {status: {}}, schema: {openAPIV3Schema: {type: object,
		x-kubernetes-validations: [{rule: "!has(self.status) || self.status.load <= self.spec.size", message: overloaded}],
		properties: {
			spec: {type: object, properties: {size: {type: integer, x-kubernetes-validations: [{rule: self < 9, message: too big}]}}},
			status: {type: object, properties: {load: {type: integer, maximum: 20, x-kubernetes-validations: [{rule: self >= oldSelf, message: it grows}]}}}}}}`).Version("v1")
	old := thing(t, "{spec: {size: 5}, status: {load: 3}}")
	answer{object: thing(t, "{spec: {size: 5}, status: {load: 4}}")}.require(t, v.UpdateStatus(t.Context(), thing(t, "{spec: {size: 1}, status: {load: 4}}"), old))
	answer{errors: []string{"FieldValueInvalid <nil>: Invalid value: overloaded"}}.require(t, v.UpdateStatus(t.Context(), thing(t, "{status: {load: 6}}"), old))
	answer{errors: []string{"FieldValueInvalid status.load: Invalid value: 2: it grows"}}.require(t, v.UpdateStatus(t.Context(), thing(t, "{status: {load: 2}}"), old))
	answer{errors: []string{
		`FieldValueTypeInvalid status.load: Invalid value: "string": load in body must be of type integer: "string"`,
		"FieldValueInvalid <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
	}}.require(t, v.UpdateStatus(t.Context(), thing(t, "{status: {load: x}}"), old))

	// A rule that was already violated is a warning.
	answer{object: thing(t, "{spec: {size: 10}, status: {load: 4}}"), warnings: []string{"spec.size: Invalid value: 10: too big"}}.
		require(t, v.UpdateStatus(t.Context(), thing(t, "{status: {load: 4}}"), thing(t, "{spec: {size: 10}, status: {load: 3}}")))
}

// STR-014: a status without a schema, and no status.
func TestUpdateStatusWithoutASchema(t *testing.T) {
	v := things(t, "subresources: {status: {}}, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}").Version("v1")
	answer{object: thing(t, "{status: [1, {a: null}]}")}.require(t, v.UpdateStatus(t.Context(), thing(t, "{status: [1, {a: null}]}"), thing(t, "{}")))

	v = things(t, "schema: {openAPIV3Schema: {type: object, properties: {status: {type: object}}}}").Version("v1")
	answer{failure: `404 NotFound: things.example.com "a" not found`}.require(t, v.UpdateStatus(t.Context(), thing(t, "{}"), thing(t, "{}")))
	answer{failure: `404 NotFound: things.example.com "a" not found`}.require(t, v.PatchStatus(t.Context(), mergePatch, []byte("{}"), thing(t, "{}")))
}

// STR-015: errors of items, if the status is a list.
func TestStatusThatIsAList(t *testing.T) {
	v := things(t, "subresources: {status: {}}, schema: {openAPIV3Schema: {type: object, properties: {status: {type: array, items: {type: integer, maximum: 5}}}}}").Version("v1")
	answer{errors: []string{"FieldValueInvalid status.[0]: Invalid value: 9: [0] in body should be less than or equal to 5"}}.
		require(t, v.UpdateStatus(t.Context(), thing(t, "{status: [9]}"), thing(t, "{}")))
}

// STR-002, SUB-001: with the subresource, a new object has no status.
func TestStatusOfANewObject(t *testing.T) {
	v := things(t, lights).Version("v1")
	answer{object: thing(t, "{spec: {}}")}.require(t, v.Create(t.Context(), thing(t, "{metadata: {name: a, generation: 5}, spec: {}, status: {load: 9}}")))
	require.Equal(t, 404, v.UpdateStatus(t.Context(), thing(t, "{}"), nil).Status().Code)
	require.Equal(t, 422, v.With(resource.RequestOptions{FieldValidation: "x"}).UpdateStatus(t.Context(), thing(t, "{}"), thing(t, "{spec: {}}")).Status().Code)
}
