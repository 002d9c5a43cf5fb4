package types_test

import (
	"fmt"
	"testing"

	celtypes "github.com/google/cel-go/common/types"
	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/test/celgo"
)

// A pair is a type, and the same type of cel-go.
type pair struct {
	own *types.Type
	cel *celtypes.Type
}

// simple are the types without parameters, with their kinds.
var simple = []struct {
	pair
	kind types.Kind
	of   celtypes.Kind
}{
	{pair{types.AnyType, celtypes.AnyType}, types.AnyKind, celtypes.AnyKind},
	{pair{types.BoolType, celtypes.BoolType}, types.BoolKind, celtypes.BoolKind},
	{pair{types.BytesType, celtypes.BytesType}, types.BytesKind, celtypes.BytesKind},
	{pair{types.DoubleType, celtypes.DoubleType}, types.DoubleKind, celtypes.DoubleKind},
	{pair{types.DurationType, celtypes.DurationType}, types.DurationKind, celtypes.DurationKind},
	{pair{types.DynType, celtypes.DynType}, types.DynKind, celtypes.DynKind},
	{pair{types.ErrorType, celtypes.ErrorType}, types.ErrorKind, celtypes.ErrorKind},
	{pair{types.IntType, celtypes.IntType}, types.IntKind, celtypes.IntKind},
	{pair{types.NullType, celtypes.NullType}, types.NullTypeKind, celtypes.NullTypeKind},
	{pair{types.StringType, celtypes.StringType}, types.StringKind, celtypes.StringKind},
	{pair{types.TimestampType, celtypes.TimestampType}, types.TimestampKind, celtypes.TimestampKind},
	{pair{types.TypeType, celtypes.TypeType}, types.TypeKind, celtypes.TypeKind},
	{pair{types.UintType, celtypes.UintType}, types.UintKind, celtypes.UintKind},
	{pair{types.NewObjectType("a.B"), celtypes.NewObjectType("a.B")}, types.StructKind, celtypes.StructKind},
	{pair{types.NewOpaqueType("c"), celtypes.NewOpaqueType("c")}, types.OpaqueKind, celtypes.OpaqueKind},
	{pair{types.NewTypeParamType("T"), celtypes.NewTypeParamType("T")}, types.TypeParamKind, celtypes.TypeParamKind},
	{pair{}, types.UnspecifiedKind, celtypes.UnspecifiedKind},
}

// all has types of all kinds.
func all() []pair {
	var out []pair
	for _, s := range simple[:len(simple)-1] {
		out = append(out, s.pair)
	}
	for _, name := range []string{"BoolValue", "BytesValue", "DoubleValue", "FloatValue", "Int32Value", "Int64Value", "StringValue", "UInt32Value",
		"UInt64Value", "Any", "Duration", "Timestamp", "ListValue", "NullValue", "Struct", "Value", "Empty", "Unknown"} {
		out = append(out, pair{types.NewObjectType("google.protobuf." + name), celtypes.NewObjectType("google.protobuf." + name)})
	}
	out = append(out, pair{types.NewTypeParamType("U"), celtypes.NewTypeParamType("U")},
		pair{types.NewOpaqueType("a.B"), celtypes.NewOpaqueType("a.B")})
	single := out
	for _, p := range single {
		out = append(out,
			pair{types.NewListType(p.own), celtypes.NewListType(p.cel)},
			pair{types.NewMapType(types.StringType, p.own), celtypes.NewMapType(celtypes.StringType, p.cel)},
			pair{types.NewOptionalType(p.own), celtypes.NewOptionalType(p.cel)},
			pair{types.NewTypeTypeWithParam(p.own), celtypes.NewTypeTypeWithParam(p.cel)},
		)
	}
	return append(out,
		pair{types.NewListType(types.NewListType(types.IntType)), celtypes.NewListType(celtypes.NewListType(celtypes.IntType))},
		pair{types.NewMapType(types.NewTypeParamType("K"), types.NewTypeParamType("V")), celtypes.NewMapType(celtypes.NewTypeParamType("K"), celtypes.NewTypeParamType("V"))},
		pair{types.NewOpaqueType("pair", types.IntType, types.StringType), celtypes.NewOpaqueType("pair", celtypes.IntType, celtypes.StringType)},
	)
}

func TestKinds(t *testing.T) {
	for _, s := range simple {
		require.Equal(t, s.kind, s.own.Kind())
		require.Equal(t, s.of, s.cel.Kind())
	}
	require.Equal(t, types.ListKind, types.NewListType(types.IntType).Kind())
	require.Equal(t, types.MapKind, types.NewMapType(types.IntType, types.IntType).Kind())
}

// The texts of types are those of cel-go.
func TestTexts(t *testing.T) {
	for _, p := range all() {
		text := fmt.Sprint(p.cel)
		require.Equal(t, text, p.own.String())
		require.Equal(t, p.cel.TypeName(), p.own.TypeName())
		require.Equal(t, p.cel.DeclaredTypeName(), p.own.DeclaredTypeName())
		require.Equal(t, text, celgo.Type(p.own).String())
		require.Len(t, p.own.Parameters(), len(p.cel.Parameters()), text)
		for i, parameter := range p.own.Parameters() {
			require.Equal(t, p.cel.Parameters()[i].String(), parameter.String())
		}
	}
}

// Which types are the same is as in cel-go.
func TestComparisons(t *testing.T) {
	for _, p := range all() {
		for _, q := range all() {
			text := fmt.Sprintf("%v with %v", p.own, q.own)
			require.Equal(t, p.cel.IsEquivalentType(q.cel), p.own.IsEquivalentType(q.own), text)
		}
	}
}

func TestNoType(t *testing.T) {
	var none *types.Type
	require.Empty(t, none.String())
	require.Empty(t, none.TypeName())
	require.Empty(t, none.Parameters())
	require.False(t, none.IsEquivalentType(none))
	require.False(t, none.IsEquivalentType(types.IntType))
	require.False(t, types.IntType.IsEquivalentType(none))
}

func TestValues(t *testing.T) {
	for _, row := range []struct {
		v    types.Value
		typ  *types.Type
		want any
	}{
		{types.True, types.BoolType, true},
		{types.False, types.BoolType, false},
		{types.Bytes("a"), types.BytesType, []byte("a")},
		{types.Double(1.5), types.DoubleType, 1.5},
		{types.Int(-1), types.IntType, int64(-1)},
		{types.NullValue, types.NullType, nil},
		{types.String("a"), types.StringType, "a"},
		{types.Uint(1), types.UintType, uint64(1)},
		{types.IntType, types.TypeType, "int"},
	} {
		require.Same(t, row.typ, row.v.Type())
		require.Equal(t, row.want, row.v.Value())
		require.Equal(t, celgo.Value(row.v).Type().TypeName(), row.typ.TypeName())
	}
}
