package types

// What the environment of a server knows besides the types of a schema: the names of CEL's own types, and the messages
// of google.protobuf that protobuf calls well-known.

// fields has the types of a message's fields by their names.
type fields map[string]*Type

var (
	jsonType = NewObjectType(protobuf + "Value")
	timing   = fields{"seconds": IntType, "nanos": IntType}
)

// wellKnown has the messages. The last one is that of an entry in a Struct.
var wellKnown = map[string]fields{
	protobuf + "Any":       {"type_url": StringType, "value": BytesType},
	protobuf + "Duration":  timing,
	protobuf + "Empty":     {},
	protobuf + "Timestamp": timing,

	protobuf + "BoolValue":   {"value": BoolType},
	protobuf + "BytesValue":  {"value": BytesType},
	protobuf + "DoubleValue": {"value": DoubleType},
	protobuf + "FloatValue":  {"value": DoubleType},
	protobuf + "Int32Value":  {"value": IntType},
	protobuf + "Int64Value":  {"value": IntType},
	protobuf + "StringValue": {"value": StringType},
	protobuf + "UInt32Value": {"value": UintType},
	protobuf + "UInt64Value": {"value": UintType},

	protobuf + "ListValue": {"values": NewListType(jsonType)},
	protobuf + "Struct":    {"fields": NewMapType(StringType, jsonType)},
	protobuf + "Value": {
		"null_value": IntType, "number_value": DoubleType,
		"string_value": StringType, "bool_value": BoolType,
		"struct_value": NewObjectType(protobuf + "Struct"), "list_value": NewObjectType(protobuf + "ListValue"),
	},
	protobuf + "Struct.FieldsEntry": {"key": StringType, "value": jsonType},
}

// idents has what a name stands for: types and constants. Messages that stand for a type of CEL are not among them.
var idents = map[string]Value{
	"bool": BoolType, "bytes": BytesType, "double": DoubleType, "int": IntType,
	"string": StringType, "uint": UintType, "null_type": NullType, "type": TypeType,
	"list": NewListType(DynType), "map": NewMapType(DynType, DynType),
	"optional_type": NewOptionalType(DynType),
	"net.IP":        NewOpaqueType("net.IP"), "net.CIDR": NewOpaqueType("net.CIDR"),

	protobuf + "Duration": DurationType, protobuf + "Timestamp": TimestampType,
	protobuf + "Empty":              NewObjectType(protobuf + "Empty"),
	protobuf + "Struct.FieldsEntry": NewObjectType(protobuf + "Struct.FieldsEntry"),

	protobuf + "NullValue.NULL_VALUE": Int(0),
}
