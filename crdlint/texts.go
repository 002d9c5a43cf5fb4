package crdlint

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/crdkit/crdkit/internal/cel/ast"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/format"
	"github.com/crdkit/crdkit/internal/tool/sample"
	"github.com/crdkit/crdkit/schema"
)

var textComparison = Lint{
	Name: "text-comparison", Severity: Warning, Title: "numbers, durations or versions compared as texts",
	Why: "Texts are compared letter by letter, so that \"10\" is less than \"9\". The rule is right for some " +
		"values and wrong for others, whatever it is meant to compare.",
	check: checkTextComparisons,
}

// A textKind is a kind of values that are written as texts. less is the lesser value, and the greater text.
type textKind struct {
	name, less, greater string
	fix                 string
	fields              *regexp.Regexp // matches the names of fields of this kind
}

var textKinds = []textKind{
	{"numbers", "9", "10", "use type integer, or compare int(%)",
		regexp.MustCompile(`(?i)(count|number|num|port|index|priority|replicas)$`)},
	{"durations", "9s", "10s", "compare duration(%)",
		regexp.MustCompile(`(?i)(duration|timeout|interval|period|delay|ttl|age|window|seconds)$`)},
	{"quantities", "9Gi", "10Gi", "compare quantity(%) with isLessThan or compareTo",
		regexp.MustCompile(`(?i)(size|memory|cpu|storage|capacity|requests?|limits?|quantity|disk|quota)$`)},
	{"versions", "1.9.0", "1.10.0", "compare semver(%) with isLessThan or compareTo",
		regexp.MustCompile(`(?i)(version|release)$`)},
	{"versions", "v1.9.0", "v1.10.0", "compare semver(%, true) with isLessThan or compareTo",
		regexp.MustCompile(`(?i)(version|release)$`)},
	{"times", "2024-01-01T01:00:00+02:00", "2024-01-01T00:00:00Z", "use format date-time, or compare timestamp(%)",
		regexp.MustCompile(`(?i)(time|timestamp|date|at|since|until|before|after)$`)},
}

func checkTextComparisons(l *linter) {
	for _, v := range l.versions {
		if v.repeat {
			continue
		}
		for _, r := range v.ruleTrees() {
			walkScopes(r.expr, scope{"self": r.p.JSONSchemaProps}, func(e *ast.Expr, variables scope) {
				l.textComparison(v, r, e, variables)
			})
		}
	}
}

// A scope has the schemas of variables.
type scope map[string]*schema.JSONSchemaProps

// walkScopes calls do for e and all expressions in it, with the schemas of the variables.
func walkScopes(e *ast.Expr, variables scope, do func(*ast.Expr, scope)) {
	do(e, variables)
	if e.Kind() == ast.CallKind && e.AsCall().IsMemberFunction() && slices.Contains(loops, e.AsCall().FunctionName()) &&
		len(e.AsCall().Args()) > 1 {
		c := e.AsCall()
		walkScopes(c.Target(), variables, do)
		inner := maps.Clone(variables)
		for _, variable := range c.Args()[:len(c.Args())-1] {
			if variable.Kind() == ast.IdentKind {
				delete(inner, variable.AsIdent())
			}
		}
		if list := schemaOf(c.Target(), variables); list != nil && list.Items != nil && len(c.Args()) == 2 &&
			c.Args()[0].Kind() == ast.IdentKind {
			inner[c.Args()[0].AsIdent()] = list.Items.Schema
		}
		walkScopes(c.Args()[len(c.Args())-1], inner, do)
		return
	}
	for _, part := range parts(e) {
		walkScopes(part, variables, do)
	}
}

// schemaOf returns the schema of a selection such as self.a.b or item.a, or nil.
func schemaOf(e *ast.Expr, variables scope) *schema.JSONSchemaProps {
	for name, p := range variables {
		if path, ok := pathOf(e, name); ok && p != nil {
			return at(p, path)
		}
	}
	return nil
}

// orders are the operators that compare two texts letter by letter.
var orders = []string{"_<_", "_<=_", "_>_", "_>=_"}

func (l *linter) textComparison(v *version, r *ruleTree, e *ast.Expr, variables scope) {
	if e.Kind() != ast.CallKind || !slices.Contains(orders, e.AsCall().FunctionName()) {
		return
	}
	x, y := e.AsCall().Args()[0], e.AsCall().Args()[1]
	kind := kindOfTexts(operandOf(x, variables), operandOf(y, variables))
	if kind == nil || !l.more() {
		return
	}
	name := fieldText(x)
	if x.Kind() == ast.LiteralKind {
		name = fieldText(y)
	}
	l.add(v.pathOfRule(r), l.textWitness(v, r, x, y, kind), strings.ReplaceAll(kind.fix, "%", name),
		"the rule compares %s as texts, and %s is less than %s: %s", kind.name, strconv.Quote(kind.greater),
		strconv.Quote(kind.less), short(r.Rule))
}

// fieldText returns a selection as it is written.
func fieldText(e *ast.Expr) string {
	if e.Kind() == ast.SelectKind {
		return fieldText(e.AsSelect().Operand()) + "." + e.AsSelect().FieldName()
	}
	if e.Kind() == ast.IdentKind {
		return e.AsIdent()
	}
	return ""
}

// A textOperand is an operand of a comparison of texts: a literal, or values of a schema in a field.
type textOperand struct {
	literal *string
	p       *schema.JSONSchemaProps
	field   string
}

func operandOf(e *ast.Expr, variables scope) (o textOperand) {
	if value, ok := literal(e); ok {
		if s, isText := value.(string); isText {
			o.literal = &s
		}
		return o
	}
	p := schemaOf(e, variables)
	if p == nil || p.Type != "string" || p.Format != "" && format.Kept("string", p.Format) {
		return o
	}
	o.p = p
	if e.Kind() == ast.SelectKind {
		o.field = e.AsSelect().FieldName()
	}
	return o
}

// kindOfTexts returns the kind of values that a comparison of two operands is about: both allow the texts of the kind,
// and a literal, a pattern or the name of a field says so. It returns nil if it is not known.
func kindOfTexts(x, y textOperand) *textKind {
	if x.p == nil && y.p == nil || x.p == nil && x.literal == nil || y.p == nil && y.literal == nil {
		return nil
	}
	for i := range textKinds {
		k := &textKinds[i]
		if x.may(k) && y.may(k) && (x.says(k) || y.says(k)) {
			return k
		}
	}
	return nil
}

func (o *textOperand) may(k *textKind) bool {
	if o.literal != nil {
		return k.has(*o.literal)
	}
	return allows(o.p, k.less) && allows(o.p, k.greater)
}

func (o *textOperand) says(k *textKind) bool {
	return o.literal != nil || o.p.Pattern != "" || len(o.p.Enum) > 0 || k.fields.MatchString(o.field)
}

// allows reports whether a schema of texts allows one, apart from combinators and rules.
func allows(p *schema.JSONSchemaProps, s string) bool {
	if p.MaxLength != nil && int64(len(s)) > *p.MaxLength || p.MinLength != nil && int64(len(s)) < *p.MinLength {
		return false
	}
	if len(p.Enum) > 0 && !slices.Contains(p.Enum, any(s)) {
		return false
	}
	if p.Pattern == "" {
		return true
	}
	re, err := regexp.Compile(p.Pattern)
	return err == nil && re.MatchString(s)
}

var (
	quantityText = regexp.MustCompile(`^[0-9.]+(m|k|M|G|T|P|E|[KMGTPE]i)$`)
	versionText  = regexp.MustCompile(`^[0-9]+\.[0-9]+(\.[0-9]+)?([-+].*)?$`)
)

// has reports whether a text is written like a value of the kind.
func (k *textKind) has(s string) bool {
	var err error
	switch k.less {
	case "9":
		_, err = strconv.Atoi(s)
	case "9s":
		_, err = time.ParseDuration(s)
	case "9Gi":
		return quantityText.MatchString(s)
	case "1.9.0":
		return versionText.MatchString(s)
	case "v1.9.0":
		return strings.HasPrefix(s, "v") && versionText.MatchString(s[1:])
	default:
		_, err = time.Parse(time.RFC3339, s)
	}
	return err == nil
}

// textWitness returns the creation of an object with the lesser value on the left and the greater one on the right, and
// of one with these exchanged: the rule accepts the wrong one. It returns nil if the comparison alone does not decide.
func (l *linter) textWitness(v *version, r *ruleTree, x, y *ast.Expr, k *textKind) *Witness {
	left, ok := pathOf(x, "self")
	right, ok2 := pathOf(y, "self")
	a, b := v.below(r.p, left), v.below(r.p, right)
	if !ok || !ok2 || a == nil || b == nil || a == b {
		return nil
	}
	obj, path := l.objectWith(v, a)
	if obj == nil {
		return nil
	}
	base := path[:len(path)-len(left)]
	var steps []Step
	refused := 0
	for _, values := range [][2]string{{k.less, k.greater}, {k.greater, k.less}} {
		sent, ok := setPath(obj, base, left, values[0])
		if ok {
			sent, ok = setPath(sent, base, right, values[1])
		}
		if !ok {
			return nil
		}
		step := Step{Request: "create", Version: v.Name, Object: sent}
		got := l.handler(v.Name).Create(l.ctx, sent)
		switch {
		case got.Err() == nil:
			step.Answer = got.Object
		case len(got.Errors) == 1 && got.Errors[0].Cause() == r.cause():
			step.Refusal = got.Errors[0].Error()
			refused++
		default:
			return nil
		}
		steps = append(steps, step)
	}
	if refused != 1 {
		return nil
	}
	return &Witness{steps}
}

// setPath returns obj with a value in a field below base. It reports false if there is no object with that field.
func setPath(obj map[string]any, base []field.Segment, fields []string, value any) (map[string]any, bool) {
	path := slices.Clone(base)
	for _, name := range fields {
		path = append(path, field.Segment{Key: name})
	}
	if above, ok := valueAt(obj, path[:len(path)-1]); ok {
		if _, isObject := above.(map[string]any); isObject {
			out, ok := sample.Replaced(obj, path, value).(map[string]any)
			return out, ok
		}
	}
	return nil, false
}
