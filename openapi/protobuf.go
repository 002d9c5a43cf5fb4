package openapi

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// AppendProtobuf appends a version 2 document to dst in protobuf: as the message openapi.v2.Document of
// github.com/google/gnostic-models, which clients request as
// application/com.github.proto-openapi.spec.v2@v1.0+protobuf. Members keep the order of the document. Extensions and
// values of any type (enum, default, example) are YAML in the message.
//
// If the document has a member that the message does not have, or a value of another type, the error has its path. This
// can occur only in parts that [MergeV2] has taken from its static document. A document of another version is also an
// error. After an error dst is unchanged.
//
// Time and memory are linear in the document.
func (d *Document) AppendProtobuf(dst []byte) ([]byte, error) {
	if d.format != formatV2 {
		return dst, errors.New("openapi: a document to write in protobuf is not of version 2")
	}
	e := protoEncoder{dec: protoDecoder(d.json)}
	if err := e.members(e.next(), protoMessages["Document"]); err != nil {
		return dst, fmt.Errorf("openapi: %s: %w", strings.Join(e.path, "."), err)
	}
	return e.appendTo(dst), nil
}

func protoDecoder(text []byte) *json.Decoder {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	return dec
}

// A protoEncoder writes JSON as a message. The length of a message precedes it, but is known only after the message is
// written. So lengths are stored separately until the end. Inserting them earlier would take quadratic time.
type protoEncoder struct {
	dec     *json.Decoder
	path    []string      // of the current value
	content []byte        // without the lengths of messages
	lengths []protoLength // sorted by position
	size    int           // of all lengths of finished messages, in bytes
}

// A protoLength is the length of the message that begins at an offset in the content.
type protoLength struct{ at, length int }

// appendTo appends the content, with lengths, to dst.
func (e *protoEncoder) appendTo(dst []byte) []byte {
	dst = slices.Grow(dst, len(e.content)+e.size)
	from := 0
	for _, l := range e.lengths {
		dst = binary.AppendUvarint(append(dst, e.content[from:l.at]...), uint64(l.length))
		from = l.at
	}
	return append(dst, e.content[from:]...)
}

// The wire types.
const (
	protoVarint = 0
	protoDouble = 1
	protoBytes  = 2
)

func (e *protoEncoder) tag(number, wire int) {
	e.content = binary.AppendUvarint(e.content, uint64(number)<<3|uint64(wire))
}

func (e *protoEncoder) text(number int, s string) {
	e.tag(number, protoBytes)
	e.content = append(binary.AppendUvarint(e.content, uint64(len(s))), s...)
}

// message writes a message whose fields are written by the function fields.
func (e *protoEncoder) message(number int, fields func() error) error {
	e.tag(number, protoBytes)
	i, size := len(e.lengths), e.size
	e.lengths = append(e.lengths, protoLength{at: len(e.content)})
	if err := fields(); err != nil {
		return err
	}
	l := &e.lengths[i]
	l.length = len(e.content) - l.at + e.size - size
	e.size += len(binary.AppendUvarint(nil, uint64(l.length)))
	return nil
}

// errProtoType is the error for a value whose type is not that of the field.
var errProtoType = errors.New("the message has another type here")

// next returns the next token. A Document is valid JSON, so there are no errors.
func (e *protoEncoder) next() json.Token {
	tok, _ := e.dec.Token()
	return tok
}

// members writes the members of an object. tok is its first token, which has been read.
func (e *protoEncoder) members(tok json.Token, m protoMessage) error {
	if tok != json.Delim('{') {
		return errProtoType
	}
	for e.dec.More() {
		name := e.next().(string)
		e.path = append(e.path, name)
		if err := e.member(name, m); err != nil {
			return err
		}
		e.path = e.path[:len(e.path)-1]
	}
	e.next()
	return nil
}

// member writes the value of the member whose name has been read.
func (e *protoEncoder) member(name string, m protoMessage) error {
	f, ok := m[name]
	if ok {
		return e.field(f)
	}
	if f, ok = m[extension]; !ok || !strings.HasPrefix(name, extension) {
		f, ok = m[others]
	}
	if !ok {
		return errors.New("the message has no such member")
	}
	return e.message(f.number, func() error {
		e.text(1, name)
		return e.field(protoField{2, f.of})
	})
}

// field writes the next value as a field, unless it is null.
func (e *protoEncoder) field(f protoField) error {
	if choices := protoByMember[f.of]; choices != nil {
		return e.chosen(f.number, choices)
	}
	tok := e.next()
	element, list := strings.CutPrefix(f.of, "[]")
	switch {
	case tok == nil && f.of != "Any":
		return nil
	case list && tok != json.Delim('['):
		return errProtoType
	case list:
		return e.items(protoField{f.number, element})
	}
	return e.value(f.number, f.of, tok)
}

// items writes each item of a list as a field. The first token of the list has been read.
func (e *protoEncoder) items(f protoField) error {
	for i := 0; e.dec.More(); i++ {
		e.path = append(e.path, strconv.Itoa(i))
		if err := e.field(f); err != nil {
			return err
		}
		e.path = e.path[:len(e.path)-1]
	}
	e.next()
	return nil
}

// chosen writes the next value as a message with the first of the fields that applies to it.
func (e *protoEncoder) chosen(number int, choices []protoChoice) error {
	var text json.RawMessage
	if _ = e.dec.Decode(&text); string(text) == "null" {
		return nil
	}
	var p protoPeek
	if json.Unmarshal(text, &p) != nil {
		return errProtoType
	}
	outer := e.dec
	e.dec = protoDecoder(text)
	defer func() { e.dec = outer }()
	i := slices.IndexFunc(choices, func(c protoChoice) bool { return c.applies(p) })
	return e.message(number, func() error { return e.field(choices[i].field) })
}

// value writes a value as a field. tok is its first token, which has been read.
func (e *protoEncoder) value(number int, of string, tok json.Token) error {
	switch of {
	case "string":
		s, ok := tok.(string)
		if !ok {
			return errProtoType
		}
		e.text(number, s)
		return nil
	case "bool":
		b, ok := tok.(bool)
		if !ok {
			return errProtoType
		}
		e.tag(number, protoVarint)
		e.content = append(e.content, 0)
		if b {
			e.content[len(e.content)-1] = 1
		}
		return nil
	case "int":
		n, _ := tok.(json.Number)
		i, err := n.Int64()
		if err != nil {
			return errProtoType
		}
		e.tag(number, protoVarint)
		e.content = binary.AppendUvarint(e.content, uint64(i))
		return nil
	case "double":
		n, _ := tok.(json.Number)
		x, err := n.Float64()
		if err != nil {
			return errProtoType
		}
		e.tag(number, protoDouble)
		e.content = binary.LittleEndian.AppendUint64(e.content, math.Float64bits(x))
		return nil
	case "Any":
		return e.message(number, func() error {
			e.text(2, string(e.yaml(tok)))
			return nil
		})
	case "TypeItem", "StringArray":
		return e.message(number, func() error {
			if tok == json.Delim('[') {
				return e.items(protoField{1, "string"})
			}
			return e.value(1, "string", tok)
		})
	case "ItemsItem":
		return e.message(number, func() error { return e.value(1, "Schema", tok) })
	case "AdditionalPropertiesItem":
		return e.message(number, func() error {
			if _, ok := tok.(bool); ok {
				return e.value(2, "bool", tok)
			}
			return e.value(1, "Schema", tok)
		})
	}
	return e.message(number, func() error { return e.members(tok, protoMessages[of]) })
}

// yaml returns a value as YAML. tok is its first token, which has been read. Clients parse the YAML, but some also
// compare the text. So an object, a list, and the objects of a list are in block style, as gnostic writes them. Deeper
// values are in flow style, since indentation would take quadratic space.
func (e *protoEncoder) yaml(tok json.Token) (b []byte) {
	if tok != json.Delim('[') || !e.dec.More() {
		return append(e.yamlBlock(b, tok, "\n"), '\n')
	}
	for e.dec.More() {
		b = append(e.yamlBlock(append(b, "- "...), e.next(), "\n  "), '\n')
	}
	e.next()
	return b
}

// yamlBlock appends an object with one member per line, or any other value in flow style.
func (e *protoEncoder) yamlBlock(b []byte, tok json.Token, newline string) []byte {
	if tok == json.Delim('{') && e.dec.More() {
		return e.yamlMembers(b, newline)
	}
	return e.yamlFlow(b, tok)
}

// yamlMembers appends the members of an object, separated by between.
func (e *protoEncoder) yamlMembers(b []byte, between string) []byte {
	for first := true; e.dec.More(); first = false {
		if !first {
			b = append(b, between...)
		}
		b = append(appendYAML(b, e.next().(string)), ": "...)
		b = e.yamlFlow(b, e.next())
	}
	e.next()
	return b
}

// yamlFlow appends a value in flow style. tok is its first token, which has been read.
func (e *protoEncoder) yamlFlow(b []byte, tok json.Token) []byte {
	switch x := tok.(type) {
	case bool:
		return strconv.AppendBool(b, x)
	case json.Number:
		return append(b, x...)
	case string:
		return appendYAML(b, x)
	case json.Delim:
		if x == '{' {
			return append(e.yamlMembers(append(b, '{'), ", "), '}')
		}
		b = append(b, '[')
		for first := true; e.dec.More(); first = false {
			if !first {
				b = append(b, ", "...)
			}
			b = e.yamlFlow(b, e.next())
		}
		e.next()
		return append(b, ']')
	}
	return append(b, "null"...)
}

// appendYAML appends a string. It is quoted unless every YAML parser reads it as a string without quotes. All Go
// escapes are also YAML escapes.
func appendYAML(b []byte, s string) []byte {
	if plainYAML(s) {
		return append(b, s...)
	}
	return strconv.AppendQuoteToASCII(b, s)
}

// plainYAML reports whether s is a word, a path or a version, and not a word such as true or null, which has another
// meaning.
func plainYAML(s string) bool {
	if len(s) < 2 || s[0]|0x20 < 'a' || s[0]|0x20 > 'z' {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') && c != '.' && c != '-' && c != '/' {
			return false
		}
	}
	switch strings.ToLower(s) {
	case "true", "false", "yes", "no", "on", "off", "null":
		return false
	}
	return true
}
