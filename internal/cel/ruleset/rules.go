package ruleset

import (
	"sync"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/cel/check"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/schema"
)

// Options are options for [Compile] and [Rules.Validate]. Nil is the zero value.
type Options struct {
	// Path, Stored and Limit are documented in package cel.
	Path   string
	Stored func(expression string) bool
	Limit  field.Limit
	// StoredMessage is Stored for messageExpressions; Stored is then called for rules only. A server does not treat a
	// rule as stored if only a messageExpression of the stored definition has its text. Nil: Stored is called for both.
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

// A RuleCost is documented as that of package cel.
type RuleCost struct {
	Path        string
	Index       int
	Transition  bool
	Cost        uint64
	Cardinality uint64
	MessageCost uint64
	Estimate    uint64
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
	checks  sync.Pool // of *Check
	passed  passed
}

// Prepare is documented as that of package cel.
func Prepare(s *schema.Structural) *Rules { return PrepareAll(s)[0] }

// PrepareAll is [Prepare] for schemas that have much in common, such as the versions of one definition: a rule that
// several of them have on nodes of the same type is compiled once.
func PrepareAll(schemas ...*schema.Structural) []*Rules { return PrepareMore(nil, schemas...) }

// PrepareMore is [PrepareAll] for the schemas of a definition that has been prepared for another version of Kubernetes:
// before has those rules. Rules that are expensive to type-check are not checked again if the result is the same, and
// all checks together are limited to a third more time than those for one version. Nothing else is shared. before may
// be nil.
func PrepareMore(before *Rules, schemas ...*schema.Structural) []*Rules {
	s := new(shared)
	if before != nil && before.programs != nil {
		s = before.programs.shared
	}
	p := &programs{total: check.NewTotal(&s.work), shared: s}
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

// Compile is documented as that of package cel.
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

// Validate compiles every rule of r, and returns the errors of Compile of package cel. What compiles is not compiled
// again when objects are validated.
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

// Costs is documented as that of package cel.
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
