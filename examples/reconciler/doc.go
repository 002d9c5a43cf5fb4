// Package reconciler is a reconciler with controller-runtime, and its test with a server in the test's process. Begin
// with README.md.
package reconciler
