// Package since has the table of what each minor version of Kubernetes added to definitions and their objects, or
// removed: functions of rules, fields of a document, changes of estimates, checks of objects, texts, metadata and
// warnings. The compiler and the estimator of rules, packages validity, crdcheck and kubeversion, and
// docs/kubeversion.md all use this table. A new fact is a constant and a row, next to those of its area, and the code that
// asks for it.
//
//	if since.IntOrStringLength.In(minor) { ... }
package since
