package resource_test

import (
	"context"
	"maps"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

// pools has a version with the usual paths of a scale, and one with deeper paths to values of any type.
const pools = `
subresources: {status: {}, scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas, labelSelectorPath: .status.selector}},
schema: {openAPIV3Schema: {type: object, properties: {
  spec: {type: object, properties: {replicas: {type: integer, maximum: 9}, size: {type: integer, maximum: 5}}},
  status: {type: object, properties: {replicas: {type: integer}, selector: {type: string}}}}}}`

const deepPools = `
subresources: {scale: {specReplicasPath: .spec.r.num, statusReplicasPath: .status.num}},
schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}`

func TestScale(t *testing.T) {
	usual, deep := things(t, pools).Version("v1"), things(t, deepPools).Version("v1")
	for _, c := range []struct {
		name    string
		v       *resource.Version
		old     string
		want    string
		refused string
	}{{
		name: "SCL-003, SUB-021: the metadata that identifies the object", v: usual,
		old: `{metadata: {name: a, uid: u, resourceVersion: "7", creationTimestamp: "2020-01-01T00:00:00Z", generation: 1, labels: {a: b}, annotations: {a: b}},
			spec: {replicas: 3, size: 1}, status: {replicas: 2, selector: a=b}}`,
		want: `{metadata: {name: a, uid: u, resourceVersion: "7", creationTimestamp: "2020-01-01T00:00:00Z"}, spec: {replicas: 3}, status: {replicas: 2, selector: a=b}}`,
	}, {
		name: "SCL-001, SUB-021: no status is 0 replicas and no selector", v: usual,
		old: "{spec: {replicas: 3}}", want: "{metadata: {name: a}, spec: {replicas: 3}, status: {replicas: 0}}",
	}, {
		name: "SUB-021: 0 replicas in the spec are left out, and so is an empty selector", v: usual,
		old: `{spec: {replicas: 0}, status: {selector: ""}}`, want: "{metadata: {name: a}, spec: {}, status: {replicas: 0}}",
	}, {
		name: "SCL-002, SUB-021: no replicas in the spec", v: usual,
		old: "{spec: {}}", refused: `500 InternalError: Internal error occurred: the spec replicas field ".spec.replicas" does not exist`,
	}, {
		name: "SCL-002, SUB-021: a null on the path", v: deep,
		old: "{spec: {r: null}}", refused: `500 InternalError: Internal error occurred: the spec replicas field ".spec.r.num" does not exist`,
	}, {
		name: "SCL-001: a null at the end", v: deep,
		old: "{spec: {r: {num: null}}}", refused: "500 : .spec.r.num accessor error: <nil> is of the type <nil>, expected int64",
	}, {
		name: "SCL-001: no object on the way", v: deep,
		old: "{spec: {r: s}}", refused: "500 : .spec.r.num accessor error: s is of the type string, expected map[string]interface{}",
	}, {
		name: "SCL-001: a fraction", v: deep,
		old: "{spec: {r: {num: 1.5}}}", refused: "500 : .spec.r.num accessor error: 1.5 is of the type float64, expected int64",
	}, {
		name: "SCL-001: the spec is read first, then the status, then the selector", v: usual,
		old: "{spec: {replicas: 1}, status: {replicas: x, selector: 5}}", refused: "500 : .status.replicas accessor error: x is of the type string, expected int64",
	}, {
		name: "SCL-001: a selector that is not a string", v: usual,
		old: "{spec: {replicas: 1}, status: {selector: 5}}", refused: "500 : .status.selector accessor error: 5 is of the type int64, expected string",
	}, {
		name: "SCL-001, SUB-021: numbers are cut to 32 bits", v: deep,
		old: "{spec: {r: {num: 4294967298}}, status: {num: 2147483648}}", want: "{metadata: {name: a}, spec: {replicas: 2}, status: {replicas: -2147483648}}",
	}} {
		t.Run(c.name, func(t *testing.T) {
			old := thing(t, c.old)
			before := unstructured.Clone(old)
			scale, refused := c.v.Scale(old)
			require.Equal(t, before, old, "old was modified")
			if c.refused != "" {
				require.NotNil(t, refused)
				require.Equal(t, c.refused, encodeStatus(refused))
				require.Nil(t, scale)
				return
			}
			require.NoError(t, refused)
			want := given.Object(t, c.want)
			want["apiVersion"], want["kind"] = "autoscaling/v1", "Scale"
			require.Equal(t, want, scale)
		})
	}
	// A whole number is stored as an integer (DEC-009).
	scale, refused := deep.Scale(map[string]any{"apiVersion": "example.com/v1", "kind": "Thing", "spec": map[string]any{"r": map[string]any{"num": 3.0}}})
	require.NoError(t, refused)
	require.Equal(t, map[string]any{"replicas": int64(3)}, scale["spec"])
}

// SUB-020: a path is cut at every dot, and nothing in it is escaped or an index.
func TestOddPathsOfAScale(t *testing.T) {
	v := things(t, `subresources: {scale: {specReplicasPath: '.spec.a[0].b\.c', statusReplicasPath: .status.}},
		schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}`).Version("v1")
	scale, refused := v.Scale(thing(t, `{"spec":{"a[0]":{"b\\":{"c":3}}},"status":{"":2}}`))
	require.NoError(t, refused)
	require.Equal(t, map[string]any{"replicas": int64(3)}, scale["spec"])
	require.Equal(t, map[string]any{"replicas": int64(2)}, scale["status"])
}

// SUB-022: a version without the subresource.
func TestNoScale(t *testing.T) {
	v := things(t, knobs).Version("v1")
	const want = `404 NotFound: things.example.com "a" not found`
	_, refused := v.Scale(thing(t, "{}"))
	require.Equal(t, want, encodeStatus(refused))
	answer{failure: want}.require(t, v.UpdateScale(t.Context(), scale(t, "{spec: {replicas: 1}}"), thing(t, "{}")))
	answer{failure: want}.require(t, v.PatchScale(t.Context(), mergePatch, []byte("{}"), thing(t, "{}")))

	v = things(t, pools).Version("v1")
	_, refused = v.Scale(nil)
	require.Equal(t, 404, statusOf(t, refused).Code)
	require.Equal(t, 404, v.UpdateScale(t.Context(), scale(t, "{}"), nil).Status().Code)
	require.Equal(t, 404, v.PatchScale(t.Context(), mergePatch, []byte("{}"), nil).Status().Code)
}

// scale returns a Scale of the Thing a. Members of the document are added or replace existing ones.
func scale(t testing.TB, document string) map[string]any {
	t.Helper()
	s := map[string]any{"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": map[string]any{"name": "a"}}
	maps.Copy(s, given.Object(t, document))
	return s
}

const noScaleKind = `400 BadRequest: no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"`

func TestUpdateScale(t *testing.T) {
	usual, deep := things(t, pools).Version("v1"), things(t, deepPools).Version("v1")
	const outdated = `409 Conflict: Operation cannot be fulfilled on things.example.com "a": the object has been modified; please apply your changes to the latest version and try again`
	requireUpdates(t, []requestCase{{
		name: "SCL-004, SUB-022: the replicas, and nothing else", v: usual,
		sent: "{metadata: {name: a, labels: {x: z}}, spec: {replicas: 4}, status: {replicas: 9, selector: x}}", old: "{spec: {replicas: 1, size: 1}, status: {replicas: 1}}",
		want: "{metadata: {name: a, generation: 2}, spec: {replicas: 4, size: 1}, status: {replicas: 1}}",
	}, {
		name: "SCL-004, SUB-022: none are 0", v: usual,
		sent: "{}", old: "{spec: {replicas: 1}}", want: "{metadata: {name: a, generation: 2}, spec: {replicas: 0}}",
	}, {
		name: "SCL-004: objects on the way are made", v: deep,
		sent: "{spec: {replicas: 4}}", old: "{}", want: "{metadata: {name: a, generation: 2}, spec: {r: {num: 4}}}",
	}, {
		name: "SCL-004, SUB-022: a null in the way", v: deep,
		sent: "{spec: {replicas: 4}}", old: "{spec: {r: null}}", failure: "500 : value cannot be set because .spec.r is not a map[string]interface{}",
	}, {
		name: "SCL-001, SUB-022: something else in the way", v: deep,
		sent: "{spec: {replicas: 4}}", old: "{spec: {r: s}}", failure: "500 : .spec.r.num accessor error: s is of the type string, expected map[string]interface{}",
	}, {
		name: "SCL-004: the number for no replicas", v: usual,
		sent: "{spec: {replicas: -2147483648}}", old: "{spec: {replicas: 1}}", failure: `400 BadRequest: the spec replicas field ".spec.replicas" cannot be empty`,
	}, {
		name: "SCL-004, SUB-022: the whole object is validated, as in an update", v: usual,
		sent: "{spec: {replicas: -4}}", old: "{metadata: {name: a, labels: {x: '-'}}, spec: {replicas: 1}}",
		errors: []string{badLabel, badLabel, badLabel, "FieldValueInvalid .spec.replicas: Invalid value: -4: should be a non-negative integer"},
	}, {
		name: "SCL-004: with its schema, and with ratcheting", v: usual,
		sent: "{spec: {replicas: 10}}", old: "{spec: {replicas: 1, size: 9}}",
		errors: []string{"FieldValueInvalid spec.replicas: Invalid value: 10: spec.replicas in body should be less than or equal to 9"},
	}, {
		name: "SCL-004, SUB-022: a resourceVersion that is outdated", v: usual,
		sent: `{metadata: {name: a, resourceVersion: "6"}, spec: {replicas: 4}}`, old: `{metadata: {name: a, resourceVersion: "7"}, spec: {replicas: 1}}`, failure: outdated,
	}, {
		name: "SCL-006: or none", v: usual,
		sent: "{spec: {replicas: 4}}", old: `{metadata: {name: a, resourceVersion: "7"}, spec: {replicas: 1}}`,
		want: `{metadata: {name: a, resourceVersion: "7", generation: 2}, spec: {replicas: 4}}`,
	}, {
		name: "SCL-006: another uid", v: usual,
		sent: "{metadata: {name: a, uid: w}, spec: {replicas: 4}}", old: "{metadata: {name: a, uid: u}, spec: {replicas: 1}}",
		failure: `409 Conflict: Operation cannot be fulfilled on things.example.com "a": StorageError: invalid object, Code: 4, Key: /registry/example.com/things/a, ` +
			"ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: w, UID in object meta: u",
	}, {
		name: "SCL-006, SUB-022: another name", v: usual,
		sent: "{metadata: {name: b}, spec: {replicas: 4}}", old: "{spec: {replicas: 1}}",
		failure: "400 BadRequest: the name of the object (b) does not match the name on the URL (a)",
	}, {
		name: "SCL-006: unknown fields warn", v: usual,
		sent: "{metadata: {name: a, zz: 1}, spec: {replicas: 4, zz: 1}, zz: 1}", old: "{spec: {replicas: 1}}",
		want:     "{metadata: {name: a, generation: 2}, spec: {replicas: 4}}",
		warnings: []string{`unknown field "metadata.zz"`, `unknown field "spec.zz"`, `unknown field "zz"`},
	}, {
		name: "SCL-006, SUB-022: replicas beyond 32 bits", v: usual,
		sent: "{spec: {replicas: 3000000000}}", old: "{spec: {replicas: 1}}", failure: noScaleKind,
	}, {
		name: "SCL-006: a fraction", v: usual,
		sent: "{spec: {replicas: 7.5}}", old: "{spec: {replicas: 1}}", failure: noScaleKind,
	}, {
		name: "SCL-006: malformed metadata", v: usual,
		sent: "{metadata: {name: 5}, spec: {replicas: 1}}", old: "{spec: {replicas: 1}}", failure: noScaleKind,
	}, {
		name: "SCL-006: another kind", v: usual,
		sent: "{kind: Other}", old: "{spec: {replicas: 1}}", failure: noScaleKind,
	}, {
		name: "SCL-006: another version", v: usual,
		sent: "{apiVersion: autoscaling/v2}", old: "{spec: {replicas: 1}}", failure: noScaleKind,
	}}, scale, func(c requestCase, obj, old map[string]any) resource.Result {
		return c.v.UpdateScale(t.Context(), obj, old)
	})

	strict := usual.With(resource.RequestOptions{FieldValidation: "Strict"})
	answer{failure: noScaleKind}.require(t, strict.UpdateScale(t.Context(), scale(t, "{zz: 1}"), thing(t, "{spec: {replicas: 1}}")))
	silent := usual.With(resource.RequestOptions{FieldValidation: "Ignore"})
	answer{}.require(t, silent.UpdateScale(t.Context(), scale(t, "{zz: 1}"), thing(t, "{spec: {replicas: 1}}")))
	answer{errors: []string{`FieldValueNotSupported fieldValidation: Unsupported value: "x": supported values: "", "Ignore", "Strict", "Warn"`}}.
		require(t, usual.With(resource.RequestOptions{FieldValidation: "x"}).UpdateScale(t.Context(), scale(t, "{}"), thing(t, "{spec: {replicas: 1}}")))
	answer{failure: noScaleKind}.require(t, usual.UpdateScale(t.Context(), map[string]any{"spec": math.NaN()}, thing(t, "{spec: {replicas: 1}}")))
}

// SCL-006: if the storage version does not have the path, the replicas are lost without a warning.
func TestScaleThatStorageForgets(t *testing.T) {
	v := things(t, "schema: {openAPIV3Schema: {type: object}}", deepPools).Version("v2")
	result := v.UpdateScale(t.Context(), scale(t, "{spec: {replicas: 4}}"), thing(t, "{}"))
	answer{object: thing(t, "{apiVersion: example.com/v2, metadata: {name: a, generation: 2}}")}.require(t, result)
	_, refused := v.Scale(result.Object)
	require.Equal(t, `500 InternalError: Internal error occurred: the spec replicas field ".spec.r.num" does not exist`, encodeStatus(refused))
	written, err := v.WrittenScale(result.Object)
	require.NoError(t, err)
	require.Equal(t, scale(t, "{spec: {}, status: {replicas: 0}}"), written)
}

// SCL-001: what cannot be shown after a write is a bad request.
func TestWrittenScale(t *testing.T) {
	v := things(t, deepPools).Version("v1")
	for document, want := range map[string]string{
		"{spec: {r: {num: 2}}, status: {num: 1}}": "{spec: {replicas: 2}, status: {replicas: 1}}",
		"{spec: {r: {num: 0}}}":                   "{spec: {}, status: {replicas: 0}}",
		"{}":                                      "{spec: {}, status: {replicas: 0}}",
	} {
		written, err := v.WrittenScale(thing(t, document))
		require.NoError(t, err, document)
		require.Equal(t, scale(t, want), written, document)
	}
	_, err := v.WrittenScale(thing(t, "{spec: {r: {num: x}}}"))
	require.Equal(t, "400 BadRequest: .spec.r.num accessor error: x is of the type string, expected int64", encodeStatus(err))
	_, err = v.WrittenScale(nil)
	require.Equal(t, 404, statusOf(t, err).Code)
	_, err = (*resource.Version)(nil).WrittenScale(thing(t, "{}"))
	require.Error(t, err)
}

// SCL-005: the replicas that a request sets are validated even if the schema does not have them, with and without
// admission.
func TestScaleThatTheSchemaPrunes(t *testing.T) {
	v := things(t, "subresources: {scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}}, schema: {openAPIV3Schema: {type: object}}").Version("v1")
	admit := func(_ context.Context, obj, _ map[string]any) (map[string]any, error) { return maps.Clone(obj), nil }
	for _, v := range []*resource.Version{v, v.With(resource.RequestOptions{Admit: admit})} {
		patch := func(document string) resource.Result {
			return v.PatchScale(t.Context(), mergePatch, []byte(document), thing(t, "{}"))
		}
		answer{errors: []string{"FieldValueInvalid .spec.replicas: Invalid value: -1: should be a non-negative integer"}}.
			require(t, patch(`{"spec":{"replicas":-1}}`))
		result := patch(`{"spec":{"replicas":1}}`)
		require.NoError(t, result.Err())
		require.Nil(t, result.Object["spec"])
	}
	drop := func(_ context.Context, obj, _ map[string]any) (map[string]any, error) {
		obj = maps.Clone(obj)
		delete(obj, "spec")
		return obj, nil
	}
	require.NoError(t, v.With(resource.RequestOptions{Admit: drop}).PatchScale(t.Context(), mergePatch, []byte(`{"spec":{"replicas":-1}}`), thing(t, "{}")).Err())
	spoil := func(_ context.Context, obj, _ map[string]any) (map[string]any, error) {
		obj = maps.Clone(obj)
		obj["spec"] = "s"
		return obj, nil
	}
	answer{failure: "500 : .spec.replicas accessor error: s is of the type string, expected map[string]interface{}"}.
		require(t, v.With(resource.RequestOptions{Admit: spoil}).PatchScale(t.Context(), mergePatch, []byte(`{"spec":{"replicas":-1}}`), thing(t, "{}")))
}

// SCL-005, SUB-023: every write of the object checks the fields of its Scale, an update of its status only those in the
// status.
func TestScaleOfAnUpdate(t *testing.T) {
	v := things(t, pools).Version("v1")
	obj := thing(t, "{spec: {replicas: -1}, status: {replicas: 2147483648, selector: x}}")
	answer{errors: []string{"FieldValueInvalid .spec.replicas: Invalid value: -1: should be a non-negative integer"}}.
		require(t, v.Update(t.Context(), obj, thing(t, "{}")))
	answer{errors: []string{"FieldValueInvalid .status.replicas: Invalid value: 2147483648: should be less than or equal to 2147483647"}}.
		require(t, v.UpdateStatus(t.Context(), obj, thing(t, "{spec: {replicas: -1}}")))
	// These errors are not ratcheted.
	answer{errors: []string{"FieldValueInvalid .spec.replicas: Invalid value: -1: should be a non-negative integer"}}.
		require(t, v.Update(t.Context(), thing(t, "{spec: {replicas: -1, size: 1}}"), thing(t, "{spec: {replicas: -1}}")))
}

func TestPatchScale(t *testing.T) {
	usual, deep := things(t, pools).Version("v1"), things(t, deepPools).Version("v1")
	const shown = `{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"a","uid":"u","resourceVersion":"7"},`
	undecodable := func(text, why string) []string {
		return []string{"FieldValueInvalid patch: Invalid value: " + encode(t, text) + ": " + why}
	}
	requireAnswers(t, []requestCase{{
		name: "SCL-007: a merge patch", v: usual, contentType: mergePatch,
		sent: `{"spec":{"replicas":4}}`, old: `{metadata: {name: a, uid: u, resourceVersion: "7", generation: 1}, spec: {replicas: 1}}`,
		want: `{metadata: {name: a, uid: u, resourceVersion: "7", generation: 2}, spec: {replicas: 4}}`,
	}, {
		name: "SCL-007: a JSON patch, of the object as a Scale", v: usual, contentType: jsonPatch,
		sent: `[{"op":"test","path":"/status/selector","value":"a=b"},{"op":"replace","path":"/spec/replicas","value":4}]`,
		old:  "{spec: {replicas: 1}, status: {selector: a=b}}", want: "{metadata: {name: a, generation: 2}, spec: {replicas: 4}, status: {selector: a=b}}",
	}, {
		name: "SCL-007: missing replicas are shown as that number", v: usual, contentType: jsonPatch,
		sent: `[{"op":"test","path":"/spec/replicas","value":-2147483648},{"op":"replace","path":"/spec/replicas","value":4}]`,
		old:  "{}", want: "{metadata: {name: a, generation: 2}, spec: {replicas: 4}}",
	}, {
		name: "SCL-004, SUB-022: an object without replicas stays so, which is refused", v: usual, contentType: mergePatch,
		sent: "{}", old: "{}", failure: `400 BadRequest: the spec replicas field ".spec.replicas" cannot be empty`,
	}, {
		name: "SUB-022: null is 0", v: usual, contentType: mergePatch,
		sent: `{"spec":{"replicas":null}}`, old: "{spec: {replicas: 1}}", want: "{metadata: {name: a, generation: 2}, spec: {replicas: 0}}",
	}, {
		name: "SCL-007, SUB-022: replicas of another type", v: usual, contentType: mergePatch,
		sent: `{"spec":{"replicas":"x"}}`, old: `{metadata: {name: a, uid: u, resourceVersion: "7"}, spec: {replicas: 1}}`,
		errors: undecodable(shown+`"spec":{"replicas":"x"},"status":{"replicas":0}}`,
			"json: cannot unmarshal string into Go struct field ScaleSpec.spec.replicas of type int32"),
	}, {
		name: "SCL-007: a number with a fraction", v: usual, contentType: mergePatch,
		sent: `{"spec":{"replicas":6.0}}`, old: `{metadata: {name: a, uid: u, resourceVersion: "7"}, spec: {replicas: 1}}`,
		errors: undecodable(shown+`"spec":{"replicas":6.0},"status":{"replicas":0}}`,
			"json: cannot unmarshal number 6.0 into Go struct field ScaleSpec.spec.replicas of type int32"),
	}, {
		name: "SCL-007: another kind", v: usual, contentType: mergePatch,
		sent: `{"kind":"Other"}`, old: "{spec: {replicas: 1}}",
		errors: undecodable(`{"apiVersion":"autoscaling/v1","kind":"Other","metadata":{"name":"a"},"spec":{"replicas":1},"status":{"replicas":0}}`,
			`no kind "Other" is registered for version "autoscaling/v1" in scheme "pkg/runtime/scheme.go:111"`),
	}, {
		name: "SCL-007: the uid is ignored", v: usual, contentType: mergePatch,
		sent: `{"metadata":{"uid":"w"},"spec":{"replicas":4}}`, old: "{metadata: {name: a, uid: u, generation: 1}, spec: {replicas: 1}}",
		want: "{metadata: {name: a, uid: u, generation: 2}, spec: {replicas: 4}}",
	}, {
		name: "SCL-007: the resourceVersion is not", v: usual, contentType: mergePatch,
		sent: `{"metadata":{"resourceVersion":"6"}}`, old: `{metadata: {name: a, resourceVersion: "7"}, spec: {replicas: 1}}`,
		failure: `409 Conflict: Operation cannot be fulfilled on things.example.com "a": the object has been modified; please apply your changes to the latest version and try again`,
	}, {
		name: "SCL-007, PAT-002: duplicate and unknown fields warn", v: usual, contentType: mergePatch,
		sent: `{"spec":{"replicas":4,"replicas":4,"zz":1}}`, old: "{spec: {replicas: 1}}", want: "{metadata: {name: a, generation: 2}, spec: {replicas: 4}}",
		warnings: []string{`duplicate field "spec.replicas"`, `unknown field "spec.zz"`},
	}, {
		name: "SCL-001: old is read first", v: deep, contentType: mergePatch,
		sent: `{"spec":{"replicas":4}}`, old: "{spec: {r: s}}", failure: "500 : .spec.r.num accessor error: s is of the type string, expected map[string]interface{}",
	}, {
		name: "SUB-022: a strategic merge patch", v: usual, contentType: "application/strategic-merge-patch+json",
		sent: `{"spec":{"replicas":4}}`, old: "{spec: {replicas: 1}}",
		failure: "415 UnsupportedMediaType: the body of the request was in an unknown format - accepted media types include: " +
			"application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
	}}, func(t *testing.T, c requestCase, old map[string]any) resource.Result {
		return c.v.PatchScale(t.Context(), c.contentType, []byte(c.sent), old)
	})
	strict := usual.With(resource.RequestOptions{FieldValidation: "Strict"})
	answer{errors: undecodable(`{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"a"},"spec":{"replicas":1,"zz":1},"status":{"replicas":0}}`,
		`strict decoding error: unknown field "spec.zz"`)}.
		require(t, strict.PatchScale(t.Context(), mergePatch, []byte(`{"spec":{"zz":1}}`), thing(t, "{spec: {replicas: 1}}")))
}
