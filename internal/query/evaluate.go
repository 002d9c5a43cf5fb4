package query

import (
	"cmp"
	"errors"
	"maps"
	"slices"

	"github.com/crdkit/crdkit/internal/jsonval"
)

// First returns the first value that the path finds in v, and whether there is one. It does not modify v, and the value
// aliases it. A null is a value. The evaluation visits at most left values, and subtracts the number of those that it
// visits.
//
// Clauses: TAB-011, TAB-012.
func (p *Path) First(v any, left *int64) (value any, ok bool) {
	most := int(min(maxValues, *left))
	e := evaluation{budget: most}
	found, ok := e.all(p, v)
	*left -= int64(most - max(e.budget, 0))
	return found.one, ok && found.n > 0
}

// Only returns the first value that the path finds in v, which it aliases, and how many it finds. It reports false if
// the path cannot be evaluated, or there are too many values.
func (p *Path) Only(v any) (value any, found int, ok bool) {
	e := evaluation{budget: maxValues}
	all, ok := e.all(p, v)
	return all.one, all.n, ok
}

// Plain reports whether the path has only names and wildcards.
func (p *Path) Plain() bool {
	return len(p.elements) == 1 &&
		!slices.ContainsFunc(p.elements[0], func(s segment) bool { return s.kind != named && s.kind != wildcard })
}

// maxValues is the maximum number of values that an evaluation visits.
const maxValues = 1_000_000

// all returns the values of the first element. An error in any element fails the whole template.
func (e *evaluation) all(p *Path, v any) (found values, ok bool) {
	for i, c := range p.elements {
		if !e.spend(1) {
			return values{}, false
		}
		var root values
		root.add(v)
		out, err := e.chain(c, root)
		if err != nil {
			return values{}, false
		}
		if i == 0 {
			found = out
		}
	}
	return found, true
}

// The errors of an evaluation. They are not returned to callers, but determine which values count.
var (
	errWork     = errors.New("too many values")
	errCompare  = errors.New("operands cannot be compared: the items before them count")
	errNoResult = errors.New("a segment has no result for a value")
)

// values is a list that allocates nothing for its first value.
type values struct {
	one  any
	more []any // all of them, if there are several
	n    int
}

func (l *values) add(v any) {
	switch l.n {
	case 0:
		l.one = v
	case 1:
		l.more = append(l.more, l.one, v)
	default:
		l.more = append(l.more, v)
	}
	l.n++
}

func (l *values) at(i int) any {
	if l.n == 1 {
		return l.one
	}
	return l.more[i]
}

// An evaluation counts down the remaining work.
type evaluation struct{ budget int }

// spend counts n values, and reports whether the limit allows them.
func (e *evaluation) spend(n int) bool {
	e.budget -= n
	return e.budget >= 0
}

// chain evaluates one segment after another. With an error it returns the values at which the error occurred: existence
// tests use them.
func (e *evaluation) chain(c chain, in values) (values, error) {
	if in.n == 1 {
		c, in = c.down(in.one)
	}
	for i := range c {
		var err error
		if in, err = e.segment(&c[i], in); err != nil {
			return in, err
		}
	}
	return in, nil
}

// down evaluates the fields at the beginning of the chain without a list of values. It returns the rest of the chain.
func (c chain) down(v any) (rest chain, found values) {
	for i := range c {
		if c[i].kind != named {
			return c[i:], values{one: v, n: 1}
		}
		m, ok := v.(map[string]any)
		if ok {
			v, ok = m[c[i].name]
		}
		if !ok {
			return c[i+1:], values{}
		}
	}
	return nil, values{one: v, n: 1}
}

func (e *evaluation) segment(s *segment, in values) (values, error) {
	if !e.spend(1 + in.n) {
		return values{}, errWork
	}
	var out values
	switch s.kind {
	case named:
		for i := range in.n {
			if m, ok := in.at(i).(map[string]any); ok {
				if v, ok := m[s.name]; ok {
					out.add(v)
				}
			}
		}
	case wildcard:
		for i := range in.n {
			if !e.children(&out, in.at(i)) {
				return values{}, errWork
			}
		}
	case recursive:
		for i := range in.n {
			if !e.descend(&out, in.at(i), jsonval.MaxDepth) {
				return values{}, errWork
			}
		}
	case slicing:
		return e.slice(s.slice, in)
	case unions:
		for _, c := range s.union {
			found, err := e.chain(c, in)
			if err != nil {
				return in, err
			}
			for i := range found.n {
				out.add(found.at(i))
			}
		}
	case filtering:
		return e.filter(s.filter, in)
	case textSegment:
		out.add(s.literal)
	case literal:
		for range in.n {
			out.add(s.literal)
		}
	default:
		if s.name == "end" {
			return values{}, errNoResult
		}
		return in, errNoResult
	}
	return out, nil
}

// children adds the values that a wildcard selects in v. It reports whether the limit allows that.
func (e *evaluation) children(out *values, v any) bool {
	switch v := v.(type) {
	case map[string]any:
		if !e.spend(len(v)) {
			return false
		}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			out.add(v[k])
		}
	case []any:
		if !e.spend(len(v)) {
			return false
		}
		for _, item := range v {
			out.add(item)
		}
	case string:
		if !e.spend(len(v)) {
			return false
		}
		for i := range len(v) {
			out.add(PathByte(v[i]))
		}
	}
	return true
}

// descend adds v and its descendants, if it has any. It reports whether the limit allows that.
func (e *evaluation) descend(out *values, v any, depth int) bool {
	var in values
	if depth == 0 || !e.children(&in, v) {
		return false
	}
	if in.n > 0 {
		out.add(v)
	}
	for i := range in.n {
		if !e.descend(out, in.at(i), depth-1) {
			return false
		}
	}
	return true
}

// slice takes items from lists. It ends at the first empty slice, even if there are more lists.
func (e *evaluation) slice(s slice, in values) (values, error) {
	var out values
	for i := range in.n {
		v := in.at(i)
		if v == nil {
			continue
		}
		list, ok := v.([]any)
		if !ok {
			return in, errNoResult
		}
		from, to, err := s.within(int64(len(list)))
		if err != nil {
			return in, err
		}
		if from == to {
			return out, nil
		}
		step := int64(1)
		if s.step.known {
			if step = s.step.value; step <= 0 {
				return in, errNoResult
			}
		}
		if !e.spend(int((to-from-1)/step) + 1) {
			return values{}, errWork
		}
		for left := to - from; left > 0; left -= step { // counted down: from + step might overflow
			out.add(list[to-left])
		}
	}
	return out, nil
}

// within returns the ends of the slice in a list of that length. They are equal for an empty slice, whether or not it
// is in the list.
func (s slice) within(length int64) (from, to int64, err error) {
	if s.from.known {
		from = s.from.value
	}
	if from < 0 {
		from += length
	}
	if to = length; s.to.known {
		to = s.to.value
	}
	if to < 0 || to == 0 && s.derived {
		to += length
	}
	switch {
	case from == to:
	case from < 0, from >= length, to < 0, to > length, from > to:
		return 0, 0, errNoResult
	}
	return from, to, nil
}

func (e *evaluation) filter(f *filter, in values) (values, error) {
	var out values
	for i := range in.n {
		list, ok := in.at(i).([]any)
		if !ok {
			return in, errNoResult
		}
		if !e.spend(len(list)) {
			return in, errWork
		}
		for _, item := range list {
			pass, err := e.passes(f, item)
			switch err {
			case nil:
			case errCompare:
				return out, err
			default:
				return in, err
			}
			if pass {
				out.add(item)
			}
		}
	}
	return out, nil
}

// passes reports whether an item passes f. An existence test has no errors: at an error, the values before it count.
func (e *evaluation) passes(f *filter, item any) (bool, error) {
	var one values
	one.add(item)
	if f.operator == "" {
		found, err := e.chain(f.left, one)
		if err == errWork {
			return false, err
		}
		return found.n > 0, nil
	}
	left, ok, err := e.operand(f.left, one)
	if !ok {
		return false, err
	}
	right, ok, err := e.operand(f.right, one)
	if !ok {
		return false, err
	}
	return compare(left, f.operator, right)
}

// operand returns the one value of an operand, and whether there is one.
func (e *evaluation) operand(c chain, item values) (v any, ok bool, err error) {
	found, err := e.chain(c, item)
	switch {
	case err == errWork:
		return nil, false, err
	case err != nil, found.n > 1:
		return nil, false, errNoResult
	}
	return found.one, found.n == 1, nil
}

// operators maps each comparison operator to a function of the order of its operands.
var operators = map[string]func(order int) bool{
	"==": func(order int) bool { return order == 0 },
	"!=": func(order int) bool { return order != 0 },
	"<":  func(order int) bool { return order < 0 },
	"<=": func(order int) bool { return order <= 0 },
	">":  func(order int) bool { return order > 0 },
	">=": func(order int) bool { return order >= 0 },
}

// compare compares two scalars of one kind.
func compare(a any, operator string, b any) (bool, error) {
	holds, known := operators[operator]
	if !known {
		return false, errCompare
	}
	a, b = scalar(a), scalar(b)
	order, ok := 0, false
	switch x := a.(type) {
	case bool:
		_, ok = b.(bool)
		ok = ok && (operator == "==" || operator == "!=") // booleans have no order
		if a != b {
			order = 1
		}
	case int64:
		order, ok = ordered(x, b)
	case float64:
		order, ok = ordered(x, b)
		if y, _ := b.(float64); x != x || y != y {
			ok = ok && operator == "!=" // NaN, which JSON does not have, differs from all values
		}
	case string:
		order, ok = ordered(x, b)
	}
	if !ok {
		return false, errCompare
	}
	return holds(order), nil
}

// ordered compares x with b, and reports whether b has the same type.
func ordered[T cmp.Ordered](x T, b any) (order int, ok bool) {
	y, ok := b.(T)
	return cmp.Compare(x, y), ok
}

// scalar converts integers in a path, and numbers of other Go types, to the types that compare supports.
func scalar(v any) any {
	switch v := v.(type) {
	case nil, bool, int64, float64, string, map[string]any, []any:
		return v
	case PathInt:
		return int64(v)
	case PathByte:
		return int64(v)
	}
	v, err := jsonval.Normalize(nil, v)
	if err != nil {
		return nil
	}
	return v
}
