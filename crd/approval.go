package crd

import (
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/internal/uri"
)

// An Approval is the state of the [ApprovedAnnotation] of a definition.
type Approval uint8

const (
	ApprovalMissing  Approval = iota // no annotation, or an empty one
	ApprovalBypassed                 // a text that starts with unapproved
	ApprovalGiven                    // a URL
	ApprovalInvalid                  // any other text
)

// Approval returns the state of the [ApprovedAnnotation] of d, and the server's message for it. Definitions need an
// approval only in the groups for which [ProtectedGroup] reports true; Approval does not check the group.
func (d *CustomResourceDefinition) Approval() (Approval, string) {
	const (
		required = `protected groups must have approval annotation "` + ApprovedAnnotation + `"`
		see      = ", see https://github.com/kubernetes/enhancements/pull/1111"
	)
	text, _ := d.Annotation(ApprovedAnnotation)
	switch {
	case text == "":
		return ApprovalMissing, required + see
	case strings.HasPrefix(text, "unapproved"):
		return ApprovalBypassed, "not approved: " + strconv.Quote(text)
	}
	if u, err := uri.ParseRequestURI(text); err == nil && u.Scheme != "" && u.Host != "" {
		return ApprovalGiven, "approved in " + text
	}
	return ApprovalInvalid, required + ` with either a URL or a reason starting with "unapproved"` + see
}

// ProtectedGroup reports whether a group belongs to Kubernetes: k8s.io, kubernetes.io, or a group in one of these
// domains.
func ProtectedGroup(group string) bool {
	for _, domain := range [...]string{"k8s.io", "kubernetes.io"} {
		if group == domain || strings.HasSuffix(group, "."+domain) {
			return true
		}
	}
	return false
}
