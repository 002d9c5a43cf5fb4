package server

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"sync"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/server/internal/catalog"
	"github.com/crdkit/crdkit/server/internal/hooks"
	"github.com/crdkit/crdkit/server/internal/limits"
	"github.com/crdkit/crdkit/server/protocol"
	"github.com/crdkit/crdkit/server/storage"
)

// delete answers DELETE of an object.
func (q *request) delete() *field.Status {
	d, refused := q.deletion()
	if refused != nil {
		return refused
	}
	if d.unsafe {
		return q.refuseUnsafe()
	}
	q.warnOfPropagation(d)
	result, _, refused := q.remove(d, q.name, nil)
	switch {
	case refused != nil:
		return refused
	case !result.Deleted && d.accepted:
		q.answer(http.StatusAccepted, result.Object)
		return nil
	case !result.Deleted, q.kind.ReturnsDeleted:
		q.answer(http.StatusOK, result.Object)
		return nil
	}
	q.send(http.StatusOK, q.kind.Version().DeletedStatus(result.Object))
	return nil
}

// refuseUnsafe answers a request to delete an object only if it cannot be read. This server deletes no such object.
func (q *request) refuseUnsafe() *field.Status {
	if q.kind.Type == catalog.NamespaceType {
		return protocol.Internal(errors.New("no unsafe deleter provided, can not honor " + ignoreStoreReadError))
	}
	if _, _, refused := q.get(q.name); refused != nil {
		return refused
	}
	return q.storageError(storePrefix, "unsafe deletion is not allowed because the object is decodable from storage")
}

// checkPreconditions refuses a deletion of which the stored object does not meet the preconditions. For namespaces and
// definitions, a server has other texts than for other objects.
func (q *request) checkPreconditions(p resource.Preconditions, name string, stored map[string]any) error {
	err := p.Check(stored)
	unmet := map[string]string{catalog.NamespaceType: "Precondition failed", catalog.DefinitionType: "precondition failed"}[q.kind.Type]
	if err == nil || unmet == "" {
		return err
	}
	of, want, is := "UID", p.UID, text(metadata(stored), "uid")
	if want == nil || *want == is {
		of, want, is = "ResourceVersion", p.ResourceVersion, text(metadata(stored), "resourceVersion")
	}
	return q.kind.Resource().Conflict(name, fmt.Sprintf("%s: %s in precondition: %s, %s in object meta: %s", unmet, of, *want, of, is))
}

// remove deletes an object, or sets its deletionTimestamp if it has finalizers. It does not delete an object that the
// selector no longer selects. before is the stored object.
func (q *request) remove(d deletion, name string, selector *resource.Selector) (
	result resource.Result, before map[string]any, refused *field.Status,
) {
	special := q.kind.BuiltIn && q.kind.Described()
	if special {
		defer q.exclusive()()
	}
	q.deleteOptions = d.options
	refused = q.attempt(name, func(item storage.Item, stored map[string]any) error {
		before = stored
		if err := q.checkPreconditions(d.preconditions, name, stored); err != nil {
			return err
		}
		if selector != nil {
			if obj, refused := q.readStored(stored); refused == nil && !selector.Matches(obj) {
				return q.kind.Resource().NotFound(name)
			}
		}
		if q.kind.Type == podType && metadata(stored)["deletionTimestamp"] == nil {
			q.deleteOptions = maps.Clone(d.options) // a server sets the grace period before admission
			if q.deleteOptions == nil {
				q.deleteOptions = map[string]any{}
			}
			q.deleteOptions["gracePeriodSeconds"] = gracePeriod(d.gracePeriod, stored)
		}
		if refused := q.validate(hooks.Delete, d.dryRun, nil, stored); refused != nil {
			return refused
		}
		if finalizer := protections[q.kind.Type]; finalizer != nil && !q.s.options.KeepGarbage {
			stored = unprotected(stored, finalizer) // nothing uses it: no Pod runs
		}
		result = q.kind.Version().Delete(q.r.Context(), stored, resource.DeleteOptions{PropagationPolicy: q.propagation(d, stored), Now: q.s.now()})
		result.Object = q.encoded(result.Object)
		if refused := result.Status(); refused != nil {
			return refused
		}
		if special {
			var refused *field.Status
			if result, refused = q.markDeleted(result, stored); refused != nil {
				return refused
			}
		}
		var err error
		if q.kind.Type == podType {
			marked := false
			if result, marked = q.graceful(d, result, stored); marked {
				if item, err = q.mark(d, item, result); err != nil {
					return err
				}
			}
		}
		var revision int64
		if revision, err = q.replace(q.r.Context(), d.writing, item, result); err == nil {
			q.s.wake()
			result.Object = withRevision(result.Object, revision)
		}
		return err
	})
	return result, before, refused
}

// concurrentDeletes is how many objects of a collection are deleted concurrently.
const concurrentDeletes = 16

// maxDeleted is the maximum size of the objects in the response to the deletion of a collection, in bytes of JSON. The
// rest is deleted, and left out.
const maxDeleted = 4 << 20

// deleteCollection answers DELETE of a collection with its objects as they were before. It stops at the first one that
// cannot be deleted: of the following ones, those whose deletion has begun may be deleted.
func (q *request) deleteCollection() *field.Status {
	l, refused := q.listQuery(false)
	if refused != nil {
		return refused
	}
	d, refused := q.deletion()
	if refused != nil {
		return refused
	}
	if d.unsafe {
		return invalidOptions("DeleteOptions", field.Invalid(field.NewPath(ignoreStoreReadError), true,
			"is not allowed with DELETECOLLECTION, try again after removing the option"))
	}
	q.warnOfPropagation(d)
	p, refused := q.pageOf(l)
	if refused != nil {
		return refused
	}
	var selected []deletable
	size := 0
	meta, refused := q.scan(p, func(next part) *field.Status {
		for i, obj := range next.objects {
			size += next.sizes[i]
			of := metadata(obj)
			selected = append(selected, deletable{text(of, "namespace"), text(of, "name"), size > maxDeleted, nil})
		}
		return nil
	})
	q.slot.releaseWork() // each deletion takes a place
	if refused == nil {
		refused = q.holdResults(min(size, maxDeleted))
	}
	if refused == nil {
		refused = q.deleteAll(d, p.selector, selected)
	}
	if refused != nil {
		return refused
	}
	var deleted []map[string]any
	for _, s := range selected {
		if s.before != nil {
			deleted = append(deleted, s.before)
		}
	}
	q.list(deleted, meta)
	return nil
}

// A deletable is an object of a collection.
type deletable struct {
	namespace, name string
	omitted         bool           // from the response
	before          map[string]any // what it was
}

// holdResults waits for the memory to hold decoded objects while others are deleted.
func (q *request) holdResults(size int) *field.Status {
	if size <= small || q.slot.leaveBodies != nil {
		return nil
	}
	leave, err := q.s.budget.bodies.Enter(q.r.Context(), growth*int64(size), queued)
	switch {
	case errors.Is(err, limits.ErrFull):
		return tooMany()
	case err != nil:
		return failed(err)
	}
	q.slot.leaveBodies = leave
	return nil
}

// deleteAll deletes objects, sets what they were, and returns the refusal of the first that cannot be deleted. After a
// refusal it begins no further deletion.
func (q *request) deleteAll(d deletion, selector *resource.Selector, selected []deletable) (refused *field.Status) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	first := len(selected) // of those that were refused
	slots := make(chan struct{}, concurrentDeletes)
	for i := range selected {
		s := &selected[i]
		slots <- struct{}{}
		mu.Lock()
		stop := refused != nil
		mu.Unlock()
		if stop {
			break
		}
		wg.Go(func() {
			defer func() { <-slots }()
			one := *q
			one.slot, one.warnings, one.namespace = new(slot), nil, s.namespace
			_, before, failure := one.remove(d, s.name, selector)
			if failure == nil && !s.omitted {
				s.before, failure = q.readStored(before)
			}
			one.slot.release()
			if failure != nil && !equal(failure, q.kind.Resource().NotFound(s.name)) {
				mu.Lock()
				defer mu.Unlock()
				if i < first {
					first, refused = i, failure
				}
			}
		})
	}
	wg.Wait()
	return refused
}
