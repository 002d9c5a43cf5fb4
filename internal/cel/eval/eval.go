package eval

import (
	"context"
	"math"

	"github.com/crdkit/crdkit/internal/cel/clock"
	"github.com/crdkit/crdkit/internal/pattern"
	"github.com/crdkit/crdkit/internal/plan"
)

// A Program is an expression made ready to run. It is immutable and may be used by several goroutines at once.
type Program struct {
	run   evaluator
	cond  condition // of a bool, if there is a better way than run
	slots int       // of variables
}

// OldSelf says what the name oldSelf stands for while a program runs.
type OldSelf uint8

// What oldSelf may stand for.
const (
	OldUnbound  OldSelf = iota // the name is not known (CEV-026)
	OldPlain                   // Input.Old
	OldNone                    // an optional without a value
	OldOptional                // an optional that has Input.Old
)

// Input is what a program runs on.
type Input struct {
	Node    *plan.Node // describes Self and Old; a resource's node is completed as CEV-013 says
	Self    any
	Old     any
	OldSelf OldSelf
}

// Outcome is how a program ended.
type Outcome uint8

// The outcomes.
const (
	True      Outcome = iota
	False             // of a rule
	Text              // of a messageExpression
	Failed            // with an error: Result.Text
	OverLimit         // the cost limit of one call was exceeded
)

// A Result is what a run gives.
type Result struct {
	Outcome Outcome
	Text    string // the text of a Text, the error's of a Failed
	Cost    int64  // spent; of OverLimit, the cost that broke the limit
}

// A Machine runs programs, one after another. It must not be used by two goroutines at once.
type Machine struct {
	frame  frame
	node   *plan.Node // of the values
	old    any        // the old value
	stands OldSelf    // what oldSelf is at the moment
}

// NewMachine returns a machine for one walk. No run may cost more than limit. When ctx is done, a program that loops fails with a text
// that says so.
//
// Clauses: CRC-001, CMS-024.
func NewMachine(ctx context.Context, limit int64) *Machine {
	m := new(Machine)
	m.Reset(ctx, limit)
	return m
}

// Reset returns m to the state of a new machine, but it keeps memory for the next runs.
func (m *Machine) Reset(ctx context.Context, limit int64) {
	f := &m.frame
	f.limit, f.maxTurns, f.work, f.unseen = limit, maxTurns, 0, 0
	f.ctx, f.done = ctx, nil
	if ctx != nil {
		f.done = ctx.Done()
	}
	f.slots = emptied(f.slots)
	f.stack = emptied(f.stack)
	f.texts = emptied(f.texts)
	f.vals = emptied(f.vals)
	f.lists = emptied(f.lists)
	f.amounts = emptied(f.amounts)
	f.sorted.forget()
	f.alike.forget()
	f.patterns = emptied(f.patterns)
	f.other = value{}
	m.node, m.old, m.stands = nil, nil, OldUnbound
}

// much is the capacity of the largest buffer that a machine keeps.
const much = 256

// emptied returns s with its elements cleared and length 0. Large buffers are dropped.
func emptied[T any](s []T) []T {
	if cap(s) > much {
		return nil
	}
	clear(s[:cap(s)])
	return s[:0]
}

// A frame is what the parts of a running program share.
type frame struct {
	slots   []value  // self, oldSelf, and variables of loops
	stack   []value  // arguments of calls that are being evaluated
	texts   []string // computed in this run
	vals    []value  // items of lists, likewise
	lists   []list   // likewise
	amounts []amount // likewise
	sorted  sortedMaps
	alike   pairs
	other   value // what an evaluator of one type found instead of that

	zones       clock.Zones
	cost, limit int64
	turns       int // of loops, and other steps of work that no loop counts
	work        int // turns of all runs since the last Reset, and what else was done, in turns
	unseen      int // bytes since the last look at the context
	made        int // bytes of results in this run
	maxTurns    int
	identities  uint64 // given to data so far
	ctx         context.Context
	done        <-chan struct{}

	patterns []*pattern.Pattern // that were computed last, the latest one at the end
}

// unbounded returns a frame for what is evaluated where a program is planned. The text of an expression bounds that.
func unbounded() *frame { return &frame{limit: math.MaxInt64, maxTurns: math.MaxInt} }

// An evaluator is a part of a program: it gives a value and adds to the frame's cost.
type evaluator func(*frame) value

// Ways in which a run ends at once, whatever stands around the place. They are panics that Run recovers, so that no operator
// needs to look for them.
type (
	overLimit   struct{}
	crashed     string // an error that nothing absorbs (CRC-062)
	interrupted struct{}
)

// charge adds to the cost. Over the limit, the run ends (CRC-001).
func (f *frame) charge(n int64) {
	f.cost += n
	if f.cost > f.limit {
		f.over()
	}
}

// ones charges n times 1: over the limit, those behind the one that broke it do not count.
func (f *frame) ones(n int64) {
	f.cost += n
	if f.cost > f.limit {
		f.cost = f.limit + 1
		f.over()
	}
}

func (f *frame) over() { panic(overLimit{}) }

func (f *frame) crash(text string) { panic(crashed("internal error: " + text)) }

// turn counts an iteration of a loop. At every hundredth the context is asked (CMS-024).
func (f *frame) turn() {
	if f.turns++; f.turns%turnsPerLook == 0 {
		f.look()
	}
}

const (
	turnsPerLook = 100
	// maxTurns bounds the work of a whole walk, in turns of loops. A turn that does nothing takes some 30 ns.
	maxTurns = 1 << 25
)

// poll counts a step of work that no loop of the expression makes: a look at one item of a list or at one entry of a map.
func (f *frame) poll() { f.visits(stepBytes) }

func (f *frame) look() {
	f.work += turnsPerLook
	f.check()
}

func (f *frame) check() {
	if f.done != nil {
		select {
		case <-f.done:
			panic(interrupted{})
		default:
		}
	}
	if f.work > f.maxTurns {
		f.over()
	}
}

const (
	// bytesPerTurn is how many bytes of a text are as much work as a turn of a loop.
	bytesPerTurn = 64
	// stepBytes is how many bytes are as much work as a look at an item.
	stepBytes = 2 * bytesPerTurn
	// bytesPerLook is how many are looked at before the context is asked again.
	bytesPerLook = 1 << 16
	// maxMade is how many bytes the results of one run may have together: they may all be kept.
	maxMade = 96 << 20
)

// visits counts n bytes that a function is about to look at, whatever that costs.
func (f *frame) visits(n int) {
	if f.unseen += n; f.unseen >= bytesPerLook {
		f.seen()
	}
}

func (f *frame) seen() {
	f.work += f.unseen / bytesPerTurn
	f.unseen = 0
	f.check()
}

// makes counts n bytes of a result. To make a byte takes longer than to look at one.
func (f *frame) makes(n int) {
	f.visits(2 * n)
	if f.made += n; f.made > maxMade {
		f.over()
	}
}

// Run runs p on in. The data of in is not modified.
func (m *Machine) Run(p *Program, in *Input) Result {
	m.Load(in.Node, in.Self, in.Old)
	return m.Eval(p, in.OldSelf)
}

// Load sets what the next programs run on: a value and an old one, and the node that describes them. A resource's node is completed as
// CEV-013 says.
func (m *Machine) Load(n *plan.Node, self, old any) {
	f := &m.frame
	f.room(freeSlot)
	f.identities = 0
	f.sorted.known = nil
	f.slots[selfSlot] = f.identified(adapt(self, n))
	m.node, m.old, m.stands = n, old, OldUnbound
	f.slots[oldSlot] = unboundOld
}

var unboundOld = failure("no such attribute(s): oldSelf")

// room makes room for n variables.
func (f *frame) room(n int) {
	if cap(f.slots) < n {
		slots := make([]value, n, 2*n)
		copy(slots, f.slots)
		f.slots = slots
	}
	f.slots = f.slots[:n]
}

// setOld makes oldSelf stand for something else.
func (m *Machine) setOld(o OldSelf) {
	f := &m.frame
	m.stands = o
	v := unboundOld
	switch o {
	case OldPlain, OldOptional:
		f.identities = 1
		if v = f.identified(adapt(m.old, m.node)); o == OldOptional {
			v = some(v)
		}
	case OldNone:
		v = none
	}
	f.slots[oldSlot] = v
}

// Eval runs p on what was loaded. The data is not modified.
func (m *Machine) Eval(p *Program, o OldSelf) (r Result) {
	f := &m.frame
	f.cost, f.turns, f.made = 0, 0, 0
	f.stack, f.sorted.names = f.stack[:0], f.sorted.names[:0]
	f.alike.forget()
	f.texts, f.vals, f.lists, f.amounts = f.texts[:0], f.vals[:0], f.lists[:0], f.amounts[:0]
	f.room(p.slots)
	f.identities = 2 // self and oldSelf
	if o != m.stands {
		m.setOld(o)
		f.identities = 2
	}
	defer f.rescue(&r)
	if p.cond == nil {
		return f.result(p.run(f))
	}
	switch p.cond(f) {
	case triTrue:
		return Result{Outcome: True, Cost: f.cost}
	case triFalse:
		return Result{Outcome: False, Cost: f.cost}
	}
	return f.result(f.other)
}

// rescue makes a result of a panic.
func (f *frame) rescue(r *Result) {
	if p := recover(); p != nil {
		*r = f.ended(p)
	}
}

// text returns the value of a computed string, which is good until the next run.
func (f *frame) text(s string) value {
	if len(f.texts) == cap(f.texts) {
		f.texts = make([]string, 0, max(16, min(2*cap(f.texts), much)))
	}
	f.texts = append(f.texts, s)
	return value{kind: kindString, ref: &f.texts[len(f.texts)-1]}
}

// values returns room for n values, which is good until the next run. It is not empty.
func (f *frame) values(n int) []value {
	if len(f.vals)+n > cap(f.vals) {
		f.vals = make([]value, 0, max(n, 16, min(2*cap(f.vals), much)))
	}
	from := len(f.vals)
	f.vals = f.vals[:from+n]
	return f.vals[from : from+n : from+n]
}

// list returns a list of the items, which is good until the next run.
func (f *frame) list(vals []value) value { return f.keep(list{n: len(vals), vals: vals}) }

// keep returns l as a value, which is good until the next run.
func (f *frame) keep(l list) value {
	if len(f.lists) == cap(f.lists) {
		f.lists = make([]list, 0, max(4, min(2*cap(f.lists), much)))
	}
	f.lists = append(f.lists, l)
	return value{kind: kindList, ref: &f.lists[len(f.lists)-1]}
}

// identified gives data an identity. A server's values of objects and lists are pointers, and equal as keys of a map if they are the same
// one: a variable's is, while each look at a field makes another.
func (f *frame) identified(v value) value {
	if v.kind == kindRawMap || v.kind == kindRawList {
		f.identities++
		v.bits = f.identities
	}
	return v
}

func (f *frame) result(v value) Result {
	r := Result{Outcome: False, Cost: f.cost}
	switch v.kind {
	case kindBool:
		if v.bits != 0 {
			r.Outcome = True
		}
	case kindString:
		r.Outcome, r.Text = Text, v.str()
	case kindError:
		r.Outcome, r.Text = Failed, v.str()
	}
	return r
}

// ended is the result of a run that ended early. A panic that is not one of ours is an error of the rule, as it is in a server.
func (f *frame) ended(why any) Result {
	r := Result{Outcome: Failed, Cost: f.cost}
	switch why := why.(type) {
	case overLimit:
		r.Outcome = OverLimit
		switch {
		case f.cost < 0:
			r.Cost = math.MaxInt64
		case f.cost <= f.limit: // too much work that costs nothing
			r.Cost = f.limit + 1
		}
	case interrupted:
		r.Text = "operation interrupted: " + f.ctx.Err().Error()
	case crashed:
		r.Text = string(why)
	case error:
		r.Text = "internal error: " + why.Error()
	default:
		r.Text = "internal error"
	}
	return r
}
