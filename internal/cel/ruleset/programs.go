package ruleset

import (
	"hash/maphash"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/cel/check"
	"github.com/crdkit/crdkit/internal/cel/declare"
	"github.com/crdkit/crdkit/internal/cel/estimate"
	"github.com/crdkit/crdkit/internal/cel/eval"
	"github.com/crdkit/crdkit/internal/fieldpath"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/since"
)

// A ruleset is the rules of a place, compiled.
type ruleset struct {
	fault      string // why none of them can be evaluated; empty for no reason
	rules      []rule
	transition bool // one of them is a transition rule
}

// A rule is a rule of a place, compiled for evaluation.
type rule struct {
	source     *plan.Rule
	fault      string        // why it does not compile
	program    *eval.Program // nil if there is a fault, and for a rule without text
	transition bool
	optional   bool          // oldSelf is an optional
	message    *eval.Program // nil: no messageExpression that compiles
	fieldPath  *field.Path   // nil: none, or none that resolves
}

// programs are the expressions that are compiled already. Several places, and the versions of a definition, share them: what an
// expression compiles to depends on its text, the type of self, and whether oldSelf is an optional (CCO-006). The zero value has none.
type programs struct {
	mu    sync.Mutex // held while anything is compiled: types are built meanwhile
	known map[setting][]*compiled

	// Of nodes that were compared, once there was a reason to.
	types  map[*plan.Node]*plan.Node // the first node of the same type
	firsts map[uint64][]*plan.Node   // the first nodes of all types, by hash
	hashes map[*plan.Node]uint64
	seed   maphash.Seed

	total  *check.Total // what it took so far to check expressions
	shared *shared
	used   map[*checked]bool // of those in shared: total has what they took

	*scratch           // while mu is held to compile
	spare    sync.Pool // of *scratch
}

// A scratch is memory to compile in. It is worth more than what is compiled, so nobody keeps it.
type scratch struct {
	checker   check.Checker
	estimator estimate.Estimator
}

// newPrograms returns programs that share s with others.
func newPrograms(s *shared) *programs { return &programs{total: check.NewTotal(&s.work), shared: s} }

// lock begins to compile.
func (c *programs) lock() {
	c.mu.Lock()
	if c.scratch, _ = c.spare.Get().(*scratch); c.scratch == nil {
		c.scratch = new(scratch)
		c.checker.CountTo(c.total)
	}
}

// unlock ends what lock has begun.
func (c *programs) unlock() {
	c.spare.Put(c.scratch)
	c.scratch = nil
	c.mu.Unlock()
}

// An expression is what may be compiled for several places.
type expression struct {
	text     string
	message  bool
	optional bool
}

// A setting is an expression and how it is compiled: as a stored expression or a new one, and with the functions and estimates of which minor
// version. Programs are made of stored expressions with those of the newest, which is 0.
type setting struct {
	expression
	stored bool
	minor  since.Minor
}

// stored returns the setting in which programs are made.
func stored(text string, message, optional bool) setting {
	return setting{expression{text, message, optional}, true, 0}
}

// A compiled is an expression that was compiled for places of one type.
type compiled struct {
	node *plan.Node // of the first of the places
	unit unit
}

// A unit is what an expression compiles to.
type unit struct {
	fault      string
	expr       *check.Expr   // nil once there is a program
	program    *eval.Program // nil until it is needed, if it is sure that there can be one
	transition bool
	cost       uint64
	estimated  bool // cost is there
}

// A purpose is what a unit is needed for.
type purpose uint8

const (
	toRun   purpose = iota // there is a program if there is no fault
	toJudge                // there is the cost if there is no fault
)

// compile makes the rules of p ready, unless that has been done meanwhile.
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

// force makes all rules ready that an evaluation may meet.
func (r *Rules) force() {
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
		*q = rule{source: source, optional: optional(source)}
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
				continue // a server looks no further, so that the fieldPath is lost, too
			}
		}
		if source.FieldPath != "" {
			if at, _, err := fieldpath.Resolve(p.node, source.FieldPath, true); err == nil {
				q.fieldPath = at
			}
		}
	}
	return set
}

func optional(r *plan.Rule) bool { return r.OptionalOldSelf != nil && *r.OptionalOldSelf }

func blank(text string) bool { return strings.TrimSpace(text) == "" }

// unit returns what e compiles to where self is of type t, with what it is needed for.
func (c *programs) unit(e setting, t *declare.Type, why purpose) unit {
	known := c.find(e, t.Node())
	if known != nil {
		if known.unit.expr != nil || known.unit.serves(why) {
			c.complete(&known.unit, e.expression, t, why)
			return known.unit
		}
	}
	if e.minor != 0 {
		c.total.SpendText(e.text) // there will be other versions
	}
	u := c.compileUnit(e.expression, t, e.stored, why)
	switch {
	case u.fault != "": // its text names types by the place
	case known != nil:
		u.program, u.expr = known.unit.program, nil
		known.unit = u
	case t.Node() != nil: // not an implied type, which has nothing to compare
		if c.known == nil {
			c.known = map[setting][]*compiled{}
		}
		c.known[e] = append(c.known[e], &compiled{t.Node(), u})
	}
	return u
}

// serves reports whether u has what it is needed for.
func (u *unit) serves(why purpose) bool {
	return u.fault != "" || why == toRun && u.program != nil || why == toJudge && u.estimated
}

// compileUnit compiles e where self is of type t, in the environment for stored or for new expressions.
func (c *programs) compileUnit(e expression, t *declare.Type, stored bool, why purpose) unit {
	expr, err := c.check(e, t, stored)
	if err != nil {
		return unit{fault: err.Error()}
	}
	u := unit{expr: expr, transition: !e.message && expr.UsesOldSelf} // CCO-002
	c.complete(&u, e, t, why)
	return u
}

// check checks e where self is of type t, in the environment for stored or for new expressions. What takes long is checked once for all whose
// results cannot differ.
func (c *programs) check(e expression, t *declare.Type, stored bool) (*check.Expr, error) {
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

// complete gives u, which is e where self is of type t, what it is needed for. A program is made right away if it is not sure that it
// can be made.
func (c *programs) complete(u *unit, e expression, t *declare.Type, why purpose) {
	if u.expr == nil || u.fault != "" {
		return
	}
	if why == toJudge && !u.estimated {
		u.cost, u.estimated = c.estimator.Cost(u.expr.AST, t), true
	}
	if why == toJudge && u.expr.Plain {
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

// find returns e as it was compiled for a place of the type that n has, or nil. Most expressions stand at one place, whose type nobody
// needs to compare.
func (c *programs) find(e setting, n *plan.Node) *compiled {
	if n == nil {
		return nil
	}
	all := c.known[e]
	for _, k := range all {
		if k.node == n {
			return k
		}
	}
	for _, k := range all {
		if len(k.node.Props) == len(n.Props) && c.first(k.node) == c.first(n) {
			return k
		}
	}
	return nil
}

// first returns the first node of the type that n has.
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
		if sameType(f, n) {
			c.types[n] = f
			return f
		}
	}
	c.firsts[h] = append(c.firsts[h], n)
	c.types[n] = n
	return n
}

// hash returns what is equal for nodes of the same type, and mostly different for others. It is kept: nodes with rules may stand in
// one another.
func (c *programs) hash(n *plan.Node) uint64 {
	if n == nil {
		return 1
	}
	if h, ok := c.hashes[n]; ok {
		return h
	}
	var m maphash.Hash
	m.SetSeed(c.seed)
	number := func(x uint64) { maphash.WriteComparable(&m, x) }
	_, _ = m.WriteString(n.Type)
	_ = m.WriteByte(0)
	_, _ = m.WriteString(n.Format)
	_ = m.WriteByte(0)
	number(uint64(typeFlags(n)))
	number(uint64(n.List))
	number(uint64(n.MaxItems))
	number(uint64(n.MaxProperties))
	number(uint64(maxLength(n)))
	number(uint64(len(n.Required)))
	number(c.hash(n.Items))
	number(c.hash(n.Additional))
	for i := range n.Props {
		_, _ = m.WriteString(n.Props[i].Name)
		_ = m.WriteByte(0)
		number(c.hash(n.Props[i].Node))
	}
	h := m.Sum64()
	c.hashes[n] = h
	return h
}

// typeFlags returns the flags of n that make a difference to expressions. Whether n is an embedded resource or the root of one is none.
func typeFlags(n *plan.Node) plan.Flags {
	f := n.Has & (plan.Nullable | plan.PreserveFields | plan.IntOrString | plan.OtherKeys | plan.Sized)
	if n.IsResource() {
		f |= plan.HasEmbedded
	}
	return f
}

func maxLength(n *plan.Node) int64 {
	if n.String == nil {
		return math.MaxInt64
	}
	return n.String.MaxLength
}

// sameType reports whether expressions compile, cost and run the same for values at a and at b.
func sameType(a, b *plan.Node) bool {
	if a == b {
		return true
	}
	if a == nil || b == nil ||
		a.Type != b.Type || a.Format != b.Format || typeFlags(a) != typeFlags(b) ||
		a.MaxItems != b.MaxItems || a.MaxProperties != b.MaxProperties || maxLength(a) != maxLength(b) ||
		a.List != b.List || a.MapType != b.MapType || !slices.Equal(a.ListMapKeys, b.ListMapKeys) ||
		(a.Default == nil) != (b.Default == nil) || !slices.Equal(a.Required, b.Required) ||
		(a.Enum == nil) != (b.Enum == nil) || a.Enum != nil && !slices.EqualFunc(a.Enum.Values, b.Enum.Values, jsonval.Equal) ||
		len(a.Props) != len(b.Props) || !sameType(a.Items, b.Items) || !sameType(a.Additional, b.Additional) {
		return false
	}
	for i := range a.Props {
		if a.Props[i].Name != b.Props[i].Name || !sameType(a.Props[i].Node, b.Props[i].Node) {
			return false
		}
	}
	return true
}
