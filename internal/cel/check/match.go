package check

import (
	"slices"
	"strconv"
	"sync"

	"github.com/crdkit/crdkit/internal/cel/types"
)

// This file matches types (CTY-033), and binds variables, which stand for the types that a call or an empty literal
// leaves open.

// A matcher compares types. Unknown types are variables, for which it keeps the types that they are bound to.
type matcher struct {
	bound []*types.Type // by the number of the variable; nil: not bound yet
	trail []binding     // the bindings of the current comparison
	steps int           // parts of types that were visited, see total.go
	limit int           // of steps

	typeArguments bool // types as values match only if their variables can be bound (since.TypeArguments)
}

// A binding has the previous type of a variable.
type binding struct {
	variable int
	before   *types.Type
}

// fresh adds n variables, and returns the number of the first. Errors show the numbers, so variables are added in the
// order in which cel-go adds them, even if nothing will use them.
func (m *matcher) fresh(n int) int {
	first := len(m.bound)
	m.bound = append(m.bound, make([]*types.Type, n)...)
	return first
}

// commonVariables are the first variables. Most expressions have no more.
var commonVariables = sync.OnceValue(func() []*types.Type {
	all := make([]*types.Type, 128)
	for i := range all {
		all[i] = types.NewTypeParamType(strconv.Itoa(i))
	}
	return all
})

// variable returns the variable of that number.
func variable(n int) *types.Type {
	if all := commonVariables(); n < len(all) {
		return all[n]
	}
	return types.NewTypeParamType(strconv.Itoa(n))
}

// commonLists are lists of the first variables, and of the most frequent element types.
var commonLists = sync.OnceValue(func() map[*types.Type]*types.Type {
	all := make(map[*types.Type]*types.Type)
	frequent := []*types.Type{types.StringType, types.IntType, types.BoolType, types.DynType}
	for _, t := range append(frequent, commonVariables()...) {
		all[t] = types.NewListType(t)
	}
	return all
})

// listOf returns the type of lists of elem.
func listOf(elem *types.Type) *types.Type {
	if t, ok := commonLists()[elem]; ok {
		return t
	}
	return types.NewListType(elem)
}

// number returns the number of a variable. All type parameters here are variables.
func number(t *types.Type) int {
	n, _ := strconv.Atoi(t.TypeName())
	return n
}

func isVariable(t *types.Type) bool { return t.Kind() == types.TypeParamKind }

// value returns the type that a variable is bound to, or nil.
func (m *matcher) value(t *types.Type) *types.Type { return m.bound[number(t)] }

func (m *matcher) bind(t, to *types.Type) {
	n := number(t)
	m.trail = append(m.trail, binding{n, m.bound[n]})
	m.bound[n] = to
}

// begin starts a comparison. If it fails, its bindings are undone.
func (m *matcher) begin() { m.trail = m.trail[:0] }

func (m *matcher) undo() {
	for _, b := range slices.Backward(m.trail) {
		m.bound[b.variable] = b.before
	}
	m.trail = m.trail[:0]
}

// exhausted counts a step, and reports whether there were too many. If there were, results are meaningless.
func (m *matcher) exhausted() bool {
	m.steps++
	return m.steps > m.limit
}

// match reports whether two types match, and if so binds their variables.
func (m *matcher) match(a, b *types.Type) bool {
	m.begin()
	if m.fits(a, b) {
		return true
	}
	m.undo()
	return false
}

// fits is match for a part of a comparison.
func (m *matcher) fits(a, b *types.Type) bool {
	if m.exhausted() {
		return false
	}
	if isVariable(b) {
		if ok, known := m.assign(b, a); ok || known {
			return ok
		}
	}
	if isVariable(a) {
		ok, _ := m.assign(a, b)
		return ok
	}
	switch ka, kb := a.Kind(), b.Kind(); {
	case anything(ka) || anything(kb) || ka == types.ErrorKind || kb == types.ErrorKind:
		return true
	case ka == types.NullTypeKind:
		return nullable(b)
	case kb == types.NullTypeKind:
		return nullable(a)
	case ka != kb:
		return false
	case ka == types.TypeKind:
		return m.typesFit(a, b)
	}
	return sameShape(a, b, m.fits)
}

// typesFit is fits for types as values. Before since.TypeArguments, all of them match.
func (m *matcher) typesFit(a, b *types.Type) bool {
	ps, qs := a.Parameters(), b.Parameters()
	switch {
	case !m.typeArguments:
		return true
	case len(ps) == 0 || len(qs) == 0: // the type of all types
		return len(qs) == 0
	}
	return !m.open(ps[0]) && !m.open(qs[0]) || m.fits(ps[0], qs[0])
}

// open reports whether t is a variable or contains one.
func (m *matcher) open(t *types.Type) bool {
	return !m.exhausted() && (isVariable(t) || slices.ContainsFunc(t.Parameters(), m.open))
}

func anything(k types.Kind) bool { return k == types.DynKind || k == types.AnyKind }

// nullable reports whether null matches t.
func nullable(t *types.Type) bool {
	switch t.Kind() {
	case types.NullTypeKind, types.OpaqueKind, types.StructKind, types.DurationKind, types.TimestampKind:
		return true
	}
	return t.IsWrapper()
}

// assign binds the variable v to t, or to the more general one of t and its current type, if that is possible. A
// variable cannot be bound to a type that it is a part of. known says that v was bound before.
func (m *matcher) assign(v, t *types.Type) (ok, known bool) {
	if m.same(v, t) {
		return true, true
	}
	now := m.value(v)
	if now == nil {
		if m.within(v, t) {
			return false, false
		}
		m.bind(v, t)
		return true, false
	}
	if m.same(t, now) {
		return true, true
	}
	if !m.fits(t, now) {
		return false, true
	}
	if g := m.general(t, now); !m.within(v, g) {
		m.bind(v, g)
	}
	return true, true
}

// same reports whether two types are equal. Variables are compared by their numbers.
func (m *matcher) same(a, b *types.Type) bool {
	if a == b {
		return true
	}
	return !m.exhausted() && a.Kind() == b.Kind() && sameShape(a, b, m.same)
}

// within reports whether t contains the variable v, or contains a variable whose type does.
func (m *matcher) within(v, t *types.Type) bool {
	if m.exhausted() {
		return true
	}
	if isVariable(t) {
		if m.same(v, t) {
			return true
		}
		now := m.value(t)
		return now != nil && m.within(v, now)
	}
	return slices.ContainsFunc(t.Parameters(), func(p *types.Type) bool { return m.within(v, p) })
}

// general returns the more general of two matching types, or a if they are equal.
func (m *matcher) general(a, b *types.Type) *types.Type {
	if m.covers(a, b) {
		return a
	}
	return b
}

// covers reports whether a is at least as general as b.
func (m *matcher) covers(a, b *types.Type) bool {
	ka, kb := a.Kind(), b.Kind()
	general := func(k types.Kind) bool { return anything(k) || k == types.TypeParamKind }
	switch {
	case m.exhausted():
		return false
	case general(ka):
		return true
	case general(kb), ka != kb:
		return false
	case ka == types.TypeKind && (!m.typeArguments || len(a.Parameters()) == 0):
		return true
	}
	return sameShape(a, b, m.covers)
}

// sameShape reports whether two types have the same name and number of parameters, and holds is true for each pair of
// parameters.
func sameShape(a, b *types.Type, holds func(p, q *types.Type) bool) bool {
	ps, qs := a.Parameters(), b.Parameters()
	if a.TypeName() != b.TypeName() || len(ps) != len(qs) {
		return false
	}
	for i, p := range ps {
		if !holds(p, qs[i]) {
			return false
		}
	}
	return true
}

// resolved returns t with its variables replaced by their types. Unbound variables remain, or become dyn if closed is
// set.
func (m *matcher) resolved(t *types.Type, closed bool) *types.Type {
	if m.exhausted() {
		return types.DynType
	}
	if isVariable(t) {
		switch now := m.value(t); {
		case now != nil:
			return m.resolved(now, closed)
		case closed:
			return types.DynType
		}
		return t
	}
	out := rebuilt(t, func(p *types.Type) *types.Type { return m.resolved(p, closed) })
	if out != t {
		m.steps += stepsOfType
	}
	return out
}

// rebuilt returns t with other parameters: t itself if they are the same.
func rebuilt(t *types.Type, change func(p *types.Type) *types.Type) *types.Type {
	var changed [2]*types.Type // no type has more
	ps := t.Parameters()
	if len(ps) > len(changed) {
		return t
	}
	equal := true
	for i, p := range ps {
		changed[i] = change(p)
		equal = equal && changed[i] == p
	}
	if equal {
		return t
	}
	switch t.Kind() {
	case types.ListKind:
		return listOf(changed[0])
	case types.MapKind:
		return types.NewMapType(changed[0], changed[1])
	case types.TypeKind:
		return types.NewTypeTypeWithParam(changed[0])
	}
	return types.NewOpaqueType(t.TypeName(), append([]*types.Type(nil), changed[:len(ps)]...)...)
}
