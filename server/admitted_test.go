package server

import (
	"context"
	"encoding/base64"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
)

// The review of a deletion has the options of the request.
func TestOptionsOfDeletionsInReviews(t *testing.T) {
	var seen []object
	_, c := start(t, Options{Webhooks: []Webhook{{
		Name: "v.example.com", Operations: []string{"DELETE"}, Handler: reviewed(&seen, always(`"allowed":true`)),
	}}})
	options := func(more object) object {
		out := object{"apiVersion": "meta.k8s.io/v1", "kind": "DeleteOptions"}
		maps.Copy(out, more)
		return out
	}
	last := func() any { return seen[len(seen)-1]["options"] }
	made := must(t, c, 201, "POST", kites, kite("a", "red"), "Content-Type", "application/json")
	must(t, c, 200, "DELETE", kites+"/a?dryRun=All&gracePeriodSeconds=5&propagationPolicy=Orphan", "")
	require.Equal(t, options(object{"dryRun": []any{"All"}, "gracePeriodSeconds": 5.0, "propagationPolicy": "Orphan"}), last())
	must(t, c, 200, "DELETE", kites+"/a", `{"orphanDependents":false,"preconditions":{"uid":"`+at(made, "metadata", "uid").(string)+`"}}`)
	require.Equal(t, options(object{"orphanDependents": false, "preconditions": object{"uid": at(made, "metadata", "uid")}}), last())
	for _, name := range []string{"a", "b"} {
		must(t, c, 201, "POST", kites, kite(name, "red"), "Content-Type", "application/json")
	}
	must(t, c, 200, "DELETE", kites+"?propagationPolicy=Background", "")
	require.Equal(t, options(object{"propagationPolicy": "Background"}), last())
	require.Equal(t, last(), seen[len(seen)-2]["options"])

	// That of a Pod always has a grace period.
	const pod = `{"metadata":{"name":"p"},"spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}}`
	must(t, c, 201, "POST", pods, pod, "Content-Type", "application/json")
	must(t, c, 200, "DELETE", pods+"/p", "")
	require.Equal(t, options(object{"gracePeriodSeconds": 30.0}), last())
	must(t, c, 201, "POST", pods+"/p/eviction", `{"metadata":{"name":"p"},"deleteOptions":{"gracePeriodSeconds":0}}`)
	require.Equal(t, options(object{"gracePeriodSeconds": 30.0}), last(), "the deletion after an eviction is not reviewed")
	must(t, c, 404, "GET", pods+"/p", "")
}

// A server sets the defaults of what a mutating webhook returns before it calls the next one.
func TestDefaultsBetweenWebhooks(t *testing.T) {
	var seen []object
	patch := base64.StdEncoding.EncodeToString([]byte(`[{"op":"add","path":"/spec/containers/-","value":{"name":"x","image":"x"}}]`))
	_, c := start(t, Options{Webhooks: []Webhook{
		{Name: "a.example.com", Mutating: true, Resources: []string{"pods"},
			Handler: reviewed(&seen, always(`"allowed":true,"patchType":"JSONPatch","patch":"`+patch+`"`))},
		{Name: "b.example.com", Mutating: true, Resources: []string{"pods"}, Admit: func(_ context.Context, r *AdmissionRequest) (map[string]any, error) {
			out := maps.Clone(r.Object)
			spec := maps.Clone(out["spec"].(map[string]any))
			spec["initContainers"] = []any{object{"name": "y", "image": "y"}}
			out["spec"] = spec
			return out, nil
		}},
		{Name: "c.example.com", Mutating: true, Resources: []string{"pods"}, Handler: reviewed(&seen, always(`"allowed":true`))},
	}})
	must(t, c, 201, "POST", pods, `{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}}`, "Content-Type", "application/json")
	require.Len(t, seen, 2)
	spec := at(seen[1], "object", "spec").(object)
	for name, container := range map[string]any{"x": spec["containers"].([]any)[1], "y": spec["initContainers"].([]any)[0]} {
		require.Equal(t, []any{name, "/dev/termination-log", "Always"},
			[]any{at(container, "name"), at(container, "terminationMessagePath"), at(container, "imagePullPolicy")})
	}
}
