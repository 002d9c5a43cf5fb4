package server

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/server/storage"
)

// owned returns a ConfigMap with owner references to the given objects. It blocks their deletion.
func owned(name string, owners ...object) string {
	var refs []string
	for _, o := range owners {
		refs = append(refs, fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"name":%q,"uid":%q,"blockOwnerDeletion":true}`,
			o["apiVersion"], o["kind"], at(o, "metadata", "name"), at(o, "metadata", "uid")))
	}
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":%q,"ownerReferences":[%s]}}`, name, strings.Join(refs, ","))
}

// there reports whether an object exists.
func there(t *testing.T, c *http.Client, path string) bool {
	answer := send(t, c, "GET", path, "")
	answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}

func gone(t *testing.T, c *http.Client, path string) {
	t.Helper()
	require.Eventually(t, func() bool { return !there(t, c, path) }, soon, tick, path)
}

func TestGarbageCollection(t *testing.T) {
	_, c := start(t, Options{})
	const held = `{"metadata":{"finalizers":["example.com/held"]}}`
	free := func(name string) {
		must(t, c, 200, "PATCH", configMaps+"/"+name, `{"metadata":{"finalizers":null}}`, "Content-Type", mergePatch)
	}
	for _, query := range []string{"", "?propagationPolicy=Background"} {
		a := must(t, c, 201, "POST", kites, kite("a", "red"))
		b := must(t, c, 201, "POST", configMaps, owned("b", a))
		must(t, c, 201, "POST", configMaps, owned("c", b))
		must(t, c, 200, "DELETE", kites+"/a"+query, "")
		gone(t, c, configMaps+"/b")
		gone(t, c, configMaps+"/c")
	}

	a := must(t, c, 201, "POST", kites, kite("a", "red"))
	other := must(t, c, 201, "POST", kites, kite("other", "red"))
	must(t, c, 201, "POST", configMaps, owned("both", a, other))
	must(t, c, 200, "DELETE", kites+"/a", "")
	require.Eventually(t, func() bool {
		refs := at(must(t, c, 200, "GET", configMaps+"/both", ""), "metadata", "ownerReferences").([]any)
		return len(refs) == 1 && at(refs[0], "name") == "other"
	}, soon, tick, "the reference to the owner that is gone goes")

	// Orphans stay, without the owner reference.
	must(t, c, 200, "DELETE", kites+"/other", `{"propagationPolicy":"Orphan"}`)
	gone(t, c, kites+"/other")
	require.Nil(t, at(must(t, c, 200, "GET", configMaps+"/both", ""), "metadata", "ownerReferences"))

	// With foreground propagation, the owner is deleted last.
	a = must(t, c, 201, "POST", kites, kite("a", "red"))
	b := must(t, c, 201, "POST", configMaps, owned("b", a))
	must(t, c, 201, "POST", configMaps, owned("c", b))
	must(t, c, 200, "PATCH", configMaps+"/c", held, "Content-Type", mergePatch)
	must(t, c, 200, "DELETE", kites+"/a", `{"propagationPolicy":"Foreground"}`)
	require.Eventually(t, func() bool {
		return at(must(t, c, 200, "GET", configMaps+"/c", ""), "metadata", "deletionTimestamp") != nil
	}, soon, tick)
	require.True(t, there(t, c, kites+"/a"))
	require.True(t, there(t, c, configMaps+"/b"))
	free("c")
	gone(t, c, kites+"/a")
	require.False(t, there(t, c, configMaps+"/b"))

	// Owners that have never existed, by uid, name or namespace. An owner of an unknown kind may exist.
	a = must(t, c, 201, "POST", kites, kite("a", "red"))
	uid := at(a, "metadata", "uid").(string)
	must(t, c, 201, "POST", configMaps, strings.Replace(owned("uid", a), uid, "unknown", 1))
	must(t, c, 201, "POST", configMaps, strings.Replace(owned("name", a), `"name":"a"`, `"name":"z"`, 1))
	must(t, c, 201, "POST", configMaps, strings.Replace(owned("unknown", a), `"Kite"`, `"Plane"`, 1))
	must(t, c, 201, "POST", configMaps, owned("stays", a))
	gone(t, c, configMaps+"/uid")
	gone(t, c, configMaps+"/name")
	require.True(t, there(t, c, configMaps+"/unknown"))
	require.True(t, there(t, c, configMaps+"/stays"))
}

// An object that is adopted, or released, while its owner is deleted stays.
func TestAdoptedMeanwhile(t *testing.T) {
	_, c := start(t, Options{})
	other := must(t, c, 201, "POST", kites, kite("other", "red"))
	adopted := owned("x", other)
	adopted = adopted[strings.Index(adopted, `"ownerReferences"`):]
	var adopts sync.WaitGroup
	var mu sync.Mutex
	var stay []string
	for i := range 40 {
		name := fmt.Sprintf("n%d", i)
		owner := must(t, c, 201, "POST", kites, kite(name, "red"))
		must(t, c, 201, "POST", configMaps, owned(name, owner))
		adopts.Go(func() {
			answer := send(t, c, "PATCH", configMaps+"/"+name, `{"metadata":{`+adopted, "Content-Type", mergePatch)
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				mu.Lock()
				stay = append(stay, name)
				mu.Unlock()
			}
		})
		adopts.Go(func() { // on a busy machine, neither is always the first
			answer := send(t, c, "DELETE", kites+"/"+name, "")
			answer.Body.Close()
			assert.Equal(t, http.StatusOK, answer.StatusCode)
		})
	}
	adopts.Wait()
	require.NotEmpty(t, stay)
	last := must(t, c, 201, "POST", kites, kite("last", "red"))
	must(t, c, 201, "POST", configMaps, owned("last", last))
	must(t, c, 200, "DELETE", kites+"/last", "")
	gone(t, c, configMaps+"/last") // so the collector has seen the rest
	for _, name := range stay {
		require.True(t, there(t, c, configMaps+"/"+name), name)
	}
}

// Objects that own each other in a circle do not wait for each other forever.
func TestOwnersInCircle(t *testing.T) {
	_, c := start(t, Options{})
	a := must(t, c, 201, "POST", kites, kite("a", "red"))
	b := must(t, c, 201, "POST", configMaps, owned("b", a))
	d := must(t, c, 201, "POST", configMaps, owned("d", b))
	refs := owned("d", d)
	refs = refs[strings.Index(refs, `"ownerReferences"`):]
	must(t, c, 200, "PATCH", kites+"/a", `{"metadata":{`+refs, "Content-Type", mergePatch)
	must(t, c, 200, "DELETE", kites+"/a", `{"propagationPolicy":"Foreground"}`)
	gone(t, c, kites+"/a")
	gone(t, c, configMaps+"/b")
	gone(t, c, configMaps+"/d")
}

// An object may have very many owners. It is stored with them here, since the server would need its time for
// managedFields.
func TestManyOwners(t *testing.T) {
	memory := storage.NewMemory(storage.MemoryOptions{})
	defer memory.Close()
	_, c := start(t, Options{Store: memory})
	owner := must(t, c, 201, "POST", kites, kite("a", "red"))
	var b strings.Builder
	for i := range 150_000 {
		fmt.Fprintf(&b, `{"apiVersion":"v1","kind":"ConfigMap","name":"b","uid":"u%d"},`, i)
	}
	text := owned("b", owner)
	const owners = `"ownerReferences":[`
	text = strings.Replace(text, owners, `"namespace":"default","uid":"x",`+owners+b.String(), 1)
	_, err := memory.Create(t.Context(), "/core/configmaps/default/b", []byte(text))
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		item, err := memory.Get(t.Context(), "/core/configmaps/default/b")
		return err == nil && len(item.Value) < 1000
	}, soon, tick)
}

func TestKeepGarbage(t *testing.T) {
	_, c := start(t, Options{KeepGarbage: true})
	a := must(t, c, 201, "POST", kites, kite("a", "red"))
	must(t, c, 201, "POST", configMaps, owned("b", a))
	must(t, c, 200, "DELETE", kites+"/a", `{"propagationPolicy":"Foreground"}`)
	require.True(t, there(t, c, kites+"/a"), "until a client removes the finalizer")
	must(t, c, 200, "PATCH", kites+"/a", `{"metadata":{"finalizers":null}}`, "Content-Type", mergePatch)
	require.False(t, there(t, c, kites+"/a"))
	require.True(t, there(t, c, configMaps+"/b"))
}
