package openapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// MergeV2 returns the version 2 document of a server that also serves other resources: static is the JSON document of
// those resources, d is a result of [V2]. Everything in static stays, and d is added to it:
//
//   - A path that static already has is left out, with the definitions that only such paths need. If no path of d is
//     left, the result is static.
//   - A definition that is the same in both occurs once, with the kinds of both. A definition that differs is renamed
//     to NAME_v2, or to the first higher number that is free, and so are the references to it in d. Parameters are
//     handled the same way.
//
// The result has static's members in their order; paths, definitions and parameters are sorted. It is an error if
// static is not an object or not of version 2, or if d is not of version 2. Nothing is modified.
func MergeV2(static []byte, d *Document) (*Document, error) {
	if d == nil || d.format != formatV2 {
		return nil, errors.New("openapi: a document to merge is not of version 2")
	}
	base, err := readStatic(static)
	if err != nil {
		return nil, fmt.Errorf("openapi: static document: %w", err)
	}
	source := d.without(base.paths)
	if len(source.paths) == 0 {
		return base.finish(), nil
	}
	definitions, err := renames(base.schemas, source.schemas, sameDefinition)
	if err != nil {
		return nil, err
	}
	// Parameters are compared after renaming: a parameter that refers to a renamed definition is a different one.
	swap := refReplacer(definitions, nil)
	for i := range source.parameters {
		source.parameters[i].value = swap(source.parameters[i].value)
	}
	parameters, err := renames(base.parameters, source.parameters, reflect.DeepEqual)
	if err != nil {
		return nil, err
	}
	swap = refReplacer(definitions, parameters)
	for _, m := range source.paths {
		base.paths[m.name] = swap(m.value)
	}
	for _, m := range source.schemas {
		name := definitions.of(m.name)
		if have, ok := base.schemas[name]; ok {
			base.schemas[name], err = withKindsOf(have, m.value)
			if err != nil {
				return nil, fmt.Errorf("openapi: definition %s: %w", name, err)
			}
		} else {
			base.schemas[name] = swap(m.value)
		}
	}
	for _, m := range source.parameters {
		if name := parameters.of(m.name); base.parameters[name] == nil {
			base.parameters[name] = m.value
		}
	}
	return base.finish(), nil
}

// A static is a decoded document.
type static struct {
	order []string // of its members
	rest  map[string]json.RawMessage

	paths, schemas, parameters map[string]json.RawMessage
}

// The members that are merged.
const inPaths, inDefinitions, inParameters = "paths", "definitions", "parameters"

func readStatic(text []byte) (*static, error) {
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		return nil, err
	}
	order, members, err := readMembers(compact.Bytes())
	if err != nil {
		return nil, err
	}
	s := &static{order: order, rest: members, paths: map[string]json.RawMessage{}, schemas: map[string]json.RawMessage{},
		parameters: map[string]json.RawMessage{}}
	if string(members["swagger"]) != `"2.0"` {
		return nil, errors.New("swagger is not 2.0")
	}
	for _, part := range []struct {
		name string
		to   *map[string]json.RawMessage
	}{{inPaths, &s.paths}, {inDefinitions, &s.schemas}, {inParameters, &s.parameters}} {
		if members[part.name] == nil {
			s.order = append(s.order, part.name)
		} else if string(members[part.name]) == "null" {
			continue
		} else if _, *part.to, err = readMembers(members[part.name]); err != nil {
			return nil, fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return s, nil
}

// readMembers returns the members of an object, and their names in order. If a name occurs twice, the last value is
// used, in the first position.
func readMembers(text json.RawMessage) (order []string, members map[string]json.RawMessage, err error) {
	if err := json.Unmarshal(text, &members); err != nil || members == nil {
		return nil, nil, errors.New("is not an object")
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	_, _ = dec.Token() // Unmarshal has found that the text is an object: nothing can fail from here on
	seen := make(map[string]bool, len(members))
	for dec.More() {
		key, _ := dec.Token()
		if name, ok := key.(string); ok && !seen[name] {
			seen[name] = true
			order = append(order, name)
		}
		var value json.RawMessage
		_ = dec.Decode(&value)
	}
	return order, members, nil
}

func (s *static) finish() *Document {
	p := parts{paths: membersOf(s.paths), schemas: membersOf(s.schemas), parameters: membersOf(s.parameters)}
	d := &Document{format: formatV2, parts: p}
	for i, name := range s.order {
		d.json = append(d.json, "{,"[min(i, 1)])
		d.json = append(d.format.appendString(d.json, name), ':')
		switch name {
		case inPaths:
			d.appendObject(d.paths)
		case inDefinitions:
			d.appendObject(d.schemas)
		case inParameters:
			d.appendObject(d.parameters)
		default:
			d.json = append(d.json, s.rest[name]...)
		}
	}
	d.json = append(d.json, '}')
	return d
}

func (d *Document) appendObject(members []member) {
	d.json = append(d.json, '{')
	d.appendMembers(members)
	d.json = append(d.json, '}')
}

func membersOf(m map[string]json.RawMessage) []member {
	list := make([]member, 0, len(m))
	for _, name := range slices.Sorted(maps.Keys(m)) {
		list = append(list, member{name, m[name]})
	}
	return list
}

// without returns the parts of d without those paths and without the definitions that only they need. Definitions that
// no path needs stay.
func (d *Document) without(paths map[string]json.RawMessage) parts {
	p := parts{parameters: slices.Clone(d.parameters), schemas: d.schemas}
	for _, m := range d.paths {
		if _, there := paths[m.name]; !there {
			p.paths = append(p.paths, m)
		}
	}
	if len(p.paths) == len(d.paths) {
		return p
	}
	before, after := d.needed(d.paths), d.needed(p.paths)
	p.schemas = slices.DeleteFunc(slices.Clone(d.schemas), func(m member) bool {
		ref := definitionRef + m.name
		return before[ref] && !after[ref]
	})
	return p
}

// needed returns the references to definitions and parameters that paths need, directly or indirectly.
func (d *Document) needed(paths []member) map[string]bool {
	values := map[string][]byte{}
	for _, m := range d.schemas {
		values[definitionRef+m.name] = m.value
	}
	for _, m := range d.parameters {
		values[parameterRef+m.name] = m.value
	}
	needed := map[string]bool{}
	var need func(text []byte)
	need = func(text []byte) {
		for _, rest, ok := bytes.Cut(text, []byte(anyRef)); ok; _, rest, ok = bytes.Cut(rest, []byte(anyRef)) {
			name, _, _ := bytes.Cut(rest, []byte(`"`))
			if ref := anyRef + string(name); !needed[ref] {
				needed[ref] = true
				need(values[ref])
			}
		}
	}
	for _, m := range paths {
		need(m.value)
	}
	return needed
}

// The form of references in the documents that this package writes. Quotes within strings are escaped, so no string
// looks like a reference.
const (
	anyRef        = `"$ref":"#/`
	definitionRef = anyRef + "definitions/"
	parameterRef  = anyRef + "parameters/"
)

// renamed maps old names to new names.
type renamed map[string]string

func (r renamed) of(name string) string { return cmp.Or(r[name], name) }

// renames returns the new names for members of source whose names base uses for different members.
func renames(base map[string]json.RawMessage, source []member, same func(a, b any) bool) (renamed, error) {
	to := renamed{}
	taken := make(map[string]bool, len(base)+len(source))
	for name := range base {
		taken[name] = true
	}
	for _, m := range source {
		taken[m.name] = true
	}
	for _, m := range source {
		if base[m.name] == nil {
			continue
		}
		var mine any
		if err := json.Unmarshal(m.value, &mine); err != nil {
			return nil, err
		}
		// An equal member may already have been added under a new name: that name is used.
		name := m.name
		for i := 2; ; i++ {
			have, ok := base[name]
			if !ok && !taken[name] {
				taken[name] = true
				break
			}
			var theirs any
			if ok && json.Unmarshal(have, &theirs) == nil && same(theirs, mine) {
				break
			}
			name = fmt.Sprintf("%s_v%d", m.name, i)
		}
		if name != m.name {
			to[m.name] = name
		}
	}
	return to, nil
}

const kindsExtension = "x-kubernetes-group-version-kind"

// sameDefinition reports whether two definitions are equal, apart from their kinds.
func sameDefinition(a, b any) bool {
	x, ok1 := a.(map[string]any)
	y, ok2 := b.(map[string]any)
	if !ok1 || !ok2 {
		return reflect.DeepEqual(a, b)
	}
	x, y = maps.Clone(x), maps.Clone(y)
	delete(x, kindsExtension)
	delete(y, kindsExtension)
	return reflect.DeepEqual(x, y)
}

// withKindsOf returns the definition with its own kinds and those of the other definition, sorted.
func withKindsOf(have, other json.RawMessage) (json.RawMessage, error) {
	order, members, err := readMembers(have)
	if err != nil {
		return nil, err
	}
	_, theirs, err := readMembers(other)
	if err != nil || theirs[kindsExtension] == nil {
		return have, err
	}
	kinds := map[string][]byte{}
	add := func(list json.RawMessage) bool {
		var items []json.RawMessage
		if list != nil && json.Unmarshal(list, &items) != nil {
			return false
		}
		for _, item := range items {
			var k struct{ Group, Version, Kind string }
			if json.Unmarshal(item, &k) != nil {
				return false
			}
			if name := k.Group + "/" + k.Version + "." + k.Kind; kinds[name] == nil {
				kinds[name] = item
			}
		}
		return true
	}
	// PV2-014: kinds in a form that cannot be merged are not an error, and stay as they are.
	if !add(members[kindsExtension]) {
		return have, nil
	}
	if own := len(kinds); !add(theirs[kindsExtension]) || len(kinds) == own {
		return have, nil
	}
	var sorted [][]byte
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		sorted = append(sorted, kinds[name])
	}
	if members[kindsExtension] == nil {
		order = append(order, kindsExtension)
	}
	members[kindsExtension] = slices.Concat([]byte("["), bytes.Join(sorted, []byte(",")), []byte("]"))
	var out []byte
	for i, name := range order {
		out = append(out, "{,"[min(i, 1)])
		out = append(formatV2.appendString(out, name), ':')
		out = append(out, members[name]...)
	}
	return append(out, '}'), nil
}

// refReplacer returns a function that replaces references to renamed definitions and parameters.
func refReplacer(definitions, parameters renamed) func(text []byte) []byte {
	var pairs []string
	for _, list := range []struct {
		ref string
		to  renamed
	}{{definitionRef, definitions}, {parameterRef, parameters}} {
		for from, to := range list.to {
			pairs = append(pairs, list.ref+from+`"`, list.ref+to+`"`)
		}
	}
	if len(pairs) == 0 {
		return func(text []byte) []byte { return text }
	}
	r := strings.NewReplacer(pairs...)
	return func(text []byte) []byte { return []byte(r.Replace(string(text))) }
}
