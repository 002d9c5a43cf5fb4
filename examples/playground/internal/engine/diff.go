package engine

import (
	"maps"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/tool/yamltext"
)

// A Line is a line of YAML, with a mark for added and removed lines.
type Line struct {
	Op   string `json:"op,omitempty"` // "+" was added, "-" was dropped, empty: it stayed
	Text string `json:"text"`
}

// The limits of a YAML text: its number of lines, and its length.
const (
	maxLines = 5_000
	maxBytes = 1 << 20
)

// diff returns an object as YAML, with the differences from another object. It reports true if the text is cut.
func diff(before, after map[string]any) ([]Line, bool) {
	var w writer
	w.fields(0, before, after, inRoot)
	return w.lines, w.full
}

// yamlText returns an object as YAML, with its fields in the usual order.
func yamlText(obj map[string]any) string {
	lines, more := diff(obj, obj)
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.Text + "\n")
	}
	if more {
		b.WriteString("# the rest is too long\n")
	}
	return b.String()
}

// A writer writes YAML.
type writer struct {
	lines []Line
	size  int
	full  bool
}

func (w *writer) line(op string, indent int, text string) {
	if w.full || len(w.lines) == maxLines || w.size+indent+len(text) > maxBytes {
		w.full = true
		return
	}
	w.size += indent + len(text)
	w.lines = append(w.lines, Line{Op: op, Text: strings.Repeat(" ", indent) + text})
}

// rank orders the fields of a whole object.
var rank = map[string]int{"apiVersion": -5, "kind": -4, "metadata": -3, "spec": -2, "status": 1}

// The position of a map in an object, which determines the order of its fields.
const (
	inMap  = iota
	inRoot // of an object
	inItem // of a list: fields that are in both objects come first, so that the dash is in an unchanged line
)

// fields writes the fields of two maps.
func (w *writer) fields(indent int, before, after map[string]any, in int) {
	type entry struct {
		name string
		rank int
	}
	var entries []entry
	add := func(name string, both bool) {
		e := entry{name: name}
		switch {
		case in == inRoot:
			e.rank = rank[name]
		case in == inItem && !both:
			e.rank = 1
		}
		entries = append(entries, e)
	}
	for name := range before {
		_, both := after[name]
		add(name, both)
	}
	for name := range after {
		if _, both := before[name]; !both {
			add(name, false)
		}
	}
	slices.SortFunc(entries, func(a, b entry) int {
		if a.rank != b.rank {
			return a.rank - b.rank
		}
		return strings.Compare(a.name, b.name)
	})
	for _, e := range entries {
		old, had := before[e.name]
		value, has := after[e.name]
		lead := yamltext.Key(e.name) + ":"
		switch {
		case !has:
			w.value("-", indent, lead, old)
		case !had:
			w.value("+", indent, lead, value)
		default:
			w.both(indent, lead, old, value)
		}
		if w.full {
			return
		}
	}
}

// both writes a value that is in both objects.
func (w *writer) both(indent int, lead string, old, value any) {
	a, ok1 := old.(map[string]any)
	b, ok2 := value.(map[string]any)
	if ok1 && ok2 && len(a)+len(b) > 0 {
		w.line("", indent, lead)
		w.fields(indent+2, a, b, inMap)
		return
	}
	x, ok1 := old.([]any)
	y, ok2 := value.([]any)
	if ok1 && ok2 && len(x)+len(y) > 0 {
		if w.line("", indent, lead); lead == "-" {
			indent += 2
		}
		for i := range max(len(x), len(y)) {
			switch {
			case i >= len(y):
				w.value("-", indent, "-", x[i])
			case i >= len(x):
				w.value("+", indent, "-", y[i])
			default:
				w.item(indent, x[i], y[i])
			}
			if w.full {
				return
			}
		}
		return
	}
	if jsonval.Equal(old, value) {
		w.value("", indent, lead, value)
		return
	}
	w.value("-", indent, lead, old)
	w.value("+", indent, lead, value)
}

// item writes an item of a list that is in both objects.
func (w *writer) item(indent int, old, value any) {
	a, ok1 := old.(map[string]any)
	b, ok2 := value.(map[string]any)
	if !ok1 || !ok2 || len(a)+len(b) == 0 {
		w.both(indent, "-", old, value)
		return
	}
	from := len(w.lines)
	w.fields(indent+2, a, b, inItem)
	w.dash(from, indent, "")
}

// dash adds the dash of an item to the first of its lines, or as a separate line if that line has another mark.
func (w *writer) dash(from, indent int, op string) {
	if from >= len(w.lines) {
		return
	}
	if first := &w.lines[from]; first.Op == op {
		first.Text = first.Text[:indent] + "- " + first.Text[indent+2:]
		return
	}
	w.lines = slices.Insert(w.lines, from, Line{Op: op, Text: strings.Repeat(" ", indent) + "-"})
}

// value writes a whole value with a mark.
func (w *writer) value(op string, indent int, lead string, v any) {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			w.line(op, indent, lead+" {}")
			return
		}
		from := len(w.lines)
		if lead != "-" {
			w.line(op, indent, lead)
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if w.value(op, indent+2, yamltext.Key(name)+":", v[name]); w.full {
				return
			}
		}
		if lead == "-" {
			w.dash(from, indent, op)
		}
	case []any:
		if len(v) == 0 {
			w.line(op, indent, lead+" []")
			return
		}
		if w.line(op, indent, lead); lead == "-" {
			indent += 2
		}
		for _, item := range v {
			if w.value(op, indent, "-", item); w.full {
				return
			}
		}
	default:
		first, rest, _ := strings.Cut(yamltext.Scalar(v), "\n")
		w.line(op, indent, lead+" "+first)
		for l := range strings.SplitSeq(rest, "\n") {
			if l != "" || strings.Contains(rest, "\n") {
				w.line(op, indent, l)
			}
		}
	}
}
