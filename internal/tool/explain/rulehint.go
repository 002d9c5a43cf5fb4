package explain

import (
	"cmp"
	"fmt"
	"maps"
	"math/bits"
	"regexp"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/cel/check"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/origin"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/tool/constraint"
)

// RuleHints finds hints for rules that do not compile. It changes a rule in ways that authors often forget, and reports
// the changes with which it compiles. The zero value is ready to use for the errors of one definition, by one
// goroutine: the time for all its rules together is limited as that of a check of the definition.
type RuleHints struct {
	checker  check.Checker
	total    check.Total
	compared int // bytes of expressions in which names were looked for
}

// A placed is a rule in the schema of a definition.
type placed struct {
	node  *plan.Node
	rule  *plan.Rule
	name  string          // of the field with the error: rule or messageExpression
	above []*plan.Node    // from the root to the one above node
	steps []field.Segment // in an object, from each of above to the next
}

// find returns the rule that an error of a definition is about, or nil.
func find(checked *crdcheck.Checked, e *field.Error) *placed {
	path := e.Path.Segments()
	k := slices.IndexFunc(path, func(s field.Segment) bool { return s.Key == "openAPIV3Schema" })
	if k < 2 || e.Cause().Keyword != origin.Validations || e.Cause().Rule < 0 {
		return nil
	}
	version := 0
	if path[1].Key == "versions" {
		version = path[2].Index
	}
	versions := checked.Definition().Spec.Versions
	if version >= len(versions) {
		return nil
	}
	s := checked.Schema(versions[version].Name)
	if s == nil {
		return nil
	}
	r := &placed{node: plan.Root(s)}
	for path = path[k+1:]; len(path) > 0; {
		var next *plan.Node
		step := path[0]
		switch {
		case step.Key == origin.Validations && len(path) == 3 && path[1].Index < len(r.node.Rules):
			r.rule, r.name = &r.node.Rules[path[1].Index], path[2].Key
			return r
		case step.Key == "properties" && len(path) > 1:
			step, path = path[1], path[1:]
			next, _ = r.node.Child(step.Key)
		case step.Key == "items":
			next, step = r.node.Items, field.Segment{IsIndex: true}
		case step.Key == "additionalProperties":
			next, step = r.node.Additional, field.Segment{Key: "*"}
		}
		if path = path[1:]; next == nil {
			return nil
		}
		r.above, r.steps, r.node = append(r.above, r.node), append(r.steps, step), next
	}
	return nil
}

// A variant is an expression with changes.
type variant struct {
	text     string
	optional bool // oldSelf is an optional
}

// A change is one that authors of rules often forget.
type change struct {
	hint string
	make func(v variant) variant
}

// maxChanges is the maximum number of changes to try together.
const maxChanges = 4

// Hints returns the hints for an error of a definition, if it is about a rule.
func (h *RuleHints) Hints(checked *crdcheck.Checked, e *field.Error) []string {
	if e.Type != field.ErrorTypeInvalid {
		return nil
	}
	r := find(checked, e)
	if r == nil {
		return nil
	}
	given := variant{text: r.rule.Rule, optional: r.rule.OptionalOldSelf != nil && *r.rule.OptionalOldSelf}
	if r.name == "messageExpression" {
		given.text = r.rule.MessageExpression
	} else if r.name != "rule" {
		return nil
	}
	if compiled := h.compile(r, given); compiled != nil {
		if r.name == "rule" && compiled.UsesOldSelf {
			return uncorrelated(r)
		}
		return nil
	}
	changes := h.changes(r, given)
	// Few changes first.
	var sets []uint
	for set := uint(1); set < 1<<len(changes); set++ {
		sets = append(sets, set)
	}
	slices.SortStableFunc(sets, func(a, b uint) int { return cmp.Compare(bits.OnesCount(a), bits.OnesCount(b)) })
	for _, set := range sets {
		v := given
		var hints []string
		for i, c := range changes {
			if set>>i&1 != 0 {
				v, hints = c.make(v), append(hints, c.hint)
			}
		}
		if h.compile(r, v) != nil {
			return hints
		}
	}
	return nil
}

// compile returns the compiled expression, or nil if it does not compile.
func (h *RuleHints) compile(r *placed, v variant) *check.Expr {
	h.checker.CountTo(&h.total)
	compile := h.checker.Rule
	if r.name == "messageExpression" {
		compile = h.checker.Message
	}
	e, err := compile(v.text, types.Scope(r.node), v.optional, false)
	if err != nil {
		return nil
	}
	return e
}

// hiddenMetadata matches a field of metadata that rules cannot read.
var hiddenMetadata = func() *regexp.Regexp {
	var names []string
	for _, m := range objectmeta.Metadata.Members {
		if m.Name != "name" && m.Name != "generateName" {
			names = append(names, m.Name)
		}
	}
	return regexp.MustCompile(`\b((?:\w+\.)+metadata)\.(` + strings.Join(names, "|") + `)\b`)
}()

// quantityCall matches a call with an argument that has no calls in it.
var quantityCall = regexp.MustCompile(`\b(quantity|isQuantity)\(([^()]+)\)`)

// changes returns the changes that make a difference to v.
func (h *RuleHints) changes(r *placed, v variant) (all []change) {
	for _, name := range h.escapable(r.node, v.text) {
		escaped, _ := types.EscapeName(name)
		text := fmt.Sprintf("rules select the field %s as %s", name, escaped)
		all = append(all, change{text, func(v variant) variant {
			v.text = selecting(v.text, name, escaped)
			return v
		}})
	}
	if m := hiddenMetadata.FindStringSubmatch(v.text); m != nil {
		all = append(all, change{"of metadata, rules see name and generateName only", func(v variant) variant {
			v.text = hiddenMetadata.ReplaceAllString(v.text, "dyn($1).$2")
			return v
		}})
	}
	if m := quantityCall.FindStringSubmatch(v.text); m != nil {
		text := fmt.Sprintf("%s takes a string: %[1]s(string(%s))", m[1], m[2])
		all = append(all, change{text, func(v variant) variant {
			v.text = quantityCall.ReplaceAllString(v.text, "$1(string($2))")
			return v
		}})
	}
	if r.name == "rule" && strings.Contains(v.text, "oldSelf") {
		text := "set optionalOldSelf: true beside the rule: only then is oldSelf an optional value"
		if v.optional {
			text = "with optionalOldSelf: true, oldSelf is an optional value: " +
				"test it with oldSelf.hasValue(), and read it with oldSelf.value()"
		}
		all = append(all, change{text, func(v variant) variant {
			v.optional = !v.optional
			return v
		}})
	}
	return all[:min(len(all), maxChanges)]
}

// maxCompared is the maximum number of bytes in which names are looked for.
const maxCompared = 50_000_000

// escapable returns the names of fields at and below n that text contains, and that expressions must escape; the
// longest first.
func (h *RuleHints) escapable(n *plan.Node, text string) []string {
	found := map[string]bool{}
	var visit func(n *plan.Node)
	visit = func(n *plan.Node) {
		if n == nil {
			return
		}
		for i := range n.Props {
			name := n.Props[i].Name
			if h.compared += len(name) + len(text); h.compared > maxCompared {
				return
			}
			if escaped, ok := types.EscapeName(name); ok && escaped != name && selecting(text, name, escaped) != text {
				found[name] = true
			}
			visit(n.Props[i].Node)
		}
		visit(n.Items)
		visit(n.Additional)
	}
	visit(n)
	names := slices.Sorted(maps.Keys(found))
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return names
}

// nameContinues matches what is behind the beginning of a longer name.
var nameContinues = regexp.MustCompile(`^\w`)

// selecting returns text with escaped in place of name where it selects a field.
func selecting(text, name, escaped string) string {
	var b strings.Builder
	for {
		before, after, ok := strings.Cut(text, "."+name)
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		if nameContinues.MatchString(after) {
			b.WriteString("." + name)
		} else {
			b.WriteString("." + escaped)
		}
		text = after
	}
}

// uncorrelated returns the hint for a rule with oldSelf where there are no old values.
func uncorrelated(r *placed) []string {
	for i, n := range r.above {
		if !r.steps[i].IsIndex || n.List == plan.ListMap {
			continue
		}
		list := field.PathOf(r.steps[:i]...).String()
		if len(n.Items.Props) == 0 {
			return []string{"the items of " + list + " have no old values: only a rule at the list, or above, can compare them"}
		}
		return []string{"the items of " + list + " have no old values: with x-kubernetes-list-type: map and " +
			"x-kubernetes-list-map-keys, each has that of the item with the same keys"}
	}
	return nil
}

// overload returns the hint for a rule that was evaluated with a value of another type than it expects, or an empty
// string. n describes the value of the rule.
func overload(n *plan.Node, e *field.Error) string {
	r := constraint.RuleOf(e)
	if r == nil || origin.FaultOf(e) != origin.NoOverload {
		return ""
	}
	argument := ""
	if m := quantityCall.FindStringSubmatch(r.Rule); m != nil {
		argument = strings.TrimSpace(m[2])
	} else if n != nil && n.Has&plan.IntOrString != 0 {
		argument = "self"
	}
	if argument == "" {
		return ""
	}
	return "the rule calls a function of strings with a value that is none: quote the value, or guard the call in the rule " +
		"with type(" + argument + ") == string"
}
