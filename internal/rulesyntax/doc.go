// Package rulesyntax checks the fields of a validation rule (x-kubernetes-validations) before anything is compiled:
// what must be there, what must not be blank, where a line may break, and whether the fieldPath leads anywhere. Package
// cel compiles the expressions.
package rulesyntax
