package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/registry/apps/daemonset"
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	"k8s.io/kubernetes/pkg/registry/apps/replicaset"
	"k8s.io/kubernetes/pkg/registry/apps/statefulset"
	"k8s.io/kubernetes/pkg/registry/autoscaling/horizontalpodautoscaler"
	"k8s.io/kubernetes/pkg/registry/batch/cronjob"
	"k8s.io/kubernetes/pkg/registry/batch/job"
	"k8s.io/kubernetes/pkg/registry/coordination/lease"
	"k8s.io/kubernetes/pkg/registry/core/configmap"
	"k8s.io/kubernetes/pkg/registry/core/endpoint"
	"k8s.io/kubernetes/pkg/registry/core/event"
	"k8s.io/kubernetes/pkg/registry/core/node"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolume"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolumeclaim"
	"k8s.io/kubernetes/pkg/registry/core/pod"
	"k8s.io/kubernetes/pkg/registry/core/podtemplate"
	"k8s.io/kubernetes/pkg/registry/core/replicationcontroller"
	"k8s.io/kubernetes/pkg/registry/core/resourcequota"
	"k8s.io/kubernetes/pkg/registry/core/secret"
	"k8s.io/kubernetes/pkg/registry/core/service"
	"k8s.io/kubernetes/pkg/registry/discovery/endpointslice"
	"k8s.io/kubernetes/pkg/registry/networking/ingress"
	"k8s.io/kubernetes/pkg/registry/networking/ingressclass"
	"k8s.io/kubernetes/pkg/registry/networking/networkpolicy"
	"k8s.io/kubernetes/pkg/registry/node/runtimeclass"
	"k8s.io/kubernetes/pkg/registry/policy/poddisruptionbudget"
	"k8s.io/kubernetes/pkg/registry/rbac/clusterrolebinding"
	"k8s.io/kubernetes/pkg/registry/rbac/rolebinding"
	"k8s.io/kubernetes/pkg/registry/scheduling/priorityclass"
	"k8s.io/kubernetes/pkg/registry/storage/storageclass"

	"github.com/crdkit/crdkit/server"
	"github.com/crdkit/crdkit/server/storage"
)

// A strategy decides in Kubernetes about creates and updates of a kind.
type strategy interface {
	rest.RESTCreateStrategy
	rest.RESTUpdateStrategy
}

// checked are the kinds that package server checks, with a valid object of each.
var checked = map[string]struct {
	strategy strategy
	valid    string
}{
	"core.v1.Pod":         {pod.Strategy, `{"spec": ` + podSpec + `}`},
	"core.v1.PodTemplate": {podtemplate.Strategy, `{"template": ` + template + `}`},
	"core.v1.Service":     {service.Strategy, `{"spec": {"selector": {"app": "a"}, "ports": [{"port": 80}]}}`},
	"core.v1.ConfigMap":   {configmap.Strategy, `{"data": {"a": "b"}}`},
	"core.v1.Secret":      {secret.Strategy, `{"data": {"a": "Yg=="}}`},
	"core.v1.PersistentVolumeClaim": {persistentvolumeclaim.Strategy,
		`{"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}`},
	"core.v1.ReplicationController": {replicationcontroller.Strategy, `{"spec": {"selector": {"app": "a"}, "template": ` + template + `}}`},
	"apps.v1.Deployment":            {deployment.Strategy, workload},
	"apps.v1.ReplicaSet":            {replicaset.Strategy, workload},
	"apps.v1.StatefulSet":           {statefulset.Strategy, workload},
	"apps.v1.DaemonSet":             {daemonset.Strategy, workload},
	"batch.v1.Job":                  {job.Strategy, `{"spec": ` + jobSpec + `}`},
	"batch.v1.CronJob":              {cronjob.Strategy, `{"spec": {"schedule": "* * * * *", "jobTemplate": {"spec": ` + jobSpec + `}}}`},
	"autoscaling.v2.HorizontalPodAutoscaler": {horizontalpodautoscaler.Strategy,
		`{"spec": {"maxReplicas": 3, "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "a"}}}`},
	"rbac.v1.RoleBinding":         {rolebinding.Strategy, `{"roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "a"}}`},
	"rbac.v1.ClusterRoleBinding":  {clusterrolebinding.Strategy, `{"roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "a"}}`},
	"scheduling.v1.PriorityClass": {priorityclass.Strategy, `{"value": 1}`},
	"node.v1.RuntimeClass":        {runtimeclass.Strategy, `{"handler": "a"}`},
	"core.v1.PersistentVolume": {persistentvolume.Strategy,
		`{"spec": {"accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}, "hostPath": {"path": "/a"}}}`},
	"networking.v1.Ingress": {ingress.Strategy, `{"spec": {"rules": [{"http": {"paths": [{"path": "/", "pathType": "Prefix",
		"backend": {"service": {"name": "a", "port": {"number": 80}}}}]}}]}}`},
	"networking.v1.NetworkPolicy":   {networkpolicy.Strategy, `{"spec": {"podSelector": {}}}`},
	"policy.v1.PodDisruptionBudget": {poddisruptionbudget.Strategy, `{"spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "a"}}}}`},
	"storage.v1.StorageClass":       {storageclass.Strategy, `{"provisioner": "example.com/a"}`},
	"networking.v1.IngressClass":    {ingressclass.Strategy, `{"spec": {"controller": "example.com/a"}}`},
	"coordination.v1.Lease":         {lease.Strategy, `{"spec": {"holderIdentity": "a"}}`},
	"discovery.v1.EndpointSlice":    {endpointslice.Strategy, `{"addressType": "IPv4"}`},
	"core.v1.Endpoints":             {endpoint.Strategy, `{"subsets": [{"addresses": [{"ip": "10.0.0.1"}], "ports": [{"port": 80}]}]}`},
	"core.v1.Node":                  {node.Strategy, `{"spec": {}}`},
	"core.v1.ResourceQuota":         {resourcequota.Strategy, `{"spec": {"hard": {"pods": "1"}}}`},
	"core.v1.Event":                 {event.Strategy, `{"involvedObject": {"namespace": "default"}}`},
	"events.v1.Event": {event.Strategy, `{"eventTime": "2026-01-02T03:04:05.000000Z", "reportingController": "a", "reportingInstance": "b",
		"action": "c", "reason": "d", "type": "Normal", "regarding": {"namespace": "default"}}`},
}

const (
	podSpec  = `{"containers": [{"name": "a", "image": "a"}]}`
	template = `{"metadata": {"labels": {"app": "a"}}, "spec": ` + podSpec + `}`
	workload = `{"spec": {"selector": {"matchLabels": {"app": "a"}}, "template": ` + template + `}}`
	jobSpec  = `{"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "a", "image": "a"}]}}}`
)

// Each error of package server for an object of a built-in kind is one of Kubernetes, for creates of random objects and
// for updates of valid objects to random ones. Kubernetes has more errors, and those are only counted. Its messages may
// continue with a comparison of Go structs.
func TestChecks(t *testing.T) {
	store := storage.NewMemory(storage.MemoryOptions{})
	s, err := server.New(t.Context(), server.Options{Store: store})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	kinds, err := readKinds()
	require.NoError(t, err)
	tested := 0
	for _, k := range kinds {
		c, ok := checked[k.Type]
		if !ok {
			continue
		}
		tested++
		t.Run(k.Type, func(t *testing.T) {
			ask := asker{handler: s, kind: k, strategy: c.strategy}
			valid := ask.object(t, "a", []byte(c.valid))
			ours, theirs, stored := ask.create(t, valid)
			ask.query = "?dryRun=All"
			require.Empty(t, theirs)
			require.Empty(t, ours)
			r := newRandom(*seed)
			refused, same := 0, 0
			for range *objects {
				random, err := k.newObject()
				require.NoError(t, err)
				r.object(random)
				text, err := json.Marshal(random)
				require.NoError(t, err)
				sent := ask.object(t, "b", text)
				if spec, ok := sent["spec"].(map[string]any); ok && k.Type == "core.v1.Pod" {
					for _, admitted := range []string{"priorityClassName", "priority", "preemptionPolicy", "runtimeClassName", "overhead"} {
						delete(spec, admitted) // Strategies do not look for the classes.
					}
				}
				ours, theirs, _ := ask.create(t, sent)
				subset(t, ours, theirs, text)
				mixed := ask.mix(t, r, stored, sent)
				updated, want := ask.update(t, mixed, stored)
				subset(t, updated, want, mixed)
				for _, of := range [][2][]string{{ours, theirs}, {updated, want}} {
					if len(of[1]) > 0 {
						if refused++; len(of[0]) > 0 {
							same++
						}
					}
				}
			}
			t.Logf("%d of %d requests that Kubernetes refuses are refused", same, refused)
		})
	}
	require.Equal(t, len(checked), tested)
}

// subset checks that each of our causes is one of theirs, or begins one. obj is the request.
func subset(t *testing.T, ours, theirs []string, obj any) {
	for _, cause := range ours {
		// Some values are printed as Go structs.
		cause, _, _ = strings.Cut(strings.Replace(cause, "Invalid value: [{", "Invalid value: {", 1), "Invalid value: {")
		has := slices.ContainsFunc(theirs, func(their string) bool { return strings.HasPrefix(their, cause) })
		require.True(t, has, "%s\nnot in %q\nof %v", cause, theirs, obj)
	}
}

// An asker asks both sides about objects of a kind.
type asker struct {
	handler  http.Handler
	kind     kind
	strategy strategy
	name     string // of the object that is updated; empty: a
	query    string
}

// object returns an object as a client sends it.
func (a asker) object(t *testing.T, name string, text []byte) map[string]any {
	var obj map[string]any
	require.NoError(t, json.Unmarshal(text, &obj))
	obj = withoutNulls(obj).(map[string]any)
	delete(obj, "status")
	withoutDropped(obj)
	obj["apiVersion"], obj["kind"] = schema.GroupVersion{Group: a.kind.Group, Version: a.kind.Version}.String(), a.kind.Kind
	obj["metadata"] = map[string]any{"name": name}
	if a.strategy.NamespaceScoped() {
		obj["metadata"] = map[string]any{"name": name, "namespace": "default"}
	}
	return obj
}

// withoutDropped removes fields that a server drops unless a feature is switched on, and sources of claims, of which it
// drops those of unknown kinds, and the addresses of Services, which a server completes before its strategy checks them
// (TestBeside of package server compares those). Of success policies, Kubernetes expects completions: without any, its validation
// panics.
func withoutDropped(v any) {
	switch x := v.(type) {
	case map[string]any:
		for _, name := range []string{"schedulingGroup", "evictionResponders", "dataSource", "dataSourceRef", "successPolicy",
			"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "nodePort"} {
			delete(x, name)
		}
		for _, e := range x {
			withoutDropped(e)
		}
	case []any:
		for _, e := range x {
			withoutDropped(e)
		}
	}
}

// mix returns the stored object with one of its fields, or one of those of its spec, replaced by that of another
// object.
func (a asker) mix(t *testing.T, r random, stored, other map[string]any) map[string]any {
	text, err := json.Marshal(stored)
	require.NoError(t, err)
	var out map[string]any
	require.NoError(t, json.Unmarshal(text, &out))
	into, from := out, other
	if spec, ok := from["spec"].(map[string]any); ok && r.IntN(8) > 0 {
		into, from = out["spec"].(map[string]any), spec
	}
	names := keys(from)
	if len(names) == 0 {
		return out
	}
	if name := names[r.IntN(len(names))]; name != "apiVersion" && name != "kind" && name != "metadata" {
		into[name] = from[name]
	}
	return out
}

func (a asker) create(t *testing.T, obj map[string]any) (ours, theirs []string, created map[string]any) {
	ours, created, decoded := a.do(t, "POST", obj)
	if !decoded {
		return nil, nil, nil
	}
	internal, ok := a.internal(t, obj)
	if !ok {
		return nil, nil, nil
	}
	meta, err := meta.Accessor(internal)
	require.NoError(t, err)
	rest.FillObjectMetaSystemFields(meta)
	return ours, causes(t, rest.BeforeCreate(a.strategy, a.context(), internal)), created
}

func (a asker) update(t *testing.T, obj, stored map[string]any) (ours, theirs []string) {
	ours, _, decoded := a.do(t, "PUT", obj)
	if !decoded {
		return nil, nil
	}
	is, ok := a.internal(t, obj)
	was, okay := a.internal(t, stored)
	if !ok || !okay {
		return nil, nil
	}
	return ours, causes(t, rest.BeforeUpdate(a.strategy, a.context(), is, was))
}

func (a asker) context() context.Context {
	ctx := genericapirequest.WithRequestInfo(context.Background(), &genericapirequest.RequestInfo{
		IsResourceRequest: true, APIGroup: a.kind.Group, APIVersion: a.kind.Version, Resource: a.plural(),
	})
	namespace := ""
	if a.strategy.NamespaceScoped() {
		namespace = "default"
	}
	return genericapirequest.WithNamespace(ctx, namespace)
}

// internal returns the object that a server's strategy gets.
func (a asker) internal(t *testing.T, obj map[string]any) (runtime.Object, bool) {
	out, err := a.kind.newObject()
	require.NoError(t, err)
	text, err := json.Marshal(obj)
	require.NoError(t, err)
	if json.Unmarshal(text, out) != nil {
		return nil, false
	}
	scheme.Default(out)
	internal, err := scheme.ConvertToVersion(out, schema.GroupVersion{Group: a.kind.Group, Version: runtime.APIVersionInternal})
	return internal, err == nil
}

// causes returns the fields and messages of a refusal.
func causes(t *testing.T, err error) (out []string) {
	if err == nil {
		return nil
	}
	var status apierrors.APIStatus
	require.True(t, errors.As(err, &status), "%v", err)
	return causesOf(status.Status())
}

func causesOf(status metav1.Status) (out []string) {
	if status.Details == nil || len(status.Details.Causes) == 0 {
		return []string{status.Message}
	}
	for _, c := range status.Details.Causes {
		out = append(out, c.Field+" "+string(c.Type)+" "+c.Message)
	}
	return out
}

// do sends a request to the server. It reports whether obj could be decoded.
func (a asker) do(t *testing.T, verb string, obj map[string]any) (causes []string, answer map[string]any, decoded bool) {
	path := "/apis/" + a.kind.Group + "/" + a.kind.Version
	if a.kind.Group == "" {
		path = "/api/" + a.kind.Version
	}
	if a.strategy.NamespaceScoped() {
		path += "/namespaces/default"
	}
	path += "/" + a.plural()
	if verb != "POST" {
		path += "/" + cmp.Or(a.name, "a")
	}
	text, err := json.Marshal(obj)
	require.NoError(t, err)
	w := httptest.NewRecorder()
	q := httptest.NewRequestWithContext(t.Context(), verb, path+a.query, bytes.NewReader(text))
	q.Header.Set("Content-Type", "application/json")
	a.handler.ServeHTTP(w, q)
	switch w.Code {
	case http.StatusOK, http.StatusCreated:
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &answer))
		delete(answer["metadata"].(map[string]any), "managedFields")
		return nil, answer, true
	case http.StatusUnprocessableEntity, http.StatusForbidden:
		var status metav1.Status
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &status))
		return causesOf(status), nil, true
	}
	require.Equal(t, http.StatusBadRequest, w.Code, "%s", w.Body)
	return nil, nil, false
}

func (a asker) plural() string {
	name := strings.ToLower(a.kind.Kind)
	if name == "endpoints" {
		return name
	}
	if strings.HasSuffix(name, "s") {
		return name + "es"
	}
	if start, is := strings.CutSuffix(name, "y"); is {
		return start + "ies"
	}
	return name + "s"
}
