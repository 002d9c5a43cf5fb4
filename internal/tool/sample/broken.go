package sample

import (
	"context"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/tool/constraint"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validate"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// A Broken is an object that is refused for one reason. If that is a transition rule, Old is the valid object that it
// replaces; otherwise Old is nil.
type Broken struct {
	Breaks string // the violated constraint or rule, named as by [Maker.EachBroken]: spec.size: maximum 10
	Object map[string]any
	Old    map[string]any
	Errors field.List // its errors, without the one that rules were not evaluated
}

// Break returns an object that violates c and has no errors at other paths, or an error if none was found.
func (m *Maker) Break(ctx context.Context, c constraint.Constraint) (Broken, error) {
	if c.Node.ID != m.lastNode || m.lastBase == nil { // consecutive constraints are often of the same node
		m.lastNode, m.lastBase, m.lastTried = c.Node.ID, m.leading(ctx, c.Steps), false
	}
	if b, ok := m.breakIn(ctx, c, m.lastBase); ok {
		return b, nil
	}
	if !m.lastTried {
		m.lastTried = true
		if repaired, err := m.repair(ctx, m.lastBase, c.Steps); err == nil {
			m.lastBase = repaired
		}
		if b, ok := m.breakIn(ctx, c, m.lastBase); ok {
			return b, nil
		}
	}
	if full, err := m.Full(ctx); err == nil {
		if b, ok := m.breakIn(ctx, c, full); ok {
			return b, nil
		}
	}
	return Broken{}, errNone
}

// breakIn breaks c at its first place in obj.
func (m *Maker) breakIn(ctx context.Context, c constraint.Constraint, obj map[string]any) (Broken, bool) {
	m.charge(depthSteps * len(c.Steps))
	found := places(plan.Root(m.s), obj, c.Steps, 1)
	if obj == nil || len(found) == 0 {
		return Broken{}, false
	}
	p := found[0]
	path := field.PathOf(p.at...)
	var nearly Broken
	asked := 0
	within := c.ID // in the errors of the node alone
	within.Schema = ""
	view := plan.View[schema.Node](p.node)
	for v := range m.breaking(c, p) {
		m.charge(weigh(v))
		if m.exhausted() {
			break
		}
		if !about(within, append(validate.Value(view, path, v), validate.Lists(view, path, v)...)) {
			continue
		}
		b := Broken{}
		b.Object, _ = move{at: p.at, value: v}.apply(obj).(map[string]any)
		r := m.Submit(ctx, b.Object, nil)
		b.Errors, _ = wrong(r)
		switch {
		case r.Failure != nil || !about(c.ID, b.Errors):
		case len(b.Errors) == 1:
			return b, true
		case nearly.Object == nil:
			nearly = b
		}
		if asked++; asked > 20 {
			break
		}
	}
	return nearly, nearly.Object != nil
}

// about reports whether one of errs is about c, and all others are at the same path: a rule may require the same as a
// bound.
func about(c constraint.ID, errs field.List) bool {
	var at *field.Path
	found := false
	for _, e := range errs {
		if id, ok := constraint.Of(e); ok && id == c {
			at, found = e.Path, true
		}
	}
	for _, e := range errs {
		if !slices.Equal(e.Path.Segments(), at.Segments()) {
			return false
		}
	}
	return found
}

// breaking returns values that may violate c, to replace the one at p.
func (m *Maker) breaking(c constraint.Constraint, p place) iter.Seq[any] {
	return func(yield func(any) bool) {
		switch x := p.value.(type) {
		case map[string]any:
			m.breakingObjects(c, p.node, x, yield)
		case []any:
			m.breakingLists(c, p.node, x, yield)
		default:
			m.breakingScalars(p.node, x, yield)
		}
	}
}

func (m *Maker) breakingObjects(c constraint.Constraint, n *plan.Node, x map[string]any, yield func(any) bool) {
	switch c.Kind {
	case constraint.Required:
		less := maps.Clone(x)
		delete(less, c.Name)
		if !yield(less) {
			return
		}
		// The field may be the only one that minProperties needs.
		made, _ := m.object([]*plan.Node{n}, nil, variant{full: true}).(map[string]any)
		less = maps.Clone(made)
		delete(less, c.Name)
		yield(less)
	case constraint.MinProperties:
		less := maps.Clone(x)
		for _, key := range sortedKeys(x) {
			if delete(less, key); int64(len(less)) < n.MinProperties && !slices.Contains(n.Required, key) && !yield(less) {
				return
			}
		}
	case constraint.MaxProperties:
		if n.MaxProperties > maxItems {
			return
		}
		more := maps.Clone(x)
		m.grow([]*plan.Node{n}, more, n.MaxProperties+1, variant{})
		yield(more)
	default:
		yield(map[string]any{})
	}
}

func (m *Maker) breakingLists(c constraint.Constraint, n *plan.Node, x []any, yield func(any) bool) {
	if len(x) == 0 && n.Items != nil && c.Kind != constraint.MinItems {
		x = []any{m.value([]*plan.Node{n.Items}, nil, variant{})}
	}
	switch c.Kind {
	case constraint.MinItems:
		for i := range x {
			if !yield(x[:len(x)-1-i]) {
				return
			}
		}
	case constraint.MaxItems:
		if n.MaxItems > 100*maxItems {
			return
		}
		if n.List != plan.ListSet && n.List != plan.ListMap && len(x) > 0 {
			yield(slices.Repeat(x[:1], int(n.MaxItems)+1))
			return
		}
		if n.MaxItems < maxDistinct {
			yield(m.list([]*plan.Node{resized(n, n.MaxItems+1, math.MaxInt64)}, nil, variant{}))
		}
	case constraint.ListType:
		if len(x) > 0 && !yield(append(slices.Clone(x), x[0])) {
			return
		}
		if len(x) > 1 {
			twice := slices.Clone(x)
			twice[len(twice)-1] = x[0]
			yield(twice)
		}
	default:
		yield([]any{})
	}
}

func (m *Maker) breakingScalars(n *plan.Node, x any, yield func(any) bool) {
	nodes := []*plan.Node{n}
	switch x := x.(type) {
	case bool:
		yield(!x)
	case int64, float64:
		if n.String != nil && n.Has&plan.IntOrString != 0 && !m.breakingTexts(n, "", yield) {
			return
		}
		for _, f := range numbers(nodes, 50) {
			if kindOf(nodes) == "integer" {
				if f = math.Trunc(f); !yield(int64(f)) {
					return
				}
			} else if !yield(asNumber(f)) {
				return
			}
		}
	case string:
		m.breakingTexts(n, x, yield)
	}
}

// breakingTexts yields texts that may violate the string keywords of n. It reports false if yield does.
func (m *Maker) breakingTexts(n *plan.Node, x string, yield func(any) bool) bool {
	if c := n.String; c != nil {
		for _, length := range []int64{c.MinLength - 1, c.MaxLength + 1} {
			if length < 0 || length > 1<<21 {
				continue
			}
			if !yield(strings.Repeat("a", int(length))) || x != "" && !yield(stretched(x, int(length))) {
				return false
			}
			if c.PatternText != "" && !m.matching(c.PatternText, length, 3, yield) {
				return false
			}
		}
		if c.PatternText != "" {
			for _, s := range unusual {
				if !yield(x+s) || !yield(s+x) {
					return false
				}
			}
		}
		for length := max(c.MinLength, 0); length <= min(c.MinLength+1, 1<<16); length++ {
			for _, s := range unusual {
				if s != "" && !yield(stretched(s, int(length))) {
					return false
				}
			}
		}
	}
	return each(unusual, yield) && each(plain, yield) && each([]string{"other0", "other1", "other2", "other3", "other4"}, yield)
}

// each yields texts. It reports false if yield does.
func each(texts []string, yield func(any) bool) bool {
	return !slices.ContainsFunc(texts, func(s string) bool { return !yield(s) })
}

// stretched returns s repeated and cut to a length, in runes.
func stretched(s string, length int) string {
	runes := []rune(s)
	if len(runes) == 0 {
		return s
	}
	return string(slices.Repeat(runes, length/len(runes)+1)[:length])
}

// BreakRule returns an object whose only errors come from r, or an error if none was found.
func (m *Maker) BreakRule(ctx context.Context, r *constraint.Rule) (Broken, error) {
	m.charge(ruleSteps + ruleDepthSteps*len(r.Steps()))
	for _, p := range []variant{{}, {full: true}} {
		base, err := m.start(ctx, r, p)
		if err != nil {
			continue
		}
		if b, err := m.BreakRuleIn(ctx, r, base); err == nil {
			return b, nil
		}
	}
	return Broken{}, errNone
}

// BreakRuleIn is [Maker.BreakRule] with an object to begin with, which is valid and has a value for r.
func (m *Maker) BreakRuleIn(ctx context.Context, r *constraint.Rule, base map[string]any) (Broken, error) {
	var old map[string]any
	if r.Transition() {
		if old = m.Submit(ctx, base, nil).Object; old == nil {
			return Broken{}, errNone
		}
	}
	var found Broken
	obj, left := m.search(ctx, base, trials, func(v any) int {
		obj, _ := v.(map[string]any)
		result := m.Submit(ctx, obj, old)
		errs, _ := wrong(result)
		n := far(ctx, r, result, errs, old)
		if m.Also != nil {
			n += m.Also(ctx, obj, old)
		}
		if n == 0 {
			found = Broken{Object: obj, Old: old, Errors: errs}
		}
		return n
	}, func(v any) moves {
		obj, _ := v.(map[string]any)
		return m.moves(obj, []*constraint.Rule{r})
	})
	if left == 0 && jsonval.Equal(obj, found.Object) {
		return found, nil
	}
	if old != nil {
		if b, ok := m.breakBack(ctx, r, base); ok {
			return b, nil
		}
	}
	return Broken{}, errNone
}

// breakBack breaks a transition rule by an update to obj from an object that differs from it. For example, if a value
// must not decrease, obj may have the smallest one.
func (m *Maker) breakBack(ctx context.Context, r *constraint.Rule, obj map[string]any) (Broken, bool) {
	for _, mv := range m.moves(obj, []*constraint.Rule{r}) {
		if !m.spend() {
			break
		}
		from, _ := mv.apply(obj).(map[string]any)
		was := m.Submit(ctx, from, nil)
		if was.Err() != nil {
			continue
		}
		result := m.Submit(ctx, obj, was.Object)
		if errs, _ := wrong(result); len(errs) > 0 && far(ctx, r, result, errs, was.Object) == 0 &&
			(m.Also == nil || m.Also(ctx, obj, was.Object) == 0) {
			return Broken{Object: obj, Old: was.Object, Errors: errs}, true
		}
	}
	return Broken{}, false
}

// start returns a valid object with a value for r.
func (m *Maker) start(ctx context.Context, r *constraint.Rule, p variant) (map[string]any, error) {
	if p.full {
		obj, err := m.Full(ctx)
		if err == nil && len(places(plan.Root(m.s), obj, r.Steps(), 1)) == 0 {
			err = errNone
		}
		return obj, err
	}
	return m.valid(ctx, r.Steps(), p)
}

// far returns a score for a result: 0 if its only errors come from r.
func far(ctx context.Context, r *constraint.Rule, result resource.Result, errs field.List, old map[string]any) int {
	if result.Failure != nil {
		return 1000
	}
	mine := map[string]bool{}
	for _, e := range r.Evaluate(ctx, result.Object, old).False {
		mine[e.Error()] = true
	}
	own := 0
	for _, e := range errs {
		if mine[e.Error()] {
			own++
		}
	}
	others := len(errs) - own
	if own == 0 {
		return 500 + others
	}
	return others
}
