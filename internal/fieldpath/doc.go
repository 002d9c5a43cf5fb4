// Package fieldpath reads the paths that name a field in a definition: a rule's fieldPath, or a selectable field. Such a path has steps
// .name and ['name'], from a node of a schema down along properties and the values of maps.
package fieldpath
