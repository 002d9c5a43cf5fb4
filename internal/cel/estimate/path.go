package estimate

import (
	"github.com/crdkit/crdkit/internal/cel/declare"
	"github.com/crdkit/crdkit/internal/cel/price"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/google/cel-go/common/ast"
)

// A path says where in the schema a value comes from: the name of a variable, then names of fields and the words below. The empty
// path is for values that do not come from there.
//
// A path with spare room shares its storage with all that are made from it, so adding a word to one changes the last word of another that
// was made before (CES-013). A server's costs come from such changed paths, so they must happen here as there: paths are extended by
// extend only, never copied, and in the order in which a server does it.
//
// Clauses: CES-010.
type path []string

// The words of a path that are no names.
const (
	itemsWord   = "@items"
	indicesWord = "@indices"
	keysWord    = "@keys"
	valuesWord  = "@values"
)

// extend returns p and one more word, in p's storage if there is room, else in new storage of twice the size.
//
// Clauses: CES-013.
func (w *walker) extend(p path, word string) path {
	if len(p) == cap(p) {
		p = append(w.storage(max(1, 2*len(p))), p...)
	}
	return append(p, word)
}

// storage returns room for n words.
func (w *walker) storage(n int) path {
	if len(w.room)-w.taken < n {
		w.room, w.taken = make([]string, max(n, roomAtOnce, 2*len(w.room))), 0
	}
	p := path(w.room[w.taken : w.taken : w.taken+n])
	w.taken += n
	return p
}

// roomAtOnce is for how many words there is room in one piece of memory, at least.
const roomAtOnce = 64

// items returns the path of p's items in storage of its own. The path of nothing has no items.
//
// Clauses: CES-054.
func (p path) items() path {
	if len(p) == 0 {
		return nil
	}
	own := append(make(path, 0, len(p)+1), p...)
	return append(own, itemsWord)
}

// size returns the size of what is at p below self, if anything is. The first word is not looked at: all variables are taken for
// self.
//
// Clauses: CES-011.
func (p path) size(w *walker) (price.Span, bool) {
	if len(p) == 0 {
		return price.Span{}, false
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
			return price.Span{}, false
		}
	}
	return price.UpTo(w.sizeOf(t)), true
}

// SizeAt implements [price.Sizes].
func (w *walker) SizeAt(p []string) (price.Span, bool) { return path(p).size(w) }

// ItemSizeAt implements [price.Sizes].
func (w *walker) ItemSizeAt(p []string) (price.Span, bool) { return path(p).items().size(w) }

// A Survey is told what an estimate is made of, and may say that bounds are other ones.
type Survey struct {
	Bounds map[*plan.Node]int64              // in place of maxLength, maxItems or maxProperties; read only
	Sized  func(t *declare.Type)             // called for each place whose size was asked for, if it is not nil
	Costs  func(e ast.Expr, cost uint64)     // called with the cost of each part, if it is not nil
	Turns  func(loop ast.Expr, turns uint64) // called with how often a loop goes round, if it is not nil
}

// sizeOf returns the size of a value of type t.
func (w *walker) sizeOf(t *declare.Type) uint64 {
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
