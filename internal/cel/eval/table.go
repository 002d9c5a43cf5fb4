package eval

import (
	"slices"
	"sync"

	"github.com/crdkit/crdkit/internal/cel/price"
	"github.com/crdkit/crdkit/internal/since"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
)

// The table of functions: see the package's documentation. The checker, the estimator and the planner know no function of a library by its
// name.

// A Function is a name that an expression may call, with some of its overloads: several libraries may add overloads to one name.
type Function struct {
	Name      string
	Overloads []*Overload
}

// An Overload is one signature of a function, with all that is known of it.
type Overload struct {
	ID     string
	Method bool // the first argument is the receiver
	Args   []*types.Type
	Result *types.Type
	Since  since.Fact // what it came with

	SameResult bool         // the result is the argument, under another type
	Logical    bool         // && or ||, whose operands are compared with bool one by one
	Literal    LiteralCheck // what is checked of a literal
	Planning   Planning     // whether planning a call may fail

	run binding // nil: it accepts no value
	costs
	flags flags

	// plan plans a call of an operator, and of functions that do not evaluate all their arguments; nil for others. args begin with the receiver.
	plan func(p *planner, e ast.Expr, args []ast.Expr) part
	// special plans a call that can run faster with these arguments. It returns false if this call cannot.
	special func(p *planner, c *call, args []part) (part, bool)
}

// A LiteralCheck is what package check checks of the literals in a call (CEN-052, CEN-053).
type LiteralCheck struct {
	Valid  func(literal any) bool // of the first argument behind the receiver; nil: nothing is checked of it
	Format bool                   // the receiver is checked as a format, with the arguments
	Since  since.Fact             // the first version that does
}

// Planning says whether [Plan] may refuse a call (CER-040).
type Planning uint8

// When a call may be refused.
const (
	NeverRefused    Planning = iota
	RefusesConstant          // if the argument is constant
	RefusesPattern           // if the first argument behind the receiver is a constant that is not a literal
	MayRefuse                // with any arguments
)

type flags uint8

const (
	// folds marks conversions: with a constant argument, the call is constant, too (CER-040, CRC-005).
	folds flags = 1 << iota
	// once marks functions whose result for a constant is made where the program is planned. It costs the same each time. Functions whose
	// results have an identity or change do not have the flag.
	once
	// unguarded marks functions that look at the types of their arguments themselves.
	unguarded
	// single marks functions that a server has one implementation of for all overloads: it evaluates all arguments of each call.
	single
	// stopsFirst marks functions whose call ends at the first argument that fails, however many there are.
	stopsFirst
	// bySize marks operators whose charge grows with their operands.
	bySize
)

// A costRule says what a call costs. Only late ones know the result.
type costRule func(f *frame, args []value, result value) int64

// The functions that make rows are not inlined: programs would be 100 KB larger.

// fn declares overloads of name. Their order is visible: it is that of the overload ids in a checked expression.
//
//go:noinline
func fn(name string, overloads ...*Overload) Function {
	return Function{Name: name, Overloads: overloads}
}

// global declares the overload name(args...).
//
//go:noinline
func global(id string, result *types.Type, args ...*types.Type) *Overload {
	return &Overload{ID: id, Result: result, Args: args}
}

// method declares the overload receiver.name(args...).
//
//go:noinline
func method(id string, result, receiver *types.Type, args ...*types.Type) *Overload {
	return &Overload{ID: id, Method: true, Result: result, Args: append([]*types.Type{receiver}, args...)}
}

// does sets what o does, and returns o.
//
//go:noinline
func (o *Overload) does(run binding) *Overload {
	o.run = run
	return o
}

// costs are what calls of an overload cost: Static is estimated before they run, the others are charged when they do. nil is 1.
type costs struct {
	Static price.Function
	charge costRule
	shared costRule               // charge, if the checker leaves open which overload of the function is called
	byText func(s, t int64) int64 // charge by the sizes of two strings, in place of a function of values
	unwrap bool                   // byText sees the size of what an optional has
	late   bool                   // charge needs the result
	// crash ends the run where a server panics when it counts the cost of a single overload (CRC-062), before the call is charged for. args may
	// lack those behind one that failed.
	crash func(f *frame, args []value)
}

// costing sets what calls of o cost, and returns o.
//
//go:noinline
func (o *Overload) costing(c costs) *Overload {
	if c.byText != nil {
		c.charge = func(_ *frame, a []value, _ value) int64 { return c.byText(a[0].size(c.unwrap), a[1].size(c.unwrap)) }
	}
	o.costs = c
	return o
}

// checked sets what is checked of literals, and returns o.
func (o *Overload) checked(c LiteralCheck) *Overload {
	o.Literal = c
	return o
}

// from sets what o came with, and returns o.
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

// each changes all overloads of f.
func (f Function) each(change func(o *Overload)) Function {
	for _, o := range f.Overloads {
		change(o)
	}
	return f
}

// costing is [Overload.costing] of all overloads.
func (f Function) costing(c costs) Function {
	return f.each(func(o *Overload) { o.costing(c) })
}

// is is [Overload.is] of all overloads.
func (f Function) is(flags flags) Function { return f.each(func(o *Overload) { o.is(flags) }) }

// planned sets how calls of f are planned, and returns f.
func (f Function) planned(plan func(p *planner, e ast.Expr, args []ast.Expr) part) Function {
	return f.each(func(o *Overload) { o.plan = plan })
}

// with returns functions that came with a fact, unless they say another one.
func with(fact since.Fact, functions []Function) []Function {
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

	// Type parameters. They are bound anew for each call, so their names mean nothing beyond one overload.
	typeA, typeB = types.NewTypeParamType("A"), types.NewTypeParamType("B")
	typeK, typeV = types.NewTypeParamType("K"), types.NewTypeParamType("V")
	typeT        = types.NewTypeParamType("T")

	// The types that the libraries bring. Those of addresses are opaque, the others are objects without fields: selecting a field has
	// another text for each (CER-030).
	ipType       = types.NewOpaqueType(typeNames[kindIP])
	cidrType     = types.NewOpaqueType(typeNames[kindCIDR])
	urlType      = types.NewObjectType(typeNames[kindURL])
	quantityType = types.NewObjectType(typeNames[kindQuantity])
	semverType   = types.NewObjectType(typeNames[kindSemver])
	formatType   = types.NewObjectType(typeNames[kindFormat])
)

func listOf(elem *types.Type) *types.Type      { return types.NewListType(elem) }
func mapOf(key, value *types.Type) *types.Type { return types.NewMapType(key, value) }
func optionalOf(value *types.Type) *types.Type { return types.NewOptionalType(value) }

// tables are made when one of them is first asked for, in about 0.2 ms.
var tables struct {
	sync.Once
	newest, stored []Function // what new expressions may call, and what stored ones may: all there is
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

// Functions returns all functions that new expressions may call, or stored ones (CEN-001). The result is shared.
func Functions(stored bool) []Function {
	tables.Do(makeTables)
	if stored {
		return tables.stored
	}
	return tables.newest
}

// OverloadsOf returns the overloads of a function in the order in which a call tries them, nil if there is no such function. The result is
// shared.
func OverloadsOf(function string) []*Overload {
	tables.Do(makeTables)
	return tables.byName[function]
}

// OverloadByID returns the overload with an id, or nil.
func OverloadByID(id string) *Overload {
	tables.Do(makeTables)
	return tables.byID[id]
}

// libraries returns the functions of new expressions and those of stored ones, library by library.
//
// Invariant: each library stands where the server has it, since a function that several libraries extend (string, indexOf, the index
// operator) has its overloads in this order. That is why the lists library, which a newer version replaces among the stored
// expressions, has two places (CEN-001, CEN-002).
func libraries() (newest, stored []Function) {
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
