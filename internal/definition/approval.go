package definition

import (
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/internal/format"
)

// ApprovalAnnotation is the key of the annotation with the approval.
const ApprovalAnnotation = "api-approved.kubernetes.io"

// An Approval is the kind of an approval annotation.
type Approval uint8

// The states.
const (
	ApprovalMissing  Approval = iota // no annotation, or an empty one
	ApprovalBypassed                 // a text that starts with unapproved
	ApprovalGiven                    // a URL
	ApprovalInvalid                  // any other text
)

// ReadApproval returns the state of an annotation with a text, and the server's message for it: APP-002.
func ReadApproval(text string) (Approval, string) {
	const (
		required = `protected groups must have approval annotation "` + ApprovalAnnotation + `"`
		see      = ", see https://github.com/kubernetes/enhancements/pull/1111"
	)
	switch {
	case text == "":
		return ApprovalMissing, required + see
	case strings.HasPrefix(text, "unapproved"):
		return ApprovalBypassed, "not approved: " + strconv.Quote(text)
	}
	if u, err := format.ParseRequestURI(text); err == nil && u.Scheme != "" && u.Host != "" {
		return ApprovalGiven, "approved in " + text
	}
	return ApprovalInvalid, required + ` with either a URL or a reason starting with "unapproved"` + see
}

// ProtectedGroup reports whether a group belongs to Kubernetes: k8s.io, kubernetes.io, or a group in one of these domains
// (APP-001).
func ProtectedGroup(group string) bool {
	for _, domain := range [...]string{"k8s.io", "kubernetes.io"} {
		if group == domain || strings.HasSuffix(group, "."+domain) {
			return true
		}
	}
	return false
}
