package openapi

// This file has the parameters of operations: PV3-017, and PV2-011 for version 2. Names and types are those of
// Kubernetes 1.37, including the names of the shared parameters in version 2. The descriptions are written for this
// package.

// A parameter is a query parameter unless it is marked as a path parameter.
type parameter struct {
	name string
	typ  string
	text string
	// shared is the server's name for it among the parameters of a version 2 document; empty if it is written inline.
	// The part after the dash is a hash of the server's description.
	shared string
	inPath bool
}

var (
	pretty = parameter{name: "pretty", typ: "string", shared: "pretty-tJGM1-ng",
		text: "Whether the answer is indented: true or false. Without it, answers to browsers, curl and wget are."}
	namespace = parameter{name: "namespace", typ: "string", shared: "namespace-vgWSWtn3", inPath: true,
		text: "The namespace of the object."}

	resourceVersion = parameter{name: "resourceVersion", typ: "string", shared: "resourceVersion-5WAnf1kx",
		text: "How recent the answer has to be: the state of this version or, depending on resourceVersionMatch, a later one. Without it, the latest state. For a watch: after which version it begins."}
	dryRun = parameter{name: "dryRun", typ: "string",
		text: "With the value All, the request is checked and answered, but nothing is stored."}
	fieldManager = parameter{name: "fieldManager", typ: "string", shared: "fieldManager-Qy4HdaTW",
		text: "Who makes the change, for managedFields: at most 128 printable characters. By default the beginning of the User-Agent."}
	patchFieldManager = parameter{name: "fieldManager", typ: "string", shared: "fieldManager-7c6nTn1T",
		text: "Who makes the change, for managedFields: at most 128 printable characters. Required for apply patches; else by default the beginning of the User-Agent."}
	fieldValidation = parameter{name: "fieldValidation", typ: "string",
		text: "What is made of unknown and repeated fields in the request: Ignore drops them, Warn (the default) drops them and sends a warning for each, Strict refuses the request."}
)

// Each list is sorted by name.
var (
	listParameters = []parameter{
		{name: "allowWatchBookmarks", typ: "boolean", shared: "allowWatchBookmarks-HC2hJt-J",
			text: "Whether a watch may send events of type BOOKMARK, which tell how far it has come. The server decides when to send them. Without watch, it means nothing."},
		{name: "continue", typ: "string", shared: "continue-QfD61s0i",
			text: "The continue value of a list, to read on where that list ended, with the same other parameters. It expires after a while, with 410 Gone. Not for watches."},
		{name: "fieldSelector", typ: "string", shared: "fieldSelector-xIcQKXFG",
			text: "Selects objects by their fields, such as metadata.name=a. By default all."},
		{name: "labelSelector", typ: "string", shared: "labelSelector-5Zw57w4C",
			text: "Selects objects by their labels, such as app=web,tier!=db. By default all."},
		{name: "limit", typ: "integer", shared: "limit-1NfNmdNH",
			text: "The largest number of items that the list may have. If there are more, its metadata has a value for continue. Not for watches."},
		resourceVersion,
		{name: "resourceVersionMatch", typ: "string", shared: "resourceVersionMatch-t8XhRHeC",
			text: "How resourceVersion is meant for a list: Exact, or NotOlderThan."},
		{name: "sendInitialEvents", typ: "boolean", shared: "sendInitialEvents-rLXlEK_k",
			text: "Whether a watch begins with events that say what is there, and a bookmark when these are complete. It needs resourceVersionMatch=NotOlderThan."},
		{name: "shardSelector", typ: "string", shared: "shardSelector-Kgyki_3_",
			text: "Selects a part of the objects by ranges of a hash of a field, such as their UID, so that several clients can share the work. By default all."},
		{name: "timeoutSeconds", typ: "integer", shared: "timeoutSeconds-yvYezaOC",
			text: "After how many seconds the request ends, whatever happens."},
		{name: "watch", typ: "boolean", shared: "watch-XNNPZGbK",
			text: "Whether to answer with a stream of changes instead of a list."},
	}
	getParameters   = []parameter{resourceVersion}
	writeParameters = []parameter{dryRun, fieldManager, fieldValidation}
	patchParameters = []parameter{dryRun, patchFieldManager, fieldValidation,
		{name: "force", typ: "boolean", shared: "force-tOGGb0Yi",
			text: "Whether an apply patch takes over fields that others manage. Only for apply patches."}}
	deleteParameters = []parameter{
		dryRun,
		{name: "gracePeriodSeconds", typ: "integer", shared: "gracePeriodSeconds--K5HaBOS", text: gracePeriodText},
		{name: "ignoreStoreReadErrorWithClusterBreakingPotential", typ: "boolean",
			shared: "ignoreStoreReadErrorWithClusterBreakingPotential-QbNkfIqj", text: unreadableText},
		{name: "orphanDependents", typ: "boolean", shared: "orphanDependents-uRB25kX5", text: orphanText},
		{name: "propagationPolicy", typ: "string", shared: "propagationPolicy-6jk3prlO", text: propagationText},
	}
)

// The bodies that the operations of a version 2 document share.
const (
	deleteOptionsBody = "body-2Y1dVQaQ"
	patchBody         = "body-78PwaGsr"
)

// preparedParameters hold the JSON between the brackets of parameter lists: those of an operation, by action, and those
// of a path. Those for version 2 include no body.
type preparedParameters struct {
	own           [actions]string
	listAtPath    string // of the path that only lists: all parameters
	atPath        string // of all other paths, without the name
	atPathBelow   string // of the same paths in a namespace
	shared        []member
	namespaceOnly member // shared by namespaced paths
}

func (f format) prepareParameters() preparedParameters {
	lists := [actions][]parameter{
		actList: listParameters, actDeleteCollection: listParameters,
		actGet: getParameters, actPost: writeParameters, actPut: writeParameters,
		actPatch: patchParameters, actDelete: deleteParameters,
	}
	p := preparedParameters{
		atPath:      f.inline(pretty),
		atPathBelow: f.inline(namespace, pretty),
	}
	var all []parameter
	for act, list := range lists {
		p.own[act] = f.inline(list...)
		all = append(all, list...)
	}
	// PV3-019: sorted by name, except that pretty comes after limit.
	var atPath []parameter
	for _, x := range listParameters {
		if x.name == resourceVersion.name {
			atPath = append(atPath, pretty)
		}
		atPath = append(atPath, x)
	}
	p.listAtPath = f.inline(atPath...)

	if f == formatV2 {
		for _, x := range append(all, pretty) {
			if x.shared != "" {
				p.shared = append(p.shared, member{x.shared, f.appendParameter(nil, &x)})
			}
		}
		p.shared = append(p.shared,
			member{deleteOptionsBody, []byte(body(formatV2.ref(metaV1+"DeleteOptions"), false))},
			member{patchBody, []byte(body(formatV2.ref(metaV1+"Patch"), true))})
		p.shared = lastOfEach(p.shared)
		p.namespaceOnly = member{namespace.shared, f.appendParameter(nil, &namespace)}
	}
	return p
}

// inline returns parameters, separated by commas.
func (f format) inline(list ...parameter) string {
	var b []byte
	for i := range list {
		p := &list[i]
		if i > 0 {
			b = append(b, ',')
		}
		if f == formatV2 && p.shared != "" {
			b = append(b, sharedParameter(p.shared)...)
		} else {
			b = f.appendParameter(b, p)
		}
	}
	return string(b)
}

func sharedParameter(name string) string { return `{"$ref":"#/parameters/` + name + `"}` }

// appendParameter writes a parameter: PV3-018, PV2-010.
func (f format) appendParameter(b []byte, p *parameter) []byte {
	in, required := "query", ""
	if p.inPath {
		in, required = "path", `,"required":true`
	}
	if f == formatV2 {
		b = f.appendString(appendAll(b, `{"uniqueItems":true,"type":"`, p.typ, `","description":`), p.text)
		return appendAll(b, `,"name":"`, p.name, `","in":"`, in, `"`, required, "}")
	}
	b = f.appendString(appendAll(b, `{"name":"`, p.name, `","in":"`, in, `","description":`), p.text)
	return appendAll(b, required, `,"schema":{"type":"`, p.typ, `","uniqueItems":true}}`)
}

// body returns the body, which is a parameter in version 2.
func body(ref string, required bool) string {
	text := `{"name":"body","in":"body",`
	if required {
		text += `"required":true,`
	}
	return text + `"schema":` + ref + "}"
}
