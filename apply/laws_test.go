package apply

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/resource"
)

// Laws of field management, which hold for every definition, every object and every history of it.

const (
	histories = 400 // of each law
	steps     = 8   // of a history
)

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// A history is what several managers did to an object, one after the other.
type history struct {
	*subject
	t    *testing.T
	live map[string]any // nil: it does not exist
	now  time.Time
	did  []string
	// untracked says that the object had no managers at some time: fields that other writers than appliers set then are
	// unowned (SSA-035).
	untracked bool
}

// options returns those of the next request, an hour after the one before.
func (h *history) options(manager string) Options {
	h.now = h.now.Add(time.Hour)
	return Options{Manager: manager, Now: h.now}
}

// request runs one, and keeps the object that it made, if it was not refused. Nothing that it was given has changed.
func (h *history) request(what string, obj map[string]any, run func(obj, live map[string]any) resource.Result) resource.Result {
	h.t.Helper()
	h.did = append(h.did, what+" "+given.ExactJSON(obj))
	live, before, sent := h.live, clone(h.live), clone(obj)
	r := run(obj, live)
	require.True(h.t, jsonval.Equal(live, before), "the stored object was modified\n%s", h.describe(before, h.did))
	require.True(h.t, jsonval.Equal(obj, sent), "what was sent was modified\n%s", h.describe(before, h.did))
	if r.Err() == nil {
		h.live = r.Object
		if meta := h.live["metadata"].(map[string]any); meta["uid"] == nil { // as a server gives it
			h.live = withMeta(h.live, "uid", "u")
		}
		h.untracked = h.untracked || managedFields(h.live) == nil
	}
	return r
}

func (h *history) apply(version string, config map[string]any, o Options) resource.Result {
	h.t.Helper()
	return h.request(fmt.Sprintf("%s applies (force %v)", o.Manager, o.Force), config, func(obj, live map[string]any) resource.Result {
		return h.version(version).Apply(context.Background(), body(obj), live, o)
	})
}

// step does something that may be refused.
func (h *history) step() {
	h.t.Helper()
	ctx := context.Background()
	version := oneOf(h.maker, "v1", "v1", "v2")
	v, o := h.version(version), h.options(oneOf(h.maker, "ann", "bob", "cyd"))
	// A stored object has one version; an answer has the version of the request.
	if h.live != nil && h.live["apiVersion"] != "g.io/"+version {
		converted, err := h.versions["g.io/"+version].of.Convert(ctx, h.live)
		require.NoError(h.t, err)
		h.live = converted
	}
	obj := h.thing(version)
	kind := h.IntN(7)
	switch {
	case kind < 3 || h.live == nil && h.oneIn(2):
		o.Force = h.oneIn(2)
		h.apply(version, obj, o)
	case h.live == nil:
		h.request(o.Manager+" creates", obj, func(obj, _ map[string]any) resource.Result { return v.Create(ctx, obj, o) })
	case kind == 3:
		h.request(o.Manager+" updates", obj, func(obj, live map[string]any) resource.Result { return v.Update(ctx, obj, live, o) })
	case kind == 4:
		patch := map[string]any{"spec": map[string]any{oneOf(h.maker, "a", "b"): nil}, "metadata": map[string]any{"labels": map[string]any{"a": "z"}}}
		h.request(o.Manager+" patches", patch, func(obj, live map[string]any) resource.Result {
			return v.Patch(ctx, "application/merge-patch+json", body(obj), live, o)
		})
	case kind == 5:
		h.request(o.Manager+" updates the status", obj, func(obj, live map[string]any) resource.Result { return v.UpdateStatus(ctx, obj, live, o) })
	default:
		o.Force = h.oneIn(2)
		h.request(o.Manager+" applies the status", obj, func(obj, live map[string]any) resource.Result {
			return v.ApplyStatus(ctx, body(obj), live, o)
		})
	}
}

// eachHistory calls law at some point of many histories.
func eachHistory(t *testing.T, defaults bool, law func(t *testing.T, h *history)) {
	for seed := range uint64(histories) {
		h := &history{subject: newSubject(t, seed, defaults), t: t, now: epoch}
		for range h.IntN(steps) {
			h.step()
		}
		law(t, h)
		require.False(t, t.Failed(), "history %d", seed)
	}
}

// SSA-026, SSA-033
func TestApplyingTwiceIsApplyingOnce(t *testing.T) {
	applied := 0
	eachHistory(t, true, func(t *testing.T, h *history) {
		config := h.thing("v1")
		o := h.options("ann")
		o.Force = h.oneIn(2)
		if h.apply("v1", config, o).Err() != nil {
			return
		}
		applied++
		once := clone(h.live)
		// The time of the set also stays that of the first apply, and what was forced once needs no force again.
		later := h.options("ann")
		r := h.apply("v1", config, later)
		require.NoError(t, r.Err(), h.describe(once, h.did))
		// The order of the entries may change: one that was made by an apply that changed no field is sorted without
		// its time at first.
		require.True(t, jsonval.Equal(withManaged(once, nil), withManaged(h.live, nil)), "%s\nbecame: %s", h.describe(once, h.did), given.ExactJSON(h.live))
		require.ElementsMatch(t, managedFields(once), managedFields(h.live), h.describe(once, h.did))
	})
	require.Greater(t, applied, histories/2)
}

// SSA-030
func TestForcedApplySucceeds(t *testing.T) {
	refused := 0
	eachHistory(t, true, func(t *testing.T, h *history) {
		config, before := h.thing("v1"), clone(h.live)
		o := h.options("dan")
		if h.apply("v1", config, o).Err() == nil {
			return
		}
		refused++
		o.Force = true
		r := h.apply("v1", config, o)
		require.NoError(t, r.Err(), h.describe(before, h.did))
		_, of := h.sets(t)
		set, err := h.typed(t, config).ToFieldSet()
		require.NoError(t, err)
		if v := h.version("v1").resets[fieldpath.APIVersion("g.io/v1")]; v != nil {
			set = v.Filter(set)
		}
		require.True(t, set.Difference(unowned).Equals(of["dan Apply"]), "%s\ndan owns %s", h.describe(before, h.did), of["dan Apply"])
	})
	require.Greater(t, refused, histories/20)
}

// typed returns obj with its type.
func (s *subject) typed(t *testing.T, obj map[string]any) *typed.TypedValue {
	t.Helper()
	v, err := s.types.typed(obj, typed.AllowDuplicates)
	require.NoError(t, err)
	return v
}

// sets returns what all managers of the object own together, and each alone, by manager, operation and subresource.
func (h *history) sets(t *testing.T) (all *fieldpath.Set, of map[string]*fieldpath.Set) {
	t.Helper()
	m, err := decode(managedFields(h.live))
	require.NoError(t, err)
	all, of = fieldpath.NewSet(), map[string]*fieldpath.Set{}
	for key, set := range m.sets {
		e := m.entries[key]
		name := e.Manager + " " + e.Operation
		if e.Subresource != "" {
			name += " " + e.Subresource
		}
		if of[name] == nil {
			of[name] = fieldpath.NewSet()
		}
		of[name] = of[name].Union(set.Set())
		all = all.Union(set.Set())
	}
	return all, of
}

// SSA-023: everything in an object that managers created together is owned by one of them, except for fields that are
// never owned. Nothing that is not in the object is owned.
func TestOwnedIsTheObject(t *testing.T) {
	tracked := 0
	eachHistory(t, false, func(t *testing.T, h *history) {
		if h.live == nil || h.untracked {
			return
		}
		tracked++
		there, err := h.typed(t, h.live).ToFieldSet()
		require.NoError(t, err)
		all, of := h.sets(t)
		noOwner := there.Difference(unowned).Leaves().Difference(all)
		require.True(t, noOwner.Empty(), "nobody owns %s\n%s", noOwner, h.describe(h.live, h.did))
		there = there.EnsureNamedFieldsAreMembers(h.typed(t, h.live).Schema(), h.typed(t, h.live).TypeRef())
		for name, set := range of {
			require.False(t, set.Empty(), name)
			missing := set.Difference(there)
			require.True(t, missing.Empty(), "%s owns %s\n%s", name, missing, h.describe(h.live, h.did))
		}
	})
	require.Greater(t, tracked, histories/3)
}

// SSA-002: a manager that applies nothing any more loses its entry, and what it alone had applied is gone; everything
// else stays.
func TestApplyingNothing(t *testing.T) {
	gone := 0
	eachHistory(t, false, func(t *testing.T, h *history) {
		config := h.thing("v1")
		o := h.options("dan")
		if h.live == nil {
			require.NoError(t, h.apply("v1", bare("v1"), h.options("ann")).Err())
		}
		if h.apply("v1", config, o).Err() != nil {
			return
		}
		before := clone(h.live)
		_, of := h.sets(t)
		alone := of["dan Apply"]
		if alone == nil {
			return // it applied nothing
		}
		for name, set := range of {
			if name != "dan Apply" {
				alone = alone.Difference(set)
			}
		}
		require.NoError(t, h.apply("v1", bare("v1"), h.options("dan")).Err())
		all, of := h.sets(t)
		require.NotContains(t, of, "dan Apply", h.describe(before, h.did))
		left, err := h.typed(t, h.live).ToFieldSet()
		require.NoError(t, err)
		// The parts of an object that another manager owns must stay, and so must unowned fields in it.
		still := left.Leaves().Intersection(alone.Leaves())
		still = still.Difference(all)
		still.Iterate(func(p fieldpath.Path) {
			require.Equal(t, "{}", given.ExactJSON(at(h.live, p)), "%s is still there\n%s", p, h.describe(before, h.did))
		})
		if !alone.Empty() {
			gone++
		}
		others := typedLeaves(t, h.subject, before).Difference(alone)
		lost := others.Difference(typedLeaves(t, h.subject, h.live)).Difference(alone)
		require.True(t, lost.Empty(), "%s is gone\n%s", lost, h.describe(before, h.did))
	})
	require.Greater(t, gone, histories/4)
}

func typedLeaves(t *testing.T, s *subject, obj map[string]any) *fieldpath.Set {
	t.Helper()
	set, err := s.typed(t, obj).ToFieldSet()
	require.NoError(t, err)
	return set.Leaves().Difference(unowned).Difference(fieldpath.NewSet(fieldpath.MakePathOrDie("metadata", "managedFields")))
}

// SSA-033: an entry whose set a request leaves alone keeps its time.
func TestUnchangedSetsKeepTheirTime(t *testing.T) {
	kept := 0
	eachHistory(t, true, func(t *testing.T, h *history) {
		before := managedFields(h.live)
		h.step()
		for _, was := range before {
			for _, is := range managedFields(h.live) {
				x, y := was.(map[string]any), is.(map[string]any)
				if x["manager"] == y["manager"] && jsonval.Equal(without(x, "time"), without(y, "time")) && x["time"] != y["time"] {
					// The writer is renewed with the object.
					require.Contains(t, h.did[len(h.did)-1], x["manager"].(string)+" ", h.describe(h.live, h.did))
				}
				if jsonval.Equal(was, is) {
					kept++
				}
			}
		}
	})
	require.Greater(t, kept, histories/4)
}

func without(m map[string]any, key string) map[string]any {
	c := clone(m)
	delete(c, key)
	return c
}

// An update that changes nothing and is settled has the managedFields that it would have without that shortcut, and
// most of them are.
func TestSettled(t *testing.T) {
	settled, asked := 0, 0
	ctx := context.Background()
	eachHistory(t, true, func(t *testing.T, h *history) {
		if h.live == nil {
			return
		}
		v := h.version("v1")
		live, err := h.versions["g.io/v1"].of.Convert(ctx, h.live)
		require.NoError(t, err)
		lists := [][]any{managedFields(live)}
		if len(lists[0]) > 1 {
			reversed := slices.Clone(lists[0])
			slices.Reverse(reversed)
			twice := append(slices.Clone(lists[0]), lists[0][0])
			lists = append(lists, reversed, twice, lists[0][1:])
		}
		for i, list := range lists {
			for _, subresource := range []string{"", subresourceStatus} {
				tracker := v.tracker(ctx, subresource)
				is := tracker.settled(list)
				if i == 0 && len(list) > 0 {
					if asked++; is {
						settled++
					}
				}
				if !is {
					continue
				}
				obj := withManaged(live, list)
				m, err := decode(list)
				require.NoError(t, err)
				next, err := tracker.update(m, withManaged(obj, nil), obj, "x", h.now)
				if err != nil {
					continue // the live ones stay (SSA-037)
				}
				entries, err := next.encode(false)
				require.NoError(t, err)
				require.True(t, jsonval.Equal(list, entries), h.describe(obj, h.did))
			}
		}
	})
	require.Greater(t, settled, asked/2)
}
