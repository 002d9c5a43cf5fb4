package eval

import (
	"time"

	"github.com/crdkit/crdkit/cel/internal/clock"
	"github.com/crdkit/crdkit/cel/internal/convert"
	"github.com/crdkit/crdkit/cel/internal/price"
	"github.com/crdkit/crdkit/internal/since"
	"github.com/google/cel-go/common/types"
)

// conversions are the functions that are named after types (CEN-021, CLI-071, CLI-072).
func conversions() []Function {
	same := fn("dyn", global("to_dyn", dynType, typeA).does(identity))
	same.Overloads[0].SameResult = true
	all := []Function{
		fn("type", global("type", types.NewTypeTypeWithParam(typeA), typeA).does(func(_ *frame, a []value) value {
			if a[0].kind == kindOpaque {
				return failure("type conversion to 'type' not supported for values preserved by x-kubernetes-preserve-unknown-fields")
			}
			return value{kind: kindType, ref: &typeNames[a[0].kind]}
		})).is(unguarded),
		fn("bool",
			global("bool_to_bool", boolType, boolType).does(identity),
			global("string_to_bool", boolType, stringType).does(func(_ *frame, a []value) value {
				b, err := convert.TextToBool(a[0].str())
				return result(boolean, b, err)
			})),
		fn("bytes",
			global("bytes_to_bytes", bytesType, bytesType).does(identity),
			global("string_to_bytes", bytesType, stringType).does(func(_ *frame, a []value) value { return bytes([]byte(a[0].str())) }).
				costs(tariff{charge: scan, static: func(c *price.Call) price.Estimate {
					s := c.Args[0].SizeOr()
					return price.Giving(price.Span{Lo: s.Lo, Hi: s.Hi * 4}, s.Cost(price.PerByte))
				}})),
		fn("double",
			global("double_to_double", doubleType, doubleType).does(identity),
			global("int64_to_double", doubleType, intType).does(func(_ *frame, a []value) value { return double(float64(a[0].int())) }),
			global("string_to_double", doubleType, stringType).does(func(f *frame, a []value) value {
				f.visits(readBytes / 2 * len(a[0].str()))
				d, err := convert.TextToDouble(a[0].str())
				return result(double, d, err)
			}),
			global("uint64_to_double", doubleType, uintType).does(func(_ *frame, a []value) value { return double(float64(a[0].bits)) })),
		fn("duration",
			global("duration_to_duration", durationType, durationType).does(identity),
			global("string_to_duration", durationType, stringType).does(func(_ *frame, a []value) value {
				return durationOrError(clock.ParseDuration(a[0].str()))
			})).
			each(func(o *Overload) { o.Literal = LiteralCheck{Valid: validDuration, Since: since.LiteralArguments} }),
		same.is(unguarded),
		fn("int",
			global("int64_to_int64", intType, intType).does(identity),
			global("double_to_int64", intType, doubleType).does(func(_ *frame, a []value) value {
				i, err := convert.DoubleToInt(a[0].double())
				return result(integer, i, err)
			}),
			global("duration_to_int64", intType, durationType).does(func(_ *frame, a []value) value { return integer(a[0].int()) }),
			global("string_to_int64", intType, stringType).does(func(f *frame, a []value) value {
				f.visits(2 * len(a[0].str()))
				i, err := convert.TextToInt(a[0].str())
				return result(integer, i, err)
			}),
			global("timestamp_to_int64", intType, timestampType).does(func(_ *frame, a []value) value {
				return integer(a[0].ref.(time.Time).Unix())
			}),
			global("uint64_to_int64", intType, uintType).does(func(_ *frame, a []value) value {
				i, err := convert.UintToInt(a[0].bits)
				return result(integer, i, err)
			})),
		fn("string",
			global("string_to_string", stringType, stringType).does(identity),
			global("bool_to_string", stringType, boolType).does(func(f *frame, a []value) value {
				return f.text(convert.BoolToText(a[0].isTrue()))
			}),
			global("bytes_to_string", stringType, bytesType).does(func(f *frame, a []value) value {
				s, err := convert.BytesToText(a[0].ref.([]byte))
				return result(f.text, s, err)
			}).costs(tariff{charge: scan, static: func(c *price.Call) price.Estimate {
				s := c.Args[0].SizeOr()
				return price.Giving(price.Span{Lo: s.Lo / 4, Hi: s.Hi}, s.Cost(price.PerByte))
			}}),
			global("double_to_string", stringType, doubleType).does(func(f *frame, a []value) value {
				return f.text(convert.DoubleToText(a[0].double()))
			}),
			global("duration_to_string", stringType, durationType).does(func(f *frame, a []value) value {
				return f.text(string(clock.AppendDuration(nil, a[0].duration())))
			}),
			global("int64_to_string", stringType, intType).does(func(f *frame, a []value) value { return f.text(convert.IntToText(a[0].int())) }),
			global("timestamp_to_string", stringType, timestampType).does(func(f *frame, a []value) value {
				return f.text(string(clock.AppendTimestamp(nil, a[0].ref.(time.Time))))
			}),
			global("uint64_to_string", stringType, uintType).does(func(f *frame, a []value) value { return f.text(convert.UintToText(a[0].bits)) })),
		fn("timestamp",
			global("timestamp_to_timestamp", timestampType, timestampType).does(identity),
			global("int64_to_timestamp", timestampType, intType).does(func(_ *frame, a []value) value {
				return timeOrError(clock.UnixTimestamp(a[0].int()))
			}),
			global("string_to_timestamp", timestampType, stringType).does(func(f *frame, a []value) value {
				f.visits(2 * len(a[0].str()))
				return timeOrError(clock.ParseTimestamp(a[0].str()))
			})).
			each(func(o *Overload) { o.Literal = LiteralCheck{Valid: validTimestamp, Since: since.LiteralArguments} }),
		fn("uint",
			global("uint64_to_uint64", uintType, uintType).does(identity),
			global("double_to_uint64", uintType, doubleType).does(func(_ *frame, a []value) value {
				u, err := convert.DoubleToUint(a[0].double())
				return result(unsigned, u, err)
			}),
			global("int64_to_uint64", uintType, intType).does(func(_ *frame, a []value) value {
				u, err := convert.IntToUint(a[0].int())
				return result(unsigned, u, err)
			}),
			global("string_to_uint64", uintType, stringType).does(func(f *frame, a []value) value {
				f.visits(2 * len(a[0].str()))
				u, err := convert.TextToUint(a[0].str())
				return result(unsigned, u, err)
			})),
	}
	for _, f := range all {
		f.is(folds).each(func(o *Overload) { o.Planning = RefusesConstant })
	}
	return all
}

func identity(_ *frame, a []value) value { return a[0] }

func validDuration(literal any) bool {
	s, ok := literal.(string)
	if !ok {
		return false
	}
	_, err := time.ParseDuration(s)
	return err == nil
}

// The seconds of the first and the last timestamp: the beginning of year 1 and the end of year 9999.
const (
	firstSecond = -62135596800
	lastSecond  = 253402300799
)

func validTimestamp(literal any) bool {
	var seconds int64
	switch x := literal.(type) {
	case string:
		t, err := time.Parse(time.RFC3339, x)
		if err != nil {
			return false
		}
		seconds = t.Unix()
	case int64:
		seconds = x
	default:
		return false
	}
	return firstSecond <= seconds && seconds <= lastSecond
}
