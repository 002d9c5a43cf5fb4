// Package storeddefaults brings the defaults of a schema into the form in which a server uses them. It drops what old definitions may
// have in them: fields that the schema does not know, and malformed metadata of embedded resources.
package storeddefaults
