package cel

import (
	"context"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/cel/ruleset"
	"github.com/crdkit/crdkit/schema"
)

// Options say how [Compile] and [Rules.Validate] judge rules. Nil is the zero value.
type Options struct {
	// Path is where the schema stands in its document: the beginning of each error's field, and of places in texts. For a definition's
	// it is spec.validation.openAPIV3Schema or spec.versions[0].schema.openAPIV3Schema. Empty: errors begin with properties[spec].
	Path string
	// Stored reports whether the stored definition has an expression already, a rule or a messageExpression. Such an expression may
	// use functions that are too new for others. Nil: none is stored.
	Stored func(expression string) bool
	// Limit is how many errors there are, and how long they are together. The zero value is the default.
	Limit field.Limit
}

func (o *Options) complete() *ruleset.Options {
	if o == nil {
		return nil
	}
	return &ruleset.Options{Path: o.Path, Stored: o.Stored, Limit: o.Limit}
}

// A RuleCost is the static estimate of a rule that compiles.
type RuleCost struct {
	Path        string // of the node with the rule: properties[spec].items; empty for the root
	Index       int    // among the rules of the node
	Transition  bool   // the rule uses oldSelf
	Cost        uint64 // of one evaluation, at most; math.MaxUint64: not bounded
	Cardinality uint64 // evaluations in one object, at most; math.MaxUint64: not bounded
	MessageCost uint64 // of one evaluation of the messageExpression, at most
	// Estimate is what the limit of a rule is about: Cost times Cardinality, or times what fits into a request where that is unbounded.
	Estimate uint64
}

type handle = ruleset.Handle // not exported, and so is nothing of it

// Rules are the rules of a schema, ready to be evaluated. They are safe for concurrent use by multiple goroutines. A nil *Rules has no rules.
type Rules struct{ handle }

func (r *Rules) of() *ruleset.Rules {
	if r == nil {
		return nil
	}
	return ruleset.Of(r)
}

// Prepare returns the rules of s, of which each is compiled when it is first needed: a program that creates a few objects of a large
// definition pays for the rules that it meets. Expressions are judged as stored ones, as all are when objects are evaluated, and a
// rule that does not compile is reported on each object that it is for.
//
// A nil s has no rules. s is kept, and not modified.
func Prepare(s *schema.Structural) *Rules { return ruleset.View[Rules](ruleset.Prepare(s)) }

// Compile compiles every rule of s, and returns what is wrong with them: the errors that a CustomResourceDefinition with this
// schema gets for its rules. The Rules have all rules, whatever the errors: one over a static limit is evaluated all the same, and one
// that does not compile is reported on objects, as a server does with a definition that it has stored. So Compile never returns nil
// Rules. A nil s has no rules and no errors; nil opts are the zero Options.
//
// It is [Rules.Validate] for rules from [Prepare], and nothing is left to be compiled when the first object comes. Costs are those of the
// rules that compile with opts.
//
// s is kept, and not modified.
func Compile(s *schema.Structural, opts *Options) (*Rules, field.List) {
	r, errs := ruleset.Compile(s, opts.complete())
	return ruleset.View[Rules](r), errs
}

// Validate compiles every rule of r, and returns what is wrong with them: the errors that a CustomResourceDefinition with their schema gets
// for its rules. What compiles need not be compiled again when objects are judged. Nil opts are the zero Options.
//
// The errors of a node come behind those of all nodes beneath it; nodes beneath are visited in the order additionalProperties,
// properties by name, items. The errors of one rule are, in this order: its cost, its text, its messageExpression or the cost of that, its
// use of oldSelf. Errors in the fields of rules come before all others, those of the schema's total cost last.
func (r *Rules) Validate(opts *Options) field.List { return r.of().Validate(opts.complete()) }

// Costs returns the static estimates of the rules that compile, in the schema's order: the rules of a node, then those beneath
// its properties by name, its items and its additionalProperties. A rule that is over a limit is among them. For rules from [Prepare]
// the first call compiles all of them, as stored ones. The result is the caller's.
func (r *Rules) Costs() []RuleCost {
	var costs []RuleCost
	for _, c := range r.of().Costs() {
		costs = append(costs, RuleCost(c))
	}
	return costs
}

// EvalOptions say how an object is judged. Nil is the zero value.
type EvalOptions struct {
	// Budget is the cost that all rules together may have. 0 is a server's, 10,000,000. With a negative one no rule runs.
	Budget int64
	// Ratchet says that this is an update, in which what did not change may stay although it is wrong. It needs an old object.
	Ratchet bool
	// Limit is how many errors there are, and how long they are together; the same goes for the warnings. The zero value is the default.
	Limit field.Limit
}

// A Result is the judgement of an object.
type Result struct {
	// Errors are what the rules have against the object, in the order of the walk; nil if nothing.
	Errors field.List
	// Warnings are the failures that ratcheting forgave. A server sends the text of each in a Warning header.
	Warnings field.List
	// Cost is what was spent of the budget: all of it if that ran out, or if one evaluation cost more than is allowed.
	Cost int64
}

// Evaluate judges obj, a whole object, by the rules r. It returns no errors and no warnings for an object that fulfils them, and
// then has allocated nothing but what its rules needed. obj is pruned and defaulted if it is to be judged as a server judges it, and
// is expected to be valid by its schema: a value of another type makes the rules that touch it fail. A nil obj is an empty object.
//
// old is the object before an update, nil on a create. Rules that use oldSelf run only where there is an old value, unless they
// have optionalOldSelf. Nil opts are the zero EvalOptions, a nil ctx is the background.
//
// The rules of a node come first, in the schema's order, then those beneath: items by index, keys of a map by name, properties by name.
// A failure keeps none of the others from running. Errors and warnings end at the limit of the options. What ends the walk early is one
// error, the last: the budget ran out, one evaluation cost more than 1,000,000, or the context was cancelled. Running rules ask the
// context every 100 steps of their loops, as a server does; the walk asks it besides, every 64 evaluations and every 256 values.
//
// obj and old are not modified. Errors alias the values that they report.
func (r *Rules) Evaluate(ctx context.Context, obj, old map[string]any, opts *EvalOptions) Result {
	return Result(r.of().Evaluate(ctx, obj, old, (*ruleset.EvalOptions)(opts)))
}

// EvaluateRules is [Rules.Evaluate].
func EvaluateRules(ctx context.Context, r *Rules, obj, old map[string]any, opts *EvalOptions) Result {
	return r.Evaluate(ctx, obj, old, opts)
}

// EvaluateValue is [Rules.Evaluate] for a value of any kind, which n describes: a node of the schema that r is made for. at says where
// the value stands, nil for a whole object; errors have it before their fields. A nil v has nothing to be judged, a nil old is none.
// It returns a zero Result if there are no rules at n or beneath it, or if n is no node of r's schema.
//
// The value is taken for all there is: ratcheting compares nothing above it, and never forgives what is in its apiVersion and kind.
func (r *Rules) EvaluateValue(ctx context.Context, n schema.Node, at *field.Path, v, old any, opts *EvalOptions) Result {
	return Result(r.of().EvaluateValue(ctx, n, at, v, old, (*ruleset.EvalOptions)(opts)))
}
