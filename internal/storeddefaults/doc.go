// Package storeddefaults normalizes the defaults of a schema as a server does. It drops what old definitions may have
// in them: fields that the schema does not declare, and malformed metadata of embedded resources.
package storeddefaults
