package estimate

import (
	"github.com/crdkit/crdkit/internal/cel/ast"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/since"
)

// This file has the sizes of since.NestedSizes. A size has those of the keys and values inside it, at any depth. They
// come from the expression or from the schema, and are determined when they are needed. A list or map of which nothing
// is known has a size without a bound, where older versions have none.
//
// Clauses: CES-070 to CES-074.

// A measure is the size of a value, with those of what a list or a map contains. It is not modified.
type measure struct {
	Span
	key, elem *measure // nil: none, or not known
	count     int      // of the measures in it, and it
}

// maxMeasures limits the measures in one. Loops over loops could double them with each, and each union visits all.
const maxMeasures = 64

// newMeasure returns a measure. Beyond maxMeasures, nothing is known about what it contains.
func newMeasure(size Span, key, elem *measure) *measure {
	m := &measure{size, key, elem, 1}
	for _, part := range [...]**measure{&m.key, &m.elem} {
		if *part == nil {
			continue
		}
		if m.count+(*part).count > maxMeasures {
			*part = unbounded
		}
		m.count += (*part).count
	}
	return m
}

// sized returns the measure of a value that contains nothing, or nothing that is known.
func sized(size Span) *measure { return newMeasure(size, nil, nil) }

// parts are the sizes of what a list or a map contains.
type parts struct{ key, elem *measure }

// unbounded is the measure of a value of which nothing is known. It is not modified.
var unbounded = &measure{Span: Unknown, count: 1}

// unknown reports whether nothing is known about m.
func (m *measure) unknown() bool { return m.Span == Unknown && m.key == nil && m.elem == nil }

// isList reports whether m is known to be that of a list.
func (m *measure) isList() bool { return m.key == nil && m.elem != nil }

// or returns m, or unbounded for nil.
func (m *measure) or() *measure {
	if m == nil {
		return unbounded
	}
	return m
}

// union returns the smallest measure with all sizes of m and of n; nil has none.
func (m *measure) union(n *measure) *measure {
	switch {
	case m == nil || m == n:
		return n
	case n == nil:
		return m
	}
	return newMeasure(m.Span.Union(n.Span), m.key.union(n.key), m.elem.union(n.elem))
}

// plus returns the measure of a sum of two lists or maps.
func (m *measure) plus(n *measure) *measure {
	return newMeasure(m.Span.Plus(n.Span), m.key.union(n.key), m.elem.union(n.elem))
}

// container returns the measure of a list, or of a map, with what is known about it; nil if nothing is. What is not
// known about something that may not be empty has no bound.
func container(size, key, elem *measure, isMap bool) *measure {
	switch {
	case size == nil && key == nil && elem == nil:
		return nil
	case size == nil:
		size = unbounded
	}
	if size.Hi > 0 {
		elem = elem.or()
		if isMap {
			key = key.or()
		}
	}
	return newMeasure(size.Span, key, elem)
}

// measure returns the measure of e, or nil if nothing is known.
//
// Clauses: CES-070.
func (w *walker) measure(e *ast.Expr) *measure {
	if m := w.fact(e.ID()).measure; m != nil {
		return m
	}
	if v := w.variable(e); v != nil && v.measure != nil {
		s, ok := v.path.size(w)
		if !ok {
			return v.measure
		}
		w.setSize(e, s)
	} else {
		w.setMeasure(e, w.measured(e, w.path(e), w.tree.GetType(e.ID())))
	}
	return w.fact(e.ID()).measure
}

// measureOr returns the measure of e, or unbounded.
func (w *walker) measureOr(e *ast.Expr) *measure { return w.measure(e).or() }

// setMeasure records the measure of e, unless it is nil.
func (w *walker) setMeasure(e *ast.Expr, m *measure) {
	if m != nil {
		w.note(e.ID()).measure = m
	}
}

// measured returns the measure of a value of type t at the path p, or nil. e is its expression, or nil if it is part of
// another one.
func (w *walker) measured(e *ast.Expr, p path, t *types.Type) *measure {
	if e != nil && e.Kind() == ast.LiteralKind {
		if s, ok := literalSize(e); ok {
			return sized(s)
		}
	}
	switch k := t.Kind(); {
	case k == types.ListKind, anything(k) && e != nil && e.Kind() == ast.ListKind:
		return w.listMeasure(e, p, t)
	case k == types.MapKind, anything(k) && e != nil && e.Kind() == ast.MapKind:
		return w.mapMeasure(e, p, t)
	case anything(k):
		return w.anyMeasure(e, p, t)
	}
	return w.sizeBySchema(p, t)
}

// sizeBySchema returns the measure of a value that is not a list or a map, from the schema or from its type.
func (w *walker) sizeBySchema(p path, t *types.Type) *measure {
	if s, ok := p.size(w); ok {
		return sized(s)
	}
	if w.isScalar(t) {
		return sized(Exactly(1))
	}
	return nil
}

// isScalar reports whether all values of a type have the same size.
func (w *walker) isScalar(t *types.Type) bool {
	return scalar(t) || t.Kind() == types.TypeKind && since.TypeSize.In(w.minor)
}

// anything reports whether a value of a kind may be of any type.
func anything(k types.Kind) bool {
	return k == types.DynKind || k == types.AnyKind || k == types.TypeParamKind
}

// parameter returns a parameter of a type, dyn if there is none.
func parameter(t *types.Type, i int) *types.Type {
	if of := t.Parameters(); i < len(of) {
		return of[i]
	}
	return types.DynType
}

// listMeasure returns the measure of a list.
func (w *walker) listMeasure(e *ast.Expr, p path, t *types.Type) *measure {
	item := parameter(t, 0)
	var size, elem *measure
	if e != nil {
		switch {
		case e.Kind() == ast.ListKind:
			size, elem = w.listLiteral(e.AsList(), item)
		case isCall(e, opAdd):
			size = w.within(e.AsCall().Args()[0], t).plus(w.within(e.AsCall().Args()[1], t))
		case isCall(e, opConditional):
			size = w.branches(e, t)
		}
	}
	if size == nil {
		if s, ok := p.size(w); ok {
			size = sized(s)
		}
	} else if elem == nil {
		elem = size.elem
	}
	elem = w.child(p, itemsWord, item, elem)
	if size == nil && elem == nil && e != nil {
		size = unbounded
	}
	return container(size, nil, elem, false)
}

// listLiteral returns the measure of a list literal, and that of its items.
func (w *walker) listLiteral(l *ast.ListExpr, item *types.Type) (size, elem *measure) {
	most := uint64(l.Size())
	for i, x := range l.Elements() {
		if l.IsOptional(int32(i)) {
			switch {
			case isCall(x, "optional.none"):
				most--
				continue
			case isCall(x, "optional.of"), isCall(x, "optional.ofNonZeroValue"):
				x = x.AsCall().Args()[0]
			}
		}
		elem = elem.union(w.within(x, item))
	}
	return sized(Span{Lo: uint64(l.Size() - len(l.OptionalIndices())), Hi: most}), elem
}

// mapMeasure returns the measure of a map.
func (w *walker) mapMeasure(e *ast.Expr, p path, t *types.Type) *measure {
	ofKey, ofElem := parameter(t, 0), parameter(t, 1)
	var size, key, elem *measure
	if e != nil {
		switch {
		case e.Kind() == ast.MapKind:
			n := Exactly(uint64(e.AsMap().Size()))
			for _, entry := range e.AsMap().Entries() {
				if entry.IsOptional() {
					n.Lo--
				}
				key, elem = key.union(w.within(entry.Key(), ofKey)), elem.union(w.within(entry.Value(), ofElem))
			}
			size = sized(n)
		case isCall(e, mapInsert):
			args := e.AsCall().Args()
			if len(args) == 2 {
				size = w.within(args[0], t).plus(w.within(args[1], t))
				break
			}
			into := w.within(args[0], t)
			key, elem = into.key.union(w.within(args[1], ofKey)), into.elem.union(w.within(args[2], ofElem))
			size = sized(into.Span.Plus(Exactly(1)))
		case isCall(e, opConditional):
			size = w.branches(e, t)
		}
	}
	if size == nil {
		if s, ok := p.size(w); ok {
			size = sized(s)
		}
	} else {
		if key == nil {
			key = size.key
		}
		if elem == nil {
			elem = size.elem
		}
	}
	key, elem = w.child(p, keysWord, ofKey, key), w.child(p, valuesWord, ofElem, elem)
	if size == nil && key == nil && elem == nil && e != nil {
		size = unbounded
	}
	return container(size, key, elem, true)
}

// mapInsert is the function that macros add an entry to a map with.
const mapInsert = "cel.@mapInsert"

// anyMeasure returns the measure of a value of any type.
func (w *walker) anyMeasure(e *ast.Expr, p path, t *types.Type) *measure {
	if e != nil && isCall(e, opConditional) {
		return w.branches(e, t)
	}
	size := w.sizeBySchema(p, t)
	if elem := w.probe(p, itemsWord); elem != nil {
		return container(size, nil, elem, false)
	}
	key, elem := w.probe(p, keysWord), w.probe(p, valuesWord)
	if key != nil || elem != nil {
		return container(size, key, elem, true)
	}
	return size
}

// maxProbed is the length of the longest path below which a value of any type is searched for items.
const maxProbed = 32

// probe returns the measure of what is below p according to the schema, or nil.
func (w *walker) probe(p path, word string) *measure {
	if len(p) == 0 || len(p) >= maxProbed {
		return nil
	}
	below := p.below(word)
	if _, ok := below.size(w); !ok {
		return nil
	}
	return w.measured(nil, below, types.DynType)
}

// within returns the measure of a part of an expression, whose type is declared as t there.
func (w *walker) within(e *ast.Expr, t *types.Type) *measure {
	if m := w.measure(e); m != nil {
		return m
	}
	return w.measured(e, nil, t).or()
}

// branches returns the measure of a conditional.
func (w *walker) branches(e *ast.Expr, t *types.Type) *measure {
	args := e.AsCall().Args()
	return w.within(args[1], t).union(w.within(args[2], t))
}

// child returns the measure of the keys or values of a list or map at p, of type t. known is what is already known.
func (w *walker) child(p path, word string, t *types.Type, known *measure) *measure {
	k := t.Kind()
	holds := k == types.ListKind || k == types.MapKind || anything(k)
	if len(p) > 0 && (known == nil || known.elem == nil && holds) {
		switch m := w.measured(nil, p.below(word), t); {
		case m == nil || m.unknown():
		case known == nil:
			known = m
		default:
			known = newMeasure(known.Span, m.key, m.elem)
		}
	}
	if known == nil && w.isScalar(t) {
		known = sized(Exactly(1))
	}
	return known
}

// gathered sets the measure of a loop, whose step has the given one.
//
// Clauses: CES-072.
func (w *walker) gathered(e *ast.Expr, step *measure) {
	c := e.AsComprehension()
	switch k := c.AccuInit().Kind(); k {
	case ast.LiteralKind:
		w.setMeasure(e, w.measure(c.AccuInit()))
	case ast.ListKind, ast.MapKind:
		over := w.measureOr(c.IterRange())
		size, key, elem := over.Span, over.key, over.elem
		if step != nil && step.elem != nil {
			elem = step.elem
		}
		switch {
		case k == ast.ListKind:
			key = nil
		case step != nil && step.key != nil:
			key = step.key
		}
		if isCall(c.LoopStep(), opConditional) {
			size.Lo = 0
		}
		w.setMeasure(e, newMeasure(size, key, elem))
	}
}

// partsOf returns the sizes of what the union or the sum of two values contains. If something is known about one of
// them only, the other may contain anything, unless it is empty or cannot contain anything.
func (w *walker) partsOf(a, b *ast.Expr) parts {
	var all parts
	of := [2]*measure{w.measureOr(a), w.measureOr(b)}
	keyed, filled := of[0].key != nil || of[1].key != nil, of[0].elem != nil || of[1].elem != nil
	for i, e := range [2]*ast.Expr{a, b} {
		m := of[i]
		open := m.Hi > 0 && m.key == nil && m.elem == nil && mayContain(w.tree.GetType(e.ID()))
		if filled {
			elem := m.elem
			if elem == nil && (open || m.key != nil && m.Hi > 0) {
				elem = unbounded
			}
			all.elem = all.elem.union(elem)
		}
		if keyed {
			key := m.key
			if key == nil && open {
				key = unbounded
			}
			all.key = all.key.union(key)
		}
	}
	return all
}

// mayContain reports whether a value of a type may be a list, a map or an optional.
func mayContain(t *types.Type) bool {
	switch t.Kind() {
	case types.BoolKind, types.DoubleKind, types.DurationKind, types.IntKind, types.NullTypeKind, types.TimestampKind,
		types.UintKind, types.StringKind, types.BytesKind:
		return false
	}
	return true
}

// nestedCall returns the cost of e, the call c, and sets its measure. If several overloads are possible, it is the
// union of theirs.
//
// Clauses: CES-071.
func (w *walker) nestedCall(e *ast.Expr, c *Call, fitting []string) uint64 {
	cost := uint64(0)
	var all *measure
	for _, id := range fitting {
		w.parts = parts{}
		r := w.result(c, id)
		cost = max(cost, r.Cost)
		var m *measure
		if r.Sized {
			m = newMeasure(r.Size, w.parts.key, w.parts.elem)
		}
		switch id {
		case indexList:
			m = w.item(e, itemsWord)
		case indexMap:
			m = w.item(e, valuesWord)
		}
		if m == nil {
			m = w.measure(e)
		}
		all = all.union(m)
	}
	w.setMeasure(e, all)
	return cost
}

// item returns the measure of e, an index, and sets its path if its operand has one.
func (w *walker) item(e *ast.Expr, word string) *measure {
	over := e.AsCall().Args()[0]
	m := w.measureOr(over).elem.or()
	if of := w.path(over); len(of) > 0 {
		w.setPath(e, w.extend(of, word))
	}
	return m
}
