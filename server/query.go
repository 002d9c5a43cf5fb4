package server

import (
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/query"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/resource"
)

// This file reads query parameters. As on a server, only the first value of a parameter counts, except for dryRun.

// has reports whether the query has a parameter, which may be empty.
func (q *request) has(name string) bool { return len(q.query[name]) > 0 }

// flag reports whether a boolean query parameter is set. Only false and 0 mean that it is not.
func (q *request) flag(name string) bool {
	return q.has(name) && !strings.EqualFold(q.query[name][0], "false") && q.query[name][0] != "0"
}

// integer returns the number in a query parameter, or nil if there is none.
func (q *request) integer(name string) (*int64, *field.Status) {
	if !q.has(name) {
		return nil, nil
	}
	n, err := strconv.ParseInt(q.query[name][0], 10, 64)
	if err != nil {
		return nil, refusal.BadRequest(err.Error())
	}
	return &n, nil
}

// timeout returns the time that a request that is not a watch may take: at most that of the server's options. A longer
// one in the query, or one that is not positive, has no effect.
func (q *request) timeout() (time.Duration, *field.Status) {
	most := q.s.options.Timeout
	text := q.query.Get("timeout")
	if text == "" {
		return most, nil
	}
	asked, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return 0, refusal.BadRequest("invalid timeout specified in the request URL - " + err.Error())
	case asked > 0:
		return min(asked, most), nil
	}
	return most, nil
}

// A listQuery has the query parameters of a list, a watch, or the deletion of a collection.
type listQuery struct {
	selector *resource.Selector
	limit    int
	duration time.Duration // of a watch; 0: the server chooses it
	version  string
	match    string
	resume   string // the continue token
}

const (
	matchExact    = "Exact"
	matchNotOlder = "NotOlderThan"
)

// listQuery reads the query parameters of a list or a watch, and refuses values that are wrong or cannot be combined
// (KCT-040: bad query).
func (q *request) listQuery(watch bool) (l listQuery, refused *field.Status) {
	seconds, refused := q.integer("timeoutSeconds")
	if refused != nil {
		return l, refused
	}
	if seconds != nil {
		l.duration = time.Duration(*seconds) * time.Second // a server does not check this for an overflow either
	}
	limit, refused := q.integer("limit")
	if refused != nil {
		return l, refused
	}
	if limit != nil {
		l.limit = int(min(max(*limit, 0), math.MaxInt32)) // no collection is longer
	}
	labels, fields := q.query.Get("labelSelector"), q.query.Get("fieldSelector")
	if err := query.CheckSelectors(labels, fields); err != nil {
		return l, refusal.BadRequest(err.Error())
	}
	l.version, l.match = q.query.Get("resourceVersion"), q.query.Get("resourceVersionMatch")
	l.resume = q.query.Get("continue")
	errs := q.listErrors(l)
	if watch {
		errs = q.watchErrors(l)
	}
	if len(errs) > 0 {
		return l, invalidOptions("ListOptions", errs...)
	}
	var err error
	if l.selector, err = q.kind.Version().Selector(labels, fields); err != nil {
		return l, failed(err)
	}
	return l, nil
}

const sendInitialEvents = "sendInitialEvents"

var matchPath = field.NewPath("resourceVersionMatch")

// listErrors returns the errors in the options of a list.
func (q *request) listErrors(l listQuery) (errs field.List) {
	forbid := func(path *field.Path, why string) { errs = append(errs, field.Forbidden(path, why)) }
	if l.match != "" {
		if l.version == "" {
			forbid(matchPath, "resourceVersionMatch is forbidden unless resourceVersion is provided")
		}
		if l.resume != "" {
			forbid(matchPath, "resourceVersionMatch is forbidden when continue is provided")
		}
		if l.match != matchExact && l.match != matchNotOlder {
			errs = append(errs, field.NotSupported(matchPath, l.match, matchExact, matchNotOlder, ""))
		}
		if l.match == matchExact && l.version == "0" {
			forbid(matchPath, `resourceVersionMatch "exact" is forbidden for resourceVersion "0"`)
		}
	}
	if q.has(sendInitialEvents) {
		forbid(field.NewPath(sendInitialEvents), "sendInitialEvents is forbidden for list")
	}
	return errs
}

// watchErrors returns the errors in the options of a watch.
func (q *request) watchErrors(l listQuery) (errs field.List) {
	forbid := func(why string) { errs = append(errs, field.Forbidden(matchPath, why)) }
	if q.has(sendInitialEvents) && l.match != matchNotOlder {
		forbid("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan")
	}
	if l.match == "" {
		if l.resume != "" && !q.has(sendInitialEvents) && (l.version == "" || l.version == "0") { // it has initial events
			forbid("resourceVersionMatch is forbidden when continue is provided")
		}
		return errs
	}
	if !q.has(sendInitialEvents) {
		forbid("resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided")
	}
	if l.match != matchNotOlder {
		errs = append(errs, field.NotSupported(matchPath, l.match, matchNotOlder))
	}
	if l.resume != "" {
		forbid("resourceVersionMatch is forbidden when continue is provided")
	}
	return errs
}

// parseRevision returns a resourceVersion as a number: 0 if it is missing, or "0", which means any version.
func parseRevision(version string) (uint64, *field.Error) {
	if version == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(version, 10, 64)
	if err != nil {
		return 0, field.Invalid(field.NewPath("resourceVersion"), version, err.Error())
	}
	return n, nil
}

// selectName selects the object with the name in the path, for a watch of one object. It refuses a field selector that
// selects others.
func (q *request) selectName() *field.Status {
	only := "metadata.name=" + q.name
	switch sent := q.query.Get("fieldSelector"); {
	case sent == "":
		q.query.Set("fieldSelector", only)
	case !slices.Contains(strings.Split(strings.ReplaceAll(sent, "==", "="), ","), only):
		return refusal.BadRequest("fieldSelector metadata.name doesn't match requested name")
	}
	return nil
}

// noMethod answers a request whose path exists for other methods, as a server does for built-in kinds. It returns nil.
func (q *request) noMethod() *field.Status {
	return q.noRoute(http.StatusMethodNotAllowed, "MethodNotAllowed", "the server does not allow this method on the requested resource")
}

// noRoute answers a request for which the router of built-in kinds has no handler. It returns nil.
func (q *request) noRoute(code int, reason, message string) *field.Status {
	q.sendStatus(code, map[string]any{
		"kind": "Status", "apiVersion": "v1", "metadata": map[string]any{}, "status": "Failure", "reason": reason,
		"message": message, "details": map[string]any{}, "code": code,
	})
	return nil
}

// noKind answers a request for a watch of nothing.
func (q *request) noKind() {
	uri := q.r.URL.RequestURI()
	text := fmt.Sprintf("Internal Server Error: %q: failed to create RequestInfo: "+
		"unable to determine kind and namespace from url, %s", uri, uri)
	escaped := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
	http.Error(q.w, escaped, http.StatusInternalServerError)
}
