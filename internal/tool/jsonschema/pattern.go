package jsonschema

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ecma returns an ECMAScript regular expression that matches, with the flag u, the same texts as one of RE2. It reports
// false if there is none. What means the same in both stays as it is written.
func ecma(pattern string) (string, bool) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return "", false
	}
	if text, ok := rewrite(pattern); ok {
		return text, true
	}
	var w ecmaWriter
	if w.expression(re); w.failed {
		return "", false
	}
	return w.String(), true
}

// A rewriter copies a valid expression of RE2 and replaces the parts that ECMAScript lacks or reads another way.
type rewriter struct {
	strings.Builder
	rest      string
	assertion bool // the last part matches an empty text, and ECMAScript cannot repeat it
}

// rewrite returns the expression with replaced parts. It reports false if it does not know one of them: flags, and rare
// escapes and classes.
func rewrite(pattern string) (string, bool) {
	w := rewriter{rest: pattern}
	for w.rest != "" {
		if !w.part() {
			return "", false
		}
	}
	return w.String(), true
}

var (
	repetition = regexp.MustCompile(`^\{[0-9]+(,[0-9]*)?\}`)
	groupName  = regexp.MustCompile(`^\(\?P?<[A-Za-z0-9_]+>`)
)

// part rewrites the next part outside of classes.
func (w *rewriter) part() bool {
	repeated := repetition.FindString(w.rest)
	if w.assertion && (repeated != "" || strings.ContainsRune("*+?", rune(w.rest[0]))) {
		return false
	}
	w.assertion = false
	switch c := w.rest[0]; c {
	case '\\':
		return w.escape()
	case '[':
		return w.class()
	case '(':
		switch name := groupName.FindString(w.rest); {
		case name != "":
			w.replace(len(name), "(?:")
		case strings.HasPrefix(w.rest, "(?:"):
			w.replace(3, "(?:")
		case strings.HasPrefix(w.rest, "(?"):
			return false
		default:
			w.replace(1, "(")
		}
	case '.': // \r, U+2028 and U+2029, too
		w.replace(1, `[^\n]`)
	case '{':
		if repeated == "" {
			w.replace(1, `\{`)
		} else {
			w.replace(len(repeated), repeated)
		}
	case ']', '}':
		w.replace(1, `\`+string(c))
	default:
		w.assertion = c == '^' || c == '$'
		_, size := utf8.DecodeRuneInString(w.rest)
		w.replace(size, w.rest[:size])
	}
	return true
}

// replace writes text instead of the next size bytes.
func (w *rewriter) replace(size int, text string) {
	w.WriteString(text)
	w.rest = w.rest[size:]
}

// spaces are those of \s. In ECMAScript it has more.
const spaces = `\t\n\f\r `

// escape rewrites an escape outside of classes.
func (w *rewriter) escape() bool {
	switch c := w.rest[1]; c {
	case 'A':
		w.assertion = true
		w.replace(2, "^")
	case 'z':
		w.assertion = true
		w.replace(2, "$")
	case 'b':
		w.assertion = true
		w.replace(2, `\b`)
	case 's':
		w.replace(2, "["+spaces+"]")
	case 'S':
		w.replace(2, "[^"+spaces+"]")
	default:
		return w.character(`^$\.*+?()[]{}|/`)
	}
	return true
}

// character rewrites an escape that means the same in a class and outside of one. ECMAScript has the special ones, and
// letters; others stand for themselves.
func (w *rewriter) character(special string) bool {
	c := w.rest[1]
	switch {
	case strings.IndexByte("dDwWfnrtv", c) >= 0 || strings.IndexByte(special, c) >= 0:
		w.replace(2, w.rest[:2])
	case c == 'x' && w.rest[2] != '{':
		w.replace(4, w.rest[:4])
	case c > ' ' && c < utf8.RuneSelf && (unicode.IsLetter(rune(c)) || unicode.IsDigit(rune(c))):
		return false
	default:
		w.replace(2, w.rest[1:2])
	}
	return true
}

// class rewrites a class.
func (w *rewriter) class() bool {
	w.replace(1, "[")
	if w.rest[0] == '^' {
		w.replace(1, "^")
	}
	for first := true; first || w.rest[0] != ']'; first = false {
		if strings.HasPrefix(w.rest, "[:") {
			return false
		}
		if w.rest[0] == '\\' && strings.IndexByte("dDwWsS", w.rest[1]) >= 0 {
			switch w.rest[1] {
			case 'S':
				return false
			case 's':
				w.replace(2, spaces)
			default:
				w.replace(2, w.rest[:2])
			}
			continue
		}
		if !w.member(first) {
			return false
		}
		if w.rest[0] == '-' && w.rest[1] != ']' {
			w.replace(1, "-")
			if !w.member(false) {
				return false
			}
		}
	}
	w.replace(1, "]")
	return true
}

// member rewrites a character of a class.
func (w *rewriter) member(first bool) bool {
	switch c := w.rest[0]; {
	case c == '\\':
		return w.character(`^$\.*+?()[]{}|/-`)
	case c == ']', c == '-' && !(first && w.rest[1] != '-') && w.rest[1] != ']':
		w.replace(1, `\`+string(c))
	default:
		_, size := utf8.DecodeRuneInString(w.rest)
		w.replace(size, w.rest[:size])
	}
	return true
}

// withoutOperands has the texts of the operators that have no operands.
var withoutOperands = map[syntax.Op]string{
	syntax.OpNoMatch: "[]", syntax.OpEmptyMatch: "(?:)", syntax.OpAnyCharNotNL: `[^\n]`, syntax.OpAnyChar: `[\s\S]`,
	syntax.OpBeginText: "^", syntax.OpEndText: "$", syntax.OpWordBoundary: `\b`,
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
	default: // the beginning and the end of a line; \B, which V8 finds within a character of two units
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
	if sub := re.Sub[0]; sub.Op == syntax.OpCharClass || sub.Op == syntax.OpCapture {
		w.expression(sub)
	} else {
		w.group(sub)
	}
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
