package catalog

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/unstructured"
)

var testTime = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// columnCases are objects and their cells.
var columnCases = []struct {
	of, obj string
	want    []any // without the columns of -o wide
}{
	{"core.v1.Pod", `{"metadata":{"creationTimestamp":"2026-01-02T03:04:00Z"},"spec":{"containers":[{"name":"a"},{"name":"b"}]},"status":{"phase":"Running",
		"containerStatuses":[{"ready":true,"restartCount":2,"state":{"running":{}}},{"state":{"waiting":{"reason":"CrashLoopBackOff"}}}]}}`,
		[]any{"1/2", "CrashLoopBackOff", "2", "5s"}},
	{"core.v1.Pod", `{"spec":{"initContainers":[{"name":"a"},{"name":"b","restartPolicy":"Always"},{"name":"c"}],"containers":[{"name":"d"}]},"status":{"phase":"Pending",
		"initContainerStatuses":[{"name":"a","restartCount":2,"state":{"terminated":{"exitCode":0}}},{"name":"b","started":true,"ready":true},
			{"name":"c","restartCount":1,"state":{"running":{}}}]}}`, []any{"1/2", "Init:2/3", "3", "<unknown>"}},
	{"core.v1.Pod", `{"spec":{"initContainers":[{"name":"a"}],"containers":[{"name":"d"}]},"status":{"phase":"Running",
		"initContainerStatuses":[{"name":"a","restartCount":2,"state":{"terminated":{"exitCode":0}}}],
		"containerStatuses":[{"ready":true,"restartCount":1,"lastState":{"terminated":{"finishedAt":"2026-01-02T03:04:00Z"}},"state":{"running":{}}}]}}`,
		[]any{"1/1", "Running", "1 (5s ago)", "<unknown>"}},
	{"core.v1.Pod", `{"metadata":{"deletionTimestamp":"2026-01-02T03:04:00Z"},"status":{"phase":"Running"}}`, []any{"0/0", "Terminating", "0", "<unknown>"}},
	{"core.v1.Pod", `{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}],"containerStatuses":[
		{"state":{"terminated":{"reason":"Completed","exitCode":0}}},{"ready":true,"state":{"running":{}}}]}}`, []any{"1/0", "Running", "0", "<unknown>"}},
	{"core.v1.Pod", `{"status":{"phase":"Running","containerStatuses":[{"state":{"terminated":{"reason":"Completed","exitCode":0}}},
		{"state":{"terminated":{"reason":"Error","exitCode":1}}}]}}`, []any{"0/0", "Error", "0", "<unknown>"}},
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
	{"autoscaling.v2.HorizontalPodAutoscaler", `{"spec":{"scaleTargetRef":{"kind":"Deployment","name":"web"},"minReplicas":1,"maxReplicas":5,"metrics":[
			{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":80}}},
			{"type":"External","external":{"target":{"type":"AverageValue","averageValue":"10"}}},{"type":"Pods","pods":{"target":{"averageValue":"1"}}}]},
		"status":{"currentReplicas":2,"currentMetrics":[{"type":"Resource","resource":{"name":"cpu","current":{"averageUtilization":35}}}]}}`,
		[]any{"Deployment/web", "cpu: 35%/80%, <unknown>/10 (avg) + 1 more...", "1", int64(5), int64(2), "<unknown>"}},
	{"core.v1.ResourceQuota", `{"status":{"hard":{"pods":"10","limits.cpu":"2","cpu":"1"},"used":{"pods":"3"}}}`, []any{"cpu: 0/1, pods: 3/10", "limits.cpu: 0/2", "<unknown>"}},
	{"core.v1.Endpoints", `{"subsets":[{"addresses":[{"ip":"10.0.0.1"},{"ip":"fd00::1"}],"ports":[{"port":80},{"port":443}]}]}`,
		[]any{"10.0.0.1:80,[fd00::1]:80,10.0.0.1:443 + 1 more...", "<unknown>"}},
	{"discovery.v1.EndpointSlice", `{"addressType":"IPv4","ports":[{"name":"http","port":80},{"name":"any"},{}]}`, []any{"IPv4", "80,any,*", "<unset>", "<unknown>"}},
	{"events.v1.Event", `{"type":"Normal","reason":"Started","regarding":{"kind":"Pod","name":"a"},"note":"Started it. ","eventTime":"2026-01-02T03:00:05Z",
		"series":{"count":2,"lastObservedTime":"2026-01-02T03:04:00.000000Z"}}`, []any{"5s", "Normal", "Started", "pod/a", "Started it."}},
	{CertificateType, `{"spec":{"signerName":"s","username":"u","expirationSeconds":600},"status":{"certificate":"YQ==","conditions":[{"type":"Approved","status":"True"}]}}`,
		[]any{"<unknown>", "s", "u", "10m", "Approved,Issued"}},
	{"admissionregistration.v1.ValidatingAdmissionPolicyBinding", `{"spec":{"policyName":"p","paramRef":{"name":"a"}}}`, []any{"p", "*/a", "<unknown>"}},
	{"admissionregistration.v1.ValidatingAdmissionPolicyBinding", `{"spec":{"policyName":"p","paramRef":{"selector":{"matchLabels":{"a":"1"},
		"matchExpressions":[{"key":"b","operator":"In","values":["x","y"]}]}}}}`, []any{"p", "&LabelSelector{MatchLabels:map[string]string{a: 1,}," +
		"MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:b,Operator:In,Values:[x y],},},}", "<unknown>"}},
	{"kube-aggregator.pkg.apis.apiregistration.v1.APIService", `{"spec":{"service":{"namespace":"a","name":"b"}},
		"status":{"conditions":[{"type":"Available","status":"False","reason":"MissingEndpoints"}]}}`, []any{"a/b", "False (MissingEndpoints)", "<unknown>"}},
	{"resource.v1.ResourceClaim", `{"status":{"allocation":{},"reservedFor":[{"name":"a"}]}}`, []any{"allocated,reserved", "<unknown>"}},
	{"networking.v1.IPAddress", `{"spec":{"parentRef":{"resource":"services","namespace":"a","name":"b"}}}`, []any{"services/a/b"}},
	{DefinitionType, `{"metadata":{"creationTimestamp":"2026-01-02T03:04:00Z"},"spec":{"scope":"Namespaced","versions":[{"name":"v2","served":true},{"name":"v1","served":false}]}}`,
		[]any{"Namespaced", "v2", "2026-01-02T03:04:00Z"}},
	{DefinitionType, `{"metadata":{"creationTimestamp":"2026-01-02T03:04:00Z"},"spec":{"scope":"Cluster","versions":[{"name":"v1beta1","served":true},
		{"name":"v2","served":true,"storage":true},{"name":"v1","served":true}]}}`, []any{"Cluster", "v1,v1beta1,v2(storage)", "2026-01-02T03:04:00Z"}},
	{DefinitionType, `{"metadata":{"creationTimestamp":"2026-01-02T03:04:00Z"},"spec":{"scope":"Cluster","versions":[{"name":"v2","storage":true},{"name":"v1","served":true}]}}`,
		[]any{"Cluster", "v1", "2026-01-02T03:04:00Z"}},
}

func TestColumns(t *testing.T) {
	for _, c := range columnCases {
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

// All built-in kinds have columns, with cells of the right types also for objects without fields.
func TestColumnsOfEmptyObjects(t *testing.T) {
	kinds, err := kubernetesKinds()
	require.NoError(t, err)
	for _, k := range kinds {
		require.NotEmpty(t, Columns(k.Type), k.Type)
	}
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

// Cells of objects with values of wrong types, in any place, are some text.
func TestColumnsOfOddObjects(t *testing.T) {
	odd := []any{nil, true, int64(1), 0.5, "x", []any{}, map[string]any{}, []any{int64(1)}, []any{[]any{}}, []any{map[string]any{"a": []any{}}}, map[string]any{"a": []any{}}}
	tried := 0
	for _, c := range columnCases {
		obj, err := unstructured.DecodeJSON([]byte(c.obj))
		require.NoError(t, err)
		everywhere(obj, func(set func(v any)) {
			for _, v := range odd {
				set(v)
				tried++
				for _, column := range Columns(c.of) {
					column.Cell(obj, testTime)
				}
			}
		})
	}
	require.Greater(t, tried, 1000)
}

// everywhere calls f for each value in v that is a member or an item, with a function that replaces it. Then it restores
// the value.
func everywhere(v any, f func(set func(v any))) {
	switch x := v.(type) {
	case map[string]any:
		for k, member := range x {
			everywhere(member, f)
			f(func(v any) { x[k] = v })
			x[k] = member
		}
	case []any:
		for i, item := range x {
			everywhere(item, f)
			f(func(v any) { x[i] = v })
			x[i] = item
		}
	}
}

// The cell of Endpoints does not make all combinations of addresses and ports.
func TestManyEndpoints(t *testing.T) {
	addresses, ports := make([]any, 3000), make([]any, 3000)
	for i := range addresses {
		addresses[i], ports[i] = map[string]any{"ip": "1.2.3.4"}, map[string]any{"port": int64(i)}
	}
	obj := map[string]any{"subsets": []any{map[string]any{"addresses": addresses, "ports": ports}}}
	require.Equal(t, "1.2.3.4:0,1.2.3.4:0,1.2.3.4:0 + 8999997 more...", endpoints(obj, testTime))
	require.Less(t, testing.AllocsPerRun(1, func() { endpoints(obj, testTime) }), 1000.0)
}
