package cel

import (
	"sync"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/schema"
)

// Options say how [Compile] judges rules. Nil is the zero value.
type Options struct {
	// Path is where the schema stands in its document: the beginning of each error's field, and of places in texts. For a definition's
	// it is spec.validation.openAPIV3Schema or spec.versions[0].schema.openAPIV3Schema. Empty: errors begin with properties[spec].
	Path string
	// Stored reports whether the stored definition has an expression already, a rule or a messageExpression. Such an expression may
	// use functions that are too new for others. Nil: none is stored.
	Stored func(expression string) bool
}

// A RuleCost is the static estimate of a rule that compiles.
type RuleCost struct {
	Path        string // of the node with the rule: properties[spec].items; empty for the root
	Index       int    // among the rules of the node
	Transition  bool   // the rule uses oldSelf
	Cost        uint64 // of one evaluation, at most; math.MaxUint64: not bounded
	Cardinality uint64 // evaluations in one object, at most; math.MaxUint64: not bounded
	MessageCost uint64 // of one evaluation of the messageExpression, at most
}

// Rules are the rules of a schema, ready to be evaluated. They are safe for concurrent use by multiple goroutines, and must not be
// copied.
type Rules struct {
	schema   *schema.Structural // nil: no rules
	programs *programs

	grow sync.Once // makes the tree
	tree tree

	judged sync.Once // makes costs
	costs  []RuleCost

	walkers sync.Pool // of *walker: their memory, for the next walk
}

// Prepare returns the rules of s, of which each is compiled when it is first needed: a program that creates a few objects of a large
// definition pays for the rules that it meets. Expressions are judged as stored ones, as all are when objects are evaluated, and a
// rule that does not compile is reported on each object that it is for.
//
// A nil s has no rules. s is kept, and not modified.
//
// Clauses: CEV-002, CEV-010, CMS-014.
func Prepare(s *schema.Structural) *Rules { return PrepareAll(s)[0] }

// PrepareAll is [Prepare] for schemas that have much in common, such as the versions of one definition: a rule that several of
// them have on nodes of the same type is compiled once.
//
// Clauses: CCO-006.
func PrepareAll(schemas ...*schema.Structural) []*Rules {
	p := newPrograms()
	out := make([]*Rules, len(schemas))
	for i, s := range schemas {
		out[i] = &Rules{programs: p}
		if s != nil && s.Root != nil && s.Root.Below&schema.HasRules != 0 {
			out[i].schema = s
		}
	}
	return out
}

// Compile compiles every rule of s, and returns what is wrong with them: the errors that a CustomResourceDefinition with this
// schema gets for its rules. The Rules have all rules, whatever the errors: one over a static limit is evaluated all the same, and one
// that does not compile is reported on objects, as a server does with a definition that it has stored. So Compile never returns nil
// Rules. A nil s has no rules and no errors; nil opts are the zero Options.
//
// The errors of a node come behind those of all nodes beneath it; nodes beneath are visited in the order additionalProperties,
// properties by name, items. The errors of one rule are, in this order: its cost, its text, its messageExpression or the cost of that, its
// use of oldSelf. Errors of the schema's total cost come last. A rule without text is left out: the schema checks of a definition refuse
// it.
//
// s is kept, and not modified.
//
// Clauses: CWH-001, CWH-006 to CWH-010, CER-001, CER-005, CER-010 to CER-012, CES-080 to CES-091, CCO-001 to CCO-006.
func Compile(s *schema.Structural, opts *Options) (*Rules, field.List) {
	if opts == nil {
		opts = &Options{}
	}
	r := Prepare(s)
	if r.schema == nil {
		return r, nil
	}
	var errs field.List
	r.judged.Do(func() { r.costs, errs = r.judge(opts) })
	r.force()
	return r, errs
}

// Costs returns the static estimates of the rules that compile, in the schema's order: the rules of a node, then those beneath
// its properties by name, its items and its additionalProperties. A rule that is over a limit is among them. For rules from [Prepare]
// the first call compiles all of them, as stored ones. The result is the caller's.
//
// Clauses: CES-080.
func (r *Rules) Costs() []RuleCost {
	if r == nil || r.schema == nil {
		return nil
	}
	r.judged.Do(func() {
		r.costs, _ = r.judge(&Options{Stored: func(string) bool { return true }})
	})
	return append([]RuleCost(nil), r.costs...)
}
