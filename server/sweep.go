package server

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/server/internal/catalog"
	"github.com/crdkit/crdkit/server/storage"
)

// This file completes deletions. The sweeper deletes the objects of a definition and then the definition, and the
// objects in a namespace and then the namespace. All its state is in the store, so it continues after a restart.

// wake makes the sweeper run again.
func (s *Server) wake() {
	select {
	case s.deleted <- struct{}{}:
	default: // it will run again already
	}
}

// sweep runs the sweeper until ctx is done: after deletions, after changes of definitions, and at intervals.
func (s *Server) sweep(ctx context.Context) {
	emptied := map[string]time.Time{}
	for {
		c := s.keeper.Catalog()
		pause := 30 * time.Second
		settled := true
		if s.options.Definitions == nil {
			s.refreshConditions(ctx)
			settled = s.sweepDefinitions(ctx, emptied)
		}
		if !settled || !s.options.KeepNamespaces && !s.sweepNamespaces(ctx) {
			pause = sweepInterval
		}
		select {
		case <-s.deleted:
		case <-s.keeper.Changed(c):
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
	}
}

// sweepInterval is the pause between sweeps while deletions are not complete.
const sweepInterval = time.Second

// sweepDefinitions continues the deletion of definitions. It reports whether all of them are deleted, or wait for other
// finalizers.
//
// A definition that waits for other finalizers stays Terminating for one more interval after its last object is
// deleted. In a cluster this takes seconds, and clients poll for the condition. emptied has the times at which such
// definitions had no objects left, by name.
func (s *Server) sweepDefinitions(ctx context.Context, emptied map[string]time.Time) (done bool) {
	done = true
	s.reading.forget(s.keeper.Catalog())
	for _, d := range s.keeper.Catalog().Definitions {
		finalizers, _ := d.Metadata["finalizers"].([]any)
		if !d.Deleted() || !slices.Contains(finalizers, any(crd.CleanupFinalizer)) {
			continue
		}
		if !s.canRead(d) {
			done = false
			continue
		}
		if !s.sweepPrefix(ctx, catalog.Prefix(d, "")) {
			done = false
			s.terminating(ctx, d, terminatingCondition(deletionInProgress))
			continue
		}
		if len(finalizers) > 1 {
			since, known := emptied[d.Name()]
			if !known {
				emptied[d.Name()] = time.Now()
			}
			if !known || time.Since(since) < sweepInterval {
				done = false
				continue
			}
		}
		delete(emptied, d.Name())
		done = s.release(ctx, d) && done
	}
	return done
}

// terminating sets the condition of a definition whose objects are being deleted.
func (s *Server) terminating(ctx context.Context, d *crd.CustomResourceDefinition, condition crd.Condition) {
	if now := d.Condition(crd.Terminating); now != nil && now.Equivalent(condition) {
		return
	}
	q := s.ownDefinition(ctx, d.Name())
	defer q.exclusive()()
	item, stored, refused := q.get(q.name)
	if refused != nil {
		return
	}
	if d, err := definitionOf(stored); err == nil {
		d.Status = d.Status.WithCondition(condition, s.now().Truncate(time.Second))
		// If this fails, the next sweep tries again.
		_, _ = q.replace(ctx, writing{}, item, resource.Result{Object: d.Value()})
	}
}

// release removes the server's finalizer from a definition that has no objects. If it was the last finalizer, the
// definition is deleted. It reports success.
func (s *Server) release(ctx context.Context, d *crd.CustomResourceDefinition) bool {
	q := s.ownDefinition(ctx, d.Name())
	defer q.exclusive()()
	item, stored, refused := q.get(q.name)
	if refused != nil {
		return refused.Code == http.StatusNotFound
	}
	if s.any(ctx, catalog.Prefix(d, "")) {
		return false
	}
	meta := maps.Clone(metadata(stored))
	removeFrom(meta, "finalizers", func(f any) bool { return f == crd.CleanupFinalizer })
	after, err := definitionOf(with(stored, meta))
	if err == nil {
		after.Status = after.Status.WithCondition(terminatingCondition(deletionCompleted), s.now().Truncate(time.Second))
		_, err = q.replace(ctx, writing{}, item, resource.Result{Object: after.Value(), Deleted: meta["finalizers"] == nil})
	}
	if err != nil && !overtaken(ctx, err) {
		s.log.Warn("definition stays", "name", d.Name(), "error", err)
	}
	return err == nil || errors.Is(err, storage.ErrNotFound)
}

// overtaken reports whether a write failed because another server on the store was faster, or because this server is
// closing. It is not logged: the next run does what is left.
func overtaken(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, storage.ErrNotFound) || errors.Is(err, storage.ErrConflict) || errors.Is(err, storage.ErrCondition)
}

// sweepNamespaces continues the deletion of namespaces, and reports whether all of them are deleted.
func (s *Server) sweepNamespaces(ctx context.Context) (done bool) {
	page, err := s.store.List(ctx, storage.Range{Prefix: s.ownNamespace(ctx).kind.Prefix("")})
	if err != nil {
		return false
	}
	done = true
	for _, item := range page.Items {
		namespace, err := catalog.Decode(item.Value, item.Revision)
		if err == nil && text(metadata(namespace), "deletionTimestamp") != "" && !s.sweepNamespace(ctx, item, namespace) {
			done = false
		}
	}
	return done
}

// sweepNamespace deletes the objects in a namespace, and then the namespace. It reports whether the namespace is
// deleted.
func (s *Server) sweepNamespace(ctx context.Context, item storage.Item, namespace map[string]any) bool {
	meta := metadata(namespace)
	name, empty := text(meta, "name"), true
	for _, prefix := range s.namespacePrefixes(name) {
		empty = s.sweepPrefix(ctx, prefix) && empty
	}
	if finalizers, _ := meta["finalizers"].([]any); !empty || len(finalizers) > 0 {
		return false
	}
	if s.catchUp(ctx) != nil { // another server may have stored objects whose definition is not in the catalog yet
		return false
	}
	if slices.ContainsFunc(s.namespacePrefixes(name), func(prefix string) bool { return s.any(ctx, prefix) }) {
		return false
	}
	_, err := s.store.Delete(ctx, item.Key, item.Revision)
	return err == nil
}

// namespacePrefixes returns the key prefixes of all objects that may be in a namespace: those of all definitions,
// served or not, and of the built-in kinds.
func (s *Server) namespacePrefixes(namespace string) (out []string) {
	c := s.keeper.Catalog()
	for _, d := range c.Definitions {
		if d.Spec.Scope == crd.NamespaceScoped {
			out = append(out, catalog.Prefix(d, namespace))
		}
	}
	for _, k := range c.Kinds() {
		if k.BuiltIn && k.Namespaced {
			out = append(out, k.Prefix(namespace))
		}
	}
	return out
}

// any reports whether there are keys with a prefix. It returns true if the store fails.
func (s *Server) any(ctx context.Context, prefix string) bool {
	page, err := s.store.List(ctx, storage.Range{Prefix: prefix, Limit: 1})
	return err != nil || len(page.Items) > 0
}

// sweepPrefix deletes all objects with a key prefix, or marks those that have finalizers. It reports whether all are
// deleted.
func (s *Server) sweepPrefix(ctx context.Context, prefix string) (empty bool) {
	empty = true
	for r := (storage.Range{Prefix: prefix, Limit: chunk, Bytes: chunkBytes}); ; {
		page, err := s.store.List(ctx, r)
		if err != nil {
			return false
		}
		for _, item := range page.Items {
			empty = s.sweepObject(ctx, item) && empty
			r.After = item.Key
		}
		if page.Remaining == 0 {
			return empty
		}
	}
}

// sweepObject deletes an object, or marks it as being deleted if it has finalizers. It reports whether the object is
// deleted. If a client changes the object at the same time, the next sweep tries again.
func (s *Server) sweepObject(ctx context.Context, item storage.Item) bool {
	obj, err := catalog.Decode(item.Value, item.Revision)
	if err != nil {
		obj = map[string]any{} // delete objects that cannot be decoded
	}
	meta := maps.Clone(metadata(obj))
	if obj["apiVersion"] == "v1" && obj["kind"] == "PersistentVolumeClaim" && !s.options.KeepGarbage {
		meta = metadata(unprotected(obj, protections["core.v1.PersistentVolumeClaim"])) // the other kinds have no namespace
	}
	if finalizers, _ := meta["finalizers"].([]any); len(finalizers) == 0 {
		_, err := s.store.Delete(ctx, item.Key, item.Revision)
		return err == nil
	}
	if text(meta, "deletionTimestamp") == "" { // DEL-003
		generation, _ := meta["generation"].(int64)
		meta["generation"] = generation + 1
		meta["deletionTimestamp"], meta["deletionGracePeriodSeconds"] = s.timestamp(), int64(0)
		if value, err := encode(with(obj, meta)); err == nil {
			_, _ = s.store.Update(ctx, item.Key, value, item.Revision)
		}
	}
	return false
}
