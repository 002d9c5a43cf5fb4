package eval

// Most expressions are known to be a bool, a string or an int before they run. A part of such a type is run by a function that
// returns a Go value of that type, so that no value has to be made and looked at. An error, or data of another type behind a dyn, is
// still possible, but rare: then the function returns triNone or false, and the value is in frame.other.

// A triState is the result of a condition.
type triState uint8

const (
	triFalse triState = iota
	triTrue
	triNone // not a bool: frame.other is the value
)

// triStateOf returns b as a triState.
func triStateOf(b bool) triState {
	if b {
		return triTrue
	}
	return triFalse
}

// A condition is an evaluator of a bool.
type condition func(*frame) triState

// A texter is an evaluator of a string. If it returns false, frame.other is the value, which is none.
type texter func(*frame) (string, bool)

// A counter is an evaluator of an int. If it returns false, frame.other is the value, which is none.
type counter func(*frame) (int64, bool)

// asCondition returns p as a condition.
func (p part) asCondition() condition {
	switch {
	case p.cond != nil:
		return p.cond
	case p.path != nil:
		return p.path.condition(p.general, p.cost)
	}
	return conditionOf(p.run)
}

func conditionOf(run evaluator) condition {
	return func(f *frame) triState {
		v := run(f)
		if v.kind == kindBool {
			return triState(v.bits)
		}
		f.other = v
		return triNone
	}
}

// asTexter returns p as a texter.
func (p part) asTexter() texter {
	switch {
	case p.text != nil:
		return p.text
	case p.path != nil:
		return p.path.texter(p.general, p.cost)
	}
	return texterOf(p.run)
}

func texterOf(run evaluator) texter {
	return func(f *frame) (string, bool) {
		v := run(f)
		if v.kind == kindString {
			return v.str(), true
		}
		f.other = v
		return "", false
	}
}

// asCounter returns p as a counter.
func (p part) asCounter() counter {
	switch {
	case p.num != nil:
		return p.num
	case p.path != nil:
		return p.path.counter(p.general, p.cost)
	}
	return counterOf(p.run)
}

func counterOf(run evaluator) counter {
	return func(f *frame) (int64, bool) {
		v := run(f)
		if v.kind == kindInt {
			return v.int(), true
		}
		f.other = v
		return 0, false
	}
}

// asLength returns the evaluator of size(p), without the cost of size.
func (p part) asLength() counter {
	switch {
	case p.length != nil:
		return p.length
	case p.path != nil:
		return p.path.length(p.general, p.cost)
	}
	return lengthOf(p.run)
}

func lengthOf(run evaluator) counter {
	return func(f *frame) (int64, bool) {
		v := run(f)
		if v.kind == kindString {
			f.visits(2 * len(v.str()))
		}
		n := sizeOf(v)
		if n.failed() {
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

// conditionPart, textPart and numberPart make a part of an evaluator of one type.

func conditionPart(c condition) part {
	return part{cond: c, run: func(f *frame) value {
		switch c(f) {
		case triFalse:
			return no
		case triTrue:
			return yes
		}
		return f.other
	}}
}

func textPart(t texter) part {
	return part{text: t, run: func(f *frame) value {
		if s, ok := t(f); ok {
			return f.text(s)
		}
		return f.other
	}}
}

func numberPart(c counter) part {
	return part{num: c, run: func(f *frame) value {
		if i, ok := c(f); ok {
			return integer(i)
		}
		return f.other
	}}
}

// give returns v as the result of a condition.
func (f *frame) give(v value) triState {
	if v.kind == kindBool {
		return triState(v.bits)
	}
	f.other = v
	return triNone
}
