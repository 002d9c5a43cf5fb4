package cel

import (
	"context"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/cel/ruleset"
	"github.com/crdkit/crdkit/schema"
)

// Options are options for [Compile]. Nil is the zero value.
type Options struct {
	// Path is the position of the schema in its document. It is prepended to the fields of errors, and to paths in
	// their texts. For a definition it is spec.validation.openAPIV3Schema or spec.versions[0].schema.openAPIV3Schema.
	// If it is empty, errors begin with properties[spec].
	Path string
	// Stored reports whether the stored definition already has an expression, a rule or a messageExpression. Such an
	// expression may use functions that are too new for other expressions. Nil: none is stored.
	Stored func(expression string) bool
	// Limit bounds the number and the total length of the errors. The zero value is the default.
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
	Cost        uint64 // upper bound for one evaluation; math.MaxUint64: unbounded
	Cardinality uint64 // upper bound for the evaluations in one object; math.MaxUint64: unbounded
	MessageCost uint64 // upper bound for one evaluation of the messageExpression
	// Estimate is the cost that has a limit: Cost times Cardinality. If Cardinality is unbounded, it is the number of
	// values that fit into a request.
	Estimate uint64
}

type handle = ruleset.Handle // unexported, so that its methods are not part of the API

// Rules are the rules of a schema, ready to be evaluated. They are safe for concurrent use by multiple goroutines. A
// nil *Rules has no rules.
type Rules struct{ handle }

func (r *Rules) of() *ruleset.Rules {
	if r == nil {
		return nil
	}
	return ruleset.Of(&r.handle)
}

// Prepare returns the rules of s, each of which is compiled when it is first needed: a program that creates a few
// objects of a large definition compiles only the rules that these need. Expressions are compiled as stored
// expressions, as always for the evaluation of objects. If a rule does not compile, that is an error of each object for
// which the rule would be evaluated.
//
// A nil s has no rules. s is kept, and not modified.
func Prepare(s *schema.Structural) *Rules { return ruleset.View[Rules](ruleset.Prepare(s)) }

// Compile compiles every rule of s, and returns the errors that a CustomResourceDefinition with this schema has because
// of its rules. The Rules have all rules, whatever the errors: a rule over a static limit is still evaluated, and one
// that does not compile is an error of objects, as in a server that has stored such a definition. So Compile never
// returns nil Rules. A nil s has no rules and no errors; nil opts are the zero Options.
//
// Nothing is left to compile when the first object is validated. Costs are those of the rules that compile with opts.
//
// The errors of a node follow those of all nodes below it, which are visited in the order additionalProperties,
// properties by name, items. The errors of one rule are, in this order: its cost, its text, its messageExpression or
// the cost of that, its use of oldSelf. Errors in the fields of rules precede all others, and those of the schema's
// total cost are last.
//
// s is kept, and not modified.
func Compile(s *schema.Structural, opts *Options) (*Rules, field.List) {
	r, errs := ruleset.Compile(s, opts.complete())
	return ruleset.View[Rules](r), errs
}

// Costs returns the static estimates of the rules that compile, in the schema's order: the rules of a node, then those
// below its properties by name, its items and its additionalProperties. Rules over a limit are included. For rules from
// [Prepare] the first call compiles all of them, as stored expressions. The result is the caller's.
func (r *Rules) Costs() []RuleCost {
	var costs []RuleCost
	for _, c := range r.of().Costs() {
		costs = append(costs, RuleCost(c))
	}
	return costs
}

// EvalOptions are options for the evaluation of rules. Nil is the zero value.
type EvalOptions struct {
	// Budget is the cost limit for all rules together. 0 is a server's, 10,000,000. If it is negative, no rule is
	// evaluated.
	Budget int64
	// Ratchet says that this is an update in which unchanged values may stay invalid. It needs an old object.
	Ratchet bool
	// Limit bounds the number and the total length of the errors, and also of the warnings. The zero value is the
	// default.
	Limit field.Limit
}

func (o *EvalOptions) complete() *ruleset.EvalOptions {
	if o == nil {
		return nil
	}
	return &ruleset.EvalOptions{Budget: o.Budget, Ratchet: o.Ratchet, Limit: o.Limit}
}

// A Result is the result of an evaluation.
type Result struct {
	// Errors are the errors of the object, in the order of the walk; nil if there are none.
	Errors field.List
	// Warnings are the failures that ratcheting has turned into warnings. A server sends the text of each in a Warning
	// header.
	Warnings field.List
	// Cost is the used part of the budget: all of it if that ran out, or if one evaluation exceeded its own limit.
	Cost int64
}

// Evaluate evaluates the rules r on obj, a whole object. It returns no errors and no warnings if the object fulfils
// them, and then allocates only what its rules need. To get a server's result, obj must be pruned and defaulted. It
// should be valid for its schema: a value of another type makes the rules that use it fail. A nil obj is an empty
// object.
//
// old is the object before an update, nil on a create. Rules that use oldSelf are evaluated only if there is an old
// value, unless they have optionalOldSelf. Nil opts are the zero EvalOptions, a nil ctx is context.Background.
//
// The rules of a node come first, in the schema's order, then those below: items by index, keys of a map by name,
// properties by name. A failed rule does not prevent the evaluation of others. Errors and warnings end at the limit of
// the options. If the walk ends early, the last error says why: the budget ran out, one evaluation cost more than
// 1,000,000, or the context was cancelled. Rules check the context every 100 steps of their loops, as in a server; the
// walk also checks it every 64 evaluations and every 256 values.
//
// obj and old are not modified. Errors alias the values that they report.
func (r *Rules) Evaluate(ctx context.Context, obj, old map[string]any, opts *EvalOptions) Result {
	return Result(r.of().Evaluate(ctx, obj, old, opts.complete()))
}

// EvaluateRules is [Rules.Evaluate].
func EvaluateRules(ctx context.Context, r *Rules, obj, old map[string]any, opts *EvalOptions) Result {
	return r.Evaluate(ctx, obj, old, opts)
}

// EvaluateValue is [Rules.Evaluate] for a value of any kind, described by n, a node of r's schema. at is the path of
// the value, which is prepended to the fields of errors; nil for a whole object. If v is nil, nothing is evaluated; a
// nil old means no old value. The Result is zero if there are no rules at or below n, or if n is not a node of r's
// schema.
//
// The value is treated as the whole object: ratcheting compares nothing above it, and never applies to its apiVersion
// and kind.
func (r *Rules) EvaluateValue(ctx context.Context, n schema.Node, at *field.Path, v, old any, opts *EvalOptions) Result {
	return Result(r.of().EvaluateValue(ctx, n, at, v, old, opts.complete()))
}
