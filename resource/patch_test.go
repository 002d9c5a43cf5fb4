package resource_test

import (
	"cmp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

const (
	mergePatch = "application/merge-patch+json"
	jsonPatch  = "application/json-patch+json"
)

// widgets has two versions, so that a patch can change the version. Package patch, which makes the patched text, has
// its own tests.
var widgets = []string{
	`subresources: {status: {}}, schema: {openAPIV3Schema: {type: object, properties: {
		spec: {type: object, properties: {
			size: {type: integer, maximum: 5}, ratio: {type: number}, colour: {type: string, default: red},
			list: {type: array, items: {type: object, x-kubernetes-preserve-unknown-fields: true}}}},
		status: {type: object, properties: {phase: {type: string, enum: [Up, Down]}}}}}}`,
	`schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}, depth: {type: integer, default: 2}}}}}}`,
}

const (
	wrongPatchType = "415 UnsupportedMediaType: the body of the request was in an unknown format - accepted media types include: " +
		"application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"
	failedPatch = "422 Invalid: the server rejected our request due to an error in our request"
)

func TestPatch(t *testing.T) {
	r := things(t, widgets...)
	const meta = `"metadata":{"generation":1,"name":"a"}`
	undecodable := func(text, why string) []string {
		return []string{"FieldValueInvalid patch: Invalid value: " + encode(t, text) + ": " + why}
	}
	requireAnswers(t, []requestCase{{
		name: "PAT-002: a merge patch",
		sent: `{"metadata":{"labels":{"a":"b"}},"spec":{"size":2,"colour":"blue"}}`, old: "{spec: {size: 1, colour: red}}",
		want: "{metadata: {name: a, generation: 2, labels: {a: b}}, spec: {size: 2, colour: blue}}",
	}, {
		name: "PAT-003: a JSON patch", contentType: jsonPatch,
		sent: `[{"op":"test","path":"/spec/size","value":1},{"op":"replace","path":"/spec/size","value":2}]`, old: "{spec: {size: 1, colour: red}}",
		want: "{metadata: {name: a, generation: 2}, spec: {size: 2, colour: red}}",
	}, {
		name: "PAT-001: parameters of the content type", contentType: mergePatch + ";charset=utf-8",
		sent: `{}`, old: "{spec: {colour: red}}", want: "{spec: {colour: red}}",
	}, {
		name: "PAT-001: a blank is not accepted", contentType: mergePatch + " ;charset=utf-8", sent: `{}`, old: "{}", failure: wrongPatchType,
	}, {
		name: "PAT-001: strategic merge patches", contentType: "application/strategic-merge-patch+json", sent: `{}`, old: "{}", failure: wrongPatchType,
	}, {
		name: "ORD-007, PAT-001: server-side apply", contentType: "application/apply-patch+yaml", sent: `{}`, old: "{}", failure: wrongPatchType,
	}, {
		name: "PAT-001: the content type is checked first", contentType: "x", options: resource.RequestOptions{FieldValidation: "x"},
		sent: strings.Repeat(" ", 3<<20+1), old: "{}", failure: wrongPatchType,
	}, {
		name: "PAT-001: then the length", options: resource.RequestOptions{FieldValidation: "x"},
		sent: strings.Repeat(" ", 3<<20+1), old: "{}", failure: "413 RequestEntityTooLarge: Request entity too large: limit is 3145728",
	}, {
		name: "PAT-001: then fieldValidation", options: resource.RequestOptions{FieldValidation: "x"}, sent: `{`, old: "{}",
		errors: []string{`FieldValueNotSupported fieldValidation: Unsupported value: "x": supported values: "", "Ignore", "Strict", "Warn"`},
	}, {
		name: "PAT-001: then the JSON", sent: `{`, old: "{}", failure: "400 BadRequest: invalid JSON patch",
	}, {
		name: "PAT-002: then the document", sent: `[]`, old: "{}",
		failure: "400 BadRequest: error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}",
	}, {
		name: "PAT-003: of a JSON patch", contentType: jsonPatch, sent: `{}`, old: "{}",
		failure: "400 BadRequest: error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
	}, {
		name: "PAT-003: an operation that fails", contentType: jsonPatch, sent: `[{"op":"test","path":"/spec/size","value":2}]`, old: "{spec: {size: 1}}",
		failure: failedPatch,
	}, {
		name: "PAT-004: a test compares the spelling of numbers", contentType: jsonPatch, sent: `[{"op":"test","path":"/spec/size","value":1.0}]`, old: "{spec: {size: 1}}",
		failure: failedPatch,
	}, {
		name: "PAT-004: replace adds", contentType: jsonPatch, sent: `[{"op":"replace","path":"/spec/size","value":1}]`, old: "{spec: {colour: red}}",
		want: "{metadata: {name: a, generation: 2}, spec: {size: 1, colour: red}}",
	}, {
		name: "PAT-002: nulls in a list", sent: `{"spec":{"list":[{"a":null,"b":1}]}}`, old: "{spec: {colour: red}}",
		want: "{metadata: {name: a, generation: 2}, spec: {colour: red, list: [{b: 1}]}}",
	}, {
		name: "PAT-005: no kind is left", sent: `{"kind":null}`, old: "{}",
		errors: undecodable(`{"apiVersion":"example.com/v1",`+meta+`}`, `Object 'Kind' is missing in '{"apiVersion":"example.com/v1",`+meta+`}'`),
	}, {
		name: "PAT-005: a kind of another type", sent: `{"kind":5}`, old: "{}",
		errors: undecodable(`{"apiVersion":"example.com/v1","kind":5,`+meta+`}`,
			"couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string"),
	}, {
		name: "PAT-005: metadata that cannot be read", sent: `{"metadata":{"labels":{"a":5}}}`, old: "{}",
		errors: undecodable(`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"generation":1,"labels":{"a":5},"name":"a"}}`,
			"json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string"),
	}, {
		name: "PAT-005: no apiVersion", sent: `{"apiVersion":null}`, old: "{}",
		failure: "500 InternalError: Internal error occurred: Object 'apiVersion' is missing in 'object has no apiVersion field'",
	}, {
		name: "PAT-005, STR-008: no apiVersion and no name", sent: `{"apiVersion":null,"metadata":null}`, old: "{}",
		failure: "400 BadRequest: the name of the object (a based on URL) was undeterminable: name must be provided",
	}, {
		name: "PAT-005, STR-008: an apiVersion moved to the name", contentType: jsonPatch,
		sent: `[{"op":"move","from":"/apiVersion","path":"/metadata/name"}]`, old: "{}", options: resource.RequestOptions{Name: "a"},
		failure: "400 BadRequest: the name of the object (example.com/v1) does not match the name on the URL (a)",
	}, {
		name: "PAT-005, STR-007: no apiVersion and an outdated resourceVersion", sent: `{"apiVersion":null,"metadata":{"resourceVersion":"6"}}`,
		old:     `{metadata: {name: a, resourceVersion: "7"}}`,
		failure: `409 Conflict: Operation cannot be fulfilled on things.example.com "a": the object has been modified; please apply your changes to the latest version and try again`,
	}, {
		name: "PAT-005, DEC-018: no apiVersion, with a warning", sent: `{"apiVersion":"example.com/","metadata":{"zz":1}}`, old: "{}",
		failure:  "500 InternalError: Internal error occurred: Object 'apiVersion' is missing in 'object has no apiVersion field'",
		warnings: []string{`unknown field "metadata.zz"`},
	}, {
		name: "PAT-005: an apiVersion that the first step of decoding does not see", contentType: jsonPatch, old: "{}",
		sent: `[{"op":"add","path":"/apiVersion","value":"a/b/c"},{"op":"add","path":"/apiversion","value":"example.com/v1"}]`,
		errors: undecodable(`{"apiVersion":"a/b/c","apiversion":"example.com/v1","kind":"Thing",`+meta+`}`,
			`Object 'Kind' is missing in '{"apiVersion":"a/b/c","apiversion":"example.com/v1","kind":"Thing",`+meta+`}'`),
	}, {
		name: "STR-008: another name than the request's", sent: `{}`, old: "{}", options: resource.RequestOptions{Name: "b"},
		failure: "400 BadRequest: the name of the object (a) does not match the name on the URL (b)",
	}, {
		name: "PAT-005, DEC-012: Strict, with the findings of the patch first", options: resource.RequestOptions{FieldValidation: "Strict"},
		sent: `{"spec":{"size":1,"size":2,"zz":1}}`, old: "{spec: {colour: red}}",
		errors: undecodable(`{"apiVersion":"example.com/v1","kind":"Thing",`+meta+`,"spec":{"colour":"red","size":2,"zz":1}}`,
			`strict decoding error: duplicate field "spec.size", unknown field "spec.zz"`),
	}, {
		name: "PAT-003, DEC-012: Warn", contentType: jsonPatch,
		sent: `[{"op":"add","path":"/spec/zz","value":1,"foo":1}]`, old: "{spec: {colour: red}}",
		want: "{spec: {colour: red}}", warnings: []string{`json patch unknown field "[0].foo"`, `unknown field "spec.zz"`},
	}, {
		name: "DEC-012: Ignore", options: resource.RequestOptions{FieldValidation: "Ignore"},
		sent: `{"spec":{"zz":1,"zz":2}}`, old: "{spec: {colour: red}}", want: "{spec: {colour: red}}",
	}, {
		name: "PAT-002: Ignore lets a list through, which is no object", options: resource.RequestOptions{FieldValidation: "Ignore"},
		sent: `[1]`, old: "{}",
		errors: undecodable("[1]", "couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }"),
	}, {
		name: "PAT-005, STR-010: another version is decoded with its own schema and refused in the end",
		sent: `{"apiVersion":"example.com/v2"}`, old: "{spec: {size: 1, colour: red}}",
		errors:   []string{`FieldValueInvalid apiVersion: Invalid value: "example.com/v2": must be example.com/v1`},
		warnings: []string{`unknown field "spec.colour"`},
	}, {
		name: "PAT-005, STR-010: another kind is not decoded at all",
		sent: `{"kind":"Other","spec":{"zz":1}}`, old: "{spec: {size: 1, colour: red}}",
		errors: []string{`FieldValueInvalid kind: Invalid value: "Other": must be Thing`},
	}, {
		name: "PAT-001, STR-008: another name",
		sent: `{"metadata":{"name":"b"}}`, old: "{}", failure: "400 BadRequest: the name of the object (b) does not match the name on the URL (a)",
	}, {
		name: "STR-007: another resourceVersion",
		sent: `{"metadata":{"resourceVersion":"6"}}`, old: `{metadata: {name: a, resourceVersion: "7"}}`,
		failure: `409 Conflict: Operation cannot be fulfilled on things.example.com "a": the object has been modified; please apply your changes to the latest version and try again`,
	}, {
		name: "STR-007: without one, the patch applies to any version",
		sent: `{"spec":{"size":2}}`, old: `{metadata: {name: a, generation: 1, resourceVersion: "7"}, spec: {colour: red}}`,
		want: `{metadata: {name: a, generation: 2, resourceVersion: "7"}, spec: {colour: red, size: 2}}`,
	}, {
		name: "PAT-006, SUB-003: another uid is an error like others",
		sent: `{"metadata":{"uid":"w"}}`, old: "{metadata: {name: a, uid: u}}",
		errors: []string{`FieldValueInvalid metadata.uid: Invalid value: "w": field is immutable`, `FieldValueInvalid metadata.uid: Invalid value: "w": field is immutable`},
	}, {
		name: "PAT-006: metadata of the server is restored",
		sent: `{"metadata":{"uid":null,"generation":9,"creationTimestamp":null,"selfLink":"s"}}`,
		old:  `{metadata: {name: a, uid: u, generation: 3, creationTimestamp: "2020-01-01T00:00:00Z"}, spec: {colour: red}}`,
		want: `{metadata: {name: a, uid: u, generation: 3, creationTimestamp: "2020-01-01T00:00:00Z"}, spec: {colour: red}}`,
	}, {
		name: "PAT-006, STR-009: owners twice have the text of after admission",
		sent: `{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u"},{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u"}]}}`, old: "{spec: {colour: red}}",
		want: "{metadata: {name: a, generation: 1, ownerReferences: [{apiVersion: v1, kind: Pod, name: p, uid: u}]}, spec: {colour: red}}",
		warnings: []string{".metadata.ownerReferences contains duplicate entries after mutating admission happens; API server dedups owner references in 1.20+, and may reject such " +
			"requests as early as 1.24; please fix your requests; duplicate UID(s) observed: u"},
	}, {
		name: "PAT-007: a patch of unknown fields changes nothing",
		sent: `{"zz":1}`, old: "{spec: {colour: red}}", want: "{spec: {colour: red}}", warnings: []string{`unknown field "zz"`},
	}, {
		name: "PAT-007: a patch of tests changes nothing", contentType: jsonPatch,
		sent: `[{"op":"test","path":"/spec/colour","value":"red"}]`, old: "{spec: {colour: red}}", want: "{spec: {colour: red}}",
	}, {
		name: "PAT-007: a field that is taken away gets its default back",
		sent: `{"spec":{"colour":null}}`, old: "{spec: {colour: blue}}", want: "{metadata: {name: a, generation: 2}, spec: {colour: red}}",
	}, {
		name: "PAT-007, STR-006: a number in another form is a change, and stored as it was",
		sent: `{"spec":{"ratio":5.0}}`, old: "{spec: {colour: red, ratio: 5}}", want: "{metadata: {name: a, generation: 2}, spec: {colour: red, ratio: 5}}",
	}, {
		name: "STR-004, SUB-002: the status is that of old",
		sent: `{"status":{"phase":"Nonsense"}}`, old: "{spec: {colour: red}, status: {phase: Up}}", want: "{spec: {colour: red}, status: {phase: Up}}",
	}, {
		name: "STR-012, RAT-007: and it is validated like any other update",
		sent: `{"spec":{"colour":"blue","list":[]}}`, old: "{spec: {size: 9}}", want: "{metadata: {name: a, generation: 2}, spec: {size: 9, colour: blue, list: []}}",
	}, {
		name: "STR-012: it is",
		sent: `{"spec":{"size":8}}`, old: "{spec: {size: 9}}",
		errors: []string{"FieldValueInvalid spec.size: Invalid value: 8: spec.size in body should be less than or equal to 5"},
	}}, func(t *testing.T, c requestCase, old map[string]any) resource.Result {
		return r.Version("v1").With(c.options).Patch(t.Context(), cmp.Or(c.contentType, mergePatch), []byte(c.sent), old)
	})
	answer{failure: `404 NotFound: things.example.com "" not found`}.require(t, r.Version("v1").Patch(t.Context(), mergePatch, []byte("{}"), nil))
}

// SUB-003, PAT-005: the whole Status of refused patches.
func TestStatusOfAPatch(t *testing.T) {
	v := things(t, widgets...).Version("v1")
	result := v.With(resource.RequestOptions{FieldValidation: "x"}).Patch(t.Context(), mergePatch, []byte("{}"), thing(t, "{}"))
	require.EqualError(t, result.Err(), `PatchOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "x": supported values: "", "Ignore", "Strict", "Warn"`)
	result = v.Patch(t.Context(), mergePatch, []byte(`{"apiVersion":"a/b/c"}`), thing(t, "{}"))
	require.EqualError(t, result.Err(), ` "" is invalid: patch: Invalid value: "{\"apiVersion\":\"a/b/c\",\"kind\":\"Thing\",\"metadata\":{\"generation\":1,\"name\":\"a\"}}": unexpected GroupVersion string: a/b/c`)
	result = v.Patch(t.Context(), mergePatch, []byte(`{"metadata":{"uid":"w"}}`), thing(t, "{metadata: {name: a, uid: u}}"))
	require.EqualError(t, result.Err(), `Thing.example.com "a" is invalid: metadata.uid: Invalid value: "w": field is immutable`)
}

// PAT-001, PAT-005, STR-005: a patch of the status subresource applies to the whole object.
func TestPatchStatus(t *testing.T) {
	v := things(t, widgets...).Version("v1")
	old := thing(t, "{metadata: {name: a, generation: 3, labels: {a: b}}, spec: {size: 9, colour: red}, status: {phase: Up}}")
	for _, c := range []struct {
		name, contentType, patch string
		phase                    string // empty: no status
		errors                   []string
		failure                  string
		warnings                 []string
	}{
		{name: "the status alone", contentType: mergePatch, patch: `{"metadata":{"labels":null},"spec":{"size":1},"status":{"phase":"Down"}}`, phase: "Down"},
		{name: "a JSON patch", contentType: jsonPatch, patch: `[{"op":"test","path":"/spec/size","value":9},{"op":"add","path":"/status/phase","value":"Down"}]`, phase: "Down"},
		{name: "none", contentType: mergePatch, patch: `{"status":null}`},
		{name: "unknown fields warn, wherever they are", contentType: mergePatch, patch: `{"spec":{"zz":1},"status":{"zz":1}}`, phase: "Up",
			warnings: []string{`unknown field "spec.zz"`, `unknown field "status.zz"`}},
		{name: "STR-020: another kind is that of old", contentType: mergePatch, patch: `{"kind":"Other","status":{"phase":"Down"}}`, phase: "Down"},
		{name: "STR-020: and so is another version, which is decoded with its own schema", contentType: mergePatch, patch: `{"apiVersion":"example.com/v2","status":{"phase":"Down"}}`,
			warnings: []string{`unknown field "spec.colour"`, `unknown field "status"`}},
		{name: "STR-014: errors", contentType: mergePatch, patch: `{"status":{"phase":"Nope"}}`,
			errors: []string{`FieldValueNotSupported status.phase: Unsupported value: "Nope": supported values: "Up", "Down"`}},
		{name: "another name", contentType: mergePatch, patch: `{"metadata":{"name":"b"}}`,
			failure: "400 BadRequest: the name of the object (b) does not match the name on the URL (a)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := answer{errors: c.errors, failure: c.failure, warnings: c.warnings}
			if c.errors == nil && c.failure == "" {
				want.object = unstructured.Clone(old)
				delete(want.object, "status")
				if c.phase != "" {
					want.object["status"] = map[string]any{"phase": c.phase}
				}
			}
			want.require(t, v.PatchStatus(t.Context(), c.contentType, []byte(c.patch), old))
		})
	}
}

// PAT-005: a patch applies to the object as a GET of the version returns it.
func TestPatchThroughAnotherVersion(t *testing.T) {
	v := things(t, widgets...).Version("v2")
	stored := thing(t, "{spec: {size: 1, colour: blue}}")
	answer{failure: failedPatch}.require(t, v.Patch(t.Context(), jsonPatch, []byte(`[{"op":"test","path":"/spec/colour","value":"blue"}]`), stored))
	// The default of v2 is filled in when the patched text is decoded, and v1, which is stored, does not know it.
	answer{object: thing(t, "{apiVersion: example.com/v2, metadata: {name: a, generation: 2}, spec: {size: 3}}")}.
		require(t, v.Patch(t.Context(), mergePatch, []byte(`{"spec":{"size":3}}`), stored))
}

// PAT-007: a float of old without a fraction is an integer in the patched text, since JSON does not distinguish them.
func TestPatchOfAFloat(t *testing.T) {
	v := things(t, widgets...).Version("v1")
	old := thing(t, "{spec: {colour: red}}")
	old["spec"].(map[string]any)["ratio"] = 5.0
	answer{object: thing(t, "{spec: {colour: red, ratio: 5}}")}.require(t, v.Patch(t.Context(), mergePatch, []byte("{}"), old))
}
