package crdlint

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/format"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/tool/constraint"
	"github.com/crdkit/crdkit/internal/tool/sample"
	"github.com/crdkit/crdkit/schema"
)

var boundsBetweenVersions = Lint{
	Name: "bounds-between-versions", Severity: Note, Title: "what one version allows and another one refuses",
	Why: "A server does not check a stored object when another version reads it. Clients of the stricter version " +
		"get values that it does not allow, and cannot copy the object or change these values.",
	check: checkBoundsBetweenVersions,
}

// checkBoundsBetweenVersions compares each served version with the storage version.
func checkBoundsBetweenVersions(l *linter) {
	l.eachPair(func(from, to *version) {
		if !from.Served || !to.Served {
			return
		}
		var first *place
		var texts []string
		var witness *Witness
		for _, pair := range pairsOf(from, to) {
			p, q := pair.p, pair.q
			if q == nil || p.inStatus() {
				continue // lost, or written by controllers, which know both
			}
			for _, n := range narrowings(p.JSONSchemaProps, q) {
				if first == nil {
					first = p
				}
				texts = append(texts, n.at(p))
				if witness == nil && len(texts) <= maxListed {
					witness = l.narrowWitness(from, to, p, n)
				}
			}
		}
		if first == nil || witness == nil && l.empty(from) || !l.more() {
			return
		}
		listed := strings.Join(texts[:min(len(texts), maxListed)], "; ")
		if more := len(texts) - maxListed; more > 0 {
			listed += fmt.Sprintf(" and %d more", more)
		}
		l.add(from.pathOf(first), witness, "allow the same in both versions", "%s allows values that %s refuses, because there: %s",
			from.Name, to.Name, listed)
	})
}

// empty reports whether no object of a version was found that is valid.
func (l *linter) empty(v *version) bool {
	obj, _ := l.objectWith(v, v.places[0])
	return obj == nil
}

// A narrowing is a keyword of one version that refuses what another version allows.
type narrowing struct {
	text   string // for people
	make   func(l *linter, v *version, p *place) []any
	remove string // the property that is required, instead of both
}

// at returns the narrowing of a place for people.
func (n *narrowing) at(p *place) string {
	if n.remove != "" {
		return constraint.Join(p.steps().String(), n.remove) + " is required"
	}
	return named(p.steps()) + ": " + n.text
}

// narrowings returns what q refuses and p may allow.
func narrowings(p, q *schema.JSONSchemaProps) (all []narrowing) {
	if p.Type != q.Type && q.Type != "" && (p.Type != "integer" || q.Type != "number") && !q.XIntOrString {
		typ := p.Type
		if p.XIntOrString {
			typ = "integer or string"
		} else if typ == "" {
			typ = "any"
		}
		return []narrowing{{text: fmt.Sprintf("type %s instead of %s", q.Type, typ), make: samples}}
	}
	if q.Type == "integer" || q.Type == "number" {
		all = append(all, narrowedNumbers(p, q)...)
	}
	all = append(all, narrowedSizes(p, q)...)
	all = append(all, narrowedFields(p, q)...)
	if len(q.Enum) > 0 && len(p.Enum) == 0 {
		all = append(all, narrowing{text: "an enum", make: samples})
	}
	if q.Type != "string" {
		return all
	}
	if q.Pattern != "" && p.Pattern != q.Pattern && len(p.Enum) == 0 {
		all = append(all, narrowing{text: "pattern " + strconv.Quote(q.Pattern), make: someTexts})
	}
	if q.Format != p.Format && format.Kept(q.Type, q.Format) && len(p.Enum) == 0 {
		all = append(all, narrowing{text: "format " + q.Format, make: someTexts})
	}
	return all
}

// narrowedNumbers returns the bounds of numbers that q has and p has not.
func narrowedNumbers(p, q *schema.JSONSchemaProps) (all []narrowing) {
	add := func(keyword string, bound float64, values ...any) {
		all = append(all, narrowing{
			text: keyword + " " + number(bound), make: func(*linter, *version, *place) []any { return values },
		})
	}
	if b := q.Maximum; b != nil && (p.Maximum == nil || *p.Maximum > *b || *p.Maximum == *b && q.ExclusiveMaximum &&
		!p.ExclusiveMaximum) {
		add("maximum", *b, int64(*b)+1, int64(*b))
	}
	if b := q.Minimum; b != nil && (p.Minimum == nil || *p.Minimum < *b || *p.Minimum == *b && q.ExclusiveMinimum &&
		!p.ExclusiveMinimum) {
		add("minimum", *b, int64(*b)-1, int64(*b))
	}
	if b := q.MultipleOf; b != nil && (p.MultipleOf == nil || *p.MultipleOf != *b) {
		add("multipleOf", *b, int64(*b)+1, *b/2)
	}
	return all
}

// narrowedSizes returns the bounds of sizes that q has and p has not.
func narrowedSizes(p, q *schema.JSONSchemaProps) (all []narrowing) {
	var least, most, toLeast, toMost *int64
	var suffix string
	switch q.Type {
	case "string":
		least, most, toLeast, toMost, suffix = p.MinLength, p.MaxLength, q.MinLength, q.MaxLength, "Length"
	case "array":
		least, most, toLeast, toMost, suffix = p.MinItems, p.MaxItems, q.MinItems, q.MaxItems, "Items"
	case "object":
		least, most, toLeast, toMost, suffix = p.MinProperties, p.MaxProperties, q.MinProperties, q.MaxProperties,
			"Properties"
	default:
		return nil
	}
	if toMost != nil && *toMost >= 0 && (most == nil || *most > *toMost) {
		all = append(all, narrowing{text: fmt.Sprintf("max%s %d", suffix, *toMost), make: sizes(*toMost + 1)})
	}
	if toLeast != nil && *toLeast > 0 && (least == nil || *least < *toLeast) {
		all = append(all, narrowing{text: fmt.Sprintf("min%s %d", suffix, *toLeast), make: sizes(*toLeast - 1)})
	}
	return all
}

// narrowedFields returns the fields that q requires and p does not.
func narrowedFields(p, q *schema.JSONSchemaProps) (all []narrowing) {
	for _, name := range q.Required {
		child := q.Properties[name]
		own := p.Properties[name]
		if q.Type == "object" && !slices.Contains(p.Required, name) && own != nil && own.Default == nil && child != nil &&
			child.Default == nil {
			all = append(all, narrowing{remove: name})
		}
	}
	return all
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// samples returns some values for p.
func samples(l *linter, v *version, p *place) (values []any) {
	maker, s := l.sampler(v), l.checked.Schema(v.Name)
	if maker == nil || s == nil {
		return nil
	}
	node := p.steps().Node(plan.Root(s))
	if node == nil {
		return nil
	}
	for trial := range trials {
		if value := maker.Value([]*plan.Node{node}, trial, false); value != nil {
			values = append(values, value)
		}
	}
	return values
}

// someTexts returns texts that are often refused.
func someTexts(l *linter, v *version, p *place) []any {
	values := samples(l, v, p)
	for _, s := range sample.Texts[:min(len(sample.Texts), 2*trials)] {
		values = append(values, s)
	}
	return values
}

// sizes returns a function that returns a value of a size.
func sizes(size int64) func(*linter, *version, *place) []any {
	return func(l *linter, v *version, p *place) []any {
		if value := l.sizedText(v, p, size); value != nil {
			return []any{value}
		}
		return nil
	}
}

// narrowWitness returns the creation of an object through one version, and its read through the other one, which
// refuses to create what it returns.
func (l *linter) narrowWitness(from, to *version, p *place, n narrowing) *Witness {
	obj, path := l.objectWith(from, p)
	if obj == nil {
		return nil
	}
	if n.remove != "" {
		value, _ := valueAt(obj, path)
		without, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		return l.readAndCopied(from, to, sample.Replaced(obj, path, sample.Removed(without,
			[]field.Segment{{Key: n.remove}})))
	}
	for _, value := range n.make(l, from, p) {
		if w := l.readAndCopied(from, to, sample.Replaced(obj, path, value)); w != nil {
			return w
		}
	}
	return nil
}

// readAndCopied returns the creation of an object through one version, and its read through the other one, if that
// refuses to create what it returns.
func (l *linter) readAndCopied(from, to *version, obj any) *Witness {
	sent, ok := obj.(map[string]any)
	if !ok {
		return nil
	}
	created := l.handler(from.Name).Create(l.ctx, sent)
	if created.Err() != nil || created.Stored == nil {
		return nil
	}
	read := l.handler(to.Name).Read(created.Stored)
	if read.Err() != nil || l.handler(to.Name).Create(l.ctx, read.Object).Err() == nil {
		return nil
	}
	return &Witness{[]Step{{"create", from.Name, sent, created.Object, ""}, {"read", to.Name, nil, read.Object, ""}}}
}
