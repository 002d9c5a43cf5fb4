package server

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/server/internal/catalog"
	"github.com/crdkit/crdkit/server/storage"
)

// This file collects garbage, as a controller of Kubernetes does. Objects whose owners are all gone are deleted. An
// object that is deleted with foreground propagation waits for the dependents that block its deletion. With orphan
// propagation, the owner reference is removed from its dependents.
//
// The collector has a graph of all objects, built from the changes in the store, in order. An owner that is not in the
// graph when the collector sees a dependent was deleted or has never existed.

// An ownerReference is a reference of an object to an owner.
type ownerReference struct {
	APIVersion         string `json:"apiVersion"`
	Kind               string `json:"kind"`
	Name               string `json:"name"`
	UID                string `json:"uid"`
	BlockOwnerDeletion bool   `json:"blockOwnerDeletion"`
}

// A node has the data of an object that the collector needs.
type node struct {
	key       string
	revision  int64
	place     place
	uid       string
	owners    []ownerReference
	deleting  bool
	finalizer string // foregroundDeletion or orphan, while the object is being deleted
}

// A place is the content of an object's key.
type place struct{ group, plural, namespace, name string }

// placeOf parses a key: see [catalog.Prefix].
func placeOf(key string) (place, bool) {
	parts := strings.Split(key, "/")
	if len(parts) < 4 || len(parts) > 5 {
		return place{}, false
	}
	p := place{group: parts[1], plural: parts[2], name: parts[len(parts)-1]}
	if p.group == catalog.CoreGroup {
		p.group = ""
	}
	if len(parts) == 5 {
		p.namespace = parts[3]
	}
	return p, true
}

// A collector collects the garbage of a server. It is used by one goroutine.
type collector struct {
	s          *Server
	nodes      map[string]*node           // by key
	byUID      map[string]*node           // of nodes
	dependents map[string]map[string]bool // keys, by the uid of an owner
	dirty      map[string]bool            // keys to process
}

// collectGarbage follows the store until ctx is done.
func (s *Server) collectGarbage(ctx context.Context) {
	for ctx.Err() == nil {
		c := &collector{s, map[string]*node{}, map[string]*node{}, map[string]map[string]bool{}, map[string]bool{}}
		err := c.run(ctx)
		if errors.Is(err, storage.ErrClosed) || ctx.Err() != nil {
			return
		}
		s.log.Warn("garbage collection begins again", "error", err)
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
	}
}

// run reads all objects, and then their changes, until there is an error.
func (c *collector) run(ctx context.Context) error {
	r := storage.Range{Prefix: "/", Limit: chunk, Bytes: chunkBytes}
	for {
		page, err := c.s.store.List(ctx, r)
		if err != nil {
			return err
		}
		for _, item := range page.Items {
			c.see(item)
			r.After = item.Key
		}
		r.Revision = page.Revision
		if page.Remaining == 0 {
			break
		}
	}
	w, err := c.s.store.Watch(ctx, "/", r.Revision)
	if err != nil {
		return err
	}
	defer w.Close()
	for {
		wait := ctx
		var cancel context.CancelFunc = func() {}
		if c.work(ctx) { // retry the rest soon
			wait, cancel = context.WithTimeout(ctx, 100*time.Millisecond)
		}
		changes, err := w.Next(wait)
		cancel()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, context.DeadlineExceeded):
		case err != nil:
			return err
		}
		for _, e := range changes.Events {
			c.see(storage.Item{Key: e.Key, Value: e.Value, Revision: e.Revision})
		}
	}
}

// see updates the graph after a change. The value is nil if the object was deleted.
func (c *collector) see(item storage.Item) {
	key := item.Key
	old := c.nodes[key]
	var n *node
	if p, ok := placeOf(key); ok && item.Value != nil {
		n = newNode(item, p)
	}
	if old != nil {
		c.forget(old, n == nil)
	}
	if n == nil {
		return
	}
	c.nodes[key], c.byUID[n.uid] = n, n
	for _, o := range n.owners {
		if c.dependents[o.UID] == nil {
			c.dependents[o.UID] = map[string]bool{}
		}
		c.dependents[o.UID][key] = true
	}
	if len(n.owners) > 0 || n.finalizer != "" {
		c.dirty[key] = true
	}
	if n.finalizer == objectmeta.ForegroundFinalizer && (old == nil || old.finalizer != n.finalizer) {
		maps.Copy(c.dirty, c.dependents[n.uid])
	}
}

// forget removes a node from the graph because its object has changed or was deleted.
func (c *collector) forget(old *node, deleted bool) {
	delete(c.nodes, old.key)
	if c.byUID[old.uid] == old {
		delete(c.byUID, old.uid)
	}
	if deleted {
		maps.Copy(c.dirty, c.dependents[old.uid])
	}
	for _, o := range old.owners {
		if set := c.dependents[o.UID]; set != nil {
			if delete(set, old.key); len(set) == 0 {
				delete(c.dependents, o.UID)
			}
		}
		if owner := c.byUID[o.UID]; owner != nil && owner.finalizer != "" {
			c.dirty[owner.key] = true // it may be waiting for this dependent
		}
	}
}

// newNode returns the node of a stored object, or nil if it cannot be decoded.
func newNode(item storage.Item, p place) *node {
	var obj struct {
		Metadata struct {
			UID               string           `json:"uid"`
			OwnerReferences   []ownerReference `json:"ownerReferences"`
			Finalizers        []string         `json:"finalizers"`
			DeletionTimestamp string           `json:"deletionTimestamp"`
		} `json:"metadata"`
	}
	if json.Unmarshal(item.Value, &obj) != nil {
		return nil
	}
	m := &obj.Metadata
	n := &node{key: item.Key, revision: item.Revision, place: p, uid: m.UID, owners: m.OwnerReferences, deleting: m.DeletionTimestamp != ""}
	if n.deleting {
		for _, f := range []string{objectmeta.ForegroundFinalizer, objectmeta.OrphanFinalizer} {
			if slices.Contains(m.Finalizers, f) {
				n.finalizer = f
			}
		}
	}
	return n
}

// work processes all dirty nodes, and reports whether some must be retried later.
func (c *collector) work(ctx context.Context) (later bool) {
	dirty := slices.Sorted(maps.Keys(c.dirty))
	for _, key := range dirty {
		n := c.nodes[key]
		if n == nil || c.process(ctx, n) {
			delete(c.dirty, key)
		}
	}
	return len(c.dirty) > 0
}

// process deletes or changes an object if its owners or dependents require it, and reports success. The collector sees
// its own writes as changes of the store.
func (c *collector) process(ctx context.Context, n *node) bool {
	switch {
	case n.finalizer == objectmeta.OrphanFinalizer:
		for key := range c.dependents[n.uid] {
			if !c.removeOwners(ctx, c.nodes[key], map[string]bool{n.uid: true}) {
				return false
			}
		}
		return c.finish(ctx, n)
	case n.finalizer == objectmeta.ForegroundFinalizer:
		for key := range c.dependents[n.uid] {
			if d := c.nodes[key]; slices.ContainsFunc(d.owners, func(o ownerReference) bool { return o.UID == n.uid && o.BlockOwnerDeletion }) {
				return true // deleting the dependent marks this owner as dirty
			}
		}
		return c.finish(ctx, n)
	case n.deleting || len(n.owners) == 0:
		return true
	}
	gone := map[string]bool{}
	waiting, present := false, false
	for _, o := range n.owners {
		switch owner, known := c.owner(n, o); {
		case !known:
			present = true
		case owner == nil:
			gone[o.UID] = true
		case owner.finalizer == objectmeta.ForegroundFinalizer:
			waiting = true
			gone[o.UID] = true
		default:
			present = true
		}
	}
	switch {
	case len(gone) == 0:
		return true
	case present:
		return c.removeOwners(ctx, n, gone)
	case waiting && len(c.dependents[n.uid]) > 0:
		return c.unblock(ctx, n) && c.delete(ctx, n, resource.PropagationForeground)
	}
	return c.delete(ctx, n, "")
}

// owner returns an owner of n, or nil if it does not exist. If the server does not have the owner's kind, known is
// false.
func (c *collector) owner(n *node, o ownerReference) (owner *node, known bool) {
	group, version, err := objectmeta.GroupVersion(o.APIVersion)
	if err != nil {
		return nil, false
	}
	k := c.s.keeper.Catalog().KindOf(group, version, o.Kind)
	if k == nil || k.Namespaced && n.place.namespace == "" {
		return nil, false
	}
	want := place{group: group, plural: k.Definition.Spec.Names.Plural, name: o.Name}
	if k.Namespaced {
		want.namespace = n.place.namespace
	}
	if owner = c.byUID[o.UID]; owner == nil || owner.place != want {
		return nil, true
	}
	return owner, true
}

// delete deletes an object, unless it has changed: somebody may have adopted it. The collector judges it again when it
// sees the change.
func (c *collector) delete(ctx context.Context, n *node, policy string) bool {
	q := c.s.ownRequest(ctx)
	if q.kind = q.catalog.Resource(n.place.group, n.place.plural); q.kind == nil {
		return true // the kind is not served; deleting the definition deletes the object
	}
	q.namespace, q.name = n.place.namespace, n.place.name
	revision := strconv.FormatInt(n.revision, 10)
	d := deletion{policy: policy, collected: true, preconditions: resource.Preconditions{UID: &n.uid, ResourceVersion: &revision}}
	_, _, refused := q.remove(d, q.name, nil)
	return refused == nil || refused.Code == http.StatusNotFound || refused.Code == http.StatusConflict
}

// removeOwners removes the references to owners, given by their uids, from an object.
func (c *collector) removeOwners(ctx context.Context, n *node, uids map[string]bool) bool {
	return c.change(ctx, n, func(meta map[string]any) {
		removeFrom(meta, "ownerReferences", func(o any) bool {
			m, _ := o.(map[string]any)
			return uids[text(m, "uid")]
		})
	})
}

// unblock makes an object block none of its owners if one of its dependents is being deleted in the foreground, too:
// the dependent may be an owner of the owners, and all of them would wait for each other.
func (c *collector) unblock(ctx context.Context, n *node) bool {
	for key := range c.dependents[n.uid] {
		if c.nodes[key].finalizer == objectmeta.ForegroundFinalizer {
			return c.change(ctx, n, func(meta map[string]any) {
				owners, _ := meta["ownerReferences"].([]any)
				for _, o := range owners {
					if m, _ := o.(map[string]any); m["blockOwnerDeletion"] != nil {
						m["blockOwnerDeletion"] = false
					}
				}
			})
		}
	}
	return true
}

// finish removes the collector's finalizer from an object.
func (c *collector) finish(ctx context.Context, n *node) bool {
	return c.change(ctx, n, func(meta map[string]any) {
		removeFrom(meta, "finalizers", func(f any) bool { return f == n.finalizer })
	})
}

// change edits the metadata of an object, and removes the object if it is being deleted and has no finalizers left. It
// reports success.
func (c *collector) change(ctx context.Context, n *node, edit func(meta map[string]any)) bool {
	item, err := c.s.store.Get(ctx, n.key)
	if err != nil {
		return errors.Is(err, storage.ErrNotFound)
	}
	obj, err := catalog.Decode(item.Value, item.Revision)
	if err != nil || text(metadata(obj), "uid") != n.uid {
		return true
	}
	meta := maps.Clone(metadata(obj))
	edit(meta)
	if text(meta, "deletionTimestamp") != "" && meta["finalizers"] == nil {
		_, err = c.s.store.Delete(ctx, item.Key, item.Revision)
		c.s.wake()
	} else if value, failed := encode(with(obj, meta)); failed != nil {
		err = failed
	} else if string(value) != string(item.Value) {
		_, err = c.s.store.Update(ctx, item.Key, value, item.Revision)
	}
	return err == nil
}
