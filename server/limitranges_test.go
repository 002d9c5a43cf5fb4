package server

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// testdata/requests/limits.jsonl has the answers of a server. Here is what it does not bound.
func TestLargeLimitRanges(t *testing.T) {
	_, c := start(t, Options{})
	const limitRanges = "/api/v1/namespaces/default/limitranges"
	var resources, containers strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&resources, `,"example.com/r%d":"1"`, i)
		fmt.Fprintf(&containers, `,{"name":"c%d","image":"i"}`, i)
	}
	large := `{"metadata":{"name":"large"},"spec":{"containers":[` + containers.String()[1:] + `]}}`
	limits := func(name, what string) {
		must(t, c, 201, "POST", limitRanges, fmt.Sprintf(`{"metadata":{"name":%q},"spec":{"limits":[{"type":"Container",%q:{%s}}]}}`, name, what, resources.String()[1:]))
	}
	limits("a", "defaultRequest")
	require.Contains(t, must(t, c, 413, "POST", defaultPods, large)["message"], "too many defaults")
	must(t, c, 200, "DELETE", limitRanges+"/a", "")
	limits("b", "maxLimitRequestRatio")
	require.Contains(t, must(t, c, 413, "POST", defaultPods, large)["message"], "too many limits")
	refused := must(t, c, 403, "POST", defaultPods, `{"metadata":{"name":"small"},"spec":{"containers":[{"name":"c","image":"i"}]}}`)
	require.Contains(t, refused["message"], "example.com/r0 max limit to request ratio per Container is 1, but no request is specified or request is 0, ")

	// A Pod that is resized is compared again, and one that changes otherwise is not.
	must(t, c, 200, "DELETE", limitRanges+"/b", "")
	must(t, c, 201, "POST", defaultPods, `{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i","resources":{"limits":{"cpu":"1"}}}]}}`)
	must(t, c, 201, "POST", limitRanges, `{"metadata":{"name":"c"},"spec":{"limits":[{"type":"Container","max":{"cpu":"500m"}}]}}`)
	must(t, c, 200, "PATCH", defaultPods+"/p", `{"metadata":{"labels":{"a":"b"}}}`, "Content-Type", mergePatch)
	refused = must(t, c, 403, "PATCH", defaultPods+"/p/resize", `{"spec":{"containers":[{"name":"c","resources":{"limits":{"cpu":"2"}}}]}}`, "Content-Type", strategicPatch)
	require.Equal(t, `pods "p" is forbidden: maximum cpu usage per Container is 500m, but limit is 2`, refused["message"])
}

// A Pod cannot exceed the limits with quantities that are large. A server adds them exactly, except that its integers
// overflow with 9Ei.
func TestLimitsOfLargeQuantities(t *testing.T) {
	_, c := start(t, Options{})
	limitRange(t, c, `{"type":"Pod","max":{"memory":"10Gi"}}`)
	for quantity, want := range map[string]string{
		"1E": "976562501048576Ki", "2000P": "1953125001048576Ki", "1e25": "9536743164062501024Mi", "9Ei": "9223372037928517631",
		strings.Repeat("9", 40): "10000000000000000000000000000001073741823", "1e400": "",
	} {
		pod := fmt.Sprintf(`{"metadata":{"name":"p"},"spec":{"containers":[%s,%s]}}`, withMemory("a", "1Gi"), withMemory("b", quantity))
		message := must(t, c, 403, "POST", defaultPods, pod)["message"]
		require.Contains(t, message, `pods "p" is forbidden: maximum memory usage per Pod is 10Gi, but limit is `+want)
	}
	must(t, c, 201, "POST", defaultPods, `{"metadata":{"name":"p"},"spec":{"containers":[`+withMemory("a", "9Gi")+`,`+withMemory("b", "1Gi")+`]}}`)
	// Quantities of more than 64 digits exceed any limit.
	must(t, c, 200, "DELETE", "/api/v1/namespaces/default/limitranges/l", "")
	limitRange(t, c, `{"type":"Pod","max":{"memory":"1e100"}}`)
	must(t, c, 403, "POST", defaultPods, `{"metadata":{"name":"q"},"spec":{"containers":[`+withMemory("a", "1e400")+`]}}`)
}

func limitRange(t *testing.T, c *http.Client, item string) {
	must(t, c, 201, "POST", "/api/v1/namespaces/default/limitranges", `{"metadata":{"name":"l"},"spec":{"limits":[`+item+`]}}`)
}

func withMemory(name, quantity string) string {
	return fmt.Sprintf(`{"name":%q,"image":"i","resources":{"limits":{"memory":%q},"requests":{"memory":%[2]q}}}`, name, quantity)
}

// The time for a Pod is linear in its length, and the refusal is short.
func TestCostOfLimits(t *testing.T) {
	_, c := start(t, Options{})
	timed := func(what string, code int, pod string) {
		from := time.Now()
		answer := must(t, c, code, "POST", defaultPods, pod)
		require.Less(t, time.Since(from), 3*time.Second, what)
		require.Less(t, len(fmt.Sprint(answer["message"])), 300<<10, what)
		require.NotContains(t, answer["message"], strings.Repeat("9", 100), what)
	}
	limitRange(t, c, `{"type":"Pod","max":{"memory":"10Gi"}},{"type":"Container","max":{"memory":"1Gi"}}`)
	long := []string{withMemory("long", strings.Repeat("9", 55_000))}
	for i := range 1000 {
		long = append(long, withMemory(fmt.Sprintf("c%d", i), fmt.Sprint(1<<30+i)))
	}
	timed("long quantity", 403, `{"metadata":{"name":"p"},"spec":{"containers":[`+strings.Join(long, ",")+`]}}`)

	var names, restarted []string
	for i := range 20_000 {
		names = append(names, fmt.Sprintf(`"example.com/r%d":"1"`, i))
	}
	for i := range 4000 {
		restarted = append(restarted, fmt.Sprintf(`{"name":"i%d","image":"i","restartPolicy":"Always","resources":{"requests":{"example.com/r%[1]d":"1"},"limits":{"example.com/r%[1]d":"1"}}}`, i))
	}
	must(t, c, 200, "DELETE", "/api/v1/namespaces/default/limitranges/l", "")
	limitRange(t, c, `{"type":"Pod","max":{"memory":"10Gi"}}`)
	timed("restarted", 403, `{"metadata":{"name":"p"},"spec":{"initContainers":[`+strings.Join(restarted, ",")+`],"containers":[{"name":"c","image":"i"}]}}`)

	must(t, c, 200, "DELETE", "/api/v1/namespaces/default/limitranges/l", "")
	limitRange(t, c, `{"type":"Container","defaultRequest":{"`+strings.Repeat("a", 10_000)+`":"1"}}`)
	timed("long name", 413, `{"metadata":{"name":"p"},"spec":{"containers":[`+strings.Join(long[1:], ",")+`]}}`)
	must(t, c, 200, "DELETE", "/api/v1/namespaces/default/limitranges/l", "")
	limitRange(t, c, `{"type":"Container","default":{`+strings.Join(names, ",")+`}}`)
	from := time.Now()
	must(t, c, 422, "POST", defaultPods, `{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}}`)
	require.Less(t, time.Since(from), 5*time.Second, "defaults")
}

func TestLimitReports(t *testing.T) {
	text := strings.Repeat("a", 100<<10)
	var c limitCheck
	for i := range 100 {
		c.add("%d%s", i, text)
	}
	require.Len(t, c.errs, 2)
	c = limitCheck{}
	c.add("%s", strings.Repeat(text, 3))
	c.add("b")
	require.Len(t, c.errs, 1, "the first one is there")
	c = limitCheck{}
	c.add("a")
	c.add("a")
	require.Equal(t, []string{"a"}, c.errs)
}

// A server also sets defaults when a Pod is resized, but not the annotation.
func TestDefaultsOfResize(t *testing.T) {
	_, c := start(t, Options{})
	must(t, c, 201, "POST", defaultPods, `{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i","resources":{"limits":{"cpu":"1"}}}]}}`)
	limitRange(t, c, `{"type":"Container","default":{"cpu":"2","memory":"512Mi"},"defaultRequest":{"cpu":"500m","memory":"128Mi"}}`)
	pod := must(t, c, 200, "PATCH", defaultPods+"/p", `{"metadata":{"labels":{"a":"b"}}}`, "Content-Type", mergePatch)
	require.Equal(t, map[string]any{"limits": map[string]any{"cpu": "1"}, "requests": map[string]any{"cpu": "1"}}, resourcesOf(pod))
	pod = must(t, c, 200, "PATCH", defaultPods+"/p/resize", `{"spec":{"containers":[{"name":"c","resources":{"limits":{"cpu":"2"}}}]}}`, "Content-Type", strategicPatch)
	want := map[string]any{"limits": map[string]any{"cpu": "2", "memory": "512Mi"}, "requests": map[string]any{"cpu": "1", "memory": "128Mi"}}
	require.Equal(t, want, resourcesOf(pod))
	require.NotContains(t, metadata(pod), "annotations")
	for _, m := range listAt(metadata(pod), "managedFields") {
		require.NotContains(t, fmt.Sprint(m), "f:memory")
	}
}

func resourcesOf(pod map[string]any) map[string]any {
	return mapAt(listAt(mapAt(pod, "spec"), "containers")[0].(map[string]any), "resources")
}

// Of two LimitRanges, the first one that has a default sets it, and the annotation is about the last one that sets any.
func TestDefaultsOfLimitRanges(t *testing.T) {
	_, c := start(t, Options{})
	limitRange(t, c, `{"type":"Container","default":{"cpu":"2"}}`)
	must(t, c, 201, "POST", "/api/v1/namespaces/default/limitranges", `{"metadata":{"name":"m"},"spec":{"limits":[{"type":"Container","default":{"cpu":"3","memory":"1Gi"}}]}}`)
	pod := must(t, c, 201, "POST", defaultPods, `{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}}`)
	require.Equal(t, map[string]any{"cpu": "2", "memory": "1Gi"}, resourcesOf(pod)["limits"])
	require.Equal(t, "LimitRanger plugin set: memory request for container c; memory limit for container c", mapAt(pod, "metadata", "annotations")[limitAnnotation])
}
