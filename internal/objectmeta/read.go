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

	kjson "sigs.k8s.io/json"

	"github.com/crdkit/crdkit/internal/jsonval"
)

// A server reads metadata by encoding it as JSON and decoding that into a Go struct. The functions of this file have
// the same results and error texts, without encoding anything.
//
// If there are several errors, the decoder reports the first wrong type, in the order of the keys. But at a time that
// it cannot parse it stops, and reports that instead.

// Read reads v as a metadata value, as a server does, and returns it as the server writes it back:
//
//   - Unknown keys are dropped, at the top and in owner references and managed fields ([Unknown] names them). Keys are
//     case-sensitive.
//   - null is the zero value everywhere: metadata null is empty, the label a: null is a: "", an owner reference null is
//     an empty one.
//   - Zero values are dropped: empty strings, lists and maps, generation 0, and zero times. Exceptions are a
//     deletionGracePeriodSeconds of 0 and the four strings of an owner reference. A deletionTimestamp or the time of
//     managed fields that is the zero time becomes null.
//   - Times become UTC with whole seconds, whole floats integers. Each byte that is not UTF-8 becomes U+FFFD.
//   - fieldsV1 may be any JSON value.
//
// Anything else is an error, with the text of the server's JSON decoder. So is a Go type that JSON decoding does not
// give, and a fieldsV1 that is nested too deep. Unknown keys may hold anything. With drop, each key of v whose value
// cannot be read is dropped instead, as a server does with objects from its storage: one bad label makes it drop all
// labels. Then the only error is that v is neither an object nor null.
//
// If v is [Canonical], Read returns v itself. Without an error, meta is never nil.
//
// Clauses: OME-001 to OME-004, OME-011, DEC-020, DEC-021.
func Read(v any, drop bool) (meta map[string]any, changed bool, err error) {
	m, ok := v.(map[string]any)
	switch {
	case ok || isNull(v):
	case drop:
		return nil, false, fmt.Errorf("invalid metadata: expected object, got %T", v)
	default:
		return nil, false, errors.New("json: cannot unmarshal " + kindOf(v) + " into Go value of type v1.ObjectMeta")
	}
	r := reader{drop: drop}
	if meta, changed = r.object(Metadata, m); r.err != nil {
		return nil, false, r.err
	}
	return meta, changed, nil
}

// Canonical reports whether v is a metadata value that [Read] returns unchanged. It allocates nothing if it is.
// Metadata in the answer of a server is canonical.
//
// Clauses: OME-001, OME-004, EMB-005.
func Canonical(v any) bool {
	m, ok := v.(map[string]any)
	if !ok || m == nil {
		return false
	}
	for k, v := range m {
		if f := Metadata.member(k); f == nil || !f.canonical(v) {
			return false
		}
	}
	return true
}

// canonical reports whether reading does not change v, a value of m.
func (m *Member) canonical(v any) bool {
	var r reader
	_, is := r.value(m, v)
	return is == unchanged
}

// A reader keeps the error of one read.
type reader struct {
	err     error // the first wrong type, or where the decoder stopped
	stopped bool
	drop    bool // what cannot be read is dropped from [Metadata]
}

// refuse records that a value of m, or one inside it, has the wrong type.
func (r *reader) refuse(value string, m *Member, goType string) {
	if r.err == nil {
		r.err = typeError(value, m, goType)
	}
}

func typeError(value string, m *Member, goType string) error {
	return errors.New("json: cannot unmarshal " + value + " into Go struct field " + m.goField + " of type " + goType)
}

// fail records an error at which the decoder stops.
func (r *reader) fail(err error) {
	if !r.stopped {
		r.err, r.stopped = err, true
	}
}

// as returns v, a value of m or one inside it, as a T. Null is the zero value. Any other type is an error.
func as[T any](r *reader, m *Member, goType string, v any) T {
	t, ok := v.(T)
	if !ok && !isNull(v) {
		r.refuse(kindOf(v), m, goType)
	}
	return t
}

// object reads an object, nil for null. out is m itself if changed is false, and never nil.
func (r *reader) object(o *Object, m map[string]any) (out map[string]any, changed bool) {
	e := editor{meta: m}
	if m == nil {
		e.change()
	}
	known := 0
	for _, f := range o.ByName {
		v, ok := m[f.Name]
		if ok {
			known++
		} else if !f.Required {
			continue
		}
		read, is := r.value(f, v)
		if r.drop && o == Metadata && r.err != nil {
			r.err, r.stopped, is = nil, false, dropped
		}
		switch {
		case is == dropped:
			e.remove(f.Name)
		case is == changedTo || !ok:
			e.set(f.Name, read)
		}
	}
	if known < len(m) {
		e.change()
		maps.DeleteFunc(e.meta, func(k string, _ any) bool { return o.member(k) == nil })
	}
	return e.meta, e.changed
}

// A result says what reading does with a value.
type result uint8

const (
	unchanged result = iota
	changedTo
	dropped
)

// value reads the value v of m.
func (r *reader) value(m *Member, v any) (out any, is result) {
	switch {
	case m.Kind == String && isText(v) && (m.Required || v != ""):
		return v, unchanged
	case isNull(v) && !m.Required:
		return nil, dropped
	}
	switch m.Kind {
	case String:
		if s := validText(as[string](r, m, m.goType, v)); m.Required || s != "" {
			return s, changedTo
		}
	case Integer, IntegerPointer:
		n, ok := v.(int64)
		if !ok {
			n = r.int64(m, v)
		}
		switch {
		case n == 0 && m.Kind == Integer:
		case ok:
			return v, unchanged
		default:
			return n, changedTo
		}
	case BoolPointer:
		if _, ok := v.(bool); ok {
			return v, unchanged
		}
		r.refuse(kindOf(v), m, m.goType)
	case Time, TimePointer:
		return r.time(m, v)
	case JSON:
		if canonicalJSON(v, fieldsV1Depth) {
			return v, unchanged
		}
		out, err := throughJSON(m, v)
		if err != nil {
			r.fail(err)
		}
		return out, changedTo
	case StringMap:
		return r.stringMap(m, v)
	default:
		return r.list(m, v)
	}
	return nil, dropped
}

// int64 reads a number that is not an int64. A whole float is an integer.
func (r *reader) int64(m *Member, v any) int64 {
	f, ok := v.(float64)
	if !ok {
		r.refuse(kindOf(v), m, m.goType)
		return 0
	}
	text, err := json.Marshal(f)
	if err != nil {
		r.fail(err)
		return 0
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		r.refuse("number "+string(text), m, m.goType)
	}
	return n
}

func (r *reader) time(m *Member, v any) (out any, is result) {
	s, ok := v.(string)
	if !ok {
		r.fail(typeError(kindOf(v), m, m.goType))
		return nil, dropped
	}
	if CanonicalTime(s) {
		return v, unchanged
	}
	t, err := time.Parse(time.RFC3339, validText(s))
	switch {
	case err != nil:
		r.fail(err)
	case !t.IsZero():
		return t.UTC().Format(time.RFC3339), changedTo
	case m.Kind == TimePointer:
		return nil, changedTo
	}
	return nil, dropped
}

func (r *reader) stringMap(m *Member, v any) (out any, is result) {
	from := as[map[string]any](r, m, m.goType, v)
	if len(from) == 0 {
		return nil, dropped
	}
	if _, canonical, _ := walkStrings(from, nil); canonical {
		return v, unchanged
	}
	to := make(map[string]any, len(from))
	for _, k := range slices.Sorted(maps.Keys(from)) { // Of keys that become equal the last one wins.
		to[validText(k)] = validText(as[string](r, m, "string", from[k]))
	}
	return to, changedTo
}

// walkStrings reports whether all keys and values of a StringMap are strings of valid UTF-8 (canonical), and if so,
// returns their size in bytes and whether all are valid. A nil valid function accepts all.
func walkStrings(m map[string]any, valid func(key, value string) bool) (size int, canonical, allValid bool) {
	allValid = true
	for k, v := range m {
		s, ok := v.(string)
		if !ok || !utf8.ValidString(k) || !utf8.ValidString(s) {
			return 0, false, false
		}
		size += len(k) + len(s)
		allValid = allValid && (valid == nil || valid(k, s))
	}
	return size, true, allValid
}

func (r *reader) list(m *Member, v any) (out any, is result) {
	from := as[[]any](r, m, m.goType, v)
	if len(from) == 0 {
		return nil, dropped
	}
	var to []any // a copy, made at the first change
	for i, item := range from {
		if read, changed := r.item(m, item); changed {
			to = jsonval.WithItem(to, from, i, read)
		}
	}
	if to == nil {
		return v, unchanged
	}
	return to, changedTo
}

func (r *reader) item(m *Member, v any) (out any, changed bool) {
	goType := m.goType[len("[]"):]
	if m.Kind == ObjectList {
		return r.object(m.Items, as[map[string]any](r, m, goType, v))
	}
	if isText(v) {
		return v, false
	}
	return validText(as[string](r, m, goType, v)), true
}

// maxDepth is the decoder's limit on nested containers, the metadata being the first (DEC-007). A fieldsV1 is in three
// others.
const (
	maxDepth      = 10000
	fieldsV1Depth = 4
)

// canonicalJSON reports whether [throughJSON] does not change v. depth is that of v if it is a container, 1 for the
// outermost one.
func canonicalJSON(v any, depth int) bool {
	switch x := v.(type) {
	case nil, bool, int64:
		return true
	case string:
		return utf8.ValidString(x)
	case float64:
		_, changed := jsonval.Stored(v)
		return !changed && !math.IsNaN(x) && !math.IsInf(x, 0)
	case []any:
		if x == nil || depth > maxDepth {
			return false
		}
		for _, v := range x {
			if !canonicalJSON(v, depth+1) {
				return false
			}
		}
		return true
	case map[string]any:
		if x == nil || depth > maxDepth {
			return false
		}
		for k, v := range x {
			if !utf8.ValidString(k) || !canonicalJSON(v, depth+1) {
				return false
			}
		}
		return true
	}
	return false
}

// throughJSON returns v, a value of m, after encoding it as JSON and decoding that.
func throughJSON(m *Member, v any) (out any, err error) {
	b := jsonval.NewBudget()
	b.Each(v, maxDepth-fieldsV1Depth+1, 1, func(v any, _ int) bool {
		if _, isFloat := v.(float64); isFloat || isNull(v) {
			return true
		}
		if err = typeError(kindOf(v), m, m.goType); jsonval.IsContainer(v) {
			err = errTooDeep
		}
		return false
	})
	if b.Size < 0 {
		err = errTooDeep
	}
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(v)
	if err == nil {
		err = kjson.UnmarshalCaseSensitivePreserveInts(text, &out)
	}
	return out, err
}

// errTooDeep is the decoder's error. The decoder names the bracket that is too deep; here it is always the same one.
var errTooDeep = errors.New("invalid character '{' exceeded max depth")

// isNull reports whether v is written as null: nil, or a nil map or list.
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

// kindOf returns the JSON type of v, which is not null, as the decoder names it.
func kindOf(v any) string {
	switch v.(type) {
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

// isText reports whether v is a string of valid UTF-8.
func isText(v any) bool {
	s, ok := v.(string)
	return ok && utf8.ValidString(s)
}

// validText returns s with each byte replaced that is not UTF-8, as in encoding/json.
func validText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s)) // Each of these bytes becomes U+FFFD.
}

// CanonicalTime reports whether s is a time as the server writes it, in UTC with whole seconds. It does not write the
// zero time.
func CanonicalTime(s string) bool {
	if len(s) != len("2006-01-02T15:04:05Z") || s[len(s)-1] != 'Z' {
		return false
	}
	t, err := time.Parse(time.RFC3339, s)
	return err == nil && !t.IsZero()
}

// Unknown returns the paths of what [Read] drops from v because metadata has no such key: name.Name,
// ownerReferences[0].colour. They are relative to v, in the order of its keys, those of a list in the order of its
// items. There are at most 100, each once (DEC-005).
//
// Keys are not escaped. Two labels or annotations whose keys become equal because they are not UTF-8 are named too: the
// server reports one of them as a duplicate. There are none if Read refuses v, or if v cannot be encoded.
//
// Clauses: OME-005, DEC-022.
func Unknown(v any) (paths []string) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	unknown, _ := kjson.UnmarshalStrict(text, NewKeys())
	for _, e := range unknown {
		paths = append(paths, e.(kjson.FieldError).FieldPath())
	}
	return paths
}

// GroupVersion splits an apiVersion at its slash. Without a slash, it is a version of the core group, whose name is
// empty. Both parts may be empty.
//
// Clause: DEC-013.
func GroupVersion(apiVersion string) (group, version string, err error) {
	group, version, slash := strings.Cut(apiVersion, "/")
	if !slash {
		return "", apiVersion, nil
	}
	if strings.Contains(version, "/") {
		return "", "", errors.New("unexpected GroupVersion string: " + apiVersion)
	}
	return group, version, nil
}

// APIVersion returns the apiVersion of a version of a group. The core group has no name, and its apiVersions have no
// slash.
func APIVersion(group, version string) string {
	if group == "" {
		return version
	}
	return group + "/" + version
}

// text returns v as a string, empty if it is not one.
//
//go:noinline
func text(v any) string {
	s, _ := v.(string)
	return s
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}
