package schema

import "github.com/crdkit/crdkit/field"

// A spot is the place of a node or a branch below the root, which is nil. The spots of a walk are linked on the Go stack: each
// function declares one for all the schemas below its own, outside of loops, and changes it before each of them. So a path
// costs nothing until there is an error.
type spot struct {
	parent *spot
	step   Step // from the parent
}

// path returns the path of s below root.
func (s *spot) path(root *field.Path) *field.Path {
	if s == nil {
		return root
	}
	return s.step.Path(s.parent.path(root))
}
