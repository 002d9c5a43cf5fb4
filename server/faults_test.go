package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/server/storage"
)

// A faulty store fails once, at the next call of a method with a key.
type faulty struct {
	storage.Store
	mu  sync.Mutex
	key string // of the next call that fails
	on  string // the method
	err error
	// before, if not nil, is called instead of failing. It makes the write of another client that comes first.
	before func()
}

func (s *faulty) fault(on, key string) error {
	s.mu.Lock()
	if s.on != on || s.key != key {
		s.mu.Unlock()
		return nil
	}
	s.on = ""
	err, before := s.err, s.before
	s.before = nil
	s.mu.Unlock()
	if before != nil {
		before()
		return nil
	}
	return wrapped(err)
}

func (s *faulty) next(on, key string, err error, before func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.on, s.key, s.err, s.before = on, key, err, before
}

func (s *faulty) Get(ctx context.Context, key string) (storage.Item, error) {
	if err := s.fault("Get", key); err != nil {
		return storage.Item{}, err
	}
	return s.Store.Get(ctx, key)
}

func (s *faulty) List(ctx context.Context, r storage.Range) (storage.Page, error) {
	if err := s.fault("List", r.Prefix); err != nil {
		return storage.Page{}, err
	}
	return s.Store.List(ctx, r)
}

func (s *faulty) Revision(ctx context.Context) (int64, error) {
	if err := s.fault("Revision", ""); err != nil {
		return 0, err
	}
	return s.Store.Revision(ctx)
}

func (s *faulty) Create(ctx context.Context, key string, value []byte, conditions ...storage.Condition) (int64, error) {
	if err := s.fault("Create", key); err != nil {
		return 0, err
	}
	return s.Store.Create(ctx, key, value, conditions...)
}

func (s *faulty) Update(ctx context.Context, key string, value []byte, revision int64, conditions ...storage.Condition) (int64, error) {
	if err := s.fault("Update", key); err != nil {
		return 0, err
	}
	return s.Store.Update(ctx, key, value, revision, conditions...)
}

func (s *faulty) Delete(ctx context.Context, key string, revision int64) (int64, error) {
	if err := s.fault("Delete", key); err != nil {
		return 0, err
	}
	return s.Store.Delete(ctx, key, revision)
}

// onFaulty starts a server on a faulty store.
func onFaulty(t *testing.T) (*faulty, *http.Client) {
	t.Helper()
	memory := storage.NewMemory(storage.MemoryOptions{})
	store := &faulty{Store: wrapping{memory}}
	t.Cleanup(func() { require.NoError(t, memory.Close()) })
	c := clientOf(t, Options{Store: store, KeepGarbage: true})
	must(t, c, 201, "POST", definitions, kiteDefinition)
	return store, c
}

const kiteA = "/wind.example.com/kites/default/a"

// An error of the store is returned to the client with its text, and changes nothing.
func TestStoreFails(t *testing.T) {
	store, c := onFaulty(t)
	must(t, c, 201, "POST", kites, kite("a", "red"), "Content-Type", "application/json")
	broken := errors.New("the disk is full")
	for _, f := range []struct {
		on, key, method, path, body, contentType string
		err                                      error
		code                                     int
		message                                  string
	}{
		{"Get", kiteA, "GET", kites + "/a", "", "", broken, 500, "the disk is full"},
		{"Get", kiteA, "GET", kites + "/a", "", "", context.DeadlineExceeded, 504, "request did not complete within the allotted timeout"},
		{"Get", kiteA, "GET", kites + "/a", "", "", storage.ErrClosed, 503, "the server is shutting down"},
		{"Revision", "", "GET", kites + "/a?resourceVersion=1", "", "", broken, 500, "the disk is full"},
		{"List", "/wind.example.com/kites/default/", "GET", kites, "", "", broken, 500, "the disk is full"},
		{"List", "/wind.example.com/kites/default/", "DELETE", kites, "", "", broken, 500, "the disk is full"},
		{"Create", "/wind.example.com/kites/default/b", "POST", kites, kite("b", "red"), "application/json", broken, 500, "the disk is full"},
		{"Create", "/wind.example.com/kites/default/b", "POST", kites, kite("b", "red"), "application/json", storage.ErrTooLarge, 413, "the value is too large for the store"},
		{"Get", "/core/namespaces/default", "POST", kites, kite("b", "red"), "application/json", broken, 500, "the disk is full"},
		{"Get", "/wind.example.com/kites/default/b", "POST", kites + "?dryRun=All", kite("b", "red"), "application/json", broken, 500, "the disk is full"},
		{"Update", kiteA, "PATCH", kites + "/a", `{"spec":{"n":1}}`, mergePatch, broken, 500, "the disk is full"},
		{"Get", kiteA, "PATCH", kites + "/a?fieldManager=m", `{"apiVersion":"wind.example.com/v1","kind":"Kite"}`, applyPatch, broken, 500, "the disk is full"},
		{"Delete", kiteA, "DELETE", kites + "/a", "", "", broken, 500, "the disk is full"},
		{"Delete", kiteA, "DELETE", kites, "", "", broken, 500, "the disk is full"},
	} {
		store.next(f.on, f.key, f.err, nil)
		refused := must(t, c, f.code, f.method, f.path, f.body, "Content-Type", f.contentType)
		require.Contains(t, refused["message"], f.message, f)
		require.Equal(t, f.code == 503, refused["reason"] == "ServiceUnavailable", f)
		require.Empty(t, store.on, "it has failed: %v", f)
		require.Equal(t, []string{"a"}, namesOf(must(t, c, 200, "GET", kites, "")))
	}
	_, err := New(t.Context(), Options{Store: &faulty{Store: store.Store, on: "Create", key: "/core/namespaces/kube-system", err: broken}})
	require.ErrorIs(t, err, broken)
	_, err = New(t.Context(), Options{Store: &faulty{Store: store.Store, on: "List", key: "/apiextensions.k8s.io/customresourcedefinitions/", err: broken}})
	require.ErrorIs(t, err, broken)
}

// If another client writes first, a request starts again with the new state.
func TestConcurrentWriter(t *testing.T) {
	store, c := onFaulty(t)
	other := func(code int, method, path, body, contentType string) func() {
		return func() { must(t, c, code, method, path, body, "Content-Type", contentType) }
	}
	must(t, c, 201, "POST", kites, kite("a", "red"), "Content-Type", "application/json")
	label := other(200, "PATCH", kites+"/a", `{"metadata":{"labels":{"other":"b"}}}`, mergePatch)
	store.next("Update", kiteA, nil, label)
	changed := must(t, c, 200, "PATCH", kites+"/a", `{"spec":{"n":1}}`, "Content-Type", mergePatch)
	require.Equal(t, object{"other": "b"}, at(changed, "metadata", "labels"))
	require.Equal(t, 1.0, at(changed, "spec", "n"))

	// A deletion of an object that has changed, if the selector still selects it.
	store.next("Delete", kiteA, nil, other(200, "PATCH", kites+"/a", `{"spec":{"n":2}}`, mergePatch))
	must(t, c, 200, "DELETE", kites+"/a", "")
	must(t, c, 404, "GET", kites+"/a", "")
	must(t, c, 201, "POST", kites, kite("a", "red"), "Content-Type", "application/json")
	store.next("Delete", kiteA, nil, other(200, "PATCH", kites+"/a", `{"spec":{"colour":"blue"}}`, mergePatch))
	must(t, c, 200, "DELETE", kites+"?fieldSelector=spec.colour%3Dred", "")
	require.Equal(t, "blue", at(must(t, c, 200, "GET", kites+"/a", ""), "spec", "colour"), "it is not selected any more")

	// An apply of an object that is created or deleted in the meantime.
	const config = `{"apiVersion":"wind.example.com/v1","kind":"Kite","metadata":{"name":"a"},"spec":{"n":7}}`
	store.next("Update", kiteA, nil, other(200, "DELETE", kites+"/a", "", ""))
	applied := must(t, c, 201, "PATCH", kites+"/a?fieldManager=m", config, "Content-Type", applyPatch)
	require.Equal(t, object{"n": 7.0}, applied["spec"])
	must(t, c, 200, "DELETE", kites+"/a", "")
	store.next("Create", kiteA, nil, other(201, "POST", kites, kite("a", "red"), "application/json"))
	applied = must(t, c, 200, "PATCH", kites+"/a?fieldManager=m", config, "Content-Type", applyPatch)
	require.Equal(t, object{"colour": "red", "n": 7.0}, applied["spec"])

	// A generated name.
	generate := strings.Replace(kite("x", "red"), `"name":"x"`, `"generateName":"g-"`, 1)
	made := must(t, c, 201, "POST", kites, generate, "Content-Type", "application/json")
	require.Regexp(t, `^g-[a-z0-9]{5}$`, at(made, "metadata", "name"))

	// A dry run of creating an object that exists.
	must(t, c, 409, "POST", kites+"?dryRun=All", kite("a", "red"), "Content-Type", "application/json")
}

// busy is a store in which every Create returns ErrExists.
type busy struct{ storage.Store }

func (busy) Create(context.Context, string, []byte, ...storage.Condition) (int64, error) {
	return 0, storage.ErrExists
}

func TestNameNotGenerated(t *testing.T) {
	store, _ := onFaulty(t)
	c := clientOf(t, Options{Store: busy{store}})
	refused := must(t, c, 409, "POST", kites, strings.Replace(kite("x", "red"), `"name":"x"`, `"generateName":"g-"`, 1), "Content-Type", "application/json")
	require.Equal(t, "AlreadyExists", refused["reason"])
	require.Regexp(t, `kites\.wind\.example\.com "g-[a-z0-9]{5}" already exists, the server was not able to generate a unique name for the object`, refused["message"])
}

// Stored values that cannot be decoded are errors of requests for them. They are deleted with their definition and
// their namespace.
func TestUnreadableObjects(t *testing.T) {
	store, c := onFaulty(t)
	for key, value := range map[string]string{kiteA: "no JSON", "/wind.example.com/kites/default/b": `{"kind":"Kite"}`} {
		_, err := store.Create(t.Context(), key, []byte(value))
		require.NoError(t, err)
	}
	must(t, c, 500, "GET", kites+"/a", "")
	refused := must(t, c, 500, "GET", kites+"/b", "")
	require.Contains(t, refused["message"], "no metadata in revision")
	must(t, c, 500, "GET", kites, "")
	must(t, c, 500, "PATCH", kites+"/a", `{}`, "Content-Type", mergePatch)
	must(t, c, 500, "DELETE", kites+"/a", "")
	must(t, c, 200, "DELETE", definitions+"/kites.wind.example.com", "")
	gone(t, c, definitions+"/kites.wind.example.com")
	page, err := store.List(t.Context(), storage.Range{Prefix: "/wind.example.com/"})
	require.NoError(t, err)
	require.Empty(t, page.Items)
}

// A cut store ends its watches when cut is called.
type cut struct {
	storage.Store
	mu  sync.Mutex
	end chan struct{}
}

func (s *cut) cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.end)
	s.end = make(chan struct{})
}

func (s *cut) Watch(ctx context.Context, prefix string, after int64) (storage.Watch, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w, err := s.Store.Watch(ctx, prefix, after)
	return &cutWatch{w, s.end}, err
}

type cutWatch struct {
	storage.Watch
	end <-chan struct{}
}

func (w *cutWatch) Next(ctx context.Context) (storage.Changes, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-w.end:
			cancel()
		case <-ctx.Done():
		}
	}()
	changes, err := w.Watch.Next(ctx)
	select {
	case <-w.end:
		return storage.Changes{}, storage.ErrCompacted
	default:
		return changes, err
	}
}

// If the watches of the store end, the server reads definitions and owners again.
func TestWatchesOfTheStoreBreak(t *testing.T) {
	store := &cut{Store: storage.NewMemory(storage.MemoryOptions{}), end: make(chan struct{})}
	c := clientOf(t, Options{Store: store})
	must(t, c, 201, "POST", definitions, kiteDefinition)
	must(t, c, 201, "POST", definitions, scaledDefinition)
	owner := must(t, c, 201, "POST", kites, kite("a", "red"), "Content-Type", "application/json")
	must(t, c, 201, "POST", configMaps, owned("b", owner))
	store.cut()
	must(t, c, 200, "DELETE", kites+"/a", "")
	gone(t, c, configMaps+"/b")
	store.cut()
	must(t, c, 200, "DELETE", definitions+"/kites.wind.example.com", "")
	gone(t, c, definitions+"/kites.wind.example.com")
	require.Eventually(t, func() bool { return !there(t, c, kites) }, soon, tick)
	must(t, c, 201, "POST", definitions, kiteDefinition)
	must(t, c, 200, "GET", kites, "")
}

// Definitions that cannot be decoded are skipped, and the others are served.
func TestUnreadableDefinitions(t *testing.T) {
	memory := storage.NewMemory(storage.MemoryOptions{})
	defer memory.Close()
	for name, value := range map[string]string{"a.example.com": "no JSON", "b.example.com": `{"spec":1}`} {
		_, err := memory.Create(t.Context(), "/apiextensions.k8s.io/customresourcedefinitions/"+name, []byte(value))
		require.NoError(t, err)
	}
	var logged strings.Builder
	s, err := New(t.Context(), Options{Store: memory, Log: slog.New(slog.NewTextHandler(&logged, nil))})
	require.NoError(t, err)
	c := &http.Client{Transport: s.RoundTripper()}
	must(t, c, 201, "POST", definitions, kiteDefinition)
	must(t, c, 200, "GET", kites, "")
	require.NoError(t, s.Close())
	require.Equal(t, 2, strings.Count(logged.String(), "a definition that cannot be read is left out"))
}

// A converter in the options replaces the definition's strategy.
func TestConverters(t *testing.T) {
	colours := conversion.ConverterFunc(func(_ context.Context, objects []map[string]any, apiVersion string) ([]map[string]any, error) {
		var out []map[string]any
		for _, obj := range objects {
			spec := obj["spec"].(map[string]any)
			spec = map[string]any{"colour": "dark " + spec["colour"].(string)}
			out = append(out, map[string]any{"apiVersion": apiVersion, "kind": obj["kind"], "metadata": obj["metadata"], "spec": spec})
		}
		return out, nil
	})
	c := clientOf(t, Options{Converters: map[string]conversion.Converter{"kites.wind.example.com": colours}})
	i := strings.Index(kiteDefinition, `{"name":"v1"`)
	v1 := strings.TrimSuffix(kiteDefinition[i:], "]}}")
	v2 := strings.NewReplacer(`"v1"`, `"v2"`, `"storage":true`, `"storage":false`).Replace(v1)
	must(t, c, 201, "POST", definitions, kiteDefinition[:i]+v1+","+v2+"]}}")
	must(t, c, 201, "POST", kites, kite("a", "red"), "Content-Type", "application/json")
	require.Equal(t, "red", at(must(t, c, 200, "GET", kites+"/a", ""), "spec", "colour"))
	require.Equal(t, "dark red", at(must(t, c, 200, "GET", strings.Replace(kites, "/v1/", "/v2/", 1)+"/a", ""), "spec", "colour"))
}

// Objects are answered as by a server of the version in the options, and /version says which it is.
func TestKubernetes(t *testing.T) {
	definition := strings.Replace(kiteDefinition, `"colour":{"type":"string"`, `"tail":{"type":"integer","format":"int32"},"colour":{"type":"string"`, 1)
	require.NotEqual(t, kiteDefinition, definition)
	for version, code := range map[string]int{"1.35": 201, "1.36": 422, "": 422} {
		c := clientOf(t, Options{Kubernetes: version})
		must(t, c, 201, "POST", definitions, definition)
		body := strings.Replace(kite("a", "red"), `"spec":{`, `"spec":{"tail":3000000000,`, 1)
		require.NotEqual(t, kite("a", "red"), body)
		must(t, c, code, "POST", kites, body, "Content-Type", "application/json")
		release := "v1.37.2"
		if version != "" {
			release = "v" + version + ".0"
		}
		require.Equal(t, release, at(must(t, c, 200, "GET", "/version", ""), "gitVersion"))
	}
	// Definitions, too: isSemver is new in 1.34.
	ruled := strings.Replace(kiteDefinition, `"colour":{"type":"string"`,
		`"colour":{"type":"string","maxLength":9,"x-kubernetes-validations":[{"rule":"!isSemver(self)"}]`, 1)
	require.NotEqual(t, kiteDefinition, ruled)
	for version, code := range map[string]int{"1.33": 422, "1.34": 201, "": 201} {
		c := clientOf(t, Options{Kubernetes: version})
		if answer := must(t, c, code, "POST", definitions, ruled); code == 422 {
			require.Contains(t, answer["message"], "undeclared reference to 'isSemver'")
		}
		if code == 201 {
			continue
		}
		must(t, c, 201, "POST", definitions, kiteDefinition)
		rule := `{"spec":{"versions":` + ruled[strings.Index(ruled, `[{"name":"v1"`):strings.LastIndex(ruled, "]")+1] + `}}`
		answer := must(t, c, 422, "PATCH", definitions+"/kites.wind.example.com", rule, "Content-Type", mergePatch)
		require.Contains(t, answer["message"], "undeclared reference to 'isSemver'", "an update")
	}
	_, err := New(t.Context(), Options{Kubernetes: "1.29"})
	require.EqualError(t, err, `server: unknown version "1.29" of Kubernetes: must be a minor version from 1.30 to 1.38, without a patch release`)
}
