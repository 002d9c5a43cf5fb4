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
// version.
func functions(e environment) []*eval.Function {
	all := eval.Functions(e.stored)
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

// declarations returns the functions in the form that the checker needs, each name once, in the order of first
// occurrence.
func declarations(functions []*eval.Function) ([]*decls.FunctionDecl, error) {
	overloads := make(map[string][]decls.FunctionOpt, len(functions))
	names := make([]string, 0, len(functions))
	for _, f := range functions {
		if _, seen := overloads[f.Name]; !seen {
			names = append(names, f.Name)
		}
		for _, o := range f.Overloads {
			declare := decls.Overload
			if o.Method {
				declare = decls.MemberOverload
			}
			overloads[f.Name] = append(overloads[f.Name], declare(o.ID, o.Args, o.Result))
		}
	}
	declared := make([]*decls.FunctionDecl, len(names))
	for i, name := range names {
		f, err := decls.NewFunction(name, overloads[name]...)
		if err != nil {
			return nil, err
		}
		declared[i] = f
	}
	return declared, nil
}
