package constraint

import (
	"cmp"
	"fmt"
	"math"
	"slices"
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

// Limits of the constraints and rules of a schema that are looked at. Each has a path, so that all of them could take
// memory that is quadratic in the size of the schema.
const (
	MaxDepth = 500      // steps below the root
	MaxPaths = 32 << 20 // bytes that the paths take together
)

// Size returns about how many bytes w takes with its texts.
func (w Steps) Size() int {
	n := 0
	for _, s := range w {
		n += 64 + 3*len(s.Name)
	}
	return n
}

// List returns the constraints of s within [MaxDepth] and [MaxPaths], in the order of its nodes: a node's own, then
// those of its properties by name, of its items, and of its other values. left is the number of nodes that it did not
// look at. A nil s has no constraints.
func List(s *schema.Structural) (found []Constraint, left int) {
	if s == nil || plan.Root(s) == nil {
		return nil, 0
	}
	l := lister{room: MaxPaths}
	l.node(plan.Root(s), nil)
	return l.found, l.left
}

type lister struct {
	found []Constraint
	left  int // nodes that were not looked at
	room  int // what is left of MaxPaths
}

func (l *lister) node(n *plan.Node, schemaPath Steps) {
	if len(schemaPath) > MaxDepth {
		l.left += count(n)
		return
	}
	required := slices.DeleteFunc(slices.Clone(n.Required), func(name string) bool { return Supplied(n, name) })
	if has := keywords(n); len(required)+len(has) > 0 {
		if l.room -= schemaPath.Size(); l.room >= 0 {
			l.constraints(n, schemaPath, required, has)
		} else {
			l.left++
		}
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

// constraints adds those of one node.
func (l *lister) constraints(n *plan.Node, schemaPath Steps, required []string, has []keyword) {
	path, of := schemaPath.String(), schemaPath.Schema()
	for _, name := range required {
		l.room -= len(path)
		l.found = append(l.found, Constraint{
			ID: ID{of, Required, name}, Path: Join(path, name), Text: "required", Node: n, Steps: schemaPath,
		})
	}
	for _, k := range has {
		text := fmt.Sprintf("%s %v", cmp.Or(titles[k.kind], string(k.kind)), k.value)
		l.found = append(l.found, Constraint{ID: ID{Schema: of, Kind: k.kind}, Path: path, Text: text, Node: n, Steps: schemaPath})
	}
}

// count returns the number of nodes from n on.
func count(n *plan.Node) int {
	if n == nil {
		return 0
	}
	found := 1 + count(n.Items) + count(n.Additional)
	for i := range n.Props {
		found += count(n.Props[i].Node)
	}
	return found
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
