package server

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/server/storage"
)

// The tests in this file check what the integration tests of Kubernetes 1.37 check: server-side apply of custom
// objects, and limits of bodies.

const (
	sails     = "/apis/wind.example.com/v1/sails"
	mergeType = "application/merge-patch+json"
)

// defineSails creates a definition of sails with a schema in JSON.
func defineSails(t *testing.T, s *testServer, schema string) {
	t.Helper()
	s.must(t, http.StatusCreated, "POST", definitions, `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
		"metadata":{"name":"sails.wind.example.com"},"spec":{"group":"wind.example.com","scope":"Cluster","names":{"plural":"sails","kind":"Sail"},
		"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":`+schema+`}}]}}`)
}

const anySail = `{"type":"object","x-kubernetes-preserve-unknown-fields":true}`

// SSA-030: a write between two applies causes a conflict, unless the apply has force.
func TestApplyAfterAPatch(t *testing.T) {
	s := serve(t, Options{}, storage.MemoryOptions{})
	defineSails(t, s, anySail)
	config := "apiVersion: wind.example.com/v1\nkind: Sail\nmetadata: {name: main}\narea: 1\nfurled: true\ncloth: \"1\"\n"
	s.must(t, http.StatusCreated, "PATCH", sails+"/main?fieldManager=ann", config, "Content-Type", applyPatch)
	s.must(t, http.StatusOK, "PATCH", sails+"/main", `{"area":5}`, "Content-Type", mergeType)

	refused := s.must(t, http.StatusConflict, "PATCH", sails+"/main?fieldManager=ann", config, "Content-Type", applyPatch)
	causes := at(refused, "details", "causes").([]any)
	require.Len(t, causes, 1)
	require.Equal(t, "FieldManagerConflict", at(causes[0], "reason"))
	require.Equal(t, ".area", at(causes[0], "field"))

	forced := s.must(t, http.StatusOK, "PATCH", sails+"/main?fieldManager=ann&force=true", config, "Content-Type", applyPatch)
	require.Equal(t, 1.0, forced["area"])
}

// SSA-021: null instead of an object is kept where the schema allows it, even with required fields, and is an error
// elsewhere.
func TestApplyNull(t *testing.T) {
	s := serve(t, Options{}, storage.MemoryOptions{})
	type combination struct{ nullable, required, fieldsRequired bool }
	var all []combination
	var properties []string
	for i := range 8 {
		c := combination{i&1 > 0, i&2 > 0, i&4 > 0}
		all = append(all, c)
		inner := fmt.Sprintf(`{"type":"object","nullable":%v,"properties":{"a":{"type":"string"},"b":{"type":"string"}}`, c.nullable)
		if c.fieldsRequired {
			inner += `,"required":["a","b"]`
		}
		outer := `{"type":"object","properties":{"inner":` + inner + `}}`
		if c.required {
			outer += `,"required":["inner"]`
		}
		properties = append(properties, fmt.Sprintf(`"f%d":%s}`, i, outer))
	}
	defineSails(t, s, `{"type":"object","properties":{"spec":{"type":"object","properties":{`+strings.Join(properties, ",")+`}}}}`)
	for i, c := range all {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			config := func(inner string) string {
				return fmt.Sprintf(`{"apiVersion":"wind.example.com/v1","kind":"Sail","metadata":{"name":"s%d"},"spec":{"f%d":{"inner":%s}}}`, i, i, inner)
			}
			path := fmt.Sprintf("%s/s%d?fieldManager=ann", sails, i)
			s.must(t, http.StatusCreated, "PATCH", path, config(`{"a":"1","b":"2"}`), "Content-Type", applyPatch)
			if !c.nullable {
				refused := s.must(t, http.StatusUnprocessableEntity, "PATCH", path, config("null"), "Content-Type", applyPatch)
				require.Contains(t, refused["message"], "must be of type object")
				return
			}
			cleared := s.must(t, http.StatusOK, "PATCH", path, config("null"), "Content-Type", applyPatch)
			outer := at(cleared, "spec", fmt.Sprintf("f%d", i)).(object)
			require.Contains(t, outer, "inner")
			require.Nil(t, outer["inner"])
		})
	}
}

// DEC-007: bodies of more than 3 MiB are too large, and the depth of smaller ones is limited.
func TestNestedBodies(t *testing.T) {
	s := serve(t, Options{}, storage.MemoryOptions{})
	defineSails(t, s, anySail)
	const most = 3 << 20
	nested := func(n int) string { return strings.Repeat("[", n/2) + strings.Repeat("]", n/2) }
	asJSON := func(values string) string {
		return `{"apiVersion":"wind.example.com/v1","kind":"Sail","metadata":{"name":"test"},"values":` + values + "}"
	}
	asYAML := func(values string) string {
		return "apiVersion: wind.example.com/v1\nkind: Sail\nmetadata: {name: test}\nvalues: " + values
	}
	s.must(t, http.StatusCreated, "POST", sails, asJSON("1"))
	for _, c := range []struct {
		name, method, path, body, contentType string
		code                                  int
	}{
		{"YAML over the limit", "POST", sails, asYAML(strings.Repeat("[", most)), "application/yaml", http.StatusRequestEntityTooLarge},
		{"nested YAML", "POST", sails, asYAML(nested(most - 1000)), "application/yaml", http.StatusBadRequest},
		{"YAML without an end", "POST", sails, asYAML(strings.Repeat("[", most-1000)), "application/yaml", http.StatusBadRequest},
		{"JSON over the limit", "POST", sails, asJSON(nested(most)), "application/json", http.StatusRequestEntityTooLarge},
		{"nested JSON", "POST", sails, asJSON(nested(most - 1000)), "application/json", http.StatusBadRequest},
		{"JSON without an end", "POST", sails, asJSON(strings.Repeat("[", most-1000)), "application/json", http.StatusBadRequest},
		{"a JSON patch", "PATCH", sails + "/test", `[{"op":"add","path":"/foo","value":` + nested(most-200) + "}]", "application/json-patch+json",
			http.StatusBadRequest},
		{"a merge patch", "PATCH", sails + "/test", `{"value":` + nested(most-200) + "}", mergeType, http.StatusBadRequest},
		{"an apply", "PATCH", sails + "/test?fieldManager=ann", `{"value":` + nested(most-200) + "}", applyPatch, http.StatusBadRequest},
		{"an apply that is no JSON", "PATCH", sails + "/test?fieldManager=ann", `{"value":` + nested(most-200) + "}]", applyPatch, http.StatusBadRequest},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.must(t, c.code, c.method, c.path, c.body, "Content-Type", c.contentType)
		})
	}
}

// Applies to the Scale of a built-in kind, with the owners that kube-apiserver 1.37.2 has after each step.
func TestApplyScale(t *testing.T) {
	_, c := start(t, Options{})
	const path = "/apis/apps/v1/namespaces/default/deployments"
	agent := []string{"User-Agent", "seq"}
	must(t, c, 201, "POST", path, `{"metadata":{"name":"a"},"spec":{"replicas":2,"selector":{"matchLabels":{"a":"b"}},"template":{
		"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}`, agent...)
	const shared, mine, yours, scaled = "me Apply scale, seq Update", "me Apply scale", "you Apply scale", "seq Update scale"
	const conflict = "Apply failed with 1 conflict: conflict with "
	for i, step := range []struct {
		manager, spec, force string // without a manager: a merge patch of the Scale
		replicas             float64
		owners               string // of the replicas
		message              string
	}{
		{"me", `{"replicas":2}`, "", 2, shared, ""},
		{"me", `{"replicas":4}`, "", 4, mine, ""},
		{"me", `{"replicas":4}`, "&force=true", 4, mine, ""},
		{"you", `{"replicas":5}`, "", 4, mine, conflict + `"me" with subresource "scale": .spec.replicas`},
		{"you", `{"replicas":5}`, "&force=true", 5, yours, ""},
		{"you", `{"replicas":0}`, "", 0, yours, ""},
		{"me", `{"replicas":3}`, "&force=true", 3, mine, ""},
		{"me", `{}`, "", 0, mine, ""},
		{"", `{"replicas":7}`, "", 7, scaled, ""},
		{"me", `{"replicas":8}`, "", 7, scaled, conflict + `"seq" with subresource "scale" using autoscaling/v1: .spec.replicas`},
		{"me", `{"replicas":8}`, "&force=true", 8, mine, ""},
	} {
		code := 200
		if step.message != "" {
			code = 409
		}
		var answer object
		if step.manager == "" {
			answer = must(t, c, code, "PATCH", path+"/a/scale", `{"spec":`+step.spec+`}`, append(agent, "Content-Type", mergePatch)...)
		} else {
			answer = must(t, c, code, "PATCH", path+"/a/scale?fieldManager="+step.manager+step.force,
				`{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"a"},"spec":`+step.spec+`}`, "Content-Type", applyPatch)
		}
		if step.message != "" {
			require.Equal(t, step.message, answer["message"], "step %d", i)
		}
		got := must(t, c, 200, "GET", path+"/a", "")
		require.Equal(t, step.replicas, at(got, "spec", "replicas"), "step %d", i)
		var owners []string
		for _, e := range at(got, "metadata", "managedFields").([]any) {
			if spec, _ := at(e, "fieldsV1", "f:spec").(object); spec["f:replicas"] != nil {
				owner := at(e, "manager").(string) + " " + at(e, "operation").(string)
				if sub := at(e, "subresource"); sub != nil {
					owner += " " + sub.(string)
				}
				owners = append(owners, owner)
			}
		}
		require.Equal(t, step.owners, strings.Join(owners, ", "), "step %d", i)
	}
	scale := func(metadata, replicas string) string {
		return `{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"a"` + metadata + `},"spec":{"replicas":` + replicas + `}}`
	}
	for body, code := range map[string]int{
		scale("", "2.5"): 422, scale("", "1e30"): 422, scale("", "-1"): 422,
		scale(`,"resourceVersion":"1"`, "5"): 409, scale(`,"resourceVersion":"1"`, "8"): 409,
	} {
		answer := send(t, c, "PATCH", path+"/a/scale?fieldManager=me&force=true", body, "Content-Type", applyPatch)
		answer.Body.Close()
		require.Equal(t, code, answer.StatusCode, body)
	}
	require.Equal(t, 8.0, at(must(t, c, 200, "GET", path+"/a", ""), "spec", "replicas"))
}
