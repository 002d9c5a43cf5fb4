package celgo

import (
	"github.com/google/cel-go/common"
	celast "github.com/google/cel-go/common/ast"
	celtypes "github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/crdkit/crdkit/internal/cel/ast"
	"github.com/crdkit/crdkit/internal/cel/types"
)

// simple has the types without parameters.
var simple = map[types.Kind]*celtypes.Type{
	types.AnyKind: celtypes.AnyType, types.BoolKind: celtypes.BoolType, types.BytesKind: celtypes.BytesType,
	types.DoubleKind: celtypes.DoubleType, types.DurationKind: celtypes.DurationType, types.DynKind: celtypes.DynType,
	types.ErrorKind: celtypes.ErrorType, types.IntKind: celtypes.IntType, types.NullTypeKind: celtypes.NullType,
	types.StringKind: celtypes.StringType, types.TimestampKind: celtypes.TimestampType, types.UintKind: celtypes.UintType,
}

// Type returns a type of cel-go, nil for nil.
func Type(t *types.Type) *celtypes.Type {
	var parameters []*celtypes.Type
	for _, p := range t.Parameters() {
		parameters = append(parameters, Type(p))
	}
	switch t.Kind() {
	case types.ListKind:
		return celtypes.NewListType(parameters[0])
	case types.MapKind:
		return celtypes.NewMapType(parameters[0], parameters[1])
	case types.OpaqueKind:
		return celtypes.NewOpaqueType(t.TypeName(), parameters...)
	case types.StructKind:
		return celtypes.NewObjectType(t.TypeName())
	case types.TypeParamKind:
		return celtypes.NewTypeParamType(t.TypeName())
	case types.TypeKind:
		if len(parameters) == 0 {
			return celtypes.TypeType
		}
		return celtypes.NewTypeTypeWithParam(parameters[0])
	}
	if t.DeclaredTypeName() != t.TypeName() {
		return celtypes.NewNullableType(simple[t.Kind()])
	}
	return simple[t.Kind()]
}

// Value returns a value of cel-go, nil for nil.
func Value(v types.Value) ref.Val {
	switch v := v.(type) {
	case types.Bool:
		return celtypes.Bool(v)
	case types.Bytes:
		return celtypes.Bytes(v)
	case types.Double:
		return celtypes.Double(v)
	case types.Int:
		return celtypes.Int(v)
	case types.Null:
		return celtypes.NullValue
	case types.String:
		return celtypes.String(v)
	case types.Uint:
		return celtypes.Uint(v)
	case *types.Type:
		return Type(v)
	}
	return nil
}

// Expr returns a tree of cel-go with the same ids.
func Expr(e *ast.Expr) celast.Expr {
	f := celast.NewExprFactory()
	id := e.ID()
	switch e.Kind() {
	case ast.LiteralKind:
		return f.NewLiteral(id, Value(e.AsLiteral()))
	case ast.IdentKind:
		return f.NewIdent(id, e.AsIdent())
	case ast.SelectKind:
		s := e.AsSelect()
		if s.IsTestOnly() {
			return f.NewPresenceTest(id, Expr(s.Operand()), s.FieldName())
		}
		return f.NewSelect(id, Expr(s.Operand()), s.FieldName())
	case ast.CallKind:
		c := e.AsCall()
		if c.IsMemberFunction() {
			return f.NewMemberCall(id, c.FunctionName(), Expr(c.Target()), exprs(c.Args())...)
		}
		return f.NewCall(id, c.FunctionName(), exprs(c.Args())...)
	case ast.ListKind:
		return f.NewList(id, exprs(e.AsList().Elements()), e.AsList().OptionalIndices())
	case ast.MapKind:
		var entries []celast.EntryExpr
		for _, m := range e.AsMap().Entries() {
			entries = append(entries, f.NewMapEntry(m.ID(), Expr(m.Key()), Expr(m.Value()), m.IsOptional()))
		}
		return f.NewMap(id, entries)
	case ast.StructKind:
		var fields []celast.EntryExpr
		for _, s := range e.AsStruct().Fields() {
			fields = append(fields, f.NewStructField(s.ID(), s.Name(), Expr(s.Value()), s.IsOptional()))
		}
		return f.NewStruct(id, e.AsStruct().TypeName(), fields)
	case ast.ComprehensionKind:
		c := e.AsComprehension()
		return f.NewComprehensionTwoVar(id, Expr(c.IterRange()), c.IterVar(), c.IterVar2(), c.AccuVar(), Expr(c.AccuInit()),
			Expr(c.LoopCondition()), Expr(c.LoopStep()), Expr(c.Result()))
	}
	return f.NewUnspecifiedExpr(id)
}

func exprs(all []*ast.Expr) []celast.Expr {
	out := make([]celast.Expr, len(all))
	for i, e := range all {
		out[i] = Expr(e)
	}
	return out
}

// AST returns a checked expression of cel-go, without positions.
func AST(a *ast.AST) *celast.AST {
	checked := celast.NewAST(Expr(a.Expr()), celast.NewSourceInfo(common.NewTextSource("")))
	for id, fact := range a.Facts() {
		if fact.Type != nil {
			checked.SetType(int64(id), Type(fact.Type))
		}
		if r := fact.Reference; r != nil {
			of := celast.NewFunctionReference(r.OverloadIDs...)
			of.Name, of.Value = r.Name, Value(r.Value)
			checked.SetReference(int64(id), of)
		}
	}
	return checked
}
