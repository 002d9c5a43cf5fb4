package check_test

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/google/cel-go/checker"

	"github.com/crdkit/crdkit/internal/cel/eval"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/test/celgo"
)

// A maker makes expressions up for the schema node: of the types that calls need, with a fault here and there.
type maker struct {
	*rand.Rand
	faults int // one part in so many is of any type
	locals []typedName
}

type typedName struct {
	name string
	typ  *types.Type
}

func (m *maker) one(of ...string) string { return of[m.IntN(len(of))] }

// text returns an expression.
func (m *maker) text() string {
	m.locals = nil
	t := types.BoolType
	if m.IntN(4) == 0 {
		t = m.anyType()
	}
	text := m.of(t, 1+m.IntN(4))
	for m.IntN(4) == 0 {
		text = m.mutated(text)
	}
	return text
}

var simpleTypes = []*types.Type{
	types.BoolType, types.IntType, types.DoubleType, types.StringType, types.BytesType, types.UintType, types.DurationType, types.TimestampType,
	types.DynType, types.NullType,
}

func (m *maker) simpleType() *types.Type { return simpleTypes[m.IntN(len(simpleTypes))] }

func (m *maker) anyType() *types.Type {
	switch m.IntN(12) {
	case 0:
		return types.NewListType(m.anyType())
	case 1:
		return types.NewMapType(m.simpleType(), m.anyType())
	case 2:
		return types.NewOptionalType(m.anyType())
	case 3:
		return types.NewTypeTypeWithParam(m.simpleType())
	case 4:
		return types.NewObjectType(m.one("selfType.o", "selfType.p", "selfType"))
	case 5:
		return types.NewOpaqueType(m.one("net.IP", "net.CIDR"))
	}
	return m.simpleType()
}

// leaves has expressions without parts, by the type that they have.
var leaves = map[string][]string{
	"bool":           {"self.b", "true", "false", "has(self.o.x)", "has(self.s)", "oldSelf.b", "has(self.x.y)"},
	"int":            {"self.i", "1", "0", "-5", "self.o.x", "self.o.oldSelf", "google.protobuf.NullValue.NULL_VALUE", "google.protobuf.Field.Kind.TYPE_INT32"},
	"double":         {"self.n", "1.5", "-2e3"},
	"string":         {"self.s", "'a'", "self.namespace", "self.a__dash__b", "self.`a__dash__b`", "self.m.a", "self.ls[0]", "self.nul", ".self.s", "oldSelf.s"},
	"bytes":          {"self.by", "b'a'"},
	"uint":           {"1u", "7u"},
	"duration":       {"self.d", "duration('1s')", "google.protobuf.Duration{seconds: 1}"},
	"timestamp":      {"self.t", "timestamp('2020-01-01T00:00:00Z')", "google.protobuf.Timestamp{}"},
	"dyn":            {"self.x", "dyn(1)", "self.x.y", "self.x[0]", "google.protobuf.Value{number_value: 1.0}"},
	"null":           {"null", "google.protobuf.NullValue{}"},
	"list(string)":   {"self.ls", "['a']", "[]"},
	"list(int)":      {"self.li", "[1]", "[]"},
	"list(dyn)":      {"[dyn(1)]", "[]", "[1, 'a']", "google.protobuf.ListValue{values: [1]}"},
	"selfType":       {"self", "oldSelf", ".self", ".oldSelf"},
	"selfType.o":     {"self.o", ".self.o", "oldSelf.o"},
	"selfType.p":     {"self.p"},
	"net.IP":         {"ip('::1')"},
	"net.CIDR":       {"cidr('10.0.0.0/8')"},
	"wrapper(int)":   {"google.protobuf.Int64Value{value: 1}"},
	"kubernetes.URL": {"url('https://a')"},

	"map(string, string)":   {"self.m", "{'a': 'b'}", "{}"},
	"kubernetes.Quantity":   {"quantity('1k')"},
	"kubernetes.Semver":     {"semver('1.0.0')"},
	"type(int)":             {"int", "type(1)"},
	"type(timestamp)":       {"google.protobuf.Timestamp", "timestamp"},
	"type(string)":          {"string", ".string"},
	"optional_type(string)": {"self.?s", "optional.of('a')", "optional.none()", "self.ls[?0]", ".optional.of('a')"},
	"optional_type(int)":    {"self.?i", "self.?o.x", "self.?o.?x", "optional.none()"},
}

// odd are leaves of any type: unusual names and literals, and those with a fault.
var odd = []string{
	"undeclared", "self.zz", "a.b.c", ".self", ".e", ".k.v", "e", "k", "v", "self.o.zz", "has(self.zz)", "has(a.b)", "self.zz.yy.xx", "int", "type", "list",
	"map", "null_type", "optional_type", "net.IP", "net.CIDR", ".net.IP", "net", "google", "google.protobuf", "google.protobuf.Any", "google.protobuf.zz",
	"google.protobuf.Struct.fields", "google.protobuf.NullValue", "selfType", "dyn", "duration", "timestamp", "bool", "kubernetes.URL", "self.quantity('1')",
	"google.protobuf.Int32Value{value: 1}", "google.protobuf.Int32Value{value: 'a'}", ".google.protobuf.BoolValue{value: self.b}",
	"google.protobuf.Struct{fields: {'a': google.protobuf.Value{}}}", "google.protobuf.Any{type_url: self.i}", "google.protobuf.Empty{}",
	"google.protobuf.FieldMask{paths: self.ls}", "google.protobuf.FieldMask{paths: self.li, zz: 1}", "google.protobuf.FieldMask{?paths: self.?ls}",
	"google.protobuf.FieldMask{?paths: self.ls}", "google.protobuf.Field{kind: google.protobuf.Field.Kind.TYPE_BOOL}.kind", "google.protobuf.FieldMask{}.paths",
	"google.protobuf.FieldMask{}.zz", "google.protobuf.Duration{seconds: 'a', nanos: 1}", "google.protobuf.NullValue{a: 1}", "zz{}", "zz.yy{a: undeclared}", "int{}",
	"int{a: undeclared}", "list{}", "list{a: 1}", "map{a: 'b', c: 1}", "type{}", "string{a: 1}", "duration{seconds: 1}", "null_type{a: 1}", "optional_type{a: 1}",
	"net.IP{}", "self{}", "e{}", "self.s{}", "google.protobuf.ListValue{values: 1}", "google.protobuf.Value{struct_value: null, zz: ''}", "optional.zz(1)",
	"strings.zz()", "strings", "optional", "[].all(x, x)", "[][0]", "{}.a", "{}['a']", "[[]][0]", "[?optional.none()]", "[?self.s]", "{'a': ?1}", "{?'a': 1}",
	"{?'a': optional.of(1)}", "[] + {}", "[] == {}", "[] && {}", "optional.none() || []", "self.all(x, true)", "self.o.map(x, x)", "1.all(x, y, x == y)",
	"self.x.all(x, y, x == y)", "[].sortBy(x, [])", "self.s.sortBy(x, x)", "self.ls.sortBy(x, undeclared)", "self.?zz", "self.s.?zz", "self.x.?zz",
	"self.?s.zz", "optional.of(self.o).zz", "optional.of(self.o).x", "self.m.?a.b", "zz.?yy", "self.ls.?a", "dyn(1).f().g", "undeclared.f()", "f(undeclared)",
	"self.namespace", "self.__namespace__", "self.for", "has(self.namespace)", "type(self) == type(self.o)", "type(type(1))", "b'a' + 'a'", "null + null",
	"google.protobuf.Timestamp{seconds: 1}.seconds", "google.protobuf.Any{}.all(x, true)", "google.protobuf.Any{}.f", "google.protobuf.Value{}.f",
	"google.protobuf.StringValue{} + 'a'", "google.protobuf.Type{fields: [google.protobuf.Field{}]}.fields[0].name", "google.protobuf.Method{}.options[0].value",
	"google.protobuf.Int64Value{} == null", "[null, google.protobuf.Int64Value{}]", "google.protobuf.UInt64Value{value: 1u} in [1u]",
}

// of returns an expression of type t, or one with a fault.
func (m *maker) of(t *types.Type, depth int) string {
	if m.IntN(m.faults) == 0 {
		if m.IntN(2) == 0 {
			return m.one(odd...)
		}
		t = m.anyType()
	}
	name := checker.FormatCELType(celgo.Type(t))
	var known []string
	for _, l := range m.locals {
		if checker.FormatCELType(celgo.Type(l.typ)) == name {
			known = append(known, l.name)
		}
	}
	if len(known) > 0 && m.IntN(2) == 0 {
		return m.one(known...)
	}
	if depth <= 0 {
		return m.leaf(t, name, depth)
	}
	e := func(t *types.Type) string { return m.of(t, depth-1) }
	switch m.IntN(8) {
	case 0:
		return m.leaf(t, name, depth)
	case 1:
		return "(" + e(types.BoolType) + " ? " + e(t) + " : " + e(t) + ")"
	case 2:
		switch m.IntN(5) {
		case 0:
			return "[" + e(t) + ", " + e(t) + "][" + e(types.IntType) + "]"
		case 1:
			return "{'a': " + e(t) + "}" + m.one(".a", "['a']", "['a']", ".?a.orValue("+e(t)+")")
		case 2:
			return e(types.NewOptionalType(t)) + ".orValue(" + e(t) + ")"
		case 3:
			return e(types.NewOptionalType(t)) + ".value()"
		}
		return "dyn(" + e(m.simpleType()) + ")"
	case 3:
		return m.loop(t, depth-1)
	}
	if call := m.call(t, depth-1); call != "" {
		return call
	}
	return m.leaf(t, name, depth)
}

func (m *maker) leaf(t *types.Type, name string, depth int) string {
	if of := leaves[name]; len(of) > 0 && (depth <= 0 || m.IntN(2) == 0) {
		return m.one(of...)
	}
	switch t.Kind() {
	case types.ListKind:
		return "[" + m.one("", "?") + m.of(t.Parameters()[0], depth-1) + "]"
	case types.MapKind:
		return "{" + m.of(t.Parameters()[0], depth-1) + ": " + m.of(t.Parameters()[1], depth-1) + "}"
	case types.OpaqueKind:
		if t.TypeName() == "optional_type" {
			return "optional.of(" + m.of(t.Parameters()[0], depth-1) + ")"
		}
	case types.TypeKind:
		if len(t.Parameters()) > 0 {
			return "type(" + m.of(t.Parameters()[0], depth-1) + ")"
		}
	}
	if of := leaves[name]; len(of) > 0 {
		return m.one(of...)
	}
	return m.one(odd...)
}

// within returns an expression of type t in which there are other variables.
func (m *maker) within(t *types.Type, depth int, variables ...typedName) string {
	outside := len(m.locals)
	m.locals = append(m.locals, variables...)
	defer func() { m.locals = m.locals[:outside] }()
	return m.of(t, depth)
}

// loop returns the call of a macro.
func (m *maker) loop(t *types.Type, depth int) string {
	elem := m.simpleType()
	list := types.NewListType(elem)
	key, value := types.StringType, m.simpleType()
	first, second := m.one("e", "e", "x", "self", "oldSelf", "google", "int", ".e", "optional"), m.one("v", "w", "strings", "self", ".v")
	one := typedName{first, elem}
	two := []typedName{{first, key}, {second, value}}
	over := func() string { return m.of(list, depth) }
	overMap := func() string { return m.of(types.NewMapType(key, value), depth) }
	head := "(" + first + ", "
	heads := "(" + first + ", " + second + ", "
	switch {
	case t.Kind() == types.BoolKind && m.IntN(2) == 0:
		return over() + "." + m.one("all", "exists", "exists_one") + head + m.within(types.BoolType, depth, one) + ")"
	case t.Kind() == types.BoolKind:
		return overMap() + "." + m.one("all", "exists", "exists_one", "existsOne") + heads + m.within(types.BoolType, depth, two...) + ")"
	case t.Kind() == types.ListKind && m.IntN(3) == 0:
		return m.of(t, depth) + "." + m.one("filter", "sortBy") + head + m.within(types.BoolType, depth, typedName{first, t.Parameters()[0]}) + ")"
	case t.Kind() == types.ListKind && m.IntN(2) == 0:
		return over() + ".map" + head + m.one("", m.within(types.BoolType, depth, one)+", ") + m.within(t.Parameters()[0], depth, one) + ")"
	case t.Kind() == types.ListKind:
		return overMap() + ".transformList" + heads + m.one("", m.within(types.BoolType, depth, two...)+", ") + m.within(t.Parameters()[0], depth, two...) + ")"
	case t.Kind() == types.MapKind && m.IntN(2) == 0:
		return overMap() + ".transformMap" + heads + m.one("", m.within(types.BoolType, depth, two...)+", ") + m.within(t.Parameters()[1], depth, two...) + ")"
	case t.Kind() == types.MapKind:
		return overMap() + ".transformMapEntry" + heads + m.within(t, depth, two...) + ")"
	case t.Kind() == types.OpaqueKind && t.TypeName() == "optional_type" && m.IntN(2) == 0:
		return m.of(types.NewOptionalType(elem), depth) + ".optMap" + head + m.within(t.Parameters()[0], depth, one) + ")"
	case t.Kind() == types.OpaqueKind && t.TypeName() == "optional_type":
		return m.of(types.NewOptionalType(elem), depth) + ".optFlatMap" + head + m.within(t, depth, one) + ")"
	}
	return over() + "." + m.one("all", "map", "filter", "exists") + head + m.within(t, depth, one) + ")" + m.one("", "[0]", "[0]")
}

// An offer is an overload, and the function that it belongs to.
type offer struct {
	name string
	*eval.Overload
}

// offers has all overloads.
var offers = func() (all []offer) {
	for _, f := range eval.Functions(true) {
		for _, o := range f.Overloads {
			all = append(all, offer{f.Name, o})
		}
	}
	return all
}()

// call returns a call of a function whose result is t, or "" if it finds none.
func (m *maker) call(t *types.Type, depth int) string {
	for range 300 {
		o := offers[m.IntN(len(offers))]
		bound := map[string]*types.Type{}
		if !gives(o.Result, t, bound) {
			continue
		}
		var args []string
		for _, a := range o.Args {
			args = append(args, m.of(m.closed(a, bound), depth))
		}
		switch m.IntN(4 * m.faults) {
		case 0:
			args = args[:max(0, len(args)-1)]
		case 1:
			args = append(args, m.of(m.anyType(), depth))
		case 2:
			slices.Reverse(args)
		}
		if call := written(o, args); call != "" {
			return call
		}
	}
	return ""
}

// gives reports whether a result may be of type t, and binds its type parameters.
func gives(result, t *types.Type, bound map[string]*types.Type) bool {
	if result.Kind() == types.TypeParamKind {
		bound[result.TypeName()] = t
		return true
	}
	if result.Kind() != t.Kind() || result.TypeName() != t.TypeName() || len(result.Parameters()) != len(t.Parameters()) {
		return false
	}
	for i, p := range result.Parameters() {
		if !gives(p, t.Parameters()[i], bound) {
			return false
		}
	}
	return true
}

// closed returns t with types in place of its parameters.
func (m *maker) closed(t *types.Type, bound map[string]*types.Type) *types.Type {
	if t.Kind() == types.TypeParamKind {
		if bound[t.TypeName()] == nil {
			bound[t.TypeName()] = m.simpleType()
		}
		return bound[t.TypeName()]
	}
	var ps []*types.Type
	for _, p := range t.Parameters() {
		ps = append(ps, m.closed(p, bound))
	}
	switch {
	case t.Kind() == types.ListKind:
		return types.NewListType(ps[0])
	case t.Kind() == types.MapKind:
		return types.NewMapType(ps[0], ps[1])
	case t.Kind() == types.TypeKind && len(ps) > 0:
		return types.NewTypeTypeWithParam(ps[0])
	case t.Kind() == types.OpaqueKind:
		return types.NewOpaqueType(t.TypeName(), ps...)
	}
	return t
}

// written returns the text of a call, or "" if it cannot be written.
func written(o offer, args []string) string {
	switch {
	case strings.Contains(o.name, "@in") && len(args) == 2:
		return "(" + args[0] + " in " + args[1] + ")"
	case strings.Contains(o.name, "@"):
		return ""
	case o.name == "_?_:_" && len(args) == 3:
		return "(" + args[0] + " ? " + args[1] + " : " + args[2] + ")"
	case strings.HasPrefix(o.name, "_[") && len(args) == 2:
		return args[0] + strings.Replace(o.name[1:], "_", args[1], 1)
	case strings.HasPrefix(o.name, "_") && len(args) == 2:
		return "(" + args[0] + " " + strings.Trim(o.name, "_") + " " + args[1] + ")"
	case strings.HasSuffix(o.name, "_") && len(args) == 1:
		return strings.Trim(o.name, "_") + args[0]
	case strings.ContainsAny(o.name, "[_?&|=<>!+-*/%") && !regexp.MustCompile(`^\w+$`).MatchString(o.name):
		return ""
	case o.Method && len(args) > 0:
		return args[0] + "." + o.name + "(" + strings.Join(args[1:], ", ") + ")"
	}
	return o.name + "(" + strings.Join(args, ", ") + ")"
}

var (
	tokens    = regexp.MustCompile(`\w+|'[^']*'|\s+|[=!<>&|]+|.`)
	word      = regexp.MustCompile(`^[A-Za-z_]\w*$`)
	sign      = regexp.MustCompile(`^([=!<>]=?|&&|\|\||[-+*/%?.]|==)$`)
	operators = []string{"==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "&&", "||", "in", ".", ".?"}
	words     = []string{
		"self", "oldSelf", "s", "i", "b", "o", "x", "ls", "li", "m", "zz", "e", "k", "v", ".self", "size", "int", "string", "all", "map", "exists", "filter",
		"optional", "of", "none", "value", "orValue", "google", "protobuf", "contains", "startsWith", "undeclared", "for", "dyn", "type", "true", "null", "has",
		"optMap", "existsOne", "transformMap", "sortBy", "duration", "timestamp", "quantity", "ip", "namespace", "in",
	}
)

// mutated returns a text in which one token is another one.
func (m *maker) mutated(text string) string {
	all := tokens.FindAllString(text, -1)
	if len(all) == 0 {
		return text
	}
	i, j := m.IntN(len(all)), m.IntN(len(all))
	switch {
	case word.MatchString(all[i]) && m.IntN(2) == 0:
		all[i] = m.one(words...)
	case sign.MatchString(all[i]):
		all[i] = m.one(operators...)
	case word.MatchString(all[i]) && word.MatchString(all[j]):
		all[i], all[j] = all[j], all[i]
	case strings.HasPrefix(all[i], "'"):
		all[i] = m.one("1", "1.5", "null", "[]", "{}", "b'a'", "'('", "self")
	case all[i] == "," && m.IntN(2) == 0:
		all[i] = m.one(", 1,", ", 'a' +", ", ?")
	default:
		all[i] = m.one("1", "'a'", "self.zz", all[i]+all[i], all[j])
	}
	return strings.Join(all, "")
}
