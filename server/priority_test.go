package server

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	priorityClasses = "/apis/scheduling.k8s.io/v1/priorityclasses"
	defaultPods     = "/api/v1/namespaces/default/pods"
)

// A new Pod gets the priority of its class, and an update keeps it.
func TestPriorityOfPods(t *testing.T) {
	_, c := start(t, Options{})
	class := func(name string, value int, more string) {
		must(t, c, 201, "POST", priorityClasses, fmt.Sprintf(`{"metadata":{"name":%q},"value":%d%s}`, name, value, more))
	}
	pod := func(meta, spec string) string {
		return `{"metadata":{` + meta + `},"spec":{"containers":[{"name":"a","image":"a"}]` + spec + `}}`
	}
	type got struct{ class, priority, policy any }
	create := func(name, spec string) got {
		created := must(t, c, 201, "POST", defaultPods, pod(fmt.Sprintf(`"name":%q`, name), spec))
		return got{at(created, "spec", "priorityClassName"), at(created, "spec", "priority"), at(created, "spec", "preemptionPolicy")}
	}
	class("high", 1000, "")
	class("polite", 7, `,"preemptionPolicy":"Never"`)
	require.Equal(t, got{nil, 0.0, "PreemptLowerPriority"}, create("none", ""))
	require.Equal(t, got{"high", 1000.0, "PreemptLowerPriority"}, create("high", `,"priorityClassName":"high"`))
	require.Equal(t, got{"polite", 7.0, "Never"}, create("polite", `,"priorityClassName":"polite","priority":7,"preemptionPolicy":"Never"`))
	require.Equal(t, got{"system-node-critical", 2_000_001_000.0, "PreemptLowerPriority"}, create("system", `,"priorityClassName":"system-node-critical"`))

	forbidden := func(meta, spec, want string) {
		t.Helper()
		require.Equal(t, want, must(t, c, 403, "POST", defaultPods, pod(meta, spec))["message"])
	}
	forbidden(`"name":"p"`, `,"priorityClassName":"lost"`, `pods "p" is forbidden: no PriorityClass with name lost was found`)
	forbidden(`"generateName":"p-"`, `,"priorityClassName":"lost"`, `pods "p-" is forbidden: no PriorityClass with name lost was found`)
	forbidden(`"name":"p"`, `,"priority":5`, `pods "p" is forbidden: the integer value of priority (5) must not be provided in pod spec; `+
		`priority admission controller computed 0 from the given PriorityClass name`)
	forbidden(`"name":"p"`, `,"priorityClassName":"high","preemptionPolicy":"Never"`, `pods "p" is forbidden: the string value of PreemptionPolicy (Never) `+
		`must not be provided in pod spec; priority admission controller computed PreemptLowerPriority from the given PriorityClass name`)

	updated := must(t, c, 200, "PUT", defaultPods+"/high", pod(`"name":"high","labels":{"a":"b"}`, `,"priorityClassName":"high","tolerations":[
		{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300},
		{"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}]`))
	require.Equal(t, 1000.0, at(updated, "spec", "priority"))

	class("usual", 50, `,"globalDefault":true`)
	require.Equal(t, got{"usual", 50.0, "PreemptLowerPriority"}, create("usual", ""))
	must(t, c, 200, "DELETE", priorityClasses+"/usual", "")
	require.Equal(t, got{nil, 0.0, "PreemptLowerPriority"}, create("none-again", ""))
}
