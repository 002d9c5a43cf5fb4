// Package schemadoc reads and changes the documents of schemas, schema.JSONSchemaProps.
//
// A [Reader] decodes an openAPIV3Schema from JSON directly into its struct, without generic values in between. The
// result is that of package schema. Like package jsonscan, it declines unusual texts, and the caller then uses package
// schema.
//
// [MapChildren] and [Copy] change schemas without modifying them: changed parts are copied, and equal parts are shared.
package schemadoc
