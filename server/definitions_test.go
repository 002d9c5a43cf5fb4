package server

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/server/storage"
)

// gone waits until an object no longer exists.
func (s *testServer) gone(t *testing.T, path string) {
	t.Helper()
	require.Eventually(t, func() bool {
		answer, _ := s.call(t, "GET", path, "")
		return answer.StatusCode == http.StatusNotFound
	}, 10*time.Second, 5*time.Millisecond, path)
}

// conditionOf returns the status and the reason of a condition of a definition.
func conditionOf(d object, kind string) (status, reason any) {
	conditions, _ := at(d, "status", "conditions").([]any)
	for _, c := range conditions {
		if at(c, "type") == kind {
			return at(c, "status"), at(c, "reason")
		}
	}
	return nil, nil
}

// DSC-007, DSC-008, PRE-004: a definition is established at once. Deleting it deletes its objects.
func TestLifeOfADefinition(t *testing.T) {
	s := serve(t, Options{}, storage.MemoryOptions{})
	const path = definitions + "/kites.wind.example.com"
	d := s.must(t, http.StatusOK, "GET", path, "")
	status, reason := conditionOf(d, "Established")
	require.Equal(t, []any{"True", "InitialNamesAccepted"}, []any{status, reason})
	require.Equal(t, []any{"v1"}, at(d, "status", "storedVersions"))
	require.Equal(t, "KiteList", at(d, "status", "acceptedNames", "listKind"))

	s.must(t, http.StatusCreated, "POST", kites, kite("free", "red"))
	s.must(t, http.StatusCreated, "POST", kites, strings.Replace(kite("bound", "red"), `"name"`, `"finalizers":["wind.example.com/line"],"name"`, 1))
	marked := s.must(t, http.StatusOK, "DELETE", path, "")
	require.NotNil(t, at(marked, "metadata", "deletionTimestamp"))
	require.Equal(t, []any{"customresourcecleanup.apiextensions.k8s.io"}, at(marked, "metadata", "finalizers"))
	refused := s.must(t, http.StatusForbidden, "POST", kites, kite("late", "red"))
	require.Equal(t, `kites.wind.example.com "late" is forbidden: create not allowed while custom resource definition is terminating`, refused["message"])
	for _, body := range []string{kite("late", "red"), strings.Replace(kite("late", "red"), `"red"`, "1", 1)} { // before all other checks
		first := s.must(t, http.StatusForbidden, "POST", strings.Replace(kites, "default", "none", 1), body)
		require.Equal(t, refused["message"], first["message"])
	}
	unnamed := s.must(t, http.StatusForbidden, "POST", kites, strings.Replace(kite("g-", "red"), `"name"`, `"generateName"`, 1))
	require.Equal(t, `kites.wind.example.com is forbidden: create not allowed while custom resource definition is terminating`, unnamed["message"])
	s.gone(t, kites+"/free")
	require.Eventually(t, func() bool {
		status, reason := conditionOf(s.must(t, http.StatusOK, "GET", path, ""), "Terminating")
		return status == "True" && reason == "InstanceDeletionInProgress"
	}, 10*time.Second, 5*time.Millisecond)
	bound := s.must(t, http.StatusOK, "GET", kites+"/bound", "")
	require.Equal(t, 2.0, at(bound, "metadata", "generation"))
	s.must(t, http.StatusOK, "PATCH", kites+"/bound", `{"metadata":{"finalizers":null}}`, "Content-Type", mergePatch)
	s.gone(t, path)
	answer, _ := s.call(t, "GET", kites, "")
	require.Equal(t, http.StatusNotFound, answer.StatusCode)

	// When the definition is created again, there are no objects.
	s.must(t, http.StatusCreated, "POST", definitions, kiteDefinition)
	require.Empty(t, s.must(t, http.StatusOK, "GET", kites, "")["items"])
}

// PRE-004: a definition with another finalizer stays Terminating for a while after its last object is deleted, and then
// waits for that finalizer.
// The status of a definition is decoded even if the write does not use it.
func TestUnreadableStatus(t *testing.T) {
	_, c := start(t, Options{})
	with := func(status string) string {
		return strings.TrimSuffix(scaledDefinition, "}") + `,"status":` + status + "}"
	}
	for _, status := range []string{`{"conditions":[{"type":"A","status":"True","lastTransitionTime":"now"}]}`, `{"conditions":[{"lastTransitionTime":1}]}`,
		`{"storedVersions":[1]}`, `{"acceptedNames":{"kind":true}}`, `"x"`} {
		for _, contentType := range []string{"application/json", "application/yaml"} {
			must(t, c, 400, "POST", definitions, with(status), "Content-Type", contentType)
		}
	}
	made := must(t, c, 201, "POST", definitions, with(`{"conditions":[{"type":"A","status":"True","lastTransitionTime":"2020-01-01T00:00:00Z"}]}`), "Content-Type", "application/json")
	require.NotContains(t, fmt.Sprint(made["status"]), "2020")
}

// A definition that cannot be decoded has no warnings.
func TestUndecodableDefinition(t *testing.T) {
	_, c := start(t, Options{})
	for _, body := range []string{`{"spec":{"names":{"shortNames":{"x":7}}}}`, `{"spec":{"names":{"plural":{"x":1.5}}},"unknown":1}`} {
		answer := send(t, c, "POST", definitions, body, "Content-Type", "application/json")
		require.Equal(t, http.StatusBadRequest, answer.StatusCode, body)
		require.Empty(t, answer.Header.Values("Warning"), body)
	}
	must(t, c, 201, "POST", definitions, scaledDefinition, "Content-Type", "application/json")
	const stored = definitions + "/masts.sea.example.com"
	answer := send(t, c, "PUT", stored, `{"spec":{"names":{"plural":{"x":1.5}}}}`, "Content-Type", "application/json")
	require.Equal(t, http.StatusBadRequest, answer.StatusCode)
	require.Empty(t, answer.Header.Values("Warning"))
	for _, row := range []struct{ contentType, patch, value, why string }{
		{mergePatch, `{"spec":{"scope":1}}`, `"scope":1,`, "json: cannot unmarshal number into Go struct field CustomResourceDefinitionSpec.spec.scope of type v1.ResourceScope"},
		{
			jsonPatch, `[{"op":"replace","path":"/spec/versions/0/schema/openAPIV3Schema","value":{"minimum":"3"}}]`, `"minimum":"3"`,
			"json: cannot unmarshal string into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.minimum of type float64",
		},
		{strategicPatch, `{"spec":{"names":{"plural":{"x":1.5}}},"unknown":1}`, "map[spec:map[names:map[plural:map[x:1.5]]] unknown:1]", "of type string"},
		{mergePatch, `{"kind":"Mast"}`, `"kind":"Mast"`, `no kind "Mast" is registered for version "apiextensions.k8s.io/v1" in scheme "pkg/runtime/scheme.go:111"`},
	} {
		answer := send(t, c, "PATCH", stored, row.patch, "Content-Type", row.contentType)
		require.Equal(t, http.StatusUnprocessableEntity, answer.StatusCode, row.patch)
		require.Empty(t, answer.Header.Values("Warning"), row.patch)
		var refused struct{ Message string }
		require.NoError(t, json.NewDecoder(answer.Body).Decode(&refused))
		message := strings.ReplaceAll(refused.Message, `\"`, `"`)
		require.True(t, strings.HasPrefix(message, ` "" is invalid: patch: Invalid value: `), message)
		require.Contains(t, message, row.value)
		require.True(t, strings.HasSuffix(message, row.why), message)
	}
}

func TestDeletionThatWaits(t *testing.T) {
	s := serve(t, Options{}, storage.MemoryOptions{})
	const path = definitions + "/kites.wind.example.com"
	s.must(t, http.StatusOK, "PATCH", path, `{"metadata":{"finalizers":["example.com/held","customresourcecleanup.apiextensions.k8s.io"]}}`, "Content-Type", mergePatch)
	s.must(t, http.StatusOK, "DELETE", path, "")
	time.Sleep(50 * time.Millisecond) // time for the sweeper
	status, _ := conditionOf(s.must(t, http.StatusOK, "GET", path, ""), "Terminating")
	require.Equal(t, "True", status)
	s.must(t, http.StatusForbidden, "POST", kites, kite("late", "red"))
	var d object
	require.Eventually(t, func() bool {
		d = s.must(t, http.StatusOK, "GET", path, "")
		_, reason := conditionOf(d, "Terminating")
		return reason == "InstanceDeletionCompleted"
	}, 10*time.Second, 5*time.Millisecond)
	require.Equal(t, []any{"example.com/held"}, at(d, "metadata", "finalizers"))
	s.must(t, http.StatusOK, "PATCH", path, `{"metadata":{"finalizers":null}}`, "Content-Type", mergePatch)
	s.gone(t, path)
}

// DSC-006: a name belongs to one definition until that is deleted.
func TestNamesInUse(t *testing.T) {
	s := serve(t, Options{}, storage.MemoryOptions{})
	rival := strings.NewReplacer("kites", "dragons").Replace(kiteDefinition)
	s.must(t, http.StatusCreated, "POST", definitions, rival)
	status, reason := conditionOf(s.must(t, http.StatusOK, "GET", definitions+"/dragons.wind.example.com", ""), "NamesAccepted")
	require.Equal(t, []any{"False", "ListKindConflict"}, []any{status, reason})
	answer, _ := s.call(t, "GET", "/apis/wind.example.com/v1/dragons", "")
	require.Equal(t, http.StatusNotFound, answer.StatusCode)
	s.must(t, http.StatusOK, "DELETE", definitions+"/kites.wind.example.com", "")
	require.Eventually(t, func() bool {
		answer, _ := s.call(t, "GET", "/apis/wind.example.com/v1/dragons", "")
		return answer.StatusCode == http.StatusOK
	}, 10*time.Second, 5*time.Millisecond)
}

// EST-001: a stored definition whose names are accepted, but that is not established, becomes so.
func TestEstablishedLater(t *testing.T) {
	s := serve(t, Options{}, storage.MemoryOptions{})
	page, err := s.store.List(t.Context(), storage.Range{Prefix: "/apiextensions.k8s.io/customresourcedefinitions/"})
	require.NoError(t, err)
	require.Len(t, page.Items, 1)
	before := strings.ReplaceAll(string(page.Items[0].Value), `"type":"Established"`, `"type":"Other"`)
	require.NotEqual(t, string(page.Items[0].Value), before)
	_, err = s.store.Update(t.Context(), page.Items[0].Key, []byte(before), page.Items[0].Revision)
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		status, _ := conditionOf(s.must(t, http.StatusOK, "GET", definitions+"/kites.wind.example.com", ""), "Established")
		return status == "True"
	}, 10*time.Second, 5*time.Millisecond)
}

func TestChangeOfADefinition(t *testing.T) {
	s := serve(t, Options{}, storage.MemoryOptions{})
	const path = definitions + "/kites.wind.example.com"
	s.must(t, http.StatusCreated, "POST", kites, kite("a", "red"))
	// PRE-002: setting a field to its default is not a change.
	d := s.must(t, http.StatusOK, "PATCH", path, `{"spec":{"preserveUnknownFields":false,"conversion":null}}`, "Content-Type", mergePatch)
	require.Equal(t, 1.0, at(d, "metadata", "generation"))
	required := `{"spec":{"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","required":["spec"],"properties":
		{"spec":{"type":"object","properties":{"colour":{"type":"string"},"tail":{"type":"string","default":"long"}}}}}}}]}}`
	d = s.must(t, http.StatusOK, "PATCH", path, required, "Content-Type", mergePatch)
	require.Equal(t, 2.0, at(d, "metadata", "generation"))
	require.Equal(t, "long", at(s.must(t, http.StatusOK, "GET", kites+"/a", ""), "spec", "tail"), "the new default, at once")
	s.must(t, http.StatusUnprocessableEntity, "POST", kites, `{"apiVersion":"wind.example.com/v1","kind":"Kite","metadata":{"name":"b"}}`)
	s.must(t, http.StatusUnprocessableEntity, "PATCH", path, `{"spec":{"group":"other.example.com"}}`, "Content-Type", mergePatch)
	refused := s.must(t, http.StatusUnprocessableEntity, "PATCH", path, `{"spec":{"names":{"plural":5}}}`, "Content-Type", mergePatch)
	require.Contains(t, refused["message"], "spec.names.plural")
}

// CNV-020: a webhook converts.
func TestConversionWebhook(t *testing.T) {
	rename := func(_ context.Context, objects []map[string]any, apiVersion string) ([]map[string]any, error) {
		for _, obj := range objects {
			from, to := "colour", "color"
			if strings.HasSuffix(apiVersion, "/v1") {
				from, to = to, from
			}
			spec, _ := obj["spec"].(map[string]any)
			spec[to] = spec[from]
			delete(spec, from)
			obj["apiVersion"] = apiVersion
		}
		return objects, nil
	}
	webhook := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		review, err := io.ReadAll(r.Body)
		if err == nil {
			review, err = conversion.Respond(r.Context(), review, conversion.ConverterFunc(rename))
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Write(review)
	}))
	defer webhook.Close()
	s := serve(t, Options{}, storage.MemoryOptions{})
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: webhook.Certificate().Raw})
	v2 := `{"name":"v2","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{"color":{"type":"string"}}}}}}}`
	changed := strings.Replace(kiteDefinition, `"versions":[`, `"conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],"clientConfig":{"url":"`+
		webhook.URL+`","caBundle":"`+base64.StdEncoding.EncodeToString(ca)+`"}}},"versions":[`+v2+`,`, 1)
	s.must(t, http.StatusOK, "PATCH", definitions+"/kites.wind.example.com", changed, "Content-Type", mergePatch)
	s.must(t, http.StatusCreated, "POST", kites, kite("a", "red"))
	path := strings.Replace(kites, "/v1/", "/v2/", 1)
	require.Equal(t, "red", at(s.must(t, http.StatusOK, "GET", path+"/a", ""), "spec", "color"))
	made := s.must(t, http.StatusCreated, "POST", path, `{"apiVersion":"wind.example.com/v2","kind":"Kite","metadata":{"name":"b"},"spec":{"color":"blue"}}`)
	require.Equal(t, "blue", at(made, "spec", "color"))
	require.Equal(t, "blue", at(s.must(t, http.StatusOK, "GET", kites+"/b", ""), "spec", "colour"))
	webhook.Close()
	failed := s.must(t, http.StatusInternalServerError, "GET", path+"/a", "")
	require.Contains(t, failed["message"], "conversion webhook for wind.example.com/v1, Kind=Kite failed")
	s.must(t, http.StatusOK, "GET", kites+"/a", "")
}

func TestNamespaces(t *testing.T) {
	s := serve(t, Options{}, storage.MemoryOptions{})
	made := s.must(t, http.StatusCreated, "POST", namespaces, `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"loft"}}`)
	require.Equal(t, []any{"v1", "Active"}, []any{made["apiVersion"], at(made, "status", "phase")})
	s.must(t, http.StatusOK, "PATCH", namespaces+"/loft", `{"apiVersion":"v1","metadata":{"labels":{"a":"b"}}}`, "Content-Type", mergePatch)
	list := s.must(t, http.StatusOK, "GET", namespaces+"?labelSelector=a%3Db", "")
	require.Equal(t, []any{"NamespaceList", "v1"}, []any{list["kind"], list["apiVersion"]})
	require.Equal(t, []string{"loft"}, namesOf(list))
	require.NotContains(t, list["items"].([]any)[0], "apiVersion", "lists of built-in kinds say it once")
	s.must(t, http.StatusUnprocessableEntity, "POST", namespaces, `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"a.b"}}`)

	in := strings.Replace(kites, "default", "loft", 1)
	s.must(t, http.StatusNotFound, "POST", strings.Replace(kites, "default", "nowhere", 1), kite("a", "red"))
	s.must(t, http.StatusCreated, "POST", in, kite("a", "red"))
	s.must(t, http.StatusCreated, "POST", in, strings.Replace(kite("b", "red"), `"name"`, `"finalizers":["wind.example.com/line"],"name"`, 1))
	marked := s.must(t, http.StatusOK, "DELETE", namespaces+"/loft", "")
	require.Equal(t, "Terminating", at(marked, "status", "phase"))
	s.must(t, http.StatusForbidden, "POST", in, kite("late", "red"))
	s.gone(t, in+"/a")
	s.must(t, http.StatusOK, "PATCH", in+"/b", `{"metadata":{"finalizers":null}}`, "Content-Type", mergePatch)
	s.gone(t, namespaces+"/loft")
	s.must(t, http.StatusForbidden, "DELETE", namespaces+"/default", "")
}

// From 1.32 on, kubectl creates namespaces in protobuf.
func TestNamespaceInProtobuf(t *testing.T) {
	s := serve(t, Options{}, storage.MemoryOptions{})
	field := func(out []byte, n byte, value string) []byte {
		return append(append(out, n<<3|wireBytes, byte(len(value))), value...)
	}
	label := string(field(field(nil, 1, "a"), 2, "b"))
	meta := string(field(field(nil, 1, "loft"), 11, label))
	kind := string(field(field(nil, 1, "v1"), 2, "Namespace"))
	body := "k8s\x00" + string(field(field(nil, 1, kind), 2, string(field(nil, 1, meta))))
	made := s.must(t, http.StatusCreated, "POST", "/api/v1/namespaces", body, "Content-Type", protobufType)
	require.Equal(t, object{"a": "b", "kubernetes.io/metadata.name": "loft"}, at(made, "metadata", "labels"))
	for _, bad := range []string{"", "k8s\x00", "{}", body[:len(body)-3]} {
		answer, text := s.call(t, "POST", "/api/v1/namespaces", bad, "Content-Type", protobufType)
		require.Contains(t, []int{http.StatusBadRequest, http.StatusUnprocessableEntity}, answer.StatusCode, text)
	}
}

// Invalid data in any part of a protobuf body is an error.
func TestDamagedProtobuf(t *testing.T) {
	const damaged = "\x0a\x7f" // a field that is longer than the text
	part := func(n byte, value string) string { return string([]byte{n<<3 | wireBytes, byte(len(value))}) + value }
	kind := part(1, "v1") + part(2, "Namespace")
	_, err := protobufObject([]byte("k8s\x00"+part(1, kind)+part(2, part(1, part(1, "loft")))), "core.v1.Namespace")
	require.NoError(t, err)
	for _, bad := range []string{damaged, part(1, damaged) + part(2, ""), part(1, kind) + part(2, damaged)} {
		_, err := protobufObject([]byte("k8s\x00"+bad), "core.v1.Namespace")
		require.Error(t, err, "%q", bad)
	}
}

func FuzzProtobuf(f *testing.F) {
	f.Add([]byte("k8s\x00\x0a\x02\x0a\x00"))
	f.Fuzz(func(t *testing.T, body []byte) {
		_, _ = protobufObject(body, "core.v1.Pod") // does not panic
	})
}

// EST-003, PRE-004.
func TestTerminatingCondition(t *testing.T) {
	for reason, want := range map[string]crd.Condition{
		"InstanceDeletionPending":    {Status: "True", Message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon"},
		"InstanceDeletionInProgress": {Status: "True", Message: "CustomResource deletion is in progress"},
		"InstanceDeletionCompleted":  {Status: "False", Message: "removed all instances"},
		"InstanceDeletionFailed":     {Status: "True"},
		"InstanceDeletionCheck":      {Status: "True"},
		"NeverEstablished":           {Status: "False", Message: "resource was never established"},
		"OverlappingBuiltInResource": {Status: "False", Message: "instances overlap with built-in resources in storage"},
	} {
		want.Type, want.Reason = crd.Terminating, reason
		require.Equal(t, want, terminatingCondition(reason))
	}
}

// EMD-002, EMD-003, CDC-009: a definition keeps the type and the sign of its numbers until it is stored.
func TestNumbersOfADefinition(t *testing.T) {
	s := serve(t, Options{}, storage.MemoryOptions{})
	version := func(name, schema string) string {
		return fmt.Sprintf(`{"name":%q,"served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object","properties":{"a":%s}}}}`, name, schema)
	}
	definition := func(versions ...string) string {
		return `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"ws.example.org"},"spec":{"group":"example.org",
			"scope":"Namespaced","names":{"kind":"W","plural":"ws"},"versions":[` + strings.Join(versions, ",") + `]}}`
	}
	for schema, printed := range map[string]string{
		`{"default":-0.0}`:          `"Default":-0,`,
		`{"default":-0e0}`:          `"Default":-0,`,
		`{"default":-0}`:            `"Default":0,`,
		`{"default":{"a":[-0.0]}}`:  `"Default":{"a":[-0]},`,
		`{"enum":[-0.0,1.0,1e3,0]}`: `"Enum":[-0,1,1000,0],`,
		`{"example":-0.0}`:          `"Example":-0,`,
		`{"minimum":-0}`:            `"Minimum":0,`, // -0 in a server
		`{"minimum":-0.0}`:          `"Minimum":-0,`,
		`{"multipleOf":-0.0}`:       `"MultipleOf":-0,`,
		`{"default":1e20}`:          `"Default":100000000000000000000,`,
		`{"default":1e21}`:          `"Default":1e+21,`,
	} {
		// Without a storage version, the error prints all versions.
		refused := s.must(t, http.StatusUnprocessableEntity, "POST", definitions, definition(version("v1", schema), version("v2", "{}")))
		require.Contains(t, refused["message"], printed, schema)
	}
	for schema, text := range map[string]string{
		`{"type":"string","default":1.0}`:          `Invalid value: "number":  in body must be of type string: "number"`,
		`{"type":"string","default":1}`:            `Invalid value: "integer":  in body must be of type string: "integer"`,
		`{"type":"object","default":{"b":[-0.0]}}`: `Invalid value: {"b":[-0]}: must not have unknown fields`,
		`{"type":"string","default":-0.0}`:         `Invalid value: "number":  in body must be of type string: "number"`,
	} {
		stored := strings.Replace(version("v1", schema), `"storage":false`, `"storage":true`, 1)
		refused := s.must(t, http.StatusUnprocessableEntity, "POST", definitions, definition(stored))
		require.Contains(t, refused["message"], text, schema)
	}

	// So does a patch. What is stored is an integer, so that a whole float is a change even if it is equal.
	stored := strings.Replace(version("v1", `{"type":"number","default":1.0}`), `"storage":false`, `"storage":true`, 1)
	answer, text := s.call(t, "POST", definitions+"?dryRun=All", definition(strings.Replace(stored, "1.0", "-0.0", 1)))
	require.Equal(t, http.StatusCreated, answer.StatusCode, text)
	require.Contains(t, text, `"default":0,`, "the answer has what is stored")
	s.must(t, http.StatusCreated, "POST", definitions, definition(stored))
	const path = definitions + "/ws.example.org"
	for i, value := range []string{"1.0", "1", "1", "1.0"} {
		patch := `[{"op":"replace","path":"/spec/versions/0/schema/openAPIV3Schema/properties/a/default","value":` + value + `}]`
		patched := s.must(t, http.StatusOK, "PATCH", path, patch, "Content-Type", "application/json-patch+json")
		require.EqualValues(t, []int{2, 2, 2, 3}[i], at(patched, "metadata", "generation"), i)
	}
	refused := s.must(t, http.StatusUnprocessableEntity, "PATCH", path, `{"spec":{"versions":[`+strings.Replace(stored, `"type":"number"`, `"type":"string"`, 1)+`]}}`,
		"Content-Type", mergePatch)
	require.Contains(t, refused["message"], `in body must be of type string: "number"`)
}

// The refusal of a deletion because of its preconditions has other words than that of other kinds.
func TestDefinitionPreconditions(t *testing.T) {
	s := serve(t, Options{}, storage.MemoryOptions{})
	refused := s.must(t, http.StatusConflict, "DELETE", definitions+"/kites.wind.example.com", `{"preconditions":{"uid":"x"}}`)
	require.Regexp(t, `^Operation cannot be fulfilled on customresourcedefinitions\.apiextensions\.k8s\.io "kites\.wind\.example\.com": `+
		`precondition failed: UID in precondition: x, UID in object meta: [0-9a-f-]{36}$`, refused["message"])
}
