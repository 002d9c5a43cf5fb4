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
	var b strings.Builder
	if !printECMA(&b, re) {
		return "", false
	}
	return b.String(), true
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

// printECMA writes a parsed expression.
func printECMA(b *strings.Builder, re *syntax.Regexp) bool {
	if text, ok := withoutOperands[re.Op]; ok {
		b.WriteString(text)
		return true
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
				if !printClass(b, class) {
					return false
				}
			case !isUnit(r):
				return false
			default:
				printUnit(b, r)
			}
		}
	case syntax.OpCharClass:
		return printClass(b, re.Rune)
	case syntax.OpCapture:
		return printGroup(b, re.Sub[0])
	case syntax.OpStar:
		return printRepeat(b, re, "*")
	case syntax.OpPlus:
		return printRepeat(b, re, "+")
	case syntax.OpQuest:
		return printRepeat(b, re, "?")
	case syntax.OpRepeat:
		switch {
		case re.Min == re.Max:
			return printRepeat(b, re, fmt.Sprintf("{%d}", re.Min))
		case re.Max < 0:
			return printRepeat(b, re, fmt.Sprintf("{%d,}", re.Min))
		}
		return printRepeat(b, re, fmt.Sprintf("{%d,%d}", re.Min, re.Max))
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if sub.Op == syntax.OpAlternate {
				if !printGroup(b, sub) {
					return false
				}
			} else if !printECMA(b, sub) {
				return false
			}
		}
	case syntax.OpAlternate:
		for i, sub := range re.Sub {
			if i > 0 {
				b.WriteString("|")
			}
			if !printECMA(b, sub) {
				return false
			}
		}
	default: // the beginning and the end of a line
		return false
	}
	return true
}

func printGroup(b *strings.Builder, re *syntax.Regexp) bool {
	b.WriteString("(?:")
	ok := printECMA(b, re)
	b.WriteString(")")
	return ok
}

// printRepeat prints a repetition, whose operator is suffix.
func printRepeat(b *strings.Builder, re *syntax.Regexp, suffix string) bool {
	ok := printGroup(b, re.Sub[0])
	b.WriteString(suffix)
	if re.Flags&syntax.NonGreedy != 0 {
		b.WriteString("?")
	}
	return ok
}

// isUnit reports whether r is a character of one UTF-16 code unit.
func isUnit(r rune) bool { return r <= 0xFFFF && !unicode.Is(unicode.Cs, r) }

// printClass writes a class of ranges. One with characters of two UTF-16 code units can only be written as a negated
// class.
func printClass(b *strings.Builder, ranges []rune) bool {
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
	b.WriteString("[" + not)
	for i := 0; i+1 < len(ranges); i += 2 {
		if !isUnit(ranges[i]) || !isUnit(ranges[i+1]) {
			return false
		}
		printUnit(b, ranges[i])
		if ranges[i] != ranges[i+1] {
			b.WriteString("-")
			printUnit(b, ranges[i+1])
		}
	}
	b.WriteString("]")
	return true
}

// printUnit writes a character so that it means itself in a class and outside of one.
func printUnit(b *strings.Builder, r rune) {
	switch {
	case strings.ContainsRune(`^$\.*+?()[]{}|/`, r):
		b.WriteString(`\` + string(r))
	case r < ' ' || r == '-' || r == 0x7f:
		fmt.Fprintf(b, `\x%02x`, r)
	default:
		b.WriteRune(r)
	}
}
