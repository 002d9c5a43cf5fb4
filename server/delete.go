package server

import (
	"net/http"
	"sync"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/server/storage"
)

// delete answers DELETE of an object.
func (q *request) delete() *field.Status {
	d, refused := q.deletion()
	if refused != nil {
		return refused
	}
	result, refused := q.remove(d, q.name, nil)
	switch {
	case refused != nil:
		return refused
	case !result.Deleted:
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
	refused = q.attempt(name, func(item storage.Item, stored map[string]any) error {
		if err := d.preconditions.Check(stored); err != nil {
			return err
		}
		if selector != nil {
			if obj, refused := q.readStored(stored); refused == nil && !selector.Matches(obj) {
				return q.kind.Resource().NotFound(name)
			}
		}
		if refused := q.validate(operationDelete, d.dryRun, nil, stored); refused != nil {
			return refused
		}
		result = q.kind.Version().Delete(q.r.Context(), stored, resource.DeleteOptions{PropagationPolicy: d.policy, Now: q.s.now()})
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
		revision, err := q.replace(q.r.Context(), d.writing, item, result)
		if err == nil {
			q.s.wake()
			result.Object = withRevision(result.Object, revision)
		}
		return err
	})
	return result, refused
}

// concurrentDeletes is how many objects of a collection are deleted concurrently.
const concurrentDeletes = 16

// deleteCollection answers DELETE of a collection. If some of the selected objects cannot be deleted, it still deletes
// the others.
func (q *request) deleteCollection() *field.Status {
	d, refused := q.deletion()
	if refused != nil {
		return refused
	}
	p, objects, meta, refused := q.collect()
	if refused != nil {
		return refused
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	slots := make(chan struct{}, concurrentDeletes)
	for i, obj := range objects {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			one := *q
			one.warnings = nil
			one.namespace = text(metadata(obj), "namespace")
			result, failure := one.remove(d, text(metadata(obj), "name"), p.selector)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case failure == nil:
				objects[i] = result.Object
			case failure.Code != http.StatusNotFound && refused == nil:
				refused = failure
			}
		})
	}
	wg.Wait()
	if refused != nil {
		return refused
	}
	q.list(objects, meta)
	return nil
}
