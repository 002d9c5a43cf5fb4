package server

import (
	"bufio"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/server/internal/limits"
	"github.com/crdkit/crdkit/server/storage"
)

// largeKite is a kite with a label of its number and a long text.
func largeKite(name string, size int) string {
	return fmt.Sprintf(`{"apiVersion":"wind.example.com/v1","kind":"Kite","metadata":{"name":%q,"labels":{"last":%q}},"spec":{"colour":%q}}`,
		name, name[len(name)-1:], strings.Repeat("r", size))
}

// A list that is written in parts has what its objects have, in each form.
func TestLongLists(t *testing.T) {
	s := serve(t, Options{}, storage.MemoryOptions{})
	const n, size = 30, 150_000
	made := make([]any, n)
	for i := range n {
		made[i] = s.must(t, http.StatusCreated, "POST", kites, largeKite(fmt.Sprintf("k%02d", i), size))
	}
	tables := []string{"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io"}
	partials := []string{"Accept", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"}
	plain := []string{"Accept-Encoding", "identity"}
	for _, header := range [][]string{nil, plain, {"Accept", "application/yaml"}, {"User-Agent", "curl/8"}} {
		answer, text := s.call(t, "GET", kites, "", header...)
		require.Empty(t, answer.Header.Get("Content-Length"), "in parts")
		var list object
		require.NoError(t, json.Unmarshal([]byte(text), &list))
		require.Equal(t, made, list["items"])
		delete(list, "items")
		require.Equal(t, object{"apiVersion": "wind.example.com/v1", "kind": "KiteList", "metadata": object{"continue": "", "resourceVersion": version(made[n-1].(object))}}, list)
	}
	table := s.must(t, http.StatusOK, "GET", kites+"?includeObject=Object", "", tables...)
	require.Len(t, table["rows"], n)
	for i, row := range table["rows"].([]any) {
		require.Equal(t, made[i], at(row, "object"))
		require.Equal(t, fmt.Sprintf("k%02d", i), at(row, "cells").([]any)[0])
	}
	delete(table, "rows")
	empty := s.must(t, http.StatusOK, "GET", "/apis/wind.example.com/v1/namespaces/none/kites", "", tables...)
	delete(empty, "rows")
	require.Equal(t, empty, table)
	partial := s.must(t, http.StatusOK, "GET", kites, "", partials...)
	require.Len(t, partial["items"], n)
	require.Equal(t, []any{"PartialObjectMetadataList", "meta.k8s.io/v1", version(made[n-1].(object))}, []any{partial["kind"], partial["apiVersion"], version(partial)})
	require.Equal(t, at(made[3], "metadata"), at(partial["items"].([]any)[3], "metadata"))

	// Pages, and objects that a selector chooses from several parts.
	for _, c := range []struct {
		query string
		want  [][]int // the numbers of objects in each page, with the remaining ones
	}{{"limit=20", [][]int{{20, 10}, {10, 0}}}, {"limit=10&labelSelector=last+in+(1,2,3,4,5)", [][]int{{10, 0}, {5, 0}}}, {"labelSelector=last%3D1", [][]int{{3, 0}}},
		{"labelSelector=last%3Dx", [][]int{{0, 0}}}} {
		next := ""
		for i, want := range c.want {
			list := s.must(t, http.StatusOK, "GET", kites+"?"+c.query+next, "")
			require.Len(t, list["items"], want[0], c.query)
			remaining, _ := at(list, "metadata", "remainingItemCount").(float64)
			require.EqualValues(t, want[1], remaining)
			token := at(list, "metadata", "continue").(string)
			require.Equal(t, i == len(c.want)-1, token == "")
			next = "&continue=" + url.QueryEscape(token)
		}
	}
	head, text := s.call(t, "HEAD", kites, "")
	require.Equal(t, []any{http.StatusOK, ""}, []any{head.StatusCode, text})
	refused := s.must(t, http.StatusBadRequest, "GET", kites+"?includeObject=Some", "", tables...)
	require.Contains(t, refused["message"], "includeObject")
	s.must(t, http.StatusNotAcceptable, "GET", kites, "", "Accept", "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io")

	// The response to a deletion has a limited size.
	deleted := s.must(t, http.StatusOK, "DELETE", kites, "")
	require.Len(t, deleted["items"], maxDeleted/(size+500))
	require.Empty(t, s.must(t, http.StatusOK, "GET", kites, "")["items"])
}

// If an object of a later part cannot be read, the client sees that the list is not complete.
func TestLongListsThatFail(t *testing.T) {
	store, c := onFaulty(t)
	for i := range 12 {
		must(t, c, 201, "POST", kites, largeKite(fmt.Sprintf("k%02d", i), 150_000), "Content-Type", "application/json")
	}
	_, err := store.Create(t.Context(), "/wind.example.com/kites/default/z", []byte(`{"kind":"Kite"}`))
	require.NoError(t, err)
	answer := send(t, c, "GET", kites, "")
	defer answer.Body.Close()
	require.Equal(t, http.StatusOK, answer.StatusCode)
	_, err = io.ReadAll(answer.Body)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)

	_, err = store.Create(t.Context(), "/wind.example.com/kites/default/a", []byte(`{"kind":"Kite"}`))
	require.NoError(t, err)
	must(t, c, 500, "GET", kites, "")
}

// listen serves HTTPS with s.Serve, and returns the address and the configuration of clients.
func listen(t *testing.T, s *Server) (address string, config *tls.Config) {
	t.Helper()
	credentials, err := NewCredentials()
	require.NoError(t, err)
	trusted := x509.NewCertPool()
	require.True(t, trusted.AppendCertsFromPEM(credentials.Authority))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- s.Serve(ctx, listener, credentials.ServerTLS()) }()
	t.Cleanup(func() {
		require.NoError(t, s.Close())
		cancel()
		<-done
	})
	return listener.Addr().String(), &tls.Config{RootCAs: trusted, ServerName: "localhost"}
}

// idle waits until no request is in progress. A client has the answer to a request before its handler returns.
func idle(t *testing.T, s *Server) {
	t.Helper()
	require.Eventually(t, func() bool { return s.requests.Len() == 0 }, 30*time.Second, time.Millisecond)
}

// A watch without events lives on, over HTTP/1.1, HTTP/2 and without a network.
func TestIdleWatches(t *testing.T) {
	s, inMemory := start(t, Options{})
	s.patience = 100 * time.Millisecond // instead of 30 seconds
	address, config := listen(t, s)
	clients := map[string]*http.Client{"memory": inMemory}
	for _, protocol := range []string{"HTTP/1.1", "HTTP/2.0"} {
		transport := &http.Transport{TLSClientConfig: config.Clone(), ForceAttemptHTTP2: protocol == "HTTP/2.0"}
		t.Cleanup(transport.CloseIdleConnections)
		clients[protocol] = &http.Client{Transport: transport}
	}
	streams := map[string]*bufio.Scanner{}
	for name, c := range clients {
		for _, query := range []string{"", "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan", "&resourceVersion=" + version(must(t, inMemory, 200, "GET", kites, ""))} {
			answer := sendTo(t.Context(), t, c, "GET", "https://"+address+allKites+"?watch=true"+query, "", nil)
			t.Cleanup(func() { answer.Body.Close() })
			if name != "memory" {
				require.Equal(t, name, answer.Proto)
			}
			streams[name+query] = bufio.NewScanner(answer.Body)
		}
	}
	for _, name := range []string{"a", "b"} {
		time.Sleep(5 * s.patience)
		must(t, inMemory, 201, "POST", kites, kite(name, "red"))
		for of, stream := range streams {
			require.True(t, stream.Scan(), "%s: %v", of, stream.Err())
			if strings.Contains(stream.Text(), "BOOKMARK") {
				require.True(t, stream.Scan(), of)
			}
			require.Contains(t, stream.Text(), `"name":"`+name+`"`, of)
		}
	}
}

// A closingWriter takes its time to set a deadline that has passed, as if other goroutines had the processor.
type closingWriter struct {
	*httptest.ResponseRecorder
	began             chan struct{}
	returned, misused atomic.Bool
}

func (w *closingWriter) SetReadDeadline(time.Time) error { return nil }

func (w *closingWriter) SetWriteDeadline(at time.Time) error {
	if at.IsZero() || at.After(time.Now()) {
		return nil
	}
	time.Sleep(20 * time.Millisecond)
	w.misused.Store(w.returned.Load())
	close(w.began)
	return nil
}

// When the server closes, no writer of a watch is used after its handler: for HTTP/2 that is a nil pointer dereference.
func TestWatchEndsBeforeItsHandler(t *testing.T) {
	s, _ := start(t, Options{})
	w := &closingWriter{ResponseRecorder: httptest.NewRecorder(), began: make(chan struct{})}
	r := httptest.NewRequestWithContext(t.Context(), "GET", allKites+"?watch=true", nil)
	var serving sync.WaitGroup
	serving.Go(func() {
		s.serve(w, r, true)
		w.returned.Store(true)
	})
	require.Eventually(t, func() bool { return len(s.watches) > 0 }, 5*time.Second, time.Millisecond)
	time.Sleep(10 * time.Millisecond) // until the handler waits for events
	require.NoError(t, s.Close())
	serving.Wait()
	select {
	case <-w.began:
	case <-time.After(100 * time.Millisecond): // the handler was faster
	}
	require.False(t, w.misused.Load())
}

// A watch that nobody reads ends when others wait for its memory.
func TestUnreadWatches(t *testing.T) {
	s, c := start(t, Options{Memory: 8 << 20})
	s.stalled = 20 * time.Millisecond
	const n = 6
	for i := range n {
		must(t, c, 201, "POST", kites, largeKite(fmt.Sprintf("k%d", i), 300_000))
	}
	for _, query := range []string{"", "&resourceVersion=1"} { // initial events, and events
		var unread []*http.Response
		for range 5 {
			unread = append(unread, send(t, c, "GET", allKites+"?watch=true"+query, ""))
		}
		read := send(t, c, "GET", allKites+"?watch=true"+query, "")
		events := json.NewDecoder(read.Body)
		for i := range n {
			var event object
			require.NoError(t, events.Decode(&event))
			require.Equal(t, []any{"ADDED", fmt.Sprintf("k%d", i)}, []any{event["type"], at(event, "object", "metadata", "name")})
		}
		require.LessOrEqual(t, s.budget.events.Taken(), int64(1<<20))
		ended := 0
		for _, u := range unread[:4] { // the last one may have the memory
			text, _ := io.ReadAll(io.LimitReader(u.Body, 500_000))
			if len(text) < 500_000 {
				ended++
			}
			u.Body.Close()
		}
		unread[4].Body.Close()
		read.Body.Close()
		require.Equal(t, 4, ended)
		require.Eventually(t, func() bool { return s.budget.events.Taken() == 0 }, 5*time.Second, time.Millisecond)
	}
}

// A watch that waits for memory before its first event reads the objects as they are then.
func TestWatchThatWaitsBeforeItBegins(t *testing.T) {
	store := storage.NewMemory(storage.MemoryOptions{Events: 5})
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	// The log is about the keeper of definitions, which cannot follow so many changes.
	s, c := start(t, Options{Store: store, KeepGarbage: true, Log: slog.New(slog.DiscardHandler)})
	must(t, c, 201, "POST", kites, largeKite("large", smallEvents))
	leave, err := s.budget.events.Enter(t.Context(), 1<<30, 0)
	require.NoError(t, err)
	answered := make(chan *http.Response, 1)
	go func() { answered <- send(t, c, "GET", allKites+"?watch=true", "") }()
	require.Eventually(t, s.budget.events.Wanted, 5*time.Second, time.Millisecond)
	for i := range 10 {
		must(t, c, 201, "POST", kites, kite(fmt.Sprintf("z%d", i), "red"))
	}
	leave()
	answer := <-answered
	defer answer.Body.Close()
	require.Equal(t, http.StatusOK, answer.StatusCode)
	events := json.NewDecoder(answer.Body)
	for _, name := range []string{"large", "z0"} {
		var event object
		require.NoError(t, events.Decode(&event))
		require.Equal(t, []any{"ADDED", name}, []any{event["type"], at(event, "object", "metadata", "name")})
	}
}

// A list that nobody reads ends when others wait for its memory.
func TestUnreadLists(t *testing.T) {
	s, c := start(t, Options{Memory: 4 << 20})
	s.stalled = 20 * time.Millisecond
	const n = 8
	for i := range n {
		must(t, c, 201, "POST", kites, largeKite(fmt.Sprintf("k%d", i), 300_000))
	}
	var unread []*http.Response
	for range 5 {
		unread = append(unread, send(t, c, "GET", kites, ""))
	}
	for range 3 {
		require.Len(t, must(t, c, 200, "GET", kites, "")["items"], n)
		require.LessOrEqual(t, s.budget.answers.Taken(), int64(2<<20))
	}
	for _, u := range unread {
		u.Body.Close()
	}
	require.Eventually(t, func() bool { return s.budget.answers.Taken() == 0 && s.budget.work.Taken() == 0 }, 5*time.Second, time.Millisecond)
}

// Only so many long lists are compressed at once. The others are sent as they are.
func TestCompressedLongLists(t *testing.T) {
	s, c := start(t, Options{Memory: 16 * 2 * compressor})
	s.stalled = time.Hour
	const n = 20
	random := make([]byte, 75_000) // so that their JSON is long even when it is compressed
	for i := range n {
		_, _ = rand.NewChaCha8([32]byte{byte(i)}).Read(random)
		must(t, c, 201, "POST", kites, kite(fmt.Sprintf("k%02d", i), hex.EncodeToString(random)))
	}
	var answers []*http.Response
	var encodings []string
	for range 3 {
		answer := send(t, c, "GET", kites, "", "Accept-Encoding", "gzip")
		answers, encodings = append(answers, answer), append(encodings, answer.Header.Get("Content-Encoding"))
	}
	require.Equal(t, []string{"gzip", "gzip", ""}, encodings)
	for _, answer := range answers {
		var text io.Reader = answer.Body
		if answer.Header.Get("Content-Encoding") == "gzip" {
			var err error
			text, err = gzip.NewReader(text)
			require.NoError(t, err)
		}
		var list object
		require.NoError(t, json.NewDecoder(text).Decode(&list))
		require.Len(t, list["items"], n)
		answer.Body.Close()
	}
	require.Eventually(t, func() bool { return s.budget.compressors.Taken() == 0 }, 5*time.Second, time.Millisecond)
}

// Only so many requests wait for memory. The others are refused, and requests for small objects need none.
func TestRequestsThatWaitForMemory(t *testing.T) {
	s, c := start(t, Options{Memory: 1 << 20})
	must(t, c, 201, "POST", kites, kite("small", "red"))
	must(t, c, 201, "POST", kites, largeKite("large", 30_000))
	body := largeKite("other", 30_000)
	definition := definitions + "/kites.wind.example.com"
	must(t, c, 200, "PATCH", definition, `{"metadata":{"annotations":{"long":"`+strings.Repeat("x", 30_000)+`"}}}`, "Content-Type", mergePatch)
	for _, row := range []struct {
		name         string
		lane         *limits.Lane
		method, path string
		body         string
	}{
		{"work", s.budget.work, "GET", kites + "/large", ""},
		{"work of lists", s.budget.work, "GET", kites, ""},
		{"work of definitions", s.budget.work, "GET", definition, ""},
		{"work of lists of definitions", s.budget.work, "GET", definitions, ""},
		{"answers", s.budget.answers, "GET", kites + "/large", ""},
		{"bodies", s.budget.bodies, "POST", kites + "?dryRun=All", body},
	} {
		leave, err := row.lane.Enter(t.Context(), 1<<30, 0)
		require.NoError(t, err)
		codes := make(chan int, queued+1)
		var all sync.WaitGroup
		for range queued + 1 {
			all.Go(func() {
				request := httptest.NewRequest(row.method, row.path, strings.NewReader(row.body))
				request.Header.Set("Content-Type", jsonType)
				answer := httptest.NewRecorder()
				s.ServeHTTP(answer, request)
				codes <- answer.Code
			})
		}
		require.Equal(t, http.StatusTooManyRequests, <-codes, row.name)
		must(t, c, 200, "GET", kites+"/small", "")
		must(t, c, 201, "POST", kites+"?dryRun=All", kite("x", "red"))
		leave()
		all.Wait()
		for range queued {
			require.Contains(t, []int{http.StatusOK, http.StatusCreated}, <-codes, row.name)
		}
		require.Zero(t, row.lane.Taken())
	}
}

// A list needs memory for its largest part, even if that is not the first one.
func TestListsWaitForEachPart(t *testing.T) {
	s, c := start(t, Options{Memory: 64 << 20})
	for i := range chunk {
		must(t, c, 201, "POST", kites, kite(fmt.Sprintf("a%03d", i), "red"))
	}
	for i := range 5 {
		must(t, c, 201, "POST", kites, largeKite(fmt.Sprintf("b%d", i), 250_000))
	}
	idle(t, s)
	leave, ok := s.budget.work.TryEnter(20 << 20) // there is room for the first part
	require.True(t, ok)
	ended := make(chan int, 1)
	go func() {
		answer := httptest.NewRecorder()
		s.ServeHTTP(answer, httptest.NewRequest("GET", kites+"?labelSelector=last%3Dx", nil))
		ended <- answer.Code
	}()
	require.Eventually(t, s.budget.work.Wanted, 5*time.Second, time.Millisecond)
	leave()
	require.Equal(t, http.StatusOK, <-ended)
	require.Zero(t, s.budget.work.Taken())
}

// Clients that do not send their body, or do not read, do not keep others from their requests.
func TestSlowRequests(t *testing.T) {
	s, _ := start(t, Options{Requests: 3, Token: testToken})
	address, config := listen(t, s)
	dial := func(text string) (*tls.Conn, *bufio.Reader) {
		c, err := tls.Dial("tcp", address, config)
		require.NoError(t, err)
		t.Cleanup(func() { c.Close() })
		_, err = io.WriteString(c, strings.Replace(text, "\r\n", "\r\nHost: a\r\nAuthorization: Bearer "+testToken+"\r\n", 1))
		require.NoError(t, err)
		return c, bufio.NewReader(c)
	}
	var slow []*bufio.Reader
	idle(t, s)
	for _, path := range []string{kites, kites + "?watch=true", kites + "/a?watch=true"} {
		before := s.requests.Len()
		_, in := dial("POST " + path + " HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
		slow = append(slow, in)
		if path != kites+"/a?watch=true" { // POST is refused there without a look at the body
			require.Eventually(t, func() bool { return s.requests.Len() == before+1 }, 30*time.Second, time.Millisecond, path)
		}
	}
	for range 5 {
		_, in := dial("POST " + kites + " HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
		slow = append(slow, in)
	}
	for range 10 {
		_, in := dial("GET /version HTTP/1.1\r\n\r\n")
		line, err := in.ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, "HTTP/1.1 200 OK\r\n", line)
	}
	for _, i := range []int{0, 1} {
		line, err := slow[i].ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, "HTTP/1.1 429 Too Many Requests\r\n", line) // after which clients try again
	}
}

// The query parameter watch is for GET of collections only.
func TestWhichRequestsAreWatches(t *testing.T) {
	for _, row := range []struct {
		method, url string
		want        bool
	}{
		{"GET", kites + "?watch=true", true},
		{"HEAD", allKites + "?watch=1", true},
		{"GET", "/api/v1/namespaces?watch=true", true},
		{"GET", "/api/v1/namespaces/a/configmaps?watch=true", true},
		{"GET", kites + "?watch=false", false},
		{"GET", kites, false},
		{"POST", kites + "?watch=true", false},
		{"DELETE", kites + "?watch=true", false},
		{"GET", kites + "/a?watch=true", false},
		{"GET", kites + "/a/status?watch=true", false},
		{"GET", "/api/v1/namespaces/a?watch=true", false},
		{"GET", "/api/v1/namespaces/a/status?watch=true", false},
		{"GET", "/openapi/v2?watch=true", false},
		{"GET", "/apis?watch=true", false},
		{"GET", "/apis/wind.example.com/v1?watch=true", false},
		{"GET", "/?watch=true", false},
	} {
		r := httptest.NewRequest(row.method, row.url, nil)
		q := &request{r: r, query: r.URL.Query()}
		require.Equal(t, row.want, q.isWatch(), "%s %s", row.method, row.url)
	}
}

// When an operation has ended, no deadline is set any more: its writer belongs to nobody then.
func TestHurryEnds(t *testing.T) {
	s := &Server{stalled: time.Millisecond, patience: time.Minute}
	lane := limits.NewLane(1)
	leave, err := lane.Enter(t.Context(), 1, 0)
	require.NoError(t, err)
	var waiting sync.WaitGroup
	waiting.Go(func() {
		if next, err := lane.Enter(t.Context(), 1, 1); err == nil {
			next()
		}
	})
	require.Eventually(t, lane.Wanted, 5*time.Second, time.Millisecond)
	began := make(chan struct{})
	var once sync.Once
	var ended, late atomic.Bool
	stop := s.hurry(lane, 0, func(at time.Time) error {
		if at.IsZero() || at.After(time.Now()) {
			return nil
		}
		once.Do(func() { close(began) })
		time.Sleep(20 * time.Millisecond)
		if ended.Load() {
			late.Store(true)
		}
		return nil
	})
	<-began
	stop()
	ended.Store(true)
	leave()
	waiting.Wait()
	time.Sleep(30 * time.Millisecond)
	require.False(t, late.Load())
}
