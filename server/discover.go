package server

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/internal/since"
	"github.com/crdkit/crdkit/openapi"
	"github.com/crdkit/crdkit/server/protocol"
)

// This file answers requests for discovery, OpenAPI documents and the version.

// newestRelease is the release that the answers are compared with.
const newestRelease = "1.37.2"

// version answers /version with the version of Kubernetes whose answers these are. kubectl compares it with its own.
func (q *request) version(path []string) {
	switch {
	case len(path) > 0:
		q.noResource()
		return
	case q.r.Method != http.MethodGet:
		q.noMethod()
		return
	case !q.takes(jsonType):
		return
	}
	release := q.s.minor.String() + ".0"
	if q.s.minor == since.Newest {
		release = newestRelease
	}
	answer := map[string]any{
		"major": "1", "minor": strconv.Itoa(int(q.s.minor)), "gitVersion": "v" + release, "gitCommit": "", "gitTreeState": "", "buildDate": "1970-01-01T00:00:00Z",
		"goVersion": "go", "compiler": "gc", "platform": "any",
	}
	if q.s.minor >= 33 {
		answer["emulationMajor"], answer["emulationMinor"] = "1", strconv.Itoa(int(q.s.minor))
		answer["minCompatibilityMajor"], answer["minCompatibilityMinor"] = "1", strconv.Itoa(int(q.s.minor)-1)
	}
	q.send(http.StatusOK, answer)
}

// index answers / with the paths of the server, whatever the method. Clients ask for it to see whether there is a server.
func (q *request) index() {
	paths := []string{"/api", "/api/v1", "/apis", "/apis/", "/healthz", "/livez", "/openapi/v2", "/openapi/v3", "/openapi/v3/", "/readyz", "/version"}
	for _, group := range q.catalog.Discovery().Groups().Groups {
		paths = append(paths, "/apis/"+group.Name)
		for _, v := range group.Versions {
			paths = append(paths, "/apis/"+v.GroupVersion)
		}
	}
	slices.Sort(paths)
	text, _ := json.MarshalIndent(map[string]any{"paths": paths}, "", "  ") // strings can be encoded
	q.respond(http.StatusOK, jsonType, len(text), bytes.NewReader(text))
}

// discover answers /api, /apis and the paths directly below them. What /apis lists, the groups and the versions of
// custom resources, does not depend on the method.
func (q *request) discover(path []string) {
	group, builtIn := "", path[0] == "api"
	if len(path) == 3 {
		group, builtIn = path[1], true
	}
	builtIn = builtIn && q.catalog.HasBuiltIn(group)
	body, found := q.discovered(path)
	switch {
	case !found && builtIn:
		q.noResource()
		return
	case !found:
		q.noPath()
		return
	case builtIn && q.r.Method != http.MethodGet:
		q.noMethod()
		return
	case builtIn && !q.takes(jsonType, yamlType, protobufType):
		return
	}
	var versions []string
	if len(path) == 1 {
		versions = []string{protocol.DiscoveryV2}
	}
	var err error
	if q.form, err = protocol.NegotiateDiscovery(q.r.Header.Get("Accept"), versions...); err != nil {
		q.refuse(failed(err))
		return
	}
	if q.form.As != "" {
		q.aggregated(path)
		return
	}
	q.send(http.StatusOK, body)
}

// discovered returns what a path lists: the versions of the core group, the groups, the versions of a group, or the
// resources of a version.
func (q *request) discovered(path []string) (body any, found bool) {
	d := q.catalog.Discovery()
	switch {
	case path[0] == "api" && len(path) == 1:
		return map[string]any{
			"kind": "APIVersions", "apiVersion": "v1", "versions": []string{"v1"},
			"serverAddressByClientCIDRs": []any{map[string]any{"clientCIDR": "0.0.0.0/0", "serverAddress": q.r.Host}},
		}, true
	case path[0] == "api":
		return q.catalog.Core(), path[1] == "v1"
	case len(path) == 1:
		return d.Groups(), true
	case len(path) == 2:
		group := d.Group(path[1])
		return group, group != nil
	}
	list := d.Resources(path[1], path[2])
	return list, list != nil
}

// aggregated answers /api and /apis with aggregated discovery (DSC-005).
func (q *request) aggregated(path []string) {
	list := q.catalog.Discovery().Aggregated()
	if path[0] == "api" {
		list = q.catalog.Core().Aggregated()
	}
	q.w.Header().Set("Cache-Control", "public")
	if !q.notModified(list.ETag()) {
		q.sendAs(http.StatusOK, list.ContentType(), list)
	}
}

// The media types of version 2 in protobuf. Clients ask for the older one, and the response has the newer one
// (PV2-015).
const (
	protobufV2    = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
	oldProtobufV2 = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
)

// openAPI answers /openapi/v2, /openapi/v3 and the documents below /openapi/v3, whatever the method.
func (q *request) openAPI() {
	path := strings.TrimPrefix(q.r.URL.Path, "/openapi/")
	key, v3 := strings.CutPrefix(path, "v3/")
	switch {
	case v3:
		q.openAPIV3(key)
	case path == "v3":
		q.document(q.catalog.OpenAPIV3Index(), textType+"; charset=utf-8")
	case path == "v2":
		q.openAPIV2()
	default:
		q.noPath()
	}
}

// openAPIV3 answers with the document under a key.
func (q *request) openAPIV3(key string) {
	d := q.catalog.OpenAPIV3()[key]
	if d == nil {
		q.w.WriteHeader(http.StatusNotFound)
		return
	}
	switch hash := q.query.Get("hash"); hash {
	case "":
	case d.Hash():
		q.w.Header().Set("Cache-Control", "public, immutable") // PV3-054
	default:
		q.w.Header().Set("Location", "/openapi/v3/"+key+"?hash="+d.Hash())
		q.w.WriteHeader(http.StatusMovedPermanently)
		return
	}
	if protocol.NegotiateDocument(q.r.Header.Get("Accept"), jsonType) == "" {
		q.w.WriteHeader(http.StatusNotAcceptable)
		return
	}
	q.document(d, jsonType)
}

// openAPIV2 answers /openapi/v2. The ETag is that of the JSON document also for protobuf, since the response varies by
// Accept.
func (q *request) openAPIV2() {
	mediaType := protocol.NegotiateDocument(q.r.Header.Get("Accept"), jsonType, oldProtobufV2, protobufV2)
	if mediaType == "" {
		q.w.WriteHeader(http.StatusNotAcceptable)
		return
	}
	d, err := q.catalog.OpenAPIV2()
	if err != nil {
		q.refuse(protocol.Internal(err))
		return
	}
	if mediaType == jsonType {
		q.document(d, jsonType)
		return
	}
	message, err := q.catalog.OpenAPIV2Protobuf()
	if err != nil {
		q.refuse(protocol.Internal(err))
		return
	}
	if !q.notModified(d.ETag()) {
		q.respond(http.StatusOK, protobufV2, len(message), bytes.NewReader(message))
	}
}

// document answers with an OpenAPI document, which is JSON whatever its content type is.
func (q *request) document(d *openapi.Document, contentType string) {
	if !q.notModified(d.ETag()) {
		q.respond(http.StatusOK, contentType, d.Size(), d)
	}
}

// notModified sets the ETag of the answer, and answers with 304 if the client has it.
func (q *request) notModified(etag string) bool {
	h := q.w.Header()
	h.Set("Etag", etag)
	h.Set("Vary", "Accept")
	if !slices.Contains(q.r.Header["If-None-Match"], etag) {
		return false
	}
	q.w.WriteHeader(http.StatusNotModified)
	return true
}
