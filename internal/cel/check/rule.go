package check

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/crdkit/crdkit/internal/cel/ast"
	"github.com/crdkit/crdkit/internal/cel/parse"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/since"
)

// An Expr is an expression that a server accepts.
type Expr struct {
	AST *ast.AST // with the types of all parts

	// UsesOldSelf says that a rule with this expression is a transition rule (CCO-001). It has no meaning for a
	// messageExpression (CCO-002).
	UsesOldSelf bool

	// Plain says that the expression can certainly be planned (CER-040): it has no conversion of a constant, no type as
	// a value, and no pattern that has not been checked.
	Plain bool
}

// A Checker checks expressions, one after another, and reuses its memory. The zero value is ready to use, by one
// goroutine at a time.
type Checker struct {
	in    inference
	total *Total
	minor since.Minor
}

// For makes c check new expressions as a minor version does from now on. The default is the newest version.
func (c *Checker) For(minor since.Minor) { c.minor = minor }

// CountTo makes c count its work towards t from now on, whose limit then applies. By default, c has a limit for each
// expression.
func (c *Checker) CountTo(t *Total) { c.total = t }

// Rule checks the text of a rule on a node whose type is self. optionalOldSelf says that oldSelf is an optional
// (CTY-030), and stored that the stored definition already has the text, so that it may call all functions (CWH-010).
//
// The text of the error is the whole detail of the field error: "compilation failed: " and the problems, or that the
// result is not a bool. self is not modified, but its fields are built on demand: no other goroutine may use it at the
// same time. If self is nil, the text cannot refer to variables.
//
// Clauses: CER-002 to CER-004, CER-010, CTY-030, CTY-031, CCO-001.
func (c *Checker) Rule(text string, self *types.SchemaType, optionalOldSelf, stored bool) (*Expr, error) {
	s := nodeScope(text, self, optionalOldSelf, environment{stored, c.minor})
	return c.resulting(types.BoolType, text, s, "", "cel expression must evaluate to a bool")
}

// Message checks the text of a messageExpression like [Checker.Rule], except that its result must be a string.
//
// Clauses: CER-002 to CER-004, CER-012, CTY-030, CTY-032, CCO-002.
func (c *Checker) Message(text string, self *types.SchemaType, optionalOldSelf, stored bool) (*Expr, error) {
	s := nodeScope(text, self, optionalOldSelf, environment{stored, c.minor})
	return c.resulting(types.StringType, text, s, "messageExpression ", "messageExpression must evaluate to a string")
}

// Condition checks the text of an expression of admission like [Checker.Rule], with other variables instead of self and
// oldSelf. root is the type whose fields have the types of the objects among them; nil if there are none. The type of
// the result must be one of results; nil is any.
func (c *Checker) Condition(text string, variables []Variable, root *types.SchemaType, stored bool, results ...*types.Type) (*Expr, error) {
	s := &scope{environment: environment{stored, c.minor}, root: root, provider: types.NewProvider(root), variables: variables}
	e, err := c.compile(text, s)
	if err != nil {
		return nil, fmt.Errorf("compilation failed: %w", err)
	}
	t := e.ResultType()
	if results == nil || slices.Contains(results, t) {
		return e, nil
	}
	got := "a larger type"
	if !t.Larger(maxPrinted) {
		got = t.String()
	}
	if len(results) == 1 {
		return nil, fmt.Errorf("must evaluate to %v but got %s", results[0], got)
	}
	return nil, fmt.Errorf("must evaluate to one of %v but got %s", results, got)
}

// maxPrinted is how many parts the type of a result may have in an error.
const maxPrinted = 1000

// ResultType returns the type of the value of e.
func (e *Expr) ResultType() *types.Type { return e.AST.GetType(e.AST.Expr().ID()) }

// resulting checks text, whose result must have exactly the type want, not a wrapper of it. prefix precedes the errors
// of the text, and wrong is the error for a result of another type.
func (c *Checker) resulting(want *types.Type, text string, s *scope, prefix, wrong string) (*Expr, error) {
	e, err := c.compile(text, s)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%scompilation failed: %w", prefix, err)
	case e.ResultType() != want:
		return nil, errors.New(wrong)
	}
	return e, nil
}

// nodeScope returns the scope of an expression on a node with type self.
func nodeScope(text string, self *types.SchemaType, optionalOldSelf bool, e environment) *scope {
	self = self.Avoiding(text) // CTY-013: no expression can name the types of its node
	s := &scope{environment: e, root: self, provider: types.NewProvider(self), self: self.CEL(), oldSelf: self.CEL()}
	if optionalOldSelf && s.self != nil {
		s.oldSelf = types.NewOptionalType(s.self)
	}
	return s
}

// compile parses, checks and validates text. Its error is E of CER-002.
func (c *Checker) compile(text string, s *scope) (*Expr, error) {
	total := c.total
	if total == nil {
		total = new(Total)
	}
	if total.Exhausted() {
		return nil, errTooMuchTotal
	}
	if !s.stored && !since.SurrogateEscapes.In(s.minor) {
		text = surrogateEscape.ReplaceAllString(text, `\ufffd`)
	}
	if e, err := c.infer(text, s, total); e != nil || err != nil {
		return e, err
	}
	return c.explain(text, s, total)
}

// surrogateEscape matches the escape of a surrogate, which an older parser accepts.
var surrogateEscape = regexp.MustCompile(`\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\U0000[dD][89a-fA-F][0-9a-fA-F]{2}`)

// explain parses and checks text with positions. In most cases it has a problem.
func (c *Checker) explain(text string, s *scope, total *Total) (*Expr, error) {
	total.spend(parserWork + byteWork*uint64(min(len(text), parse.MaxLength)))

	// CER-003: parse errors stop before the type check, type errors before the validators.
	tree, problems := parse.Full(text, syntax(s.minor))
	if problems != nil {
		return nil, errors.New(printed(problems, text))
	}
	return c.check(tree.Root, tree, s, total)
}
