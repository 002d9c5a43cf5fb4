package ast_test

import (
	"slices"
	"testing"
	"unsafe"

	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/containers"
	"github.com/google/cel-go/common/debug"
	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/cel/ast"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/test/celgo"
)

// one of each kind.
var (
	name     = ast.NewIdent(1, "a")
	literal  = ast.NewLiteral(2, types.String("b"))
	field    = ast.NewSelect(3, name, "c")
	test     = ast.NewPresenceTest(4, name, "c")
	call     = ast.NewCall(5, "f", name, literal)
	method   = ast.NewMemberCall(6, "g", field, literal)
	list     = ast.NewList(7, []*ast.Expr{name, literal, field}, []int32{0, 2})
	mapping  = ast.NewMap(8, []ast.MapEntry{ast.NewMapEntry(9, literal, name, true), ast.NewMapEntry(10, literal, field, false)})
	message  = ast.NewStruct(11, "a.B", []ast.StructField{ast.NewStructField(12, "d", name, true)})
	loop     = ast.NewComprehension(13, list, "x", "@result", literal, name, call, method)
	loop2    = ast.NewComprehensionTwoVar(14, mapping, "k", "v", "@result", literal, name, call, test)
	nothing  = ast.NewUnspecifiedExpr(15)
	everyone = []*ast.Expr{name, literal, field, test, call, method, list, mapping, message, loop, loop2, nothing, nil}
)

// A node has what it was made of, and nothing of the other kinds.
func TestExpr(t *testing.T) {
	kinds := map[*ast.Expr]ast.ExprKind{
		name: ast.IdentKind, literal: ast.LiteralKind, field: ast.SelectKind, test: ast.SelectKind, call: ast.CallKind, method: ast.CallKind,
		list: ast.ListKind, mapping: ast.MapKind, message: ast.StructKind, loop: ast.ComprehensionKind, loop2: ast.ComprehensionKind,
	}
	for _, e := range everyone {
		kind := kinds[e]
		require.Equal(t, kind, e.Kind())
		require.Equal(t, kind == ast.IdentKind, e.AsIdent() != "")
		require.Equal(t, kind == ast.LiteralKind, e.AsLiteral() != nil)
		require.Equal(t, kind == ast.SelectKind, e.AsSelect().FieldName() != "" && e.AsSelect().Operand() != nil)
		require.Equal(t, kind == ast.CallKind, e.AsCall().FunctionName() != "" && len(e.AsCall().Args()) > 0)
		require.Equal(t, kind == ast.ListKind, e.AsList().Size() > 0 && len(e.AsList().Elements()) > 0)
		require.Equal(t, kind == ast.MapKind, e.AsMap().Size() > 0 && len(e.AsMap().Entries()) > 0)
		require.Equal(t, kind == ast.StructKind, e.AsStruct().TypeName() != "" && len(e.AsStruct().Fields()) > 0)
		require.Equal(t, kind == ast.ComprehensionKind, e.AsComprehension().IterVar() != "" && e.AsComprehension().IterRange() != nil)
		require.Equal(t, e == method, e.AsCall().IsMemberFunction())
		require.Equal(t, e == loop2, e.AsComprehension().HasIterVar2())
	}
	for i, want := range []bool{true, false, true, false} {
		require.Equal(t, want, list.AsList().IsOptional(int32(i)))
	}
	require.False(t, ast.NewList(1, []*ast.Expr{name}, nil).AsList().IsOptional(0))
	require.Equal(t, int64(10), mapping.AsMap().Entries()[1].ID())
	require.Equal(t, int64(12), message.AsStruct().Fields()[0].ID())
	require.Zero(t, (*ast.Expr)(nil).ID())
}

// The debug output of cel-go shows all parts.
func TestTree(t *testing.T) {
	for e, want := range map[*ast.Expr]string{
		method: "a.c.g(\n  \"b\"\n)", list: "[\n  a,\n  \"b\",\n  a.c\n]", mapping: "{\n  ?\"b\":a,\n  \"b\":a.c\n}", message: "a.B{\n  ?d:a\n}",
		loop2: "__comprehension__(\n  // Variable\n  k,\n  v,\n  // Target\n  {\n    ?\"b\":a,\n    \"b\":a.c\n  },\n  // Accumulator\n  @result,\n" +
			"  // Init\n  \"b\",\n  // LoopCondition\n  a,\n  // LoopStep\n  f(\n    a,\n    \"b\"\n  ),\n  // Result\n  a.c~test-only~)",
	} {
		require.Equal(t, want, debug.ToDebugString(celgo.Expr(e)))
	}
}

func TestReplace(t *testing.T) {
	e := ast.NewSelect(20, name, "f")
	e.Replace(call)
	require.Equal(t, int64(20), e.ID())
	require.Equal(t, ast.CallKind, e.Kind())
	require.Same(t, call.AsCall(), e.AsCall())
}

// Nodes are visited in the order of cel-go.
func TestVisit(t *testing.T) {
	for _, e := range everyone[:len(everyone)-1] {
		var got, want []int64
		ast.Visit(e, func(e *ast.Expr) { got = append(got, e.ID()) })
		celast.PreOrderVisit(celgo.Expr(e), celast.NewExprVisitor(func(e celast.Expr) { want = append(want, e.ID()) }))
		require.Equal(t, want, got)
	}
}

func TestQualifiedName(t *testing.T) {
	for _, e := range slices.Concat(everyone[:len(everyone)-1], []*ast.Expr{
		ast.NewSelect(20, field, "d"), ast.NewSelect(20, test, "d"), ast.NewSelect(20, call, "d"),
	}) {
		want, known := containers.ToQualifiedName(celgo.Expr(e))
		got, ok := ast.QualifiedName(e)
		require.Equal(t, want, got)
		require.Equal(t, known, ok)
	}
}

func TestAST(t *testing.T) {
	r := ast.NewFunctionReference("f", "g")
	a := ast.NewCheckedAST(name, []ast.Fact{1: {types.IntType, r}, 3: {Type: types.BoolType}})
	require.Same(t, name, a.Expr())
	require.Same(t, types.IntType, a.GetType(1))
	require.Same(t, r, a.Reference(1))
	require.Equal(t, []string{"f", "g"}, a.GetOverloadIDs(1))
	for _, id := range []int64{0, 2, 4, 100, -1} {
		require.Same(t, types.DynType, a.GetType(id))
		require.Nil(t, a.Reference(id))
		require.Empty(t, a.GetOverloadIDs(id))
	}
}

func TestReferences(t *testing.T) {
	ids := []string{"f"}
	r := ast.NewFunctionReference(ids...)
	r.AddOverload("g")
	r.AddOverload("f")
	require.Equal(t, []string{"f", "g"}, r.OverloadIDs)
	require.Equal(t, &ast.ReferenceInfo{Name: "a", Value: types.Int(1)}, ast.NewIdentReference("a", types.Int(1)))
}

// Nodes are not larger than those of cel-go, which has 24 bytes for any node and what follows for each kind.
func TestSizes(t *testing.T) {
	require.LessOrEqual(t, unsafe.Sizeof(ast.Expr{}), uintptr(24))
	require.LessOrEqual(t, unsafe.Sizeof(ast.CallExpr{}), uintptr(64))
	require.LessOrEqual(t, unsafe.Sizeof(ast.ComprehensionExpr{}), uintptr(128))
	require.LessOrEqual(t, unsafe.Sizeof(ast.ListExpr{}), uintptr(56))
	require.LessOrEqual(t, unsafe.Sizeof(ast.SelectExpr{}), uintptr(40))
	require.LessOrEqual(t, unsafe.Sizeof(ast.MapEntry{}), uintptr(24+40))
}
