package cli

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/manifest"
	"github.com/crdkit/crdkit/internal/test/given"
)

// What was applied last and is gone is removed, what others have set stays, and lists are values.
func TestThreeWay(t *testing.T) {
	for _, c := range []struct{ name, original, modified, current, want string }{
		{"nothing", `{a: 1}`, `{a: 1}`, `{a: 1, b: 2}`, `{}`},
		{"a change", `{a: 1}`, `{a: 2}`, `{a: 1}`, `{a: 2}`},
		{"a change of somebody else", `{a: 1}`, `{a: 1}`, `{a: 5}`, `{a: 1}`},
		{"a removal", `{a: 1, b: {c: 1, d: 2}}`, `{b: {d: 2}}`, `{a: 1, b: {c: 1, d: 2, e: 3}}`, `{a: null, b: {c: null}}`},
		{"what was never applied stays", `{}`, `{a: 1}`, `{a: 1, b: 2}`, `{}`},
		{"no original", `{}`, `{b: {d: 2}}`, `{a: 1, b: {c: 1}}`, `{b: {d: 2}}`},
		{"a list", `{l: [1, 2]}`, `{l: [2]}`, `{l: [1, 2, 3]}`, `{l: [2]}`},
		{"a map in the place of a value", `{a: 1}`, `{a: {b: 1}}`, `{a: 1}`, `{a: {b: 1}}`},
		{"null removes what was applied", `{a: 1}`, `{a: null}`, `{a: 1}`, `{a: null}`},
		{"null that never was anything", `{a: null}`, `{a: null}`, `{}`, `{}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := threeWay(given.Object(t, c.original), given.Object(t, c.modified), given.Object(t, c.current))
			require.Equal(t, given.Object(t, c.want), got)
		})
	}
}

func TestOriginal(t *testing.T) {
	live := given.Object(t, `{metadata: {name: a, uid: u, annotations: {"kubectl.kubernetes.io/last-applied-configuration": '{"spec":{"a":1}}'}}}`)
	original, err := originalOf(live)
	require.NoError(t, err)
	require.Equal(t, given.Object(t, `{spec: {a: 1}}`), original)

	file := given.Object(t, `{metadata: {name: a}, spec: {b: 1}}`)
	original, err = originalOf(file)
	require.NoError(t, err)
	require.Equal(t, file, original, "the manifest before is what was applied")
	require.False(t, manifest.Stored(file))

	original, err = originalOf(given.Object(t, `{metadata: {name: a, uid: u}}`))
	require.NoError(t, err)
	require.Nil(t, original)

	_, err = originalOf(given.Object(t, `{metadata: {name: a, annotations: {"kubectl.kubernetes.io/last-applied-configuration": "{"}}}`))
	require.Error(t, err)
}
