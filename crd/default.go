package crd

import "strings"

// WithDefaults returns d with the defaults that a server sets when it has read the document: the names singular and
// listKind, the conversion, and status.storedVersions; and for a v1beta1 document, before these, the scope, version or
// versions, the conversionReviewVersions and preserveUnknownFields. [Parse] calls it. The result shares with d the
// parts that have no defaults; d is not modified.
//
// The port of a webhook's service is an exception: only Parse sets its default, so a 0 in a [ServiceReference] is a 0
// in the document.
func (d *CustomResourceDefinition) WithDefaults() *CustomResourceDefinition {
	out := *d
	if c := out.Spec.Conversion; c != nil {
		conversion := *c
		out.Spec.Conversion = &conversion
	}
	out.setDefaults()
	return &out
}

func (d *CustomResourceDefinition) setDefaults() {
	s := &d.Spec
	old := d.APIVersion == APIVersionV1beta1
	if old && s.Scope == "" {
		s.Scope = NamespaceScoped
	}
	if s.Names.Singular == "" {
		s.Names.Singular = strings.ToLower(s.Names.Kind)
	}
	if s.Names.ListKind == "" && s.Names.Kind != "" {
		s.Names.ListKind = s.Names.Kind + "List"
	}
	if old && len(s.Versions) == 0 && s.Version != "" {
		s.Versions = []Version{{Name: s.Version, Served: true, Storage: true}}
	}
	if old && s.Version == "" && len(s.Versions) > 0 {
		s.Version = s.Versions[0].Name
	}
	if s.Conversion == nil {
		s.Conversion = &Conversion{Strategy: ConversionNone}
	}
	if old && s.Conversion.Strategy == ConversionWebhook && len(s.Conversion.ConversionReviewVersions) == 0 {
		s.Conversion.ConversionReviewVersions = []string{"v1beta1"}
	}
	if s.PreserveUnknownFields == nil {
		s.PreserveUnknownFields = &old
	}
	if len(d.Status.StoredVersions) == 0 {
		if v := d.storage(); v != nil {
			d.Status.StoredVersions = []string{v.Name}
		}
	}
}

const defaultPort = 443
