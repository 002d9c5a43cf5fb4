// Package jsonschema makes JSON Schemas of definitions, of draft 7 or 2020-12: for editors, which complete and check
// manifests with them.
//
//	s, err := jsonschema.Version(definition, "v1", jsonschema.Options{})
//	s.Document // marshals as JSON
//	s.Notes    // what is left out
//
// # What it refuses
//
// A schema refuses no object that a server accepts without a warning of unknown fields. It describes objects as people
// write them: fields with defaults are not required, and a null is allowed where a default replaces it. Combinators
// that depend on fields with defaults are left out, and so are patterns that ECMAScript cannot express, rules, and list
// map keys; notes say so. The status is not described if it has a subresource, since manifests have none.
//
// Unknown fields are refused, unless Options.Open is set: a server drops them.
package jsonschema
