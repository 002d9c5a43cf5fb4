package resource_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/resource"
)

// The tests in this file compare statements about custom objects, in the documentation of Kubernetes and in texts about
// it, with the behaviour of a server. Where they differ, the test follows the server. Each test begins with the
// statement.

// DOC-001: "Unknown fields are pruned before persisting, in all versions." They are, when the object is decoded and
// when it is converted.
func TestDocumentedPruning(t *testing.T) {
	r := things(t, widgets...)
	for _, version := range []string{"v1", "v2"} {
		result := r.Version(version).Create(t.Context(), thing(t, "{apiVersion: example.com/"+version+", spec: {size: 1, zz: 1}, zz: 1}"))
		require.NoError(t, result.Err())
		require.NotContains(t, encode(t, result.Object), "zz")
	}
	converted := r.Version("v2").Read(thing(t, "{spec: {size: 1, colour: red}}")).Object
	require.Equal(t, map[string]any{"size": int64(1)}, converted["spec"], "v2 knows no colour")
}

// DOC-002: "Below x-kubernetes-preserve-unknown-fields, pruning is on again for each property that is specified." Not
// in a list: that preserves the fields of its items as well (PRU-004).
func TestDocumentedPreserving(t *testing.T) {
	v := things(t, `schema: {openAPIV3Schema: {type: object, properties: {
		free: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {known: {type: object, properties: {a: {type: string}}}}},
		list: {type: array, x-kubernetes-preserve-unknown-fields: true, items: {type: object, properties: {a: {type: string}}}}}}}`).Version("v1")
	answer{
		object:   thing(t, "{free: {zz: {z: 1}, known: {a: x}}, list: [{a: x, zz: 1}]}"),
		warnings: []string{`unknown field "free.known.zz"`},
	}.require(t, v.Create(t.Context(), thing(t, "{free: {zz: {z: 1}, known: {a: x, zz: 1}}, list: [{a: x, zz: 1}]}")))
}

// DOC-003: "apiVersion, kind and metadata of an embedded resource are specified implicitly, and validated."
func TestDocumentedEmbedding(t *testing.T) {
	v := things(t, `schema: {openAPIV3Schema: {type: object, properties: {pod: {type: object, x-kubernetes-embedded-resource: true, properties: {spec: {type: object}}}}}}`).Version("v1")
	obj := thing(t, "{pod: {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {}}}")
	answer{object: obj}.require(t, v.Create(t.Context(), obj))
	answer{errors: []string{
		`FieldValueRequired pod.apiVersion: Required value`,
		`FieldValueRequired pod.kind: Required value`,
		`FieldValueInvalid pod.metadata.name: Invalid value: "a/b": may not contain '/'`,
	}}.require(t, v.Create(t.Context(), thing(t, "{pod: {metadata: {name: a/b}}}")))
}

// DOC-004: "Defaults are those of the request's version in requests, and of the storage version when reading; those are
// not written back." The storage version is the one that the object was stored in, whatever the definition says today.
func TestDocumentedDefaults(t *testing.T) {
	r := things(t, books...)
	obj, _, refusal := r.Version("v2").Decode([]byte(`{"apiVersion":"example.com/v2","kind":"Thing","spec":{}}`))
	require.NoError(t, refusal)
	require.Equal(t, map[string]any{"d2": "fromv2", "both": "v2"}, obj["spec"])

	stored := thing(t, "{apiVersion: example.com/v2, spec: {}}")
	answer{object: thing(t, "{spec: {both: v2}}")}.require(t, r.Version("v1").Read(stored))
	require.Equal(t, map[string]any{}, stored["spec"])
}

// DOC-005: "Defaults are pruned when the definition is written, except those of metadata, which are pruned with the
// requests." Here both are pruned before the first request.
func TestDocumentedDefaultsOfMetadata(t *testing.T) {
	v := things(t, `schema: {openAPIV3Schema: {type: object, properties: {pod: {type: object, x-kubernetes-embedded-resource: true, properties: {
		spec: {type: object, default: {zz: 1, a: x}, properties: {a: {type: string}}},
		metadata: {type: object, properties: {name: {type: string, default: p}, zz: {type: string, default: z}}}}}}}}`).Version("v1")
	answer{object: thing(t, "{pod: {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {a: x}}}")}.
		require(t, v.Create(t.Context(), thing(t, "{pod: {apiVersion: v1, kind: Pod, metadata: {}}}")))
}

// DOC-006: "A null is pruned before defaults are filled in, where the field is not nullable; else it stays, and gets no
// default."
func TestDocumentedNulls(t *testing.T) {
	v := things(t, `schema: {openAPIV3Schema: {type: object, properties: {
		a: {type: string, default: x}, b: {type: string, nullable: true, default: x}, c: {type: string}}}}`).Version("v1")
	answer{object: thing(t, "{a: x, b: null}")}.require(t, v.Create(t.Context(), thing(t, "{a: null, b: null, c: null}")))
}

// DOC-007: "Finalizers have the form domain/name, and when a deletion has begun they can only be removed." A missing
// domain is a warning.
func TestDocumentedFinalizers(t *testing.T) {
	v := things(t, knobs).Version("v1")
	answer{warnings: []string{`metadata.finalizers: "f": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers`}}.
		require(t, v.Create(t.Context(), thing(t, "{metadata: {name: a, finalizers: [f, x.io/f]}}")))
	old := thing(t, `{metadata: {name: a, deletionTimestamp: "2020-01-01T00:00:00Z", finalizers: [x.io/f, x.io/g]}}`)
	answer{}.require(t, v.Update(t.Context(), thing(t, "{metadata: {name: a, finalizers: [x.io/g]}}"), old))
	require.ErrorContains(t, v.Update(t.Context(), thing(t, "{metadata: {name: a, finalizers: [x.io/g, x.io/h]}}"), old).Err(),
		"no new finalizers can be added if the object is being deleted")
}

// DOC-008: "An update of /status ignores everything but the status, and validates only that." This is true for the
// schema. Metadata, lists and rules are validated for the whole object (STR-014).
func TestDocumentedStatus(t *testing.T) {
	v := things(t, `subresources: {status: {}}, schema: {openAPIV3Schema: {type: object, x-kubernetes-validations: [{rule: self.spec.size < 9, message: too big}], properties: {
		spec: {type: object, properties: {size: {type: integer, maximum: 5}}}, status: {type: object, properties: {phase: {type: string}}}}}}`).Version("v1")
	answer{object: thing(t, "{spec: {size: 6}, status: {phase: Up}}")}.
		require(t, v.UpdateStatus(t.Context(), thing(t, "{spec: {size: 1}, status: {phase: Up}}"), thing(t, "{spec: {size: 6}}")))
	answer{errors: []string{"FieldValueInvalid <nil>: Invalid value: too big"}}.
		require(t, v.UpdateStatus(t.Context(), thing(t, "{spec: {size: 1}, status: {phase: Up}}"), thing(t, "{spec: {size: 9}}")))
}

// DOC-009: "PUT, POST and PATCH of the object ignore its status." This applies only with the subresource; a POST drops
// the status.
func TestDocumentedStatusOfTheObject(t *testing.T) {
	v := things(t, widgets...).Version("v1")
	obj, old := thing(t, "{spec: {colour: red}, status: {phase: Down}}"), thing(t, "{spec: {colour: red}, status: {phase: Up}}")
	answer{object: thing(t, "{spec: {colour: red}}")}.require(t, v.Create(t.Context(), obj))
	answer{object: old}.require(t, v.Update(t.Context(), obj, old))
	answer{object: old}.require(t, v.Patch(t.Context(), mergePatch, []byte(`{"status":null}`), old))
	answer{object: old}.require(t, v.Patch(t.Context(), jsonPatch, []byte(`[{"op":"remove","path":"/status"}]`), old))
}

// DOC-010: "generation is incremented for every change except of metadata and status." Without the subresource, it is
// also incremented for changes of the status.
func TestDocumentedGeneration(t *testing.T) {
	with := things(t, widgets...).Version("v1")
	without := things(t, `schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}`).Version("v1")
	for _, c := range []struct {
		name, patch   string
		with, without int64
	}{
		{"nothing", `{}`, 1, 1},
		{"metadata", `{"metadata":{"labels":{"a":"b"}}}`, 1, 1},
		{"spec", `{"spec":{"size":2}}`, 2, 2},
		{"status", `{"status":{"phase":"Down"}}`, 1, 2},
	} {
		old := thing(t, "{spec: {colour: red}, status: {phase: Up}}")
		generation := func(v *resource.Version) any {
			result := v.Patch(t.Context(), mergePatch, []byte(c.patch), old)
			require.NoError(t, result.Err(), c.name)
			return result.Object["metadata"].(map[string]any)["generation"]
		}
		require.Equal(t, c.with, generation(with), c.name)
		require.Equal(t, c.without, generation(without), c.name)
	}
}

// DOC-011: "Getting the scale fails without replicas in the spec; those of the status are 0 if missing, and the
// selector is empty; it is a string." An empty selector is not shown.
func TestDocumentedScale(t *testing.T) {
	v := things(t, pools).Version("v1")
	_, refused := v.Scale(thing(t, "{spec: {}}"))
	require.Equal(t, 500, statusOf(t, refused).Code)
	scale, refused := v.Scale(thing(t, "{spec: {replicas: 1}}"))
	require.NoError(t, refused)
	require.Equal(t, map[string]any{"replicas": int64(0)}, scale["status"])
	_, refused = v.Scale(thing(t, "{spec: {replicas: 1}, status: {selector: {a: b}}}"))
	require.Equal(t, "500 : .status.selector accessor error: map[] is of the type map[string]interface {}, expected string", encodeStatus(refused))
}

// DOC-012: "Never ratcheted are allOf, oneOf, anyOf, not and what is below them, required, list types and map keys, the
// removal of additionalProperties, and metadata." The server is more lenient: only Kubernetes' own rules of metadata
// are never ratcheted (RAT-007, RAT-011, RAT-020).
func TestDocumentedRatcheting(t *testing.T) {
	for _, c := range []struct {
		name, properties string // after the schema has changed
		old, obj         string
		errors           []string
	}{
		{"anyOf", "spec: {type: object, properties: {a: {type: integer, anyOf: [{minimum: 5}, {maximum: -5}]}, b: {type: string}}}", "{spec: {a: 1}}", "{spec: {a: 1, b: x}}", nil},
		{"oneOf", "spec: {type: object, properties: {a: {type: integer, oneOf: [{minimum: 5}, {minimum: 6}]}, b: {type: string}}}", "{spec: {a: 7}}", "{spec: {a: 7, b: x}}", nil},
		{"allOf", "spec: {type: object, properties: {a: {type: integer, allOf: [{minimum: 5}]}, b: {type: string}}}", "{spec: {a: 1}}", "{spec: {a: 1, b: x}}", nil},
		{"not", "spec: {type: object, properties: {a: {type: integer, not: {minimum: 0}}, b: {type: string}}}", "{spec: {a: 1}}", "{spec: {a: 1, b: x}}", nil},
		{"below one, if anything around it changes", "spec: {type: object, allOf: [{properties: {a: {minimum: 5}}}], properties: {a: {type: integer}, b: {type: string}}}", "{spec: {a: 1}}", "{spec: {a: 1, b: x}}",
			[]string{
				"FieldValueInvalid spec.a: Invalid value: 1: spec.a in body should be greater than or equal to 5",
				`FieldValueInvalid <nil>: Invalid value: "": "spec" must validate all the schemas (allOf). None validated`,
			}},
		{"required", "spec: {type: object, properties: {a: {type: object, required: [x], properties: {x: {type: string}, z: {type: string}}}, b: {type: string}}}", "{spec: {a: {}}}", "{spec: {a: {}, b: x}}", nil},
		{"required, with a change of a sibling", "spec: {type: object, properties: {a: {type: object, required: [x], properties: {x: {type: string}, z: {type: string}}}}}", "{spec: {a: {}}}", "{spec: {a: {z: x}}}",
			[]string{"FieldValueRequired spec.a.x: Required value"}},
		{"a list type", "a: {type: array, x-kubernetes-list-type: set, items: {type: string}}, b: {type: string}", "{a: [x, x]}", "{a: [x, x, x], b: x}", nil},
		{"map keys", "a: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string}, v: {type: string}}}}, b: {type: string}",
			"{a: [{k: x, v: '1'}, {k: x, v: '1'}]}", "{a: [{k: x, v: '1'}, {k: x, v: '1'}], b: x}", nil},
		{"additionalProperties that are gone", "a: {type: object}, b: {type: string}", "{a: {x: 1}}", "{a: {x: 1}, b: x}", nil},
		{"rules of the schema for metadata", "metadata: {type: object, properties: {name: {type: string, minLength: 9}}}, b: {type: string}", "{}", "{b: x}", nil},
		{"Kubernetes' own rules for metadata", "b: {type: string}", "{metadata: {name: a, labels: {x: '-'}}}", "{metadata: {name: a, labels: {x: '-'}}, b: x}", []string{badLabel, badLabel, badLabel}},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := things(t, "schema: {openAPIV3Schema: {type: object, properties: {"+c.properties+"}}}").Version("v1")
			require.Equal(t, c.errors, given.Typed(v.Update(t.Context(), thing(t, c.obj), thing(t, c.old)).Errors))
			require.Equal(t, c.name != "additionalProperties that are gone", v.Create(t.Context(), thing(t, c.obj)).Err() != nil, "a create forgives nothing")
		})
	}
}

// DOC-013: "A rule that fails for an object reports []: Invalid value: map[string]interface {}{...}". No value of that
// kind is shown.
func TestDocumentedErrorOfARule(t *testing.T) {
	v := things(t, `schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {min: {type: integer}, max: {type: integer}},
		x-kubernetes-validations: [{rule: self.min <= self.max}]}}}}`).Version("v1")
	require.EqualError(t, v.Create(t.Context(), thing(t, "{spec: {min: 2, max: 1}}")).Err(),
		`Thing.example.com "a" is invalid: spec: Invalid value: failed rule: self.min <= self.max`)
}

// DOC-014: "spec.replicas: Invalid value: 15: spec.replicas in body should be less than or equal to 10". The text is
// exactly this.
func TestDocumentedErrorOfABound(t *testing.T) {
	v := things(t, `schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {replicas: {type: integer, minimum: 1, maximum: 10}}}}}}`).Version("v1")
	require.EqualError(t, v.Create(t.Context(), thing(t, "{spec: {replicas: 15}}")).Err(),
		`Thing.example.com "a" is invalid: spec.replicas: Invalid value: 15: spec.replicas in body should be less than or equal to 10`)
}

// DOC-015: "type: float", in an example. There is no such type: no value has it (VAL-010).
func TestDocumentedTypeFloat(t *testing.T) {
	v := things(t, `schema: {openAPIV3Schema: {type: object, properties: {a: {type: float}}}}`).Version("v1")
	for _, value := range []string{"1.5", "1", "x", "true", "[]", "{}"} {
		result := v.Create(t.Context(), thing(t, "{a: "+value+"}"))
		require.Len(t, result.Errors, 1, value)
		require.Contains(t, result.Errors[0].Error(), "a in body must be of type float", value)
	}
}

// DOC-016: "Patterns are not anchored; items may be a list of schemas." They are not; they may not.
func TestDocumentedPatterns(t *testing.T) {
	v := things(t, `schema: {openAPIV3Schema: {type: object, properties: {a: {type: string, pattern: b+}}}}`).Version("v1")
	answer{}.require(t, v.Create(t.Context(), thing(t, "{a: abba}")))
	answer{errors: []string{`FieldValueInvalid a: Invalid value: "aa": a in body should match 'b+'`}}.require(t, v.Create(t.Context(), thing(t, "{a: aa}")))

	_, err := resource.Compile(definition(t, `schema: {openAPIV3Schema: {type: object, properties: {a: {type: array, items: [{type: string}]}}}}`))
	require.Error(t, err)
}

// DOC-017: "Pruning runs after admission." It runs before, when the request is decoded. Unknown fields are never
// validated, and webhooks do not see them.
func TestDocumentedOrderOfPruning(t *testing.T) {
	v := things(t, `schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, maxProperties: 1, properties: {a: {type: string}}}}}}`).Version("v1")
	obj, _, refusal := v.Decode([]byte(`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"},"spec":{"a":"x","zz":1}}`))
	require.NoError(t, refusal)
	require.Equal(t, map[string]any{"a": "x"}, obj["spec"])
	require.NoError(t, v.Create(t.Context(), obj).Err())
}

// DOC-018: "Field selectors select by metadata.name, metadata.namespace and selectableFields." Cluster-scoped objects
// have no namespace.
func TestDocumentedFieldSelectors(t *testing.T) {
	v := things(t, `selectableFields: [{jsonPath: .spec.a}], schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {a: {type: string}, b: {type: string}}}}}}`).Version("v1")
	obj := thing(t, "{spec: {a: x, b: x}}")
	for _, c := range []struct {
		fields  string
		matches bool
		refused string
	}{
		{fields: "metadata.name=a", matches: true},
		{fields: "metadata.name=b"},
		{fields: "spec.a=x", matches: true},
		{fields: "metadata.namespace=", refused: "400 BadRequest: field label not supported: metadata.namespace"},
		{fields: "spec.b=x", refused: "400 BadRequest: field label not supported: spec.b"},
	} {
		s, refused := v.Selector("", c.fields)
		if c.refused != "" {
			require.Equal(t, c.refused, encodeStatus(refused), c.fields)
			continue
		}
		require.NoError(t, refused, c.fields)
		require.Equal(t, c.matches, s.Matches(obj), c.fields)
	}
	_, refused := compile(t, gadgets).Version("v1").Selector("", "metadata.namespace=ns")
	require.NoError(t, refused)
}

// DOC-019: "For rules, fields with null count as absent." Most are removed before; has() is false for those that stay.
func TestDocumentedNullsInRules(t *testing.T) {
	v := things(t, `schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object,
		x-kubernetes-validations: [{rule: "!has(self.a) && !has(self.b)", message: there}],
		properties: {a: {type: string}, b: {type: string, nullable: true}}}}}}`).Version("v1")
	answer{object: thing(t, "{spec: {b: null}}")}.require(t, v.Create(t.Context(), thing(t, "{spec: {a: null, b: null}}")))
	answer{errors: []string{"FieldValueInvalid spec: Invalid value: there"}}.require(t, v.Create(t.Context(), thing(t, "{spec: {b: x}}")))
}

// DOC-020: "All versions have the same schema, and the order of the list is that of their priority." Each version has
// its own schema, and the priority depends on the names.
func TestDocumentedVersions(t *testing.T) {
	number := "schema: {openAPIV3Schema: {type: object, properties: {a: {type: integer}}}}"
	text := "schema: {openAPIV3Schema: {type: object, properties: {a: {type: string}}}}"
	r := things(t, "deprecated: true, "+number, text, text)
	for version, obj := range map[string]string{"v1": "{apiVersion: example.com/v1, a: 1}", "v2": "{apiVersion: example.com/v2, a: x}"} {
		require.NoError(t, r.Version(version).Create(t.Context(), thing(t, obj)).Err())
	}
	require.Equal(t, []string{"example.com/v1 Thing is deprecated; use example.com/v3 Thing"}, r.Version("v1").Read(thing(t, "{}")).Warnings)
}
