package eval

import (
	"math"
	"math/bits"
	"time"

	"github.com/crdkit/crdkit/internal/cel/ast"
	"github.com/crdkit/crdkit/internal/cel/lib/clock"
	"github.com/crdkit/crdkit/internal/cel/lib/text"
)

var (
	intOverflow  = failure("integer overflow")
	uintOverflow = failure("unsigned integer overflow")
)

// planArithmetic plans + - * / %. Each costs 1, except for sums of strings and of bytes (CRC-024).
func (p *planner) planArithmetic(e *ast.Expr, apply func(f *frame, l, r value) value, args []*ast.Expr) *part {
	x, y, sized := p.plan(args[0]).run, p.plan(args[1]).run, p.bySize(e)
	return &part{run: func(f *frame) value {
		l := x(f)
		if f.stops(l) {
			return l
		}
		r := y(f)
		if f.stops(r) {
			return r
		}
		if sized {
			f.charge(c1(l.size(true) + r.size(true)))
		} else {
			f.charge(1)
		}
		if l.failed() {
			return l
		}
		if r.failed() {
			return r
		}
		return apply(f, l, r)
	}}
}

// unsupported is the error of an operator that its left operand does not support. Strings and times have texts of their
// own.
func unsupported(l value, name string) value {
	switch l.kind {
	case kindString, kindDuration, kindTimestamp:
		return noSuchOverload
	}
	return failure("no such overload: " + name)
}

// adds reports whether values of this kind support +.
func (v value) adds() bool {
	switch v.kind {
	case kindInt, kindUint, kindDouble, kindString, kindBytes, kindTimestamp, kindDuration, kindList, kindRawList:
		return true
	}
	return false
}

func (f *frame) add(l, r value) value {
	switch {
	case l.isList():
		return f.concat(l, r)
	case l.kind == kindTimestamp && r.kind == kindDuration:
		return timeOrError(clock.Add(l.ref.(time.Time), r.duration()))
	case l.kind == kindDuration && r.kind == kindTimestamp:
		return timeOrError(clock.Add(r.ref.(time.Time), l.duration()))
	case l.kind == kindBytes && r.kind != kindBytes:
		return noSuchOverload
	case l.kind != r.kind:
	case l.kind == kindDuration:
		return asDurations(addition.ints(l.int(), r.int()))
	case l.kind == kindString || l.kind == kindBytes:
		n := l.length() + r.length()
		if n > text.MaxSize {
			return failure(text.ErrTooLarge.Error())
		}
		f.makes(n)
		if l.kind == kindString {
			return f.text(l.str() + r.str())
		}
		a := l.ref.([]byte)
		return bytes(append(a[:len(a):len(a)], r.ref.([]byte)...))
	}
	return addition.apply(f, l, r)
}

func timeOrError(t time.Time, err error) value {
	if err != nil {
		return failureOf(err)
	}
	return timestamp(t)
}

// asDurations returns the result of an operation on the nanoseconds of two durations.
func asDurations(v value) value {
	if v.kind == kindInt {
		v.kind = kindDuration
	}
	return v
}

func subtract(f *frame, l, r value) value {
	switch {
	case l.kind == kindDuration && r.kind == kindDuration:
		return asDurations(subtraction.ints(l.int(), r.int()))
	case l.kind == kindTimestamp && r.kind == kindDuration:
		return timeOrError(clock.Subtract(l.ref.(time.Time), r.duration()))
	case l.kind == kindTimestamp && r.kind == kindTimestamp:
		d, err := clock.Between(l.ref.(time.Time), r.ref.(time.Time))
		return result(f, d, err, asDuration)
	}
	return subtraction.apply(f, l, r)
}

// An operation is an operator on numbers of one type.
type operation struct {
	name    string
	ints    func(a, b int64) value
	uints   func(a, b uint64) value
	doubles func(a, b float64) float64 // nil: not supported
}

// apply returns the result for operands that are not errors.
func (o *operation) apply(_ *frame, l, r value) value {
	switch {
	case l.kind != kindInt && l.kind != kindUint && (l.kind != kindDouble || o.doubles == nil):
		return unsupported(l, o.name)
	case r.kind != l.kind:
		return noSuchOverload
	case l.kind == kindInt:
		return o.ints(l.int(), r.int())
	case l.kind == kindUint:
		return o.uints(l.bits, r.bits)
	}
	return double(o.doubles(l.double(), r.double()))
}

var addition = operation{
	name: opAdd,
	ints: func(a, b int64) value {
		if (a+b > a) != (b > 0) {
			return intOverflow
		}
		return integer(a + b)
	},
	uints: func(a, b uint64) value {
		if a+b < a {
			return uintOverflow
		}
		return unsigned(a + b)
	},
	doubles: func(a, b float64) float64 { return a + b },
}

var subtraction = operation{
	name: opSubtract,
	ints: func(a, b int64) value {
		if (a-b < a) != (b > 0) {
			return intOverflow
		}
		return integer(a - b)
	},
	uints: func(a, b uint64) value {
		if b > a {
			return uintOverflow
		}
		return unsigned(a - b)
	},
	doubles: func(a, b float64) float64 { return a - b },
}

var multiplication = operation{
	name: opMultiply,
	ints: func(a, b int64) value {
		if n, ok := product64(a, b); ok {
			return integer(n)
		}
		return intOverflow
	},
	uints: func(a, b uint64) value {
		high, low := bits.Mul64(a, b)
		if high != 0 {
			return uintOverflow
		}
		return unsigned(low)
	},
	doubles: func(a, b float64) float64 { return a * b },
}

var division = operation{
	name: opDivide,
	ints: func(a, b int64) value {
		switch {
		case b == 0:
			return failure("division by zero")
		case a == math.MinInt64 && b == -1:
			return intOverflow
		}
		return integer(a / b)
	},
	uints: func(a, b uint64) value {
		if b == 0 {
			return failure("division by zero")
		}
		return unsigned(a / b)
	},
	doubles: func(a, b float64) float64 { return a / b },
}

var modulus = operation{
	name: opModulo,
	ints: func(a, b int64) value {
		switch {
		case b == 0:
			return failure("modulus by zero")
		case a == math.MinInt64 && b == -1:
			return intOverflow
		}
		return integer(a % b)
	},
	uints: func(a, b uint64) value {
		if b == 0 {
			return failure("modulus by zero")
		}
		return unsigned(a % b)
	},
}

func product64(a, b int64) (int64, bool) {
	if a == 0 || b == 0 {
		return 0, true
	}
	product := a * b
	if product/b != a || a == -1 && b == math.MinInt64 || b == -1 && a == math.MinInt64 {
		return 0, false
	}
	return product, true
}

func negate(v value) value {
	switch v.kind {
	case kindError:
		return v
	case kindInt, kindDuration:
		if v.int() == math.MinInt64 {
			return intOverflow
		}
		v.bits = -v.bits
		return v
	case kindDouble:
		return double(-v.double())
	case kindBool:
		return noSuchOverload
	}
	return unsupported(v, opNegate)
}
