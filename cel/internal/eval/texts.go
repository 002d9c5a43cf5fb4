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

func textList(parts []string) value {
	vals := make([]value, len(parts))
	for i, s := range parts {
		vals[i] = textValue(s)
	}
	return newList(vals)
}

// texts are the functions of strings (CLI-001).
func texts() map[string]binding {
	return map[string]binding{
		"contains_string": ofTexts(strings.Contains), "starts_with_string": ofTexts(strings.HasPrefix),
		"ends_with_string": ofTexts(strings.HasSuffix),

		"string_char_at_int": func(_ *frame, a []value) value {
			s, err := text.CharAt(a[0].str(), a[1].int())
			return result(textValue, s, err)
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
		"string_lower_ascii": func(_ *frame, a []value) value { return textValue(text.LowerASCII(a[0].str())) },
		"string_upper_ascii": func(_ *frame, a []value) value { return textValue(text.UpperASCII(a[0].str())) },
		"string_trim":        func(_ *frame, a []value) value { return textValue(text.Trim(a[0].str())) },
		"string_replace_string_string": func(_ *frame, a []value) value {
			s, err := text.Replace(a[0].str(), a[1].str(), a[2].str())
			return result(textValue, s, err)
		},
		"string_replace_string_string_int": func(_ *frame, a []value) value {
			s, err := text.ReplaceN(a[0].str(), a[1].str(), a[2].str(), a[3].int())
			return result(textValue, s, err)
		},
		"string_split_string": func(_ *frame, a []value) value { return textList(text.Split(a[0].str(), a[1].str())) },
		"string_split_string_int": func(_ *frame, a []value) value {
			return textList(text.SplitN(a[0].str(), a[1].str(), a[2].int()))
		},
		"string_substring_int": func(_ *frame, a []value) value {
			s, err := text.Substring(a[0].str(), a[1].int())
			return result(textValue, s, err)
		},
		"string_substring_int_int": func(_ *frame, a []value) value {
			s, err := text.SubstringTo(a[0].str(), a[1].int(), a[2].int())
			return result(textValue, s, err)
		},
		"list_join":        func(_ *frame, a []value) value { return join(a[0], "") },
		"list_join_string": func(_ *frame, a []value) value { return join(a[0], a[1].str()) },
		"string_format":    func(f *frame, a []value) value { return f.format(a[0].str(), a[1]) },
		"strings_quote":    func(_ *frame, a []value) value { return textValue(text.Quote(a[0].str())) },
	}
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
