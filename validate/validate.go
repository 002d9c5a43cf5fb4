package validate

import (
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/internal/validity"
	"github.com/crdkit/crdkit/schema"
)

// Validate returns everything that is wrong with obj: first schema violations, then the metadata of embedded resources,
// then lists with duplicate items. It returns nil for a valid object, without allocating. obj is a whole object; to
// validate as a server does, prune and default it first. A nil obj is an empty object. A nil s accepts everything. The
// errors end at limit, or without one at the default [field.Limit]. Only the first limit counts. An obj that is too
// large (see the package's security considerations) has that one error only.
func Validate(s *schema.Structural, obj map[string]any, limit ...field.Limit) field.List {
	if s == nil {
		return nil
	}
	root := plan.Root(s)
	if validity.OK(root, obj, validity.Schema|validity.Embedded|validity.Lists) {
		return nil
	}
	errs := refusal.Within(refusal.Optional(limit))
	if validity.ReportAnySize(&errs, root, nil, obj) {
		validity.ReportEmbedded(&errs, root, nil, "", obj)
		validity.ReportLists(&errs, root, nil, obj)
	}
	return errs.Errors()
}

// Value returns the violations of n, a node of a compiled schema, in v. v is a value of any kind, and at is its path:
// nil for a whole object. It returns nil for a valid value, without allocating. A zero n accepts everything. The errors
// end at the default [field.Limit]. A value that is too large is one error, as for [Validate].
//
// As in a server, messages contain the path within v only, and the field is prefixed with at (STR-015).
func Value(n schema.Node, at *field.Path, v any) field.List {
	node := plan.Of(n)
	if validity.OK(node, v, validity.Schema) {
		return nil
	}
	var errs refusal.List
	validity.ReportAnySize(&errs, node, at, v)
	return errs.Errors()
}

// Embedded returns what is wrong with the apiVersion, kind and metadata of the embedded resources in v. The order is
// that of a walk with sorted keys, a resource before those within it. n is the node that describes v, at is the path of
// v: nil for a whole object. The caller checks the metadata of the whole object, unless its schema says that it is
// embedded. A zero n accepts everything. The errors end at the default [field.Limit].
func Embedded(n schema.Node, at *field.Path, v any) field.List {
	var errs refusal.List
	validity.ReportEmbedded(&errs, plan.Of(n), at, "", v)
	return errs.Errors()
}

// Lists returns the duplicates in the lists of v that are sets or maps (x-kubernetes-list-type), in the order of a walk
// with sorted properties. n is the node that describes v, at is the path of v: nil for a whole object. A zero n accepts
// everything.
//
// A value that occurs more than once is reported once, at its second occurrence. The errors end at the default
// [field.Limit].
func Lists(n schema.Node, at *field.Path, v any) field.List {
	var errs refusal.List
	validity.ReportLists(&errs, plan.Of(n), at, v)
	return errs.Errors()
}
