package yamltext

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
)

// Encode returns all of v as YAML. A server's decoder reads it as the same value. Keys are sorted, but at the root
// apiVersion, kind and metadata come first. It returns "" if v is too deep, or if the text would be longer than 64 MiB:
// because of indentation, its length is quadratic for deep values.
func Encode(v any) string {
	text, err := encodeCut(v, math.MaxInt)
	if err != nil {
		return ""
	}
	return string(text)
}

// Scalar returns v, which is no list and no map, as YAML, in one or several lines. Those after the first are indented.
func Scalar(v any) string { return alone(nodeOf(v, false, math.MaxInt)) }

// Key returns a key of a map as YAML, in one line.
func Key(key string) string { return alone(keyOf(key)) }

// alone returns the YAML of a node that is not in a list or map.
func alone(n *yaml.Node) string {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if e.Encode(n) != nil || e.Close() != nil {
		return "?"
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// A Mark is a note about the value at a path.
type Mark struct {
	At   []field.Segment
	Fail bool   // the line is marked with a leading >
	Note string // after the line
}

// maxLines is the maximum of printed lines of an object, maxText that of bytes of a printed string.
const (
	maxLines = 400
	maxText  = 120
)

// Print returns v as [Encode] does, each line indented, with marks. A mark at a place that v does not have is at the
// nearest value above it. Long texts and objects are cut.
func Print(v any, indent string, marks []Mark) string {
	text, err := encodeCut(v, maxText)
	if err != nil {
		return indent + "(" + err.Error() + ")\n"
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	fails, notes := placeMarks(text, marks, len(lines))
	var b strings.Builder
	for i, line := range lines {
		switch {
		case fails[i]:
			line = "> " + line
		case i < maxLines-1:
			line = "  " + line
		case i == maxLines-1:
			line = "  ..."
		default:
			continue
		}
		b.WriteString(strings.TrimRight(indent+line+notes[i], " ") + "\n")
	}
	return b.String()
}

// placeMarks returns which of a text's lines have a mark that fails, and the notes of all lines.
func placeMarks(text []byte, marks []Mark, lines int) (fails []bool, notes []string) {
	fails, notes = make([]bool, lines), make([]string, lines)
	var root yaml.Node
	if len(marks) == 0 || yaml.Unmarshal(text, &root) != nil || len(root.Content) == 0 {
		return fails, notes
	}
	for _, m := range marks {
		i := lineOf(root.Content[0], m.At) - 1
		if i < 0 || i >= lines {
			continue
		}
		fails[i] = fails[i] || m.Fail
		if m.Note != "" && !strings.Contains(notes[i], m.Note) {
			notes[i] += "  # " + m.Note
		}
	}
	return fails, notes
}

// lineOf returns the line of the value at a path below n, or of the nearest value above it that exists, or 0 if that is
// n itself.
func lineOf(n *yaml.Node, at []field.Segment) (line int) {
	for _, s := range at {
		switch {
		case n.Kind == yaml.MappingNode && !s.IsIndex:
			i := 0
			for i < len(n.Content) && n.Content[i].Value != s.Key {
				i += 2
			}
			if i >= len(n.Content) {
				return line
			}
			line, n = n.Content[i].Line, n.Content[i+1]
		case n.Kind == yaml.SequenceNode && s.IsIndex && s.Index < len(n.Content):
			n = n.Content[s.Index]
			line = n.Line
		default:
			return line
		}
	}
	return line
}

// encodeCut returns v as YAML, with strings up to a number of bytes.
func encodeCut(v any, most int) ([]byte, error) {
	if jsonval.TooDeep(v) {
		return nil, errors.New("an object too deep to print")
	}
	var b limitedText
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(nodeOf(v, true, most)); err != nil {
		return nil, err
	}
	err := e.Close()
	return b.Bytes(), err
}

// A limitedText buffer refuses to grow beyond maxYAML.
type limitedText struct{ bytes.Buffer }

// maxYAML is the maximum of bytes of a text.
const maxYAML = 64 << 20

func (b *limitedText) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxYAML {
		return 0, errors.New("an object too large to print")
	}
	return b.Buffer.Write(p)
}

func nodeOf(v any, root bool, most int) *yaml.Node {
	switch x := v.(type) {
	case map[string]any:
		n := &yaml.Node{Kind: yaml.MappingNode, Content: make([]*yaml.Node, 0, 2*len(x))}
		for _, key := range order(x, root) {
			n.Content = append(n.Content, keyOf(key), nodeOf(x[key], false, most))
		}
		return emptyNode(n)
	case []any:
		n := &yaml.Node{Kind: yaml.SequenceNode, Content: make([]*yaml.Node, len(x))}
		for i, item := range x {
			n.Content[i] = nodeOf(item, false, most)
		}
		return emptyNode(n)
	case string:
		if len(x) <= most {
			return textNode(x)
		}
		n := textNode(strings.ToValidUTF8(x[:most], ""))
		n.LineComment = fmt.Sprintf("... (%d bytes)", len(x))
		return n
	case nil:
		return scalar("!!null", "null")
	case bool:
		return scalar("!!bool", strconv.FormatBool(x))
	case int64:
		return scalar("!!int", strconv.FormatInt(x, 10))
	case float64:
		return scalar("!!float", numberNode(x))
	}
	return textNode(jsonval.Describe(v))
}

// emptyNode returns n. An empty list or map is written in flow style.
func emptyNode(n *yaml.Node) *yaml.Node {
	if len(n.Content) == 0 {
		n.Style = yaml.FlowStyle
	}
	return n
}

func scalar(tag, value string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: value}
}

// numberNode returns x in a form that is read as a float64.
func numberNode(x float64) string {
	switch s := strconv.FormatFloat(x, 'g', -1, 64); {
	case math.IsNaN(x):
		return ".nan"
	case math.IsInf(x, 0):
		return strings.ToLower(strings.Replace(strings.TrimPrefix(s, "+"), "Inf", ".inf", 1))
	case !strings.ContainsAny(s, "e."):
		return s + ".0"
	default:
		return s
	}
}

// textNode returns a string. It has quotes unless all versions of YAML certainly read it as the same string without
// them.
func textNode(s string) *yaml.Node {
	s = strings.ToValidUTF8(s, "\uFFFD")
	n := scalar("!!str", s)
	switch {
	case plainText(s):
	case block(s):
		n.Style = yaml.LiteralStyle
	default:
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

// keyOf returns a key of a map, which is never a literal block.
func keyOf(key string) *yaml.Node {
	n := textNode(key)
	if n.Style == yaml.LiteralStyle {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

// plainText reports whether s needs no quotes. It may be a false negative.
func plainText(s string) bool {
	switch strings.ToLower(s) {
	case "", "null", "true", "false", "yes", "no", "on", "off", "y", "n":
		return false
	}
	for i := range len(s) {
		c := s[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '/'
		if !letter && (i == 0 || !(c >= '0' && c <= '9' || c == '-' || c == '.' || c == ' ' && i < len(s)-1)) {
			return false
		}
	}
	return true
}

// block reports whether s is text of several lines that a literal block can hold: printable ASCII, and no line that
// begins or ends with a space. Only lines in the middle may be empty. A line that a CI service may take for a command
// in a log, such as ::error, must be in quotes, where cmd/crdkit can escape it.
func block(s string) bool {
	lines := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
	if len(lines) < 2 {
		return false
	}
	for i, line := range lines {
		if line == "" && i > 0 && i < len(lines)-1 {
			continue
		}
		if strings.HasPrefix(line, "::") || strings.Contains(line, "##") {
			return false
		}
		if line == "" || line != strings.Trim(line, " ") || strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r > '~' }) {
			return false
		}
	}
	return true
}

// rank has the fields that come first in an object.
var rank = map[string]int{"apiVersion": -3, "kind": -2, "metadata": -1}

func order(x map[string]any, root bool) []string {
	keys := slices.Sorted(maps.Keys(x))
	if root {
		slices.SortFunc(keys, func(a, b string) int { return cmp.Or(rank[a]-rank[b], strings.Compare(a, b)) })
	}
	return keys
}
