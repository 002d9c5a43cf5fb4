package schema

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/format"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/pattern"
)

// A Structural is a compiled schema: a tree of nodes that every operation of this module walks. It is immutable, and safe for
// concurrent use by multiple goroutines.
type Structural struct {
	// Root describes the whole object. Its Has includes [ResourceRoot].
	Root *Node
	// NodeCount is one more than the greatest ID of a node, those inside combinators included.
	NodeCount int
}

// Compile returns the compiled form of p, or what keeps it from being structural, sorted by text; see [Violations] for these.
// A nil p has no violations and compiles to a schema of an object without any field.
//
// The result shares nothing with p that is ever written to; p must not be modified afterwards. It takes time linear in the
// schema. Patterns are parsed here but compiled when a string first meets them.
//
// What is an error in a CustomResourceDefinition without keeping the schema from being structural (an unknown type, say) is
// not reported here: it refuses objects, as it does in a server.
func Compile(p *JSONSchemaProps) (*Structural, field.List) {
	errs, found := violations(nil, p, field.Limit{})
	if len(errs) > 0 {
		return nil, errs
	}
	return compileFound(p, found, nil)
}

func compileFound(p *JSONSchemaProps, found findings, only map[*JSONSchemaProps]bool) (*Structural, field.List) {
	s, err := compile(p, found, only)
	if err != nil {
		return nil, field.List{field.Invalid(nil, "", err.Error())}
	}
	return s, nil
}

// CompileLoose returns the compiled form of a schema that need not be structural: that of a CustomResourceDefinition with
// preserveUnknownFields: true, whose objects are validated, but not pruned. It fails for what no structural schema can say at
// all, such as items that are an array; a server goes on with those, but takes no new definition that has them.
func CompileLoose(p *JSONSchemaProps) (*Structural, error) {
	var all survey
	if all.unsupported(p, 0) != "" {
		return nil, errors.New("schema: " + unsupported(p))
	}
	return compile(p, findings{size: all.size}, nil)
}

// compile returns the compiled form of p: if only is not nil, of what is in it.
func compile(p *JSONSchemaProps, found findings, only map[*JSONSchemaProps]bool) (*Structural, error) {
	b := builder{
		found:   found,
		only:    only,
		room:    make([]Node, found.nodes),
		objects: make([]ObjectKeywords, found.objects),
		arrays:  make([]ArrayKeywords, found.arrays),
		rare:    make([]RareKeywords, found.rare),
		props:   make([]Prop, found.props),
		slots:   make([]uint16, found.slots),
	}
	if found.nodes > 1 {
		b.patterns = make(map[string]*pattern.Pattern, len(found.patterns.rest))
	}
	root := b.node(p, spine)
	if b.err != nil {
		return nil, b.err
	}
	root.Has |= ResourceRoot
	return &Structural{Root: root, NodeCount: b.nodes}, nil
}

// A builder makes the nodes of one schema.
type builder struct {
	found findings
	only  map[*JSONSchemaProps]bool // nil: all
	nodes int
	// What is to be made is made in one piece each: a large schema has thousands of nodes.
	room    []Node
	objects []ObjectKeywords
	arrays  []ArrayKeywords
	rare    []RareKeywords
	props   []Prop
	slots   []uint16

	names    []string                    // of the properties of a node that are still to come, and of the nodes above it
	patterns map[string]*pattern.Pattern // by text: schemas repeat their patterns; nil for a single one
	err      error
}

// A place is where a node stands: where pruning and defaulting reach it, or in the branch of a combinator.
type place bool

const (
	spine  place = true
	branch place = false
)

func (b *builder) node(p *JSONSchemaProps, at place) *Node {
	n := &take(&b.room, 1)[0]
	n.ID = b.nodes
	b.nodes++
	if p == nil {
		p = &JSONSchemaProps{} // of a schema made by hand
	}
	b.parts(n, p)
	if len(p.Properties) > maxProps {
		b.fail(fmt.Errorf("more than %d properties of one object", maxProps))
		return n
	}
	n.typed(p)
	n.flagged(p, at)
	if len(p.Enum) > 0 {
		n.Enum = NewEnum(b.values(p.Enum))
	}
	if at == spine && p.Default != nil {
		n.Default, n.Has = b.value(p.Default), n.Has|HasDefault
	}
	n.String = b.stringChecks(p, n)

	if p.Items != nil && b.wanted(p.Items.Schema) {
		n.Items = b.node(p.Items.Schema, at)
	}
	if ofObjects(p) {
		b.properties(n, p, at)
	}
	if a := p.AdditionalProperties; a != nil && b.wanted(a.Schema) {
		n.Additional = b.node(a.Schema, at)
	}
	if b.only == nil && combined(p) {
		n.Combine = b.combinators(p)
	}
	n.summarize(at)
	return n
}

// parts gives n its parts, with the bounds in them. Those of which p says nothing are shared and must not be written to.
func (b *builder) parts(n *Node, p *JSONSchemaProps) {
	n.ObjectKeywords, n.ArrayKeywords, n.RareKeywords = noObjectKeywords, noArrayKeywords, noRareKeywords
	if ofObjects(p) {
		n.ObjectKeywords = &take(&b.objects, 1)[0]
		n.MinProperties, n.MaxProperties = bounds(p.MinProperties, p.MaxProperties)
		n.Required = p.Required
	}
	if ofArrays(p) {
		n.ArrayKeywords = &take(&b.arrays, 1)[0]
		n.MinItems, n.MaxItems = bounds(p.MinItems, p.MaxItems)
	}
	if rare(p) {
		n.RareKeywords = &take(&b.rare, 1)[0]
	}
}

// wanted reports whether a schema is to be compiled. A nil one is none.
func (b *builder) wanted(p *JSONSchemaProps) bool { return p != nil && (b.only == nil || b.only[p]) }

// take returns n zero elements, from the beginning of the room if there is enough.
func take[T any](room *[]T, n int) []T {
	if n > len(*room) { // for a schema made by hand, with nil schemas in it
		return make([]T, n)
	}
	taken := (*room)[:n:n]
	*room = (*room)[n:]
	return taken
}

// fail keeps the first error.
func (b *builder) fail(err error) {
	if b.err == nil {
		b.err = fmt.Errorf("schema: %w", err)
	}
}

// value returns a value of the schema as it is on a server, where it has been through storage: 1.0 is the integer 1 (DEF-009). What
// is no JSON, in a schema made by hand, is an error.
func (b *builder) value(v any) any {
	normal, err := jsonval.Normalize(nil, v)
	if err != nil {
		b.fail(err)
		return nil
	}
	stored, _ := jsonval.Stored(normal)
	return stored
}

func (b *builder) values(vs []any) []any {
	if len(vs) == 0 {
		return nil
	}
	out := make([]any, len(vs))
	for i, v := range vs {
		out[i] = b.value(v)
	}
	return out
}

// typed sets what depends on type, format, nullable and int-or-string.
func (n *Node) typed(p *JSONSchemaProps) {
	n.Type = p.Type
	var types []string
	switch {
	case p.XIntOrString:
		types = []string{"integer", "string"} // instead of any declared type (SVT-007)
	case p.Type != "":
		types = []string{p.Type}
	}
	only := "" // the type, where there is just one
	if len(types) == 1 {
		only = types[0]
	}
	if p.Format != "" && format.Kept(only, p.Format) {
		n.Format = p.Format
	} else if p.Format != "" {
		n.Has |= UncheckedFormat
	}
	n.Accept = accepted(types, n.Format, p.Nullable)
	n.Number = numberChecks(p, rangeOf(only, n.Format))
}

// accepted is the set of kinds that the type check lets through. With a format, strings and arrays are left to the format, so
// that a date may be any array (VAL-012).
func accepted(types []string, format string, nullable bool) Kinds {
	if len(types) == 0 && format == "" {
		return allKinds
	}
	var k Kinds
	if nullable || len(types) == 0 {
		k |= KindNull
	}
	numeric := false
	for _, t := range types {
		switch t {
		case "null":
			k |= KindNull
		case "boolean":
			k |= KindBool
		case "integer":
			k |= KindInt | KindWhole
			numeric = true
		case "number":
			k |= kindNumbers
			numeric = true
		case "string":
			k |= KindString
		case "array":
			k |= KindArray
		case "object":
			k |= KindObject
		}
	}
	if format != "" && !numeric {
		k |= KindString | KindArray
	}
	return k
}

func rangeOf(typ, format string) Range {
	switch typ {
	case "integer":
		switch format {
		case "int32":
			return RangeInt32
		case "int64":
			return RangeInt64
		}
		return RangeInt
	case "number":
		if format == "float" {
			return RangeFloat
		}
	}
	return RangeAny
}

func numberChecks(p *JSONSchemaProps, r Range) *NumberChecks {
	if r == RangeAny && p.Minimum == nil && p.Maximum == nil && p.MultipleOf == nil {
		return nil
	}
	return &NumberChecks{
		Ranged:     r,
		Minimum:    newBound(p.Minimum, p.ExclusiveMinimum, r),
		Maximum:    newBound(p.Maximum, p.ExclusiveMaximum, r),
		MultipleOf: newBound(p.MultipleOf, false, r),
	}
}

func (n *Node) flagged(p *JSONSchemaProps, at place) {
	set := func(on bool, f Flags) {
		if on {
			n.Has |= f
		}
	}
	set(p.Nullable, Nullable)
	set(p.XIntOrString, IntOrString)
	set(p.UniqueItems, UniqueItems)
	set(p.AdditionalProperties != nil, OtherKeys)
	set(p.AdditionalProperties != nil && !p.AdditionalProperties.Allows, NoOthers)
	if at == branch {
		return // the rest means nothing inside a combinator (PRU-002, DEF-006, LST-001)
	}
	set(p.XPreserveUnknownFields != nil && *p.XPreserveUnknownFields, PreserveFields)
	set(p.XEmbeddedResource, HasEmbedded)
	set(len(p.XValidations) > 0, HasRules)
	set(sized(p), Sized)
	if len(p.XValidations) > 0 {
		n.Rules = p.XValidations
	}
	if len(p.XListMapKeys) > 0 {
		n.ListMapKeys = p.XListMapKeys
	}
	if p.XMapType != nil {
		n.MapType = *p.XMapType
	}
	if p.XListType != nil {
		switch *p.XListType {
		case "atomic":
			n.List = ListAtomic
		case "set":
			n.List = ListSet
		case "map":
			n.List = ListMap
		}
	}
	set(n.List == ListSet || n.List == ListMap, HasList)
}

// sized reports whether the maximum of the values' size is declared. Int-or-string goes before any declared type (SVT-007).
func sized(p *JSONSchemaProps) bool {
	switch {
	case p.XIntOrString:
	case p.Type == "array":
		return p.MaxItems != nil
	case p.Type == "object":
		return p.MaxProperties != nil
	}
	return p.MaxLength != nil
}

func bounds(least, most *int64) (int64, int64) {
	lo, hi := int64(math.MinInt64), int64(math.MaxInt64)
	if least != nil {
		lo = *least
	}
	if most != nil {
		hi = *most
	}
	return lo, hi
}

func (b *builder) stringChecks(p *JSONSchemaProps, n *Node) *StringChecks {
	f := format.Lookup(n.Format)
	if p.MinLength == nil && p.MaxLength == nil && p.Pattern == "" && f == nil {
		return nil
	}
	c := &StringChecks{PatternText: p.Pattern, Format: f}
	c.MinLength, c.MaxLength = bounds(p.MinLength, p.MaxLength)
	if p.Pattern == "" {
		return c
	}
	c.Pattern = b.patterns[p.Pattern]
	if c.Pattern == nil {
		if err, known := b.found.patterns.get(p.Pattern); known && err == nil {
			c.Pattern = pattern.Checked(p.Pattern)
		} else {
			c.Pattern, c.BadPattern = pattern.Compile(p.Pattern)
		}
		if b.patterns != nil {
			b.patterns[p.Pattern] = c.Pattern // nil where it is bad: the next one asks again
		}
	}
	return c
}

// properties sets the declared properties, sorted, and who of them is missed when it is absent.
func (b *builder) properties(n *Node, p *JSONSchemaProps, at place) {
	begin := len(b.names)
	for name, property := range p.Properties {
		if b.only == nil || b.only[property] {
			b.names = append(b.names, name)
		}
	}
	if names := b.names[begin:]; len(names) > 0 {
		slices.Sort(names)
		n.Props = take(&b.props, len(names))
		for i := range n.Props {
			n.Props[i] = Prop{Name: names[i], Node: b.node(p.Properties[names[i]], at), Index: i}
		}
		b.names = b.names[:begin]
		n.index = newPropIndex(n.Props, take(&b.slots, indexSize(len(n.Props))))
	}

	bit := uint64(1)
	mask := func(q *Prop) uint64 {
		if q != nil && q.Mask == 0 {
			q.Mask = bit
			bit <<= 1
		}
		if q == nil {
			return 0
		}
		return q.Mask
	}
	for _, name := range n.Required {
		if m := mask(n.Prop(name)); m != 0 {
			n.RequiredMask |= m
		} else {
			n.RequiredRest = append(n.RequiredRest, name)
		}
	}
	for i := range n.Props {
		if q := &n.Props[i]; q.Node.Default != nil {
			n.Defaulted = append(n.Defaulted, i)
			if m := mask(q); m != 0 {
				n.DefaultMask |= m
			} else {
				n.DefaultRest = append(n.DefaultRest, q.Name)
			}
		}
	}
}

func (b *builder) combinators(p *JSONSchemaProps) *Combinators {
	branches := func(ps []*JSONSchemaProps) []*Node {
		var ns []*Node
		for _, q := range ps {
			ns = append(ns, b.node(q, branch))
		}
		return ns
	}
	c := &Combinators{AllOf: branches(p.AllOf), AnyOf: branches(p.AnyOf), OneOf: branches(p.OneOf)}
	if p.Not != nil {
		c.Not = b.node(p.Not, branch)
	}
	return c
}

// summarize sets what follows from the rest of the node: which kinds need no further look, and what exists below.
func (n *Node) summarize(at place) {
	n.Plain = n.Accept &^ (KindArray | KindObject)
	if n.Enum != nil {
		n.Plain = 0
	}
	if n.Combine != nil {
		n.Plain &= KindNull
	}
	if n.String != nil {
		n.Plain &^= KindString
	}
	if c := n.Number; c != nil {
		n.Plain &^= KindWhole | KindFloat
		if c.Ranged == RangeInt32 || c.Minimum != nil || c.Maximum != nil || c.MultipleOf != nil {
			n.Plain &^= KindInt
		}
	}
	if at == branch {
		return
	}
	n.Below = n.Has
	for i := range n.Props {
		n.Below |= n.Props[i].Node.Below
	}
	if n.Items != nil {
		n.Below |= n.Items.Below
	}
	if n.Additional != nil {
		n.Below |= n.Additional.Below
	}
}
