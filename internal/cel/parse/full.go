package parse

import (
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/antlr4-go/antlr/v4"
	"github.com/crdkit/crdkit/internal/cel/ast"
	"github.com/google/cel-go/parser/gen"
)

// Options say what an expression may consist of.
type Options struct {
	Macros         Macros
	OptionalSyntax bool // a.?b, a[?b], [?a], {?a: b}, T{?a: b}
	EscapedNames   bool // a.`b`
}

// A Position is a place in a text.
type Position struct {
	Line   int // from 1
	Column int // in code points, from 0
}

// NoPosition is the position of what has none.
var NoPosition = Position{-1, -1}

// outside is the position of nodes that are not in the text, and of the error in an empty text.
var outside = Position{1, -1}

// placeOf returns the position of the node with that id.
func placeOf(places []Position, id int64) Position {
	if id <= 0 || id >= int64(len(places)) {
		return NoPosition
	}
	return places[id]
}

// A Tree is a parsed expression.
type Tree struct {
	Text   string
	Root   *ast.Expr
	Places []Position // of the nodes, by id; [NoPosition] for ids without a node
}

// Position returns the position of the node with that id. It returns NoPosition if there is no such node, or no tree.
func (t *Tree) Position(id int64) Position {
	if t == nil {
		return NoPosition
	}
	return placeOf(t.Places, id)
}

// A Problem is an error in an expression.
type Problem struct {
	Position
	Text string
}

// MaxProblems is the maximum number of problems that are reported for one expression (CER-003).
const MaxProblems = 100

// Problems are the problems of an expression, in the order in which they were found.
type Problems struct {
	List   []Problem
	Beyond int // the number of further ones
}

// Add adds a problem.
func (p *Problems) Add(at Position, text string) {
	if len(p.List) >= MaxProblems {
		p.Beyond++
		return
	}
	p.List = append(p.List, Problem{at, text})
}

// Full returns the tree of an expression with macros expanded, and the positions of all nodes. If the text is not an
// expression, it returns no tree, but the problems that a server reports.
//
// It is slow: it takes more than ten times as long as [Expression], and its memory is a large multiple of the text.
//
// Clauses: CEN-003, CEN-010, CER-020 to CER-024.
func Full(text string, o Options) (*Tree, *Problems) {
	w := &walker{Options: o, Maker: Maker{nextID: 1, places: []Position{NoPosition}}, empty: text == ""}
	var root *ast.Expr
	if size := utf8.RuneCountInString(text); size > MaxLength {
		w.Add(NoPosition, fmt.Sprintf("expression code point size exceeds limit: size: %d, limit %d", size, MaxLength))
	} else {
		root = w.parse(text)
	}
	if len(w.List) > 0 {
		return nil, &w.Problems
	}
	return &Tree{Text: text, Root: root, Places: w.places}, nil
}

// parse returns the tree of a text. It is meaningless if there are problems.
func (w *walker) parse(text string) *ast.Expr {
	defer func() {
		// The program may link another version of ANTLR than the one that is known not to panic.
		if p := recover(); p != nil && p != (halt{}) {
			w.Add(NoPosition, fmt.Sprintf("the expression cannot be parsed: %v", p))
		}
	}()
	lexer := gen.NewCELLexer(antlr.NewInputStream(text))
	lexer.RemoveErrorListeners()
	lexer.AddErrorListener(w)
	in := &tokens{CommonTokenStream: antlr.NewCommonTokenStream(lexer, antlr.TokenDefaultChannel), problems: &w.Problems}
	p := gen.NewCELParser(in)
	p.RemoveErrorListeners()
	p.AddErrorListener(w)
	p.AddParseListener(&depths{open: map[int]int{}, problems: &w.Problems})
	p.SetErrorHandler(&recovery{DefaultErrorStrategy: antlr.NewDefaultErrorStrategy(), in: in})
	return w.expression(p.Start_().Expr())
}

// A halt is a panic that ends the parsing, after a problem that is already added.
type halt struct{}

// stop adds the last problem.
func stop(p *Problems, text string) {
	p.Add(NoPosition, text)
	panic(halt{})
}

// The other limits of CEN-003.
const (
	maxSyntaxErrors = 100 // in one text
	maxRecoveries   = 30  // from errors in one text
	maxSkipped      = 256 // tokens in one recovery
)

// A depths counts the open rules of each kind.
type depths struct {
	antlr.BaseParseTreeListener
	open     map[int]int
	problems *Problems
}

// EnterEveryRule counts a rule that begins.
func (d *depths) EnterEveryRule(rule antlr.ParserRuleContext) {
	i := rule.GetRuleIndex()
	d.open[i]++
	if d.open[i] > maxDepth {
		stop(d.problems, "expression recursion limit exceeded: "+strconv.Itoa(maxDepth))
	}
}

// ExitEveryRule counts a rule that ends.
func (d *depths) ExitEveryRule(rule antlr.ParserRuleContext) { d.open[rule.GetRuleIndex()]-- }

// A recovery skips or invents tokens after a syntax error, as ANTLR does by default, up to a limit.
type recovery struct {
	*antlr.DefaultErrorStrategy
	in    *tokens
	count int
}

// Recover skips tokens until the parser can go on.
func (r *recovery) Recover(p antlr.Parser, e antlr.RecognitionException) {
	r.begin(p)
	r.DefaultErrorStrategy.Recover(p, e)
	r.in.recovering = false
}

// RecoverInline returns the token that the parser needs: the next but one, or an invented one.
func (r *recovery) RecoverInline(p antlr.Parser) antlr.Token {
	r.begin(p)
	defer func() { r.in.recovering = false }()
	return r.DefaultErrorStrategy.RecoverInline(p)
}

func (r *recovery) begin(p antlr.Parser) {
	if r.count == maxRecoveries {
		p.NotifyErrorListeners("error recovery attempt limit exceeded: "+strconv.Itoa(maxRecoveries), nil, nil)
		panic(halt{})
	}
	r.count++
	r.in.recovering, r.in.skipped = true, 0
}

// The tokens of a text. During a recovery, their number is limited.
type tokens struct {
	*antlr.CommonTokenStream
	problems   *Problems
	recovering bool
	skipped    int // in this recovery
}

// Consume goes to the next token.
func (t *tokens) Consume() {
	if t.recovering {
		if t.skipped == maxSkipped {
			stop(t.problems, "error recovery token lookahead limit exceeded: "+strconv.Itoa(maxSkipped))
		}
		t.skipped++
	}
	t.CommonTokenStream.Consume()
}
