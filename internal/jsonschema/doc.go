// Package jsonschema makes JSON Schemas of definitions, of draft 7 or 2020-12: for editors, which complete and check manifests with them.
//
//	s, err := jsonschema.Version(definition, "v1", jsonschema.Options{})
//	s.Document // marshals as JSON
//	s.Notes    // what it cannot say
//
// # What it refuses
//
// A schema refuses no object that a server takes without a warning of unknown fields. It is about the object as somebody writes it: fields
// with defaults are not required, and a null is allowed where a default takes its place. Where a choice depends on fields with defaults it is
// left out, and so are patterns that ECMAScript cannot express, rules, and keys of lists; notes say so. A status is not described where it
// has a subresource, since it is left out of what is written.
//
// Unknown fields are refused, unless Options.Open is set: a server drops them.
package jsonschema
