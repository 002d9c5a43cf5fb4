package ruleset

import (
	"sync"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/schema"
)

// Options are options for [Compile] and [Rules.Validate]. Nil is the zero value.
type Options struct {
	// Path is the position of the schema in its document. It is prepended to the fields of errors, and to paths in
	// their texts. For a definition it is spec.validation.openAPIV3Schema or spec.versions[0].schema.openAPIV3Schema.
	// If it is empty, errors begin with properties[spec].
	Path string
	// Stored reports whether the stored definition already has an expression, a rule or a messageExpression. Such an
	// expression may use functions that are too new for other expressions. Nil: none is stored.
	Stored func(expression string) bool
	// StoredMessage is Stored for messageExpressions; Stored is then called for rules only. A server does not treat a
	// rule as stored if the text was that of a messageExpression so far. Nil: Stored is called for both.
	StoredMessage func(expression string) bool
	// Unchanged says that the stored definition has exactly this schema. Then single expressions have no cost limit,
	// but all together still have.
	Unchanged bool
	// Faulty reports whether the schema at a path has errors that are reported elsewhere, there or below. They keep a
	// server from compiling the rules of that node and of those above it. Faulty is called for nodes with rules at or
	// below them, and must not use these Rules. Nil: there are no such errors.
	Faulty func(path *field.Path) bool
	// Minor is the minor version of Kubernetes whose functions and estimates are used, such as 31 for 1.31. The zero
	// value is the newest that the package knows, 37. Versions before 25 are treated as 25. The texts of errors are
	// those of the newest.
	Minor int
	// Limit bounds the number and the total length of the errors. The zero value is the default.
	Limit field.Limit

	analyze bool // build analyses
}

// stored reports whether e is compiled as a stored expression.
func (o *Options) stored(e expression) bool {
	isStored := o.Stored
	if e.message && o.StoredMessage != nil {
		isStored = o.StoredMessage
	}
	return isStored != nil && isStored(e.text)
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

// Rules are the rules of a schema, ready to be evaluated. They are safe for concurrent use by multiple goroutines, and
// must not be copied.
type Rules struct {
	root     *plan.Node // nil: no rules
	programs *programs

	build sync.Once // for tree
	tree  tree

	estimated sync.Once // for costs
	costs     []placedCost

	walkers sync.Pool // of *walker: their memory, for the next walk
}

// Prepare returns the rules of s, each of which is compiled when it is first needed: a program that creates a few
// objects of a large definition compiles only the rules that these need. Expressions are compiled as stored
// expressions, as always for the evaluation of objects. If a rule does not compile, that is an error of each object for
// which the rule would be evaluated.
//
// A nil s has no rules. s is kept, and not modified.
func Prepare(s *schema.Structural) *Rules { return PrepareAll(s)[0] }

// PrepareAll is [Prepare] for schemas that have much in common, such as the versions of one definition: a rule that
// several of them have on nodes of the same type is compiled once.
func PrepareAll(schemas ...*schema.Structural) []*Rules { return PrepareMore(nil, schemas...) }

// PrepareMore is [PrepareAll] for the schemas of a definition for which the caller already has the rules before, as
// another version of Kubernetes reads it. Rules that are expensive to type-check are not checked again if the result is
// the same, and all checks together are limited to a third more time than those for one version. Nothing else is
// shared. before may be nil.
func PrepareMore(before *Rules, schemas ...*schema.Structural) []*Rules {
	s := new(shared)
	if before != nil && before.programs != nil {
		s = before.programs.shared
	}
	p := newPrograms(s)
	out := make([]*Rules, len(schemas))
	for i, s := range schemas {
		var root *plan.Node
		if s != nil {
			root = plan.Root(s)
		}
		out[i] = p.rules(root)
	}
	return out
}

// rules returns the rules at and below n.
func (c *programs) rules(n *plan.Node) *Rules {
	r := &Rules{programs: c}
	if hasRules(n) {
		r.root = n
	}
	return r
}

// At returns the rules at and below n, a node of r's schema, as those of a separate schema: rules can only refer to n
// and below, and nothing is implied by the nodes above. A server evaluates rules on default values in this way. r and
// the result share what they compile. If there are no rules, or n is zero, the result is empty.
func (r *Rules) At(n schema.Node) *Rules {
	if r == nil || r.root == nil {
		return &Rules{}
	}
	return r.programs.rules(plan.Of(n))
}

// Compile compiles every rule of s, and returns the errors that a CustomResourceDefinition with this schema has because
// of its rules. The Rules have all rules, whatever the errors: a rule over a static limit is evaluated all the same,
// and one that does not compile is an error of objects, as in a server that has stored such a definition. So Compile
// never returns nil Rules. A nil s has no rules and no errors; nil opts are the zero Options.
//
// It is [Prepare] followed by [Rules.Validate]: nothing is left to compile when the first object is validated. Costs
// are those of the rules that compile with opts.
//
// s is kept, and not modified.
func Compile(s *schema.Structural, opts *Options) (*Rules, field.List) {
	r := Prepare(s)
	if r.root == nil {
		return r, nil
	}
	var errs field.List
	r.estimated.Do(func() { r.costs, errs = r.validate(opts.orZero()) })
	r.compileAll()
	return r, errs
}

// Validate compiles every rule of r, and returns the errors that a CustomResourceDefinition with their schema has
// because of its rules. What compiles is not compiled again when objects are validated. Nil opts are the zero Options.
//
// The errors of a node follow those of all nodes below it, which are visited in the order additionalProperties,
// properties by name, items. The errors of one rule are, in this order: its cost, its text, its messageExpression or
// the cost of that, its use of oldSelf. Errors in the fields of rules precede all others, and those of the schema's
// total cost are last.
func (r *Rules) Validate(opts *Options) field.List {
	if r == nil || r.root == nil {
		return nil
	}
	_, errs := r.validate(opts.orZero())
	return errs
}

func (o *Options) orZero() *Options {
	if o == nil {
		return &Options{}
	}
	return o
}

// Costs returns the static estimates of the rules that compile, in the schema's order: the rules of a node, then those
// below its properties by name, its items and its additionalProperties. Rules over a limit are included. For rules from
// [Prepare] the first call compiles all of them, as stored expressions. The result is the caller's.
func (r *Rules) Costs() []RuleCost {
	if r == nil || r.root == nil {
		return nil
	}
	r.estimated.Do(func() {
		r.costs, _ = r.validate(&Options{Stored: func(string) bool { return true }})
	})
	var costs []RuleCost
	for _, c := range r.costs {
		if c.path != nil {
			c.Path = c.path.String()
		}
		costs = append(costs, c.RuleCost)
	}
	return costs
}
