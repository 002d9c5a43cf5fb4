package server

import (
	"errors"
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

// remove deletes an object, or sets its deletionTimestamp if it has finalizers. An object that the selector no longer selects is not deleted.
func (q *request) remove(d deletion, name string, selector *resource.Selector) (result resource.Result, refused *field.Status) {
	special := q.kind.BuiltIn && q.kind.Described()
	if special {
		defer q.exclusive()()
	}
	for range mostAttempts {
		item, stored, refused := q.get(name)
		if refused != nil {
			return result, refused
		}
		if err := d.preconditions.Check(stored); err != nil {
			return result, failed(err)
		}
		if selector != nil {
			if r := q.readStored(stored); r.Status() == nil && !selector.Matches(r.Object) {
				return result, q.kind.Resource().NotFound(name)
			}
		}
		if q.validates(operationDelete) {
			r := q.readStored(stored)
			refused := r.Status()
			if refused == nil {
				refused = q.validate(operationDelete, d.dryRun, nil, r.Object)
			}
			if refused != nil {
				return result, refused
			}
		}
		o := resource.DeleteOptions{PropagationPolicy: d.policy, Now: q.s.now()}
		result = q.kind.Version().Delete(q.r.Context(), stored, o)
		result.Object = q.withoutGeneration(result.Object)
		if refused := result.Status(); refused != nil {
			return result, refused
		}
		if special {
			if result, refused = q.markDeleted(result, stored); refused != nil {
				return result, refused
			}
		}
		revision, err := q.replace(q.r.Context(), d.writing, item, result)
		switch {
		case errors.Is(err, storage.ErrConflict), errors.Is(err, storage.ErrNotFound):
			continue
		case err != nil:
			return result, failed(err)
		}
		q.s.wake()
		result.Object = withRevision(result.Object, revision)
		return result, nil
	}
	return result, q.kind.Resource().Modified(name)
}

// deleteTogether is how many objects of a collection are deleted at once.
const deleteTogether = 16

// deleteCollection answers DELETE of a collection. If some of the selected objects cannot be deleted, the others are.
func (q *request) deleteCollection() *field.Status {
	d, refused := q.deletion()
	if refused != nil {
		return refused
	}
	p, refused := q.page()
	if refused != nil {
		return refused
	}
	objects, meta, refused := q.collect(p)
	if refused != nil {
		return refused
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	places := make(chan struct{}, deleteTogether)
	for i, obj := range objects {
		places <- struct{}{}
		wg.Go(func() {
			defer func() { <-places }()
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
