package check

import (
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/cel/ast"
	"github.com/crdkit/crdkit/internal/cel/parse"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/since"
)

// This file checks expressions without an error, which are nearly all. It has the same results as cel-go, in a tenth of
// the time. If it finds an error, or something unusual, it gives up, and cel-go checks the expression.

// expansions has the macros of each environment.
var expansions = perEnvironment(func(e environment) parse.Macros { return parse.NewMacros(macros(e.minor)...) })

// infer parses, checks and validates text as cel-go would. It returns nil if cel-go has to check the text, which may
// have an error. The result has no positions. steps is the number of parts of types that were visited.
func (c *Checker) infer(text string, s *scope) (e *Expr, steps int) {
	defer func() {
		if recover() != nil { // how macros use nodes depends on the linked version of cel-go
			e = nil
		}
		steps = c.in.steps
		c.in.reset()
	}()
	if !since.EscapedNames.In(s.minor) && strings.Contains(text, "`") {
		return nil, 0
	}
	root, ok := parse.Expression(text, expansions(environment{minor: s.minor}))
	if !ok {
		return nil, 0
	}
	in := &c.in
	in.scope, in.vocabulary, in.plain = s, vocabularies(s.environment), true
	in.check(root)
	if in.failed || in.steps > maxSteps {
		return nil, 0
	}
	facts := in.results()
	if in.steps > maxSteps {
		return nil, 0
	}
	checked := ast.NewCheckedAST(root, nil, facts)
	if in.suspect && validate(checked, nil, s.minor) != nil {
		return nil, 0
	}
	return &Expr{AST: checked, UsesOldSelf: in.usesOldSelf, Plain: in.plain}, 0
}

// maxKept is the number of nodes of the largest expression whose memory is reused.
const maxKept = 4096

// An inference determines the types of the nodes of one expression.
type inference struct {
	matcher
	*scope
	*vocabulary

	parts       []ast.Fact // by id
	locals      []local    // in scope, innermost last
	usesOldSelf bool
	plain       bool // see Expr
	suspect     bool // something has to be validated: CEN-050
	failed      bool // cel-go has to check the expression
}

// part returns what is known about e.
func (in *inference) part(e *ast.Expr) *ast.Fact {
	id := int(e.ID())
	if id >= len(in.parts) {
		in.parts = slices.Grow(in.parts, max(64, id+1)-len(in.parts))[:id+1] // the new elements are zero
	}
	return &in.parts[id]
}

// results returns what is known about the nodes by id. Unbound variables in types become dyn.
func (in *inference) results() []ast.Fact {
	facts := slices.Clone(in.parts)
	for id := range facts {
		if t := facts[id].Type; t != nil {
			facts[id].Type = in.resolved(t, true)
		}
	}
	return facts
}

// reset clears in and keeps its memory. Large buffers are dropped.
func (in *inference) reset() {
	if len(in.parts) > maxKept {
		*in = inference{}
		return
	}
	clear(in.parts)
	clear(in.bound)
	clear(in.trail[:cap(in.trail)])
	clear(in.locals[:cap(in.locals)])
	*in = inference{
		matcher: matcher{bound: in.bound[:0], trail: in.trail[:0]},
		parts:   in.parts[:0],
		locals:  in.locals[:0],
	}
}

// A local is a variable of a loop.
type local struct {
	name  string
	typ   *types.Type
	named *ast.ReferenceInfo
}

// fail makes the inference fail, so that cel-go has to check the expression.
func (in *inference) fail() *types.Type {
	in.failed = true
	return types.DynType
}

// set records the type of e.
func (in *inference) set(e *ast.Expr, t *types.Type) *types.Type {
	part := in.part(e)
	if part.Type != nil && !in.same(part.Type, t) { // a macro has used a node twice
		return in.fail()
	}
	part.Type = t
	return t
}

// refer records the reference of e.
func (in *inference) refer(e *ast.Expr, r *ast.ReferenceInfo) {
	part := in.part(e)
	if part.Reference != nil && part.Reference != r { // a macro has used a node twice
		in.fail()
	}
	part.Reference = r
	if r.Name == oldSelfName {
		in.usesOldSelf = true
	}
}

// check determines the types of e and of its parts, and returns that of e, which may contain variables.
func (in *inference) check(e *ast.Expr) *types.Type {
	if in.failed {
		return types.DynType
	}
	switch e.Kind() {
	case ast.LiteralKind:
		return in.set(e, e.AsLiteral().Type())
	case ast.IdentKind:
		return in.name(e)
	case ast.SelectKind:
		if root := rootOf(e); root != nil && !in.isValue(root.AsIdent()) {
			break // a.b.c may be one name
		}
		return in.selection(e)
	case ast.CallKind:
		return in.call(e)
	case ast.ListKind:
		return in.list(e)
	case ast.MapKind:
		return in.mapping(e)
	case ast.ComprehensionKind:
		return in.loop(e)
	}
	return in.fail()
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

// isValue reports whether a name is a variable.
func (in *inference) isValue(name string) bool {
	return in.local(name) != nil || in.variable(name) != nil || in.self != nil && (name == selfName || name == oldSelfName)
}

func (in *inference) local(name string) *local {
	for i := len(in.locals) - 1; i >= 0; i-- {
		if in.locals[i].name == name {
			return &in.locals[i]
		}
	}
	return nil
}

// declare adds a local variable.
func (in *inference) declare(name string, t *types.Type) {
	in.locals = append(in.locals, local{name: name, typ: t})
}

// The references of self and oldSelf. They are not modified.
var (
	selfReference    = ast.NewIdentReference(selfName, nil)
	oldSelfReference = ast.NewIdentReference(oldSelfName, nil)
)

func (in *inference) name(e *ast.Expr) *types.Type {
	name := e.AsIdent()
	if l := in.local(name); l != nil {
		if l.named == nil {
			l.named = ast.NewIdentReference(name, nil)
		}
		in.refer(e, l.named)
		return in.set(e, l.typ)
	}
	if v := in.variable(name); v != nil {
		in.refer(e, ast.NewIdentReference(name, nil))
		return in.set(e, v.Type)
	}
	if in.self != nil {
		switch name {
		case selfName:
			in.refer(e, selfReference)
			return in.set(e, in.self)
		case oldSelfName:
			in.refer(e, oldSelfReference)
			return in.set(e, in.oldSelf)
		}
	}
	in.plain = false
	// A type as a value.
	if !in.mayMention(name) {
		return in.fail()
	}
	if v, ok := in.provider.FindIdent(name); ok {
		t, ok := v.(*types.Type)
		if !ok {
			return in.fail()
		}
		in.refer(e, ast.NewIdentReference(name, nil))
		return in.set(e, types.NewTypeTypeWithParam(t))
	}
	if t, ok := in.provider.FindStructType(name); ok {
		in.refer(e, ast.NewIdentReference(name, nil))
		return in.set(e, t)
	}
	return in.fail()
}

// selection checks a field selection whose operand is not part of a qualified name.
func (in *inference) selection(e *ast.Expr) *types.Type {
	s := e.AsSelect()
	t := in.field(s.Operand(), s.FieldName(), false)
	if s.IsTestOnly() {
		t = types.BoolType
	}
	return in.set(e, in.resolved(t, false))
}

// field returns the type of a field of operand. It is an optional if operand is one, and if optional is set.
func (in *inference) field(operand *ast.Expr, name string, optional bool) *types.Type {
	var of *types.Type
	if operand.Kind() == ast.SelectKind && !optional {
		of = in.selection(operand) // with the same root
	} else {
		of = in.check(operand)
	}
	of = in.resolved(of, false)
	of, wrapped := unwrapped(of)
	t := types.DynType
	switch of.Kind() {
	case types.MapKind:
		t = of.Parameters()[1]
	case types.StructKind:
		f := in.root.Object(of.TypeName()).Select(name)
		if f == nil || !in.mayName(name) {
			return in.fail()
		}
		t = f.CEL()
	case types.TypeParamKind:
		in.match(types.DynType, of)
	case types.DynKind, types.AnyKind:
	default:
		return in.fail()
	}
	if optional || wrapped {
		return types.NewOptionalType(t)
	}
	return t
}

// unwrapped returns the type of the value in an optional, and whether t is an optional.
func unwrapped(t *types.Type) (*types.Type, bool) {
	if t.Kind() == types.OpaqueKind && t.TypeName() == "optional_type" {
		return t.Parameters()[0], true
	}
	return t, false
}

// element returns the type that an element or entry contributes to a literal.
func (in *inference) element(e *ast.Expr, optional bool) *types.Type {
	t := in.check(e)
	if !optional {
		return t
	}
	if !since.OptionalValues.In(in.minor) {
		return in.fail()
	}
	t, wrapped := unwrapped(t)
	if !wrapped && !anything(t.Kind()) {
		return in.fail()
	}
	return t
}

// join returns the type of a literal with parts of both types. all is nil before the first part.
func (in *inference) join(all, next *types.Type) *types.Type {
	switch {
	case all == nil:
		return next
	case in.match(all, next):
		return in.general(all, next)
	}
	return types.DynType
}

func (in *inference) list(e *ast.Expr) *types.Type {
	l := e.AsList()
	in.suspect = in.suspect || l.Size() > 1
	var elem *types.Type
	for i, part := range l.Elements() {
		elem = in.join(elem, in.element(part, l.IsOptional(int32(i))))
	}
	if elem == nil {
		elem = variable(in.fresh(1))
	}
	return in.set(e, listOf(elem))
}

func (in *inference) mapping(e *ast.Expr) *types.Type {
	in.suspect = in.suspect || e.AsMap().Size() > 1
	var key, value *types.Type
	for _, m := range e.AsMap().Entries() {
		key = in.join(key, in.check(m.Key()))
		value = in.join(value, in.element(m.Value(), m.IsOptional()))
	}
	if key == nil {
		n := in.fresh(2)
		key, value = variable(n), variable(n+1)
	}
	return in.set(e, types.NewMapType(key, value))
}

func (in *inference) loop(e *ast.Expr) *types.Type {
	c := e.AsComprehension()
	over := in.check(c.IterRange())
	gathered := in.check(c.AccuInit())
	over = in.resolved(over, false)
	var first, second *types.Type
	switch over.Kind() {
	case types.ListKind:
		first, second = types.IntType, over.Parameters()[0]
		if !c.HasIterVar2() {
			first = second
		}
	case types.MapKind:
		first, second = over.Parameters()[0], over.Parameters()[1]
	case types.TypeParamKind, types.DynKind:
		in.match(types.DynType, over)
		first, second = types.DynType, types.DynType
	default:
		return in.fail()
	}
	outside := len(in.locals)
	in.declare(c.AccuVar(), gathered)
	inside := len(in.locals)
	in.declare(c.IterVar(), first)
	if c.HasIterVar2() {
		in.declare(c.IterVar2(), second)
	}
	if !in.match(types.BoolType, in.check(c.LoopCondition())) || !in.match(gathered, in.check(c.LoopStep())) {
		return in.fail()
	}
	in.locals = in.locals[:inside]
	result := in.check(c.Result())
	in.locals = in.locals[:outside]
	return in.set(e, in.resolved(result, false))
}
