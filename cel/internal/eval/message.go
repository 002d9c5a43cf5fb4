package eval

import (
	"time"

	"github.com/google/cel-go/common/ast"
)

// planMessage plans a literal of one of the well-known messages (CEN-021): it is the value that the message stands for.
func (p *planner) planMessage(s ast.StructExpr) part {
	build := messages[s.TypeName()]
	if build == nil {
		build = func(map[string]value) value { return failure("unsupported message type: " + s.TypeName()) }
	}
	type field struct {
		name string
		run  evaluator
	}
	var fields []field
	for _, x := range s.Fields() {
		fields = append(fields, field{x.AsStructField().Name(), p.plan(x.AsStructField().Value()).run})
	}
	return part{run: func(f *frame) value {
		set := make(map[string]value, len(fields))
		for _, x := range fields {
			v := x.run(f)
			if v.failed() {
				f.charge(40)
				return v
			}
			set[x.name] = v
		}
		f.charge(40)
		return build(set)
	}}
}

// wrapper makes the value of a message that wraps a scalar.
func wrapper(zero value) func(map[string]value) value {
	return func(set map[string]value) value {
		if v, ok := set["value"]; ok {
			return v
		}
		return zero
	}
}

var messages = map[string]func(set map[string]value) value{
	"google.protobuf.BoolValue":   wrapper(no),
	"google.protobuf.BytesValue":  wrapper(bytes(nil)),
	"google.protobuf.DoubleValue": wrapper(double(0)),
	"google.protobuf.FloatValue":  wrapper(double(0)),
	"google.protobuf.Int32Value":  wrapper(integer(0)),
	"google.protobuf.Int64Value":  wrapper(integer(0)),
	"google.protobuf.StringValue": wrapper(textValue("")),
	"google.protobuf.UInt32Value": wrapper(unsigned(0)),
	"google.protobuf.UInt64Value": wrapper(unsigned(0)),
	"google.protobuf.ListValue": func(set map[string]value) value {
		if v, ok := set["values"]; ok {
			return v
		}
		return newList(nil)
	},
	"google.protobuf.Struct": func(set map[string]value) value {
		if v, ok := set["fields"]; ok {
			return v
		}
		return value{kind: kindMap, ref: newDict(0)}
	},
	"google.protobuf.Value": func(set map[string]value) value {
		for _, v := range set {
			return v
		}
		return null
	},
	"google.protobuf.Timestamp": func(set map[string]value) value {
		return timestamp(time.Unix(set["seconds"].int(), set["nanos"].int()).UTC())
	},
	"google.protobuf.Duration": func(set map[string]value) value {
		seconds, ok := product64(set["seconds"].int(), int64(time.Second))
		if !ok {
			return intOverflow
		}
		return duration(time.Duration(seconds + set["nanos"].int()))
	},
}
