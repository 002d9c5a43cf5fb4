package check

import (
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/cel/ast"
	"github.com/crdkit/crdkit/internal/cel/eval"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/since"
)

// A Need is something that an expression uses and that not all minor versions have.
type Need struct {
	Name string // a readable name: isIP, or "optional values"
	Fact since.Fact
}

// Needs returns the features in a, which was compiled from text, that were added in a minor version: without
// repetition, in the order of the expression.
func Needs(a *ast.AST, text string) []Need {
	var needs []Need
	add := func(name string, fact since.Fact) {
		if name == "" || strings.ContainsAny(name, "_@") { // operators, and the functions that macros call
			name = fact.Name()
		}
		if !slices.ContainsFunc(needs, func(n Need) bool { return n.Name == name }) {
			needs = append(needs, Need{name, fact})
		}
	}
	if strings.Contains(text, "`") && hasEscapedName(text) {
		add("", since.EscapedNames)
	}
	ast.Visit(a.Expr(), func(e *ast.Expr) {
		switch e.Kind() {
		case ast.CallKind:
			if fact := oldest(a.GetOverloadIDs(e.ID())); fact != since.Always {
				add(e.AsCall().FunctionName(), fact)
			}
		case ast.ComprehensionKind:
			if e.AsComprehension().HasIterVar2() {
				add("", since.TwoVariables)
			}
		case ast.ListKind:
			if len(e.AsList().OptionalIndices()) > 0 {
				add("", since.OptionalValues)
			}
		case ast.MapKind:
			for _, entry := range e.AsMap().Entries() {
				if entry.IsOptional() {
					add("", since.OptionalValues)
				}
			}
		case ast.SelectKind:
			s := e.AsSelect()
			if types.IsKeyword(s.FieldName()) && a.GetType(s.Operand().ID()).Kind() == types.StructKind {
				add("", since.KeywordFields)
			}
		}
	})
	return needs
}

// oldest returns the fact that the oldest of the overloads was added. One overload is enough for a call.
func oldest(overloads []string) since.Fact {
	var found since.Fact
	for i, id := range overloads {
		fact := since.Always
		if o := eval.OverloadByID(id); o != nil {
			fact = o.Since
		}
		if fact == since.Always {
			return fact
		}
		if i == 0 || fact.Minor() < found.Minor() {
			found = fact
		}
	}
	return found
}

// hasEscapedName reports whether text has a backtick outside of string literals.
func hasEscapedName(text string) bool {
	quote := byte(0)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case quote == 0 && c == '`':
			return true
		}
	}
	return false
}
