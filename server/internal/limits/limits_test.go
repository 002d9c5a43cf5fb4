package limits

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLane(t *testing.T) {
	l := NewLane(10)
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	leave, err := l.Enter(t.Context(), 100, 0)
	require.NoError(t, err, "what is too heavy has the lane for itself")
	_, err = l.Enter(canceled, 1, 0)
	require.ErrorIs(t, err, context.Canceled)

	order := make(chan string, 3)
	ctx, giveUp := context.WithCancel(t.Context())
	waiting := func(name string, ctx context.Context, weight int64, n int) {
		go func() {
			done, err := l.Enter(ctx, weight, 0)
			order <- fmt.Sprint(name, " ", err)
			if err == nil {
				done()
			}
		}()
		require.Eventually(t, func() bool {
			l.mu.Lock()
			defer l.mu.Unlock()
			return len(l.line) == n
		}, time.Second, time.Millisecond)
	}
	waiting("first", ctx, 10, 1)
	waiting("second", t.Context(), 10, 2)
	waiting("third", t.Context(), 1, 3)
	giveUp()
	require.Equal(t, "first context canceled", <-order)
	leave()
	require.Equal(t, "second <nil>", <-order)
	require.Equal(t, "third <nil>", <-order)
	require.Eventually(t, func() bool { return l.Taken() == 0 && !l.Wanted() }, time.Second, time.Millisecond)
}

func TestLaneIsFull(t *testing.T) {
	l := NewLane(10)
	leave, ok := l.TryEnter(7)
	require.True(t, ok)
	_, ok = l.TryEnter(4)
	require.False(t, ok, "it does not fit")
	done := make(chan error)
	go func() {
		leave, err := l.Enter(t.Context(), 4, 0)
		if err == nil {
			leave()
		}
		done <- err
	}()
	require.Eventually(t, l.Wanted, time.Second, time.Millisecond)
	_, err := l.Enter(t.Context(), 4, 1)
	require.ErrorIs(t, err, ErrFull)
	_, ok = l.TryEnter(1)
	require.False(t, ok, "another one waits")
	leave()
	require.NoError(t, <-done)
	require.Zero(t, l.Taken())
	for range 3 { // nothing waits if there is room
		leave, err := l.Enter(t.Context(), 2, 1)
		require.NoError(t, err)
		defer leave()
	}
}

func TestCrowd(t *testing.T) {
	c := NewCrowd(3)
	var out []string
	enter := func(name string) *Member { return c.Enter(func() { out = append(out, name) }) }
	a, b, d := enter("a"), enter("b"), enter("d")
	require.True(t, a.Begin())
	require.True(t, b.Begin())
	b.End()
	require.NotNil(t, enter("e"))
	require.Equal(t, []string{"d"}, out, "it was never busy")
	require.False(t, d.Begin())
	f := enter("f")
	require.Equal(t, []string{"d", "e"}, out)
	require.True(t, f.Begin())
	g := enter("g")
	require.Equal(t, []string{"d", "e", "b"}, out, "it is idle")
	require.True(t, g.Begin())
	require.Nil(t, enter("h"), "all are busy")
	g.Leave()
	require.NotNil(t, enter("h"))
}

// TestLeaveWaits holds that a member is not made to leave after it has left.
func TestLeaveWaits(t *testing.T) {
	c := NewCrowd(1)
	called, end := make(chan struct{}), make(chan struct{})
	var over atomic.Bool
	m := c.Enter(func() {
		close(called)
		<-end
		over.Store(true)
	})
	var entered, left sync.WaitGroup
	entered.Go(func() { c.Enter(func() {}) })
	<-called
	var early bool
	left.Go(func() {
		m.Leave()
		early = !over.Load()
	})
	time.Sleep(10 * time.Millisecond) // so that a Leave that does not wait returns
	close(end)
	left.Wait()
	entered.Wait()
	require.False(t, early, "Leave returned while the member was being made to leave")
}

func TestCrowdStages(t *testing.T) {
	c := NewCrowd(4)
	var out []string
	enter := func(name string) *Member { return c.Enter(func() { out = append(out, name) }) }
	all := []*Member{enter("served"), enter("begun"), enter("heard"), enter("silent")}
	require.True(t, all[0].Begin())
	all[0].End()
	all[0].Reach(Begun)
	all[1].Reach(Begun)
	all[2].Reach(Heard)
	for range 4 {
		enter("").Reach(Served)
	}
	require.Equal(t, []string{"silent", "heard", "begun", "served"}, out)
}

func TestSparseLog(t *testing.T) {
	var log bytes.Buffer
	s := &sparse{to: &log}
	for range 100 {
		n, err := s.Write([]byte("line\n"))
		require.NoError(t, err)
		require.Equal(t, 5, n)
	}
	lines := strings.Count(log.String(), "line\n")
	require.LessOrEqual(t, lines, 2*linesPerSecond)
	s.second = time.Time{} // the next second
	_, err := s.Write([]byte("line\n"))
	require.NoError(t, err)
	require.Contains(t, log.String(), " lines left out\nline\n")
}
