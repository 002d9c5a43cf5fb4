package server

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/protocol"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/server/storage"
)

// read answers GET of an object or a subresource.
func (q *request) read() *field.Status {
	if refused := q.notOlder(q.query.Get("resourceVersion")); refused != nil {
		return refused
	}
	return q.answerStored()
}

// answerStored answers with the stored object, or with its Scale for the scale subresource.
func (q *request) answerStored() *field.Status {
	unlock := q.exclusive() // wait for writes of definitions whose results other clients may have seen
	item, stored, refused := q.get(q.name)
	unlock()
	if refused == nil {
		refused = q.reserve(len(item.Value))
	}
	if refused != nil {
		return refused
	}
	obj, refused := q.readStored(stored)
	if refused != nil {
		return refused
	}
	if q.sub == "scale" {
		var err error
		if obj, err = q.kind.Version().Scale(stored); err != nil {
			return failed(err)
		}
	}
	q.answer(http.StatusOK, obj)
	return nil
}

// notOlder refuses a resourceVersion that is invalid or newer than the store's revision.
func (q *request) notOlder(version string) *field.Status {
	revision, refused := parseRevision(version)
	if refused != nil || revision == 0 {
		return refused
	}
	current, err := q.s.store.Revision(q.r.Context())
	switch {
	case err != nil:
		return failed(err)
	case revision > current:
		return protocol.TooNew(uint64(revision), uint64(current))
	}
	return nil
}

// parseRevision returns a resourceVersion as a number: 0 if it is missing, or "0", which means any version.
func parseRevision(version string) (int64, *field.Status) {
	if version == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(version, 10, 64)
	if err != nil || n < 0 {
		e := field.Invalid(field.NewPath("resourceVersion"), version, fmt.Sprintf("strconv.ParseUint: parsing %q: invalid syntax", version))
		return 0, refusal.BadRequest("invalid resource version: " + e.Error())
	}
	return n, nil
}

// A page selects the objects of a list.
type page struct {
	selector *resource.Selector
	limit    int
	after    string // the last key of the previous page
	revision int64  // 0: the latest
	resumed  bool   // the request has a continue token
}

// A token is the content of a continue token, which is encoded as JSON in base64.
type token struct {
	Revision int64  `json:"rv"`
	After    string `json:"after"` // without the prefix of the list
}

const (
	matchExact    = "Exact"
	matchNotOlder = "NotOlderThan"
)

// page reads the query parameters of a list (KCT-040: bad query).
func (q *request) page() (p page, refused *field.Status) {
	if p.limit, refused = q.number("limit"); refused != nil {
		return p, refused
	}
	var err error
	if p.selector, err = q.kind.Version().Selector(q.query.Get("labelSelector"), q.query.Get("fieldSelector")); err != nil {
		return p, failed(err)
	}
	version, match, resume := q.query.Get("resourceVersion"), q.query.Get("resourceVersionMatch"), q.query.Get("continue")
	if refused := q.listOptions(version, match, resume); refused != nil {
		return p, refused
	}
	if resume != "" {
		return q.resume(p, version, resume)
	}
	revision, refused := parseRevision(version)
	switch {
	case refused != nil:
		return p, refused
	case match == matchExact, match == "" && p.limit > 0:
		p.revision = revision
		return p, nil
	}
	return p, q.notOlder(version)
}

// resume decodes a continue token.
func (q *request) resume(p page, version, resume string) (page, *field.Status) {
	if version != "" && version != "0" {
		return p, refusal.BadRequest("specifying resource version is not allowed when using continue")
	}
	var t token
	raw, err := base64.RawURLEncoding.DecodeString(resume)
	if err == nil {
		err = json.Unmarshal(raw, &t)
	}
	if err == nil && (t.Revision <= 0 || t.After == "") {
		err = errors.New("it is empty")
	}
	if err != nil {
		return p, refusal.BadRequest(fmt.Sprintf("invalid continue token: continue key is not valid: %v", err))
	}
	p.revision, p.after, p.resumed = t.Revision, q.kind.Prefix(q.namespace)+t.After, true
	return p, nil
}

// listOptions refuses options that cannot be combined.
func (q *request) listOptions(version, match, resume string) *field.Status {
	path := field.NewPath("resourceVersionMatch")
	var why string
	switch {
	case q.query.Get("sendInitialEvents") != "":
		path, why = field.NewPath("sendInitialEvents"), "sendInitialEvents is forbidden for list"
	case match == "":
		return nil
	case resume != "":
		why = "resourceVersionMatch is forbidden when continue is provided"
	case version == "":
		why = "resourceVersionMatch is forbidden unless resourceVersion is provided"
	case match != matchExact && match != matchNotOlder:
		return invalidOptions("ListOptions", field.NotSupported(path, match, matchExact, matchNotOlder))
	case match == matchExact && version == "0":
		why = `resourceVersionMatch "exact" is forbidden for resourceVersion "0"`
	default:
		return nil
	}
	return invalidOptions("ListOptions", field.Forbidden(path, why))
}

// number returns the number in a query parameter: 0 if it is missing or negative.
func (q *request) number(name string) (int, *field.Status) {
	v := q.query.Get(name)
	if v == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(v, 10, 32)
	if err != nil {
		return 0, refusal.BadRequest(err.Error())
	}
	return int(max(n, 0)), nil
}

func continueAt(revision int64, after string) string {
	raw, _ := json.Marshal(token{revision, after})
	return base64.RawURLEncoding.EncodeToString(raw)
}

// listFailed returns the refusal for an error of the store in a list.
func (q *request) listFailed(p page, err error) *field.Status {
	switch {
	case errors.Is(err, storage.ErrCompacted) && p.resumed:
		return expired("The provided continue parameter is too old to display a consistent list result. " +
			"You can start a new list without the continue parameter.")
	case errors.Is(err, storage.ErrCompacted):
		return expired("The resourceVersion for the provided list is too old.")
	case errors.Is(err, storage.ErrFuture):
		return q.tooNew(p.revision)
	}
	return failed(err)
}

// expired is 410: the state that the client wants to continue from is too old.
func expired(message string) *field.Status {
	return &field.Status{Code: http.StatusGone, Reason: "Expired", Message: message}
}

// tooNew refuses a revision that the store has not reached.
func (q *request) tooNew(revision int64) *field.Status {
	current, _ := q.s.store.Revision(q.r.Context())
	return protocol.TooNew(uint64(revision), uint64(current))
}
