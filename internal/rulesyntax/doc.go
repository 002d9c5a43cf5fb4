// Package rulesyntax checks the fields of a validation rule (x-kubernetes-validations) before anything is compiled:
// required fields, blank texts, line breaks, and whether the fieldPath refers to a field. Package cel compiles the
// expressions.
package rulesyntax
