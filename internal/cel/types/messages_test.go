package types_test

import (
	"maps"
	"slices"
	"testing"

	celtypes "github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/pb"
	"github.com/google/cel-go/common/types/ref"
	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/test/celgo"
)

// described returns the names of all messages, fields and constants of google.protobuf that cel-go knows.
func described() (messages, fields, constants []string) {
	for _, file := range pb.DefaultDb.FileDescriptions() {
		constants = append(constants, file.GetEnumNames()...)
		for _, name := range file.GetTypeNames() {
			messages = append(messages, name)
			m, _ := file.GetTypeDescription(name)
			for _, f := range m.FieldMap() {
				fields = append(fields, f.Name(), f.JSONName())
			}
		}
	}
	return messages, fields, constants
}

// TestWellKnown compares the tables with cel-go's registry, as a server uses it: CEN-021.
func TestWellKnown(t *testing.T) {
	r, err := celtypes.NewRegistry()
	require.NoError(t, err)
	require.NoError(t, r.RegisterType(celtypes.OptionalType, celtypes.NewOpaqueType("net.IP"), celtypes.NewOpaqueType("net.CIDR")))
	messages, fields, constants := described()
	require.ElementsMatch(t, messages, slices.Collect(maps.Keys(types.WellKnown)))

	names := slices.Concat(messages, constants, slices.Collect(maps.Keys(types.Idents)), slices.Collect(maps.Keys(types.Named)), []string{
		"", "dyn", "any", "error", "google", "google.protobuf", "google.protobuf.", "google.protobuf.NullValue", "google.protobuf.NullValue.X",
		"NULL_VALUE", "google.protobuf.NULL_VALUE", "google.protobuf.FieldMask", "google.protobuf.Struct.Fields", "google.protobuf.anything",
		"google.type.Date", "kubernetes.Quantity", "selfType",
	})
	p := types.NewProvider(nil)
	for _, name := range names {
		want, known := r.FindIdent(name)
		got, ok := p.FindIdent(name)
		require.Equal(t, known, ok, name)
		if known {
			require.Equal(t, text(want), text(celgo.Value(got)), name)
		}
		if enum := r.EnumValue(name); !celtypes.IsError(enum) {
			require.Equal(t, enum, celgo.Value(got), name)
		}
		if types.Named[name] != nil {
			continue // a server's own names, which hide those of the registry
		}
		wantType, known := r.FindStructType(name)
		gotType, ok := p.FindStructType(name)
		require.Equal(t, known, ok, name)
		if known {
			require.Equal(t, wantType.String(), gotType.String(), name)
			require.True(t, wantType.IsExactType(celgo.Type(gotType)), name)
		}
		for _, f := range append(fields, "", "zz", "Value", "values.", "kind") {
			want, known := r.FindStructFieldType(name, f)
			got, ok := p.FindStructFieldType(name, f)
			require.Equal(t, known, ok, "%s %s", name, f)
			if known {
				require.Equal(t, want.Type.String(), got.String(), "%s %s", name, f)
				require.True(t, want.Type.IsExactType(celgo.Type(got)), "%s %s", name, f)
			}
		}
	}
	require.Equal(t, types.Int(0), types.Idents[constants[0]])
	require.Len(t, constants, 1)
}

// text returns a value of cel-go with its type.
func text(v ref.Val) string {
	if t, ok := v.(*celtypes.Type); ok {
		return "type " + t.String()
	}
	return v.Type().TypeName() + " " + string(v.ConvertToType(celtypes.StringType).(celtypes.String))
}
