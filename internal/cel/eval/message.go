package eval

import (
	"math"
	"time"

	"github.com/google/cel-go/common/ast"
)

// planMessage plans a literal of one of the well-known messages (CEN-021). Its value is the one that the message
// represents.
func (p *planner) planMessage(s ast.StructExpr) *part {
	build := messages[s.TypeName()]
	if build == nil {
		build = func(message) value { return failure("unknown type '" + s.TypeName() + "'") }
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
	return &part{run: func(f *frame) value {
		m := message{}
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
			m = append(m, messageField{x.name, v})
		}
		v := f.setFields(s.TypeName(), m) // a crash comes before the charge
		f.charge(40)
		if v.failed() {
			return v
		}
		return build(m)
	}}
}

// A message has the fields that a literal sets, in its order, as values of the fields' types.
type message []messageField

type messageField struct {
	name string
	v    value
}

// setFields converts the values in a literal to the fields' types. It returns the first error.
func (f *frame) setFields(name string, m message) value {
	for i := range m {
		if m[i].v = f.setField(name, m[i].name, m[i].v); m[i].v.failed() {
			return m[i].v
		}
	}
	return null
}

// get returns a field's value. If it is set more than once, it is the last value.
func (m message) get(name string) (v value, ok bool) {
	for _, f := range m {
		if f.name == name {
			v, ok = f.v, true
		}
	}
	return v, ok
}

// wrapper returns a function for the value of a message that wraps a scalar.
//
//go:noinline
func wrapper(zero value) func(message) value {
	return either("value", func() value { return zero })
}

// either returns a function for the field of that name, or absent() if it is not set.
//
//go:noinline
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
	"google.protobuf.BoolValue":   wrapper(no),
	"google.protobuf.BytesValue":  wrapper(bytes(nil)),
	"google.protobuf.DoubleValue": wrapper(double(0)),
	"google.protobuf.FloatValue":  wrapper(double(0)),
	"google.protobuf.Int32Value":  wrapper(integer(0)),
	"google.protobuf.Int64Value":  wrapper(integer(0)),
	"google.protobuf.StringValue": wrapper(textValue("")),
	"google.protobuf.UInt32Value": wrapper(unsigned(0)),
	"google.protobuf.UInt64Value": wrapper(unsigned(0)),
	"google.protobuf.ListValue":   either("values", emptyList),
	"google.protobuf.Struct":      either("fields", emptyMap),
	"google.protobuf.Empty":       func(message) value { return emptyMap() },
	"google.protobuf.Any":         func(message) value { return failure("unsupported conversion to ref.Val: (*dynamicpb.Message)") },
	"google.protobuf.Value": func(m message) value {
		if len(m) == 0 {
			return null
		}
		last := m[len(m)-1] // Only one of them can be set.
		if last.name == "null_value" {
			return null
		}
		return last.v
	},
	"google.protobuf.Timestamp": func(m message) value {
		seconds, _ := m.get("seconds")
		nanos, _ := m.get("nanos")
		return timestamp(time.Unix(seconds.int(), nanos.int()).UTC())
	},
	"google.protobuf.Duration": func(m message) value {
		seconds, _ := m.get("seconds")
		nanos, _ := m.get("nanos")
		whole, ok := product64(seconds.int(), int64(time.Second))
		sum := whole + nanos.int()
		switch {
		case ok && (sum >= whole) == (nanos.int() >= 0):
			return duration(time.Duration(sum))
		case seconds.int() < 0:
			return duration(math.MinInt64)
		}
		return duration(math.MaxInt64)
	},
}
