package server

import (
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/protocol"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/server/storage"
	"github.com/crdkit/crdkit/unstructured"
)

// A deletion is what a DELETE says.
type deletion struct {
	writing
	policy        string
	preconditions resource.Preconditions
}

// deletion reads the query and the body of a DELETE.
func (q *request) deletion() (d deletion, refused *field.Status) {
	const kind = "DeleteOptions"
	body, refused := q.body()
	if refused != nil {
		return d, refused
	}
	var sent struct {
		DryRun            []string `json:"dryRun"`
		PropagationPolicy *string  `json:"propagationPolicy"`
		OrphanDependents  *bool    `json:"orphanDependents"`
		Preconditions     struct {
			UID             *string `json:"uid"`
			ResourceVersion *string `json:"resourceVersion"`
		} `json:"preconditions"`
	}
	if len(body) > 0 {
		obj, err := unstructured.Decode(body)
		if err == nil {
			err = unstructured.ToStruct(obj, &sent)
		}
		if err != nil {
			return d, protocol.BadRequest(fmt.Sprintf("the object provided is unrecognized (must be of type DeleteOptions): %v", err))
		}
	} else {
		sent.DryRun = q.query["dryRun"]
		if v := q.query["propagationPolicy"]; len(v) > 0 {
			sent.PropagationPolicy = &v[0]
		}
	}
	if d.dryRun, refused = dryRun(kind, sent.DryRun); refused != nil {
		return d, refused
	}
	switch {
	case sent.PropagationPolicy != nil && sent.OrphanDependents != nil:
		return d, invalidOptions(kind, field.Invalid(field.NewPath("propagationPolicy"), *sent.PropagationPolicy,
			"orphanDependents and deletionPropagation cannot be both set"))
	case sent.PropagationPolicy != nil:
		d.policy = *sent.PropagationPolicy
	case sent.OrphanDependents != nil && *sent.OrphanDependents:
		d.policy = resource.PropagationOrphan
	case sent.OrphanDependents != nil:
		d.policy = resource.PropagationBackground
	}
	d.preconditions = resource.Preconditions(sent.Preconditions)
	return d, nil
}

// delete answers DELETE of an object.
func (q *request) delete() *field.Status {
	d, refused := q.deletion()
	if refused != nil {
		return refused
	}
	result, refused := q.remove(d, q.name, nil)
	q.warnings = append(q.warnings, result.Warnings...)
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

// remove deletes an object, or marks it as one that is to go when its finalizers are gone. It is left alone if it is no longer selected.
func (q *request) remove(d deletion, name string, selector *resource.Selector) (result resource.Result, refused *field.Status) {
	if q.kind.BuiltIn {
		defer q.exclusive()()
		q.s.existence.Lock()
		defer q.s.existence.Unlock()
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
			if r := q.kind.Version().Read(stored); r.Status() == nil && !selector.Matches(r.Object) {
				return result, q.kind.Resource().NotFound(name)
			}
		}
		o := resource.DeleteOptions{PropagationPolicy: d.policy, Now: q.s.now()}
		result = q.kind.Version().Delete(q.r.Context(), stored, o)
		if refused := result.Status(); refused != nil {
			return result, refused
		}
		if q.kind.BuiltIn {
			if result, refused = q.retire(result, stored); refused != nil {
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
		result.Object = stamped(result.Object, revision)
		return result, nil
	}
	return result, q.kind.Resource().Modified(name)
}

// deleteTogether is how many objects of a collection are deleted at once.
const deleteTogether = 16

// deleteCollection answers DELETE of a collection: of all that the selectors select, whatever else is in the way of some.
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
