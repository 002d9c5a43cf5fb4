package crd

import (
	"time"

	"github.com/crdkit/crdkit/schema"
)

// The names that a document of this kind has (TYP-001).
const (
	Group = "apiextensions.k8s.io"
	Kind  = "CustomResourceDefinition"

	APIVersionV1      = Group + "/v1"
	APIVersionV1beta1 = Group + "/v1beta1"
)

// CleanupFinalizer keeps a definition until its custom resources are deleted (TYP-001).
const CleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io"

// ApprovedAnnotation is required of definitions in the groups of Kubernetes itself.
const ApprovedAnnotation = "api-approved.kubernetes.io"

// What a definition's Scope may be.
const (
	ClusterScoped   = "Cluster"
	NamespaceScoped = "Namespaced"
)

// What a conversion's Strategy may be.
const (
	ConversionNone    = "None"
	ConversionWebhook = "Webhook"
)

// The types of a definition's conditions (TYP-007), and what their Status may be.
const (
	Established                           = "Established"
	NamesAccepted                         = "NamesAccepted"
	NonStructuralSchema                   = "NonStructuralSchema"
	Terminating                           = "Terminating"
	KubernetesAPIApprovalPolicyConformant = "KubernetesAPIApprovalPolicyConformant"
	StorageMigrating                      = "StorageMigrating"

	ConditionTrue    = "True"
	ConditionFalse   = "False"
	ConditionUnknown = "Unknown"
)

// A CustomResourceDefinition is a document of that kind as Go data, of version v1 or v1beta1.
//
// One model serves both. It has a field for everything that either can say, in the layout of the server's unversioned form: the
// conversion is flat, and what v1beta1 may say once for all versions has a field in Spec beside the one in each Version. The
// fields hold what the document says, in the places where it says it; APIVersion tells which document it was. To ask what holds
// for a version, use [CustomResourceDefinition.Lookup]: it looks in both places. To have it all in one place, use
// [CustomResourceDefinition.V1] or [CustomResourceDefinition.Unversioned].
//
// A definition made in Go instead of by [Parse] has no defaults until [CustomResourceDefinition.WithDefaults] sets them. An empty
// APIVersion is v1.
type CustomResourceDefinition struct {
	APIVersion string
	// Metadata has JSON values, and the keys of meta/v1's ObjectMeta only: what is empty there is absent here, and times are in
	// UTC. It is not nil after Parse.
	Metadata map[string]any
	Spec     Spec
	Status   Status
}

// A Spec says what the custom resources are.
type Spec struct {
	Group string
	Names Names
	Scope string // ClusterScoped or NamespaceScoped
	// Versions is nil where the document has none, and empty where it has an empty list.
	Versions   []Version
	Conversion *Conversion
	// PreserveUnknownFields is never nil after Parse: false by default in v1, true in v1beta1.
	PreserveUnknownFields *bool

	// The rest is v1beta1's alone: the name of the first version, and what is said for all versions at once.
	Version                  string
	Validation               *Validation
	Subresources             *Subresources
	AdditionalPrinterColumns []Column
	SelectableFields         []SelectableField
}

// Names are the names of a resource: those asked for in a Spec, or those accepted in a Status.
type Names struct {
	Plural     string
	Singular   string
	ShortNames []string
	Kind       string
	ListKind   string
	Categories []string
}

// A Version is one of the versions of a resource.
type Version struct {
	Name               string
	Served             bool
	Storage            bool
	Deprecated         bool
	DeprecationWarning *string // nil: the default text
	Schema             *Validation
	Subresources       *Subresources
	// AdditionalPrinterColumns and SelectableFields are nil where the document has none.
	AdditionalPrinterColumns []Column
	SelectableFields         []SelectableField
}

// A Validation holds a schema. `schema: {}` in a document is a Validation without one.
type Validation struct {
	OpenAPIV3Schema *schema.JSONSchemaProps
}

// Subresources says which subresources a version has.
type Subresources struct {
	Status *SubresourceStatus // nil: none
	Scale  *SubresourceScale  // nil: none
}

// SubresourceStatus has nothing to say: that it is there switches the subresource on.
type SubresourceStatus struct{}

// SubresourceScale says where in an object the fields of a Scale are.
type SubresourceScale struct {
	SpecReplicasPath   string
	StatusReplicasPath string
	LabelSelectorPath  *string
}

// A Column is one of the additionalPrinterColumns.
type Column struct {
	Name        string
	Type        string
	Format      string
	Description string
	Priority    int32
	JSONPath    string // jsonPath in v1, JSONPath in v1beta1
}

// A SelectableField is a field of an object that field selectors may name.
type SelectableField struct {
	JSONPath string
}

// A Conversion says how objects get from one version to another.
type Conversion struct {
	Strategy            string               // ConversionNone or ConversionWebhook
	WebhookClientConfig *WebhookClientConfig // webhook.clientConfig in v1
	// ConversionReviewVersions is nil where the document has none: webhook.conversionReviewVersions in v1.
	ConversionReviewVersions []string
}

// A WebhookClientConfig says where a webhook is: at a URL, or a Service of the cluster.
type WebhookClientConfig struct {
	URL      *string
	Service  *ServiceReference
	CABundle []byte // PEM; base64 in a document
}

// A ServiceReference names a Service.
type ServiceReference struct {
	Namespace string
	Name      string
	Path      *string
	Port      int32 // 443 by default; a 0 stands in the document
}

// A Status says what became of a definition.
type Status struct {
	Conditions         []Condition
	AcceptedNames      Names
	StoredVersions     []string
	ObservedGeneration int64
}

// A Condition is one of the conditions of a definition.
type Condition struct {
	Type               string
	Status             string
	LastTransitionTime time.Time // zero: absent
	Reason             string
	Message            string
	ObservedGeneration int64
}

// Name returns metadata.name.
func (d *CustomResourceDefinition) Name() string { return d.metadataText("name") }

// ResourceVersion returns metadata.resourceVersion.
func (d *CustomResourceDefinition) ResourceVersion() string {
	return d.metadataText("resourceVersion")
}

// Generation returns metadata.generation.
func (d *CustomResourceDefinition) Generation() int64 {
	n, _ := d.Metadata["generation"].(int64)
	return n
}

// Annotation returns the text of an annotation, and whether there is one of that key.
func (d *CustomResourceDefinition) Annotation(key string) (string, bool) {
	m, _ := d.Metadata["annotations"].(map[string]any)
	text, ok := m[key].(string)
	return text, ok
}

// Deleted reports whether metadata.deletionTimestamp is set.
func (d *CustomResourceDefinition) Deleted() bool { return d.Metadata["deletionTimestamp"] != nil }

func (d *CustomResourceDefinition) metadataText(key string) string {
	text, _ := d.Metadata[key].(string)
	return text
}

// AcceptedNames returns the names under which the resource is served: those of the status, or, where a status has none, those
// that the spec asks for.
func (d *CustomResourceDefinition) AcceptedNames() Names {
	if d.Status.AcceptedNames.Plural == "" && d.Status.AcceptedNames.Kind == "" {
		return d.Spec.Names
	}
	return d.Status.AcceptedNames
}

// Condition returns the condition of a type, or nil. It points into d.
func (d *CustomResourceDefinition) Condition(conditionType string) *Condition {
	for i := range d.Status.Conditions {
		if d.Status.Conditions[i].Type == conditionType {
			return &d.Status.Conditions[i]
		}
	}
	return nil
}

// HasCondition reports whether the condition of a type has a status: [ConditionTrue], for instance.
func (d *CustomResourceDefinition) HasCondition(conditionType, status string) bool {
	c := d.Condition(conditionType)
	return c != nil && c.Status == status
}
