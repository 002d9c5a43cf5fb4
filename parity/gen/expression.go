package gen

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A writer writes expressions of wanted types about a value of a schema, by recursive descent. Types are named as
// templates name them: "int", "list(string)", "map(string,optional(int))"; "#3" is the type of the object numbered 3 in
// objects.
type writer struct {
	*Source
	objects [][]variable // the fields of each object, by their escaped names
	vars    []variable   // in scope
	left    int          // how many more parts the expression may have before it comes to an end
	fresh   int
}

type variable struct{ name, typ string }

// typeOf returns the type of values of the schema p, or "" if they have none.
func (w *writer) typeOf(p map[string]any, resource bool) string {
	if p["x-kubernetes-int-or-string"] == true {
		return "dyn"
	}
	switch p["type"] {
	case "array":
		items, _ := p["items"].(map[string]any)
		if elem := w.typeOf(items, items["x-kubernetes-embedded-resource"] == true); elem != "" {
			return "list(" + elem + ")"
		}
	case "object":
		if values, ok := p["additionalProperties"].(map[string]any); ok {
			if elem := w.typeOf(values, values["x-kubernetes-embedded-resource"] == true); elem != "" {
				return "map(string," + elem + ")"
			}
			return ""
		}
		return w.object(p, resource)
	case "string":
		switch p["format"] {
		case "byte":
			return "bytes"
		case "duration":
			return "duration"
		case "date", "date-time":
			return "timestamp"
		}
		return "string"
	case "integer":
		return "int"
	case "number":
		return "double"
	case "boolean":
		return "bool"
	}
	return ""
}

func (w *writer) object(p map[string]any, resource bool) string {
	id := len(w.objects)
	w.objects = append(w.objects, nil)
	fields := map[string]string{}
	props, _ := p["properties"].(map[string]any)
	for _, k := range slices.Sorted(maps.Keys(props)) {
		child, _ := props[k].(map[string]any)
		if name, ok := escaped(k); ok {
			if t := w.typeOf(child, child["x-kubernetes-embedded-resource"] == true); t != "" {
				fields[name] = t
			}
		}
	}
	if resource {
		fields["apiVersion"], fields["kind"] = "string", "string"
		fields["metadata"] = fmt.Sprintf("#%d", len(w.objects))
		w.objects = append(w.objects, []variable{{"generateName", "string"}, {"name", "string"}})
	}
	for _, k := range slices.Sorted(maps.Keys(fields)) {
		w.objects[id] = append(w.objects[id], variable{k, fields[k]})
	}
	return fmt.Sprintf("#%d", id)
}

var reserved = []string{
	"true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop", "package", "namespace", "return",
	"var", "void", "while",
}

// escaped returns the name of a field for a property's name (CTY-010).
func escaped(name string) (string, bool) {
	if slices.Contains(reserved, name) {
		return "__" + name + "__", true
	}
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return !isWord(r) && r != '.' && r != '-' && r != '/' }) || name[0] >= '0' && name[0] <= '9' {
		return "", false
	}
	return strings.NewReplacer("__", "__underscores__", ".", "__dot__", "-", "__dash__", "/", "__slash__").Replace(name), true
}

func isWord(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

// split takes a type apart: "map(string,int)" is map of string and int.
func split(typ string) (name string, args []string) {
	name, rest, ok := strings.Cut(typ, "(")
	if !ok {
		return typ, nil
	}
	rest = strings.TrimSuffix(rest, ")")
	depth, start := 0, 0
	for i, c := range rest {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				args = append(args, rest[start:i])
				start = i + 1
			}
		}
	}
	return name, append(args, rest[start:])
}

// A binding has the types of a template's type parameters, whose names are single capital letters.
type binding map[string]string

func isParameter(name string) bool { return len(name) == 1 && name[0] >= 'A' && name[0] <= 'Z' }

// fits reports whether pattern can be the type typ, and binds its parameters so that it is.
func (b binding) fits(pattern, typ string) bool {
	if isParameter(pattern) {
		if known, ok := b[pattern]; ok {
			return known == typ
		}
		if among := parameters[pattern]; among != nil && !slices.Contains(among, typ) {
			return false
		}
		b[pattern] = typ
		return true
	}
	name, args := split(pattern)
	other, others := split(typ)
	if name != other || len(args) != len(others) {
		return false
	}
	for i := range args {
		if !b.fits(args[i], others[i]) {
			return false
		}
	}
	return true
}

// with returns the pattern with its parameters replaced by their types. Unbound parameters are bound to some type
// first.
func (w *writer) with(b binding, pattern string) string {
	name, args := split(pattern)
	if isParameter(pattern) {
		if _, ok := b[pattern]; !ok {
			if among := parameters[pattern]; among != nil {
				b[pattern] = Pick(w.Source, among)
			} else {
				b[pattern] = w.anyType()
			}
		}
		return b[pattern]
	}
	if len(args) == 0 {
		return pattern
	}
	typed := make([]string, len(args))
	for i := range args {
		typed[i] = w.with(b, args[i])
	}
	return name + "(" + strings.Join(typed, ",") + ")"
}

// anyType chooses a type, usually that of something that can be reached.
func (w *writer) anyType() string {
	if !w.OneIn(3) {
		_, typ := w.walk(false)
		return typ
	}
	return Pick(w.Source, plainTypes)
}

var plainTypes = []string{
	"int", "string", "bool", "double", "uint", "bytes", "duration", "timestamp", "list(int)", "list(string)", "map(string,int)", "ip", "cidr", "quantity", "url", "semver",
	"optional(int)", "optional(string)", "dyn", "null", "type", "format", "list(list(int))", "map(int,string)", "list(double)", "list(uint)", "list(bool)", "list(timestamp)", "list(duration)",
	"list(bytes)", "map(string,list(string))", "list(dyn)", "map(string,dyn)", "list(optional(int))",
}

// walk returns an expression for something in a variable. With optional, at least one of the selections is optional, if
// possible.
func (w *writer) walk(optional bool) (text, typ string) {
	v := w.vars[w.Intn(len(w.vars))]
	text, typ = v.name, v.typ
	wrapped := false // all steps after an optional one are
	if name, args := split(typ); name == "optional" {
		typ, wrapped = args[0], true
	}
	for range 1 + w.Intn(4) {
		name, args := split(typ)
		mark := ""
		if optional && !wrapped && w.OneIn(2) {
			mark = "?"
		}
		switch {
		case name[0] == '#':
			id, _ := strconv.Atoi(name[1:])
			fields := w.objects[id]
			if len(fields) == 0 {
				return w.walked(text, typ, wrapped)
			}
			f := Pick(w.Source, fields)
			shown := f.name
			if bare := strings.TrimSuffix(strings.TrimPrefix(f.name, "__"), "__"); bare != f.name && w.OneIn(3) && !slices.Contains(reserved[:4], bare) {
				shown = bare
			} else if w.OneIn(40) {
				shown = "`" + f.name + "`"
			}
			text, typ = text+"."+mark+shown, f.typ
		case name == "list":
			text, typ = text+"["+mark+w.index()+"]", args[0]
		case name == "map" && args[0] == "string":
			k := Pick(w.Source, ruleKeys)
			if e, ok := escaped(k); ok && e == k && w.OneIn(3) {
				text, typ = text+"."+mark+k, args[1]
			} else {
				text, typ = text+"["+mark+quoted(w.Source, k)+"]", args[1]
			}
		default:
			return w.walked(text, typ, wrapped)
		}
		wrapped = wrapped || mark != ""
		if w.OneIn(3) {
			break
		}
	}
	return w.walked(text, typ, wrapped)
}

func (w *writer) walked(text, typ string, wrapped bool) (string, string) {
	if wrapped {
		return text, "optional(" + typ + ")"
	}
	return text, typ
}

func (w *writer) index() string {
	if w.left > 0 && w.OneIn(16) {
		return w.write("int", 1)
	}
	return Pick(w.Source, []string{"0", "0", "0", "0", "0", "0", "1", "1", "1", "2", "3", "-1"})
}

// path returns something of the wanted type in a variable.
func (w *writer) path(want string) (string, bool) {
	name, _ := split(want)
	for range 16 {
		text, typ := w.walk(name == "optional")
		if typ == want || typ == "dyn" && w.OneIn(6) {
			return text, true
		}
	}
	if name[0] == '#' {
		return w.reach(want)
	}
	return "", false
}

// reach finds an object of the wanted type in a variable, wherever it is.
func (w *writer) reach(want string) (string, bool) {
	type place struct{ text, typ string }
	var todo []place
	for _, v := range w.vars {
		todo = append(todo, place{v.name, v.typ})
	}
	for len(todo) > 0 {
		p := todo[0]
		todo = todo[1:]
		if p.typ == want {
			return p.text, true
		}
		switch name, args := split(p.typ); {
		case name[0] == '#':
			id, _ := strconv.Atoi(name[1:])
			for _, f := range w.objects[id] {
				todo = append(todo, place{p.text + "." + f.name, f.typ})
			}
		case name == "list":
			todo = append(todo, place{p.text + "[0]", args[0]})
		case name == "map":
			todo = append(todo, place{p.text + "['a']", args[1]})
		case name == "optional":
			todo = append(todo, place{p.text + ".value()", args[0]})
		}
	}
	return "", false
}

// write returns an expression of the wanted type, or occasionally of another, with up to depth levels.
func (w *writer) write(want string, depth int) string {
	w.left--
	switch {
	case w.OneIn(150):
		want = w.anyType()
	case w.OneIn(100):
		return "dyn(" + w.write(w.anyType(), depth-1) + ")"
	case w.OneIn(30):
		return "dyn(" + w.write(want, depth-1) + ")"
	}
	if depth <= 0 || w.left <= 0 || w.OneIn(4) {
		if text, ok := w.path(want); ok && !w.OneIn(4) {
			return text
		}
		if depth <= 0 || w.left <= 0 {
			return w.literal(want)
		}
	}
	var fitting []production
	for _, p := range productions {
		if (binding{}).fits(p.result, want) {
			fitting = append(fitting, p)
		}
	}
	if len(fitting) == 0 {
		return w.literal(want)
	}
	p := Pick(w.Source, fitting)
	b := binding{}
	b.fits(p.result, want)
	return w.fill(p.template, b, depth-1)
}

// fill writes a template, in which «T» is an expression of type T, «=T» a literal of it, «@T» a new variable, and
// «~kind» a text of a kind.
func (w *writer) fill(template string, b binding, depth int) string {
	scope := len(w.vars)
	var out strings.Builder
	for {
		before, rest, ok := strings.Cut(template, "«")
		out.WriteString(before)
		if !ok {
			break
		}
		what, after, _ := strings.Cut(rest, "»")
		template = after
		switch {
		case what[0] == '@':
			name := w.newName()
			// Variables that are near are repeated, so they are used more.
			w.vars = append(w.vars, variable{name, w.with(b, what[1:])})
			out.WriteString(name)
		case what[0] == '=':
			out.WriteString(w.literal(what[1:]))
		case what[0] == '~':
			if w.OneIn(5) {
				out.WriteString(w.write("string", depth))
			} else {
				out.WriteString(quoted(w.Source, textOf(w.Source, what[1:])))
			}
		case what == "has":
			out.WriteString(w.presence())
		case what == "index":
			out.WriteString(w.index())
		case what == "formatted":
			out.WriteString(w.format(depth))
		default:
			out.WriteString(w.write(w.with(b, what), depth))
		}
	}
	w.vars = w.vars[:scope]
	return out.String()
}

// newName returns the name for a variable. Occasionally it is the name of an existing one.
func (w *writer) newName() string {
	if w.OneIn(30) {
		return Pick(w.Source, []string{"self", "oldSelf", "x", "i", "size", "a"})
	}
	w.fresh++
	return "v" + strconv.Itoa(w.fresh)
}

func (w *writer) presence() string {
	for range 16 {
		text, _ := w.walk(w.OneIn(6))
		if i := strings.LastIndexAny(text, ".]"); i >= 0 && text[i] == '.' {
			return "has(" + text + ")"
		}
	}
	return "has({'a': 1}.a)"
}

// format writes a call of format. Most of its clauses match their values.
func (w *writer) format(depth int) string {
	var clauses, args []string
	for range 1 + w.Intn(3) {
		c := Pick(w.Source, []string{"s", "s", "s", "d", "f", "e", "b", "x", "X", "o", "%"})
		typ := map[string][]string{
			"d": {"int", "uint"}, "f": {"double"}, "e": {"double"}, "b": {"int", "bool", "uint"}, "x": {"int", "string", "bytes", "uint"}, "X": {"int", "string", "bytes", "uint"}, "o": {"int", "uint"},
			"s": {"string", "int", "bool", "double", "uint", "bytes", "duration", "timestamp", "null", "type", "list(int)", "map(string,int)", "list(dyn)"},
		}[c]
		if c == "%" {
			clauses = append(clauses, "%%")
			continue
		}
		precision := ""
		if w.OneIn(4) {
			precision = "." + Pick(w.Source, []string{"0", "1", "2", "6", "10", "30"})
		}
		clauses = append(clauses, "%"+precision+c)
		if c == "s" && w.OneIn(2) {
			typ = []string{w.anyType()}
		}
		if w.OneIn(20) {
			typ = []string{"dyn"}
		}
		args = append(args, w.write(Pick(w.Source, typ), depth))
	}
	return "'" + strings.Join(clauses, " ") + "'.format([" + strings.Join(args, ", ") + "])"
}

// literal writes a literal of a type, or the simplest expression of this type.
func (w *writer) literal(typ string) string {
	name, args := split(typ)
	switch name {
	case "bool":
		return Pick(w.Source, []string{"true", "false"})
	case "int":
		if w.OneIn(5) {
			return strconv.FormatInt(Pick(w.Source, ruleIntegers), 10)
		}
		return Pick(w.Source, []string{"0", "1", "2", "3", "5", "-1", "10", "0x1F"})
	case "uint":
		return Pick(w.Source, []string{"0u", "1u", "2u", "5u", "18446744073709551615u", "0x10u"})
	case "double":
		return Pick(w.Source, []string{"0.0", "1.0", "1.5", "-1.5", "1e3", ".5", "1e300", "-0.0", "2.0", "double('NaN')", "double('inf')", "0.1", "9007199254740993.0", "-1e-7", "1e21", "123456.789"})
	case "string":
		return quoted(w.Source, RuleText(w.Source))
	case "bytes":
		return Pick(w.Source, []string{"b''", "b'abc'", "b'\\xff\\x00'", "b'ä'", "bytes('a')", "b'\\377'"})
	case "duration", "timestamp", "quantity", "ip", "cidr", "url", "semver":
		return name + "(" + quoted(w.Source, textOf(w.Source, name)) + ")"
	case "null":
		return "null"
	case "type":
		return Pick(w.Source, []string{
			"int", "string", "bool", "double", "uint", "bytes", "list", "map", "null_type", "type", "optional_type", "net.IP", "net.CIDR", "google.protobuf.Timestamp",
			"google.protobuf.Duration",
		})
	case "format":
		return "format." + Pick(w.Source, ruleTexts["named"][:13]) + "()"
	case "optional":
		if w.OneIn(6) {
			return "optional.none()"
		}
		return "optional.of(" + w.literal(args[0]) + ")"
	case "list":
		items := make([]string, Pick(w.Source, []int{0, 1, 1, 2, 2, 3}))
		for i := range items {
			items[i] = w.literal(args[0])
		}
		return "[" + strings.Join(items, ", ") + "]"
	case "map":
		entries := make([]string, Pick(w.Source, []int{0, 1, 1, 2}))
		for i := range entries {
			entries[i] = w.literal(args[0]) + ": " + w.literal(args[1])
		}
		return "{" + strings.Join(entries, ", ") + "}"
	case "dyn":
		return "dyn(" + w.literal(Pick(w.Source, plainTypes)) + ")"
	}
	if text, ok := w.reach(typ); ok {
		return text
	}
	return "self"
}

// quoted writes a text as a literal, in one of the ways there are.
func quoted(s *Source, text string) string {
	if s.OneIn(12) && !strings.ContainsAny(text, "'\n\r\\") {
		return "r'" + text + "'"
	}
	var b strings.Builder
	quote := Pick(s, []string{"'", "'", "'", "\""})
	b.WriteString(quote)
	for _, r := range text {
		switch {
		case string(r) == quote || r == '\\':
			b.WriteString("\\" + string(r))
		case r == '\n':
			b.WriteString("\\n")
		case r < ' ':
			fmt.Fprintf(&b, "\\x%02x", r)
		case r == 0x85 || r == 0x2028:
			fmt.Fprintf(&b, "\\u%04x", r)
		case r == 0xfffd:
			b.WriteString("?")
		default:
			b.WriteRune(r)
		}
	}
	b.WriteString(quote)
	return b.String()
}
