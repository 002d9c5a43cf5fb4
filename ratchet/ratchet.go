package ratchet

import (
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/report"
	"github.com/crdkit/crdkit/internal/verdict"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validate"
)

// RatchetedValidate returns what is wrong with obj as an update of old, less what was wrong already and did not change: first what
// breaks the schema, then the metadata of embedded resources, of which nothing is forgiven, then lists with duplicate items, unless old
// has any. These are errors of validate.Validate, in its order. It returns nil for a valid object, without allocating and without a
// look at old.
//
// Both are whole objects, pruned and defaulted if they are to be judged as a server judges them; old is judged by the same s, however
// old it is. A nil obj is an empty object. A nil old is no object: then nothing is forgiven. A nil s accepts everything.
//
// Clauses: STR-012 steps 3, 5 and 6; RAT-001 to RAT-011, RAT-020.
func RatchetedValidate(s *schema.Structural, obj, old map[string]any) field.List {
	if s == nil || verdict.OK(s.Root, obj, verdict.Schema|verdict.Embedded|verdict.Lists) {
		return nil
	}
	if old == nil {
		return validate.Validate(s, obj)
	}
	if e := jsonval.TooLarge(nil, obj); e != nil {
		return field.List{e}
	}
	errs := report.Update(s.Root, nil, obj, old)
	errs = append(errs, validate.Embedded(s.Root, nil, obj)...)
	return append(errs, duplicates(s.Root, nil, obj, old)...)
}

// Value returns what in v breaks the keywords of n, a node of a compiled schema, less what did not change since old. v and old are values
// of any kind, such as the status of two objects, and null is one of them: where there was nothing before, there is nothing to forgive,
// and validate.Value is to be asked. at says where they stand: nil for whole objects. It returns nil for a valid value, without
// allocating and without a look at old. A nil n accepts everything.
//
// Wherever the two stand, they count as whole: their fields apiVersion and kind, if they have any, count as changed (RAT-012). As in a
// server, messages name the place within v alone, and the field has at before it (STR-015).
//
// Clauses: RAT-001 to RAT-012.
func Value(n *schema.Node, at *field.Path, v, old any) field.List {
	if verdict.OK(n, v, verdict.Schema) {
		return nil
	}
	if e := jsonval.TooLarge(at, v); e != nil {
		return field.List{e}
	}
	return report.Update(n, at, v, old)
}

// Lists returns the duplicates in the lists of v that are sets or maps (x-kubernetes-list-type), in the order of validate.Lists, or nil if
// a list of old has any, no matter which one. n is the node that describes both, at their place: nil for whole objects. A server
// asks about whole objects, even for an update of their status. A nil n accepts everything.
//
// Clauses: RAT-020.
func Lists(n *schema.Node, at *field.Path, v, old any) field.List {
	if n == nil || n.Below&schema.HasList == 0 {
		return nil
	}
	return duplicates(n, at, v, old)
}

// duplicates is Lists for a value that may well have some: it saves the verdict on the whole of it.
func duplicates(n *schema.Node, at *field.Path, v, old any) field.List {
	errs := validate.Lists(n, at, v)
	if len(errs) == 0 || len(validate.Lists(n, at, old)) > 0 {
		return nil
	}
	return errs
}
