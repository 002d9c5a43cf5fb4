package types

import (
	"github.com/crdkit/crdkit/internal/format"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/internal/since"
)

// A shapeKind is the row of CTY-001 that applies to a node.
type shapeKind uint8

const (
	kindDyn shapeKind = iota
	kindList
	kindMap
	kindObject
	kindBytes
	kindDuration
	kindTimestamp
	kindString
	kindBool
	kindDouble
	kindInt
)

// A shape is a [SchemaType] without its name. Names depend on the rule but sizes do not, so types with different names
// share shapes.
type shape struct {
	kind shapeKind
	node *plan.Node // nil: an implied field, or the key of a map
	size uint64
	elem *shape // of a list, a map

	implied bool // an object that has the implied fields of a resource (CTY-020)
	fields  map[string]*shape
	// The size before the version that changed it, unless sizedBy is since.Always.
	sizedBy since.Fact
	before  uint64

	// minimum is the minimum size in JSON. For an object it is computed on first use, which sets hasMinimum.
	minimum    uint64
	hasMinimum bool
}

// The maximum sizes in a request (R of CTY-001 without the quotes or brackets), and those of formats.
const (
	maxInRequest = refusal.MaxBody - 2
	maxDuration  = 32
	maxDate      = 12
	maxDateTime  = 32

	maxName         = format.MaxDNS1123Domain
	maxGenerateName = maxName - 1
)

// newShape returns the shape of n, or nil if n has no type. An embedded resource is treated as a root everywhere.
//
// Clauses: CTY-001, CTY-002, CTY-006.
func newShape(n *plan.Node) *shape {
	if n == nil {
		return nil
	}
	s := &shape{node: n, hasMinimum: true}
	if n.Has&plan.IntOrString != 0 {
		s.kind, s.minimum, s.size = kindDyn, 1, maxInRequest
		if most, ok := maxLength(n); ok {
			s.sized(most*4, since.IntOrStringLength)
		}
		return s
	}
	switch n.Type {
	case "array":
		return s.holding(kindList, newShape(n.Items), n.MaxItems, 1)
	case "object":
		if n.Additional != nil {
			return s.holding(kindMap, newShape(n.Additional), n.MaxProperties, 6)
		}
		s.kind, s.hasMinimum = kindObject, false
		s.implied = n.IsResource() && !HasMeta(n)
	case "string":
		s.text()
	case "boolean":
		s.kind, s.minimum = kindBool, 4
	case "number":
		s.kind, s.minimum = kindDouble, 1
	case "integer":
		s.kind, s.minimum = kindInt, 1
	default:
		return nil
	}
	return s
}

// holding makes s a list or a map of elem. In a request, each element takes at least its own minimum size plus more
// bytes.
func (s *shape) holding(k shapeKind, elem *shape, most int64, more uint64) *shape {
	if elem == nil {
		return nil
	}
	s.kind, s.elem, s.minimum = k, elem, 2
	if s.node.Sized() {
		s.size = atLeast0(most)
	} else {
		s.size = maxInRequest / (elem.min() + more)
	}
	return s
}

// text sets s according to the format of a string.
func (s *shape) text() {
	switch s.node.Format {
	case "byte":
		s.kind, s.minimum, s.size = kindBytes, 2, maxInRequest
		if most, ok := maxLength(s.node); ok {
			s.size = most
		}
	case "duration":
		s.kind, s.minimum, s.size = kindDuration, 3, maxDuration
	case "date":
		s.kind, s.minimum, s.size = kindTimestamp, 12, maxDate
	case "date-time":
		s.kind, s.minimum, s.size = kindTimestamp, 21, maxDateTime
	default:
		s.kind, s.minimum, s.size = kindString, 2, maxInRequest
		if most, ok := maxLength(s.node); ok {
			s.size = most * 4
		} else if s.node.Enum != nil {
			s.sized(longest(s.node.Enum.Values), since.EnumLength)
		}
	}
}

// sized sets a size that a version has changed.
func (s *shape) sized(size uint64, by since.Fact) { s.before, s.size, s.sizedBy = s.size, size, by }

// maxLength returns the maxLength of n, which is a string or int-or-string, if there is one.
func maxLength(n *plan.Node) (uint64, bool) {
	if !n.Sized() {
		return 0, false
	}
	return atLeast0(n.String.MaxLength), true
}

// longest returns the length of the longest string among values.
func longest(values []any) uint64 {
	most := 0
	for _, v := range values {
		if s, ok := v.(string); ok {
			most = max(most, len(s))
		}
	}
	return uint64(most)
}

func atLeast0(v int64) uint64 { return uint64(max(v, 0)) }

// min returns the minimum size of a value in JSON.
//
// Clauses: CTY-005.
func (s *shape) min() uint64 {
	if s.hasMinimum {
		return s.minimum
	}
	s.minimum = 2
	seen := make(map[string]bool, len(s.node.Required))
	for _, name := range s.node.Required {
		if seen[name] {
			continue
		}
		seen[name] = true
		f := s.property(name)
		if f == nil || f.node != nil && f.node.Default != nil {
			continue
		}
		s.minimum += uint64(len(name)) + f.min() + 4
	}
	s.hasMinimum = true
	return s.minimum
}

// property returns the shape of a property of an object, whether its name can be escaped or not; nil if there is none
// or it has no type. The result is always the same.
//
// Clauses: CTY-004, CTY-020.
func (s *shape) property(name string) *shape {
	if s.kind != kindObject {
		return nil
	}
	if f, ok := s.fields[name]; ok {
		return f
	}
	f := s.newProperty(name)
	if f != nil {
		if s.fields == nil {
			s.fields = map[string]*shape{}
		}
		s.fields[name] = f
	}
	return f
}

func (s *shape) newProperty(name string) *shape {
	if s.implied {
		switch name {
		case "apiVersion", "kind":
			return impliedText(maxInRequest)
		case "metadata":
			return impliedMeta(s.node)
		}
	}
	if s.node == nil {
		return nil // implied metadata, which has all its fields already
	}
	p := s.node.Prop(name)
	if p == nil {
		return nil
	}
	return newShape(p.Node)
}

// impliedText returns a string without a node.
func impliedText(size uint64) *shape {
	return &shape{kind: kindString, minimum: 2, hasMinimum: true, size: size}
}

// impliedMeta returns the metadata of the resource n. Only the lengths that n declares for name and generateName affect
// it.
func impliedMeta(n *plan.Node) *shape {
	var declared *plan.Node
	if p := n.Prop("metadata"); p != nil {
		declared = p.Node
	}
	name := func(name string, most uint64) *shape {
		s := impliedText(maxInRequest)
		if declared != nil {
			if p := declared.Prop(name); p != nil {
				if checks := p.Node.String; checks != nil { // of any type
					most = min(most, atLeast0(checks.MaxLength))
					if p.Node.Sized() {
						s.size = 4 * atLeast0(checks.MaxLength)
					}
				}
			}
		}
		s.sized(4*most, since.ImpliedNameLength)
		return s
	}
	return &shape{kind: kindObject, minimum: 2, hasMinimum: true, fields: map[string]*shape{
		"name":         name("name", maxName),
		"generateName": name("generateName", maxGenerateName),
	}}
}

// HasMeta reports whether n declares everything that is implied in a resource. Then nothing is implied.
//
// Clauses: CTY-020, CEV-013.
func HasMeta(n *plan.Node) bool {
	return declares(n, "kind", "string") && declares(n, "apiVersion", "string") && declares(n, "metadata", "object") &&
		declares(n.Prop("metadata").Node, "name", "string") && declares(n.Prop("metadata").Node, "generateName", "string")
}

func declares(n *plan.Node, name, typ string) bool {
	p := n.Prop(name)
	return p != nil && p.Node.Type == typ
}
