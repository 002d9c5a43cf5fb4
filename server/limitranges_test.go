package server

import (
	"fmt"
	"strings"
	"testing"

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
