package server

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"path"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/server/protocol"
	"github.com/crdkit/crdkit/server/storage"
)

// read answers GET of an object or a subresource.
func (q *request) read() *field.Status {
	if q.flag("export") {
		return refusal.BadRequest("the export parameter, deprecated since v1.14, is no longer supported")
	}
	revision, wrong := parseRevision(q.query.Get("resourceVersion"))
	if wrong != nil {
		return refusal.Plain(wrong.Error())
	}
	if refused := q.notOlder(revision); refused != nil {
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

// notOlder refuses a resourceVersion that is newer than the store's revision.
func (q *request) notOlder(revision uint64) *field.Status {
	if revision == 0 {
		return nil
	}
	current, err := q.s.store.Revision(q.r.Context())
	switch {
	case err != nil:
		return failed(err)
	case revision > uint64(current):
		return protocol.TooNew(revision, uint64(current))
	}
	return nil
}

// A page selects the objects of a list.
type page struct {
	selector *resource.Selector
	limit    int
	after    string // the last key of the previous page
	revision int64  // 0: the latest
	resumed  bool   // the request has a continue token
}

// page reads the query parameters of a list.
func (q *request) page() (p page, refused *field.Status) {
	l, refused := q.listQuery(false)
	if refused != nil {
		return p, refused
	}
	return q.pageOf(l)
}

// pageOf returns the page for query parameters that are valid alone. It refuses versions and continue tokens that the
// store does not have.
func (q *request) pageOf(l listQuery) (p page, refused *field.Status) {
	p.selector, p.limit = l.selector, l.limit
	if l.version == "0" && l.resume == "" {
		p.limit = 0 // a server answers from its cache, without a limit
	}
	if l.resume != "" {
		return q.resume(p, l)
	}
	revision, wrong := parseRevision(l.version)
	switch {
	case wrong != nil:
		return p, refusal.BadRequest("invalid resource version: " + wrong.Error())
	case revision > math.MaxInt64:
		return p, q.tooNew(revision)
	case l.match == matchExact, l.match == "" && p.limit > 0:
		p.revision = int64(revision)
		return p, nil
	}
	return p, q.notOlder(revision)
}

// continueToken is the content of a continue token, which is encoded as JSON in base64. It has the form, and the type
// the name, of a server's: the text of an error has it.
type continueToken struct {
	APIVersion      string `json:"v"`
	ResourceVersion int64  `json:"rv"`
	StartKey        string `json:"start"` // without the prefix of the list
}

const tokenVersion = "meta.k8s.io/v1"

// resume decodes a continue token.
func (q *request) resume(p page, l listQuery) (page, *field.Status) {
	t, err := decodeToken(l.resume)
	switch {
	case err != nil:
		return p, refusal.BadRequest("invalid continue token: continue key is not valid: " + err.Error())
	case l.version != "" && l.version != "0":
		return p, refusal.BadRequest("specifying resource version is not allowed when using continue")
	}
	p.revision = max(t.ResourceVersion, 0) // a negative one is the latest
	p.after, p.resumed = q.kind.Prefix(q.namespace)+before(strings.TrimPrefix(t.StartKey, "/")), true
	return p, nil
}

func decodeToken(text string) (t continueToken, err error) {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(raw, &t)
	}
	rooted := "/" + strings.TrimPrefix(t.StartKey, "/")
	switch {
	case err != nil:
		return t, err
	case t.APIVersion != tokenVersion:
		return t, fmt.Errorf("server does not recognize this encoded version %s", t.APIVersion)
	case t.ResourceVersion == 0:
		return t, errors.New("incorrect encoded start resourceVersion (version meta.k8s.io/v1)")
	case t.StartKey == "":
		return t, errors.New("encoded start key empty (version meta.k8s.io/v1)")
	case path.Clean(rooted) != rooted:
		return t, errors.New(t.StartKey)
	}
	return t, nil
}

// before returns a text that is less than start, and such that no key is between them.
func before(start string) string {
	if start == "" {
		return ""
	}
	end := len(start) - 1
	if start[end] == 0 {
		return start[:end]
	}
	return start[:end] + string([]byte{start[end] - 1, 0xff})
}

func continueAt(revision int64, after string) string {
	raw, _ := json.Marshal(continueToken{tokenVersion, revision, after + "\x00"})
	return base64.RawURLEncoding.EncodeToString(raw)
}

// listFailed returns the refusal for an error of the store in a list.
func (q *request) listFailed(p page, err error) *field.Status {
	switch {
	case errors.Is(err, storage.ErrCompacted) && p.resumed:
		refused := expired("The provided continue parameter is too old to display a consistent list result. " +
			"You can start a new list without the continue parameter, or use the continue token in this response to retrieve " +
			"the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that " +
			"were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.")
		refused.Continue = continueAt(-1, strings.TrimPrefix(p.after, q.kind.Prefix(q.namespace)))
		return refused
	case errors.Is(err, storage.ErrCompacted):
		return expired("The resourceVersion for the provided list is too old.")
	case errors.Is(err, storage.ErrFuture):
		return q.tooNew(uint64(p.revision))
	}
	return failed(err)
}

// expired is 410: the state that the client wants to continue from is too old.
func expired(message string) *field.Status {
	return &field.Status{Code: http.StatusGone, Reason: "Expired", Message: message}
}

// tooNew refuses a revision that the store has not reached.
func (q *request) tooNew(revision uint64) *field.Status {
	current, _ := q.s.store.Revision(q.r.Context())
	return protocol.TooNew(revision, uint64(current))
}
