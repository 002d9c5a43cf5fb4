package objectmeta

import "github.com/crdkit/crdkit/internal/names"

// This file has the rules as readers of JSON apply them, who have keys and values one after another, and no maps.

// ValidLabel reports whether a label is valid (MET-006).
func ValidLabel(key, value string) bool {
	return names.IsQualifiedName(key) && names.IsLabelValue(value)
}

// ValidAnnotation reports whether an annotation may have that key (MET-007). Its value may be any string.
func ValidAnnotation(key string) bool { return names.IsQualifiedNameFold(key) }

// ValidAPIVersion reports whether an embedded resource may have that apiVersion (OME-020).
func ValidAPIVersion(apiVersion string) bool { return apiVersionDetail(apiVersion) == "" }

// ValidKind reports whether an embedded resource may have that kind (OME-020).
func ValidKind(kind string) bool { return kindDetail(kind) == "" }

// SummaryOf returns the summary of canonical metadata with that name, generateName, namespace and generation, each missing if it is zero, and
// with no other members but valid labels and annotations. It allocates nothing.
func SummaryOf(name, generateName, namespace string, generation int64) Summary {
	return Summary{
		Canonical: true, KeptByCreate: true, KeptByUpdate: true, Generation: generation,
		name: objectName{name, generateName}, namespace: namespace, validRest: generation >= 0,
	}
}
