// Package since has the table of what each minor version of Kubernetes added to definitions and their objects:
// functions of rules, fields of a document, changes of estimates, and checks of objects. The compiler and the estimator
// of rules, packages crdcheck and kubeversion, and docs/kubeversion.md all use this table.
//
//	if since.IntOrStringLength.In(minor) { ... }
package since
