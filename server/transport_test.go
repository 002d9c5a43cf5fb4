package server

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/server/storage"
)

// start returns a server with a definition of kites, and a client without a network. It checks that no goroutine is
// left after the test.
func start(t *testing.T, o Options) (*Server, *http.Client) {
	t.Helper()
	before := runtime.NumGoroutine()
	logged := new(bytes.Buffer) // a handler writes one line at a time
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(logged, nil))
	}
	s, err := New(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, s.Close())
		require.Empty(t, logged.String(), "nothing has gone wrong")
		for deadline := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				stacks := make([]byte, 1<<20)
				t.Fatalf("goroutines are left:\n%s", stacks[:runtime.Stack(stacks, true)])
			}
		}
	})
	c := &http.Client{Transport: s.RoundTripper()}
	if o.Definitions == nil {
		require.Equal(t, http.StatusCreated, send(t, c, "POST", definitions, kiteDefinition).StatusCode)
	}
	return s, c
}

// An aborted writer panics at the first write, as handlers do after a client has disconnected.
type aborted struct {
	*httptest.ResponseRecorder
	before bool
}

func (w *aborted) WriteHeader(code int) {
	if !w.before {
		w.before = true
		panic(http.ErrAbortHandler)
	}
	w.ResponseRecorder.WriteHeader(code)
}

// A panic with http.ErrAbortHandler is not answered.
func TestAbortedRequest(t *testing.T) {
	s, _ := start(t, Options{})
	w := &aborted{ResponseRecorder: httptest.NewRecorder()}
	require.PanicsWithValue(t, http.ErrAbortHandler, func() { s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, kites, nil)) })
	require.Empty(t, w.Body.String())
}

// clientOf returns a client of a server that is closed at the end of the test.
func clientOf(t *testing.T, o Options) *http.Client {
	t.Helper()
	s, err := New(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return &http.Client{Transport: s.RoundTripper()}
}

// send sends a request. header has names and values, alternating. The caller closes the body of the response.
func send(t *testing.T, c *http.Client, method, path, body string, header ...string) *http.Response {
	t.Helper()
	return sendTo(t.Context(), t, c, method, "http://server"+path, body, header)
}

// sendTo is like send, with a context and for any URL.
func sendTo(
	ctx context.Context, t *testing.T, c *http.Client, method, url, body string, header []string,
) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	require.NoError(t, err)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := c.Do(r)
	require.NoError(t, err)
	return answer
}

func TestRoundTripper(t *testing.T) {
	s, c := start(t, Options{Token: "secret"}) // which the transport does not need
	made := send(t, c, "POST", kites, kite("a", "red"))
	body, err := io.ReadAll(made.Body)
	require.NoError(t, err)
	require.NoError(t, made.Body.Close())
	require.Equal(t, "201 Created", made.Status)
	require.EqualValues(t, len(body), made.ContentLength)
	require.Equal(t, "application/json", made.Header.Get("Content-Type"))
	_, err = made.Body.Read(make([]byte, 1))
	require.Error(t, err, "the body is closed")

	head := send(t, c, "HEAD", kites+"/a", "")
	body, err = io.ReadAll(head.Body)
	require.NoError(t, err)
	require.Empty(t, body)

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := http.NewRequestWithContext(ended, "GET", "http://server"+kites, nil)
	require.NoError(t, err)
	_, err = s.RoundTripper().RoundTrip(r)
	require.ErrorIs(t, err, context.Canceled)

	require.NoError(t, s.Close())
	require.Equal(t, http.StatusServiceUnavailable, send(t, c, "GET", kites, "").StatusCode)
}

func TestRoundTripperStreams(t *testing.T) {
	s, c := start(t, Options{})
	watch := send(t, c, "GET", kites+"?watch=true", "")
	lines := bufio.NewScanner(watch.Body)
	for i := range 3 {
		send(t, c, "POST", kites, kite(fmt.Sprint("k", i), "red"))
		require.True(t, lines.Scan())
		require.Contains(t, lines.Text(), fmt.Sprintf(`"name":"k%d"`, i))
	}
	require.NoError(t, watch.Body.Close())
	require.Eventually(t, func() bool { return len(s.watches) == 0 }, 5*time.Second, time.Millisecond, "the watch ends with its body")

	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, "GET", "http://server"+kites+"?watch=true&resourceVersion=1000000", nil)
	require.NoError(t, err)
	r.URL.RawQuery = "watch=true"
	watch, err = c.Do(r)
	require.NoError(t, err)
	cancel()
	_, err = io.Copy(io.Discard, watch.Body)
	require.ErrorIs(t, err, context.Canceled)

	watch = send(t, c, "GET", kites+"?watch=true", "")
	require.NoError(t, s.Close())
	_, err = io.Copy(io.Discard, watch.Body)
	require.True(t, err == nil || errors.Is(err, context.Canceled), "%v", err)
}

// A watch without a reader buffers a limited amount of events, and ends when the store no longer has the next one.
func TestSlowWatch(t *testing.T) {
	const events = 20
	// The server's own watches may be slow, too. It logs that they start again.
	o := Options{Store: storage.NewMemory(storage.MemoryOptions{Events: events}), Log: slog.New(slog.DiscardHandler)}
	_, c := start(t, o)
	watch := send(t, c, "GET", kites+"?watch=true", "")
	defer watch.Body.Close()
	body := watch.Body.(*answer)
	unread := func() int {
		body.mu.Lock()
		defer body.mu.Unlock()
		return len(body.unread)
	}
	long, n := strings.Repeat("x", 100_000), 0
	post := func() {
		send(t, c, "POST", kites, kite(fmt.Sprint("k", n), long)).Body.Close()
		n++
	}
	for unread() < maxUnread {
		next := min(unread()+len(long), maxUnread)
		post()
		require.Eventually(t, func() bool { return unread() >= next }, soon, tick)
	}
	for range 2 * events {
		post()
	}
	require.Less(t, unread(), maxUnread+2*len(long))
	lines := bufio.NewScanner(watch.Body)
	lines.Buffer(nil, 1<<20)
	last := ""
	for seen := 0; lines.Scan(); seen++ {
		require.Less(t, seen, n)
		last = lines.Text()
	}
	require.Contains(t, last, `"code":410`)
}

// No goroutine is left after Close, even if requests were in progress.
func TestClose(t *testing.T) {
	s, c := start(t, Options{})
	for range 20 {
		send(t, c, "GET", allKites+"?watch=true", "")
	}
	blocked := send(t, c, "GET", allKites+"?watch=true", "")
	for i := range 20 {
		send(t, c, "POST", kites, kite(fmt.Sprint("k", i), strings.Repeat("x", 50_000)))
	}
	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
	blocked.Body.Close()
}

func TestLongURL(t *testing.T) {
	_, c := start(t, Options{})
	require.Equal(t, http.StatusRequestURITooLong, send(t, c, "GET", kites+"?labelSelector="+strings.Repeat("a,", 40_000), "").StatusCode)
}

// The timeout and the interval for conditions that become true in the background.
const (
	soon = time.Minute
	tick = time.Millisecond
)
