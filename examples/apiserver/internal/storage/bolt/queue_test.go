package bolt

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Small writes do not wait for two large ones, and large ones do not wait for ever.
func TestQueue(t *testing.T) {
	var q queue
	add := func(keys string) {
		for _, key := range keys {
			w := &write{key: string(key)}
			if key >= 'A' && key <= 'Z' {
				w.value = make([]byte, largeWrite)
			}
			q.add(w)
		}
	}
	for _, step := range []struct{ arrive, want string }{
		{"aAbBC", "abA"},
		{"c", "c"},
		{"d", "dB"},
		{"", "C"},
		{"eD", "e"},
		{"", "D"},
		{"f", "f"},
	} {
		add(step.arrive)
		got := ""
		for _, w := range q.next() {
			got += w.key
		}
		require.Equal(t, step.want, got)
	}
	require.Zero(t, q.len())
}
