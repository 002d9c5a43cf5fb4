package check

import (
	"slices"
	"strings"
	"sync"

	"github.com/crdkit/crdkit/internal/cel/ast"
	"github.com/crdkit/crdkit/internal/cel/eval"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/since"
)

// A callable is what the name of a function refers to.
type callable struct {
	functions, methods []candidate
	logical            bool // && or ||, whose operands are checked to be bools one by one
	literals           bool // literals in a call are checked: CEN-052, CEN-053
}

// A candidate is an overload that a call may be.
type candidate struct {
	*eval.Overload
	parameters []string // the names of the type parameters
	chosen     *ast.ReferenceInfo
}

// A vocabulary has what an expression can call.
type vocabulary struct {
	callables map[string]*callable
	spaces    map[string]bool // the names before the first dot of functions
}

// vocabularies has the vocabulary of each environment, created once.
var vocabularies = perEnvironment(vocabularyOf)

// perEnvironment returns a function that calls make once for each environment.
func perEnvironment[T any](make func(e environment) T) func(e environment) T {
	stored := sync.OnceValue(func() T { return make(environment{stored: true}) })
	var minors [since.Last + 1]func() T
	for i := range minors {
		minors[i] = sync.OnceValue(func() T { return make(environment{minor: since.Minor(i)}) })
	}
	return func(e environment) T {
		switch {
		case e.stored:
			return stored()
		case e.minor == 0, e.minor == since.Newest:
			return minors[0]()
		}
		return minors[min(max(e.minor, since.Oldest), since.Last)]()
	}
}

func vocabularyOf(e environment) *vocabulary {
	v := &vocabulary{callables: map[string]*callable{}, spaces: map[string]bool{}}
	for _, f := range functions(e) {
		c := v.callables[f.Name]
		if c == nil {
			c = new(callable)
			v.callables[f.Name] = c
		}
		if space, _, dotted := strings.Cut(f.Name, "."); dotted {
			v.spaces[space] = true
		}
		for _, o := range f.Overloads {
			next := candidate{Overload: o, chosen: ast.NewFunctionReference(o.ID)}
			for _, t := range append([]*types.Type{o.Result}, o.Args...) {
				next.parameters = appendParameters(next.parameters, t)
			}
			c.logical = c.logical || o.Logical
			c.literals = c.literals || o.Literal.Valid != nil || o.Literal.Format
			if o.Method {
				c.methods = append(c.methods, next)
			} else {
				c.functions = append(c.functions, next)
			}
		}
	}
	return v
}

func appendParameters(names []string, t *types.Type) []string {
	if t.Kind() == types.TypeParamKind {
		if slices.Contains(names, t.TypeName()) {
			return names
		}
		return append(names, t.TypeName())
	}
	for _, p := range t.Parameters() {
		names = appendParameters(names, p)
	}
	return names
}
