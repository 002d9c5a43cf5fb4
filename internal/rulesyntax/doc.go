// Package rulesyntax checks the fields of a validation rule (x-kubernetes-validations) before anything is compiled:
// required fields, blank texts, line breaks, and whether the fieldPath refers to a field. Package cel compiles the
// expressions.
//
// It also resolves paths that refer to a field in a definition: a rule's fieldPath, or a selectable field. The steps of
// such a path are .name and ['name']. It starts at a node of a schema and follows properties and the values of maps.
package rulesyntax
