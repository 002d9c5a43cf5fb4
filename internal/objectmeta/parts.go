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

// CanonicalTime reports whether a time is written as a server writes it.
func CanonicalTime(text string) bool { return canonicalTime(text) }

// Names are the members of metadata that name the object. Each is empty if it is missing.
type Names struct{ Name, GenerateName, Namespace string }

// ValidCreate is [ValidCreate] for metadata with these names whose other members are valid. It allocates nothing if
// they are valid.
func (n *Names) ValidCreate(namespaced bool) bool {
	s := n.summary()
	return s.ValidCreate(namespaced)
}

// ValidUpdate is [ValidUpdate] for such metadata, and an old one that is the same.
func (n *Names) ValidUpdate(namespaced bool) bool {
	s := n.summary()
	return s.ValidUpdate(namespaced)
}

func (n *Names) summary() Summary {
	return Summary{name: objectName{n.Name, n.GenerateName}, namespace: n.Namespace, validRest: true}
}
