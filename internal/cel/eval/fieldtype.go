package eval

import (
	"encoding/base64"
	"math"
	"strings"
	"time"

	"github.com/crdkit/crdkit/internal/cel/lib/clock"
)

// A fieldType is the type of a message's field, with the name that a server's errors have for it.
type fieldType string

const (
	typeBool    fieldType = "bool"
	typeBytes   fieldType = "[]uint8"
	typeByte    fieldType = "uint8" // of the items of a list that is converted to bytes
	typeDouble  fieldType = "float64"
	typeFloat   fieldType = "float32"
	typeInt32   fieldType = "int32"
	typeInt64   fieldType = "int64"
	typeUint32  fieldType = "uint32"
	typeUint64  fieldType = "uint64"
	typeString  fieldType = "string"
	typeEnum    fieldType = "protoreflect.EnumNumber"
	typeJSON    fieldType = "*structpb.Value"
	typeStruct  fieldType = "*structpb.Struct"
	typeList    fieldType = "*structpb.ListValue"
	typeJSONs   fieldType = "list of *structpb.Value" // errors never contain these two
	typeEntries fieldType = "map of *structpb.Value"
)

// setField returns v converted for a field of a message, or the error.
func (f *frame) setField(message, name string, v value) value {
	t := messages[message].fields[name]
	if t == typeJSONs && !v.isList() || t == typeEntries && !v.isMap() {
		return failure("unsupported field type for " + message + "." + name + ": " + parametrised(v))
	}
	x := f.native(v, t)
	if x.failed() {
		return failure("field type conversion error for " + message + "." + name + " value type: " + x.str())
	}
	return x
}

// native returns v converted to a field's type, or an error with the server's text. A server converts v to a Go value
// there.
func (f *frame) native(v value, t fieldType) value {
	switch v.kind {
	case kindError:
		return v
	case kindOptional:
		if p := v.inner(); p != nil {
			return f.native(*p, t)
		}
		return failure("optional.none() dereference")
	case kindType:
		return failure("type conversion not supported for 'type'")
	case kindNull:
		if t == typeJSON {
			return v
		}
	case kindBool:
		if t == typeBool || t == typeJSON {
			return v
		}
	case kindInt, kindUint, kindDouble:
		return nativeNumber(v, t)
	case kindString:
		if t == typeString || t == typeJSON {
			return v
		}
		return failure("unsupported native conversion from string to '" + string(t) + "'")
	case kindBytes:
		switch t {
		case typeBytes:
			return v
		case typeJSON:
			return textValue(base64.StdEncoding.EncodeToString(v.ref.([]byte)))
		}
	case kindDuration:
		if t == typeJSON {
			return textValue(string(clock.AppendDuration(nil, v.duration())))
		}
	case kindTimestamp:
		if t == typeJSON {
			return textValue(string(clock.AppendTimestamp(nil, v.ref.(time.Time))))
		}
	case kindRawList, kindList:
		return f.nativeList(v, t)
	case kindRawMap, kindMap:
		return f.nativeMap(v, t)
	default:
		if text, ok := nativeText(v); ok && t == typeString {
			return textValue(text)
		}
	}
	return conversionFault(v, t)
}

// conversionFault is the error of a value that cannot be converted to a field's type.
func conversionFault(v value, t fieldType) value {
	name := fieldlessNames[v.kind]
	switch {
	case v.kind == kindRawList || v.kind == kindRawMap:
		name = "'" + parametrised(v) + "'"
	case name == "":
		name = "'" + strings.TrimPrefix(strings.TrimPrefix(goTypeName(v), "*"), "cel.") + "'"
	}
	return failure("type conversion error from " + name + " to '" + string(t) + "'")
}

// fieldlessNames has the names of some kinds in the errors of values that cannot be converted to a field's type.
var fieldlessNames = [len(typeNames)]string{
	kindNull: "'null_type'", kindBool: "bool", kindDouble: "Double", kindBytes: "Bytes", kindDuration: "'Duration'",
	kindTimestamp: "'Timestamp'", kindList: "list", kindMap: "map",
}

// maxJSONInt is the largest int that JSON has as a number; larger ones are strings.
const maxJSONInt = 1<<53 - 1

func nativeNumber(v value, t fieldType) value {
	switch {
	case v.kind == kindDouble && (t == typeDouble || t == typeJSON):
		return v
	case v.kind == kindDouble && t == typeFloat:
		return double(float64(float32(v.double())))
	case v.kind == kindDouble:
		return conversionFault(v, t)
	case v.kind == kindInt && t == typeInt64:
		return v
	case v.kind == kindInt && (t == typeInt32 || t == typeEnum):
		if n := v.int(); n != int64(int32(n)) {
			return intOverflow
		}
		return v
	case v.kind == kindUint && (t == typeUint32 && v.bits > math.MaxUint32 || t == typeByte && v.bits > math.MaxUint8):
		return uintOverflow
	case v.kind == kindUint && (t == typeUint64 || t == typeUint32 || t == typeByte):
		return v
	case v.kind == kindInt && t == typeJSON:
		if n := v.int(); n < -maxJSONInt || n > maxJSONInt {
			return textValue(intText(n))
		}
		return double(float64(v.int()))
	case v.kind == kindUint && t == typeJSON:
		if v.bits > maxJSONInt {
			return textValue(uintText(v.bits))
		}
		return double(float64(v.bits))
	}
	return failure("unsupported type conversion from '" + v.typeName() + "' to " + string(t))
}

// nativeText returns the text of a value of some of a server's own types.
func nativeText(v value) (string, bool) {
	switch x := v.ref.(type) {
	case ipAddress:
		return x.String(), true
	case cidr:
		return x.String(), true
	case *webURL:
		return x.String(), true
	case version:
		return x.String(), true
	case *amount:
		return plainText(v), true
	}
	return "", false
}

func (f *frame) nativeList(v value, t fieldType) value {
	switch {
	case t == typeJSONs, v.kind == kindList && (t == typeJSON || t == typeList):
		f.makes(itemBytes * listLen(v))
		vals := make([]value, listLen(v))
		for i, item := range f.each(v) {
			x := f.native(item, typeJSON)
			if x.failed() {
				return x
			}
			vals[i] = x
		}
		return newList(vals)
	case t == typeBytes && v.kind == kindRawList:
		f.crash("invalid type: []interface {}")
	case t == typeBytes:
		f.makes(listLen(v))
		made := make([]byte, listLen(v))
		for i, item := range f.each(v) {
			x := f.native(item, typeByte)
			if x.failed() {
				return x
			}
			made[i] = byte(x.bits)
		}
		return bytes(made)
	}
	return conversionFault(v, t)
}

func (f *frame) nativeMap(v value, t fieldType) value {
	switch {
	case t == typeEntries, v.kind == kindMap && (t == typeJSON || t == typeStruct):
		keys := f.keysOf(v)
		f.makes(entryBytes * len(keys))
		d := newDict(len(keys))
		for i, k := range keys {
			f.poll()
			key := f.native(k, typeString)
			if key.failed() {
				return key
			}
			x := f.native(f.entryAt(v, k, i), typeJSON)
			if x.failed() {
				return x
			}
			d.put(key, x)
		}
		return value{kind: kindMap, ref: d}
	case v.kind == kindMap && t == typeList:
		return f.fieldsOfList(v.ref.(*dict))
	}
	return conversionFault(v, t)
}

// fieldsOfList converts a map to a list, as a server does where it expects a list: it reads the keys as names of the
// list's own fields, one of which has the items.
func (f *frame) fieldsOfList(d *dict) value {
	l := emptyList()
	for i, k := range d.keys {
		if name := camelCase(plainText(k)); name != "Values" {
			return failure("type conversion error, no such field '" + name + "' in type 'structpb.ListValue'")
		}
		if v := d.vals[i]; !v.isList() {
			return f.native(v, "[]*structpb.Value")
		} else if l = f.native(v, typeJSONs); l.failed() {
			return l
		}
	}
	return l
}

// camelCase returns a name without underscores, in which each word begins with a capital letter.
func camelCase(name string) string {
	words := strings.Split(name, "_")
	for i, w := range words {
		if w != "" {
			words[i] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, "")
}
