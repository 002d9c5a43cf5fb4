package resource_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/resource"
)

// knobs has fields that updates of the main resource check.
const knobs = `
subresources: {status: {}},
schema: {openAPIV3Schema: {type: object, properties: {
  spec: {type: object, properties: {
    size: {type: integer, maximum: 5},
    ratio: {type: number},
    colour: {type: string, default: red},
    tags: {type: array, x-kubernetes-list-type: set, items: {type: string}},
    template: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}}},
  status: {type: object, properties: {phase: {type: string, enum: [Up, Down]}}}}}}`

func TestUpdate(t *testing.T) {
	v := things(t, knobs).Version("v1")
	const owner = `{apiVersion: v1, kind: Pod, name: p, uid: u}`
	requireUpdates(t, []requestCase{{
		name: "ORD-002: the body is decoded like that of a create",
		old:  "{spec: {size: 1, colour: blue}}", sent: "{metadata: {name: a, zz: 1}, spec: {size: 2, colour: null, zz: 1}}",
		want:     "{metadata: {name: a, generation: 2}, spec: {size: 2, colour: red}}",
		warnings: []string{`unknown field "metadata.zz"`, `unknown field "spec.zz"`},
	}, {
		name: "ORD-005: old is read as from storage, so defaults and unknown fields are not changes",
		old:  "{spec: {size: 1, gone: 1}}", sent: "{spec: {size: 1, colour: red}}",
		want: "{metadata: {name: a, generation: 1}, spec: {size: 1, colour: red}}",
	}, {
		name: "STR-003, SUB-003: metadata of the server stays",
		old:  `{metadata: {name: a, generation: 7, uid: u, creationTimestamp: "2020-01-01T00:00:00Z"}, spec: {colour: red}}`,
		sent: `{metadata: {name: a, generation: 99, selfLink: s, creationTimestamp: "2021-01-01T00:00:00Z"}, spec: {colour: red}}`,
		want: `{metadata: {name: a, generation: 7, uid: u, creationTimestamp: "2020-01-01T00:00:00Z"}, spec: {colour: red}}`,
	}, {
		name: "STR-003: an object that is being deleted stays so",
		old:  `{metadata: {name: a, generation: 2, finalizers: [x.io/f], deletionTimestamp: "2020-01-01T00:00:00Z", deletionGracePeriodSeconds: 0}, spec: {colour: red}}`,
		sent: `{metadata: {name: a, finalizers: [x.io/f], deletionTimestamp: "2021-01-01T00:00:00Z"}, spec: {colour: red}}`,
		want: `{metadata: {name: a, generation: 2, finalizers: [x.io/f], deletionTimestamp: "2020-01-01T00:00:00Z", deletionGracePeriodSeconds: 0}, spec: {colour: red}}`,
	}, {
		name: "MET-010: an update does not start a deletion",
		old:  "{}", sent: `{metadata: {name: a, deletionTimestamp: "2021-01-01T00:00:00Z"}}`,
		errors: []string{
			`FieldValueInvalid metadata.deletionTimestamp: Invalid value: "2021-01-01T00:00:00Z": field is immutable`,
			`FieldValueInvalid metadata.deletionTimestamp: Invalid value: "2021-01-01T00:00:00Z": field is immutable`,
		},
	}, {
		name: "STR-004, SUB-002: the status is that of old",
		old:  "{spec: {colour: red}, status: {phase: Up}}", sent: "{spec: {colour: red}, status: {phase: Nonsense}}",
		want: "{metadata: {name: a, generation: 1}, spec: {colour: red}, status: {phase: Up}}",
	}, {
		name: "STR-004, SUB-002: or there is none",
		old:  "{spec: {colour: red}}", sent: "{spec: {colour: red}, status: {phase: Up}}",
		want: "{metadata: {name: a, generation: 1}, spec: {colour: red}}",
	}, {
		name: "STR-004: a status that was not sent stays",
		old:  "{spec: {colour: red}, status: {phase: Up}}", sent: "{spec: {colour: blue}}",
		want: "{metadata: {name: a, generation: 2}, spec: {colour: blue}, status: {phase: Up}}",
	}, {
		name: "STR-004, SUB-002: a change of metadata does not change the generation",
		old:  "{spec: {colour: red}}", sent: "{metadata: {name: a, labels: {x: z}, finalizers: [x.io/f]}, spec: {colour: red}}",
		want: "{metadata: {name: a, generation: 1, labels: {x: z}, finalizers: [x.io/f]}, spec: {colour: red}}",
	}, {
		name: "STR-004: a field more or less is",
		old:  "{spec: {colour: red, size: 1}}", sent: "{spec: {colour: red}}",
		want: "{metadata: {name: a, generation: 2}, spec: {colour: red}}",
	}, {
		name: "STR-006: so is another form of a number, each time",
		old:  `{"spec":{"colour":"red","ratio":1}}`, sent: `{"spec":{"colour":"red","ratio":1.0}}`,
		want: `{"metadata":{"name":"a","generation":2},"spec":{"colour":"red","ratio":1}}`,
	}, {
		name: "STR-007, SUB-003: no resourceVersion",
		old:  `{metadata: {name: a, resourceVersion: "7"}}`, sent: "{spec: {size: 9}}",
		errors: []string{"FieldValueInvalid metadata.resourceVersion: Invalid value: 0: must be specified for an update"},
	}, {
		name: "STR-007: resourceVersion 0",
		old:  `{metadata: {name: a, resourceVersion: "7"}}`, sent: `{metadata: {name: a, resourceVersion: "00"}}`,
		errors: []string{"FieldValueInvalid metadata.resourceVersion: Invalid value: 0: must be specified for an update"},
	}, {
		name: "STR-007: a resourceVersion that is no number",
		old:  `{metadata: {name: a, resourceVersion: "7"}}`, sent: "{metadata: {name: a, resourceVersion: abc}}",
		failure: `500 : strconv.ParseUint: parsing "abc": invalid syntax`,
	}, {
		name: "STR-007: one that is too big",
		old:  `{metadata: {name: a, resourceVersion: "7"}}`, sent: `{metadata: {name: a, resourceVersion: "99999999999999999999"}}`,
		failure: `500 : strconv.ParseUint: parsing "99999999999999999999": value out of range`,
	}, {
		name: "STR-007, SUB-003: an outdated one",
		old:  `{metadata: {name: a, resourceVersion: "7"}}`, sent: `{metadata: {name: a, resourceVersion: "6"}, spec: {size: 9}}`,
		failure: `409 Conflict: Operation cannot be fulfilled on things.example.com "a": the object has been modified; please apply your changes to the latest version and try again`,
	}, {
		name: "STR-007: numbers are compared as such; the next one is the caller's",
		old:  `{metadata: {name: a, generation: 1, resourceVersion: "7"}, spec: {colour: red}}`, sent: `{metadata: {name: a, resourceVersion: "007"}, spec: {colour: red}}`,
		want: `{metadata: {name: a, generation: 1, resourceVersion: "007"}, spec: {colour: red}}`,
	}, {
		name: "STR-007: without one in old, none is asked for",
		old:  "{spec: {colour: red}}", sent: "{spec: {colour: red}}",
		want: "{metadata: {name: a, generation: 1}, spec: {colour: red}}",
	}, {
		name: "STR-007: another uid is reported before everything else",
		old:  `{metadata: {name: a, uid: u, resourceVersion: "7"}}`, sent: `{metadata: {name: a, uid: w, resourceVersion: "6"}, spec: {size: 9}}`,
		failure: `409 Conflict: Operation cannot be fulfilled on things.example.com "a": StorageError: invalid object, Code: 4, Key: ` +
			`/registry/example.com/things/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: w, UID in object meta: u`,
	}, {
		name: "STR-008: another name",
		old:  "{}", sent: "{metadata: {name: b}, spec: {size: 9}}",
		failure: "400 BadRequest: the name of the object (b) does not match the name on the URL (a)",
	}, {
		name: "STR-008: no name",
		old:  "{}", sent: "{metadata: null}",
		failure: "400 BadRequest: the name of the object (a based on URL) was undeterminable: name must be provided",
	}, {
		name: "STR-008: objects of the cluster have no namespace",
		old:  "{spec: {colour: red}}", sent: "{metadata: {name: a, namespace: ns}, spec: {colour: red}}",
		want: "{metadata: {name: a, generation: 1}, spec: {colour: red}}",
	}, {
		name: "STR-009: owners that are listed twice, also with a refusal (DEC-018)",
		old:  `{metadata: {name: a, resourceVersion: "7"}}`, sent: `{metadata: {name: a, resourceVersion: "6", ownerReferences: [` + owner + "," + owner + "]}}",
		failure: `409 Conflict: Operation cannot be fulfilled on things.example.com "a": the object has been modified; please apply your changes to the latest version and try again`,
		warnings: []string{".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such " +
			"requests as early as 1.24; please fix your requests; duplicate UID(s) observed: u"},
	}, {
		name: "STR-010: another kind; metadata and schema are not checked, lists are",
		old:  "{spec: {size: 1}}", sent: "{kind: Other, spec: {size: 9, tags: [x, x]}}",
		errors: []string{
			`FieldValueInvalid kind: Invalid value: "Other": must be Thing`,
			`FieldValueDuplicate spec.tags[1]: Duplicate value: "x"`,
		},
	}, {
		name: "DEC-015, SUB-006: another version",
		old:  "{}", sent: "{apiVersion: example.com/v2}",
		failure: "400 BadRequest: the API version in the data (example.com/v2) does not match the expected API version (example.com/v1)",
	}, {
		name: "STR-012, SUB-004: errors in the order of the checks; those of metadata come up to three times",
		old:  "{}", sent: `{metadata: {name: a, labels: {x: "-"}}, spec: {size: 9, tags: [x, x], template: {kind: Pod}}}`,
		errors: []string{
			badLabel, badLabel, badLabel,
			"FieldValueInvalid spec.size: Invalid value: 9: spec.size in body should be less than or equal to 5",
			"FieldValueRequired spec.template.apiVersion: Required value",
			`FieldValueDuplicate spec.tags[1]: Duplicate value: "x"`,
		},
	}, {
		name: "STR-012: a finalizer's form is a rule of creates, which updates ask for once",
		old:  "{}", sent: "{metadata: {name: a, finalizers: [x/y/z]}}",
		errors: []string{badFinalizer},
	}, {
		name: "MET-011, DEL-004: while an object is being deleted, finalizers may only go",
		old:  `{metadata: {name: a, deletionTimestamp: "2020-01-01T00:00:00Z", finalizers: [x.io/f]}}`,
		sent: "{metadata: {name: a, finalizers: [x.io/f, x.io/g]}}",
		errors: []string{
			`FieldValueForbidden metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"x.io/g"}`,
			`FieldValueForbidden metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"x.io/g"}`,
		},
	}, {
		name: "STR-016, SUB-005: of finalizers, only new ones without a domain warn",
		old:  "{metadata: {name: a, generation: 1, finalizers: [old]}, spec: {colour: red}}",
		sent: "{metadata: {name: a, finalizers: [old, orphan, new.er, new]}, spec: {colour: red}}",
		want: "{metadata: {name: a, generation: 1, finalizers: [old, orphan, new.er, new]}, spec: {colour: red}}",
		warnings: []string{
			`metadata.finalizers: "new": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers`,
			`metadata.finalizers: "new.er": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers`,
		},
	}, {
		name: "MET-015: managed fields that cannot be decoded are those of old",
		old:  `{metadata: {name: a, generation: 1, managedFields: [{manager: m, operation: Update, apiVersion: example.com/v1, fieldsType: FieldsV1, fieldsV1: {}}]}, spec: {colour: red}}`,
		sent: "{metadata: {name: a, managedFields: [{manager: o, operation: Nonsense}]}, spec: {colour: red}}",
		want: `{metadata: {name: a, generation: 1, managedFields: [{manager: m, operation: Update, apiVersion: example.com/v1, fieldsType: FieldsV1, fieldsV1: {}}]}, spec: {colour: red}}`,
	}}, thing, func(_ requestCase, obj, old map[string]any) resource.Result { return v.Update(t.Context(), obj, old) })
}

const (
	badLabel = `FieldValueInvalid metadata.labels: Invalid value: "-": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', ` +
		`and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is ` +
		`'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`
	badFinalizer = `FieldValueInvalid metadata.finalizers: Invalid value: "x/y/z": a valid label key must consist of alphanumeric characters, '-', '_' or '.', ` +
		`and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is ` +
		`'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`
)

// STR-008: the namespace of an update is that of the request or, if it has none, of the object or, if that has none, of
// old.
func TestNamespaceOfAnUpdate(t *testing.T) {
	v := compile(t, gadgets).Version("v1")
	const other = "400 BadRequest: the namespace of the provided object does not match the namespace sent on the request"
	for _, c := range []struct{ name, request, obj, want, failure string }{
		{"the request's fills in", "ns", "{metadata: {name: a}, spec: {}}", "ns", ""},
		{"old's fills in", "", "{metadata: {name: a}, spec: {}}", "ns", ""},
		{"all the same", "ns", "{metadata: {name: a, namespace: ns}, spec: {}}", "ns", ""},
		{"not the request's", "ns", "{metadata: {name: b, namespace: m}, spec: {}}", "", other},
	} {
		t.Run(c.name, func(t *testing.T) {
			old := gadget(t, "{metadata: {name: a, namespace: ns, generation: 1}, spec: {replicas: 1}}")
			result := v.With(resource.RequestOptions{Namespace: c.request}).Update(t.Context(), gadget(t, c.obj), old)
			if c.failure != "" {
				require.Equal(t, c.failure, encodeStatus(result.Failure))
				return
			}
			require.NoError(t, result.Err())
			require.Equal(t, c.want, result.Object["metadata"].(map[string]any)["namespace"])
		})
	}
	// The object's namespace is that of the request, but not that of old.
	result := v.Update(t.Context(), gadget(t, "{metadata: {name: a, namespace: m}, spec: {}}"), gadget(t, "{metadata: {name: a, namespace: ns}, spec: {}}"))
	require.Contains(t, given.Typed(result.Errors), `FieldValueInvalid metadata.namespace: Invalid value: "m": field is immutable`)
}

// STR-012: an error that is three times in the causes is once in the message.
func TestRepeatedErrorsInAStatus(t *testing.T) {
	v := things(t, knobs).Version("v1")
	result := v.Update(t.Context(), thing(t, `{metadata: {name: a, labels: {x: "-"}}}`), thing(t, "{}"))
	status := result.Status()
	require.Len(t, status.Causes, 3)
	require.Equal(t, 1, strings.Count(status.Message, "a valid label must be"))
}

// STR-004, SUB-002: without a status subresource the status is a field like any other.
func TestUpdateOfAStatusWithoutASubresource(t *testing.T) {
	v := things(t, `schema: {openAPIV3Schema: {type: object, properties: {status: {type: object, properties: {phase: {type: string, enum: [Up, Down]}}}}}}`).Version("v1")
	old := thing(t, "{status: {phase: Up}}")
	answer{object: thing(t, "{metadata: {name: a, generation: 2}, status: {phase: Down}}")}.require(t, v.Update(t.Context(), thing(t, "{status: {phase: Down}}"), old))
	answer{object: thing(t, "{metadata: {name: a, generation: 2}}")}.require(t, v.Update(t.Context(), thing(t, "{}"), old))
	answer{errors: []string{`FieldValueNotSupported status.phase: Unsupported value: "Sideways": supported values: "Up", "Down"`}}.
		require(t, v.Update(t.Context(), thing(t, "{status: {phase: Sideways}}"), old))
}

// STR-013: errors also block rules in an update, and the last error reports it.
func TestUpdateWithBlockedRules(t *testing.T) {
	v := things(t, `schema: {openAPIV3Schema: {type: object, properties: {
		size: {type: integer, maximum: 5, x-kubernetes-validations: [{rule: self >= oldSelf, message: do not shrink}]},
		name: {type: string, maxLength: 2}}}}`).Version("v1")
	old := thing(t, "{size: 3}")
	answer{errors: []string{
		"FieldValueTooLong name: Too long: may not be more than 2 bytes",
		"FieldValueInvalid <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
	}}.require(t, v.Update(t.Context(), thing(t, "{size: 1, name: long}"), old))
	answer{errors: []string{"FieldValueInvalid size: Invalid value: 1: do not shrink"}}.require(t, v.Update(t.Context(), thing(t, "{size: 1}"), old))
	answer{errors: []string{"FieldValueInvalid size: Invalid value: 9: size in body should be less than or equal to 5"}}.
		require(t, v.Update(t.Context(), thing(t, "{size: 9}"), old))
}

// DEL-004: an update that leaves an object without finalizers deletes it, if it was being deleted.
func TestUpdateThatDeletes(t *testing.T) {
	v := things(t, knobs).Version("v1")
	const deleting = `deletionTimestamp: "2020-01-01T00:00:00Z"`
	for _, c := range []struct {
		name, old, obj string
		want           bool
	}{
		{"the last finalizer goes", "{metadata: {name: a, finalizers: [x.io/f], " + deleting + ", deletionGracePeriodSeconds: 0}}", "{metadata: {name: a}}", true},
		{"no grace period at all", "{metadata: {name: a, finalizers: [x.io/f], " + deleting + "}}", "{metadata: {name: a}}", true},
		{"there was none to begin with", "{metadata: {name: a, " + deleting + "}}", "{metadata: {name: a}}", true},
		{"one is left", "{metadata: {name: a, finalizers: [x.io/f, x.io/g], " + deleting + "}}", "{metadata: {name: a, finalizers: [x.io/g]}}", false},
		{"it still has time", "{metadata: {name: a, finalizers: [x.io/f], " + deleting + ", deletionGracePeriodSeconds: 5}}", "{metadata: {name: a}}", false},
		{"it was not being deleted", "{metadata: {name: a, finalizers: [x.io/f]}}", "{metadata: {name: a}}", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			old := thing(t, c.old)
			result := v.Update(t.Context(), thing(t, c.obj), old)
			require.NoError(t, result.Err())
			require.Equal(t, c.want, result.Deleted)
			require.NotNil(t, result.Object, "the answer is the object")
			require.Equal(t, old["metadata"].(map[string]any)["deletionTimestamp"], result.Object["metadata"].(map[string]any)["deletionTimestamp"])
		})
	}
	old := thing(t, "{metadata: {name: a, "+deleting+"}, status: {phase: Up}}")
	require.True(t, v.UpdateStatus(t.Context(), thing(t, "{metadata: {name: a, finalizers: [x.io/f]}}"), old).Deleted, "an update of the status does it, too")
	require.False(t, v.Update(t.Context(), thing(t, "{metadata: {name: a}, spec: {size: 9}}"), old).Deleted, "a refusal does not")
}

// STR-017: a request to a deprecated version has a warning, whatever its result.
func TestUpdateThroughADeprecatedVersion(t *testing.T) {
	v := compile(t, gadgets).Version("v1beta1")
	old := gadget(t, "{metadata: {name: a, namespace: ns, generation: 1}, spec: {replicas: 2}}")
	obj := gadget(t, "{apiVersion: example.com/v1beta1, metadata: {name: a, namespace: ns}, spec: {replicas: 3}}")
	deprecated := []string{"example.com/v1beta1 Gadget is deprecated; use example.com/v1 Gadget"}
	answer{warnings: deprecated, object: gadget(t, "{apiVersion: example.com/v1beta1, metadata: {name: a, namespace: ns, generation: 2}, spec: {replicas: 3}}")}.
		require(t, v.Update(t.Context(), obj, old))
	for name, result := range map[string]resource.Result{
		"update": v.Update(t.Context(), obj, nil), "status": v.UpdateStatus(t.Context(), obj, old), "read": v.Read(nil),
		"patch": v.Patch(t.Context(), "x", nil, old), "delete": v.Delete(t.Context(), nil, resource.DeleteOptions{}), "scale": v.UpdateScale(t.Context(), nil, old),
	} {
		require.NotNil(t, result.Failure, name)
		require.Equal(t, deprecated, result.Warnings, name)
	}
}

// Requests that an update refuses before it validates the object.
func TestRefusedUpdates(t *testing.T) {
	v := things(t, knobs).Version("v1")
	// STR-007, SUB-001
	answer{failure: `404 NotFound: things.example.com "" not found`}.require(t, v.Update(t.Context(), thing(t, "{}"), nil))
	answer{errors: []string{`FieldValueNotSupported fieldValidation: Unsupported value: "x": supported values: "", "Ignore", "Strict", "Warn"`}}.
		require(t, v.With(resource.RequestOptions{FieldValidation: "x"}).Update(t.Context(), thing(t, "{}"), thing(t, "{}")))
	require.Equal(t, `UpdateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "x": supported values: "", "Ignore", "Strict", "Warn"`,
		v.With(resource.RequestOptions{FieldValidation: "x"}).Update(t.Context(), thing(t, "{}"), thing(t, "{}")).Err().Error())
	require.Equal(t, 400, v.Update(t.Context(), nil, thing(t, "{}")).Status().Code)
	require.Equal(t, 400, v.Update(t.Context(), map[string]any{"kind": 5}, thing(t, "{}")).Status().Code)

	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, result := range []resource.Result{
		v.Update(canceled, thing(t, "{}"), thing(t, "{}")), v.UpdateStatus(canceled, thing(t, "{}"), thing(t, "{}")),
		v.Patch(canceled, mergePatch, []byte("{}"), thing(t, "{}")), v.Delete(canceled, thing(t, "{}"), resource.DeleteOptions{}),
	} {
		require.Equal(t, 500, result.Status().Code)
	}
}

// ORD-003: changes between Decode and Update, for example by mutating admission, are decoded again. Unknown fields are
// pruned at once, and not only when the object is read back.
func TestUpdateOfWhatAdmissionChanged(t *testing.T) {
	v := things(t, knobs).Version("v1")
	obj, _, refusal := v.Decode([]byte(`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"},"spec":{"size":1}}`))
	require.NoError(t, refusal)
	spec := obj["spec"].(map[string]any)
	spec["added"], spec["colour"], spec["ratio"] = int64(1), nil, nil
	answer{object: thing(t, "{metadata: {name: a, generation: 2}, spec: {size: 1, colour: red}}"), warnings: []string{`unknown field "spec.added"`}}.
		require(t, v.Update(t.Context(), obj, thing(t, "{}")))
}

// STR-019: the caller must refuse creates while the definition is being deleted.
func TestTerminatingDefinition(t *testing.T) {
	d := definition(t, knobs)
	d.Metadata["deletionTimestamp"] = "2020-01-01T00:00:00Z"
	r, err := resource.Compile(d)
	require.NoError(t, err)
	require.NoError(t, r.Version("v1").Create(t.Context(), thing(t, "{}")).Err())
}

// DEC-012, SUB-007: unknown fields of an update, for each field validation.
func TestUpdateWithUnknownFields(t *testing.T) {
	r := things(t, knobs)
	obj, old := thing(t, "{spec: {colour: red, zz: 1}}"), thing(t, "{spec: {colour: red}}")
	with := func(mode string) *resource.Version {
		return r.Version("v1").With(resource.RequestOptions{FieldValidation: mode})
	}
	for _, mode := range []string{"", "Warn"} {
		answer{object: old, warnings: []string{`unknown field "spec.zz"`}}.require(t, with(mode).Update(t.Context(), obj, old))
	}
	answer{object: old}.require(t, with("Ignore").Update(t.Context(), obj, old))
	answer{failure: `400 BadRequest: Thing in version "v1" cannot be handled as a Thing: strict decoding error: unknown field "spec.zz"`}.
		require(t, with("Strict").Update(t.Context(), obj, old))
}

// STR-008: the name in the request's URL, if any, is used.
func TestRequestName(t *testing.T) {
	v := things(t, `subresources: {status: {}, scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.size}}, schema: {openAPIV3Schema: {type: object,
		x-kubernetes-preserve-unknown-fields: true}}`).Version("v1")
	named, other := v.With(resource.RequestOptions{Name: "a"}), v.With(resource.RequestOptions{Name: "b"})
	obj := thing(t, "{spec: {size: 1}}")
	scale := map[string]any{"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": map[string]any{"name": "a"}}
	requests := map[string]func(v *resource.Version) resource.Result{
		"update": func(v *resource.Version) resource.Result { return v.Update(t.Context(), obj, obj) },
		"status": func(v *resource.Version) resource.Result { return v.UpdateStatus(t.Context(), obj, obj) },
		"patch":  func(v *resource.Version) resource.Result { return v.Patch(t.Context(), mergePatch, []byte("{}"), obj) },
		"status patch": func(v *resource.Version) resource.Result {
			return v.PatchStatus(t.Context(), mergePatch, []byte("{}"), obj)
		},
		"scale": func(v *resource.Version) resource.Result { return v.UpdateScale(t.Context(), scale, obj) },
		"scale patch": func(v *resource.Version) resource.Result {
			return v.PatchScale(t.Context(), mergePatch, []byte("{}"), obj)
		},
	}
	for name, request := range requests {
		require.NoError(t, request(v).Err(), name)
		require.NoError(t, request(named).Err(), name)
		answer{failure: "400 BadRequest: the name of the object (a) does not match the name on the URL (b)"}.require(t, request(other))
	}
	answer{failure: "400 BadRequest: the name of the object (a) does not match the name on the URL (b)"}.require(t, other.Update(t.Context(), obj, nil))
	answer{failure: "400 BadRequest: the name of the object (a) does not match the name on the URL (b)"}.require(t, other.UpdateStatus(t.Context(), obj, nil))
	answer{failure: `404 NotFound: things.example.com "a" not found`}.require(t, named.Update(t.Context(), obj, nil))
	answer{failure: "400 BadRequest: the name of the object (b based on URL) was undeterminable: name must be provided"}.
		require(t, other.Update(t.Context(), thing(t, "{metadata: {}}"), obj))
}

// STR-007: the Status for a missing resourceVersion has the resource, not the kind.
func TestStatusWithoutResourceVersion(t *testing.T) {
	v := things(t, knobs).Version("v1")
	old := thing(t, `{metadata: {name: a, resourceVersion: "7"}}`)
	for _, meta := range []string{"{name: a}", `{name: a, resourceVersion: "0"}`} {
		status := v.Update(t.Context(), thing(t, "{metadata: "+meta+"}"), old).Status()
		require.Equal(t, `things.example.com "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`, status.Message)
		require.Equal(t, []string{"example.com", "things", "a"}, []string{status.Group, status.Kind, status.Name})
	}
}
