package compat

import (
	"cmp"
	"slices"
)

// A truth is the value of a condition. An error is ordered between false and true, because && and || ignore it if the
// other operand decides.
type truth int

const (
	isFalse truth = iota
	isError
	isTrue
)

// maxAssignments bounds how many assignments are tried for one proof.
const maxAssignments = 20_000

// entails reports whether want is true wherever all of have are, by a truth table: it tries all assignments of values
// to the atoms of the expressions. It looks only at those of have that share an atom with want.
func entails(have []normalForm, want normalForm, p *proofState) bool {
	atoms := atoms{literals: map[string][]string{}, assignment: map[string]int{}}
	atoms.add(&want)
	var premises []normalForm
	for i := range have {
		if atoms.occurIn(&have[i]) {
			premises = append(premises, have[i])
		}
	}
	if len(premises) == 0 {
		return false
	}
	for i := range premises {
		atoms.add(&premises[i])
	}
	atoms.addBooleans()
	n := atoms.assignments()
	return n <= maxAssignments && p.spend(n*(1+len(premises))*len(atoms.names)) && atoms.all(func() bool {
		for i := range premises {
			if atoms.eval(&premises[i]) != isTrue {
				return true
			}
		}
		return atoms.eval(&want) == isTrue
	})
}

// atoms are the conditions in expressions, with an assignment of values to them. An atom that is compared with literals
// has one value for each of them, one that stands for all other values, and one for an error. The values of other atoms
// are truths.
type atoms struct {
	names      []string
	literals   map[string][]string // of atoms that are compared with literals
	conditions []string            // names of atoms that are conditions
	assignment map[string]int      // an index of literals, that of the two further values, or a truth
}

// add adds the atoms of x.
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

// addLiterals adds literals with which an atom is compared.
func (a *atoms) addLiterals(name string, literals ...string) {
	all := a.literals[name]
	for _, l := range literals {
		if !slices.Contains(all, l) {
			all = append(all, l)
		}
	}
	a.literals[name] = all
}

// addBooleans adds true and false to the literals of atoms that are conditions, too, such as self.a in self.a || self.a
// == false.
func (a *atoms) addBooleans() {
	for _, name := range a.conditions {
		if _, compared := a.literals[name]; compared {
			a.addLiterals(name, "true", "false")
		}
	}
}

// atom returns the name of the atom that decides x, which has no operator.
func (x *normalForm) atom() string { return cmp.Or(x.subject, x.text) }

// occurIn reports whether one of the atoms occurs in x.
func (a *atoms) occurIn(x *normalForm) bool {
	if x.op == "" {
		return slices.Contains(a.names, x.atom())
	}
	return slices.ContainsFunc(x.operands, func(o normalForm) bool { return a.occurIn(&o) })
}

// values returns how many values an atom has.
func (a *atoms) values(name string) int {
	if literals, compared := a.literals[name]; compared {
		return len(literals) + 2
	}
	return int(isTrue) + 1
}

// assignments returns how many assignments there are, or a number above maxAssignments.
func (a *atoms) assignments() int {
	n := 1
	for _, name := range a.names {
		if n *= a.values(name); n > maxAssignments {
			return n
		}
	}
	return n
}

// all reports whether a condition holds for all assignments.
func (a *atoms) all(holds func() bool) bool {
	for n := range a.assignments() {
		for _, name := range a.names {
			a.assignment[name] = n % a.values(name)
			n /= a.values(name)
		}
		if !holds() {
			return false
		}
	}
	return true
}

// eval returns the value of x with the current assignment.
func (a *atoms) eval(x *normalForm) truth {
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
	if v := literalTruth(x.text); v != isError {
		return v
	}
	value := a.assignment[x.atom()]
	literals, compared := a.literals[x.atom()]
	switch {
	case !compared:
		return truth(value)
	case x.subject == "" && value < len(literals):
		return literalTruth(literals[value])
	case x.subject == "" || value > len(literals):
		return isError
	case value < len(literals) && slices.Contains(x.literals, literals[value]):
		return isTrue
	}
	return isFalse
}

// literalTruth returns the value of a literal as a condition.
func literalTruth(literal string) truth {
	switch literal {
	case "true":
		return isTrue
	case "false":
		return isFalse
	}
	return isError
}
