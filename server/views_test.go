package server

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

// Views are kept until the limit is reached.
func TestViews(t *testing.T) {
	v := newViews(10)
	key := func(n int64) viewKey { return viewKey{revision: n} }
	one := v.get(key(1), 4)
	two := v.get(key(2), 6)
	require.NotSame(t, one, two)
	require.Same(t, one, v.get(key(1), 4))
	require.Same(t, two, v.get(key(2), 6))
	require.Equal(t, 10, v.cost)
	v.get(key(3), 4) // above the limit: the others are dropped
	require.Equal(t, 4, v.cost)
	require.Len(t, v.byKey, 1)
	require.NotSame(t, two, v.get(key(2), 4))
	require.Equal(t, 8, v.cost)
	v.drop(key(2))
	v.drop(key(2))
	require.Equal(t, 4, v.cost)
	require.Len(t, v.byKey, 1)
	large := v.get(key(4), 100) // larger than the limit
	require.Same(t, large, v.get(key(4), 100))
	require.Equal(t, 100, v.cost)
	require.Len(t, v.byKey, 1)
	v.get(key(5), 10)
	require.Equal(t, 10, v.cost)
}

// A view that cannot be made is not cached.
func TestViewOfRefusal(t *testing.T) {
	s, _ := start(t, Options{})
	q := &request{s: s, r: httptest.NewRequest(http.MethodGet, kites, nil), kind: s.keeper.Catalog().Kind("wind.example.com", "v1", "kites")}
	before := s.views.cost
	_, refused := seen{q, kiteA, []byte("{"), 1, false}.json()
	require.NotNil(t, refused)
	require.Equal(t, before, s.views.cost)
	text, refused := seen{q, kiteA, []byte(kite("a", "red")), 1, false}.json()
	require.Nil(t, refused)
	require.Contains(t, string(text), `"colour":"red"`)
	require.Greater(t, s.views.cost, before)
}

func TestPlaceOf(t *testing.T) {
	for key, want := range map[string]place{
		"/core/pods/default/a":          {"", "pods", "default", "a"},
		"/core/nodes/a":                 {"", "nodes", "", "a"},
		"/wind.example.com/kites/ns/a":  {"wind.example.com", "kites", "ns", "a"},
		"/wind.example.com/kites/other": {"wind.example.com", "kites", "", "other"},
	} {
		got, ok := placeOf(key)
		require.True(t, ok, key)
		require.Equal(t, want, got)
	}
	for _, key := range []string{"", "/a", "/a/b", "/a/b/c/d/e"} {
		_, ok := placeOf(key)
		require.False(t, ok, key)
	}
}
