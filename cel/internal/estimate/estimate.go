package estimate

import (
	"unicode/utf8"

	"github.com/crdkit/crdkit/cel/internal/declare"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
)

// Cost returns the estimated cost of one evaluation of a, an expression that was checked without error with self as the type of self. It is
// math.MaxUint64 where there is no bound. It does not modify a, but self notes the fields that it is asked for, so it must be used by
// one goroutine at a time.
//
// Clauses: CES-001 to CES-063.
func Cost(a *ast.AST, self *declare.Type) uint64 {
	w := walker{
		tree:    a,
		self:    self,
		paths:   map[int64]path{},
		sizes:   map[int64]span{},
		entries: map[int64]entries{},
		vars:    map[string][]variable{},
	}
	return w.cost(a.Expr())
}

// A walker goes once over an expression. What it finds out about a part is kept by the part's id, which a macro may use twice.
type walker struct {
	tree    *ast.AST
	self    *declare.Type
	paths   map[int64]path
	sizes   map[int64]span
	entries map[int64]entries
	vars    map[string][]variable // those in scope, the innermost last
}

// A variable is one that a loop or a bind brings into scope.
type variable struct {
	path
	size    span
	sized   bool
	entries *entries
}

// entries are the sizes of what is in a list or a map; the keys of a list are its indices.
//
// Clauses: CES-022.
type entries struct {
	kind     types.Kind // types.ListKind or types.MapKind
	key, val span
}

func (e *entries) union(f *entries) *entries {
	if e == nil || f == nil {
		return nil
	}
	return &entries{kind: e.kind, key: e.key.union(f.key), val: e.val.union(f.val)}
}

func (e *entries) keySize() (span, bool) {
	if e == nil {
		return span{}, false
	}
	return e.key, true
}

func (e *entries) valueSize() (span, bool) {
	if e == nil {
		return span{}, false
	}
	return e.val, true
}

// Costs of nodes (CES-030).
const (
	accessCost  = 1
	listCost    = 10
	mapCost     = 30
	messageCost = 40
)

// cost returns the cost of e, and takes down its path and what is known of its size.
//
// Clauses: CES-030, CES-031.
func (w *walker) cost(e ast.Expr) uint64 {
	switch e.Kind() {
	case ast.IdentKind:
		return w.ident(e)
	case ast.SelectKind:
		return w.selection(e)
	case ast.CallKind:
		return w.call(e)
	case ast.ListKind:
		return w.list(e)
	case ast.MapKind:
		return w.mapping(e)
	case ast.StructKind:
		return w.message(e)
	case ast.ComprehensionKind:
		if isBind(e.AsComprehension()) {
			return w.bind(e)
		}
		return w.loop(e)
	}
	return 0 // a literal
}

func (w *walker) ident(e ast.Expr) uint64 {
	if v := w.variable(e); v != nil {
		w.paths[e.ID()] = v.path
	} else {
		w.paths[e.ID()] = path(nil).with(e.AsIdent())
	}
	return accessCost
}

func (w *walker) selection(e ast.Expr) uint64 {
	s := e.AsSelect()
	cost := w.cost(s.Operand())
	if s.IsTestOnly() {
		return cost
	}
	switch w.tree.GetType(s.Operand().ID()).Kind() {
	case types.MapKind, types.StructKind, types.TypeParamKind:
		cost = plus(cost, accessCost)
	}
	w.paths[e.ID()] = w.path(s.Operand()).with(s.FieldName())
	return cost
}

func (w *walker) list(e ast.Expr) uint64 {
	cost := uint64(listCost)
	in := newEntries(types.ListKind, e.AsList().Size())
	in.key = exactly(1)
	for _, x := range e.AsList().Elements() {
		cost = plus(cost, w.cost(x))
		in.val = in.val.union(w.sizeOr(x))
	}
	w.entries[e.ID()] = in
	return cost
}

func (w *walker) mapping(e ast.Expr) uint64 {
	cost := uint64(mapCost)
	in := newEntries(types.MapKind, e.AsMap().Size())
	for _, x := range e.AsMap().Entries() {
		entry := x.AsMapEntry()
		cost = plus(cost, w.cost(entry.Key()))
		cost = plus(cost, w.cost(entry.Value()))
		in.key = in.key.union(w.sizeOr(entry.Key()))
		in.val = in.val.union(w.sizeOr(entry.Value()))
	}
	w.entries[e.ID()] = in
	return cost
}

// newEntries returns the sizes to begin with for a literal of n entries: none, or those of an empty one, which are 0.
func newEntries(kind types.Kind, n int) entries {
	none := span{most, 0}
	if n == 0 {
		none = exactly(0)
	}
	return entries{kind: kind, key: none, val: none}
}

func (w *walker) message(e ast.Expr) uint64 {
	cost := uint64(messageCost)
	for _, f := range e.AsStruct().Fields() {
		cost = plus(cost, w.cost(f.AsStructField().Value()))
	}
	return cost
}

// loop returns the cost of a loop. The size of its range is looked up only behind its body, which may have changed the range's path.
//
// Clauses: CES-060, CES-061.
func (w *walker) loop(e ast.Expr) uint64 {
	c := e.AsComprehension()
	cost := plus(w.cost(c.IterRange()), w.cost(c.AccuInit()))
	w.bindTo(c.AccuVar(), c.AccuInit())
	if c.HasIterVar2() {
		w.bindKey(c.IterVar(), c.IterRange())
		w.bindValue(c.IterVar2(), c.IterRange())
	} else {
		w.bindSingle(c.IterVar(), c.IterRange())
	}
	turn := w.cost(c.LoopCondition())
	turn = plus(turn, w.cost(c.LoopStep()))
	w.unbind(c.IterVar())
	if c.HasIterVar2() {
		w.unbind(c.IterVar2())
	}
	cost = plus(cost, w.cost(c.Result()))
	w.unbind(c.AccuVar())

	turns := w.sizeOr(c.IterRange())
	switch c.AccuInit().Kind() {
	case ast.LiteralKind:
		if s, ok := w.size(c.AccuInit()); ok {
			w.sizes[e.ID()] = s
		}
	case ast.ListKind, ast.MapKind:
		w.sizes[e.ID()] = turns
		w.setEntries(e, w.entriesOf(c.LoopStep()))
	}
	return plus(cost, times(turns.hi, turn))
}

// isBind reports whether a loop is there only to name a value.
//
// Clauses: CES-062.
func isBind(c ast.ComprehensionExpr) bool {
	over, until := c.IterRange(), c.LoopCondition()
	return over.Kind() == ast.ListKind && over.AsList().Size() == 0 &&
		until.Kind() == ast.LiteralKind && until.AsLiteral() == types.False && c.AccuVar() != plainAccumulator
}

// The names that macros give to what a loop gathers.
const (
	plainAccumulator  = "__result__"
	hiddenAccumulator = "@result"
)

func (w *walker) bind(e ast.Expr) uint64 {
	c := e.AsComprehension()
	cost := w.cost(c.IterRange())
	cost = plus(cost, w.cost(c.AccuInit()))
	w.bindTo(c.AccuVar(), c.AccuInit())
	cost = plus(cost, w.cost(c.Result()))
	w.unbind(c.AccuVar())
	w.sameSize(e, c.Result())
	return cost
}

// bindTo brings a variable into scope that has the value of e.
func (w *walker) bindTo(name string, e ast.Expr) {
	p, in := w.path(e), w.entriesOf(e)
	size, sized := w.size(e)
	w.push(name, variable{path: p, size: size, sized: sized, entries: in})
}

// bindKey brings a variable into scope that has the keys or indices of over.
func (w *walker) bindKey(name string, over ast.Expr) {
	size, sized := w.entriesOf(over).keySize()
	word := keysWord
	if w.container(over) == types.ListKind {
		word = indicesWord
	}
	w.push(name, variable{path: w.path(over).with(word), size: size, sized: sized})
}

// bindValue brings a variable into scope that has the values or items of over.
func (w *walker) bindValue(name string, over ast.Expr) {
	size, sized := w.entriesOf(over).valueSize()
	word := valuesWord
	if w.container(over) == types.ListKind {
		word = itemsWord
	}
	w.push(name, variable{path: w.path(over).with(word), size: size, sized: sized})
}

// bindSingle brings the variable of a loop into scope that has but one: the items of a list, the keys of anything else.
//
// Clauses: CEN-011.
func (w *walker) bindSingle(name string, over ast.Expr) {
	if w.container(over) == types.ListKind {
		w.bindValue(name, over)
	} else {
		w.bindKey(name, over)
	}
}

func (w *walker) push(name string, v variable) { w.vars[name] = append(w.vars[name], v) }

func (w *walker) unbind(name string) {
	vs := w.vars[name]
	w.vars[name] = vs[:len(vs)-1]
}

// container tells what e is by the entries that are known of it, or else by its type.
func (w *walker) container(e ast.Expr) types.Kind {
	if in := w.entriesOf(e); in != nil {
		return in.kind
	}
	return w.tree.GetType(e.ID()).Kind()
}

// variable returns the variable in scope that e is, or nil.
func (w *walker) variable(e ast.Expr) *variable {
	if e.Kind() != ast.IdentKind {
		return nil
	}
	vs := w.vars[e.AsIdent()]
	if len(vs) == 0 {
		return nil
	}
	return &vs[len(vs)-1]
}

func (w *walker) path(e ast.Expr) path {
	if v := w.variable(e); v != nil {
		return v.path
	}
	return w.paths[e.ID()]
}

// size returns the size of e, if anything is known of it.
//
// Clauses: CES-020.
func (w *walker) size(e ast.Expr) (span, bool) {
	if s, ok := w.sizes[e.ID()]; ok {
		return s, true
	}
	if s, ok := literalSize(e); ok {
		return s, true
	}
	if s, ok := w.path(e).size(w.self); ok {
		w.sizes[e.ID()] = s
		return s, true
	}
	if scalar(w.tree.GetType(e.ID())) {
		return exactly(1), true
	}
	if v := w.variable(e); v != nil && v.sized {
		return v.size, true
	}
	return span{}, false
}

// sizeOr returns the size of e, or unknown.
//
// Clauses: CES-021.
func (w *walker) sizeOr(e ast.Expr) span {
	if s, ok := w.size(e); ok {
		return s
	}
	return unknown
}

func literalSize(e ast.Expr) (span, bool) {
	switch e.Kind() {
	case ast.ListKind:
		return exactly(uint64(e.AsList().Size())), true
	case ast.MapKind:
		return exactly(uint64(e.AsMap().Size())), true
	case ast.LiteralKind:
		switch v := e.AsLiteral().(type) {
		case types.String:
			return exactly(uint64(utf8.RuneCountInString(string(v)))), true
		case types.Bytes:
			return exactly(uint64(len(v))), true
		case types.Bool, types.Int, types.Uint, types.Double, types.Duration, types.Timestamp, types.Null:
			return exactly(1), true
		}
	}
	return span{}, false
}

// scalar reports whether all values of a type have the same size.
func scalar(t *types.Type) bool {
	switch t.Kind() {
	case types.BoolKind, types.IntKind, types.UintKind, types.DoubleKind, types.DurationKind, types.TimestampKind:
		return true
	case types.OpaqueKind:
		return t.TypeName() == "optional_type" && len(t.Parameters()) > 0 && scalar(t.Parameters()[0])
	}
	return false
}

// entriesOf returns what is known of the entries of e, or nil.
//
// Clauses: CES-022.
func (w *walker) entriesOf(e ast.Expr) *entries {
	if in, ok := w.entries[e.ID()]; ok {
		return &in
	}
	if v := w.variable(e); v != nil {
		return v.entries
	}
	return nil
}

func (w *walker) setEntries(e ast.Expr, in *entries) {
	if in != nil {
		w.entries[e.ID()] = *in
	}
}

// sameSize gives e the size and the entries of from.
func (w *walker) sameSize(e, from ast.Expr) {
	if s, ok := w.size(from); ok {
		w.sizes[e.ID()] = s
	}
	w.setEntries(e, w.entriesOf(from))
}

// call returns the cost of a call, of which several overloads may fit: then the dearest.
//
// Clauses: CES-023, CES-030, CES-032.
func (w *walker) call(e ast.Expr) uint64 {
	call := e.AsCall()
	if call.FunctionName() == "dyn" && len(call.Args()) == 1 {
		cost := w.cost(call.Args()[0])
		w.sameSize(e, call.Args()[0])
		return plus(cost, accessCost)
	}
	c := applied{walker: w, function: call.FunctionName(), expr: e, args: make([]operand, len(call.Args()))}
	for i, arg := range call.Args() {
		c.args[i].cost = w.cost(arg)
		w.measure(&c.args[i], arg)
	}
	fitting := w.tree.GetOverloadIDs(e.ID())
	if len(fitting) == 0 {
		return 0
	}
	before := uint64(0)
	if call.IsMemberFunction() {
		c.target = &operand{cost: w.cost(call.Target())}
		before = c.target.cost
		w.measure(c.target, call.Target())
	}

	cost := uint64(0)
	var size *span
	for _, overload := range fitting {
		p := c.price(overload)
		cost = max(cost, p.cost)
		if p.size != nil {
			if size == nil {
				size = p.size
			} else {
				both := size.union(*p.size)
				size = &both
			}
		}
		switch overload {
		case overloads.IndexList:
			size = w.index(e, itemsWord)
		case overloads.IndexMap:
			size = w.index(e, valuesWord)
		}
		if size == nil {
			if s, ok := w.size(e); ok {
				size = &s
			}
		}
	}
	if size != nil {
		w.sizes[e.ID()] = *size
	}
	return plus(before, cost)
}

// index gives e, an index, its path, and returns the size of the entries of what is indexed, if it is known.
func (w *walker) index(e ast.Expr, word string) *span {
	args := e.AsCall().Args()
	if len(args) == 0 {
		return nil
	}
	s, ok := w.entriesOf(args[0]).valueSize()
	w.paths[e.ID()] = w.path(args[0]).with(word)
	if !ok {
		return nil
	}
	return &s
}

// measure takes down in o what is known of e.
func (w *walker) measure(o *operand, e ast.Expr) {
	o.expr, o.typ, o.path = e, w.tree.GetType(e.ID()), w.path(e)
	if len(o.path) > 0 && (o.path[0] == plainAccumulator || o.path[0] == hiddenAccumulator) {
		o.path = nil // a field that is called as what a loop gathers
	}
	o.size, o.sized = w.size(e)
}
