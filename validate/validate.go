package validate

import (
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/report"
	"github.com/crdkit/crdkit/internal/verdict"
	"github.com/crdkit/crdkit/schema"
)

// Validate returns all that is wrong with obj: first what breaks the schema, then the metadata of embedded resources, then
// lists with duplicate items. It returns nil for a valid object, without allocating. obj is a whole object, pruned and
// defaulted if it is to be judged as a server judges it; nil is an empty one. A nil s accepts everything. An obj that is too large (see
// the package's security considerations) has that one error.
//
// Clauses: STR-011 steps 3, 5 and 6; VAL, OME-020 to OME-022, LST.
func Validate(s *schema.Structural, obj map[string]any) field.List {
	if s == nil || verdict.OK(s.Root, obj, verdict.Schema|verdict.Embedded|verdict.Lists) {
		return nil
	}
	if e := jsonval.TooLarge(nil, obj); e != nil {
		return field.List{e}
	}
	errs := report.Value(s.Root, nil, obj)
	errs = append(errs, Embedded(s.Root, nil, obj)...)
	return append(errs, Lists(s.Root, nil, obj)...)
}

// Value returns what in v breaks the keywords of n, a node of a compiled schema; v is a value of any kind, and at says where it
// stands: nil for a whole object. It returns nil for a valid value, without allocating. A nil n accepts everything. Too large a value is
// one error, as for [Validate].
//
// As in a server, messages name the place within v alone, and the field has at before it (STR-015).
//
// Clauses: VAL-001 to VAL-066, FMT, ERR.
func Value(n *schema.Node, at *field.Path, v any) field.List {
	if verdict.OK(n, v, verdict.Schema) {
		return nil
	}
	if e := jsonval.TooLarge(at, v); e != nil {
		return field.List{e}
	}
	return report.Value(n, at, v)
}
