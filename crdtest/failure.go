package crdtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/tool/constraint"
	"github.com/crdkit/crdkit/internal/tool/yamltext"
)

// differs describes how an answer differs from the expected one. It returns "" if it does not.
//
// Clauses: ECT-012.
func (a *answer) differs(want wanted) string {
	var b strings.Builder
	part := func(what string, lines []string) {
		if len(lines) == 0 {
			return
		}
		if b.Len() == 0 {
			b.WriteString(a.operation() + ": ")
		} else {
			b.WriteString("    and ")
		}
		b.WriteString(what + " (-want +got)\n")
		for _, line := range lines {
			b.WriteString("    " + line + "\n")
		}
	}
	part("errors differ", a.errorLines(want.errs))
	if a.Err() == nil {
		part("the answer differs", want.object.differs(a, a.Object, want.exact))
		part("the stored object differs", want.stored.differs(a, a.Stored, want.exact))
		for _, name := range slices.Sorted(maps.Keys(want.read)) {
			part("what "+name+" reads differs", want.read[name].differs(a, a.readIn(name), want.exact))
		}
	}
	if !want.lenient {
		pruned := slices.Clone(want.pruned)
		for i := range pruned {
			pruned[i] = undotted(pruned[i])
		}
		part("the dropped fields differ", lineDiff(pruned, a.pruned))
	}
	if want.warnings != nil {
		part("the warnings differ", lineDiff(want.warnings, a.Warnings))
	}
	if b.Len() == 0 {
		return ""
	}
	if obj := a.Object; obj != nil {
		b.WriteString("    object after defaulting and pruning:\n" + yamltext.Print(obj, "      ", a.marks()))
	} else {
		b.WriteString("    object that was sent:\n" + yamltext.Print(a.sent, "      ", nil))
	}
	return b.String()
}

// differs returns the lines of a diff between the expected and the actual object.
func (p partial) differs(a *answer, got map[string]any, exact bool) []string {
	switch {
	case p.object == nil:
		return nil
	case a.Unconverted:
		return []string{"- " + oneLine(compact(p.object)), "+ not known: " + unconverted}
	}
	want := p.object
	if p.typed && !exact {
		want, _ = withoutEmpty(want, got).(map[string]any)
	}
	if exact {
		want = complete(want, got)
	}
	return subset(nil, "", want, got, exact)
}

// readIn returns the stored object as a version reads it.
func (a *answer) readIn(name string) map[string]any {
	v, _, err := a.d.version(name)
	if err != nil || a.Stored == nil {
		return nil
	}
	read := v.Read(a.Stored)
	if read.Failure != nil {
		return map[string]any{"failure": read.Failure.Message}
	}
	return read.Object
}

// unconverted says why the result of a conversion is not known.
const unconverted = "the definition has a conversion webhook, and the set has no converter for it (see registry.Registry.WithConverter)"

// errorLines compares errors. If they differ, the lines also have the errors that are as expected.
func (a *answer) errorLines(want []Match) (lines []string) {
	missing, extra := compare(want, a.errs, a.ruleOf)
	if len(missing)+len(extra) == 0 {
		return nil
	}
	for _, m := range missing {
		line := "- " + m.String()
		if m.Rule != "" {
			line += "\n        " + a.hint(m)
		}
		lines = append(lines, line)
	}
	for _, e := range extra {
		line := "+ " + errorLine(e)
		if r := a.ruleOf(e); r != nil && (r.Message != "" || r.MessageExpression != "" || e.Type == field.ErrorTypeDuplicate) {
			line += "\n        by the rule " + r.Name() + ": " + oneLine(r.ValidationRule.Rule)
		}
		lines = append(lines, line)
	}
	for _, e := range a.errs {
		if !slices.Contains(extra, e) && !e.RulesSkipped() {
			lines = append(lines, "  "+errorLine(e))
		}
	}
	return lines
}

// hint returns the reason why none of the errors is from a rule that m describes.
func (a *answer) hint(m Match) string {
	if !a.ruled() {
		return "rules were not evaluated, because of the other errors"
	}
	var about []*constraint.Rule
	for _, r := range a.ver.rules() {
		if m.about(r) {
			about = append(about, r)
		}
	}
	for _, e := range a.errs {
		if r := a.ruleOf(e); r != nil && slices.Contains(about, r) {
			return "the rule " + r.Name() + " fails, but as " + errorLine(e)
		}
	}
	if len(about) > 0 {
		r := about[0]
		if r.Transition() && a.read == nil {
			return "the rule " + r.Name() + " needs an old object: set Old"
		}
		return "the rule " + r.Name() + " does not fail for this object"
	}
	text := "no rule of " + a.ver.name + " has that in its text or its message"
	shown := 0
	for _, r := range a.ver.rules() {
		if r.Path != indices.ReplaceAllString(undotted(m.Path), "[*]") {
			continue
		}
		if shown++; shown > maxHints {
			text += "; ..."
			break
		}
		text += "; there is " + r.Name() + ": " + oneLine(r.ValidationRule.Rule)
	}
	return text
}

// maxHints limits the rules in a hint.
const maxHints = 3

var indices = regexp.MustCompile(`\[[0-9]+\]`)

// oneLine returns a text without line breaks, cut if it is long.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxLine {
		text = strings.ToValidUTF8(text[:maxLine], "") + " ..."
	}
	return text
}

const maxLine = 200

// marks returns the marks in the printed object: the places of errors, and the defaults.
func (a *answer) marks() []yamltext.Mark {
	marks := errorMarks(a.Errors)
	if a.subresource == "" {
		marks = added(marks, nil, a.sent, a.Object)
	}
	return marks
}

// errorMarks returns marks at the places of errors, without the error that rules were not evaluated.
func errorMarks(errs field.List) (marks []yamltext.Mark) {
	for _, e := range errs {
		if !e.RulesSkipped() && e.Path != nil {
			marks = append(marks, yamltext.Mark{At: e.Path.Segments(), Fail: true})
		}
	}
	return marks
}

// added marks values in got that were not sent, except what a server adds to every object.
func added(marks []yamltext.Mark, at []field.Segment, sent, got any) []yamltext.Mark {
	below := func(s field.Segment) []field.Segment { return append(at[:len(at):len(at)], s) }
	switch x := got.(type) {
	case map[string]any:
		y, _ := sent.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(x)) {
			was, ok := y[key]
			switch {
			case len(at) == 0 && (key == "metadata" || key == "status"):
			case !ok:
				marks = append(marks, yamltext.Mark{At: below(field.Segment{Key: key}), Note: "default"})
			default:
				marks = added(marks, below(field.Segment{Key: key}), was, x[key])
			}
		}
	case []any:
		y, _ := sent.([]any)
		for i := range min(len(x), len(y)) {
			marks = added(marks, below(field.Segment{Index: i, IsIndex: true}), y[i], x[i])
		}
	}
	return marks
}

// complete returns a wanted object that must match exactly, with the fields that tests leave out.
func complete(want, got map[string]any) map[string]any {
	out := withMissing(want, got, "apiVersion", "kind")
	meta, _ := out["metadata"].(map[string]any)
	have, _ := got["metadata"].(map[string]any)
	if meta = withMissing(meta, have, "name", "namespace", "generation"); len(meta) > 0 {
		out["metadata"] = meta
	}
	return out
}

// withMissing returns a copy of want with the values of those keys that only got has.
func withMissing(want, got map[string]any, keys ...string) map[string]any {
	out := make(map[string]any, len(want)+len(keys))
	maps.Copy(out, want)
	for _, key := range keys {
		if _, ok := out[key]; !ok && got[key] != nil {
			out[key] = got[key]
		}
	}
	return out
}

// withoutEmpty returns a value of a Go struct without the values that a struct cannot omit: objects without fields, or
// nulls, where the stored object has nothing.
//
// Clauses: ECT-009.
func withoutEmpty(want, got any) any {
	switch x := want.(type) {
	case map[string]any:
		y, _ := got.(map[string]any)
		out := make(map[string]any, len(x))
		for key, v := range x {
			if _, there := y[key]; there || !empty(v) {
				out[key] = withoutEmpty(v, y[key])
			}
		}
		return out
	case []any:
		y, _ := got.([]any)
		out := slices.Clone(x)
		for i := range min(len(x), len(y)) {
			out[i] = withoutEmpty(x[i], y[i])
		}
		return out
	}
	return want
}

// empty reports whether v is null, or an object with only such values.
func empty(v any) bool {
	switch x := v.(type) {
	case nil:
		return true
	case map[string]any:
		for _, below := range x {
			if !empty(below) {
				return false
			}
		}
		return true
	}
	return false
}

// subset returns the lines of a diff between the wanted and the actual value. Unless exact is set, an object may have
// more fields.
//
// Clauses: ECT-009.
func subset(lines []string, path string, want, got any, exact bool) []string {
	switch x := want.(type) {
	case map[string]any:
		y, ok := got.(map[string]any)
		if !ok {
			break
		}
		for _, key := range slices.Sorted(maps.Keys(x)) {
			if v, ok := y[key]; ok {
				lines = subset(lines, join(path, key), x[key], v, exact)
			} else {
				lines = append(lines, "- "+join(path, key)+": "+compact(x[key]))
			}
		}
		for _, key := range slices.Sorted(maps.Keys(y)) {
			if _, ok := x[key]; !ok && exact {
				lines = append(lines, "+ "+join(path, key)+": "+compact(y[key]))
			}
		}
		return lines
	case []any:
		y, ok := got.([]any)
		if !ok {
			break
		}
		for i := range max(len(x), len(y)) {
			at := path + "[" + strconv.Itoa(i) + "]"
			switch {
			case i >= len(y):
				lines = append(lines, "- "+at+": "+compact(x[i]))
			case i >= len(x):
				lines = append(lines, "+ "+at+": "+compact(y[i]))
			default:
				lines = subset(lines, at, x[i], y[i], exact)
			}
		}
		return lines
	}
	if !sameValue(want, got) {
		lines = append(lines, "- "+path+": "+compact(want), "+ "+path+": "+compact(got))
	}
	return lines
}

// sameValue reports whether two values are equal. YAML does not show whether 1 is an integer, so 1 and 1.0 are equal.
func sameValue(a, b any) bool {
	a, _ = jsonval.Stored(a)
	b, _ = jsonval.Stored(b)
	return jsonval.Equal(a, b)
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// compact prints a value in one line.
func compact(v any) string {
	switch x := v.(type) {
	case map[string]any:
		var parts []string
		for _, key := range slices.Sorted(maps.Keys(x)) {
			parts = append(parts, key+": "+compact(x[key]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []any:
		var parts []string
		for _, item := range x {
			parts = append(parts, compact(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case string:
		return strconv.Quote(x)
	case nil:
		return "null"
	}
	return fmt.Sprint(v)
}

// lineDiff compares two lists of texts, ignoring order.
func lineDiff(want, got []string) (lines []string) {
	left := slices.Clone(got)
	for _, w := range slices.Sorted(slices.Values(want)) {
		if i := slices.Index(left, w); i >= 0 {
			left = slices.Delete(left, i, i+1)
		} else {
			lines = append(lines, "- "+w)
		}
	}
	for _, g := range slices.Sorted(slices.Values(left)) {
		lines = append(lines, "+ "+g)
	}
	return lines
}

// caseLine returns `file:line: ` for the case with that name in a Go file: the line of the first string that is the
// value of a field Name, or else of any string, that equals the name. It returns "" if there is none, or no such file.
func caseLine(file, name string) string {
	if name == "" {
		return ""
	}
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
	if err != nil {
		return ""
	}
	line, certain := 0, false
	ast.Inspect(f, func(n ast.Node) bool {
		pair, _ := n.(*ast.KeyValueExpr)
		lit, _ := n.(*ast.BasicLit)
		key := false
		if pair != nil {
			id, _ := pair.Key.(*ast.Ident)
			key = id != nil && id.Name == "Name"
			lit, _ = pair.Value.(*ast.BasicLit)
		}
		if lit == nil || certain || line > 0 && !key {
			return true
		}
		if s, err := strconv.Unquote(lit.Value); err == nil && s == name {
			line, certain = set.Position(lit.Pos()).Line, key
		}
		return true
	})
	if line == 0 {
		return ""
	}
	return filepath.Base(file) + ":" + strconv.Itoa(line) + ": "
}
