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
	f      format
	shared *prepared
	b      []byte
	paths  []member

	// The parts of operations, as JSON: texts without their quotes, references to definitions, and the end of each
	// operation.
	kind, article, tag         string
	groupID                    string // the part of operation ids for group and version
	about, aboutCollection     string // the part after it; aboutCollection is for deletecollection
	kindRef, listRef, ownGroup string
}

// appendPaths appends to list the paths of a resource: PV3-011.
func (f format) appendPaths(list []member, n *names, d *crd.CustomResourceDefinition, sub *crd.Subresources) []member {
	group := strings.TrimSuffix(n.group, ".k8s.io")
	w := pathWriter{
		f: f, shared: f.shared(), b: make([]byte, 0, 24<<10), paths: list,
		kind: string(f.appendText(nil, n.Kind)), article: article(n.Kind),
		tag:     identifier(group, false) + "_" + identifier(n.version, false),
		groupID: identifier(group, true) + identifier(n.version, true),
		kindRef: f.ref(n.definition),
		listRef: f.ref(n.listDefinition),
	}
	kind := f.appendString([]byte(`,"x-kubernetes-group-version-kind":{"group":`), n.group)
	kind = f.appendString(append(kind, `,"version":`...), n.version)
	w.ownGroup = string(appendAll(kind, `,"kind":"`, w.kind, `"}}`))

	own, root := &w.shared.parameters.own, "/"+Key(n.group, n.version)+"/"
	collection, prefix, atPath := root+n.Plural, "", w.shared.parameters.atPath
	if d.Spec.Scope == crd.NamespaceScoped {
		w.about = identifier(n.Kind+"ForAllNamespaces", true)
		// PV3-019: the one operation has no parameters, since the path has all of them.
		w.path(collection, "", []action{actList}, &[actions]string{}, w.shared.parameters.listAtPath)
		collection, prefix, atPath = root+"namespaces/{namespace}/"+n.Plural, "Namespaced", w.shared.parameters.atPathBelow
	}
	name := parameter{name: "name", typ: "string", inPath: true, text: "name of the " + n.Kind}
	object, atObject := collection+"/{name}", f.inline(name)+","+atPath
	w.about = identifier(prefix+n.Kind, true)
	w.aboutCollection = identifier("collection"+prefix+n.Kind, true)
	w.path(collection, "", collectionActions, own, atPath)
	w.path(object, "", objectActions, own, atObject)
	if sub.Status != nil {
		w.path(object+"/status", "status", subresourceActions, own, atObject)
	}
	if sub.Scale != nil {
		w.path(object+"/scale", "scale", subresourceActions, own, atObject)
	}
	return w.paths
}

func (w *pathWriter) put(texts ...string) { w.b = appendAll(w.b, texts...) }

// path writes a path. The subresource is empty, status or scale. own has the parameters of the operations, and atPath
// those that all of them share, sorted by name (PV3-019).
func (w *pathWriter) path(path, subresource string, acts []action, own *[actions]string, atPath string) {
	start := len(w.b)
	separator := `{"`
	for _, act := range acts {
		w.put(separator, actionTable[act].method, `":`)
		w.operation(act, subresource, own[act])
		separator = `,"`
	}
	w.put(`,"parameters":[`, atPath, "]}")
	w.paths = append(w.paths, member{path, w.b[start:len(w.b):len(w.b)]})
}

// operation writes an operation. Its own parameters are those that the path does not have.
func (w *pathWriter) operation(act action, subresource string, own string) {
	if w.f == formatV2 {
		w.operationV2(act, subresource, own)
	} else {
		w.operationV3(act, subresource, own)
	}
	w.put(`,"401":{"description":"Unauthorized"}},"x-kubernetes-action":"`, actionTable[act].name, `"`, w.ownGroup)
}

// operationV3 writes an operation up to its last response before 401: PV3-012, PV3-013, PV3-050.
func (w *pathWriter) operationV3(act action, subresource string, own string) {
	w.put(`{"tags":["`, w.tag, `"],"description":"`)
	w.description(act, subresource)
	w.put(`","operationId":"`)
	w.id(act, subresource)
	w.put(`"`)
	if own != "" {
		w.put(`,"parameters":[`, own, "]")
	}
	if ref := w.body(act, subresource); ref != "" {
		w.put(`,"requestBody":{"content":{`)
		if act == actPatch {
			w.content(ref, "application/apply-patch+yaml", "application/json-patch+json", "application/merge-patch+json")
		} else {
			w.content(ref, "application/json", "application/yaml")
		}
		if act != actDelete {
			w.put(`,"required":true`)
		}
		w.put("}")
	}
	separator, ref := `,"responses":{"`, w.answer(act, subresource)
	for _, r := range actionTable[act].responses {
		w.put(separator, r.code, `":{"description":"`, r.text, `","content":{`)
		w.content(ref, "application/json", "application/yaml")
		w.put("}")
		separator = `,"`
	}
}

// content writes the media types after an opening brace, and closes it.
func (w *pathWriter) content(ref string, types ...string) {
	separator := `"`
	for _, typ := range types {
		w.put(separator, typ, `":{"schema":`, ref, "}")
		separator = `,"`
	}
	w.put("}")
}

// operationV2 is operationV3 for version 2: PV2-010.
func (w *pathWriter) operationV2(act action, subresource string, own string) {
	w.put(`{"description":"`)
	w.description(act, subresource)
	if act == actPatch {
		w.put(`","consumes":["application/json-patch+json","application/merge-patch+json","application/apply-patch+yaml"]`)
	} else {
		w.put(`","consumes":["application/json","application/yaml"]`)
	}
	w.put(`,"produces":["application/json","application/yaml"],"schemes":["https"],"tags":["`, w.tag, `"],"operationId":"`)
	w.id(act, subresource)
	w.put(`"`)
	if own != "" {
		w.put(`,"parameters":[`)
		switch act { // the name body sorts before all others
		case actPost, actPut:
			w.put(body(w.body(act, subresource), true), ",")
		case actDelete:
			w.put(sharedParameter(deleteOptionsBody), ",")
		case actPatch:
			w.put(sharedParameter(patchBody), ",")
		}
		w.put(own, "]")
	}
	separator, ref := `,"responses":{"`, w.answer(act, subresource)
	for _, r := range actionTable[act].responses {
		w.put(separator, r.code, `":{"description":"`, r.text, `","schema":`, ref, "}")
		separator = `,"`
	}
}

// id writes an operation id: PV3-014.
func (w *pathWriter) id(act action, subresource string) {
	w.put(actionTable[act].verb, w.groupID)
	if act == actDeleteCollection {
		w.put(w.aboutCollection)
	} else {
		w.put(w.about)
	}
	w.put(identifier(subresource, true))
}

// description writes the description of an operation: PV3-012.
func (w *pathWriter) description(act action, subresource string) {
	a := &actionTable[act]
	w.put(a.text)
	switch act {
	case actPost, actDelete:
		w.put(w.article)
	case actGet, actPut, actPatch:
		if subresource != "" {
			w.put(subresource, " of ")
		}
		w.put("the specified ")
	}
	w.put(w.kind)
}

// body returns the reference to the body of a request, empty for none.
func (w *pathWriter) body(act action, subresource string) string {
	switch {
	case act == actPatch:
		return w.shared.patchRef
	case act == actDelete:
		return w.shared.deleteOptionsRef
	case act != actPost && act != actPut:
		return ""
	case subresource == "scale":
		return w.shared.scaleRef
	}
	return w.kindRef
}

// answer returns the reference to the response.
func (w *pathWriter) answer(act action, subresource string) string {
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
