package check

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/crdkit/crdkit/internal/cel/ast"
	"github.com/crdkit/crdkit/internal/cel/eval"
	"github.com/crdkit/crdkit/internal/cel/parse"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/since"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common"
	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/containers"
	"github.com/google/cel-go/common/decls"
	celtypes "github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/parser"
)

// This file has all that uses cel-go, which checks the expressions that infer gives up, and the conversions from and to
// its types and trees.

// Limits of the parser (CEN-003). cel-go has the same, but they are set here so that a newer version does not change
// what compiles.
const (
	maxCodePoints       = 100_000
	maxRecursion        = 250
	maxSyntaxErrors     = 100
	maxRecoveries       = 30
	maxRecoveryLookover = 256
)

// expressionParser returns the parser for expressions of a minor version. Stored expressions are parsed like new ones.
func expressionParser(minor since.Minor) (*parser.Parser, error) {
	p := parsers(environment{minor: minor})
	return p.it, p.err
}

var parsers = perEnvironment(func(e environment) celgo[*parser.Parser] {
	var expanded []parser.Macro
	for _, m := range macros(e.minor) {
		expanded = append(expanded, celMacro(m))
	}
	return made(parser.NewParser(
		parser.Macros(expanded...),
		parser.EnableOptionalSyntax(since.OptionalValues.In(e.minor)),
		parser.EnableIdentEscapeSyntax(since.EscapedNames.In(e.minor)),
		parser.EnableHiddenAccumulatorName(true),
		parser.ExpressionSizeCodePointLimit(maxCodePoints),
		parser.MaxRecursionDepth(maxRecursion),
		parser.ErrorReportingLimit(maxSyntaxErrors),
		parser.ErrorRecoveryLimit(maxRecoveries),
		parser.ErrorRecoveryLookaheadTokenLimit(maxRecoveryLookover),
	))
})

// Syntax returns the tree of an expression without expanding macros, or nil if text is not valid CEL.
func Syntax(text string) *ast.Expr {
	p, err := parser.NewParser(
		parser.EnableOptionalSyntax(true), parser.MaxRecursionDepth(100), parser.ErrorRecoveryLimit(1))
	if err != nil {
		return nil
	}
	parsed, errs := p.Parse(common.NewTextSource(text))
	if parsed == nil || errs != nil && len(errs.GetErrors()) > 0 {
		return nil
	}
	return ownExpr(parsed.Expr())
}

// A celgo is a value of cel-go, or the error of creating it.
type celgo[T any] struct {
	it  T
	err error
}

func made[T any](it T, err error) celgo[T] { return celgo[T]{it, err} }

// celGoCheck parses and checks text with cel-go.
func celGoCheck(text string, s *scope, total *Total) (e *Expr, err error) {
	defer func() {
		// The program may link another version of cel-go than the one that is known not to panic.
		if p := recover(); p != nil {
			e, err = nil, fmt.Errorf("ERROR: <input>:-1:0: the expression cannot be checked: %v", p)
		}
	}()
	p, err := expressionParser(s.minor)
	if err != nil {
		return nil, err
	}
	total.spend(celGoEffort + byteEffort*uint64(min(len(text), maxCodePoints)))
	source := common.NewTextSource(text)

	// CER-003: parse errors stop before the type check, type errors before the validators.
	parsed, errs := p.Parse(withoutLines(source))
	if len(errs.GetErrors()) > 0 {
		return nil, errors.New(problemsFrom(source, errs).text())
	}
	work := newEffort(s)
	work.expression(ownExpr(parsed.Expr()))
	if work.tooMuch() {
		return nil, errTooMuchEffort
	}
	work.most = min(maxEffort, total.left())
	if work.tooMuch() {
		total.spend(work.spent)
		return nil, errTooMuchTotal
	}
	env, err := s.checkerEnv(countingProvider{fieldProvider{s.provider, s.environment}, work})
	if err != nil {
		return nil, err
	}
	checked, errs := checker.Check(parsed, withoutLines(source), env)
	total.spend(work.spent)
	switch {
	case work.wanted > maxEffort:
		return nil, errTooMuchEffort
	case work.wanted > 0:
		total.spend(work.wanted)
		return nil, errTooMuchTotal
	}
	if len(errs.GetErrors()) > 0 {
		return nil, errors.New(problemsFrom(source, errs).text())
	}
	e = ownAST(checked)
	if problems := validate(e.AST, source, s.minor); problems != nil {
		return nil, errors.New(problems.text())
	}
	return e, nil
}

// problemsFrom returns the problems that cel-go has found in source. They must have been found in withoutLines(source).
func problemsFrom(source common.Source, errs *common.Errors) *problems {
	p := &problems{source: source}
	for _, e := range errs.GetErrors() {
		p.list = append(p.list, problem{e.Location.Line(), e.Location.Column(), e.Message})
	}
	if len(p.list) >= maxProblems {
		// Only the printed form says how many more there were.
		printed := errs.ToDisplayString()
		if last := printed[strings.LastIndexByte(printed, '\n')+1:]; strings.HasSuffix(last, "more errors were truncated") {
			p.more = last
		}
	}
	return p
}

// withoutLines returns source without its lines, so that cel-go prints no source lines with its problems. Printing them
// takes cel-go time quadratic in the length of a line.
func withoutLines(source common.Source) common.Source { return plainSource{source} }

type plainSource struct{ common.Source }

func (plainSource) Snippet(int) (string, bool) { return "", false }

// The functions of each environment (CEN-001), declared once per process. They are not modified afterwards.
var baseEnvironments = perEnvironment(func(e environment) celgo[*checker.Env] { return made(baseEnvironment(e)) })

func baseEnvironment(e environment) (*checker.Env, error) {
	functions, err := declarations(functions(e))
	if err != nil {
		return nil, err
	}
	env, err := checker.NewEnv(
		containers.DefaultContainer, celtypes.NewEmptyRegistry(), checker.CrossTypeNumericComparisons(true))
	if err != nil {
		return nil, err
	}
	return env, env.AddFunctions(functions...)
}

// declarations returns the functions in the form that the checker needs. The checker merges those of the same name.
func declarations(functions []*eval.Function) ([]*decls.FunctionDecl, error) {
	declared := make([]*decls.FunctionDecl, len(functions))
	for i, f := range functions {
		var overloads []decls.FunctionOpt
		for _, o := range f.Overloads {
			declare := decls.Overload
			if o.Method {
				declare = decls.MemberOverload
			}
			overloads = append(overloads, declare(o.ID, celTypes(o.Args), celType(o.Result)))
		}
		var err error
		if declared[i], err = decls.NewFunction(f.Name, overloads...); err != nil {
			return nil, err
		}
	}
	return declared, nil
}

// checkerEnv returns the checker's environment for s, with provider in place of that of s.
func (s *scope) checkerEnv(provider types.Provider) (*checker.Env, error) {
	base := baseEnvironments(s.environment)
	if base.err != nil {
		return nil, base.err
	}
	env, err := checker.NewEnv(containers.DefaultContainer, celProvider{provider},
		checker.ValidatedDeclarations(base.it), checker.CrossTypeNumericComparisons(true))
	if err != nil {
		return nil, err
	}
	for _, v := range s.variables {
		if err := env.AddIdents(decls.NewVariable(v.Name, celType(v.Type))); err != nil {
			return nil, err
		}
	}
	if s.self == nil {
		return env, nil
	}
	return env, env.AddIdents(
		decls.NewVariable(selfName, celType(s.self)), decls.NewVariable(oldSelfName, celType(s.oldSelf)))
}

// A celProvider is a provider for cel-go's checker.
type celProvider struct{ own types.Provider }

func (p celProvider) EnumValue(name string) ref.Val {
	if v, ok := p.own.FindIdent(name); ok {
		return celValue(v)
	}
	return celtypes.NewErr("unknown enum name '%s'", name)
}

func (p celProvider) FindIdent(name string) (ref.Val, bool) {
	v, ok := p.own.FindIdent(name)
	if !ok {
		return nil, false
	}
	return celValue(v), true
}

func (p celProvider) FindStructType(name string) (*celtypes.Type, bool) {
	t, ok := p.own.FindStructType(name)
	return celType(t), ok
}

func (p celProvider) FindStructFieldNames(string) ([]string, bool) { return nil, false }

func (p celProvider) FindStructFieldType(object, field string) (*celtypes.FieldType, bool) {
	t, ok := p.own.FindStructFieldType(object, field)
	return &celtypes.FieldType{Type: celType(t)}, ok
}

func (p celProvider) NewValue(string, map[string]ref.Val) ref.Val {
	return celtypes.NewErr("no values")
}

// simpleTypes has the types without parameters.
var simpleTypes = map[*types.Type]*celtypes.Type{
	types.AnyType: celtypes.AnyType, types.BoolType: celtypes.BoolType, types.BytesType: celtypes.BytesType,
	types.DoubleType: celtypes.DoubleType, types.DurationType: celtypes.DurationType, types.DynType: celtypes.DynType,
	types.IntType: celtypes.IntType, types.NullType: celtypes.NullType, types.StringType: celtypes.StringType,
	types.TimestampType: celtypes.TimestampType, types.TypeType: celtypes.TypeType, types.UintType: celtypes.UintType,
}

// celType returns a type of cel-go.
func celType(t *types.Type) *celtypes.Type {
	if t == nil || simpleTypes[t] != nil {
		return simpleTypes[t]
	}
	parameters := celTypes(t.Parameters())
	switch t.Kind() {
	case types.ListKind:
		return celtypes.NewListType(parameters[0])
	case types.MapKind:
		return celtypes.NewMapType(parameters[0], parameters[1])
	case types.OpaqueKind:
		return celtypes.NewOpaqueType(t.TypeName(), parameters...)
	case types.StructKind:
		return celtypes.NewObjectType(t.TypeName())
	case types.TypeKind:
		return celtypes.NewTypeTypeWithParam(parameters[0])
	case types.TypeParamKind:
		return celtypes.NewTypeParamType(t.TypeName())
	}
	for simple, of := range simpleTypes {
		if simple.Kind() == t.Kind() {
			return celtypes.NewNullableType(of)
		}
	}
	return nil
}

func celTypes(all []*types.Type) []*celtypes.Type {
	out := make([]*celtypes.Type, len(all))
	for i, t := range all {
		out[i] = celType(t)
	}
	return out
}

// ownType is the inverse of celType.
func ownType(t *celtypes.Type) *types.Type {
	var parameters []*types.Type
	for _, p := range t.Parameters() {
		parameters = append(parameters, ownType(p))
	}
	switch t.Kind() {
	case celtypes.ListKind:
		return types.NewListType(parameters[0])
	case celtypes.MapKind:
		return types.NewMapType(parameters[0], parameters[1])
	case celtypes.OpaqueKind:
		return types.NewOpaqueType(t.TypeName(), parameters...)
	case celtypes.StructKind:
		return types.NewObjectType(t.TypeName())
	case celtypes.TypeParamKind:
		return types.NewTypeParamType(t.TypeName())
	case celtypes.TypeKind:
		if len(parameters) > 0 {
			return types.NewTypeTypeWithParam(parameters[0])
		}
	}
	for own, simple := range simpleTypes {
		switch {
		case simple.Kind() != t.Kind():
		case strings.HasPrefix(t.DeclaredTypeName(), "wrapper("):
			return types.NewNullableType(own)
		default:
			return own
		}
	}
	return nil
}

// celValue returns a value of cel-go.
func celValue(v types.Value) ref.Val {
	switch v := v.(type) {
	case types.Bool:
		return celtypes.Bool(v)
	case types.Bytes:
		return celtypes.Bytes(v)
	case types.Double:
		return celtypes.Double(v)
	case types.Int:
		return celtypes.Int(v)
	case types.String:
		return celtypes.String(v)
	case types.Uint:
		return celtypes.Uint(v)
	case *types.Type:
		return celType(v)
	}
	return celtypes.NullValue
}

// ownValue is the inverse of celValue.
func ownValue(v ref.Val) types.Value {
	switch v := v.(type) {
	case celtypes.Bool:
		return types.Bool(v)
	case celtypes.Bytes:
		return types.Bytes(v)
	case celtypes.Double:
		return types.Double(v)
	case celtypes.Int:
		return types.Int(v)
	case celtypes.String:
		return types.String(v)
	case celtypes.Uint:
		return types.Uint(v)
	}
	return types.NullValue
}

// ownAST returns an expression that cel-go has checked.
func ownAST(a *celast.AST) *Expr {
	var source ast.SourceInfo
	starts, lines := a.SourceInfo().OffsetRanges(), a.SourceInfo().LineOffsets()
	for id, at := range starts {
		n := sort.Search(len(lines), func(i int) bool { return lines[i] > at.Start })
		column := at.Start
		if n > 0 {
			column -= lines[n-1]
		}
		source.SetStart(id, ast.Position{Line: n + 1, Column: int(column)})
	}
	var facts []ast.Fact
	fact := func(id int64) *ast.Fact {
		facts = append(facts, make([]ast.Fact, max(0, int(id)+1-len(facts)))...)
		return &facts[id]
	}
	for id, t := range a.TypeMap() {
		fact(id).Type = ownType(t)
	}
	e := &Expr{}
	for id, r := range a.ReferenceMap() {
		own := ast.NewFunctionReference(r.OverloadIDs...)
		own.Name = r.Name
		if r.Value != nil {
			own.Value = ownValue(r.Value)
		}
		fact(id).Reference = own
		// CCO-001. A loop variable of that name counts. In such a loop, .oldSelf does not: its reference has the name
		// .oldSelf.
		e.UsesOldSelf = e.UsesOldSelf || r.Name == oldSelfName
	}
	e.AST = ast.NewCheckedAST(ownExpr(a.Expr()), &source, facts)
	return e
}

// ownExpr returns a tree of cel-go as one of ours.
func ownExpr(e celast.Expr) *ast.Expr {
	all := func(exprs []celast.Expr) []*ast.Expr {
		var out []*ast.Expr
		for _, e := range exprs {
			out = append(out, ownExpr(e))
		}
		return out
	}
	switch e.Kind() {
	case celast.LiteralKind:
		return ast.NewLiteral(e.ID(), ownValue(e.AsLiteral()))
	case celast.IdentKind:
		return ast.NewIdent(e.ID(), e.AsIdent())
	case celast.SelectKind:
		s := e.AsSelect()
		if s.IsTestOnly() {
			return ast.NewPresenceTest(e.ID(), ownExpr(s.Operand()), s.FieldName())
		}
		return ast.NewSelect(e.ID(), ownExpr(s.Operand()), s.FieldName())
	case celast.CallKind:
		c := e.AsCall()
		if c.IsMemberFunction() {
			return ast.NewMemberCall(e.ID(), c.FunctionName(), ownExpr(c.Target()), all(c.Args())...)
		}
		return ast.NewCall(e.ID(), c.FunctionName(), all(c.Args())...)
	case celast.ListKind:
		return ast.NewList(e.ID(), all(e.AsList().Elements()), slices.Sorted(slices.Values(e.AsList().OptionalIndices())))
	case celast.MapKind:
		var entries []ast.MapEntry
		for _, x := range e.AsMap().Entries() {
			m := x.AsMapEntry()
			entries = append(entries, ast.NewMapEntry(x.ID(), ownExpr(m.Key()), ownExpr(m.Value()), m.IsOptional()))
		}
		return ast.NewMap(e.ID(), entries)
	case celast.StructKind:
		var fields []ast.StructField
		for _, x := range e.AsStruct().Fields() {
			f := x.AsStructField()
			fields = append(fields, ast.NewStructField(x.ID(), f.Name(), ownExpr(f.Value()), f.IsOptional()))
		}
		return ast.NewStruct(e.ID(), e.AsStruct().TypeName(), fields)
	case celast.ComprehensionKind:
		c := e.AsComprehension()
		p := all([]celast.Expr{c.IterRange(), c.AccuInit(), c.LoopCondition(), c.LoopStep(), c.Result()})
		return ast.NewComprehensionTwoVar(e.ID(), p[0], c.IterVar(), c.IterVar2(), c.AccuVar(), p[1], p[2], p[3], p[4])
	}
	return ast.NewUnspecifiedExpr(e.ID())
}

// celMacro returns a macro for cel-go's parser.
func celMacro(m parse.Macro) parser.Macro {
	expand := func(h parser.ExprHelper, target celast.Expr, args []celast.Expr) (celast.Expr, *common.Error) {
		x := &celHelper{cel: h, trees: map[*ast.Expr]celast.Expr{}}
		var of *ast.Expr
		if m.IsReceiverStyle() {
			of = x.standIn(target)
		}
		with := make([]*ast.Expr, len(args))
		for i, arg := range args {
			with[i] = x.standIn(arg)
		}
		e, err := m.Expander()(x, of, with)
		if err != nil {
			return nil, h.NewError(err.ID, err.Text)
		}
		return x.tree(e), nil
	}
	if m.IsReceiverStyle() {
		return parser.NewReceiverMacro(m.Function(), m.ArgCount(), expand)
	}
	return parser.NewGlobalMacro(m.Function(), m.ArgCount(), expand)
}

// A celHelper creates nodes whose ids are those that cel-go's parser assigns.
type celHelper struct {
	cel   parser.ExprHelper
	trees map[*ast.Expr]celast.Expr // what the nodes stand for
}

// standIn returns a node that stands for e. It has as much of e as macros look at.
func (h *celHelper) standIn(e celast.Expr) *ast.Expr {
	var own *ast.Expr
	switch id := e.ID(); e.Kind() {
	case celast.IdentKind:
		own = ast.NewIdent(id, e.AsIdent())
	case celast.SelectKind:
		own = ast.NewSelect(id, h.standIn(e.AsSelect().Operand()), e.AsSelect().FieldName())
	case celast.CallKind:
		own = ast.NewCall(id, "")
	case celast.ListKind:
		own = ast.NewList(id, nil, nil)
	case celast.ComprehensionKind:
		own = ast.NewComprehension(id, nil, "", "", nil, nil, nil, nil)
	default:
		own = ast.NewLiteral(id, types.NullValue)
	}
	h.trees[own] = e
	return own
}

// tree returns the tree of an expansion.
func (h *celHelper) tree(e *ast.Expr) celast.Expr {
	if known := h.trees[e]; known != nil {
		return known
	}
	f := celast.NewExprFactory()
	var to celast.Expr
	switch id := e.ID(); e.Kind() {
	case ast.LiteralKind:
		to = f.NewLiteral(id, celValue(e.AsLiteral()))
	case ast.IdentKind:
		to = f.NewIdent(id, e.AsIdent())
	case ast.SelectKind:
		to = f.NewPresenceTest(id, h.tree(e.AsSelect().Operand()), e.AsSelect().FieldName())
	case ast.CallKind:
		c := e.AsCall()
		if c.IsMemberFunction() {
			to = f.NewMemberCall(id, c.FunctionName(), h.tree(c.Target()), h.treesOf(c.Args())...)
		} else {
			to = f.NewCall(id, c.FunctionName(), h.treesOf(c.Args())...)
		}
	case ast.ListKind:
		to = f.NewList(id, h.treesOf(e.AsList().Elements()), nil)
	case ast.MapKind:
		to = f.NewMap(id, nil)
	case ast.ComprehensionKind:
		c := e.AsComprehension()
		p := h.treesOf([]*ast.Expr{c.IterRange(), c.AccuInit(), c.LoopCondition(), c.LoopStep(), c.Result()})
		to = f.NewComprehensionTwoVar(id, p[0], c.IterVar(), c.IterVar2(), c.AccuVar(), p[1], p[2], p[3], p[4])
	}
	h.trees[e] = to
	return to
}

func (h *celHelper) treesOf(all []*ast.Expr) []celast.Expr {
	out := make([]celast.Expr, len(all))
	for i, e := range all {
		out[i] = h.tree(e)
	}
	return out
}

func (h *celHelper) newID() int64 { return h.cel.NewLiteral(celtypes.NullValue).ID() }

func (h *celHelper) Copy(e *ast.Expr) *ast.Expr { return h.standIn(h.cel.Copy(h.tree(e))) }

func (h *celHelper) NewLiteral(v types.Value) *ast.Expr { return ast.NewLiteral(h.newID(), v) }

func (h *celHelper) NewList(elems ...*ast.Expr) *ast.Expr { return ast.NewList(h.newID(), elems, nil) }

func (h *celHelper) NewMap(entries ...ast.MapEntry) *ast.Expr { return ast.NewMap(h.newID(), entries) }

func (h *celHelper) NewIdent(name string) *ast.Expr { return ast.NewIdent(h.newID(), name) }

func (h *celHelper) NewAccuIdent() *ast.Expr { return h.NewIdent(h.AccuIdentName()) }

func (h *celHelper) AccuIdentName() string { return h.cel.AccuIdentName() }

func (h *celHelper) NewCall(function string, args ...*ast.Expr) *ast.Expr {
	return ast.NewCall(h.newID(), function, args...)
}

func (h *celHelper) NewMemberCall(function string, target *ast.Expr, args ...*ast.Expr) *ast.Expr {
	return ast.NewMemberCall(h.newID(), function, target, args...)
}

func (h *celHelper) NewPresenceTest(operand *ast.Expr, field string) *ast.Expr {
	return ast.NewPresenceTest(h.newID(), operand, field)
}

func (h *celHelper) NewComprehension(
	over *ast.Expr, variable, accumulator string, start, condition, step, result *ast.Expr,
) *ast.Expr {
	return ast.NewComprehension(h.newID(), over, variable, accumulator, start, condition, step, result)
}

func (h *celHelper) NewComprehensionTwoVar(
	over *ast.Expr, key, value, accumulator string, start, condition, step, result *ast.Expr,
) *ast.Expr {
	return ast.NewComprehensionTwoVar(h.newID(), over, key, value, accumulator, start, condition, step, result)
}

func (h *celHelper) NewError(id int64, text string) *parse.Error {
	return &parse.Error{ID: id, Text: text}
}
