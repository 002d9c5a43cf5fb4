package parse

import (
	"unicode/utf8"

	"github.com/crdkit/crdkit/internal/cel/ast"
	"github.com/crdkit/crdkit/internal/cel/types"
)

const (
	// MaxLength is the maximum length of an expression in code points (CEN-003).
	MaxLength = 100_000
	// maxDepth is the limit of each of four counts (CEN-003): of open expressions, relations and arithmetic, and of
	// nested operators, indexes, fields and methods.
	maxDepth = 250
)

// Expression returns the tree of an expression with macros expanded, or false if the text is not accepted, although it
// may be an expression. The tree is the caller's.
//
// Clauses: CEN-010.
func Expression(text string, macros Macros) (*ast.Expr, bool) {
	if len(text) > MaxLength || !utf8.ValidString(text) {
		return nil, false
	}
	r := &reader{lexer: lexer{text: text}, Maker: Maker{nextID: 1}, macros: macros}
	r.next()
	e := r.expression()
	return e, r.kind == atEnd
}

// A reader reads a text once. After something that it does not accept, the token is unknown and stays so. The results
// of its methods are then meaningless, but not nil.
type reader struct {
	lexer
	Maker
	macros Macros

	expressions int // number of open expressions
	relations   int // open relations: operands of a logical operator, and right operands of a relation
	arithmetic  int // open arithmetic: operands of a relation, and right operands of arithmetic
	height      int // of the last expression: the maximum nesting of operators, indexes, fields and methods
}

// fail refuses the text.
func (r *reader) fail() *ast.Expr {
	r.refuse()
	return ast.NewUnspecifiedExpr(0)
}

// take skips the next token if it has that kind, and reports whether it has.
func (r *reader) take(k kind) bool {
	if r.kind != k {
		return false
	}
	r.next()
	return true
}

// expect skips the next token, which must have that kind.
func (r *reader) expect(k kind) {
	if !r.take(k) {
		r.refuse()
	}
}

// over sets the height to that of an expression with the last one and one of height h as operands.
func (r *reader) over(h int) {
	r.height = max(r.height, h) + 1
	if r.height > maxDepth {
		r.refuse()
	}
}

// open adds to the numbers of open expressions, relations and arithmetic.
func (r *reader) open(expressions, relations, arithmetic int) {
	r.expressions += expressions
	r.relations += relations
	r.arithmetic += arithmetic
	if max(r.expressions, r.relations, r.arithmetic) > maxDepth {
		r.refuse()
	}
}

// expression reads a conditional, or an expression of higher precedence.
func (r *reader) expression() *ast.Expr {
	r.open(1, 1, 1)
	defer r.open(-1, -1, -1)
	condition := r.logical(or)
	if r.kind != question {
		return condition
	}
	id, h := r.newID(), r.height
	r.next()
	yes := r.logical(or)
	r.expect(colon)
	h = max(h, r.height)
	r.open(0, -1, -1)
	no := r.expression()
	r.open(0, 1, 1)
	r.over(h)
	return r.call(id, "_?_:_", condition, yes, no)
}

// logical reads a chain of one logical operator, or an expression of higher precedence. Chains become balanced trees.
func (r *reader) logical(operator kind) *ast.Expr {
	first := r.term(operator)
	if r.kind != operator {
		return first
	}
	terms, ids, h := []*ast.Expr{first}, []int64(nil), r.height
	for r.take(operator) {
		terms = append(terms, r.term(operator))
		ids = append(ids, r.newID()) // after the operand
		h = max(h, r.height)
	}
	r.height = h
	if operator == or {
		return r.balanced("_||_", terms, ids)
	}
	return r.balanced("_&&_", terms, ids)
}

// term reads an operand of a logical operator.
func (r *reader) term(operator kind) *ast.Expr {
	if operator == or {
		return r.logical(and)
	}
	return r.binary(relationRank)
}

// An operator is a binary operator. Higher ranks have higher precedence; operators of the same rank are
// left-associative.
type operator struct {
	rank     int
	function string
}

// relationRank is the rank of relations. Arithmetic has higher ranks.
const relationRank = 1

// operators has the operators by their tokens. Other tokens have rank 0.
var operators = [closeBrace + 1]operator{
	wordIn:       {relationRank, "@in"},
	equal:        {relationRank, "_==_"},
	notEqual:     {relationRank, "_!=_"},
	less:         {relationRank, "_<_"},
	lessEqual:    {relationRank, "_<=_"},
	greater:      {relationRank, "_>_"},
	greaterEqual: {relationRank, "_>=_"},
	plus:         {2, "_+_"},
	minus:        {2, "_-_"},
	star:         {3, "_*_"},
	slash:        {3, "_/_"},
	percent:      {3, "_%_"},
}

// binary reads a chain of operators of at least that rank, or an expression of higher precedence.
func (r *reader) binary(rank int) *ast.Expr {
	left := r.unary()
	for {
		o := operators[r.kind]
		if o.rank < rank {
			return left
		}
		id, h := r.newID(), r.height
		r.next()
		relations, arithmetic := 0, 1
		if o.rank == relationRank {
			relations, arithmetic = 1, 0
		}
		r.open(0, relations, arithmetic)
		right := r.binary(o.rank + 1)
		r.open(0, -relations, -arithmetic)
		r.over(h)
		left = r.call(id, o.function, left, right)
	}
}

// unary reads an expression with optional signs before it.
func (r *reader) unary() *ast.Expr {
	sign, function := r.kind, "!_"
	switch sign {
	case not:
	case minus:
		function = "-_"
	default:
		return r.member(r.primary())
	}
	r.next()
	if sign == minus && r.number() {
		return r.member(r.constant(true))
	}
	odd := true
	for r.take(sign) {
		odd = !odd
	}
	var id int64
	if odd {
		id = r.newID()
	}
	var target *ast.Expr
	switch {
	case sign == minus && r.number():
		return r.fail() // --1
	case sign == not && r.take(minus):
		if !r.number() {
			return r.fail()
		}
		target = r.constant(true)
	default:
		target = r.primary()
	}
	target = r.member(target)
	if !odd {
		return target
	}
	return r.call(id, function, target)
}

// number reports whether the next token is a number, to which a minus sign belongs.
func (r *reader) number() bool { return r.kind == integer || r.kind == double }

// constant reads a literal.
func (r *reader) constant(negative bool) *ast.Expr {
	v, fault := literal(r.kind, r.text[r.from:r.to], negative)
	if fault != "" {
		return r.fail()
	}
	r.height = 0
	e := ast.NewLiteral(r.newID(), v)
	r.next()
	return e
}

// member reads what follows an operand: fields, indexes and method calls.
func (r *reader) member(e *ast.Expr) *ast.Expr {
	for {
		switch r.kind {
		case dot:
			r.next()
			e = r.field(e)
		case openBracket:
			e = r.index(e)
		default:
			return e
		}
	}
}

// field reads a field or a method call of e, after the dot.
func (r *reader) field(e *ast.Expr) *ast.Expr {
	optional := r.take(question)
	if r.kind != name && r.kind != quotedName {
		return r.fail()
	}
	field, plain := r.text[r.from:r.to], r.kind == name
	if !plain {
		field = field[1 : len(field)-1]
	}
	r.next()
	switch {
	case optional:
		constant := ast.NewLiteral(r.newID(), types.String(field))
		r.over(0)
		return ast.NewCall(r.newID(), "_?._", e, constant)
	case plain && r.kind == openParen:
		id, h := r.newID(), r.height
		args := r.arguments()
		r.over(h)
		return r.methodCall(id, field, e, args)
	}
	r.over(0)
	return ast.NewSelect(r.newID(), e, field)
}

// index reads an index of e.
func (r *reader) index(e *ast.Expr) *ast.Expr {
	id, h, function := r.newID(), r.height, "_[_]"
	r.next()
	if r.take(question) {
		function = "_[?_]"
	}
	i := r.expression()
	r.expect(closeBracket)
	r.over(h)
	return r.call(id, function, e, i)
}

// arguments reads the arguments of a call, from its opening to its closing parenthesis.
func (r *reader) arguments() []*ast.Expr {
	r.next()
	r.height = 0
	if r.take(closeParen) {
		return nil
	}
	var args []*ast.Expr
	for h := 0; ; h = r.height {
		args = append(args, r.expression())
		r.height = max(r.height, h)
		if !r.take(comma) {
			r.expect(closeParen)
			return args
		}
	}
}

// primary reads an operand without members.
func (r *reader) primary() *ast.Expr {
	switch r.kind {
	case name:
		return r.named()
	case openParen:
		r.next()
		e := r.expression()
		r.expect(closeParen)
		return e
	case openBracket:
		return r.list()
	case openBrace:
		return r.mapping()
	}
	return r.constant(false)
}

// named reads a variable or a function call.
func (r *reader) named() *ast.Expr {
	n := r.text[r.from:r.to]
	if types.IsKeyword(n) { // only the name of a field
		return r.fail()
	}
	r.next()
	if r.kind != openParen {
		r.height = 0
		return ast.NewIdent(r.newID(), n)
	}
	id := r.newID()
	args := r.arguments()
	return r.call(id, n, args...)
}

// list reads a list.
func (r *reader) list() *ast.Expr {
	id, h := r.newID(), 0
	var elems []*ast.Expr
	var optional []int32
	for r.next(); r.kind != closeBracket; {
		if r.take(question) {
			optional = append(optional, int32(len(elems)))
		}
		elems = append(elems, r.expression())
		h = max(h, r.height)
		if !r.take(comma) {
			break
		}
	}
	r.expect(closeBracket)
	r.height = h
	return ast.NewList(id, elems, optional)
}

// mapping reads a map.
func (r *reader) mapping() *ast.Expr {
	id, h := r.newID(), 0
	var entries []ast.MapEntry
	for r.next(); r.kind != closeBrace; {
		optional := r.take(question)
		entry := r.newID()
		key := r.expression()
		h = max(h, r.height)
		r.expect(colon)
		value := r.expression()
		h = max(h, r.height)
		entries = append(entries, ast.NewMapEntry(entry, key, value, optional))
		if !r.take(comma) {
			break
		}
	}
	r.expect(closeBrace)
	r.height = h
	return ast.NewMap(id, entries)
}
