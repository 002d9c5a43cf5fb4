// Package merge merges an applied configuration into a live object, as a server-side apply does, and says which fields of
// other managers that changes.
//
// It has what the command needs of package apply, whose dependencies would make the command a third larger: the merge
// itself, not the managedFields after it. Values that do not match the schema, and sets that were written before a list
// became atomic or granular, are merged as if they had no schema; package apply has the server's errors.
//
// Nothing is modified. Results share values with their inputs. Time and memory are linear in the objects and in the
// managedFields.
package merge
