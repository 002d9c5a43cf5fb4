package check

import (
	"sync"

	"github.com/crdkit/crdkit/cel/internal/declare"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/containers"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/parser"
)

// The names of the variables (CTY-030).
const (
	selfName    = "self"
	oldSelfName = "oldSelf"
)

// Limits of the parser (CEN-003). They are those of cel-go too, but said here so that a newer one does not change what compiles.
const (
	maxCodePoints       = 100_000
	maxRecursion        = 250
	maxSyntaxErrors     = 100
	maxRecoveries       = 30
	maxRecoveryLookover = 256
)

// expressionParser returns the parser of all expressions: the two environments differ in functions only.
var expressionParser = sync.OnceValues(func() (*parser.Parser, error) {
	return parser.NewParser(
		parser.Macros(macros()...),
		parser.EnableOptionalSyntax(true),
		parser.EnableIdentEscapeSyntax(true),
		parser.EnableHiddenAccumulatorName(true),
		parser.ExpressionSizeCodePointLimit(maxCodePoints),
		parser.MaxRecursionDepth(maxRecursion),
		parser.ErrorReportingLimit(maxSyntaxErrors),
		parser.ErrorRecoveryLimit(maxRecoveries),
		parser.ErrorRecoveryLookaheadTokenLimit(maxRecoveryLookover),
	)
})

// The functions of each environment (CEN-001), declared once per process. They are read only afterwards.
var (
	newFunctions    = sync.OnceValues(func() (*checker.Env, error) { return baseEnvironment(false) })
	storedFunctions = sync.OnceValues(func() (*checker.Env, error) { return baseEnvironment(true) })
)

func baseEnvironment(stored bool) (*checker.Env, error) {
	functions, err := declarations(libraries(stored))
	if err != nil {
		return nil, err
	}
	env, err := checker.NewEnv(containers.DefaultContainer, types.NewEmptyRegistry(), checker.CrossTypeNumericComparisons(true))
	if err != nil {
		return nil, err
	}
	if err := env.AddFunctions(functions...); err != nil {
		return nil, err
	}
	return env, nil
}

// A scope is what an expression may mention: functions, the types of a provider, and the variables of one node.
type scope struct {
	stored   bool
	root     *declare.Type // of self; nil: there are no variables
	provider types.Provider
	self     *types.Type
	oldSelf  *types.Type
}

// environment returns the checker's environment for s, with provider in front of that of s.
func (s *scope) environment(provider types.Provider) (*checker.Env, error) {
	functions := newFunctions
	if s.stored {
		functions = storedFunctions
	}
	base, err := functions()
	if err != nil {
		return nil, err
	}
	env, err := checker.NewEnv(containers.DefaultContainer, provider,
		checker.ValidatedDeclarations(base), checker.CrossTypeNumericComparisons(true))
	if err != nil {
		return nil, err
	}
	if s.self == nil {
		return env, nil
	}
	err = env.AddIdents(decls.NewVariable(selfName, s.self), decls.NewVariable(oldSelfName, s.oldSelf))
	if err != nil {
		return nil, err
	}
	return env, nil
}
