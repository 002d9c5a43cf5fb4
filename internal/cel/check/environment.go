package check

import (
	"github.com/crdkit/crdkit/internal/cel/declare"
	"github.com/crdkit/crdkit/internal/cel/parse"
	"github.com/crdkit/crdkit/internal/since"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/containers"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// The names of the variables (CTY-030).
const (
	selfName    = "self"
	oldSelfName = "oldSelf"
)

// syntax returns what expressions of a minor version may consist of. Stored expressions are parsed like new ones.
func syntax(minor since.Minor) parse.Options {
	return parse.Options{
		Macros:         expansions(environment{minor: minor}),
		OptionalSyntax: since.OptionalValues.In(minor),
		EscapedNames:   since.EscapedNames.In(minor),
	}
}

// A celgo is a value of cel-go, or the error of creating it.
type celgo[T any] struct {
	it  T
	err error
}

func made[T any](it T, err error) celgo[T] { return celgo[T]{it, err} }

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

// A scope has what an expression may refer to: functions, the types of a provider, and the variables of one node or
// those of a condition.
type scope struct {
	environment
	root     *declare.Type // of self, or of the objects in variables
	provider types.Provider
	self     *types.Type // nil: there are no self and oldSelf
	oldSelf  *types.Type

	variables []Variable
}

// A Variable is a variable of a condition: see [Checker.Condition].
type Variable struct {
	Name string
	Type *types.Type
}

// variable returns the variable of that name, or nil.
func (s *scope) variable(name string) *Variable {
	for i := range s.variables {
		if s.variables[i].Name == name {
			return &s.variables[i]
		}
	}
	return nil
}

// mayName reports whether an expression may select the field of that name without escaping it.
func (e environment) mayName(field string) bool {
	return e.stored || since.KeywordFields.In(e.minor) || !declare.Keyword(field)
}

// mayMention reports whether an expression may use the type of that name as a value.
func (e environment) mayMention(typ string) bool {
	fact, dated := datedTypes[typ]
	return e.stored || !dated || fact.In(e.minor)
}

// datedTypes are the types that older versions have no name for.
var datedTypes = map[string]since.Fact{
	"optional_type": since.OptionalType, "net.IP": since.Addresses, "net.CIDR": since.Addresses,
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

// checkerEnv returns the checker's environment for s, with provider in place of that of s.
func (s *scope) checkerEnv(provider types.Provider) (*checker.Env, error) {
	base := baseEnvironments(s.environment)
	if base.err != nil {
		return nil, base.err
	}
	env, err := checker.NewEnv(containers.DefaultContainer, provider,
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
