package crd

import (
	"time"

	"github.com/crdkit/crdkit/schema"
)

// The group, kind and versions of a document of this kind.
const (
	Group = "apiextensions.k8s.io"
	Kind  = "CustomResourceDefinition"

	APIVersionV1      = Group + "/v1"
	APIVersionV1beta1 = Group + "/v1beta1"
)

// CleanupFinalizer keeps a definition until its custom resources are deleted.
const CleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io"

// The values of a definition's Scope.
const (
	ClusterScoped   = "Cluster"
	NamespaceScoped = "Namespaced"
)

// The values of a conversion's Strategy.
const (
	ConversionNone    = "None"
	ConversionWebhook = "Webhook"
)

// The types of a definition's conditions.
const (
	Established                           = "Established"
	NamesAccepted                         = "NamesAccepted"
	NonStructuralSchema                   = "NonStructuralSchema"
	Terminating                           = "Terminating"
	KubernetesAPIApprovalPolicyConformant = "KubernetesAPIApprovalPolicyConformant"
	StorageMigrating                      = "StorageMigrating"
)

// A CustomResourceDefinition is a document of that kind as Go data, of version v1 or v1beta1.
//
// One model serves both. It has a field for everything that either version can express, in the layout of the server's
// unversioned form: the conversion is flat, and what v1beta1 may have once for all versions has a field in Spec in
// addition to the one in each Version. The fields have the values of the document, in the places where the document has
// them; APIVersion tells which version it was. [CustomResourceDefinition.Lookup] looks in both places for what applies
// to a version. [CustomResourceDefinition.V1] and [CustomResourceDefinition.Unversioned] return everything in one
// place.
//
// The tag `key` of a field is its key in a document. The tag `v1beta1` is its key in v1beta1, if that differs.
//
// A definition built in Go instead of by [Parse] has no defaults until [CustomResourceDefinition.WithDefaults] sets
// them. An empty APIVersion is v1.
type CustomResourceDefinition struct {
	APIVersion string
	// Metadata has JSON values, and only the keys of meta/v1's ObjectMeta. Empty fields are absent, and times are in
	// UTC. It is not nil after Parse.
	Metadata map[string]any `key:"metadata"`
	Spec     Spec           `key:"spec"`
	Status   Status         `key:"status"`
}

// A Spec describes the custom resources.
type Spec struct {
	Group string `key:"group"`
	Names Names  `key:"names"`
	Scope string `key:"scope"` // ClusterScoped or NamespaceScoped
	// Versions is nil if the document has none, and empty if it has an empty list.
	Versions   []Version   `key:"versions"`
	Conversion *Conversion `key:"conversion,omitempty"`
	// PreserveUnknownFields is never nil after Parse: false by default in v1, true in v1beta1.
	PreserveUnknownFields *bool `key:"preserveUnknownFields,omitempty"`

	// The other fields are for v1beta1 only: the name of the first version, and the settings for all versions.
	Version                  string            `v1beta1:"version"`
	Validation               *Validation       `v1beta1:"validation"`
	Subresources             *Subresources     `v1beta1:"subresources"`
	AdditionalPrinterColumns []Column          `v1beta1:"additionalPrinterColumns"`
	SelectableFields         []SelectableField `v1beta1:"selectableFields"`
}

// Names are the names of a resource: the requested ones in a Spec, the accepted ones in a Status.
type Names struct {
	Plural     string   `key:"plural"`
	Singular   string   `key:"singular,omitempty"`
	ShortNames []string `key:"shortNames,omitempty"`
	Kind       string   `key:"kind"`
	ListKind   string   `key:"listKind,omitempty"`
	Categories []string `key:"categories,omitempty"`
}

// A Version is a version of a resource.
type Version struct {
	Name               string        `key:"name"`
	Served             bool          `key:"served"`
	Storage            bool          `key:"storage"`
	Deprecated         bool          `key:"deprecated,omitempty"`
	DeprecationWarning *string       `key:"deprecationWarning,omitempty"` // nil: the default text
	Schema             *Validation   `key:"schema,omitempty"`
	Subresources       *Subresources `key:"subresources,omitempty"`
	// AdditionalPrinterColumns and SelectableFields are nil if the document has none.
	AdditionalPrinterColumns []Column          `key:"additionalPrinterColumns,omitempty"`
	SelectableFields         []SelectableField `key:"selectableFields,omitempty"`
}

// A Validation holds a schema. `schema: {}` in a document is a Validation without one.
type Validation struct {
	OpenAPIV3Schema *schema.JSONSchemaProps `key:"openAPIV3Schema,omitempty"`
}

// Subresources are the subresources of a version.
type Subresources struct {
	Status *SubresourceStatus `key:"status,omitempty"` // nil: none
	Scale  *SubresourceScale  `key:"scale,omitempty"`  // nil: none
}

// SubresourceStatus has no fields: its presence enables the subresource.
type SubresourceStatus struct{}

// SubresourceScale has the paths of the fields of a Scale in an object.
type SubresourceScale struct {
	SpecReplicasPath   string  `key:"specReplicasPath"`
	StatusReplicasPath string  `key:"statusReplicasPath"`
	LabelSelectorPath  *string `key:"labelSelectorPath,omitempty"`
}

// A Column is an entry of additionalPrinterColumns.
type Column struct {
	Name        string `key:"name"`
	Type        string `key:"type"`
	Format      string `key:"format,omitempty"`
	Description string `key:"description,omitempty"`
	Priority    int32  `key:"priority,omitempty"`
	JSONPath    string `key:"jsonPath" v1beta1:"JSONPath"`
}

// A SelectableField is a field that field selectors may use.
type SelectableField struct {
	JSONPath string `key:"jsonPath"`
}

// A Conversion describes how objects are converted from one version to another.
type Conversion struct {
	Strategy            string               `key:"strategy"`                // ConversionNone or ConversionWebhook
	WebhookClientConfig *WebhookClientConfig `v1beta1:"webhookClientConfig"` // webhook.clientConfig in v1
	// ConversionReviewVersions is nil if the document has none: webhook.conversionReviewVersions in v1.
	ConversionReviewVersions []string `v1beta1:"conversionReviewVersions"`
}

// A WebhookClientConfig has the location of a webhook: a URL, or a Service of the cluster.
type WebhookClientConfig struct {
	URL      *string           `key:"url,omitempty"`
	Service  *ServiceReference `key:"service,omitempty"`
	CABundle []byte            `key:"caBundle,omitempty"` // PEM; base64 in a document
}

// A ServiceReference refers to a Service.
type ServiceReference struct {
	Namespace string  `key:"namespace"`
	Name      string  `key:"name"`
	Path      *string `key:"path,omitempty"`
	Port      int32   `key:"port"` // 443 by default; 0 if the document has a 0
}

// A Status is the state of a definition.
type Status struct {
	Conditions         []Condition `key:"conditions"`
	AcceptedNames      Names       `key:"acceptedNames"`
	StoredVersions     []string    `key:"storedVersions"`
	ObservedGeneration int64       `key:"observedGeneration,omitempty"`
}

// A Condition is a condition of a definition.
type Condition struct {
	Type               string    `key:"type"`
	Status             string    `key:"status"`             // True, False or Unknown
	LastTransitionTime time.Time `key:"lastTransitionTime"` // zero: absent
	// Reason is:
	//   - for [NamesAccepted]: NoConflicts, PluralConflict, SingularConflict, ShortNamesConflict,
	//     KindConflict or ListKindConflict; each conflict is about one field of the names
	//   - for [Established]: NotAccepted, Installing, InvalidCABundle or InitialNamesAccepted
	//   - for [NonStructuralSchema]: Violations or StructuralError
	//   - for [KubernetesAPIApprovalPolicyConformant]: MissingAnnotation, UnapprovedAnnotation,
	//     ApprovedAnnotation or InvalidAnnotation
	//   - for [Terminating]: InstanceDeletionPending when the definition is deleted, then
	//     InstanceDeletionInProgress, InstanceDeletionCompleted, InstanceDeletionFailed, InstanceDeletionCheck,
	//     NeverEstablished or OverlappingBuiltInResource
	Reason             string `key:"reason,omitempty"`
	Message            string `key:"message,omitempty"`
	ObservedGeneration int64  `key:"observedGeneration,omitempty"`
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

// Annotation returns the value of an annotation, and whether it exists.
func (d *CustomResourceDefinition) Annotation(key string) (string, bool) {
	m, _ := d.Metadata["annotations"].(map[string]any)
	text, ok := m[key].(string)
	return text, ok
}

// Deleted reports whether metadata.deletionTimestamp is set.
func (d *CustomResourceDefinition) Deleted() bool { return d.Metadata["deletionTimestamp"] != nil }

//go:noinline
func (d *CustomResourceDefinition) metadataText(key string) string {
	text, _ := d.Metadata[key].(string)
	return text
}

// AcceptedNames returns the names under which the resource is served: those of the status, or those of the spec if the
// status has none.
func (d *CustomResourceDefinition) AcceptedNames() Names {
	if d.Status.AcceptedNames.Plural == "" && d.Status.AcceptedNames.Kind == "" {
		return d.Spec.Names
	}
	return d.Status.AcceptedNames
}

// Condition returns the condition of a type, or nil. It points into d.
func (d *CustomResourceDefinition) Condition(conditionType string) *Condition {
	return find(d.Status.Conditions, func(c *Condition) bool { return c.Type == conditionType })
}

// HasCondition reports whether the condition of a type has the status True.
func (d *CustomResourceDefinition) HasCondition(conditionType string) bool {
	c := d.Condition(conditionType)
	return c != nil && c.Status == "True"
}
