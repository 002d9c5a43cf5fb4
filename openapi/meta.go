package openapi

// This file has the definitions of Kubernetes that every group version of custom resources has (PV3-040). Names, types,
// defaults and extensions are those of Kubernetes 1.37. The descriptions are written for this package.
//
// For another release, compare the tables with what a cluster of that release serves for any custom resource: the
// components of kubectl get --raw /openapi/v3/apis/GROUP/VERSION whose names start with io.k8s.

const (
	metaV1      = "io.k8s.apimachinery.pkg.apis.meta.v1."
	autoscaling = "io.k8s.api.autoscaling.v1."
)

// A definition is an object unless it has a type.
type definition struct {
	name       string
	text       string
	typ        string
	format     string
	required   string // a JSON list
	fields     []definedField
	extensions string // JSON members
	served     []groupVersions
}

// groupVersions are a group and the versions in which it has a kind.
type groupVersions struct {
	group    string
	versions []string
}

// A definedField is a property of a definition. Its kind is a Go type or the name of a definition.
type definedField struct {
	name       string
	kind       string
	text       string
	fallback   string // the default as JSON
	extensions string
}

const (
	apiVersionText  = "The group and version of the API in whose terms the object is written: GROUP/VERSION, or VERSION alone for the core group."
	kindText        = "The kind of the object, in CamelCase. It does not change during the life of the object."
	objectMetaText  = "What every object has besides its own data: its name, labels and the like."
	listMetaText    = "What every list has besides its items: the state that it shows, and how to go on reading."
	gracePeriodText = "How many seconds the object has to end in an orderly way. 0 deletes it at once; without a value, the default of its type holds."
	orphanText      = "Whether the objects that this one owns are left alone. Deprecated: propagationPolicy says more, and only one of the two may be set."
	unreadableText  = "Deletes an object that can no longer be read from storage, without finalizers and preconditions. This is unsafe, and may break what relies on these."
	propagationText = "What becomes of the objects that this one owns: Orphan leaves them, Background deletes them afterwards, Foreground before it."

	atomicList = `"x-kubernetes-list-type":"atomic"`
)

// commonDefinitions are in every document, scaleDefinitions only with a scale subresource (PV3-022). Fields are sorted
// by name.
var commonDefinitions = []definition{
	{
		name: metaV1 + "DeleteOptions",
		text: "How an object is to be deleted.",
		fields: []definedField{
			{name: "apiVersion", kind: "string", text: apiVersionText},
			{name: "dryRun", kind: "[]string", extensions: atomicList,
				text: "With the one value All, the request is checked and answered, but nothing is stored."},
			{name: "gracePeriodSeconds", kind: "int64", text: gracePeriodText},
			{name: "ignoreStoreReadErrorWithClusterBreakingPotential", kind: "bool", text: unreadableText},
			{name: "kind", kind: "string", text: kindText},
			{name: "orphanDependents", kind: "bool", text: orphanText},
			{name: "preconditions", kind: metaV1 + "Preconditions",
				text: "What has to hold for the object to be deleted; else the answer is 409 Conflict."},
			{name: "propagationPolicy", kind: "string", text: propagationText},
		},
		served: groupsOfKubernetes,
	},
	{name: metaV1 + "FieldsV1", text: "A set of fields, as an object whose keys name fields, items and values, and hold what is below them."},
	{
		name: metaV1 + "ListMeta",
		text: listMetaText,
		fields: []definedField{
			{name: "continue", kind: "string",
				text: "Given if there are more items than were asked for: the value of the continue parameter that the next request for items needs. It may expire."},
			{name: "remainingItemCount", kind: "int64",
				text: "How many items follow, where the server knows: it does not for requests with selectors. An estimate."},
			{name: "resourceVersion", kind: "string",
				text: "The version of the collection that the list shows. It may be compared for equality, and given back to the server."},
			{name: "selfLink", kind: "string", text: "Deprecated, and no longer set."},
			{name: "shardInfo", kind: metaV1 + "ShardInfo", text: "Which part of the collection the list shows, if a shardSelector asked for a part."},
		},
	},
	{
		name: metaV1 + "ManagedFieldsEntry",
		text: "The fields of an object that one manager set by one kind of operation.",
		fields: []definedField{
			{name: "apiVersion", kind: "string", text: "The version in whose terms the fields are named."},
			{name: "fieldsType", kind: "string", text: "The form in which the fields are written: FieldsV1 is the only one."},
			{name: "fieldsV1", kind: metaV1 + "FieldsV1", text: "The fields."},
			{name: "manager", kind: "string", text: "Who set the fields."},
			{name: "operation", kind: "string", text: "How they were set: Apply or Update."},
			{name: "subresource", kind: "string", text: "The subresource through which they were set; empty for the object itself."},
			{name: "time", kind: metaV1 + "Time", text: "When the manager last changed this set of fields or a value in it."},
		},
	},
	{
		name: metaV1 + "ObjectMeta",
		text: objectMetaText,
		fields: []definedField{
			{name: "annotations", kind: "map[string]string", text: "Data that tools keep with the object. Annotations cannot be selected by."},
			{name: "creationTimestamp", kind: metaV1 + "Time", text: "When the object was created. Set by the server."},
			{name: "deletionGracePeriodSeconds", kind: "int64",
				text: "How many seconds the object had to end when its deletion began. Set by the server."},
			{name: "deletionTimestamp", kind: metaV1 + "Time",
				text: "When the object is to be gone. The server sets it when deletion is asked for, and the object goes once finalizers is empty."},
			{name: "finalizers", kind: "[]string", extensions: `"x-kubernetes-list-type":"set","x-kubernetes-patch-strategy":"merge"`,
				text: "Who has work to do before the object may go. Each removes its own name when it is done, in any order."},
			{name: "generateName", kind: "string",
				text: "The beginning of a name that the server makes up, if the object is created without one."},
			{name: "generation", kind: "int64", text: "Counts the changes of what is wanted of the object. Set by the server."},
			{name: "labels", kind: "map[string]string", text: "Keys and values to group and select objects by."},
			{name: "managedFields", kind: "[]" + metaV1 + "ManagedFieldsEntry", extensions: atomicList,
				text: "Who set which fields. The server keeps it for server-side apply; there is rarely a reason to change it."},
			{name: "name", kind: "string", text: "The name of the object, unique among those of its kind in its namespace. It cannot be changed."},
			{name: "namespace", kind: "string",
				text: "The namespace that the object is in; empty for kinds without namespaces. It cannot be changed."},
			{name: "ownerReferences", kind: "[]" + metaV1 + "OwnerReference",
				extensions: `"x-kubernetes-list-map-keys":["uid"],"x-kubernetes-list-type":"map","x-kubernetes-patch-merge-key":"uid","x-kubernetes-patch-strategy":"merge"`,
				text:       "The objects that own this one. When all of them are gone, so is it. At most one of them is its controller."},
			{name: "resourceVersion", kind: "string",
				text: "The version of the object's state, to notice changes by. It may be compared for equality, and given back to the server."},
			{name: "selfLink", kind: "string", text: "Deprecated, and no longer set."},
			{name: "uid", kind: "string", text: "Tells the object from all others, past ones of the same name too. Set by the server."},
		},
	},
	{
		name:     metaV1 + "OwnerReference",
		text:     "An owner: an object in the same namespace, or one without a namespace.",
		required: `["apiVersion","kind","name","uid"]`,
		fields: []definedField{
			{name: "apiVersion", kind: "string", text: "API version of the referent.", fallback: `""`},
			{name: "blockOwnerDeletion", kind: "bool", text: "Whether the owner stays, when it is deleted in the foreground, until this object is gone."},
			{name: "controller", kind: "bool", text: "If true, this reference points to the managing controller."},
			{name: "kind", kind: "string", text: "The owner's kind.", fallback: `""`},
			{name: "name", kind: "string", text: "The owner's name.", fallback: `""`},
			{name: "uid", kind: "string", text: "The owner's UID.", fallback: `""`},
		},
		extensions: `"x-kubernetes-map-type":"atomic"`,
	},
	{name: metaV1 + "Patch", text: "A change to an object. Its form depends on the media type."},
	{
		name: metaV1 + "Preconditions",
		text: "What has to be true of an object for a request to be carried out.",
		fields: []definedField{
			{name: "resourceVersion", kind: "string", text: "The resourceVersion that it has to have."},
			{name: "uid", kind: "string", text: "The UID that it has to have."},
		},
	},
	{
		name:     metaV1 + "ShardInfo",
		text:     "The part of a collection that a list shows.",
		required: `["selector"]`,
		fields: []definedField{
			{name: "selector", kind: "string", text: "The shardSelector of the request.", fallback: `""`},
		},
	},
	{
		name: metaV1 + "Status",
		text: "An answer that is no object: how a request failed, or that it succeeded.",
		fields: []definedField{
			{name: "apiVersion", kind: "string", text: apiVersionText},
			{name: "code", kind: "int32", text: "The status code of HTTP, 0 if there is none."},
			{name: "details", kind: metaV1 + "StatusDetails", text: "More about the reason. What is there depends on it."},
			{name: "kind", kind: "string", text: kindText},
			{name: "message", kind: "string", text: "What happened, for people."},
			{name: "metadata", kind: metaV1 + "ListMeta", text: listMetaText, fallback: "{}"},
			{name: "reason", kind: "string", text: "What happened, for programs: one word, such as NotFound. It makes the code more precise."},
			{name: "status", kind: "string", text: "Success or Failure."},
		},
		served: []groupVersions{{"", []string{"v1"}}},
	},
	{
		name: metaV1 + "StatusCause",
		text: "One of several things that made a request fail.",
		fields: []definedField{
			{name: "field", kind: "string", text: "The path of the field at fault, such as spec.items[0].name."},
			{name: "message", kind: "string", text: "What is wrong, for people."},
			{name: "reason", kind: "string", text: "What is wrong, for programs: one word, such as FieldValueInvalid."},
		},
	},
	{
		name: metaV1 + "StatusDetails",
		text: "What an answer is about. Fields that do not apply to its reason are absent.",
		fields: []definedField{
			{name: "causes", kind: "[]" + metaV1 + "StatusCause", extensions: atomicList, text: "All that is wrong."},
			{name: "group", kind: "string", text: "The group of the resource."},
			{name: "kind", kind: "string", text: "The kind of the object, or the resource."},
			{name: "name", kind: "string", text: "The name of the object."},
			{name: "retryAfterSeconds", kind: "int32", text: "After how many seconds the request may succeed."},
			{name: "uid", kind: "string", text: "The UID of the object."},
		},
	},
	{name: metaV1 + "Time", typ: "string", format: "date-time", text: "A moment, as RFC 3339 writes it, to the second."},
}

var scaleDefinitions = []definition{
	{
		name: autoscaling + "Scale",
		text: "How large an object is, and is wanted to be, whatever its kind.",
		fields: []definedField{
			{name: "apiVersion", kind: "string", text: apiVersionText},
			{name: "kind", kind: "string", text: kindText},
			{name: "metadata", kind: metaV1 + "ObjectMeta", text: objectMetaText, fallback: "{}"},
			{name: "spec", kind: autoscaling + "ScaleSpec", text: "What is wanted.", fallback: "{}"},
			{name: "status", kind: autoscaling + "ScaleStatus", text: "What there is. Read-only.", fallback: "{}"},
		},
		served: []groupVersions{{"autoscaling", []string{"v1"}}},
	},
	{
		name: autoscaling + "ScaleSpec",
		text: "The wanted size.",
		fields: []definedField{
			{name: "replicas", kind: "int32", text: "How many instances are wanted.", fallback: "0"},
		},
	},
	{
		name:     autoscaling + "ScaleStatus",
		text:     "The size that there is.",
		required: `["replicas"]`,
		fields: []definedField{
			{name: "replicas", kind: "int32", text: "How many instances there are.", fallback: "0"},
			{name: "selector", kind: "string", text: "The label selector, as a query parameter has it, of what is counted."},
		},
	},
}

// groupsOfKubernetes are the group versions of this Kubernetes release: DeleteOptions belongs to all of them (PV3-041).
var groupsOfKubernetes = []groupVersions{
	{"", []string{"v1"}},
	{"admissionregistration.k8s.io", []string{"v1", "v1alpha1", "v1beta1"}},
	{"apps", []string{"v1", "v1beta1", "v1beta2"}},
	{"authentication.k8s.io", []string{"v1", "v1alpha1", "v1beta1"}},
	{"authorization.k8s.io", []string{"v1", "v1beta1"}},
	{"autoscaling", []string{"v1", "v2"}},
	{"batch", []string{"v1", "v1beta1"}},
	{"certificates.k8s.io", []string{"v1", "v1alpha1", "v1beta1"}},
	{"coordination.k8s.io", []string{"v1", "v1alpha2", "v1beta1"}},
	{"discovery.k8s.io", []string{"v1", "v1beta1"}},
	{"events.k8s.io", []string{"v1", "v1beta1"}},
	{"extensions", []string{"v1beta1"}},
	{"flowcontrol.apiserver.k8s.io", []string{"v1", "v1beta1", "v1beta2", "v1beta3"}},
	{"internal.apiserver.k8s.io", []string{"v1alpha1"}},
	{"lifecycle.k8s.io", []string{"v1alpha1"}},
	{"networking.k8s.io", []string{"v1", "v1beta1"}},
	{"node.k8s.io", []string{"v1", "v1alpha1", "v1beta1"}},
	{"policy", []string{"v1", "v1beta1"}},
	{"rbac.authorization.k8s.io", []string{"v1", "v1alpha1", "v1beta1"}},
	{"resource.k8s.io", []string{"v1", "v1alpha3", "v1beta1", "v1beta2"}},
	{"scheduling.k8s.io", []string{"v1", "v1alpha3", "v1beta1"}},
	{"storage.k8s.io", []string{"v1", "v1alpha1", "v1beta1"}},
	{"storagemigration.k8s.io", []string{"v1", "v1beta1"}},
}
