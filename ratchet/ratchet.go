package ratchet

import (
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/errlist"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/report"
	"github.com/crdkit/crdkit/internal/verdict"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validate"
)

// Validate returns what is wrong with obj as an update of old, less what was wrong already and did not change: first what
// breaks the schema, then the metadata of embedded resources, of which nothing is forgiven, then lists with duplicate items, unless old
// has any. These are errors of validate.Validate, in its order. It returns nil for a valid object, without allocating and without a
// look at old. The errors end at the default [field.Limit].
//
// Both are whole objects, pruned and defaulted if they are to be judged as a server judges them; old is judged by the same s, however
// old it is. A nil obj is an empty object. A nil old is no object: then nothing is forgiven. A nil s accepts everything.
func Validate(s *schema.Structural, obj, old map[string]any) field.List {
	return ValidateWithin(s, obj, old, field.Limit{})
}

// RatchetedValidate is [Validate].
func RatchetedValidate(s *schema.Structural, obj, old map[string]any) field.List {
	return Validate(s, obj, old)
}

// ValidateWithin is [Validate] with another limit.
func ValidateWithin(s *schema.Structural, obj, old map[string]any, limit field.Limit) field.List {
	if s == nil {
		return nil
	}
	root := plan.Root(s)
	if verdict.OK(root, obj, verdict.Schema|verdict.Embedded|verdict.Lists) {
		return nil
	}
	if old == nil {
		return validate.ValidateWithin(s, obj, limit)
	}
	if e := jsonval.TooLarge(nil, obj); e != nil {
		return field.List{e}
	}
	errs := errlist.Within(limit)
	report.Update(&errs, root, nil, obj, old)
	report.Embedded(&errs, root, nil, obj)
	report.UpdatedLists(&errs, root, nil, obj, old)
	return errs.Errors()
}

// Value returns what in v breaks the keywords of n, a node of a compiled schema, less what did not change since old. v and old are values
// of any kind, such as the status of two objects, and null is one of them: where there was nothing before, there is nothing to forgive,
// and validate.Value is to be asked. at says where they stand: nil for whole objects. It returns nil for a valid value, without
// allocating and without a look at old. A zero n accepts everything. The errors end at the default [field.Limit].
//
// Wherever the two stand, they count as whole: their fields apiVersion and kind, if they have any, count as changed (RAT-012). As in a
// server, messages name the place within v alone, and the field has at before it (STR-015).
func Value(n schema.Node, at *field.Path, v, old any) field.List {
	node := plan.Of(n)
	if verdict.OK(node, v, verdict.Schema) {
		return nil
	}
	if e := jsonval.TooLarge(at, v); e != nil {
		return field.List{e}
	}
	var errs errlist.List
	report.Update(&errs, node, at, v, old)
	return errs.Errors()
}

// Lists returns the duplicates in the lists of v that are sets or maps (x-kubernetes-list-type), in the order of validate.Lists, or nil if
// a list of old has any, no matter which one. n is the node that describes both, at their place: nil for whole objects. A server
// asks about whole objects, even for an update of their status. A zero n accepts everything. The errors end at the default [field.Limit].
func Lists(n schema.Node, at *field.Path, v, old any) field.List {
	var errs errlist.List
	report.UpdatedLists(&errs, plan.Of(n), at, v, old)
	return errs.Errors()
}
