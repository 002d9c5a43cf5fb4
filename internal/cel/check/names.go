package check

import (
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/cel/ast"
	"github.com/crdkit/crdkit/internal/cel/types"
)

// This file finds out what names mean. A name with a dot before it is global, even where a loop variable has the same
// name. A chain of fields such as a.b.c may be one name, unless a is a loop variable.

// A local is a variable of a loop.
type local struct {
	name  string
	typ   *types.Type
	named *ast.ReferenceInfo
}

// local returns the innermost variable of that name, or nil.
func (in *inference) local(name string) *local {
	for i := len(in.locals) - 1; i >= 0; i-- {
		if in.locals[i].name == name {
			return &in.locals[i]
		}
	}
	return nil
}

// declare adds a local variable. A macro may name it with a dot, but then nothing refers to it.
func (in *inference) declare(name string, t *types.Type) {
	in.locals = append(in.locals, local{name: name, typ: t})
}

// The references of self and oldSelf. They are not modified.
var (
	selfReference    = ast.NewIdentReference(selfName, nil)
	oldSelfReference = ast.NewIdentReference(oldSelfName, nil)
)

// name checks a name without dots, except before it.
func (in *inference) name(e *ast.Expr) *types.Type {
	name := e.AsIdent()
	absolute, global := strings.CutPrefix(name, ".")
	l := in.local(absolute)
	if l != nil && !global {
		if l.named == nil {
			l.named = ast.NewIdentReference(name, nil)
		}
		in.refer(e, l.named)
		return in.set(e, l.typ)
	}
	if t := in.global(e, absolute, l != nil); t != nil {
		return t
	}
	return in.undeclared(e, name)
}

// global checks e, which stands for a global name, and returns its type, or nil if there is no such name. shadowed says
// that a local variable has the same name: then the name in the tree begins with a dot.
func (in *inference) global(e *ast.Expr, name string, shadowed bool) *types.Type {
	t, reference := in.meaning(name)
	if t == nil {
		return nil
	}
	if shadowed {
		name = "." + name
		reference = ast.NewIdentReference(name, reference.Value)
	}
	if e.Kind() != ast.IdentKind || e.AsIdent() != name {
		e.Replace(ast.NewIdent(e.ID(), name))
	}
	in.refer(e, reference)
	return in.set(e, t)
}

// meaning returns the type of a global name, and a reference to it; nil if there is no such name.
func (in *inference) meaning(name string) (*types.Type, *ast.ReferenceInfo) {
	if v := in.variable(name); v != nil {
		return v.Type, ast.NewIdentReference(name, nil)
	}
	if in.self != nil {
		switch name {
		case selfName:
			return in.self, selfReference
		case oldSelfName:
			return in.oldSelf, oldSelfReference
		}
	}
	in.plain = false
	return in.provided(name)
}

// provided returns the type of a name that the provider has, and a reference to it: that of a type as a value, or of a
// constant, whose reference has its value; nil if there is no such name.
func (in *inference) provided(name string) (*types.Type, *ast.ReferenceInfo) {
	if v, ok := in.provider.FindIdent(name); ok && in.mayMention(name) {
		if t, ok := v.(*types.Type); ok {
			return types.NewTypeTypeWithParam(t), ast.NewIdentReference(name, nil)
		}
		return types.IntType, ast.NewIdentReference(name, v)
	}
	if t, ok := in.provider.FindStructType(name); ok {
		return t, ast.NewIdentReference(name, nil)
	}
	return nil, nil
}

// chain checks a field selection, which may be a qualified name.
func (in *inference) chain(e *ast.Expr) *types.Type {
	root := rootOf(e)
	if root == nil || !in.mayQualify(root.AsIdent()) {
		return in.selection(e, true)
	}
	if name, ok := ast.QualifiedName(e); ok {
		shadowed := in.local(strings.TrimPrefix(root.AsIdent(), ".")) != nil
		if t := in.global(e, strings.TrimPrefix(name, "."), shadowed); t != nil {
			return t
		}
	}
	return in.selection(e, false)
}

// rootOf returns the name at the beginning of a chain of fields, or nil if it begins with something else.
func rootOf(e *ast.Expr) *ast.Expr {
	for e.Kind() == ast.SelectKind {
		e = e.AsSelect().Operand()
	}
	if e.Kind() != ast.IdentKind {
		return nil
	}
	return e
}

// mayQualify reports whether a global name may consist of root and other names after dots. No name of a type begins
// with that of a variable.
func (in *inference) mayQualify(root string) bool {
	absolute, global := strings.CutPrefix(root, ".")
	if !global && in.local(root) != nil {
		return false
	}
	if in.self != nil && (absolute == selfName || absolute == oldSelfName) {
		return false
	}
	return in.variable(absolute) == nil || slices.ContainsFunc(in.variables, func(v Variable) bool {
		rest, ok := strings.CutPrefix(v.Name, absolute)
		return ok && strings.HasPrefix(rest, ".")
	})
}
