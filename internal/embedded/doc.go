// Package embedded converts the metadata of the resources within an object to the form in which a server stores it.
//
// A server does this with every object that it decodes: unknown fields of embedded metadata are dropped; metadata that
// cannot be read is an error in a request, and is dropped from an object in storage. Nothing is modified: a
// [Normalizer] copies along the paths to the changes.
//
// [StoredDefaults] normalizes the defaults of a schema as a server does. It drops what old definitions may have in them:
// fields that the schema does not declare, and malformed metadata of embedded resources.
package embedded
