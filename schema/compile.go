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
	"github.com/crdkit/crdkit/internal/plan"
)

// A Structural is a compiled schema, which every operation of this module takes. It is immutable, and safe for
// concurrent use by multiple goroutines. Only Compile and CompileLoose create one.
type Structural struct{ tree }

type tree = plan.Tree // unexported, so that its fields are not part of the API

// Compile returns the compiled form of p, or its structural violations, sorted by text: see [Violations]. A nil p has
// no violations and compiles to the schema of an object without fields.
//
// p must not be modified afterwards. The result shares data with p, but nothing in it is written to. Compile takes time
// linear in the schema. It parses patterns, but compiles them only when they are first matched with a string.
//
// Some errors in a CustomResourceDefinition do not keep its schema from being structural, such as an unknown type. They
// are not reported here. As in a server, such a schema refuses objects.
func Compile(p *JSONSchemaProps) (*Structural, field.List) {
	errs, patterns := violations(nil, p, field.Limit{})
	if len(errs) > 0 {
		return nil, errs
	}
	s, err := compile(p, patterns)
	if err != nil {
		return nil, field.List{field.Invalid(nil, "", err.Error())}
	}
	return s, nil
}

// CompileLoose returns the compiled form of a schema that need not be structural: that of a CustomResourceDefinition
// with preserveUnknownFields: true, whose objects are validated but not pruned. It fails for keywords that no
// structural schema can have, such as items that are an array. A server still serves stored definitions with them, but
// accepts no new ones.
func CompileLoose(p *JSONSchemaProps) (*Structural, error) {
	if found := unsupported(p); found != nil {
		return nil, errors.New("schema: " + found.text)
	}
	return compile(p, nil)
}

// compile returns the compiled form of p. parsed has the results of parsing patterns, by their texts.
func compile(p *JSONSchemaProps, parsed map[string]error) (*Structural, error) {
	b := builder{parsed: parsed}
	root := b.node(p, nodePart)
	if b.err != nil {
		return nil, b.err
	}
	root.Has |= plan.ResourceRoot
	return &Structural{plan.NewTree(root)}, nil
}

// A builder builds the nodes of one schema.
type builder struct {
	nodes   int
	free    pool[plan.Node]
	objects pool[plan.ObjectKeywords]
	arrays  pool[plan.ArrayKeywords]
	rare    pool[plan.RareKeywords]
	props   pool[plan.Prop]
	slots   pool[uint16]
	rules   pool[plan.Rule]

	names    []string // names of properties still to be compiled, of a node and of the nodes above it
	parsed   map[string]error
	patterns map[string]*pattern.Pattern // by text: schemas repeat their patterns
	err      error
}

// A part is one of the two parts of a schema: the nodes, which pruning and defaulting visit, or the branches of
// combinators.
type part bool

const (
	nodePart   part = true
	branchPart part = false
)

func (b *builder) node(p *JSONSchemaProps, at part) *plan.Node {
	n := &b.free.take(1)[0]
	n.ID = b.nodes
	b.nodes++
	if p == nil {
		p = &JSONSchemaProps{} // in a schema built in Go
	}
	b.parts(n, p)
	if len(p.Properties) > plan.MaxProps {
		b.fail(fmt.Errorf("more than %d properties of one object", plan.MaxProps))
		return n
	}
	setType(n, p)
	setFlags(n, p, at)
	if len(p.Enum) > 0 {
		values := make([]any, len(p.Enum))
		for i, v := range p.Enum {
			values[i] = b.value(v)
		}
		n.Enum = plan.NewEnum(values)
	}
	if at == nodePart && p.Default != nil {
		n.Default, n.Has = b.value(p.Default), n.Has|plan.HasDefault
	}
	n.String = b.stringChecks(p, n)
	if at == nodePart && len(p.XValidations) > 0 {
		n.Rules = b.rules.take(len(p.XValidations))
		for i, r := range p.XValidations {
			n.Rules[i] = plan.Rule(r)
		}
	}

	if p.Items != nil && p.Items.Schema != nil {
		n.Items = b.node(p.Items.Schema, at)
	}
	if ofObjects(p) {
		b.properties(n, p, at)
	}
	if a := p.AdditionalProperties; a != nil && a.Schema != nil {
		n.Additional = b.node(a.Schema, at)
	}
	if hasCombinators(p) {
		n.Combine = b.combinators(p)
	}
	n.Summarize(at == branchPart)
	return n
}

// parts sets the structs of keywords of n, with their bounds. If p has none of the keywords of a struct, n gets a
// shared one, which must not be written to.
func (b *builder) parts(n *plan.Node, p *JSONSchemaProps) {
	n.ObjectKeywords, n.ArrayKeywords, n.RareKeywords = plan.NoObjectKeywords, plan.NoArrayKeywords, plan.NoRareKeywords
	if ofObjects(p) {
		n.ObjectKeywords = &b.objects.take(1)[0]
		n.MinProperties, n.MaxProperties = bounds(p.MinProperties, p.MaxProperties)
		n.Required = p.Required
	}
	if ofArrays(p) {
		n.ArrayKeywords = &b.arrays.take(1)[0]
		n.MinItems, n.MaxItems = bounds(p.MinItems, p.MaxItems)
	}
	if rare(p) {
		n.RareKeywords = &b.rare.take(1)[0]
	}
}

// ofObjects reports whether the node of p may need [plan.ObjectKeywords] of its own.
func ofObjects(p *JSONSchemaProps) bool {
	return len(p.Properties) > 0 || p.AdditionalProperties != nil && p.AdditionalProperties.Schema != nil || len(p.Required) > 0 ||
		p.MinProperties != nil || p.MaxProperties != nil
}

// ofArrays reports whether the node of p may need [plan.ArrayKeywords] of its own.
func ofArrays(p *JSONSchemaProps) bool {
	return p.Items != nil || p.MinItems != nil || p.MaxItems != nil || len(p.XListMapKeys) > 0
}

// rare reports whether the node of p may need [plan.RareKeywords] of its own.
func rare(p *JSONSchemaProps) bool {
	return p.Format != "" || p.Default != nil || len(p.Enum) > 0 || len(p.XValidations) > 0 || p.XMapType != nil || hasCombinators(p)
}

func hasCombinators(p *JSONSchemaProps) bool {
	return len(p.AllOf) > 0 || len(p.AnyOf) > 0 || len(p.OneOf) > 0 || p.Not != nil
}

// A pool allocates zero values in batches: a large schema has thousands of nodes.
type pool[T any] struct {
	free []T
	size int // of the last allocation
}

func (p *pool[T]) take(n int) []T {
	if n > len(p.free) {
		p.size = min(max(1, 2*p.size), 64)
		p.free = make([]T, max(n, p.size))
	}
	taken := p.free[:n:n]
	p.free = p.free[n:]
	return taken
}

// fail records the first error.
func (b *builder) fail(err error) {
	if b.err == nil {
		b.err = fmt.Errorf("schema: %w", err)
	}
}

// value returns a value of the schema as a server reads it from storage, where 1.0 is the integer 1 (DEF-009). A value
// that is not JSON, in a schema built in Go, is an error.
func (b *builder) value(v any) any {
	normal, err := jsonval.Normalize(nil, v)
	if err != nil {
		b.fail(err)
		return nil
	}
	stored, _ := jsonval.Stored(normal)
	return stored
}

// setType sets what depends on type, format, nullable and int-or-string.
func setType(n *plan.Node, p *JSONSchemaProps) {
	n.Type = p.Type
	only, types := p.Type, []string{p.Type} // only is the type, if there is only one
	if p.XIntOrString {
		only, types = "", []string{"integer", "string"} // in place of any declared type (SVT-007)
	}
	if p.Format != "" && format.Kept(only, p.Format) {
		n.Format = p.Format
	} else if p.Format != "" {
		n.Has |= plan.UncheckedFormat
	}
	n.Accept = accepted(types, n.Format, p.Nullable)
	n.Number = numberChecks(p, rangeOf(only, n.Format))
}

// accepted returns the kinds that the type check accepts. If there is a format, only the format checks strings and
// arrays, so any array is a valid date (VAL-012).
func accepted(types []string, format string, nullable bool) plan.Kinds {
	untyped := types[0] == ""
	if untyped && format == "" {
		return plan.AllKinds
	}
	var k plan.Kinds
	if nullable || untyped {
		k |= plan.KindNull
	}
	numeric := false
	for _, t := range types {
		switch t {
		case "null":
			k |= plan.KindNull
		case "boolean":
			k |= plan.KindBool
		case "integer":
			k |= plan.KindInt | plan.KindWhole
			numeric = true
		case "number":
			k |= plan.NumberKinds
			numeric = true
		case "string":
			k |= plan.KindString
		case "array":
			k |= plan.KindArray
		case "object":
			k |= plan.KindObject
		}
	}
	if format != "" && !numeric {
		k |= plan.KindString | plan.KindArray
	}
	return k
}

func rangeOf(typ, format string) plan.Range {
	switch typ {
	case "integer":
		switch format {
		case "int32":
			return plan.RangeInt32
		case "int64":
			return plan.RangeInt64
		}
		return plan.RangeInt
	case "number":
		if format == "float" {
			return plan.RangeFloat
		}
	}
	return plan.RangeAny
}

func numberChecks(p *JSONSchemaProps, r plan.Range) *plan.NumberChecks {
	if r == plan.RangeAny && p.Minimum == nil && p.Maximum == nil && p.MultipleOf == nil {
		return nil
	}
	return &plan.NumberChecks{
		Ranged:     r,
		Minimum:    plan.NewBound(p.Minimum, p.ExclusiveMinimum, r),
		Maximum:    plan.NewBound(p.Maximum, p.ExclusiveMaximum, r),
		MultipleOf: plan.NewBound(p.MultipleOf, false, r),
	}
}

func setFlags(n *plan.Node, p *JSONSchemaProps, at part) {
	set := func(on bool, f plan.Flags) {
		if on {
			n.Has |= f
		}
	}
	set(p.Nullable, plan.Nullable)
	set(p.XIntOrString, plan.IntOrString)
	set(p.UniqueItems, plan.UniqueItems)
	set(p.AdditionalProperties != nil, plan.OtherKeys)
	set(p.AdditionalProperties != nil && !p.AdditionalProperties.Allows, plan.NoOthers)
	if at == branchPart {
		return // the rest has no effect in combinators (PRU-002, DEF-006, LST-001)
	}
	set(p.XPreserveUnknownFields != nil && *p.XPreserveUnknownFields, plan.PreserveFields)
	set(p.XEmbeddedResource, plan.HasEmbedded)
	set(len(p.XValidations) > 0, plan.HasRules)
	set(sized(n, p), plan.Sized)
	if len(p.XListMapKeys) > 0 {
		n.ListMapKeys = p.XListMapKeys
	}
	if p.XMapType != nil {
		n.MapType = *p.XMapType
	}
	if p.XListType != nil {
		switch *p.XListType {
		case "atomic":
			n.List = plan.ListAtomic
		case "set":
			n.List = plan.ListSet
		case "map":
			n.List = plan.ListMap
		}
	}
	set(n.List == plan.ListSet || n.List == plan.ListMap, plan.HasList)
}

// sized reports whether the maximum size of n's values is declared.
func sized(n *plan.Node, p *JSONSchemaProps) bool {
	switch n.SizeKeyword() {
	case "maxItems":
		return p.MaxItems != nil
	case "maxProperties":
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

func (b *builder) stringChecks(p *JSONSchemaProps, n *plan.Node) *plan.StringChecks {
	f := format.Lookup(n.Format)
	if p.MinLength == nil && p.MaxLength == nil && p.Pattern == "" && f == nil {
		return nil
	}
	c := &plan.StringChecks{PatternText: p.Pattern, Format: f}
	c.MinLength, c.MaxLength = bounds(p.MinLength, p.MaxLength)
	if p.Pattern == "" {
		return c
	}
	c.Pattern = b.patterns[p.Pattern]
	if c.Pattern == nil {
		if err, known := b.parsed[p.Pattern]; known && err == nil {
			c.Pattern = pattern.Checked(p.Pattern)
		} else {
			c.Pattern, c.BadPattern = pattern.Compile(p.Pattern)
		}
		if b.patterns == nil {
			b.patterns = make(map[string]*pattern.Pattern, len(b.parsed))
		}
		b.patterns[p.Pattern] = c.Pattern // nil if it is invalid; such a pattern is parsed again each time
	}
	return c
}

// properties sets the declared properties, sorted.
func (b *builder) properties(n *plan.Node, p *JSONSchemaProps, at part) {
	begin := len(b.names)
	for name := range p.Properties {
		b.names = append(b.names, name)
	}
	var props []plan.Prop
	if names := b.names[begin:]; len(names) > 0 {
		slices.Sort(names)
		props = b.props.take(len(names))
		for i := range props {
			props[i] = plan.Prop{Name: names[i], Node: b.node(p.Properties[names[i]], at), Index: i}
		}
		b.names = b.names[:begin]
	}
	n.SetProps(props, b.slots.take(plan.IndexSize(len(props))))
}

func (b *builder) combinators(p *JSONSchemaProps) *plan.Combinators {
	branches := func(ps []*JSONSchemaProps) []*plan.Node {
		var ns []*plan.Node
		for _, q := range ps {
			ns = append(ns, b.node(q, branchPart))
		}
		return ns
	}
	c := &plan.Combinators{AllOf: branches(p.AllOf), AnyOf: branches(p.AnyOf), OneOf: branches(p.OneOf)}
	if p.Not != nil {
		c.Not = b.node(p.Not, branchPart)
	}
	return c
}
