package eval

// Most expressions are known to be a bool, a string or an int before they run. A part of such a type is evaluated by a
// function that returns a Go value of that type, so that no value has to be built and unpacked. An error, or a dyn with
// data of another type, is possible but rare. Then the function returns false, and the value is in frame.other.

// A typed is an evaluator that returns a Go value. If it returns false, the value has another type and is in
// frame.other.
type typed[T any] func(*frame) (T, bool)

// A scalar is a type that is evaluated as a Go value.
type scalar[T bool | string | int64] struct {
	kind   kind
	form   form // of data
	unwrap func(v value) T
	wrap   func(f *frame, x T) value
	field  func(p *part) *typed[T] // of a part
	cost   func(l, r T) int64      // of a comparison (CRC-025)
}

var (
	bools = &scalar[bool]{
		kind: kindBool, form: formBool, unwrap: value.isTrue, wrap: asBool,
		field: func(p *part) *typed[bool] { return &p.cond }, cost: func(bool, bool) int64 { return 1 },
	}
	texts = &scalar[string]{
		kind: kindString, form: formText, unwrap: value.str, wrap: asText,
		field: func(p *part) *typed[string] { return &p.text }, cost: textsCost,
	}
	ints = &scalar[int64]{
		kind: kindInt, form: formInt, unwrap: value.int, wrap: asInt,
		field: func(p *part) *typed[int64] { return &p.num }, cost: func(int64, int64) int64 { return 1 },
	}
)

// part returns a part for an evaluator.
//
//go:noinline
func (t *scalar[T]) part(x typed[T]) *part {
	p := &part{run: func(f *frame) value {
		if v, ok := x(f); ok {
			return t.wrap(f, v)
		}
		return f.other
	}}
	*t.field(p) = x
	return p
}

// as returns an evaluator of p.
func (t *scalar[T]) as(p *part) typed[T] {
	switch x := *t.field(p); {
	case x != nil:
		return x
	case p.constant != nil && p.constant.kind == t.kind:
		c := t.unwrap(*p.constant)
		return func(*frame) (T, bool) { return c, true }
	case p.path != nil:
		return t.along(p.path, p.general, p.cost)
	}
	return t.from(p.run)
}

// from returns an evaluator for one of a value.
func (t *scalar[T]) from(run evaluator) typed[T] {
	return func(f *frame) (x T, ok bool) {
		v := run(f)
		if v.kind == t.kind {
			return t.unwrap(v), true
		}
		f.other = v
		return x, false
	}
}

// along returns an evaluator of a path. If it finds a value, that costs cost; otherwise general is evaluated.
func (t *scalar[T]) along(p *path, general evaluator, cost int64) typed[T] {
	otherwise, slot, hops := t.from(general), p.slot, p.hops
	switch {
	case len(hops) == 0:
		return func(f *frame) (T, bool) {
			if v := &f.slots[slot]; v.kind == t.kind {
				f.ones(cost)
				return t.unwrap(*v), true
			}
			return otherwise(f)
		}
	case p.form != t.form:
		return otherwise
	case len(hops) == 1 && hops[0].index < 0: // most paths
		name := hops[0].name
		return func(f *frame) (T, bool) {
			m, _ := f.slots[slot].ref.(map[string]any)
			if x, ok := m[name].(T); ok {
				f.ones(cost)
				return x, true
			}
			return otherwise(f)
		}
	}
	return func(f *frame) (T, bool) {
		if x, ok := p.data(f, hops).(T); ok {
			f.ones(cost)
			return x, true
		}
		return otherwise(f)
	}
}

// equal returns the part for a == b, or a != b.
func (t *scalar[T]) equal(a, b *part, not bool) *part {
	x, cost := t.as(a), t.cost
	general := b.run
	if c := b.constant; c != nil && c.kind == t.kind {
		r := t.unwrap(*c)
		return bools.part(func(f *frame) (bool, bool) {
			l, ok := x(f)
			if !ok {
				return f.comparedWith(f.other, general, not)
			}
			f.charge(cost(l, r))
			return (l == r) != not, true
		})
	}
	y := t.as(b)
	return bools.part(func(f *frame) (bool, bool) {
		l, ok := x(f)
		if !ok {
			return f.comparedWith(f.other, general, not)
		}
		r, ok := y(f)
		if !ok {
			right := f.other
			return f.compared(t.wrap(f, l), right, not)
		}
		f.charge(cost(l, r))
		return (l == r) != not, true
	})
}

// choice returns an evaluator of c ? a : b.
func (t *scalar[T]) choice(c typed[bool], a, b *part) typed[T] {
	x, y := t.as(a), t.as(b)
	return func(f *frame) (none T, ok bool) {
		yes, ok := c(f)
		switch {
		case !ok:
			f.notBool()
			return none, false
		case yes:
			return x(f)
		}
		return y(f)
	}
}

// bool returns v as the result of an evaluator of a bool.
func (f *frame) bool(v value) (b, ok bool) {
	if v.kind == kindBool {
		return v.bits != 0, true
	}
	f.other = v
	return false, false
}

// asLength returns an evaluator of size(p), without the cost of size itself.
func (p *part) asLength() typed[int64] {
	switch {
	case p.length != nil:
		return p.length
	case p.path != nil && len(p.path.hops) > 0:
		return p.path.length(lengthOf(p.general), p.cost)
	}
	return lengthOf(p.run)
}

func lengthOf(run evaluator) typed[int64] {
	return func(f *frame) (int64, bool) {
		v := run(f)
		if v.kind == kindString {
			f.visits(2 * len(v.str()))
		}
		n := sizeOf(v)
		if n.failed() {
			if !v.failed() && f.stops(n) {
				f.charge(1) // size fails, and not its operand
			}
			f.other = n
			return 0, false
		}
		return n.int(), true
	}
}

// sizeOf is size(v).
func sizeOf(v value) value {
	switch v.kind {
	case kindString, kindBytes, kindList, kindRawList, kindMap, kindRawMap:
		return integer(v.size(false))
	}
	return v.or(unsupported(v, "size"))
}
