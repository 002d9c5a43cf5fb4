// Package crdcheck checks whether a server would accept a CustomResourceDefinition, or a change of one, before it is
// installed.
//
//	d, err := crd.Parse(document)
//	if errs := crdcheck.Validate(d); len(errs) > 0 {
//		return errs.Err() // spec.validation.openAPIV3Schema.properties[spec].type: Required value: must not be ...
//	}
//	for _, warning := range crdcheck.Warnings(d, nil) {
//		log.Print(warning)
//	}
//
// [Validate] checks a create, [ValidateUpdate] an update of a stored definition, [ValidateStatusUpdate] an update of
// its status, and [Warnings] returns a server's warnings about an accepted definition. The check covers all of a
// definition: metadata, names, versions, columns, the scale, selectable fields, the conversion, and each schema with
// its structure, its keywords and lists, its default values, and its rules including their estimated costs.
//
// [Hints] returns what a server does not report but an author of a definition should know. [Costs] returns the
// estimated costs of rules, and bounds that would bring rules over a limit under it. Package kubeversion has the
// errors of older servers.
//
// Callers that will use the definition call [Compile] or [CompileUpdate] instead. These return the same errors and keep
// what they have compiled: for package resource, and for callers that need cost estimates or evaluate a single rule.
//
//	checked := crdcheck.Compile(d)
//	r, err := resource.CompileChecked(checked) // refuses what a server refuses
//	costs := checked.Rules("v1").Costs()
//
// # What an update may keep
//
// Checks that were added to Kubernetes later do not apply to definitions that failed them before. [ValidateUpdate]
// checks the old definition: if any of its schemas is not structural, has an unknown type, default values with unknown
// fields, sets of items that can be merged, or map keys that may be missing, then the new definition may have the same,
// anywhere. The same applies to missing schemas, unreadable CA bundles, and unknown versions of ConversionReview. What
// the new definition uses can enable the check again: defaults, most extensions and pruning need structural schemas,
// whatever the old definition had (UPD-001, UPD-002, SCH-005).
//
// # Paths
//
// The fields of errors are those of the server's unversioned form. In that form, what is equal in all versions of a v1
// definition is at the top level and not in the versions: with one version, or equal schemas, errors are at
// spec.validation.openAPIV3Schema, with different schemas at spec.versions[0].schema.openAPIV3Schema. The same applies
// to subresources, additionalPrinterColumns (whose path is JSONPath there) and selectableFields; a webhook is at
// spec.conversion.webhookClientConfig. A server reports the same paths (BET-003).
//
// # Values
//
// Definitions are as [crd.Parse] returns them, or built in Go. A nil definition is an empty one. A schema that contains
// itself is refused, and so is one with nil schemas in its lists and maps.
//
// # Mutation and aliasing
//
// Nothing is modified. Errors alias the definition in their bad values, and a [Checked] aliases all of it. A server
// rewrites the metadata of embedded resources in default values while it checks them (DFV-008), and stores the result;
// this package does not return it.
//
// # Errors
//
// Types, fields, texts and order are the server's. Where a server iterates over a Go map, and so in random order, names
// are sorted here. A bad value that is a schema or a list of versions prints with the names of the server's Go types
// (EMD-003).
//
// # Concurrency
//
// All functions and methods may be called by multiple goroutines, also with the same definition.
//
// # Cost
//
// A check compiles each schema of a definition once, and each rule once for values of the same type, no matter in how
// many versions it occurs. The checks of default values use the same compiled rules. There are two exceptions. Parts of
// a schema that a server reads differently for default values than for objects (DFV-006) are compiled again. A rule
// that may use functions that are too new is compiled both as a new rule and as a stored one. Of an old definition,
// only schemas with defaults are compiled. Almost all time is spent on rules. The time is linear in the definition,
// except for the values that errors print, and for the estimates of rules (package cel). [Costs] with fixes, for a
// definition with one rule over its limit, takes about ten times as long as the check (BenchmarkCosts).
//
// # Parity
//
// This package follows Kubernetes 1.37. Its clauses are those of the families PRE, CVL, SCH, JPV, DFV, UPD, WRN, APP
// and CWH: docs/internals/behaviour.md in the repository lists them with their tests. Deviations:
//
//   - Where a server crashes, which its client sees as an internal error, there is an error here: a selectable field or
//     a fieldPath that leads below additionalProperties: true refers to no valid field, and neither does a selectable
//     field without a schema that can be compiled (JPV-003, PAN-001, PAN-002).
//   - A resourceVersion and an unchanged uid are required only if the old definition has one.
//   - A namespace in the metadata is an error on create. In a server, the path of the request removes it before any
//     check.
//   - A name that a server would generate from a generateName is checked with xxxxx appended. It is never valid.
//   - Warnings about unknown formats in the properties of one schema are in the order of the properties' names.
//
// # Security considerations
//
// Definitions may be untrusted. Patterns are RE2; schemas deeper than 10,000 levels are refused; the estimation of
// a rule is bounded as in package cel, and rules are evaluated on default values with a server's budget. An error of a
// root keyword prints the whole schema. Errors end at the default [field.Limit]: 10,000 errors and 3 MiB of text.
package crdcheck
