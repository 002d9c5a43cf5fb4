package eval

import (
	"math"

	"github.com/crdkit/crdkit/cel/internal/declare"
	"github.com/crdkit/crdkit/cel/internal/namedformat"
)

// A costRule says what a call costs. The result is known only to rules that need it.
type costRule func(args []value, result value) int64

func one([]value, value) int64 { return 1 }

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
		switch overload {
		case "list_slice", "list_reverse", "lists_range":
			late = true
		}
		return rule, late
	}
	switch name {
	case "sort":
		if overload != "" {
			return func(a []value, _ value) int64 { return quadratic(a[0]) }, false
		}
	case "@sortByAssociatedKeys":
		if overload != "" {
			return func(a []value, _ value) int64 { return quadratic(a[1]) }, false
		}
	}
	return one, false
}

func scan(a []value, _ value) int64      { return c1(a[0].size(false)) }
func scanTwice(a []value, _ value) int64 { return c2(a[0].size(false)) }
func visit(a []value, _ value) int64     { return walk(a[0]) }

var costsByName = map[string]costRule{
	"isSorted": visit, "sum": visit, "min": visit, "max": visit, "indexOf": visit, "lastIndexOf": visit, "includes": visit,
	"url": scan, "lowerAscii": scan, "upperAscii": scan, "substring": scan, "trim": scan,
	"replace": scanTwice, "split": scanTwice,
	"join": func(_ []value, result value) int64 { return c2(result.size(false)) },
	"find": matching, "findAll": matching,
	"cidr": scan, "isIP": scan, "isCIDR": scan, "quantity": scan, "isQuantity": scan, "semver": scan, "isSemver": scan,
	"ip.isCanonical": scanTwice,
	"validate": func(a []value, _ value) int64 {
		format, ok := a[0].ref.(*namedformat.Format)
		if !ok {
			return 1
		}
		return patternCost(a[1].size(false), int64(format.PatternSize))
	},
}

func containsIPCost(parses bool) costRule {
	return func(a []value, _ value) int64 {
		cost := c2(a[0].size(false))
		if parses {
			cost += c1(a[1].size(false))
		}
		return cost
	}
}

func containsCIDRCost(parses bool) costRule {
	return func(a []value, _ value) int64 {
		n := a[0].size(false)
		cost := c2(n) + c1(n) + 1
		if parses {
			cost += c1(a[1].size(false))
		}
		return cost
	}
}

func matching(a []value, _ value) int64 { return patternCost(a[0].size(false), a[1].size(false)) }

var costsByOverload = map[string]costRule{
	"starts_with_string": func(a []value, _ value) int64 { return c1(a[1].size(true)) },
	"ends_with_string":   func(a []value, _ value) int64 { return c1(a[1].size(true)) },
	"contains_string": func(a []value, _ value) int64 {
		return c1(a[0].size(true)) * c1(a[1].size(true))
	},
	"matches": matching, "matches_string": matching,
	"string_to_bytes": scan, "bytes_to_string": scan, "strings_quote": scan,
	"list_slice":   func(_ []value, result value) int64 { return 11 + result.size(false) },
	"list_reverse": func(_ []value, result value) int64 { return 11 + result.size(false) },
	"lists_range":  func(_ []value, result value) int64 { return 11 + result.size(false) },
	"list_flatten": func(a []value, _ value) int64 { return 11 + a[0].size(false) },
	"list_flatten_int": func(a []value, _ value) int64 {
		depth := 1.0
		if a[1].kind == kindInt && a[1].int() >= 0 {
			depth = float64(a[1].int())
		}
		return 11 + floor(float64(a[0].size(false))*depth)
	},
	"list_distinct": func(a []value, _ value) int64 { return quadratic(a[0]) },

	"list_sets_contains_list":   func(a []value, _ value) int64 { return 1 + product(a) },
	"list_sets_intersects_list": func(a []value, _ value) int64 { return 1 + product(a) },
	"list_sets_equivalent_list": func(a []value, _ value) int64 { return 1 + 2*product(a) },
}

func product(a []value) int64 { return a[0].size(false) * a[1].size(false) }

// quadratic is what it costs to compare the items of a list with one another.
func quadratic(l value) int64 {
	n := float64(l.size(false))
	factor := 2.0
	if listLen(l) > 0 {
		if k := listAt(l, 0).kind; k == kindString || k == kindBytes {
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

// walk is what it costs to visit all of a value (CRC-041). It stops counting where every limit is passed.
func walk(v value) int64 {
	switch v.kind {
	case kindString:
		return floor(float64(len(v.str())) * 0.1)
	case kindBytes:
		return floor(float64(len(v.ref.([]byte))) * 0.1)
	case kindRawList, kindList:
		sum := int64(0)
		for i := range listLen(v) {
			if sum += walk(listAt(v, i)); sum >= 1<<40 {
				break
			}
		}
		return sum
	case kindMap:
		d := v.ref.(*dict)
		sum := int64(0)
		for i := range d.keys {
			sum += walk(d.keys[i]) + walk(d.vals[i])
		}
		return sum
	case kindRawMap:
		return walkData(v)
	}
	return 1
}

func walkData(v value) int64 {
	sum := int64(0)
	object := isObject(v.node)
	for k, x := range v.ref.(map[string]any) {
		n := field(v.node, k)
		if n == nil {
			sum += 2
			continue
		}
		name := k
		if object {
			if escaped, ok := declare.Escape(k); ok {
				name = escaped
			}
			if x == nil {
				sum += walk(textValue(name)) + 1
				continue
			}
		}
		sum += walk(textValue(name)) + walk(adapt(x, n))
	}
	return sum
}
