package objectmeta_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/objectmeta"
)

// A maker makes metadata that is mostly of the right shape, which random bytes never are.
type maker struct {
	*rand.Rand
	wrong int // one value in so many is of any type
}

func pick[T any](m maker, of ...T) T { return of[m.IntN(len(of))] }

func (m maker) text() string {
	return pick(m, "", "a", "a", "a-b", "A.b/C", "a/b/c", "_-", "x y", "ä", "\u212a", "%", "..", "v1", "g/v1", "Event", "Apply", "FieldsV1", "orphan",
		"foregroundDeletion", "<&>", "a\tb")
}

func (m maker) time() string {
	return pick(m, "2020-02-29T12:30:59Z", "2021-02-29T00:00:00Z", "2020-01-01T00:00:00.5+02:00", "0001-01-01T00:00:00Z",
		"2020-01-01T1:00:00Z", "9999-12-31T23:59:59-23:59", "2020-01-01T24:00:00Z", "2020-01-01", "x", "")
}

func (m maker) any(depth int) any {
	switch n := m.IntN(8); {
	case n == 0:
		return nil
	case n == 1:
		return m.IntN(2) == 0
	case n == 2:
		return pick[any](m, int64(0), int64(1), int64(-7), 1.0, 1.5, 1e20, 1e30, math.Copysign(0, -1))
	case n == 3 || depth == 0:
		return pick(m, m.text(), m.time())
	case n < 6:
		return m.list(func() any { return m.any(depth - 1) })
	}
	return m.object(func() any { return m.any(depth - 1) }, m.text(), "f:"+m.text(), "zz")
}

// value returns what make does, but sometimes null, and sometimes anything.
func (m maker) value(make func() any) any {
	switch {
	case m.IntN(m.wrong) == 0:
		return m.any(2)
	case m.IntN(15) == 0:
		return nil
	}
	return make()
}

func (m maker) list(item func() any) any {
	list := []any{}
	for range m.IntN(4) {
		list = append(list, m.value(item))
	}
	return list
}

func (m maker) object(member func() any, keys ...string) map[string]any {
	object := map[string]any{}
	for _, k := range keys {
		if m.IntN(2) == 0 {
			object[k] = m.value(member)
		}
	}
	return object
}

func (m maker) anyText() any { return m.text() }
func (m maker) anyTime() any { return m.time() }
func (m maker) anyBool() any { return m.IntN(2) == 0 }
func (m maker) anyTexts() any {
	return m.object(m.anyText, m.text(), m.text(), "a")
}

func (m maker) owner() any {
	owner := m.object(m.anyText, "apiVersion", "kind", "name", "uid", pick(m, "x", "Kind"))
	for k, v := range m.object(m.anyBool, "controller", "blockOwnerDeletion") {
		owner[k] = v
	}
	return owner
}

func (m maker) entry() any {
	entry := m.object(m.anyText, "manager", "operation", "apiVersion", "fieldsType", "subresource", pick(m, "x", "Time"))
	if m.IntN(2) == 0 {
		entry["time"] = m.value(m.anyTime)
	}
	if m.IntN(2) == 0 {
		entry["fieldsV1"] = m.any(3)
	}
	return entry
}

// managed returns metadata as a server stores it, or nearly so.
func (m maker) managed() map[string]any {
	entries := make([]any, m.IntN(4))
	if m.IntN(20) == 0 {
		entries = make([]any, 20)
	}
	for i := range entries {
		entry := map[string]any{
			"manager": pick(m, "a", "b", "c"), "operation": pick(m, "Apply", "Update"), "apiVersion": pick(m, "v1", "v2"),
			"fieldsType": "FieldsV1", "fieldsV1": map[string]any{"f:spec": map[string]any{}}, "time": fmt.Sprintf("2026-01-02T03:04:%02dZ", min(i+m.IntN(3), 59)),
		}
		if m.IntN(10) == 0 {
			delete(entry, pick(m, "operation", "apiVersion", "fieldsV1", "time"))
		}
		if len(entries) > 4 {
			entry["manager"] = fmt.Sprint("m", 10+i-m.IntN(2)*m.IntN(2))
		}
		entries[i] = entry
	}
	meta := map[string]any{"name": "a", "managedFields": entries, "ownerReferences": make([]any, m.IntN(3))}
	for i := range meta["ownerReferences"].([]any) {
		meta["ownerReferences"].([]any)[i] = map[string]any{"apiVersion": "v1", "kind": "Pod", "name": "a", "uid": pick(m, "1", "2")}
	}
	read, _, _ := objectmeta.Read(meta, true)
	return read
}

func (m maker) meta() map[string]any {
	meta := m.object(m.anyText, "name", "generateName", "namespace", "selfLink", "uid", "resourceVersion", pick(m, "zz", "Name", "LABELS"))
	add := func(made map[string]any) {
		for k, v := range made {
			meta[k] = v
		}
	}
	add(m.object(func() any { return int64(m.IntN(3) - 1) }, "generation", "deletionGracePeriodSeconds"))
	add(m.object(m.anyTime, "creationTimestamp", "deletionTimestamp"))
	add(m.object(m.anyTexts, "labels", "annotations"))
	add(m.object(func() any { return m.list(m.anyText) }, "finalizers"))
	add(m.object(func() any { return m.list(m.owner) }, "ownerReferences"))
	add(m.object(func() any { return m.list(m.entry) }, "managedFields"))
	return meta
}

func makers(yield func(m maker) bool) {
	for seed := range uint64(3000) {
		if !yield(maker{rand.New(rand.NewPCG(seed, 1)), []int{10, 50, 1000}[seed%3]}) {
			return
		}
	}
}

// Read against encoding/json, on metadata of every shape.
func TestReadRandom(t *testing.T) {
	read, canonical := 0, 0
	for m := range makers {
		readable, same := checkRead(t, m.meta())
		if readable {
			read++
		}
		if same {
			canonical++
		}
	}
	require.Greater(t, read, 500, "most of what is made must be readable")
	require.Greater(t, canonical, 10)
}

// The verdicts against the lists, on metadata as it was sent and as it was read.
func TestValidRandom(t *testing.T) {
	valid, validUpdates, validEmbedded := 0, 0, 0
	for m := range makers {
		sent, old := m.meta(), m.meta()
		if m.IntN(2) == 0 {
			old = clone(sent).(map[string]any)
			delete(old, pick(m, "uid", "finalizers", "generation", "name", "deletionGracePeriodSeconds"))
		}
		read, _, _ := objectmeta.Read(sent, true)
		oldRead, _, _ := objectmeta.Read(old, true)
		for _, pair := range [][2]map[string]any{{sent, old}, {read, oldRead}} {
			meta, old := pair[0], pair[1]
			namespaced := m.IntN(2) == 0
			ok, okUpdate := checkVerdicts(t, meta, old, namespaced)
			okEmbedded := checkEmbedded(t, map[string]any{"apiVersion": m.text(), "kind": m.text(), "metadata": meta})
			for n, ok := range map[*int]bool{&valid: ok, &validUpdates: okUpdate, &validEmbedded: okEmbedded} {
				if ok {
					*n++
				}
			}
		}
	}
	for _, n := range []int{valid, validUpdates, validEmbedded} {
		require.Greater(t, n, 5, "some of what is made must be valid")
	}
}

// A summary says what the functions say that each walk the metadata themselves.
func TestSummaryRandom(t *testing.T) {
	canonical, same, relabeled, bare, kept, managed, labeled, several, valid := 0, 0, 0, 0, 0, 0, 0, 0, 0
	for m := range makers {
		sent, old := m.meta(), m.meta()
		read, _, _ := objectmeta.Read(sent, true)
		other := clone(read).(map[string]any)
		for _, key := range []string{"labels", "annotations", pick(m, "uid", "finalizers", "labels")} {
			if m.IntN(3) == 0 {
				delete(other, key)
			} else if m.IntN(2) == 0 {
				other[key] = m.anyTexts()
			}
		}
		stored := m.managed()
		relabeledMeta := clone(stored).(map[string]any)
		relabeledMeta["labels"] = map[string]any{"a": "b"}
		plain := map[string]any{"name": "a", "labels": map[string]any{pick(m, "", "a"): pick(m, "", "b")}, m.text(): m.text()}
		for _, pair := range [][2]map[string]any{{sent, old}, {read, old}, {read, nil}, {read, other}, {other, read}, {read, clone(read).(map[string]any)}, {plain, old},
			{plain, clone(plain).(map[string]any)}, {stored, clone(stored).(map[string]any)}, {relabeledMeta, stored}} {
			meta, old := pair[0], pair[1]
			namespaced := m.IntN(2) == 0
			var s objectmeta.Summary
			ok := s.Summarize(meta, old)
			require.Equal(t, objectmeta.Canonical(meta), ok, "%#v", meta)
			if !ok {
				require.Equal(t, objectmeta.Summary{}, s)
				continue
			}
			canonical++
			name, _ := meta["name"].(string)
			namespace, _ := meta["namespace"].(string)
			generation, _ := meta["generation"].(int64)
			require.Equal(t, []any{name, namespace, generation}, []any{s.Name, s.Namespace, s.Generation})
			require.Equal(t, objectmeta.ValidCreate(meta, namespaced), s.ValidCreate(namespaced), "%#v", meta)
			require.Equal(t, old != nil && jsonval.Equal(meta, old), s.Same)
			if s.ValidCreate(namespaced) {
				valid++
			}
			if s.KeptByCreate {
				bare++
				prepared, _, duplicates := objectmeta.PrepareCreate(meta, namespace, false)
				want := maps.Clone(meta)
				want["generation"] = int64(1)
				require.Equal(t, want, prepared)
				require.Empty(t, duplicates)
				require.Empty(t, objectmeta.Server{}.AppendFinalizerWarnings(nil, meta, nil, field.Limit{}))
			}
			require.Equal(t, old != nil && objectmeta.Canonical(old) && jsonval.Equal(unlabeled(meta), unlabeled(old)), s.Relabeled, "%#v %#v", meta, old)
			if s.Relabeled {
				relabeled++
				require.Equal(t, validUpdate(meta, old, namespaced), s.ValidUpdate(namespaced), "%#v", meta)
			}
			if s.Same {
				same++
			}
			if s.Relabeled && s.ValidUpdate(namespaced) && s.KeptByUpdate() {
				kept++
				if entries, _ := meta["managedFields"].([]any); len(entries) > 0 {
					managed++
					if !s.Same {
						labeled++
					}
					if len(entries) > 1 {
						several++
					}
				}
				require.Empty(t, objectmeta.Server{}.AppendFinalizerWarnings(nil, meta, old, field.Limit{}))
				require.Equal(t, meta, objectmeta.Retain(objectmeta.WithManagedFields(meta, old), old, false))
				_, duplicates := objectmeta.DeduplicateOwners(meta)
				require.Empty(t, duplicates)
				require.Nil(t, meta["deletionTimestamp"])
			}
		}
	}
	for _, n := range []int{canonical, same, relabeled - same, bare, kept - managed, managed - several, several, labeled, valid} {
		require.Greater(t, n, 20, "%d canonical, %d same, %d relabeled, %d bare, %d kept, %d managed, %d by several, %d with other labels, %d valid", canonical, same, relabeled, bare, kept, managed, several, labeled, valid)
	}
}

// unlabeled returns meta without labels and annotations.
func unlabeled(meta map[string]any) map[string]any {
	meta = maps.Clone(meta)
	delete(meta, "labels")
	delete(meta, "annotations")
	return meta
}
