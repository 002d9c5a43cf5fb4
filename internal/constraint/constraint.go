package constraint

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/origin"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/schema"
)

// A Kind is the keyword of a constraint.
type Kind string

// The kinds of constraints.
const (
	Required      Kind = origin.Required
	Enum          Kind = origin.Enum
	Pattern       Kind = origin.Pattern
	Format        Kind = origin.Format
	MinLength     Kind = origin.MinLength
	MaxLength     Kind = origin.MaxLength
	Minimum       Kind = origin.Minimum
	Maximum       Kind = origin.Maximum
	MultipleOf    Kind = origin.MultipleOf
	MinItems      Kind = origin.MinItems
	MaxItems      Kind = origin.MaxItems
	MinProperties Kind = origin.MinProperties
	MaxProperties Kind = origin.MaxProperties
	ListType      Kind = origin.ListType
)

// A Step leads from a node to one below it: to a property, to the items of a list (Item), or to the values of a map
// (Other).
type Step struct {
	Name        string
	Item, Other bool
}

// Steps lead from a node to one below it.
type Steps []Step

// To returns w with one more step. It does not modify the array of w, which other Steps may share.
func (w Steps) To(s Step) Steps { return append(w[:len(w):len(w)], s) }

// String returns the steps as a path: spec.ports[*].name.
func (w Steps) String() string {
	var path strings.Builder
	for _, s := range w {
		switch {
		case s.Item || s.Other:
			path.WriteString("[*]")
			continue
		case path.Len() > 0:
			path.WriteByte('.')
		}
		path.WriteString(s.Name)
	}
	return path.String()
}

// Schema returns the steps as the path of a schema: properties[spec].properties[ports].items.
func (w Steps) Schema() string {
	var p *field.Path
	for _, s := range w {
		switch {
		case s.Item:
			p = p.Child("items")
		case s.Other:
			p = p.Child("additionalProperties")
		default:
			p = p.Child("properties").Key(s.Name)
		}
	}
	if p == nil {
		return ""
	}
	return p.String()
}

// Node returns the node to which the schema path leads from n, or nil.
func (w Steps) Node(n *plan.Node) *plan.Node {
	for _, s := range w {
		switch {
		case n == nil:
			return nil
		case s.Item:
			n = n.Items
		case s.Other:
			n = n.Additional
		default:
			n, _ = n.Child(s.Name)
		}
	}
	return n
}

// An ID identifies a constraint in a schema.
type ID struct {
	Schema string // the path of the schema that has it
	Kind   Kind
	Name   string // of the field that is required
}

// A Constraint is a condition that a schema sets for values.
type Constraint struct {
	ID
	// Path is the path of the values, with [*] for the items of a list and the values of a map: spec.ports[*].name. For
	// a required field, it is the path of the field.
	Path  string
	Text  string // maximum 10
	Node  *plan.Node
	Steps Steps // from the root to Node
}

// MaxDepth is how many steps below the root constraints and rules are looked at. Each has a path, so that those of a
// deep schema would take memory that is quadratic in its size.
const MaxDepth = 500

// Deeper returns how many nodes of s are more than [MaxDepth] steps below the root.
func Deeper(s *schema.Structural) int {
	if s == nil || plan.Root(s) == nil {
		return 0
	}
	return deeper(plan.Root(s), 0)
}

func deeper(n *plan.Node, depth int) int {
	if n == nil {
		return 0
	}
	found := deeper(n.Items, depth+1) + deeper(n.Additional, depth+1)
	for i := range n.Props {
		found += deeper(n.Props[i].Node, depth+1)
	}
	if depth > MaxDepth {
		found++
	}
	return found
}

// List returns the constraints of s that are at most [MaxDepth] steps below the root, in the order of its nodes: a node's own, then those of its properties by name, of
// its items, and of its other values. A nil s has none.
func List(s *schema.Structural) []Constraint {
	if s == nil || plan.Root(s) == nil {
		return nil
	}
	l := lister{}
	l.node(plan.Root(s), nil)
	return l.found
}

type lister struct{ found []Constraint }

func (l *lister) node(n *plan.Node, schemaPath Steps) {
	if len(schemaPath) > MaxDepth {
		return
	}
	path, of := schemaPath.String(), schemaPath.Schema()
	for _, name := range n.Required {
		if Supplied(n, name) {
			continue
		}
		l.found = append(l.found, Constraint{
			ID: ID{of, Required, name}, Path: Join(path, name), Text: "required", Node: n, Steps: schemaPath,
		})
	}
	for _, k := range keywords(n) {
		text := fmt.Sprintf("%s %v", cmp.Or(titles[k.kind], string(k.kind)), k.value)
		l.found = append(l.found, Constraint{ID: ID{Schema: of, Kind: k.kind}, Path: path, Text: text, Node: n, Steps: schemaPath})
	}
	for i := range n.Props {
		p := &n.Props[i]
		l.node(p.Node, schemaPath.To(Step{Name: p.Name}))
	}
	if n.Items != nil {
		l.node(n.Items, schemaPath.To(Step{Item: true}))
	}
	if n.Additional != nil {
		l.node(n.Additional, schemaPath.To(Step{Other: true}))
	}
}

// titles has the kinds whose text is not the keyword.
var titles = map[Kind]string{ListType: "listType"}

// Supplied reports whether a required field is never missing: because it has a default, or because every resource has
// it before it is validated.
func Supplied(n *plan.Node, name string) bool {
	p := n.Prop(name)
	return p != nil && p.Node.Default != nil || n.Has&plan.ResourceRoot != 0 && plan.ResourceField(name)
}

// A keyword is a constraint of a node, with its value.
type keyword struct {
	kind  Kind
	value any
}

// keywords returns the constraints of n itself, other than required fields.
func keywords(n *plan.Node) (found []keyword) {
	add := func(there bool, kind Kind, value any) {
		if there {
			found = append(found, keyword{kind, value})
		}
	}
	if n.Enum != nil {
		add(true, Enum, n.Enum.Supported())
	}
	if c := n.String; c != nil {
		add(c.MinLength > 0, MinLength, c.MinLength)
		add(c.MaxLength != math.MaxInt64, MaxLength, c.MaxLength)
		add(c.Pattern != nil || c.BadPattern != nil, Pattern, strconv.Quote(c.PatternText))
		add(c.Format != nil, Format, n.Format)
	}
	if c := n.Number; c != nil {
		for _, b := range []struct {
			kind  Kind
			bound *plan.Bound
		}{{Minimum, c.Minimum}, {Maximum, c.Maximum}, {MultipleOf, c.MultipleOf}} {
			if b.bound != nil {
				add(true, b.kind, strconv.FormatFloat(b.bound.Value, 'g', -1, 64))
			}
		}
	}
	add(n.MinItems > 0, MinItems, n.MinItems)
	add(n.MaxItems != math.MaxInt64, MaxItems, n.MaxItems)
	add(n.MinProperties > 0, MinProperties, n.MinProperties)
	add(n.MaxProperties != math.MaxInt64, MaxProperties, n.MaxProperties)
	switch n.List {
	case plan.ListSet:
		add(true, ListType, "set")
	case plan.ListMap:
		add(true, ListType, fmt.Sprintf("map of %v", n.ListMapKeys))
	}
	return found
}

// Join returns the path of the field name below path.
func Join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// Title returns a line that names a constraint and the path of its values: spec.size: maximum 10.
func Title(path, text string) string {
	if path == "" {
		path = "the object"
	}
	return path + ": " + text
}

// RuleTitle is [Title] for a rule.
func RuleTitle(path, rule string) string {
	return Title(path, "rule "+strings.ReplaceAll(strings.TrimSpace(rule), "\n", " "))
}
