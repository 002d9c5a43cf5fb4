package estimate

import (
	"slices"
	"unicode/utf8"

	"github.com/crdkit/crdkit/internal/cel/ast"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/since"
)

// An Estimator estimates expressions, one after another, and reuses its memory. It is for one goroutine at a time.
type Estimator struct {
	// Functions returns what estimates the calls of the overload with that id, or nil: they cost 1. It must be set.
	Functions func(overload string) Function

	w      walker
	minor  since.Minor
	survey *Survey
}

// With makes e report its estimates to s from now on; nil ends that.
func (e *Estimator) With(s *Survey) { e.survey = s }

// For makes e estimate as a minor version does from now on. The default is the newest version.
func (e *Estimator) For(minor since.Minor) { e.minor = minor }

// Cost returns the estimated cost of one evaluation of a, an expression that was checked without error for a self of
// type self. It is math.MaxUint64 if there is no bound. It does not modify a. self keeps the fields that are used, so
// it must be used by one goroutine at a time.
//
// Clauses: CES-001 to CES-074.
func (e *Estimator) Cost(a *ast.AST, self *types.SchemaType) uint64 {
	w := &e.w
	w.tree, w.self, w.functions, w.minor, w.survey = a, self, e.Functions, e.minor, e.survey
	w.nested = since.NestedSizes.In(e.minor)
	cost := w.cost(a.Expr())
	if len(w.facts) > maxKept {
		*w = walker{}
		return cost
	}
	clear(w.facts)
	clear(w.vars[:cap(w.vars)])
	clear(w.operands[:cap(w.operands)])
	clear(w.free[:w.taken])
	*w = walker{facts: w.facts[:0], vars: w.vars[:0], operands: w.operands[:0], free: w.free}
	return cost
}

// maxKept is the number of nodes of the largest expression whose memory is reused.
const maxKept = 4096

// A walker walks once over an expression. It keeps facts about nodes by their ids; several nodes in the expansion of a
// macro may have the same id.
type walker struct {
	tree      *ast.AST
	self      *types.SchemaType
	minor     since.Minor
	functions func(overload string) Function
	nested    bool // since.NestedSizes: facts have measures, instead of sizes and entries
	survey    *Survey
	facts     []fact     // by id, from 0 on
	vars      []variable // variables in scope, the innermost last
	free      []string   // storage for paths
	taken     int        // number of used elements of free

	operands []Operand // of the calls that are being estimated, the innermost last
	called   Call      // the call whose operands have been estimated
	parts    parts     // of the result of called, if its overload has said so
}

// A fact is what is known about a node.
type fact struct {
	path
	size    Span
	sized   bool
	entries *entries // nil: not known
	measure *measure // nil: not known
}

// fact returns the fact of the node with that id.
func (w *walker) fact(id int64) fact {
	if id < 0 || id >= int64(len(w.facts)) {
		return fact{}
	}
	return w.facts[id]
}

// note returns the fact of the node with that id, to modify it. The pointer is valid until the next call.
func (w *walker) note(id int64) *fact {
	if id >= int64(len(w.facts)) {
		w.facts = slices.Grow(w.facts, max(64, int(id)+1)-len(w.facts))[:id+1] // the new elements are zero
	}
	return &w.facts[id]
}

// setSize records the size of e.
func (w *walker) setSize(e *ast.Expr, s Span) {
	if w.nested {
		w.setMeasure(e, sized(s))
		return
	}
	f := w.note(e.ID())
	f.size, f.sized = s, true
}

// setPath records the path of e.
func (w *walker) setPath(e *ast.Expr, p path) { w.note(e.ID()).path = p }

// A variable is a variable of a loop or a bind.
type variable struct {
	name string
	fact

	// old: the variable is treated as before since.LoopVariables. path is that of the loop's range, to which each use
	// of the variable appends word, unless that is empty. Nothing else is known about it.
	old  bool
	word string
}

// entries are the sizes of the entries of a list or a map; the keys of a list are its indexes.
//
// Clauses: CES-022.
type entries struct {
	kind     types.Kind // types.ListKind or types.MapKind
	key, val Span
}

func (e *entries) union(f *entries) *entries {
	if e == nil || f == nil {
		return nil
	}
	return &entries{kind: e.kind, key: e.key.Union(f.key), val: e.val.Union(f.val)}
}

func (e *entries) valueSize() (Span, bool) {
	if e == nil {
		return Span{}, false
	}
	return e.val, true
}

// Costs of nodes (CES-030).
const (
	accessCost  = 1
	callCost    = 1
	listCost    = 10
	mapCost     = 30
	messageCost = 40
)

// The functions and overloads that the estimate knows by name.
const (
	opAdd, opConditional             = "_+_", "_?_:_"
	opIndex, opOptIndex, opOptSelect = "_[_]", "_[?_]", "_?._"

	indexList, indexMap = "index_list", "index_map"
	toDyn               = "to_dyn" // its result is the argument with another type
)

// cost returns the cost of e, and records its path and what is known about its size.
//
// Clauses: CES-030, CES-031.
func (w *walker) cost(e *ast.Expr) uint64 {
	cost := w.costOf(e)
	if w.survey != nil && w.survey.Costs != nil {
		w.survey.Costs(e, cost)
	}
	return cost
}

func (w *walker) costOf(e *ast.Expr) uint64 {
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

func (w *walker) ident(e *ast.Expr) uint64 {
	switch v := w.variable(e); {
	case v == nil || v.old && v.word == "":
		w.setPath(e, w.extend(nil, e.AsIdent()))
	case v.old: // each use creates a path of its own
		w.setPath(e, w.extend(v.path, v.word))
	default:
		w.setPath(e, v.path)
	}
	return accessCost
}

func (w *walker) selection(e *ast.Expr) uint64 {
	s := e.AsSelect()
	cost := w.cost(s.Operand())
	if s.IsTestOnly() {
		if since.PresenceCost.In(w.minor) {
			cost = Plus(cost, accessCost)
		}
		if !since.PresenceSize.In(w.minor) {
			return cost
		}
		cost = Plus(cost, branchCost(s.Operand()))
	} else if since.SelectionCost.In(w.minor) || declaresFields(w.tree.GetType(s.Operand().ID()).Kind()) {
		cost = Plus(cost, accessCost)
	}
	if of := w.path(s.Operand()); len(of) > 0 || !w.nested {
		w.setPath(e, w.extend(of, s.FieldName()))
	}
	return cost
}

// declaresFields reports whether the fields of values of a kind have types.
func declaresFields(k types.Kind) bool {
	return k == types.MapKind || k == types.StructKind || k == types.TypeParamKind
}

// branchCost returns what has costs in addition if its operand begins with a conditional: since.PresenceSize.
//
// Clauses: CES-073.
func branchCost(operand *ast.Expr) uint64 {
	root := operand
	for root.Kind() == ast.SelectKind && !root.AsSelect().IsTestOnly() || isIndex(root) {
		if root.Kind() == ast.SelectKind {
			root = root.AsSelect().Operand()
		} else {
			root = root.AsCall().Args()[0]
		}
	}
	if !isCall(root, opConditional) {
		return 0
	}
	cost := uint64(0)
	for _, branch := range root.AsCall().Args()[1:] {
		switch {
		case branch.Kind() == ast.SelectKind && branch.AsSelect().IsTestOnly():
			cost = accessCost
		case branch.Kind() == ast.IdentKind, branch.Kind() == ast.SelectKind, isIndex(branch), isCall(branch, opConditional):
			cost = max(cost, branchCost(branch))
		default:
			cost = accessCost
		}
	}
	return cost
}

// isIndex reports whether e is an index or an optional selection.
func isIndex(e *ast.Expr) bool {
	return isCall(e, opIndex) || isCall(e, opOptIndex) || isCall(e, opOptSelect)
}

func isCall(e *ast.Expr, function string) bool {
	return e.Kind() == ast.CallKind && e.AsCall().FunctionName() == function
}

func (w *walker) list(e *ast.Expr) uint64 {
	cost := uint64(listCost)
	in := newEntries(types.ListKind, e.AsList().Size())
	in.key = Exactly(1)
	for _, x := range e.AsList().Elements() {
		cost = Plus(cost, w.cost(x))
		if !w.nested {
			in.val = in.val.Union(w.sizeOr(x))
		}
	}
	w.setEntries(e, in)
	return cost
}

func (w *walker) mapping(e *ast.Expr) uint64 {
	cost := uint64(mapCost)
	in := newEntries(types.MapKind, e.AsMap().Size())
	for _, entry := range e.AsMap().Entries() {
		cost = Plus(cost, w.cost(entry.Key()))
		cost = Plus(cost, w.cost(entry.Value()))
		if !w.nested {
			in.key = in.key.Union(w.sizeOr(entry.Key()))
			in.val = in.val.Union(w.sizeOr(entry.Value()))
		}
	}
	w.setEntries(e, in)
	return cost
}

// newEntries returns the initial sizes for a literal of n entries: none, or for an empty one 0.
func newEntries(kind types.Kind, n int) *entries {
	none := Span{Lo: Most, Hi: 0}
	if n == 0 {
		none = Exactly(0)
	}
	return &entries{kind: kind, key: none, val: none}
}

func (w *walker) message(e *ast.Expr) uint64 {
	cost := uint64(messageCost)
	for _, f := range e.AsStruct().Fields() {
		cost = Plus(cost, w.cost(f.Value()))
	}
	return cost
}

// loop returns the cost of a loop. It looks up the size of the range only after the body, which may have changed the
// range's path.
//
// Clauses: CES-060, CES-061.
func (w *walker) loop(e *ast.Expr) uint64 {
	c := e.AsComprehension()
	cost := Plus(w.cost(c.IterRange()), w.cost(c.AccuInit()))
	outside := len(w.vars)
	w.bindTo(c.AccuVar(), c.AccuInit())
	inside := len(w.vars)
	if c.HasIterVar2() {
		w.bindKey(c.IterVar(), c.IterRange())
		w.bindValue(c.IterVar2(), c.IterRange())
	} else {
		w.bindSingle(c.IterVar(), c.IterRange())
	}
	turn := w.cost(c.LoopCondition())
	turn = Plus(turn, w.cost(c.LoopStep()))
	var step *measure
	if w.nested {
		step = w.measure(c.LoopStep())
	}
	w.vars = w.vars[:inside]
	cost = Plus(cost, w.cost(c.Result()))
	w.vars = w.vars[:outside]

	turns := w.sizeOr(c.IterRange())
	if w.survey != nil && w.survey.Turns != nil {
		w.survey.Turns(e, turns.Hi)
	}
	if w.nested {
		w.gathered(e, step)
		return Plus(cost, Times(turns.Hi, turn))
	}
	switch c.AccuInit().Kind() {
	case ast.LiteralKind:
		if s, ok := w.size(c.AccuInit()); ok {
			w.setSize(e, s)
		}
	case ast.ListKind, ast.MapKind:
		if since.LoopResultSize.In(w.minor) {
			w.setSize(e, turns)
		}
		if since.LoopVariables.In(w.minor) {
			w.setEntries(e, w.entriesOf(c.LoopStep()))
		}
	}
	return Plus(cost, Times(turns.Hi, turn))
}

// isBind reports whether a loop is the expansion of bind, which only gives a value a name.
//
// Clauses: CES-062.
func isBind(c *ast.ComprehensionExpr) bool {
	over, until := c.IterRange(), c.LoopCondition()
	return over.Kind() == ast.ListKind && over.AsList().Size() == 0 &&
		until.Kind() == ast.LiteralKind && until.AsLiteral() == types.False && c.AccuVar() != plainAccumulator
}

// The names of accumulators in macros.
const (
	plainAccumulator  = "__result__"
	hiddenAccumulator = "@result"
)

func (w *walker) bind(e *ast.Expr) uint64 {
	c := e.AsComprehension()
	cost := w.cost(c.IterRange())
	cost = Plus(cost, w.cost(c.AccuInit()))
	w.bindTo(c.AccuVar(), c.AccuInit())
	cost = Plus(cost, w.cost(c.Result()))
	if w.nested {
		if p := w.path(c.Result()); len(p) > 0 {
			w.setPath(e, p)
		}
		w.setMeasure(e, w.measure(c.Result())) // while the variable is in scope
		w.vars = w.vars[:len(w.vars)-1]
		return cost
	}
	w.vars = w.vars[:len(w.vars)-1]
	w.sameSize(e, c.Result())
	return cost
}

// bindTo declares a variable with the value of e.
func (w *walker) bindTo(name string, e *ast.Expr) {
	if !since.LoopVariables.In(w.minor) {
		w.bindOld(name, nil, "")
		return
	}
	known := fact{path: w.path(e), entries: w.entriesOf(e)}
	if w.nested {
		known.measure = w.measure(e)
	} else {
		known.size, known.sized = w.size(e)
	}
	w.push(variable{name: name, fact: known})
}

// bindKey declares a variable for the keys or indexes of over.
func (w *walker) bindKey(name string, over *ast.Expr) {
	v := variable{name: name}
	switch in := w.entriesOf(over); {
	case w.nested && w.container(over) == types.ListKind:
		v.measure = sized(Exactly(1))
	case w.nested:
		v.measure = w.measureOr(over).key
	case in != nil:
		v.size, v.sized = in.key, true
	}
	word := keysWord
	if w.container(over) == types.ListKind {
		word = indicesWord
	}
	v.path = w.extend(w.path(over), word)
	w.push(v)
}

// bindValue declares a variable for the values or items of over.
func (w *walker) bindValue(name string, over *ast.Expr) {
	v := variable{name: name}
	if w.nested {
		v.measure = w.measureOr(over).elem
	}
	v.size, v.sized = w.entriesOf(over).valueSize()
	word := valuesWord
	if w.container(over) == types.ListKind {
		word = itemsWord
	}
	v.path = w.extend(w.path(over), word)
	w.push(v)
}

// bindSingle declares the only variable of a loop: for the items of a list, or the keys of anything else.
//
// Clauses: CEN-011.
func (w *walker) bindSingle(name string, over *ast.Expr) {
	if !since.LoopVariables.In(w.minor) {
		switch w.tree.GetType(over.ID()).Kind() {
		case types.ListKind:
			w.bindOld(name, w.path(over), itemsWord)
		case types.MapKind:
			w.bindOld(name, w.path(over), keysWord)
		default:
			w.bindOld(name, nil, "")
		}
		return
	}
	switch kind := w.container(over); {
	case kind == types.ListKind:
		w.bindValue(name, over)
	case w.nested && kind == types.DynKind && w.measureOr(over).isList():
		w.push(variable{name: name, fact: fact{path: w.extend(w.path(over), itemsWord), measure: w.measure(over).elem}})
	default:
		w.bindKey(name, over)
	}
}

func (w *walker) push(v variable) { w.vars = append(w.vars, v) }

// bindOld declares a variable that is treated as before since.LoopVariables.
func (w *walker) bindOld(name string, p path, word string) {
	w.push(variable{name: name, fact: fact{path: p}, old: true, word: word})
}

// container returns the kind of e, according to its known entries or else its type.
func (w *walker) container(e *ast.Expr) types.Kind {
	if in := w.entriesOf(e); in != nil {
		return in.kind
	}
	return w.tree.GetType(e.ID()).Kind()
}

// variable returns the variable in scope that e refers to, or nil.
func (w *walker) variable(e *ast.Expr) *variable {
	if e.Kind() != ast.IdentKind {
		return nil
	}
	name := e.AsIdent()
	for i := len(w.vars) - 1; i >= 0; i-- {
		if w.vars[i].name == name {
			return &w.vars[i]
		}
	}
	return nil
}

func (w *walker) path(e *ast.Expr) path {
	if v := w.variable(e); v != nil && !v.old {
		return v.path
	}
	return w.fact(e.ID()).path
}

// size returns the size of e, if it is known.
//
// Clauses: CES-020.
func (w *walker) size(e *ast.Expr) (Span, bool) {
	if w.nested {
		if m := w.measure(e); m != nil {
			return m.Span, true
		}
		return Span{}, false
	}
	if f := w.fact(e.ID()); f.sized {
		return f.size, true
	}
	if s, ok := literalSize(e); ok {
		return s, true
	}
	if s, ok := w.path(e).size(w); ok {
		w.setSize(e, s)
		return s, true
	}
	if scalar(w.tree.GetType(e.ID())) {
		return Exactly(1), true
	}
	if v := w.variable(e); v != nil && v.sized {
		return v.size, true
	}
	return Span{}, false
}

// sizeOr returns the size of e, or [Unknown].
//
// Clauses: CES-021.
func (w *walker) sizeOr(e *ast.Expr) Span {
	if s, ok := w.size(e); ok {
		return s
	}
	return Unknown
}

func literalSize(e *ast.Expr) (Span, bool) {
	switch e.Kind() {
	case ast.ListKind:
		return Exactly(uint64(e.AsList().Size())), true
	case ast.MapKind:
		return Exactly(uint64(e.AsMap().Size())), true
	case ast.LiteralKind:
		switch v := e.AsLiteral().(type) {
		case types.String:
			return Exactly(uint64(utf8.RuneCountInString(string(v)))), true
		case types.Bytes:
			return Exactly(uint64(len(v))), true
		case types.Bool, types.Int, types.Uint, types.Double, types.Null:
			return Exactly(1), true
		}
	}
	return Span{}, false
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

// entriesOf returns the known entries of e, or nil.
//
// Clauses: CES-022.
func (w *walker) entriesOf(e *ast.Expr) *entries {
	if f := w.fact(e.ID()); f.entries != nil {
		return f.entries
	}
	if v := w.variable(e); v != nil {
		return v.entries
	}
	return nil
}

func (w *walker) setEntries(e *ast.Expr, in *entries) {
	if in != nil && !w.nested {
		w.note(e.ID()).entries = in
	}
}

// sameSize sets the size and the entries of e to those of from.
func (w *walker) sameSize(e, from *ast.Expr) {
	if w.nested {
		w.setMeasure(e, w.measure(from))
		return
	}
	if s, ok := w.size(from); ok {
		w.setSize(e, s)
	}
	w.setEntries(e, w.entriesOf(from))
}

// call returns the cost of a call. If several overloads are possible, it is the highest of their costs.
//
// Clauses: CES-023, CES-030, CES-032.
func (w *walker) call(e *ast.Expr) uint64 {
	call := e.AsCall()
	fitting := w.tree.GetOverloadIDs(e.ID())
	if len(fitting) == 1 && fitting[0] == toDyn && len(call.Args()) == 1 && since.LoopVariables.In(w.minor) {
		cost := w.cost(call.Args()[0])
		w.sameSize(e, call.Args()[0])
		return Plus(cost, callCost)
	}
	start, n := len(w.operands), len(call.Args())
	for _, arg := range call.Args() {
		w.operand(arg)
	}
	if w.survey != nil && w.survey.Passed != nil {
		for _, arg := range call.Args() {
			if t := w.path(arg).place(w); t != nil {
				w.survey.Passed(call.FunctionName(), t)
			}
		}
	}
	before := uint64(0)
	if call.IsMemberFunction() && len(fitting) > 0 {
		w.operand(call.Target())
		before = w.operands[start+n].Cost
	}
	c := &w.called
	*c = Call{Expr: e, Args: w.operands[start : start+n], Minor: w.minor, Sizes: w}
	if len(w.operands) > start+n {
		c.Target = &w.operands[start+n]
	}
	if w.nested {
		for i := range w.operands[start:] { // after all costs, since these may change paths
			w.sizeOperand(&w.operands[start+i])
		}
		cost := w.nestedCall(e, c, fitting)
		w.operands = w.operands[:start]
		return Plus(before, cost)
	}
	cost := uint64(0)
	var size Span
	sized := false
	for _, id := range fitting {
		r := w.result(c, id)
		cost = max(cost, r.Cost)
		switch {
		case r.Sized && sized:
			size = size.Union(r.Size)
		case r.Sized:
			size, sized = r.Size, true
		}
		switch id {
		case indexList:
			size, sized = w.index(e, itemsWord)
		case indexMap:
			size, sized = w.index(e, valuesWord)
		}
		if !sized {
			size, sized = w.size(e)
		}
	}
	if sized {
		w.setSize(e, size)
	}
	w.operands = w.operands[:start]
	return Plus(before, cost)
}

// result returns the result for a call of the given overload. It includes the cost of the arguments.
func (w *walker) result(c *Call, overload string) Result {
	r := Costing(callCost)
	if f := w.functions(overload); f != nil {
		r = f(c)
	}
	if !r.Operands {
		for i := range c.Args {
			r.Cost = Plus(r.Cost, c.Args[i].Cost)
		}
	}
	return r
}

// UniteEntries implements [Sizes].
func (w *walker) UniteEntries(e, a, b *ast.Expr) {
	if w.nested {
		w.parts = w.partsOf(a, b)
		return
	}
	w.setEntries(e, w.entriesOf(a).union(w.entriesOf(b)))
}

// KeepItems implements [Sizes].
func (w *walker) KeepItems(from *ast.Expr) {
	switch {
	case !w.nested:
	case from == nil:
		w.parts = parts{elem: sized(Exactly(1))}
	default:
		w.parts = parts{elem: w.measureOr(from).elem}
	}
}

// index sets the path of e, an index, and returns the size of the entries of its operand, if known. Before
// since.LoopVariables, the size is always that at the path: for an item of a literal, that of self.
func (w *walker) index(e *ast.Expr, word string) (Span, bool) {
	over := e.AsCall().Args()[0]
	w.setPath(e, w.extend(w.path(over), word))
	if !since.LoopVariables.In(w.minor) {
		return Span{}, false
	}
	return w.entriesOf(over).valueSize()
}

// operand adds e to the operands, with its cost and what is known about it.
func (w *walker) operand(e *ast.Expr) {
	o := Operand{Expr: e, Type: w.tree.GetType(e.ID()), Cost: w.cost(e)}
	if !w.nested {
		w.sizeOperand(&o)
	}
	w.operands = append(w.operands, o)
}

// sizeOperand sets what is known about the size of an operand.
func (w *walker) sizeOperand(o *Operand) {
	p := w.path(o.Expr)
	if len(p) > 0 && (p[0] == plainAccumulator || p[0] == hiddenAccumulator) {
		p = nil // a field with the name of an accumulator
	}
	o.Path = p
	o.Size, o.Sized = w.size(o.Expr)
}
