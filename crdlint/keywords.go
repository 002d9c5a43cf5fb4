package crdlint

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/internal/cel/ast"

	"github.com/crdkit/crdkit/internal/format"
	"github.com/crdkit/crdkit/internal/tool/sample"
	"github.com/crdkit/crdkit/schema"
)

var ruleAsKeyword = Lint{
	Name: "rule-as-keyword", Severity: Note, Title: "a rule that a keyword says better",
	Why: "Keywords are checked first and at no cost, lower the estimates of rules, and are what kubectl explain, " +
		"editors and clients know. A rule has a message of its own, and nothing else in addition.",
	check: checkRulesAsKeywords,
}

func checkRulesAsKeywords(l *linter) {
	for _, v := range l.versions {
		if v.repeat {
			continue
		}
		for _, r := range v.ruleTrees() {
			if r.MessageExpression != "" || r.Reason != nil || r.FieldPath != "" {
				continue
			}
			var keywords []string
			for _, e := range conjuncts(r.expr) {
				k := keywordFor(r.p.JSONSchemaProps, e)
				if k == "" {
					keywords = nil
					break
				}
				keywords = append(keywords, k)
			}
			if len(keywords) > 0 && truthOf(r.p.JSONSchemaProps, r.expr) == unknown && l.more() {
				l.add(v.pathOfRule(r), nil, "set "+strings.Join(keywords, "; "), "the rule at %s says no more than keywords: %s",
					named(r.p.steps()), short(r.Rule))
			}
		}
	}
}

// short returns a rule on one line, shortened.
func short(rule string) string {
	rule = strings.Join(strings.Fields(rule), " ")
	const most = 120
	if len(rule) > most {
		return strings.ToValidUTF8(rule[:most], "") + "..."
	}
	return rule
}

// keywordFor returns the keywords that say the same as an expression about the values of p, and where they belong.
func keywordFor(p *schema.JSONSchemaProps, e *ast.Expr) string {
	if path, ok := hasPath(e); ok {
		if at(p, path) == nil {
			return ""
		}
		return fmt.Sprintf("required: [%s]%s", path[len(path)-1], of(path[:len(path)-1]))
	}
	if c, ok := comparisonOf(e); ok {
		return c.keyword(at(p, c.path))
	}
	if path, values, ok := choiceOf(e); ok {
		if q := at(p, path); q == nil || q.Type != "string" || format.Kept("string", q.Format) {
			return ""
		}
		return "enum: " + text(values) + of(path)
	}
	if e.Kind() == ast.CallKind && e.AsCall().FunctionName() == "matches" && e.AsCall().IsMemberFunction() &&
		len(e.AsCall().Args()) == 1 {
		path, ok := pathOf(e.AsCall().Target(), "self")
		pattern, isText := literal(e.AsCall().Args()[0])
		if q := at(p, path); ok && isText && q != nil && q.Type == "string" && q.Pattern == "" && !format.Kept("string",
			q.Format) {
			if s, _ := pattern.(string); len(s) > 50 {
				return "pattern to that of matches" + of(path)
			}
			return "pattern: " + text(pattern) + of(path)
		}
	}
	return ""
}

// of returns where a keyword belongs: nothing for the schema of the rule.
func of(path []string) string {
	if len(path) == 0 {
		return ""
	}
	return " at " + strings.Join(path, ".")
}

// choiceOf returns the values in self.a in ["x", "y"], self.a == "x" || self.a == "y", or self.a == "x".
func choiceOf(e *ast.Expr) (path []string, values []any, ok bool) {
	if args := operands(e, "@in"); len(args) == 2 && args[1].Kind() == ast.ListKind {
		path, ok = pathOf(args[0], "self")
		for _, item := range args[1].AsList().Elements() {
			value, is := literal(item)
			if _, isText := value.(string); !is || !isText {
				return nil, nil, false
			}
			values = append(values, value)
		}
		return path, values, ok && len(values) > 0
	}
	if args := operands(e, "_||_"); len(args) == 2 {
		left, some, ok := choiceOf(args[0])
		right, others, ok2 := choiceOf(args[1])
		return left, append(some, others...), ok && ok2 && slices.Equal(left, right)
	}
	if c, ok := comparisonOf(e); ok && c.op == "==" && !c.size {
		if s, isText := c.value.(string); isText {
			return c.path, []any{s}, true
		}
	}
	return nil, nil, false
}

// keyword returns the keyword that says the same as a comparison of values of p, or "". p may be nil.
func (c *comparison) keyword(p *schema.JSONSchemaProps) string {
	if p == nil {
		return ""
	}
	if s, isText := c.value.(string); isText && !c.size {
		switch {
		case p.Type != "string" || format.Kept("string", p.Format):
		case c.op == "!=" && s == "":
			return "minLength: 1" + of(c.path)
		case c.op == "==" && len(p.Enum) == 0:
			return "enum: " + text([]any{s}) + of(c.path)
		}
		return ""
	}
	name, least, most := "", "", ""
	switch {
	case c.size && p.Type == "string":
		least, most = "minLength", "maxLength"
	case c.size && p.Type == "array":
		least, most = "minItems", "maxItems"
	case c.size && p.Type == "object":
		least, most = "minProperties", "maxProperties"
	case !c.size && p.Type == "integer":
		least, most = "minimum", "maximum"
	default:
		return ""
	}
	n, ok := c.value.(int64)
	if !ok || n == math.MaxInt64 || n == math.MinInt64 {
		return ""
	}
	switch c.op {
	case "<":
		n, name = n-1, most
	case "<=":
		name = most
	case ">":
		n, name = n+1, least
	case ">=":
		name = least
	case "==":
		return fmt.Sprintf("%s: %d and %s: %d%s", least, n, most, n, of(c.path))
	case "!=":
		if n != 0 || !c.size {
			return ""
		}
		n, name = 1, least
	}
	return fmt.Sprintf("%s: %d%s", name, n, of(c.path))
}

var misleadingMessage = Lint{
	Name: "misleading-message", Severity: Warning, Title: "a message that contradicts the bound of its rule",
	Why:   "Whoever reads the message changes the value to what it says, and is refused again.",
	check: checkMessages,
}

func checkMessages(l *linter) {
	for _, v := range l.versions {
		if v.repeat {
			continue
		}
		for _, r := range v.ruleTrees() {
			c, ok := comparisonOf(r.expr)
			n, isInt := c.value.(int64)
			if !ok || !isInt || r.Message == "" || !c.size && len(c.path) == 0 && r.p.Type != "integer" {
				continue
			}
			problem := c.contradiction(n, r.Message)
			if problem == "" || !l.more() {
				continue
			}
			l.add(v.pathOfRule(r), l.messageWitness(v, r, c, n), "change the message or the rule",
				"the rule %s speaks of %s: %s", short(r.Rule), problem, short(r.Message))
		}
	}
}

// plainNumber matches a number that is no part of a name, a version or a place.
var plainNumber = regexp.MustCompile(`(^|[\s(=<>])(-?[0-9]+)($|[\s),;]|\.($|\s))`)

// units are factors between numbers of different units.
var units = []int64{7, 24, 60, 100, 1000, 1024, 3600, 86_400, 1_000_000, 1 << 20, 1_000_000_000, 1 << 30}

// contradiction returns what a message says against the comparison with n, or "".
func (c *comparison) contradiction(n int64, message string) string {
	if upper, ok := direction(message); ok && (upper && strings.HasPrefix(c.op, ">") || !upper && strings.HasPrefix(c.op,
		"<")) {
		if upper {
			return "a least value, and its message of a greatest"
		}
		return "a greatest value, and its message of a least"
	}
	found := plainNumber.FindAllStringSubmatch(message, 2)
	if len(found) != 1 || strings.Contains(message, "RFC") {
		return ""
	}
	m, err := strconv.ParseInt(found[0][2], 10, 64)
	if err != nil || m >= n-1 && m <= n+1 {
		return ""
	}
	for _, unit := range units {
		if m*unit == n || n*unit == m {
			return ""
		}
	}
	return fmt.Sprintf("%d, and its message of %d", n, m)
}

var (
	demand   = regexp.MustCompile(`(?i)\b(must|should|has to|have to|needs? to|cannot|can not|may not)\b(.*)`)
	negation = regexp.MustCompile(`(?i)\b(not|no|cannot)\b`)
	compared = regexp.MustCompile(`(?i)\b(at most|up to|at least|exceed|` +
		`greater|more|larger|longer|higher|above|over|less|fewer|smaller|shorter|lower|below|under)\b`)
)

// direction reports whether a message demands values up to a bound, or from one on. ok is false if it does not say.
func direction(message string) (upper, ok bool) {
	m := demand.FindStringSubmatch(message)
	if m == nil {
		return false, false
	}
	words := compared.FindAllStringIndex(m[2], 2)
	if len(words) != 1 {
		return false, false
	}
	word := strings.ToLower(m[2][words[0][0]:words[0][1]])
	not := negation.MatchString(m[1] + m[2][:words[0][0]])
	switch word {
	case "at most", "up to":
		return true, !not
	case "at least":
		return false, !not
	case "exceed", "greater", "more", "larger", "longer", "higher", "above", "over":
		return not, true
	}
	return !not, true
}

// messageWitness returns the creation of an object at the bound of the message, which is refused with that message, or
// of one at the bound of the rule, which is not.
func (l *linter) messageWitness(v *version, r *ruleTree, c comparison, n int64) *Witness {
	target := v.below(r.p, c.path)
	if target == nil {
		return nil
	}
	tries := []int64{n, n + 1, n - 1}
	if m := plainNumber.FindStringSubmatch(r.Message); m != nil {
		if at, err := strconv.ParseInt(m[2], 10, 64); err == nil {
			tries = append([]int64{at}, tries...)
		}
	}
	obj, path := l.objectWith(v, target)
	if obj == nil {
		return nil
	}
	for _, number := range tries {
		var value any = number
		if c.size {
			if value = l.sizedText(v, target, number); value == nil {
				continue
			}
		}
		sent, _ := sample.Replaced(obj, path, value).(map[string]any)
		got := l.handler(v.Name).Create(l.ctx, sent)
		if len(got.Errors) == 1 && got.Errors[0].Cause() == r.cause() {
			return &Witness{[]Step{{"create", v.Name, sent, nil, got.Errors[0].Error()}}}
		}
	}
	return nil
}

// maxMade is the size of the largest value that a witness needs.
const maxMade = 2_000

// sizedText returns a value for p with a size, or nil.
func (l *linter) sizedText(v *version, p *place, size int64) any {
	if size < 0 || size > maxMade {
		return nil
	}
	if p.Type == "string" {
		return strings.Repeat("a", int(size))
	}
	return l.sized(v, p, size)
}
