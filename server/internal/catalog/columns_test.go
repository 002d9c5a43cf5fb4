package catalog

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/unstructured"
)

var testTime = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func TestColumns(t *testing.T) {
	for _, c := range []struct {
		of, obj string
		want    []any // without the columns of -o wide
	}{
		{"core.v1.Pod", `{"metadata":{"creationTimestamp":"2026-01-02T03:04:00Z"},"spec":{"containers":[{"name":"a"},{"name":"b"}]},"status":{"phase":"Running",
			"containerStatuses":[{"ready":true,"restartCount":2,"state":{"running":{}}},{"state":{"waiting":{"reason":"CrashLoopBackOff"}}}]}}`,
			[]any{"1/2", "CrashLoopBackOff", "2", "5s"}},
		{"core.v1.Pod", `{"metadata":{"deletionTimestamp":"2026-01-02T03:04:00Z"},"status":{"phase":"Running"}}`, []any{"0/0", "Terminating", "0", "<unknown>"}},
		{"apps.v1.Deployment", `{"spec":{"replicas":3},"status":{"readyReplicas":2,"updatedReplicas":1,"availableReplicas":2}}`,
			[]any{"2/3", int64(1), int64(2), "<unknown>"}},
		{"batch.v1.Job", `{"spec":{"completions":2},"status":{"succeeded":2,"startTime":"2026-01-02T03:04:00Z","completionTime":"2026-01-02T03:04:03Z",
			"conditions":[{"type":"Complete","status":"True"}]}}`, []any{"Complete", "2/2", "3s", "<unknown>"}},
		{"core.v1.Service", `{"spec":{"type":"LoadBalancer","clusterIP":"10.0.0.1","ports":[{"port":80,"nodePort":30000,"protocol":"TCP"}]},
			"status":{"loadBalancer":{"ingress":[{"ip":"b"},{"hostname":"a"}]}}}`, []any{"LoadBalancer", "10.0.0.1", "a,b", "80:30000/TCP", "<unknown>"}},
		{"core.v1.Service", `{"spec":{"type":"ClusterIP"}}`, []any{"ClusterIP", "<none>", "<none>", "<none>", "<unknown>"}},
		{"core.v1.ConfigMap", `{"data":{"a":"1"},"binaryData":{"b":"2"}}`, []any{int64(2), "<unknown>"}},
		{"core.v1.Node", `{"metadata":{"labels":{"node-role.kubernetes.io/b":"","kubernetes.io/role":"a"}},"spec":{"unschedulable":true},
			"status":{"conditions":[{"type":"Ready","status":"True"}]}}`, []any{"Ready,SchedulingDisabled", "a,b", "<unknown>", ""}},
		{"networking.v1.NetworkPolicy", `{"spec":{"podSelector":{"matchLabels":{"a":"1"},"matchExpressions":[{"key":"b","operator":"In","values":["y","x"]}]}}}`,
			[]any{"a=1,b in (x,y)", "<unknown>"}},
		{DefinitionType, `{"metadata":{"creationTimestamp":"2026-01-02T03:04:00Z"},"spec":{"scope":"Namespaced","versions":[{"name":"v2","served":true},{"name":"v1","served":false}]}}`,
			[]any{"Namespaced", "v2", "2026-01-02T03:04:00Z"}},
		{DefinitionType, `{"metadata":{"creationTimestamp":"2026-01-02T03:04:00Z"},"spec":{"scope":"Cluster","versions":[{"name":"v1beta1","served":true},
			{"name":"v2","served":true,"storage":true},{"name":"v1","served":true}]}}`, []any{"Cluster", "v1,v1beta1,v2(storage)", "2026-01-02T03:04:00Z"}},
		{DefinitionType, `{"metadata":{"creationTimestamp":"2026-01-02T03:04:00Z"},"spec":{"scope":"Cluster","versions":[{"name":"v2","storage":true},{"name":"v1","served":true}]}}`,
			[]any{"Cluster", "v1", "2026-01-02T03:04:00Z"}},
	} {
		obj, err := unstructured.DecodeJSON([]byte(c.obj))
		require.NoError(t, err)
		var got []any
		for _, column := range builtInColumns[c.of] {
			if !column.Wide {
				got = append(got, column.Cell(obj, testTime))
			}
		}
		require.Equal(t, c.want, got, c.of)
	}
}

// All columns of all kinds have cells of their types, also for objects without fields.
func TestColumnsOfEmptyObjects(t *testing.T) {
	for of, columns := range builtInColumns {
		require.NotNil(t, BuiltInTypes()[of], of)
		for _, c := range columns {
			switch v := c.Cell(map[string]any{}, testTime).(type) {
			case string, bool, int64:
			default:
				require.Fail(t, "not a cell", "%s %s: %v", of, c.Name, v)
			}
		}
	}
}
