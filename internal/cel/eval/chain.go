package eval

import (
	"errors"

	"github.com/crdkit/crdkit/internal/plan"
)

// A chain is a base followed by selections and indexes, its qualifiers. Each costs 1 when it is evaluated, and the
// chain costs 1 more at its end, unless it is an index or a branch of a conditional (CRC-010 to CRC-015).

// A base is the beginning of a chain. It costs nothing.
type base struct {
	from evaluator
	slot int        // of a variable that may be read directly from the frame; otherwise -1
	node *plan.Node // describes the data of the variable if that is known; an error has none
}

// The slots of self and oldSelf. Those of loop variables follow.
const (
	selfSlot = iota
	oldSlot
	freeSlot
)

func (p *planner) slotBase(slot int, n *plan.Node) base {
	b := base{slot: slot, node: n, from: func(f *frame) value { return f.slots[slot] }}
	if p.general {
		b.slot = -1
	}
	return b
}

// A qualifier selects a field or an item of a value.
type qualifier struct {
	key      value     // the constant key; for a field, its name as written
	raw      string    // for a field: the name of the property
	isField  bool      // key is a string
	noName   bool      // no property can have this name
	index    evaluator // for a computed key
	optional bool      // .?f, [?i]
	test     bool      // for has: only whether the value is present
}

func fieldQualifier(name string, optional, test bool) qualifier {
	raw, ok := unescape(name)
	return qualifier{key: textValue(name), raw: raw, isField: true, noName: !ok, optional: optional, test: test}
}

// An outcome is the result of a qualifier.
type outcome uint8

const (
	found  outcome = iota
	absent         // there is no value; the result is an error that says so
	failed         // the result is an error
)

// take evaluates the qualifier on v. If mayBeAbsent is set, an absent value is not an error, so no error text is built.
func (s *qualifier) take(f *frame, v value, mayBeAbsent bool) (value, outcome) {
	if s.isField {
		switch v.kind {
		case kindRawMap:
			var x value
			var ok bool
			switch {
			case !isObject(v.node):
				x, ok = f.findEntry(v, s.key.str())
			case !s.noName:
				x, ok = f.findProperty(v, s.raw)
			}
			if ok {
				return x, x.outcome()
			}
			return s.missing(s.key, mayBeAbsent), absent
		case kindError:
			v.unmark()
			return v, failed
		}
	}
	key := s.key
	if s.index != nil {
		if key = s.index(f); key.failed() && key.bits != dataError {
			return key, failed
		}
		if err := indexFault(key); err != nil {
			return failureOf(err), failed
		}
	}
	switch v.kind {
	case kindError:
		v.unmark()
		return v, failed
	case kindRawMap, kindMap:
		if x, ok := f.find(v, key); ok {
			return x, x.outcome()
		}
	case kindComposition:
		if x, ok := v.ref.(*Composition).field(f, key.str()); ok {
			return x, x.outcome()
		}
	case kindRawList, kindList:
		i, ok, fault := listIndex(v, key)
		switch {
		case fault.kind == kindError && fault.ref != nil:
			return fault, failed
		case !ok && mayBeAbsent:
			return value{}, absent
		case !ok:
			return failure("index out of bounds: " + plainText(key)), absent
		case v.kind == kindRawList && key.kind != kindInt:
			return failure("unsupported index: " + plainText(key)), found // CVA-038
		}
		x := f.listAt(v, i)
		if x.failed() { // the next qualifier fails because of it, not this one (CVA-046)
			x.bits = dataError
		}
		return x, found
	}
	return s.missing(key, mayBeAbsent), absent
}

// dataError marks an error that is an item of a list. It is the result of a chain that has not failed.
const dataError = 1

// unmark removes the mark dataError from v, if it is an error.
func (v *value) unmark() {
	if v.failed() {
		v.bits = 0
	}
}

// indexFault returns why a value cannot be an index, or nil.
func indexFault(key value) error {
	switch key.kind {
	case kindString, kindInt, kindUint, kindDouble, kindBool:
		return nil
	}
	return errors.New("invalid qualifier type: " + goTypeName(key))
}

func (v *value) outcome() outcome {
	if v.failed() {
		return failed
	}
	return found
}

func (s *qualifier) missing(key value, mayBeAbsent bool) value {
	if mayBeAbsent {
		return value{}
	}
	if key.kind == kindString {
		return failureOf(keyError(key.str()))
	}
	return failure("no such key: " + plainText(key))
}

// A keyError says that a map does not have the key.
type keyError string

func (key keyError) Error() string { return "no such key: " + string(key) }

// variableChain plans a chain that begins with a variable.
func variableChain(from base, qualifiers []qualifier) *part {
	run, uncharged := chain(from.from, qualifiers, 1), chain(from.from, qualifiers, 0)
	r, inner := &part{run: run, general: run}, &part{run: uncharged, general: uncharged}
	if from.slot >= 0 {
		if p := newPath(from.slot, from.node, qualifiers); p != nil {
			r, inner = p.part(run, 1), p.part(uncharged, 0)
		}
	}
	r.uncharged = inner
	return r
}

// chainOn plans a chain that begins with another expression. After a conditional, the chain has no cost of its own
// (CRC-015). Without qualifiers, the chain is that expression.
func (p *planner) chainOn(on *part, qualifiers []qualifier) *part {
	if len(qualifiers) == 0 {
		return on
	}
	own, from := int64(1), on.branch()
	if on.uncharged != nil {
		own = 0
	}
	return &part{run: chain(from, qualifiers, own), uncharged: &part{run: chain(from, qualifiers, 0)}}
}

// chain evaluates the base, then the qualifiers.
func chain(from evaluator, qualifiers []qualifier, own int64) evaluator {
	if len(qualifiers) == 0 { // a variable, most of the time
		return func(f *frame) value {
			v := from(f)
			f.charge(own)
			v.unmark()
			return v
		}
	}
	return func(f *frame) value { return chainFrom(f, from(f), qualifiers, own) }
}

func chainFrom(f *frame, v value, qualifiers []qualifier, own int64) value {
	optional := false
	switch {
	case v.kind == kindError:
		if v.bits == dataError && len(qualifiers) > 0 && !qualifiers[0].optional {
			f.charge(1) // This qualifier has failed, not the one before it.
		}
		f.charge(own)
		v.unmark()
		return v
	case v.kind == kindOptional && len(qualifiers) > 0:
		p := v.inner()
		if p == nil {
			f.charge(own)
			return none
		}
		optional, v = true, *p
	}
	for i := range qualifiers {
		s := &qualifiers[i]
		optional = optional || s.optional
		x, how := s.take(f, v, optional || s.test)
		if !optional || how == found {
			f.charge(1)
		}
		switch {
		case how == failed, how == absent && !optional && !s.test:
			f.charge(own)
			return x
		case how == absent && optional:
			f.charge(own)
			return none
		case s.test:
			x = boolean(how == found)
		}
		v = x
	}
	f.charge(own)
	if optional {
		return some(v)
	}
	return v
}

// presence returns has(e.f) for the chain e.f, whose last qualifier is a test. It costs 1 less than the chain
// (CRC-013). As a branch of a conditional, a chain with an optional qualifier results in an optional (CRC-016).
func presence(c *part, conditional bool) *part {
	inner := c.uncharged.run
	if c.path != nil {
		inner = c.uncharged.general
	}
	run := func(f *frame) value {
		v := inner(f)
		if conditional {
			if f.cost--; f.cost < 0 {
				f.over()
			}
		}
		if v.kind == kindOptional {
			return boolean(v.inner() != nil)
		}
		return v
	}
	if c.path == nil {
		return &part{run: run, uncharged: &part{run: inner}}
	}
	r, uncharged := bools.part(c.path.presence(run)), bools.part(c.path.presence(inner))
	r.uncharged = uncharged
	return r
}
