package compat

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/plan"
)

// knownValues are the facts of a test. Its keys are paths joined by dots.
type knownValues struct {
	constants  map[string]string   // "" for a field that is always absent
	never      map[string][]string // literals
	alwaysList bool
}

func (k knownValues) isList() bool { return k.alwaysList }

func (k knownValues) constant(path []string) (string, bool) {
	text, ok := k.constants[strings.Join(path, ".")]
	return text, ok && text == ""
}

func (k knownValues) excludes(path []string, literal string) bool {
	return slices.Contains(k.never[strings.Join(path, ".")], literal)
}

// normalText returns the terms of a rule in one line. A term about old values begins with "old:".
func normalText(rule string, know knowledge) string {
	var parts []string
	for _, t := range conjuncts(&plan.Rule{Rule: rule}, know) {
		text := t.text
		if t.transition {
			text = "old:" + text
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "  ")
}

// The normal forms of rules.
func TestNormal(t *testing.T) {
	for _, c := range [][2]string{
		// Literals, names and fields.
		{`1`, `1`},
		{`-1`, `-1`},
		{`1.5`, `double(1.5)`},
		{`1u`, `uint(1)`},
		{`"a"`, `"a"`},
		{`b"a"`, `bytes([97])`},
		{`'true' == self`, `_==_("true", self)`},
		{`null == self`, `_==_(null, self)`},
		{`true`, ``},
		{`false`, `false`},
		{`self.a.b`, `self.a.b`},
		{`has(self.a.b)`, `has(self.a.b)`},
		{`self.has(a)`, `self.has(a)`},
		{`has(self.a, self.b)`, `has(self.a, self.b)`},
		{`self[0]`, `_[_](self, 0)`},
		{`self["a"]`, `_[_](self, "a")`},
		{`self.?a`, `_?._(self, "a")`},
		{`self[?0]`, `_[?_](self, 0)`},
		{`[1, self.b, ?self.c]`, `[1, self.b, ?self.c]`},
		{`{"a": 1, ?"b": self.c}`, `{false"a": 1, true"b": self.c}`},
		{`self.a.b().c`, `self.a.b().c`},
		{`Foo{a: 1}`, `Foo{a: 1}`},
		// Operators.
		{`self.a + self.b - self.c`, `_-_(_+_(self.a, self.b), self.c)`},
		{`self.a > 1`, `_<_(1, self.a)`},
		{`self.a >= 1`, `_<=_(1, self.a)`},
		{`self.a < 1`, `_<_(self.a, 1)`},
		{`self.a <= 1`, `_<=_(self.a, 1)`},
		{`self.b == self.a`, `_==_(self.a, self.b)`},
		{`self.b != self.a`, `!(_==_(self.a, self.b))`},
		{`self.a in [3, 1, 3]`, `@in(self.a, [1, 3])`},
		{`self.a in [?self.b, 1]`, `@in(self.a, [?self.b, 1])`},
		{`self.a in self.b`, `@in(self.a, self.b)`},
		{`self.a == true`, `_==_(self.a, true)`},
		{`'x' == 'x'`, `_==_("x", "x")`},
		{`'x' == 'y'`, `_==_("x", "y")`},
		{`true == false`, `_==_(false, true)`},
		// Logical operators. The terms are those of a conjunction.
		{`self.b && self.a && self.b`, `self.a  self.b`},
		{`self.b || self.a || self.b`, `(self.a || self.b)`},
		{`(self.a && self.b) || self.c`, `((self.a && self.b) || self.c)`},
		{`self.a && true`, `self.a`},
		{`self.a && false`, `false`},
		{`self.a || true`, ``},
		{`self.a || false`, `self.a`},
		{`true && true`, ``},
		{`false || false`, `false`},
		{`!true`, `false`},
		{`!false`, ``},
		{`!self.a`, `!(self.a)`},
		{`!!self.a`, `self.a`},
		{`!(self.a != 1)`, `_==_(1, self.a)`},
		{`!(self.a && !self.b)`, `(!(self.a) || self.b)`},
		{`!(self.a || !self.b)`, `!(self.a)  self.b`},
		{`!(self.a ? self.b : self.c)`, `!((self.a ? self.b : self.c))`},
		{`!(!self.a || !self.b || self.c)`, `!(self.c)  self.a  self.b`},
		{`self.a ? self.b : self.c`, `(self.a ? self.b : self.c)`},
		{`true ? self.b : self.c`, `self.b`},
		{`false ? self.b : self.c`, `self.c`},
		// Functions and macros.
		{`size(self.a)`, `size(self.a)`},
		{`self.a.size()`, `size(self.a)`},
		{`self.a.size(1)`, `self.a.size(1)`},
		{`self.a.startsWith("x")`, `self.a.startsWith("x")`},
		{`self.all(x, x > 1)`, `self/1.all(_<_(1, $'))`},
		{`self.all(i, x, x > i)`, `self/2.all(_<_($', $''))`},
		{`self.exists(x, x > 1)`, `self/1.exists(_<_(1, $'))`},
		{`self.exists_one(x, x > 1)`, `self/1.exists_one(_<_(1, $'))`},
		{`self.existsOne(i, x, x > i)`, `self/2.existsOne(_<_($', $''))`},
		{`self.map(x, x + 1)`, `self/1.map(_+_($', 1))`},
		{`self.map(x, x > 1, x + 1)`, `self/1.map(_<_(1, $'), _+_($', 1))`},
		{`self.filter(x, x > 1)`, `self/1.filter(_<_(1, $'))`},
		{`self.transformList(i, x, x + i)`, `self/2.transformList(_+_($'', $'))`},
		{`self.transformList(i, x, x > 1, x + i)`, `self/2.transformList(_<_(1, $''), _+_($'', $'))`},
		{`self.transformMap(k, v, v + 1)`, `self/2.transformMap(_+_($'', 1))`},
		{`self.transformMapEntry(k, v, {v: k})`, `self/2.transformMapEntry({false$'': $'})`},
		{`self.transformMap(k, v, v > 1, v + 1)`, `self/2.transformMap(_<_(1, $''), _+_($'', 1))`},
		{`self.transformMapEntry(k, v, v > 1, {v: k})`, `self/2.transformMapEntry(_<_(1, $''), {false$'': $'})`},
		{`self.?a.optMap(x, x + 1)`, `_?._(self, "a")/1.optMap(_+_($', 1))`},
		{`self.?a.optFlatMap(x, x.?b)`, `_?._(self, "a")/1.optFlatMap(_?._($', "b"))`},
		{`self.sortBy(x, x.a)[0] == 1`, `_==_(1, _[_](self/1.sortBy($'.a), 0))`},
		{`self.all(x, x.all(y, x == y))`, `self/1.all($'/1.all(_==_($', $'')))`},
		{`self.all(x, self.all(x, x > 1))`, `self/1.all(self/1.all(_<_(1, $'')))`},
		{`self.all(x.y, x > 1)`, `self.all(x.y, _<_(1, x))`},
		{`self.all(1, x > 1)`, `self.all(1, _<_(1, x))`},
		{`cel.bind(x, self.x, x > 1)`, `cel.bind(x, self.x, _<_(1, x))`}, // no macro (CEN-002)
		{`self.all(oldSelf, oldSelf > 1)`, `old:self/1.all(_<_(1, $'))`},
		// Old values.
		{`self == oldSelf`, `old:_==_(oldSelf, self)`},
		{`self.a && oldSelf.b`, `old:oldSelf.b  old:self.a`},
		{`.oldSelf == self`, `old:_==_(.oldSelf, self)`},
		{`self.all(x, x in oldSelf)`, `old:self/1.all(@in($', oldSelf))`},
	} {
		require.Equal(t, c[1], normalText(c[0], nil), c[0])
	}
}

// Known facts about values decide comparisons and has.
func TestNormalKnown(t *testing.T) {
	know := knownValues{
		constants: map[string]string{"gone": "", "a.gone": "", "text": `"x"`, "yes": "true", "no": "false"},
		never:     map[string][]string{"mode": {`"x"`, "1"}, "list.[]": {`"x"`}, "list.[].kind": {`"x"`}},
	}
	for _, c := range [][2]string{
		{`has(self.gone)`, `false`}, {`has(self.a.gone)`, `false`}, {`has(self.text)`, ``}, {`has(self.other)`, `has(self.other)`}, {`!has(self.gone)`, ``},
		{`has(other.gone)`, `has(other.gone)`}, {`has(self.gone.a)`, `has(self.gone.a)`}, {`self.gone`, `self.gone`},
		{`self.yes`, ``}, {`self.no`, `false`}, {`self.text`, `"x"`}, {`self.text == "x"`, ``}, {`self.text == "y"`, `false`}, {`self.text in ["y", "x"]`, ``}, {`self.yes == true`, ``},
		{`self.no == true`, `false`}, {`self.no in [false]`, ``}, {`self.text == self.other`, `_==_("x", self.other)`}, {`self.text.startsWith("x")`, `"x".startsWith("x")`},
		{`self.yes ? self.a : self.b`, `self.a`}, {`!self.yes || self.a`, `self.a`},
		{`self.mode == "x"`, `@in(self.mode, [])`}, {`self.mode in ["z", "x", "y"]`, `@in(self.mode, ["z", "y"])`}, {`self.mode in ["z", "y"]`, `@in(self.mode, ["y", "z"])`},
		{`self.mode == 1`, `@in(self.mode, [])`}, {`self.mode == self.other`, `_==_(self.mode, self.other)`}, {`other.mode == "x"`, `_==_("x", other.mode)`},
		{`self.mode.all(x, x == "x")`, `self.mode/1.all(_==_("x", $'))`},
		// Variables.
		{`self.list.all(x, x == "x")`, `self.list/1.all(@in($', []))`}, {`self.list.exists(x, x.kind == "x")`, `self.list/1.exists(@in($'.kind, []))`},
		{`self.list.exists_one(x, x == "x")`, `self.list/1.exists_one(@in($', []))`}, {`self.list.map(x, x == "x")`, `self.list/1.map(@in($', []))`},
		{`self.list.filter(x, x == "x")`, `self.list/1.filter(@in($', []))`}, {`self.list.all(i, x, x == "x")`, `self.list/2.all(_==_("x", $''))`},
		{`self.list.all(i, x, i == "x")`, `self.list/2.all(_==_("x", $'))`}, {`self.list.optMap(x, x == "x")`, `self.list/1.optMap(_==_("x", $'))`},
		{`self.list.optFlatMap(x, x == "x")`, `self.list/1.optFlatMap(_==_("x", $'))`},
		{`self.list.sortBy(self, self.text).size() == 1`, `_==_(1, size(self.list/1.sortBy($'.text)))`},
		{`self.list.all(x, self.list.all(x, x == "x"))`, `self.list/1.all(self.list/1.all(@in($'', [])))`},
		{`self.list.all(x, self.other.all(x, x == "x"))`, `self.list/1.all(self.other/1.all(_==_("x", $'')))`},
		{`self.list.all(x, self.map(x, x.b).all(y, x == "x"))`, `self.list/1.all(self/1.map($''.b)/1.all(@in($', [])))`},
		{`self.list.all(x, f(x).all(x, x == "x"))`, `self.list/1.all(f($')/1.all(_==_("x", $'')))`},
		{`self.list.all(mode, mode == "x")`, `self.list/1.all(@in($', []))`}, {`self.all(self, self.mode == "x")`, `self/1.all(_==_("x", $'.mode))`},
		{`self.list.all(x, x.gone)`, `self.list/1.all($'.gone)`}, {`self.all(x, true)`, `self/1.all(true)`},
	} {
		require.Equal(t, c[1], normalText(c[0], know), c[0])
	}
	know.alwaysList = true
	for _, c := range [][2]string{
		{`self.all(x, true)`, ``}, {`self.all(i, x, true)`, ``}, {`self.all(x, false)`, `self/1.all(false)`}, {`self.exists(x, true)`, `self/1.exists(true)`},
		{`self.a.all(x, true)`, `self.a/1.all(true)`}, {`other.all(x, true)`, `other/1.all(true)`}, {`self.all(x, x.all(y, true))`, `self/1.all($'/1.all(true))`},
		{`self.all(1, true)`, `self.all(1, true)`},
	} {
		require.Equal(t, c[1], normalText(c[0], know), c[0])
	}
}

// Rules that are not split into terms, and rules whose oldSelf is optional.
func TestTermsOfWholeRules(t *testing.T) {
	deep := strings.Repeat("!(", 251) + "self.a" + strings.Repeat(")", 251)
	long := strings.Repeat("self.a && ", maxRuleText/len("self.a && ")) + "self.a"
	fits := long[len("self.a && "):]
	optional := true
	for _, c := range []struct {
		rule       string
		optional   *bool
		text       string
		transition bool
	}{
		{rule: fits, text: "self.a"},
		{rule: long, text: long},
		{rule: "oldSelf" + long, text: "oldSelf" + long, transition: true},
		{rule: "oldSelf" + long, optional: &optional, text: "optional oldSelf" + long},
		{rule: "self.(", text: "self.("},
		{rule: deep, text: deep},
		{rule: "oldSelf.(", text: "oldSelf.(", transition: true},
		{rule: "Foo{a: oldSelf}", text: "Foo{a: oldSelf}", transition: true},
		{rule: "oldSelf.hasValue()", optional: &optional, text: "optional oldSelf.hasValue()"},
		{rule: "oldSelf.hasValue()", optional: new(bool), text: "oldSelf.hasValue()", transition: true},
	} {
		have := conjuncts(&plan.Rule{Rule: c.rule, OptionalOldSelf: c.optional}, nil)
		require.Len(t, have, 1, c.rule)
		require.Equal(t, c.text, have[0].text)
		require.Equal(t, c.transition, have[0].transition, c.rule)
		require.True(t, impliedBy(have, have, nil), c.rule)
		require.False(t, impliedBy(have, conjuncts(&plan.Rule{Rule: "self.other"}, nil), nil), c.rule)
	}
}

// Each part of a rule is looked at once, also in lists inside lists.
func TestNestedMembership(t *testing.T) {
	const depth = 100
	rule := strings.Repeat("true in [", depth) + "self.a" + strings.Repeat("]", depth)
	have := conjuncts(&plan.Rule{Rule: rule}, nil)
	require.Len(t, have, 1)
	require.Equal(t, strings.Repeat("@in(true, [", depth)+"self.a"+strings.Repeat("])", depth), have[0].text)
	for text, want := range map[string]string{"1 in [2, ?a, 1]": "@in(1, [2, ?a, 1])", "a in [c, b, b]": "@in(a, [b, c])"} {
		require.Equal(t, want, conjuncts(&plan.Rule{Rule: text}, nil)[0].text)
	}
}
