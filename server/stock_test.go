package server

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/test/given"
)

// must sends a request, checks the status code, and returns the object in the response.
func must(t *testing.T, c *http.Client, code int, method, path, body string, header ...string) (obj object) {
	t.Helper()
	answer := send(t, c, method, path, body, header...)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.Equal(t, code, answer.StatusCode, "%s", text)
	require.NoError(t, json.Unmarshal(text, &obj), "%s", text)
	return obj
}

const (
	configMaps   = "/api/v1/namespaces/default/configmaps"
	secrets      = "/api/v1/namespaces/default/secrets"
	pods         = "/api/v1/namespaces/default/pods"
	deployments  = "/apis/apps/v1/namespaces/default/deployments"
	clusterRoles = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
	leases       = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
)

const deployment = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a","creationTimestamp":null},"spec":{"replicas":2,
"selector":{"matchLabels":{"app":"a"}},"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":1}},"template":{"metadata":{"creationTimestamp":null,
"labels":{"app":"a"}},"spec":{"containers":[{"name":"one","image":"one:1","ports":[{"containerPort":80}],"env":[{"name":"A","value":"1"}],
"resources":{"limits":{"cpu":2,"memory":"1Gi"}}},{"name":"two","image":"two:1"}],"volumes":[{"name":"v","emptyDir":{}}]}}},"status":{"replicas":7}}`

func TestBuiltInKinds(t *testing.T) {
	var reported []string
	_, c := start(t, Options{Unsupported: func(text string) { reported = append(reported, text) }})
	made := must(t, c, 201, "POST", configMaps, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"v"},"unknown":1}`)
	require.Equal(t, object{"k": "v"}, made["data"])
	require.Nil(t, made["unknown"])
	require.Nil(t, at(made, "metadata", "generation"))
	require.Equal(t, "v1", made["apiVersion"])
	must(t, c, 400, "POST", configMaps, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"},"data":{"k":1}}`)
	must(t, c, 422, "POST", configMaps, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"B_"}}`)
	require.Equal(t, []string{"ConfigMap in v1 is stored: its metadata, the types of its fields and what docs/server.md lists are validated"}, reported)

	secret := must(t, c, 201, "POST", secrets, `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"},"stringData":{"k":"v"},"type":"Opaque"}`)
	require.Equal(t, object{"k": base64.StdEncoding.EncodeToString([]byte("v"))}, secret["data"])
	require.Nil(t, secret["stringData"])
	require.Len(t, must(t, c, 200, "GET", secrets+"?fieldSelector=type%3DOpaque", "")["items"], 1)
	require.Empty(t, must(t, c, 200, "GET", secrets+"?fieldSelector=type%3DOther", "")["items"])

	d := must(t, c, 201, "POST", deployments, deployment)
	require.Equal(t, object{}, d["status"], "status is apart")
	require.Equal(t, 1.0, at(d, "metadata", "generation"))
	require.Equal(t, object{"labels": object{"app": "a"}}, at(d, "spec", "template", "metadata"), "without null")
	require.Equal(t, "2", at(d, "spec", "template", "spec", "containers").([]any)[0].(object)["resources"].(object)["limits"].(object)["cpu"])
	status := must(t, c, 200, "PATCH", deployments+"/a/status", `{"status":{"readyReplicas":1}}`, "Content-Type", mergePatch)
	require.Equal(t, 1.0, at(status, "metadata", "generation"))
	scaled := must(t, c, 200, "PATCH", deployments+"/a/scale", `{"spec":{"replicas":5}}`, "Content-Type", mergePatch)
	require.Equal(t, 5.0, at(scaled, "spec", "replicas"))
	require.Equal(t, 2.0, at(must(t, c, 200, "GET", deployments+"/a", ""), "metadata", "generation"))

	pod := must(t, c, 201, "POST", pods, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"containers":[{"name":"a","image":"b"}]}}`)
	require.Equal(t, "Pending", at(pod, "status", "phase"))
	// Deleting a namespace deletes the objects in it.
	must(t, c, 201, "POST", "/api/v1/namespaces", `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop"}}`)
	in := strings.Replace(configMaps, "default", "shop", 1)
	must(t, c, 201, "POST", in, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}`)
	must(t, c, 200, "DELETE", "/api/v1/namespaces/shop", "")
	require.Eventually(t, func() bool {
		answer := send(t, c, "GET", "/api/v1/namespaces/shop", "")
		answer.Body.Close()
		return answer.StatusCode == http.StatusNotFound
	}, soon, tick)
	require.Empty(t, must(t, c, 200, "GET", "/api/v1/configmaps?fieldSelector=metadata.namespace%3Dshop", "")["items"])
}

// A body of a built-in kind needs no kind, and of the apiVersion at most the group. An unusual one is not completed.
func TestBodiesWithoutType(t *testing.T) {
	_, c := start(t, Options{})
	masts := strings.TrimPrefix(scaledDefinition, `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",`)
	require.NotEqual(t, scaledDefinition, masts)
	for _, declared := range []string{``, `"kind":"","apiVersion":null,`, `"apiVersion":"apiextensions.k8s.io/",`, `"apiVersion":"/",`,
		`"kind":"CustomResourceDefinition",`, `"apiVersion":"apiextensions.k8s.io/v1",`} {
		for _, contentType := range []string{"", "application/json", "application/yaml"} {
			answer := send(t, c, "POST", definitions+"?dryRun=All", "{"+declared+masts, "Content-Type", contentType)
			text, err := io.ReadAll(answer.Body)
			require.NoError(t, err)
			require.Equal(t, http.StatusCreated, answer.StatusCode, "%s: %s", declared, text)
			require.Empty(t, answer.Header.Values("Warning"), declared)
			require.Contains(t, string(text), `"kind":"CustomResourceDefinition"`)
			require.Contains(t, string(text), `"apiVersion":"apiextensions.k8s.io/v1"`)
		}
	}
	for _, declared := range []string{`"kind":"Mast",`, `"apiVersion":"other.example.com/",`, `"apiVersion":"v1",`, `"apiVersion":"a/b/c",`, `"kind":1,`} {
		must(t, c, 400, "POST", definitions+"?dryRun=All", "{"+declared+masts, "Content-Type", "application/json")
	}
	made := must(t, c, 201, "POST", configMaps, `{"metadata":{"name":"a"},"data":{"k":"v"}}`)
	require.Equal(t, []any{"ConfigMap", "v1"}, []any{made["kind"], made["apiVersion"]})
}

func TestCustomOnly(t *testing.T) {
	_, c := start(t, Options{CustomOnly: true})
	answer := send(t, c, "GET", configMaps, "")
	answer.Body.Close()
	require.Equal(t, http.StatusNotFound, answer.StatusCode)
	require.Len(t, must(t, c, 200, "GET", "/api/v1", "")["resources"], 2)
}

// Lists with keys are merged by key, and each item has its own field owners.
func TestApplyOfBuiltInKinds(t *testing.T) {
	_, c := start(t, Options{})
	apply := func(manager, body string) object {
		return must(t, c, 200, "PATCH", deployments+"/a?force=true&fieldManager="+manager, body, "Content-Type", applyPatch)
	}
	must(t, c, 201, "PATCH", deployments+"/a?fieldManager=one", `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a"},
		"spec":{"selector":{"matchLabels":{"app":"a"}},"template":{"metadata":{"labels":{"app":"a"}},
		"spec":{"containers":[{"name":"one","image":"one:1","ports":[{"containerPort":80,"protocol":"TCP"}]}]}}}}`, "Content-Type", applyPatch)
	d := apply("two", `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a"},"spec":{"template":{"spec":{"containers":[{"name":"two","image":"two:1"}]}}}}`)
	require.Len(t, at(d, "spec", "template", "spec", "containers"), 2)
	d = apply("one", `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a"},
		"spec":{"replicas":3,"selector":{"matchLabels":{"app":"a"}},"template":{"metadata":{"labels":{"app":"a"}}}}}`)
	containers := at(d, "spec", "template", "spec", "containers").([]any)
	require.Len(t, containers, 1)
	require.Equal(t, "two", at(containers[0], "name"))
}

func TestStrategicMergePatches(t *testing.T) {
	for _, c := range []struct{ name, patch, want string }{
		{"a list by its key", `{"spec":{"template":{"spec":{"containers":[{"name":"two","image":"two:2"},{"name":"three","image":"three:1"}]}}}}`,
			`["one","two","three"]`},
		{"a deleted item", `{"spec":{"template":{"spec":{"containers":[{"name":"one","$patch":"delete"}]}}}}`, `["two"]`},
		{"a replaced list", `{"spec":{"template":{"spec":{"containers":[{"name":"new","image":"x"},{"$patch":"replace"}]}}}}`, `["new"]`},
		{"an order", `{"spec":{"template":{"spec":{"$setElementOrder/containers":[{"name":"two"},{"name":"one"}],"containers":[{"name":"one","image":"x"}]}}}}`,
			`["two","one"]`},
		{"null", `{"spec":{"template":{"spec":{"volumes":null}}}}`, `["one","two"]`},
		{"retained keys", `{"spec":{"strategy":{"$retainKeys":["type"],"type":"Recreate"}}}`, `["one","two"]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, client := start(t, Options{})
			must(t, client, 201, "POST", deployments, deployment)
			d := must(t, client, 200, "PATCH", deployments+"/a", c.patch, "Content-Type", strategicPatch)
			var names []string
			for _, container := range at(d, "spec", "template", "spec", "containers").([]any) {
				names = append(names, at(container, "name").(string))
			}
			require.Equal(t, c.want, string(given.JSON(t, names)))
			switch c.name {
			case "a list by its key":
				require.Equal(t, "two:2", at(at(d, "spec", "template", "spec", "containers").([]any)[1], "image"))
			case "null":
				require.Nil(t, at(d, "spec", "template", "spec", "volumes"))
			case "retained keys":
				require.Equal(t, object{"type": "Recreate"}, at(d, "spec", "strategy"))
			}
		})
	}
	_, c := start(t, Options{})
	must(t, c, 201, "POST", deployments, deployment)
	must(t, c, 400, "PATCH", deployments+"/a", `{"spec":{"$patch":"burn"}}`, "Content-Type", strategicPatch)
	must(t, c, 400, "PATCH", deployments+"/a", `{"spec":{"template":{"spec":{"containers":[{"image":"x"}]}}}}`, "Content-Type", strategicPatch)
}

// The options of a DELETE are decoded in each media type. If they are invalid, the object is not deleted.
func TestDeleteOptions(t *testing.T) {
	_, c := start(t, Options{})
	must(t, c, 201, "POST", kites, kite("a", "red"))
	dry := "k8s\x00\x0a\x13\x0a\x02v1\x12\x0dDeleteOptions\x12\x05\x2a\x03All"
	for _, o := range []struct {
		name, query, body, contentType string
		code                           int
		message                        string
	}{
		{"the query", "?dryRun=All", "", "", 200, ""},
		{"JSON", "", `{"dryRun":["All"]}`, "", 200, ""},
		{"JSON of a group", "", `{"apiVersion":"wind.example.com/v1","kind":"DeleteOptions","dryRun":["All"]}`, "application/json", 200, ""},
		{"YAML", "", "dryRun: [All]", "application/yaml", 200, ""},
		{"protobuf", "", dry, protobufType, 200, ""},
		{"an unknown type", "?dryRun=All", "{}", "text/plain", 415, "unknown format"},
		{"no type at all", "?dryRun=All", "{}", "/", 415, "unknown format"},
		{"another kind", "", `{"apiVersion":"v1","kind":"Pod","dryRun":["All"]}`, "", 400, `no kind "Pod" is registered for version "v1"`},
		{"no JSON", "?dryRun=All", `{`, "", 400, "json parse error"},
		{"no protobuf", "?dryRun=All", `{`, protobufType, 400, "protobuf"},
		{"another type of a field", "", `{"dryRun":"All"}`, "", 400, "dryRun"},
		{"both propagationPolicy and orphanDependents", "", `{"propagationPolicy":"Orphan","orphanDependents":true}`, "", 422, "cannot be both set"},
		{"both in the query", "?propagationPolicy=Orphan&orphanDependents=true", "", "", 422, "cannot be both set"},
	} {
		t.Run(o.name, func(t *testing.T) {
			obj := must(t, c, o.code, "DELETE", kites+"/a"+o.query, o.body, "Content-Type", o.contentType)
			if o.message != "" {
				require.Contains(t, obj["message"], o.message)
			}
			must(t, c, 200, "GET", kites+"/a", "")
		})
	}
}

// propagationPolicy and orphanDependents, in the query and in the body.
func TestPropagation(t *testing.T) {
	_, c := start(t, Options{})
	for i, o := range []struct {
		finalizers, query, body string
		stays                   bool
	}{
		{"", "?orphanDependents=true", "", true},
		{"", "?orphanDependents=false", "", false},
		{"", "", `{"orphanDependents":true}`, true},
		{"", "", `{"orphanDependents":false}`, false},
		{"", "?propagationPolicy=Orphan", "", true},
		{"", "?propagationPolicy=Background", `{"propagationPolicy":"Orphan"}`, true}, // the body takes precedence
		{"", "?propagationPolicy=Orphan", `{"propagationPolicy":"Background"}`, false},
		{`"orphan"`, "", "", true}, // the DELETE overrides the orphan finalizer of the owner
		{`"orphan"`, "", `{"orphanDependents":false}`, false},
	} {
		name := fmt.Sprint("o", i)
		body := strings.Replace(kite(name, "red"), `"name"`, `"finalizers":[`+o.finalizers+`],"name"`, 1)
		owner := must(t, c, 201, "POST", kites, body)
		must(t, c, 201, "POST", configMaps, owned(name, owner))
		must(t, c, 200, "DELETE", kites+"/"+name+o.query, o.body)
		gone(t, c, kites+"/"+name)
		if o.stays {
			require.Nil(t, at(must(t, c, 200, "GET", configMaps+"/"+name, ""), "metadata", "ownerReferences"), o)
		} else {
			gone(t, c, configMaps+"/"+name)
		}
	}
	must(t, c, 201, "POST", kites, kite("a", "red"))
	unknown := must(t, c, 422, "DELETE", kites+"/a?propagationPolicy=Other", "")
	require.Contains(t, unknown["message"], "propagationPolicy")
	must(t, c, 409, "DELETE", kites+"/a", `{"preconditions":{"uid":"other"}}`)
	must(t, c, 409, "DELETE", kites+"/a", `{"preconditions":{"resourceVersion":"1"}}`)
}

// An apply to a subresource changes only that subresource.
func TestApplyOfSubresources(t *testing.T) {
	_, c := start(t, Options{})
	made := must(t, c, 201, "POST", kites, kite("a", "red"))
	const config = `{"apiVersion":"wind.example.com/v1","kind":"Kite","metadata":{"name":"a"},"spec":{"colour":"blue"},"status":{"phase":"up"}}`
	status := must(t, c, 200, "PATCH", kites+"/a/status?fieldManager=m", config, "Content-Type", applyPatch)
	require.Equal(t, object{"phase": "up"}, status["status"])
	require.Equal(t, made["spec"], status["spec"])
	must(t, c, 404, "PATCH", kites+"/b/status?fieldManager=m", strings.ReplaceAll(config, `"a"`, `"b"`), "Content-Type", applyPatch)

	must(t, c, 201, "POST", definitions, scaledDefinition)
	const masts = "/apis/sea.example.com/v1/masts"
	must(t, c, 201, "POST", masts, `{"apiVersion":"sea.example.com/v1","kind":"Mast","metadata":{"name":"m"},"spec":{"sails":1}}`)
	scale := func(n int) string {
		return fmt.Sprintf(`{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"m"},"spec":{"replicas":%d}}`, n)
	}
	same := must(t, c, 200, "PATCH", masts+"/m/scale?fieldManager=m", scale(1), "Content-Type", applyPatch)
	require.Equal(t, object{"replicas": 1.0}, same["spec"])
	require.Equal(t, "Scale", same["kind"])
	conflict := must(t, c, 409, "PATCH", masts+"/m/scale?fieldManager=n", scale(2), "Content-Type", applyPatch)
	require.Contains(t, conflict["message"], "conflict with")
	patched := must(t, c, 200, "PATCH", masts+"/m/scale", `{"spec":{"replicas":4}}`, "Content-Type", mergePatch)
	require.Equal(t, object{"replicas": 4.0}, patched["spec"])
	require.Equal(t, object{"sails": 4.0}, must(t, c, 200, "GET", masts+"/m", "")["spec"])
}

func TestScaleBodies(t *testing.T) {
	_, c := start(t, Options{})
	must(t, c, 201, "POST", definitions, scaledDefinition)
	const masts = "/apis/sea.example.com/v1/masts"
	must(t, c, 201, "POST", masts, `{"apiVersion":"sea.example.com/v1","kind":"Mast","metadata":{"name":"m"},"spec":{"sails":1}}`)
	must(t, c, 200, "PUT", masts+"/m/scale", "kind: Scale\napiVersion: autoscaling/v1\nmetadata: {name: m}\nspec: {replicas: 3}", "Content-Type", "application/yaml")
	must(t, c, 415, "PUT", masts+"/m/scale", "{}", "Content-Type", "text/plain")
	must(t, c, 400, "PUT", masts+"/m/scale", "{}", "Content-Type", protobufType)
}

func TestWatchInYAML(t *testing.T) {
	_, c := start(t, Options{})
	r, err := http.NewRequestWithContext(t.Context(), "GET", "http://server"+kites+"?watch=true", nil)
	require.NoError(t, err)
	r.Header.Set("Accept", "application/yaml")
	answer, err := c.Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	require.Equal(t, http.StatusNotAcceptable, answer.StatusCode)
}

func TestDefinitionWithoutResourceVersion(t *testing.T) {
	_, c := start(t, Options{})
	refused := must(t, c, 422, "PUT", definitions+"/kites.wind.example.com", kiteDefinition)
	require.Equal(t, `customresourcedefinitions.apiextensions.k8s.io "kites.wind.example.com" is invalid: metadata.resourceVersion: `+
		`Invalid value: 0: must be specified for an update`, refused["message"])
}

// Names of RBAC objects are path segments.
func TestSegmentNames(t *testing.T) {
	_, c := start(t, Options{})
	role := func(name string) string {
		return `{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"` + name + `"},"rules":[]}`
	}
	made := must(t, c, 201, "POST", clusterRoles, role("system:Reader"))
	require.Equal(t, "system:Reader", at(made, "metadata", "name"))
	require.NotEmpty(t, at(made, "metadata", "uid"))
	require.Equal(t, made, must(t, c, 200, "GET", clusterRoles+"/system:Reader", ""))
	must(t, c, 201, "PATCH", clusterRoles+"/system:Writer?fieldManager=a", role("system:Writer"), "Content-Type", applyPatch)
	for name, want := range map[string]string{
		"a/b": `ClusterRole.rbac.authorization.k8s.io "a/b" is invalid: metadata.name: Invalid value: "a/b": may not contain '/'`,
		"a%b": `ClusterRole.rbac.authorization.k8s.io "a%b" is invalid: metadata.name: Invalid value: "a%b": may not contain '%'`,
		"..":  `ClusterRole.rbac.authorization.k8s.io ".." is invalid: metadata.name: Invalid value: "..": may not be '..'`,
		".":   `ClusterRole.rbac.authorization.k8s.io "." is invalid: metadata.name: Invalid value: ".": may not be '.'`,
	} {
		require.Equal(t, want, must(t, c, 422, "POST", clusterRoles, role(name))["message"])
	}
	both := must(t, c, 422, "POST", clusterRoles, `{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"B:","labels":{"a b":"c"}}}`)
	require.NotContains(t, both["message"], "metadata.name")
	require.Contains(t, both["message"], "metadata.labels")
	required := must(t, c, 422, "POST", clusterRoles, role(""))
	require.Contains(t, required["message"], "metadata.name: Required value")
	must(t, c, 422, "POST", configMaps, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a:b"}}`)
}

// Few built-in kinds have a generation. Responses have the stored one.
func TestGenerationsOfBuiltInKinds(t *testing.T) {
	_, c := start(t, Options{})
	made := must(t, c, 201, "POST", configMaps, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}`)
	require.NotContains(t, made["metadata"], "generation")
	require.Equal(t, made, must(t, c, 200, "GET", configMaps+"/a", ""))
	item := must(t, c, 200, "GET", configMaps, "")["items"].([]any)[0].(object)
	require.NotContains(t, item["metadata"], "generation")
	require.NotContains(t, item, "kind")
	deployed := must(t, c, 201, "POST", deployments, deployment)
	require.Equal(t, deployed, must(t, c, 200, "GET", deployments+"/a", ""))
	require.Equal(t, 1.0, at(deployed, "metadata", "generation"))
}

// A new object has the initial status of its kind.
func TestInitialStatus(t *testing.T) {
	_, c := start(t, Options{})
	claim := must(t, c, 201, "POST", "/api/v1/namespaces/default/persistentvolumeclaims",
		`{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"a"},"status":{"phase":"Bound"},
		"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}`)
	require.Equal(t, object{"phase": "Pending"}, claim["status"])
	set := must(t, c, 201, "POST", "/apis/apps/v1/namespaces/default/statefulsets", `{"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"a"},
		"spec":{"selector":{"matchLabels":{"a":"a"}},"template":{"metadata":{"labels":{"a":"a"}},"spec":{"containers":[{"name":"a","image":"a"}]}}}}`)
	require.Equal(t, object{"replicas": 0.0, "availableReplicas": 0.0}, set["status"])
}

// Most built-in kinds accept an update without a resourceVersion; Leases and PodDisruptionBudgets do not.
func TestUnconditionalUpdates(t *testing.T) {
	_, c := start(t, Options{})
	must(t, c, 201, "POST", configMaps, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}`)
	updated := must(t, c, 200, "PUT", configMaps+"/a", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"1"}}`)
	require.Equal(t, object{"k": "1"}, updated["data"])
	must(t, c, 409, "PUT", configMaps+"/a", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","resourceVersion":"1"}}`)
	must(t, c, 201, "POST", deployments, deployment)
	status := must(t, c, 200, "PUT", deployments+"/a/status", `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a"},"status":{"replicas":2}}`)
	require.Equal(t, object{"replicas": 2.0}, status["status"])
	must(t, c, 200, "PUT", namespaces+"/default", `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"default","labels":{"a":"b"}}}`)

	apply := `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","resourceVersion":""},"data":{"l":"2"}}`
	applied := must(t, c, 200, "PATCH", configMaps+"/a?fieldManager=m", apply, "Content-Type", applyPatch)
	require.Equal(t, object{"k": "1", "l": "2"}, applied["data"])
	must(t, c, 409, "PATCH", configMaps+"/a?fieldManager=m", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","resourceVersion":"1"}}`,
		"Content-Type", applyPatch)
	must(t, c, 400, "PATCH", configMaps+"/a?fieldManager=m", `{`, "Content-Type", applyPatch)

	lease := `{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"a"},"spec":{"holderIdentity":"me"}}`
	must(t, c, 201, "POST", leases, lease)
	refused := must(t, c, 422, "PUT", leases+"/a", lease)
	require.Contains(t, refused["message"], "metadata.resourceVersion: Invalid value: 0: must be specified for an update")
}

// Duplicate fields in what is sent for built-in kinds, with the texts of kube-apiserver 1.37.2.
func TestDuplicateFields(t *testing.T) {
	_, c := start(t, Options{})
	must(t, c, 201, "POST", configMaps, `{"metadata":{"name":"a"}}`)
	const (
		twice  = `{"metadata":{"name":"b","name":"b","foo":1}}`
		strict = "?fieldValidation=Strict"
		dup    = `duplicate field "metadata.name"`
	)
	for _, row := range []struct {
		method, path, body, contentType string
		code                            int
		message                         string
		warnings                        []string
	}{
		{"POST", configMaps, twice, jsonType, 201, "", []string{dup, `unknown field "metadata.foo"`}},
		{"POST", configMaps + "?fieldValidation=Ignore", strings.ReplaceAll(twice, `"b"`, `"c"`), jsonType, 201, "", nil},
		{"POST", configMaps + strict, twice, jsonType, 400, `ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: ` + dup + `, unknown field "metadata.foo"`, nil},
		{"POST", configMaps, `{metadata: {name: d, name: d}}`, yamlType, 201, "", []string{`line 1: key "name" already set in map`}},
		{"PATCH", configMaps + "/a", `{"metadata":{"name":"a","name":"a"}}`, strategicPatch, 200, "", []string{dup}},
		{"PATCH", configMaps + "/a" + strict, `{"metadata":{"name":"a","name":"a","foo":[1,"a",null,1.5,true]}}`, strategicPatch, 422,
			` "" is invalid: patch: Invalid value: "map[metadata:map[foo:[1 a <nil> 1.5 true] name:a]]": strict decoding error: ` + dup + `, unknown field "metadata.foo"`, nil},
	} {
		answer := send(t, c, row.method, row.path, row.body, "Content-Type", row.contentType)
		var body object
		require.NoError(t, json.NewDecoder(answer.Body).Decode(&body))
		answer.Body.Close()
		require.Equal(t, row.code, answer.StatusCode, row.body)
		if row.message != "" {
			require.Equal(t, row.message, body["message"], row.body)
		}
		var warnings []string
		for _, w := range answer.Header["Warning"] {
			text, err := strconv.Unquote(strings.TrimPrefix(w, "299 - "))
			require.NoError(t, err)
			warnings = append(warnings, text)
		}
		require.Equal(t, row.warnings, warnings, row.body)
	}
}

// Objects of other types than that of the request, with the texts of kube-apiserver 1.37.2.
func TestOtherTypes(t *testing.T) {
	_, c := start(t, Options{})
	const deployments = "/apis/apps/v1/namespaces/default/deployments"
	for _, row := range [][3]string{
		{configMaps, `"apiVersion":"v1","kind":"Other"`, `Other in version "v1" cannot be handled as a ConfigMap: no kind "Other" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"`},
		{configMaps, `"apiVersion":"v1","kind":"Secret"`, `Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion`},
		{deployments, `"apiVersion":"v1","kind":"ConfigMap"`, `ConfigMap in version "v1" cannot be handled as a Deployment: converting (v1.ConfigMap) to (apps.Deployment): unknown conversion`},
		{deployments, `"apiVersion":"apps/v1beta9","kind":"Deployment"`, `Deployment in version "v1beta9" cannot be handled as a Deployment: no kind "Deployment" is registered for version "apps/v1beta9" in scheme "pkg/runtime/scheme.go:111"`},
		{"/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers", `"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler"`, "the API version in the data (autoscaling/v1) does not match the expected API version (autoscaling/v2)"},
	} {
		require.Equal(t, row[2], must(t, c, 400, "POST", row[0], `{`+row[1]+`,"metadata":{"name":"x"}}`)["message"])
	}
}

// The option to delete an object only if it cannot be read, with the texts of kube-apiserver 1.37.2.
func TestDeleteUnreadable(t *testing.T) {
	_, c := start(t, Options{})
	must(t, c, 201, "POST", configMaps, `{"metadata":{"name":"a"}}`)
	const option = "ignoreStoreReadErrorWithClusterBreakingPotential"
	const query = "?" + option + "=true"
	for _, row := range []struct {
		path, body string
		code       int
		message    string
	}{
		{configMaps + "/a" + query, "", 409, `Operation cannot be fulfilled on configmaps "a": StorageError: invalid object, Code: 4, Key: /registry/configmaps/default/a, ` +
			"ResourceVersion: 0, AdditionalErrorMsg: unsafe deletion is not allowed because the object is decodable from storage"},
		{configMaps + "/none" + query, "", 404, `configmaps "none" not found`},
		{"/api/v1/namespaces/default" + query, "", 500, "Internal error occurred: no unsafe deleter provided, can not honor " + option},
		{configMaps + query, "", 422, `DeleteOptions.meta.k8s.io "" is invalid: ` + option + ": Invalid value: true: is not allowed with DELETECOLLECTION, try again after removing the option"},
		{configMaps + "/a", `{"` + option + `":true,"gracePeriodSeconds":0,"preconditions":{},"orphanDependents":false}`, 422, `DeleteOptions.meta.k8s.io "" is invalid: [` +
			option + ": Invalid value: true: cannot be set together with .orphanDependents, " + option + ": Invalid value: true: cannot be set together with .gracePeriodSeconds, " +
			option + ": Invalid value: true: cannot be set together with .preconditions]"},
	} {
		require.Equal(t, row.message, must(t, c, row.code, "DELETE", row.path, row.body)["message"], row.path)
	}
	must(t, c, 200, "DELETE", configMaps+"/a?"+option+"=false", "")
}
