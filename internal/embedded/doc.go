// Package embedded brings the metadata of the resources within an object into the form in which a server stores it.
//
// A server does so with every object that it decodes: what embedded metadata does not know vanishes, what cannot be read is an error of
// a request, and is dropped from an object in storage. Nothing is modified: a [Coercer] copies the way to each change.
package embedded
