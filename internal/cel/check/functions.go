package check

import (
	"github.com/crdkit/crdkit/internal/cel/eval"
	"github.com/crdkit/crdkit/internal/since"
	"github.com/google/cel-go/common/decls"
)

// An environment says which functions an expression may call: those for new or for stored expressions (CEN-001), in a
// minor version.
type environment struct {
	stored bool
	minor  since.Minor
}

// functions returns all functions of an environment, library by library. Only new expressions depend on the minor
// version: from since.ListIncludes on, they have the functions of stored ones, in their order.
func functions(e environment) []*eval.Function {
	all := eval.Functions(e.stored || since.ListIncludes.In(e.minor))
	if e.stored || e.minor == 0 {
		return all
	}
	var known []*eval.Function
	for _, f := range all {
		of := &eval.Function{Name: f.Name}
		for _, o := range f.Overloads {
			if o.Since.In(e.minor) {
				of.Overloads = append(of.Overloads, o)
			}
		}
		if len(of.Overloads) > 0 {
			known = append(known, of)
		}
	}
	return known
}

// declarations returns the functions in the form that the checker needs. The checker merges those of the same name.
func declarations(functions []*eval.Function) ([]*decls.FunctionDecl, error) {
	declared := make([]*decls.FunctionDecl, len(functions))
	for i, f := range functions {
		var overloads []decls.FunctionOpt
		for _, o := range f.Overloads {
			declare := decls.Overload
			if o.Method {
				declare = decls.MemberOverload
			}
			overloads = append(overloads, declare(o.ID, o.Args, o.Result))
		}
		var err error
		if declared[i], err = decls.NewFunction(f.Name, overloads...); err != nil {
			return nil, err
		}
	}
	return declared, nil
}
