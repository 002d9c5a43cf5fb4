package main

import (
	"encoding/json"
	"math/rand/v2"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"github.com/crdkit/crdkit/server"
	"github.com/crdkit/crdkit/server/storage"
)

// Strategic merge patches of package server have the result of those of Kubernetes, with the same order of lists.
func TestStrategicMerge(t *testing.T) {
	s, err := server.New(t.Context(), server.Options{Store: storage.NewMemory(storage.MemoryOptions{})})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	send := func(method, path, contentType, body string) (int, string) {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
		r.Header.Set("Content-Type", contentType)
		s.ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	const path = "/api/v1/namespaces/default/podtemplates"
	random := rand.New(rand.NewPCG(*seed, 7))
	changed := 0
	for range *objects {
		create, err := json.Marshal(map[string]any{
			"metadata": map[string]any{"generateName": "a-", "finalizers": finalizers(random)},
			"template": map[string]any{"spec": randomSpec(random, 1)},
		})
		require.NoError(t, err)
		code, stored := send("POST", path, "application/json", string(create))
		require.Equal(t, 201, code, stored)
		var name struct{ Metadata struct{ Name string } }
		require.NoError(t, json.Unmarshal([]byte(stored), &name))
		meta := inOrder(random, map[string]any{"finalizers": finalizers(random)}, "finalizers")
		spec := inOrder(random, randomSpec(random, 0), "containers")
		_, orderedMeta := meta["$setElementOrder/finalizers"]
		_, ordered := spec["$setElementOrder/containers"]
		if random.IntN(3) == 0 && !orderedMeta { // of a patch that adds and deletes the same value, the result is random
			meta["$deleteFromPrimitiveList/finalizers"] = slices.DeleteFunc(finalizers(random), func(v any) bool {
				return slices.Contains(meta["finalizers"].([]any), v)
			})
		}
		if random.IntN(3) == 0 && !ordered {
			gone := map[string]any{"name": string(rune('a' + random.IntN(5))), "$patch": "delete"}
			spec["containers"] = append(spec["containers"].([]any), gone, map[string]any{"name": "stays", "image": "i"})
		}
		patch, err := json.Marshal(map[string]any{"metadata": meta, "template": map[string]any{"spec": spec}})
		require.NoError(t, err)
		want, err := strategicpatch.StrategicMergePatch([]byte(stored), patch, corev1.PodTemplate{})
		require.NoError(t, err, "%s", patch)
		code, got := send("PATCH", path+"/"+name.Metadata.Name, "application/strategic-merge-patch+json", string(patch))
		require.Equal(t, 200, code, got)
		require.Equal(t, patchedIn(t, want), patchedIn(t, []byte(got)), "%s\n%s", stored, patch)
		if patchedIn(t, want) != patchedIn(t, []byte(stored)) {
			changed++
		}
	}
	require.Greater(t, changed, *objects/2)
}

func finalizers(r *rand.Rand) []any {
	var out []any
	for _, i := range r.Perm(5)[:1+r.IntN(4)] {
		out = append(out, "x.io/"+string(rune('a'+i)))
	}
	return out
}

// randomSpec returns containers with variables, at least a number of them.
func randomSpec(r *rand.Rand, least int) map[string]any {
	containers := []any{}
	for _, i := range r.Perm(5)[:least+r.IntN(5)] {
		var env []any
		for _, k := range r.Perm(4)[:r.IntN(4)] {
			env = append(env, map[string]any{"name": "E" + string(rune('a'+k)), "value": "v"})
		}
		c := map[string]any{"name": string(rune('a' + i)), "image": "i"}
		if len(env) > 0 {
			c["env"] = env
		}
		if r.IntN(2) == 0 { // two with the same merge key
			c["ports"] = []any{map[string]any{"containerPort": 53, "protocol": "UDP"}, map[string]any{"containerPort": 53, "protocol": "TCP"}}
		}
		containers = append(containers, c)
	}
	return map[string]any{"containers": containers}
}

// inOrder sometimes adds the order of a list to a patch: of its elements and others.
func inOrder(r *rand.Rand, patch map[string]any, list string) map[string]any {
	if r.IntN(2) == 0 {
		return patch
	}
	items, _ := patch[list].([]any)
	others := finalizers(r)
	if list == "containers" {
		others, _ = randomSpec(r, 0)["containers"].([]any)
	}
	id := func(v any) any {
		if m, is := v.(map[string]any); is {
			return m["name"]
		}
		return v
	}
	seen, order := map[any]bool{}, []any{}
	for _, v := range append(append([]any{}, items...), others...) {
		if seen[id(v)] {
			continue
		}
		seen[id(v)] = true
		if m, is := v.(map[string]any); is {
			v = map[string]any{"name": m["name"]}
		}
		order = append(order, v)
	}
	patch["$setElementOrder/"+list] = order
	return patch
}

// patchedIn returns the parts of an object that patches change, with their defaults.
func patchedIn(t *testing.T, obj []byte) string {
	t.Helper()
	var o corev1.PodTemplate
	require.NoError(t, json.Unmarshal(obj, &o))
	scheme.Default(&o)
	out, err := json.Marshal([]any{o.Finalizers, o.Template})
	require.NoError(t, err)
	return string(out)
}
