package approval

import (
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/internal/uri"
)

// Annotation is the key of the annotation with the approval.
const Annotation = "api-approved.kubernetes.io"

// A State is the kind of an approval annotation.
type State uint8

// The states.
const (
	Missing  State = iota // no annotation, or an empty one
	Bypassed              // a text that starts with unapproved
	Given                 // a URL
	Invalid               // any other text
)

// Read returns the state of an annotation with a text, and the server's message for it: APP-002.
func Read(text string) (State, string) {
	const (
		required = `protected groups must have approval annotation "` + Annotation + `"`
		see      = ", see https://github.com/kubernetes/enhancements/pull/1111"
	)
	switch {
	case text == "":
		return Missing, required + see
	case strings.HasPrefix(text, "unapproved"):
		return Bypassed, "not approved: " + strconv.Quote(text)
	}
	if u, err := uri.ParseRequestURI(text); err == nil && u.Scheme != "" && u.Host != "" {
		return Given, "approved in " + text
	}
	return Invalid, required + ` with either a URL or a reason starting with "unapproved"` + see
}

// Protected reports whether a group belongs to Kubernetes: k8s.io, kubernetes.io, or a group in one of these domains
// (APP-001).
func Protected(group string) bool {
	for _, domain := range [...]string{"k8s.io", "kubernetes.io"} {
		if group == domain || strings.HasSuffix(group, "."+domain) {
			return true
		}
	}
	return false
}
