package estimate

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// CES-001.
func TestScale(t *testing.T) {
	for _, row := range []struct {
		x      uint64
		factor float64
		want   uint64
	}{
		{0, 0.1, 0},
		{0, most, 0},
		{1, 0.1, 1},
		{10, 0.1, 1},
		{11, 0.1, 2},
		{3145726, 0.1, 314573},
		{4, 0.25, 1},
		{5, 0.25, 2},
		{7, 0, 0},
		{most, 0.1, 1844674407370955264},
		{most, 0.25, 4611686018427387904},
		{most, 1, most},
		{most, 2.1, most},
		{1 << 63, 2, most},
		{1<<63 - 1, 1, 1 << 63}, // rounded to a float64
		{2, math.MaxUint64, most},
	} {
		require.Equal(t, row.want, scale(row.x, row.factor), "%d * %g", row.x, row.factor)
	}
	require.Equal(t, uint64(most), plus(most, 1))
	require.Equal(t, uint64(most), plus(most-1, 1))
	require.Equal(t, uint64(most), times(1<<32, 1<<32))
	require.Equal(t, uint64(1<<63), times(1<<32, 1<<31))
	require.Equal(t, uint64(0), times(most, 0))
}

// CES-002: what is known of a size.
func TestSpans(t *testing.T) {
	require.Equal(t, span{4, 4}, exactly(4))
	require.Equal(t, span{0, 4}, upTo(4))
	require.Equal(t, span{0, most}, unknown)
	require.Equal(t, span{0, 7}, exactly(7).union(upTo(4)))
	require.Equal(t, span{3, 7}, exactly(7).union(exactly(3)))
}

// CES-052.
func TestReplaced(t *testing.T) {
	for _, row := range []struct {
		name         string
		s, old, with span
		want         span
	}{
		{"nothing is replaced around each byte", exactly(4), exactly(0), exactly(3), exactly(5*3 + 4)},
		{"a field may be empty", upTo(4), upTo(2), exactly(3), span{0, 5*3 + 4}},
		{"by less", exactly(10), exactly(3), exactly(1), span{4 * 1, 10}},
		{"by more", exactly(10), exactly(3), exactly(5), span{10, 4 * 5}},
		{"by as much", exactly(10), exactly(3), exactly(3), exactly(10)},
		{"unknown", unknown, unknown, unknown, unknown},
		{"unknown by more than the least", unknown, exactly(1), exactly(2), span{0, most}},
		{"unknown by nothing", unknown, exactly(1), exactly(0), span{0, most}},
	} {
		require.Equal(t, row.want, replaced(row.s, row.old, row.with), row.name)
	}
	require.Equal(t, uint64(1<<63), quotient(most, 1))
	require.Equal(t, uint64(1), quotient(1, most))
}

// CES-013: a path shares its storage with those that are made from it while there is room.
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
