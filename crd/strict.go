package crd

import (
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/strictjson"
)

// The keys of a definition, as a struct for the strict decoder of sigs.k8s.io/json. It reports keys that the struct
// does not have, and duplicate keys; the decoded values are not used. Scalars, and values that the decoder does not
// examine, are opaque.

type opaque = strictjson.Opaque

// knownKeys returns a struct with the keys of that version, to decode into.
func knownKeys(apiVersion string) any {
	if apiVersion == APIVersionV1beta1 {
		return &knownV1beta1{knownObject: knownObject{Metadata: objectmeta.NewKeys()}}
	}
	return &knownV1{knownObject: knownObject{Metadata: objectmeta.NewKeys()}}
}

type knownV1 struct {
	knownObject
	Spec struct {
		knownSpec
		Versions   []knownVersion[knownColumnV1] `json:"versions"`
		Conversion struct {
			Strategy opaque `json:"strategy"`
			Webhook  struct {
				ClientConfig             knownClientConfig `json:"clientConfig"`
				ConversionReviewVersions opaque            `json:"conversionReviewVersions"`
			} `json:"webhook"`
		} `json:"conversion"`
	} `json:"spec"`
}

type knownV1beta1 struct {
	knownObject
	Spec struct {
		knownSpec
		Versions   []knownVersion[knownColumnV1beta1] `json:"versions"`
		Conversion struct {
			Strategy                 opaque            `json:"strategy"`
			WebhookClientConfig      knownClientConfig `json:"webhookClientConfig"`
			ConversionReviewVersions opaque            `json:"conversionReviewVersions"`
		} `json:"conversion"`
		Version    opaque          `json:"version"`
		Validation knownValidation `json:"validation"`
		knownServing[knownColumnV1beta1]
	} `json:"spec"`
}

type knownObject struct {
	APIVersion opaque `json:"apiVersion"`
	Kind       opaque `json:"kind"`
	Metadata   any    `json:"metadata"` // of objectmeta.NewKeys
	Status     struct {
		Conditions []struct {
			Type               opaque `json:"type"`
			Status             opaque `json:"status"`
			LastTransitionTime opaque `json:"lastTransitionTime"`
			Reason             opaque `json:"reason"`
			Message            opaque `json:"message"`
			ObservedGeneration opaque `json:"observedGeneration"`
		} `json:"conditions"`
		AcceptedNames      knownNames `json:"acceptedNames"`
		StoredVersions     opaque     `json:"storedVersions"`
		ObservedGeneration opaque     `json:"observedGeneration"`
	} `json:"status"`
}

type knownSpec struct {
	Group                 opaque     `json:"group"`
	Names                 knownNames `json:"names"`
	Scope                 opaque     `json:"scope"`
	PreserveUnknownFields opaque     `json:"preserveUnknownFields"`
}

type knownNames struct {
	Plural     opaque `json:"plural"`
	Singular   opaque `json:"singular"`
	ShortNames opaque `json:"shortNames"`
	Kind       opaque `json:"kind"`
	ListKind   opaque `json:"listKind"`
	Categories opaque `json:"categories"`
}

type knownVersion[Column any] struct {
	Name               opaque          `json:"name"`
	Served             opaque          `json:"served"`
	Storage            opaque          `json:"storage"`
	Deprecated         opaque          `json:"deprecated"`
	DeprecationWarning opaque          `json:"deprecationWarning"`
	Schema             knownValidation `json:"schema"`
	knownServing[Column]
}

type knownValidation struct {
	OpenAPIV3Schema strictjson.SchemaKeys `json:"openAPIV3Schema"`
}

type knownServing[Column any] struct {
	Subresources struct {
		Status struct{} `json:"status"`
		Scale  struct {
			SpecReplicasPath   opaque `json:"specReplicasPath"`
			StatusReplicasPath opaque `json:"statusReplicasPath"`
			LabelSelectorPath  opaque `json:"labelSelectorPath"`
		} `json:"scale"`
	} `json:"subresources"`
	AdditionalPrinterColumns []Column `json:"additionalPrinterColumns"`
	SelectableFields         []struct {
		JSONPath opaque `json:"jsonPath"`
	} `json:"selectableFields"`
}

type knownColumnV1 struct {
	knownColumn
	JSONPath opaque `json:"jsonPath"`
}

type knownColumnV1beta1 struct {
	knownColumn
	JSONPath opaque `json:"JSONPath"`
}

type knownColumn struct {
	Name        opaque `json:"name"`
	Type        opaque `json:"type"`
	Format      opaque `json:"format"`
	Description opaque `json:"description"`
	Priority    opaque `json:"priority"`
}

type knownClientConfig struct {
	URL     opaque `json:"url"`
	Service struct {
		Namespace opaque `json:"namespace"`
		Name      opaque `json:"name"`
		Path      opaque `json:"path"`
		Port      opaque `json:"port"`
	} `json:"service"`
	CABundle opaque `json:"caBundle"`
}
