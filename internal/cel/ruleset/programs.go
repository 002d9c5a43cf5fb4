package ruleset

import (
	"hash/maphash"
	"strings"
	"sync"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/cel/check"
	"github.com/crdkit/crdkit/internal/cel/estimate"
	"github.com/crdkit/crdkit/internal/cel/eval"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/since"
)

// A ruleset is the rules of a place, compiled.
type ruleset struct {
	fault      string // why none of them can be evaluated, or empty
	rules      []rule
	transition bool // one of them is a transition rule
}

// A rule is a rule of a place, compiled for evaluation.
type rule struct {
	source     *plan.Rule
	index      int           // among the rules of the place
	fault      string        // why it does not compile
	program    *eval.Program // nil if there is a fault, and for a rule without text
	transition bool
	optional   bool          // oldSelf is an optional
	message    *eval.Program // nil if there is no messageExpression, or if it does not compile
	fieldPath  *field.Path   // nil if there is none, or if it does not resolve
}

// applies reports whether the rule is evaluated for a value with or without an old value (CEV-010, CEV-023).
func (r *rule) applies(hasOld bool) bool {
	return r.program != nil && (!r.transition || hasOld || r.optional)
}

// programs has the expressions that have been compiled. Several places, and the versions of a definition, share them:
// the result depends only on the text of an expression, the type of self, and whether oldSelf is an optional (CCO-006).
// The zero value is empty.
type programs struct {
	mu    sync.Mutex // held while an expression is compiled, including the construction of types
	known map[setting][]*compiled

	// For nodes whose types had to be compared:
	types  map[*plan.Node]*plan.Node // the first node of the same type
	firsts map[uint64][]*plan.Node   // the first nodes of all types, by hash
	hashes map[*plan.Node]uint64
	seed   maphash.Seed

	total  *check.Total // the work of all type checks so far
	shared *shared
	used   map[*checked]bool // those in shared whose work total already has

	*scratch           // non-nil while mu is held to compile
	spare    sync.Pool // of *scratch
}

// A scratch is memory that the compiler reuses. It is larger than the results, so it is pooled separately.
type scratch struct {
	checker   check.Checker
	estimator estimate.Estimator
}

// lock must be called before anything is compiled.
func (c *programs) lock() {
	c.mu.Lock()
	if c.scratch, _ = c.spare.Get().(*scratch); c.scratch == nil {
		c.scratch = &scratch{estimator: estimate.Estimator{Functions: eval.StaticCost}}
		c.checker.CountTo(c.total)
	}
}

// unlock undoes lock.
func (c *programs) unlock() {
	c.spare.Put(c.scratch)
	c.scratch = nil
	c.mu.Unlock()
}

// An expression is an expression that may be compiled for several places.
type expression struct {
	text     string
	message  bool
	optional bool
}

// A setting is an expression with its compiler options: whether it is compiled as a stored expression, and the minor
// version whose functions and estimates are used. Programs are compiled from stored expressions with those of the
// newest version, which is 0.
type setting struct {
	expression
	stored bool
	minor  since.Minor
}

// stored returns the setting for programs.
func stored(text string, message, optional bool) setting {
	return setting{expression{text, message, optional}, true, 0}
}

// A compiled is an expression that has been compiled for places of one type.
type compiled struct {
	node *plan.Node // of the first such place
	unit unit
}

// A unit is a compiled expression.
type unit struct {
	fault      string
	expr       *check.Expr   // nil once there is a program
	program    *eval.Program // nil until it is needed, if it certainly can be built
	transition bool
	cost       uint64
	estimated  bool // cost is set
}

// A purpose says what a unit is needed for.
type purpose uint8

const (
	toRun      purpose = iota // a program
	toEstimate                // a cost
)

// compile compiles the rules of p, unless another goroutine has done so.
func (r *Rules) compile(p *place) *ruleset {
	r.programs.lock()
	defer r.programs.unlock()
	set := p.ready.Load()
	if set == nil {
		set = r.programs.ruleset(p)
		p.ready.Store(set)
	}
	return set
}

// compileAll compiles all rules that an evaluation may need.
func (r *Rules) compileAll() {
	for _, p := range r.rules().places {
		if len(p.node.Rules) > 0 {
			r.compile(p)
		}
	}
}

func (c *programs) ruleset(p *place) *ruleset {
	if p.typ == nil {
		return &ruleset{fault: noDeclType}
	}
	set := &ruleset{rules: make([]rule, len(p.node.Rules))}
	for i := range p.node.Rules {
		source := &p.node.Rules[i]
		q := &set.rules[i]
		*q = rule{source: source, index: i, optional: optional(source)}
		if blank(source.Rule) {
			continue // CEV-010
		}
		u := c.unit(stored(source.Rule, false, q.optional), p.typ, toRun)
		q.fault, q.program, q.transition = u.fault, u.program, u.transition
		set.transition = set.transition || u.transition
		if u.fault != "" {
			continue
		}
		if source.MessageExpression != "" {
			m := c.unit(stored(source.MessageExpression, true, q.optional), p.typ, toRun)
			if q.message = m.program; m.fault != "" {
				continue // a server stops here, so the fieldPath is lost, too
			}
		}
		if source.FieldPath != "" {
			if at, _, err := ResolvePath(p.node, source.FieldPath, true); err == nil {
				q.fieldPath = at
			}
		}
	}
	return set
}

func optional(r *plan.Rule) bool { return r.OptionalOldSelf != nil && *r.OptionalOldSelf }

func blank(text string) bool { return strings.TrimSpace(text) == "" }

// unit returns the compiled form of e for a self of type t, with what the purpose needs.
func (c *programs) unit(e setting, t *types.SchemaType, why purpose) unit {
	known := c.find(e, t.Node())
	if known != nil && (known.unit.expr != nil || known.unit.suffices(why)) {
		c.complete(&known.unit, e.expression, t, why)
		return known.unit
	}
	if e.minor != 0 {
		c.total.SpendText(e.text) // e will be parsed again for other versions
	}
	var u unit
	if expr, err := c.check(e.expression, t, e.stored); err != nil {
		u.fault = err.Error()
	} else {
		u = unit{expr: expr, transition: !e.message && expr.UsesOldSelf} // CCO-002
		c.complete(&u, e.expression, t, why)
	}
	switch {
	case u.fault != "": // its text names types, so it depends on the node
	case known != nil:
		u.program, u.expr = known.unit.program, nil
		known.unit = u
	case t.Node() != nil: // implied types have no node to compare
		if c.known == nil {
			c.known = map[setting][]*compiled{}
		}
		c.known[e] = append(c.known[e], &compiled{t.Node(), u})
	}
	return u
}

// suffices reports whether u has what the purpose needs.
func (u *unit) suffices(why purpose) bool {
	return u.fault != "" || why == toRun && u.program != nil || why == toEstimate && u.estimated
}

// check type-checks e for a self of type t, in the environment for stored or for new expressions. An expensive
// expression is checked once for all versions with the same result.
func (c *programs) check(e expression, t *types.SchemaType, stored bool) (*check.Expr, error) {
	if known := c.shared.find(e, t, func() check.Variant { return c.checker.Variant(e.text, stored) }); known != nil {
		if !c.used[known] {
			if err := c.total.Reuse(known.spent); err != nil {
				return nil, err
			}
			c.use(known)
		}
		return known.expr, known.err
	}
	compile := c.checker.Rule
	if e.message {
		compile = c.checker.Message
	}
	before := c.total.Spent()
	expr, err := compile(e.text, t, e.optional, stored)
	if spent := c.total.Spent() - before; spent >= expensive && t.Node() != nil && !c.total.Exhausted() {
		known := &checked{t.Node(), c.checker.Variant(e.text, stored), expr, err, spent}
		c.shared.add(e, known)
		c.use(known)
	}
	return expr, err
}

func (c *programs) use(known *checked) {
	if c.used == nil {
		c.used = map[*checked]bool{}
	}
	c.used[known] = true
}

// complete gives u, the compiled form of e for a self of type t, what the purpose needs. It builds a program at once if
// that could fail.
func (c *programs) complete(u *unit, e expression, t *types.SchemaType, why purpose) {
	if u.expr == nil || u.fault != "" {
		return
	}
	if why == toEstimate && !u.estimated {
		u.cost, u.estimated = c.estimator.Cost(u.expr.AST, t), true
	}
	if why == toEstimate && u.expr.Plain {
		return
	}
	var err error
	if u.program, err = eval.Plan(u.expr.AST, t.Node()); err != nil {
		u.program, u.cost, u.estimated = nil, 0, false
		u.fault = "program instantiation failed: " + err.Error() // CER-011
		if e.message {
			u.fault = "messageExpression instantiation failed: " + err.Error()
		}
	}
	u.expr = nil
}

// find returns e as compiled for a node of the same type as n, or nil. Most expressions are on one node only, so that
// no types have to be compared.
func (c *programs) find(e setting, n *plan.Node) *compiled {
	if n == nil {
		return nil
	}
	for _, k := range c.known[e] {
		if k.node == n || len(k.node.Props) == len(n.Props) && c.first(k.node) == c.first(n) {
			return k
		}
	}
	return nil
}

// first returns the first node with the same type as n.
func (c *programs) first(n *plan.Node) *plan.Node {
	if f, ok := c.types[n]; ok {
		return f
	}
	if c.types == nil {
		c.types, c.firsts = map[*plan.Node]*plan.Node{}, map[uint64][]*plan.Node{}
		c.hashes, c.seed = map[*plan.Node]uint64{}, maphash.MakeSeed()
	}
	h := c.hash(n)
	for _, f := range c.firsts[h] {
		if plan.SameBelow(f, n, plan.SameType) {
			c.types[n] = f
			return f
		}
	}
	c.firsts[h] = append(c.firsts[h], n)
	c.types[n] = n
	return n
}

// hash returns a hash that is equal for nodes of the same type. Hashes are cached, because nodes with rules can be
// nested.
func (c *programs) hash(n *plan.Node) uint64 {
	if n == nil {
		return 1
	}
	if h, ok := c.hashes[n]; ok {
		return h
	}
	var m maphash.Hash
	m.SetSeed(c.seed)
	maphash.WriteComparable(&m, [...]string{n.Type, n.Format})
	maphash.WriteComparable(&m, [...]uint64{
		uint64(n.TypeFlags()), uint64(n.List), uint64(n.MaxItems), uint64(n.MaxProperties), uint64(n.MaxLength()), uint64(len(n.Required)),
		c.hash(n.Items), c.hash(n.Additional),
	})
	for i := range n.Props {
		maphash.WriteComparable(&m, n.Props[i].Name)
		maphash.WriteComparable(&m, c.hash(n.Props[i].Node))
	}
	h := m.Sum64()
	c.hashes[n] = h
	return h
}
