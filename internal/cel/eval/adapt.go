package eval

import (
	"fmt"
	"strings"

	"github.com/crdkit/crdkit/internal/cel/lib/clock"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/since"
	"github.com/crdkit/crdkit/schema"
)

// adapt returns data, which n describes, as a value, or the error of using it (CVA-001, CVA-002, CVA-020). It does not
// check anything inside data.
func adapt(data any, n *plan.Node) value {
	if data == nil {
		if n.Has&plan.Nullable != 0 {
			return null
		}
		return failure("invalid data, got null for schema with nullable=false")
	}
	typ := n.Type
	if n.Has&plan.IntOrString != 0 {
		if _, ok := data.(string); ok {
			return value{kind: kindString, ref: data}
		}
		typ = "integer"
	}
	switch typ {
	case "string":
		return adaptString(data, n)
	case "object":
		if _, ok := data.(map[string]any); ok {
			return value{kind: kindRawMap, node: n, ref: data}
		}
		return failure("invalid data, expected a map for the provided schema with type=object")
	case "array":
		if _, ok := data.([]any); !ok {
			return failure("invalid data, expected an array for the provided schema with type=array")
		}
		if n.Items == nil {
			return failure("invalid array type, expected Items with a non-empty Schema")
		}
		return value{kind: kindRawList, node: n, ref: data}
	case "integer":
		switch x := data.(type) {
		case int64:
			return integer(x)
		case int:
			return integer(int64(x))
		case int32:
			return integer(int64(x))
		}
		if n.Has&plan.IntOrString != 0 {
			return failure("invalid data, expected XIntOrString value to be either a string or integer")
		}
		return mismatch("int", data)
	case "number":
		switch x := data.(type) {
		case float64:
			return double(x)
		case int64:
			return double(float64(x))
		case int:
			return double(float64(x))
		case int32:
			return double(float64(x))
		case float32:
			return double(float64(x))
		}
		return mismatch("float", data)
	case "boolean":
		if b, ok := data.(bool); ok {
			return boolean(b)
		}
		return mismatch("bool", data)
	}
	if n.Has&plan.PreserveFields != 0 {
		return value{kind: kindOpaque, ref: data}
	}
	return failure("invalid type, expected object, array, number, integer, boolean or string, or no type with " +
		"x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got " + n.Type)
}

// read is the function adapt for the frame's server.
func (f *frame) read(data any, n *plan.Node) value {
	v := adapt(data, n)
	if v.kind != kindError && v.kind != kindBytes || n.Type != "string" || n.Format != "byte" || !f.profile.Has(since.StandardBytes) {
		return v
	}
	if s, ok := data.(string); ok {
		return parsed(s, clock.SchemaStandardBytes, bytes)
	}
	return v
}

// adapt is read, and counts the work if data is a string that is expensive to parse.
func (f *frame) adapt(data any, n *plan.Node) value {
	v := f.read(data, n)
	switch v.kind {
	case kindError, kindBytes, kindTimestamp, kindDuration:
		if s, ok := data.(string); ok && len(s) > longToRead {
			f.visits(readBytes * len(s))
		}
	}
	return v
}

const (
	// longToRead is the minimum length of a formatted string whose parsing counts as work.
	longToRead = 64
	// readBytes is the number of bytes whose visit is as much work as parsing one.
	readBytes = 16
)

func mismatch(want string, data any) value {
	return failure(fmt.Sprintf("invalid data, expected %s, got %T", want, data))
}

func adaptString(data any, n *plan.Node) value {
	s, ok := data.(string)
	if !ok {
		return mismatch("string", data)
	}
	switch n.Format {
	case "duration":
		return parsed(s, clock.SchemaDuration, duration)
	case "date":
		return parsed(s, clock.SchemaDate, timestamp)
	case "date-time":
		return parsed(s, clock.SchemaTimestamp, timestamp)
	case "byte":
		return parsed(s, clock.SchemaBytes, bytes)
	}
	return value{kind: kindString, ref: data}
}

// parsed returns the value of a string with a format, or the error of parsing it.
func parsed[T any](s string, parse func(string) (T, error), adapt func(T) value) value {
	v, err := parse(s)
	if err != nil {
		return failureOf(err)
	}
	return adapt(v)
}

// The keys of an object are the escaped names of its declared properties; those of a map are its data's keys (CVA-010,
// CVA-011).
func isObject(n *plan.Node) bool { return len(n.Props) > 0 || n.IsResource() }

// field returns the node of the property or the value called name, or nil. The fields of a resource may be implied
// (CEV-013).
func field(n *plan.Node, name string) *plan.Node {
	if n.IsResource() && plan.ResourceField(name) {
		if implied := impliedField(n, name); implied != nil {
			return implied
		}
	}
	if p := n.Prop(name); p != nil {
		return p.Node
	}
	if isObject(n) {
		return nil
	}
	return n.Additional
}

// The nodes of a resource's implied fields.
var (
	impliedMetadata = newImpliedMetadata()
	impliedString   = impliedMetadata.Prop("name").Node
)

func newImpliedMetadata() *plan.Node {
	text := schema.JSONSchemaProps{Type: "string"}
	s, _ := schema.Compile(&schema.JSONSchemaProps{Type: "object", Properties: map[string]*schema.JSONSchemaProps{
		"metadata": {Type: "object", Properties: map[string]*schema.JSONSchemaProps{"generateName": &text, "name": &text}},
	}})
	return plan.Root(s).Prop("metadata").Node
}

// impliedField returns the implied node of a resource's apiVersion, kind or metadata, or nil if the schema declares all
// of them with the types that they have in a resource (CEV-013).
func impliedField(n *plan.Node, name string) *plan.Node {
	if types.HasMeta(n) {
		return nil
	}
	if name == "metadata" {
		return impliedMetadata
	}
	return impliedString
}

// find looks up key in a map or an object. The value may be an error: for invalid data, or for a key of a wrong type.
func (f *frame) find(v, key value) (value, bool) {
	if v.kind == kindMap {
		return v.ref.(*dict).find(key)
	}
	if key.kind != kindString {
		return key.or(noSuchOverload), true
	}
	name := key.str()
	if isObject(v.node) {
		f.visits(2 * readBytes * (len(name) / readBytes))
		raw, ok := unescape(name)
		if !ok {
			return value{}, false
		}
		return f.findProperty(v, raw)
	}
	return f.findEntry(v, name)
}

// findProperty looks up a property of an object by its declared name. Null is treated as absent (CVA-012).
func (f *frame) findProperty(v value, raw string) (value, bool) {
	data := v.ref.(map[string]any)[raw]
	if data == nil {
		return value{}, false
	}
	n := field(v.node, raw)
	if n == nil {
		return value{}, false
	}
	return f.adapt(data, n), true
}

func (f *frame) findEntry(v value, key string) (value, bool) {
	if v.node.Additional == nil {
		return value{}, false
	}
	data, ok := v.ref.(map[string]any)[key]
	if !ok {
		return value{}, false
	}
	return f.adapt(data, v.node.Additional), true
}

// unescape returns the name of the property with that escaped name. It is more lenient than the type checker: a name
// that needs no escape sequence is accepted unchanged. It returns false for an unknown sequence.
func unescape(name string) (string, bool) {
	if !strings.Contains(name, "__") {
		return name, true
	}
	var b strings.Builder
	for i := 0; i < len(name); {
		word, length := sequence(name[i:])
		if length == 0 {
			b.WriteByte(name[i])
			i++
			continue
		}
		switch word {
		case "underscores":
			b.WriteString("__")
		case "dot":
			b.WriteByte('.')
		case "dash":
			b.WriteByte('-')
		case "slash":
			b.WriteByte('/')
		default:
			if !types.IsKeyword(word) || length != len(name) {
				return "", false
			}
			b.WriteString(word)
		}
		i += length
	}
	return b.String(), true
}

// sequence returns the word in an escape sequence at the beginning of s, which has two underscores on both sides, and
// the length of the whole sequence.
func sequence(s string) (word string, length int) {
	if !strings.HasPrefix(s, "__") {
		return "", 0
	}
	end := strings.IndexByte(s[2:], '_')
	if end <= 0 || !strings.HasPrefix(s[2+end:], "__") {
		return "", 0
	}
	return s[2 : 2+end], end + 4
}
