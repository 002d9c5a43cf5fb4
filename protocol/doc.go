// Package protocol has the parts of the Kubernetes HTTP protocol that are about no single object: discovery documents, content
// negotiation, Warning headers, and the Statuses with which a server refuses requests. It is for programs that serve custom resources;
// package resource answers the requests on objects.
//
//	discovery := protocol.Discover(established)       // GET /apis, /apis/GROUP, /apis/GROUP/VERSION
//	form, err := protocol.NegotiateObject(accept)     // the Accept header
//	status := gr.NotFound(name)                       // a refusal, with gr from (*resource.Resource).GroupResource
//	headers := protocol.WarningHeaders(r.Warnings)    // the Warning headers of an answer
//
// # Concurrency and aliasing
//
// All functions may be called by several goroutines at once. They modify no argument. What the methods of a [Discovery] return shares
// lists with it.
//
// # Security considerations
//
// Of an Accept header at most 100 clauses are read. The length of headers is the HTTP server's to bound.
//
// # Parity
//
// This package follows Kubernetes 1.37, texts byte for byte. Its clauses are those of the families DSC, DIS, KCT and TAB: docs/behaviour.md
// in the repository lists them with their tests. Protobuf is never offered, though the 406 text names it as a server's does.
package protocol
