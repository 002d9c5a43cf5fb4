// Package uri parses URLs as a server of Kubernetes 1.37 does, whatever the Go version that an importing program
// declares: net/url takes http://host:1:2 in programs that declare one before 1.26, and a server does not.
package uri
