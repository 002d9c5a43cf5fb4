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

func (f *frame) textList(parts []string) value {
	vals := f.values(len(parts))
	for i, s := range parts {
		vals[i] = f.text(s)
	}
	return f.list(vals)
}

// split returns s.split(sep).
func (f *frame) split(s, sep string) value {
	if sep == "" {
		return f.textList(text.Split(s, sep))
	}
	vals := f.values(strings.Count(s, sep) + 1)
	for i := range vals {
		var part string
		part, s, _ = strings.Cut(s, sep)
		vals[i] = f.text(part)
	}
	return f.list(vals)
}

// texts are the functions of strings (CLI-001).
func texts() map[string]binding {
	return map[string]binding{
		"contains_string": ofTexts(strings.Contains), "starts_with_string": ofTexts(strings.HasPrefix),
		"ends_with_string": ofTexts(strings.HasSuffix),

		"string_char_at_int": func(f *frame, a []value) value {
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
		"string_split_string": func(f *frame, a []value) value { return f.split(a[0].str(), a[1].str()) },
		"string_split_string_int": func(f *frame, a []value) value {
			return f.textList(text.SplitN(a[0].str(), a[1].str(), a[2].int()))
		},
		"string_substring_int": func(f *frame, a []value) value {
			s, err := text.Substring(a[0].str(), a[1].int())
			return result(f.text, s, err)
		},
		"string_substring_int_int": func(f *frame, a []value) value {
			s, err := text.SubstringTo(a[0].str(), a[1].int(), a[2].int())
			return result(f.text, s, err)
		},
		"list_join":        func(_ *frame, a []value) value { return join(a[0], "") },
		"list_join_string": func(_ *frame, a []value) value { return join(a[0], a[1].str()) },
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
			f.visits(len(s) + len(t))
			if scans {
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
		f.visits(len(s) + len(t))
		f.charge(cost(text.Len(s), text.Len(t)))
		return truthOf(test(s, t))
	}, true
}

// conditionFrom calls the function whose first arguments are known.
func (c *call) conditionFrom(f *frame, known ...value) truth {
	bottom := len(f.stack)
	f.stack = append(f.stack, known...)
	return f.give(c.resume(f, bottom))
}

func join(l value, sep string) value {
	parts := make([]string, listLen(l))
	for i := range parts {
		v := listAt(l, i)
		if v.kind != kindString {
			return failure(text.InvalidJoin(plainText(v)).Error())
		}
		parts[i] = v.str()
	}
	s, err := text.Join(parts, sep)
	return result(textValue, s, err)
}
