package check

import (
	"errors"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/cel/ast"
	"github.com/crdkit/crdkit/internal/cel/parse"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/since"
)

// This file determines the types and references of all parts of an expression, as cel-go's checker does. Positions are
// only needed for the texts of problems, so an expression with a problem is checked twice: first without positions,
// until the first problem, then with positions, for all problems.

// expansions has the macros of each environment.
var expansions = perEnvironment(func(e environment) parse.Macros { return parse.NewMacros(macros(e.minor)...) })

// infer parses, checks and validates text without positions. It returns nil without an error if the expression has a
// problem, or if [parse.Expression] does not accept the text.
func (c *Checker) infer(text string, s *scope, total *Total) (*Expr, error) {
	if !since.EscapedNames.In(s.minor) && strings.Contains(text, "`") {
		return nil, nil
	}
	root, ok := parse.Expression(text, expansions(environment{minor: s.minor}))
	if !ok {
		return nil, nil
	}
	return c.check(root, nil, s, total)
}

// check checks and validates an expression. The error has all problems. If tree is nil, there are no positions, and the
// result is nil without an error if there is a problem.
func (c *Checker) check(root *ast.Expr, tree *parse.Tree, s *scope, total *Total) (*Expr, error) {
	in := &c.in
	defer in.reset()
	in.scope, in.vocabulary, in.limit = s, vocabularies(s.environment), total.steps()
	in.typeArguments = since.TypeArguments.In(s.minor)
	in.tree, in.plain = tree, true
	e := in.expression(root)
	total.spendSteps(in.steps)
	switch {
	case in.steps > in.limit && in.limit == maxSteps:
		return nil, errTooMuch
	case in.steps > in.limit:
		return nil, errTooMuchTotal
	case !in.faulty():
		return e, nil
	case tree == nil:
		return nil, nil
	}
	return nil, errors.New(printed(&in.problems, tree.Text))
}

// maxKept is the number of nodes, of variables and of bindings of the largest expression whose memory is reused.
const maxKept = 4096

// An inference determines the types of the nodes of one expression. After a problem, the type of a node is an error,
// which matches all types, so that each fault is reported once.
type inference struct {
	matcher
	*scope
	*vocabulary

	parts       []ast.Fact // by id
	locals      []local    // in scope, innermost last
	usesOldSelf bool
	plain       bool // see Expr
	suspect     bool // something has to be validated: CEN-050

	tree     *parse.Tree // with the positions of problems; nil: nobody wants their texts
	problems parse.Problems
}

// expression checks and validates a tree. The result has no meaning if there is a problem.
func (in *inference) expression(root *ast.Expr) *Expr {
	in.check(root)
	if in.faulty() {
		return nil
	}
	a := ast.NewCheckedAST(root, in.results())
	if in.suspect && in.steps <= in.limit {
		in.validate(a)
	}
	return &Expr{AST: a, UsesOldSelf: in.usesOldSelf, Plain: in.plain}
}

// report adds a problem of the node with that id. Its text consists of parts: strings, types, and applications.
func (in *inference) report(id int64, parts ...any) {
	text := ""
	if in.tree != nil && len(in.problems.List) < parse.MaxProblems {
		text = in.print(parts)
	}
	in.problems.Add(in.tree.Position(id), text)
}

// faulty reports whether there is a problem.
func (in *inference) faulty() bool { return len(in.problems.List) > 0 }

// undeclared reports that there is no variable, type or function with that name.
func (in *inference) undeclared(e *ast.Expr, name string) *types.Type {
	in.report(e.ID(), "undeclared reference to '", name, "' (in container '')")
	return in.set(e, types.ErrorType)
}

// mismatch reports that e should have another type.
func (in *inference) mismatch(e *ast.Expr, expected, actual *types.Type) {
	in.report(e.ID(), "expected type '", expected, "' but found '", actual, "'")
}

// syntax reports a problem if the version does not know the syntax of e, which is that of fact.
// [parse.Expression] accepts it, so that [parse.Full] has to say what is wrong.
func (in *inference) syntax(e *ast.Expr, fact since.Fact) {
	if !fact.In(in.minor) {
		in.report(e.ID(), "unsupported syntax")
	}
}

// done reports whether the rest of the expression does not matter: there is a problem and nobody wants its text, or the
// expression takes too long.
func (in *inference) done() bool {
	return in.faulty() && in.tree == nil || in.steps > in.limit
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
	if max(len(in.parts), cap(in.bound), cap(in.trail)) > maxKept {
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

// set records the type of e. A tree has each node once: macros copy what they use twice.
func (in *inference) set(e *ast.Expr, t *types.Type) *types.Type {
	in.part(e).Type = t
	return t
}

// refer records the reference of e.
func (in *inference) refer(e *ast.Expr, r *ast.ReferenceInfo) {
	in.part(e).Reference = r
	if r.Name == oldSelfName { // CCO-001: also a loop variable of that name
		in.usesOldSelf = true
	}
}

// check determines the types of e and of its parts, and returns that of e, which may contain variables.
func (in *inference) check(e *ast.Expr) *types.Type {
	if in.done() {
		return types.ErrorType
	}
	switch e.Kind() {
	case ast.LiteralKind:
		return in.set(e, e.AsLiteral().Type())
	case ast.IdentKind:
		return in.name(e)
	case ast.SelectKind:
		return in.chain(e)
	case ast.CallKind:
		return in.call(e)
	case ast.ListKind:
		return in.list(e)
	case ast.MapKind:
		return in.mapping(e)
	case ast.StructKind:
		return in.message(e)
	case ast.ComprehensionKind:
		return in.loop(e)
	}
	in.report(e.ID(), "unexpected unspecified type: ") // the parser makes no such node
	return in.set(e, types.ErrorType)
}

// selection checks a field selection. direct says that its operand is not a qualified name.
func (in *inference) selection(e *ast.Expr, direct bool) *types.Type {
	s := e.AsSelect()
	var of *types.Type
	if direct && s.Operand().Kind() == ast.SelectKind {
		of = in.selection(s.Operand(), true)
	} else {
		of = in.check(s.Operand())
	}
	t := in.field(e, of, s.FieldName(), false)
	if s.IsTestOnly() {
		t = types.BoolType
	}
	return in.set(e, in.resolved(t, false))
}

// field returns the type of the field that e selects from a value of type of. It is an optional if of is one, and if
// optional is set.
func (in *inference) field(e *ast.Expr, of *types.Type, name string, optional bool) *types.Type {
	of, wrapped := unwrapped(in.resolved(of, false))
	t := types.DynType
	switch of.Kind() {
	case types.MapKind:
		t = of.Parameters()[1]
	case types.StructKind:
		t = in.fieldOf(of.TypeName(), name, e.ID())
	case types.TypeParamKind:
		in.match(types.DynType, of)
	case types.DynKind, types.AnyKind, types.ErrorKind:
	default:
		in.report(e.ID(), "type '", of, "' does not support field selection")
	}
	if optional || wrapped {
		return types.NewOptionalType(t)
	}
	return t
}

// fieldOf returns the type of a field of an object or a message. If there is none, that is a problem of the node with
// that id.
func (in *inference) fieldOf(message, name string, id int64) *types.Type {
	if fields, ok := in.composed(message); ok {
		if t := fields[name]; t != nil {
			return t
		}
	} else if o := in.root.Object(message); o != nil {
		if f := o.Select(name); f != nil && in.mayName(name) {
			return f.CEL()
		}
	} else if _, known := in.provider.FindStructType(message); !known {
		in.report(id, "unexpected failed resolution of '", message, "'")
		return types.ErrorType
	} else if f, ok := in.provider.FindStructFieldType(message, name); ok && in.mayName(name) {
		return f
	}
	in.report(id, "undefined field '", name, "'")
	return types.ErrorType
}

// unwrapped returns the type of the value in an optional, and whether t is an optional.
func unwrapped(t *types.Type) (*types.Type, bool) {
	if t.Kind() == types.OpaqueKind && t.TypeName() == "optional_type" {
		return t.Parameters()[0], true
	}
	return t, false
}

// given returns the type that e, an element, entry or field of type t, contributes to a literal. If it is optional,
// that is the type of its value.
func (in *inference) given(e *ast.Expr, t *types.Type, optional bool) *types.Type {
	if !optional {
		return t
	}
	in.syntax(e, since.OptionalValues)
	value, wrapped := unwrapped(t)
	if !wrapped && !anything(t.Kind()) {
		in.mismatch(e, types.NewOptionalType(t), t)
	}
	return value
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
		elem = in.join(elem, in.given(part, in.check(part), l.IsOptional(int32(i))))
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
		value = in.join(value, in.given(m.Value(), in.check(m.Value()), m.IsOptional()))
	}
	if key == nil {
		n := in.fresh(2)
		key, value = variable(n), variable(n+1)
	}
	return in.set(e, types.NewMapType(key, value))
}

// message checks a literal of a message: google.protobuf.Int64Value{value: 1}.
func (in *inference) message(e *ast.Expr) *types.Type {
	in.plain = false
	m := e.AsStruct()
	name := strings.TrimPrefix(m.TypeName(), ".")
	meta, reference := in.provided(name)
	if meta == nil || reference.Value != nil {
		return in.undeclared(e, m.TypeName())
	}
	if name != m.TypeName() {
		e.Replace(ast.NewStruct(e.ID(), name, m.Fields()))
	}
	in.refer(e, reference)
	made := meta.Parameters()[0]
	switch known := messageOf(made); {
	case known != "":
		name = known
	case made.Kind() == types.StructKind:
		name = made.TypeName()
	default:
		in.report(e.ID(), "'", made.TypeName(), "' is not a message type")
		made = types.ErrorType
	}
	in.set(e, made)
	for _, field := range e.AsStruct().Fields() {
		value := in.check(field.Value())
		want := in.fieldOf(name, field.Name(), field.ID())
		value = in.given(field.Value(), value, field.IsOptional())
		if !in.match(want, value) {
			in.report(field.ID(), "expected type of field '", field.Name(), "' is '", want, "' but provided type is '", value, "'")
		}
	}
	return made
}

// messageOf returns the name of the message whose literals have the type t, which is not the type of an object.
// Otherwise it returns "". Wrappers of int, uint and double are those of 64 bits.
func messageOf(t *types.Type) string {
	switch t.Kind() {
	case types.AnyKind:
		return "google.protobuf.Any"
	case types.DurationKind:
		return "google.protobuf.Duration"
	case types.DynKind:
		return "google.protobuf.Value"
	case types.NullTypeKind:
		return "google.protobuf.NullValue"
	case types.TimestampKind:
		return "google.protobuf.Timestamp"
	case types.ListKind:
		if t.Parameters()[0].Kind() == types.DynKind {
			return "google.protobuf.ListValue"
		}
	case types.MapKind:
		if t.Parameters()[0].Kind() == types.StringKind && t.Parameters()[1].Kind() == types.DynKind {
			return "google.protobuf.Struct"
		}
	}
	if t.IsWrapper() {
		return wrappers[t.Kind()]
	}
	return ""
}

var wrappers = map[types.Kind]string{
	types.BoolKind: "google.protobuf.BoolValue", types.BytesKind: "google.protobuf.BytesValue",
	types.DoubleKind: "google.protobuf.DoubleValue", types.IntKind: "google.protobuf.Int64Value",
	types.StringKind: "google.protobuf.StringValue", types.UintKind: "google.protobuf.UInt64Value",
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
	case types.TypeParamKind, types.DynKind, types.ErrorKind:
		in.match(types.DynType, over)
		first, second = types.DynType, types.DynType
	default:
		in.report(c.IterRange().ID(), "expression of type '", over,
			"' cannot be range of a comprehension (must be list, map, or dynamic)")
		first, second = types.ErrorType, types.ErrorType
	}
	outside := len(in.locals)
	in.declare(c.AccuVar(), gathered)
	inside := len(in.locals)
	in.declare(c.IterVar(), first)
	if c.HasIterVar2() {
		in.declare(c.IterVar2(), second)
	}
	in.require(c.LoopCondition(), types.BoolType)
	in.require(c.LoopStep(), gathered)
	in.locals = in.locals[:inside]
	result := in.check(c.Result())
	in.locals = in.locals[:outside]
	return in.set(e, in.resolved(result, false))
}

// require checks e, which must have a type that matches want.
func (in *inference) require(e *ast.Expr, want *types.Type) {
	if t := in.check(e); !in.match(want, t) {
		in.mismatch(e, want, t)
	}
}
