// Package blockyaml converts YAML to JSON if it is YAML of the plain kind that generators and most people write:
// mappings and sequences by indentation, or in braces and brackets on one line, with plain, quoted and block scalars.
// It declines all other YAML, and the caller uses a YAML library instead.
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
// Anchors, aliases, tags, directives, flow collections with several lines or special characters, complex keys,
// indentation indicators, tabs, carriage returns and line breaks other than the line feed, unprintable characters,
// documents that are not a mapping, and anything that is not YAML. Plain scalars are declined if their type is not
// obvious: numbers that are not plain decimals or have many digits, scalars that look like a time, infinities.
// Everything else is read as YAML 1.1, as go.yaml.in/yaml/v2 reads it.
//
// # Keys
//
// Duplicate keys are kept in the JSON. All keys are strings: a key of another type (a number, yes) is declined.
package blockyaml
