package check

import (
	"slices"

	"github.com/crdkit/crdkit/internal/since"
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
	since  since.Fact // what it came with
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

// from returns o as what came with a fact.
func (o overload) from(fact since.Fact) overload {
	o.since = fact
	return o
}

// with returns functions that came with a fact, unless they say another one.
func with(fact since.Fact, functions []function) []function {
	for _, f := range functions {
		for i := range f.overloads {
			if f.overloads[i].since == since.Always {
				f.overloads[i].since = fact
			}
		}
	}
	return functions
}

// in returns the functions that a minor version has.
func in(minor since.Minor, functions []function) []function {
	var all []function
	for _, f := range functions {
		known := slices.DeleteFunc(f.overloads, func(o overload) bool { return !o.since.In(minor) })
		if len(known) > 0 {
			all = append(all, function{name: f.name, overloads: known})
		}
	}
	return all
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

// An environment says which functions an expression may call: those of new or of stored expressions (CEN-001), of a minor version.
type environment struct {
	stored bool
	minor  since.Minor
}

// libraries returns all functions of one environment, library by library. Only new expressions differ by minor version.
//
// Invariant: each library stands where the server has it, since a function that several libraries extend (string, indexOf, the index
// operator) has its overloads in this order. That is why the lists library, which a newer version replaces among the stored
// expressions, has two places (CEN-001, CEN-002).
func libraries(e environment) []function {
	var lists, newerLists []function
	if e.stored {
		newerLists = append(kubernetesLists(), with(since.ListIncludes, includes())...)
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
		with(since.OptionalValues, optionals()),
		with(since.Quantities, quantities()),
		stringFunctions(),
		with(since.Sets, sets()),
		with(since.Addresses, addresses()),
		with(since.Addresses, networks()),
		with(since.NamedFormats, formats()),
		authorizationSelectors(),
		with(since.TwoVariables, comprehensions()),
		with(since.SemanticVersions, versions()),
		with(since.ListExtension, listFunctions()),
		newerLists,
	} {
		all = append(all, library...)
	}
	if !e.stored && e.minor != 0 {
		all = in(e.minor, all)
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
