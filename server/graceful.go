package server

import (
	"maps"
	"time"

	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/server/storage"
)

// This file deletes Pods. Unlike other objects, a Pod is first marked as being deleted, which watches see. A Pod that
// runs on a node then stays until a node agent, or who acts for it, deletes it without a grace period.

const podType = "core.v1.Pod"

// graceful applies the grace period to r, the result of the deletion of a stored Pod. It reports whether the object is
// written with its mark even if it is then deleted.
func (q *request) graceful(d deletion, r resource.Result, stored map[string]any) (_ resource.Result, marked bool) {
	meta := maps.Clone(metadata(r.Object))
	now := q.s.now().UTC()
	period := gracePeriod(d.gracePeriod, stored)
	if since, err := time.Parse(time.RFC3339, text(metadata(stored), "deletionTimestamp")); err == nil {
		// A second deletion can only shorten the grace period.
		before, _ := metadata(stored)["deletionGracePeriodSeconds"].(int64)
		if d.gracePeriod == nil || period >= before {
			if before > 0 && r.Deleted {
				r.Deleted, r.Object = false, stored
			}
			return r, false
		}
		meta["deletionTimestamp"] = since.Add(time.Duration(period-before) * time.Second).Format(time.RFC3339)
	} else {
		meta["deletionTimestamp"] = now.Add(time.Duration(period) * time.Second).Format(time.RFC3339)
		if generation, ok := metadata(stored)["generation"].(int64); ok {
			meta["generation"] = generation + 1
		}
	}
	meta["deletionGracePeriodSeconds"] = period
	r.Object = with(r.Object, meta)
	r.Deleted = r.Deleted && period == 0
	return r, true
}

// maxGrace limits grace periods, in seconds. No time is beyond the year 9999.
const maxGrace = 1 << 31

// gracePeriod returns the grace period of a Pod's deletion in seconds. sent is that of the options; nil: none.
func gracePeriod(sent *int64, pod map[string]any) int64 {
	period, ok := int64(30), false
	if sent != nil {
		period = *sent
	} else if period, ok = mapAt(pod, "spec")["terminationGracePeriodSeconds"].(int64); !ok {
		period = 30
	}
	phase := text(mapAt(pod, "status"), "phase")
	switch {
	case text(mapAt(pod, "spec"), "nodeName") == "", phase == "Failed", phase == "Succeeded":
		return 0
	case period < 0:
		return 1
	}
	return min(period, maxGrace)
}

// markTime is how long a Pod that no node runs stays after it was marked: about as long as a store on a disk takes for
// the write. Controllers that look for Pods with a mark have time to see it.
const markTime = 5 * time.Millisecond

// mark stores the marked object before it is deleted, and returns the item to delete.
func (q *request) mark(d deletion, item storage.Item, r resource.Result) (storage.Item, error) {
	if d.dryRun || !r.Deleted {
		return item, nil
	}
	r.Deleted = false
	revision, err := q.replace(q.r.Context(), d.writing, item, r)
	item.Revision = revision
	if err == nil {
		select {
		case <-time.After(markTime):
		case <-q.r.Context().Done():
			err = q.r.Context().Err()
		}
	}
	return item, err
}
