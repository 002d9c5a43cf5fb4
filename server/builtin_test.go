package server

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	jobs     = "/apis/batch/v1/namespaces/default/jobs"
	services = "/api/v1/namespaces/default/services"
	claims   = "/api/v1/namespaces/default/persistentvolumeclaims"
)

const job = `{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"a"},"spec":{"suspend":true,"template":{"metadata":{"labels":{"app":"a"}},
"spec":{"restartPolicy":"Never","containers":[{"name":"a","image":"a"}]}}}}`

const pod = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"containers":[{"name":"a","image":"a"}]}}`

// Defaults are set in creates, updates, patches and applies. In an apply, nobody owns them.
func TestDefaultsOfBuiltInKinds(t *testing.T) {
	_, c := start(t, Options{})
	made := must(t, c, 201, "POST", jobs, job)
	spec := made["spec"].(object)
	require.Equal(t, []any{1.0, 1.0, 6.0, "NonIndexed"}, []any{spec["parallelism"], spec["completions"], spec["backoffLimit"], spec["completionMode"]})
	uid := at(made, "metadata", "uid")
	require.Equal(t, object{"matchLabels": object{"batch.kubernetes.io/controller-uid": uid}}, spec["selector"])
	require.Equal(t, object{"app": "a", "batch.kubernetes.io/controller-uid": uid, "controller-uid": uid, "batch.kubernetes.io/job-name": "a", "job-name": "a"},
		at(spec, "template", "metadata", "labels"))
	require.Equal(t, object{"app": "a"}, at(made, "metadata", "labels"))
	require.Equal(t, "ClusterFirst", at(spec, "template", "spec", "dnsPolicy"))
	require.Equal(t, "Always", at(spec, "template", "spec", "containers").([]any)[0].(object)["imagePullPolicy"])

	// An update with the same spec, without defaults, changes nothing.
	d := must(t, c, 201, "POST", deployments, deployment)
	same := must(t, c, 200, "PUT", deployments+"/a", deployment)
	require.Equal(t, at(d, "metadata", "resourceVersion"), at(same, "metadata", "resourceVersion"))
	require.Equal(t, 10.0, at(d, "spec", "revisionHistoryLimit"))
	for _, patch := range []string{mergePatch, strategicPatch} {
		patched := must(t, c, 200, "PATCH", deployments+"/a", `{"spec":{"revisionHistoryLimit":null,"template":{"spec":{"dnsPolicy":null}}}}`, "Content-Type", patch)
		require.Equal(t, 10.0, at(patched, "spec", "revisionHistoryLimit"))
		require.Equal(t, "ClusterFirst", at(patched, "spec", "template", "spec", "dnsPolicy"))
	}
	applied := must(t, c, 201, "PATCH", services+"/a?fieldManager=m", `{"apiVersion":"v1","kind":"Service","metadata":{"name":"a"},
		"spec":{"ports":[{"port":80}]}}`, "Content-Type", applyPatch)
	require.Equal(t, "ClusterIP", at(applied, "spec", "type"))
	require.Equal(t, 80.0, at(applied, "spec", "ports").([]any)[0].(object)["targetPort"])
	fields, err := json.Marshal(at(applied, "metadata", "managedFields").([]any)[0].(object)["fieldsV1"])
	require.NoError(t, err)
	require.Equal(t, `{"f:spec":{"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{}}}}}`, string(fields))
}

// Mutating webhooks see defaults, and what they add gets defaults.
func TestDefaultsAndWebhooks(t *testing.T) {
	var seen string
	_, c := start(t, Options{Webhooks: []Webhook{{Name: "m.example.com", Mutating: true, Resources: []string{"pods"}, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var review struct {
			Request struct {
				UID    string
				Object json.RawMessage
			}
		}
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		seen = string(review.Request.Object)
		_ = json.NewEncoder(w).Encode(object{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": object{
			"uid": review.Request.UID, "allowed": true, "patchType": "JSONPatch",
			"patch": []byte(`[{"op":"add","path":"/spec/containers/-","value":{"name":"b","image":"b:1"}}]`)}})
	})}}})
	made := must(t, c, 201, "POST", pods, pod)
	require.Contains(t, seen, `"dnsPolicy":"ClusterFirst"`)
	added := at(made, "spec", "containers").([]any)[1].(object)
	require.Equal(t, []any{"b", "IfNotPresent", "File"}, []any{added["name"], added["imagePullPolicy"], added["terminationMessagePolicy"]})
}

// Lists of built-in kinds may have items with the same key.
func TestDuplicateKeysOfBuiltInKinds(t *testing.T) {
	_, c := start(t, Options{})
	const twice = `"ports":[{"containerPort":80},{"containerPort":80}],"env":[{"name":"A","value":"1"},{"name":"A","value":"2"}]`
	body := strings.Replace(pod, `"image":"a"`, `"image":"a",`+twice, 1)
	must(t, c, 201, "POST", pods, body)
	changed := must(t, c, 200, "PUT", pods+"/a", strings.Replace(body, `"image":"a"`, `"image":"b"`, 1))
	require.Len(t, at(changed, "spec", "containers").([]any)[0].(object)["env"], 2)
	status := must(t, c, 200, "PATCH", pods+"/a/status", `{"status":{"conditions":[{"type":"Ready","status":"True"},{"type":"Ready","status":"False"}]}}`,
		"Content-Type", mergePatch)
	require.Len(t, at(status, "status", "conditions"), 2)
	must(t, c, 200, "PATCH", pods+"/a", `{"metadata":{"labels":{"a":"b"}}}`, "Content-Type", mergePatch)
}

// A write to the status of a built-in kind changes metadata, but not the labels of a Deployment.
func TestStatusMetadata(t *testing.T) {
	_, c := start(t, Options{})
	const patch = `{"metadata":{"labels":{"l":"1"},"annotations":{"a":"1"},"finalizers":["example.com/f"]},"spec":{"suspend":false,"replicas":7},"status":{"conditions":[]}}`
	must(t, c, 201, "POST", jobs, job)
	made := must(t, c, 200, "PATCH", jobs+"/a/status?fieldManager=m", patch, "Content-Type", mergePatch)
	require.Equal(t, object{"a": "1"}, at(made, "metadata", "annotations"))
	require.Equal(t, object{"app": "a", "l": "1"}, at(made, "metadata", "labels"))
	require.Equal(t, []any{"example.com/f"}, at(made, "metadata", "finalizers"))
	require.Equal(t, true, at(made, "spec", "suspend"))
	require.Equal(t, 1.0, at(made, "metadata", "generation"))
	must(t, c, 201, "POST", deployments, deployment)
	made = must(t, c, 200, "PATCH", deployments+"/a/status", patch, "Content-Type", mergePatch)
	require.Equal(t, object{"a": "1"}, at(made, "metadata", "annotations"))
	require.Nil(t, at(made, "metadata", "labels"))
	require.Equal(t, 2.0, at(made, "spec", "replicas"))
	must(t, c, 422, "PATCH", jobs+"/a/status", `{"metadata":{"labels":{"-":"1"}}}`, "Content-Type", mergePatch)
	// Removing the last finalizer by a write to the status deletes the object.
	must(t, c, 200, "DELETE", jobs+"/a", "")
	must(t, c, 200, "PATCH", jobs+"/a/status", `{"metadata":{"finalizers":null}}`, "Content-Type", mergePatch)
	must(t, c, 404, "GET", jobs+"/a", "")
}

// What controllers and their tests rely on is validated.
func TestChecksOfBuiltInKinds(t *testing.T) {
	_, c := start(t, Options{})
	must(t, c, 201, "POST", jobs, job)
	must(t, c, 201, "POST", deployments, deployment)
	must(t, c, 201, "POST", configMaps, `{"metadata":{"name":"a"},"data":{"k":"v"},"immutable":true}`)
	must(t, c, 201, "POST", secrets, `{"metadata":{"name":"a"},"type":"a"}`)
	const claim = `{"metadata":{"name":"a"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}`
	must(t, c, 201, "POST", claims, claim)
	must(t, c, 201, "POST", pods, pod)
	for _, o := range []struct{ method, path, body, message string }{
		{"PATCH", jobs + "/a", `{"spec":{"selector":{"matchLabels":{"a":"b"}}}}`, "spec.selector: Invalid value"},
		{"PATCH", jobs + "/a", `{"spec":{"template":{"spec":{"hostname":"h"}}}}`, "spec.template.spec: Invalid value"},
		{"PATCH", jobs + "/a", `{"spec":{"template":{"spec":{"restartPolicy":"Always"}}}}`, `spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"`},
		{"PATCH", jobs + "/a", `{"spec":{"template":{"spec":{"nodeSelector":{"a":"b"}}}}}`, ""},
		{"PATCH", jobs + "/a", `{"spec":{"parallelism":3}}`, ""},
		{"PATCH", jobs + "/a", `{"spec":{"parallelism":-3}}`, "spec.parallelism: Invalid value: -3: must be greater than or equal to 0"},
		{"PATCH", deployments + "/a", `{"spec":{"selector":{"matchLabels":{"app":"a","b":"b"}},"template":{"metadata":{"labels":{"b":"b"}}}}}`,
			"field is immutable"},
		{"PATCH", deployments + "/a", `{"spec":{"template":{"metadata":{"labels":{"app":"b"}}}}}`,
			"spec.template.metadata.labels: Invalid value: {\"app\":\"b\"}: `selector` does not match template `labels`"},
		{"PATCH", deployments + "/a", `{"spec":{"replicas":-1}}`, "spec.replicas: Invalid value: -1: must be greater than or equal to 0"},
		{"POST", deployments, `{"metadata":{"name":"b"},"spec":{}}`, "spec.selector: Required value"},
		{"POST", pods, `{"metadata":{"name":"b"},"spec":{}}`, "spec.containers: Required value"},
		{"POST", pods, `{"metadata":{"name":"b"},"spec":{"containers":[{"name":"a"}]}}`, "spec.containers[0].image: Required value"},
		{"PATCH", pods + "/a", `{"spec":{"hostname":"h"}}`, "spec: Forbidden: pod updates may not change fields other than"},
		{"PATCH", pods + "/a", `{"spec":{"containers":[]}}`, "spec.containers: Forbidden: pod updates may not add or remove containers"},
		{"POST", deployments, `{"metadata":{"name":"b"},"spec":{"selector":{"matchExpressions":[{"key":"a","operator":"in"}]}}}`,
			"[spec.selector.matchExpressions[0].operator: Invalid value: \"in\": not a valid selector operator, spec.selector: Invalid value: "},
		{"PATCH", configMaps + "/a", `{"data":{"k":"w"}}`, "data: Forbidden: field is immutable when `immutable` is set"},
		{"PATCH", configMaps + "/a", `{"metadata":{"labels":{"k":"w"}}}`, ""},
		{"PATCH", secrets + "/a", `{"type":"b"}`, `type: Invalid value: "b": field is immutable`},
		{"POST", claims, `{"metadata":{"name":"b"},"spec":{}}`, "spec.accessModes: Required value: at least 1 access mode is required"},
		{"PATCH", claims + "/a", `{"spec":{"storageClassName":"b"}}`, ""},
		{"PATCH", claims + "/a", `{"spec":{"storageClassName":"c"}}`, "spec: Forbidden: spec is immutable after creation"},
		{"POST", services, `{"metadata":{"name":"b"},"spec":{}}`, "spec.ports: Required value"},
		{"POST", services, `{"metadata":{"name":"b"},"spec":{"clusterIP":"None"}}`, ""},
	} {
		answer := send(t, c, o.method, o.path, o.body, "Content-Type", map[string]string{"PATCH": mergePatch}[o.method])
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		answer.Body.Close()
		if o.message == "" {
			require.Less(t, answer.StatusCode, 300, "%s: %s", o.body, text)
			continue
		}
		require.Equal(t, 422, answer.StatusCode, "%s: %s", o.body, text)
		var status object
		require.NoError(t, json.Unmarshal(text, &status))
		require.Contains(t, status["message"], o.message)
	}
}

// Watches see that a Pod is being deleted before it is gone. On a node it stays for its grace period.
func TestDeletionOfPods(t *testing.T) {
	_, c := start(t, Options{})
	made := must(t, c, 201, "POST", pods, pod)
	answer := send(t, c, "GET", pods+"?watch=true&timeoutSeconds=1&resourceVersion="+at(made, "metadata", "resourceVersion").(string), "")
	deleted := must(t, c, 200, "DELETE", pods+"/a", "")
	require.Equal(t, "Pod", deleted["kind"])
	must(t, c, 404, "GET", pods+"/a", "")
	events := json.NewDecoder(answer.Body)
	for _, want := range []string{"MODIFIED", "DELETED"} {
		var event struct {
			Type   string
			Object object
		}
		require.NoError(t, events.Decode(&event))
		require.Equal(t, want, event.Type)
		require.NotNil(t, at(event.Object, "metadata", "deletionTimestamp"))
		require.Equal(t, 0.0, at(event.Object, "metadata", "deletionGracePeriodSeconds"))
		require.Equal(t, 2.0, at(event.Object, "metadata", "generation"))
	}
	answer.Body.Close()

	must(t, c, 201, "POST", pods, strings.Replace(pod, `"containers"`, `"nodeName":"n","containers"`, 1))
	for range 2 {
		marked := must(t, c, 200, "DELETE", pods+"/a", "")
		require.Equal(t, 30.0, at(marked, "metadata", "deletionGracePeriodSeconds"))
	}
	shorter := must(t, c, 200, "DELETE", pods+"/a?gracePeriodSeconds=5", "")
	require.Equal(t, 5.0, at(shorter, "metadata", "deletionGracePeriodSeconds"))
	must(t, c, 200, "DELETE", pods+"/a", `{"gracePeriodSeconds":0,"dryRun":["All"]}`)
	must(t, c, 200, "GET", pods+"/a", "")
	must(t, c, 200, "DELETE", pods+"/a", `{"gracePeriodSeconds":0}`)
	must(t, c, 404, "GET", pods+"/a", "")
}

// kubectl get prints the columns of a server.
func TestTablesOfBuiltInKinds(t *testing.T) {
	_, c := start(t, Options{})
	must(t, c, 201, "POST", deployments, deployment)
	for path, want := range map[string][]string{
		deployments: {"Name", "Ready", "Up-to-date", "Available", "Age", "Containers", "Images", "Selector"},
		definitions: {"Name", "Scope", "Versions", "Created At", "Group", "Kind", "ShortNames", "Established"},
	} {
		table := must(t, c, 200, "GET", path, "", "Accept", "application/json;as=Table;v=v1;g=meta.k8s.io")
		var names []string
		for _, column := range table["columnDefinitions"].([]any) {
			names = append(names, column.(object)["name"].(string))
		}
		require.Equal(t, want, names)
		require.Len(t, table["rows"].([]any)[0].(object)["cells"], len(want))
	}
}

func TestVerboseHealth(t *testing.T) {
	_, c := start(t, Options{})
	answer := send(t, c, "GET", "/readyz?verbose", "")
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, "[+]ping ok\n[+]log ok\n[+]etcd ok\nreadyz check passed\n", string(text))
}

// Labels of field selectors of built-in kinds that are not paths of fields, and fields that are zero if they are left
// out.
func TestFieldSelectorsOfBuiltInKinds(t *testing.T) {
	_, c := start(t, Options{})
	const nodes, events = "/api/v1/nodes", "/api/v1/namespaces/default/events"
	must(t, c, 201, "POST", jobs, job)
	must(t, c, 201, "POST", pods, pod)
	must(t, c, 201, "POST", nodes, `{"apiVersion":"v1","kind":"Node","metadata":{"name":"a"}}`)
	must(t, c, 201, "POST", nodes, `{"apiVersion":"v1","kind":"Node","metadata":{"name":"b"},"spec":{"unschedulable":true}}`)
	must(t, c, 201, "POST", events, `{"apiVersion":"v1","kind":"Event","metadata":{"name":"a"},"involvedObject":{"namespace":"default"},
		"reportingComponent":"k","source":{"component":"s"}}`)
	must(t, c, 200, "PATCH", pods+"/a/status", `{"status":{"podIP":"10.0.0.1","podIPs":[{"ip":"10.0.0.1"},{"ip":"fd00::1"}]}}`, "Content-Type", mergePatch)
	for _, r := range []struct {
		path, selector string
		want           []string
	}{
		{jobs, "status.successful=0", []string{"a"}}, {jobs, "status.successful!=0", nil},
		{pods, "spec.hostNetwork=false", []string{"a"}}, {pods, "status.podIP=10.0.0.1", []string{"a"}}, {pods, "status.podIP=fd00::1", nil},
		{pods, "status.podIPs=10.0.0.1", nil}, {pods, "spec.host=", []string{"a"}}, {pods, "spec.schedulerName=default-scheduler", []string{"a"}},
		{nodes, "spec.unschedulable=false", []string{"a"}}, {nodes, "spec.unschedulable=true", []string{"b"}},
		{events, "source=s", []string{"a"}}, {events, "reportingComponent=k", []string{"a"}}, {events, "source=k", nil},
		{"/api/v1/namespaces", "status.phase=Active,metadata.name=default", []string{"default"}},
		{"/apis/storage.k8s.io/v1/storageclasses", "metadata.namespace=a", nil},
	} {
		list := must(t, c, 200, "GET", r.path+"?fieldSelector="+url.QueryEscape(r.selector), "")
		var names []string
		for _, item := range list["items"].([]any) {
			names = append(names, at(item.(object), "metadata", "name").(string))
		}
		require.Equal(t, r.want, names, "%s %s", r.path, r.selector)
	}
}

// New claims, volumes and classes of attributes get a finalizer. Without garbage collection it keeps them.
func TestProtectionOfVolumes(t *testing.T) {
	const volumes, classes = "/api/v1/persistentvolumes", "/apis/storage.k8s.io/v1/volumeattributesclasses"
	created := []struct{ path, body, finalizer string }{
		{claims, `{"metadata":{"name":"a","finalizers":["example.com/f"]},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}`,
			"kubernetes.io/pvc-protection"},
		{volumes, `{"metadata":{"name":"a","finalizers":["example.com/f"]},"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],
			"hostPath":{"path":"/a"}}}`, "kubernetes.io/pv-protection"},
		{classes, `{"metadata":{"name":"a","finalizers":["example.com/f"]},"driverName":"a","parameters":{"a":"b"}}`, "kubernetes.io/vac-protection"},
	}
	for _, keep := range []bool{false, true} {
		_, c := start(t, Options{KeepGarbage: keep})
		for _, r := range created {
			made := must(t, c, 201, "POST", r.path, r.body)
			require.Equal(t, []any{"example.com/f", r.finalizer}, at(made, "metadata", "finalizers"))
			must(t, c, 200, "PATCH", r.path+"/a", `{"metadata":{"finalizers":["`+r.finalizer+`"]}}`, "Content-Type", mergePatch)
			must(t, c, 200, "DELETE", r.path+"/a", "")
			if !keep {
				must(t, c, 404, "GET", r.path+"/a", "")
				continue
			}
			left := must(t, c, 200, "GET", r.path+"/a", "")
			require.NotEmpty(t, at(left, "metadata", "deletionTimestamp"))
			must(t, c, 200, "PATCH", r.path+"/a", `{"metadata":{"finalizers":null}}`, "Content-Type", mergePatch)
			must(t, c, 404, "GET", r.path+"/a", "")
		}
	}
}

// A claim does not keep its namespace from being deleted.
func TestClaimInADeletedNamespace(t *testing.T) {
	_, c := start(t, Options{})
	must(t, c, 201, "POST", "/api/v1/namespaces", `{"metadata":{"name":"short"}}`)
	must(t, c, 201, "POST", "/api/v1/namespaces/short/persistentvolumeclaims",
		`{"metadata":{"name":"a"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}`)
	must(t, c, 200, "DELETE", "/api/v1/namespaces/short", "")
	require.Eventually(t, func() bool {
		answer := send(t, c, "GET", "/api/v1/namespaces/short", "")
		defer answer.Body.Close()
		return answer.StatusCode == http.StatusNotFound
	}, 10*time.Second, 5*time.Millisecond)
}
