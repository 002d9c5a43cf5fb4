package patch

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/refusal"
)

// maxCopied limits the bytes that the copy operations of one patch may copy (DEC-016).
const maxCopied = refusal.MaxBody

// An editor applies operations to a document. Each method reports whether its operation succeeded. After a failure the
// document must not be used.
//
// Clauses: PAT-004.
type editor struct {
	doc    *node
	copied int // bytes
}

// do applies the operation op, an item of a patch.
func (e *editor) do(op *node) bool {
	kind, _ := member(op, "op")
	path, ok := member(op, "path")
	if !ok {
		return false
	}
	switch kind {
	case "add":
		return e.add(path, value(op))
	case "remove":
		at, key, ok := e.find(path)
		return ok && at.remove(key)
	case "replace":
		return e.replace(path, value(op))
	case "test":
		return e.test(path, value(op))
	}
	from, ok := member(op, "from")
	if !ok || kind != "move" && kind != "copy" {
		return false
	}
	at, key, ok := e.find(from)
	if !ok {
		return false
	}
	v, ok := at.get(key)
	if !ok {
		return false
	}
	if kind == "move" {
		return at.remove(key) && e.add(path, v)
	}
	// The path of the destination may lead through v, and opens it.
	if at, key, ok = e.find(path); !ok {
		return false
	}
	v, ok = e.copy(v)
	return ok && at.add(key, v)
}

// member returns the text at a key of an operation, which must be a string.
func member(op *node, key string) (text string, ok bool) {
	m := op.members[key]
	if m == nil || m.text[0] != '"' {
		return "", false
	}
	return unquote(m.text), true
}

// value returns an operation's value, nil if it has none.
func value(op *node) *node {
	v, ok := op.members["value"]
	if ok && v == nil {
		return givenNull()
	}
	return v
}

// find returns the list or object that contains the last element of a path, opened, and the key or index there.
func (e *editor) find(path string) (at *node, key string, ok bool) {
	steps := strings.Split(path, "/")
	if len(steps) < 2 {
		return nil, "", false
	}
	at = e.doc
	for _, step := range steps[1 : len(steps)-1] {
		if at, ok = at.get(unescape(step)); !ok || !at.open() {
			return nil, "", false
		}
	}
	return at, unescape(steps[len(steps)-1]), true
}

func unescape(step string) string {
	return strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
}

func (e *editor) add(path string, v *node) bool {
	at, key, ok := e.find(path)
	return ok && at.add(key, v)
}

func (e *editor) replace(path string, v *node) bool {
	if path == "" {
		if !v.open() {
			return false
		}
		e.doc = v
		return true
	}
	at, key, ok := e.find(path)
	return ok && at.set(key, v)
}

func (e *editor) test(path string, v *node) bool {
	if path == "" {
		return equal(e.doc, v)
	}
	at, key, ok := e.find(path)
	if !ok {
		return false
	}
	found, ok := at.get(key)
	if !ok {
		return false
	}
	if found == nil {
		return v == nil || v.text == nil
	}
	return equal(found, v)
}

// copy returns a copy of v, which later changes of v do not affect. It is the text of v, as it would be written.
func (e *editor) copy(v *node) (*node, bool) {
	if v == nil {
		return nil, true
	}
	text, ok := v.appendTo(nil, jsonval.MaxDepth)
	e.copied += len(text)
	if !ok || e.copied > maxCopied {
		return nil, false
	}
	if text[0] == 'n' {
		return copiedNull(), true
	}
	return read(text, 0), true
}

// equal reports whether a test of n for the value v of an operation succeeds. It compares texts, not values: 5 is not
// 5.0. A list with a null in it equals nothing. If they are equal, all of n is open.
func equal(n, v *node) bool {
	if n == nil || v == nil || n.shape != v.shape {
		return false
	}
	switch n.shape {
	case scalar:
		return bytes.Equal(n.text, v.text)
	case list:
		n.open()
		v.open()
		return slices.EqualFunc(n.items, v.items, equal)
	}
	n.open()
	v.open()
	if len(n.members) != len(v.members) {
		return false
	}
	for key, m := range n.members {
		w, ok := v.members[key]
		if !ok || !(m == nil && w == nil || equal(m, w)) {
			return false
		}
	}
	return true
}

// The methods below are for opened lists and objects.

// get returns the value of a key, or nil if an object does not have it. It reports false if a list has no such item.
func (n *node) get(key string) (*node, bool) {
	if n.shape == object {
		return n.members[key], true
	}
	i, ok := index(key, len(n.items))
	if !ok {
		return nil, false
	}
	return n.items[i], true
}

// add adds or replaces a member, or inserts an item before an existing one or, with the key -, at the end.
func (n *node) add(key string, v *node) bool {
	if n.shape == object {
		return n.put(key, v)
	}
	i, ok := len(n.items), true
	if key != "-" {
		// The index counts the new item: -1 is the last item of the resulting list.
		i, ok = index(key, len(n.items)+1)
	}
	if ok {
		n.items = slices.Insert(n.items, i, v)
	}
	return ok
}

// set replaces the value of a key; an object need not have the key.
func (n *node) set(key string, v *node) bool {
	if n.shape == object {
		return n.put(key, v)
	}
	i, ok := index(key, len(n.items))
	if ok {
		n.items[i] = v
	}
	return ok
}

func (n *node) put(key string, v *node) bool {
	if n.members == nil { // a copied null
		return false
	}
	n.members[key] = v
	return true
}

func (n *node) remove(key string) bool {
	if n.shape == object {
		_, ok := n.members[key]
		delete(n.members, key)
		return ok
	}
	i, ok := index(key, len(n.items))
	if ok {
		n.items = slices.Delete(n.items, i, i+1)
	}
	return ok
}

// index returns the index that a key means in a list of that length; negative ones count from the end.
func index(key string, length int) (int, bool) {
	i, err := strconv.Atoi(key)
	if err != nil {
		return 0, false
	}
	if i < 0 {
		i += length
	}
	return i, 0 <= i && i < length
}
