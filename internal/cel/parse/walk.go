package parse

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/antlr4-go/antlr/v4"
	"github.com/google/cel-go/parser/gen"

	"github.com/crdkit/crdkit/internal/cel/ast"
	"github.com/crdkit/crdkit/internal/cel/types"
)

// A walker makes an expression of ANTLR's tree of a text. After a syntax error, parts of that tree may be missing: the
// parts of a rule after the error, and the kind of a rule that may be one of several.
type walker struct {
	Options
	Maker
	Problems
	empty        bool // the text has no characters
	syntaxErrors int
	depth        int // of open operators, indexes, fields and methods

	antlr.DefaultErrorListener
}

// SyntaxError adds a problem that the lexer or the parser has found.
func (w *walker) SyntaxError(_ antlr.Recognizer, _ any, line, column int, text string, _ antlr.RecognitionException) {
	if strings.Contains(text, "no viable alternative") {
		text = keywordField().ReplaceAllString(text, "mismatched input '$1' expecting IDENTIFIER") // CER-022
	}
	at := Position{line, column}
	if w.empty {
		at = outside
	}
	w.Add(at, "Syntax error: "+text)
	w.syntaxErrors++
	if w.syntaxErrors > maxSyntaxErrors {
		panic(halt{})
	}
}

// keywordField matches the error for a field with the name of a literal.
var keywordField = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`no viable alternative at input '.(true|false|null)'`)
})

// positionOf returns the position of a token.
func positionOf(t antlr.Token) Position { return Position{t.GetLine(), t.GetColumn()} }

// start returns the position where a rule begins.
func start(rule antlr.ParserRuleContext) Position { return positionOf(rule.GetStart()) }

// unspecified returns a node in place of something that cannot be understood.
func (w *walker) unspecified(at Position) *ast.Expr { return ast.NewUnspecifiedExpr(w.idAt(at)) }

// report adds a problem, and returns a node in place of what has it.
func (w *walker) report(at Position, text string) *ast.Expr {
	w.Add(at, text)
	return w.unspecified(at)
}

// missing returns a node in place of a rule that is not complete, or nil. Usually a syntax error was reported for it.
func (w *walker) missing(rule any) *ast.Expr {
	if len(w.List) > 0 {
		return w.unspecified(NoPosition)
	}
	kind := "nil"
	if rule != nil {
		kind = fmt.Sprintf("%T", rule)
	}
	return w.report(NoPosition, "unknown parse element encountered: <<"+kind+">>")
}

// enter opens an operator, an index, a field or a method.
func (w *walker) enter() {
	w.depth++
	if w.depth > maxDepth {
		stop(&w.Problems, "max recursion depth exceeded")
	}
}

func (w *walker) leave() { w.depth-- }

// call returns a call, or its expansion if it is a macro.
func (w *walker) call(id int64, function string, target *ast.Expr, args ...*ast.Expr) *ast.Expr {
	if expand := w.Macros.expander(function, target, args); expand != nil {
		w.macroAt = w.place(id)
		e, err := expand(&w.Maker, target, args)
		if err != nil {
			at := w.place(err.ID)
			w.release(id)
			return w.report(at, err.Text)
		}
		if e != nil {
			w.release(id)
			return e
		}
	}
	if target != nil {
		return ast.NewMemberCall(id, function, target, args...)
	}
	return ast.NewCall(id, function, args...)
}

func (w *walker) expression(rule gen.IExprContext) *ast.Expr {
	if rule == nil {
		return w.missing(nil)
	}
	if rule.GetOp() == nil {
		return w.or(rule.GetE())
	}
	w.enter()
	defer w.leave()
	condition := w.or(rule.GetE())
	id := w.idAt(positionOf(rule.GetOp()))
	yes := w.or(rule.GetE1())
	return w.call(id, "_?_:_", nil, condition, yes, w.expression(rule.GetE2()))
}

func (w *walker) or(rule gen.IConditionalOrContext) *ast.Expr {
	first := w.and(rule.GetE())
	return logical(w, "_||_", rule.GetOps(), first, rule.GetE1(), w.and)
}

func (w *walker) and(rule gen.IConditionalAndContext) *ast.Expr {
	first := w.relation(rule.GetE())
	return logical(w, "_&&_", rule.GetOps(), first, rule.GetE1(), w.relation)
}

// logical returns the tree of a chain of one logical operator. There is an operand in rest for each sign.
func logical[T any](
	w *walker, function string, signs []antlr.Token, first *ast.Expr, rest []T, walk func(T) *ast.Expr,
) *ast.Expr {
	terms, ids := []*ast.Expr{first}, []int64(nil)
	for i, sign := range signs {
		terms = append(terms, walk(rest[i]))
		ids = append(ids, w.idAt(positionOf(sign))) // after the operand
	}
	return w.balanced(function, terms, ids)
}

func (w *walker) relation(rule gen.IRelationContext) *ast.Expr {
	if rule.GetOp() == nil {
		return w.calculation(rule.Calc())
	}
	return binary(w, rule.GetOp(), rule.Relation, w.relation)
}

func (w *walker) calculation(rule gen.ICalcContext) *ast.Expr {
	if rule.GetOp() == nil {
		return w.unary(rule.Unary())
	}
	return binary(w, rule.GetOp(), rule.Calc, w.calculation)
}

// binary returns the call of a binary operator, which has two operands of the same kind.
func binary[T any](w *walker, sign antlr.Token, operand func(int) T, walk func(T) *ast.Expr) *ast.Expr {
	w.enter()
	defer w.leave()
	left := walk(operand(0))
	id := w.idAt(positionOf(sign))
	return w.call(id, operators[kindOf(sign)].function, nil, left, walk(operand(1)))
}

// kinds has the kinds of operators and literals by ANTLR's numbers for tokens.
var kinds = [...]kind{
	gen.CELParserEQUALS: equal, gen.CELParserNOT_EQUALS: notEqual, gen.CELParserIN: wordIn,
	gen.CELParserLESS: less, gen.CELParserLESS_EQUALS: lessEqual,
	gen.CELParserGREATER: greater, gen.CELParserGREATER_EQUALS: greaterEqual,
	gen.CELParserPLUS: plus, gen.CELParserMINUS: minus,
	gen.CELParserSTAR: star, gen.CELParserSLASH: slash, gen.CELParserPERCENT: percent,
	gen.CELParserNUM_INT: integer, gen.CELParserNUM_UINT: unsigned, gen.CELParserNUM_FLOAT: double,
	gen.CELParserSTRING: text, gen.CELParserBYTES: bytes,
	gen.CELParserCEL_TRUE: wordTrue, gen.CELParserCEL_FALSE: wordFalse, gen.CELParserNUL: wordNull,
}

// kindOf returns the kind of an operator or a literal.
func kindOf(t antlr.Token) kind { return kinds[t.GetTokenType()] }

func (w *walker) unary(rule gen.IUnaryContext) *ast.Expr {
	switch rule := rule.(type) {
	case *gen.MemberExprContext:
		return w.member(rule.Member())
	case *gen.LogicalNotContext:
		return w.signed("!_", rule.GetOps(), rule.Member())
	case *gen.NegateContext:
		return w.signed("-_", rule.GetOps(), rule.Member())
	case *gen.UnaryContext:
		return ast.NewLiteral(w.idAt(start(rule)), types.String("<<error>>"))
	}
	return w.missing(rule)
}

func (w *walker) signed(function string, signs []antlr.Token, operand gen.IMemberContext) *ast.Expr {
	if len(signs)%2 == 0 {
		return w.member(operand)
	}
	id := w.idAt(positionOf(signs[0]))
	return w.call(id, function, nil, w.member(operand))
}

func (w *walker) member(rule gen.IMemberContext) *ast.Expr {
	switch rule := rule.(type) {
	case *gen.PrimaryExprContext:
		return w.primary(rule.Primary())
	case *gen.SelectContext:
		w.enter()
		defer w.leave()
		return w.field(rule)
	case *gen.MemberCallContext:
		w.enter()
		defer w.leave()
		target := w.member(rule.Member())
		id := w.idAt(positionOf(rule.GetOpen()))
		return w.call(id, rule.GetId().GetText(), target, w.arguments(rule.GetArgs())...)
	case *gen.IndexContext:
		w.enter()
		defer w.leave()
		return w.index(rule)
	}
	return w.missing(rule)
}

func (w *walker) field(rule *gen.SelectContext) *ast.Expr {
	operand := w.member(rule.Member())
	name, fault := w.name(rule.GetId())
	if fault != "" {
		w.report(start(rule.GetId()), fault)
	}
	switch {
	case rule.GetOpt() == nil:
		return ast.NewSelect(w.idAt(positionOf(rule.GetOp())), operand, name)
	case !w.OptionalSyntax:
		return w.report(positionOf(rule.GetOp()), "unsupported syntax '.?'")
	}
	constant := ast.NewLiteral(w.idAt(start(rule.GetId())), types.String(name))
	return ast.NewCall(w.idAt(positionOf(rule.GetOp())), "_?._", operand, constant)
}

// name returns the name of a field. The fault is empty if there is none.
func (w *walker) name(rule gen.IEscapeIdentContext) (name, fault string) {
	switch rule := rule.(type) {
	case *gen.SimpleIdentifierContext:
		return rule.GetId().GetText(), ""
	case *gen.EscapedIdentifierContext:
		if !w.EscapedNames {
			return "", "unsupported syntax: '`'"
		}
		return strings.Trim(rule.GetId().GetText(), "`"), ""
	}
	return "", "unsupported ident kind"
}

func (w *walker) index(rule *gen.IndexContext) *ast.Expr {
	target := w.member(rule.Member())
	id := w.idAt(positionOf(rule.GetOp()))
	index := w.expression(rule.GetIndex())
	switch {
	case rule.GetOpt() == nil:
		return w.call(id, "_[_]", nil, target, index)
	case !w.OptionalSyntax:
		return w.report(positionOf(rule.GetOp()), "unsupported syntax '[?'")
	}
	return w.call(id, "_[?_]", nil, target, index)
}

func (w *walker) arguments(rule gen.IExprListContext) []*ast.Expr {
	if rule == nil {
		return nil
	}
	args := make([]*ast.Expr, len(rule.GetE()))
	for i, e := range rule.GetE() {
		args[i] = w.expression(e)
	}
	return args
}

func (w *walker) primary(rule gen.IPrimaryContext) *ast.Expr {
	switch rule := rule.(type) {
	case *gen.IdentContext:
		name, e := w.global(rule, rule.GetLeadingDot(), rule.GetId())
		if e != nil {
			return e
		}
		return ast.NewIdent(w.idAt(positionOf(rule.GetId())), name)
	case *gen.GlobalCallContext:
		name, e := w.global(rule, rule.GetLeadingDot(), rule.GetId())
		if e != nil {
			return e
		}
		id := w.idAt(positionOf(rule.GetOp()))
		return w.call(id, name, nil, w.arguments(rule.GetArgs())...)
	case *gen.NestedContext:
		return w.expression(rule.GetE())
	case *gen.CreateListContext:
		id := w.idAt(positionOf(rule.GetOp()))
		elems, optional := w.elements(rule.GetElems())
		return ast.NewList(id, elems, optional)
	case *gen.CreateStructContext:
		id := w.idAt(positionOf(rule.GetOp()))
		return ast.NewMap(id, w.entries(rule.GetEntries()))
	case *gen.CreateMessageContext:
		return w.message(rule)
	case *gen.ConstantLiteralContext:
		return w.constant(rule.Literal())
	}
	return w.missing(rule)
}

// global returns the name of a variable or a function, or a node in place of it if the name is reserved.
func (w *walker) global(rule antlr.ParserRuleContext, leading, name antlr.Token) (string, *ast.Expr) {
	switch {
	case types.IsKeyword(name.GetText()): // only the name of a field
		return "", w.report(start(rule), "reserved identifier: "+name.GetText())
	case leading != nil:
		return "." + name.GetText(), nil
	}
	return name.GetText(), nil
}

func (w *walker) elements(rule gen.IListInitContext) (elems []*ast.Expr, optional []int32) {
	if rule == nil {
		return nil, nil
	}
	for i, elem := range rule.GetElems() {
		elems = append(elems, w.expression(elem.GetE()))
		if elem.GetOpt() == nil {
			continue
		}
		if !w.OptionalSyntax {
			w.report(positionOf(elem.GetOpt()), unsupportedOptional)
		}
		optional = append(optional, int32(i))
	}
	return elems, optional
}

const unsupportedOptional = "unsupported syntax '?'"

// entries returns the entries of a map.
func (w *walker) entries(rule gen.IMapInitializerListContext) []ast.MapEntry {
	if rule == nil {
		return nil
	}
	keys, values := rule.GetKeys(), rule.GetValues()
	var entries []ast.MapEntry
	for i, colon := range rule.GetCols() {
		id := w.idAt(positionOf(colon))
		optional := keys[i].GetOpt() != nil
		if optional && !w.OptionalSyntax {
			w.report(start(keys[i]), unsupportedOptional)
			continue
		}
		key := w.expression(keys[i].GetE())
		entries = append(entries, ast.NewMapEntry(id, key, w.expression(values[i]), optional))
	}
	return entries
}

func (w *walker) message(rule *gen.CreateMessageContext) *ast.Expr {
	var name strings.Builder
	if rule.GetLeadingDot() != nil {
		name.WriteByte('.')
	}
	for i, part := range rule.GetIds() {
		if i > 0 {
			name.WriteByte('.')
		}
		name.WriteString(part.GetText())
	}
	id := w.idAt(positionOf(rule.GetOp()))
	return ast.NewStruct(id, name.String(), w.fields(rule.GetEntries()))
}

// fields returns the fields of a message, or none if one of them is not complete.
func (w *walker) fields(rule gen.IFieldInitializerListContext) []ast.StructField {
	if rule == nil {
		return nil
	}
	colons, values := rule.GetCols(), rule.GetValues()
	var fields []ast.StructField
	for i, field := range rule.GetFields() {
		if i >= len(colons) {
			return nil
		}
		id := w.idAt(positionOf(colons[i]))
		optional := field.GetOpt() != nil
		if optional && !w.OptionalSyntax {
			w.report(start(field), unsupportedOptional)
			continue
		}
		name, fault := w.name(field.EscapeIdent())
		if fault != "" {
			w.report(start(rule), fault)
			continue
		}
		fields = append(fields, ast.NewStructField(id, name, w.expression(values[i]), optional))
	}
	return fields
}

func (w *walker) constant(rule gen.ILiteralContext) *ast.Expr {
	var token, sign antlr.Token
	switch rule := rule.(type) {
	case *gen.IntContext:
		token, sign = rule.GetTok(), rule.GetSign()
	case *gen.DoubleContext:
		token, sign = rule.GetTok(), rule.GetSign()
	case *gen.UintContext:
		token = rule.GetTok()
	case *gen.StringContext:
		token = rule.GetTok()
	case *gen.BytesContext:
		token = rule.GetTok()
	case *gen.BoolTrueContext:
		token = rule.GetTok()
	case *gen.BoolFalseContext:
		token = rule.GetTok()
	case *gen.NullContext:
		token = rule.GetTok()
	}
	if token == nil {
		return w.missing(rule)
	}
	value, fault := literal(kindOf(token), token.GetText(), sign != nil)
	if fault != "" {
		e := w.report(start(rule), fault)
		if k := kindOf(token); k != text && k != bytes {
			return e
		}
	}
	return ast.NewLiteral(w.idAt(start(rule)), value)
}
