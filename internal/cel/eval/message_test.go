package eval

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/test/given"
)

// CEN-021: a field takes what a server can make a value of the field's type of.
func TestMessageFields(t *testing.T) {
	for _, row := range []struct{ rule, fault string }{
		{"BoolValue{value: dyn(true)} == true", ""},
		{"BoolValue{value: dyn(1)} == true", "BoolValue.value value type: unsupported type conversion from 'int' to bool"},
		{"BoolValue{value: dyn(1u)} == true", "BoolValue.value value type: unsupported type conversion from 'uint' to bool"},
		{"BoolValue{value: dyn('a')} == true", "BoolValue.value value type: unsupported native conversion from string to 'bool'"},
		{"BoolValue{value: dyn(1.5)} == true", "BoolValue.value value type: type conversion error from Double to 'bool'"},
		{"BoolValue{value: dyn(null)} == true", "BoolValue.value value type: type conversion error from 'null_type' to 'bool'"},
		{"BoolValue{value: dyn([1])} == true", "BoolValue.value value type: type conversion error from list to 'bool'"},
		{"BoolValue{value: dyn({1: 1})} == true", "BoolValue.value value type: type conversion error from map to 'bool'"},
		{"BoolValue{value: dyn(self.o)} == true", "BoolValue.value value type: type conversion error from 'map(dyn, dyn)' to 'bool'"},
		{"BoolValue{value: dyn(self.l)} == true", "BoolValue.value value type: type conversion error from 'list(dyn)' to 'bool'"},
		{"BoolValue{value: dyn(duration('1s'))} == true", "BoolValue.value value type: type conversion error from 'Duration' to 'bool'"},
		{"BoolValue{value: dyn(timestamp(1))} == true", "BoolValue.value value type: type conversion error from 'Timestamp' to 'bool'"},
		{"BoolValue{value: dyn(int)} == true", "BoolValue.value value type: type conversion not supported for 'type'"},
		{"BoolValue{value: dyn(quantity('1'))} == true", "BoolValue.value value type: type conversion error from 'Quantity' to 'bool'"},
		{"BoolValue{value: dyn(optional.none())} == true", "BoolValue.value value type: optional.none() dereference"},
		{"BoolValue{value: dyn(optional.of(true))} == true", ""},
		{"Int32Value{value: dyn(3000000000)} == 1", "Int32Value.value value type: integer overflow"},
		{"UInt32Value{value: dyn(5000000000u)} == 1u", "UInt32Value.value value type: unsigned integer overflow"},
		{"FloatValue{value: dyn(0.1)} == 0.10000000149011612", ""},
		{"StringValue{value: dyn(ip('1.1.1.1'))} == '1.1.1.1'", ""},
		{"StringValue{value: dyn(url('http://a'))} == 'http://a'", ""},
		{"StringValue{value: dyn(semver('1.2.3'))} == '1.2.3'", ""},
		{"BytesValue{value: dyn([104u, 105u])} == b'hi'", ""},
		{"BytesValue{value: dyn([256u])} == b''", "BytesValue.value value type: unsigned integer overflow"},
		{"Duration{seconds: dyn('2')} == duration('2s')", "Duration.seconds value type: unsupported native conversion from string to 'int64'"},
		{"Timestamp{nanos: dyn(1.5)} == timestamp(0)", "Timestamp.nanos value type: type conversion error from Double to 'int32'"},
		{"Value{null_value: dyn(1)} == null", ""},
		{"Value{null_value: dyn('a')} == null", "Value.null_value value type: unsupported native conversion from string to 'protoreflect.EnumNumber'"},
		{"Value{list_value: dyn({})} == []", ""},
		{"Value{list_value: dyn({'values': [1]})} == [1.0]", ""},
		{"Value{list_value: dyn({'a_b': 1})} == []", "Value.list_value value type: type conversion error, no such field 'AB' in type 'structpb.ListValue'"},
		{"Value{struct_value: dyn({'a': [dyn(1u), dyn(b'a'), dyn(duration('1s')), dyn(timestamp(1))]})} == {'a': [dyn(1.0), dyn('YQ=='), dyn('1s'), dyn('1970-01-01T00:00:01Z')]}", ""},
		{"ListValue{values: [9007199254740991, 9007199254740992]} == [dyn(9007199254740991.0), dyn('9007199254740992')]", ""},
		{"ListValue{values: [self.o]} == []", "ListValue.values value type: type conversion error from 'map(dyn, dyn)' to '*structpb.Value'"},
		{"ListValue{values: dyn(self.l)} == [3.0, 1.0, 2.0]", ""},
		{"Struct{fields: {'a': 1}} == {'a': 1.0}", ""},
		{"Struct{fields: dyn({1: 1})} == {}", "Struct.fields value type: unsupported type conversion from 'int' to string"},
		{"Struct{fields: dyn(self.m)} == {'k1': 'v1', 'k2': 'v2'}", ""},
	} {
		got := run(t, "dyn(google.protobuf."+row.rule[:strings.Index(row.rule, "} ==")+1]+")"+row.rule[strings.Index(row.rule, "} ==")+1:], example)
		want := Result{Outcome: True, Cost: got.Cost}
		if row.fault != "" {
			want.Outcome, want.Text = Failed, "field type conversion error for google.protobuf."+row.fault
		}
		require.Equal(t, want, got, row.rule)
	}
	for rule, text := range map[string]string{
		"dyn(google.protobuf.ListValue{values: dyn(1)}) == 1":      "unsupported field type for google.protobuf.ListValue.values: int",
		"dyn(google.protobuf.Struct{fields: dyn([])}) == 1":        "unsupported field type for google.protobuf.Struct.fields: list(dyn)",
		"dyn(google.protobuf.BytesValue{value: dyn(self.l)}) == 1": "internal error: invalid type: []interface {}",
		"dyn(google.protobuf.StringValue{value: self.o.t}) == 1":   "no such key: t",
		"dyn(duration{}) == 1":                                     "unknown type 'duration'",
		"dyn(google.protobuf.Int64Value{?value: dyn(1)}) == 1":     "cannot initialize optional entry 'value' from non-optional value 1",
		"[1].flatten(dyn('a')) == []":                              "internal error: interface conversion: ref.Val is types.String, not types.Int",
		"dyn(1).flatten(dyn('a')) == []":                           "internal error: interface conversion: ref.Val is types.String, not types.Int",
		"dyn([quantity('1').add(1)][0]).exists_one(x, true)":       "got '*cel.Quantity', expected iterable type",
	} {
		require.Equal(t, text, run(t, rule, example).Text, rule)
	}
	// The machine can be used for the next run.
	m := NewMachine(context.Background(), 1000)
	n := compiled(t, everything)
	in := &Input{Node: n, Self: given.Object(t, example)}
	require.Equal(t, Failed, m.Run(planned(t, n, "dyn(google.protobuf.BytesValue{value: dyn(self.l)}) == 1", false), in).Outcome)
	require.Equal(t, True, m.Run(planned(t, n, "self.i == 3", false), in).Outcome)
}

// The texts of all kinds of values in errors.
func TestPlainText(t *testing.T) {
	for _, row := range []struct{ expr, want string }{
		{"null", "0"},
		{"true", "true"},
		{"-1", "-1"},
		{"2u", "2"},
		{"1.5", "1.5"},
		{"1e30", "1e+30"},
		{"'a'", "a"},
		{"b'ab'", "[97 98]"},
		{"duration('90m')", "1h30m0s"},
		{"timestamp('2020-01-01T00:00:00.5Z')", "2020-01-01 00:00:00.5 +0000 UTC"},
		{"int", "int"},
		{"[dyn(1), dyn('a'), dyn([])]", "[1, a, []]"},
		{"{dyn(1): dyn('a'), dyn('b'): dyn(2)}", "{1: a, b: 2}"},
		{"[optional.of(1), optional.none()]", "[optional(1), optional.none()]"},
		{"quantity('1k')", "1000"},
		{"ip('::1')", "::1"},
		{"cidr('::/1')", "::/1"},
		{"url('https://a/b')", "https://a/b"},
		{"semver('1.2.3')", "1.2.3"},
		{"format.uuid()", "uuid"},
		{"self.l", "[3 1 2]"},
		{"self.m", "map[k1:v1 k2:v2]"},
	} {
		got := run(t, "google.protobuf.Value{?string_value: dyn("+row.expr+")} == 'a'", example)
		require.Equal(t, "cannot initialize optional entry 'string_value' from non-optional value "+row.want, got.Text, row.expr)
	}
}
