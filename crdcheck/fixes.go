package crdcheck

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/crdkit/crdkit/cel"
	"github.com/crdkit/crdkit/schema"
)

// The natural values of bounds, which people choose, least first.
var (
	naturalLengths = []int64{
		1, 2, 4, 8, 16, 32, 63, 128, 253, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288, 1048576,
	}
	naturalCounts = []int64{
		1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288, 1048576,
	}
)

// The values that several bounds together begin with.
var (
	firstLengths = []int64{1024, 253, 63, 16, 1}
	firstCounts  = []int64{256, 64, 16, 4, 1}
)

const (
	maxFixes = 3
	// largest is what no bound needs to be over: a request has no room for more.
	largest = 3145728
)

func isText(n schema.Node) bool { return keyword(n) == "maxLength" }

func naturals(n schema.Node) []int64 {
	if isText(n) {
		return naturalLengths
	}
	return naturalCounts
}

// inputs returns the nodes whose bounds count for a rule.
func inputs(a *cel.Analysis) []schema.Node {
	all := slices.Clone(a.Multiplies)
	for _, n := range a.Sizes {
		if !slices.Contains(all, n) {
			all = append(all, n)
		}
	}
	return all
}

// greatest sets with[n] to the greatest of values with which rule i fits, and reports whether there is one.
func (b *budget) greatest(i int, with bounds, n schema.Node, values []int64) bool {
	before, had := with[n]
	at := sort.Search(len(values), func(k int) bool {
		with[n] = values[k]
		return !b.fits(i, with)
	})
	if at == 0 {
		if delete(with, n); had {
			with[n] = before
		}
		return false
	}
	with[n] = values[at-1]
	return true
}

// tighter returns the natural values for n that tighten it.
func tighter(n schema.Node) []int64 {
	values := naturals(n)
	if !isBounded(n) {
		return values
	}
	most := bound(n)
	return values[:sort.Search(len(values), func(k int) bool { return values[k] >= most })]
}

// fixes returns the bounds with which rule i fits.
func (b *budget) fixes(i int) []Fix {
	var loose, all []schema.Node
	for _, n := range inputs(b.analyses[i]) {
		if _, known := b.nodes[n]; !known || len(tighter(n)) == 0 {
			continue
		}
		if all = append(all, n); !isBounded(n) {
			loose = append(loose, n)
		}
	}
	var found []bounds
	for _, among := range [][]schema.Node{loose, all} {
		if found = append(b.singles(i, among), b.several(i, among)...); len(found) > 0 {
			break
		}
	}
	slices.SortStableFunc(found, func(x, y bounds) int { return cmp.Compare(restriction(x), restriction(y)) })
	var fixes []Fix
	for _, with := range found {
		f := b.fix(i, with)
		if !slices.ContainsFunc(fixes, func(g Fix) bool { return slices.Equal(f.Bounds, g.Bounds) }) && len(fixes) < maxFixes {
			fixes = append(fixes, f)
		}
	}
	return fixes
}

// singles returns the bounds of one node each.
func (b *budget) singles(i int, among []schema.Node) (found []bounds) {
	for _, n := range among {
		if with := (bounds{}); b.greatest(i, with, n, tighter(n)) {
			found = append(found, with)
		}
	}
	return found
}

// several returns bounds of more than one node: once those that leave lists and maps as large as they can be, once strings.
func (b *budget) several(i int, among []schema.Node) (found []bounds) {
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
			if values := tighter(n); first > values[len(values)-1] {
				first = values[len(values)-1]
			}
			with[n] = first
		}
		return with
	}
	grow := func(with bounds, texts bool) {
		order := slices.Clone(among)
		slices.SortStableFunc(order, func(x, y schema.Node) int {
			if isText(x) == isText(y) {
				return 0
			}
			if isText(x) == texts {
				return -1
			}
			return 1
		})
		for _, n := range order { // one that is not needed goes
			value := with[n]
			if delete(with, n); len(with) == 0 || !b.fits(i, with) {
				with[n] = value
			}
		}
		for _, n := range order {
			if _, needed := with[n]; needed {
				b.greatest(i, with, n, tighter(n))
			}
		}
		found = append(found, with)
	}
	first := func(texts bool) {
		for _, x := range [...]int{0, 1, 2, 3, 4} {
			for y := range firstLengths {
				with := start(firstLengths[y], firstCounts[x])
				if texts {
					with = start(firstLengths[x], firstCounts[y])
				}
				if b.fits(i, with) {
					grow(with, texts)
					return
				}
			}
		}
	}
	first(false)
	first(true)
	return found
}

// tight is what a bound counts besides that hardly leaves room for names, or for a list worth the name.
const tight = 20

// restriction returns how much bounds take away from users, by orders of magnitude. Nobody minds a bound on a string as much as one on a list.
func restriction(with bounds) float64 {
	all := 0.0
	for n, value := range with {
		before := int64(largest)
		if isBounded(n) {
			before = min(before, bound(n))
		}
		weight := 2.0
		if isText(n) {
			weight = 1
		}
		all += weight * math.Log2(float64(before)/float64(value))
		if isText(n) && value < 63 || !isText(n) && value < 16 {
			all += tight
		}
	}
	return all
}

// fix returns bounds with what they give.
func (b *budget) fix(i int, with bounds) Fix {
	var f Fix
	var message uint64
	f.Estimate, message = b.analyses[i].EstimateWith(with)
	f.Total = sum(b.othersWith(i, with), sum(f.Estimate, message))
	nodes := make([]schema.Node, 0, len(with))
	for n := range with {
		nodes = append(nodes, n)
	}
	slices.SortFunc(nodes, func(x, y schema.Node) int { return cmp.Compare(b.nodes[x].path, b.nodes[y].path) })
	type operation struct {
		Op    string `json:"op"`
		Path  string `json:"path"`
		Value int64  `json:"value"`
	}
	var patch []operation
	var markers []string
	for _, n := range nodes {
		key := keyword(n)
		f.Bounds = append(f.Bounds, Bound{b.full(n), key, with[n]})
		for _, document := range b.documents {
			patch = append(patch, operation{"add", document + b.nodes[n].pointer + "/" + key, with[n]})
		}
		markers = append(markers, marker(b.nodes[n].path, key, with[n]))
	}
	f.Patch, _ = json.Marshal(patch) // strings and numbers
	f.Marker = strings.Join(markers, "\n")
	return f
}

// marker returns a bound as kubebuilder's marker of the Go field or type: a list's items are reached from the list.
func marker(path, key string, value int64) string {
	items := ""
	for strings.HasSuffix(path, "items") {
		path = strings.TrimSuffix(strings.TrimSuffix(path, "items"), ".")
		items += "items:"
	}
	return fmt.Sprintf("+kubebuilder:validation:%s%s=%d", items, strings.ToUpper(key[:1])+key[1:], value)
}

// headroom returns how far each bound of rule i, which fits, may grow by itself.
func (b *budget) headroom(i int) []Bound {
	var all []Bound
	for _, n := range inputs(b.analyses[i]) {
		if _, known := b.nodes[n]; !known || !isBounded(n) {
			continue
		}
		now := bound(n)
		if now >= largest || now < 0 {
			continue
		}
		more := sort.Search(int(largest-now), func(k int) bool { return !b.fits(i, bounds{n: now + int64(k) + 1}) })
		all = append(all, Bound{b.full(n), keyword(n), now + int64(more)})
	}
	return all
}

// constantPattern is a rule that only matches its value with a constant.
var constantPattern = regexp.MustCompile(`^\s*self\.matches\((r?'[^']*'|r?"[^"]*")\)\s*$`)

// eachOf is the beginning of a loop over a list.
var eachOf = regexp.MustCompile(`([\w.]+)\.all\(\s*\w+\s*,`)

// hints returns what is known to make rules dear, of one that does not fit.
func (b *budget) hints(a *cel.Analysis) []Hint {
	var all []Hint
	for _, n := range inputs(a) {
		at, known := b.nodes[n]
		if !known || isBounded(n) {
			continue
		}
		key := keyword(n)
		for _, branch := range at.props.AllOf {
			if key == "maxLength" && branch.MaxLength != nil || key == "maxItems" && branch.MaxItems != nil ||
				key == "maxProperties" && branch.MaxProperties != nil {
				all = append(all, Hint{HintAllOf, b.full(n), key + " stands only in allOf, where estimates do not look: put it beside the type. " +
					"controller-gen writes allOf where a marker is on the type and on the field"})
				break
			}
		}
		if key == "maxProperties" {
			all = append(all, Hint{HintMapKeys, b.full(n), "keys of a map have no maxLength: only maxProperties bounds what a loop over them costs"})
		}
	}
	text := a.Node.Rules()[a.Index].Rule
	here := b.full(a.Node)
	if constantPattern.MatchString(text) {
		all = append(all, Hint{HintMatches, here, "the rule matches with a constant: the keyword pattern does so without a cost"})
	}
	for _, m := range eachOf.FindAllStringSubmatchIndex(text, -1) {
		list, rest := text[m[2]:m[3]], text[m[1]:]
		if slices.ContainsFunc([]string{".exists_one(", ".existsOne(", ".filter(", ".all(", ".exists("}, func(f string) bool { return strings.Contains(rest, list+f) }) {
			all = append(all, Hint{HintUnique, here, "a loop over " + list + " in a loop over it compares all its items with each other: " +
				"x-kubernetes-list-type: map or set makes items unique without a cost"})
			break
		}
	}
	return all
}
