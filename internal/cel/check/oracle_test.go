package check

import (
	"errors"
	"sync"
	"testing"

	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common"
	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/containers"
	"github.com/google/cel-go/common/decls"
	celtypes "github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/cel/eval"
	"github.com/crdkit/crdkit/internal/cel/parse"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/test/celgo"
	"github.com/crdkit/crdkit/schema"
)

// This file checks expressions with cel-go's checker and the declarations of this package, to compare the results.

// askCelGo returns the tree that cel-go has for a text, or an error with the text of its type errors as cel-go prints
// them. The parser is that of this module.
func askCelGo(text string, s *scope) (*celast.AST, error) {
	tree, problems := parse.Full(text, syntax(s.minor))
	if problems != nil {
		return nil, errors.New(printed(problems, text))
	}
	source := common.NewTextSource(text)
	info := celast.NewSourceInfo(source)
	for id, at := range tree.Places {
		if at != parse.NoPosition {
			offset := info.ComputeOffset(int32(at.Line), int32(at.Column))
			info.SetOffsetRange(int64(id), celast.OffsetRange{Start: offset, Stop: offset})
		}
	}
	env, err := s.checkerEnv()
	if err != nil {
		return nil, err
	}
	checked, errs := checker.Check(celast.NewAST(celgo.Expr(tree.Root), info), source, env)
	if len(errs.GetErrors()) > 0 {
		return nil, errors.New(errs.ToDisplayString())
	}
	return checked, nil
}

// The functions of each environment (CEN-001), declared once per process. They are not modified afterwards.
var baseEnvironments = perEnvironment(func(e environment) func() (*checker.Env, error) {
	return sync.OnceValues(func() (*checker.Env, error) { return baseEnvironment(e) })
})

func baseEnvironment(e environment) (*checker.Env, error) {
	functions, err := declarations(functions(e))
	if err != nil {
		return nil, err
	}
	env, err := checker.NewEnv(containers.DefaultContainer, celtypes.NewEmptyRegistry(), checker.CrossTypeNumericComparisons(true))
	if err != nil {
		return nil, err
	}
	return env, env.AddFunctions(functions...)
}

// A celProvider is the provider of a scope for cel-go, with the fields and types that the environment allows.
type celProvider struct {
	*celtypes.Registry
	scope *scope
}

// FindStructType finds the type of an object or a message.
func (p celProvider) FindStructType(name string) (*celtypes.Type, bool) {
	t, ok := p.scope.provider.FindStructType(name)
	return celgo.Type(t), ok
}

// FindStructFieldType finds a field.
func (p celProvider) FindStructFieldType(name, field string) (*celtypes.FieldType, bool) {
	if !p.scope.mayName(field) {
		return nil, false
	}
	t, ok := p.scope.provider.FindStructFieldType(name, field)
	return &celtypes.FieldType{Type: celgo.Type(t)}, ok
}

// FindIdent finds a type or a constant.
func (p celProvider) FindIdent(name string) (ref.Val, bool) {
	if !p.scope.mayMention(name) {
		return nil, false
	}
	v, ok := p.scope.provider.FindIdent(name)
	return celgo.Value(v), ok
}

// checkerEnv returns the checker's environment for s.
func (s *scope) checkerEnv() (*checker.Env, error) {
	base, err := baseEnvironments(s.environment)()
	if err != nil {
		return nil, err
	}
	env, err := checker.NewEnv(containers.DefaultContainer, celProvider{celtypes.NewEmptyRegistry(), s},
		checker.ValidatedDeclarations(base), checker.CrossTypeNumericComparisons(true))
	if err != nil {
		return nil, err
	}
	for _, v := range s.variables {
		if err := env.AddIdents(decls.NewVariable(v.Name, celgo.Type(v.Type))); err != nil {
			return nil, err
		}
	}
	if s.self == nil {
		return env, nil
	}
	return env, env.AddIdents(decls.NewVariable(selfName, celgo.Type(s.self)), decls.NewVariable(oldSelfName, celgo.Type(s.oldSelf)))
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
			var args []*celtypes.Type
			for _, arg := range o.Args {
				args = append(args, celgo.Type(arg))
			}
			overloads = append(overloads, declare(o.ID, args, celgo.Type(o.Result)))
		}
		var err error
		if declared[i], err = decls.NewFunction(f.Name, overloads...); err != nil {
			return nil, err
		}
	}
	return declared, nil
}

// TestConditions: variables with dots in their names, and objects that a condition can name, mean what they mean to
// cel-go.
func TestConditions(t *testing.T) {
	s, err := schema.CompileLoose(&schema.JSONSchemaProps{Type: "object", Properties: map[string]*schema.JSONSchemaProps{
		"request": {Type: "object", Properties: map[string]*schema.JSONSchemaProps{"name": {Type: "string"}, "resource": {Type: "string"}}},
	}})
	require.NoError(t, err)
	root := types.Scope(plan.Root(s))
	for _, text := range []string{
		"request.name == 'a'", "request.resource.name == 1", "request.resource == 1", "request.resource.zz == 1", ".request.resource.name == .request.name",
		"[1].all(request, request.resource.name == 1)", "[1].all(request, .request.resource.name == 1)", "[1].all(x, request.resource.name == x)", "has(request.resource.name)",
		"has(request.resource).name", "object.a.b == oldObject.c.d", "object.f(1)", "self == 1", "request == selfType.request{}", "type(request) == selfType.request",
		"selfType.request{name: 'a', zz: 1, resource: 2}", "selfType.zz", "selfType.zz{}", "selfType{}.request.name == 1", "selfType{request: null, ?request: 1}",
		".selfType.request{name: undeclared}", "request.resource.other(1)", "plain.zz == 1", "plain.zz.yy == 1", "plain", "request.resource{}", "request{}",
		"selfType.request.name", "selfType.request.resource.zz", "google.zz == google.protobuf.Duration", "google.yy", "google",
	} {
		s := &scope{root: root, provider: types.NewProvider(root), variables: []Variable{
			{Name: "object", Type: types.DynType}, {Name: "oldObject", Type: types.DynType}, {Name: "request", Type: root.Field("request").CEL()},
			{Name: "request.resource.name", Type: types.IntType},
			{Name: "plain.zz", Type: types.NewMapType(types.StringType, types.IntType)},
		}}
		_, want := askCelGo(text, s)
		_, err := new(Checker).compile(text, s)
		if want == nil {
			require.NoError(t, err, text)
		} else {
			require.EqualError(t, err, want.Error(), text)
		}
	}
}
