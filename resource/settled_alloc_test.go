//go:build !race

// With the race detector, a sync.Pool drops objects at random.

package resource_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/test/given"
)

// The check of a body allocates nothing if there are no rules.
func TestSettledNoAllocs(t *testing.T) {
	v := compile(t, gadgets).Version("v1")
	body := []byte(`{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"a","namespace":"ns","labels":{"a":"b","c":"d"},"annotations":{"a":"\n"}},` +
		`"spec":{"replicas":2,"size":"small","ratio":1.5,"note":"\u00e9\n","tags":["b","a"],"free":{"x":[1,{"z":null,"c":1e-3}]}}}`)
	require.True(t, v.Settled(body))
	stored := bytes.Replace(body, []byte(`"name":"a"`), []byte(`"name":"a","generation":1,"uid":"u","resourceVersion":"7","creationTimestamp":"2020-01-01T00:00:00Z"`), 1)
	require.True(t, v.SettledStored(t.Context(), stored))
	given.RequireNoAllocs(t, map[string]func(){
		"Settled":       func() { v.Settled(body) },
		"SettledUpdate": func() { v.SettledUpdate(stored, stored) },
		"SettledStored": func() { v.SettledStored(t.Context(), stored) },
	})
}
