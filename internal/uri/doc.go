// Package uri parses URLs as a server of Kubernetes 1.37 does, whatever Go version the importing program's go.mod
// declares: net/url accepts http://host:1:2 in programs that declare a version before 1.26, and a server does not.
package uri
