package server

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const kiteApply = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"certs.c.example.com"},
"spec":{"group":"c.example.com","scope":"Namespaced","names":{"plural":"certs","kind":"Cert"},"versions":[{"name":"v1","served":true,"storage":true,
"schema":{"openAPIV3Schema":{"type":"object"}}}]}}`

const certs = definitions + "/certs.c.example.com"

// managerOf returns the entry of a manager, or nil.
func managerOf(obj object, name string) object {
	entries, _ := at(obj, "metadata", "managedFields").([]any)
	for _, e := range entries {
		if at(e, "manager") == name {
			return e.(object)
		}
	}
	return nil
}

// SSA-021: an applied definition must match the types of definitions.
func TestAppliedDefinitionIsTyped(t *testing.T) {
	_, c := start(t, Options{})
	const failed = "failed to create typed patch object (/certs.c.example.com; apiextensions.k8s.io/v1, Kind=CustomResourceDefinition): "
	const at = ".spec.versions[0].schema.openAPIV3Schema."
	schema := func(s string) string { return strings.Replace(kiteApply, `{"type":"object"}`, s, 1) }
	for body, want := range map[string]string{
		schema(`{"type":"object","propertys":{}}`):                                    at + "propertys: field not declared in schema",
		strings.Replace(kiteApply, `"scope"`, `"skope":1,"scope"`, 1):                 ".spec.skope: field not declared in schema",
		strings.Replace(kiteApply, `"metadata":{`, `"metadata":{"label":{},`, 1):      ".metadata.label: field not declared in schema",
		schema(`{"properties":{"a":{"properties":{"b":{"minimum":"1"}}}}}`):           at + "properties.a.properties.b.minimum: expected numeric (int or float), got string",
		schema(`{"properties":{"a":{"x-kubernetes-validations":[{"message":"m"}]}}}`): at + `properties.a.x-kubernetes-validations: element 0: associative list with keys has an element that omits all key fields ["rule"] (and doesn't have default values for any key fields)`,
		schema(`{"properties":{"a":{"items":{"z":1},"x-bar":1}}}`):                    at + "properties.a.x-bar: field not declared in schema",
	} {
		for _, query := range []string{"", "&fieldValidation=Strict", "&fieldValidation=Ignore"} {
			refused := must(t, c, http.StatusInternalServerError, "PATCH", certs+"?fieldManager=a"+query, body, "Content-Type", applyPatch)
			require.Equal(t, failed+want, refused["message"])
			require.NotContains(t, refused, "reason")
		}
	}
	must(t, c, http.StatusCreated, "PATCH", certs+"?fieldManager=a", kiteApply, "Content-Type", applyPatch)
}

// SSA-025, SSA-030: who creates a definition owns its defaults. Nobody owns those of an applied definition.
func TestOwnersOfADefinition(t *testing.T) {
	now := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	s, c := start(t, Options{Now: func() time.Time { now = now.Add(time.Minute); return now }})
	_ = s
	must(t, c, http.StatusCreated, "POST", definitions+"?fieldManager=maker", strings.Replace(kiteApply, `"group"`, `"unknown":1,"group"`, 1), "Content-Type", "application/json")
	spec := func(name string) any {
		return at(managerOf(must(t, c, 200, "GET", certs, ""), name), "fieldsV1", "f:spec")
	}
	names := object{"f:kind": object{}, "f:listKind": object{}, "f:plural": object{}, "f:singular": object{}}
	require.Equal(t, object{
		"f:conversion": object{".": object{}, "f:strategy": object{}}, "f:group": object{}, "f:names": names, "f:scope": object{}, "f:versions": object{},
	}, spec("maker"), "and not what is unknown")
	apply := func(code int, manager, body string) object {
		t.Helper()
		return must(t, c, code, "PATCH", certs+"?fieldManager="+manager, body, "Content-Type", applyPatch)
	}
	withConversion := func(strategy string) string {
		return strings.Replace(kiteApply, `"scope"`, `"conversion":{"strategy":"`+strategy+`","webhook":{"conversionReviewVersions":["v1"],"clientConfig":{"url":"https://x.example.com/c"}}},"scope"`, 1)
	}
	require.Equal(t, `Apply failed with 1 conflict: conflict with "maker" using apiextensions.k8s.io/v1: .spec.conversion.strategy`,
		apply(http.StatusConflict, "hook", withConversion("Webhook"))["message"])
	require.Equal(t, `Apply failed with 1 conflict: conflict with "maker" using apiextensions.k8s.io/v1: .spec.names.listKind`,
		apply(http.StatusConflict, "lister", strings.Replace(kiteApply, `"kind":"Cert"`, `"kind":"Cert","listKind":"Certs"`, 1))["message"])

	// SSA-033: an apply that changes no value has no time.
	entry := managerOf(apply(http.StatusOK, "same", kiteApply), "same")
	require.NotContains(t, entry, "time")
	require.Equal(t, object{"f:group": object{}, "f:names": object{"f:kind": object{}, "f:plural": object{}}, "f:scope": object{}, "f:versions": object{}},
		at(entry, "fieldsV1", "f:spec"))
	forced := must(t, c, http.StatusOK, "PATCH", certs+"?fieldManager=hook&force=true", withConversion("Webhook"), "Content-Type", applyPatch)
	require.Equal(t, object{}, at(managerOf(forced, "maker"), "fieldsV1", "f:spec", "f:conversion"))
	before := managerOf(forced, "hook")
	require.NotEmpty(t, before["time"])
	require.Equal(t, before, managerOf(apply(http.StatusOK, "hook", withConversion("Webhook")), "hook"))
}

// The server owns the status of a definition, which it sets after it has answered.
func TestStatusOfADefinition(t *testing.T) {
	_, c := start(t, Options{})
	made := must(t, c, http.StatusCreated, "PATCH", certs+"?fieldManager=a", kiteApply, "Content-Type", applyPatch)
	require.Equal(t, object{"conditions": nil, "acceptedNames": object{"plural": "", "kind": ""}, "storedVersions": []any{"v1"}}, made["status"])
	require.Len(t, at(made, "metadata", "managedFields"), 1)
	stored := must(t, c, http.StatusOK, "GET", certs, "")
	require.Equal(t, version(made), version(stored), "one write")
	status, _ := conditionOf(stored, "Established")
	require.Equal(t, "True", status)
	entry := managerOf(stored, "kube-apiserver")
	require.Equal(t, []any{"Update", "status"}, []any{entry["operation"], entry["subresource"]})
	require.Equal(t, object{"f:kind": object{}, "f:listKind": object{}, "f:plural": object{}, "f:singular": object{}}, at(entry, "fieldsV1", "f:status", "f:acceptedNames"))
	require.Contains(t, at(entry, "fieldsV1", "f:status", "f:conditions"), `k:{"type":"Established"}`)

	changed := must(t, c, http.StatusOK, "PATCH", certs, `{"spec":{"names":{"shortNames":["ct"]}}}`, "Content-Type", mergePatch)
	require.NotContains(t, at(changed, "status", "acceptedNames"), "shortNames")
	require.Equal(t, []any{"ct"}, at(must(t, c, http.StatusOK, "GET", certs, ""), "status", "acceptedNames", "shortNames"))
}

// In a create, nobody owns the structs that the JSON of a built-in kind always has.
func TestOwnersOfStructs(t *testing.T) {
	_, c := start(t, Options{})
	made := must(t, c, http.StatusCreated, "POST", deployments+"?fieldManager=maker", deployment, "Content-Type", "application/json")
	spec := at(managerOf(made, "maker"), "fieldsV1", "f:spec")
	for _, path := range [][]string{nil, {"f:template"}, {"f:template", "f:spec"}, {"f:template", "f:spec", "f:containers"}, {"f:strategy"}} {
		require.NotContains(t, at(spec, path...), ".", fmt.Sprint(path))
	}
	require.Contains(t, at(spec, "f:strategy", "f:rollingUpdate"), ".", "a pointer")
}
