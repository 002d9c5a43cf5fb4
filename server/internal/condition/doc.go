// Package condition compiles and evaluates the CEL expressions of admission: match conditions of webhooks, which decide
// whether a webhook is called, and all expressions of admission policies.
//
// An [Environment] says what expressions may refer to: object and oldObject, whose values have no schema, request, which
// has the fields of an AdmissionRequest except the objects and the options' type, namespaceObject, authorizer with
// authorizer.requestResource, and in policies params and variables. Their functions are those of package eval.
// [Environment.Check] returns the error of a new expression, [Environment.Compile] compiles one of a stored object.
//
// [Environment.Evaluate] evaluates match conditions, and [Policy.Decide] a policy. The variables of a policy are computed
// when an expression first selects them, once for its match conditions, its validations, its messages and its audit
// annotations each.
//
// A [Condition] and a [Policy] are immutable and safe for concurrent use.
//
// # Bounds
//
// An expression has a cost limit, and those of a webhook or a policy share a budget, as in a server. Checking all
// expressions of an environment takes some seconds at most. Variables may be nested 100 levels deep, and evaluated
// messages have 1 MiB together.
//
// # Deviations
//
// The types of request and namespaceObject have other names in errors. An authorizer is not told selectors.
package condition
