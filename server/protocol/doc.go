// Package protocol implements the parts of the Kubernetes HTTP protocol that do not concern a single object: discovery
// documents, content negotiation, Warning headers, and refusals that name no resource. It is for programs that serve
// custom resources. Package resource handles the requests on objects, and has the refusals that name a resource.
//
//	discovery := protocol.Discover(established)       // GET /apis, /apis/GROUP, /apis/GROUP/VERSION
//	form, err := protocol.NegotiateObject(accept)     // the Accept header
//	headers := protocol.WarningHeaders(r.Warnings)    // the Warning headers of an answer
//
// # Concurrency and aliasing
//
// All functions may be called by multiple goroutines. They do not modify their arguments. The results of the methods of
// a [Discovery] share lists with it.
//
// # Security considerations
//
// At most 100 clauses of an Accept header are read. The HTTP server must limit the length of headers.
//
// # Parity
//
// This package follows Kubernetes 1.37, with the server's texts byte for byte. Its clauses are those of the families
// DSC, DIS, KCT and TAB: docs/internals/behaviour.md in the repository lists them with their tests. Protobuf is never
// offered, although the text for 406 names it, as a server's does.
package protocol
