package server

import (
	"errors"
	"maps"
	"net/http"
	"sync"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/server/internal/hooks"
	"github.com/crdkit/crdkit/server/internal/limits"
	"github.com/crdkit/crdkit/server/storage"
)

// delete answers DELETE of an object.
func (q *request) delete() *field.Status {
	d, refused := q.deletion()
	if refused != nil {
		return refused
	}
	q.warnOfPropagation(d)
	result, refused := q.remove(d, q.name, nil)
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

// remove deletes an object, or sets its deletionTimestamp if it has finalizers. It does not delete an object that the
// selector no longer selects.
func (q *request) remove(d deletion, name string, selector *resource.Selector) (result resource.Result, refused *field.Status) {
	special := q.kind.BuiltIn && q.kind.Described()
	if special {
		defer q.exclusive()()
	}
	q.deleteOptions = d.options
	refused = q.attempt(name, func(item storage.Item, stored map[string]any) error {
		if err := d.preconditions.Check(stored); err != nil {
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
		result.Object = q.withoutGeneration(result.Object)
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
	return result, refused
}

// concurrentDeletes is how many objects of a collection are deleted concurrently.
const concurrentDeletes = 16

// maxDeleted is the maximum size of the objects in the response to the deletion of a collection, in bytes of JSON. The
// rest is deleted, and left out.
const maxDeleted = 4 << 20

// deleteCollection answers DELETE of a collection. If some of the selected objects cannot be deleted, it still deletes
// the others.
func (q *request) deleteCollection() *field.Status {
	p, refused := q.page()
	if refused != nil {
		return refused
	}
	d, refused := q.deletion()
	if refused != nil {
		return refused
	}
	q.warnOfPropagation(d)
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
	var left []map[string]any
	for _, s := range selected {
		if s.result != nil {
			left = append(left, s.result)
		}
	}
	q.list(left, meta)
	return nil
}

// A deletable is an object of a collection.
type deletable struct {
	namespace, name string
	omitted         bool           // from the response
	result          map[string]any // what is left of it
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

// deleteAll deletes objects, and sets their results. It returns the first refusal.
func (q *request) deleteAll(d deletion, selector *resource.Selector, selected []deletable) (refused *field.Status) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	slots := make(chan struct{}, concurrentDeletes)
	for i := range selected {
		s := &selected[i]
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			one := *q
			one.slot, one.warnings, one.namespace = new(slot), nil, s.namespace
			result, failure := one.remove(d, s.name, selector)
			one.slot.release()
			switch {
			case failure == nil && !s.omitted:
				s.result = result.Object
			case failure != nil && !equal(failure, q.kind.Resource().NotFound(s.name)):
				mu.Lock()
				defer mu.Unlock()
				if refused == nil {
					refused = failure
				}
			}
		})
	}
	wg.Wait()
	return refused
}
