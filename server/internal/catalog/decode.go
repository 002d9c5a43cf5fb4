package catalog

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/crdkit/crdkit/internal/cel/lib/quantity"
	"github.com/crdkit/crdkit/internal/jsonscan"
)

// This file finds the errors with which a server decodes JSON into a Go type. The first value of a wrong type is the
// error, unless a type with its own form refuses a later one: that ends the decoding.

// maxFindings is how many findings strict decoding has at most.
const maxFindings = 100

// DecodeError returns the error with which a server's decoder refuses text, the JSON of an object of a type, or nil. It
// returns nil for texts that package jsonscan declines. It takes time linear in text.
func (t Types) DecodeError(of string, text []byte) error {
	_, err := t.decode(of, text, false)
	return err
}

// DecodeStrict is like [Types.DecodeError]. If there is no error, it returns the unknown and the duplicate fields in the
// order of the text, at most 100.
func (t Types) DecodeStrict(of string, text []byte) (findings []string, err error) {
	return t.decode(of, text, true)
}

func (t Types) decode(of string, text []byte, strict bool) (findings []string, err error) {
	s := jsonscan.New(text)
	defer s.Release()
	d := decoding{types: t, s: s, strict: strict, root: of}
	stop := d.value(of, usualName(of))
	switch {
	case stop == nil && !s.End(), s.Declined():
		return nil, nil
	case stop != nil:
		return nil, stop
	case d.first != nil:
		return nil, d.first
	}
	return d.findings, nil
}

// A decoding is at one value of a text.
type decoding struct {
	types Types
	root  string
	s     *jsonscan.Scanner
	owner string   // the name of the innermost struct; empty: none
	path  []string // of fields, with embedded structs, as errors have it
	first error

	strict   bool     // looks for unknown and duplicate fields
	place    []string // of fields and items, as findings have it
	findings []string
	seen     map[string]bool
}

// value reads a value of a type, whose Go type has a name. An error ends the decoding.
func (d *decoding) value(of, name string) error {
	kind := d.s.Kind()
	if kind == jsonscan.Null {
		d.s.Null()
		return nil
	}
	if element, ok := strings.CutPrefix(of, "[]"); ok {
		if kind != jsonscan.Array {
			return d.wrong(kind, name)
		}
		return d.items(element, elementName(name, element))
	}
	if element, ok := strings.CutPrefix(of, "{}"); ok {
		if kind != jsonscan.Object {
			return d.wrong(kind, name)
		}
		return d.members(element, elementName(name, element))
	}
	if s := d.types[of]; s != nil {
		if kind != jsonscan.Object {
			return d.wrong(kind, name)
		}
		return d.object(of, name)
	}
	return d.scalar(of, name, kind)
}

func (d *decoding) scalar(of, name string, kind jsonscan.Kind) error {
	switch of {
	case "string":
		if kind != jsonscan.String {
			return d.wrong(kind, name)
		}
	case "bool":
		if kind != jsonscan.Bool {
			return d.wrong(kind, name)
		}
	case "int", "float", "byte":
		if kind != jsonscan.Number {
			return d.wrong(kind, name)
		}
		text := string(d.s.Raw())
		if !isNumber(text, name) {
			d.save("number "+text, name)
		}
		return nil
	case "bytes":
		if kind == jsonscan.Array {
			return d.items("byte", "uint8")
		}
		if kind != jsonscan.String {
			return d.wrong(kind, name)
		}
		if _, err := base64.StdEncoding.DecodeString(d.s.Text()); err != nil && d.first == nil {
			d.first = err
		}
		return nil
	case "time", "duration", "quantity", "intOrString":
		return d.special(of, name)
	}
	d.s.Skip()
	return nil
}

// isNumber reports whether a number can be stored in a type.
func isNumber(text, name string) bool {
	var err error
	switch name {
	case "int64":
		_, err = strconv.ParseInt(text, 10, 64)
	case "uint8":
		_, err = strconv.ParseUint(text, 10, 8)
	case "float64":
		_, err = strconv.ParseFloat(text, 64)
	default:
		_, err = strconv.ParseInt(text, 10, 32)
	}
	return err == nil
}

// special reads a value of a type that decodes itself.
func (d *decoding) special(of, name string) error {
	if text := d.s.Raw(); text != nil {
		return d.specialText(of, name, text)
	}
	return nil
}

func (d *decoding) specialText(of, name string, text []byte) error {
	var err error
	if of == "quantity" {
		_, err = quantity.Parse(strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(string(text), `"`), `"`)))
		return err
	}
	if of == "intOrString" && text[0] != '"' {
		err = json.Unmarshal(text, new(int32))
	} else {
		var value string
		if err = json.Unmarshal(text, &value); err == nil {
			switch {
			case of == "duration":
				_, err = time.ParseDuration(value)
			case of == "time" && name == "v1.MicroTime":
				_, err = time.Parse("2006-01-02T15:04:05.000000Z07:00", value)
			case of == "time":
				_, err = time.Parse(time.RFC3339, value)
			}
		}
	}
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return d.mismatch(wrong.Value, wrong.Type.String())
	}
	return err
}

func (d *decoding) items(of, name string) error {
	place := len(d.place)
	for i, more := 0, d.s.FirstItem(); more; i, more = i+1, d.s.NextItem() {
		if d.strict {
			d.place = append(d.place, "["+strconv.Itoa(i)+"]")
		}
		if err := d.value(of, name); err != nil {
			return err
		}
		d.place = d.place[:place]
	}
	return nil
}

func (d *decoding) members(of, name string) error {
	place := len(d.place)
	var keys map[string]bool
	for key, more := d.s.FirstKey(); more; key, more = d.s.NextKey() {
		d.duplicate(&keys, key)
		d.at(key)
		if err := d.value(of, name); err != nil {
			return err
		}
		d.place = d.place[:place]
	}
	return nil
}

func (d *decoding) object(of, name string) error {
	owner, path, place := d.owner, len(d.path), len(d.place)
	own := lastPart(name)
	var keys map[string]bool
	for key, more := d.s.FirstKey(); more; key, more = d.s.NextKey() {
		embedded, f := d.field(of, key)
		if f == nil {
			d.find("unknown field ", key)
			d.s.Skip()
			continue
		}
		d.duplicate(&keys, key)
		d.owner = own
		d.path = append(append(d.path, embedded...), key)
		d.at(key)
		if err := d.value(f.Type, f.goName()); err != nil {
			return err
		}
		d.owner, d.path, d.place = owner, d.path[:path], d.place[:place]
	}
	return nil
}

// typeField is one of the two fields of each object, in the embedded struct TypeMeta.
var typeField = Field{Type: "string"}

// field returns a field of a struct, and the names of the embedded structs that it is in.
func (d *decoding) field(of, name string) (embedded []string, f *Field) {
	if (name == "kind" || name == "apiVersion") && (of == d.root || of == "meta.v1.DeleteOptions" || of == "core.v1.PersistentVolumeClaim") {
		return []string{"TypeMeta"}, &typeField
	}
	s := d.types[of]
	for i := range s.Fields {
		if s.Fields[i].Name == name {
			return nil, &s.Fields[i]
		}
	}
	for i := range s.Fields {
		if s.Fields[i].Name != "" {
			continue
		}
		inner := s.Fields[i].Type
		if names, f := d.field(inner, name); f != nil {
			return append([]string{lastPart(inner)}, names...), f
		}
	}
	return nil, nil
}

func lastPart(of string) string { return of[strings.LastIndexByte(of, '.')+1:] }

// wrong saves the error about a value of the wrong type, and skips it.
func (d *decoding) wrong(kind jsonscan.Kind, name string) error {
	d.save(kindNames[kind], name)
	d.s.Skip()
	return nil
}

var kindNames = map[jsonscan.Kind]string{
	jsonscan.Bool: "bool", jsonscan.Number: "number", jsonscan.String: "string", jsonscan.Array: "array", jsonscan.Object: "object",
}

func (d *decoding) save(value, name string) {
	if d.first == nil {
		d.first = d.mismatch(value, name)
	}
}

func (d *decoding) mismatch(value, name string) error {
	if d.owner == "" {
		return errors.New("json: cannot unmarshal " + value + " into Go value of type " + name)
	}
	return errors.New("json: cannot unmarshal " + value + " into Go struct field " + d.owner + "." + strings.Join(d.path, ".") + " of type " + name)
}

func (d *decoding) at(key string) {
	if d.strict {
		d.place = append(d.place, "."+key)
	}
}

// duplicate adds a key of an object to those before it, and finds one that comes again.
func (d *decoding) duplicate(keys *map[string]bool, key string) {
	switch {
	case !d.strict:
		return
	case *keys == nil:
		*keys = map[string]bool{}
	case (*keys)[key]:
		d.find("duplicate field ", key)
	}
	(*keys)[key] = true
}

// find adds a finding about a field of the value.
func (d *decoding) find(what, key string) {
	if !d.strict || len(d.findings) == maxFindings {
		return
	}
	text := what + strconv.Quote(strings.TrimPrefix(strings.Join(d.place, "")+"."+key, "."))
	if d.seen[text] {
		return
	}
	if d.seen == nil {
		d.seen = map[string]bool{}
	}
	d.seen[text] = true
	d.findings = append(d.findings, text)
}

// goName returns the name of the field's Go type. For a pointer, it is that of its target.
func (f *Field) goName() string {
	if f.Go != "" {
		return f.Go
	}
	return usualName(f.Type)
}

// elementName returns the name of the Go type of the elements of a list or map.
func elementName(name, element string) string {
	if rest, ok := strings.CutPrefix(name, "[]"); ok {
		return strings.TrimPrefix(rest, "*")
	}
	if rest, ok := strings.CutPrefix(name, "map["); ok {
		if _, value, ok := strings.Cut(rest, "]"); ok {
			return strings.TrimPrefix(value, "*")
		}
	}
	return usualName(element)
}

// usualNames are the names of most Go types.
var usualNames = map[string]string{
	"string": "string", "bool": "bool", "int": "int32", "float": "float64", "bytes": "[]uint8", "time": "v1.Time", "duration": "v1.Duration",
	"quantity": "resource.Quantity", "intOrString": "intstr.IntOrString", "raw": "runtime.RawExtension",
}

// usualName returns the name of the Go type of most fields of a type. parity/cmd/builtins has the same rules.
func usualName(of string) string {
	if element, ok := strings.CutPrefix(of, "[]"); ok {
		return "[]" + usualName(element)
	}
	if element, ok := strings.CutPrefix(of, "{}"); ok {
		return "map[string]" + usualName(element)
	}
	if name := usualNames[of]; name != "" {
		return name
	}
	parts := strings.Split(of, ".")
	return strings.Join(parts[max(0, len(parts)-2):], ".")
}
