package eval

import (
	"errors"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
)

// planLoop plans what a macro became: a loop over a list or a map, or the binding of a variable (CEN-010). The macros' loops have few
// forms, each with its own cost (CRC-028); there are no others in a checked expression.
func (p *planner) planLoop(c ast.ComprehensionExpr) part {
	if isLiteral(c.LoopCondition(), types.False) {
		return p.planBind(c)
	}
	over := p.plan(c.IterRange()).run
	start := p.plan(c.AccuInit())
	outer := len(p.scope)
	l := loop{over: over, two: c.HasIterVar2(), start: start.constant}
	l.acc = p.declare(c.AccuVar())
	l.first = p.declare(c.IterVar())
	if l.two {
		l.second = p.declare(c.IterVar2())
	}
	switch condition := c.LoopCondition(); {
	case isLiteral(condition, types.True):
		l.result = p.planResult(outer, c)
		if !p.planCollector(&l, c) {
			l.body = p.plan(c.LoopStep()).run
		}
	default:
		step := c.LoopStep().AsCall()
		l.decides = step.FunctionName() == opOr
		l.predicate = p.plan(step.Args()[1]).run
	}
	p.scope = p.scope[:outer]
	switch {
	case p.err != nil:
		return constant(value{})
	case l.start == nil:
		return p.fail(errors.New("unexpected start of a loop"))
	case l.body != nil:
		return part{run: l.gather}
	case l.item != nil || l.counts:
		return part{run: l.collect}
	}
	return part{run: l.decide}
}

// planCollector plans the step of a loop over p ? A + [x] : A, A + [x] or p ? A + 1 : A: it needs no list for each item. It returns
// false for another step.
func (p *planner) planCollector(l *loop, c ast.ComprehensionExpr) bool {
	step := c.LoopStep().AsCall()
	var predicate ast.Expr
	if step.FunctionName() == opConditional {
		predicate, step = step.Args()[0], step.Args()[1].AsCall()
	}
	if step.FunctionName() != opAdd {
		return false
	}
	switch added := step.Args()[1]; added.Kind() {
	case ast.ListKind:
		item := p.plan(added.AsList().Elements()[0])
		l.item, l.constant = item.run, item.constant != nil
	case ast.LiteralKind:
		l.counts = true
	default:
		return false
	}
	if predicate != nil {
		l.predicate = p.plan(predicate).run
	}
	return true
}

// collect is map, filter and exists_one (CRC-028, CRC-029).
func (l *loop) collect(f *frame) value {
	w, fault := l.visit(f, l.over(f))
	if fault.failed() {
		return fault
	}
	acc := *l.start
	var vals []value
	for i := range w.n {
		w.set(f, l, i)
		add := true
		if l.predicate != nil {
			v := l.predicate(f)
			if v.kind != kindBool {
				acc = v.or(noSuchOverload)
			}
			add = v.isTrue()
		}
		switch {
		case !add:
		case l.counts:
			f.ones(2)
			if !acc.failed() {
				acc.bits++
			}
		default:
			f.ones(1)
			v := l.item(f)
			if !l.constant {
				f.charge(10)
			}
			f.ones(1)
			switch {
			case acc.failed():
			case v.failed():
				acc = v
			default:
				vals = append(vals, v)
			}
		}
		f.turn()
	}
	if !l.counts && !acc.failed() {
		f.makes(itemBytes * len(vals))
		acc = newList(vals)
	}
	f.slots[l.acc] = acc
	return l.result(f)
}

// planResult plans the result of a loop, which sees the accumulator and not the variables.
func (p *planner) planResult(outer int, c ast.ComprehensionExpr) evaluator {
	inner := p.scope
	p.scope = p.scope[:outer+1]
	defer func() { p.scope = inner }()
	return p.plan(c.Result()).run
}

func (p *planner) declare(name string) int {
	p.scope = append(p.scope, variable{name: name, slot: p.slots})
	p.slots++
	return p.slots - 1
}

func isLiteral(e ast.Expr, b types.Bool) bool {
	return e.Kind() == ast.LiteralKind && e.AsLiteral() == b
}

// planBind plans a variable for a body. Its value is computed when the body first asks for it (CRC-030).
func (p *planner) planBind(c ast.ComprehensionExpr) part {
	init := p.plan(c.AccuInit()).run
	outer := len(p.scope)
	slot := p.declare(c.AccuVar())
	p.scope[outer].init = init
	p.plan(c.LoopStep()) // which is never evaluated, but has to be possible
	body := p.plan(c.Result()).run
	p.scope = p.scope[:outer]
	return part{run: func(f *frame) value {
		f.slots[slot] = value{}
		return settled(body(f))
	}}
}

// settled returns v, which nothing gathers in any longer.
func settled(v value) value {
	switch x := v.ref.(type) { // A constant, which other goroutines share, never grows: it is not written to.
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

// lazyBase is the base of a bound variable.
func lazyBase(slot int, init evaluator) base {
	return func(f *frame) value {
		if v := f.slots[slot]; v.kind != kindError || v.ref != nil {
			return v
		}
		v := init(f)
		// A server takes a bound list or map that is empty for one to gather in.
		if v.isList() && listLen(v) == 0 || v.isMap() && mapLen(v) == 0 {
			v = growing(v)
		}
		f.slots[slot] = v
		return v
	}
}

// growing returns an empty list or map that adding to changes.
func growing(v value) value {
	if v.isList() {
		return value{kind: kindList, ref: &list{growing: true}}
	}
	d := newDict(0)
	d.growing = true
	return value{kind: kindMap, ref: d}
}

// A loop visits the items of a list, the keys of a map, or with two variables both of each.
type loop struct {
	over               evaluator
	acc, first, second int // slots
	two                bool
	start              *value

	predicate evaluator // of all and exists; or the filter of a collector, nil for none
	decides   bool      // the value that ends all and exists: true for exists

	result evaluator // of the others
	body   evaluator // of those that are no collectors

	// Of a collector:
	item     evaluator // what is added to a list
	constant bool      // the item is
	counts   bool      // 1 is added instead
}

// A walker goes through what a loop visits.
type walker struct {
	n    int
	over value
	keys []value // of a map
}

// visit returns what the loop visits, or an error.
func (l *loop) visit(f *frame, over value) (walker, value) {
	switch {
	case over.isList():
		return walker{n: listLen(over), over: over}, value{kind: kindNull}
	case over.isMap():
		f.visits(itemBytes * mapLen(over))
		keys := keysOf(over)
		return walker{n: len(keys), over: over, keys: keys}, value{kind: kindNull}
	case over.failed():
		return walker{}, over
	case l.two:
		return walker{}, failure("unsupported comprehension range type: " + goTypeName(over))
	}
	return walker{}, failure("got '" + goTypeName(over) + "', expected iterable type")
}

// set gives the loop's variables their values for turn i.
func (w *walker) set(f *frame, l *loop, i int) {
	switch {
	case w.keys == nil && !l.two:
		f.slots[l.first] = f.identified(listAt(w.over, i))
	case w.keys == nil:
		f.slots[l.first], f.slots[l.second] = integer(int64(i)), f.identified(listAt(w.over, i))
	default:
		k := w.keys[i]
		f.slots[l.first] = k
		if l.two {
			f.slots[l.second] = f.identified(entryAt(w.over, k, i))
		}
	}
}

// entryAt returns the value of key k, which is number i of keysOf(m).
func entryAt(m, k value, i int) value {
	if m.kind == kindMap {
		return m.ref.(*dict).vals[i]
	}
	v, ok := find(m, k)
	if !ok {
		return failure("no such key: " + plainText(k))
	}
	return v
}

// decide is all and exists (CRC-028, CMS-023).
func (l *loop) decide(f *frame) value {
	over := l.over(f)
	w, fault := l.visit(f, over)
	if fault.failed() {
		return fault
	}
	decision := uint64(0)
	before := int64(2) // the look at what is known so far
	if l.decides {
		decision, before = 1, 3
	}
	known := boolean(!l.decides)
	for i := range w.n {
		f.ones(before)
		if known.kind == kindBool && known.bits == decision {
			break
		}
		w.set(f, l, i)
		f.ones(1)
		switch v := l.predicate(f); {
		case v.kind == kindBool && v.bits == decision:
			known = v
		case v.kind != kindBool && !known.failed():
			known = v.or(noSuchOverload)
		}
		f.turn()
	}
	f.ones(1)
	return known
}

// gather is transformMap and transformMapEntry.
func (l *loop) gather(f *frame) value {
	over := l.over(f)
	w, fault := l.visit(f, over)
	if fault.failed() {
		return fault
	}
	acc := *l.start
	if acc.isList() || acc.isMap() {
		acc = growing(acc)
	}
	f.slots[l.acc] = acc
	for i := range w.n {
		w.set(f, l, i)
		v := l.body(f)
		f.slots[l.acc] = v
		f.turn()
	}
	return settled(l.result(f))
}

// insertions are what transformMap and transformMapEntry add entries with.
func insertions() map[string]binding {
	return map[string]binding{
		"@mapInsert_map_key_value": func(_ *frame, a []value) value { return insert(a[0], a[1:2], a[2:3]) },
		"@mapInsert_map_map": func(_ *frame, a []value) value {
			keys := keysOf(a[1])
			vals := make([]value, len(keys))
			for i, k := range keys {
				vals[i] = entryAt(a[1], k, i)
			}
			return insert(a[0], keys, vals)
		},
	}
}

// insert adds entries to a map, or to a copy of it if no loop gathers it. A key that it has is an error (CMS-022).
func insert(m value, keys, vals []value) value {
	d, ok := m.ref.(*dict)
	if !ok || !d.growing {
		d = newDict(len(keys))
		for i, k := range keysOf(m) {
			d.put(k, entryAt(m, k, i))
		}
	}
	for i, k := range keys {
		if d.at(k) >= 0 {
			return failure("insert failed: key " + plainText(k) + " already exists")
		}
		d.put(k, vals[i])
	}
	return value{kind: kindMap, ref: d}
}
