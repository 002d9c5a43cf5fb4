package eval

// Most expressions are known to be a bool, a string or an int before they run. A part of such a type is evaluated by a
// function that returns a Go value of that type, so that no value has to be built and unpacked. An error, or a dyn with
// data of another type, is still possible, but rare: then the function returns triNone or false, and the value is in
// frame.other.

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

// A textFunc is an evaluator of a string. If it returns false, the value is not a string and is in frame.other.
type textFunc func(*frame) (string, bool)

// An intFunc is an evaluator of an int. If it returns false, the value is not an int and is in frame.other.
type intFunc func(*frame) (int64, bool)

// asCondition returns p as a condition.
func (p *part) asCondition() condition {
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

// asTextFunc returns p as a textFunc.
func (p *part) asTextFunc() textFunc {
	switch {
	case p.text != nil:
		return p.text
	case p.path != nil:
		return p.path.textFunc(p.general, p.cost)
	}
	return textFuncOf(p.run)
}

func textFuncOf(run evaluator) textFunc {
	return func(f *frame) (string, bool) {
		v := run(f)
		if v.kind == kindString {
			return v.str(), true
		}
		f.other = v
		return "", false
	}
}

// asIntFunc returns p as an intFunc.
func (p *part) asIntFunc() intFunc {
	switch {
	case p.num != nil:
		return p.num
	case p.path != nil:
		return p.path.intFunc(p.general, p.cost)
	}
	return intFuncOf(p.run)
}

func intFuncOf(run evaluator) intFunc {
	return func(f *frame) (int64, bool) {
		v := run(f)
		if v.kind == kindInt {
			return v.int(), true
		}
		f.other = v
		return 0, false
	}
}

// asLength returns the evaluator of size(p), without the cost of size itself.
func (p *part) asLength() intFunc {
	switch {
	case p.length != nil:
		return p.length
	case p.path != nil:
		return p.path.length(p.general, p.cost)
	}
	return lengthOf(p.run)
}

func lengthOf(run evaluator) intFunc {
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

// conditionPart, textPart and numberPart return a part for an evaluator of one type.

//go:noinline
func conditionPart(c condition) *part {
	return &part{cond: c, run: func(f *frame) value {
		switch c(f) {
		case triFalse:
			return no
		case triTrue:
			return yes
		}
		return f.other
	}}
}

//go:noinline
func textPart(t textFunc) *part {
	return &part{text: t, run: func(f *frame) value {
		if s, ok := t(f); ok {
			return f.text(s)
		}
		return f.other
	}}
}

//go:noinline
func numberPart(c intFunc) *part {
	return &part{num: c, run: func(f *frame) value {
		if i, ok := c(f); ok {
			return integer(i)
		}
		return f.other
	}}
}

// asTriState returns v as the result of a condition.
func (f *frame) asTriState(v value) triState {
	if v.kind == kindBool {
		return triState(v.bits)
	}
	f.other = v
	return triNone
}
