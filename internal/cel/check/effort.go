package check

import (
	"errors"
	"slices"
	"sync/atomic"

	"github.com/crdkit/crdkit/internal/cel/ast"
	"github.com/crdkit/crdkit/internal/cel/eval"
	"github.com/crdkit/crdkit/internal/cel/types"
)

// The work that the type check of an expression may take.
//
// cel-go's checker copies everything that it knows about type parameters whenever it compares two types, and prints
// every type that it looks up. So its time is quadratic in the number of generic calls, and grows faster than that with
// the size of the types of nested literals: it can take years for a text of 400 bytes, and minutes for one of 100,000
// bytes that is just a chain of comparisons. A server waits. Here such a text is an error, and cel-go does not check
// it. The count is an upper bound, which is computed from the syntax tree alone, before the check.

// maxEffort is the limit, in entries copied or printed: about 100 ns each. A chain of 2,000 comparisons has a tenth of
// it.
const maxEffort = 30_000_000

// maxTotal is the limit of all expressions of a definition together. Expressions after the one that exceeds it are
// refused.
const maxTotal = maxEffort

// maxWork is the limit of the work for all versions for which a definition is checked.
const maxWork = maxTotal + maxTotal/3

// Other work that counts towards these limits, in the same unit.
const (
	celGoEffort   = 500 // cel-go parses a text and creates an environment
	byteEffort    = 60  // it parses a byte of the text
	textEffort    = 5   // this package's check, and the estimate, of a byte of the text
	stepsOfEffort = 10  // steps of this package's check
)

// A Total is the work of checking the expressions of one definition for one version. The zero value is no work. It is
// safe for concurrent use.
type Total struct {
	spent atomic.Uint64
	work  *Work
}

// A Work is the work that is done for several totals. It may be less than their sum: if the check of an expression has
// the same result for several versions, it is done once. The zero value is no work. It is safe for concurrent use.
type Work struct{ done atomic.Uint64 }

// NewTotal returns a Total whose work also counts towards w.
func NewTotal(w *Work) *Total { return &Total{work: w} }

// spend adds to the total. Above the limit it does not grow further.
func (t *Total) spend(n uint64) {
	if t.Exhausted() {
		return
	}
	t.spent.Add(n)
	if t.work != nil {
		t.work.done.Add(n)
	}
}

// SpendText adds the work of checking and estimating an expression, by its length.
func (t *Total) SpendText(text string) { t.spend(textEffort * uint64(len(text))) }

// Spent returns the work so far.
func (t *Total) Spent() uint64 { return t.spent.Load() }

// Reuse adds n, the work of a check whose result is used again, to the total but not to the [Work]. It returns an error
// if the check would have exceeded the limit of the total.
func (t *Total) Reuse(n uint64) error {
	if !t.Exhausted() {
		t.spent.Add(n)
	}
	if t.Exhausted() {
		return errTooMuchTotal
	}
	return nil
}

// Exhausted reports whether a limit is exceeded. All further checks are errors.
func (t *Total) Exhausted() bool {
	return t.spent.Load() > maxTotal || t.work != nil && t.work.done.Load() > maxWork
}

// left returns the work that is left.
func (t *Total) left() uint64 {
	left := maxTotal - min(t.spent.Load(), maxTotal)
	if t.work != nil {
		left = min(left, maxWork-min(t.work.done.Load(), maxWork))
	}
	return left
}

// tooLarge is the size of a type that exceeds the limit by itself. Larger sizes are counted as tooLarge.
const tooLarge = 1 << 16

// fieldSize is the assumed size of a field's type, which is only known to the checker. Larger types are counted during
// the check.
const fieldSize = 8

var (
	errTooMuchEffort = errors.New("ERROR: <input>:-1:0: expression would take too long to type-check")
	errTooMuchTotal  = errors.New("ERROR: <input>:-1:0: the expressions of the definition would take too long to type-check")
)

// An effort computes the work of checking an expression.
type effort struct {
	callables  map[string]*callable
	variables  map[string]uint64 // sizes of the types of variables in scope
	parameters uint64            // type parameters bound so far
	spent      uint64
	most       uint64 // the limit of spent
	wanted     uint64 // the value of spent if a field's type that was too large had been counted
}

// newEffort returns an effort for expressions in s.
func newEffort(s *scope) *effort {
	// Older minor versions are estimated as the newest.
	f := &effort{callables: vocabularies(environment{stored: s.stored}).callables, variables: map[string]uint64{}, most: maxEffort}
	for _, v := range s.variables {
		f.variables[v.Name] = min(typeSize(v.Type), tooLarge)
	}
	if s.self != nil {
		f.variables[selfName] = min(typeSize(s.self), tooLarge)
		f.variables[oldSelfName] = min(typeSize(s.oldSelf), tooLarge)
	}
	return f
}

// tooMuch reports whether the limit is exceeded. Then nothing more needs to be counted.
func (f *effort) tooMuch() bool { return f.spent > f.most }

// compare counts times comparisons of two types: each copies everything that is known about type parameters.
func (f *effort) compare(times, size uint64) { f.spend(times * (f.parameters + printing(size))) }

// printing returns the work of printing a type and each part of it. It copies the text of inner types repeatedly.
func printing(size uint64) uint64 { return size*size + size*size*size/128 }

func (f *effort) spend(n uint64) {
	if !f.tooMuch() { // so the sum does not overflow: n is less than 1<<62
		f.spent += n
	}
}

// expression counts e. It returns an upper bound of the size of e's type: the number of names in its printed form.
func (f *effort) expression(e *ast.Expr) uint64 {
	if f.tooMuch() {
		return 1
	}
	size := uint64(1)
	switch e.Kind() {
	case ast.IdentKind:
		size = max(size, f.variables[e.AsIdent()])
	case ast.SelectKind:
		size = max(f.expression(e.AsSelect().Operand()), fieldSize)
	case ast.CallKind:
		size = f.call(e.AsCall())
	case ast.ListKind:
		elem := uint64(1)
		for _, part := range e.AsList().Elements() {
			elem = max(elem, f.expression(part))
			f.compare(1, elem)
		}
		if e.AsList().Size() == 0 {
			f.parameters++
		}
		size = 1 + elem
	case ast.MapKind:
		key, value := uint64(1), uint64(1)
		for _, entry := range e.AsMap().Entries() {
			key = max(key, f.expression(entry.Key()))
			value = max(value, f.expression(entry.Value()))
			f.compare(2, max(key, value))
		}
		if e.AsMap().Size() == 0 {
			f.parameters += 2
		}
		size = 1 + key + value
	case ast.StructKind:
		for _, field := range e.AsStruct().Fields() {
			f.compare(1, f.expression(field.Value()))
		}
		size = fieldSize
	case ast.ComprehensionKind:
		size = f.loop(e.AsComprehension())
	}
	size = min(size, tooLarge)
	f.spend(printing(size)) // while type parameters in the type are searched for
	return size
}

func (f *effort) call(c *ast.CallExpr) uint64 {
	size := uint64(1)
	for _, arg := range c.Args() {
		size = max(size, f.expression(arg))
	}
	if c.IsMemberFunction() {
		size = max(size, f.expression(c.Target()))
	}
	called, method := f.called(c)
	args, from := len(c.Args()), called.functions
	if method {
		args, from = args+1, called.methods
	}
	compared, result := uint64(0), uint64(1)
	if called.logical { // the operands are compared one by one
		compared++
	}
	for i := range from {
		if o := &from[i]; len(o.Args) == args {
			compared++
			f.parameters += uint64(len(o.parameters))
			result = max(result, resultSize(o.Overload, size))
		}
	}
	f.compare(compared, size)
	if c.FunctionName() == "_?._" {
		result += fieldSize
	}
	return result
}

// called returns the functions that c may call. In the parser's tree, a call of optional.of is a call of the method of
// on the variable optional. method says that the receiver is an argument.
func (f *effort) called(c *ast.CallExpr) (called *callable, method bool) {
	if c.IsMemberFunction() {
		if prefix, ok := ast.QualifiedName(c.Target()); ok {
			if called := f.callables[prefix+"."+c.FunctionName()]; called != nil {
				return called, false
			}
		}
	}
	if called = f.callables[c.FunctionName()]; called == nil {
		called = new(callable)
	}
	return called, c.IsMemberFunction()
}

// loop counts a comprehension. The parser creates none whose accumulator has a larger type than its step.
func (f *effort) loop(c *ast.ComprehensionExpr) uint64 {
	elem := f.expression(c.IterRange())
	accumulated := f.expression(c.AccuInit())

	leave := f.enter(c.AccuVar(), accumulated)
	leaveKey := f.enter(c.IterVar(), elem)
	leaveValue := func() {}
	if c.HasIterVar2() {
		leaveValue = f.enter(c.IterVar2(), elem)
	}
	f.compare(1, f.expression(c.LoopCondition()))
	step := f.expression(c.LoopStep())
	f.compare(1, step)
	leaveValue()
	leaveKey()

	f.variables[c.AccuVar()] = max(accumulated, step)
	result := f.expression(c.Result())
	leave()
	return result
}

// enter declares a variable. The returned function restores the outer one.
func (f *effort) enter(name string, size uint64) (leave func()) {
	outer := f.variables[name]
	f.variables[name] = size
	return func() { f.variables[name] = outer }
}

// resultSize returns an upper bound of the size of o's result if no argument's type is larger than size.
func resultSize(o *eval.Overload, size uint64) uint64 {
	for _, arg := range o.Args {
		if arg.IsExactType(o.Result) && len(arg.Parameters()) > 0 {
			return size
		}
	}
	return substituted(o, o.Result, size)
}

// substituted returns the size of typ, a part of o's result, if no argument's type is larger than size.
func substituted(o *eval.Overload, typ *types.Type, size uint64) uint64 {
	if typ.Kind() == types.TypeParamKind {
		return max(1, size-min(size, around(o, typ.TypeName())))
	}
	total := uint64(1)
	for _, p := range typ.Parameters() {
		total += substituted(o, p, size)
	}
	return total
}

// around returns the minimum number of names, besides the type parameter of that name, in the type of an argument: the
// size of the parameter's type is less than that of the argument's type by this number.
func around(o *eval.Overload, parameter string) uint64 {
	least := uint64(tooLarge)
	for _, arg := range o.Args {
		if slices.Contains(appendParameters(nil, arg), parameter) {
			least = min(least, typeSize(arg)-1)
		}
	}
	if least == tooLarge {
		return 0
	}
	return least
}

// typeSize returns the number of names in the printed form of typ. It stops at tooLarge.
func typeSize(typ *types.Type) uint64 {
	total := uint64(1)
	for _, p := range typ.Parameters() {
		if total > tooLarge {
			break
		}
		total += typeSize(p)
	}
	return total
}

// A countingProvider counts the types of the fields that the checker looks up. It does not find those that are too
// large, nor any after them.
type countingProvider struct {
	types.Provider
	*effort
}

// FindStructFieldType finds a field with the embedded provider.
func (p countingProvider) FindStructFieldType(structType, field string) (*types.Type, bool) {
	found, ok := p.Provider.FindStructFieldType(structType, field)
	if !ok || p.wanted > 0 {
		return nil, false
	}
	if size := min(typeSize(found), tooLarge); size > fieldSize {
		before := p.spent
		if p.compare(1, size); p.tooMuch() {
			p.spent, p.wanted = before, p.spent
			return nil, false
		}
	}
	return found, true
}
