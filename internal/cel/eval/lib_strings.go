package eval

import (
	"strings"

	"github.com/crdkit/crdkit/internal/cel/estimate"
	"github.com/crdkit/crdkit/internal/cel/lib/text"
	"github.com/crdkit/crdkit/internal/since"
)

// standardFunctions are functions of the language (CEN-021); conversions and the functions of times are in files of
// their own.
func standardFunctions() []*Function {
	return append([]*Function{
		fn("size",
			global("size_bytes", intType, bytesType),
			method("bytes_size", intType, bytesType),
			global("size_list", intType, listOf(typeA)),
			method("list_size", intType, listOf(typeA)),
			global("size_map", intType, mapOf(typeA, typeB)),
			method("map_size", intType, mapOf(typeA, typeB)),
			global("size_string", intType, stringType),
			method("string_size", intType, stringType),
		).is(sizeOnly).planned((*planner).planSize),
		comparison{
			test: strings.Contains, scans: true,
			static: func(c *estimate.Call) uint64 { return estimate.Times(readingOf(c.Target), readingOf(&c.Args[0])) },
			byText: func(s, t int64) int64 { return c1(s) * c1(t) },
		}.function("contains", "contains_string"),
		comparison{test: strings.HasSuffix, static: readingPart, byText: chargePart}.function("endsWith", "ends_with_string"),
		comparison{test: strings.HasPrefix, static: readingPart, byText: chargePart}.function("startsWith", "starts_with_string"),
	}, matchesFunction())
}

// stringFunctions are cel-go's strings extension in version 2 (CEN-022, CLI-001).
func stringFunctions() []*Function {
	return []*Function{
		fn("charAt", method("string_char_at_int", stringType, stringType, intType).does(
			visiting(2, try2(value.str, value.int, text.CharAt, asText)))),
		fn("indexOf",
			method("string_index_of_string", intType, stringType, stringType).does(
				call2(value.str, value.str, text.IndexOf, asInt)),
			method("string_index_of_string_int", intType, stringType, stringType, intType).does(
				try3(value.str, value.str, value.int, text.IndexOfFrom, asInt))).costing(visitingAll),
		fn("lastIndexOf",
			method("string_last_index_of_string", intType, stringType, stringType).does(
				call2(value.str, value.str, text.LastIndexOf, asInt)),
			method("string_last_index_of_string_int", intType, stringType, stringType, intType).does(
				try3(value.str, value.str, value.int, text.LastIndexOfFrom, asInt))).costing(visitingAll),
		fn("lowerAscii", method("string_lower_ascii", stringType, stringType).does(
			call1(value.str, text.LowerASCII, asText))).costing(sameLength),
		fn("upperAscii", method("string_upper_ascii", stringType, stringType).does(
			call1(value.str, text.UpperASCII, asText))).costing(sameLength),
		fn("trim", method("string_trim", stringType, stringType).does(call1(value.str, strings.TrimSpace, asText))).costing(sameLength),
		fn("replace",
			method("string_replace_string_string", stringType, stringType, stringType, stringType).does(replace),
			method("string_replace_string_string_int", stringType, stringType, stringType, stringType, intType).does(replace)).
			costing(costs{charge: scanTwice, static: func(c *estimate.Call) estimate.Result {
				s := c.Size(c.Target)
				return estimate.Giving(s.Replaced(c.Size(&c.Args[0]), c.Size(&c.Args[1])), s.Cost(2*estimate.PerByte))
			}}),
		fn("split",
			method("string_split_string", listOf(stringType), stringType, stringType).does(split),
			method("string_split_string_int", listOf(stringType), stringType, stringType, intType).does(split)).
			costing(costs{charge: scanTwice, static: func(c *estimate.Call) estimate.Result {
				s := c.Size(c.Target)
				parts := s.Hi
				if len(c.Args) > 1 {
					if i, ok := c.Args[1].Int(); ok {
						parts = uint64(i) // -1 means no limit
					}
				}
				return estimate.Giving(estimate.UpTo(parts), s.Cost(2*estimate.PerByte))
			}}),
		fn("substring",
			method("string_substring_int", stringType, stringType, intType).does(
				try2(value.str, value.int, text.Substring, asText)),
			method("string_substring_int_int", stringType, stringType, intType, intType).does(
				try3(value.str, value.int, value.int, text.SubstringTo, asText))).costing(sameLength),
		fn("join",
			method("list_join", stringType, listOf(stringType)).does(join),
			method("list_join_string", stringType, listOf(stringType), stringType).does(join)).
			costing(costs{static: joining, late: true, charge: func(_ *frame, _ []value, joined value) int64 {
				return c2(joined.size(false))
			}}),
		fn("format", method("string_format", stringType, stringType, listOf(dynType)).from(since.StringFormat).
			checked(LiteralCheck{Format: true, Since: since.FormatLiterals}).
			does(func(f *frame, a []value) value { return f.format(a[0].str(), a[1]) }).
			is(stopsFirst).costing(costs{
			static: func(c *estimate.Call) estimate.Result { return estimate.Costing(readingOf(c.Target)) },
			charge: scan, late: true, // a crash comes before the charge
		})),
		fn("strings.quote", global("strings_quote", stringType, stringType).from(since.StringFormat).does(
			call1(value.str, text.Quote, asText))).costing(costs{charge: scan, static: func(c *estimate.Call) estimate.Result {
			s := c.Args[0].SizeOr()
			return estimate.Giving(estimate.Span{Lo: s.Lo + 2, Hi: s.Hi*2 + 2}, s.Cost(estimate.PerByte))
		}}),
	}
}

// joining is the static cost of join.
func joining(c *estimate.Call) estimate.Result {
	var size estimate.Span
	n := c.Size(c.Target)
	if len(c.Target.Type.Parameters()) > 0 {
		size = n.Times(c.ItemSize(c.Target))
	}
	if len(c.Args) > 0 {
		size = size.Plus(c.Size(&c.Args[0]).Times(n.LessOne()))
	}
	return estimate.Giving(size, size.Cost(estimate.PerByte))
}

// readingOf returns the static cost of reading a string.
func readingOf(o *estimate.Operand) uint64 { return o.SizeOr().Cost(estimate.PerByte) }

// The costs of a comparison that reads only the second string.
func readingPart(c *estimate.Call) uint64 { return readingOf(&c.Args[0]) }
func chargePart(_, t int64) int64         { return c1(t) }

// textList returns a list of the parts. It keeps the slice.
func (f *frame) textList(parts []string) value {
	return f.keep(list{n: len(parts), texts: parts})
}

// textBytes is the size of an item in a list of texts.
const textBytes = 16

// limit returns argument i, the maximum number of parts, or -1 for no limit if there is no such argument.
func limit(a []value, i int) int64 {
	if i < len(a) {
		return a[i].int()
	}
	return -1
}

func replace(f *frame, a []value) value {
	s, err := text.Replace(a[0].str(), a[1].str(), a[2].str(), limit(a, 3))
	return result(f, s, err, asText)
}

// split returns the parts of a string, at most as many as the limit if that is not negative.
func split(f *frame, a []value) value {
	s, sep, n := a[0].str(), a[1].str(), limit(a, 2)
	most := int64(len(s)) // an upper bound without counting the separators, for which s has to be read
	if sep != "" {
		f.visits(len(s))
		most = int64(strings.Count(s, sep)) + 1
	}
	if n >= 0 {
		most = min(most, n)
	}
	switch {
	case textBytes*most > maxMade:
		f.over()
	case sep != "" && most <= maxKept && n < 0: // in memory that the next run reuses
		vals := f.values(int(most))
		for i := range vals {
			var part string
			part, s, _ = strings.Cut(s, sep)
			vals[i] = f.text(part)
		}
		return f.list(vals)
	}
	return f.textList(text.Split(s, sep, n))
}

func join(f *frame, a []value) value {
	l, sep := a[0], ""
	if len(a) > 1 {
		sep = a[1].str()
	}
	f.makes(textBytes * listLen(l))
	parts := make([]string, listLen(l))
	for i, v := range f.each(l) {
		if v.kind != kindString {
			return failure("join: invalid input: " + plainText(v))
		}
		parts[i] = v.str()
	}
	s, err := text.Join(parts, sep)
	return result(f, s, err, asText)
}

// A comparison is a function that searches one string for another.
type comparison struct {
	test   func(s, t string) bool
	static func(c *estimate.Call) uint64
	byText func(s, t int64) int64
	scans  bool // if false, the charge does not depend on the size of s
}

// function declares the method for k.
func (k comparison) function(name, id string) *Function {
	o := method(id, boolType, stringType, stringType).is(unguarded).does(func(_ *frame, a []value) value {
		if a[0].kind != kindString || a[1].kind != kindString {
			return noSuchOverload
		}
		return boolean(k.test(a[0].str(), a[1].str()))
	}).costing(costs{
		static: func(c *estimate.Call) estimate.Result { return estimate.Costing(k.static(c)) },
		byText: k.byText,
		unwrap: true,
	})
	o.special = k.plan
	return fn(name, o)
}

// plan plans a call of k for strings.
func (k comparison) plan(p *planner, c *call, parts []*part) *part {
	if p.general {
		return nil
	}
	a, b := texts.as(parts[0]), texts.as(parts[1])
	test, charge, scans := k.test, c.byText, k.scans
	return bools.part(func(f *frame) (bool, bool) {
		s, ok := a(f)
		if !ok {
			return c.conditionFrom(f, f.other)
		}
		t, ok := b(f)
		if !ok {
			return c.conditionFrom(f, f.text(s), f.other)
		}
		size := int64(0)
		if scans {
			f.visits(len(s))
			size = text.Len(s)
		}
		f.visits(len(t))
		f.charge(charge(size, text.Len(t)))
		return test(s, t), true
	})
}

// conditionFrom calls the function with the known values as its first arguments.
func (c *call) conditionFrom(f *frame, known ...value) (b, ok bool) {
	bottom := len(f.stack)
	f.stack = append(f.stack, known...)
	return f.bool(c.resume(f, bottom))
}
