package scenario

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// CNV-030, CNV-031, CNV-033: package server answers as a Kubernetes API server did whose conversion webhook misbehaved
// in each of these ways.
func TestRecordedWebhooks(t *testing.T) {
	f, err := os.Open("testdata/webhooks.jsonl.gz")
	require.NoError(t, err)
	defer f.Close()
	all, err := Read(f)
	require.NoError(t, err)
	require.Len(t, all, len(ways))
	hook := NewHook()
	t.Cleanup(hook.Close)
	for i, s := range all {
		require.Equal(t, Hooks()[i].Name, s.Name)
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			p := newPlayer(t)
			p.Group, p.Hook = "g00000.io", hook
			answers, err := p.Play(t.Context(), s)
			require.NoError(t, err)
			require.Len(t, answers, len(s.Requests))
			for i, r := range s.Requests {
				for _, result := range Compare(r, *r.Answer, answers[i]) {
					require.Empty(t, result.Difference, "%s %s: %s", r.Method, r.Path, result.Aspect)
				}
			}
		})
	}
}
