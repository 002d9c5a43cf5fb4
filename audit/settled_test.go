package audit

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/test/given"
)

// An object that SettledStored accepts has no findings in a full audit.
func TestSettledIsClean(t *testing.T) {
	settled, clean := 0, 0
	for seed := range uint64(1500) {
		m := given.NewMaker(seed)
		doc := m.Schema()
		version := func(name string, storage bool) map[string]any {
			return map[string]any{"name": name, "served": true, "storage": storage, "schema": map[string]any{"openAPIV3Schema": doc}}
		}
		stored := version("v1", true)
		if seed%2 == 0 {
			stored["subresources"] = map[string]any{"status": map[string]any{}}
		}
		d, err := crd.Parse([]byte(given.ExactJSON(map[string]any{
			"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": "things.g.io"},
			"spec": map[string]any{"group": "g.io", "scope": "Cluster", "names": map[string]any{"plural": "things", "kind": "Thing"},
				"versions": []any{stored, version("v2", false)}},
		})))
		if err != nil {
			continue
		}
		a, err := New(d, nil)
		if err != nil {
			continue
		}
		for range 12 {
			obj := m.Object(doc)
			obj["apiVersion"], obj["kind"] = "g.io/v1", "Thing"
			meta := map[string]any{"name": "n"}
			for key, v := range map[string]any{
				"uid": "u", "generation": int64(2), "resourceVersion": "3", "creationTimestamp": "2020-01-01T00:00:00Z", "finalizers": []any{"f"},
				"labels": map[string]any{"a": "b"},
			} {
				if m.IntN(3) > 0 {
					meta[key] = v
				}
			}
			if m.IntN(40) == 0 {
				meta["selfLink"] = "s" // which an update drops
			}
			obj["metadata"] = meta
			if r := a.checker.version.Read(obj); r.Err() == nil && m.IntN(2) == 0 {
				obj = r.Object // with defaults
			}
			body := []byte(given.ExactJSON(obj))
			o := a.checker.check(t.Context(), body).outcome
			if a.checker.version.SettledStored(t.Context(), body) && a.checker.sameSchema {
				settled++
				require.Equal(t, Clean, o.Class, "%s: %+v", body, o.Findings)
			}
			if o.Class == Clean {
				clean++
			}
		}
	}
	t.Logf("%d clean, %d settled", clean, settled)
	require.Greater(t, settled, 1000)
}

// Text after damage is scanned again, but only a limited number of times.
func TestRescans(t *testing.T) {
	text := `{"items":[` + strings.Repeat(`{"apiVersion":"v1","kind":"A","metadata":[`, 3000)
	s := &stream{r: strings.NewReader(text), yield: func([]byte, error) bool { return true }}
	s.run()
	require.Greater(t, s.rescanned, int64(len(text)))
	require.LessOrEqual(t, s.rescanned, 8*int64(len(text)))
}
