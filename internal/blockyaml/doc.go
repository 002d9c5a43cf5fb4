// Package blockyaml turns YAML into JSON as long as it is YAML of the plain kind that generators write and most people do: mappings and
// sequences by indentation, or in braces and brackets on one line, with plain, quoted and block scalars. It declines all other
// YAML, so that a caller reads that with a YAML library.
//
//	r := blockyaml.New(data)
//	for {
//		text, ok := r.Next()
//		if !ok {
//			break
//		}
//		// text is the JSON of a document
//	}
//	if r.Declined() {
//		// read data some other way
//	}
//
// # What is declined
//
// Anchors, aliases, tags, directives, flow collections of several lines or with a special sign in them, complex keys, indentation
// indicators, tabs, carriage returns and other breaks than the line feed, characters that cannot be printed, documents that are no
// mapping, and all that is no YAML. Of plain scalars, those whose type is not obvious: a number that is not plain and decimal or has many
// digits, what looks like a time, infinities. What is not declined is read as YAML 1.1, as go.yaml.in/yaml/v2 reads it.
//
// # Keys
//
// Duplicate keys are kept in the JSON. All keys are strings: a key of another type (a number, yes) is declined.
package blockyaml
