// Package cel compiles the validation rules of a schema (x-kubernetes-validations), estimates what they may cost, and judges objects by
// them, as a Kubernetes API server does: the first two when a CustomResourceDefinition is written, the last for each custom object.
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
// [Compile] is for those who ask whether rules are right: it compiles all of them, and reports what a server would refuse. [Prepare] is
// for those who have objects: it compiles a rule when the first object needs it. [Rules.Validate] reports of such rules what Compile
// reports. [Rules.Costs] has the static estimates. [Rules.Evaluate] judges a whole object, [Rules.EvaluateValue] a value somewhere in one.
// Package crdcheck says which bounds make a rule fit, and package kubeversion which Kubernetes knows what a rule uses.
//
// Rules stand only on the nodes that every object passes: a schema with rules inside allOf, anyOf, oneOf or not is not structural, and
// package schema does not compile it (CWH-004). So the clauses about rules in allOf have nothing to do here.
//
// # Values
//
// Objects are as package unstructured decodes them, and are expected to be pruned, defaulted and valid, since a server evaluates rules
// only after that. Values are seen through their schema: an integer has to be an int64 (a float64 is misfit data even if it is whole), a
// number may be an int64 or a float64, a string with format date-time is a timestamp. A rule that touches misfit data fails with an
// error that says so; it is no panic, and rules that do not touch it are not disturbed. Null and absent values are skipped with all
// beneath them, at no cost. As the whole object, and as a new value anywhere, a nil map or list is an empty one; as an old value it is
// none.
//
// # Transition rules and ratcheting
//
// A rule that uses oldSelf runs only where the old object has a value for the new one: under the same key of an object or map, or with
// the same keys in a list that is a map. With optionalOldSelf it always runs. With [EvalOptions.Ratchet], a rule that is false for a
// value that did not change, and that does not use oldSelf, is a warning instead of an error. An object with a key that the schema does
// not know counts as changed.
//
// # Mutation and aliasing
//
// Nothing is modified. Errors alias the values that they report. Rules keep the schema.
//
// # Errors
//
// Texts, types and fields are the server's, byte for byte. The name of self's type, which a server draws at random, is always selfType.
// The order is the same for the same input: properties by name, items by index, keys of a map by name, rules in the schema's order. A
// server visits keys in random order; so where the budget runs out in the middle of a map, it may report others.
//
// # Costs and budgets
//
// Each rule has an estimated cost, which counts evaluations of sub-expressions for the largest value that the schema allows. Times the
// number of values that there may be in an object, it must not be over 10,000,000, and all rules of a schema together must not be over
// 100,000,000: [Compile] says by how much, and which rules contribute most. What an evaluation really costs is counted as it runs. One
// evaluation may cost 1,000,000, all evaluations for an object 10,000,000; then the walk ends with an error. Both costs equal the
// server's unit for unit. They are computed here, not by cel-go, so they stay the same whatever version of cel-go a program ends up
// with.
//
// # Concurrency
//
// Rules are safe for concurrent use by multiple goroutines, also while they are still being compiled: of two goroutines that need the
// same rule, one compiles it and the other waits.
//
// # Cost of a call
//
// A call follows a tree of its own that has only the nodes on the way to rules, so an object without rules beneath a node costs nothing
// there. The walk allocates nothing for a valid object, except where keys of more than 16 old items of a list are looked up; paths and
// texts are made only once there is an error. What a rule allocates depends on the rule. Compiling takes a fraction of a millisecond for
// most rules. A rule that stands on several nodes of the same type is compiled once.
//
// # Parity
//
// This package follows Kubernetes 1.37. Its clauses are those of the families CWH, CRF, CTY, CEN, CER, CES, CCO, CEV, CVA, CMS, CRC and
// CLI: docs/behaviour.md in the repository lists them with their tests. Deviations:
//
//   - A walk ends when its context is cancelled, with the error of an interrupted rule (CMS-024). It asks the context every 64
//     evaluations and every 256 values. A server asks only inside the loops of a rule, and finishes all short rules.
//   - A nil context is taken for the background. A server cannot tell the cost then, and evaluates nothing (CMS-012).
//   - A fieldPath that goes on below additionalProperties: true does not resolve. A server panics (JPV-003).
//   - isQuantity('1e2147483648') is answered; on a server it never returns (CLI-025).
//   - An expression that would take a server minutes to type-check, if it comes back at all, may not compile: a literal nested 250 deep, a
//     chain of optMap that doubles at each link, 4,000 comparisons with a fault among them. The expressions of a definition that take
//     long have a limit together: see Security considerations.
//   - Rules cannot make more than they pay for: a string of more than 32 MiB and a list of more than 2 million items are errors of the
//     rule. Results of more than 96 MiB in one evaluation, and in one walk more than 33 million steps of work, count as over the cost
//     limit of an evaluation.
//
// # Security considerations
//
// Rules and objects may come from people who are not trusted. Patterns are RE2. The bounds hold when objects are judged, whether or not
// somebody has looked at the errors of [Compile], and none but the first can be changed:
//
//   - All rules of an object may cost 10,000,000 together ([EvalOptions.Budget]), and one evaluation 1,000,000. What is over ends the walk
//     with an error.
//   - What costs little on a server may be much work: loops with a constant predicate, equality of lists in lists, functions of long texts.
//     One walk may do 33,554,432 steps of work, each about 30 ns: a turn of a loop, 64 bytes of a text that is gone through, 32 bytes of a
//     result. Beyond that the walk ends as it does where an evaluation costs too much. A walk takes some 2 s at most.
//   - The results of one evaluation may have 96 MiB together, since all of them may be kept. Beyond that the walk ends in the same way. A
//     walk takes up to 200 MiB beside the object.
//   - A string may have 32 MiB, a list that is computed 2,097,152 items. A larger one is an error of the rule.
//   - A text has 100,000 code points at most and is nested 250 deep; beyond that it is a fault, and nothing is done with it.
//   - To type-check an expression may take 30,000,000 units of 100 ns, and so may all expressions of a definition together, not counting
//     those that are checked in the fast way, as nearly all are that have no fault and no literal nested over 50 deep. What comes behind
//     the one that passes the limit does not compile: with [Compile], in the order of the walk; with [Prepare], in the order in which
//     objects need the rules. A definition of 3 MiB compiles in some 3 s at most.
//
// Errors and warnings end at a [field.Limit], that of [Options] and [EvalOptions].
//
// A context that ends is seen within 100 ms, wherever a walk is. Compile and Validate have no context.
package cel
