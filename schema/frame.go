package schema

import "github.com/crdkit/crdkit/field"

// A frame is the location of a node or a branch below the root, whose frame is nil. The frames of a walk form a linked
// list on the Go stack: each function declares one, outside of loops, and changes it for each child. So a path costs
// nothing unless there is an error.
type frame struct {
	parent *frame
	loc    Location // in the parent
}

// path returns the path of s below root.
func (s *frame) path(root *field.Path) *field.Path {
	if s == nil {
		return root
	}
	return s.loc.Path(s.parent.path(root))
}
