package crdcheck

import (
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
)

// checkApproval requires an approval for definitions in the groups of Kubernetes itself, unless the old definition was
// in the same state: APP-003.
func (c *checker) checkApproval(d, old *crd.CustomResourceDefinition) {
	if !crd.ProtectedGroup(c.spec.Group) {
		return
	}
	state, reason := d.Approval()
	if old != nil {
		if before, _ := old.Approval(); before == state {
			return
		}
	}
	at := metadataPath.Child("annotations").Key(crd.ApprovedAnnotation)
	switch state {
	case crd.ApprovalMissing:
		c.add(field.Required(at, reason))
	case crd.ApprovalInvalid:
		text, _ := d.Annotation(crd.ApprovedAnnotation)
		c.add(field.Invalid(at, text, reason))
	}
}
