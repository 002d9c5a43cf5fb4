package origin

import (
	"strconv"
	"strings"
)

// The keywords that values violate.
const (
	Type                 = "type"
	Nullable             = "nullable"
	Enum                 = "enum"
	Format               = "format"
	Pattern              = "pattern"
	MinLength            = "minLength"
	MaxLength            = "maxLength"
	Minimum              = "minimum"
	Maximum              = "maximum"
	MultipleOf           = "multipleOf"
	MinItems             = "minItems"
	MaxItems             = "maxItems"
	UniqueItems          = "uniqueItems"
	MinProperties        = "minProperties"
	MaxProperties        = "maxProperties"
	Required             = "required"
	AdditionalProperties = "additionalProperties"
	AnyOf                = "anyOf"
	OneOf                = "oneOf"
	AllOf                = "allOf"
	Not                  = "not"
	IntOrString          = "x-kubernetes-int-or-string"
	EmbeddedResource     = "x-kubernetes-embedded-resource"
	ListType             = "x-kubernetes-list-type"
	Validations          = "x-kubernetes-validations"
)

// NoRule is the index in the origin of an error that does not come from one rule.
const NoRule = -1

// An Origin is what an error comes from. The zero value is none.
type Origin struct {
	form    form
	fault   Fault // of the rule
	syntax  bool  // the value is printed in Go syntax
	keyword string
	index   int // of the rule
	place   Place
	above   int
	rule    any // the *plan.Rule
	// supported are the values in the text of an error that lists them.
	supported []string
}

// A form says how the origin of an error is known.
type form uint8

const (
	unknown      form = iota
	stated            // keyword, rule and place are set
	inSchema          // the error's path leads through a schema, behind above segments
	inDefinition      // the error's path leads through a definition
	rulesSkipped      // there is none: rules were not evaluated
)

// origin gives the functions of this package access to the Origin in an error.
func (o *Origin) origin() *Origin { return o }

// An Error is a *field.Error. This package cannot import its type.
type Error interface{ origin() *Origin }

// Set says that e comes from a keyword of a schema.
func Set(e Error, schema Place, keyword string) {
	o := e.origin()
	o.form, o.keyword, o.index, o.place = stated, keyword, NoRule, schema
}

// SetRule says that e comes from the rule of a schema with that index, a *plan.Rule.
func SetRule(e Error, schema Place, index int, rule any) {
	Set(e, schema, Validations)
	o := e.origin()
	o.index, o.rule = index, rule
}

// Rule returns the rule of [SetRule], or nil.
func Rule(e Error) any { return e.origin().rule }

// A Fault is why a rule could not be evaluated.
type Fault uint8

// The faults that are told apart.
const (
	OtherFault  Fault = iota // or none: the rule is false
	NoOverload               // a function does not take values of these types
	NoSuchKey                // an object or a map does not have a key
	OverLimit                // it costs too much, alone or after others
	NotCompiled              // the rule, or one beside it, does not compile
)

// SetFault says why the evaluation of the rule of e ended.
func SetFault(e Error, f Fault) { e.origin().fault = f }

// FaultOf returns the fault of [SetFault].
func FaultOf(e Error) Fault { return e.origin().fault }

// SetGoSyntax says that the text of e has its value in Go syntax, as before Kubernetes 1.34.
func SetGoSyntax(e Error) { e.origin().syntax = true }

// GoSyntax reports whether [SetGoSyntax] was called for e.
func GoSyntax(e Error) bool { return e.origin().syntax }

// SetSupported sets the values that the text of e lists.
func SetSupported(e Error, values []string) { e.origin().supported = values }

// Supported returns the values of [SetSupported]. They must not be modified.
func Supported(e Error) []string { return e.origin().supported }

// SetInSchema says that the path of e leads to the wrong part of a schema. above is the number of segments before those
// within the schema. It does not change an origin that is stated.
func SetInSchema(e Error, above int) {
	if o := e.origin(); o.form == unknown {
		o.form, o.above = inSchema, above
	}
}

// SetInDefinition says that the path of e leads to the wrong part of a definition. It does not change a known origin.
func SetInDefinition(e Error) {
	if o := e.origin(); o.form == unknown {
		o.form = inDefinition
	}
}

// SetRulesSkipped says of e that it only reports that rules were not evaluated.
func SetRulesSkipped(e Error) { e.origin().form = rulesSkipped }

// RulesSkipped reports whether [SetRulesSkipped] was called for e.
func RulesSkipped(e Error) bool { return e.origin().form == rulesSkipped }

// Stated returns what e comes from, if that is stated.
func Stated(e Error) (keyword, schema string, rule int, ok bool) {
	o := e.origin()
	return o.keyword, o.place.String(), o.index, o.form == stated
}

// InSchema returns the number of segments of the path of e before those within a schema, if it is known to lead through
// one.
func InSchema(e Error) (above int, ok bool) {
	o := e.origin()
	return o.above, o.form == inSchema
}

// InDefinition reports whether the path of e is known to lead through a definition.
func InDefinition(e Error) bool { return e.origin().form == inDefinition }

// A Place is the position of a schema in the schema of a definition: in a branch of a combinator, if there is one, and
// the steps from there. The zero value is the whole schema.
type Place struct {
	Branch *Branch
	Steps  string // properties[spec].items
}

// A Branch is a schema in a combinator, with the place of the schema that has the combinator. The places in a branch
// share it: paths of deeply nested branches would otherwise take quadratic memory.
type Branch struct {
	Of      Place
	Keyword string
	Index   int
}

// String returns the path: properties[spec].anyOf[1].properties[name].
func (p Place) String() string {
	if p.Branch == nil {
		return p.Steps
	}
	var parts []string // the last first
	for {
		parts = append(parts, p.Steps)
		if p.Branch == nil {
			break
		}
		parts, p = append(parts, p.Branch.Keyword+"["+strconv.Itoa(p.Branch.Index)+"]"), p.Branch.Of
	}
	var b strings.Builder
	for i := len(parts) - 1; i >= 0; i-- {
		if b.Len() > 0 && parts[i] != "" {
			b.WriteByte('.')
		}
		b.WriteString(parts[i])
	}
	return b.String()
}
