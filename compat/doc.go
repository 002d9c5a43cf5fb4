// Package compat finds out whether a change of a CustomResourceDefinition breaks clients, and proves it with objects.
//
// [Compare] takes a definition and the one that is to replace it. For each version that both serve, it answers four
// questions: which creates and updates are refused now, which values are lost or stored differently, which objects are
// accepted that were refused, and whether a server accepts the update of the definition.
//
//	r, err := compat.Compare(ctx, old, new, nil)
//	if err != nil {
//		return err
//	}
//	if r.Worst() == compat.Breaks {
//		fmt.Print(r) // each finding, followed by the object that shows it
//	}
//
// [Versions] compares the versions of one definition: what is lost when an object of one version is written in another.
//
// # Method
//
// Both schemas are walked side by side. A keyword that is proved to accept everything that the other side accepts is
// harmless. The proofs compare bounds, patterns as automata, enums value by value, combinators branch by branch, and
// rules as logical formulas. For any other keyword, a search tries to find an object that one side accepts and the
// other side refuses. Package resource handles each object as a server with either definition would, so that a
// [Witness] is never a guess. A difference without a proof and without a witness is [Unknown].
//
// A witness is about the one difference that its finding names: the object is also handled by two more definitions, the
// changed one without that difference, and the other one with nothing but it. If no object shows that, but one shows
// that several differences have an effect, the finding has the check object.
//
// # Values
//
// Definitions have their defaults, as [crd.Parse] returns them. They need not be valid, but have to compile. Witnesses
// have the types of package unstructured. They have no field that the accepting side drops, unless the other side
// requires one.
//
// # Mutation and aliasing
//
// No argument is modified. Witnesses share no values with the definitions, but may share values with each other and
// with [Options.Objects]: clone one before changing it.
//
// # Errors
//
// The error says that a definition is nil or does not compile, or is that of the context. Everything else is a finding.
//
// # Concurrency
//
// Several goroutines may call the functions at once, also with the same definitions.
//
// # Cost
//
// A comparison typically takes some milliseconds. [Options.Effort] bounds its work. A difference for which no effort is
// left is reported as [Unknown].
//
// # Limits of what is proved
//
//   - Objects have no fields that the accepting side drops, except to reach a value beside a field that is new and
//     required. A new field was dropped before, and clients may have sent it with other values.
//   - A float that differs from a whole number by no more than a billionth counts as that number.
//   - The budgets of rules are assumed to suffice on both sides.
//   - Updates that change nothing are tried for the witnesses, for objects with fields that no schema describes, and
//     for [Options.Objects]; updates that set a field, where a default and a rule that compares with the old value
//     meet. A report without a finding about updates is no proof.
//   - Nothing is said about what a server decides whatever a schema says: apiVersion, kind, and the metadata of whole
//     objects, apart from the name.
//   - Rules are compared as conditions on the same values. If a field has another type, default or list type, a rule
//     that may read it is tried with objects, even if its text is the same.
//
// # Parity
//
// A server is one of Kubernetes 1.37, as in package resource. Its clauses are those of the family CMP:
// docs/internals/behaviour.md in the repository.
package compat

// Compare, in compare.go, compiles both definitions (version.go), compares what is not about objects (definition.go),
// and walks the schemas (walk.go).
//
// Proofs: location.go and facts.go have what a schema says about a value, implies.go compares that keyword by keyword
// (keywords.go, enums.go, bounds.go, patterns.go, combinators.go, complement.go, presence.go, empty.go). rules.go
// compares rules by their conjuncts (conjunct.go) in a normal form (normalform.go, macros.go) with truth tables
// (truthtable.go).
//
// Searches: question.go has what a search is for, undo.go whether an object answers it because of the one difference
// that it is about, search.go tries objects, which are made of valid ones (baseobjects.go) and values (values.go,
// objectvalues.go, listvalues.go) and sent as requests (request.go). fields.go, status.go, noopupdate.go and objects.go
// search for differences that are not refusals by a keyword; shrink.go makes witnesses small.
//
// effort.go has the limits of both.
