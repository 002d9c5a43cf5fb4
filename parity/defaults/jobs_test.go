package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/kubernetes/pkg/registry/batch/job"

	"github.com/crdkit/crdkit/server"
	"github.com/crdkit/crdkit/server/storage"
)

// An update of a Job is refused at the same fields as by Kubernetes, for each state of the Job that decides what may
// change in its template.
func TestJobUpdates(t *testing.T) {
	s, err := server.New(t.Context(), server.Options{Store: storage.NewMemory(storage.MemoryOptions{})})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	kinds, err := readKinds()
	require.NoError(t, err)
	var ask asker
	for _, k := range kinds {
		if k.Type == "batch.v1.Job" {
			ask = asker{handler: s, kind: k, strategy: job.Strategy}
		}
	}
	const started, says = `"startTime": "2026-01-01T00:00:00Z"`, `"conditions": [{"type": "Suspended", "status": "True"}]`
	refused, accepted := 0, 0
	for i, state := range []struct{ suspend, status string }{
		{"false", `{}`}, {"true", `{}`}, {"true", `{` + started + `}`}, {"true", `{` + started + `, ` + says + `}`},
		{"true", `{` + says + `, "active": 1}`}, {"true", `{"active": 2}`}, {"true", `{` + started + `, ` + strings.Replace(says, "True", "False", 1) + `}`},
		{"false", `{` + started + `, ` + says + `}`},
	} {
		for _, mode := range []string{"NonIndexed", "Indexed"} {
			name := fmt.Sprintf("a%d-%s", i, strings.ToLower(mode))
			valid := ask.object(t, name, fmt.Appendf(nil, `{"spec": {"suspend": %s, "completionMode": %q, "completions": 2, "parallelism": 2,
				"template": {"spec": {"restartPolicy": "Never", "nodeSelector": {"a": "b"}, "containers": [{"name": "a", "image": "a"}]}}}}`,
				state.suspend, mode))
			ask.name, ask.query = name, ""
			ours, theirs, stored := ask.create(t, valid)
			require.Empty(t, theirs)
			require.Empty(t, ours)
			var status map[string]any
			require.NoError(t, json.Unmarshal([]byte(state.status), &status))
			stored["status"] = status
			ask.name = name + "/status"
			ours, stored, _ = ask.do(t, "PUT", stored)
			require.Empty(t, ours, state)
			ask.name, ask.query = name, "?dryRun=All"
			for _, change := range []string{
				`{"template": {"spec": {"nodeSelector": {"a": "c"}}}}`,
				`{"template": {"spec": {"tolerations": [{"key": "a", "operator": "Exists"}]}}}`,
				`{"template": {"spec": {"schedulingGates": [{"name": "example.com/a"}]}}}`,
				`{"template": {"spec": {"affinity": {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1,
					"preference": {"matchExpressions": [{"key": "a", "operator": "Exists"}]}}]}}}}}`,
				`{"template": {"spec": {"affinity": {}}}}`,
				`{"template": {"spec": {"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "a"}]}}}}}`,
				`{"template": {"metadata": {"annotations": {"a": "b"}}}}`,
				`{"template": {"metadata": {"labels": {"a": "b"}}}}`,
				`{"template": {"spec": {"containers": [{"name": "a", "image": "a", "resources": {"limits": {"cpu": "1"}}}]}}}`,
				`{"template": {"spec": {"containers": [{"name": "a", "image": "b"}]}}}`,
				`{"template": {"spec": {"priorityClassName": "a"}}}`,
				`{"completions": 3}`, `{"completions": 3, "parallelism": 3}`, `{"parallelism": 5}`, `{"suspend": true}`, `{"suspend": false}`,
				`{"completionMode": "Indexed"}`, `{"backoffLimit": 1}`,
			} {
				var obj, changed map[string]any
				text, err := json.Marshal(stored)
				require.NoError(t, err)
				require.NoError(t, json.Unmarshal(text, &obj))
				require.NoError(t, json.Unmarshal([]byte(change), &changed))
				merge(obj["spec"].(map[string]any), changed)
				ours, theirs := ask.update(t, obj, stored)
				require.Equal(t, fields(theirs), fields(ours), "%v %s: %s\n%q", state, mode, change, theirs)
				if len(ours) > 0 {
					refused++
				} else {
					accepted++
				}
			}
		}
	}
	t.Logf("%d refused, %d accepted", refused, accepted)
	require.Positive(t, refused)
	require.Positive(t, accepted)
}

// merge sets what from has in a map and in the maps in it.
func merge(into, from map[string]any) {
	for k, v := range from {
		inner, ok := v.(map[string]any)
		if old, is := into[k].(map[string]any); ok && is {
			merge(old, inner)
		} else {
			into[k] = v
		}
	}
}

// fields returns the fields of causes.
func fields(causes []string) (out []string) {
	for _, c := range causes {
		field, _, _ := strings.Cut(c, " ")
		out = append(out, field)
	}
	return out
}
