package eval

import (
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/cel/ast"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/plan"
)

// Reads says which parts of a value expressions can read. If the value is valid for its schema, their results and costs
// depend only on its kind and on these parts. Nil means that not even the presence of the value is read.
type Reads struct {
	Whole bool   // all of it
	Size  bool   // of a list: the number of items
	Props []Read // of an object: some of its properties, by index, and whether they are present
	Items *Reads // of a list: its items and their number
}

// A Read is the Reads of a property.
type Read struct {
	Index int // of the field: see [plan.Node.FieldIndex]
	Reads *Reads
}

// Prop returns the Reads of the property with an index, or nil.
func (r *Reads) Prop(index int) *Reads {
	i, ok := r.search(index)
	if !ok {
		return nil
	}
	return r.Props[i].Reads
}

func (r *Reads) search(index int) (at int, ok bool) {
	return slices.BinarySearchFunc(r.Props, index, func(p Read, index int) int { return p.Index - index })
}

// prop is Prop for a property that will be read.
func (r *Reads) prop(index int) *Reads {
	at, ok := r.search(index)
	if !ok {
		r.Props = slices.Insert(r.Props, at, Read{index, &Reads{}})
	}
	return r.Props[at].Reads
}

// Add adds other to r, and keeps no part of other.
func (r *Reads) Add(other *Reads) {
	r.Whole, r.Size = r.Whole || other.Whole, r.Size || other.Size
	for _, p := range other.Props {
		r.prop(p.Index).Add(p.Reads)
	}
	if other.Items != nil {
		r.items().Add(other.Items)
	}
}

func (r *Reads) items() *Reads {
	if r.Items == nil {
		r.Items = &Reads{}
	}
	return r.Items
}

// A source is a part of self, with its node and its Reads. names says that it is the metadata of a resource, of which
// rules normally read only the names.
type source struct {
	reads *Reads
	node  *plan.Node
	names bool
}

// An origin says which parts of self a value may be, or may contain if it is a list that the expression makes. It does
// not include parts that have been read already.
type origin struct {
	parts []source
	items []source // of a list that the expression makes
}

func (o origin) with(other origin) origin {
	return origin{union(o.parts, other.parts), union(o.items, other.items)}
}

// union returns the sources of both. If there are too many, it counts them as read, so that the time does not become
// quadratic.
func union(a, b []source) []source {
	if len(a)+len(b) > manySources {
		origin{a, b}.use()
		return nil
	}
	if len(a) == 0 {
		return b
	}
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(slices.Clip(a), s)
		}
	}
	return a
}

const manySources = 64

// use is for operations that may read all of a value.
func (o origin) use() {
	for _, s := range o.parts {
		s.reads.Whole = true
	}
	for _, s := range o.items {
		s.reads.Whole = true
	}
}

// A reader finds out what an expression reads.
type reader struct {
	ast   *ast.AST
	self  source
	scope []named // innermost last
	steps int
}

type named struct {
	name string
	origin
}

// maxReaderSteps bounds the work for one expression. The body of a loop is visited several times.
const maxReaderSteps = 20_000

// FindReads returns what a checked expression can read of self and of oldSelf, as if they were one value, which n
// describes. Without n that is all of it.
func FindReads(a *ast.AST, n *plan.Node) *Reads {
	r := reader{ast: a, self: source{reads: &Reads{}, node: n}}
	if n == nil {
		return &Reads{Whole: true}
	}
	r.visit(a.Expr()).use()
	if r.steps > maxReaderSteps {
		return &Reads{Whole: true}
	}
	return r.self.reads
}

// visit records what e reads, and returns the origin of its value.
func (r *reader) visit(e *ast.Expr) origin {
	if r.steps++; r.steps > maxReaderSteps {
		return origin{}
	}
	switch e.Kind() {
	case ast.IdentKind:
		return r.variable(e)
	case ast.SelectKind:
		s := e.AsSelect()
		of := r.property(r.visit(s.Operand()), s.FieldName())
		if s.IsTestOnly() {
			return origin{}
		}
		return of
	case ast.CallKind:
		return r.call(e)
	case ast.ListKind:
		var o origin
		for _, item := range e.AsList().Elements() {
			of := r.visit(item)
			origin{items: of.items}.use()
			for _, s := range of.parts {
				if f := formOf(s.node); f != formList && f != formMap {
					s.reads.Whole = true // its form may be checked
				}
			}
			o.items = union(o.items, of.parts)
		}
		return o
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			r.visit(entry.Key()).use()
			r.visit(entry.Value()).use()
		}
	case ast.StructKind:
		for _, f := range e.AsStruct().Fields() {
			r.visit(f.Value()).use()
		}
	case ast.ComprehensionKind:
		return r.loop(e.AsComprehension())
	}
	return origin{}
}

// variable returns the origin of a variable. Any other name is that of a type.
func (r *reader) variable(e *ast.Expr) (o origin) {
	names := []string{e.AsIdent()}
	if ref := r.ast.Reference(e.ID()); ref != nil {
		names = append(names, ref.Name)
	}
	for _, name := range names {
		global := strings.TrimPrefix(name, ".")
		local := slices.IndexFunc(r.scope, func(n named) bool { return n.name == global })
		if local >= 0 {
			for _, n := range r.scope[local:] { // one of the same name may hide another
				if n.name == global {
					o = o.with(n.origin)
				}
			}
		}
		if (global == "self" || global == "oldSelf") && (local < 0 || global != name) {
			o = o.with(origin{parts: []source{r.self}})
		}
	}
	return o
}

// property returns the origin of a property of a value.
func (r *reader) property(of origin, name string) origin {
	raw, ok := unescape(name)
	origin{items: of.items}.use()
	var o origin
	for _, s := range of.parts {
		index, known := s.node.FieldIndex(raw)
		if !ok || !known || formOf(s.node) != formMap || s.names && raw != "name" && raw != "generateName" {
			s.reads.Whole = true
			continue
		}
		resource := s.node.IsResource() && plan.ResourceField(raw)
		child := source{reads: s.reads.prop(index), node: field(s.node, raw), names: resource && raw == "metadata"}
		if child.node.IsResource() || resource && !child.names || !reducible(child.node) {
			child.reads.Whole = true
		} else {
			o.parts = append(o.parts, child)
		}
	}
	return o
}

// reducible reports whether it is enough to read parts of values that n describes: using such a value never fails
// because of other parts.
func reducible(n *plan.Node) bool {
	switch formOf(n) {
	case formOther, formIntOrText, formInt, formNumber: // the value may have another form, or its conversion may fail
		return false
	}
	return true
}

// itemsOf returns the origin of the items of a value.
func itemsOf(of origin) origin {
	o := origin{parts: of.items}
	for _, s := range of.parts {
		if formOf(s.node) != formList {
			s.reads.Whole = true
			continue
		}
		item := source{reads: s.reads.items(), node: s.node.Items}
		if f := formOf(item.node); item.node.IsResource() || f != formList && f != formMap {
			item.reads.Whole = true
		} else {
			o.parts = union(o.parts, []source{item})
		}
	}
	return o
}

func (r *reader) call(e *ast.Expr) origin {
	c := e.AsCall()
	var args []origin
	if c.IsMemberFunction() {
		args = append(args, r.visit(c.Target()))
	}
	for _, arg := range c.Args() {
		args = append(args, r.visit(arg))
	}
	name := c.FunctionName()
	switch overloads := OverloadsOf(name); {
	case name == opConditional && len(args) == 3:
		args[0].use()
		return args[1].with(args[2])
	case name == opIndex && len(args) == 2:
		args[1].use()
		return itemsOf(args[0])
	case name == opOptSelect && len(args) == 2:
		if field, ok := c.Args()[1].AsLiteral().(types.String); ok {
			return r.property(args[0], string(field))
		}
	case len(args) == 1 && len(overloads) > 0 && overloads[0].flags&sizeOnly != 0:
		for _, s := range args[0].parts {
			if formOf(s.node) == formList {
				s.reads.Size = true
			} else {
				s.reads.Whole = true
			}
		}
		return origin{}
	case name == opAdd && len(args) == 2 && len(args[0].parts)+len(args[1].parts) == 0:
		return args[0].with(args[1]) // of lists that the expression makes
	}
	for _, o := range args {
		o.use()
	}
	return origin{}
}

// loop visits a loop, or the binding of a variable, which is a loop over nothing.
func (r *reader) loop(c *ast.ComprehensionExpr) origin {
	over := itemsOf(r.visit(c.IterRange()))
	acc := r.visit(c.AccuInit())
	outer := len(r.scope)
	defer func() { r.scope = r.scope[:outer] }()
	r.scope = append(r.scope, named{c.AccuVar(), acc})
	if c.HasIterVar2() {
		r.scope = append(r.scope, named{c.IterVar(), origin{}}, named{c.IterVar2(), over})
	} else {
		r.scope = append(r.scope, named{c.IterVar(), over})
	}
	for { // until the accumulator has no more origins
		r.visit(c.LoopCondition()).use()
		before := r.scope[outer].origin
		after := before.with(r.visit(c.LoopStep()))
		if len(after.parts) == len(before.parts) && len(after.items) == len(before.items) || r.steps > maxReaderSteps {
			break
		}
		r.scope[outer].origin = after
	}
	r.scope = r.scope[:outer+1]
	return r.visit(c.Result())
}
