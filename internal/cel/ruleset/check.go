package ruleset

import (
	"context"
	"hash/maphash"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/crdkit/crdkit/internal/cel/eval"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/since"
)

// This file is for callers that have an object as text. They walk the tree of rules themselves, and decode only the
// parts of values that the rules read. These parts also make a key. Rules are not evaluated for a value if they have
// passed for another one with the same key: objects of a kind have much in common.

// A Place is a node with rules at or below it.
type Place = place

// Top returns the place of whole objects, or nil if there are no rules.
func (r *Rules) Top() *Place {
	if r == nil || r.root == nil {
		return nil
	}
	return r.rules().top
}

// Node returns the node of p.
func (p *place) Node() *plan.Node { return p.node }

// HasRules reports whether p itself has rules.
func (p *place) HasRules() bool { return len(p.node.Rules) > 0 }

// Prop returns the place of a field, by its index (see [plan.Node.FieldIndex]), or nil if it has none.
func (p *place) Prop(index int) *Place {
	if index >= len(p.byIndex) {
		return nil // undeclared, or there are no rules in any property
	}
	return p.byIndex[index]
}

// Items returns the place of the items of a list, or nil.
func (p *place) Items() *Place { return p.items }

// Values returns the place of the values of a map, or nil.
func (p *place) Values() *Place { return p.values }

// Correlated reports whether the properties and the values of an object at p have old values if the object has one.
func (p *place) Correlated() bool { return p.correlated }

// A Check finds out whether the rules of one object pass. The result may be a false negative, never a false positive. A
// Check must not be used concurrently.
type Check struct {
	r       *Rules
	ctx     context.Context
	profile since.Profile // of the server
	machine *eval.Machine
	running bool // the machine is set up for this object

	left        int64 // of the budget
	evaluations int
	saved       int // work for values that have passed before
}

// Check returns a Check for one object by a server with that profile. [Check.End] ends it.
func (r *Rules) Check(ctx context.Context, profile since.Profile) *Check {
	c, _ := r.checks.Get().(*Check)
	if c == nil {
		c = &Check{r: r, machine: new(eval.Machine)}
	}
	c.profile = profile
	c.ctx, c.left, c.evaluations, c.saved, c.running = ctx, serverBudget, 0, 0, false
	return c
}

// End reports whether the cost and the work of all rules are certainly within the limits, and releases c for reuse. An
// evaluation in another order may take more work, because some work is shared, so the limit here is half of the usual
// one.
func (c *Check) End() bool {
	work := 0
	if c.running {
		var compiles bool
		if work, compiles = c.machine.Work(); compiles {
			work *= c.evaluations + 1 // In another order, each evaluation may compile the patterns again.
		}
		c.machine.Reset(context.Background(), 0, since.Profile{})
	}
	ok := work <= eval.MaxWork/2-c.saved && c.left > 0
	c.ctx = nil
	c.r.checks.Put(c)
	return ok
}

// Reads returns what the rules of p read, or nil if that is not known or the rules have errors: then no value passes.
// The first call for p compiles its rules, and type-checks them once more.
func (c *Check) Reads(p *Place) *eval.Reads {
	if reads := p.reads.Load(); reads != nil {
		return reads
	}
	return c.r.findReads(p)
}

func (r *Rules) findReads(p *place) *eval.Reads {
	set := r.compile(p)
	if set.fault != "" || slices.ContainsFunc(set.rules, func(r rule) bool { return r.fault != "" }) {
		return nil
	}
	r.programs.lock()
	defer r.programs.unlock()
	all := &eval.Reads{}
	for i := range set.rules {
		rule := &set.rules[i]
		if rule.program == nil {
			continue
		}
		e, err := r.programs.check(expression{rule.source.Rule, false, rule.optional}, p.typ, true)
		if err != nil {
			return nil // over the limit of type checks
		}
		all.Add(eval.FindReads(e.AST, p.typ.Node()))
	}
	p.reads.Store(all)
	return all
}

// Known reports whether the rules of p passed for a value with that key before. hasOld says that the value has an old
// value, which is equal.
func (c *Check) Known(p *Place, hasOld bool, key []byte) bool {
	e := c.r.passed.find(p, c.profile, hasOld, key)
	if e == nil || e.cost > c.left {
		return false
	}
	c.left -= e.cost
	c.saved += e.work
	return c.saved <= eval.MaxWork
}

// Pass reports whether the rules of p pass for v, which needs only the parts that they read. old is v or nil. If key is
// not nil, a later value with that key is Known.
func (c *Check) Pass(p *Place, v, old any, key []byte) bool {
	if !c.running {
		c.machine.Reset(c.ctx, callLimit, c.profile)
		c.running = true
	}
	set, before := p.ready.Load(), c.left
	workBefore, _ := c.machine.Work()
	c.machine.Load(p.node, v, old)
	for i := range set.rules {
		r := &set.rules[i]
		if !r.applies(old != nil) {
			continue
		}
		if c.evaluations++; c.evaluations%evaluationsBetween == 0 && c.ctx.Err() != nil {
			return false
		}
		out := c.machine.Eval(r.program, set.oldSelf(r.optional, old != nil))
		if out.Outcome != eval.True || out.Cost > c.left {
			return false
		}
		c.left -= out.Cost
	}
	work, compiles := c.machine.Work()
	if key != nil && !compiles {
		c.r.passed.add(key, &pass{p, c.profile, old != nil, string(key), before - c.left, work - workBefore + 1})
	}
	return true
}

// The keys of values whose rules have passed are cached in a table of fixed size. It takes five megabytes at most, if a
// definition has many different values.
const (
	// MaxKey is the length of the longest key.
	MaxKey  = 1 << 10
	buckets = 1 << 11
)

// A passed is a cache of values whose rules have passed. It is safe for concurrent use.
type passed struct {
	once  sync.Once
	seed  maphash.Seed
	table *[buckets]bucket
}

// A bucket has the last two values with a hash, the last one first.
type bucket [2]atomic.Pointer[pass]

type pass struct {
	place   *place
	profile since.Profile
	hasOld  bool
	key     string
	cost    int64
	work    int
}

func (t *passed) bucket(p *place, key []byte) *bucket {
	t.once.Do(func() { t.seed, t.table = maphash.MakeSeed(), new([buckets]bucket) })
	h := maphash.Bytes(t.seed, key) ^ uint64(p.node.ID)*0x9E3779B97F4A7C15
	return &t.table[h%buckets]
}

// find returns the entry of a value, or nil.
func (t *passed) find(p *place, profile since.Profile, hasOld bool, key []byte) *pass {
	b := t.bucket(p, key)
	for i := range b {
		if e := b[i].Load(); e != nil && e.place == p && e.profile == profile && e.hasOld == hasOld && e.key == string(key) {
			return e
		}
	}
	return nil
}

// add adds the entry of a value that was not found.
func (t *passed) add(key []byte, e *pass) {
	b := t.bucket(e.place, key)
	b[1].Store(b[0].Load())
	b[0].Store(e)
}
