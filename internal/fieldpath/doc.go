// Package fieldpath resolves paths that refer to a field in a definition: a rule's fieldPath, or a selectable field.
// The steps of such a path are .name and ['name']. It starts at a node of a schema and follows properties and the
// values of maps.
package fieldpath
