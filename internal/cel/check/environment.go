package check

import (
	"github.com/crdkit/crdkit/internal/cel/parse"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/since"
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

// A scope has what an expression may refer to: functions, the types of a provider, and the variables of one node or
// those of a condition.
type scope struct {
	environment
	root     *types.SchemaType // of self, or of the objects in variables
	provider types.Provider
	self     *types.Type // nil: there are no self and oldSelf
	oldSelf  *types.Type

	variables []Variable
}

// A Variable is a variable of a condition: see [Checker.Condition].
type Variable struct {
	Name string
	Type *types.Type
	// Fields are those of an object that is not in the type of all variables. Then the name of Type is its own.
	Fields map[string]*types.Type
}

// composed returns the fields of a variable whose type has that name, and whether there is one.
func (s *scope) composed(typ string) (map[string]*types.Type, bool) {
	for i := range s.variables {
		if v := &s.variables[i]; v.Fields != nil && v.Type.TypeName() == typ {
			return v.Fields, true
		}
	}
	return nil, false
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
	return e.stored || since.KeywordFields.In(e.minor) || !types.IsKeyword(field)
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
