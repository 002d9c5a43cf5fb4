package ast

import "slices"

// A SourceInfo has the positions of nodes in a text.
type SourceInfo struct{ starts []Position } // by the ids of nodes

// A Position is a place in a text.
type Position struct {
	Line   int // from 1
	Column int // from 0, in code points
}

// NoPosition is the position of a node that is not in the text.
var NoPosition = Position{-1, -1}

// SetStart sets where the node with that id begins.
func (s *SourceInfo) SetStart(id int64, at Position) {
	if more := int(id) + 1 - len(s.starts); more > 0 {
		s.starts = slices.Grow(s.starts, more)[:id+1] // the new elements are zero
	}
	s.starts[id] = at
}

// Start returns where the node with that id begins.
func (s *SourceInfo) Start(id int64) Position {
	if s == nil || uint64(id) >= uint64(len(s.starts)) || s.starts[id] == (Position{}) {
		return NoPosition
	}
	return s.starts[id]
}
