package types

import (
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/since"
)

// A SchemaType is the CEL type of the values at one position in a schema: the node of a rule, or one that an expression
// reaches from it. [Scope] returns the first one, and its methods the others. They share computed results, so all that
// come from one Scope must be used by one goroutine at a time.
//
// All methods except Name may be called on a nil *SchemaType, which has no type and nothing below it.
type SchemaType struct {
	*shape
	name   string // the name of the type, if it is an object
	cel    *Type
	fields map[string]*SchemaType // by escaped name
	elem   *SchemaType

	objects map[string]*SchemaType // those that have been looked up at and below this one, by their names
}

// selfName is the name of the type of an object with rules. A server appends digits to it (CTY-013).
const selfName = "selfType"

// Scope returns the type of n, the topmost node with rules, or nil if it has none.
//
// Clauses: CWH-008, CTY-002.
func Scope(n *plan.Node) *SchemaType { return rooted(newShape(n)) }

// rooted returns the type of s for a rule on that node.
func rooted(s *shape) *SchemaType {
	if s == nil {
		return nil
	}
	return &SchemaType{shape: s, name: selfName}
}

// Property returns the type of n, the property called name of the node of t, for rules on n. It is the type that t has
// for that field: the implied type if there is one (CWH-009). A field that t does not have is converted separately. The
// result is nil if n has no type, and if t is nil: below a node without a type, no node has one.
//
// Clauses: CWH-008.
func (t *SchemaType) Property(name string, n *plan.Node) *SchemaType {
	if t == nil {
		return nil
	}
	if _, ok := EscapeName(name); ok {
		if s := t.property(name); s != nil {
			return rooted(s)
		}
	}
	return rooted(newShape(n))
}

// Items returns the type of the items or the additionalProperties of t's node, for rules on them, or nil.
//
// Clauses: CWH-008.
func (t *SchemaType) Items() *SchemaType {
	if t == nil {
		return nil
	}
	return rooted(t.shape.elem)
}

// Avoiding returns a type like t whose name does not occur in text; in most cases t itself. Otherwise an expression
// could refer to the type of self by name, which is impossible in a server.
//
// Clauses: CTY-013.
func (t *SchemaType) Avoiding(text string) *SchemaType {
	if t == nil || !strings.Contains(text, t.name) {
		return t
	}
	name := selfName + "0"
	for i := 1; strings.Contains(text, name); i++ {
		name = selfName + strconv.Itoa(i)
	}
	return &SchemaType{shape: t.shape, name: name}
}

// Name returns the name of t's object type, or the name that it would have.
//
// Clauses: CTY-013.
func (t *SchemaType) Name() string { return t.name }

// Node returns the node of t, or nil for a field that is only implied.
func (t *SchemaType) Node() *plan.Node {
	if t == nil {
		return nil
	}
	return t.node
}

// CEL returns the type that the check of an expression sees. It is always the same.
//
// Clauses: CTY-001.
func (t *SchemaType) CEL() *Type {
	if t == nil {
		return nil
	}
	if t.cel == nil {
		t.cel = t.newCEL()
	}
	return t.cel
}

func (t *SchemaType) newCEL() *Type {
	switch t.kind {
	case kindList:
		return NewListType(t.Elem().CEL())
	case kindMap:
		return NewMapType(StringType, t.Elem().CEL())
	case kindObject:
		return NewObjectType(t.name)
	}
	return celTypes[t.kind]
}

// celTypes has the types of the kinds that are the same everywhere.
var celTypes = [...]*Type{
	kindDyn: DynType, kindBytes: BytesType, kindDuration: DurationType, kindTimestamp: TimestampType,
	kindString: StringType, kindBool: BoolType, kindDouble: DoubleType, kindInt: IntType,
}

// Field returns the type of the field with the given escaped name, or nil if t is not an object or has no such field. A
// keyword is not an escaped name: see [NewProvider].
//
// Clauses: CTY-004, CTY-010.
func (t *SchemaType) Field(escaped string) *SchemaType {
	if t == nil || t.kind != kindObject {
		return nil
	}
	if f, ok := t.fields[escaped]; ok {
		return f
	}
	name, ok := UnescapeName(escaped)
	if !ok {
		return nil
	}
	s := t.property(name)
	if s == nil {
		return nil
	}
	f := &SchemaType{shape: s, name: t.name + "." + escaped}
	if t.fields == nil {
		t.fields = map[string]*SchemaType{}
	}
	t.fields[escaped] = f
	return f
}

// Elem returns the type of a list's items or a map's values, or nil.
func (t *SchemaType) Elem() *SchemaType {
	if t == nil || t.shape.elem == nil {
		return nil
	}
	if t.elem == nil {
		step := itemsStep
		if t.kind == kindMap {
			step = valuesStep
		}
		t.elem = &SchemaType{shape: t.shape.elem, name: t.name + "." + step}
	}
	return t.elem
}

// Key returns the type of a map's keys, or nil. Its size is 0, however long the keys are (CTY-001).
func (t *SchemaType) Key() *SchemaType {
	if t == nil || t.kind != kindMap {
		return nil
	}
	return &SchemaType{shape: impliedText(0), name: t.name}
}

// Size returns the maximum size of a value in cost estimates: bytes of a string, items of a list, entries of a map. It
// is 0 for nil.
//
// Clauses: CTY-001.
func (t *SchemaType) Size() uint64 { return t.SizeIn(0) }

// SizeIn returns [SchemaType.Size] for a minor version of Kubernetes.
func (t *SchemaType) SizeIn(minor since.Minor) uint64 {
	switch {
	case t == nil:
		return 0
	case t.sizedBy != since.Always && !t.sizedBy.In(minor):
		return t.before
	}
	return t.size
}

// SizeOf returns the size that t would have with bound as the maxLength, maxItems or maxProperties of its node. If
// these have no effect, it is the size of t.
func (t *SchemaType) SizeOf(bound int64) uint64 {
	switch {
	case !t.Bounded():
		return t.Size()
	case t.kind == kindString, t.kind == kindDyn:
		return 4 * atLeast0(bound)
	}
	return atLeast0(bound)
}

// Bounded reports whether t has a node whose maxLength, maxItems or maxProperties has an effect.
func (t *SchemaType) Bounded() bool {
	if t == nil || t.node == nil {
		return false
	}
	switch t.kind {
	case kindString, kindBytes, kindList, kindMap:
		return true
	case kindDyn:
		return t.node.Has&plan.IntOrString != 0
	}
	return false
}

// Min returns the minimum size of a value in JSON.
//
// Clauses: CTY-001, CTY-005.
func (t *SchemaType) Min() uint64 {
	if t == nil {
		return 0
	}
	return t.min()
}
