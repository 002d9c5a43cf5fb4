package patch

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/internal/jsonval"
)

// An Operation is an operation of a JSON patch (RFC 6902), as [Diff] makes them. It marshals as one.
type Operation struct {
	Op    string // add, remove, replace
	Path  string // a JSON pointer (RFC 6901)
	Value any    // for add and replace; nil is null
}

// MarshalJSON writes the operation with the members that it needs. A float64 is written so that it is decoded as one
// again (DEC-004): 5.0, not 5. Values that [Encode] cannot write are errors.
func (o Operation) MarshalJSON() ([]byte, error) {
	text := append(appendString([]byte(`{"op":`), o.Op), `,"path":`...)
	text = appendString(text, o.Path)
	if o.Op != "remove" {
		value, err := Exact(o.Value)
		if err != nil {
			return nil, err
		}
		text = append(append(text, `,"value":`...), value...)
	}
	return append(text, '}'), nil
}

// Diff returns the operations that change from into to, nil if they are equal. Values are compared as by
// [jsonval.Equal], so int64 1 and float64 1.0 differ. It modifies neither; the operations share values with to.
//
// Only differences are replaced: an object has operations for its members, sorted by name, and a list for its items, by
// index. Additional items are added at the end, or removed from the end backwards. Nothing is moved or copied, so
// inserting an item at the front of a list replaces all others.
//
// Keys that are not valid UTF-8 cannot be written as JSON; such a patch cannot be used. If one of the arguments
// contains itself or is deeper than [jsonval.MaxDepth], the patch is one operation that replaces the whole object,
// which cannot be used either. (A server does apply such an operation: PAT-004.)
func Diff(from, to map[string]any) []Operation {
	if jsonval.Equal(from, to) {
		return nil
	}
	if jsonval.TooDeep(from) || jsonval.TooDeep(to) {
		return []Operation{{Op: "replace", Value: to}}
	}
	var d differ
	d.objects(from, to)
	return d.operations
}

// A differ collects operations while it descends two objects.
type differ struct {
	operations []Operation
	path       []byte // of the current position
}

func (d *differ) report(op string, value any) {
	d.operations = append(d.operations, Operation{op, string(d.path), value})
}

// step appends a key to the path, and returns the previous path.
func (d *differ) step(key string) (back []byte) {
	back = d.path
	d.path = append(d.path, '/')
	d.path = append(d.path, strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")...)
	return back
}

func (d *differ) objects(from, to map[string]any) {
	keys := slices.AppendSeq(make([]string, 0, len(from)+len(to)), maps.Keys(from))
	for key := range to {
		if _, both := from[key]; !both {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	for _, key := range keys {
		v, before := from[key]
		w, after := to[key]
		back := d.step(key)
		switch {
		case !after:
			d.report("remove", nil)
		case !before:
			d.report("add", w)
		default:
			d.values(v, w)
		}
		d.path = back
	}
}

func (d *differ) lists(from, to []any) {
	for i := range to {
		back := d.step(strconv.Itoa(i))
		if i < len(from) {
			d.values(from[i], to[i])
		} else {
			d.report("add", to[i])
		}
		d.path = back
	}
	for i := len(from) - 1; i >= len(to); i-- {
		back := d.step(strconv.Itoa(i))
		d.report("remove", nil)
		d.path = back
	}
}

func (d *differ) values(from, to any) {
	switch x := from.(type) {
	case map[string]any:
		if y, ok := to.(map[string]any); ok {
			d.objects(x, y)
			return
		}
	case []any:
		if y, ok := to.([]any); ok {
			d.lists(x, y)
			return
		}
	}
	if !jsonval.Equal(from, to) {
		d.report("replace", to)
	}
}
