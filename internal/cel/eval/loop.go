package eval

import (
	"github.com/crdkit/crdkit/internal/cel/ast"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/plan"
)

// planLoop plans the expansion of a macro: a loop over a list or a map, or the binding of a variable (CEN-010). The
// loops of macros have few forms, each with its own cost (CRC-028). A checked expression has no other loops.
func (p *planner) planLoop(c *ast.ComprehensionExpr) *part {
	if isLiteral(c.LoopCondition(), types.False) {
		return p.planBind(c)
	}
	over := p.plan(c.IterRange())
	start := p.plan(c.AccuInit())
	outer := len(p.scope)
	l := loop{over: over.run, two: c.HasIterVar2(), start: start.constant}
	l.acc = p.declare(c.AccuVar(), nil)
	item := itemNode(over.node)
	if l.two {
		l.first = p.declare(c.IterVar(), nil)
		l.second = p.declare(c.IterVar2(), item)
	} else {
		l.first = p.declare(c.IterVar(), item)
	}
	if isLiteral(c.LoopCondition(), types.True) {
		result := p.planResult(outer, c)
		l.result, l.one = result.run, bools.as(result)
		if !p.planCollector(&l, c) {
			l.body = p.plan(c.LoopStep()).run
		}
	} else {
		step := c.LoopStep().AsCall()
		l.decides = step.FunctionName() == opOr
		l.predicate = bools.as(p.plan(step.Args()[1]))
	}
	p.scope = p.scope[:outer]
	switch {
	case p.err != nil:
		return constant(value{})
	case l.body != nil:
		return &part{run: l.gather}
	case l.counts:
		return bools.part(l.count)
	case l.added != nil:
		r := &part{run: l.collect}
		if c.Result().Kind() == ast.IdentKind && !p.general {
			r.length = l.size
		}
		return r
	}
	return bools.part(l.decide)
}

// itemNode returns the node of the items of a list that n describes, or nil.
func itemNode(n *plan.Node) *plan.Node {
	if n == nil || formOf(n) != formList {
		return nil
	}
	return n.Items
}

// planCollector plans a loop whose step is p ? A + [x] : A, A + [x] or p ? A + 1 : A, without a list for each item. It
// returns false for another step.
func (p *planner) planCollector(l *loop, c *ast.ComprehensionExpr) bool {
	step := c.LoopStep().AsCall()
	var predicate *ast.Expr
	if step.FunctionName() == opConditional {
		predicate, step = step.Args()[0], step.Args()[1].AsCall()
	}
	if step.FunctionName() != opAdd {
		return false
	}
	added := step.Args()[1]
	if added.Kind() != ast.ListKind && added.Kind() != ast.LiteralKind {
		return false
	}
	if predicate != nil { // first, as in the expression: the first of several faults is reported
		l.predicate = bools.as(p.plan(predicate))
	}
	if added.Kind() == ast.LiteralKind {
		l.counts = true
		return true
	}
	item := p.plan(added.AsList().Elements()[0])
	l.added, l.constant = item.run, item.constant != nil
	return true
}

// passes reports whether the loop's filter accepts the current item. If the filter's result is not a bool, acc is set
// to that error.
func (l *loop) passes(f *frame, acc *value) bool {
	if l.predicate == nil {
		return true
	}
	yes, ok := l.predicate(f)
	if !ok {
		f.notBool()
		*acc = f.other
	}
	return ok && yes
}

// collect implements map and filter (CRC-028, CRC-029).
func (l *loop) collect(f *frame) value {
	bottom := len(f.stack)
	var w walker
	if !l.visit(f, &w) {
		return f.other
	}
	acc, n := l.items(f, &w, true)
	if !acc.failed() {
		f.makes(itemBytes * n)
		vals := f.values(n)
		copy(vals, f.stack[bottom:])
		acc = f.list(vals)
	}
	f.stack = f.stack[:bottom]
	f.slots[l.acc] = acc
	return l.result(f)
}

// size returns the size of collect's result. The result, the accumulator, costs 1.
func (l *loop) size(f *frame) (int64, bool) {
	var w walker
	if !l.visit(f, &w) {
		return 0, false
	}
	acc, n := l.items(f, &w, false)
	f.charge(1)
	if acc.failed() {
		f.other = acc
		return 0, false
	}
	return int64(n), true
}

// items evaluates and counts the items of map and filter. With keep, it leaves them on the stack. acc is the error that
// ends the loop, or no error.
func (l *loop) items(f *frame, w *walker, keep bool) (acc value, n int) {
	acc = *l.start
	for i := range w.n {
		w.set(f, l, i)
		if l.passes(f, &acc) {
			f.ones(1)
			if v, ok := l.add(f, &acc); ok {
				n++
				if keep {
					f.stack = append(f.stack, v)
				}
			}
		}
		f.turn()
	}
	return acc, n
}

// add returns the item that is added to acc. If the item is an error, it sets acc to that error.
func (l *loop) add(f *frame, acc *value) (item value, ok bool) {
	if f.stops(*acc) {
		return item, false
	}
	item = l.added(f)
	if f.stops(item) {
		*acc = item
		return item, false
	}
	if !l.constant {
		f.charge(10)
	}
	f.ones(1)
	switch {
	case acc.failed():
		return item, false
	case item.failed():
		*acc = item
		return item, false
	}
	return item, true
}

// count implements exists_one (CRC-028, CRC-029).
func (l *loop) count(f *frame) (b, ok bool) {
	var w walker
	if !l.visit(f, &w) {
		return false, false
	}
	acc := *l.start
	for i := range w.n {
		w.set(f, l, i)
		if l.passes(f, &acc) {
			f.ones(1)
			if !f.stops(acc) {
				f.ones(1)
			}
			if !acc.failed() {
				acc.bits++
			}
		}
		f.turn()
	}
	f.slots[l.acc] = acc
	return l.one(f)
}

// planResult plans the result of a loop, in which the accumulator is visible and the variables are not.
func (p *planner) planResult(outer int, c *ast.ComprehensionExpr) *part {
	inner := p.scope
	p.scope = p.scope[:outer+1]
	defer func() { p.scope = inner }()
	return p.plan(c.Result())
}

// declare adds a variable and returns its slot. n describes its data, or is nil.
func (p *planner) declare(name string, n *plan.Node) int {
	p.scope = append(p.scope, variable{name: name, slot: p.slots, node: n})
	p.slots++
	return p.slots - 1
}

func isLiteral(e *ast.Expr, b types.Bool) bool {
	return e.Kind() == ast.LiteralKind && e.AsLiteral() == b
}

// planBind plans a variable for a body. Its value is computed when the body first uses it (CRC-030).
func (p *planner) planBind(c *ast.ComprehensionExpr) *part {
	init := p.plan(c.AccuInit()).run
	outer := len(p.scope)
	slot := p.declare(c.AccuVar(), nil)
	p.scope[outer].init = init
	p.plan(c.LoopStep()) // It is never evaluated, but planning it may fail.
	body := p.plan(c.Result())
	p.scope = p.scope[:outer]
	run := body.run
	return &part{run: func(f *frame) value {
		f.slots[slot] = value{}
		return frozen(run(f))
	}}
}

// frozen returns v. If it is a list or map that a loop has built, adding to it no longer modifies it.
func frozen(v value) value {
	switch x := v.ref.(type) { // A constant, which goroutines share, is never growing, so it is not modified.
	case *list:
		if x.growing {
			x.growing = false
		}
	case *dict:
		if x.growing {
			x.growing = false
		}
	}
	return v
}

// lazy returns the evaluator of a bound variable.
func lazy(slot int, init evaluator) evaluator {
	return func(f *frame) value {
		if v := f.slots[slot]; v.kind != kindError || v.ref != nil {
			return v
		}
		v := init(f)
		// A server treats an empty bound list or map as one that a loop is building.
		if v.isList() && listLen(v) == 0 || v.isMap() && mapLen(v) == 0 {
			v = growing(v)
		}
		f.slots[slot] = v
		return v
	}
}

// growing returns an empty list or map that adding modifies.
func growing(v value) value {
	if v.isList() {
		return value{kind: kindList, ref: &list{growing: true}}
	}
	d := newDict(0)
	d.growing = true
	return value{kind: kindMap, ref: d}
}

// A loop visits the items of a list, or the keys of a map. With two variables it visits the keys and the values.
type loop struct {
	over               evaluator
	acc, first, second int // slots
	two                bool
	start              *value

	predicate typed[bool] // of all and exists, or the filter of a collector; nil for none
	decides   bool        // the result that ends all and exists: true for exists

	result evaluator   // for other loops
	one    typed[bool] // for exists_one
	body   evaluator   // for loops that are not collectors

	// Only for a collector:
	added    evaluator // the item that is added to a list
	constant bool      // added is constant
	counts   bool      // 1 is added instead of an item
}

// A walker iterates over the range of a loop.
type walker struct {
	n    int
	raw  []any      // the items of a list of data
	node *plan.Node // describes the items of raw
	form form       // of the items of raw
	over value      // any other value
	keys []value    // of a map
}

// visit sets w to the range of the loop. If it returns false, frame.other is an error.
func (l *loop) visit(f *frame, w *walker) bool {
	switch over := l.over(f); {
	case over.kind == kindRawList:
		w.raw, w.node = over.ref.([]any), over.node.Items
		w.n, w.form = len(w.raw), formOf(w.node)
	case over.kind == kindList:
		f.layOut(over)
		w.n, w.over = listLen(over), over
	case over.isMap():
		w.over, w.keys = over, f.keysOf(over)
		w.n = len(w.keys)
	case over.failed():
		f.other = over
		return false
	case l.two:
		f.other = failure("unsupported comprehension range type: " + goTypeName(over))
		return false
	default:
		f.other = failure("got '" + goTypeName(over) + "', expected iterable type")
		return false
	}
	return true
}

// set sets the loop's variables for iteration i.
func (w *walker) set(f *frame, l *loop, i int) {
	slot := l.first
	switch {
	case w.keys != nil:
		k := w.keys[i]
		f.slots[slot] = k
		if l.two {
			f.slots[l.second] = f.identified(f.entryAt(w.over, k, i))
		}
		return
	case l.two:
		f.slots[slot] = integer(int64(i))
		slot = l.second
	}
	if w.raw == nil {
		f.slots[slot] = f.identified(f.listAt(w.over, i))
		return
	}
	data := w.raw[i]
	if _, ok := data.(map[string]any); ok && w.form == formMap {
		f.identities++
		v := &f.slots[slot]
		v.kind, v.bits, v.node, v.ref = kindRawMap, f.identities, w.node, data
		return
	}
	x, ok := w.form.value(data, w.node)
	if !ok {
		x = f.adapt(data, w.node)
	}
	f.slots[slot] = f.identified(x)
}

// entryAt returns the value of key k, which has index i in keysOf(m).
func (f *frame) entryAt(m, k value, i int) value {
	if m.kind == kindMap {
		return m.ref.(*dict).vals[i]
	}
	v, ok := f.find(m, k)
	if !ok {
		return failure("no such key: " + plainText(k))
	}
	return v
}

// decide implements all and exists (CRC-028, CMS-023).
func (l *loop) decide(f *frame) (b, ok bool) {
	var w walker
	if !l.visit(f, &w) {
		return false, false
	}
	before := int64(2) // the check of the result so far
	if l.decides {
		before = 3
	}
	known := null // or the first error
	for i := range w.n {
		f.ones(before)
		w.set(f, l, i)
		f.ones(1)
		switch x, ok := l.predicate(f); {
		case ok && x == l.decides:
			f.turn()
			if i+1 < w.n { // the check that ends the loop
				f.ones(before)
			}
			f.ones(1)
			return x, true
		case !ok && !known.failed():
			f.notBool()
			known = f.other
		}
		f.turn()
	}
	f.ones(1)
	if known.failed() {
		return f.bool(known)
	}
	return !l.decides, true
}

// gather implements transformMap and transformMapEntry.
func (l *loop) gather(f *frame) value {
	var w walker
	if !l.visit(f, &w) {
		return f.other
	}
	acc := *l.start
	if acc.isList() || acc.isMap() {
		acc = growing(acc)
	}
	if d, ok := acc.ref.(*dict); ok && w.n > smallDict {
		d.reserve(w.n)
	}
	f.slots[l.acc] = acc
	for i := range w.n {
		w.set(f, l, i)
		v := l.body(f)
		f.slots[l.acc] = v
		f.turn()
	}
	return frozen(l.result(f))
}
