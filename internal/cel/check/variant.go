package check

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/crdkit/crdkit/internal/cel/eval"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/since"
)

// A Variant is the set of those facts that are true, among the facts that the check of a text may depend on. Two checks
// of a text with the same variant and the same types have the same result.
type Variant uint64

// Variant returns the variant with which c would check a text, as a stored expression or as a new one.
func (c *Checker) Variant(text string, stored bool) Variant {
	v := dependencies(text)
	for f := since.Always; v>>f != 0; f++ {
		if (!stored || language>>f&1 != 0) && !f.In(c.minor) {
			v &^= 1 << f
		}
	}
	return v
}

// language has the facts about the language, apart from functions. Stored expressions are checked for them, too.
const language Variant = 1<<since.OptionalValues | 1<<since.EscapedNames | 1<<since.TwoVariables |
	1<<since.ListExtension | 1<<since.StrictLiterals | 1<<since.LiteralArguments | 1<<since.FormatLiterals |
	1<<since.TypeArguments

// dependencies returns the facts that a text may depend on. It only searches the text for names and operators, so the
// result may include facts that make no difference.
func dependencies(text string) Variant {
	var v Variant
	known := versioned()
	for sign, facts := range known.signs {
		if strings.Contains(text, sign) && (sign != "[" || hasIndex(text)) {
			v |= facts
		}
	}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		v |= known.words[word]
		if types.IsKeyword(word) {
			v |= 1 << since.KeywordFields
		}
	}
	return v
}

// hasIndex reports whether a bracket in text may be an index, and not only the beginning of a list: it follows an
// operand, or that is unknown since there may be a comment.
func hasIndex(text string) bool {
	if strings.Contains(text, "//") {
		return true
	}
	for i := range len(text) {
		if text[i] != '[' {
			continue
		}
		before := strings.TrimRight(text[:i], " \t\r\n\f")
		if before != "" && !strings.Contains("([{,:?&|=<>!+-*/%", before[len(before)-1:]) {
			return true
		}
	}
	return false
}

// A dictionary has the facts that names and operators depend on.
type dictionary struct {
	words map[string]Variant // of functions, without the namespace, and of macros
	signs map[string]Variant // of operators
}

// versioned has the facts from the table of functions, and from that of macros.
var versioned = sync.OnceValue(func() dictionary {
	d := dictionary{words: map[string]Variant{}, signs: map[string]Variant{
		"`": 1 << since.EscapedNames, "?": 1 << since.OptionalValues, "\\": 1 << since.SurrogateEscapes,
		",": 1 << since.StrictLiterals, // every literal with several elements has a comma
	}}
	for name, fact := range datedTypes {
		word, _, _ := strings.Cut(name, ".")
		d.words[word] |= 1 << fact
	}
	for _, word := range types.TypeWords() {
		d.words[word] |= 1 << since.TypeArguments
	}
	newest := map[string][]*eval.Overload{}
	for _, f := range eval.Functions(false) {
		newest[f.Name] = append(newest[f.Name], f.Overloads...)
	}
	for _, f := range eval.Functions(true) {
		var facts Variant
		if !slices.Equal(newest[f.Name], eval.OverloadsOf(f.Name)) { // stored expressions have others, or another order (CEN-001)
			facts |= 1 << since.ListIncludes
		}
		for _, o := range f.Overloads {
			for _, fact := range [...]since.Fact{o.Since, o.Literal.Since} {
				if fact != since.Always {
					facts |= 1 << fact
				}
			}
		}
		if facts == 0 || strings.Contains(f.Name, "?") {
			continue
		}
		if operator, ok := strings.CutPrefix(f.Name, "_"); ok {
			sign, _, _ := strings.Cut(operator, "_") // [ of _[_]
			d.signs[sign] |= facts
		} else {
			d.words[f.Name[strings.LastIndex(f.Name, ".")+1:]] |= facts
		}
	}
	for fact, group := range macrosBySince() {
		for _, m := range group {
			if fact != since.Always {
				d.words[m.Name] |= 1 << fact
			}
		}
	}
	return d
})
