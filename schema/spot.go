package schema

import (
	"strings"

	"github.com/crdkit/crdkit/field"
)

// A spot is the place of a node or a branch below the root, which is nil. The spots of a walk are linked on the Go stack: each
// function declares one for all the schemas below its own, outside of loops, and changes it before each of them. So a path
// costs nothing until there is an error.
type spot struct {
	parent *spot
	via    via
	key    string // of a property
	index  int    // in allOf, anyOf, oneOf
}

// A via is the keyword under which a schema stands in its parent.
type via uint8

const (
	viaItems via = iota
	viaProperties
	viaAdditionalProperties
	viaAllOf
	viaAnyOf
	viaOneOf
	viaNot
)

func (v via) keyword() string {
	switch v {
	case viaItems:
		return "items"
	case viaProperties:
		return "properties"
	case viaAdditionalProperties:
		return "additionalProperties"
	case viaAllOf:
		return "allOf"
	case viaAnyOf:
		return "anyOf"
	case viaOneOf:
		return "oneOf"
	}
	return "not"
}

// path returns the path of s below root.
func (s *spot) path(root *field.Path) *field.Path {
	if s == nil {
		return root
	}
	p := s.parent.path(root).Child(s.via.keyword())
	switch s.via {
	case viaProperties:
		// A path that shared the key would, to the compiler, share the spot, which then had to live on the heap.
		return p.Key(strings.Clone(s.key))
	case viaAllOf, viaAnyOf, viaOneOf:
		return p.Index(s.index)
	}
	return p
}
