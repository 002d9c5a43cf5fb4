package openapi

import (
	"strings"

	"github.com/crdkit/crdkit/crd"
)

// An action is what a request does to a resource.
type action uint8

const (
	actList action = iota
	actPost
	actDeleteCollection
	actGet
	actPut
	actDelete
	actPatch
	actions // their number
)

// actionTable has the parts of operations that are the same for all resources: PV3-012.
var actionTable = [actions]struct {
	name, method string
	verb         string // the prefix of the operation id
	text         string // the start of the description
	responses    []response
}{
	actList:             {"list", "get", "list", "list objects of kind ", []response{ok}},
	actPost:             {"post", "post", "create", "create ", []response{ok, created, accepted}},
	actDeleteCollection: {"deletecollection", "delete", "delete", "delete collection of ", []response{ok}},
	actGet:              {"get", "get", "read", "read ", []response{ok}},
	actPut:              {"put", "put", "replace", "replace ", []response{ok, created}},
	actDelete:           {"delete", "delete", "delete", "delete ", []response{ok, accepted}},
	actPatch:            {"patch", "patch", "patch", "partially update ", []response{ok}},
}

type response struct{ code, text string }

var (
	ok       = response{"200", "OK"}
	created  = response{"201", "Created"}
	accepted = response{"202", "Accepted"}
)

// The actions on each kind of path, in the order in which a path lists methods.
var (
	collectionActions  = []action{actList, actPost, actDeleteCollection}
	objectActions      = []action{actGet, actPut, actDelete, actPatch}
	subresourceActions = []action{actGet, actPut, actPatch}
)

// A pathWriter writes the paths of a resource.
type pathWriter struct {
	f          format
	shared     *prepared
	namespaced bool
	b          []byte
	paths      []member

	// The parts of operations, as JSON: texts without their quotes, references to definitions, and the end of each
	// operation.
	kind, article, tag         string
	groupID                    []byte // the part of operation ids for group and version
	about, aboutCollection     []byte // the part after it; aboutCollection when a collection is deleted
	kindRef, listRef, ownGroup []byte
}

// appendPaths appends to list the paths of a resource: PV3-011.
func (f format) appendPaths(list []member, n *names, d *crd.CustomResourceDefinition, sub *crd.Subresources) []member {
	group := strings.TrimSuffix(n.group, ".k8s.io")
	w := pathWriter{
		f: f, shared: f.shared(), namespaced: d.Spec.Scope == crd.NamespaceScoped,
		b: make([]byte, 0, 24<<10), paths: list,
		kind: string(f.appendText(nil, n.kind)), article: article(n.kind),
		tag:     string(appendIdentifier(append(appendIdentifier(nil, group, false), '_'), n.version, false)),
		groupID: appendIdentifier(appendIdentifier(nil, group, true), n.version, true),
		kindRef: f.appendRef(nil, n.definition),
		listRef: f.appendRef(nil, n.listDefinition),
	}
	w.ownGroup = f.appendString([]byte(`,"x-kubernetes-group-version-kind":{"group":`), n.group)
	w.ownGroup = f.appendString(append(w.ownGroup, `,"version":`...), n.version)
	w.ownGroup = append(appendAll(w.ownGroup, `,"kind":"`, w.kind), `"}}`...)

	root := "/" + Key(n.group, n.version) + "/"
	collection, prefix := root+n.plural, ""
	if w.namespaced {
		w.about = appendIdentifier(w.about, n.kind+"ForAllNamespaces", true)
		w.allNamespaces(collection)
		collection, prefix = root+"namespaces/{namespace}/"+n.plural, "Namespaced"
	}
	object := collection + "/{name}"
	w.about = appendIdentifier(w.about[:0], prefix+n.kind, true)
	w.aboutCollection = appendIdentifier(nil, "collection"+prefix+n.kind, true)
	w.path(collection, "", collectionActions)
	w.path(object, "", objectActions)
	if sub.Status != nil {
		w.path(object+"/status", "status", subresourceActions)
	}
	if sub.Scale != nil {
		w.path(object+"/scale", "scale", subresourceActions)
	}
	return w.paths
}

// allNamespaces writes the path that only lists. PV3-019: its one operation has no parameters, since the path has all
// of them.
func (w *pathWriter) allNamespaces(path string) {
	start := len(w.b)
	w.b = append(w.b, `{"get":`...)
	w.operation(actList, "", nil)
	w.b = append(w.b, `,"parameters":[`...)
	w.b = append(w.b, w.shared.parameters.listAtPath...)
	w.end(path, start)
}

// path writes any other path. The subresource is empty, status or scale.
func (w *pathWriter) path(path, subresource string, acts []action) {
	start := len(w.b)
	separator := `{"`
	for _, act := range acts {
		w.b = appendAll(w.b, separator, actionTable[act].method, `":`)
		w.operation(act, subresource, w.shared.parameters.own[act])
		separator = `,"`
	}
	// PV3-019: the parameters that all operations share, sorted by name.
	w.b = append(w.b, `,"parameters":[`...)
	if acts[0] == actGet {
		w.b = w.f.appendParameterStart(w.b, &parameter{name: "name", typ: "string", inPath: true})
		w.b = appendAll(w.b, `"name of the `, w.kind, `"`)
		w.b = append(w.f.appendParameterEnd(w.b, &parameter{name: "name", typ: "string", inPath: true}), ',')
	}
	if w.namespaced {
		w.b = append(w.b, w.shared.parameters.atPathBelow...)
	} else {
		w.b = append(w.b, w.shared.parameters.atPath...)
	}
	w.end(path, start)
}

func (w *pathWriter) end(path string, start int) {
	w.b = append(w.b, "]}"...)
	w.paths = append(w.paths, member{path, w.b[start:len(w.b):len(w.b)]})
}

// operation writes an operation. Its own parameters are those that the path does not have.
func (w *pathWriter) operation(act action, subresource string, own []byte) {
	if w.f == formatV2 {
		w.operationV2(act, subresource, own)
	} else {
		w.operationV3(act, subresource, own)
	}
	w.b = appendAll(w.b, `,"401":{"description":"Unauthorized"}},"x-kubernetes-action":"`, actionTable[act].name, `"`)
	w.b = append(w.b, w.ownGroup...)
}

// operationV3 writes an operation up to its last response before 401: PV3-012, PV3-013, PV3-050.
func (w *pathWriter) operationV3(act action, subresource string, own []byte) {
	w.b = appendAll(w.b, `{"tags":["`, w.tag, `"],"description":"`)
	w.description(act, subresource)
	w.b = append(w.b, `","operationId":"`...)
	w.id(act, subresource)
	w.b = append(w.b, '"')
	if own != nil {
		w.b = append(append(append(w.b, `,"parameters":[`...), own...), ']')
	}
	if ref := w.body(act, subresource); ref != nil {
		w.b = append(w.b, `,"requestBody":{"content":{`...)
		if act == actPatch {
			w.b = append(append(w.b, `"application/apply-patch+yaml":{"schema":`...), ref...)
			w.b = append(append(w.b, `},"application/json-patch+json":{"schema":`...), ref...)
			w.b = append(append(w.b, `},"application/merge-patch+json":{"schema":`...), ref...)
			w.b = append(w.b, "}}"...)
		} else {
			w.content(ref)
		}
		if act != actDelete {
			w.b = append(w.b, `,"required":true`...)
		}
		w.b = append(w.b, '}')
	}
	separator, ref := `,"responses":{"`, w.answer(act, subresource)
	for _, r := range actionTable[act].responses {
		w.b = appendAll(w.b, separator, r.code, `":{"description":"`, r.text, `","content":{`)
		w.content(ref)
		w.b = append(w.b, '}')
		separator = `,"`
	}
}

// content writes the media types after an opening brace, and closes it.
func (w *pathWriter) content(ref []byte) {
	w.b = append(append(w.b, `"application/json":{"schema":`...), ref...)
	w.b = append(append(w.b, `},"application/yaml":{"schema":`...), ref...)
	w.b = append(w.b, "}}"...)
}

// operationV2 is operationV3 for version 2: PV2-010.
func (w *pathWriter) operationV2(act action, subresource string, own []byte) {
	w.b = append(w.b, `{"description":"`...)
	w.description(act, subresource)
	if act == actPatch {
		w.b = append(w.b, `","consumes":["application/json-patch+json","application/merge-patch+json","application/apply-patch+yaml"]`...)
	} else {
		w.b = append(w.b, `","consumes":["application/json","application/yaml"]`...)
	}
	w.b = append(w.b, `,"produces":["application/json","application/yaml"],"schemes":["https"]`...)
	w.b = appendAll(w.b, `,"tags":["`, w.tag, `"],"operationId":"`)
	w.id(act, subresource)
	w.b = append(w.b, '"')
	if own != nil {
		w.b = append(w.b, `,"parameters":[`...)
		switch act { // the name body sorts before all others
		case actPost, actPut:
			w.b = append(w.b, `{"name":"body","in":"body","required":true,"schema":`...)
			w.b = append(append(w.b, w.body(act, subresource)...), "},"...)
		case actDelete:
			w.b = append(appendSharedParameter(w.b, deleteOptionsBody), ',')
		case actPatch:
			w.b = append(appendSharedParameter(w.b, patchBody), ',')
		}
		w.b = append(append(w.b, own...), ']')
	}
	separator, ref := `,"responses":{"`, w.answer(act, subresource)
	for _, r := range actionTable[act].responses {
		w.b = appendAll(w.b, separator, r.code, `":{"description":"`, r.text, `","schema":`)
		w.b = append(append(w.b, ref...), '}')
		separator = `,"`
	}
}

// id writes an operation id: PV3-014.
func (w *pathWriter) id(act action, subresource string) {
	w.b = append(append(w.b, actionTable[act].verb...), w.groupID...)
	if act == actDeleteCollection {
		w.b = append(w.b, w.aboutCollection...)
	} else {
		w.b = append(w.b, w.about...)
	}
	switch subresource {
	case "status":
		w.b = append(w.b, "Status"...)
	case "scale":
		w.b = append(w.b, "Scale"...)
	}
}

// description writes the description of an operation: PV3-012.
func (w *pathWriter) description(act action, subresource string) {
	a := &actionTable[act]
	w.b = append(w.b, a.text...)
	switch act {
	case actPost, actDelete:
		w.b = append(w.b, w.article...)
	case actGet, actPut, actPatch:
		if subresource != "" {
			w.b = appendAll(w.b, subresource, " of ")
		}
		w.b = append(w.b, "the specified "...)
	}
	w.b = append(w.b, w.kind...)
}

// body returns the reference to the body of a request, or nil.
func (w *pathWriter) body(act action, subresource string) []byte {
	switch {
	case act == actPatch:
		return w.shared.patchRef
	case act == actDelete:
		return w.shared.deleteOptionsRef
	case act != actPost && act != actPut:
		return nil
	case subresource == "scale":
		return w.shared.scaleRef
	}
	return w.kindRef
}

// answer returns the reference to the response.
func (w *pathWriter) answer(act action, subresource string) []byte {
	switch {
	case act == actList:
		return w.listRef
	case act == actDelete || act == actDeleteCollection:
		return w.shared.statusRef
	case subresource == "scale":
		return w.shared.scaleRef
	}
	return w.kindRef
}
