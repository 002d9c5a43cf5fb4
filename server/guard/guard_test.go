package guard

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/server/internal/limits"
)

// serve starts a server whose connections the guard counts.
func serve(t *testing.T, g *Guard, work Work) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	server.Config = g.Server(g.Handler(work), nil)
	server.Listener = g.Listen(server.Listener)
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

// newGuard returns a guard, and restores the runtime's memory limit after the test.
func newGuard(t *testing.T, l Limits) *Guard {
	t.Helper()
	before := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	return New(l, t.Output())
}

func post(t *testing.T, s *httptest.Server, query string, body io.Reader) (code int, answer string) {
	t.Helper()
	response, err := s.Client().Post(s.URL+query, "application/json", body)
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(text)
}

// status is post for other goroutines. It returns the status, or the text of an error.
func status(s *httptest.Server, query string, body io.Reader) string {
	response, err := s.Client().Post(s.URL+query, "application/json", body)
	if err != nil {
		return err.Error()
	}
	response.Body.Close()
	return response.Status
}

func echo(_ context.Context, review []byte) ([]byte, error) { return review, nil }

func TestDefaults(t *testing.T) {
	before := debug.SetMemoryLimit(math.MaxInt64)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	require.EqualValues(t, defaultMemory, New(Limits{}, io.Discard).limits.Memory)
	require.EqualValues(t, 448<<20, debug.SetMemoryLimit(1<<30), "the runtime's limit")
	require.EqualValues(t, 1<<30, New(Limits{}, io.Discard).limits.Memory, "that of the runtime")
	require.EqualValues(t, 1<<30, debug.SetMemoryLimit(-1), "it stays")
	require.EqualValues(t, 256<<20, New(Limits{Memory: 256 << 20}, io.Discard).limits.Memory)
	require.EqualValues(t, 224<<20, debug.SetMemoryLimit(-1))
}

func TestBodies(t *testing.T) {
	g := newGuard(t, Limits{Body: 1 << 20})
	s := serve(t, g, echo)
	for _, size := range []int{0, 1, SmallBody, SmallBody + 1, 1 << 20} {
		body := strings.Repeat("a", size)
		code, answer := post(t, s, "", strings.NewReader(body))
		require.Equal(t, 200, code)
		require.Equal(t, body, answer)
		code, answer = post(t, s, "", struct{ io.Reader }{strings.NewReader(body)}) // in chunks
		require.Equal(t, 200, code)
		require.Equal(t, body, answer)
	}
	for _, body := range []io.Reader{bytes.NewReader(make([]byte, 1<<20+1)), struct{ io.Reader }{bytes.NewReader(make([]byte, 1<<20+1))}} {
		code, answer := post(t, s, "", body)
		require.Equal(t, 413, code)
		require.Equal(t, "the body has more than 1048576 bytes\n", answer)
	}
	request, err := http.NewRequest("POST", s.URL, strings.NewReader("{}"))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Content-Encoding", "gzip")
	response, err := s.Client().Do(request)
	require.NoError(t, err)
	response.Body.Close()
	require.Equal(t, 415, response.StatusCode)
	require.Eventually(t, g.idle, 5*time.Second, time.Millisecond, "all places are given back")
}

// idle reports whether all lanes are empty.
func (g *Guard) idle() bool {
	return g.texts.Taken() == 0 && g.brief.Taken() == 0 && g.long.Taken() == 0 && !g.long.Wanted() && g.requests.Len() == 0
}

func TestErrors(t *testing.T) {
	g := newGuard(t, Limits{})
	s := serve(t, g, func(_ context.Context, review []byte) ([]byte, error) {
		if string(review) == "panic" {
			panic("on purpose")
		}
		return nil, errors.New(string(review))
	})
	code, answer := post(t, s, "", strings.NewReader("no review"))
	require.Equal(t, 400, code)
	require.Equal(t, "no review\n", answer)
	_, answer = post(t, s, "", strings.NewReader(strings.Repeat("ä", 1<<20)))
	require.Equal(t, strings.Repeat("ä", maxText/2)+"...\n", answer)
	code, answer = post(t, s, "", strings.NewReader("panic"))
	require.Equal(t, 500, code)
	require.Equal(t, "the review ended in a panic\n", answer)
	require.Eventually(t, g.idle, 5*time.Second, time.Millisecond)
}

func TestPatience(t *testing.T) {
	g := newGuard(t, Limits{Timeout: 20 * time.Second})
	for query, want := range map[string]time.Duration{
		"": 18 * time.Second, "?timeout=10s": 9 * time.Second, "?timeout=1s": 900 * time.Millisecond, "?timeout=5m": 27 * time.Second,
		"?timeout=-1s": 18 * time.Second, "?timeout=soon": 18 * time.Second, "?timeout=0s": 18 * time.Second,
	} {
		require.Equal(t, want, g.patience(httptest.NewRequest("POST", "/"+query, nil)), query)
	}
}

// The guard does not wait for work that ignores the end of its context, but the work keeps its place in the lane.
func TestLate(t *testing.T) {
	g := newGuard(t, Limits{})
	goOn := make(chan bool)
	s := serve(t, g, func(context.Context, []byte) ([]byte, error) {
		<-goOn
		return []byte("{}"), nil
	})
	// Small reviews fill their lane, and another one has to wait.
	var late, full int
	brief := 2 * runtime.GOMAXPROCS(0)
	for range brief + 1 {
		switch code, answer := post(t, s, "?timeout=500ms", strings.NewReader("{}")); code {
		case 504:
			require.Equal(t, "the review was not finished in time\n", answer)
			late++
		case 503:
			require.Equal(t, "there was no place for the review: too many others are under way\n", answer)
			full++
		}
	}
	require.Equal(t, brief, late)
	require.Equal(t, 1, full)
	close(goOn)
	require.Eventually(t, g.idle, 5*time.Second, time.Millisecond)
}

// A small review that takes long starts again in the lane of large reviews when others wait for its place.
func TestLong(t *testing.T) {
	g := newGuard(t, Limits{})
	g.least = g.limits.Memory / 4 // as with many processors
	var mu sync.Mutex
	seen := map[string][]int64{} // how much of the other lane was taken, for each start of the work
	s := serve(t, g, func(ctx context.Context, review []byte) ([]byte, error) {
		kind := string(review[:1])
		taken := g.long.Taken()
		mu.Lock()
		seen[kind] = append(seen[kind], taken)
		first := len(seen[kind]) == 1
		mu.Unlock()
		switch {
		case kind == "s" && first:
			<-ctx.Done()
			return nil, errors.New("interrupted")
		case kind == "w": // until the place is wanted
			time.Sleep(2 * Brief)
		}
		return []byte("done"), nil
	})
	g.brief = limits.NewLane(1)
	var all sync.WaitGroup
	var slow string
	all.Go(func() { slow = status(s, "?timeout=20s", strings.NewReader("slow")) })
	require.Eventually(t, func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(seen["s"]) == 1
	}, 5*time.Second, time.Millisecond)
	time.Sleep(2 * Brief)
	require.Len(t, seen["s"], 1, "nobody wants its place")
	code, _ := post(t, s, "?timeout=20s", strings.NewReader("x"))
	require.Equal(t, 200, code)
	all.Wait()
	require.Equal(t, "200 OK", slow)
	require.Equal(t, []int64{0, g.least}, seen["s"])

	code, _ = post(t, s, "?timeout=20s", strings.NewReader("wait"))
	require.Equal(t, 200, code)
	require.Len(t, seen["w"], 1, "nobody wants its place")

	for kind, want := range map[string]struct{ size, weight int64 }{
		"a": {SmallBody + 1, g.least}, "b": {6 << 20, growth * 6 << 20}, "c": {8 << 20, g.limits.Memory / 2},
	} {
		require.Eventually(t, g.idle, 5*time.Second, time.Millisecond)
		post(t, s, "", strings.NewReader(strings.Repeat(kind, int(want.size))))
		require.Equal(t, []int64{want.weight}, seen[kind])
	}
}

// Small reviews do not wait for large ones.
func TestSmallBesideLarge(t *testing.T) {
	g := newGuard(t, Limits{})
	goOn := make(chan bool)
	s := serve(t, g, func(_ context.Context, review []byte) ([]byte, error) {
		if len(review) > SmallBody {
			<-goOn
		}
		return []byte("{}"), nil
	})
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			response, err := s.Client().Post(s.URL, "application/json", bytes.NewReader(make([]byte, 4<<20)))
			if err == nil {
				response.Body.Close()
			}
		})
	}
	for range 100 {
		code, _ := post(t, s, "?timeout=5s", strings.NewReader("{}"))
		require.Equal(t, 200, code)
	}
	close(goOn)
	all.Wait()
}

func TestSlowBodies(t *testing.T) {
	g := newGuard(t, Limits{Requests: 3})
	s := serve(t, g, echo)
	answers := make(chan string, 5)
	for range 5 {
		body, slow := io.Pipe()
		t.Cleanup(func() { slow.Close() })
		go func() { answers <- status(s, "?timeout=20s", body) }()
	}
	// Two requests are dropped, and another one for each further request.
	require.Equal(t, "408 Request Timeout", <-answers)
	require.Equal(t, "408 Request Timeout", <-answers)
	code, _ := post(t, s, "", strings.NewReader("{}"))
	require.Equal(t, 200, code)
	require.Equal(t, "408 Request Timeout", <-answers)
}

func TestConnections(t *testing.T) {
	g := newGuard(t, Limits{Connections: 3})
	begun, goOn := make(chan bool), make(chan bool)
	s := serve(t, g, func(_ context.Context, review []byte) ([]byte, error) {
		if string(review) == "wait" {
			begun <- true
			<-goOn
		}
		return []byte("{}"), nil
	})
	busy := make(chan string)
	go func() { busy <- status(s, "?timeout=20s", strings.NewReader("wait")) }()
	<-begun
	var idle []net.Conn
	for range 10 {
		c, err := net.Dial("tcp", s.Listener.Addr().String())
		require.NoError(t, err)
		defer c.Close()
		idle = append(idle, c)
	}
	for _, c := range idle[:8] {
		_ = c.SetReadDeadline(time.Now().Add(5 * time.Second))
		_, err := c.Read(make([]byte, 1))
		var timeout net.Error
		require.Error(t, err)
		require.False(t, errors.As(err, &timeout) && timeout.Timeout(), "the oldest have to leave")
	}
	for range 5 { // a new client comes in
		c, err := tls.Dial("tcp", s.Listener.Addr().String(), s.Client().Transport.(*http.Transport).TLSClientConfig)
		require.NoError(t, err)
		defer c.Close()
	}
	close(goOn)
	require.Equal(t, "200 OK", <-busy, "what is busy stays")
}

// A connection after its handshake, and one with a request whose body is still on its way, are not closed for those
// that send nothing.
func TestSilentConnections(t *testing.T) {
	g := newGuard(t, Limits{Connections: 3})
	s := serve(t, g, echo)
	body, slow := io.Pipe()
	answered := make(chan string)
	go func() { answered <- status(s, "?timeout=20s", body) }()
	require.Eventually(t, func() bool { return g.requests.Len() == 1 }, 5*time.Second, time.Millisecond)
	transport := s.Client().Transport.(*http.Transport).Clone()
	config := transport.TLSClientConfig.Clone()
	config.NextProtos = []string{"http/1.1"}
	idle, err := tls.Dial("tcp", s.Listener.Addr().String(), config)
	require.NoError(t, err)
	defer idle.Close()
	for range 10 {
		c, err := net.Dial("tcp", s.Listener.Addr().String())
		require.NoError(t, err)
		defer c.Close()
	}
	// A client with a request takes the place of one without: all of them have been accepted.
	other := http.Client{Transport: transport}
	defer other.CloseIdleConnections()
	response, err := other.Post(s.URL, "application/json", strings.NewReader("{}"))
	require.NoError(t, err)
	response.Body.Close()
	require.Equal(t, 200, response.StatusCode)

	_ = idle.SetDeadline(time.Now().Add(5 * time.Second))
	_, err = io.WriteString(idle, "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
	require.NoError(t, err)
	line, err := bufio.NewReader(idle).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "HTTP/1.1 200 OK\r\n", line)
	_, err = io.WriteString(slow, "{}")
	require.NoError(t, err)
	slow.Close()
	require.Equal(t, "200 OK", <-answered)
}

// A request in progress is answered before the program ends.
func TestEndsGracefully(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	certificate := httptest.NewUnstartedServer(nil)
	certificate.StartTLS()
	defer certificate.Close()
	begun, goOn := make(chan bool), make(chan bool)
	g := newGuard(t, Limits{})
	handler := http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) {
		close(begun)
		<-goOn
		_, _ = io.WriteString(out, "done")
	})

	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- g.Serve(ctx, listener, handler, &tls.Config{Certificates: certificate.TLS.Certificates})
	}()
	type reply struct {
		text string
		err  error
	}
	replied := make(chan reply, 1)
	requester := certificate.Client()
	go func() {
		response, err := requester.Get("https://" + listener.Addr().String())
		if err != nil {
			replied <- reply{err: err}
			return
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		replied <- reply{string(text), err}
	}()
	<-begun
	cancel()
	select {
	case err := <-ended:
		t.Fatalf("ended before the request: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	close(goOn)
	require.Equal(t, reply{text: "done"}, <-replied)
	require.NoError(t, <-ended)
}

// A slowWriter takes its time to set a deadline in the past. For HTTP/2, no writer must be used after its handler.
type slowWriter struct {
	*httptest.ResponseRecorder
	setting  chan struct{}
	returned atomic.Bool // the handler
	misused  atomic.Bool
}

func (w *slowWriter) SetReadDeadline(at time.Time) error {
	if at.IsZero() || at.After(time.Now()) {
		return nil
	}
	close(w.setting)
	time.Sleep(20 * time.Millisecond)
	w.misused.Store(w.returned.Load())
	return nil
}

// A bodyOf calls a function before its end.
type bodyOf func()

func (b bodyOf) Read([]byte) (int, error) {
	b()
	return 0, io.EOF
}

// A request that has to leave while the last of its body arrives ends after the other one has stopped using its writer.
func TestLeavesWithItsBody(t *testing.T) {
	g := newGuard(t, Limits{Requests: 1})
	h := g.Handler(echo)
	post := func(w http.ResponseWriter, body io.Reader) {
		in := httptest.NewRequestWithContext(t.Context(), "POST", "/", body)
		in.Header.Set("Content-Type", "application/json")
		h.ServeHTTP(w, in)
	}
	w, other := &slowWriter{ResponseRecorder: httptest.NewRecorder(), setting: make(chan struct{})}, httptest.NewRecorder()
	var both sync.WaitGroup
	post(w, io.MultiReader(strings.NewReader("{}"), bodyOf(func() {
		both.Go(func() { post(other, strings.NewReader("{}")) })
		<-w.setting
	})))
	w.returned.Store(true)
	both.Wait()
	require.False(t, w.misused.Load())
	require.Equal(t, []int{http.StatusRequestTimeout, http.StatusOK}, []int{w.Code, other.Code})
}
