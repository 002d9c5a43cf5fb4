package eval

import (
	"fmt"
	"math"
	"slices"
)

// This file has variables whose fields are expressions, such as variables.a in an admission policy.

// A Composed is a field of a composition: an expression, or why it has none.
type Composed struct {
	Program *Program
	Fault   string // the error of its compilation; without one, Program is not nil
}

// A Composition is the value of a variable whose fields are computed when an expression first selects them. Their
// expressions may refer to the same variable. It belongs to one machine and to one input.
type Composition struct {
	fields map[string]Composed
	values map[string]value // of the fields that have been computed, or are being computed
	depth  int
	cost   int64
}

// maxComposed is how deep computations of fields may be nested: each one takes up the stack of an expression.
const maxComposed = 100

// NewComposition returns a composition without values. It does not modify fields.
func NewComposition(fields map[string]Composed) *Composition {
	return &Composition{fields: fields, values: map[string]value{}}
}

// Variable returns c as the value of a variable.
func (c *Composition) Variable() Variable { return Variable{value{kind: kindComposition, ref: c}} }

// String returns the name of the type of c.
func (c *Composition) String() string { return typeNames[kindComposition] }

// TakeCost returns the cost of the fields that have been computed since the last call.
func (c *Composition) TakeCost() int64 {
	cost := c.cost
	c.cost = 0
	return cost
}

// field returns the value of a field, and whether there is such a field. The machine of f evaluates it.
func (c *Composition) field(f *frame, name string) (value, bool) {
	if v, known := c.values[name]; known {
		return v, true
	}
	of, ok := c.fields[name]
	if !ok {
		return value{}, false
	}
	if of.Program == nil {
		return c.set(name, failure(fmt.Sprintf("composited variable %q fails to compile: %s", name, of.Fault))), true
	}
	if c.depth == maxComposed {
		return failure(fmt.Sprintf("composited variable %q is nested too deeply", name)), true
	}
	c.set(name, failure(fmt.Sprintf("composited variable %q refers to itself", name)))
	c.depth++
	v, r := f.apart(of.Program)
	c.depth--
	if c.cost += r.Cost; c.cost < 0 {
		c.cost = math.MaxInt64
	}
	why := r.Text
	switch r.Outcome {
	default:
		return c.set(name, v), true
	case OverLimit:
		why = costLimitExceeded
	case Failed:
	}
	return c.set(name, failure(fmt.Sprintf("composited variable %q fails to evaluate: %s", name, why))), true
}

func (c *Composition) set(name string, v value) value {
	c.values[name] = v
	return v
}

// costLimitExceeded is the text of a server for a program that has exceeded its cost limit.
const costLimitExceeded = "operation cancelled: actual cost limit exceeded"

// apart runs a program with the variables of f in a machine of its own, so that its value stays valid. Its work and its
// memory count as those of f, its cost does not.
func (f *frame) apart(p *Program) (value, Result) {
	var m Machine
	m.Reset(f.ctx, f.limit, f.profile)
	inner := &m.frame
	inner.slots = slices.Clone(f.slots[:freeSlot+f.variables])
	inner.slots[selfSlot], inner.slots[oldSlot] = unboundOld, unboundOld
	inner.variables, inner.maxTurns, inner.work, inner.held = f.variables, f.maxTurns, f.work, f.made
	var v value
	r := m.keep(p, &v)
	f.work = inner.work
	f.held += inner.made - f.made
	f.made = inner.made
	f.unchecked += inner.unchecked
	return v, r
}

// keep runs p like [Machine.Eval], and sets v to its value, which is valid until the next run.
func (m *Machine) keep(p *Program, v *value) Result {
	return m.Eval(&Program{slots: p.slots, run: func(f *frame) value {
		*v = p.run(f)
		return *v
	}}, OldUnbound)
}
