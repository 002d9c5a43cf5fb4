package sample

import (
	"fmt"
	"math"
	"slices"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/tool/constraint"
	"github.com/crdkit/crdkit/internal/validity"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validate"
)

// A variant describes the wanted values.
type variant struct {
	full  bool // with all fields that the schema describes
	trial int  // the index of the scalar to use, if several are possible, so that the items of a list differ
}

// maxBranches is the maximum number of choices among the branches of a node's combinators that are tried, maxItems that
// of the items of a list, maxDistinct that of different items, and maxTried the maximum length of a list in which
// duplicates are replaced one by one.
const (
	maxBranches = 64
	maxItems    = 2000
	maxDistinct = 300
	maxTried    = 64
)

// A value for more than fewNodes nodes counts as some trials for each.
const (
	fewNodes   = 8
	nodeTrials = 5
)

// value returns a value for all of nodes: the first is that of the schema itself, the others are branches of
// combinators above. If there is a schema path, the result has a value at its end. The result may be invalid if no
// better one was found.
func (m *Maker) value(nodes []*plan.Node, schemaPath constraint.Steps, p variant) any {
	p.full = p.full && m.depth < constraint.MaxDepth && !m.exhausted()
	if len(nodes) > 1 || len(schemaPath) > 0 {
		return m.newValue(nodes, schemaPath, p)
	}
	key := made{nodes[0], p}
	v, ok := m.made[key]
	if !ok {
		v = m.newValue(nodes, schemaPath, p)
		m.made[key] = v
	}
	return v
}

// A made is the key of a value in the cache. Values can be shared, because all changes are made to copies.
type made struct {
	node    *plan.Node
	variant variant
}

func (m *Maker) newValue(nodes []*plan.Node, schemaPath constraint.Steps, p variant) any {
	m.charge(valueSteps)
	if m.depth > constraint.MaxDepth {
		return m.shallow(nodes)
	}
	m.depth++
	defer func() { m.depth-- }()
	var best any
	branches := newBranches(nodes)
	for i := 0; i < maxBranches; i++ {
		chosen, more := branches.next()
		all := append(slices.Clone(nodes), chosen...)
		if m.Budget != nil && len(all) > fewNodes {
			*m.Budget -= nodeTrials * len(all)
		}
		if i > 0 && m.exhausted() {
			break
		}
		v := m.shaped(all, schemaPath, p)
		if repeats(nodes[0], v) {
			weight := weigh(v)
			m.chargeValue(1, weight)
			if weight > maxWeight {
				v = nothing(v)
			}
		}
		if i == 0 {
			best = v
		}
		rules := len(m.own[nodes[0].ID]) > 0
		if i == 0 && !more && !rules && !p.full {
			return v // there is nothing to choose from
		}
		if m.fits(nodes, v) {
			if !rules {
				return v
			}
			mended := m.mend(nodes[0], v, schemaPath)
			if p.trial > 0 && !jsonval.Equal(v, mended) { // as those of the other trials
				mended = m.another(nodes[0], mended, p.trial)
			}
			return mended
		}
		if !more {
			break
		}
	}
	if full, ok := best.(map[string]any); ok && p.full {
		return m.fullest(nodes, full, schemaPath, p)
	}
	return best
}

// repeats reports whether v, which was made for n, may have the same value several times. Only such values grow
// exponentially with their depth.
func repeats(n *plan.Node, v any) bool {
	switch x := v.(type) {
	case []any:
		return len(x) > 1
	case map[string]any:
		return len(x) > 1 && n.Additional != nil
	}
	return false
}

// shallow returns a value in place of one that is too deep. It is not valid if something is required in it.
func (m *Maker) shallow(nodes []*plan.Node) any {
	if v, ok := m.scalar(nodes, 0); ok {
		return v
	}
	if kindOf(nodes) == "array" {
		return []any{}
	}
	return map[string]any{}
}

// fullest returns as much as possible of an object whose fields exclude each other. It returns full if it finds none.
func (m *Maker) fullest(nodes []*plan.Node, full map[string]any, schemaPath constraint.Steps, p variant) any {
	p.full = false
	v, ok := m.value(nodes, schemaPath, p).(map[string]any)
	if !ok || !m.fits(nodes, v) {
		return full
	}
	for _, key := range sortedKeys(full) {
		if more := with(v, []field.Segment{{Key: key}}, full[key], false); m.fits(nodes, more) {
			v, _ = more.(map[string]any)
		}
	}
	if len(m.own[nodes[0].ID]) > 0 {
		return m.mend(nodes[0], v, schemaPath)
	}
	return v
}

// nothing returns a small value of the kind of v.
func nothing(v any) any {
	switch v.(type) {
	case map[string]any:
		return map[string]any{}
	case []any:
		return []any{}
	}
	return ""
}

// Fits reports whether v is valid for all of nodes, apart from rules. It is validated as it is, without pruning or
// defaulting.
func Fits(nodes []*plan.Node, v any) bool {
	for _, n := range nodes {
		if !validity.OK(n, v, validity.Schema) || !distinct(n, v) {
			return false
		}
	}
	return true
}

// distinct reports whether the items of all sets and list maps in v differ.
func distinct(n *plan.Node, v any) bool {
	return validity.OK(n, v, validity.Lists) || len(validate.Lists(plan.View[schema.Node](n), nil, v)) == 0
}

// A check of a value for nodes with many branches costs one trial of the budget for each checkUnit branches. Without a
// budget, there are maxChecks such trials.
const (
	checkUnit = 100
	maxChecks = 50_000
)

// fits is Fits, and counts trials. If none are left, it returns false.
func (m *Maker) fits(nodes []*plan.Node, v any) bool {
	m.chargeValue(1, weigh(v))
	for _, n := range nodes {
		cost := m.weights.Of(n) / checkUnit
		if m.Budget != nil {
			*m.Budget -= cost
		} else {
			m.checks += cost
		}
	}
	return !m.exhausted() && Fits(nodes, v)
}

// Weights caches the numbers of branches of the combinators of nodes.
type Weights map[*plan.Node]int

// Of returns the number of branches of the combinators of n, including those in branches.
func (w Weights) Of(n *plan.Node) int {
	c := n.Combine
	if c == nil {
		return 0
	}
	weight, ok := w[n]
	if !ok {
		branches := slices.Concat(c.AllOf, c.AnyOf, c.OneOf)
		if c.Not != nil {
			branches = append(branches, c.Not)
		}
		for _, b := range branches {
			weight += 1 + w.Of(b)
		}
		w[n] = weight
	}
	return weight
}

// branches iterates over the choices that the combinators of nodes allow: all branches of allOf, with one branch of
// each anyOf and oneOf.
type branches struct {
	always  []*plan.Node
	choices [][]*plan.Node
	turn    int
}

func newBranches(nodes []*plan.Node) *branches {
	b := &branches{}
	for depth := 0; len(nodes) > 0 && depth < 20; depth++ {
		var below []*plan.Node
		for _, n := range nodes {
			if n.Combine == nil {
				continue
			}
			below = append(below, n.Combine.AllOf...)
			for _, some := range [][]*plan.Node{n.Combine.AnyOf, n.Combine.OneOf} {
				if len(some) > 0 {
					b.choices = append(b.choices, some)
				}
			}
		}
		b.always = append(b.always, below...)
		nodes = below
	}
	return b
}

// next returns the nodes of the next choice, and whether there is another one after it.
func (b *branches) next() (chosen []*plan.Node, more bool) {
	chosen = slices.Clone(b.always)
	turn, total := b.turn, 1
	for _, c := range b.choices {
		branch := c[turn%len(c)]
		inner := newBranches([]*plan.Node{branch})
		deeper, _ := inner.next()
		chosen = append(append(chosen, branch), deeper...)
		turn /= len(c)
		total = min(total*len(c), maxBranches)
	}
	b.turn++
	return chosen, b.turn < total
}

// shaped returns a value for nodes, ignoring their combinators.
func (m *Maker) shaped(nodes []*plan.Node, schemaPath constraint.Steps, p variant) any {
	if len(schemaPath) > 0 {
		if schemaPath[0].Item {
			return m.list(nodes, schemaPath, p)
		}
		return m.object(nodes, schemaPath, p)
	}
	if v, ok := m.scalar(nodes, p.trial); ok {
		return v
	}
	switch kindOf(nodes) {
	case "array":
		return m.list(nodes, schemaPath, p)
	case "object":
		return m.object(nodes, schemaPath, p)
	}
	return m.guess(nodes)
}

// kindOf returns the declared type of nodes, or the one that the keywords of the first of them suggest.
func kindOf(nodes []*plan.Node) string {
	for _, n := range nodes {
		if n.Type != "" {
			return n.Type
		}
	}
	n := nodes[0]
	switch {
	case n.Has&plan.IntOrString != 0:
		return "integer"
	case n.Items != nil:
		return "array"
	case n.Accept&plan.KindObject != 0:
		return "object"
	}
	return ""
}

// guess returns a value if there is no type, or if no value of the type fits.
func (m *Maker) guess(nodes []*plan.Node) any {
	for _, v := range []any{map[string]any{}, "a", int64(1), true, []any{}, 0.5} {
		if m.fits(nodes, v) {
			return v
		}
	}
	return "a"
}

// object returns an object with the fields that nodes require, those of the variant, and one for the first step of the
// schema path.
func (m *Maker) object(nodes []*plan.Node, schemaPath constraint.Steps, p variant) any {
	out := map[string]any{}
	var names []string
	embedded := nodes[0].Has&plan.HasEmbedded != 0
	if embedded {
		names = append(names, "apiVersion", "kind", "metadata")
	}
	least := int64(0)
	for _, n := range nodes {
		least = max(least, n.MinProperties)
		names = append(names, n.Required...)
		if p.full {
			for i := range n.Props {
				names = append(names, n.Props[i].Name)
			}
		}
	}
	next := ""
	if len(schemaPath) > 0 {
		if next = schemaPath[0].Name; schemaPath[0].Other {
			next = otherKey(nodes[0], 0)
		}
		names = append(names, next)
	}
	if p.full && len(nodes[0].Props) == 0 && nodes[0].Additional != nil {
		names = append(names, otherKey(nodes[0], 0))
	}
	for _, name := range names {
		if _, ok := out[name]; ok {
			continue
		}
		var rest constraint.Steps
		if name == next && len(schemaPath) > 0 {
			rest = schemaPath[1:]
		}
		if v, ok := m.fieldOf(nodes, name, rest, p); ok {
			out[name] = v
		}
		if embedded {
			identify(nodes[0], out, name)
		}
	}
	m.grow(nodes, out, min(least, int64(len(out)+len(nodes[0].Props)+maxItems)), p)
	return out
}

// identify gives an embedded resource the fields that every resource needs, if its schema allows them.
func identify(n *plan.Node, out map[string]any, name string) {
	put := func(n *plan.Node, obj map[string]any, key, text string) {
		if own, _ := obj[key].(string); own != "" && n != nil {
			return
		}
		obj[key] = text
	}
	child, _ := n.Child(name)
	switch name {
	case "apiVersion":
		put(child, out, name, "v1")
	case "kind":
		put(child, out, name, "Example")
	case "metadata":
		meta, _ := out[name].(map[string]any)
		if meta == nil {
			meta = map[string]any{}
		}
		var own *plan.Node
		if child != nil {
			own, _ = child.Child("name")
		}
		put(own, meta, "name", "example")
		out[name] = meta
	}
}

// fieldOf returns a value for a field of an object, and false if nodes do not describe the field.
func (m *Maker) fieldOf(nodes []*plan.Node, name string, schemaPath constraint.Steps, p variant) (any, bool) {
	var children []*plan.Node
	for _, n := range nodes {
		if c, _ := n.Child(name); c != nil {
			children = append(children, c)
		}
	}
	switch {
	case len(children) > 0:
		return m.value(children, schemaPath, p), true
	case nodes[0].Has&(plan.PreserveFields|plan.OtherKeys|plan.ResourceRoot|plan.HasEmbedded) != 0:
		return map[string]any{}, true // for example in the metadata of an embedded resource
	}
	return nil, false
}

// grow adds fields that nodes allow until there are size of them: properties first.
func (m *Maker) grow(nodes []*plan.Node, out map[string]any, size int64, p variant) {
	n := nodes[0]
	for i := 0; i < len(n.Props) && int64(len(out)) < size && !m.exhausted(); i++ {
		if name := n.Props[i].Name; out[name] == nil {
			if v, ok := m.fieldOf(nodes, name, nil, p); ok {
				out[name] = v
			}
		}
	}
	for i := 0; int64(len(out)) < size && !m.exhausted(); i++ {
		key := otherKey(n, i)
		v, ok := m.fieldOf(nodes, key, nil, p)
		if !ok {
			return
		}
		if out[key] == nil {
			out[key] = v
		}
	}
}

// resized returns n, a list, with other bounds of its size.
func resized(n *plan.Node, least, most int64) *plan.Node {
	other, arrays := *n, *n.ArrayKeywords
	other.ArrayKeywords = &arrays
	other.MinItems, other.MaxItems = least, most
	return &other
}

// otherKey returns a key that is not a property of n.
func otherKey(n *plan.Node, i int) string {
	for ; ; i++ {
		key := "key" + fmt.Sprint(i)
		if n.Prop(key) == nil {
			return key
		}
	}
}

// list returns a list with the number of items that nodes require: at least one if the schema path continues, or for a
// full object.
func (m *Maker) list(nodes []*plan.Node, schemaPath constraint.Steps, p variant) any {
	least, most := int64(0), int64(math.MaxInt64)
	var items []*plan.Node
	for _, n := range nodes {
		least, most = max(least, n.MinItems), min(most, n.MaxItems)
		if n.Items != nil {
			items = append(items, n.Items)
		}
	}
	if (p.full || len(schemaPath) > 0) && most > 0 {
		least = max(least, 1)
	}
	out := []any{}
	if len(items) == 0 || least > maxItems {
		return out
	}
	next := func(trial int) any { // only the first item needs the value at the end of the schema path
		var rest constraint.Steps
		if len(out) == 0 && len(schemaPath) > 0 {
			rest = schemaPath[1:]
		}
		return m.value(items, rest, variant{full: p.full, trial: trial})
	}
	differ := func(items []any) bool {
		m.charge(differSteps * weigh(items))
		return distinct(nodes[0], items)
	}
	differing := nodes[0].List == plan.ListSet || nodes[0].List == plan.ListMap
	for i := range int(least) {
		if m.exhausted() {
			break
		}
		trial := p.trial
		if differing {
			trial += i
		}
		out = append(out, next(trial))
	}
	if !differing || differ(out) || least > maxTried {
		return out
	}
	out = out[:0:0]
	for trial := p.trial; int64(len(out)) < least && trial < p.trial+2*maxItems && !m.exhausted(); trial++ {
		if longer := append(out[:len(out):len(out)], next(trial)); differ(longer) {
			out = longer
		} else if trial > p.trial+200 && int64(trial-p.trial) > 4*least {
			break
		}
	}
	return out
}

// scalar returns the scalar with the index trial among those that fit all of nodes, or the last one if there are fewer.
// It returns false if nodes describe no scalar.
func (m *Maker) scalar(nodes []*plan.Node, trial int) (any, bool) {
	last, found := any(nil), -1
	for v := range m.scalars(nodes, trial) {
		if m.exhausted() {
			break
		}
		if found >= 0 && jsonval.Equal(v, last) || !m.fits(nodes, v) {
			continue
		}
		last = v
		if found++; found == trial {
			break
		}
	}
	return last, found >= 0
}
