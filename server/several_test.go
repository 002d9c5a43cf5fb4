package server

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/server/storage"
)

// Two servers share a store. Only one of two definitions gets a name, and no object is created in a deleted namespace
// or for a deleted definition.
func TestTwoServers(t *testing.T) {
	store := wrapping{storage.NewMemory(storage.MemoryOptions{})}
	_, one := start(t, Options{Store: store})
	two := clientOf(t, Options{Store: store})
	clients := []*http.Client{one, two}
	// write creates count kites with each client, concurrently.
	write := func(path string, count int) *sync.WaitGroup {
		wg := new(sync.WaitGroup)
		for i, c := range clients {
			wg.Go(func() {
				for n := range count {
					send(t, c, "POST", path, kite(fmt.Sprintf("k%d-%d", i, n), "red")).Body.Close()
				}
			})
		}
		return wg
	}

	require.Eventually(t, func() bool { return there(t, two, allKites) }, soon, tick, "each sees the definitions of the other")
	for round := range 10 {
		kinds := make([]string, 2)
		var wg sync.WaitGroup
		for i, c := range clients { // both have the kind Kite, with different plurals
			wg.Go(func() {
				group := fmt.Sprintf("g%d.example.com", round)
				d := strings.NewReplacer("wind.example.com", group, "kites", fmt.Sprintf("kites%d", i)).Replace(kiteDefinition)
				made := send(t, c, "POST", definitions, d)
				made.Body.Close()
				kinds[i] = definitions + fmt.Sprintf("/kites%d.%s", i, group)
			})
		}
		wg.Wait()
		accepted := 0
		for _, path := range kinds {
			if status, _ := conditionOf(must(t, one, 200, "GET", path, ""), "NamesAccepted"); status == "True" {
				accepted++
			}
		}
		require.Equal(t, 1, accepted, "round %d", round)
	}

	for round := range 10 {
		name := fmt.Sprint("ns", round)
		must(t, one, 201, "POST", "/api/v1/namespaces", `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"`+name+`"}}`, "Content-Type", "application/json")
		in := strings.Replace(kites, "default", name, 1)
		wg := write(in, 20)
		must(t, clients[round%2], 200, "DELETE", "/api/v1/namespaces/"+name, "")
		wg.Wait()
		gone(t, one, "/api/v1/namespaces/"+name)
		require.Empty(t, must(t, two, 200, "GET", in, "")["items"], "round %d", round)
	}

	wg := write(kites, 50)
	must(t, two, 200, "DELETE", definitions+"/kites.wind.example.com", "")
	wg.Wait()
	gone(t, one, definitions+"/kites.wind.example.com")
	page, err := store.List(t.Context(), storage.Range{Prefix: "/wind.example.com/"})
	require.NoError(t, err)
	require.Empty(t, page.Items)
}

// A fasterWriter is a store in which another server makes the same write first, once. The server's write fails because
// the key has another revision or no longer exists.
type fasterWriter struct {
	storage.Store
	updates func(key string, value []byte) bool // selects the update that comes too late
	once    sync.Once
}

func (s *fasterWriter) Update(ctx context.Context, key string, value []byte, revision int64, conditions ...storage.Condition) (int64, error) {
	if s.updates(key, value) {
		s.once.Do(func() { _, _ = s.Store.Update(ctx, key, value, revision, conditions...) })
	}
	return s.Store.Update(ctx, key, value, revision, conditions...)
}

func (s *fasterWriter) Delete(ctx context.Context, key string, revision int64) (int64, error) {
	_, _ = s.Store.Delete(ctx, key, revision)
	return s.Store.Delete(ctx, key, revision)
}

// If another server on the store has already done the work, this is not an error and is not logged. start checks that.
func TestFasterServer(t *testing.T) {
	const path = definitions + "/kites.wind.example.com"
	for _, c := range []struct {
		name, late string // a substring of the update that comes too late
		act        func(t *testing.T, c *http.Client)
	}{
		{"deletes the definition", "none", func(t *testing.T, c *http.Client) {
			must(t, c, 200, "DELETE", path, "")
			gone(t, c, path)
		}},
		{"releases the definition", "InstanceDeletionCompleted", func(t *testing.T, c *http.Client) {
			must(t, c, 200, "PATCH", path, `{"metadata":{"finalizers":["example.com/held","customresourcecleanup.apiextensions.k8s.io"]}}`, "Content-Type", mergePatch)
			must(t, c, 200, "DELETE", path, "")
			require.Eventually(t, func() bool {
				_, reason := conditionOf(must(t, c, 200, "GET", path, ""), "Terminating")
				return reason == "InstanceDeletionCompleted"
			}, soon, tick)
		}},
		{"accepts the names that are free again", `"dragons"`, func(t *testing.T, c *http.Client) {
			must(t, c, 201, "POST", definitions, strings.ReplaceAll(kiteDefinition, "kites", "dragons"), "Content-Type", "application/json")
			must(t, c, 200, "DELETE", path, "")
			require.Eventually(t, func() bool {
				status, _ := conditionOf(must(t, c, 200, "GET", definitions+"/dragons.wind.example.com", ""), "NamesAccepted")
				return status == "True"
			}, soon, tick)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var late atomic.Int32
			store := &fasterWriter{Store: storage.NewMemory(storage.MemoryOptions{}), updates: func(key string, value []byte) bool {
				found := strings.Contains(string(value), c.late)
				if found {
					late.Add(1)
				}
				return found
			}}
			_, client := start(t, Options{Store: wrapping{store}})
			c.act(t, client)
			if c.late != "none" {
				require.NotZero(t, late.Load(), "a write came too late")
			}
		})
	}
}
