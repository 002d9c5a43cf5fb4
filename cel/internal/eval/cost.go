package eval

import (
	"math"

	"github.com/crdkit/crdkit/cel/internal/declare"
	"github.com/crdkit/crdkit/cel/internal/namedformat"
	"github.com/crdkit/crdkit/schema"
)

// A costRule says what a call costs. The result is known only to rules that need it.
type costRule func(f *frame, args []value, result value) int64

func one(*frame, []value, value) int64 { return 1 }

// costOf returns the rule of a function: by its name, else by its only overload, else 1 (CRC-023, CRC-040, CRC-043, CRC-044).
// late says that the rule needs the result.
func costOf(name, overload string) (rule costRule, late bool) {
	if rule, ok := costsByName[name]; ok {
		return rule, name == "join"
	}
	switch name {
	case "containsIP":
		return containsIPCost(overload == "cidr_contains_ip_string"), false
	case "containsCIDR":
		return containsCIDRCost(overload == "cidr_contains_cidr_string"), false
	case "format": // a crash of it comes before its charge
		return scan, true
	}
	if name == "ip" && overload == "string_to_ip" {
		return scan, false
	}
	if rule, ok := costsByOverload[overload]; ok {
		return rule, false
	}
	switch name {
	case "sort":
		if overload != "" {
			return func(f *frame, a []value, _ value) int64 { return f.quadratic(a[0]) }, false
		}
	case "@sortByAssociatedKeys":
		if overload != "" {
			return func(f *frame, a []value, _ value) int64 { return f.quadratic(a[1]) }, false
		}
	}
	return one, false
}

func scan(_ *frame, a []value, _ value) int64      { return c1(a[0].size(false)) }
func scanTwice(_ *frame, a []value, _ value) int64 { return c2(a[0].size(false)) }
func visit(f *frame, a []value, _ value) int64     { return f.walk(a[0]) }

var costsByName = map[string]costRule{
	"isSorted": visit, "sum": visit, "min": visit, "max": visit, "indexOf": visit, "lastIndexOf": visit, "includes": visit,
	"url": scan, "lowerAscii": scan, "upperAscii": scan, "substring": scan, "trim": scan,
	"replace": scanTwice, "split": scanTwice,
	"join": func(_ *frame, _ []value, result value) int64 { return c2(result.size(false)) },
	"find": matching, "findAll": matching,
	"cidr": scan, "isIP": scan, "isCIDR": scan, "quantity": scan, "isQuantity": scan, "semver": scan, "isSemver": scan,
	"ip.isCanonical": scanTwice,
	"fieldSelector":  selectorCost, "labelSelector": selectorCost,
	"check": func(*frame, []value, value) int64 { return 350_000 },
	"validate": func(_ *frame, a []value, _ value) int64 {
		format, ok := a[0].ref.(*namedformat.Format)
		if !ok {
			return 1
		}
		return patternCost(a[1].size(false), int64(format.PatternSize))
	},
}

// selectorCost is that of a list of as many requirements as may be in the text.
func selectorCost(_ *frame, a []value, _ value) int64 {
	if len(a) < 2 {
		return 1
	}
	n := a[1].size(false)
	return 10 + c1(n) + 50*int64(math.Ceil(float64(n)*0.5))
}

func containsIPCost(parses bool) costRule {
	return func(_ *frame, a []value, _ value) int64 {
		cost := c2(a[0].size(false))
		if parses {
			cost += c1(a[1].size(false))
		}
		return cost
	}
}

func containsCIDRCost(parses bool) costRule {
	return func(_ *frame, a []value, _ value) int64 {
		n := a[0].size(false)
		cost := c2(n) + c1(n) + 1
		if parses {
			cost += c1(a[1].size(false))
		}
		return cost
	}
}

func matching(_ *frame, a []value, _ value) int64 {
	return patternCost(a[0].size(false), a[1].size(false))
}

func matchesCost(_ *frame, a []value, _ value) int64 {
	return patternCost(a[0].size(true), a[1].size(true))
}

var costsByOverload = map[string]costRule{
	"starts_with_string": func(_ *frame, a []value, _ value) int64 { return c1(a[1].size(true)) },
	"ends_with_string":   func(_ *frame, a []value, _ value) int64 { return c1(a[1].size(true)) },
	"contains_string": func(_ *frame, a []value, _ value) int64 {
		return c1(a[0].size(true)) * c1(a[1].size(true))
	},
	"matches": matchesCost, "matches_string": matchesCost,
	"string_to_bytes": scan, "bytes_to_string": scan, "strings_quote": scan,
	// These three cost what their results are long, which is known before there are any; an error counts 1.
	"list_reverse": func(_ *frame, a []value, _ value) int64 {
		if !a[0].isList() {
			return 12
		}
		return 11 + a[0].size(false)
	},
	"list_slice": func(_ *frame, a []value, _ value) int64 {
		if from, to := a[1].int(), a[2].int(); a[0].isList() && 0 <= from && from <= to && to <= int64(listLen(a[0])) &&
			a[1].kind == kindInt && a[2].kind == kindInt {
			return 11 + to - from
		}
		return 12
	},
	"lists_range": func(_ *frame, a []value, _ value) int64 {
		if n := a[0].int(); a[0].kind == kindInt && 0 <= n && n <= maxRange {
			return 11 + n
		}
		return 12
	},
	"list_flatten": func(_ *frame, a []value, _ value) int64 { return 11 + a[0].size(false) },
	"list_flatten_int": func(_ *frame, a []value, _ value) int64 {
		depth := 1.0
		if a[1].kind == kindInt && a[1].int() >= 0 {
			depth = float64(a[1].int())
		}
		return 11 + floor(float64(a[0].size(false))*depth)
	},
	"list_distinct": func(f *frame, a []value, _ value) int64 { return f.quadratic(a[0]) },

	"list_sets_contains_list":   func(_ *frame, a []value, _ value) int64 { return 1 + product(a) },
	"list_sets_intersects_list": func(_ *frame, a []value, _ value) int64 { return 1 + product(a) },
	"list_sets_equivalent_list": func(_ *frame, a []value, _ value) int64 { return 1 + 2*product(a) },
}

func product(a []value) int64 { return a[0].size(false) * a[1].size(false) }

// quadratic is what it costs to compare the items of a list with one another.
func (f *frame) quadratic(l value) int64 {
	n := float64(l.size(false))
	factor := 2.0
	if listLen(l) > 0 {
		if k := f.listAt(l, 0).kind; k == kindString || k == kindBytes {
			factor = 2.1
		}
	}
	return 11 + floor(n*n*factor)
}

// floor is x rounded down, and no more than what is over every limit.
func floor(x float64) int64 {
	if x >= 1<<62 {
		return 1 << 62
	}
	return int64(math.Floor(x))
}

// walk is what it costs to visit all of a value (CRC-041). It stops counting far above every limit: items may be shared, so that there are
// more ways to them than there is memory.
func (f *frame) walk(v value) int64 {
	const enough = 1 << 40
	f.poll()
	sum := int64(1)
	switch v.kind {
	case kindString:
		sum = floor(float64(len(v.str())) * 0.1)
	case kindBytes:
		sum = floor(float64(len(v.ref.([]byte))) * 0.1)
	case kindRawList, kindList:
		f.layOut(v)
		sum = 0
		for i := 0; i < listLen(v) && sum < enough; i++ {
			sum += f.walk(f.listAt(v, i))
		}
	case kindMap:
		sum = 0
		d := v.ref.(*dict)
		for i := 0; i < len(d.keys) && sum < enough; i++ {
			sum += f.walk(d.keys[i]) + f.walk(d.vals[i])
		}
	case kindRawMap:
		sum = 0
		object := isObject(v.node)
		for k, x := range v.ref.(map[string]any) {
			sum += f.walkEntry(v.node, object, k, x)
		}
	}
	return sum
}

func (f *frame) walkEntry(n *schema.Node, object bool, k string, x any) int64 {
	child := field(n, k)
	if child == nil {
		return 2
	}
	if !object {
		return f.walk(textValue(k)) + f.walk(f.adapt(x, child))
	}
	if escaped, ok := declare.Escape(k); ok {
		k = escaped
	}
	if x == nil {
		return f.walk(textValue(k)) + 1
	}
	return f.walk(textValue(k)) + f.walk(f.adapt(x, child))
}
