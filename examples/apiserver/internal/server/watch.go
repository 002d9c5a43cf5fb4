package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/crdkit/crdkit/examples/apiserver/internal/storage"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/protocol"
	"github.com/crdkit/crdkit/resource"
)

// initialEventsEnd marks the bookmark behind the objects that a watch starts with.
const initialEventsEnd = "k8s.io/initial-events-end"

// A watcher writes the events of a watch.
type watcher struct {
	*request
	selector  *resource.Selector
	bookmarks bool
	headed    bool  // a table's columns have been sent
	revision  int64 // all events up to here have been sent
	written   *http.ResponseController
}

// watch answers GET with watch=true.
func (q *request) watch() *field.Status {
	w := &watcher{request: q, bookmarks: q.flag("allowWatchBookmarks"), written: http.NewResponseController(q.w)}
	initial, refused := w.options()
	if refused != nil {
		return refused
	}
	seconds, refused := q.number("timeoutSeconds")
	if refused != nil {
		return refused
	}
	if seconds == 0 {
		seconds = 30 * 60
	}
	ctx, cancel := context.WithTimeout(q.r.Context(), time.Duration(seconds)*time.Second)
	defer cancel()
	go func() {
		q.lasts(ctx)
		cancel()
	}()

	var first []map[string]any
	if initial {
		objects, meta, refused := q.collect(page{selector: w.selector})
		if refused != nil {
			return refused
		}
		first = objects
		w.revision, _ = strconv.ParseInt(meta.ResourceVersion, 10, 64)
	}
	changes, err := q.s.store.Watch(ctx, q.kind.Prefix(q.namespace), w.revision)
	if errors.Is(err, storage.ErrFuture) {
		current, _ := q.s.store.Revision(ctx)
		return protocol.TooNew(uint64(w.revision), uint64(current))
	}
	if err != nil && !errors.Is(err, storage.ErrCompacted) {
		return failed(err)
	}
	if err == nil {
		defer changes.Close()
	}
	// From here on an error is an event.
	// There is nothing more to read, but the server's limit for that would end the watch.
	if err := errors.Join(w.written.SetReadDeadline(time.Time{}), w.written.SetWriteDeadline(time.Now().Add(patience))); err != nil {
		return protocol.Internal(err)
	}
	q.headers("application/json")
	q.w.WriteHeader(http.StatusOK)
	if err != nil {
		w.failed(err)
		return nil
	}
	w.run(ctx, first, changes)
	return nil
}

// lasts waits until the watch has to end: with the server, or because the kind is no longer what it was when the watch began.
func (q *request) lasts(ctx context.Context) {
	for c := q.catalog; ; c = q.s.keeper.Catalog() {
		k := c.Kind(q.kind.Group, q.kind.VersionName, q.kind.Names.Plural)
		if k == nil || k.Compiled != q.kind.Compiled {
			return
		}
		select {
		case <-q.s.keeper.Changed(c):
		case <-q.s.ending:
			return
		case <-ctx.Done():
			return
		}
	}
}

// options reads the query, and reports whether the watch starts with the objects that there are.
func (w *watcher) options() (initial bool, refused *field.Status) {
	var err error
	if w.selector, err = w.kind.Version.Selector(w.query.Get("labelSelector"), w.query.Get("fieldSelector")); err != nil {
		return false, failed(err)
	}
	match, send := w.query.Get("resourceVersionMatch"), w.query.Get("sendInitialEvents")
	switch path := field.NewPath("resourceVersionMatch"); {
	case send != "" && match != matchNotOlder:
		return false, invalidOptions("ListOptions", field.Forbidden(path, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"))
	case send == "" && match != "":
		return false, invalidOptions("ListOptions", field.Forbidden(path, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"))
	}
	version := w.query.Get("resourceVersion")
	if w.revision, refused = parseRevision(version); refused != nil {
		return false, refused
	}
	switch {
	case send != "" && w.flag("sendInitialEvents"):
		return true, w.notOlder(version)
	case send == "" && w.revision == 0:
		return true, nil
	case w.revision == 0: // from now on
		current, err := w.s.store.Revision(w.r.Context())
		if err != nil {
			return false, failed(err)
		}
		w.revision = current
	}
	return false, nil
}

// run writes events until ctx is done, or the client is gone, or something fails.
func (w *watcher) run(ctx context.Context, first []map[string]any, changes storage.Watch) {
	for _, obj := range first {
		if w.object("ADDED", obj) != nil {
			return
		}
	}
	if w.flag("sendInitialEvents") && w.bookmark(map[string]any{initialEventsEnd: "true"}) != nil {
		return
	}
	if w.flush() != nil {
		return
	}
	for ctx.Err() == nil {
		wait, cancel := context.WithTimeout(ctx, w.s.options.Bookmark)
		got, err := changes.Next(wait)
		cancel()
		switch {
		case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
			// Also the last word before the end, so that the client can go on from here.
			err = w.bookmark(nil)
		case err != nil:
			w.failed(err)
			return
		default:
			err = w.events(got)
		}
		if err != nil || w.flush() != nil {
			return
		}
	}
}

// patience is how long a client may take to read what was written.
const patience = 30 * time.Second

func (w *watcher) flush() error {
	err := w.written.Flush()
	if err == nil {
		err = w.written.SetWriteDeadline(time.Now().Add(w.s.options.Bookmark + patience))
	}
	return err
}

// events writes changes as the selector shows them: an object that it begins to select is new, and one that it no longer selects is gone.
func (w *watcher) events(changes storage.Changes) error {
	for _, e := range changes.Events {
		var before, after map[string]any
		var refused *field.Status
		if e.Previous != nil {
			before, refused = w.shown(e.Previous, e.Revision)
		}
		if e.Value != nil && refused == nil {
			after, refused = w.shown(e.Value, e.Revision)
		}
		if refused != nil {
			return w.send("ERROR", refused)
		}
		was, is := before != nil && w.selector.Matches(before), after != nil && w.selector.Matches(after)
		var err error
		switch {
		case was && is:
			err = w.object("MODIFIED", after)
		case is:
			err = w.object("ADDED", after)
		case was:
			err = w.object("DELETED", before) // as it was last, at the revision at which it went
		}
		if err != nil {
			return err
		}
	}
	w.revision = changes.Revision
	return nil
}

// object writes an event with an object, in the form that the client wants.
func (w *watcher) object(event string, obj map[string]any) error {
	obj = outward(w.kind, obj)
	switch w.form.As {
	case "":
		return w.send(event, obj)
	case protocol.AsTable:
		version := text(metadata(obj), "resourceVersion")
		t, refused := w.tableOf([]map[string]any{obj}, resource.ListMeta{ResourceVersion: version})
		if refused != nil {
			return w.send("ERROR", refused)
		}
		if w.headed {
			t.Columns = nil // TAB-033
		}
		w.headed = true
		return w.send(event, t)
	}
	if refused := w.form.FitsObject(obj); refused != nil {
		return w.send("ERROR", refused)
	}
	return w.send(event, resource.PartialMetadata(obj, w.form.APIVersion))
}

// bookmark says how far the watch has come, if the client wants to know.
func (w *watcher) bookmark(annotations map[string]any) error {
	if !w.bookmarks && annotations == nil {
		return nil
	}
	meta := map[string]any{"resourceVersion": strconv.FormatInt(w.revision, 10), "creationTimestamp": nil}
	if annotations != nil {
		meta["annotations"] = annotations
	}
	obj := map[string]any{"kind": w.kind.Names.Kind, "apiVersion": w.kind.APIVersion(), "metadata": meta}
	return w.object("BOOKMARK", obj)
}

// failed writes why the watch cannot go on.
func (w *watcher) failed(err error) {
	refused := failed(err)
	if errors.Is(err, storage.ErrCompacted) {
		refused = protocol.Expired(fmt.Sprintf("too old resource version: %d", w.revision))
	}
	if w.send("ERROR", refused) == nil {
		w.flush()
	}
}

// send writes one line.
func (w *watcher) send(event string, obj any) error {
	line, err := json.Marshal(struct {
		Type   string `json:"type"`
		Object any    `json:"object"`
	}{event, obj})
	if err != nil {
		return err
	}
	_, err = w.w.Write(append(line, '\n'))
	return err
}
