// Package since has one table of what each minor version of Kubernetes added to definitions and their objects:
// functions of rules, fields of a document, changes of estimates, and checks of objects. The rules' compiler, its
// estimator, package crdcheck, package kubeversion and docs/kubeversion.md all read it, so that each fact is written
// down once.
//
//	if since.IntOrStringLength.In(minor) { ... }
package since
