// Package ruleset has the rules of a schema: it finds them in the compiled schema, compiles and estimates them with the packages beside it,
// and evaluates them on objects. Package cel is what users see of it; its documentation has the rules that hold here as well.
//
// rules.go prepares and compiles, programs.go keeps what was compiled, and shared.go what several versions of Kubernetes share. tree.go has
// the nodes that lead to rules, which evaluate.go walks with an object; report.go makes its errors, budget.go has its budgets. limits.go has
// the static limits, analysis.go what an estimate is made of, needs.go what came with which minor version, and written.go the text of a
// part of a rule.
//
// What package cel does not have is for packages crdcheck, kubeversion and resource: rules of several versions at once, rules of a node,
// options about the stored definition, analyses and needs.
//
// # Parity
//
// This package follows Kubernetes 1.37. Its clauses are those of package cel.
package ruleset
