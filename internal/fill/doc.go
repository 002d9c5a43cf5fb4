// Package fill drops the nulls and fills in the defaults of an object, as a server does on a request and when it reads
// an object from storage. Package defaulting is its public form.
//
// [StoredDefaults] normalizes the defaults of a schema as a server does. It drops what old definitions may have in them:
// fields that the schema does not declare, and malformed metadata of embedded resources.
package fill
