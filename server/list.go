package server

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/server/internal/limits"
	"github.com/crdkit/crdkit/server/protocol"
	"github.com/crdkit/crdkit/server/storage"
)

// This file reads and writes lists. A long list is read, encoded and written in parts, so that the memory for it does
// not depend on its length.

const (
	// chunk is how many objects are read at once if a selector may skip some of them.
	chunk = 500
	// chunkBytes is the size of their values from which no more are read at once.
	chunkBytes = 1 << 20
)

// A part has some of the objects of a list.
type part struct {
	objects []map[string]any
	sizes   []int // of their values
	last    bool
}

// scan calls each with the parts of the page of objects that the query asks for, until one is refused. With a selector
// it continues to read until the page is full. The last part may be empty. If an object cannot be read, scan looks for
// others that cannot be read either, and refuses the request.
func (q *request) scan(p page, each func(part) *field.Status) (meta resource.ListMeta, refused *field.Status) {
	var broken unreadable
	prefix := q.kind.Prefix(q.namespace)
	selective := !p.selector.Empty()
	r := storage.Range{Prefix: prefix, After: p.after, Limit: p.limit, Revision: p.revision, Bytes: chunkBytes}
	for found := 0; ; {
		if selective {
			r.Limit = chunk
		} else if p.limit > 0 {
			r.Limit = p.limit - found
		}
		got, err := q.s.store.List(q.r.Context(), r)
		if err != nil {
			return meta, q.listFailed(p, err)
		}
		var next part
		size := 0
		for _, item := range got.Items {
			size += len(item.Value)
			r.After = item.Key
		}
		if refused := q.reserveInstead(size); refused != nil { // the previous part may have been smaller
			return meta, refused
		}
		r.Revision = got.Revision // read the rest at the same revision
		for i, item := range got.Items {
			got.Items[i].Value = nil // it is not needed any more
			obj, refused := q.shown(item.Value, item.Revision)
			if refused != nil {
				if broken.add(item.Key, refused); broken.enough() || q.r.Context().Err() != nil {
					return meta, broken.status(q.kind.Resource())
				}
				continue
			}
			if !p.selector.Matches(obj) {
				continue
			}
			next.objects, next.sizes = append(next.objects, obj), append(next.sizes, len(item.Value))
			found++
			if rest := got.Remaining + int64(len(got.Items)-1-i); p.limit > 0 && found == p.limit && rest > 0 {
				meta.Continue = continueAt(got.Revision, strings.TrimPrefix(item.Key, prefix))
				if !selective {
					meta.RemainingItemCount = &rest
				}
				break
			}
		}
		meta.ResourceVersion = strconv.FormatInt(got.Revision, 10)
		next.last = meta.Continue != "" || got.Remaining == 0
		switch {
		case broken.any() && next.last:
			return meta, broken.status(q.kind.Resource())
		case broken.any():
			continue
		}
		if refused := each(next); refused != nil || next.last {
			return meta, refused
		}
	}
}

// unreadable has what a server says of the objects of a list that it cannot read (CNV-033).
type unreadable struct {
	causes []field.StatusCause
	size   int // of their texts
}

const (
	// maxUnreadable is the number of unreadable objects after which a server looks for no more.
	maxUnreadable = 100
	// maxUnreadableText is the size of the texts after which this server looks for no more: a webhook chooses them.
	maxUnreadableText = 1 << 20
	// storePrefix begins the keys in a server's store, and in these texts.
	storePrefix = "/registry"
)

// add adds the refusal to read the object under a key.
func (u *unreadable) add(key string, refused *field.Status) {
	text := refused.Message
	if len(refused.Causes) > 0 {
		text = refused.Causes[0].Message
	}
	text = strings.Replace(text, "Key: /", "Key: "+storePrefix+"/", 1)
	u.causes = append(u.causes, field.StatusCause{Reason: "UnexpectedServerResponse", Field: storePrefix + key, Message: text})
	u.size += len(text)
}

// any reports whether there is one.
func (u *unreadable) any() bool { return len(u.causes) > 0 }

// enough reports whether to look for no more.
func (u *unreadable) enough() bool {
	return len(u.causes) >= maxUnreadable || u.size >= maxUnreadableText
}

func (u *unreadable) status(r resource.GroupResource) *field.Status {
	s := &field.Status{
		Code: http.StatusInternalServerError, Reason: "StorageReadError", Group: r.Group, Kind: r.Resource, Name: "list", Causes: u.causes,
		Message: fmt.Sprintf("failed to read one or more %s from the storage: %s", r, u.causes[0].Message),
	}
	if n := len(u.causes); n > 1 {
		s.Message += fmt.Sprintf(" (and %d more)", n-1)
	}
	if u.enough() {
		s.Causes = append(s.Causes, field.StatusCause{Reason: "FieldValueTooMany", Message: "too many errors, the list is truncated"})
	}
	return s
}

// readList answers GET of a collection.
func (q *request) readList() *field.Status {
	p, refused := q.page()
	if refused != nil {
		return refused
	}
	var whole []map[string]any // if there is only one part
	var l *longList
	defer func() {
		if l != nil && l.leave != nil {
			l.leave()
		}
	}()
	meta, refused := q.scan(p, func(next part) (refused *field.Status) {
		switch {
		case l == nil && next.last:
			whole = next.objects
			return nil
		case l == nil:
			if l, refused = q.newLongList(next); refused != nil {
				return refused
			}
		}
		return l.write(next)
	})
	switch {
	case l == nil && refused != nil:
		return refused
	case l == nil:
		q.list(whole, meta)
		return nil
	case refused == nil:
		refused = l.end(meta)
	}
	if refused == nil {
		return nil
	}
	if !l.begun {
		return refused
	}
	panic(http.ErrAbortHandler) // the client sees that the response is not complete
}

// A longList writes a list of several parts. It is compact JSON, which is also YAML.
type longList struct {
	q      *request
	before []byte    // the text before the first item
	after  []byte    // that after the last one, without the metadata
	begun  bool      // something was written
	items  bool      // there has been an item
	out    io.Writer // the response, or the compressor
	leave  func()    // gives back the memory for the compressor; nil without one
}

// noMetadata is the metadata of a list before its end is known.
const noMetadata = `"metadata":{},`

// encodePart returns the JSON of a list with the given objects, in the negotiated form, without metadata.
func (q *request) encodePart(objects []map[string]any) (text []byte, refused *field.Status) {
	var list any
	switch q.form.As {
	case protocol.AsTable:
		t, refused := q.tableOf(objects, resource.ListMeta{})
		if refused != nil {
			return nil, refused
		}
		list = t
	case protocol.AsPartialObjectMetadataList:
		m := resource.PartialMetadataList(objects, resource.ListMeta{}, q.form.APIVersion)
		delete(m, "metadata")
		list = m
	default:
		if q.kind.BuiltIn {
			objects = untyped(objects)
		}
		m := q.listOf(objects, resource.ListMeta{})
		delete(m, "metadata")
		list = m
	}
	text, err := json.Marshal(list)
	if err != nil {
		return nil, failed(err)
	}
	if q.form.As == protocol.AsTable {
		text = bytes.Replace(text, []byte(noMetadata), nil, 1) // it stands before anything that could contain the text
	}
	return text, nil
}

// newLongList returns a list without items.
func (q *request) newLongList(first part) (*longList, *field.Status) {
	if err := q.fitsList(); err != nil {
		return nil, failed(err)
	}
	empty, refused := q.encodePart(nil)
	if refused != nil {
		return nil, refused
	}
	// The only list in it that is empty, or for a table the last one, has the items.
	i := bytes.LastIndex(empty, []byte("[]")) + 1
	return &longList{q: q, before: empty[:i], after: empty[i : len(empty)-1], out: q.w}, nil
}

// write writes the items of a part.
func (l *longList) write(next part) *field.Status {
	if len(next.objects) == 0 {
		return nil
	}
	text, refused := l.q.encodePart(next.objects)
	if refused != nil {
		return refused
	}
	text = text[len(l.before) : len(text)-len(l.after)-1]
	separator := []byte(",")
	if !l.items {
		separator = l.before
	}
	l.items = true
	return l.send(separator, text)
}

// end writes the rest of the list.
func (l *longList) end(meta resource.ListMeta) *field.Status {
	about, err := json.Marshal(l.q.listOf(nil, meta)["metadata"])
	if l.q.form.As != "" {
		about, err = json.Marshal(meta)
	}
	if err != nil {
		return failed(err)
	}
	var before []byte
	if !l.items {
		before = l.before
	}
	if refused := l.send(before, l.after, []byte(`,"metadata":`), about, []byte("}\n")); refused != nil {
		return refused
	}
	if z, ok := l.out.(*gzip.Writer); ok {
		z.Close()
	}
	return nil
}

// compress compresses the list if the client accepts that, and if there is memory for one more compressor.
func (l *longList) compress() {
	leave, ok := l.q.s.budget.compressors.TryEnter(compressor)
	switch {
	case !ok:
	case l.q.gzips(gzipFrom + 1):
		l.leave = leave
		l.out, _ = gzip.NewWriterLevel(l.q.w, gzip.BestSpeed)
	default:
		leave()
	}
}

// send writes texts, and the header before the first one.
func (l *longList) send(texts ...[]byte) *field.Status {
	size := 0
	for _, text := range texts {
		size += len(text)
	}
	queue := 0
	if !l.begun {
		queue = queued
	}
	err := l.q.deliver(size, queue, func() error {
		if !l.begun {
			l.begun = true
			mediaType := l.q.form.MediaType
			if mediaType == "" {
				mediaType = jsonType
			}
			l.q.headers(mediaType)
			l.compress()
			l.q.w.WriteHeader(http.StatusOK)
		}
		for _, text := range texts {
			if _, err := l.out.Write(text); err != nil {
				return err
			}
		}
		return l.q.slot.control.Flush()
	})
	switch {
	case err == nil:
		return nil
	case errors.Is(err, limits.ErrFull):
		return tooMany()
	}
	return failed(err)
}
