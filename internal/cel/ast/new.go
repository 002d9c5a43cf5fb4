package ast

import "github.com/crdkit/crdkit/internal/cel/types"

// The functions in this file create nodes. Slices become part of the node, and are not modified afterwards.

// NewCall returns the call of a function.
func NewCall(id int64, function string, args ...*Expr) *Expr {
	return &Expr{int32(id), CallKind, &CallExpr{function: function, args: args}}
}

// NewMemberCall returns the call of a method.
func NewMemberCall(id int64, function string, target *Expr, args ...*Expr) *Expr {
	return &Expr{int32(id), CallKind, &CallExpr{function, target, args}}
}

// NewComprehension returns a loop with one variable.
func NewComprehension(id int64, over *Expr, variable, accumulator string, start, condition, step, result *Expr) *Expr {
	return NewComprehensionTwoVar(id, over, variable, "", accumulator, start, condition, step, result)
}

// NewComprehensionTwoVar returns a loop with two variables.
func NewComprehensionTwoVar(
	id int64, over *Expr, key, value, accumulator string, start, condition, step, result *Expr,
) *Expr {
	return &Expr{int32(id), ComprehensionKind, &ComprehensionExpr{
		over, key, value, accumulator, start, condition, step, result,
	}}
}

// NewIdent returns a name.
func NewIdent(id int64, name string) *Expr { return &Expr{int32(id), IdentKind, name} }

// NewLiteral returns a literal.
func NewLiteral(id int64, v types.Value) *Expr { return &Expr{int32(id), LiteralKind, v} }

// NewList returns a list. optional are the indices of optional elements in ascending order.
func NewList(id int64, elements []*Expr, optional []int32) *Expr {
	return &Expr{int32(id), ListKind, &ListExpr{elements, optional}}
}

// NewMap returns a map.
func NewMap(id int64, entries []MapEntry) *Expr { return &Expr{int32(id), MapKind, &MapExpr{entries}} }

// NewMapEntry returns an entry of a map.
func NewMapEntry(id int64, key, value *Expr, optional bool) MapEntry {
	return MapEntry{int32(id), optional, key, value}
}

// NewSelect returns the selection of a field.
func NewSelect(id int64, operand *Expr, field string) *Expr {
	return &Expr{int32(id), SelectKind, &SelectExpr{operand: operand, field: field}}
}

// NewPresenceTest returns the test of a field.
func NewPresenceTest(id int64, operand *Expr, field string) *Expr {
	return &Expr{int32(id), SelectKind, &SelectExpr{operand, field, true}}
}

// NewStruct returns a message.
func NewStruct(id int64, name string, fields []StructField) *Expr {
	return &Expr{int32(id), StructKind, &StructExpr{name, fields}}
}

// NewStructField returns a field of a message.
func NewStructField(id int64, name string, value *Expr, optional bool) StructField {
	return StructField{int32(id), optional, name, value}
}

// NewUnspecifiedExpr returns a node for something that could not be read.
func NewUnspecifiedExpr(id int64) *Expr { return &Expr{id: int32(id)} }
