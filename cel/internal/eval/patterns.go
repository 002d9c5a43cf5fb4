package eval

import (
	"errors"

	"github.com/crdkit/crdkit/cel/internal/text"
	"github.com/crdkit/crdkit/internal/pattern"
)

// patterns are the functions with a regular expression as their second argument.
func patterns() map[string]binding {
	return map[string]binding{
		"matches": matches, "matches_string": matches,
		"string_find_string":         withPattern(find1),
		"string_find_all_string":     withPattern(findAll),
		"string_find_all_string_int": withPattern(findSome),
	}
}

func matches(f *frame, a []value) value {
	if a[0].kind != kindString {
		return unsupported(a[0], "matches")
	}
	if a[1].kind != kindString {
		return noSuchOverload
	}
	p, err := f.compile(a[1].str())
	if err != nil {
		return failure(err.Error())
	}
	return boolean(p.Match(a[0].str(), f))
}

// withPattern makes a binding that compiles its pattern at each call. Its error has words in front, unlike that of matches (CEN-027).
func withPattern(use func(f *frame, p *pattern.Pattern, a []value) value) binding {
	return func(f *frame, a []value) value {
		p, err := f.compile(a[1].str())
		if err != nil {
			return failure("Illegal regex: " + err.Error())
		}
		return use(f, p, a)
	}
}

func find1(f *frame, p *pattern.Pattern, a []value) value { return f.text(p.Find(a[0].str(), f)) }

func findAll(f *frame, p *pattern.Pattern, a []value) value { return f.findAll(p, a[0].str(), -1) }

func findSome(f *frame, p *pattern.Pattern, a []value) value {
	return f.findAll(p, a[0].str(), a[2].int())
}

// findAll returns the parts of s that match, at most n of them, or all if n is negative. It counts them before it makes the list.
func (f *frame) findAll(p *pattern.Pattern, s string, n int64) value {
	const stringBytes = 16
	var chunks [][]string
	found := 0
	if n != 0 {
		p.FindAll(s, f, func(part string) bool {
			f.makes(stringBytes)
			if f.made+itemBytes*found > 2*maxMade { // it makes nothing on the way that is not kept
				f.over()
			}
			last := len(chunks) - 1
			if last < 0 || len(chunks[last]) == cap(chunks[last]) {
				chunks = append(chunks, make([]string, 0, min(max(4, found), 1<<12)))
				last++
			}
			chunks[last] = append(chunks[last], part)
			found++
			return int64(found) != n
		})
	}
	vals := f.values(found)[:0]
	for _, chunk := range chunks {
		vals = appendTexts(vals, chunk)
	}
	return f.list(vals)
}

// appendTexts appends values of the texts, which it does not copy. It is not inlined: the runtime cannot interrupt a loop that does nothing
// but write pointers while the collector marks, so that a loop over millions of texts would hold up the whole process for a second.
//
//go:noinline
func appendTexts(vals []value, texts []string) []value {
	for i := range texts {
		vals = append(vals, value{kind: kindString, ref: &texts[i]})
	}
	return vals
}

// Bounds on the computed patterns that a frame keeps: how many, and the length of their texts together.
const (
	maxPatterns     = 8
	maxPatternBytes = 1 << 20
)

// compile returns a pattern that a rule computes. The last ones are kept, since a rule often uses one again. The run ends as at the call
// limit if it would take too long to read the pattern.
func (f *frame) compile(expr string) (*pattern.Pattern, error) {
	bytes := len(expr)
	for i := len(f.patterns) - 1; i >= 0; i-- {
		p := f.patterns[i]
		if p.String() == expr {
			return p, nil
		}
		bytes += len(p.String())
	}
	p, err := pattern.CompileFor(expr, f)
	if errors.Is(err, pattern.ErrTooCostly) {
		f.over()
	}
	if err != nil {
		return nil, err
	}
	for len(f.patterns) > 0 && (len(f.patterns) == maxPatterns || bytes > maxPatternBytes) {
		bytes -= len(f.patterns[0].String())
		f.patterns = f.patterns[:copy(f.patterns, f.patterns[1:])]
	}
	f.patterns = append(f.patterns, p)
	return p, nil
}

// bytesPerStep is how many bytes of visits a step of a pattern.Meter is.
const bytesPerStep = bytesPerTurn / 4

// Spend counts steps of a search with a pattern: it makes a frame a pattern.Meter. It does not return if there were too many, or if the
// context is done.
func (f *frame) Spend(steps int) bool {
	f.visits(bytesPerStep * steps)
	return true
}

// goText returns the text that a function with a constant pattern takes v for: a string, the name of a type, or that of the value of an
// optional. A server looks at the Go value there, whatever the type (CRC-022).
func goText(v value) (string, bool) {
	switch v.kind {
	case kindString, kindType:
		return v.str(), true
	case kindOptional:
		if p := v.inner(); p != nil {
			return goText(*p)
		}
	}
	return "", false
}

// planMatches plans s.matches(p) and matches(s, p) of a constant p. It returns false for another one.
func (p *planner) planMatches(args []part) (part, bool) {
	if args[1].constant == nil || args[1].constant.kind != kindString {
		return part{}, false
	}
	re, err := pattern.Compile(args[1].constant.str())
	if err != nil {
		return p.fail(err), true
	}
	subject, size := args[0].asTexter(), args[1].constant.size(true)
	return conditionPart(func(f *frame) truth {
		s, ok := subject(f)
		if !ok {
			v := f.other
			if !v.failed() { // CRC-022
				f.charge(patternCost(v.size(true), size))
				f.visits(v.length())
			}
			if s, ok := goText(v); ok {
				return truthOf(re.Match(s, f))
			}
			return f.noBool()
		}
		f.charge(patternCost(text.Len(s), size))
		f.visits(len(s))
		return truthOf(re.Match(s, f))
	}), true
}

// planFind plans the call of find with a constant pattern.
func (c *call) planFind(subject texter, re *pattern.Pattern) texter {
	length, size := len(re.String()), text.Len(re.String())
	return func(f *frame) (string, bool) {
		s, ok := subject(f)
		if !ok {
			bottom := len(f.stack)
			f.stack = append(f.stack, f.other)
			f.other = c.resume(f, bottom)
			return "", false
		}
		f.visits(len(s) + length)
		f.charge(patternCost(text.Len(s), size))
		found := re.Find(s, f)
		f.makes(len(found))
		return found, true
	}
}

// precompile compiles the constant pattern of find and findAll where the call is planned (CER-040). Such a call stops at an argument
// that fails (CRC-022). It returns how to run find.
func (p *planner) precompile(c *call, parts []part) (find texter) {
	var use func(f *frame, re *pattern.Pattern, a []value) value
	switch {
	case c.name == "find":
		use = find1
	case c.name == "findAll" && len(parts) == 3:
		use = findSome
	case c.name == "findAll":
		use = findAll
	default:
		return nil
	}
	constant := parts[1].constant
	if constant == nil || constant.kind != kindString {
		return nil
	}
	re, err := pattern.Compile(constant.str())
	if err != nil {
		p.fail(err)
		return nil
	}
	c.stopFirst = true
	for i := range c.overloads {
		c.overloads[i] = guarded{run: func(f *frame, a []value) value {
			s, ok := goText(a[0])
			if !ok || len(a) == 3 && a[2].kind != kindInt {
				return noSuchOverload
			}
			if a[0].kind != kindString {
				a = append([]value{f.text(s)}, a[1:]...)
			}
			return use(f, re, a)
		}}
	}
	if c.name == "find" {
		return c.planFind(parts[0].asTexter(), re)
	}
	return nil
}
