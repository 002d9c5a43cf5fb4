package server

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/server/storage"
)

func TestPages(t *testing.T) {
	s := serve(t, Options{}, storage.MemoryOptions{})
	for i := range 7 {
		s.must(t, http.StatusCreated, "POST", kites, kite(fmt.Sprintf("k%d", i), []string{"red", "blue"}[i%2]))
	}
	first := s.must(t, http.StatusOK, "GET", kites+"?limit=3", "")
	require.Equal(t, []string{"k0", "k1", "k2"}, namesOf(first))
	require.Equal(t, 4.0, at(first, "metadata", "remainingItemCount"))

	// All pages are of one resourceVersion.
	s.must(t, http.StatusOK, "DELETE", kites+"/k4", "")
	s.must(t, http.StatusCreated, "POST", kites, kite("k45", "red"))
	next := url.QueryEscape(at(first, "metadata", "continue").(string))
	second := s.must(t, http.StatusOK, "GET", kites+"?limit=3&continue="+next, "")
	require.Equal(t, []string{"k3", "k4", "k5"}, namesOf(second))
	require.Equal(t, version(first), version(second))
	third := s.must(t, http.StatusOK, "GET", kites+"?limit=3&continue="+url.QueryEscape(at(second, "metadata", "continue").(string)), "")
	require.Equal(t, []string{"k6"}, namesOf(third))
	require.Equal(t, "", at(third, "metadata", "continue"))
	s.must(t, http.StatusBadRequest, "GET", kites+"?resourceVersion=5&continue="+next, "")

	// With a selector, pages are full too, and have no remainingItemCount.
	red := s.must(t, http.StatusOK, "GET", allKites+"?limit=2&fieldSelector=spec.colour%3Dred", "")
	require.Equal(t, []string{"k0", "k2"}, namesOf(red))
	require.Nil(t, at(red, "metadata", "remainingItemCount"))
	red = s.must(t, http.StatusOK, "GET", allKites+"?limit=2&fieldSelector=spec.colour%3Dred&continue="+
		url.QueryEscape(at(red, "metadata", "continue").(string)), "")
	require.Equal(t, []string{"k45", "k6"}, namesOf(red))

	// An older resourceVersion, and a future one.
	then := s.must(t, http.StatusOK, "GET", kites+"?resourceVersionMatch=Exact&resourceVersion="+version(first), "")
	require.Equal(t, []string{"k0", "k1", "k2", "k3", "k4", "k5", "k6"}, namesOf(then))
	require.Len(t, s.must(t, http.StatusOK, "GET", kites+"?resourceVersionMatch=NotOlderThan&resourceVersion="+version(first), "")["items"], 7)
	future := s.must(t, http.StatusGatewayTimeout, "GET", kites+"?resourceVersion=1000", "")
	require.Equal(t, "ResourceVersionTooLarge", at(future, "details", "causes").([]any)[0].(object)["reason"])
	s.must(t, http.StatusGatewayTimeout, "GET", kites+"/k0?resourceVersion=1000", "")
	for _, query := range []string{"resourceVersionMatch=Exact", "resourceVersion=0&resourceVersionMatch=Exact",
		"resourceVersion=5&resourceVersionMatch=Some", "sendInitialEvents=true"} {
		s.must(t, http.StatusUnprocessableEntity, "GET", kites+"?"+query, "")
	}
}

// A stream is a watch that a client reads.
type stream struct {
	lines *bufio.Scanner
	close func()
}

func (s *testServer) watch(t *testing.T, query string, header ...string) *stream {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	header = append([]string{"Authorization", "Bearer " + testToken}, header...)
	answer := sendTo(ctx, t, http.DefaultClient, "GET", s.url+allKites+"?watch=true&"+query, "", header)
	require.Equal(t, http.StatusOK, answer.StatusCode)
	out := &stream{bufio.NewScanner(answer.Body), func() { cancel(); answer.Body.Close() }}
	t.Cleanup(out.close)
	return out
}

// next reads an event, which must be of that type.
func (s *stream) next(t *testing.T, kind string) object {
	t.Helper()
	require.True(t, s.lines.Scan(), "the watch has ended instead of %s: %v", kind, s.lines.Err())
	var e object
	require.NoError(t, json.Unmarshal(s.lines.Bytes(), &e))
	require.Equal(t, kind, e["type"], "%v", e)
	return e["object"].(object)
}

// ends checks that no more events come.
func (s *stream) ends(t *testing.T) {
	t.Helper()
	require.False(t, s.lines.Scan(), "%s", s.lines.Bytes())
	require.NoError(t, s.lines.Err())
}

func TestWatch(t *testing.T) {
	s := serve(t, Options{}, storage.MemoryOptions{})
	const merge = "application/merge-patch+json"
	a := s.must(t, http.StatusCreated, "POST", kites, kite("a", "red"))
	all := s.watch(t, "")
	require.Equal(t, a, all.next(t, "ADDED"))
	red := s.watch(t, "resourceVersion="+version(a)+"&fieldSelector=spec.colour%3Dred")
	table := s.watch(t, "resourceVersion=0", "Accept", "application/json;as=Table;v=v1;g=meta.k8s.io")
	require.NotEmpty(t, table.next(t, "ADDED")["columnDefinitions"])

	n := s.must(t, http.StatusOK, "PATCH", kites+"/a", `{"spec":{"n":1}}`, "Content-Type", merge)
	require.Equal(t, n, all.next(t, "MODIFIED"))
	require.Equal(t, n, red.next(t, "MODIFIED"))
	require.Nil(t, table.next(t, "MODIFIED")["columnDefinitions"], "TAB-033")
	// An object that is no longer selected is DELETED, and one that becomes selected is ADDED.
	blue := s.must(t, http.StatusOK, "PATCH", kites+"/a", `{"spec":{"colour":"blue"}}`, "Content-Type", merge)
	require.Equal(t, blue, all.next(t, "MODIFIED"))
	left := red.next(t, "DELETED")
	require.Equal(t, "red", at(left, "spec", "colour"))
	require.Equal(t, version(blue), version(left))
	s.must(t, http.StatusOK, "PATCH", kites+"/a", `{"spec":{"n":2}}`, "Content-Type", merge)
	back := s.must(t, http.StatusOK, "PATCH", kites+"/a", `{"spec":{"colour":"red"}}`, "Content-Type", merge)
	require.Equal(t, back, red.next(t, "ADDED"))
	s.must(t, http.StatusOK, "DELETE", kites+"/a", "")
	gone := red.next(t, "DELETED")
	n1, _ := strconv.Atoi(version(back))
	n2, _ := strconv.Atoi(version(gone))
	require.Greater(t, n2, n1)
	for _, kind := range []string{"MODIFIED", "MODIFIED", "DELETED"} {
		all.next(t, kind)
	}

	// From a resourceVersion: exactly the changes after it.
	again := s.watch(t, "resourceVersion="+version(blue))
	require.Equal(t, 2.0, at(again.next(t, "MODIFIED"), "spec", "n"))
	require.Equal(t, back, again.next(t, "MODIFIED"))
	require.Equal(t, gone, again.next(t, "DELETED"))
}

func TestWatchBookmarks(t *testing.T) {
	s := serve(t, Options{Bookmark: 50 * time.Millisecond}, storage.MemoryOptions{})
	a := s.must(t, http.StatusCreated, "POST", kites, kite("a", "red"))
	w := s.watch(t, "allowWatchBookmarks=true&resourceVersion="+version(a))
	require.Equal(t, version(a), version(w.next(t, "BOOKMARK")))
	// Changes of other kinds also increase the resourceVersion of bookmarks.
	other := s.must(t, http.StatusCreated, "POST", "/api/v1/namespaces", `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"other"}}`)
	require.Eventually(t, func() bool { return version(w.next(t, "BOOKMARK")) == version(other) }, 5*time.Second, time.Millisecond)

	w = s.watch(t, "sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan")
	w.next(t, "ADDED")
	require.Equal(t, "true", at(w.next(t, "BOOKMARK"), "metadata", "annotations", initialEventsEnd))
	require.Equal(t, version(other), version(w.next(t, "BOOKMARK")))
}

func TestWatchEnds(t *testing.T) {
	s := serve(t, Options{}, storage.MemoryOptions{})
	a := s.must(t, http.StatusCreated, "POST", kites, kite("a", "red"))
	// At its timeout, with a last bookmark.
	w := s.watch(t, "timeoutSeconds=1&allowWatchBookmarks=true&resourceVersion="+version(a))
	require.Equal(t, version(a), version(w.next(t, "BOOKMARK")))
	w.ends(t)

	// When the schema changes, because objects may look different; not when only the status changes.
	w = s.watch(t, "resourceVersion="+version(a))
	const status, spec = `{"status":{"storedVersions":["v1"]}}`, `{"spec":{"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}`
	s.must(t, http.StatusOK, "PATCH", definitions+"/kites.wind.example.com/status", status, "Content-Type", "application/merge-patch+json")
	s.must(t, http.StatusOK, "PATCH", definitions+"/kites.wind.example.com", `{"metadata":{"labels":{"a":"b"}}}`, "Content-Type", "application/merge-patch+json")
	s.must(t, http.StatusCreated, "POST", kites, kite("b", "red"))
	w.next(t, "ADDED")
	s.must(t, http.StatusOK, "PATCH", definitions+"/kites.wind.example.com", spec, "Content-Type", "application/merge-patch+json")
	w.ends(t)

	// When the server is closed.
	w = s.watch(t, "resourceVersion="+version(a))
	s.EndWatches()
	for w.lines.Scan() {
	}
	require.NoError(t, w.lines.Err())
}

// A watch that ends while it reads its first objects ends without an error.
func TestWatchEndsBeforeItBegins(t *testing.T) {
	memory := storage.NewMemory(storage.MemoryOptions{})
	store := &faulty{Store: memory}
	s, c := start(t, Options{Store: store, KeepGarbage: true})
	store.next("List", "/wind.example.com/kites/", nil, func() {
		s.EndWatches()
		time.Sleep(50 * time.Millisecond) // until the watch has noticed
	})
	answer := send(t, c, "GET", allKites+"?watch=true", "")
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.Equal(t, []any{http.StatusOK, ""}, []any{answer.StatusCode, string(text)})
}

func TestWhatIsTooOldIsGone(t *testing.T) {
	s := serve(t, Options{}, storage.MemoryOptions{Events: 5})
	a := s.must(t, http.StatusCreated, "POST", kites, kite("a", "red"))
	page := s.must(t, http.StatusCreated, "POST", kites, kite("b", "red"))
	list := s.must(t, http.StatusOK, "GET", kites+"?limit=1", "")
	for i := range 10 {
		s.must(t, http.StatusCreated, "POST", kites, kite(fmt.Sprintf("c%d", i), "red"))
	}
	expired := func(message string) object {
		return object{"kind": "Status", "apiVersion": "v1", "metadata": object{}, "status": "Failure", "message": message, "reason": "Expired", "code": 410.0}
	}
	require.Equal(t, expired("The resourceVersion for the provided list is too old."),
		s.must(t, http.StatusGone, "GET", kites+"?resourceVersionMatch=Exact&resourceVersion="+version(page), ""), "KCT-040")
	gone := s.must(t, http.StatusGone, "GET", kites+"?limit=1&continue="+url.QueryEscape(at(list, "metadata", "continue").(string)), "")
	require.Contains(t, gone["message"], "The provided continue parameter is too old to display a consistent list result.", "KCT-040")
	now := s.must(t, http.StatusOK, "GET", kites+"?limit=1&continue="+url.QueryEscape(at(gone, "metadata", "continue").(string)), "")
	require.Equal(t, []string{"b"}, namesOf(now), "the rest of the list as it is now")
	w := s.watch(t, "resourceVersion="+version(a))
	require.Equal(t, expired("too old resource version: "+version(a)), w.next(t, "ERROR"), "KCT-040")
	w.ends(t)
}

func TestBounds(t *testing.T) {
	s := serve(t, Options{Watches: 1}, storage.MemoryOptions{})
	s.watch(t, "")
	answer, text := s.call(t, "GET", kites+"?watch=true", "")
	require.Equal(t, http.StatusTooManyRequests, answer.StatusCode, text)
	require.JSONEq(t, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","reason":"TooManyRequests","code":429,
		"message":"The server has received too many requests and has asked us to try again later","details":{"retryAfterSeconds":1}}`, text)
	require.Equal(t, "1", answer.Header.Get("Retry-After"))
	answer, _ = s.call(t, "GET", kites+"/none", "")
	require.Equal(t, http.StatusNotFound, answer.StatusCode)
	require.Empty(t, answer.Header["Retry-After"])
	s.must(t, http.StatusOK, "GET", kites, "")
}

// An intruder writes an object right after a list was read.
type intruder struct {
	storage.Store
	after func()
	limit atomic.Int64 // of the latest read of kites
}

func (s *intruder) List(ctx context.Context, r storage.Range) (storage.Page, error) {
	page, err := s.Store.List(ctx, r)
	if strings.Contains(r.Prefix, "/kites/") {
		s.limit.Store(int64(r.Limit))
	}
	if s.after != nil && strings.Contains(r.Prefix, "/kites/") {
		after := s.after
		s.after = nil
		after()
	}
	return page, err
}

// A list with a selector is of one resourceVersion, even if it needs several reads.
func TestSelectiveListIsOfOneVersion(t *testing.T) {
	store := &intruder{Store: storage.NewMemory(storage.MemoryOptions{})}
	c := clientOf(t, Options{Store: store})
	must(t, c, 201, "POST", definitions, kiteDefinition)
	for i := range chunk + 1 {
		must(t, c, 201, "POST", kites, kite(fmt.Sprintf("k%04d", i), "red"))
	}
	store.after = func() { must(t, c, 201, "POST", kites, kite("late", "red")) }
	list := must(t, c, 200, "GET", allKites+"?fieldSelector=spec.colour%3Dred", "")
	require.Nil(t, store.after, "it has written")
	require.Len(t, list["items"], chunk+1)
	require.Len(t, must(t, c, 200, "GET", allKites+"?fieldSelector=spec.colour%3Dred", "")["items"], chunk+2)
	// The size of a read does not depend on the client's limit.
	for _, limit := range []string{"", "&limit=1"} {
		must(t, c, 200, "GET", allKites+"?fieldSelector=spec.colour%3Dred"+limit, "")
		require.Equal(t, int64(chunk), store.limit.Load(), limit)
	}
	must(t, c, 200, "GET", allKites+"?limit=1", "")
	require.Equal(t, int64(1), store.limit.Load())
}
