package v1

import (
	"encoding/json"
	"errors"
	"time"

	kjson "sigs.k8s.io/json"

	"github.com/crdkit/crdkit/server/internal/apiextensions/v1/types"
)

// maxWork is the maximum of a text's length times its depth. Types that have several forms read their text again, so
// that this is the number of bytes that are read at most.
const maxWork = 64 << 20

// DecodeError returns the error with which a server's decoder refuses a definition. It returns nil if there is none, and
// for a text that would take too long: some tenths of a second.
func DecodeError(text []byte) error {
	if len(text)*depth(text) > maxWork {
		return nil
	}
	return kjson.UnmarshalCaseSensitivePreserveInts(text, new(CustomResourceDefinition))
}

// depth returns the maximum nesting of a text, or more: brackets in strings count.
func depth(text []byte) (most int) {
	open := 0
	for _, b := range text {
		switch b {
		case '{', '[':
			open++
			most = max(most, open)
		case '}', ']':
			open--
		}
	}
	return most
}

// The types have the names of Kubernetes' published types, and their fields the order there.

type CustomResourceDefinition struct {
	Kind       string                         `json:"kind"`
	APIVersion string                         `json:"apiVersion"`
	Metadata   ObjectMeta                     `json:"metadata"`
	Spec       CustomResourceDefinitionSpec   `json:"spec"`
	Status     CustomResourceDefinitionStatus `json:"status"`
}

type ObjectMeta struct {
	Name                       string               `json:"name"`
	GenerateName               string               `json:"generateName"`
	Namespace                  string               `json:"namespace"`
	SelfLink                   string               `json:"selfLink"`
	UID                        types.UID            `json:"uid"`
	ResourceVersion            string               `json:"resourceVersion"`
	Generation                 int64                `json:"generation"`
	CreationTimestamp          instant              `json:"creationTimestamp"`
	DeletionTimestamp          *instant             `json:"deletionTimestamp"`
	DeletionGracePeriodSeconds *int64               `json:"deletionGracePeriodSeconds"`
	Labels                     map[string]string    `json:"labels"`
	Annotations                map[string]string    `json:"annotations"`
	OwnerReferences            []OwnerReference     `json:"ownerReferences"`
	Finalizers                 []string             `json:"finalizers"`
	ManagedFields              []ManagedFieldsEntry `json:"managedFields"`
}

type OwnerReference struct {
	APIVersion         string    `json:"apiVersion"`
	Kind               string    `json:"kind"`
	Name               string    `json:"name"`
	UID                types.UID `json:"uid"`
	Controller         *bool     `json:"controller"`
	BlockOwnerDeletion *bool     `json:"blockOwnerDeletion"`
}

type ManagedFieldsEntry struct {
	Manager     string                     `json:"manager"`
	Operation   ManagedFieldsOperationType `json:"operation"`
	APIVersion  string                     `json:"apiVersion"`
	Time        *instant                   `json:"time"`
	FieldsType  string                     `json:"fieldsType"`
	FieldsV1    *JSON                      `json:"fieldsV1"`
	Subresource string                     `json:"subresource"`
}

type (
	CustomResourceDefinitionConditionType string
	ConditionStatus                       string
	ConversionStrategyType                string
	FieldValueErrorReason                 string
	JSONSchemaDefinitions                 map[string]JSONSchemaProps
	JSONSchemaDependencies                map[string]JSONSchemaPropsOrStringArray
	JSONSchemaURL                         string
	ManagedFieldsOperationType            string
	ResourceScope                         string
	ValidationRules                       []ValidationRule
)

type CustomResourceDefinitionSpec struct {
	Group                 string                            `json:"group"`
	Names                 CustomResourceDefinitionNames     `json:"names"`
	Scope                 ResourceScope                     `json:"scope"`
	Versions              []CustomResourceDefinitionVersion `json:"versions"`
	Conversion            *CustomResourceConversion         `json:"conversion"`
	PreserveUnknownFields bool                              `json:"preserveUnknownFields"`
}

type CustomResourceDefinitionNames struct {
	Plural     string   `json:"plural"`
	Singular   string   `json:"singular"`
	ShortNames []string `json:"shortNames"`
	Kind       string   `json:"kind"`
	ListKind   string   `json:"listKind"`
	Categories []string `json:"categories"`
}

type CustomResourceDefinitionVersion struct {
	Name                     string                           `json:"name"`
	Served                   bool                             `json:"served"`
	Storage                  bool                             `json:"storage"`
	Deprecated               bool                             `json:"deprecated"`
	DeprecationWarning       *string                          `json:"deprecationWarning"`
	Schema                   *CustomResourceValidation        `json:"schema"`
	Subresources             *CustomResourceSubresources      `json:"subresources"`
	AdditionalPrinterColumns []CustomResourceColumnDefinition `json:"additionalPrinterColumns"`
	SelectableFields         []SelectableField                `json:"selectableFields"`
}

type CustomResourceConversion struct {
	Strategy ConversionStrategyType `json:"strategy"`
	Webhook  *WebhookConversion     `json:"webhook"`
}

type WebhookConversion struct {
	ClientConfig             *WebhookClientConfig `json:"clientConfig"`
	ConversionReviewVersions []string             `json:"conversionReviewVersions"`
}

type WebhookClientConfig struct {
	URL      *string           `json:"url"`
	Service  *ServiceReference `json:"service"`
	CABundle []byte            `json:"caBundle"`
}

type ServiceReference struct {
	Namespace string  `json:"namespace"`
	Name      string  `json:"name"`
	Path      *string `json:"path"`
	Port      *int32  `json:"port"`
}

type CustomResourceValidation struct {
	OpenAPIV3Schema *JSONSchemaProps `json:"openAPIV3Schema"`
}

type CustomResourceSubresources struct {
	Status *CustomResourceSubresourceStatus `json:"status"`
	Scale  *CustomResourceSubresourceScale  `json:"scale"`
}

type CustomResourceSubresourceStatus struct{}

type CustomResourceSubresourceScale struct {
	SpecReplicasPath   string  `json:"specReplicasPath"`
	StatusReplicasPath string  `json:"statusReplicasPath"`
	LabelSelectorPath  *string `json:"labelSelectorPath"`
}

type CustomResourceColumnDefinition struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Format      string `json:"format"`
	Description string `json:"description"`
	Priority    int32  `json:"priority"`
	JSONPath    string `json:"jsonPath"`
}

type SelectableField struct {
	JSONPath string `json:"jsonPath"`
}

type CustomResourceDefinitionStatus struct {
	Conditions         []CustomResourceDefinitionCondition `json:"conditions"`
	AcceptedNames      CustomResourceDefinitionNames       `json:"acceptedNames"`
	StoredVersions     []string                            `json:"storedVersions"`
	ObservedGeneration int64                               `json:"observedGeneration"`
}

type CustomResourceDefinitionCondition struct {
	Type               CustomResourceDefinitionConditionType `json:"type"`
	Status             ConditionStatus                       `json:"status"`
	LastTransitionTime instant                               `json:"lastTransitionTime"`
	Reason             string                                `json:"reason"`
	Message            string                                `json:"message"`
	ObservedGeneration int64                                 `json:"observedGeneration"`
}

type JSONSchemaProps struct {
	ID                     string                     `json:"id"`
	Schema                 JSONSchemaURL              `json:"$schema"`
	Ref                    *string                    `json:"$ref"`
	Description            string                     `json:"description"`
	Type                   string                     `json:"type"`
	Format                 string                     `json:"format"`
	Title                  string                     `json:"title"`
	Maximum                *float64                   `json:"maximum"`
	ExclusiveMaximum       bool                       `json:"exclusiveMaximum"`
	Minimum                *float64                   `json:"minimum"`
	ExclusiveMinimum       bool                       `json:"exclusiveMinimum"`
	MaxLength              *int64                     `json:"maxLength"`
	MinLength              *int64                     `json:"minLength"`
	Pattern                string                     `json:"pattern"`
	MaxItems               *int64                     `json:"maxItems"`
	MinItems               *int64                     `json:"minItems"`
	UniqueItems            bool                       `json:"uniqueItems"`
	MultipleOf             *float64                   `json:"multipleOf"`
	Enum                   []JSON                     `json:"enum"`
	MaxProperties          *int64                     `json:"maxProperties"`
	MinProperties          *int64                     `json:"minProperties"`
	Required               []string                   `json:"required"`
	Items                  *JSONSchemaPropsOrArray    `json:"items"`
	AllOf                  []JSONSchemaProps          `json:"allOf"`
	OneOf                  []JSONSchemaProps          `json:"oneOf"`
	AnyOf                  []JSONSchemaProps          `json:"anyOf"`
	Not                    *JSONSchemaProps           `json:"not"`
	Properties             map[string]JSONSchemaProps `json:"properties"`
	AdditionalProperties   *JSONSchemaPropsOrBool     `json:"additionalProperties"`
	PatternProperties      map[string]JSONSchemaProps `json:"patternProperties"`
	Dependencies           JSONSchemaDependencies     `json:"dependencies"`
	AdditionalItems        *JSONSchemaPropsOrBool     `json:"additionalItems"`
	Definitions            JSONSchemaDefinitions      `json:"definitions"`
	ExternalDocs           *ExternalDocumentation     `json:"externalDocs"`
	Nullable               bool                       `json:"nullable"`
	XPreserveUnknownFields *bool                      `json:"x-kubernetes-preserve-unknown-fields"`
	XEmbeddedResource      bool                       `json:"x-kubernetes-embedded-resource"`
	XIntOrString           bool                       `json:"x-kubernetes-int-or-string"`
	XListMapKeys           []string                   `json:"x-kubernetes-list-map-keys"`
	XListType              *string                    `json:"x-kubernetes-list-type"`
	XMapType               *string                    `json:"x-kubernetes-map-type"`
	XValidations           ValidationRules            `json:"x-kubernetes-validations"`
}

type ValidationRule struct {
	Rule              string                 `json:"rule"`
	Message           string                 `json:"message"`
	MessageExpression string                 `json:"messageExpression"`
	Reason            *FieldValueErrorReason `json:"reason"`
	FieldPath         string                 `json:"fieldPath"`
	OptionalOldSelf   *bool                  `json:"optionalOldSelf"`
}

type ExternalDocumentation struct {
	Description string `json:"description"`
	URL         string `json:"url"`
}

// JSON is any value.
type JSON struct{}

// UnmarshalJSON accepts everything.
func (*JSON) UnmarshalJSON([]byte) error { return nil }

// Each of the following types has several forms. Paths in errors start below it.

type JSONSchemaPropsOrBool struct{}

// UnmarshalJSON accepts a schema, true and false.
func (*JSONSchemaPropsOrBool) UnmarshalJSON(text []byte) error {
	switch {
	case text[0] == '{':
		return kjson.UnmarshalCaseSensitivePreserveInts(text, new(JSONSchemaProps))
	case string(text) == "true", string(text) == "false":
		return nil
	}
	return errors.New("boolean or JSON schema expected")
}

type JSONSchemaPropsOrArray struct{}

// UnmarshalJSON accepts a schema, a list of schemas and all scalars.
func (*JSONSchemaPropsOrArray) UnmarshalJSON(text []byte) error {
	return schemaOr(text, new([]JSONSchemaProps))
}

type JSONSchemaPropsOrStringArray struct{}

// UnmarshalJSON accepts a schema, a list of strings and all scalars.
func (*JSONSchemaPropsOrStringArray) UnmarshalJSON(text []byte) error {
	return schemaOr(text, new([]string))
}

func schemaOr(text []byte, list any) error {
	switch text[0] {
	case '{':
		return kjson.UnmarshalCaseSensitivePreserveInts(text, new(JSONSchemaProps))
	case '[':
		return kjson.UnmarshalCaseSensitivePreserveInts(text, list)
	}
	return nil
}

// An instant is a time in RFC 3339.
type instant struct{}

// UnmarshalJSON accepts a time and null.
func (*instant) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	_, err := time.Parse(time.RFC3339, s)
	return err
}
