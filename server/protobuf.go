package server

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/crdkit/crdkit/server/internal/catalog"
	"github.com/crdkit/crdkit/unstructured"
)

// This file decodes protobuf. kubectl and generated clients send built-in kinds and options as protobuf even if the
// server does not offer it. Responses are JSON.

const protobufType = "application/vnd.kubernetes.protobuf"

// protobufMagic is the prefix of a body. An envelope follows: field 1 has apiVersion and kind, field 2 the object.
const protobufMagic = "k8s\x00"

var errProtobuf = errors.New("the body is no protobuf of the kind that the endpoint has")

// protobufObject returns the object in a body as a map, with its apiVersion and kind.
func protobufObject(body []byte, of string) (map[string]any, error) {
	rest, ok := bytes.CutPrefix(body, []byte(protobufMagic))
	if !ok {
		return nil, errProtobuf
	}
	d := protobufDecoder{types: catalog.BuiltInTypes()}
	envelope, err := fieldsOf(rest)
	if err != nil {
		return nil, err
	}
	kind, err := fieldsOf(envelope.last(1).bytes)
	if err != nil {
		return nil, err
	}
	obj, err := d.object(envelope.last(2).bytes, of, 0)
	if err != nil {
		return nil, err
	}
	for name, number := range map[string]uint64{"apiVersion": 1, "kind": 2} {
		text := kind.last(number).bytes
		if !utf8.Valid(text) {
			return nil, errProtobuf
		}
		if len(text) > 0 {
			obj[name] = string(text)
		}
	}
	return obj, nil
}

// scaleType is the type of a Scale.
const scaleType = "autoscaling.v1.Scale"

// A protobufDecoder decodes messages into objects. types has the names and numbers of fields.
type protobufDecoder struct{ types catalog.Types }

// maxNested limits the nesting of messages. Only a type that contains itself can be nested that deep.
const maxNested = 1000

// object decodes the message of a struct type.
func (d protobufDecoder) object(b []byte, of string, depth int) (map[string]any, error) {
	s := d.types[of]
	if s == nil || depth > maxNested {
		return nil, errProtobuf
	}
	m, err := fieldsOf(b)
	if err != nil {
		return nil, err
	}
	out := map[string]any{}
	for _, f := range s.Fields {
		values := m[uint64(f.Number)]
		if len(values) == 0 {
			continue
		}
		if f.Name == "" {
			inner, err := d.object(values[len(values)-1].bytes, f.Type, depth+1)
			if err != nil {
				return nil, err
			}
			maps.Copy(out, inner)
			continue
		}
		v, err := d.field(values, f.Type, depth)
		if err != nil {
			return nil, err
		}
		if v != nil && !(f.Omit && isZero(v)) {
			out[f.Name] = v
		}
	}
	return out, nil
}

// isZero reports whether v is the zero value of a scalar type. JSON omits it from most fields.
func isZero(v any) bool { return v == "" || v == false || v == int64(0) || v == float64(0) }

// field decodes a field from all its values in a message.
func (d protobufDecoder) field(values []wireValue, of string, depth int) (any, error) {
	if element, ok := strings.CutPrefix(of, "[]"); ok {
		list := make([]any, 0, len(values))
		for _, w := range values {
			v, err := d.value(w, element, depth)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	}
	if element, ok := strings.CutPrefix(of, "{}"); ok {
		out := make(map[string]any, len(values))
		for _, w := range values {
			entry, err := fieldsOf(w.bytes)
			if err != nil {
				return nil, err
			}
			key := entry.last(1).bytes
			v, err := d.value(entry.last(2), element, depth)
			if err != nil || !utf8.Valid(key) {
				return nil, errProtobuf
			}
			out[string(key)] = v
		}
		return out, nil
	}
	return d.value(values[len(values)-1], of, depth)
}

func (d protobufDecoder) value(w wireValue, of string, depth int) (any, error) {
	switch of {
	case "string":
		if !utf8.Valid(w.bytes) {
			return nil, errProtobuf
		}
		return string(w.bytes), nil
	case "bool":
		return w.number != 0, nil
	case "int":
		return int64(w.number), nil
	case "bytes":
		return base64.StdEncoding.EncodeToString(w.bytes), nil
	case "float":
		f := math.Float64frombits(w.number)
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, errProtobuf
		}
		return f, nil
	}
	if strings.HasPrefix(of, "[]") { // A list in a map is a message with the items.
		m, err := fieldsOf(w.bytes)
		if err != nil {
			return nil, err
		}
		return d.field(m[1], of, depth)
	}
	if d.types[of] != nil {
		return d.object(w.bytes, of, depth+1)
	}
	m, err := fieldsOf(w.bytes)
	if err != nil {
		return nil, err
	}
	switch of {
	case "time":
		if len(m) == 0 {
			return nil, nil
		}
		t := time.Unix(int64(m.last(1).number), int64(m.last(2).number)).UTC()
		if t.Year() < 0 || t.Year() > 9999 {
			return nil, errProtobuf
		}
		if m.last(2).number != 0 {
			return t.Format("2006-01-02T15:04:05.000000Z07:00"), nil
		}
		return t.Format(time.RFC3339), nil
	case "duration":
		return time.Duration(m.last(1).number).String(), nil
	case "quantity":
		return string(m.last(1).bytes), nil
	case "intOrString":
		if m.last(1).number == 0 {
			return int64(int32(m.last(2).number)), nil
		}
		return string(m.last(3).bytes), nil
	case "raw":
		if len(m.last(1).bytes) == 0 {
			return nil, nil
		}
		return unstructured.DecodeJSON(m.last(1).bytes)
	case "json":
		var v any
		if err := json.Unmarshal(m.last(1).bytes, &v); err != nil {
			return nil, errProtobuf
		}
		return json.RawMessage(m.last(1).bytes), nil
	case "schemaOrBool": // 1: the bool, 2: a schema
		if schema := m[2]; schema != nil {
			return d.field(schema, catalog.SchemaType, depth)
		}
		return m.last(1).number != 0, nil
	case "schemaOrArray", "schemaOrStrings": // 1: a schema, 2: several schemas or strings
		if schema := m[1]; schema != nil {
			return d.field(schema, catalog.SchemaType, depth)
		}
		if of == "schemaOrStrings" {
			return d.field(m[2], "[]string", depth)
		}
		return d.field(m[2], "[]"+catalog.SchemaType, depth+1)
	}
	return nil, errProtobuf
}

// A wireValue is one value of a field: a number or bytes.
type wireValue struct {
	number uint64
	bytes  []byte
}

// A message has the values of its fields, by field number.
type message map[uint64][]wireValue

// The wire types of fields.
const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
	wireFixed32 = 5
)

func fieldsOf(b []byte) (message, error) {
	m := message{}
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		if n <= 0 {
			return nil, errProtobuf
		}
		b = b[n:]
		size, number := uint64(0), uint64(0)
		switch tag & 7 {
		case wireVarint:
			if number, n = binary.Uvarint(b); n <= 0 {
				return nil, errProtobuf
			}
			size = uint64(n)
		case wireFixed64:
			if size = 8; len(b) >= 8 {
				number = binary.LittleEndian.Uint64(b)
			}
		case wireFixed32:
			size = 4
		case wireBytes:
			if size, n = binary.Uvarint(b); n <= 0 {
				return nil, errProtobuf
			}
			b = b[n:]
		default:
			return nil, errProtobuf
		}
		if size > uint64(len(b)) {
			return nil, errProtobuf
		}
		m[tag>>3] = append(m[tag>>3], wireValue{number, b[:size]})
		b = b[size:]
	}
	return m, nil
}

// last returns the last value of a field, which is the one that counts.
func (m message) last(number uint64) wireValue {
	if values := m[number]; len(values) > 0 {
		return values[len(values)-1]
	}
	return wireValue{}
}
