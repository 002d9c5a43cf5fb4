package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/server/protocol"
	"github.com/crdkit/crdkit/server/storage"
)

// initialEventsEnd is the annotation of the bookmark after the initial events of a watch.
const initialEventsEnd = "k8s.io/initial-events-end"

// A watcher writes the events of a watch.
type watcher struct {
	*request
	selector  *resource.Selector
	bookmarks bool
	columns   bool   // a table's columns have been sent
	revision  int64  // all events up to here have been sent
	from      int64  // events up to here are not sent: the client has asked for a later revision than there was
	unsent    bool   // something was written since the last flush
	leave     func() // gives back the memory for the values that are being written; nil without a place
	written   *http.ResponseController
}

// watch answers GET with watch=true.
func (q *request) watch() *field.Status {
	if q.form.MediaType != jsonType {
		return protocol.NotAcceptable(jsonStream, protobufStream) // there is no stream of YAML
	}
	w := &watcher{request: q, bookmarks: q.flag("allowWatchBookmarks"), written: http.NewResponseController(q.w)}
	initial, duration, refused := w.options()
	var tooNew *field.Status // sent as an event
	if refused != nil && refused.Code == http.StatusGatewayTimeout {
		tooNew = refused
	} else if refused != nil {
		return refused
	}
	ctx, cancel := context.WithTimeout(q.r.Context(), cmp.Or(duration, 30*time.Minute))
	var ends sync.WaitGroup
	ends.Go(func() {
		q.waitForEnd(ctx)
		cancel()
	})
	defer ends.Wait()
	defer cancel()
	// A client that does not read must not keep the server from closing.
	defer onDone(q.s.ctx, func() { _ = w.written.SetWriteDeadline(time.Now()) })()

	defer w.done()
	if tooNew != nil {
		q.headers(jsonType)
		q.w.WriteHeader(http.StatusOK)
		_ = w.refused(tooNew)
		return nil
	}
	var first storage.Page
	if initial {
		var err error
		if first, err = w.page(ctx, storage.Range{}); err != nil {
			return w.notBegun(ctx, err)
		}
		w.revision = first.Revision
	}
	changes, err := q.s.store.Watch(ctx, q.kind.Prefix(q.namespace), w.revision)
	if errors.Is(err, storage.ErrFuture) {
		w.from = w.revision // of which it has no events yet
		if w.revision, err = q.s.store.Revision(ctx); err == nil {
			changes, err = q.s.store.Watch(ctx, q.kind.Prefix(q.namespace), w.revision)
		}
	}
	if err != nil && !errors.Is(err, storage.ErrCompacted) {
		return w.notBegun(ctx, err)
	}
	// From here on an error is sent as an event. The deadlines of the HTTP server are for other requests, and must not end
	// the watch.
	if err := errors.Join(w.written.SetReadDeadline(time.Time{}), w.written.SetWriteDeadline(time.Time{})); err != nil {
		if changes != nil {
			changes.Close()
		}
		return protocol.Internal(err)
	}
	q.headers(jsonType)
	q.w.WriteHeader(http.StatusOK)
	w.unsent = true
	if err != nil {
		w.failed(err)
		return nil
	}
	w.run(ctx, initial, first, changes)
	return nil
}

// notBegun returns the refusal for an error before the first event. If the error is only that the watch has to end, it
// ends without events.
func (w *watcher) notBegun(ctx context.Context, err error) *field.Status {
	if w.r.Context().Err() != nil || ctx.Err() == nil {
		return failed(err)
	}
	w.headers(jsonType)
	w.w.WriteHeader(http.StatusOK)
	return nil
}

// onDone calls f in a goroutine of its own when ctx is done. After stop, which is called once, f is not running and will
// not run: the writer of an HTTP/2 response must not be used after its handler.
func onDone(ctx context.Context, f func()) (stop func()) {
	returned := make(chan struct{})
	cancel := context.AfterFunc(ctx, func() {
		defer close(returned)
		f()
	})
	return func() {
		if !cancel() {
			<-returned
		}
	}
}

// hold takes a place for values that are being written, unless they are small. If there is none it returns false; then
// the caller has to forget the values, call wait, and read them again.
func (w *watcher) hold(size int) (ok bool) {
	if size <= smallEvents || w.leave != nil {
		return true
	}
	w.leave, ok = w.s.budget.events.TryEnter(int64(size))
	return ok
}

// wait waits for a place of that size.
func (w *watcher) wait(ctx context.Context, size int) (err error) {
	w.leave, err = w.s.budget.events.Enter(ctx, int64(size), 0)
	return err
}

// done gives back the place.
func (w *watcher) done() {
	if w.leave != nil {
		w.leave()
		w.leave = nil
	}
}

// waitForEnd waits until the watch has to end: ctx is done, the server ends its watches, or the kind has changed since
// the watch began.
func (q *request) waitForEnd(ctx context.Context) {
	for c := q.catalog; ; c = q.s.keeper.Catalog() {
		k := c.Kind(q.kind.Group, q.kind.VersionName, q.kind.Names.Plural)
		if k == nil || k.Compiled() != q.kind.Compiled() {
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

// options reads the query, and reports whether the watch starts with the existing objects, and how long it lasts.
func (w *watcher) options() (initial bool, duration time.Duration, refused *field.Status) {
	l, refused := w.listQuery(true)
	if refused != nil {
		return false, 0, refused
	}
	w.selector = l.selector
	revision, wrong := parseRevision(l.version)
	if wrong != nil {
		return false, 0, refusal.Plain(wrong.Error())
	}
	w.revision = int64(min(revision, math.MaxInt64))
	switch {
	case w.flag(sendInitialEvents):
		return true, l.duration, w.notOlder(revision)
	case !w.has(sendInitialEvents) && revision == 0:
		return true, l.duration, nil
	case revision == 0: // from now on
		current, err := w.s.store.Revision(w.r.Context())
		if err != nil {
			return false, 0, failed(err)
		}
		w.revision = current
	}
	return false, l.duration, nil
}

// The limits of the existing objects that a watch reads at once. They stay in memory while a slow client reads.
const (
	initialPage  = 100
	initialBytes = 64 << 10
)

// jsonCopies is how often a watch has a value while it writes: the value and its JSON.
const jsonCopies = 2

// smallEvents is the size of values and their JSON up to which they do not count towards the limit of all watches.
const smallEvents = jsonCopies * initialBytes

// page reads some of the objects that the watch begins with.
func (w *watcher) page(ctx context.Context, r storage.Range) (storage.Page, error) {
	w.done()
	r.Prefix, r.Limit, r.Bytes = w.kind.Prefix(w.namespace), initialPage, initialBytes
	for {
		page, err := w.s.store.List(ctx, r)
		if err != nil {
			return page, err
		}
		size := 0
		for _, item := range page.Items {
			size += jsonCopies * len(item.Value)
		}
		if w.hold(size) {
			return page, nil
		}
		page.Items = nil
		if err := w.wait(ctx, size); err != nil {
			return page, err
		}
	}
}

// initial writes the objects that the watch begins with, given the first page of them.
func (w *watcher) initial(ctx context.Context, page storage.Page) error {
	for {
		for _, item := range page.Items {
			s := seen{w.request, item.Key, item.Value, item.Revision, false}
			if is, refused := w.selects(s); refused != nil {
				return w.refused(refused)
			} else if !is {
				continue
			}
			if err := w.event("ADDED", s); err != nil {
				return err
			}
		}
		if err := w.flush(); err != nil || page.Remaining == 0 {
			return err
		}
		var err error
		if page, err = w.page(ctx, storage.Range{After: page.Items[len(page.Items)-1].Key, Revision: page.Revision}); err != nil {
			w.failed(err)
			return err
		}
	}
}

// run writes events until ctx is done, the client disconnects, or there is an error: of the objects that exist if
// initial is set, of which first is a page, and of changes, which it closes.
func (w *watcher) run(ctx context.Context, initial bool, first storage.Page, changes storage.Watch) {
	defer func() { changes.Close() }()
	if w.initial(ctx, first) != nil {
		return
	}
	w.done()
	if initial && w.bookmark(map[string]any{initialEventsEnd: "true"}) != nil {
		return
	}
	if w.flush() != nil {
		return
	}
	due := time.Now().Add(w.s.options.Bookmark)
	for ctx.Err() == nil {
		wait, cancel := context.WithDeadline(ctx, due)
		got, err := changes.Next(wait)
		cancel()
		if size := sizeOf(got); err == nil && !w.hold(size) {
			// The events have to wait. The watch goes back to its position, and does not keep them.
			got = storage.Changes{}
			changes.Close()
			if err = w.wait(ctx, size); err == nil {
				if changes, err = w.s.store.Watch(ctx, w.kind.Prefix(w.namespace), w.revision); err != nil {
					changes = nothing{}
				}
			}
		} else if err == nil {
			err = w.events(got)
			got = storage.Changes{}
		}
		switch {
		case err == nil:
		case errors.Is(err, errUnread), errors.Is(err, errRefused):
			return
		case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
			err = nil
		default:
			w.failed(err)
			return
		}
		over := ctx.Err() != nil // a last bookmark lets the client continue from there
		if over || !time.Now().Before(due) {
			err = w.bookmark(nil)
			due = time.Now().Add(w.s.options.Bookmark)
		}
		if err != nil || w.flush() != nil {
			return
		}
	}
}

// sizeOf returns the size of events with their JSON.
func sizeOf(changes storage.Changes) (size int) {
	for _, e := range changes.Events {
		size += jsonCopies*len(e.Value) + len(e.Previous)
	}
	return size
}

// nothing is a watch that could not be opened again.
type nothing struct{ storage.Watch }

func (nothing) Close() {}

// patience is how long a client may take to read what was written. Then it is disconnected.
const patience = 30 * time.Second

// flush sends what was written since the last flush.
func (w *watcher) flush() error {
	if !w.unsent {
		return nil
	}
	w.unsent = false
	return w.write(w.written.Flush)
}

// errUnread is the error of a write that the client has not read in time, or cannot read any more.
var errUnread = errors.New("the client does not read")

// write calls do with a deadline, which is earlier if other watches wait for the memory of this one. Between writes
// there is no deadline: for HTTP/2, one that passes ends the stream even if nothing is being written.
func (w *watcher) write(do func() error) error {
	if w.leave != nil {
		defer w.s.hurry(w.s.budget.events, 0, w.written.SetWriteDeadline)()
	} else {
		if err := w.written.SetWriteDeadline(time.Now().Add(w.s.patience)); err != nil {
			return errors.Join(errUnread, err)
		}
		defer func() { _ = w.written.SetWriteDeadline(time.Time{}) }()
	}
	// If the server is closing, the deadline above may have replaced the one set by onDone in watch.
	if err := w.s.ctx.Err(); err != nil {
		return errors.Join(errUnread, err)
	}
	if err := do(); err != nil {
		return errors.Join(errUnread, err)
	}
	return nil
}

// events writes changes as seen through the selector: an object that the selector starts to select is ADDED, and an
// object that it no longer selects is DELETED.
func (w *watcher) events(changes storage.Changes) error {
	defer w.done()
	for _, e := range changes.Events {
		if e.Revision <= w.from {
			continue
		}
		before, after := seen{w.request, e.Key, e.Previous, e.Revision, true}, seen{w.request, e.Key, e.Value, e.Revision, false}
		was, refused := w.selects(before)
		is := false
		if refused == nil {
			is, refused = w.selects(after)
		}
		if refused != nil {
			return w.refused(refused)
		}
		var err error
		switch {
		case was && is:
			err = w.event("MODIFIED", after)
		case is:
			err = w.event("ADDED", after)
		case was:
			err = w.event("DELETED", before) // the last state, at the revision of the deletion
		}
		if err != nil {
			return err
		}
	}
	w.revision = changes.Revision
	return w.flush()
}

// selects reports whether the object exists and the selector selects it.
func (w *watcher) selects(s seen) (bool, *field.Status) {
	if s.value == nil || w.selector.Empty() {
		return s.value != nil, nil
	}
	obj, refused := s.object()
	return refused == nil && w.selector.Matches(obj), refused
}

// event writes an event with an object, in the form that the client has negotiated.
func (w *watcher) event(kind string, s seen) error {
	if w.form.As == "" {
		text, refused := s.json()
		if refused != nil {
			return w.refused(refused)
		}
		return w.line(kind, text)
	}
	obj, refused := s.object()
	if refused != nil {
		return w.refused(refused)
	}
	return w.object(kind, obj)
}

// object writes an event with an object, in the form that the client has negotiated, without the cache of views.
func (w *watcher) object(event string, obj map[string]any) error {
	switch w.form.As {
	case "":
		return w.send(event, obj)
	case protocol.AsTable:
		version := text(metadata(obj), "resourceVersion")
		t, refused := w.tableOf([]map[string]any{obj}, resource.ListMeta{ResourceVersion: version})
		if refused != nil {
			return w.refused(refused)
		}
		if w.columns {
			t.Columns = nil // TAB-033
		}
		w.columns = true
		return w.send(event, t)
	}
	if err := w.fitsObject(obj); err != nil {
		return w.refused(failed(err))
	}
	return w.send(event, resource.PartialMetadata(obj, w.form.APIVersion))
}

// bookmark writes a bookmark if the client has asked for bookmarks.
func (w *watcher) bookmark(annotations map[string]any) error {
	if !w.bookmarks {
		return nil
	}
	meta := map[string]any{"resourceVersion": strconv.FormatInt(max(w.revision, w.from), 10), "creationTimestamp": nil}
	if annotations != nil {
		meta["annotations"] = annotations
	}
	obj := map[string]any{"kind": w.kind.Names.Kind, "apiVersion": w.kind.APIVersion(), "metadata": meta}
	return w.object("BOOKMARK", obj)
}

// failed writes an ERROR event with the reason for the end of the watch.
func (w *watcher) failed(err error) {
	refused := failed(err)
	if errors.Is(err, storage.ErrCompacted) {
		refused = expired(fmt.Sprintf("too old resource version: %d", w.revision))
	}
	_ = w.refused(refused)
}

// errRefused is the error of a watch after an ERROR event.
var errRefused = errors.New("the watch was refused")

// refused writes an ERROR event. The caller has to end the watch: the client does not know what it has missed.
func (w *watcher) refused(refused *field.Status) error {
	if err := w.send("ERROR", refused); err != nil {
		return err
	}
	if err := w.flush(); err != nil {
		return err
	}
	return errRefused
}

// send encodes an object and writes an event with it.
func (w *watcher) send(event string, obj any) error {
	text, err := json.Marshal(obj)
	if err != nil {
		return err
	}
	return w.line(event, text)
}

// line writes an event with an encoded object.
func (w *watcher) line(event string, object []byte) error {
	w.unsent = true
	return w.write(func() error {
		for _, part := range [][]byte{[]byte(`{"type":"` + event + `","object":`), object, []byte("}\n")} {
			if _, err := w.w.Write(part); err != nil {
				return err
			}
		}
		return nil
	})
}
