package check

import (
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/types"
)

// A function is a name that an expression may call, with some of its overloads: several libraries may add overloads to one name.
type function struct {
	name      string
	overloads []overload
}

// An overload is one signature of a function. Of a method, the first argument is the receiver.
type overload struct {
	id     string
	method bool
	args   []*types.Type
	result *types.Type
}

// fn declares overloads of name. Their order is visible: it is that of the overload ids in a checked expression.
func fn(name string, overloads ...overload) function {
	return function{name: name, overloads: overloads}
}

// global declares the overload name(args...).
func global(id string, result *types.Type, args ...*types.Type) overload {
	return overload{id: id, result: result, args: args}
}

// method declares the overload receiver.name(args...).
func method(id string, result, receiver *types.Type, args ...*types.Type) overload {
	return overload{id: id, method: true, result: result, args: append([]*types.Type{receiver}, args...)}
}

// The types of the tables, under names short enough for one line per overload.
var (
	boolean   = types.BoolType
	integer   = types.IntType
	unsigned  = types.UintType
	double    = types.DoubleType
	str       = types.StringType
	octets    = types.BytesType
	timestamp = types.TimestampType
	duration  = types.DurationType
	dyn       = types.DynType

	// Type parameters. They are bound anew for each call, so their names mean nothing beyond one overload.
	anyA, anyB = types.NewTypeParamType("A"), types.NewTypeParamType("B")
	anyK, anyV = types.NewTypeParamType("K"), types.NewTypeParamType("V")
	anyT       = types.NewTypeParamType("T")
)

func list(elem *types.Type) *types.Type       { return types.NewListType(elem) }
func dict(key, value *types.Type) *types.Type { return types.NewMapType(key, value) }
func optional(of *types.Type) *types.Type     { return types.NewOptionalType(of) }

// libraries returns all functions of one environment, library by library.
//
// Invariant: each library stands where the server has it, since a function that several libraries extend (string, indexOf, the index
// operator) has its overloads in this order. That is why the lists library, which a newer version replaces among the stored
// expressions, has two places (CEN-001, CEN-002).
func libraries(stored bool) []function {
	var lists, newerLists []function
	if stored {
		newerLists = append(kubernetesLists(), includes()...)
	} else {
		lists = kubernetesLists()
	}
	var all []function
	for _, library := range [][]function{
		operators(),
		conversions(),
		standardFunctions(),
		calendar(),
		urls(),
		regex(),
		lists,
		authorization(),
		optionals(),
		quantities(),
		stringFunctions(),
		sets(),
		addresses(),
		networks(),
		formats(),
		authorizationSelectors(),
		comprehensions(),
		versions(),
		listFunctions(),
		newerLists,
	} {
		all = append(all, library...)
	}
	return all
}

// declarations returns the functions in the form that the checker takes, each name once, in the order of its first mention.
func declarations(functions []function) ([]*decls.FunctionDecl, error) {
	overloads := make(map[string][]decls.FunctionOpt, len(functions))
	names := make([]string, 0, len(functions))
	for _, f := range functions {
		if _, seen := overloads[f.name]; !seen {
			names = append(names, f.name)
		}
		for _, o := range f.overloads {
			declare := decls.Overload
			if o.method {
				declare = decls.MemberOverload
			}
			overloads[f.name] = append(overloads[f.name], declare(o.id, o.args, o.result))
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
