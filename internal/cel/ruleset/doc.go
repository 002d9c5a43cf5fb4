// Package ruleset has the rules of a schema: it finds them in the compiled schema, compiles them and estimates their
// costs with the other packages in internal/cel, and evaluates them on objects. Users see it as package cel, whose
// documentation applies here as well.
//
// rules.go prepares and compiles rules, programs.go keeps what was compiled, and shared.go what several versions of
// Kubernetes share. tree.go has the nodes that lead to rules; evaluate.go walks them with an object. report.go has the
// errors of that walk, budget.go its budgets. limits.go has the static limits, analysis.go the inputs of an estimate,
// needs.go finds the minor versions that rules need, and exprtext.go prints a part of a rule. rulefields.go checks the
// fields of a rule before anything is compiled, and fieldpath.go resolves paths of fields in a definition.
//
// The functions that package cel does not export are for crdcheck, kubeversion and resource: rules of several versions
// at once, rules of a node, options about the stored definition, analyses, needs and paths of fields.
//
// # Parity
//
// This package follows Kubernetes 1.37. Its clauses are those of package cel.
package ruleset
