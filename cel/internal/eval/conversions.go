package eval

import (
	"time"

	"github.com/crdkit/crdkit/cel/internal/clock"
	"github.com/crdkit/crdkit/cel/internal/convert"
	"github.com/crdkit/crdkit/cel/internal/inet"
)

// conversions between types (CLI-071, CLI-072).
func conversions() map[string]binding {
	return map[string]binding{
		"bool_to_bool": identity, "bytes_to_bytes": identity, "double_to_double": identity, "duration_to_duration": identity,
		"int64_to_int64": identity, "string_to_string": identity, "timestamp_to_timestamp": identity, "uint64_to_uint64": identity,
		"to_dyn": identity,

		"type": func(_ *frame, a []value) value {
			if a[0].kind == kindOpaque {
				return failure("type conversion to 'type' not supported for values preserved by x-kubernetes-preserve-unknown-fields")
			}
			return value{kind: kindType, ref: &typeNames[a[0].kind]}
		},
		"string_to_bool": func(_ *frame, a []value) value {
			b, err := convert.TextToBool(a[0].str())
			return result(boolean, b, err)
		},
		"string_to_bytes": func(_ *frame, a []value) value { return bytes([]byte(a[0].str())) },

		"int64_to_double":  func(_ *frame, a []value) value { return double(float64(a[0].int())) },
		"uint64_to_double": func(_ *frame, a []value) value { return double(float64(a[0].bits)) },
		"string_to_double": func(f *frame, a []value) value {
			f.visits(readBytes / 2 * len(a[0].str()))
			d, err := convert.TextToDouble(a[0].str())
			return result(double, d, err)
		},

		"int64_to_duration":  func(_ *frame, a []value) value { return duration(a[0].duration()) },
		"string_to_duration": func(_ *frame, a []value) value { return durationOrError(clock.ParseDuration(a[0].str())) },

		"double_to_int64": func(_ *frame, a []value) value {
			i, err := convert.DoubleToInt(a[0].double())
			return result(integer, i, err)
		},
		"duration_to_int64": func(_ *frame, a []value) value { return integer(a[0].int()) },
		"string_to_int64": func(f *frame, a []value) value {
			f.visits(2 * len(a[0].str()))
			i, err := convert.TextToInt(a[0].str())
			return result(integer, i, err)
		},
		"timestamp_to_int64": func(_ *frame, a []value) value { return integer(a[0].ref.(time.Time).Unix()) },
		"uint64_to_int64": func(_ *frame, a []value) value {
			i, err := convert.UintToInt(a[0].bits)
			return result(integer, i, err)
		},

		"bool_to_string": func(f *frame, a []value) value { return f.text(convert.BoolToText(a[0].isTrue())) },
		"bytes_to_string": func(f *frame, a []value) value {
			s, err := convert.BytesToText(a[0].ref.([]byte))
			return result(f.text, s, err)
		},
		"double_to_string": func(f *frame, a []value) value { return f.text(convert.DoubleToText(a[0].double())) },
		"duration_to_string": func(f *frame, a []value) value {
			return f.text(string(clock.AppendDuration(nil, a[0].duration())))
		},
		"int64_to_string": func(f *frame, a []value) value { return f.text(convert.IntToText(a[0].int())) },
		"timestamp_to_string": func(f *frame, a []value) value {
			return f.text(string(clock.AppendTimestamp(nil, a[0].ref.(time.Time))))
		},
		"uint64_to_string": func(f *frame, a []value) value { return f.text(convert.UintToText(a[0].bits)) },
		"ip_to_string":     func(f *frame, a []value) value { return f.text(a[0].ref.(inet.IP).String()) },
		"cidr_to_string":   func(f *frame, a []value) value { return f.text(a[0].ref.(inet.CIDR).String()) },

		"int64_to_timestamp": func(_ *frame, a []value) value { return timeOrError(clock.UnixTimestamp(a[0].int())) },
		"string_to_timestamp": func(f *frame, a []value) value {
			f.visits(2 * len(a[0].str()))
			return timeOrError(clock.ParseTimestamp(a[0].str()))
		},

		"double_to_uint64": func(_ *frame, a []value) value {
			u, err := convert.DoubleToUint(a[0].double())
			return result(unsigned, u, err)
		},
		"int64_to_uint64": func(_ *frame, a []value) value {
			u, err := convert.IntToUint(a[0].int())
			return result(unsigned, u, err)
		},
		"string_to_uint64": func(f *frame, a []value) value {
			f.visits(2 * len(a[0].str()))
			u, err := convert.TextToUint(a[0].str())
			return result(unsigned, u, err)
		},
	}
}
