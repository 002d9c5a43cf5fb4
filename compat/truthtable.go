package compat

import (
	"slices"
)

// Values of expressions: CEL's && and || take an error for a value that is not known.
const (
	isFalse = iota
	isError
	isTrue
)

// maxCases bounds how many assignments are looked at for one proof.
const maxAssignments = 20_000

// tautology reports whether y is true wherever all of have are, as far as that shows in how both are made of the same conditions.
func entails(have []normalForm, y normalForm, p *proofState) bool {
	atoms := newAtoms()
	atoms.add(&y)
	some := have[:0:0]
	for i := range have {
		if atoms.shares(&have[i]) {
			some = append(some, have[i])
		}
	}
	if len(some) == 0 {
		return false
	}
	for i := range some {
		atoms.add(&some[i])
	}
	atoms.completeLiterals()
	cases := atoms.assignments()
	return cases <= maxAssignments && p.spend(cases*(1+len(some))*len(atoms.names)) && atoms.everyAssignment(func() bool {
		for i := range some {
			if atoms.eval(&some[i]) != isTrue {
				return true
			}
		}
		return atoms.eval(&y) == isTrue
	})
}

// Atoms are what expressions are made of. One that compares something with literals takes one value for each of them, and for any other.
type atoms struct {
	names      []string            // in order
	literals   map[string][]string // of those that are compared with literals
	conditions []string            // those that are conditions themselves
	assignment map[string]int
}

func newAtoms() *atoms { return &atoms{literals: map[string][]string{}, assignment: map[string]int{}} }

func (a *atoms) add(x *normalForm) {
	if x.op != "" {
		for i := range x.operands {
			a.add(&x.operands[i])
		}
		return
	}
	if x.text == "true" || x.text == "false" {
		return
	}
	if !slices.Contains(a.names, x.atom()) {
		a.names = append(a.names, x.atom())
	}
	if x.subject == "" {
		a.conditions = append(a.conditions, x.text)
		return
	}
	a.addLiterals(x.subject, x.literals...)
}

// choose adds choices of what is compared with literals.
func (a *atoms) addLiterals(name string, literals ...string) {
	choices := a.literals[name]
	for _, l := range literals {
		if !slices.Contains(choices, l) {
			choices = append(choices, l)
		}
	}
	a.literals[name] = choices
}

// settle completes the choices of conditions that are compared with literals, too: self.a and self.a == true.
func (a *atoms) completeLiterals() {
	for _, name := range a.conditions {
		if _, compared := a.literals[name]; compared {
			a.addLiterals(name, "true", "false")
		}
	}
}

// atom is what decides what x is.
func (x *normalForm) atom() string {
	if x.subject != "" {
		return x.subject
	}
	return x.text
}

func (a *atoms) shares(x *normalForm) bool {
	if x.op == "" {
		return slices.Contains(a.names, x.atom())
	}
	for i := range x.operands {
		if a.shares(&x.operands[i]) {
			return true
		}
	}
	return false
}

func (a *atoms) domainSize(name string) int {
	if c, compared := a.literals[name]; compared {
		return len(c) + 2 // another one, and an error
	}
	return 3
}

func (a *atoms) assignments() int {
	n := 1
	for _, name := range a.names {
		if n *= a.domainSize(name); n > maxAssignments {
			return n
		}
	}
	return n
}

func (a *atoms) everyAssignment(holds func() bool) bool {
	for n := range a.assignments() {
		for _, name := range a.names {
			a.assignment[name] = n % a.domainSize(name)
			n /= a.domainSize(name)
		}
		if !holds() {
			return false
		}
	}
	return true
}

func (a *atoms) eval(x *normalForm) int {
	switch x.op {
	case "&&":
		v := isTrue
		for i := range x.operands {
			v = min(v, a.eval(&x.operands[i]))
		}
		return v
	case "||":
		v := isFalse
		for i := range x.operands {
			v = max(v, a.eval(&x.operands[i]))
		}
		return v
	case "!":
		return isTrue - a.eval(&x.operands[0])
	case "?":
		switch a.eval(&x.operands[0]) {
		case isTrue:
			return a.eval(&x.operands[1])
		case isFalse:
			return a.eval(&x.operands[2])
		}
		return isError
	}
	switch x.text {
	case "true":
		return isTrue
	case "false":
		return isFalse
	}
	choices, compared := a.literals[x.atom()]
	at := a.assignment[x.atom()]
	switch {
	case !compared:
		return at
	case x.subject == "" && at < len(choices): // self.a, where it is compared with a literal elsewhere
		return literalTruth(choices[at])
	case x.subject == "" || at > len(choices):
		return isError
	case at < len(choices) && slices.Contains(x.literals, choices[at]):
		return isTrue
	}
	return isFalse
}

// truth is the value of a literal as a condition.
func literalTruth(literal string) int {
	switch literal {
	case "true":
		return isTrue
	case "false":
		return isFalse
	}
	return isError
}
