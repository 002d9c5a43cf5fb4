// Package rbac decides by stored roles and their bindings who may do what, as the RBAC authorizer of a Kubernetes API
// server does.
package rbac
