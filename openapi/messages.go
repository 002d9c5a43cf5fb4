package openapi

import "maps"

// This file describes the messages of gnostic's OpenAPIv2.proto: the numbers and types of their fields.

// A protoField is a field of a message: its number and its type. A type is
//
//   - string, bool, int or double,
//   - Any, a message that has a value as YAML,
//   - the name of a message in protoMessages, protoByMember or protoByToken,
//   - one of these with the prefix [], for a list.
type protoField struct {
	number int
	of     string
}

// A protoMessage has the fields of a message, by their names in JSON. The keys extension and others are for members
// without an entry of their own: those whose names begin with x-, and all others. Such a field has a message for each
// member, with its name and its value.
type protoMessage map[string]protoField

const (
	extension = "x-"
	others    = "*"
)

// protoMessages has the messages of openapi.v2, in the order of the specification. The other messages are in
// protoByMember and protoByToken, or are written as parts of their parents.
var protoMessages = map[string]protoMessage{
	"Document": {"swagger": {1, "string"}, "info": {2, "Info"}, "host": {3, "string"}, "basePath": {4, "string"}, "schemes": {5, "[]string"},
		"consumes": {6, "[]string"}, "produces": {7, "[]string"}, "paths": {8, "Paths"}, "definitions": {9, "Definitions"},
		"parameters": {10, "ParameterDefinitions"}, "responses": {11, "ResponseDefinitions"}, "security": {12, "[]SecurityRequirement"},
		"securityDefinitions": {13, "SecurityDefinitions"}, "tags": {14, "[]Tag"}, "externalDocs": {15, "ExternalDocs"}, extension: {16, "Any"}},
	"Info": {"title": {1, "string"}, "version": {2, "string"}, "description": {3, "string"}, "termsOfService": {4, "string"},
		"contact": {5, "Contact"}, "license": {6, "License"}, extension: {7, "Any"}},
	"Contact": {"name": {1, "string"}, "url": {2, "string"}, "email": {3, "string"}, extension: {4, "Any"}},
	"License": {"name": {1, "string"}, "url": {2, "string"}, extension: {3, "Any"}},

	"Paths": {extension: {1, "Any"}, others: {2, "PathItem"}},
	"PathItem": {"$ref": {1, "string"}, "get": {2, "Operation"}, "put": {3, "Operation"}, "post": {4, "Operation"}, "delete": {5, "Operation"},
		"options": {6, "Operation"}, "head": {7, "Operation"}, "patch": {8, "Operation"}, "parameters": {9, "[]ParametersItem"}, extension: {10, "Any"}},
	"Operation": {"tags": {1, "[]string"}, "summary": {2, "string"}, "description": {3, "string"}, "externalDocs": {4, "ExternalDocs"},
		"operationId": {5, "string"}, "produces": {6, "[]string"}, "consumes": {7, "[]string"}, "parameters": {8, "[]ParametersItem"},
		"responses": {9, "Responses"}, "schemes": {10, "[]string"}, "deprecated": {11, "bool"}, "security": {12, "[]SecurityRequirement"},
		extension: {13, "Any"}},
	"ExternalDocs": {"description": {1, "string"}, "url": {2, "string"}, extension: {3, "Any"}},

	"ParameterDefinitions": {others: {1, "Parameter"}},
	"JsonReference":        {"$ref": {1, "string"}, "description": {2, "string"}},
	"BodyParameter": {"description": {1, "string"}, "name": {2, "string"}, "in": {3, "string"}, "required": {4, "bool"}, "schema": {5, "Schema"},
		extension: {6, "Any"}},
	"HeaderParameterSubSchema":   protoItems(4, protoParameter),
	"PathParameterSubSchema":     protoItems(4, protoParameter),
	"FormDataParameterSubSchema": protoItems(5, protoParameter, protoMessage{"allowEmptyValue": {5, "bool"}}),
	"QueryParameterSubSchema":    protoItems(5, protoParameter, protoMessage{"allowEmptyValue": {5, "bool"}}),
	"PrimitivesItems":            protoItems(0),

	"Responses":           {others: {1, "ResponseValue"}, extension: {2, "Any"}},
	"ResponseDefinitions": {others: {1, "Response"}},
	"Response": {"description": {1, "string"}, "schema": {2, "SchemaItem"}, "headers": {3, "Headers"}, "examples": {4, "Examples"},
		extension: {5, "Any"}},
	"Headers":  {others: {1, "Header"}},
	"Header":   protoItems(0, protoMessage{"description": {18, "string"}, extension: {19, "Any"}}),
	"Examples": {others: {1, "Any"}},

	"Definitions": {others: {1, "Schema"}},
	"Properties":  {others: {1, "Schema"}},
	"Schema": {"$ref": {1, "string"}, "format": {2, "string"}, "title": {3, "string"}, "description": {4, "string"}, "default": {5, "Any"},
		"multipleOf": {6, "double"}, "maximum": {7, "double"}, "exclusiveMaximum": {8, "bool"}, "minimum": {9, "double"}, "exclusiveMinimum": {10, "bool"},
		"maxLength": {11, "int"}, "minLength": {12, "int"}, "pattern": {13, "string"}, "maxItems": {14, "int"}, "minItems": {15, "int"},
		"uniqueItems": {16, "bool"}, "maxProperties": {17, "int"}, "minProperties": {18, "int"}, "required": {19, "[]string"}, "enum": {20, "[]Any"},
		"additionalProperties": {21, "AdditionalPropertiesItem"}, "type": {22, "TypeItem"}, "items": {23, "ItemsItem"}, "allOf": {24, "[]Schema"},
		"properties": {25, "Properties"}, "discriminator": {26, "string"}, "readOnly": {27, "bool"}, "xml": {28, "Xml"},
		"externalDocs": {29, "ExternalDocs"}, "example": {30, "Any"}, extension: {31, "Any"}},
	"FileSchema": {"format": {1, "string"}, "title": {2, "string"}, "description": {3, "string"}, "default": {4, "Any"}, "required": {5, "[]string"},
		"type": {6, "string"}, "readOnly": {7, "bool"}, "externalDocs": {8, "ExternalDocs"}, "example": {9, "Any"}, extension: {10, "Any"}},
	"Xml": {"name": {1, "string"}, "namespace": {2, "string"}, "prefix": {3, "string"}, "attribute": {4, "bool"}, "wrapped": {5, "bool"},
		extension: {6, "Any"}},

	"Tag":                         {"name": {1, "string"}, "description": {2, "string"}, "externalDocs": {3, "ExternalDocs"}, extension: {4, "Any"}},
	"SecurityRequirement":         {others: {1, "StringArray"}},
	"SecurityDefinitions":         {others: {1, "SecurityDefinitionsItem"}},
	"BasicAuthenticationSecurity": {"type": {1, "string"}, "description": {2, "string"}, extension: {3, "Any"}},
	"ApiKeySecurity":              {"type": {1, "string"}, "name": {2, "string"}, "in": {3, "string"}, "description": {4, "string"}, extension: {5, "Any"}},
	"Oauth2ImplicitSecurity": {"type": {1, "string"}, "flow": {2, "string"}, "scopes": {3, "Oauth2Scopes"}, "authorizationUrl": {4, "string"},
		"description": {5, "string"}, extension: {6, "Any"}},
	"Oauth2PasswordSecurity":    protoTokenURL,
	"Oauth2ApplicationSecurity": protoTokenURL,
	"Oauth2AccessCodeSecurity": {"type": {1, "string"}, "flow": {2, "string"}, "scopes": {3, "Oauth2Scopes"}, "authorizationUrl": {4, "string"},
		"tokenUrl": {5, "string"}, "description": {6, "string"}, extension: {7, "Any"}},
	"Oauth2Scopes": {others: {1, "string"}},
}

// protoParameter has the first fields of every parameter except the body.
var protoParameter = protoMessage{"required": {1, "bool"}, "in": {2, "string"}, "description": {3, "string"}, "name": {4, "string"}}

var protoTokenURL = protoMessage{"type": {1, "string"}, "flow": {2, "string"}, "scopes": {3, "Oauth2Scopes"}, "tokenUrl": {4, "string"},
	"description": {5, "string"}, extension: {6, "Any"}}

// protoItems returns a message with the fields for a value without a schema, numbered from before+1, and with the
// fields of others.
func protoItems(before int, others ...protoMessage) protoMessage {
	m := protoMessage{}
	for i, f := range []struct{ name, of string }{
		{"type", "string"}, {"format", "string"}, {"items", "PrimitivesItems"}, {"collectionFormat", "string"}, {"default", "Any"}, {"maximum", "double"},
		{"exclusiveMaximum", "bool"}, {"minimum", "double"}, {"exclusiveMinimum", "bool"}, {"maxLength", "int"}, {"minLength", "int"},
		{"pattern", "string"}, {"maxItems", "int"}, {"minItems", "int"}, {"uniqueItems", "bool"}, {"enum", "[]Any"}, {"multipleOf", "double"},
		{extension, "Any"},
	} {
		m[f.name] = protoField{before + 1 + i, f.of}
	}
	for _, o := range others {
		maps.Copy(m, o)
	}
	return m
}

// A protoPeek has the members that determine the message type of an object.
type protoPeek struct {
	Ref            *string `json:"$ref"`
	In, Type, Flow any
}

// A protoChoice is a field of a message with one of several fields (oneof): that of objects whose member has the value,
// or of all others.
type protoChoice struct {
	member, value string
	field         protoField
}

// protoByMember has the messages with one of several fields. The first choice that applies to an object is used. A
// reference has the member $ref with any value.
var protoByMember = map[string][]protoChoice{
	"ParametersItem": {{"$ref", "", protoField{2, "JsonReference"}}, {field: protoField{1, "Parameter"}}},
	"Parameter":      {{"in", "body", protoField{1, "BodyParameter"}}, {field: protoField{2, "NonBodyParameter"}}},
	"NonBodyParameter": {
		{"in", "header", protoField{1, "HeaderParameterSubSchema"}},
		{"in", "formData", protoField{2, "FormDataParameterSubSchema"}},
		{"in", "path", protoField{4, "PathParameterSubSchema"}},
		{field: protoField{3, "QueryParameterSubSchema"}},
	},
	"ResponseValue": {{"$ref", "", protoField{2, "JsonReference"}}, {field: protoField{1, "Response"}}},
	"SchemaItem":    {{"type", "file", protoField{2, "FileSchema"}}, {field: protoField{1, "Schema"}}},
	"SecurityDefinitionsItem": {
		{"type", "basic", protoField{1, "BasicAuthenticationSecurity"}},
		{"type", "apiKey", protoField{2, "ApiKeySecurity"}},
		{"flow", "implicit", protoField{3, "Oauth2ImplicitSecurity"}},
		{"flow", "password", protoField{4, "Oauth2PasswordSecurity"}},
		{"flow", "application", protoField{5, "Oauth2ApplicationSecurity"}},
		{field: protoField{6, "Oauth2AccessCodeSecurity"}},
	},
}

// applies reports whether c is a choice for an object with these members.
func (c protoChoice) applies(p protoPeek) bool {
	switch c.member {
	case "$ref":
		return p.Ref != nil
	case "in":
		return p.In == c.value
	case "type":
		return p.Type == c.value
	case "flow":
		return p.Flow == c.value
	}
	return true
}
