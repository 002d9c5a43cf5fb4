package ast

import (
	"slices"

	"github.com/crdkit/crdkit/internal/cel/types"
)

// An ExprKind is the kind of a node.
type ExprKind uint8

// The kinds.
const (
	UnspecifiedExprKind ExprKind = iota // of a nil *Expr, and of a node for something that could not be read
	CallKind
	ComprehensionKind
	IdentKind
	ListKind
	LiteralKind
	MapKind
	SelectKind
	StructKind
)

// An Expr is a node of a tree.
type Expr struct {
	id   int32 // enough for any text: a parser limits its length
	kind ExprKind
	// parts is what the node consists of, by its kind: a string for a name, a types.Value for a literal, or a pointer to
	// one of the types below. Most nodes are names and literals, so they are kept small.
	parts any
}

// ID returns the id of e.
func (e *Expr) ID() int64 {
	if e == nil {
		return 0
	}
	return int64(e.id)
}

// Kind returns the kind of e.
func (e *Expr) Kind() ExprKind {
	if e == nil {
		return UnspecifiedExprKind
	}
	return e.kind
}

// Replace makes e a node like by, with the same parts. Its id remains.
func (e *Expr) Replace(by *Expr) { e.kind, e.parts = by.kind, by.parts }

// What nodes of another kind consist of.
var (
	noCall          CallExpr
	noComprehension ComprehensionExpr
	noList          ListExpr
	noMap           MapExpr
	noSelect        SelectExpr
	noStruct        StructExpr
)

// AsCall returns a call. Like the other As methods, it returns an empty one for a node of another kind.
func (e *Expr) AsCall() *CallExpr {
	if e.Kind() != CallKind {
		return &noCall
	}
	return e.parts.(*CallExpr)
}

// AsComprehension returns a loop.
func (e *Expr) AsComprehension() *ComprehensionExpr {
	if e.Kind() != ComprehensionKind {
		return &noComprehension
	}
	return e.parts.(*ComprehensionExpr)
}

// AsIdent returns a name.
func (e *Expr) AsIdent() string {
	if e.Kind() != IdentKind {
		return ""
	}
	return e.parts.(string)
}

// AsList returns a list.
func (e *Expr) AsList() *ListExpr {
	if e.Kind() != ListKind {
		return &noList
	}
	return e.parts.(*ListExpr)
}

// AsLiteral returns the value of a literal, or nil.
func (e *Expr) AsLiteral() types.Value {
	if e.Kind() != LiteralKind {
		return nil
	}
	return e.parts.(types.Value)
}

// AsMap returns a map.
func (e *Expr) AsMap() *MapExpr {
	if e.Kind() != MapKind {
		return &noMap
	}
	return e.parts.(*MapExpr)
}

// AsSelect returns a selection.
func (e *Expr) AsSelect() *SelectExpr {
	if e.Kind() != SelectKind {
		return &noSelect
	}
	return e.parts.(*SelectExpr)
}

// AsStruct returns a message.
func (e *Expr) AsStruct() *StructExpr {
	if e.Kind() != StructKind {
		return &noStruct
	}
	return e.parts.(*StructExpr)
}

// A CallExpr is a call of a function, or of a method of a target. Operators are functions.
type CallExpr struct {
	function string
	target   *Expr // nil: a function
	args     []*Expr
}

// FunctionName returns the name of the function or method.
func (c *CallExpr) FunctionName() string { return c.function }

// IsMemberFunction reports whether c is the call of a method.
func (c *CallExpr) IsMemberFunction() bool { return c.target != nil }

// Target returns what the method is called on; nil for a function.
func (c *CallExpr) Target() *Expr { return c.target }

// Args returns the arguments, without the target.
func (c *CallExpr) Args() []*Expr { return c.args }

// A ComprehensionExpr is a loop: it goes through the items of a list, or the keys of a map, and computes the value of
// an accumulator from the one before. With two variables, these are index and item, or key and value.
type ComprehensionExpr struct {
	iterRange                                 *Expr
	iterVar, iterVar2, accuVar                string
	accuInit, loopCondition, loopStep, result *Expr
}

// IterRange returns what c goes through.
func (c *ComprehensionExpr) IterRange() *Expr { return c.iterRange }

// IterVar returns the name of the first variable.
func (c *ComprehensionExpr) IterVar() string { return c.iterVar }

// IterVar2 returns the name of the second variable, or nothing.
func (c *ComprehensionExpr) IterVar2() string { return c.iterVar2 }

// HasIterVar2 reports whether c has a second variable.
func (c *ComprehensionExpr) HasIterVar2() bool { return c.iterVar2 != "" }

// AccuVar returns the name of the accumulator.
func (c *ComprehensionExpr) AccuVar() string { return c.accuVar }

// AccuInit returns the first value of the accumulator.
func (c *ComprehensionExpr) AccuInit() *Expr { return c.accuInit }

// LoopCondition returns what is false if the rest of the range makes no difference.
func (c *ComprehensionExpr) LoopCondition() *Expr { return c.loopCondition }

// LoopStep returns the next value of the accumulator.
func (c *ComprehensionExpr) LoopStep() *Expr { return c.loopStep }

// Result returns the value of c, computed from the last value of the accumulator.
func (c *ComprehensionExpr) Result() *Expr { return c.result }

// A ListExpr is a list.
type ListExpr struct {
	elements []*Expr
	optional []int32 // indices, in ascending order
}

// Elements returns the elements.
func (l *ListExpr) Elements() []*Expr { return l.elements }

// Size returns the number of elements.
func (l *ListExpr) Size() int { return len(l.elements) }

// OptionalIndices returns which elements are optional: [?a].
func (l *ListExpr) OptionalIndices() []int32 { return l.optional }

// IsOptional reports whether the element at an index is optional.
func (l *ListExpr) IsOptional(index int32) bool {
	if len(l.optional) == 0 {
		return false
	}
	_, found := slices.BinarySearch(l.optional, index)
	return found
}

// A MapExpr is a map.
type MapExpr struct{ entries []MapEntry }

// Entries returns the entries.
func (m *MapExpr) Entries() []MapEntry { return m.entries }

// Size returns the number of entries.
func (m *MapExpr) Size() int { return len(m.entries) }

// A MapEntry is an entry of a map. It has an id like a node.
type MapEntry struct {
	id         int32
	optional   bool
	key, value *Expr
}

// ID returns the id of e.
func (e MapEntry) ID() int64 { return int64(e.id) }

// Key returns the key.
func (e MapEntry) Key() *Expr { return e.key }

// Value returns the value.
func (e MapEntry) Value() *Expr { return e.value }

// IsOptional reports whether e is optional: {?a: b}.
func (e MapEntry) IsOptional() bool { return e.optional }

// A SelectExpr is the selection of a field, or a test whether there is one.
type SelectExpr struct {
	operand  *Expr
	field    string
	testOnly bool
}

// Operand returns what has the field.
func (s *SelectExpr) Operand() *Expr { return s.operand }

// FieldName returns the name of the field.
func (s *SelectExpr) FieldName() string { return s.field }

// IsTestOnly reports whether s is a test: has(a.b).
func (s *SelectExpr) IsTestOnly() bool { return s.testOnly }

// A StructExpr is a message.
type StructExpr struct {
	name   string
	fields []StructField
}

// TypeName returns the name of the message's type.
func (s *StructExpr) TypeName() string { return s.name }

// Fields returns the fields that are set.
func (s *StructExpr) Fields() []StructField { return s.fields }

// A StructField is a field of a message. It has an id like a node.
type StructField struct {
	id       int32
	optional bool
	name     string
	value    *Expr
}

// ID returns the id of f.
func (f StructField) ID() int64 { return int64(f.id) }

// Name returns the name of the field.
func (f StructField) Name() string { return f.name }

// Value returns the value.
func (f StructField) Value() *Expr { return f.value }

// IsOptional reports whether f is optional: A{?b: c}.
func (f StructField) IsOptional() bool { return f.optional }
