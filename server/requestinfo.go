package server

import (
	"net/http"
	"strings"

	"github.com/crdkit/crdkit/internal/format"
	"github.com/crdkit/crdkit/internal/query"
	"github.com/crdkit/crdkit/server/internal/catalog"
)

// A RequestInfo says what a request asks for, for authorization, metrics and middleware.
type RequestInfo struct {
	// Verb is get, list, watch, create, update, patch, delete or deletecollection. For a request that is not for objects it
	// is the method in lower case.
	Verb string
	// Group, Version, Resource (a plural name), Subresource, Namespace and Name are those in the path. Resource is empty if
	// the request is not for objects. The namespace of a Namespace is its own name. The name of a list, a watch or a
	// deletion of a collection is the one to which a field selector limits it. In a review of access they are those in the
	// review, and a missing version is "*".
	Group, Version, Resource, Subresource, Namespace, Name string
	Path                                                   string
}

// RequestInfoOf returns what a request asks for. It reads only the method and the URL: the resource need not exist.
func RequestInfoOf(r *http.Request) RequestInfo {
	info := RequestInfo{Verb: strings.ToLower(r.Method), Path: r.URL.Path}
	q := request{r: r}
	path, watch := q.path()
	switch {
	case path[0] == "api" && len(path) > 2:
		info.Version, path = path[1], path[2:]
	case path[0] == "apis" && len(path) > 3:
		info.Group, info.Version, path = path[1], path[2], path[3:]
	default:
		return info
	}
	if path[0] == catalog.Namespaces && len(path) > 1 {
		info.Namespace = path[1]
		_, path = inNamespace(info.Group, path)
	}
	info.Resource = path[0]
	if len(path) > 1 {
		info.Name = path[1]
	}
	if len(path) > 2 {
		info.Subresource = path[2]
	}
	if watch {
		info.Verb = "watch"
		return info
	}
	if len(r.URL.RawQuery) <= maxURL {
		q.query = r.URL.Query()
	}
	info.Verb = q.verb(info.Name == "")
	if info.Name == "" && (info.Verb == "list" || info.Verb == "watch" || info.Verb == "deletecollection") {
		if name := query.Name(q.query.Get("fieldSelector")); len(format.PathSegment(name)) == 0 {
			info.Name = name
		}
	}
	return info
}

// verb returns the verb of a request for an object, or for a collection.
func (q *request) verb(collection bool) string {
	switch method := q.r.Method; {
	case method == http.MethodPost:
		return "create"
	case method == http.MethodPut:
		return "update"
	case method == http.MethodPatch:
		return "patch"
	case method == http.MethodDelete && collection:
		return "deletecollection"
	case method == http.MethodDelete:
		return "delete"
	case method != http.MethodGet && method != http.MethodHead:
		return strings.ToLower(method)
	case collection && q.flag("watch"):
		return "watch"
	case collection:
		return "list"
	}
	return "get"
}
