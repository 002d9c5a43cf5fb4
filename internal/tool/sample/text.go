package sample

import (
	"fmt"
	"math"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"

	"github.com/crdkit/crdkit/internal/plan"
)

// plain has texts of all formats of schemas, and of other formats that rules and patterns often require.
var plain = []string{
	"a", "example", "example.com", "https://example.com/a", "2024-01-02T03:04:05Z", "2024-01-02", "1s", "10.0.0.1", "10.0.0.0/24",
	"fd00::1", "fd00::/64", "YWJj", "a@example.com", "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "6ba7b810-9dad-31d1-80b4-00c04fd430c8",
	"6ba7b810-9dad-41d1-80b4-00c04fd430c8", "6ba7b810-9dad-51d1-80b4-00c04fd430c8", "00:00:5e:00:53:01", "#aabbcc", "rgb(1,2,3)",
	"4111111111111111", "0321751043", "9780321751041", "123-45-6789", "507f1f77bcf86cd799439011", "1", "100Mi", "1.2.3", "v1", "/a",
	"10", "50%", "A", "*", "a/b", "example.com/a", "a: b", "A=b", "{}", "[]", "true", "node.example.com", "10.0.0.0", "latest",
	"example.com:80", "example.com/a@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
}

// Texts are texts of all formats, and unusual ones.
var Texts = slices.Concat(plain, unusual)

// texts yields texts for nodes: from their patterns, from formats, and padded to the required length.
func (m *Maker) texts(nodes []*plan.Node, trial int, yield func(any) bool) {
	least, most, patterned, formatted := int64(0), int64(math.MaxInt64), false, false
	for _, n := range nodes {
		c := n.String
		if c == nil {
			continue
		}
		least, most = max(least, c.MinLength), min(most, c.MaxLength)
		formatted = formatted || c.Format != nil
		patterned = patterned || c.PatternText != ""
	}
	if formatted && !each(plain, yield) {
		return
	}
	for _, n := range nodes {
		if n.String != nil && n.String.PatternText != "" && !m.matching(n.String.PatternText, least, trial, yield) {
			return
		}
	}
	if (patterned || formatted || least > 1) && !each(plain, yield) || least > 1<<20 {
		return
	}
	// Numbered texts of the required length.
	for i := range trial + 4 {
		s := "a"
		if i > 0 || most == 0 {
			s = fmt.Sprintf("a%d", i)
		}
		if missing := int(least) - len(s); missing > 0 {
			s = strings.Repeat("a", missing) + s
		}
		if most := max(most, 0); most < int64(len(s)) { // a maxLength may be negative
			s = s[int64(len(s))-most:]
		}
		if !yield(s) {
			return
		}
	}
	yield("")
}

// matching yields texts that a pattern may match, shorter ones first, with several choices for alternatives and
// characters. It reports false if yield does.
func (m *Maker) matching(pattern string, least int64, trial int, yield func(any) bool) bool {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return true
	}
	repeats := []int{0, 1, 2, 3, 5, 8, 16, 32, 64}
	if least > 3 {
		repeats = append([]int{int(min(least, 5000)), int(min(least, 5000)) - 1}, repeats...)
	}
	classes := map[*syntax.Regexp][]rune{}
	steps := maxSteps
	defer func() { m.charge((maxSteps - steps) / 4) }()
	for _, repeat := range repeats {
		if m.exhausted() {
			return false
		}
		for variant := range trial + 4 {
			w := writer{repeat: repeat, variant: variant, classes: classes, steps: steps}
			w.write(re)
			if steps = w.steps; steps < 0 {
				return true
			}
			if w.b.Len() <= maxText && !yield(w.b.String()) {
				return false
			}
		}
	}
	return true
}

// maxText is the maximum length of a text, and maxSteps the maximum number of parts of an expression that are written
// for all texts of a pattern: repetitions of empty parts take steps but add no text.
const (
	maxText  = 1 << 16
	maxSteps = 1 << 19
)

// A writer writes a text that an expression matches. It repeats parts repeat times, within their bounds. variant
// selects among alternatives and characters.
type writer struct {
	b               strings.Builder
	repeat, variant int
	depth, steps    int                       // steps is the number of those that are left
	classes         map[*syntax.Regexp][]rune // the runes to choose from
}

func (w *writer) write(re *syntax.Regexp) {
	if w.b.Len() > maxText || w.depth > 1000 || w.steps < 0 {
		return
	}
	w.steps--
	w.depth++
	defer func() { w.depth-- }()
	switch re.Op {
	case syntax.OpLiteral:
		w.b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		some, ok := w.classes[re]
		if !ok {
			some = choose(re.Rune)
			w.classes[re] = some
		}
		w.b.WriteRune(some[w.variant%len(some)])
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		w.b.WriteRune(rune('a' + w.variant%26))
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range re.Sub {
			w.write(sub)
		}
	case syntax.OpAlternate:
		w.write(re.Sub[w.variant%len(re.Sub)])
	case syntax.OpQuest:
		w.times(re.Sub[0], 0, 1)
	case syntax.OpStar:
		w.times(re.Sub[0], 0, -1)
	case syntax.OpPlus:
		w.times(re.Sub[0], 1, -1)
	case syntax.OpRepeat:
		w.times(re.Sub[0], re.Min, re.Max)
	}
}

func (w *writer) times(re *syntax.Regexp, least, most int) {
	n := max(least, w.repeat)
	if most >= 0 {
		n = min(n, most)
	}
	for i := 0; i < n && w.b.Len() <= maxText && w.steps >= 0; i++ {
		w.write(re)
	}
}

// choose returns at least one rune of a class, which is given as pairs of bounds. Letters and digits come first.
func choose(class []rune) []rune {
	var likely, other []rune
	for i := 0; i+1 < len(class); i += 2 {
		for r := class[i]; r <= class[i+1] && len(likely)+len(other) < 300; r++ {
			switch {
			case r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)):
				likely = append(likely, r)
			case r >= ' ' && r != unicode.MaxASCII:
				other = append(other, r)
			}
		}
	}
	for i, r := range likely { // lower case reads best
		if unicode.IsLower(r) {
			likely = append(likely[i:len(likely):len(likely)], likely[:i]...)
			break
		}
	}
	switch all := append(likely, other...); {
	case len(all) > 0:
		return all
	case len(class) > 0:
		return class[:1]
	}
	return []rune{'a'}
}
