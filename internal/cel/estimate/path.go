package estimate

import (
	"github.com/crdkit/crdkit/internal/cel/ast"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/plan"
)

// A path says where in the schema a value comes from: the name of a variable, followed by names of fields and the words
// that are declared below. The empty path is for values that do not come from the schema.
//
// A path with spare capacity shares its storage with all paths that are derived from it, so extending one path can
// change the last word of another that was derived before (CES-013). A server's costs depend on such changed paths, so
// they must occur here in the same way: paths are only extended with extend, never copied, and in the same order as in
// a server.
//
// Clauses: CES-010.
type path []string

// The words of a path that are not names.
const (
	itemsWord   = "@items"
	indicesWord = "@indices"
	keysWord    = "@keys"
	valuesWord  = "@values"
)

// extend returns p and one more word, in p's storage if it has spare capacity, otherwise in new storage of twice the
// size.
//
// Clauses: CES-013.
func (w *walker) extend(p path, word string) path {
	if len(p) == cap(p) {
		p = append(w.storage(max(1, 2*len(p))), p...)
	}
	return append(p, word)
}

// storage returns storage for n words.
func (w *walker) storage(n int) path {
	if len(w.free)-w.taken < n {
		w.free, w.taken = make([]string, max(n, minStorage, 2*len(w.free))), 0
	}
	p := path(w.free[w.taken : w.taken : w.taken+n])
	w.taken += n
	return p
}

// minStorage is the least number of words to allocate at once.
const minStorage = 64

// items returns the path of p's items in new storage. An empty path has no items.
//
// Clauses: CES-054.
func (p path) items() path {
	if len(p) == 0 {
		return nil
	}
	return p.below(itemsWord)
}

// below returns p and one more word in new storage.
func (p path) below(word string) path {
	return append(append(make(path, 0, len(p)+1), p...), word)
}

// size returns the size of the value at p below self, if there is one. The first word is ignored: all variables are
// treated as self.
//
// Clauses: CES-011.
func (p path) size(w *walker) (Span, bool) {
	t := p.place(w)
	if t == nil {
		return Span{}, false
	}
	return UpTo(w.sizeOf(t)), true
}

// place returns the type of the value at p, or nil if there is none.
func (p path) place(w *walker) *types.SchemaType {
	if len(p) == 0 {
		return nil
	}
	t := w.self
	for _, word := range p[1:] {
		switch word {
		case itemsWord, valuesWord:
			t = t.Elem()
		case keysWord:
			t = t.Key()
		default:
			t = t.Field(word)
		}
		if t == nil {
			return nil
		}
	}
	return t
}

// SizeAt implements [Sizes].
func (w *walker) SizeAt(p []string) (Span, bool) { return path(p).size(w) }

// ItemSizeAt implements [Sizes].
func (w *walker) ItemSizeAt(p []string) (Span, bool) { return path(p).items().size(w) }

// A Survey receives details of an estimate, and may override bounds.
type Survey struct {
	Bounds map[*plan.Node]int64               // in place of maxLength, maxItems or maxProperties; not modified
	Sized  func(t *types.SchemaType)          // if not nil, called for each place whose size was used
	Costs  func(e *ast.Expr, cost uint64)     // if not nil, called with the cost of each node
	Turns  func(loop *ast.Expr, turns uint64) // if not nil, called with the number of iterations of each loop
	// Passed, if not nil, is called for each argument of a call that comes from the schema.
	Passed func(function string, t *types.SchemaType)
}

// sizeOf returns the size of a value of type t.
func (w *walker) sizeOf(t *types.SchemaType) uint64 {
	if w.survey == nil {
		return t.SizeIn(w.minor)
	}
	if w.survey.Sized != nil {
		w.survey.Sized(t)
	}
	if bound, ok := w.survey.Bounds[t.Node()]; ok && t.Node() != nil {
		return t.SizeOf(bound)
	}
	return t.SizeIn(w.minor)
}
