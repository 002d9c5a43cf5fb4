package yamltext

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/manifest"
	"github.com/crdkit/crdkit/unstructured"
)

// A Position is a place in a file. Line and Column begin with 1; the zero Position is not a place.
type Position struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

// String returns the position as line:column.
func (p Position) String() string { return strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Column) }

// A Part is one document of a file.
type Part struct {
	Position        // of the beginning of Text
	Text     []byte // a part of the file's bytes
	JSON     bool   // one JSON object; otherwise YAML, or neither
	Template string // from a preceding comment "# Source: NAME", as helm template writes it
}

// Split returns the documents of a file, without those that have only white space and comments. The file is a stream of
// YAML documents, a sequence of JSON objects, or both. The documents are not parsed, and need not be valid.
func Split(file []byte) []Part {
	var parts []Part
	for _, d := range manifest.Split(file) {
		parts = append(parts, Part{Position{d.Line, d.Column}, d.Text, d.JSON, d.Template})
	}
	return parts
}

// A Document has the positions of the values in a document. A nil *Document has none.
type Document struct {
	begin Position
	root  *yaml.Node
	lines []Position // where the parser's lines begin in the text; nil if these are the lines of the file

	mu   sync.Mutex
	maps map[*yaml.Node]*entries // those that were looked up
}

// Locate parses a document for the positions of its values. It returns the parser's error; the Document then has no
// values.
func Locate(p Part) (*Document, error) {
	d := &Document{begin: p.Position}
	if p.JSON {
		root, err := parseJSON(p.Text)
		d.root = root
		return d, err
	}
	var doc yaml.Node
	if err := unmarshal(p.Text, &doc); err != nil {
		return d, err
	}
	if len(doc.Content) > 0 {
		d.root = doc.Content[0]
	}
	d.lines = lineStarts(p.Text)
	return d, nil
}

// unmarshal parses YAML. The parser panics if its own state is inconsistent, which should not happen for any text.
func unmarshal(text []byte, doc *yaml.Node) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("yamltext: %v", r)
		}
	}()
	return yaml.Unmarshal(text, doc)
}

// Value returns the position of the value at a path. It reports false if there is no such value.
func (d *Document) Value(path []field.Segment) (Position, bool) {
	key, value := d.find(path)
	if value == nil {
		return Position{}, false
	}
	if key != nil && value.Kind == yaml.ScalarNode && value.Value == "" && value.Style == 0 {
		return d.place(key), true // an empty value
	}
	return d.place(value), true
}

// Key returns the position of the key of the value at a path. Items of lists and the root have no key; for these it
// returns the position of the value. It reports false if there is no such value.
func (d *Document) Key(path []field.Segment) (Position, bool) {
	if at := cmp.Or(d.find(path)); at != nil {
		return d.place(at), true
	}
	return Position{}, false
}

// Nearest returns the position of the key of the value at a path. If there is no such value, it returns that of the
// innermost existing value around it; for an empty path, that of the first key or, without one, of the document's text.
func (d *Document) Nearest(path []field.Segment) Position {
	switch key, value, _ := d.follow(path); {
	case d == nil:
		return Position{}
	case value == nil:
		return d.begin
	default:
		return d.place(cmp.Or(key, value))
	}
}

// Of returns the position of an error: that of the bad value, or the nearest one if there is no such value. For a
// missing value it returns the key of the parent.
func (d *Document) Of(e *field.Error) Position {
	path := e.Path.Segments()
	if p, ok := d.Value(path); ok && e.Type != field.ErrorTypeRequired {
		return p
	}
	return d.Nearest(path)
}

// Pointer returns the path of a JSON pointer (RFC 6901), such as /spec/items/0, in the document. A number is an index
// where the document has a list, and a key everywhere else. It reports false for a text that is not a pointer.
func (d *Document) Pointer(pointer string) ([]field.Segment, bool) {
	if pointer == "" {
		return nil, true
	}
	if pointer[0] != '/' {
		return nil, false
	}
	var path []field.Segment
	_, at, _ := d.follow(nil) // nil outside of the document
	for name := range strings.SplitSeq(pointer[1:], "/") {
		s := field.Segment{Key: strings.ReplaceAll(strings.ReplaceAll(name, "~1", "/"), "~0", "~")}
		if i, err := strconv.Atoi(s.Key); err == nil && at != nil && resolve(at).Kind == yaml.SequenceNode {
			s = field.Segment{Index: i, IsIndex: true}
		}
		path = append(path, s)
		if at != nil {
			_, at = d.step(at, s)
		}
	}
	return path, true
}

// Path parses the path of a value in the document, in the form of a server's warnings: spec.items[3].a.b. Keys may
// contain dots and brackets, so such a text may be ambiguous. Path returns the first path that leads to a value. It
// reports false if there is none.
func (d *Document) Path(text string) ([]field.Segment, bool) {
	if d == nil || d.root == nil {
		return nil, false
	}
	budget := 1000 + stepsPerByte*len(text)
	return d.pathBelow(d.root, text, nil, &budget)
}

// stepsPerByte limits the steps of Path by the length of the text. A step looks up a key, or reads 64 bytes of the
// text.
const stepsPerByte = 16

func (d *Document) pathBelow(n *yaml.Node, text string, path []field.Segment, budget *int) ([]field.Segment, bool) {
	if text == "" {
		return path, true
	}
	switch n = resolve(n); n.Kind {
	case yaml.SequenceNode:
		digits, rest, ok := strings.Cut(strings.TrimPrefix(text, "["), "]")
		i, err := strconv.Atoi(digits)
		if !ok || err != nil || text[0] != '[' || i < 0 || i >= len(n.Content) {
			return nil, false
		}
		return d.pathBelow(n.Content[i], rest, append(path, field.Segment{Index: i, IsIndex: true}), budget)
	case yaml.MappingNode:
		bracket := text[0] == '['
		text = strings.TrimPrefix(strings.TrimPrefix(text, "."), "[")
		for _, i := range d.keysOf(n, text, bracket, budget) {
			name := keyText(n.Content[i])
			rest := text[len(name):]
			if bracket {
				rest = rest[1:]
			}
			if found, ok := d.pathBelow(n.Content[i+1], rest, append(path, field.Segment{Key: name}), budget); ok {
				return found, true
			}
		}
	}
	return nil, false
}

// keysOf returns the indexes of the keys of a map with which a text can begin, the last one first. A key in brackets
// ends before a closing one, and any key before a dot, a bracket, or the end of the text.
func (d *Document) keysOf(n *yaml.Node, text string, bracket bool, budget *int) (found []int) {
	e := d.entries(n)
	size := min(len(text), e.longest)
	*budget -= size / 64
	for end := range size + 1 {
		rest := text[end:]
		if bracket {
			var closed bool
			if rest, closed = strings.CutPrefix(rest, "]"); !closed {
				continue
			}
		}
		if rest != "" && rest[0] != '.' && rest[0] != '[' {
			continue
		}
		if *budget -= 1 + end/64; *budget < 0 {
			return nil
		}
		if i, ok := e.byKey[text[:end]]; ok {
			found = append(found, i)
		}
	}
	slices.SortFunc(found, func(a, b int) int { return b - a })
	return found
}

// find returns the value at a path, and its key if it is in a map.
func (d *Document) find(path []field.Segment) (key, value *yaml.Node) {
	key, value, n := d.follow(path)
	if n < len(path) {
		return nil, nil
	}
	return key, value
}

// follow returns the innermost value on a path, its key if it is in a map, and how many segments lead to it.
func (d *Document) follow(path []field.Segment) (key, value *yaml.Node, n int) {
	if d == nil || d.root == nil {
		return nil, nil, 0
	}
	value = d.root
	for n < len(path) {
		k, v := d.step(value, path[n])
		if v == nil {
			break
		}
		key, value, n = k, v, n+1
	}
	return key, value, n
}

// step returns the value at a segment of a list or a map, and its key if it is in a map.
func (d *Document) step(at *yaml.Node, s field.Segment) (key, value *yaml.Node) {
	at = resolve(at)
	switch {
	case at.Kind == yaml.SequenceNode && s.IsIndex && s.Index >= 0 && s.Index < len(at.Content):
		return nil, at.Content[s.Index]
	case at.Kind == yaml.MappingNode && !s.IsIndex:
		return d.entry(at, s.Key, map[*yaml.Node]bool{})
	}
	return nil, nil
}

// maxMerged is the maximum number of maps in which a lookup follows the merge keys of a map.
const maxMerged = 1000

// entry returns the entry of a map, or of the maps that are merged into it and are not in seen.
func (d *Document) entry(n *yaml.Node, name string, seen map[*yaml.Node]bool) (key, value *yaml.Node) {
	e := d.entries(n)
	if i, ok := e.byKey[name]; ok {
		return n.Content[i], n.Content[i+1]
	}
	for _, m := range e.merged {
		if seen[m] || len(seen) == maxMerged {
			continue
		}
		seen[m] = true
		if key, value = d.entry(m, name, seen); value != nil {
			return key, value
		}
	}
	return nil, nil
}

// Entries are the keys of a map.
type entries struct {
	byKey   map[string]int // the last index in Content of each key
	longest int            // bytes of a key
	merged  []*yaml.Node   // the maps of merge keys
}

// entries returns the keys of a map. They are collected once.
func (d *Document) entries(n *yaml.Node) *entries {
	d.mu.Lock()
	defer d.mu.Unlock()
	if e := d.maps[n]; e != nil {
		return e
	}
	e := &entries{byKey: make(map[string]int, len(n.Content)/2)}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if k := n.Content[i]; k.Tag != "!!merge" {
			name := keyText(k)
			e.byKey[name], e.longest = i, max(e.longest, len(name))
			continue
		}
		m := resolve(n.Content[i+1])
		maps := []*yaml.Node{m}
		if m.Kind == yaml.SequenceNode {
			maps = m.Content
		}
		for _, m := range maps {
			if m = resolve(m); m.Kind == yaml.MappingNode {
				e.merged = append(e.merged, m)
			}
		}
	}
	if d.maps == nil {
		d.maps = map[*yaml.Node]*entries{}
	}
	d.maps[n] = e
	return e
}

// resolve returns the node of an alias. There are no aliases of aliases.
func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

// keyText returns a key as a server decodes it: yes is true, and 1.50 is 1.5.
func keyText(k *yaml.Node) string {
	k = resolve(k)
	if k.Kind != yaml.ScalarNode || k.Style != 0 || k.Value == "" {
		return k.Value
	}
	switch k.Value[0] { // numbers, nulls and booleans begin with these only
	case '~', '+', '-', '.', 'n', 'N', 'y', 'Y', 't', 'T', 'f', 'F', 'o', 'O', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
	default:
		return k.Value
	}
	if len(k.Value) > maxSpecialLen {
		return k.Value
	}
	object, err := unstructured.YAMLToJSON([]byte(k.Value + ": 0"))
	text, ok := strings.CutPrefix(string(object), `{"`)
	if text, found := strings.CutSuffix(text, `":0}`); err == nil && ok && found && !strings.ContainsAny(text, `\"`) {
		return text
	}
	return k.Value
}

// maxSpecialLen is an upper bound for the length of keys that need to be decoded.
const maxSpecialLen = 40

// place returns the position of a node in the file.
func (d *Document) place(n *yaml.Node) Position {
	line, column := n.Line, n.Column
	if line < 1 {
		return d.begin
	}
	if d.lines != nil {
		start := d.lines[min(line, len(d.lines))-1]
		line, column = start.Line, start.Column+column-1
	}
	if line == 1 {
		column += d.begin.Column - 1
	}
	return Position{d.begin.Line + line - 1, column}
}

// Plain returns the text of the scalar at a path as written in YAML, if it has no quotes and so may be a number, a
// boolean or null. It reports false for every other value.
func (d *Document) Plain(path []field.Segment) (string, bool) {
	_, value := d.find(path)
	if value == nil {
		return "", false
	}
	value = resolve(value)
	return value.Value, value.Kind == yaml.ScalarNode && value.Style == 0
}

// PlainKey returns the text of the key of the value at a path as written in YAML, if it has no quotes and so may be
// read as another string: y as true. It reports false for every other value.
func (d *Document) PlainKey(path []field.Segment) (string, bool) {
	key, _ := d.find(path)
	if key == nil {
		return "", false
	}
	key = resolve(key)
	return key.Value, key.Kind == yaml.ScalarNode && key.Style == 0
}
