package server

import (
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/protocol"
	"github.com/crdkit/crdkit/server/internal/catalog"
)

// A request is an HTTP request in progress.
type request struct {
	s     *Server
	w     http.ResponseWriter
	r     *http.Request
	query url.Values
	form  protocol.Form
	slot  *slot
	user  User

	// Set by route, for requests for objects.
	catalog              *catalog.Catalog
	kind                 *catalog.Kind
	namespace, name, sub string

	warnings  []string
	passed    bool           // admission is complete
	admitted  map[string]any // the definition that is written, before it was encoded for storage
	unsettled map[string]any // the definition before the server set its own status
	checkedAt int64          // the catalog's revision when a definition was checked against the others
}

// flag reports whether a boolean query parameter is set.
func (q *request) flag(name string) bool {
	v := q.query[name]
	return len(v) > 0 && v[0] != "false" && v[0] != "0"
}

// route answers the request according to its path.
func (q *request) route() {
	q.catalog = q.s.keeper.Catalog()
	path := q.path()
	switch path[0] {
	case "openapi":
		q.openAPI(path[1:])
		return
	case "version":
		q.version()
		return
	}
	if path[0] == "api" && len(path) <= 2 || path[0] == "apis" && len(path) <= 3 {
		q.discover(path)
		return
	}
	var err error
	if q.form, err = protocol.NegotiateObject(q.r.Header.Get("Accept")); err != nil {
		q.refuse(failed(err))
		return
	}
	switch {
	case path[0] == "api" && path[1] == "v1":
		q.objects("", path[1], path[2:])
	case path[0] == "apis":
		q.objects(path[1], path[2], path[3:])
	default:
		q.noPath()
	}
}

// noPath answers a request for an unknown path (KCT-040).
func (q *request) noPath() {
	q.w.Header().Set("X-Content-Type-Options", "nosniff")
	q.headers("text/plain; charset=utf-8")
	q.w.WriteHeader(http.StatusNotFound)
	io.WriteString(q.w, "404 page not found\n")
}

// inNamespace splits the path of objects in a version of a group: it returns the namespace, or "", and the rest.
func inNamespace(group string, path []string) (namespace string, rest []string) {
	if path[0] == catalog.Namespaces && len(path) > 2 && !(group == "" && (path[2] == "status" || path[2] == finalizeSubresource)) {
		return path[1], path[2:]
	}
	return "", path
}

// isWatch reports whether the request is a watch: for a request with another method or for another path than that of a
// collection, the query parameter has no effect.
func (q *request) isWatch() bool {
	if q.r.Method != http.MethodGet && q.r.Method != http.MethodHead || !q.flag("watch") {
		return false
	}
	path := q.path()
	switch {
	case path[0] == "api" && len(path) > 2:
		_, path = inNamespace("", path[2:])
	case path[0] == "apis" && len(path) > 3:
		_, path = inNamespace(path[1], path[3:])
	default:
		return false
	}
	return len(path) == 1
}

// path returns the parts of the request's path.
func (q *request) path() []string { return strings.Split(strings.Trim(q.r.URL.Path, "/"), "/") }

// objects answers a request for objects: [namespaces/NAMESPACE/]RESOURCE[/NAME[/SUBRESOURCE]] in a version of a group.
func (q *request) objects(group, version string, path []string) {
	q.namespace, path = inNamespace(group, path)
	if q.review(group, version, path) {
		return
	}
	q.kind = q.catalog.Kind(group, version, path[0])
	if len(path) > 3 && (q.kind == nil || q.kind.BuiltIn) || path[len(path)-1] == "" || len(path) > 1 && path[1] == "" {
		q.noPath()
		return
	}
	if len(path) > 1 {
		q.name = path[1]
	}
	if len(path) > 2 {
		q.sub = path[2]
	}
	if q.pod() {
		return
	}
	declared := q.kind != nil && q.hasSubresource() && len(path) < 4
	if !declared {
		q.unserved(group, version, path[0])
	}
	if q.kind == nil || !q.inScope() || !declared && q.kind.BuiltIn {
		q.noPath()
		return
	}
	if text, deprecated := q.kind.Definition.Lookup().DeprecationWarning(version); deprecated {
		q.warnings = append(q.warnings, text) // DSC-009: for every request
	}
	if !declared {
		q.refuse(q.kind.Resource().NotFound(q.name))
		return
	}
	if q.r.Method == http.MethodPost && q.sub == "" && !q.kind.BuiltIn {
		q.name = "" // A create of a custom object ignores the name in the path.
	}
	q.methods()
}

// inScope reports whether the path has a namespace exactly if the kind is namespaced. A list may be of all namespaces
// (DSC-008).
func (q *request) inScope() bool {
	if q.kind.Namespaced && q.namespace == "" {
		return q.name == "" && q.r.Method == http.MethodGet
	}
	return q.kind.Namespaced || q.namespace == ""
}

func (q *request) hasSubresource() bool {
	switch q.sub {
	case "":
		return true
	case "status":
		return q.kind.Status
	case "scale":
		return q.kind.Scale
	case finalizeSubresource:
		return q.kind.BuiltIn && q.kind.Group == "" && q.kind.Names.Plural == catalog.Namespaces
	}
	return false
}

// methods calls the handler for the request's method.
func (q *request) methods() {
	method := q.r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	var refused *field.Status
	switch collection := q.name == ""; {
	case q.sub == finalizeSubresource && method == http.MethodPut:
		refused = q.finalize()
	case q.sub == finalizeSubresource:
		refused = q.kind.Resource().MethodNotAllowed(verb(method))
	case method == http.MethodGet && collection && q.flag("watch"):
		refused = q.watch()
	case method == http.MethodGet && collection:
		refused = q.readList()
	case method == http.MethodGet:
		refused = q.read()
	case method == http.MethodPost && collection:
		refused = q.create()
	case method == http.MethodPut && collection:
		refused = refusal.BadRequest("name must be provided")
	case method == http.MethodPut:
		refused = q.update()
	case method == http.MethodPatch && !collection:
		refused = q.patch()
	case method == http.MethodDelete && collection:
		refused = q.deleteCollection()
	case method == http.MethodDelete && q.sub == "":
		refused = q.delete()
	default:
		refused = q.kind.Resource().MethodNotAllowed(verb(method))
	}
	if refused != nil {
		q.refuse(refused)
	}
}

// verb returns the verb for a method in error messages.
func verb(method string) string {
	if verb, known := map[string]string{"POST": "create", "DELETE": "delete", "PATCH": "patch"}[method]; known {
		return verb
	}
	return strings.ToLower(method)
}
