package check

import (
	"errors"
	"testing"

	"github.com/crdkit/crdkit/internal/cel/declare"
	"github.com/crdkit/crdkit/internal/cel/eval"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/schema"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/containers"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/stretchr/testify/require"
)

// This file checks expressions with cel-go's checker and the declarations of this package, to compare the results.

// askCelGo returns the tree that cel-go has for a text, checked and validated, or an error with the text of its type
// errors as cel-go prints them.
func askCelGo(text string, s *scope) (*ast.AST, error) {
	p, err := expressionParser(s.minor)
	if err != nil {
		return nil, err
	}
	source := common.NewTextSource(text)
	parsed, errs := p.Parse(source)
	if len(errs.GetErrors()) > 0 {
		return nil, errors.New(errs.ToDisplayString())
	}
	env, err := s.checkerEnv()
	if err != nil {
		return nil, err
	}
	checked, errs := checker.Check(parsed, source, env)
	if len(errs.GetErrors()) > 0 {
		return nil, errors.New(errs.ToDisplayString())
	}
	in := inference{scope: s, problems: problems{source: source}, info: checked.SourceInfo(), matcher: matcher{limit: maxSteps}}
	if in.validate(checked); in.problems.found > 0 {
		return nil, errors.New(in.problems.text())
	}
	return checked, nil
}

// usesOldSelf reports whether any name in a refers to oldSelf: CCO-001. A loop variable of that name counts. In such a
// loop, .oldSelf does not: its reference has the name .oldSelf.
func usesOldSelf(a *ast.AST) bool {
	for _, reference := range a.ReferenceMap() {
		if reference.Name == oldSelfName {
			return true
		}
	}
	return false
}

// The functions of each environment (CEN-001), declared once per process. They are not modified afterwards.
var baseEnvironments = perEnvironment(func(e environment) celgo[*checker.Env] { return made(baseEnvironment(e)) })

func baseEnvironment(e environment) (*checker.Env, error) {
	functions, err := declarations(functions(e))
	if err != nil {
		return nil, err
	}
	env, err := checker.NewEnv(containers.DefaultContainer, types.NewEmptyRegistry(), checker.CrossTypeNumericComparisons(true))
	if err != nil {
		return nil, err
	}
	return env, env.AddFunctions(functions...)
}

// A fieldProvider has those fields and types of the embedded provider that an environment allows.
type fieldProvider struct {
	types.Provider
	environment
}

// FindStructFieldType finds a field with the embedded provider.
func (p fieldProvider) FindStructFieldType(structType, field string) (*types.FieldType, bool) {
	if !p.mayName(field) {
		return nil, false
	}
	return p.Provider.FindStructFieldType(structType, field)
}

// FindIdent finds a type with the embedded provider.
func (p fieldProvider) FindIdent(name string) (ref.Val, bool) {
	if !p.mayMention(name) {
		return nil, false
	}
	return p.Provider.FindIdent(name)
}

// checkerEnv returns the checker's environment for s.
func (s *scope) checkerEnv() (*checker.Env, error) {
	base := baseEnvironments(s.environment)
	if base.err != nil {
		return nil, base.err
	}
	env, err := checker.NewEnv(containers.DefaultContainer, fieldProvider{s.provider, s.environment},
		checker.ValidatedDeclarations(base.it), checker.CrossTypeNumericComparisons(true))
	if err != nil {
		return nil, err
	}
	for _, v := range s.variables {
		if err := env.AddIdents(decls.NewVariable(v.Name, v.Type)); err != nil {
			return nil, err
		}
	}
	if s.self == nil {
		return env, nil
	}
	return env, env.AddIdents(decls.NewVariable(selfName, s.self), decls.NewVariable(oldSelfName, s.oldSelf))
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
			overloads = append(overloads, declare(o.ID, o.Args, o.Result))
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
	root := declare.Scope(plan.Root(s))
	for _, text := range []string{
		"request.name == 'a'", "request.resource.name == 1", "request.resource == 1", "request.resource.zz == 1", ".request.resource.name == .request.name",
		"[1].all(request, request.resource.name == 1)", "[1].all(request, .request.resource.name == 1)", "[1].all(x, request.resource.name == x)", "has(request.resource.name)",
		"has(request.resource).name", "object.a.b == oldObject.c.d", "object.f(1)", "self == 1", "request == selfType.request{}", "type(request) == selfType.request",
		"selfType.request{name: 'a', zz: 1, resource: 2}", "selfType.zz", "selfType.zz{}", "selfType{}.request.name == 1", "selfType{request: null, ?request: 1}",
		".selfType.request{name: undeclared}", "request.resource.other(1)", "plain.zz == 1", "plain.zz.yy == 1", "plain", "request.resource{}", "request{}",
		"selfType.request.name", "selfType.request.resource.zz", "google.zz == google.protobuf.Duration", "google.yy", "google",
	} {
		s := &scope{root: root, provider: declare.NewProvider(root), variables: []Variable{
			{"object", types.DynType}, {"oldObject", types.DynType}, {"request", root.Field("request").CEL()}, {"request.resource.name", types.IntType},
			{"plain.zz", types.NewMapType(types.StringType, types.IntType)},
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
