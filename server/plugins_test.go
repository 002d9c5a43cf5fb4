package server

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A new Node is not ready.
func TestTaintOfANode(t *testing.T) {
	const nodes = "/api/v1/nodes"
	_, c := start(t, Options{})
	notReady := object{"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}
	other := object{"key": "a", "effect": "NoExecute"}
	for _, test := range []struct {
		name, spec string
		want       []any
	}{
		{"plain", `{}`, []any{notReady}},
		{"tainted", `{"taints":[{"key":"a","effect":"NoExecute"}]}`, []any{other, notReady}},
		{"same", `{"taints":[{"key":"node.kubernetes.io/not-ready","effect":"NoSchedule"}]}`, []any{notReady}},
		{"other-effect", `{"taints":[{"key":"node.kubernetes.io/not-ready","effect":"NoExecute"}]}`,
			[]any{object{"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"}, notReady}},
	} {
		created := must(t, c, 201, "POST", nodes, fmt.Sprintf(`{"metadata":{"name":%q},"spec":%s}`, test.name, test.spec), "User-Agent", "me")
		require.Equal(t, test.want, at(created, "spec", "taints"), test.name)
	}
	updated := must(t, c, 200, "PATCH", nodes+"/plain", `{"spec":{"taints":null}}`, "Content-Type", mergePatch)
	require.Nil(t, at(updated, "spec", "taints"))
	require.NotContains(t, fmt.Sprint(at(updated, "metadata", "managedFields")), "f:taints")
}

// A claim and an Ingress get the newest default class.
func TestDefaultClasses(t *testing.T) {
	const (
		storageClasses = "/apis/storage.k8s.io/v1/storageclasses"
		ingressClasses = "/apis/networking.k8s.io/v1/ingressclasses"
		claims         = "/api/v1/namespaces/default/persistentvolumeclaims"
		ingresses      = "/apis/networking.k8s.io/v1/namespaces/default/ingresses"
	)
	now := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	_, c := start(t, Options{Now: func() time.Time { return now }})
	n := 0
	claim := func(annotations, spec string) any {
		n++
		created := must(t, c, 201, "POST", claims, fmt.Sprintf(`{"metadata":{"name":"c%d","annotations":%s},"spec":{"accessModes":["ReadWriteOnce"],
			"resources":{"requests":{"storage":"1Gi"}}%s}}`, n, annotations, spec))
		return at(created, "spec", "storageClassName")
	}
	ingress := func(annotations, spec string) any {
		n++
		created := must(t, c, 201, "POST", ingresses, fmt.Sprintf(`{"metadata":{"name":"i%d","annotations":%s},"spec":{"defaultBackend":{"service":{"name":"s","port":{"number":80}}}%s}}`,
			n, annotations, spec))
		return at(created, "spec", "ingressClassName")
	}
	require.Nil(t, claim("{}", ""))
	require.Nil(t, ingress("{}", ""))

	for _, name := range []string{"b", "a", "not"} {
		must(t, c, 201, "POST", storageClasses, fmt.Sprintf(`{"metadata":{"name":%q,"annotations":{"storageclass.kubernetes.io/is-default-class":"%t"}},"provisioner":"p"}`, name, name != "not"))
		must(t, c, 201, "POST", ingressClasses, fmt.Sprintf(`{"metadata":{"name":%q,"annotations":{"ingressclass.kubernetes.io/is-default-class":"%t"}},"spec":{"controller":"a.io/c"}}`, name, name != "not"))
	}
	require.Equal(t, []any{"a", "a"}, []any{claim("{}", ""), ingress("{}", "")})
	now = now.Add(time.Second)
	must(t, c, 201, "POST", storageClasses, `{"metadata":{"name":"z","annotations":{"storageclass.beta.kubernetes.io/is-default-class":"true"}},"provisioner":"p"}`)
	require.Equal(t, "z", claim("{}", ""))
	require.Equal(t, "", claim("{}", `,"storageClassName":""`), "it asks for no class")
	require.Nil(t, claim(`{"volume.beta.kubernetes.io/storage-class":""}`, ""))
	require.Equal(t, "not", claim("{}", `,"storageClassName":"not"`))
	require.Nil(t, ingress(`{"kubernetes.io/ingress.class":"x"}`, ""))
	require.Equal(t, "not", ingress("{}", `,"ingressClassName":"not"`))
}

// A Pod takes and tolerates what its RuntimeClass says.
func TestRuntimeClassOfAPod(t *testing.T) {
	const classes = "/apis/node.k8s.io/v1/runtimeclasses"
	_, c := start(t, Options{})
	class := func(name, more string) {
		must(t, c, 201, "POST", classes, fmt.Sprintf(`{"metadata":{"name":%q},"handler":"h"%s}`, name, more))
	}
	class("plain", "")
	class("costs", `,"overhead":{"podFixed":{"cpu":"0.1"}}`)
	class("elsewhere", `,"scheduling":{"nodeSelector":{"disk":"fast"},"tolerations":[{"key":"a","operator":"Exists","effect":"NoExecute"},{"operator":"Exists","effect":"NoSchedule"}]}`)
	pod := func(code int, spec string) object {
		return must(t, c, code, "POST", defaultPods, `{"metadata":{"generateName":"p-"},"spec":{"containers":[{"name":"c","image":"i"}]`+spec+`}}`)
	}
	require.Nil(t, at(pod(201, `,"runtimeClassName":"plain"`), "spec", "overhead"))
	require.Equal(t, object{"cpu": "100m"}, at(pod(201, `,"runtimeClassName":"costs"`), "spec", "overhead"))
	require.Equal(t, object{"cpu": "100m"}, at(pod(201, `,"runtimeClassName":"costs","overhead":{"cpu":"0.10"}`), "spec", "overhead"))
	got := pod(201, `,"runtimeClassName":"elsewhere","nodeSelector":{"zone":"b"},"tolerations":[{"key":"a","operator":"Exists","effect":"NoExecute","tolerationSeconds":5},{"key":"b","operator":"Equal","value":"1","effect":"NoSchedule"}]`)
	require.Equal(t, object{"zone": "b", "disk": "fast"}, at(got, "spec", "nodeSelector"))
	require.Equal(t, []any{
		object{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300.0},
		object{"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300.0},
		object{"key": "a", "operator": "Exists", "effect": "NoExecute"}, object{"operator": "Exists", "effect": "NoSchedule"},
	}, at(got, "spec", "tolerations"), "tolerations that others include are dropped")
	for spec, want := range map[string]string{
		`,"runtimeClassName":"lost"`:                                    `pod rejected: RuntimeClass "lost" not found`,
		`,"overhead":{"cpu":"1"}`:                                       `pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead`,
		`,"runtimeClassName":"costs","overhead":{"cpu":"1"}`:            `pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead`,
		`,"runtimeClassName":"elsewhere","overhead":{"cpu":"1"}`:        `pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead`,
		`,"runtimeClassName":"elsewhere","nodeSelector":{"disk":"old"}`: `conflict: runtimeClass.scheduling.nodeSelector[disk] = fast; pod.spec.nodeSelector[disk] = old`,
	} {
		require.Equal(t, `pods "p-" is forbidden: `+want, pod(403, spec)["message"])
	}
	// What has a wrong type is refused, not replaced.
	for _, spec := range []string{`,"nodeSelector":"x"`, `,"tolerations":"x"`, `,"tolerations":[5]`, `,"nodeSelector":{"a":{}}`} {
		pod(400, `,"runtimeClassName":"elsewhere"`+spec)
	}
	pod(400, `,"priorityClassName":5`)
}

// Many tolerations are not compared with each other.
func TestManyTolerations(t *testing.T) {
	list := make([]any, 100_000)
	for i := range list {
		list[i] = map[string]any{"key": fmt.Sprint(i), "operator": "Exists"}
	}
	require.Len(t, mergeTolerations(list, list[:1]), len(list)+1)
	require.Len(t, mergeTolerations(list[:100], list[:100]), 100)
}
