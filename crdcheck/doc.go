// Package crdcheck tells whether a server would take a CustomResourceDefinition, and a change of one, before anything is installed.
//
//	d, err := crd.Parse(document)
//	if errs := crdcheck.Validate(d); len(errs) > 0 {
//		return errs.Err() // spec.validation.openAPIV3Schema.properties[spec].type: Required value: must not be empty for ...
//	}
//	for _, warning := range crdcheck.Warnings(d, nil) {
//		log.Print(warning)
//	}
//
// [Validate] is a create, [ValidateUpdate] an update of the definition that is stored, [ValidateStatusUpdate] one of its status, and
// [Warnings] has what a server warns of when it takes it. All of a definition is checked: metadata, names, versions, columns, the scale,
// selectable fields, the conversion, and each schema with its structure, its keywords and lists, its default values and its rules, of
// which the costs are estimated.
//
// [Hints] has what a server says nothing of and a definition's author should know. [Costs] has what rules may cost, and for those over a limit
// bounds with which they fit. What servers of older versions say is the subject of package kubeversion.
//
// Who goes on with the definition takes [Compile] or [CompileUpdate] instead. They say the same, and keep what they have compiled: for
// package resource, and for whoever wants to see the estimates of rules or to try a single one.
//
//	checked := crdcheck.Compile(d)
//	r, err := resource.CompileChecked(checked) // refuses what a server refuses
//	costs := checked.Rules("v1").Costs()
//
// # What an update may keep
//
// A rule that came into Kubernetes late is not held against those who broke it before. [ValidateUpdate] looks at the old definition: if
// any of its schemas is not structural, has an unknown type, default values with unknown fields, sets of items that can be merged, or map
// keys that may be missing, then the new definition may have any of the same, anywhere. The same goes for the schemas that are missing,
// CA bundles that cannot be read, and versions of ConversionReview that nobody knows. What the new definition uses can take that back:
// defaults, most extensions and pruning need structural schemas, whatever there was before (UPD-001, UPD-002, SCH-005).
//
// # Paths
//
// The fields of errors are those of the server's unversioned form. There, what is equal in all versions of a v1 definition stands at the
// top, and in no version: with one version, or equal schemas, errors are at spec.validation.openAPIV3Schema, with different ones at
// spec.versions[0].schema.openAPIV3Schema. The same goes for subresources, additionalPrinterColumns (whose path is JSONPath there) and
// selectableFields; a webhook is at spec.conversion.webhookClientConfig. So says the server, too (BET-003).
//
// # Values
//
// Definitions as [crd.Parse] returns them, or made in Go. A nil definition is an empty one. A schema that contains itself
// is refused, and one that has nil schemas in its lists and maps.
//
// # Mutation and aliasing
//
// Nothing is modified. Errors alias the definition in their bad values, and a [Checked] aliases all of it. A server rewrites the metadata
// of embedded resources in default values while it checks them (DFV-008), and stores what comes of it: nothing here returns that.
//
// # Errors
//
// Types, fields, texts and order are the server's; where it goes through a Go map, and so in random order, names are sorted here. A
// bad value that is a schema or a list of versions prints with the names that the server's Go types have (EMD-003).
//
// # Concurrency
//
// All functions and methods may be called by multiple goroutines, also with the same definition.
//
// # Cost
//
// A check compiles each schema of a definition once, and each rule once for values of one type, whatever versions it is in, also for
// the checks of default values. Only default values that their schema reads differently than objects (DFV-006) have that part of it
// compiled again, and a rule that might use what is too new is compiled as a new one and as a stored one. Of an old definition, only
// schemas with defaults are compiled. Almost all time goes to the rules. The time is linear in the definition, but for what errors print, and
// estimates of rules (package cel). [Costs] with fixes, for a definition with one rule that is over its limit, takes some ten times as long as its
// check (BenchmarkCosts).
//
// # Parity
//
// This package follows Kubernetes 1.37. Its clauses are those of the families PRE, CVL, SCH, JPV, DFV, UPD, WRN, APP and CWH:
// docs/behaviour.md in the repository lists them with their tests. Deliberately different:
//
//   - Where a server crashes, which its client sees as an internal error, there is an error: a selectable field or a fieldPath that leads
//     below additionalProperties: true refers to no valid field, and neither does a selectable field without a schema that can be
//     compiled (JPV-003, PAN-001, PAN-002).
//   - A resourceVersion and an unchanged uid are asked for only where the old definition has one.
//   - A namespace in the metadata is an error on create. The path of a request takes it away before anybody looks.
//   - A name that a server would make of a generateName is judged as if it had drawn xxxxx. It never fits.
//   - Of the unknown formats, those under the properties of one schema are warned of by name.
//
// # Security considerations
//
// Definitions may come from anybody. Patterns are RE2; schemas deeper than [schema.MaxDepth] are refused; estimating a rule is bounded as in
// package cel, and rules run over default values with the budget of a server. An error of a root keyword prints the whole schema.
// Errors end at a [field.Limit]: 10,000 errors and 3 MiB of text, or that of [CompileWithin].
package crdcheck
