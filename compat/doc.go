// Package compat says whether a change of a CustomResourceDefinition breaks anything, with the object that proves it.
//
// [Compare] takes a definition and the one that is to replace it. It answers four questions for each version that both serve: which creates and
// updates are refused now, which values are lost or stored otherwise, which objects are accepted that were refused, and whether a server takes
// the update of the definition at all.
//
//	r, err := compat.Compare(ctx, old, new, nil)
//	if err != nil {
//		return err
//	}
//	if r.Worst() == compat.Breaks {
//		fmt.Print(r) // each finding, followed by the object that shows it
//	}
//
// [Versions] asks the same about the versions of one definition: what is lost when an object of one is written through another.
//
// # Method
//
// The schemas are walked side by side. A keyword that is proved to accept all that the other side accepts is harmless: bounds are compared,
// patterns as automata, enums value by value, choices branch by branch, and rules up to names, order, parentheses and what follows by logic. For
// any other keyword an object is searched that one side accepts and the other refuses. Both definitions are asked about it with package resource,
// so a [Witness] is never a guess. What is neither proved nor shown is [Unknown].
//
// # Values
//
// Definitions have their defaults, as [crd.Parse] returns them. They need not be valid, but have to compile. Witnesses are maps as package
// unstructured makes them, without a field that the schema of the accepting side drops.
//
// # Mutation and aliasing
//
// No argument is modified. Witnesses share nothing with the definitions that a caller may want to change, but may share values with each other
// and with [Options.Objects]: clone one before changing it.
//
// # Errors
//
// A definition that is nil or does not compile, and the error of the context. All else is a finding. The same arguments give the same report.
//
// # Concurrency
//
// Functions may be called by several goroutines at once, also with the same definitions.
//
// # Cost
//
// Typical comparisons take some milliseconds. Work is bounded by [Options.Effort], and what it does not suffice for is [Unknown], never left out.
//
// # Limits of what is proved
//
//   - Objects have no fields that the accepting side drops. A field that is new was dropped before, and may have been sent with other values.
//   - Whole numbers that were written as floats a billionth off count as those numbers.
//   - Budgets of rules are taken to suffice on both sides.
//   - An update that changes nothing is judged for the witnesses, for objects with fields that no schema describes, and for [Options.Objects].
//     That no finding says update is no proof.
//   - Rules are compared as conditions on the same values. Where a field has another type, default or list type, a rule that may read it is a
//     question, even if its text is the same.
//
// # Parity
//
// A server's behaviour is that of Kubernetes 1.37, as in package resource. Its clauses are those of the family CMP: docs/behaviour.md in the
// repository.
package compat
