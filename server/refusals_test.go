package server

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/server/storage"
)

// KCT-040: the error messages for refused requests, byte for byte.
func TestRefusals(t *testing.T) {
	s := serve(t, Options{}, storage.MemoryOptions{})
	s.must(t, http.StatusCreated, "POST", kites, kite("a", "red"))
	s.must(t, http.StatusCreated, "POST", definitions, scaledDefinition)
	const masts = "/apis/sea.example.com/v1/masts"
	s.must(t, http.StatusCreated, "POST", masts, `{"apiVersion":"sea.example.com/v1","kind":"Mast","metadata":{"name":"m"},"spec":{"sails":1}}`)
	const jsonPatch = "application/json-patch+json"
	for _, c := range []struct {
		name, method, path, body, contentType string
		code                                  int
		reason, message                       string
	}{{
		"an unknown object", "GET", kites + "/none", "", "", 404, "NotFound", `kites.wind.example.com "none" not found`,
	}, {
		"one that exists", "POST", kites, kite("a", "red"), "", 409, "AlreadyExists", `kites.wind.example.com "a" already exists`,
	}, {
		"a wrong patch type", "PATCH", kites + "/a", "{}", "application/strategic-merge-patch+json", 415, "UnsupportedMediaType",
		"the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
	}, {
		"a wrong body type", "POST", kites, "{}", "text/plain", 415, "UnsupportedMediaType",
		"the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf",
	}, {
		"a verb that a subresource does not have", "POST", kites + "/a/status", "{}", "", 405, "MethodNotAllowed",
		`create is not supported on resources of kind "kites.wind.example.com"`,
	}, {
		"PUT of a collection", "PUT", kites, "{}", "", 400, "BadRequest", "name must be provided",
	}, {
		"no JSON", "POST", kites, "nonsense", "", 400, "BadRequest",
		"the object provided is unrecognized (must be of type Kite): couldn't get version/kind; json parse error: invalid character 'o' in literal null (expecting 'u') (6e6f6e73656e7365)",
	}, {
		"no kind", "POST", kites, "{}", "", 400, "BadRequest",
		"the object provided is unrecognized (must be of type Kite): Object 'Kind' is missing in '{}' ({})",
	}, {
		"another version", "POST", kites, `{"apiVersion":"wind.example.com/v2","kind":"Kite"}`, "", 400, "BadRequest",
		"the API version in the data (wind.example.com/v2) does not match the expected API version (wind.example.com/v1)",
	}, {
		"no name", "POST", kites, `{"apiVersion":"wind.example.com/v1","kind":"Kite"}`, "", 422, "Invalid",
		`Kite.wind.example.com "" is invalid: metadata.name: Required value: name or generateName is required`,
	}, {
		"no JSON as a patch", "PATCH", kites + "/a", "nonsense", mergePatch, 400, "BadRequest", "invalid JSON patch",
	}, {
		"null as a patch", "PATCH", kites + "/a", "null", mergePatch, 400, "BadRequest", "Invalid JSON Patch",
	}, {
		"a JSON patch that fails", "PATCH", kites + "/a", `[{"op":"test","path":"/spec/colour","value":"blue"}]`, jsonPatch, 422, "Invalid",
		"the server rejected our request due to an error in our request",
	}, {
		"force without apply", "PATCH", kites + "/a?force=true", "{}", mergePatch, 422, "Invalid",
		`PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch`,
	}, {
		"another name", "PATCH", kites + "/a", `{"metadata":{"name":"b"}}`, mergePatch, 400, "BadRequest",
		"the name of the object (b) does not match the name on the URL (a)",
	}, {
		"a bad limit", "GET", kites + "?limit=abc", "", "", 400, "BadRequest", `strconv.ParseInt: parsing "abc": invalid syntax`,
	}, {
		"a field that is not selectable", "GET", kites + "?fieldSelector=spec.n%3D1", "", "", 400, "BadRequest", "field label not supported: spec.n",
	}, {
		"a bad fieldValidation", "POST", kites + "?fieldValidation=Foo", kite("b", "red"), "", 422, "Invalid",
		`CreateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "Foo": supported values: "", "Ignore", "Strict", "Warn"`,
	}, {
		"a bad dryRun", "POST", kites + "?dryRun=Foo", kite("b", "red"), "", 422, "Invalid",
		`CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Foo"]: supported values: "All"`,
	}, {
		"a bad propagationPolicy", "DELETE", kites + "/a?propagationPolicy=Bogus", "", "", 422, "Invalid",
		`DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Bogus": supported values: "Foreground", "Background", "Orphan", "nil"`,
	}, {
		"a scale of another name", "PUT", masts + "/m/scale", `{"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"n"},"spec":{"replicas":1}}`, "", 400,
		"BadRequest", "the name of the object (n) does not match the name on the URL (m)",
	}, {
		"the same of an object that does not exist", "PUT", masts + "/none/scale", `{"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"n"}}`, "", 400,
		"BadRequest", "the name of the object (n) does not match the name on the URL (none)",
	}, {
		"a scale without kind and name", "PUT", masts + "/none/scale", "{}", "", 400,
		"BadRequest", "the name of the object (none based on URL) was undeterminable: name must be provided",
	}, {
		"a scale that does not exist", "PUT", masts + "/none/scale", `{"metadata":{"name":"none"}}`, "", 404, "NotFound", `masts.sea.example.com "none" not found`,
	}, {
		"no JSON as a scale", "PUT", masts + "/none/scale", "{", "", 400, "BadRequest",
		`no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"`,
	}, {
		"a scale with options that are wrong", "PUT", masts + "/none/scale?fieldValidation=no", `{"metadata":{"name":"n"}}`, "", 422, "Invalid",
		`UpdateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "no": supported values: "", "Ignore", "Strict", "Warn"`,
	}, {
		"no JSON as a patch of an object that does not exist", "PATCH", kites + "/none", "nonsense", mergePatch, 400, "BadRequest", "invalid JSON patch",
	}, {
		"a patch of a wrong type for an object that does not exist", "PATCH", kites + "/none", "{}", strategicPatch, 415, "UnsupportedMediaType",
		"the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
	}, {
		"a patch of an object that does not exist", "PATCH", kites + "/none", "{}", mergePatch, 404, "NotFound", `kites.wind.example.com "none" not found`,
	}, {
		"a scale below zero", "PATCH", masts + "/m/scale", `{"spec":{"replicas":-4}}`, mergePatch, 422, "Invalid",
		`Mast.sea.example.com "m" is invalid: .spec.sails: Invalid value: -4: should be a non-negative integer`,
	}} {
		t.Run(c.name, func(t *testing.T) {
			status := s.must(t, c.code, c.method, c.path, c.body, "Content-Type", c.contentType)
			require.Equal(t, []any{"Status", "v1", "Failure", c.reason, c.message},
				[]any{status["kind"], status["apiVersion"], status["status"], status["reason"], status["message"]})
		})
	}
	// SUB-021, SUB-022: the response of the scale subresource. PUT needs no Content-Type.
	scale := s.must(t, http.StatusOK, "PUT", masts+"/m/scale", `{"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"m"},"spec":{"replicas":3}}`)
	require.Equal(t, []any{"Scale", "autoscaling/v1", 3.0, 0.0}, []any{scale["kind"], scale["apiVersion"], at(scale, "spec", "replicas"), at(scale, "status", "replicas")})
	require.Equal(t, scale, s.must(t, http.StatusOK, "GET", masts+"/m/scale", ""))
}

// SUB-022: a write of replicas that the schema prunes is answered with a Scale without them; a read is refused.
func TestScaleWithoutReplicas(t *testing.T) {
	s := serve(t, Options{}, storage.MemoryOptions{})
	s.must(t, http.StatusCreated, "POST", definitions, strings.Replace(scaledDefinition, `"sails"`, `"oars"`, 1))
	const masts = "/apis/sea.example.com/v1/masts"
	s.must(t, http.StatusCreated, "POST", masts, `{"apiVersion":"sea.example.com/v1","kind":"Mast","metadata":{"name":"m"}}`)
	for _, replicas := range []string{"null", "0", "3"} {
		scale := s.must(t, http.StatusOK, "PATCH", masts+"/m/scale", `{"spec":{"replicas":`+replicas+`}}`, "Content-Type", mergePatch)
		require.Equal(t, []any{"Scale", object{}}, []any{scale["kind"], scale["spec"]}, replicas)
	}
	s.must(t, http.StatusUnprocessableEntity, "PATCH", masts+"/m/scale", `{"spec":{"replicas":-1}}`, "Content-Type", mergePatch)
	s.must(t, http.StatusInternalServerError, "GET", masts+"/m/scale", "")
}

const scaledDefinition = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"masts.sea.example.com"},
"spec":{"group":"sea.example.com","scope":"Cluster","names":{"plural":"masts","kind":"Mast"},"versions":[{"name":"v1","served":true,
"storage":true,"subresources":{"scale":{"specReplicasPath":".spec.sails","statusReplicasPath":".status.sails"}},"schema":{"openAPIV3Schema":
{"type":"object","properties":{"spec":{"type":"object","properties":{"sails":{"type":"integer"}}},"status":{"type":"object",
"properties":{"sails":{"type":"integer"}}}}}}}]}}`
