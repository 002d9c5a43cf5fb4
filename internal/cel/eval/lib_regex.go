package eval

import (
	"errors"
	"math"

	"github.com/crdkit/crdkit/internal/cel/estimate"
	"github.com/crdkit/crdkit/internal/cel/lib/text"
	"github.com/crdkit/crdkit/internal/pattern"
	"github.com/crdkit/crdkit/internal/since"
)

// The functions with a regular expression as their second argument.

// matchesFunction is the matches function of the language (CEN-021).
func matchesFunction() *Function {
	t := costs{
		static: func(c *estimate.Call) estimate.Result {
			if c.Target == nil && !since.MatchesCost.In(c.Minor) {
				return estimate.Costing(1)
			}
			return estimate.Costing(searching(c.Operand(0).SizeOr(), c.Operand(1).SizeOr()))
		},
		byText: patternCost,
		unwrap: true,
	}
	of := global("matches", boolType, stringType, stringType).checked(LiteralCheck{Valid: validPattern, Since: since.LiteralArguments}).
		from(since.GlobalMatches)
	of.Planning = MayRefuse
	// A server that does not check literals still compiles the constant patterns when it creates a program.
	in := method("matches_string", boolType, stringType, stringType).checked(LiteralCheck{Valid: validPattern})
	in.Planning = RefusesPattern
	return fn("matches", of, in).costing(t).is(unguarded).each(func(o *Overload) { o.run, o.special = matches, planMatches })
}

// patterns are the regular expression functions of Kubernetes (CEN-027).
func patterns() []*Function {
	t := costs{
		static: func(c *estimate.Call) estimate.Result {
			s := c.Size(c.Target)
			return estimate.Giving(estimate.UpTo(s.Hi), searching(s, c.Size(&c.Args[0])))
		},
		byText: patternCost,
	}
	return []*Function{
		fn("find", withPattern(method("string_find_string", stringType, stringType, stringType), find1, (*call).planFind)).costing(t),
		fn("findAll",
			withPattern(method("string_find_all_string", listOf(stringType), stringType, stringType), findAll, nil),
			withPattern(method("string_find_all_string_int", listOf(stringType), stringType, stringType, intType), findAll, nil)).
			costing(t),
	}
}

func validPattern(literal any) bool {
	s, ok := literal.(string)
	return !ok || pattern.Check(s) == nil
}

// searching is the static cost of matching a subject with a pattern. An empty subject costs as much as one byte.
func searching(subject, pattern estimate.Span) uint64 {
	return estimate.Times(subject.Plus(estimate.Exactly(1)).Cost(estimate.PerByte), pattern.Cost(estimate.PerPattern))
}

// patternCost is the run-time cost for sizes of a subject and a pattern.
func patternCost(subject, pattern int64) int64 {
	return c1(1+subject) * int64(math.Ceil(float64(pattern)*0.25))
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

// A search implements a function for a pattern and its arguments.
type search func(f *frame, p *pattern.Pattern, a []value) value

// withPattern sets the implementation of o to a search, and returns o. A constant pattern is compiled when the call is
// planned (CER-040), others at each call; then its error has a prefix, unlike that of matches (CEN-027). If inText is
// not nil, it plans calls with a constant pattern on strings.
//
//go:noinline
func withPattern(o *Overload, use search, inText func(c *call, subject typed[string], re *pattern.Pattern) typed[string]) *Overload {
	o.Planning = MayRefuse
	o.run = func(f *frame, a []value) value {
		p, err := f.compile(a[1].str())
		if err != nil {
			return failure("Illegal regex: " + err.Error())
		}
		return use(f, p, a)
	}
	o.special = func(p *planner, c *call, parts []*part) *part {
		if parts[1].constant == nil || parts[1].constant.kind != kindString {
			return nil
		}
		re, err := pattern.Compile(parts[1].constant.str())
		if err != nil {
			return p.fail(err)
		}
		c.stopFirst = true // CRC-022
		c.overloads = []guarded{{run: func(f *frame, a []value) value {
			s, ok := goText(a[0])
			if !ok || len(a) == 3 && a[2].kind != kindInt {
				return noSuchOverload
			}
			if a[0].kind != kindString {
				a = append([]value{f.text(s)}, a[1:]...)
			}
			return use(f, re, a)
		}}}
		if inText == nil || p.general {
			return nil
		}
		return texts.part(inText(c, texts.as(parts[0]), re))
	}
	return o
}

func find1(f *frame, p *pattern.Pattern, a []value) value { return f.text(p.Find(a[0].str(), f)) }

// findAll returns the parts of a string that match, at most as many as the limit if that is not negative. It counts
// them before it builds the list.
func findAll(f *frame, p *pattern.Pattern, a []value) value {
	const stringBytes = 16
	n := limit(a, 2)
	var chunks [][]string
	found := 0
	if n != 0 {
		p.FindAll(a[0].str(), f, func(part string) bool {
			f.makes(stringBytes)
			if f.made+itemBytes*found > 2*maxMade { // everything that it creates on the way is kept
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

// appendTexts appends values of the texts, which it does not copy. It is not inlined: the runtime cannot preempt a loop
// that only writes pointers while the garbage collector marks, so a loop over millions of texts would block the whole
// process for a second.
//
//go:noinline
func appendTexts(vals []value, texts []string) []value {
	for i := range texts {
		vals = append(vals, value{kind: kindString, ref: &texts[i]})
	}
	return vals
}

// Limits of the computed patterns that a frame keeps: their number, and the length of their texts together.
const (
	maxPatterns     = 8
	maxPatternBytes = 1 << 20
)

// compile returns a pattern that a rule computes. The last patterns are kept, since a rule often reuses one. If
// compiling would take too long, the run ends as if it had exceeded its cost limit.
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

// bytesPerStep is the number of bytes whose visit is as much work as a step of a pattern.Meter.
const bytesPerStep = bytesPerTurn / 4

// Spend counts steps of a search with a pattern: it implements pattern.Meter. It does not return if there were too
// many, or if the context has ended.
func (f *frame) Spend(steps int) bool {
	f.visits(bytesPerStep * steps)
	return true
}

// goText returns the text of v for a function with a constant pattern: a string, the name of a type, or the text of the
// value of an optional. A server reads the Go value there, whatever the type (CRC-022).
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

// planMatches plans s.matches(p) and matches(s, p) for a constant p. It returns nil if p is not constant.
func planMatches(p *planner, c *call, args []*part) *part {
	if args[1].constant == nil || args[1].constant.kind != kindString {
		return nil
	}
	re, err := pattern.Compile(args[1].constant.str())
	if err != nil {
		return p.fail(err)
	}
	subject, charge, size := texts.as(args[0]), c.byText, args[1].constant.size(true)
	return bools.part(func(f *frame) (bool, bool) {
		s, ok := subject(f)
		if !ok {
			v := f.other
			if !v.failed() { // CRC-022
				f.charge(charge(v.size(true), size))
				f.visits(v.length())
			}
			if s, ok := goText(v); ok {
				return re.Match(s, f), true
			}
			return f.notBool()
		}
		f.charge(charge(text.Len(s), size))
		f.visits(len(s))
		return re.Match(s, f), true
	})
}

// planFind plans the call of find with a constant pattern.
func (c *call) planFind(subject typed[string], re *pattern.Pattern) typed[string] {
	length, charge, size := len(re.String()), c.byText, text.Len(re.String())
	return func(f *frame) (string, bool) {
		s, ok := subject(f)
		if !ok {
			bottom := len(f.stack)
			f.stack = append(f.stack, f.other)
			f.other = c.resume(f, bottom)
			return "", false
		}
		f.visits(len(s) + length)
		f.charge(charge(text.Len(s), size))
		found := re.Find(s, f)
		f.makes(len(found))
		return found, true
	}
}
