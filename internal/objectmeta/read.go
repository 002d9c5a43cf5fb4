package objectmeta

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// A server reads metadata by encoding it as JSON and decoding that into a Go struct. This file has the same effects, and the
// errors with the same texts, without the detour.
//
// Of several errors, the decoder reports the first of the wrong types, unless a time that it could not read comes anywhere in the
// document: it stops there and reports that. The document's keys are sorted.

// Read reads v as a metadata value, as the server reads that of a request, and returns it as the server writes it back:
//
//   - Keys that metadata does not have vanish, at the top and in owner references and managed fields ([Unknown] names them). Keys
//     are case-sensitive.
//   - null is the zero value everywhere: metadata null is empty, the label a: null is a: "", an owner reference null is an empty one.
//   - Zero values vanish: empty strings, lists and maps, generation 0, and times that are zero. What stays: a deletionGracePeriodSeconds
//     of 0, the four strings of an owner reference, and the null that a deletionTimestamp or the time of managed fields
//     becomes which is the zero time.
//   - Times become UTC with whole seconds, whole floats integers. Bytes in strings that are no UTF-8 become U+FFFD.
//   - fieldsV1 may be any JSON value, and stays.
//
// Anything else is an error, with the text of the server's JSON decoder. So is another Go type than those that JSON decoding
// gives, and a fieldsV1 that is nested too deep; unknown keys may hold anything.
//
// Read does not modify v. If v is [Canonical], it returns v itself, unchanged, and does not allocate; else meta is a new map that
// shares with v what did not change, so neither may be modified while the other is in use. It is never nil without an error.
//
// Clauses: OME-001, OME-002, OME-004, OME-011, DEC-020.
func Read(v any) (meta map[string]any, changed bool, err error) {
	if Canonical(v) {
		return v.(map[string]any), false, nil
	}
	m, ok := v.(map[string]any)
	if !ok && !isNull(v) {
		return nil, false, errors.New("json: cannot unmarshal " + kindOf(v) + " into Go value of type v1.ObjectMeta")
	}
	meta = make(map[string]any, len(m))
	var r reader
	for i := range members {
		r.member(&members[i], m, meta)
	}
	if err := r.err(); err != nil {
		return nil, false, err
	}
	return meta, true, nil
}

// ReadDropping reads v as [Read] does, but leaves out each key of v whose value is not readable, as the server does with objects
// from its storage. One bad label is enough for all labels to be left out. Only a v that is neither an object nor null is an error.
//
// Clauses: OME-003, DEC-021.
func ReadDropping(v any) (meta map[string]any, changed bool, err error) {
	if meta, changed, err = Read(v); err == nil {
		return meta, changed, nil
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, false, fmt.Errorf("invalid metadata: expected object, got %T", v)
	}
	meta = make(map[string]any, len(m))
	for i := range members {
		var r reader
		if r.member(&members[i], m, meta); r.err() != nil {
			delete(meta, members[i].name)
		}
	}
	return meta, true, nil
}

// A member is one key of metadata.
type member struct {
	name      string
	canonical func(v any) bool
	// read returns the value to write back, and whether to write one. v is not canonical. Errors go to r.
	read func(r *reader, at place, v any) (out any, keep bool)
}

// members are the keys of metadata, sorted: the order in which the decoder meets them.
var members = [...]member{
	{"annotations", canonicalTexts, (*reader).texts},
	{"creationTimestamp", canonicalTime, (*reader).time},
	{"deletionGracePeriodSeconds", never, (*reader).integerPointer},
	{"deletionTimestamp", canonicalTime, (*reader).timePointer},
	{"finalizers", canonicalFinalizers, (*reader).finalizers},
	{"generateName", canonicalText, (*reader).string},
	{"generation", never, (*reader).integer},
	{"labels", canonicalTexts, (*reader).texts},
	{"managedFields", canonicalManagedFields, (*reader).managedFields},
	{"name", canonicalText, (*reader).string},
	{"namespace", canonicalText, (*reader).string},
	{"ownerReferences", canonicalOwners, (*reader).owners},
	{"resourceVersion", canonicalText, (*reader).string},
	{"selfLink", canonicalText, (*reader).string},
	{"uid", canonicalText, (*reader).uid},
}

func never(any) bool { return false }

func isMember(key string) bool {
	_, found := slices.BinarySearchFunc(members[:], key, func(m member, k string) int { return strings.Compare(m.name, k) })
	return found
}

// A place is where a value stands, in the words of the decoder: the Go struct, and the keys down to the value.
type place struct {
	goStruct string
	list     string // ownerReferences, managedFields; empty at the top
	key      string
}

func (p place) String() string {
	if p.list != "" {
		return p.goStruct + "." + p.list + "." + p.key
	}
	return p.goStruct + "." + p.key
}

// A reader collects the error of one read.
type reader struct {
	wrongType error // the first wrong type
	stop      error // what the decoder stops at: it reports this whatever it met before
}

func (r *reader) err() error {
	if r.stop != nil {
		return r.stop
	}
	return r.wrongType
}

func typeError(value string, at place, goType string) error {
	return errors.New("json: cannot unmarshal " + value + " into Go struct field " + at.String() + " of type " + goType)
}

func (r *reader) refuse(value string, at place, goType string) {
	if r.wrongType == nil {
		r.wrongType = typeError(value, at, goType)
	}
}

func (r *reader) fail(err error) {
	if r.stop == nil {
		r.stop = err
	}
}

// member reads the value that from has for the key f, and puts it into meta.
func (r *reader) member(f *member, from, meta map[string]any) {
	v, ok := from[f.name]
	if !ok {
		return
	}
	if f.canonical(v) {
		meta[f.name] = v
		return
	}
	if out, keep := f.read(r, place{goStruct: "ObjectMeta", key: f.name}, v); keep {
		meta[f.name] = out
	}
}

// text returns the string that v stands for.
func (r *reader) text(at place, goType string, v any) string {
	s, ok := v.(string)
	if !ok && !isNull(v) {
		r.refuse(kindOf(v), at, goType)
	}
	return validText(s)
}

func (r *reader) string(at place, v any) (out any, keep bool) {
	s := r.text(at, "string", v)
	return s, s != ""
}

func (r *reader) uid(at place, v any) (out any, keep bool) {
	s := r.text(at, "types.UID", v)
	return s, s != ""
}

func (r *reader) int64(at place, v any) int64 {
	switch x := v.(type) {
	case int64:
		return x
	case float64:
		text, ok := jsonNumber(x)
		if !ok {
			r.fail(errors.New("json: unsupported value: " + text))
			return 0
		}
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			r.refuse("number "+text, at, "int64")
			return 0
		}
		return n
	}
	if !isNull(v) {
		r.refuse(kindOf(v), at, "int64")
	}
	return 0
}

func (r *reader) integer(at place, v any) (out any, keep bool) {
	n := r.int64(at, v)
	if x, ok := v.(int64); ok && x == n {
		return v, n != 0 // v and not n: boxing it again would allocate.
	}
	return n, n != 0
}

func (r *reader) integerPointer(at place, v any) (out any, keep bool) {
	if _, ok := v.(int64); ok {
		return v, true
	}
	return r.int64(at, v), !isNull(v)
}

// instant reads a time. Both results are zero if v is null, or no time.
func (r *reader) instant(at place, v any) (t time.Time, found bool) {
	s, ok := v.(string)
	if !ok {
		if !isNull(v) {
			r.fail(typeError(kindOf(v), at, "string"))
		}
		return time.Time{}, false
	}
	t, err := time.Parse(time.RFC3339, validText(s))
	if err != nil {
		r.fail(err)
		return time.Time{}, false
	}
	return t, true
}

func (r *reader) time(at place, v any) (out any, keep bool) {
	t, _ := r.instant(at, v)
	return timeText(t), !t.IsZero()
}

// timePointer differs from time in the zero time, which is written as null.
func (r *reader) timePointer(at place, v any) (out any, keep bool) {
	t, found := r.instant(at, v)
	if found && t.IsZero() {
		return nil, true
	}
	return timeText(t), found
}

func timeText(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// texts reads labels or annotations.
func (r *reader) texts(at place, v any) (out any, keep bool) {
	m, ok := v.(map[string]any)
	if !ok {
		if !isNull(v) {
			r.refuse(kindOf(v), at, "map[string]string")
		}
		return nil, false
	}
	read := make(map[string]any, len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) { // Of keys that become the same text the last one counts.
		read[validText(k)] = r.text(at, "string", m[k])
	}
	return read, len(read) > 0
}

func (r *reader) finalizers(at place, v any) (out any, keep bool) {
	list := r.list(at, "[]string", v)
	read := make([]any, len(list))
	for i, v := range list {
		read[i] = r.text(at, "string", v)
	}
	return read, len(read) > 0
}

func (r *reader) list(at place, goType string, v any) []any {
	list, ok := v.([]any)
	if !ok && !isNull(v) {
		r.refuse(kindOf(v), at, goType)
	}
	return list
}

// object returns v as a map, which is empty if v is null, or no object.
func (r *reader) object(at place, goType string, v any) map[string]any {
	m, ok := v.(map[string]any)
	if !ok && !isNull(v) {
		r.refuse(kindOf(v), at, goType)
	}
	return m
}

func (r *reader) owners(at place, v any) (out any, keep bool) {
	list := r.list(at, "[]v1.OwnerReference", v)
	read := make([]any, len(list))
	for i, v := range list {
		from := r.object(at, "v1.OwnerReference", v)
		owner := make(map[string]any, 6)
		in := func(key string) place { return place{"OwnerReference", at.key, key} }
		// In the order of the keys: that is the order of the errors.
		owner["apiVersion"] = r.text(in("apiVersion"), "string", from["apiVersion"])
		r.boolean(in("blockOwnerDeletion"), from, owner)
		r.boolean(in("controller"), from, owner)
		owner["kind"] = r.text(in("kind"), "string", from["kind"])
		owner["name"] = r.text(in("name"), "string", from["name"])
		owner["uid"] = r.text(in("uid"), "types.UID", from["uid"])
		read[i] = owner
	}
	return read, len(read) > 0
}

// boolean reads the value that from has at the place, and puts it into to unless it is null.
func (r *reader) boolean(at place, from, to map[string]any) {
	v := from[at.key]
	if isNull(v) {
		return
	}
	if _, ok := v.(bool); !ok {
		r.refuse(kindOf(v), at, "bool")
		return
	}
	to[at.key] = v
}

func (r *reader) managedFields(at place, v any) (out any, keep bool) {
	list := r.list(at, "[]v1.ManagedFieldsEntry", v)
	read := make([]any, len(list))
	for i, v := range list {
		read[i] = r.managedFieldsEntry(at.key, r.object(at, "v1.ManagedFieldsEntry", v))
	}
	return read, len(read) > 0
}

func (r *reader) managedFieldsEntry(list string, from map[string]any) map[string]any {
	entry := make(map[string]any, len(from))
	in := func(key string) place { return place{"ManagedFieldsEntry", list, key} }
	text := func(key, goType string) {
		if s := r.text(in(key), goType, from[key]); s != "" {
			entry[key] = s
		}
	}
	// In the order of the keys: that is the order of the errors.
	text("apiVersion", "string")
	text("fieldsType", "string")
	if v := from["fieldsV1"]; !isNull(v) {
		entry["fieldsV1"], _ = r.json(in("fieldsV1"), v, 4)
	}
	text("manager", "string")
	text("operation", "v1.ManagedFieldsOperationType")
	text("subresource", "string")
	if v, keep := r.timePointer(in("time"), from["time"]); keep {
		entry["time"] = v
	}
	return entry
}

// maxDepth is how deep the decoder lets containers nest, the metadata being the first (DEC-007).
const maxDepth = 10000

// json returns v as it comes out of being written as JSON and read again, v itself if that changes nothing. If v is a container, it
// is the depth-th from the top.
func (r *reader) json(at place, v any, depth int) (out any, changed bool) {
	switch x := v.(type) {
	case nil, bool, int64:
		return v, false
	case string:
		if utf8.ValidString(x) {
			return v, false
		}
		return validText(x), true
	case float64:
		text, ok := jsonNumber(x)
		if !ok {
			r.fail(errors.New("json: unsupported value: " + text))
			return nil, true
		}
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n, true
		}
		return v, false
	case []any:
		if x == nil {
			return nil, true
		}
		if depth > maxDepth {
			r.fail(errors.New("invalid character '[' exceeded max depth"))
			return nil, true
		}
		var list []any                                 // the copy, made at the first change
		for i := 0; i < len(x) && r.stop == nil; i++ { // A cyclic value would keep us busy after its error.
			if c, changed := r.json(at, x[i], depth+1); changed {
				if list == nil {
					list = slices.Clone(x)
				}
				list[i] = c
			}
		}
		if list == nil {
			return v, false
		}
		return list, true
	case map[string]any:
		if x == nil {
			return nil, true
		}
		if depth > maxDepth {
			r.fail(errors.New("invalid character '{' exceeded max depth"))
			return nil, true
		}
		return r.jsonObject(at, x, depth)
	}
	r.fail(typeError(kindOf(v), at, "v1.FieldsV1"))
	return nil, true
}

func (r *reader) jsonObject(at place, x map[string]any, depth int) (out any, changed bool) {
	keys := slices.Sorted(maps.Keys(x)) // Of keys that become the same text the last one counts.
	var m map[string]any                // the copy, made at the first change
	renamed := false
	for _, k := range keys {
		if r.stop != nil {
			return nil, true
		}
		if c, changed := r.json(at, x[k], depth+1); changed {
			if m == nil {
				m = maps.Clone(x)
			}
			m[k] = c
		}
		renamed = renamed || !utf8.ValidString(k)
	}
	if renamed {
		from := x
		if m != nil {
			from = m
		}
		m = make(map[string]any, len(from))
		for _, k := range keys {
			m[validText(k)] = from[k]
		}
	}
	if m == nil {
		return x, false
	}
	return m, true
}

// isNull reports whether v is written as null: nil, and a map or list that is.
func isNull(v any) bool {
	switch x := v.(type) {
	case nil:
		return true
	case map[string]any:
		return x == nil
	case []any:
		return x == nil
	}
	return false
}

// kindOf returns the decoder's word for what v is in JSON.
func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "bool"
	case int64, float64:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return fmt.Sprintf("Go %T", v)
}

// jsonNumber returns f as JSON has it, and false if JSON has no such number.
func jsonNumber(f float64) (text string, ok bool) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return strconv.FormatFloat(f, 'g', -1, 64), false
	}
	b, err := json.Marshal(f)
	return string(b), err == nil
}

// validText returns s with each byte that is no UTF-8 replaced, as encoding does.
func validText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for _, c := range s { // An invalid byte comes as U+FFFD, each on its own.
		b.WriteRune(c)
	}
	return b.String()
}
