package jsonschema

import (
	"fmt"
	"regexp/syntax"
	"strings"
	"unicode"
)

// ecma returns an ECMAScript regular expression that matches the same texts as one of RE2. It reports false if there is
// none. An expression that means the same in both is returned unchanged.
func ecma(pattern string) (string, bool) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return "", false
	}
	if common(pattern) {
		return pattern, true
	}
	var w ecmaWriter
	if w.expression(re); w.failed {
		return "", false
	}
	return w.String(), true
}

// common reports whether a valid expression of RE2 has no syntax that ECMAScript lacks or interprets differently.
func common(pattern string) bool {
	for _, special := range []string{"[:", `\A`, `\z`, `\Z`, `\Q`, `\C`, `\a`, `\p`, `\P`, `\x{`, `\0`} {
		if strings.Contains(pattern, special) {
			return false
		}
	}
	return strings.Count(pattern, "(?") == strings.Count(pattern, "(?:") // any other group has flags or a name
}

// withoutOperands has the texts of the operators that have no operands.
var withoutOperands = map[syntax.Op]string{
	syntax.OpNoMatch: "[]", syntax.OpEmptyMatch: "(?:)", syntax.OpAnyCharNotNL: `[^\n]`, syntax.OpAnyChar: `[\s\S]`,
	syntax.OpBeginText: "^", syntax.OpEndText: "$", syntax.OpWordBoundary: `\b`, syntax.OpNoWordBoundary: `\B`,
}

// An ecmaWriter writes an expression for ECMAScript.
type ecmaWriter struct {
	strings.Builder
	failed bool // ECMAScript has no such expression
}

func (w *ecmaWriter) expression(re *syntax.Regexp) {
	if text, ok := withoutOperands[re.Op]; ok {
		w.WriteString(text)
		return
	}
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			switch {
			case re.Flags&syntax.FoldCase != 0:
				class := []rune{r, r}
				for c := unicode.SimpleFold(r); c != r; c = unicode.SimpleFold(c) {
					class = append(class, c, c)
				}
				w.class(class)
			default:
				w.unit(r)
			}
		}
	case syntax.OpCharClass:
		w.class(re.Rune)
	case syntax.OpCapture:
		w.group(re.Sub[0])
	case syntax.OpStar:
		w.repeat(re, "*")
	case syntax.OpPlus:
		w.repeat(re, "+")
	case syntax.OpQuest:
		w.repeat(re, "?")
	case syntax.OpRepeat:
		switch {
		case re.Min == re.Max:
			w.repeat(re, fmt.Sprintf("{%d}", re.Min))
		case re.Max < 0:
			w.repeat(re, fmt.Sprintf("{%d,}", re.Min))
		default:
			w.repeat(re, fmt.Sprintf("{%d,%d}", re.Min, re.Max))
		}
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if sub.Op == syntax.OpAlternate {
				w.group(sub)
			} else {
				w.expression(sub)
			}
		}
	case syntax.OpAlternate:
		for i, sub := range re.Sub {
			if i > 0 {
				w.WriteString("|")
			}
			w.expression(sub)
		}
	default: // the beginning and the end of a line
		w.failed = true
	}
}

func (w *ecmaWriter) group(re *syntax.Regexp) {
	w.WriteString("(?:")
	w.expression(re)
	w.WriteString(")")
}

// repeat writes a repetition, whose operator is suffix.
func (w *ecmaWriter) repeat(re *syntax.Regexp, suffix string) {
	w.group(re.Sub[0])
	w.WriteString(suffix)
	if re.Flags&syntax.NonGreedy != 0 {
		w.WriteString("?")
	}
}

// class writes a class of ranges. One with characters of two UTF-16 code units can only be written as a negated class.
func (w *ecmaWriter) class(ranges []rune) {
	not := ""
	if n := len(ranges); n > 0 && ranges[n-1] == unicode.MaxRune {
		var rest []rune
		next := rune(0)
		for i := 0; i+1 < n; i += 2 {
			if ranges[i] > next {
				rest = append(rest, next, ranges[i]-1)
			}
			next = ranges[i+1] + 1
		}
		ranges, not = rest, "^"
	}
	w.WriteString("[" + not)
	for i := 0; i+1 < len(ranges); i += 2 {
		w.unit(ranges[i])
		if ranges[i] != ranges[i+1] {
			w.WriteString("-")
			w.unit(ranges[i+1])
		}
	}
	w.WriteString("]")
}

// unit writes a character of one UTF-16 code unit so that it means itself in a class and outside of one.
func (w *ecmaWriter) unit(r rune) {
	switch {
	case r > 0xFFFF || unicode.Is(unicode.Cs, r):
		w.failed = true
	case strings.ContainsRune(`^$\.*+?()[]{}|/`, r):
		w.WriteString(`\` + string(r))
	case r < ' ' || r == '-' || r == 0x7f:
		fmt.Fprintf(w, `\x%02x`, r)
	default:
		w.WriteRune(r)
	}
}
