// Package cel compiles the validation rules of a schema (x-kubernetes-validations), estimates their costs, and
// evaluates them on objects, as a Kubernetes API server does: the first two when a CustomResourceDefinition is written,
// the last for each custom object.
//
//	s, errs := schema.Compile(props)
//	// ...
//	rules, errs := cel.Compile(s, nil) // what is wrong with the rules
//	// ...
//	result := rules.Evaluate(ctx, obj, old, &cel.EvalOptions{Ratchet: old != nil})
//	if err := result.Errors.Err(); err != nil {
//		return err
//	}
//
// [Compile] checks rules: it compiles all of them, and reports the errors for which a server would refuse them.
// [Prepare] is for the validation of objects: it compiles a rule when the first object needs it. [Rules.Costs] returns
// the static estimates. [Rules.Evaluate] validates a whole object, [Rules.EvaluateValue] a value in one. Package
// crdcheck finds bounds that bring a rule under its limit, and package kubeversion the versions of Kubernetes that
// support a rule.
//
// Rules can only be on nodes that apply to every object: a schema with rules inside allOf, anyOf, oneOf or not is not
// structural, and package schema does not compile it (CWH-004). So the clauses about rules in allOf do not apply here.
//
// # Values
//
// Objects are as package unstructured decodes them. They should be pruned, defaulted and valid, because a server
// evaluates rules only after that. The schema decides the CEL type of a value: an integer has to be an int64 (a float64
// is an error even if it is whole), a number may be an int64 or a float64, and a string with format date-time is a
// timestamp. If a rule uses a value of another type, the rule fails with an error that says so. There is no panic, and
// rules that do not use the value are not affected. Null and absent values are skipped with everything below them, at
// no cost. A nil map or list is treated as empty if it is the whole object, or a new value anywhere; as an old value it
// is treated as absent.
//
// # Transition rules and ratcheting
//
// A rule that uses oldSelf is evaluated only if the old object has a value for the new one: under the same key of an
// object or map, or with the same keys in a list of type map. With optionalOldSelf it is always evaluated. With
// [EvalOptions.Ratchet], a rule that is false for an unchanged value, and that does not use oldSelf, is a warning
// instead of an error. An object with a key that the schema does not have counts as changed.
//
// # Mutation and aliasing
//
// Nothing is modified. Errors alias the values that they report. Rules keep the schema.
//
// # Errors
//
// Texts, types and fields are the server's, byte for byte. The name of self's type, which is random in a server, is
// always selfType. The order is the same for the same input: properties by name, items by index, keys of a map by name,
// rules in the schema's order. A server visits keys in random order, so it may report other errors if the budget runs
// out in the middle of a map.
//
// # Costs and budgets
//
// Each rule has an estimated cost, which counts evaluations of sub-expressions for the largest value that the schema
// allows. This cost times the number of values that an object can have must not be over 10,000,000 for a rule, and the
// sum for all rules of a schema must not be over 100,000,000: [Compile] reports by what factor, and which rules
// contribute most. The actual cost of an evaluation is counted at run time. One evaluation may cost 1,000,000, all
// evaluations for an object 10,000,000; over these limits the walk ends with an error. Both costs equal the server's
// exactly. They are computed here, not by cel-go, so they do not depend on the version of cel-go in a program.
//
// # Concurrency
//
// Rules are safe for concurrent use by multiple goroutines, also while they are still being compiled: if two goroutines
// need the same rule, one compiles it and the other waits.
//
// # Cost of a call
//
// A walk visits only the nodes that lead to rules, so parts of an object without rules cost nothing. It allocates
// nothing for a valid object, except to look up the keys of more than 16 old items of a list; paths and texts are built
// only for errors. What a rule allocates depends on the rule. Most rules compile in a fraction of a millisecond. A rule
// that is on several nodes of the same type is compiled once.
//
// # Parity
//
// This package follows Kubernetes 1.37. Its clauses are those of the families CWH, CRF, CTY, CEN, CER, CES, CCO, CEV,
// CVA, CMS, CRC and CLI: docs/internals/behaviour.md in the repository lists them with their tests. Deviations:
//
//   - A walk ends when its context is cancelled, with the error of an interrupted rule (CMS-024). It checks the context
//     every 64 evaluations and every 256 values. A server checks it only inside the loops of a rule, and finishes all
//     short rules.
//   - A nil context is treated as context.Background. A server cannot determine the cost then, and evaluates nothing
//     (CMS-012).
//   - A fieldPath that continues below additionalProperties: true does not resolve. A server panics (JPV-003).
//   - isQuantity('1e2147483648') returns; in a server it never does (CLI-025).
//   - An expression that a server would type-check for hours, or forever, may not compile: a chain of 20 calls whose
//     types double with each link, a chain of optMap, which doubles with each link. The expressions of a definition
//     have a limit together: see Security considerations.
//   - The results of rules are bounded: a string of more than 32 MiB and a list of more than 2 million items are errors
//     of the rule. Results of more than 96 MiB in one evaluation, and more than 33 million steps of work in one walk,
//     are treated as over the cost limit of an evaluation.
//
// # Security considerations
//
// Rules and objects may be untrusted. Patterns are RE2. The following bounds apply to evaluation, whether or not the
// caller has checked the errors of [Compile]. Only the first can be changed:
//
//   - All rules of an object may cost 10,000,000 together ([EvalOptions.Budget]), and one evaluation 1,000,000. Over
//     these limits the walk ends with an error.
//   - Some expressions have a low cost in a server but are much work: loops with a constant predicate, equality of
//     lists in lists, functions of long texts. One walk may do 33,554,432 steps of work, each about 30 ns: an iteration
//     of a loop, 64 bytes of a text that is read, 32 bytes of a result. Over this limit the walk ends as if an
//     evaluation had cost too much. A walk takes about 2 s at most.
//   - The results of one evaluation may have 96 MiB together, since all of them may be kept. Over this limit the walk
//     ends in the same way. A walk needs up to 200 MiB besides the object.
//   - A string may have 32 MiB, a computed list 2,097,152 items. A larger one is an error of the rule.
//   - The text of an expression may have 100,000 code points and be nested 250 deep. Over these limits it has a compile
//     error, and is not parsed further.
//   - The type check of an expression may take 33,554,432 steps of about 10 ns, and that of all expressions of a
//     definition together 300,000,000. Expressions after the one that exceeds the limit do not compile: with [Compile],
//     in the order of the walk; with [Prepare], in the order in which objects need the rules. A definition of 3 MiB
//     compiles in about 3 s at most.
//
// Errors and warnings end at a [field.Limit], that of [Options] and [EvalOptions].
//
// A walk stops within 100 ms after its context ends, wherever it is. Compile and Validate have no context.
package cel
