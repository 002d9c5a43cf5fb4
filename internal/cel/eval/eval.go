package eval

import (
	"context"
	"math"

	"github.com/crdkit/crdkit/internal/cel/lib/clock"
	"github.com/crdkit/crdkit/internal/pattern"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/since"
)

// A Program is an expression that is ready to run. It is immutable and safe for concurrent use.
type Program struct {
	run   evaluator
	cond  typed[bool] // for a bool, if there is a faster evaluator than run
	slots int         // number of variables
}

// OldSelf is the meaning of oldSelf while a program runs.
type OldSelf uint8

// The meanings of oldSelf.
const (
	OldUnbound  OldSelf = iota // the name is unknown (CEV-026)
	OldPlain                   // the old value
	OldNone                    // an optional without a value
	OldOptional                // an optional with the old value
)

// Outcome says how a program ended.
type Outcome uint8

// The outcomes.
const (
	True      Outcome = iota
	False             // the result of a rule
	Text              // the result of a messageExpression
	Failed            // an error: Result.Text
	OverLimit         // the cost limit of one evaluation was exceeded
)

// A Result is the result of a run.
type Result struct {
	Outcome Outcome
	Text    string // the result for Text, the error's text for Failed
	Cost    int64  // the cost of the run; for OverLimit, the cost that exceeded the limit
}

// A Machine runs programs, one after another, once it has been reset. It is not safe for concurrent use.
type Machine struct {
	frame   frame
	node    *plan.Node // of the values
	old     any        // the old value
	oldSelf OldSelf    // the current meaning of oldSelf
}

// Reset prepares m for a walk, and keeps memory of the last one. The cost of a run is limited to limit, and the values
// are those of a server with that profile. After ctx has ended, a program with a loop fails with a text that says so.
//
// Clauses: CRC-001, CMS-024.
func (m *Machine) Reset(ctx context.Context, limit int64, profile since.Profile) {
	f := &m.frame
	f.profile = profile
	f.limit, f.maxTurns, f.work, f.unchecked, f.held, f.variables = limit, maxTurns, 0, 0, 0, 0
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
	m.node, m.old, m.oldSelf = nil, nil, OldUnbound
}

// maxKept is the capacity of the largest buffer that a machine keeps.
const maxKept = 256

// emptied returns s with its elements cleared and length 0. Large buffers are dropped.
func emptied[T any](s []T) []T {
	if cap(s) > maxKept {
		return nil
	}
	clear(s[:cap(s)])
	return s[:0]
}

// A frame is the state that the parts of a running program share.
type frame struct {
	slots   []value  // self, oldSelf, and variables of loops
	stack   []value  // arguments of calls that are being evaluated
	texts   []string // computed in this run
	vals    []value  // items of lists that were computed in this run
	lists   []list   // computed in this run
	amounts []amount // computed in this run
	sorted  sortedMaps
	alike   pairs
	other   value // the result of an evaluator if it does not have the expected type

	profile     since.Profile // of the server
	zones       clock.Zones
	cost, limit int64
	turns       int // iterations of loops, and other steps of work
	work        int // work of all runs since the last Reset, in turns
	unchecked   int // bytes since the last check of the context
	made        int // bytes of results in this run, and of held
	held        int // bytes of results outside of this run that are still in use
	variables   int // that have been loaded, besides self and oldSelf
	maxTurns    int
	identities  uint64 // number of identities given to data so far
	ctx         context.Context
	done        <-chan struct{}

	patterns []*pattern.Pattern // the last computed patterns, the latest one at the end
}

// unbounded returns a frame for evaluations during planning. They are bounded by the length of the expression.
func unbounded() *frame { return &frame{limit: math.MaxInt64, maxTurns: math.MaxInt} }

// An evaluator is a part of a program: it returns a value and adds to the frame's cost.
type evaluator func(*frame) value

// These values end a run at once, wherever it is. They are panics that Run recovers, so that operators need not check
// for them.
type (
	overLimit   struct{}
	crashed     string // an error that nothing absorbs (CRC-062)
	interrupted struct{}
)

// charge adds to the cost. If that exceeds the limit, the run ends (CRC-001).
func (f *frame) charge(n int64) {
	f.cost += n
	if f.cost > f.limit {
		f.over()
	}
}

// ones charges n times 1. Charges after the one that exceeds the limit do not count.
func (f *frame) ones(n int64) {
	f.cost += n
	if f.cost > f.limit {
		f.cost = f.limit + 1
		f.over()
	}
}

// stops reports whether an operation ends with v, an operand that is an error: it costs nothing, and later operands are
// not evaluated.
func (f *frame) stops(v value) bool { return v.failed() && f.profile.Has(since.FreeErrors) }

//go:noinline
func (f *frame) over() { panic(overLimit{}) }

func (f *frame) crash(text string) { panic(crashed("internal error: " + text)) }

// turn counts an iteration of a loop. Every hundredth checks the context (CMS-024).
func (f *frame) turn() {
	if f.turns++; f.turns%turnsPerCheck == 0 {
		f.countTurns()
	}
}

const (
	turnsPerCheck = 100
	// maxTurns bounds the work of a whole walk, in iterations of loops. An empty iteration takes about 30 ns.
	maxTurns = 1 << 25
)

// poll counts a step of work outside the loops of an expression: reading one item of a list or one entry of a map.
func (f *frame) poll() { f.visits(stepBytes) }

//go:noinline
func (f *frame) countTurns() {
	f.work += turnsPerCheck
	f.checkLimits()
}

func (f *frame) checkLimits() {
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
	// bytesPerTurn is the number of bytes of a string whose visit is as much work as an iteration of a loop.
	bytesPerTurn = 64
	// stepBytes is the number of bytes whose visit is as much work as reading an item.
	stepBytes = 2 * bytesPerTurn
	// bytesPerCheck is the number of bytes between two checks of the context.
	bytesPerCheck = 1 << 16
	// maxMade is the maximum size of all results of one run together, in bytes: all of them may be kept.
	maxMade = 96 << 20
)

// visits counts n bytes that a function is about to read, whatever their cost.
func (f *frame) visits(n int) {
	if f.unchecked += n; f.unchecked >= bytesPerCheck {
		f.flushVisits()
	}
}

//go:noinline
func (f *frame) flushVisits() {
	f.work += f.unchecked / bytesPerTurn
	f.unchecked = 0
	f.checkLimits()
}

// makes counts n bytes of a result. Creating a byte takes longer than reading one.
func (f *frame) makes(n int) {
	f.visits(2 * n)
	if f.made += n; f.made > maxMade {
		f.over()
	}
}

// Load sets the input of the following programs: a value and an old one, and the node that describes them. A resource's
// node is completed as in CEV-013.
func (m *Machine) Load(n *plan.Node, self, old any) {
	f := &m.frame
	f.reserve(freeSlot)
	f.identities = 0
	f.sorted.known = nil
	f.slots[selfSlot] = f.identified(f.read(self, n))
	m.node, m.old, m.oldSelf = n, old, OldUnbound
	f.slots[oldSlot] = unboundOld
}

var unboundOld = failure("no such attribute(s): oldSelf")

// MaxWork bounds the work of all runs between two calls of Reset, see [Machine.Work].
const MaxWork = maxTurns

// Work returns the work of all runs since the last Reset. compiles says that one of them has compiled a pattern, which
// the following runs need not do again.
func (m *Machine) Work() (work int, compiles bool) {
	return m.frame.work + m.frame.unchecked/bytesPerTurn, len(m.frame.patterns) > 0
}

// reserve allocates n variables.
func (f *frame) reserve(n int) {
	if cap(f.slots) < n {
		slots := make([]value, n, 2*n)
		copy(slots, f.slots)
		f.slots = slots
	}
	f.slots = f.slots[:n]
}

// setOld changes the meaning of oldSelf.
func (m *Machine) setOld(o OldSelf) {
	f := &m.frame
	m.oldSelf = o
	v := unboundOld
	switch o {
	case OldPlain, OldOptional:
		f.identities = 1
		if v = f.identified(f.read(m.old, m.node)); o == OldOptional {
			v = some(v)
		}
	case OldNone:
		v = none
	}
	f.slots[oldSlot] = v
}

// Eval runs p with the loaded input. The data is not modified.
func (m *Machine) Eval(p *Program, o OldSelf) (r Result) {
	f := &m.frame
	f.cost, f.turns, f.made = 0, 0, f.held
	f.stack, f.sorted.names = f.stack[:0], f.sorted.names[:0]
	f.alike.forget()
	f.texts, f.vals, f.lists, f.amounts = f.texts[:0], f.vals[:0], f.lists[:0], f.amounts[:0]
	f.reserve(p.slots)
	f.identities = 2 // self and oldSelf
	if o != m.oldSelf {
		m.setOld(o)
		f.identities = 2
	}
	defer f.rescue(&r)
	if p.cond == nil {
		return f.result(p.run(f))
	}
	yes, ok := p.cond(f)
	switch {
	case !ok:
		return f.result(f.other)
	case yes:
		return Result{Outcome: True, Cost: f.cost}
	}
	return Result{Outcome: False, Cost: f.cost}
}

// rescue converts a panic to a result.
func (f *frame) rescue(r *Result) {
	if p := recover(); p != nil {
		*r = f.ended(p)
	}
}

// kept appends x to values of this run, and returns where it is. A full slice stays in use by the values that point
// into it.
func kept[T any](all *[]T, least int, x T) *T {
	if len(*all) == cap(*all) {
		*all = make([]T, 0, max(least, min(2*cap(*all), maxKept)))
	}
	*all = append(*all, x)
	return &(*all)[len(*all)-1]
}

// text returns the value of a computed string, which is valid until the next run.
//
//go:noinline
func (f *frame) text(s string) value { return value{kind: kindString, ref: kept(&f.texts, 16, s)} }

// values returns a slice of n values, which is valid until the next run. n must not be 0.
func (f *frame) values(n int) []value {
	if len(f.vals)+n > cap(f.vals) {
		f.vals = make([]value, 0, max(n, 16, min(2*cap(f.vals), maxKept)))
	}
	from := len(f.vals)
	f.vals = f.vals[:from+n]
	return f.vals[from : from+n : from+n]
}

// list returns a list of the items, which is valid until the next run.
func (f *frame) list(vals []value) value { return f.keep(list{n: len(vals), vals: vals}) }

// keep returns l as a value, which is valid until the next run.
//
//go:noinline
func (f *frame) keep(l list) value { return value{kind: kindList, ref: kept(&f.lists, 4, l)} }

// identified gives data an identity. In a server, objects and lists are pointers, and as keys of a map they are equal
// only if the pointers are: those of a variable always are, while each access to a field creates a new one.
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

// ended returns the result of a run that ended early. Any other panic is an error of the rule, as in a server.
func (f *frame) ended(why any) Result {
	r := Result{Outcome: Failed, Cost: f.cost}
	switch why := why.(type) {
	case overLimit:
		r.Outcome = OverLimit
		switch {
		case f.cost < 0:
			r.Cost = math.MaxInt64
		case f.cost <= f.limit: // too much work without a cost
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
