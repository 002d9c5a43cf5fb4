package listing

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
)

// A Mark is a note about the value at a path.
type Mark struct {
	At   []field.Segment
	Fail bool   // the line is marked with a leading >
	Note string // after the line
}

// Print returns v as YAML, each line indented, with marks. Keys are sorted, but apiVersion, kind and metadata come
// first. A mark at a place that v does not have is at the nearest value above it. Long texts and lists are cut.
func Print(v any, indent string, marks []Mark) string {
	if jsonval.TooDeep(v) {
		return indent + "(an object too deep to print)\n"
	}
	p := printer{indent: indent, marks: marks}
	p.children(v, 0, nil, "")
	return p.b.String()
}

// YAML returns all of v as YAML that decodes to the same value, or "" if v is too deep, or if the text would be too
// long: because of indentation, its length is quadratic for deep values.
func YAML(v any) string {
	if jsonval.TooDeep(v) {
		return ""
	}
	p := printer{whole: true}
	p.children(v, 0, nil, "")
	switch {
	case p.b.Len() == 0:
		return "{}\n"
	case p.b.Len() > maxYAML:
		return ""
	}
	return p.b.String()
}

// maxYAML is the maximum of bytes that YAML returns.
const maxYAML = 64 << 20

// maxLines is the maximum of printed lines of an object.
const maxLines = 400

type printer struct {
	b      strings.Builder
	indent string
	marks  []Mark
	whole  bool // without marks and cuts
	lines  int
	items  []item // that begin with the next line
}

type item struct {
	at []field.Segment
	v  any
}

// line writes a line for the value at a place, with its marks and those of missing values below it.
func (p *printer) line(depth int, text string, at []field.Segment, v any) {
	if p.whole {
		p.b.WriteString(strings.Repeat("  ", depth) + text + "\n")
		return
	}
	if p.lines++; p.lines == maxLines {
		p.b.WriteString(p.indent + "  ...\n")
	}
	fail, notes := "  ", ""
	for _, m := range p.marks {
		if !belongs(m.At, at, v) && !slices.ContainsFunc(p.items, func(i item) bool { return belongs(m.At, i.at, i.v) }) {
			continue
		}
		if m.Fail {
			fail = "> "
		}
		if m.Note != "" && !strings.Contains(notes, m.Note) {
			notes += "  # " + m.Note
		}
	}
	p.items = nil
	if p.lines < maxLines || fail == "> " {
		p.b.WriteString(strings.TrimRight(p.indent+fail+strings.Repeat("  ", depth)+text+notes, " ") + "\n")
	}
}

// belongs reports whether a mark is about the value v at a place, or about a missing value in it.
func belongs(mark, at []field.Segment, v any) bool {
	if len(mark) < len(at) || !slices.Equal(mark[:len(at)], at) {
		return false
	}
	if len(mark) == len(at) {
		return true
	}
	switch next := mark[len(at)]; x := v.(type) {
	case map[string]any:
		_, there := x[next.Key]
		return next.IsIndex || !there
	case []any:
		return !next.IsIndex || next.Index >= len(x)
	}
	return true
}

// children writes the fields or items of v. first is the prefix of the first line: the dash of a list's item.
func (p *printer) children(v any, depth int, at []field.Segment, first string) {
	switch x := v.(type) {
	case map[string]any:
		for _, key := range order(x, len(at) == 0) {
			if p.b.Len() > maxYAML {
				return
			}
			p.value(first+quote(key)+":", x[key], depth, p.below(at, field.Segment{Key: key}))
			first = strings.Repeat(" ", len(first))
		}
	case []any:
		for i, item := range x {
			if p.b.Len() > maxYAML {
				return
			}
			p.value(first+"-", item, depth, p.below(at, field.Segment{Index: i, IsIndex: true}))
			first = strings.Repeat(" ", len(first))
		}
	default:
		p.line(depth, first+p.scalar(v), at, v)
	}
}

// below returns the path of a field or item. Without marks, only the difference between the root and other paths
// matters.
func (p *printer) below(at []field.Segment, s field.Segment) []field.Segment {
	if p.whole && len(at) > 0 {
		return at
	}
	return append(at[:len(at):len(at)], s)
}

func (p *printer) value(head string, v any, depth int, at []field.Segment) {
	text := "" // of a value in one line
	switch x := v.(type) {
	case map[string]any:
		if len(x) == 0 {
			text = " {}"
		}
	case []any:
		if len(x) == 0 {
			text = " []"
		}
	default:
		text = " " + p.scalar(v)
	}
	switch {
	case text != "":
		p.line(depth, head+text, at, v)
	case strings.HasSuffix(head, "-"): // the content of an item begins after its dash
		p.items = append(p.items, item{at, v})
		p.children(v, depth, at, head+" ")
	default:
		p.line(depth, head, at, v)
		p.children(v, depth+1, at, strings.Repeat(" ", leading(head)))
	}
}

func leading(s string) int { return len(s) - len(strings.TrimLeft(s, " ")) }

func order(x map[string]any, root bool) []string {
	keys := slices.Sorted(maps.Keys(x))
	if !root {
		return keys
	}
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(rank[a]-rank[b], strings.Compare(a, b)) })
	return keys
}

// rank has the fields that come first in an object.
var rank = map[string]int{"apiVersion": -3, "kind": -2, "metadata": -1}

const maxText = 120

func (p *printer) scalar(v any) string {
	switch x := v.(type) {
	case nil:
		return "null"
	case string:
		if len(x) > maxText && !p.whole {
			return quote(strings.ToValidUTF8(x[:maxText], "")) + " ... (" + strconv.Itoa(len(x)) + " bytes)"
		}
		return quote(x)
	case bool:
		return strconv.FormatBool(x)
	case int64:
		return strconv.FormatInt(x, 10)
	case float64:
		s := strconv.FormatFloat(x, 'g', -1, 64)
		if x == math.Trunc(x) && !strings.ContainsAny(s, "e.IN") {
			s += ".0"
		}
		return s
	}
	return jsonval.Describe(v)
}

// quote returns s without quotes if YAML certainly reads that as the same string, and otherwise with quotes.
func quote(s string) string {
	if s == "" || !plain(s) {
		return strconv.Quote(s)
	}
	return s
}

func plain(s string) bool {
	switch strings.ToLower(s) {
	case "null", "true", "false", "yes", "no", "on", "off", "y", "n":
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
