package server

import (
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/patch"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/server/internal/catalog"
	"github.com/crdkit/crdkit/server/protocol"
	"github.com/crdkit/crdkit/server/storage"
)

// A request is an HTTP request in progress.
type request struct {
	s     *Server
	w     http.ResponseWriter
	r     *http.Request
	query url.Values
	form  protocol.Form
	unfit error // why there is no form that the client accepts
	slot  *slot
	user  User

	// Set by route, for requests for objects.
	catalog              *catalog.Catalog
	kind                 *catalog.Kind
	namespace, name, sub string
	watched              bool // the path asks for a watch
	older                bool // the path is the older one of Bindings

	warnings []string

	deleteOptions map[string]any // of a deletion, for reviews

	placed    *storage.Item  // the namespace of the new object, as admission has read it
	passed    bool           // admission is complete
	admitted  map[string]any // the definition that is written, before it was encoded for storage
	unsettled map[string]any // the definition before the server set its own status
	checkedAt int64          // the catalog's revision when a definition was checked against the others
}

// route answers the request according to its path.
func (q *request) route() {
	q.catalog = q.s.keeper.Catalog()
	q.form, q.unfit = protocol.NegotiateObject(q.r.Header.Get("Accept"))
	path, watch := q.path()
	q.watched = watch
	switch path[0] {
	case "", "index.html":
		if len(path) == 1 {
			q.index()
			return
		}
	case "openapi":
		q.openAPI()
		return
	case "healthz", "livez", "readyz":
		q.healthCheck(path)
		return
	case "version":
		q.version(path[1:])
		return
	}
	if path[0] == "api" && len(path) <= 2 || path[0] == "apis" && len(path) <= 3 {
		if watch {
			q.noKind()
			return
		}
		q.discover(path)
		return
	}
	switch {
	case path[0] == "api" && path[1] == "v1":
		q.objects("", path[1], path[2:])
	case path[0] == "apis":
		q.objects(path[1], path[2], path[3:])
	case path[0] == "api":
		q.noObjects("")
	default:
		q.noPath()
	}
}

// noPath answers a request for an unknown path (KCT-040).
func (q *request) noPath() {
	q.w.Header().Set("X-Content-Type-Options", "nosniff")
	q.headers(textType + "; charset=utf-8")
	q.w.WriteHeader(http.StatusNotFound)
	io.WriteString(q.w, "404 page not found\n")
}

// noObjects answers a request for an unknown path in a group. In those of built-in kinds, the answer is a Status.
func (q *request) noObjects(group string) {
	if !q.catalog.HasBuiltIn(group) {
		q.noPath()
		return
	}
	q.noResource()
}

// noResource answers a request for a path that the router of built-in kinds does not have.
func (q *request) noResource() {
	q.noRoute(http.StatusNotFound, "NotFound", "the server could not find the requested resource")
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
	path, watch := q.path()
	if watch {
		return len(path) > 2
	}
	if q.r.Method != http.MethodGet && q.r.Method != http.MethodHead || !q.flag("watch") {
		return false
	}
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

// path returns the parts of the request's path. If the word watch stands before the resource, as in requests of old
// clients, it is left out, and the second result is true.
func (q *request) path() (path []string, watch bool) {
	path = strings.Split(strings.Trim(q.r.URL.Path, "/"), "/")
	at := map[string]int{"api": 2, "apis": 3}[path[0]]
	if at == 0 || len(path) <= at || path[at] != "watch" {
		return path, false
	}
	return slices.Delete(path, at, at+1), true
}

// objects answers a request for objects: [namespaces/NAMESPACE/]RESOURCE[/NAME[/SUBRESOURCE]] in a version of a group.
func (q *request) objects(group, version string, path []string) {
	q.namespace, path = inNamespace(group, path)
	if q.review(group, version, path) || q.bindings(group, path) {
		return
	}
	q.kind = q.catalog.Kind(group, version, path[0])
	if q.kind != nil && q.kind.BuiltIn && len(path) > 3 && path[0] == catalog.Pods && path[2] == "proxy" {
		path = path[:3] // the rest is for the Pod
	}
	if len(path) > 3 && (q.kind == nil || q.kind.BuiltIn) || path[len(path)-1] == "" || len(path) > 1 && path[1] == "" {
		q.noObjects(group)
		return
	}
	if len(path) > 1 {
		q.name = path[1]
	}
	if len(path) > 2 {
		q.sub = path[2]
	}
	if q.pod() || q.token() {
		return
	}
	declared := q.kind != nil && q.hasSubresource() // of custom resources, the rest of the path is ignored
	if !declared {
		q.unserved(group, version, path[0])
	}
	if q.kind == nil || !q.inScope() || !declared && q.kind.BuiltIn {
		if q.kind != nil && q.kind.BuiltIn && q.kind.Namespaced && q.namespace == "" && q.name == "" {
			q.noMethod() // all namespaces can only be read
			return
		}
		q.noObjects(group)
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
	switch {
	case !q.kind.Namespaced || q.namespace != "":
		return q.kind.Namespaced || q.namespace == ""
	case q.name != "":
		return false
	case q.kind.BuiltIn:
		return q.r.Method == http.MethodGet
	}
	return q.reads() || q.watched
}

func (q *request) hasSubresource() bool {
	switch q.sub {
	case "":
		return true
	case "status":
		return q.kind.Status
	case "scale":
		return q.kind.Scale
	case approvalSubresource:
		return q.kind.Type == catalog.CertificateType
	case finalizeSubresource:
		return q.kind.BuiltIn && q.kind.Group == "" && q.kind.Names.Plural == catalog.Namespaces
	}
	return false
}

// methods calls the handler for the request's method.
func (q *request) methods() {
	method := q.r.Method
	if method == http.MethodHead && !q.kind.BuiltIn {
		method = http.MethodGet
	}
	streams := q.watched || method == http.MethodGet && q.name == ""
	if handle := q.handler(method); handle == nil {
		q.otherMethod(method)
	} else if q.accepted(streams) {
		if refused := handle(); refused != nil {
			q.refuse(refused)
		}
	}
}

// handler returns the handler for a method, or nil if the path does not have it.
func (q *request) handler(method string) func() *field.Status {
	switch collection := q.name == ""; {
	case q.watched && q.kind.BuiltIn && method != http.MethodGet:
		return nil
	case q.watched:
		return q.watchPath
	case q.sub == finalizeSubresource && method == http.MethodPut:
		return q.finalize
	case method == http.MethodGet && collection && q.flag("watch"):
		return q.watch
	case method == http.MethodGet && collection:
		return q.readList
	case method == http.MethodGet && q.sub != finalizeSubresource:
		return q.read
	case method == http.MethodPost && collection:
		return q.create
	case method == http.MethodPut && !collection:
		return q.update
	case method == http.MethodPatch && !collection && q.sub != finalizeSubresource:
		return q.patch
	case method == http.MethodDelete && collection && q.kind.Type != catalog.NamespaceType:
		return q.deleteCollection
	case method == http.MethodDelete && !collection && q.sub == "":
		return q.delete
	}
	return nil
}

// watchPath answers a request whose path asks for a watch. For custom resources, the method does not matter.
func (q *request) watchPath() *field.Status {
	switch {
	case q.sub != "" && q.kind.BuiltIn:
		q.noPath()
		return nil
	case q.sub != "":
		return q.kind.Resource().MethodNotAllowed("watch")
	case q.name != "":
		if refused := q.selectName(); refused != nil {
			return refused
		}
	}
	return q.watch()
}

// otherMethod refuses a method that the path does not have. The routes of built-in kinds are separate for each method;
// all requests for a custom resource have one handler.
func (q *request) otherMethod(method string) {
	switch named := method == http.MethodPut || method == http.MethodPatch; {
	case q.kind.BuiltIn:
		q.noMethod()
	case named && q.name == "":
		refused := refusal.BadRequest("name must be provided")
		if method == http.MethodPatch && q.patchType() != applyPatch {
			if _, unsupported := patch.Accept(q.r.Header.Get("Content-Type"), nil); unsupported != nil {
				refused = unsupported
			}
		}
		q.refuse(refused)
	default:
		q.refuse(q.kind.Resource().MethodNotAllowed(verb(method)))
	}
}

// verb returns the verb for a method in error messages: none for a method that a server does not know.
func verb(method string) string {
	return map[string]string{"GET": "get", "POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}[method]
}
