package eval

import (
	"math"
	"math/bits"
	"time"

	"github.com/crdkit/crdkit/internal/cel/clock"
	"github.com/crdkit/crdkit/internal/cel/text"
	"github.com/google/cel-go/common/ast"
)

var (
	intOverflow  = failure("integer overflow")
	uintOverflow = failure("unsigned integer overflow")
)

// planArithmetic plans + - * / %. Each costs 1, except for sums of strings and of bytes (CRC-024).
func (p *planner) planArithmetic(e ast.Expr, apply func(f *frame, l, r value) value, args []ast.Expr) *part {
	x, y, sized := p.plan(args[0]).run, p.plan(args[1]).run, p.bySize(e)
	return &part{run: func(f *frame) value {
		l := x(f)
		r := y(f)
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
	if l.isList() {
		return f.concat(l, r)
	}
	if l.kind != r.kind {
		switch {
		case l.kind == kindTimestamp && r.kind == kindDuration:
			return timeOrError(clock.Add(l.ref.(time.Time), r.duration()))
		case l.kind == kindDuration && r.kind == kindTimestamp:
			return timeOrError(clock.Add(r.ref.(time.Time), l.duration()))
		case !l.adds():
			return unsupported(l, opAdd)
		}
		return r.or(noSuchOverload)
	}
	switch l.kind {
	case kindInt:
		sum := l.int() + r.int()
		if (sum > l.int()) != (r.int() > 0) {
			return intOverflow
		}
		return integer(sum)
	case kindUint:
		sum := l.bits + r.bits
		if sum < l.bits {
			return uintOverflow
		}
		return unsigned(sum)
	case kindDouble:
		return double(l.double() + r.double())
	case kindString:
		if len(l.str())+len(r.str()) > text.MaxSize {
			return failure(text.ErrTooLarge.Error())
		}
		f.makes(len(l.str()) + len(r.str()))
		return f.text(l.str() + r.str())
	case kindBytes:
		a, b := l.ref.([]byte), r.ref.([]byte)
		if len(a)+len(b) > text.MaxSize {
			return failure(text.ErrTooLarge.Error())
		}
		f.makes(len(a) + len(b))
		return bytes(append(a[:len(a):len(a)], b...))
	case kindDuration:
		return durationOrError(clock.Sum(l.duration(), r.duration()))
	case kindTimestamp:
		return noSuchOverload
	}
	return unsupported(l, opAdd)
}

func timeOrError(t time.Time, err error) value {
	if err != nil {
		return failureOf(err)
	}
	return timestamp(t)
}

func durationOrError(d time.Duration, err error) value {
	if err != nil {
		return failureOf(err)
	}
	return duration(d)
}

func (f *frame) subtract(l, r value) value {
	switch l.kind {
	case kindInt:
		if r.kind != kindInt {
			return r.or(noSuchOverload)
		}
		difference := l.int() - r.int()
		if (difference < l.int()) != (r.int() > 0) {
			return intOverflow
		}
		return integer(difference)
	case kindUint:
		if r.kind != kindUint {
			return r.or(noSuchOverload)
		}
		if r.bits > l.bits {
			return uintOverflow
		}
		return unsigned(l.bits - r.bits)
	case kindDouble:
		if r.kind != kindDouble {
			return r.or(noSuchOverload)
		}
		return double(l.double() - r.double())
	case kindDuration:
		if r.kind != kindDuration {
			return r.or(noSuchOverload)
		}
		return durationOrError(clock.Difference(l.duration(), r.duration()))
	case kindTimestamp:
		switch r.kind {
		case kindDuration:
			return timeOrError(clock.Subtract(l.ref.(time.Time), r.duration()))
		case kindTimestamp:
			return durationOrError(clock.Between(l.ref.(time.Time), r.ref.(time.Time)))
		}
		return r.or(noSuchOverload)
	}
	return unsupported(l, opSubtract)
}

func multiply(_ *frame, l, r value) value {
	switch l.kind {
	case kindInt:
		if r.kind != kindInt {
			return r.or(noSuchOverload)
		}
		product, ok := product64(l.int(), r.int())
		if !ok {
			return intOverflow
		}
		return integer(product)
	case kindUint:
		if r.kind != kindUint {
			return r.or(noSuchOverload)
		}
		high, low := bits.Mul64(l.bits, r.bits)
		if high != 0 {
			return uintOverflow
		}
		return unsigned(low)
	case kindDouble:
		if r.kind != kindDouble {
			return r.or(noSuchOverload)
		}
		return double(l.double() * r.double())
	}
	return unsupported(l, opMultiply)
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

func divide(_ *frame, l, r value) value {
	switch l.kind {
	case kindInt:
		switch {
		case r.kind != kindInt:
			return r.or(noSuchOverload)
		case r.bits == 0:
			return failure("division by zero")
		case l.int() == math.MinInt64 && r.int() == -1:
			return intOverflow
		}
		return integer(l.int() / r.int())
	case kindUint:
		switch {
		case r.kind != kindUint:
			return r.or(noSuchOverload)
		case r.bits == 0:
			return failure("division by zero")
		}
		return unsigned(l.bits / r.bits)
	case kindDouble:
		if r.kind != kindDouble {
			return r.or(noSuchOverload)
		}
		return double(l.double() / r.double())
	}
	return unsupported(l, opDivide)
}

func modulo(_ *frame, l, r value) value {
	switch l.kind {
	case kindInt:
		switch {
		case r.kind != kindInt:
			return r.or(noSuchOverload)
		case r.bits == 0:
			return failure("modulus by zero")
		case l.int() == math.MinInt64 && r.int() == -1:
			return intOverflow
		}
		return integer(l.int() % r.int())
	case kindUint:
		switch {
		case r.kind != kindUint:
			return r.or(noSuchOverload)
		case r.bits == 0:
			return failure("modulus by zero")
		}
		return unsigned(l.bits % r.bits)
	}
	return unsupported(l, opModulo)
}

func negate(v value) value {
	switch v.kind {
	case kindError:
		return v
	case kindInt:
		if v.int() == math.MinInt64 {
			return intOverflow
		}
		return integer(-v.int())
	case kindDouble:
		return double(-v.double())
	case kindDuration:
		return durationOrError(clock.Negate(v.duration()))
	case kindBool:
		return noSuchOverload
	}
	return unsupported(v, opNegate)
}
