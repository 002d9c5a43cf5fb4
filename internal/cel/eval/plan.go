package eval

import (
	"errors"
	"fmt"
	"strings"

	"github.com/crdkit/crdkit/internal/cel/ast"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/plan"
)

// Plan prepares a checked expression to be run on values that n describes, or a node that expressions cannot
// distinguish from n. If n is nil, nothing is known about the values in advance. The error has the text that a server
// prints for a program that cannot be created: because of a constant that cannot be converted, a constant pattern that
// does not compile, or the name of a type without a value.
//
// Clauses: CER-040.
func Plan(a *ast.AST, n *plan.Node) (*Program, error) {
	p := planner{ast: a, node: n, slots: freeSlot}
	return p.program()
}

func (p *planner) program() (*Program, error) {
	root := p.plan(p.ast.Expr())
	if p.err != nil {
		return nil, p.err
	}
	return &Program{run: root.run, cond: root.cond, slots: p.slots}, nil
}

type planner struct {
	ast   *ast.AST
	node  *plan.Node // of self
	scope []variable // innermost last
	slots int
	err   error // the first error

	// general: do not use known types. Tests compare the results with those of the usual plan.
	general bool
}

// A variable is a variable of a loop, with its slot in the frame.
type variable struct {
	name string
	slot int
	init evaluator  // for a bound variable, which is computed when it is first used
	node *plan.Node // describes its data, if known
}

// A part is a planned expression.
type part struct {
	run       evaluator
	uncharged *part  // of a chain or a conditional: without the chain's own cost of 1 (CRC-012, CRC-015); otherwise nil
	constant  *value // of a constant (CRC-005); otherwise nil

	// Faster evaluators for a part of a known type, or nil.
	cond   typed[bool]
	text   typed[string]
	num    typed[int64]
	length typed[int64] // of a list: its size, without the cost of size itself

	// Only for a chain from a variable:
	general evaluator  // run, without known types
	path    *path      // nil: there is none
	cost    int64      // of the path
	node    *plan.Node // describes the data, unless it is an error
}

// inner returns the part to be evaluated as an index or as a branch.
func (p *part) inner() *part {
	if p.uncharged != nil {
		return p.uncharged
	}
	return p
}

//go:noinline
func constant(v value) *part {
	return &part{run: func(*frame) value { return v }, constant: &v}
}

func (p *planner) fail(err error) *part {
	if p.err == nil {
		p.err = err
	}
	return constant(value{})
}

func (p *planner) plan(e *ast.Expr) *part {
	if p.err != nil {
		return constant(value{})
	}
	switch e.Kind() {
	case ast.LiteralKind:
		v, err := literal(e.AsLiteral())
		if err != nil {
			return p.fail(err)
		}
		return constant(v)
	case ast.IdentKind:
		return p.planNamed(e.ID(), e.AsIdent(), nil)
	case ast.SelectKind:
		if p.ast.Reference(e.ID()) != nil {
			return p.planNamed(e.ID(), "", nil)
		}
		return p.planChain(e)
	case ast.CallKind:
		return p.planCall(e)
	case ast.ListKind:
		return p.planList(e.AsList())
	case ast.MapKind:
		return p.planMap(e.AsMap())
	case ast.StructKind:
		return p.planMessage(e.AsStruct())
	case ast.ComprehensionKind:
		return p.planLoop(e.AsComprehension())
	}
	return p.fail(fmt.Errorf("unexpected expression kind %v", e.Kind()))
}

func literal(v types.Value) (value, error) {
	switch x := v.(type) {
	case types.Bool:
		return boolean(bool(x)), nil
	case types.Int:
		return integer(int64(x)), nil
	case types.Uint:
		return unsigned(uint64(x)), nil
	case types.Double:
		return double(float64(x)), nil
	case types.String:
		return textValue(string(x)), nil
	case types.Bytes:
		return bytes([]byte(x)), nil
	case types.Null:
		return null, nil
	}
	return value{}, fmt.Errorf("unexpected literal %v", v)
}

// planNamed plans a name that the checker has resolved, a variable or a type, and the qualifiers after it.
func (p *planner) planNamed(id int64, name string, qualifiers []qualifier) *part {
	if r := p.ast.Reference(id); r != nil {
		if r.Name != "" {
			name = r.Name
		}
		if r.Value != nil {
			v, err := literal(r.Value)
			if err != nil {
				return p.fail(err)
			}
			return p.chainOn(constant(v), qualifiers)
		}
	}
	// A variable whose value is a type is treated as the type of that name.
	if t := p.ast.GetType(id); t != nil && t.Kind() == types.TypeKind {
		if !typeHasValue(name) {
			return p.fail(errors.New("reference to undefined type: " + name))
		}
		return p.chainOn(constant(typeValue(name)), qualifiers)
	}
	if local := strings.TrimPrefix(name, "."); local == name {
		for i := len(p.scope) - 1; i >= 0; i-- {
			if p.scope[i].name == name {
				v := &p.scope[i]
				if v.init != nil {
					return variableChain(base{slot: -1, from: lazy(v.slot, v.init)}, qualifiers)
				}
				return variableChain(p.slotBase(v.slot, v.node), qualifiers)
			}
		}
	}
	switch strings.TrimPrefix(name, ".") {
	case "self":
		return variableChain(p.slotBase(selfSlot, p.node), qualifiers)
	case "oldSelf":
		return variableChain(p.slotBase(oldSlot, p.node), qualifiers)
	}
	unknown := failure("no such attribute(s): " + name)
	return variableChain(base{slot: -1, from: func(*frame) value { return unknown }}, qualifiers)
}

// typeHasValue reports whether the name of a type has a value at run time (CEN-021).
func typeHasValue(name string) bool {
	switch name {
	case "bool", "bytes", "double", "int", "uint", "string", "list", "map", "null_type", "type", "optional_type", "net.IP", "net.CIDR":
		return true
	}
	return name == typeNames[kindTimestamp] || name == typeNames[kindDuration] || name == "google.protobuf.Empty"
}

// planChain plans the longest chain of selections and indexes that ends with e. It plans from left to right, so that
// the first of several faults is reported.
func (p *planner) planChain(e *ast.Expr) *part {
	test := e.Kind() == ast.SelectKind && e.AsSelect().IsTestOnly()
	var exprs []*ast.Expr // of the qualifiers, the last one first
	for {
		operand := p.operandOf(e)
		if operand == nil {
			break
		}
		exprs = append(exprs, e)
		e = operand
	}
	qualifiers := func() []qualifier {
		to := make([]qualifier, 0, len(exprs))
		for i := len(exprs) - 1; i >= 0 && p.err == nil; i-- {
			to = append(to, p.planQualifier(exprs[i]))
		}
		return to
	}
	var c *part
	conditional := false
	switch r := p.ast.Reference(e.ID()); {
	case e.Kind() == ast.IdentKind:
		c = p.planNamed(e.ID(), e.AsIdent(), qualifiers())
	case e.Kind() == ast.SelectKind && r != nil:
		c = p.planNamed(e.ID(), r.Name, qualifiers())
	default:
		on := p.plan(e)
		conditional = on.uncharged != nil
		c = p.chainOn(on, qualifiers())
	}
	switch {
	case p.err != nil:
		return constant(value{})
	case test:
		return presence(c, conditional)
	}
	return c
}

// operandOf returns the operand of e, the last qualifier of a chain. It returns nil if e is not a qualifier.
func (p *planner) operandOf(e *ast.Expr) *ast.Expr {
	switch e.Kind() {
	case ast.SelectKind:
		if p.ast.Reference(e.ID()) == nil {
			return e.AsSelect().Operand()
		}
	case ast.CallKind:
		c := e.AsCall()
		switch c.FunctionName() {
		case opIndex, opOptIndex, opOptSelect:
			return c.Args()[0]
		}
	}
	return nil
}

// planQualifier plans the last qualifier of the chain e, which has an operand.
func (p *planner) planQualifier(e *ast.Expr) qualifier {
	if e.Kind() == ast.SelectKind {
		sel := e.AsSelect()
		return fieldQualifier(sel.FieldName(), false, sel.IsTestOnly())
	}
	c := e.AsCall()
	if c.FunctionName() == opOptSelect {
		name, _ := c.Args()[1].AsLiteral().(types.String)
		return fieldQualifier(string(name), true, false)
	}
	return p.indexQualifier(c.Args()[1], c.FunctionName() == opOptIndex)
}

func (p *planner) indexQualifier(e *ast.Expr, optional bool) qualifier {
	arg := p.plan(e)
	s := qualifier{optional: optional}
	switch {
	case arg.constant != nil && arg.constant.kind == kindString:
		return fieldQualifier(arg.constant.str(), optional, false)
	case arg.constant != nil:
		s.key = *arg.constant
		if err := indexFault(s.key); err != nil {
			p.fail(err)
		}
	default:
		s.index = arg.branch()
	}
	return s
}

// The names of operators in a checked expression.
const (
	opAnd, opOr, opNot, opConditional = "_&&_", "_||_", "!_", "_?_:_"
	opIndex, opOptIndex, opOptSelect  = "_[_]", "_[?_]", "_?._"
	opEqual, opNotEqual               = "_==_", "_!=_"
	opLess, opLessEqual               = "_<_", "_<=_"
	opGreater, opGreaterEqual         = "_>_", "_>=_"
	opAdd, opSubtract, opMultiply     = "_+_", "_-_", "_*_"
	opDivide, opModulo, opNegate      = "_/_", "_%_", "-_"
	opIn, opNotStrictlyFalse          = "@in", "@not_strictly_false"
)

func (p *planner) planList(l *ast.ListExpr) *part {
	elems := l.Elements()
	optional := make(map[int]bool, len(l.OptionalIndices()))
	for _, i := range l.OptionalIndices() {
		optional[int(i)] = true
	}
	parts := make([]*part, len(elems))
	constants := true
	for i, e := range elems {
		parts[i] = p.plan(e)
		constants = constants && parts[i].constant != nil
	}
	if p.err != nil {
		return constant(value{})
	}
	if constants && len(optional) == 0 {
		vals := make([]value, len(parts))
		for i := range parts {
			vals[i] = *parts[i].constant
		}
		return constant(newList(vals))
	}
	return &part{run: func(f *frame) value {
		f.makes(itemBytes * len(parts))
		vals := f.values(len(parts))[:0]
		for i := range parts {
			v := parts[i].run(f)
			switch {
			case v.failed():
				if !f.stops(v) {
					f.charge(10)
				}
				return v
			case !optional[i]:
				vals = append(vals, v)
			case v.kind != kindOptional:
				fault := failure("cannot initialize optional list element from non-optional value " + plainText(v))
				if !f.stops(fault) {
					f.charge(10)
				}
				return fault
			case v.inner() != nil:
				vals = append(vals, *v.inner())
			}
		}
		f.charge(10)
		return f.list(vals)
	}}
}

func (p *planner) planMap(m *ast.MapExpr) *part {
	entries := m.Entries()
	keys, vals := make([]*part, len(entries)), make([]*part, len(entries))
	optional := make([]bool, len(entries))
	constants := true
	for i, entry := range entries {
		keys[i], vals[i], optional[i] = p.plan(entry.Key()), p.plan(entry.Value()), entry.IsOptional()
		constants = constants && keys[i].constant != nil && vals[i].constant != nil && !optional[i]
	}
	if p.err != nil {
		return constant(value{})
	}
	build := func(f *frame) value {
		f.makes(entryBytes * len(entries))
		d := newDict(len(entries))
		for i := range keys {
			k := keys[i].run(f)
			if k.failed() {
				return k
			}
			v := vals[i].run(f)
			if v.failed() {
				return v
			}
			if optional[i] {
				if v.kind != kindOptional {
					return failure("cannot initialize optional entry '" + plainText(k) + "' from non-optional value " + plainText(v))
				}
				if v.inner() == nil {
					continue
				}
				v = *v.inner()
			}
			hashable(k)
			d.put(k, v)
		}
		return value{kind: kindMap, ref: d}
	}
	for _, k := range keys {
		constants = constants && (k.constant == nil || unhashable(*k.constant) == "")
	}
	if constants {
		return constant(build(unbounded()))
	}
	return &part{run: func(f *frame) value {
		v := build(f)
		if !f.stops(v) {
			f.charge(30)
		}
		return v
	}}
}
