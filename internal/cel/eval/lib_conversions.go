package eval

import (
	"strconv"
	"time"

	"github.com/crdkit/crdkit/internal/cel/estimate"
	"github.com/crdkit/crdkit/internal/cel/lib/clock"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/since"
)

// conversions are the functions that are named after types (CEN-021, CLI-071, CLI-072).
func conversions() []*Function {
	all := []*Function{
		fn("type", global("type", types.NewTypeTypeWithParam(typeA), typeA).does(func(_ *frame, a []value) value {
			if a[0].kind == kindOpaque {
				return failure("type conversion to 'type' not supported for values preserved by x-kubernetes-preserve-unknown-fields")
			}
			return value{kind: kindType, ref: &typeNames[a[0].kind]}
		})).is(unguarded),
		fn("bool",
			global("bool_to_bool", boolType, boolType).does(identity),
			global("string_to_bool", boolType, stringType).does(try1(value.str, textToBool, asBool))),
		fn("bytes",
			global("bytes_to_bytes", bytesType, bytesType).does(identity),
			global("string_to_bytes", bytesType, stringType).does(call1(value.str, func(s string) []byte { return []byte(s) }, asBytes)).
				costing(costs{charge: scan, static: func(c *estimate.Call) estimate.Result {
					s := c.Args[0].SizeOr()
					return estimate.Giving(estimate.Span{Lo: s.Lo, Hi: s.Hi * 4}, s.Cost(estimate.PerByte))
				}})),
		fn("double",
			global("double_to_double", doubleType, doubleType).does(identity),
			global("int64_to_double", doubleType, intType).does(call1(value.int, func(i int64) float64 { return float64(i) }, asDouble)),
			global("string_to_double", doubleType, stringType).does(visiting(readBytes/2, try1(value.str, textToDouble, asDouble))),
			global("uint64_to_double", doubleType, uintType).does(func(_ *frame, a []value) value {
				return double(float64(a[0].bits))
			})),
		fn("duration",
			global("duration_to_duration", durationType, durationType).does(identity),
			global("string_to_duration", durationType, stringType).does(try1(value.str, clock.ParseDuration, asDuration))).
			each(func(o *Overload) { o.Literal = LiteralCheck{Valid: validDuration, Since: since.LiteralArguments} }),
		fn("dyn", global("to_dyn", dynType, typeA).does(identity)).is(unguarded),
		fn("int",
			global("int64_to_int64", intType, intType).does(identity),
			global("double_to_int64", intType, doubleType).does(try1(value.double, doubleToInt, asInt)),
			global("duration_to_int64", intType, durationType).does(func(_ *frame, a []value) value { return integer(a[0].int()) }),
			global("string_to_int64", intType, stringType).does(visiting(2, try1(value.str, textToInt, asInt))),
			global("timestamp_to_int64", intType, timestampType).does(call1(goValue[time.Time], time.Time.Unix, asInt)),
			global("uint64_to_int64", intType, uintType).does(try1(value.uint, uintToInt, asInt))),
		fn("string",
			global("string_to_string", stringType, stringType).does(identity),
			global("bool_to_string", stringType, boolType).does(call1(value.isTrue, strconv.FormatBool, asText)),
			global("bytes_to_string", stringType, bytesType).does(try1(goValue[[]byte], bytesToText, asText)).
				costing(costs{charge: scan, static: func(c *estimate.Call) estimate.Result {
					s := c.Args[0].SizeOr()
					return estimate.Giving(estimate.Span{Lo: s.Lo / 4, Hi: s.Hi}, s.Cost(estimate.PerByte))
				}}),
			global("double_to_string", stringType, doubleType).does(call1(value.double, doubleToText, asText)),
			global("duration_to_string", stringType, durationType).does(call1(value.duration, func(d time.Duration) string {
				return string(clock.AppendDuration(nil, d))
			}, asText)),
			global("int64_to_string", stringType, intType).does(call1(value.int, intText, asText)),
			global("timestamp_to_string", stringType, timestampType).does(call1(goValue[time.Time], func(t time.Time) string {
				return string(clock.AppendTimestamp(nil, t))
			}, asText)),
			global("uint64_to_string", stringType, uintType).does(call1(value.uint, uintText, asText))),
		fn("timestamp",
			global("timestamp_to_timestamp", timestampType, timestampType).does(identity),
			global("int64_to_timestamp", timestampType, intType).does(try1(value.int, clock.UnixTimestamp, asTimestamp)),
			global("string_to_timestamp", timestampType, stringType).does(visiting(2, try1(value.str, clock.ParseTimestamp, asTimestamp)))).
			each(func(o *Overload) { o.Literal = LiteralCheck{Valid: validTimestamp, Since: since.LiteralArguments} }),
		fn("uint",
			global("uint64_to_uint64", uintType, uintType).does(identity),
			global("double_to_uint64", uintType, doubleType).does(try1(value.double, doubleToUint, asUint)),
			global("int64_to_uint64", uintType, intType).does(try1(value.int, intToUint, asUint)),
			global("string_to_uint64", uintType, stringType).does(visiting(2, try1(value.str, textToUint, asUint)))),
	}
	for _, f := range all {
		f.is(folds).each(func(o *Overload) { o.Planning = RefusesConstant })
	}
	return all
}

func intText(i int64) string   { return strconv.FormatInt(i, 10) }
func uintText(u uint64) string { return strconv.FormatUint(u, 10) }

func validDuration(literal any) bool {
	s, ok := literal.(string)
	if !ok {
		return false
	}
	_, err := clock.ParseDuration(s)
	return err == nil
}

func validTimestamp(literal any) bool {
	var err error
	switch x := literal.(type) {
	case string:
		_, err = clock.ParseTimestamp(x)
	case int64:
		_, err = clock.UnixTimestamp(x)
	default:
		return false
	}
	return err == nil
}
