package main

import (
	"encoding/json"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crdkit/crdkit/server"
	"github.com/crdkit/crdkit/server/storage"
)

// Each built-in kind has the labels of field selectors that it has in Kubernetes.
func TestFieldLabels(t *testing.T) {
	labels := []string{
		"metadata.name", "metadata.namespace", "metadata.uid", "name", "spec.nodeName", "spec.host", "spec.restartPolicy", "spec.schedulerName",
		"spec.serviceAccountName", "spec.hostNetwork", "status.phase", "status.podIP", "status.podIPs", "status.nominatedNodeName",
		"spec.unschedulable", "status.replicas", "involvedObject.kind", "involvedObject.namespace", "involvedObject.name", "involvedObject.uid",
		"involvedObject.apiVersion", "involvedObject.resourceVersion", "involvedObject.fieldPath", "regarding.kind", "regarding.namespace",
		"regarding.name", "regarding.uid", "regarding.apiVersion", "regarding.resourceVersion", "regarding.fieldPath", "reason",
		"reportingComponent", "reportingController", "source", "type", "spec.clusterIP", "spec.type", "status.successful", "status.succeeded",
		"spec.signerName", "spec.podName", "spec.driver", "spec.parentRef.name", "spec.replicas",
	}
	s, err := server.New(t.Context(), server.Options{Store: storage.NewMemory(storage.MemoryOptions{})})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	kinds, err := readKinds()
	require.NoError(t, err)
	accepted := 0
	for _, k := range kinds {
		path := "/apis/" + k.Group + "/" + k.Version + "/"
		if k.Group == "" {
			path = "/api/" + k.Version + "/"
		}
		for _, label := range labels {
			_, _, err := scheme.ConvertFieldLabel(schema.GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Kind}, label, "a")
			w := httptest.NewRecorder()
			s.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", path+asker{kind: k}.plural()+"?fieldSelector="+url.QueryEscape(label+"=a"), nil))
			if w.Code == 404 {
				continue // only POST
			}
			if err == nil {
				accepted++
				require.Equal(t, 200, w.Code, "%s %s: %s", k.Type, label, w.Body)
				continue
			}
			var status metav1.Status
			require.NoError(t, json.Unmarshal(w.Body.Bytes(), &status))
			require.Equal(t, 400, w.Code, "%s %s", k.Type, label)
			if text := err.Error(); strings.Contains(text, "supported: ") || strings.Contains(text, "known") { // a few kinds have texts of their own
				require.Equal(t, text, status.Message, "%s %s", k.Type, label)
			}
		}
	}
	require.Greater(t, accepted, 100)
}
