// Package crdlint finds what a server accepts in a CustomResourceDefinition and its users regret: definitions that
// kubectl apply cannot install, fields whose values are lost, immutable fields that two updates change, columns that are
// always empty.
//
//	checked := crdcheck.Compile(d)
//	for _, f := range crdlint.Find(ctx, checked, nil) {
//		fmt.Println(f.Path, &f)
//	}
//
// [Lints] lists the lints, and docs/lints.md in the repository explains each of them with an example that has it and
// one that has not. The names are stable; messages may change in any version.
//
// # Witnesses
//
// Where a request can show a finding, the finding has a [Witness]: requests with objects made for the schema, and the
// answers of package resource. The lints bypassed-immutability, duration-format, nullable-default, rule-over-budget,
// unguarded-field and unreachable-default have no finding without one, and dropped-default none about metadata. The
// others report what follows from the schema alone; their witness is nil if no object was found.
//
// # What is left out
//
// [Options] and the annotation crdkit.github.io/lint-ignore name lints to leave out. A lint that is [Lint.Off] is looked
// for on request only. Schemas in combinators, and those more than 500 levels deep, are not looked at. The lints about
// two versions know the strategy None only. Of a rule, only the parts are understood that people usually write: paths
// of fields, sizes, literals, comparisons and has. There is no lint for what a server refuses itself, such as
// an optional key of a list map, or oldSelf in an atomic list.
//
// # Mutation and concurrency
//
// Nothing is modified. All functions may be called by multiple goroutines.
//
// # Cost
//
// Without witnesses, the time is linear in the definition, apart from the paths of findings. Witnesses are searched for
// in at most four versions, for each within a fixed amount of work. A lint has at most 50 findings in a definition, and
// a last one with the number of the others. At most 200,000 schemas of a definition are looked at, and rules of 5,000
// bytes each and 1 MiB together. A definition of 1 MB takes about 60 ms (BenchmarkFind).
//
// # Parity
//
// Witnesses follow Kubernetes 1.37. Its clauses are those of the families PRU, DEF, RAT, TAB, NAM, CNV and
// MET: docs/internals/behaviour.md in the repository lists them with their tests.
package crdlint
