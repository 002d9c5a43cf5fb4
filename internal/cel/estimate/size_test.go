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
		{0, Most, 0},
		{1, 0.1, 1},
		{10, 0.1, 1},
		{11, 0.1, 2},
		{3145726, 0.1, 314573},
		{4, 0.25, 1},
		{5, 0.25, 2},
		{7, 0, 0},
		{Most, 0.1, 1844674407370955264},
		{Most, 0.25, 4611686018427387904},
		{Most, 1, Most},
		{Most, 2.1, Most},
		{1 << 63, 2, Most},
		{1<<63 - 1, 1, 1 << 63}, // rounded to a float64
		{2, math.MaxUint64, Most},
	} {
		require.Equal(t, row.want, Scale(row.x, row.factor), "%d * %g", row.x, row.factor)
	}
	require.Equal(t, uint64(Most), Plus(Most, 1))
	require.Equal(t, uint64(Most), Plus(Most-1, 1))
	require.Equal(t, uint64(Most), Times(1<<32, 1<<32))
	require.Equal(t, uint64(1<<63), Times(1<<32, 1<<31))
	require.Equal(t, uint64(0), Times(Most, 0))
}

// CES-002: what is known of a size.
func TestSpans(t *testing.T) {
	require.Equal(t, Span{4, 4}, Exactly(4))
	require.Equal(t, Span{0, 4}, UpTo(4))
	require.Equal(t, Span{0, Most}, Unknown)
	require.Equal(t, Span{0, 7}, Exactly(7).Union(UpTo(4)))
	require.Equal(t, Span{3, 7}, Exactly(7).Union(Exactly(3)))
}

// CES-052.
func TestReplaced(t *testing.T) {
	for _, row := range []struct {
		name         string
		s, old, with Span
		want         Span
	}{
		{"nothing is replaced around each byte", Exactly(4), Exactly(0), Exactly(3), Exactly(5*3 + 4)},
		{"a field may be empty", UpTo(4), UpTo(2), Exactly(3), Span{0, 5*3 + 4}},
		{"by less", Exactly(10), Exactly(3), Exactly(1), Span{4 * 1, 10}},
		{"by more", Exactly(10), Exactly(3), Exactly(5), Span{10, 4 * 5}},
		{"by as much", Exactly(10), Exactly(3), Exactly(3), Exactly(10)},
		{"unknown", Unknown, Unknown, Unknown, Unknown},
		{"unknown by more than the least", Unknown, Exactly(1), Exactly(2), Span{0, Most}},
		{"unknown by nothing", Unknown, Exactly(1), Exactly(0), Span{0, Most}},
	} {
		require.Equal(t, row.want, row.s.Replaced(row.old, row.with), row.name)
	}
	require.Equal(t, uint64(1<<63), quotient(Most, 1))
	require.Equal(t, uint64(1), quotient(1, Most))
}
