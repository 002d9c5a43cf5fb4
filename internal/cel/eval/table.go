package eval

import (
	"slices"
	"sync"

	"github.com/crdkit/crdkit/internal/cel/ast"
	"github.com/crdkit/crdkit/internal/cel/estimate"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/since"
)

// The table of functions: see the package's documentation. The checker, the estimator and the planner do not contain
// the names of library functions.

// A Function is a name that an expression may call, with some of its overloads: several libraries may add overloads to
// a name.
type Function struct {
	Name      string
	Overloads []*Overload
}

// An Overload is one signature of a function, with its implementation, costs and checks.
type Overload struct {
	ID     string
	Method bool // the first argument is the receiver
	Args   []*types.Type
	Result *types.Type
	Since  since.Fact // the version that added it

	Logical  bool         // && or ||, whose operands are checked to be bools one by one
	Literal  LiteralCheck // the check of literal arguments
	Planning Planning     // whether planning a call may fail

	run binding // nil: it accepts no value
	costs
	flags flags

	// plan plans a call of an operator, or of a function that does not evaluate all its arguments; otherwise it is nil.
	// args begin with the receiver.
	plan func(p *planner, e *ast.Expr, args []*ast.Expr) *part
	// special plans a call that can run faster with these arguments. It returns nil if there is no faster way.
	special func(p *planner, c *call, args []*part) *part
}

// A LiteralCheck says what package check checks about the literals in a call (CEN-052, CEN-053).
type LiteralCheck struct {
	Valid  func(literal any) bool // of the first argument after the receiver; nil: no check
	Format bool                   // the receiver is checked as a format, with the arguments
	Since  since.Fact             // the first version with the check
}

// Planning says whether [Plan] may refuse a call (CER-040).
type Planning uint8

// The conditions under which a call may be refused.
const (
	NeverRefused    Planning = iota
	RefusesConstant          // if the argument is constant
	RefusesPattern           // if the first argument after the receiver is a constant but not a literal
	MayRefuse                // with any arguments
)

type flags uint8

const (
	// folds marks conversions: a call with a constant argument is constant, too (CER-040, CRC-005).
	folds flags = 1 << iota
	// once marks functions whose result for constants is computed during planning. It costs the same for each
	// evaluation. Functions whose results have an identity or change do not have the flag.
	once
	// unguarded marks functions that check the types of their arguments themselves.
	unguarded
	// single marks functions with one implementation for all overloads in a server: it evaluates all arguments of each
	// call.
	single
	// stopsFirst marks functions whose call ends at the first argument that fails, for any number of arguments.
	stopsFirst
	// bySize marks operators whose cost depends on their operands.
	bySize
	// sizeOnly marks functions that read only the sizes of their arguments.
	sizeOnly
)

// A costRule returns the cost of a call. Only late ones are given the result.
type costRule func(f *frame, args []value, result value) int64

// The functions that build rows are not inlined: programs would be 100 KB larger.

// fn declares overloads of name. Their order is visible: it is that of the overload ids in a checked expression.
//
//go:noinline
func fn(name string, overloads ...*Overload) *Function {
	return &Function{Name: name, Overloads: slices.Clone(overloads)}
}

// global declares the overload name(args...).
//
//go:noinline
func global(id string, result *types.Type, args ...*types.Type) *Overload {
	return &Overload{ID: id, Result: result, Args: slices.Clone(args)}
}

// method declares the overload receiver.name(args...).
//
//go:noinline
func method(id string, result, receiver *types.Type, args ...*types.Type) *Overload {
	return &Overload{ID: id, Method: true, Result: result, Args: append([]*types.Type{receiver}, args...)}
}

// does sets the implementation of o, and returns o.
//
//go:noinline
func (o *Overload) does(run binding) *Overload {
	o.run = run
	return o
}

// costs are the costs of calls of an overload: static is estimated beforehand, the others are charged at run time. nil
// means 1.
type costs struct {
	static estimate.Function
	charge costRule
	shared costRule               // charge, if the checker leaves the overload open
	byText func(s, t int64) int64 // charge by the sizes of two strings, in place of a function of values
	unwrap bool                   // byText gets the size of the value in an optional
	late   bool                   // charge needs the result
	// crash ends the run if a server would panic while it computes the cost of a single overload (CRC-062), before the
	// call is charged. args may lack those after one that failed.
	crash func(f *frame, args []value)
}

// costing sets the costs of calls of o, and returns o.
//
//go:noinline
func (o *Overload) costing(c costs) *Overload {
	if c.byText != nil {
		c.charge = func(_ *frame, a []value, _ value) int64 { return c.byText(a[0].size(c.unwrap), a[1].size(c.unwrap)) }
	}
	o.costs = c
	return o
}

// checked sets the check of literals, and returns o.
func (o *Overload) checked(c LiteralCheck) *Overload {
	o.Literal = c
	return o
}

// from sets the version that added o, and returns o.
func (o *Overload) from(fact since.Fact) *Overload {
	o.Since = fact
	return o
}

// is adds flags, and returns o.
func (o *Overload) is(f flags) *Overload {
	o.flags |= f
	return o
}

// add adds an overload to f.
func (f *Function) add(o *Overload) { f.Overloads = append(f.Overloads, o) }

// each applies change to all overloads of f.
//
//go:noinline
func (f *Function) each(change func(o *Overload)) *Function {
	for _, o := range f.Overloads {
		change(o)
	}
	return f
}

// costing is [Overload.costing] for all overloads.
//
//go:noinline
func (f *Function) costing(c costs) *Function {
	return f.each(func(o *Overload) { o.costing(c) })
}

// is is [Overload.is] for all overloads.
//
//go:noinline
func (f *Function) is(flags flags) *Function { return f.each(func(o *Overload) { o.is(flags) }) }

// planned sets the plan function for calls of f, and returns f.
//
//go:noinline
func (f *Function) planned(plan func(p *planner, e *ast.Expr, args []*ast.Expr) *part) *Function {
	return f.each(func(o *Overload) { o.plan = plan })
}

// with returns functions with Since set to fact, where it is not set already.
//
//go:noinline
func with(fact since.Fact, functions []*Function) []*Function {
	for _, f := range functions {
		f.each(func(o *Overload) {
			if o.Since == since.Always {
				o.Since = fact
			}
		})
	}
	return functions
}

// The types of the rows.
var (
	boolType      = types.BoolType
	intType       = types.IntType
	uintType      = types.UintType
	doubleType    = types.DoubleType
	stringType    = types.StringType
	bytesType     = types.BytesType
	timestampType = types.TimestampType
	durationType  = types.DurationType
	dynType       = types.DynType

	// Type parameters. They are bound separately for each call, so their names have no meaning beyond one overload.
	typeA, typeB = types.NewTypeParamType("A"), types.NewTypeParamType("B")
	typeK, typeV = types.NewTypeParamType("K"), types.NewTypeParamType("V")
	typeT        = types.NewTypeParamType("T")

	// The types that the libraries add. Those of addresses are opaque, the others are objects without fields: the error
	// of a field selection has a different text for each (CER-030).
	ipType       = types.NewOpaqueType(typeNames[kindIP])
	cidrType     = types.NewOpaqueType(typeNames[kindCIDR])
	urlType      = types.NewObjectType(typeNames[kindURL])
	quantityType = types.NewObjectType(typeNames[kindQuantity])
	semverType   = types.NewObjectType(typeNames[kindSemver])
	formatType   = types.NewObjectType(typeNames[kindFormat])
)

//go:noinline
func listOf(elem *types.Type) *types.Type { return types.NewListType(elem) }

//go:noinline
func mapOf(key, value *types.Type) *types.Type { return types.NewMapType(key, value) }

//go:noinline
func optionalOf(value *types.Type) *types.Type { return types.NewOptionalType(value) }

// tables are built on first use, in about 0.2 ms.
var tables struct {
	sync.Once
	newest, stored []*Function // the functions that new expressions may call, and those that stored ones may: all there are
	byName         map[string][]*Overload
	byID           map[string]*Overload
}

func makeTables() {
	t := &tables
	t.newest, t.stored = libraries()
	t.byName, t.byID = make(map[string][]*Overload), make(map[string]*Overload)
	for _, f := range t.stored {
		t.byName[f.Name] = append(t.byName[f.Name], f.Overloads...)
		for _, o := range f.Overloads {
			t.byID[o.ID] = o
		}
	}
}

// Functions returns all functions that new expressions, or stored ones, may call (CEN-001). The result is shared.
func Functions(stored bool) []*Function {
	tables.Do(makeTables)
	if stored {
		return tables.stored
	}
	return tables.newest
}

// OverloadsOf returns the overloads of a function in the order in which a call tries them, or nil if there is no such
// function. The result is shared.
func OverloadsOf(function string) []*Overload {
	tables.Do(makeTables)
	return tables.byName[function]
}

// OverloadByID returns the overload with that id, or nil.
func OverloadByID(id string) *Overload {
	tables.Do(makeTables)
	return tables.byID[id]
}

// StaticCost returns what estimates the calls of the overload with that id, or nil: they cost 1.
func StaticCost(id string) estimate.Function {
	if o := OverloadByID(id); o != nil {
		return o.static
	}
	return nil
}

// libraries returns the functions of new expressions and those of stored ones, library by library.
//
// Invariant: each library is at the same position as in a server, since a function that several libraries extend
// (string, indexOf, the index operator) has its overloads in this order. For that reason the list functions are at two
// positions: for stored expressions, a newer version of the library replaces them and is at the end (CEN-001, CEN-002).
func libraries() (newest, stored []*Function) {
	first := slices.Concat(
		operators(),
		conversions(),
		standardFunctions(),
		calendar(),
		urls(),
		patterns(),
	)
	lists := kubernetesLists()
	rest := slices.Concat(
		with(since.Authorizers, authorization()),
		with(since.OptionalValues, optionals()),
		with(since.Quantities, quantities()),
		stringFunctions(),
		with(since.Sets, sets()),
		with(since.Addresses, addresses()),
		with(since.Addresses, networks()),
		with(since.NamedFormats, formats()),
		with(since.AuthorizerSelectors, authorizationSelectors()),
		with(since.TwoVariables, insertions()),
		with(since.SemanticVersions, versions()),
		with(since.ListExtension, listFunctions()),
	)
	newest = slices.Concat(first, lists, rest)
	return newest, slices.Concat(first, rest, lists, with(since.ListIncludes, includes()))
}
