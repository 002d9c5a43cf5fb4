package eval

import (
	"math"
	"time"

	"github.com/crdkit/crdkit/internal/cel/lib/text"
	"github.com/crdkit/crdkit/internal/plan"
)

// kind is the kind of a value at run time.
type kind uint8

const (
	kindError kind = iota // value.ref: the error's text, or the error
	kindNull
	kindBool // bits: 0 or 1
	kindInt
	kindUint
	kindDouble      // bits: IEEE 754
	kindString      // ref: string, or *string for a text computed in the run
	kindBytes       // ref: []byte
	kindTimestamp   // ref: time.Time
	kindDuration    // bits: nanoseconds
	kindType        // ref: string, the type's name, or *string, an element of typeNames
	kindList        // ref: *list
	kindMap         // ref: *dict
	kindRawList     // ref: []any, data that node describes
	kindRawMap      // ref: map[string]any, data that node describes: an object or a map
	kindOpaque      // ref: data without a schema (CVA-015)
	kindOptional    // ref: *value, nil for none
	kindIP          // ref: ipAddress
	kindCIDR        // ref: cidr
	kindURL         // ref: *webURL
	kindQuantity    // ref: *amount
	kindSemver      // ref: version
	kindFormat      // ref: *namedFormat
	kindComposition // ref: *Composition
	kindAuthorizer  // ref: *inquiry, as those of the checks
	kindPathCheck
	kindGroupCheck
	kindResourceCheck
	kindDecision // ref: *decision
)

// typeNames has the CEL type names of the kinds (CVA-004).
var typeNames = [...]string{
	kindError: "error", kindNull: "null_type", kindBool: "bool", kindInt: "int", kindUint: "uint", kindDouble: "double",
	kindString: "string", kindBytes: "bytes", kindTimestamp: "google.protobuf.Timestamp", kindDuration: "google.protobuf.Duration",
	kindType: "type", kindList: "list", kindMap: "map", kindRawList: "list", kindRawMap: "map", kindOpaque: "unknown",
	kindOptional: "optional_type", kindIP: "net.IP", kindCIDR: "net.CIDR", kindURL: "kubernetes.URL",
	kindQuantity: "kubernetes.Quantity", kindSemver: "kubernetes.Semver", kindFormat: "kubernetes.NamedFormat",
	kindComposition: "kubernetes.variables", kindAuthorizer: "kubernetes.authorization.Authorizer",
	kindPathCheck: "kubernetes.authorization.PathCheck", kindGroupCheck: "kubernetes.authorization.GroupCheck",
	kindResourceCheck: "kubernetes.authorization.ResourceCheck", kindDecision: "kubernetes.authorization.Decision",
}

// A value is a value at run time: data, a literal, or a computed value. Values are immutable, except for the lists and
// maps that a loop is building.
//
// A value does not fit in registers. The methods that every operator calls have a pointer receiver, so that they do not
// copy it: with copies, rules take 10 % more time.
type value struct {
	kind kind
	bits uint64
	node *plan.Node // describes raw data
	ref  any
}

func (v value) typeName() string { return typeNames[v.kind] }

func failure(text string) value { return value{kind: kindError, ref: text} }

// failureOf is failure for an error, whose text is built only if it is needed.
func failureOf(err error) value { return value{kind: kindError, ref: err} }

var (
	null           = value{kind: kindNull}
	yes            = value{kind: kindBool, bits: 1}
	no             = value{kind: kindBool}
	none           = value{kind: kindOptional, ref: (*value)(nil)}
	noSuchOverload = failure("no such overload")
)

func boolean(b bool) value {
	if b {
		return yes
	}
	return no
}

func integer(i int64) value             { return value{kind: kindInt, bits: uint64(i)} }
func unsigned(u uint64) value           { return value{kind: kindUint, bits: u} }
func double(d float64) value            { return value{kind: kindDouble, bits: math.Float64bits(d)} }
func textValue(s string) value          { return value{kind: kindString, ref: s} }
func bytes(b []byte) value              { return value{kind: kindBytes, ref: b} }
func duration(d time.Duration) value    { return value{kind: kindDuration, bits: uint64(d)} }
func timestamp(t time.Time) value       { return value{kind: kindTimestamp, ref: t} }
func typeValue(name string) value       { return value{kind: kindType, ref: name} }
func some(v value) value                { return value{kind: kindOptional, ref: &v} }
func (v value) isTrue() bool            { return v.kind == kindBool && v.bits != 0 }
func (v value) isFalse() bool           { return v.kind == kindBool && v.bits == 0 }
func (v *value) failed() bool           { return v.kind == kindError }
func (v value) int() int64              { return int64(v.bits) }
func (v value) uint() uint64            { return v.bits }
func (v value) double() float64         { return math.Float64frombits(v.bits) }
func (v value) duration() time.Duration { return time.Duration(v.bits) }
func (v value) inner() *value           { p, _ := v.ref.(*value); return p }
func (v *value) isList() bool           { return v.kind == kindList || v.kind == kindRawList }
func (v *value) isMap() bool            { return v.kind == kindMap || v.kind == kindRawMap }

// str returns the text of a string, an error or a type.
func (v value) str() string {
	if s, ok := v.ref.(string); ok {
		return s
	}
	return v.otherText()
}

// otherText is str for all but plain strings.
//
//go:noinline
func (v *value) otherText() string {
	switch s := v.ref.(type) {
	case *string:
		return *s
	case error:
		return s.Error()
	}
	return ""
}

// or returns v if it is an error, otherwise err.
//
//go:noinline
func (v value) or(err value) value {
	if v.failed() {
		return v
	}
	return err
}

// size returns the size of v for costs (CRC-003). With unwrap, an optional has the size of its value.
func (v *value) size(unwrap bool) int64 {
	switch v.kind {
	case kindString:
		return text.Len(v.str())
	case kindBytes:
		return int64(len(v.ref.([]byte)))
	case kindList:
		return int64(v.ref.(*list).n)
	case kindRawList:
		return int64(len(v.ref.([]any)))
	case kindMap:
		return int64(len(v.ref.(*dict).keys))
	case kindRawMap:
		return int64(len(v.ref.(map[string]any)))
	case kindIP:
		return v.ref.(ipAddress).Size()
	case kindCIDR:
		return v.ref.(cidr).Size()
	case kindOptional:
		if p := v.inner(); unwrap && p != nil {
			return p.size(unwrap)
		}
	}
	return 1
}

// itemBytes is the memory of an item in a list.
const itemBytes = 40

// entryBytes is the memory of an entry in a map, with room to grow and its part of the index.
const entryBytes = 4 * itemBytes

// length returns the approximate memory of a value itself in bytes, unless it is counted where the value is created.
func (v *value) length() int {
	switch v.kind {
	case kindString:
		return len(v.str())
	case kindBytes:
		return len(v.ref.([]byte))
	case kindList:
		return textBytes * len(v.ref.(*list).texts)
	case kindError:
		if s, ok := v.ref.(string); ok {
			return len(s)
		}
	}
	return 0
}

// same reports whether v and w are equal strings.
func (v *value) same(w value) bool {
	return v.kind == kindString && w.kind == kindString && v.str() == w.str()
}
