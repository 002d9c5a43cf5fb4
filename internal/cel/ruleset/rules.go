package ruleset

import (
	"sync"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/plan"
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
	// StoredMessage reports so about messageExpressions, and leaves only rules to Stored: a server does not take a rule for stored that
	// was a messageExpression so far. Nil: Stored is asked about both.
	StoredMessage func(expression string) bool
	// Unchanged says that the stored definition has this very schema. Then no single expression costs too much, all together still may.
	Unchanged bool
	// Faulty reports whether something else is wrong with the schema at a path, or beneath it: errors that are reported elsewhere, and
	// keep a server from compiling the rules of that node and those above it. It is asked about nodes that have rules at or beneath
	// them, and must not use the Rules that are judged. Nil: nothing is wrong.
	Faulty func(path *field.Path) bool
	// Minor is the minor version of Kubernetes whose functions and estimates count, such as 31 for 1.31. The zero value is the newest that
	// the package knows, 37. What is older than 25 counts as 25. The texts of errors are those of the newest.
	Minor int
	// Limit is how many errors there are, and how long they are together. The zero value is the default.
	Limit field.Limit

	analyze bool // make analyses
}

// stored reports whether e is to be compiled as a stored expression.
func (o *Options) stored(e expression) bool {
	ask := o.Stored
	if e.message && o.StoredMessage != nil {
		ask = o.StoredMessage
	}
	return ask != nil && ask(e.text)
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

// Rules are the rules of a schema, ready to be evaluated. They are safe for concurrent use by multiple goroutines, and must not be
// copied.
type Rules struct {
	root     *plan.Node // nil: no rules
	programs *programs

	grow sync.Once // makes the tree
	tree tree

	judged sync.Once // makes costs
	costs  []placedCost

	walkers sync.Pool // of *walker: their memory, for the next walk
}

// Prepare returns the rules of s, of which each is compiled when it is first needed: a program that creates a few objects of a large
// definition pays for the rules that it meets. Expressions are judged as stored ones, as all are when objects are evaluated, and a
// rule that does not compile is reported on each object that it is for.
//
// A nil s has no rules. s is kept, and not modified.
func Prepare(s *schema.Structural) *Rules { return PrepareAll(s)[0] }

// PrepareAll is [Prepare] for schemas that have much in common, such as the versions of one definition: a rule that several of
// them have on nodes of the same type is compiled once.
func PrepareAll(schemas ...*schema.Structural) []*Rules { return PrepareMore(nil, schemas...) }

// PrepareMore is [PrepareAll] for the schemas of somebody who has before already, of the same definition as another version of Kubernetes reads
// it: rules whose type check takes long are not checked again where the result is the same, and all checks together end at a limit that
// is a third above that of one version. Nothing else is shared. A nil before is none.
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

// rules returns the rules at n and beneath it.
func (c *programs) rules(n *plan.Node) *Rules {
	r := &Rules{programs: c}
	if ruled(n) {
		r.root = n
	}
	return r
}

// At returns the rules at n, a node of r's schema, and beneath it, as those of a schema of its own: what rules may mention begins at
// n, whatever is implied by what is above. A server judges default values so. What r has compiled is shared, in both directions. Where
// there are no rules, or n is zero, it returns Rules without any.
func (r *Rules) At(n schema.Node) *Rules {
	if r == nil || r.root == nil {
		return &Rules{}
	}
	return r.programs.rules(plan.Of(n))
}

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
	r := Prepare(s)
	if r.root == nil {
		return r, nil
	}
	var errs field.List
	r.judged.Do(func() { r.costs, errs = r.judge(opts.orZero()) })
	r.force()
	return r, errs
}

// Validate compiles every rule of r, and returns what is wrong with them: the errors that a CustomResourceDefinition with their schema gets
// for its rules. What compiles need not be compiled again when objects are judged. Nil opts are the zero Options.
//
// The errors of a node come behind those of all nodes beneath it; nodes beneath are visited in the order additionalProperties,
// properties by name, items. The errors of one rule are, in this order: its cost, its text, its messageExpression or the cost of that, its
// use of oldSelf. Errors in the fields of rules come before all others, those of the schema's total cost last.
func (r *Rules) Validate(opts *Options) field.List {
	if r == nil || r.root == nil {
		return nil
	}
	_, errs := r.judge(opts.orZero())
	return errs
}

func (o *Options) orZero() *Options {
	if o == nil {
		return &Options{}
	}
	return o
}

// Costs returns the static estimates of the rules that compile, in the schema's order: the rules of a node, then those beneath
// its properties by name, its items and its additionalProperties. A rule that is over a limit is among them. For rules from [Prepare]
// the first call compiles all of them, as stored ones. The result is the caller's.
func (r *Rules) Costs() []RuleCost {
	if r == nil || r.root == nil {
		return nil
	}
	r.judged.Do(func() {
		r.costs, _ = r.judge(&Options{Stored: func(string) bool { return true }})
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
