package eval

import (
	"strings"

	"github.com/crdkit/crdkit/cel/internal/text"
)

// ofTexts makes a binding of a predicate on two strings.
func ofTexts(test func(s, t string) bool) binding {
	return func(_ *frame, a []value) value {
		if a[0].kind != kindString || a[1].kind != kindString {
			return noSuchOverload
		}
		return boolean(test(a[0].str(), a[1].str()))
	}
}

// ofText makes a binding of a predicate on a string.
func ofText(test func(string) bool) binding {
	return func(_ *frame, a []value) value { return boolean(test(a[0].str())) }
}

// textList returns the list of the parts, which it keeps.
func (f *frame) textList(parts []string) value {
	return f.keep(list{n: len(parts), texts: parts})
}

// textBytes is what an item of a list of texts takes.
const textBytes = 16

// split returns s.split(sep), in at most n parts if n is not negative.
func (f *frame) split(s, sep string, n int64) value {
	most := int64(len(s)) // but for separators, of which it takes a look to count them
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
	case sep != "" && most <= much && n < 0: // in memory that the next run uses again
		vals := f.values(int(most))
		for i := range vals {
			var part string
			part, s, _ = strings.Cut(s, sep)
			vals[i] = f.text(part)
		}
		return f.list(vals)
	case n >= 0:
		return f.textList(text.SplitN(s, sep, n))
	}
	return f.textList(text.Split(s, sep))
}

// texts are the functions of strings (CLI-001).
func texts() map[string]binding {
	return map[string]binding{
		"contains_string": ofTexts(strings.Contains), "starts_with_string": ofTexts(strings.HasPrefix),
		"ends_with_string": ofTexts(strings.HasSuffix),

		"string_char_at_int": func(f *frame, a []value) value {
			f.visits(2 * len(a[0].str()))
			s, err := text.CharAt(a[0].str(), a[1].int())
			return result(f.text, s, err)
		},
		"string_index_of_string": func(_ *frame, a []value) value { return integer(text.IndexOf(a[0].str(), a[1].str())) },
		"string_index_of_string_int": func(_ *frame, a []value) value {
			i, err := text.IndexOfFrom(a[0].str(), a[1].str(), a[2].int())
			return result(integer, i, err)
		},
		"string_last_index_of_string": func(_ *frame, a []value) value {
			return integer(text.LastIndexOf(a[0].str(), a[1].str()))
		},
		"string_last_index_of_string_int": func(_ *frame, a []value) value {
			i, err := text.LastIndexOfFrom(a[0].str(), a[1].str(), a[2].int())
			return result(integer, i, err)
		},
		"string_lower_ascii": func(f *frame, a []value) value { return f.text(text.LowerASCII(a[0].str())) },
		"string_upper_ascii": func(f *frame, a []value) value { return f.text(text.UpperASCII(a[0].str())) },
		"string_trim":        func(f *frame, a []value) value { return f.text(text.Trim(a[0].str())) },
		"string_replace_string_string": func(f *frame, a []value) value {
			s, err := text.Replace(a[0].str(), a[1].str(), a[2].str())
			return result(f.text, s, err)
		},
		"string_replace_string_string_int": func(f *frame, a []value) value {
			s, err := text.ReplaceN(a[0].str(), a[1].str(), a[2].str(), a[3].int())
			return result(f.text, s, err)
		},
		"string_split_string": func(f *frame, a []value) value { return f.split(a[0].str(), a[1].str(), -1) },
		"string_split_string_int": func(f *frame, a []value) value {
			return f.split(a[0].str(), a[1].str(), a[2].int())
		},
		"string_substring_int": func(f *frame, a []value) value {
			s, err := text.Substring(a[0].str(), a[1].int())
			return result(f.text, s, err)
		},
		"string_substring_int_int": func(f *frame, a []value) value {
			s, err := text.SubstringTo(a[0].str(), a[1].int(), a[2].int())
			return result(f.text, s, err)
		},
		"list_join":        func(f *frame, a []value) value { return f.join(a[0], "") },
		"list_join_string": func(f *frame, a []value) value { return f.join(a[0], a[1].str()) },
		"string_format":    func(f *frame, a []value) value { return f.format(a[0].str(), a[1]) },
		"strings_quote":    func(f *frame, a []value) value { return f.text(text.Quote(a[0].str())) },
	}
}

// comparisons are the functions that look for one string in another.
var comparisons = map[string]struct {
	test func(s, t string) bool
	cost func(s, t int64) int64 // by the sizes
}{
	"contains_string":    {strings.Contains, func(s, t int64) int64 { return c1(s) * c1(t) }},
	"starts_with_string": {strings.HasPrefix, func(_, t int64) int64 { return c1(t) }},
	"ends_with_string":   {strings.HasSuffix, func(_, t int64) int64 { return c1(t) }},
}

// planComparison plans a call of one of the comparisons. It returns false if c is none.
func (c *call) planComparison(overload string, parts []part) (condition, bool) {
	know, ok := comparisons[overload]
	if !ok {
		return nil, false
	}
	a, b := parts[0].asTexter(), parts[1].asTexter()
	test, cost := know.test, know.cost
	scans := overload == "contains_string" // else how long s is counts for nothing
	if parts[1].constant != nil && parts[1].constant.kind == kindString {
		t := parts[1].constant.str()
		size := text.Len(t)
		least := cost(0, size)
		return func(f *frame) truth {
			s, ok := a(f)
			if !ok {
				return c.conditionFrom(f, f.other)
			}
			if scans {
				f.visits(len(s) + len(t))
				f.charge(cost(text.Len(s), size))
			} else {
				f.charge(least)
			}
			return truthOf(test(s, t))
		}, true
	}
	return func(f *frame) truth {
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
		f.charge(cost(size, text.Len(t)))
		return truthOf(test(s, t))
	}, true
}

// conditionFrom calls the function whose first arguments are known.
func (c *call) conditionFrom(f *frame, known ...value) truth {
	bottom := len(f.stack)
	f.stack = append(f.stack, known...)
	return f.give(c.resume(f, bottom))
}

func (f *frame) join(l value, sep string) value {
	f.layOut(l)
	f.makes(textBytes * listLen(l))
	parts := make([]string, listLen(l))
	for i := range parts {
		f.poll()
		v := f.listAt(l, i)
		if v.kind != kindString {
			return failure(text.InvalidJoin(plainText(v)).Error())
		}
		parts[i] = v.str()
	}
	s, err := text.Join(parts, sep)
	return result(textValue, s, err)
}
