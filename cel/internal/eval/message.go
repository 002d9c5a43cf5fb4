package eval

import (
	"math"
	"time"

	"github.com/google/cel-go/common/ast"
)

// planMessage plans a literal of one of the well-known messages (CEN-021): it is the value that the message stands for.
func (p *planner) planMessage(s ast.StructExpr) part {
	build := messages[s.TypeName()]
	if build == nil {
		build = func(message) value { return failure("unsupported message type: " + s.TypeName()) }
	}
	type planned struct {
		name     string
		run      evaluator
		optional bool
	}
	var fields []planned
	for _, x := range s.Fields() {
		f := x.AsStructField()
		fields = append(fields, planned{f.Name(), p.plan(f.Value()).run, f.IsOptional()})
	}
	return part{run: func(f *frame) value {
		m := message{name: s.TypeName()}
		for _, x := range fields {
			v := x.run(f)
			if x.optional && v.kind == kindOptional {
				if v.inner() == nil {
					continue
				}
				v = *v.inner()
			} else if x.optional && !v.failed() {
				v = failure("cannot initialize optional entry '" + x.name + "' from non-optional value " + plainText(v))
			}
			if v.failed() {
				f.charge(40)
				return v
			}
			m.fields = append(m.fields, messageField{x.name, v})
		}
		f.charge(40)
		return build(m)
	}}
}

// A message has the fields that a literal sets, in its order.
type message struct {
	name   string
	fields []messageField
}

type messageField struct {
	name string
	v    value
}

// get returns a field's value: of several, the last.
func (m message) get(name string) (v value, ok bool) {
	for _, f := range m.fields {
		if f.name == name {
			v, ok = f.v, true
		}
	}
	return v, ok
}

// outOfRange is the error of a number that a field has no room for.
func (m message) outOfRange(name, why string) value {
	return failure("field type conversion error for " + m.name + "." + name + " value type: " + why)
}

// nanos returns the field of that name, which has 32 bits, or an error.
func (m message) nanos() (int64, value) {
	v, _ := m.get("nanos")
	if n := v.int(); n != int64(int32(n)) {
		return 0, m.outOfRange("nanos", intOverflow.str())
	}
	return v.int(), null
}

// wrapper makes the value of a message that wraps a scalar.
func wrapper(zero value, convert func(m message, v value) value) func(message) value {
	return func(m message) value {
		v, ok := m.get("value")
		switch {
		case !ok:
			return zero
		case convert != nil && v.kind == zero.kind:
			return convert(m, v)
		}
		return v
	}
}

// either returns the field of that name, or what is there without it.
func either(name string, absent func() value) func(message) value {
	return func(m message) value {
		if v, ok := m.get(name); ok {
			return v
		}
		return absent()
	}
}

func emptyList() value { return newList(nil) }

func emptyMap() value { return value{kind: kindMap, ref: newDict(0)} }

var messages = map[string]func(message) value{
	"google.protobuf.BoolValue":   wrapper(no, nil),
	"google.protobuf.BytesValue":  wrapper(bytes(nil), nil),
	"google.protobuf.DoubleValue": wrapper(double(0), nil),
	"google.protobuf.FloatValue": wrapper(double(0), func(_ message, v value) value {
		return double(float64(float32(v.double())))
	}),
	"google.protobuf.Int32Value": wrapper(integer(0), func(m message, v value) value {
		if n := v.int(); n != int64(int32(n)) {
			return m.outOfRange("value", intOverflow.str())
		}
		return v
	}),
	"google.protobuf.Int64Value":  wrapper(integer(0), nil),
	"google.protobuf.StringValue": wrapper(textValue(""), nil),
	"google.protobuf.UInt32Value": wrapper(unsigned(0), func(m message, v value) value {
		if v.bits > math.MaxUint32 {
			return m.outOfRange("value", uintOverflow.str())
		}
		return v
	}),
	"google.protobuf.UInt64Value": wrapper(unsigned(0), nil),
	"google.protobuf.ListValue":   either("values", emptyList),
	"google.protobuf.Struct":      either("fields", emptyMap),
	"google.protobuf.Empty":       func(message) value { return emptyMap() },
	"google.protobuf.Any":         func(message) value { return failure("unsupported conversion to ref.Val: (*dynamicpb.Message)") },
	"google.protobuf.Value": func(m message) value {
		if len(m.fields) == 0 {
			return null
		}
		last := m.fields[len(m.fields)-1] // Only one of them can be set.
		if last.name == "null_value" {
			return null
		}
		return last.v
	},
	"google.protobuf.Timestamp": func(m message) value {
		nanos, fault := m.nanos()
		if fault.failed() {
			return fault
		}
		seconds, _ := m.get("seconds")
		return timestamp(time.Unix(seconds.int(), nanos).UTC())
	},
	"google.protobuf.Duration": func(m message) value {
		nanos, fault := m.nanos()
		if fault.failed() {
			return fault
		}
		seconds, _ := m.get("seconds")
		whole, ok := product64(seconds.int(), int64(time.Second))
		sum := whole + nanos
		switch {
		case ok && (sum >= whole) == (nanos >= 0):
			return duration(time.Duration(sum))
		case seconds.int() < 0:
			return duration(math.MinInt64)
		}
		return duration(math.MaxInt64)
	},
}
