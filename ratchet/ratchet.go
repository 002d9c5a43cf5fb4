package ratchet

import (
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/internal/validity"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validate"
)

// Validate returns what is wrong with obj as an update of old, without the errors that existed before and did not
// change. First come schema violations, then the metadata of embedded resources, which is never ratcheted, then lists
// with duplicate items, unless old has any. The errors are those of validate.Validate, in its order. For a valid object
// it returns nil, does not allocate and does not examine old. The errors end at limit, or without one at the default
// [field.Limit]. Only the first limit counts.
//
// Both are whole objects. To validate as a server does, prune and default both first. old is validated with the same s,
// even if it was stored under an older schema. A nil obj is an empty object. A nil old means that there is no old
// object: no errors are dropped. A nil s accepts everything.
func Validate(s *schema.Structural, obj, old map[string]any, limit ...field.Limit) field.List {
	if s == nil {
		return nil
	}
	root := plan.Root(s)
	if validity.OK(root, obj, validity.Schema|validity.Embedded|validity.Lists) {
		return nil
	}
	if old == nil {
		return validate.Validate(s, obj, limit...)
	}
	if e := jsonval.TooLarge(nil, obj); e != nil {
		return field.List{e}
	}
	errs := refusal.Within(refusal.Optional(limit))
	validity.ReportUpdate(&errs, root, nil, "", obj, old)
	validity.ReportEmbedded(&errs, root, nil, "", obj)
	validity.ReportUpdatedLists(&errs, root, nil, obj, old)
	return errs.Errors()
}

// RatchetedValidate is [Validate].
func RatchetedValidate(s *schema.Structural, obj, old map[string]any, limit ...field.Limit) field.List {
	return Validate(s, obj, old, limit...)
}

// Value returns the violations of n, a node of a compiled schema, in v, without those that did not change since old. v
// and old are values of any kind, such as the status of two objects, and null is one of them. If there was no value
// before, use validate.Value instead. at is their path: nil for whole objects. For a valid value it returns nil, does
// not allocate and does not examine old. A zero n accepts everything. The errors end at the default [field.Limit].
//
// v and old are treated as whole objects at any path: their fields apiVersion and kind, if they have any, count as
// changed (RAT-012). As in a server, messages contain the path within v only, and the field is prefixed with at
// (STR-015).
func Value(n schema.Node, at *field.Path, v, old any) field.List {
	node := plan.Of(n)
	if validity.OK(node, v, validity.Schema) {
		return nil
	}
	if e := jsonval.TooLarge(at, v); e != nil {
		return field.List{e}
	}
	var errs refusal.List
	validity.ReportUpdate(&errs, node, at, "", v, old)
	return errs.Errors()
}

// Lists returns the duplicates in the lists of v that are sets or maps (x-kubernetes-list-type), in the order of
// validate.Lists, or nil if any list of old has duplicates. n is the node that describes both values, at is their path:
// nil for whole objects. A server checks whole objects, even for an update of their status. A zero n accepts
// everything. The errors end at the default [field.Limit].
func Lists(n schema.Node, at *field.Path, v, old any) field.List {
	var errs refusal.List
	validity.ReportUpdatedLists(&errs, plan.Of(n), at, v, old)
	return errs.Errors()
}
