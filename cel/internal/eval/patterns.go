package eval

import (
	"regexp"

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

func matches(_ *frame, a []value) value {
	if a[0].kind != kindString {
		return unsupported(a[0], "matches")
	}
	if a[1].kind != kindString {
		return noSuchOverload
	}
	re, err := regexp.Compile(a[1].str())
	if err != nil {
		return failure(err.Error())
	}
	return boolean(re.MatchString(a[0].str()))
}

// withPattern makes a binding that compiles its pattern at each call.
func withPattern(use func(f *frame, re *regexp.Regexp, a []value) value) binding {
	return func(f *frame, a []value) value {
		re, err := text.Compile(a[1].str())
		if err != nil {
			return failure(err.Error())
		}
		return use(f, re, a)
	}
}

func find1(f *frame, re *regexp.Regexp, a []value) value { return f.text(text.Find(re, a[0].str())) }

func findAll(f *frame, re *regexp.Regexp, a []value) value {
	return f.textList(text.FindAll(re, a[0].str(), -1))
}

func findSome(f *frame, re *regexp.Regexp, a []value) value {
	return f.textList(text.FindAll(re, a[0].str(), a[2].int()))
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
			if v.kind == kindType { // a server matches the name of a type, where the pattern is constant
				return truthOf(re.MatchString(v.str()))
			}
			return f.noBool()
		}
		f.charge(patternCost(text.Len(s), size))
		f.visits(len(s))
		return truthOf(re.MatchString(s))
	}), true
}

// planFind plans the call of find with a constant pattern.
func (c *call) planFind(subject texter, finder *text.Finder, pattern string) texter {
	size := text.Len(pattern)
	return func(f *frame) (string, bool) {
		s, ok := subject(f)
		if !ok {
			bottom := len(f.stack)
			f.stack = append(f.stack, f.other)
			f.other = c.resume(f, bottom)
			return "", false
		}
		f.visits(len(s) + len(pattern))
		f.charge(patternCost(text.Len(s), size))
		found := finder.Find(s)
		f.makes(len(found))
		return found, true
	}
}

// precompile compiles the constant pattern of find and findAll where the call is planned (CER-040). Such a call stops at an argument
// that fails (CRC-022). It returns how to run find.
func (p *planner) precompile(c *call, parts []part) (find texter) {
	var use func(f *frame, re *regexp.Regexp, a []value) value
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
	finder, err := text.NewFinder(constant.str())
	if err != nil {
		p.fail(err)
		return nil
	}
	c.stopFirst = true
	for i := range c.overloads {
		c.overloads[i] = guarded{run: func(f *frame, a []value) value {
			if a[0].kind != kindString || len(a) == 3 && a[2].kind != kindInt {
				return noSuchOverload
			}
			return use(f, finder.Regexp(), a)
		}}
	}
	if c.name == "find" {
		return c.planFind(parts[0].asTexter(), finder, constant.str())
	}
	return nil
}
