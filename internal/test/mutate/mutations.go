package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"hash/fnv"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A mutation replaces the bytes of a file from start to end.
type mutation struct {
	in         *source
	file       *file
	start, end int
	with       string
	// key identifies the mutation by file, function, kind and text, not by line: eval/list.go size: negate `a < b`.
	key string
}

// text returns the mutated file.
func (m *mutation) text() []byte {
	t := m.file.text
	return append(append(append(make([]byte, 0, len(t)+len(m.with)), t[:m.start]...), m.with...), t[m.end:]...)
}

// line returns the line of the mutation.
func (m *mutation) line() int { return 1 + strings.Count(string(m.file.text[:m.start]), "\n") }

// rank orders mutations pseudo-randomly, depending on the seed.
func (m *mutation) rank(seed uint64) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s", seed, m.key)
	x := h.Sum64() // FNV alone does not mix the last bytes enough
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// mutations returns all mutations of a package, in the order of the code. Some of them do not compile.
func (s *source) mutations() []*mutation {
	c := collector{source: s, seen: map[string]int{}}
	for _, f := range s.files {
		c.file = f
		for _, d := range f.syntax.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				c.within = funcName(d)
				if c.decl = d; d.Body != nil {
					c.walk(d.Body)
				}
			case *ast.GenDecl:
				c.decl = nil
				for _, spec := range d.Specs {
					if v, ok := spec.(*ast.ValueSpec); ok {
						c.within = v.Names[0].Name
						for _, value := range v.Values {
							c.walk(value)
						}
					}
				}
			}
		}
	}
	return c.found
}

func funcName(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	receiver := ""
	ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && receiver == "" {
			receiver = id.Name
		}
		return receiver == ""
	})
	return receiver + "." + d.Name.Name
}

// A collector finds the mutations of a package.
type collector struct {
	*source
	file   *file
	within string        // the function, or the variable
	decl   *ast.FuncDecl // the function
	seen   map[string]int
	found  []*mutation
}

func (c *collector) offset(p token.Pos) int { return c.module.fset.Position(p).Offset }

func (c *collector) code(n ast.Node) string {
	return c.between(n.Pos(), n.End())
}

// replace adds a mutation of the code between two positions. where is the surrounding code, if it is needed to
// understand the mutation.
func (c *collector) replace(kind, where string, from, to token.Pos, with string) {
	what := "`" + brief(c.between(from, to)) + "`"
	if where != "" {
		what += " in `" + brief(where) + "`"
	}
	if with != "" {
		what += " -> `" + brief(with) + "`"
	}
	c.add(kind+" "+what, from, to, with)
}

func (c *collector) add(what string, from, to token.Pos, with string) {
	m := &mutation{in: c.source, file: c.file, start: c.offset(from), end: c.offset(to), with: with}
	m.key = c.file.name + " " + c.within + ": " + what
	c.seen[m.key]++
	if n := c.seen[m.key]; n > 1 {
		m.key += " #" + strconv.Itoa(n)
	}
	c.found = append(c.found, m)
}

func (c *collector) between(from, to token.Pos) string {
	return string(c.file.text[c.offset(from):c.offset(to)])
}

// brief returns text as one short line.
func brief(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	const most = 70
	if utf8.RuneCountInString(text) > most {
		return string([]rune(text)[:most]) + "..."
	}
	return text
}

// walk adds the mutations of root and everything in it.
func (c *collector) walk(root ast.Node) {
	ast.PreorderStack(root, nil, func(n ast.Node, stack []ast.Node) bool {
		var parent ast.Node
		if len(stack) > 0 {
			parent = stack[len(stack)-1]
		}
		switch n := n.(type) {
		case *ast.IfStmt:
			c.negate(n.Cond)
		case *ast.ForStmt:
			if n.Cond != nil {
				c.negate(n.Cond)
			}
		case *ast.UnaryExpr:
			if n.Op == token.NOT && !isCondition(parent, n) {
				c.add("negate `"+brief(c.code(n))+"`", n.OpPos, n.X.Pos(), "")
			}
		case *ast.BinaryExpr:
			c.binary(n, parent)
		case *ast.BasicLit:
			c.literal(n, parent)
		case *ast.CompositeLit:
			c.elements(n)
		case *ast.CallExpr:
			c.arguments(n)
		case *ast.CaseClause:
			c.cases(n)
		case *ast.ReturnStmt:
			c.returned(n, stack)
		case ast.Stmt:
			c.statement(n, parent)
		}
		return true
	})
}

func (c *collector) negate(cond ast.Expr) {
	c.add("negate `"+brief(c.code(cond))+"`", cond.Pos(), cond.End(), "!("+c.code(cond)+")")
}

// isCondition reports whether n is the condition of parent, which is negated as a whole.
func isCondition(parent ast.Node, n ast.Expr) bool {
	switch p := parent.(type) {
	case *ast.IfStmt:
		return p.Cond == n
	case *ast.ForStmt:
		return p.Cond == n
	}
	return false
}

var swapped = map[token.Token]token.Token{
	token.LAND: token.LOR, token.LOR: token.LAND,
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO, token.QUO: token.MUL,
}

func (c *collector) binary(n *ast.BinaryExpr, parent ast.Node) {
	with, ok := swapped[n.Op]
	switch n.Op {
	case token.EQL, token.NEQ:
		ok = !isCondition(parent, n)
	case token.ADD:
		b, basic := c.info.TypeOf(n).Underlying().(*types.Basic)
		ok = basic && b.Info()&types.IsNumeric != 0
	}
	if ok {
		end := n.OpPos + token.Pos(len(n.Op.String()))
		left, right := []rune(brief(c.between(n.Pos(), n.OpPos))), brief(c.between(end, n.End()))
		c.replace("operator", string(left[max(0, len(left)-30):])+" "+n.Op.String()+" "+right, n.OpPos, end, with.String())
	}
}

// literal adds mutations of a number that are off by one. It skips capacities and array lengths, which only affect
// memory.
func (c *collector) literal(n *ast.BasicLit, parent ast.Node) {
	if n.Kind != token.INT {
		return
	}
	switch p := parent.(type) {
	case *ast.ArrayType:
		return
	case *ast.ReturnStmt:
		if c.fails(p) {
			return
		}
	case *ast.CallExpr:
		if id, ok := p.Fun.(*ast.Ident); ok && id.Name == "make" && len(p.Args) == 3 && p.Args[2] == n {
			return
		}
	}
	if v, err := strconv.ParseInt(n.Value, 0, 64); err == nil && v < 1<<62 {
		c.replace("number", c.lineOf(n), n.Pos(), n.End(), strconv.FormatInt(v+1, 10))
	}
}

// lineOf returns the line of code that n is in.
func (c *collector) lineOf(n ast.Node) string {
	text, at := string(c.file.text), c.offset(n.Pos())
	start := strings.LastIndexByte(text[:at], '\n') + 1
	line, _, _ := strings.Cut(text[start:], "\n")
	line, _, _ = strings.Cut(line, " //")
	return line
}

// elements drops an element of a literal.
func (c *collector) elements(n *ast.CompositeLit) {
	_, isStruct := c.info.TypeOf(n).Underlying().(*types.Struct)
	for i, e := range n.Elts {
		if _, keyed := e.(*ast.KeyValueExpr); isStruct && !keyed {
			return
		}
		from, to := e.Pos(), n.Rbrace
		if i+1 < len(n.Elts) {
			to = n.Elts[i+1].Pos()
		} else if i > 0 {
			from = n.Elts[i-1].End()
		}
		// The rest of the list needs a comma before a line break.
		with := ""
		if to == n.Rbrace && i > 0 && strings.Contains(c.between(e.End(), to), "\n") {
			with = ",\n"
		}
		c.replace("drop", "", from, to, with)
	}
}

// commutative has functions whose results do not depend on the order of arguments.
var commutative = map[string]bool{"min": true, "max": true, "Equal": true, "EqualFold": true, "equal": true, "Plus": true}

// arguments swaps two arguments of the same type.
func (c *collector) arguments(n *ast.CallExpr) {
	called := n.Fun
	if f, ok := called.(*ast.SelectorExpr); ok {
		called = f.Sel
	}
	if f, ok := called.(*ast.Ident); ok && commutative[f.Name] {
		return
	}
	for i := 0; i+1 < len(n.Args); i++ {
		a, b := n.Args[i], n.Args[i+1]
		ta, tb := c.info.TypeOf(a), c.info.TypeOf(b)
		if ta == nil || tb == nil || !types.Identical(ta, tb) || c.code(a) == c.code(b) {
			continue
		}
		c.replace("swap", c.code(n), a.Pos(), b.End(), c.code(b)+c.between(a.End(), b.Pos())+c.code(a))
	}
}

// cases drops a case, or one of its values.
func (c *collector) cases(n *ast.CaseClause) {
	if n.List == nil {
		return
	}
	c.replace("drop", "", n.Pos(), n.End(), "")
	if len(n.List) == 1 {
		return
	}
	for i, e := range n.List {
		from, to := e.Pos(), e.End()
		if i+1 < len(n.List) {
			to = n.List[i+1].Pos()
		} else {
			from = n.List[i-1].End()
		}
		c.replace("drop", c.between(n.Pos(), n.Colon), from, to, "")
	}
}

// returned replaces a result with its zero value, and a constant boolean with its negation.
func (c *collector) returned(n *ast.ReturnStmt, stack []ast.Node) {
	if len(n.Results) == 0 {
		return
	}
	var within *ast.FuncType
	if c.decl != nil {
		within = c.decl.Type
	}
	for _, s := range stack {
		if lit, ok := s.(*ast.FuncLit); ok {
			within = lit.Type
		}
	}
	var results []types.Type
	for _, r := range within.Results.List {
		for range max(1, len(r.Names)) {
			results = append(results, c.info.TypeOf(r.Type))
		}
	}
	if len(results) != len(n.Results) { // return f()
		return
	}
	fails := c.fails(n)
	for i, e := range n.Results {
		zero := c.zero(results[i])
		switch v := c.info.Types[e].Value; {
		case v == nil:
		case fails && i+1 < len(results):
			continue
		case v.ExactString() == "false":
			zero = "true"
		case v.ExactString() == zero:
			continue
		}
		if zero != "" && zero != c.code(e) {
			c.replace("result", c.code(n), e.Pos(), e.End(), zero)
		}
	}
}

// fails reports whether n returns an error, or false, after other results: callers ignore those.
func (c *collector) fails(n *ast.ReturnStmt) bool {
	last := n.Results[len(n.Results)-1]
	if v := c.info.Types[last].Value; v != nil {
		return v.ExactString() == "false"
	}
	return c.code(last) != "nil" && types.Implements(c.info.TypeOf(last), errorType)
}

var errorType = types.Universe.Lookup("error").Type().Underlying().(*types.Interface)

// zero returns an expression for the zero value of t, which may not compile.
func (c *collector) zero(t types.Type) string {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsBoolean != 0:
			return "false"
		case u.Info()&types.IsNumeric != 0:
			return "0"
		case u.Info()&types.IsString != 0:
			return `""`
		}
	case *types.Pointer, *types.Slice, *types.Map, *types.Signature, *types.Chan:
		return "nil"
	case *types.Interface:
		if _, param := t.(*types.TypeParam); !param {
			return "nil"
		}
	case *types.Struct:
		return types.TypeString(t, func(p *types.Package) string {
			if p.Path() == c.ImportPath {
				return ""
			}
			return p.Name()
		}) + "{}"
	}
	return ""
}

// roomOnly has methods that affect only speed and memory.
var roomOnly = map[string]bool{"Grow": true, "Put": true}

// statement deletes a statement from a block.
func (c *collector) statement(n ast.Stmt, parent ast.Node) {
	switch parent.(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
	default:
		return
	}
	switch n := n.(type) {
	case *ast.ExprStmt:
		call, ok := n.X.(*ast.CallExpr)
		if !ok {
			return
		}
		if sel, ok := call.Fun.(*ast.SelectorExpr); ok && roomOnly[sel.Sel.Name] {
			return
		}
	case *ast.AssignStmt:
		if id, ok := n.Lhs[0].(*ast.Ident); n.Tok == token.DEFINE || ok && id.Name == "_" && len(n.Lhs) == 1 {
			return
		}
	case *ast.IncDecStmt, *ast.BranchStmt:
	default:
		return
	}
	c.replace("delete", "", n.Pos(), n.End(), "")
}
