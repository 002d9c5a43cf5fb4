package crdcheck

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/refusal"
)

// The common values of bounds, in ascending order.
var (
	commonLengths = []int64{
		1, 2, 4, 8, 16, 32, 63, 128, 253, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288, 1048576,
	}
	commonCounts = []int64{
		1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288, 1048576,
	}
)

// The values that a search for several bounds begins with.
var (
	firstLengths = []int64{1024, 253, 63, 16, 1}
	firstCounts  = []int64{256, 64, 16, 4, 1}
)

const (
	maxFixes = 3
	// largest is the maximum of all bounds: no larger value fits into a request.
	largest = refusal.MaxBody
)

// naturalLengths has functions that read a string, with a length that no such string exceeds in practice. The argument
// of isIP or isCIDR may be a host name.
var naturalLengths = map[string]int64{
	"quantity": 63, "ip": 63, "cidr": 63, "duration": 63, "timestamp": 63,
	"isIP": 253, "isCIDR": 253, "semver": 253, "url": 2048,
}

func isText(n *plan.Node) bool { return n.SizeKeyword() == "maxLength" }

// greatest sets with[n] to the largest of values for which fits is true, and reports whether there is one. values are
// in ascending order.
func greatest(with bounds, n *plan.Node, values []int64, fits func() bool) bool {
	before, had := with[n]
	fit := func(k int) bool {
		with[n] = values[k]
		return fits()
	}
	if !fit(0) { // true for most
		if delete(with, n); had {
			with[n] = before
		}
		return false
	}
	with[n] = values[sort.Search(len(values)-1, func(k int) bool { return !fit(k + 1) })]
	return true
}

// bound returns the upper bound of n: its own, a smaller natural one that is not below its minimum, or that of all.
func (b *budget) bound(n *plan.Node) (most int64, natural bool) {
	most = largest
	if n.Sized() {
		most = min(most, n.MaxSize())
	}
	if value, ok := b.natural[n]; ok && value < most && value >= b.least[n] {
		return value, true
	}
	return most, false
}

// tighter returns the common values for n that are below its bound, if it has one, and not below its minimum. The last
// one is the natural bound of n, if there is one.
func (b *budget) tighter(n *plan.Node) []int64 {
	if b.nodes[n] == nil {
		return nil
	}
	values := commonCounts
	if isText(n) {
		values = commonLengths
	}
	from, _ := slices.BinarySearch(values, b.least[n])
	values = values[from:]
	most, natural := b.bound(n)
	to, _ := slices.BinarySearch(values, most)
	if values = values[:to:to]; natural {
		values = append(values, most)
	}
	return values
}

// tightenable returns those of nodes that can have tighter bounds: loose are those without a bound so far.
func (b *budget) tightenable(nodes []*plan.Node) (loose, all []*plan.Node) {
	for _, n := range nodes {
		if len(b.tighter(n)) == 0 {
			continue
		}
		if all = append(all, n); !n.Sized() {
			loose = append(loose, n)
		}
	}
	return loose, all
}

// fixes returns the bounds that bring rule i under the limit, the least restrictive first. It changes existing bounds only if
// there is no other way.
func (b *budget) fixes(i int) (found []bounds) {
	loose, all := b.tightenable(b.inputs[i])
	for _, among := range [][]*plan.Node{loose, all} {
		if found = append(b.singles(i, among), b.several(i, among)...); len(found) > 0 {
			break
		}
	}
	sort.SliceStable(found, func(i, j int) bool { return b.restriction(found[i]) < b.restriction(found[j]) })
	var different []bounds
	for _, with := range found {
		if !slices.ContainsFunc(different, func(other bounds) bool { return maps.Equal(with, other) }) && len(different) < maxFixes {
			different = append(different, with)
		}
	}
	return different
}

// singles returns fixes of a single bound.
func (b *budget) singles(i int, among []*plan.Node) (found []bounds) {
	for _, n := range among {
		if with := (bounds{}); greatest(with, n, b.tighter(n), func() bool { return b.fits(i, with) }) {
			found = append(found, with)
		}
	}
	return found
}

// several returns fixes of more than one bound: one that keeps lists and maps as large as possible, and one that does
// so for strings.
func (b *budget) several(i int, among []*plan.Node) (found []bounds) {
	if len(among) < 2 {
		return nil
	}
	start := func(lengths, counts int64) bounds {
		with := bounds{}
		for _, n := range among {
			first := counts
			if isText(n) {
				first = lengths
			}
			values := b.tighter(n)
			with[n] = min(max(first, values[0]), values[len(values)-1])
		}
		return with
	}
	first := func(texts bool) {
		for x := range firstCounts {
			for y := range firstLengths {
				with := start(firstLengths[y], firstCounts[x])
				if texts {
					with = start(firstLengths[x], firstCounts[y])
				}
				if fits := func(*plan.Node) bool { return b.fits(i, with) }; fits(nil) {
					b.grow(with, preferring(texts, among), fits, func(*plan.Node) {})
					found = append(found, with)
					return
				}
			}
		}
	}
	first(false)
	first(true)
	return found
}

// preferring returns nodes with those of strings first, or with those of lists and maps first.
func preferring(texts bool, nodes []*plan.Node) []*plan.Node {
	nodes = slices.Clone(nodes)
	sort.SliceStable(nodes, func(x, y int) bool { return isText(nodes[x]) == texts && isText(nodes[y]) != texts })
	return nodes
}

// bySchema returns the nodes of bounds in the order of the schema.
func bySchema(with bounds) []*plan.Node {
	return slices.SortedFunc(maps.Keys(with), func(x, y *plan.Node) int { return cmp.Compare(x.ID, y.ID) })
}

// grow removes the bounds that are not needed, and makes each of the others as large as possible, in the given order.
// It calls fits while the bound of a node changes, and settled when it has its final value.
func (b *budget) grow(with bounds, order []*plan.Node, fits func(n *plan.Node) bool, settled func(n *plan.Node)) {
	for _, n := range order {
		if value, ok := with[n]; ok {
			if delete(with, n); len(with) == 0 || !fits(n) {
				with[n] = value
			} else {
				settled(n)
			}
		}
	}
	for _, n := range order {
		if _, needed := with[n]; needed {
			greatest(with, n, b.tighter(n), func() bool { return fits(n) })
			settled(n)
		}
	}
}

// together returns bounds that bring all rules and the total under their limits, or nil if there are none. best
// has the bounds of the rules that are over their own limit.
func (b *budget) together(best []bounds) bounds {
	with := bounds{}
	for i, one := range best {
		if one == nil && b.estimates[i].over() {
			return nil
		}
		for n, value := range one {
			if before, ok := with[n]; !ok || value < before {
				with[n] = value
			}
		}
	}
	if b.totalWith(with).over() && !b.lower(with) {
		return nil
	}
	order := preferring(false, bySchema(with))
	// The costs of the rules with these bounds. A change of one bound affects only the rules that depend on it.
	now, total := b.with(with)
	b.grow(with, order, func(n *plan.Node) bool {
		changed, sum := make([]estimated, len(b.users[n])), total
		for k, i := range b.users[n] {
			if changed[k] = b.estimate(i, with); changed[k].over() {
				return false
			}
			sum.sub(now[i])
			sum.add(changed[k])
		}
		return !sum.over()
	}, func(n *plan.Node) {
		for _, i := range b.users[n] {
			total.sub(now[i])
			now[i] = b.estimate(i, with)
			total.add(now[i])
		}
	})
	return with
}

// with returns the costs of the rules with other bounds.
func (b *budget) with(with bounds) (each []estimated, total costSum) {
	each = slices.Clone(b.estimates)
	for i := range each {
		if slices.ContainsFunc(b.inputs[i], func(n *plan.Node) bool { _, ok := with[n]; return ok }) {
			each[i] = b.estimate(i, with)
		}
		total.add(each[i])
	}
	return each, total
}

// lower tightens bounds, and adds some, until the total is within its limit, and reports whether it is. It considers
// the most expensive rules; the others together cost at most half of the limit. It changes existing bounds of these
// rules only if there is no other way.
func (b *budget) lower(with bounds) bool {
	each, _ := b.with(with)
	order := make([]int, len(each))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(x, y int) bool { return each[order[x]].sum() < each[order[y]].sum() })
	for rest := (costSum{}); len(order) > 0; order = order[1:] {
		if rest.add(each[order[0]]); rest.value() > DefinitionCostLimit/2 {
			break
		}
	}
	var nodes []*plan.Node
	seen := map[*plan.Node]bool{}
	for _, i := range order {
		for _, n := range b.inputs[i] {
			if !seen[n] {
				seen[n] = true
				nodes = append(nodes, n)
			}
		}
	}
	loose, all := b.tightenable(nodes)
	for _, among := range [][]*plan.Node{loose, all} {
		// at returns the bounds with each of among lowered by steps in its common values.
		at := func(steps int) bounds {
			lowered := maps.Clone(with)
			for _, n := range among {
				values := b.tighter(n)
				if before, ok := with[n]; ok {
					values = values[:slices.Index(values, before)+1]
				}
				lowered[n] = values[max(0, len(values)-1-steps)]
			}
			return lowered
		}
		steps := sort.Search(len(commonLengths), func(steps int) bool { return !b.totalWith(at(steps)).over() })
		if steps < len(commonLengths) {
			maps.Copy(with, at(steps))
			return true
		}
	}
	return false
}

// smallPenalty is added for a bound that is too small for most names, or for most lists.
const smallPenalty = 20

// restriction returns how much bounds restrict users, in orders of magnitude. A bound on a string counts less than one
// on a list, and a natural bound restricts nobody.
func (b *budget) restriction(with bounds) float64 {
	all := 0.0
	for n, value := range with {
		before, natural := b.bound(n)
		if natural && value == before {
			continue
		}
		weight := 2.0
		if isText(n) {
			weight = 1
		}
		all += weight * math.Log2(float64(before)/float64(value))
		if isText(n) && value < 63 || !isText(n) && value < 16 {
			all += smallPenalty
		}
	}
	return all
}

// fix returns bounds with their effect on rule i, or on all rules if i is negative. It is nil if there is no room for
// its texts.
func (b *budget) fix(with bounds, i int) *Fix {
	f := &Fix{}
	if i >= 0 {
		f.Estimate = b.estimate(i, with).rule
		f.Total = b.totalWith(with).value()
	} else {
		each, total := b.with(with)
		for _, e := range each {
			f.Estimate = max(f.Estimate, e.rule)
		}
		f.Total = total.value()
	}
	type operation struct {
		Op    string `json:"op"`
		Path  string `json:"path"`
		Value int64  `json:"value"`
	}
	var patch []operation
	var markers []string
	for _, n := range bySchema(with) {
		key := n.SizeKeyword()
		f.Bounds = append(f.Bounds, Bound{b.full(n), key, with[n]})
		below := strings.TrimPrefix(pointer(b.nodes[n].path), pointer(b.path))
		for _, document := range b.documents {
			at := pointer(document) + below
			if !b.left.spend(len(at)) {
				return nil
			}
			patch = append(patch, operation{"add", at + "/" + key, with[n]})
		}
		markers = append(markers, marker(b.nodes[n], key, with[n]))
	}
	f.Patch, _ = json.Marshal(patch) // no error: these are strings and numbers
	f.Marker = strings.Join(markers, "\n")
	return f
}

// pointer returns a path as a JSON pointer.
func pointer(at *field.Path) string { return (&field.Error{Path: at}).Pointer() }

// marker returns a bound as a kubebuilder marker of the Go field or type. Items of a list are set with the marker of
// the list.
func marker(at *location, key string, value int64) string {
	return fmt.Sprintf("+kubebuilder:validation:%s%s=%d", strings.Repeat("items:", at.items), strings.ToUpper(key[:1])+key[1:], value)
}

// headroom returns the largest value of each bound of rule i, which is within its limit, if no other bound changes.
func (b *budget) headroom(i int) []Bound {
	var all []Bound
	for _, n := range b.inputs[i] {
		if b.nodes[n] == nil || !n.Sized() {
			continue
		}
		if now := n.MaxSize(); now < largest && now >= 0 {
			head := Bound{b.full(n), n.SizeKeyword(), b.head(n)}
			if b.left.text < 0 {
				break
			}
			all = append(all, head)
		}
	}
	return all
}

// head returns the largest value for the bound of n that keeps the rules, and the total, within their limits. Those
// that are over them already are ignored.
func (b *budget) head(n *plan.Node) int64 {
	if most, ok := b.heads[n]; ok {
		return most
	}
	now := n.MaxSize()
	more := sort.Search(int(largest-now), func(k int) bool {
		with, total := bounds{n: now + int64(k) + 1}, b.total
		for _, i := range b.users[n] {
			e := b.estimate(i, with)
			if e.over() && !b.estimates[i].over() {
				return true
			}
			total.sub(b.estimates[i])
			total.add(e)
		}
		return total.over() && !b.total.over()
	})
	b.heads[n] = now + int64(more)
	return b.heads[n]
}

// unfixable returns hints that say why no bounds make rule i fit.
func (b *budget) unfixable(i int) []Hint {
	a, least := b.analyses[i], bounds{}
	for _, n := range b.inputs[i] {
		if b.nodes[n] != nil {
			least[n] = 1
		}
	}
	at := b.full(a.Node)
	switch e := b.estimate(i, least); {
	case !e.over():
		return []Hint{{hintNoBound, at, "bounds that bring the rule under the limit would refuse values that the schema or a sample has, or contradict a lower bound"}}
	case e.rule <= RuleCostLimit:
		return []Hint{{hintNoBound, at, "the messageExpression is over the limit whatever the bounds are"}}
	}
	part, _ := a.PartWith(least)
	return []Hint{{hintNoBound, at, part + " is over the limit whatever the bounds are: its result has none"}}
}

// constantPattern and constantPatternOfEach match rules that only match their value, or each item of it, with a
// constant.
var (
	constantPattern       = regexp.MustCompile(`^\s*self\.matches\((r?'[^']*'|r?"[^"]*")\)\s*$`)
	constantPatternOfEach = regexp.MustCompile(`^\s*self\.all\(\s*(\w+)\s*,\s*(\w+)\.matches\((r?'[^']*'|r?"[^"]*")\)\s*\)\s*$`)
)

// eachOf matches the beginning of a loop over a list.
var eachOf = regexp.MustCompile(`([\w.]+)\.all\(\s*\w+\s*,`)

// maxLoops is how many loops of a rule are checked for nested loops.
const maxLoops = 64

// hints returns the known reasons for expensive rules that apply to rule i, which is over its limit.
func (b *budget) hints(i int) []Hint {
	var all []Hint
	a := b.analyses[i]
	for _, n := range b.inputs[i] {
		at := b.nodes[n]
		if at == nil || n.Sized() {
			continue
		}
		key := n.SizeKeyword()
		for _, branch := range at.props.AllOf {
			if _, most := sizeBounds(branch, key); most != nil {
				all = append(all, Hint{hintAllOf, b.full(n), key + " is only in allOf, which estimates ignore: put it beside the type. " +
					"controller-gen writes allOf where a marker is on the type and on the field"})
				break
			}
		}
		if key == "maxProperties" {
			all = append(all, Hint{hintMapKeys, b.full(n), "keys of a map have no maxLength: only maxProperties bounds what a loop over them costs"})
		}
	}
	text := a.Node.Rules[a.Index].Rule
	here := b.full(a.Node)
	if constantPattern.MatchString(text) {
		all = append(all, Hint{hintMatches, here, "the rule matches with a constant: the keyword pattern does so without a cost"})
	} else if m := constantPatternOfEach.FindStringSubmatch(text); m != nil && m[1] == m[2] && a.Node.Items != nil {
		all = append(all, Hint{hintMatches, b.full(a.Node.Items), "the rule matches each item with a constant: the keyword pattern does so without a cost"})
	}
	for _, m := range eachOf.FindAllStringSubmatchIndex(text, maxLoops) {
		list, rest := text[m[2]:m[3]], text[m[1]:]
		if slices.ContainsFunc([]string{".exists_one(", ".existsOne(", ".filter(", ".all(", ".exists("}, func(f string) bool { return strings.Contains(rest, list+f) }) {
			all = append(all, Hint{hintUnique, here, "a loop over " + list + " in a loop over it compares all its items with each other: " +
				"x-kubernetes-list-type: map or set makes items unique without a cost"})
			break
		}
	}
	return all
}
