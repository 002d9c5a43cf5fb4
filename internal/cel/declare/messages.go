package declare

import "github.com/crdkit/crdkit/internal/cel/types"

// What the environment of a server knows besides the types of a schema: the names of CEL's own types, and the messages
// of google.protobuf that protobuf calls well-known.

const protobuf = "google.protobuf."

// fields has the types of a message's fields by their names.
type fields map[string]*types.Type

var (
	jsonType = types.NewObjectType(protobuf + "Value")
	timing   = fields{"seconds": types.IntType, "nanos": types.IntType}
)

// wellKnown has the messages. The last one is that of an entry in a Struct.
var wellKnown = map[string]fields{
	protobuf + "Any":       {"type_url": types.StringType, "value": types.BytesType},
	protobuf + "Duration":  timing,
	protobuf + "Empty":     {},
	protobuf + "Timestamp": timing,

	protobuf + "BoolValue":   {"value": types.BoolType},
	protobuf + "BytesValue":  {"value": types.BytesType},
	protobuf + "DoubleValue": {"value": types.DoubleType},
	protobuf + "FloatValue":  {"value": types.DoubleType},
	protobuf + "Int32Value":  {"value": types.IntType},
	protobuf + "Int64Value":  {"value": types.IntType},
	protobuf + "StringValue": {"value": types.StringType},
	protobuf + "UInt32Value": {"value": types.UintType},
	protobuf + "UInt64Value": {"value": types.UintType},

	protobuf + "ListValue": {"values": types.NewListType(jsonType)},
	protobuf + "Struct":    {"fields": types.NewMapType(types.StringType, jsonType)},
	protobuf + "Value": {
		"null_value": types.IntType, "number_value": types.DoubleType,
		"string_value": types.StringType, "bool_value": types.BoolType,
		"struct_value": types.NewObjectType(protobuf + "Struct"), "list_value": types.NewObjectType(protobuf + "ListValue"),
	},
	protobuf + "Struct.FieldsEntry": {"key": types.StringType, "value": jsonType},
}

// idents has what a name stands for: types and constants. Messages that stand for a type of CEL are not among them.
var idents = map[string]types.Value{
	"bool": types.BoolType, "bytes": types.BytesType, "double": types.DoubleType, "int": types.IntType,
	"string": types.StringType, "uint": types.UintType, "null_type": types.NullType, "type": types.TypeType,
	"list": types.NewListType(types.DynType), "map": types.NewMapType(types.DynType, types.DynType),
	"optional_type": types.NewOptionalType(types.DynType),
	"net.IP":        types.NewOpaqueType("net.IP"), "net.CIDR": types.NewOpaqueType("net.CIDR"),

	protobuf + "Duration": types.DurationType, protobuf + "Timestamp": types.TimestampType,
	protobuf + "Empty":              types.NewObjectType(protobuf + "Empty"),
	protobuf + "Struct.FieldsEntry": types.NewObjectType(protobuf + "Struct.FieldsEntry"),

	protobuf + "NullValue.NULL_VALUE": types.Int(0),
}
