package unittest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// A Reconciler updates the status of Databases, and runs each of them in a StatefulSet that it owns. It uses plain HTTP
// to talk to the API server, so that this package does not depend on Kubernetes. With a client library, the tests would
// look the same.
type Reconciler struct {
	Client *http.Client
	Server string // the URL of the API server
}

// Reconcile does one step towards the desired state of a Database.
func (r *Reconciler) Reconcile(ctx context.Context, namespace, name string) error {
	path := "/apis/example.com/v1/namespaces/" + namespace + "/databases/" + name
	var db Database
	if err := r.do(ctx, http.MethodGet, path, "", nil, &db); err != nil {
		return err
	}
	labels := map[string]any{"database": name}
	set := map[string]any{
		"apiVersion": "apps/v1", "kind": "StatefulSet",
		"metadata": map[string]any{"name": name, "ownerReferences": []any{map[string]any{
			"apiVersion": db.APIVersion, "kind": db.Kind, "name": name, "uid": db.Metadata.UID, "controller": true, "blockOwnerDeletion": true,
		}}},
		"spec": map[string]any{
			"replicas": db.Spec.Replicas, "serviceName": name, "selector": map[string]any{"matchLabels": labels},
			"template": map[string]any{"metadata": map[string]any{"labels": labels}, "spec": map[string]any{
				"containers": []any{map[string]any{"name": "database", "image": db.Spec.Engine}},
			}},
		},
	}
	const apply = "application/apply-patch+yaml"
	var made struct {
		Status struct {
			ReadyReplicas int32 `json:"readyReplicas"`
		} `json:"status"`
	}
	sets := "/apis/apps/v1/namespaces/" + namespace + "/statefulsets/" + name + "?fieldManager=databases&force=true"
	if err := r.do(ctx, http.MethodPatch, sets, apply, set, &made); err != nil {
		return err
	}
	status := DatabaseStatus{Phase: "Pending", ReadyReplicas: made.Status.ReadyReplicas}
	if status.ReadyReplicas >= db.Spec.Replicas {
		status.Phase = "Ready"
	}
	return r.do(ctx, http.MethodPatch, path+"/status", "application/merge-patch+json", map[string]any{"status": status}, &db)
}

// do makes a request, and reads its answer into a value.
func (r *Reconciler) do(ctx context.Context, method, path, contentType string, body, into any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	if body == nil {
		text = nil
	}
	q, err := http.NewRequestWithContext(ctx, method, r.Server+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	q.Header.Set("Content-Type", contentType)
	answer, err := r.Client.Do(q)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if text, err = io.ReadAll(answer.Body); err != nil {
		return err
	}
	if answer.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("%s %s: %s: %s", method, path, answer.Status, text)
	}
	return json.Unmarshal(text, into)
}
