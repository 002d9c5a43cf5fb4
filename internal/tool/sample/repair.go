package sample

import (
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/tool/constraint"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/schema"
)

// trials is the maximum number of objects that are submitted to find one with the wanted result, and innerTrials that
// of values of a part of it.
const (
	trials      = 600
	innerTrials = 250
)

// A goal returns the score of a value: the lower the better, 0 if it meets the goal.
type goal func(v any) int

// astray is the score of a value that has lost a part that it must keep.
const astray = 2000

// repair changes obj until it is valid, and keeps a value at a schema path. The error says what is still invalid.
func (m *Maker) repair(ctx context.Context, obj map[string]any, schemaPath constraint.Steps) (map[string]any, error) {
	return m.repairTo(ctx, obj, trials, func(v any) bool { return len(schemaPath) == 0 || len(places(plan.Root(m.s), v, schemaPath, 1)) > 0 })
}

// repairTo is repair with a limit of trials. keeps must report true for the result.
func (m *Maker) repairTo(ctx context.Context, obj map[string]any, trials int, keeps func(v any) bool) (map[string]any, error) {
	score := func(v any) int {
		obj, _ := v.(map[string]any)
		if !keeps(v) {
			return astray
		}
		r := m.Submit(ctx, obj, nil)
		errs, blocked := wrong(r)
		n := len(errs)
		if r.Failure != nil {
			n++
		}
		if blocked {
			n += 1000
		}
		return n
	}
	fixed, left := m.search(ctx, obj, trials, score, func(v any) moves {
		obj, _ := v.(map[string]any)
		submitted := m.Submit(ctx, obj, nil).Object
		var failing []*constraint.Rule
		for _, r := range m.rules {
			if m.charge(ruleSteps / 100); m.exhausted() {
				break
			}
			if len(r.Evaluate(ctx, submitted, nil).False) > 0 {
				failing = append(failing, r)
			}
		}
		return m.moves(obj, failing)
	})
	obj, _ = fixed.(map[string]any)
	if left == 0 {
		return obj, nil
	}
	r := m.Submit(ctx, obj, nil)
	return obj, m.unmet(ctx, r)
}

// unmet returns the errors of a result, followed by the texts of some of the rules that fail, since the message of an
// error need not contain it.
func (m *Maker) unmet(ctx context.Context, r resource.Result) error {
	err := r.Err()
	if err == nil {
		return nil
	}
	var titles []string
	for _, rule := range m.rules {
		if m.charge(ruleSteps / 100); len(titles) == maxUnmet || m.exhausted() {
			break
		}
		if len(rule.Evaluate(ctx, r.Object, nil).False) > 0 {
			titles = append(titles, constraint.RuleTitle(rule.Path, rule.ValidationRule.Rule))
		}
	}
	if len(titles) == 0 {
		return err
	}
	return fmt.Errorf("%w; not met: %s", err, strings.Join(titles, "; "))
}

// maxUnmet is the maximum number of rules in an error.
const maxUnmet = 10

// mend changes a value until the rules at and below its node hold, or as many of them as possible. It keeps a value at
// the end of schemaPath.
func (m *Maker) mend(n *plan.Node, v any, schemaPath constraint.Steps) any {
	ctx := context.Background()
	check := func(v any) field.List {
		r := m.all.EvaluateValue(ctx, plan.View[schema.Node](n), nil, v, nil, nil)
		m.charge(requestSteps + int(min(r.Cost, maxWork)))
		return r.Errors
	}
	if len(check(v)) == 0 {
		return v
	}
	score := func(v any) int {
		switch {
		case len(schemaPath) > 0 && len(places(n, v, schemaPath, 1)) == 0:
			return astray
		case !Fits([]*plan.Node{n}, v):
			return 1000
		}
		return len(check(v))
	}
	v, _ = m.search(ctx, v, innerTrials, score, func(v any) moves {
		l := suggestionsOf(m.own[n.ID])
		l.values = scalarsAt(l.values, v, l.names, 0)
		var found moves
		m.movesAt(&found, n, v, nil, l, 0)
		for _, e := range check(v) {
			at := e.Path.Segments()
			if p, ok := follow(n, v, at); ok && len(at) > 0 && len(m.own[p.node.ID]) > 0 {
				m.movesAt(&found, p.node, p.value, at, suggestionsOf(m.own[p.node.ID]), 0)
			}
		}
		return found
	})
	return v
}

// follow returns the value at a path below v.
func follow(n *plan.Node, v any, at []field.Segment) (place, bool) {
	for _, step := range at {
		switch x := v.(type) {
		case []any:
			if !step.IsIndex || step.Index >= len(x) {
				return place{}, false
			}
			n, v = n.Items, x[step.Index]
		case map[string]any:
			n, _ = n.Child(step.Key)
			v = x[step.Key]
		default:
			return place{}, false
		}
		if n == nil {
			return place{}, false
		}
	}
	return place{n, v, at}, true
}

// search changes v, one or two changes at a time, as long as its score falls. It returns the best value and its score.
func (m *Maker) search(ctx context.Context, v any, budget int, score goal, changes func(any) moves) (any, int) {
	best, left := v, score(v)
	for tried := 0; left > 0 && tried < budget && ctx.Err() == nil && m.spend(); {
		possible := changes(best)
		sort.SliceStable(possible, func(i, j int) bool { return possible[i].reach() < possible[j].reach() })
		next, nearest := best, left
		for _, mv := range possible {
			if tried++; tried > budget || !m.spend() {
				break
			}
			changed := mv.apply(best)
			if n := score(changed); n < nearest {
				next, nearest = changed, n
				break
			}
		}
		if nearest == left {
			next, nearest, tried = m.pairs(best, possible, left, score, tried, budget)
		}
		if nearest == left {
			break
		}
		best, left = next, nearest
	}
	return best, left
}

// spend counts a trial, and reports whether it may be made.
func (m *Maker) spend() bool {
	if m.Budget == nil {
		m.charge(1)
		return !m.exhausted()
	}
	*m.Budget--
	return *m.Budget >= 0
}

// pairs tries two changes at once.
func (m *Maker) pairs(v any, possible moves, left int, score goal, tried, budget int) (any, int, int) {
	possible = possible.mixed()
	possible = possible[:min(len(possible), 40)]
	for i, first := range possible {
		once := first.apply(v)
		for _, second := range possible[i+1:] {
			if slices.Equal(first.at, second.at) {
				continue
			}
			if tried++; tried > budget || !m.spend() {
				return v, left, tried
			}
			changed := second.apply(once)
			if n := score(changed); n < left {
				return changed, n, tried
			}
		}
	}
	return v, left, tried
}

// A move sets or removes a value in an object.
type move struct {
	at    []field.Segment
	value any
	drop  bool
}

// moves are changes that may lower the score of a value.
type moves []move

// mixed returns the moves in turns of their paths: first one for each path, then another one for each, and so on.
func (m moves) mixed() moves {
	type turn struct {
		move
		n int
	}
	var turns []*turn
	before := map[string]int{}
	for _, mv := range m {
		path := field.PathOf(mv.at...).String()
		turns = append(turns, &turn{mv, before[path]})
		before[path]++
	}
	slices.SortStableFunc(turns, func(a, b *turn) int { return a.n - b.n })
	var mixed moves
	for _, t := range turns {
		mixed = append(mixed, t.move)
	}
	return mixed
}

// put adds a move that sets the value at a path.
//
//go:noinline
func (m *moves) put(at []field.Segment, value any) { *m = append(*m, move{at: at, value: value}) }

// drop adds a move that removes the value at a path.
//
//go:noinline
func (m *moves) drop(at []field.Segment) { *m = append(*m, move{at: at, drop: true}) }

// reach returns a measure of how much a move changes. It is smallest for scalars near the value of a rule, which most
// likely decide whether the rule holds.
func (mv move) reach() int {
	n := 4 * len(mv.at)
	switch mv.value.(type) {
	case map[string]any, []any:
		return n + 2
	}
	if mv.drop {
		n++
	}
	return n
}

func (mv move) apply(v any) any { return with(v, mv.at, mv.value, mv.drop) }

// Replaced returns v with another value at a path. Everything else is shared with v.
func Replaced(v any, at []field.Segment, value any) any { return with(v, at, value, false) }

// Removed returns v without the value at a path. Everything else is shared with v.
func Removed(v any, at []field.Segment) any { return with(v, at, nil, true) }

// with returns v with another value at a path, or without it if drop is set. Everything else is shared with v.
func with(v any, at []field.Segment, value any, drop bool) any {
	if len(at) == 0 {
		return value
	}
	step := at[0]
	switch x := v.(type) {
	case []any:
		i := step.Index
		switch {
		case !step.IsIndex || i < 0 || i > len(x) || drop && i == len(x):
			return v
		case i == len(x):
			return append(x[:i:i], with(nil, at[1:], value, drop))
		case drop && len(at) == 1:
			return slices.Delete(slices.Clone(x), i, i+1)
		}
		out := slices.Clone(x)
		out[i] = with(x[i], at[1:], value, drop)
		return out
	case map[string]any, nil:
		if step.IsIndex {
			return v
		}
		old, _ := x.(map[string]any)
		out := make(map[string]any, len(old)+1)
		maps.Copy(out, old)
		if drop && len(at) == 1 {
			delete(out, step.Key)
			return out
		}
		out[step.Key] = with(old[step.Key], at[1:], value, drop)
		return out
	}
	return v
}

// moves returns changes of the values that rules are about.
func (m *Maker) moves(obj map[string]any, rules []*constraint.Rule) moves {
	var found moves
	for i, r := range rules {
		if i > 0 && rules[i-1].Path == r.Path {
			continue // done with an earlier rule of the same values
		}
		same := []*constraint.Rule{}
		for _, other := range rules {
			if other.Path == r.Path {
				same = append(same, other)
			}
		}
		for _, p := range places(plan.Root(m.s), obj, r.Steps(), 3) {
			l := suggestionsOf(same)
			l.values = scalarsAt(l.values, p.value, l.names, 0)
			m.movesAt(&found, p.node, p.value, p.at, l, 0)
		}
	}
	return found[:min(len(found), maxMoves)]
}

// maxMoves is the maximum number of changes that are considered at once.
const maxMoves = 1500

// A place is a value in an object, with its path and its node.
type place struct {
	node  *plan.Node
	value any
	at    []field.Segment
}

func keyAt(at []field.Segment, key string) []field.Segment {
	return append(slices.Clip(at), field.Segment{Key: key})
}

func itemAt(at []field.Segment, i int) []field.Segment {
	return append(slices.Clip(at), field.Segment{Index: i, IsIndex: true})
}

// places returns at most some of the values at a schema path.
func places(n *plan.Node, v any, schemaPath constraint.Steps, some int) []place {
	found := []place{{n, v, nil}}
	for _, step := range schemaPath {
		var next []place
		for _, p := range found {
			switch x := p.value.(type) {
			case []any:
				for i := range x {
					if step.Item && p.node.Items != nil && len(next) < some {
						next = append(next, place{p.node.Items, x[i], itemAt(p.at, i)})
					}
				}
			case map[string]any:
				for _, key := range sortedKeys(x) {
					child, declared := p.node.Child(key)
					if child != nil && x[key] != nil && len(next) < some && !step.Item && (declared && key == step.Name || !declared && step.Other) {
						next = append(next, place{child, x[key], keyAt(p.at, key)})
					}
				}
			}
		}
		found = next
	}
	return found
}

// Suggestions are the names and values in the texts of rules.
type suggestions struct {
	names    map[string]bool
	values   []any
	patterns []string
}

var (
	namePattern   = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`)
	stringPattern = regexp.MustCompile(`r?"(?:[^"\\]|\\.)*"|r?'(?:[^'\\]|\\.)*'`)
	numberPattern = regexp.MustCompile(`\b[0-9]+(?:\.[0-9]+)?\b`)
)

func suggestionsOf(rules []*constraint.Rule) suggestions {
	l := suggestions{names: map[string]bool{}}
	all := ""
	for _, r := range rules {
		l.read(r.ValidationRule.Rule, &all)
	}
	if all != "" {
		l.values = append(l.values, all)
	}
	return l
}

// read adds what a rule's text suggests, and its texts to all.
func (l *suggestions) read(text string, all *string) {
	for _, s := range stringPattern.FindAllString(text, 50) {
		s = strings.TrimPrefix(s, "r")
		s = s[1 : len(s)-1]
		raw := strings.ReplaceAll(s, `\\`, `\`)
		l.values = append(l.values, raw)
		*all += raw
		if strings.ContainsAny(raw, `^$[\`) {
			l.patterns = append(l.patterns, raw)
		}
	}
	quoted := strings.Join(stringPattern.FindAllString(text, 50), " ")
	unquoted := stringPattern.ReplaceAllString(text, " ")
	for _, s := range namePattern.FindAllString(unquoted+" "+quoted, -1) { // self['name'], too
		l.names[s] = true
		if name, ok := types.UnescapeName(s); ok {
			l.names[name] = true
		}
	}
	for _, s := range numberPattern.FindAllString(unquoted, 20) {
		f, _ := strconv.ParseFloat(s, 64)
		for _, d := range []float64{0, 1, -1} {
			l.values = append(l.values, asNumber(f+d))
		}
	}
}

// scalarsAt adds the scalars of v whose names a rule mentions: it may want two of them to be equal.
func scalarsAt(found []any, v any, names map[string]bool, depth int) []any {
	if depth > maxMoveDepth || len(found) > 60 {
		return found
	}
	switch x := v.(type) {
	case map[string]any:
		for _, key := range sortedKeys(x) {
			if names[key] {
				found = scalarsAt(found, x[key], names, depth+1)
			}
		}
	case []any:
		for i := range min(len(x), 2) {
			found = scalarsAt(found, x[i], names, depth+1)
		}
	case string, int64, float64:
		if depth > 0 {
			found = append(found, x)
		}
	}
	return found
}

// maxMoveDepth limits how deep below a rule's value changes are made.
const maxMoveDepth = 5

func (m *Maker) movesAt(found *moves, n *plan.Node, v any, at []field.Segment, l suggestions, depth int) {
	if n == nil || depth > maxMoveDepth || len(*found) > maxMoves {
		return
	}
	switch x := v.(type) {
	case map[string]any:
		m.movesInObject(found, n, x, at, l, depth)
		return
	case []any:
		for i := range min(len(x), 3) {
			m.movesAt(found, n.Items, x[i], itemAt(at, i), l, depth+1)
		}
		if n.Items != nil {
			for trial := range 3 {
				item := m.value([]*plan.Node{n.Items}, nil, variant{trial: trial + len(x)})
				found.put(itemAt(at, len(x)), item)
			}
			if len(x) > 0 {
				found.put(itemAt(at, len(x)), x[0])
				found.drop(itemAt(at, len(x)-1))
				found.put(at, []any{})
			}
			if len(x) > 1 && n.Items.Type != "object" && n.Items.Type != "array" {
				for _, w := range m.others(n.Items, l) { // all items have to meet some rules
					found.put(at, alike(w, len(x)))
				}
			}
		}
		return
	}
	for _, w := range m.others(n, l) {
		found.put(at, w)
	}
}

func (m *Maker) movesInObject(
	found *moves, n *plan.Node, x map[string]any, at []field.Segment, l suggestions, depth int,
) {
	mentioned := false
	for i := range n.Props {
		mentioned = mentioned || l.names[n.Props[i].Name]
	}
	if root := depth == 0 && n.Has&plan.ResourceRoot != 0; root && l.names["metadata"] {
		for _, v := range l.values {
			if s, ok := v.(string); ok {
				for _, name := range []string{s, s + "a"} {
					found.put([]field.Segment{{Key: "metadata"}, {Key: "name"}}, name)
				}
			}
		}
	}
	for i := range n.Props {
		p := &n.Props[i]
		if mentioned && !l.names[p.Name] || !mentioned && (depth > 1 || len(n.Props) > 40) || n.Has&plan.ResourceRoot != 0 && plan.ResourceField(p.Name) {
			continue
		}
		place := keyAt(at, p.Name)
		if child, ok := x[p.Name]; ok {
			found.drop(place)
			m.movesAt(found, p.Node, child, place, l, depth+1)
			continue
		}
		made := m.value([]*plan.Node{p.Node}, nil, variant{})
		found.put(place, made)
		switch made := made.(type) {
		case map[string]any:
			// A field that is added may require fields itself.
			found.put(place, m.value([]*plan.Node{p.Node}, nil, variant{full: true}))
			var inside moves
			m.movesInObject(&inside, p.Node, made, nil, l, depth+3)
			for _, mv := range inside {
				found.put(place, mv.apply(made))
			}
		case []any:
			found.put(place, m.value([]*plan.Node{p.Node}, nil, variant{full: true}))
			if items := p.Node.Items; items != nil && items.Type != "object" && items.Type != "array" {
				for _, w := range m.others(items, l) {
					found.put(place, []any{w})
				}
			}
		default:
			for _, w := range m.others(p.Node, l) {
				found.put(place, w)
			}
		}
	}
	if n.Additional != nil {
		for _, key := range sortedKeys(x)[:min(len(x), 3)] {
			if child, declared := n.Child(key); !declared {
				found.drop(keyAt(at, key))
				m.movesAt(found, child, x[key], keyAt(at, key), l, depth+1)
			}
		}
		var suggested []string
		for _, v := range l.values {
			if s, ok := v.(string); ok && len(s) < 100 {
				suggested = append(suggested, s)
			}
		}
		if own := Undeclared(n, x); own != "" {
			for _, key := range suggested {
				renamed := Removed(x, []field.Segment{{Key: own}})
				found.put(at, Replaced(renamed, []field.Segment{{Key: key}}, x[own]))
			}
		}
		for _, key := range append([]string{otherKey(n, len(x)), "a.b/c", "A b", strings.Repeat("a", 64)}, suggested...) {
			found.put(keyAt(at, key), m.value([]*plan.Node{n.Additional}, nil, variant{}))
		}
	}
}

// Undeclared returns the first key of x that is not a property of n, or "". n may be nil.
func Undeclared(n *plan.Node, x map[string]any) string {
	for _, key := range sortedKeys(x) {
		if n == nil || n.Prop(key) == nil {
			return key
		}
	}
	return ""
}

// others returns scalars that are valid at n, those in the rule's text first.
func (m *Maker) others(n *plan.Node, l suggestions) []any {
	nodes := []*plan.Node{n}
	found := scalarSet{nodes: nodes}
	for _, v := range l.values {
		found.add(m, v)
	}
	for _, v := range l.values {
		if s, ok := v.(string); ok && kindOf(nodes) == "string" {
			for _, t := range []string{s + "a", "a" + s, s + "/a", "a" + s + "a"} {
				found.add(m, t)
			}
			if n.String != nil && n.String.Format != nil && n.String.Format.Name == "byte" {
				found.add(m, base64.StdEncoding.EncodeToString([]byte(s)))
			}
		}
	}
	if kindOf(nodes) == "string" && n.Enum == nil {
		for _, p := range l.patterns {
			some := 0
			m.matching(p, 0, 2, func(v any) bool { some++; return found.add(m, v) && some < 12 })
		}
	}
	usual, ok := m.likely[n]
	if !ok {
		usual = m.usual(nodes)
		m.likely[n] = usual
	}
	return append(found.list, usual...)
}

// usual returns scalars that are valid for nodes, including unusual ones.
func (m *Maker) usual(nodes []*plan.Node) []any {
	found := scalarSet{nodes: nodes}
	if kindOf(nodes) == "string" && nodes[0].Enum == nil {
		for _, s := range append(slices.Clone(unusual), plain...) {
			found.add(m, s)
		}
		for _, length := range []int{64, 254, 300} {
			found.add(m, strings.Repeat("a", length))
		}
	}
	for v := range m.scalars(nodes, 4) {
		switch v.(type) {
		case string, int64, float64, bool:
			if !found.add(m, v) {
				return found.list
			}
		}
	}
	return found.list
}

// A scalarSet has different values that are valid for nodes.
type scalarSet struct {
	nodes []*plan.Node
	list  []any
}

// add adds v if it is valid and new, and reports whether more are wanted.
//
//go:noinline
func (s *scalarSet) add(m *Maker, v any) bool {
	if m.fits(s.nodes, v) && !slices.Contains(s.list, v) {
		s.list = append(s.list, v)
	}
	return len(s.list) < 60 && !m.exhausted()
}

// unusual has strings that few patterns match.
var unusual = []string{"", "-", "!", "A", "_", " ", "a b", "a.", ".a", "-a", "a-", "%zz", "0", "é", "a\nb", "http://[", "//", "a/", "..", "1.2.3.4.5", "~", ":", "aa"}
