// Package condition compiles and evaluates the match conditions of admission webhooks: CEL expressions that decide, from
// the object of a request and from what is known about the request, whether a webhook is called.
//
// A condition has the variables object and oldObject, whose values have no schema, request, which has the fields of an
// AdmissionRequest except the objects and the options' type, and authorizer. Its functions are those of package eval.
// Conditions of one webhook share a budget.
//
// A [Condition] is immutable and safe for concurrent use.
//
// # Deviation
//
// There is no authorizer at run time: a condition that asks it fails with an error.
package condition
