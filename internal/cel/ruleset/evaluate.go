package ruleset

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/cel/eval"
	"github.com/crdkit/crdkit/internal/origin"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/internal/since"
	"github.com/crdkit/crdkit/schema"
)

// EvalOptions are documented as those of package cel.
type EvalOptions struct {
	Budget  int64
	Ratchet bool
	Limit   field.Limit
	Schema  string        // the path of the schema of the value, for the causes of errors
	Profile since.Profile // of the server that evaluates the rules
}

// A Result is documented as that of package cel.
type Result struct {
	Errors   field.List
	Warnings field.List
	Cost     int64
}

// Evaluate is documented as that of package cel.
func (r *Rules) Evaluate(ctx context.Context, obj, old map[string]any, opts *EvalOptions) Result {
	if r == nil || r.root == nil {
		return Result{}
	}
	var before any
	if old != nil {
		before = old
	}
	return r.evaluate(ctx, r.rules().top, nil, obj, before, opts)
}

// EvaluateValue is documented as that of package cel. Only rules that r can evaluate count: see [Rules.At].
func (r *Rules) EvaluateValue(ctx context.Context, n schema.Node, at *field.Path, v, old any, opts *EvalOptions) Result {
	if r == nil || r.root == nil || n.IsZero() {
		return Result{}
	}
	p := r.rules().find(plan.Of(n))
	if p == nil {
		return Result{}
	}
	return r.evaluate(ctx, p, at, v, old, opts)
}

func (r *Rules) evaluate(ctx context.Context, p *place, at *field.Path, v, old any, opts *EvalOptions) Result {
	if ctx == nil {
		ctx = context.Background()
	}
	w, _ := r.walkers.Get().(*walker)
	if w == nil {
		w = &walker{r: r, machine: new(eval.Machine)}
	}
	w.begin(ctx, p, at, v, old, opts)
	w.value(p, v, old, nil, 0)
	result := Result{Errors: w.errs.Errors(), Warnings: w.warnings.Errors(), Cost: w.budget - w.left}
	w.end()
	r.walkers.Put(w)
	return result
}

// A walker walks one object along the tree of rules.
type walker struct {
	r       *Rules
	ctx     context.Context
	machine *eval.Machine
	running bool // the machine is set up for this walk
	self    any  // the current value
	hasOld  bool // self has an old value

	budget, left int64
	evaluations  int // so far
	values       int // so far
	stopped      bool
	errs         refusal.List
	warnings     refusal.List

	at       *field.Path // of the whole value
	schema   string      // the path of its schema
	top      *place
	new, old any
	ratchet  bool
	// pairs has the counterparts of the values from the whole one down to the current one, as far as they have been
	// needed.
	pairs []*plan.Pair

	keys []string // of the maps that contain the current value, sorted
}

func (w *walker) begin(ctx context.Context, p *place, at *field.Path, v, old any, opts *EvalOptions) {
	w.ctx, w.top, w.at, w.new, w.old = ctx, p, at, v, old
	w.budget = serverBudget
	if opts != nil {
		if opts.Budget != 0 {
			w.budget = max(opts.Budget, 0)
		}
		w.ratchet, w.schema = opts.Ratchet && old != nil, opts.Schema
		w.errs, w.warnings = refusal.Of(opts.Profile, opts.Limit), refusal.Of(opts.Profile, opts.Limit)
	}
	w.left = w.budget
}

// manyKeys is the largest number of keys for which a walker keeps memory.
const manyKeys = 1024

// end releases everything but memory for the next walk.
func (w *walker) end() {
	if cap(w.keys) > manyKeys { // The next object is probably small, and clearing a large buffer takes long.
		w.keys = nil
	}
	clear(w.pairs[:cap(w.pairs)])
	clear(w.keys[:cap(w.keys)])
	if w.running {
		w.machine.Reset(context.Background(), 0, since.Profile{})
	}
	*w = walker{r: w.r, machine: w.machine, pairs: w.pairs[:0], keys: w.keys[:0]}
}

// value walks v at p, depth steps below the whole value. old is nil if there is no old value. It may also be nil if no
// rule at or below p can use it.
func (w *walker) value(p *place, v, old any, at *plan.Frame, depth int) {
	if v == nil {
		return // CEV-007
	}
	if len(w.pairs) > depth {
		w.pairs = w.pairs[:depth] // the others belong to other values
	}
	if w.values++; w.values%valuesBetween == 0 && w.interrupted(p, at) {
		return
	}
	if len(p.node.Rules) > 0 {
		w.rules(p, v, old, at, depth)
		if w.stopped {
			return
		}
	}
	switch x := v.(type) {
	case []any:
		if p.items != nil {
			w.list(p, x, old, at, depth+1)
		}
	case map[string]any:
		if p.values != nil {
			w.entries(p, x, old, at, depth+1)
		}
		if len(p.props) > 0 {
			w.properties(p, x, old, at, depth+1)
		}
	}
}

func (w *walker) list(p *place, items []any, old any, at *plan.Frame, depth int) {
	var before plan.Items
	if p.items.old {
		list, _ := old.([]any)
		before = plan.NewItems(p.node, list)
	}
	f := plan.Frame{Parent: at, Step: plan.StepItem}
	for i, v := range items {
		f.Index = i
		was, _ := before.Find(v) // CEV-021
		w.value(p.items, v, was, &f, depth)
		if w.stopped {
			return
		}
	}
}

func (w *walker) entries(p *place, m map[string]any, old any, at *plan.Frame, depth int) {
	before := p.before(p.values, old)
	mark := len(w.keys)
	w.keys = slices.AppendSeq(w.keys, maps.Keys(m))
	end := len(w.keys)
	slices.Sort(w.keys[mark:])
	f := plan.Frame{Parent: at, Step: plan.StepOtherKey}
	for i := mark; i < end && !w.stopped; i++ {
		f.Key = w.keys[i]
		w.value(p.values, m[f.Key], before[f.Key], &f, depth)
	}
	w.keys = w.keys[:mark]
}

func (w *walker) properties(p *place, m map[string]any, old any, at *plan.Frame, depth int) {
	f := plan.Frame{Parent: at}
	for i := range p.props {
		l := &p.props[i]
		v, ok := m[l.name]
		if !ok {
			continue
		}
		f.Key = l.name
		w.value(l.place, v, p.before(l.place, old)[l.name], &f, depth)
		if w.stopped {
			return
		}
	}
}

// before returns the old object at p for values at child. It is nil if there is none, and if it is not needed.
func (p *place) before(child *place, old any) map[string]any {
	if !child.old || !p.correlated {
		return nil
	}
	m, _ := old.(map[string]any)
	return m
}

// rules evaluates the rules of p itself on v.
//
// Clauses: CEV-009 to CEV-012, CEV-020 to CEV-027.
func (w *walker) rules(p *place, v, old any, at *plan.Frame, depth int) {
	set := p.ready.Load()
	if set == nil {
		set = w.r.compile(p)
	}
	if set.fault != "" {
		markNotCompiled(w.fail(p, nil, at, "rule compiler initialization error: ", set.fault)) // CMS-013
		return
	}
	if w.left <= 0 {
		w.stop(p, nil, at, outOfBudget)
		return
	}
	if isNil(old) {
		old = nil
	}
	if !w.running {
		w.machine.Reset(w.ctx, callLimit, w.errs.Profile())
		w.running = true
	}
	w.self, w.hasOld = v, old != nil
	w.machine.Load(p.node, v, old)
	for i := range set.rules {
		r := &set.rules[i]
		if r.fault != "" {
			markNotCompiled(w.fail(p, r, at, "rule compile error: ", r.fault)) // CMS-014
		}
		if r.applies(w.hasOld) && !w.run(p, set, r, at, depth) {
			return
		}
	}
}

// markNotCompiled sets the fault of e, which may be nil.
func markNotCompiled(e *field.Error) {
	if e != nil {
		origin.SetFault(e, origin.NotCompiled)
	}
}

// isNil reports whether an old value is a nil Go map or list, which is treated as absent (CEV-008).
func isNil(old any) bool {
	switch x := old.(type) {
	case map[string]any:
		return x == nil
	case []any:
		return x == nil
	}
	return false
}

// How often the walk checks the context.
const (
	evaluationsBetween = 64
	valuesBetween      = 256
)

// interrupted reports whether the context is cancelled, and if so ends the walk at p. The error names the next rule
// that would have been evaluated.
func (w *walker) interrupted(p *place, at *plan.Frame) bool {
	err := w.ctx.Err()
	if err == nil {
		return false
	}
	next := p
	for len(next.node.Rules) == 0 {
		next = next.children[0].place
	}
	w.interrupt(p, at, err, &next.node.Rules[0])
	return true
}

func (w *walker) interrupt(p *place, at *plan.Frame, err error, rule *plan.Rule) {
	w.fail(p, noRule, at, "operation interrupted: ", err.Error(), " evaluating rule: ", nameOf(rule)) // CMS-024
	w.stopped = true
}

// run evaluates one rule on the values in the machine, and reports whether the walk continues.
//
// Clauses: CMS-001, CMS-010, CMS-011, CMS-020, CMS-021.
func (w *walker) run(p *place, set *ruleset, r *rule, at *plan.Frame, depth int) bool {
	if w.evaluations++; w.evaluations%evaluationsBetween == 0 {
		if err := w.ctx.Err(); err != nil {
			w.interrupt(p, at, err, r.source)
			return false
		}
	}
	out := w.machine.Eval(r.program, set.oldSelf(r.optional, w.hasOld))
	if out.Cost > w.left {
		return w.stop(p, r, at, outOfBudget)
	}
	w.left -= out.Cost
	switch out.Outcome {
	case eval.True:
	case eval.False, eval.Text: // every result except true counts as false (CRC-016)
		return w.untrue(p, set, r, at, depth)
	case eval.OverLimit:
		return w.stop(p, r, at, overLimit(r.source))
	default:
		if e := w.fail(p, r, at, failed(out.Text, r.source)); e != nil {
			origin.SetFault(e, fault(out.Text))
		}
	}
	return true
}

// oldSelf returns the value of oldSelf in a rule of the set, or in its messageExpression, where it is never an optional
// (CEV-027).
//
// Clauses: CEV-024 to CEV-026.
func (s *ruleset) oldSelf(optional, hasOld bool) eval.OldSelf {
	switch {
	case !s.transition, !optional && !hasOld:
		return eval.OldUnbound
	case !optional:
		return eval.OldPlain
	case !hasOld:
		return eval.OldNone
	}
	return eval.OldOptional
}

// untrue reports a rule that is false. It returns whether the walk continues.
//
// Clauses: CMS-030, CMS-031, CMS-032.
func (w *walker) untrue(p *place, set *ruleset, r *rule, at *plan.Frame, depth int) bool {
	text, fatal := "", ""
	if r.message != nil {
		out := w.machine.Eval(r.message, set.oldSelf(false, w.hasOld))
		switch {
		case out.Cost > w.left:
			fatal = messageOutOfBudget
		case out.Outcome == eval.OverLimit:
			fatal = messageOverLimit(r.source)
		default:
			w.left -= out.Cost
			if out.Outcome == eval.Text {
				text = usable(out.Text)
			}
		}
	}
	// CEV-031, CEV-032: ratcheting applies only here.
	list := &w.errs
	if !r.transition && w.ratcheted(at, depth) {
		list = &w.warnings
	}
	if list.Full() {
		list.Skip(field.ErrorTypeInvalid)
	} else {
		list.Add(w.failure(p, r, at, text, fatal))
	}
	if fatal != "" {
		w.left, w.stopped = 0, true
	}
	return fatal == ""
}

// ratcheted reports whether ratcheting applies to the current value: whether it equals its old value. If it has none,
// the nearest enclosing value with an old value must equal that.
//
// Clauses: CEV-032, CEV-034, CEV-035.
func (w *walker) ratcheted(at *plan.Frame, depth int) bool {
	if !w.ratchet {
		return false
	}
	first := at
	for range depth - 1 {
		first = first.Parent
	}
	if first != nil && first.Step != plan.StepItem && (first.Key == "apiVersion" || first.Key == "kind") {
		return false
	}
	w.pair(at, depth)
	for i := depth; i >= 0; i-- {
		if p := w.pairs[i]; p != nil {
			return p.Equal()
		}
	}
	return false
}

// pair returns the counterpart of the value at that depth, which is the current one or encloses it.
func (w *walker) pair(at *plan.Frame, depth int) *plan.Pair {
	if depth < len(w.pairs) {
		return w.pairs[depth]
	}
	var p *plan.Pair
	switch {
	case at == nil:
		p = plan.NewPair(w.top.node, w.new, w.old)
	case at.Step == plan.StepItem:
		p = w.pair(at.Parent, depth-1).Item(at.Index)
	default:
		p = w.pair(at.Parent, depth-1).Child(strings.Clone(at.Key)) // a copy, so that the frames stay on the stack
	}
	w.pairs = append(w.pairs, p)
	return p
}
