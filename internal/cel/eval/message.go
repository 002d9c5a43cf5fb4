package eval

import (
	"math"
	"time"

	"github.com/crdkit/crdkit/internal/cel/ast"
)

// planMessage plans a literal of one of the well-known messages (CEN-021). Its value is the one that the message
// represents.
func (p *planner) planMessage(s *ast.StructExpr) *part {
	build := messages[s.TypeName()].build
	if build == nil {
		build = func(message) value { return failure("unknown type '" + s.TypeName() + "'") }
	}
	type planned struct {
		name     string
		run      evaluator
		optional bool
	}
	var fields []planned
	for _, f := range s.Fields() {
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
				if !f.stops(v) {
					f.charge(40)
				}
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

// A messageType is one of the well-known messages: its fields, and what a literal of it is as a value.
type messageType struct {
	fields map[string]fieldType
	build  func(message) value
}

// wrapper returns the type of a message that wraps a scalar.
//
//go:noinline
func wrapper(of fieldType, zero value) messageType {
	return oneField("value", of, func() value { return zero })
}

// oneField returns the type of a message with one field, whose value is that of the field, or absent() if it is not
// set.
//
//go:noinline
func oneField(name string, of fieldType, absent func() value) messageType {
	return messageType{map[string]fieldType{name: of}, func(m message) value {
		if v, ok := m.get(name); ok {
			return v
		}
		return absent()
	}}
}

func emptyList() value { return newList(nil) }

func emptyMap() value { return value{kind: kindMap, ref: newDict(0)} }

var secondsAndNanos = map[string]fieldType{"seconds": typeInt64, "nanos": typeInt32}

var messages = map[string]messageType{
	"google.protobuf.BoolValue":   wrapper(typeBool, no),
	"google.protobuf.BytesValue":  wrapper(typeBytes, bytes(nil)),
	"google.protobuf.DoubleValue": wrapper(typeDouble, double(0)),
	"google.protobuf.FloatValue":  wrapper(typeFloat, double(0)),
	"google.protobuf.Int32Value":  wrapper(typeInt32, integer(0)),
	"google.protobuf.Int64Value":  wrapper(typeInt64, integer(0)),
	"google.protobuf.StringValue": wrapper(typeString, textValue("")),
	"google.protobuf.UInt32Value": wrapper(typeUint32, unsigned(0)),
	"google.protobuf.UInt64Value": wrapper(typeUint64, unsigned(0)),
	"google.protobuf.ListValue":   oneField("values", typeJSONs, emptyList),
	"google.protobuf.Struct":      oneField("fields", typeEntries, emptyMap),
	"google.protobuf.Empty":       {build: func(message) value { return emptyMap() }},
	"google.protobuf.Any": {map[string]fieldType{"type_url": typeString, "value": typeBytes}, func(message) value {
		return failure("unsupported conversion to ref.Val: (*dynamicpb.Message)")
	}},
	"google.protobuf.Value": {map[string]fieldType{
		"null_value": typeEnum, "number_value": typeDouble, "string_value": typeString, "bool_value": typeBool,
		"struct_value": typeStruct, "list_value": typeList,
	}, func(m message) value {
		if len(m) == 0 {
			return null
		}
		last := m[len(m)-1] // Only one of them can be set.
		if last.name == "null_value" {
			return null
		}
		return last.v
	}},
	"google.protobuf.Timestamp": {secondsAndNanos, func(m message) value {
		seconds, _ := m.get("seconds")
		nanos, _ := m.get("nanos")
		return timestamp(time.Unix(seconds.int(), nanos.int()).UTC())
	}},
	"google.protobuf.Duration": {secondsAndNanos, func(m message) value {
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
	}},
}
