package catalog

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/test/given"
)

// A null in a list or a map of a built-in kind is the zero value of its type, as in Go.
func TestNullsInListsAndMaps(t *testing.T) {
	for _, c := range []struct{ of, obj, want string }{
		{"core.v1.ConfigMap", `{"data":{"a":null,"b":"x"}}`, `{"data":{"a":"","b":"x"}}`},
		{"core.v1.ResourceQuota", `{"spec":{"hard":{"pods":null},"scopes":[null]}}`, `{"spec":{"hard":{"pods":"0"},"scopes":[""]}}`},
		{"discovery.v1.Endpoint", `{"addresses":["a"],"deprecatedTopology":{"a":null},"hints":{"forZones":[null]}}`,
			`{"addresses":["a"],"conditions":{},"deprecatedTopology":{"a":""},"hints":{"forZones":[{"name":""}]}}`},
	} {
		out, ok := BuiltInTypes().Complete(c.of, given.Object(t, c.obj), 100)
		require.True(t, ok)
		for name, want := range given.Object(t, c.want) {
			require.Equal(t, want, out[name], "%s %s", c.of, name)
		}
	}
}
