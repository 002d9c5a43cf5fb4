package estimate

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// CES-013: a path shares its storage with those that are made from it while there is spare capacity.
func TestPathsShareStorage(t *testing.T) {
	var w walker
	p := w.extend(nil, "self")
	require.Equal(t, 1, cap(p))
	p = w.extend(w.extend(p, "os"), itemsWord)
	require.Equal(t, 4, cap(p))
	list, name := w.extend(p, "l"), w.extend(p, "name")
	require.Equal(t, path{"self", "os", itemsWord, "name"}, list)
	require.Equal(t, list, name)
	require.Equal(t, 8, cap(w.extend(list, "x")))

	own := p.items()
	require.Equal(t, "name", list[3], "items are in storage of their own")
	require.Equal(t, itemsWord, own[3])
	require.Nil(t, path(nil).items())
}
