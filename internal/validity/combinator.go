package validity

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/origin"
	"github.com/crdkit/crdkit/internal/plan"
)

// combinators reports on anyOf, oneOf, allOf and not, in this order (VAL-060). Failed branches are walked again, as
// branches of the same value, to get their errors.
func (r *reporter) combinators(c *plan.Combinators, v any, at *plan.Frame, depth int) {
	branchOK := func(n *plan.Node) bool { return branchOK(n, v, &r.budget.Work) }
	in := plan.Frame{Parent: at, Step: plan.StepBranch}
	outer := r.branch
	var place *origin.Place // of the node with the combinators, once it is needed
	// enter makes a branch the current one. Afterwards the current one is outer again.
	enter := func(keyword string, i int) {
		if r.errs.Full() {
			return // no more paths are needed
		}
		if place == nil {
			place = &origin.Place{Branch: outer, Steps: at.Schema(r.schema)}
		}
		r.branch = &origin.Branch{Of: *place, Keyword: keyword, Index: i}
	}
	// anyOf: VAL-061.
	if len(c.AnyOf) > 0 && !slices.ContainsFunc(c.AnyOf, branchOK) && !r.exhausted() {
		r.combinatorError(at, origin.AnyOf, " must validate at least one schema (anyOf)")
		i := r.best(c.AnyOf, v)
		enter(origin.AnyOf, i)
		r.value(c.AnyOf[i], v, nil, &in, depth+1)
		r.branch = outer
	}
	// oneOf: VAL-062.
	if len(c.OneOf) > 0 {
		switch valid := countValid(c.OneOf, branchOK); {
		case r.exhausted():
		case valid == 0:
			r.combinatorError(at, origin.OneOf, " must validate one and only one schema (oneOf). Found none valid")
			i := r.best(c.OneOf, v)
			enter(origin.OneOf, i)
			r.value(c.OneOf[i], v, nil, &in, depth+1)
			r.branch = outer
		case valid > 1:
			r.combinatorError(at, origin.OneOf, fmt.Sprintf(" must validate one and only one schema (oneOf). Found %d valid alternatives", valid))
		}
	}
	// allOf: VAL-063.
	if valid := countValid(c.AllOf, branchOK); valid < len(c.AllOf) && !r.exhausted() {
		for i, n := range c.AllOf {
			enter(origin.AllOf, i)
			r.child(n, v, nil, &in, depth)
		}
		r.branch = outer
		none := ""
		if valid == 0 {
			none = ". None validated"
		}
		r.combinatorError(at, origin.AllOf, " must validate all the schemas (allOf)"+none)
	}
	// not: VAL-064.
	if c.Not != nil && branchOK(c.Not) {
		r.combinatorError(at, origin.Not, " must not validate the schema (not)")
	}
}

// combinatorError adds the error of a combinator: the quoted name of the value, followed by must.
func (r *reporter) combinatorError(at *plan.Frame, keyword, must string) {
	if !r.full(field.ErrorTypeInvalid) {
		r.atRoot(at, keyword, strconv.Quote(at.Name())+must)
	}
}

// best returns the index of the branch that matched most, the first of those with the highest count (VAL-065). None of
// them is valid.
func (r *reporter) best(branches []*plan.Node, v any) (found int) {
	most := -1
	for i, n := range branches {
		if count, _ := r.tally(n, v); count > most {
			found, most = i, count
		}
	}
	return found
}

// tallyWork is the cost of the tally of a value, in steps.
const tallyWork = 4

// tally counts what a server counts as matched while it validates v: mostly checks that were made, whether or not they
// passed. Counts are only comparable between two branches for the same value (VAL-065). It also reports whether v is
// valid, in the same walk: checking that separately at each branch would take exponential time for deeply nested
// branches.
func (r *reporter) tally(n *plan.Node, v any) (count int, valid bool) {
	if r.budget.Work -= tallyWork; r.budget.Work <= 0 {
		return 0, false
	}
	kind := n.KindOf(v)
	if kind == 0 {
		if known, err := jsonval.Normalize(nil, v); err == nil {
			v, kind = known, n.KindOf(known)
		}
	}
	passed := n.Accept&kind != 0
	valid = passed && alone(n, v, &r.budget.Work)
	if kind == plan.KindNull {
		if passed {
			return 1, valid
		}
		return 0, false
	}
	if n.TypeText() != "" || n.Format != "" {
		count++
		if passed {
			count++
		}
	}
	add := func(c int, ok bool) {
		count += c
		valid = valid && ok
	}
	switch x := v.(type) {
	case bool:
		count += 4
	case string:
		count += 5
		if n.String != nil && n.String.Format != nil {
			count++
		}
	case []any:
		count += 6
		if n.Items != nil {
			for _, item := range x {
				add(r.tally(n.Items, item))
			}
		}
	case map[string]any:
		count += 5
		for k, field := range x {
			if c, _ := n.Child(k); c != nil {
				add(r.tally(c, field))
			}
		}
	default: // numbers
		count += 6
	}
	if c := n.Combine; c != nil {
		add(r.tallyAnyOf(c.AnyOf, v))
		add(r.tallyOneOf(c.OneOf, v))
		for _, b := range c.AllOf {
			add(r.tally(b, v))
		}
		add(0, c.Not == nil || !branchOK(c.Not, v, &r.budget.Work))
	}
	return count, valid
}

// tallyAnyOf returns the count of the first valid branch, or the highest count if none is valid.
func (r *reporter) tallyAnyOf(branches []*plan.Node, v any) (most int, valid bool) {
	for _, n := range branches {
		count, ok := r.tally(n, v)
		if ok {
			return count, true
		}
		most = max(most, count)
	}
	return most, len(branches) == 0
}

// tallyOneOf returns the count of the valid branch, the highest count if none is valid, or 0 if several are.
func (r *reporter) tallyOneOf(branches []*plan.Node, v any) (most int, valid bool) {
	for _, n := range branches {
		switch count, ok := r.tally(n, v); {
		case ok && valid:
			return 0, false
		case ok:
			most, valid = count, true
		case !valid:
			most = max(most, count)
		}
	}
	return most, valid || len(branches) == 0
}
