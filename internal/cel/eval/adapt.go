package eval

import (
	"fmt"
	"strings"

	"github.com/crdkit/crdkit/internal/cel/clock"
	"github.com/crdkit/crdkit/internal/cel/declare"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/schema"
)

// adapt returns the value of data that n describes, or the error that touching it gives (CVA-001, CVA-002, CVA-020). It looks no
// deeper than at data itself.
func adapt(data any, n *plan.Node) value {
	if data == nil {
		if n.Has&plan.Nullable != 0 {
			return null
		}
		return failure("invalid data, got null for schema with nullable=false")
	}
	if n.Has&plan.IntOrString != 0 {
		switch x := data.(type) {
		case string:
			return value{kind: kindString, ref: data}
		case int64:
			return integer(x)
		case int:
			return integer(int64(x))
		case int32:
			return integer(int64(x))
		}
		return failure("invalid data, expected XIntOrString value to be either a string or integer")
	}
	switch n.Type {
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
		return misfit("int", data)
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
		return misfit("float", data)
	case "boolean":
		if b, ok := data.(bool); ok {
			return boolean(b)
		}
		return misfit("bool", data)
	}
	if n.Has&plan.PreserveFields != 0 {
		return value{kind: kindOpaque, ref: data}
	}
	return failure("invalid type, expected object, array, number, integer, boolean or string, or no type with " +
		"x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got " + n.Type)
}

// adapt is adapt of data that may be a text that takes long to read.
func (f *frame) adapt(data any, n *plan.Node) value {
	v := adapt(data, n)
	switch v.kind {
	case kindError, kindBytes, kindTimestamp, kindDuration:
		if s, ok := data.(string); ok && len(s) > longToRead {
			f.visits(readBytes * len(s))
		}
	}
	return v
}

const (
	// longToRead is the length of a text of a format from which on it counts as work to read it.
	longToRead = 64
	// readBytes is how many bytes are as much work to look at as one is to read.
	readBytes = 16
)

func misfit(want string, data any) value {
	return failure(fmt.Sprintf("invalid data, expected %s, got %T", want, data))
}

func adaptString(data any, n *plan.Node) value {
	s, ok := data.(string)
	if !ok {
		return misfit("string", data)
	}
	switch n.Format {
	case "duration":
		d, err := clock.SchemaDuration(s)
		if err != nil {
			return failureOf(err)
		}
		return duration(d)
	case "date":
		t, err := clock.SchemaDate(s)
		if err != nil {
			return failureOf(err)
		}
		return timestamp(t)
	case "date-time":
		t, err := clock.SchemaTimestamp(s)
		if err != nil {
			return failureOf(err)
		}
		return timestamp(t)
	case "byte":
		b, err := clock.SchemaBytes(s)
		if err != nil {
			return failureOf(err)
		}
		return bytes(b)
	}
	return value{kind: kindString, ref: data}
}

// An object's keys are the escaped names of its declared properties; those of a map are its data's keys (CVA-010, CVA-011).
func isObject(n *plan.Node) bool { return len(n.Props) > 0 || n.IsResource() }

// field returns the node of the property or the value called name, or nil. A resource's own fields may be implied ones (CEV-013).
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

// The nodes that stand in for a resource's own fields.
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

// impliedField returns the node that stands in for a resource's declared apiVersion, kind or metadata, or nil if all of them are
// declared in the way that counts (CEV-013).
func impliedField(n *plan.Node, name string) *plan.Node {
	if declared(n, "kind", "string") && declared(n, "apiVersion", "string") && declared(n, "metadata", "object") {
		if m := n.Prop("metadata").Node; declared(m, "name", "string") && declared(m, "generateName", "string") {
			return nil
		}
	}
	if name == "metadata" {
		return impliedMetadata
	}
	return impliedString
}

func declared(n *plan.Node, name, typ string) bool {
	p := n.Prop(name)
	return p != nil && p.Node.Type == typ
}

// find looks key up in a map or an object. A found value may be an error: of data that does not fit, or of a key of a wrong type.
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

// findProperty looks a property of an object up by its declared name: null is as good as absent (CVA-012).
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

// unescape returns the property's name that an escaped name stands for. It is more lenient than the type checker's: a name that
// needs no escape sequence is taken as it is. It returns false for an unknown sequence.
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
			if !declare.Keyword(word) || length != len(name) {
				return "", false
			}
			b.WriteString(word)
		}
		i += length
	}
	return b.String(), true
}

// sequence returns the word between two underscores and two underscores that s begins with, and the length of all that.
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
