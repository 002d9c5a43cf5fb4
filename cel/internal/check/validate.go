package check

import (
	"time"

	"github.com/crdkit/crdkit/internal/pattern"
	"github.com/crdkit/crdkit/internal/since"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
)

// What is still refused after the type check (CEN-050).

// validate returns the problems of a checked expression, nil if there are none.
func validate(a *ast.AST, source common.Source, minor since.Minor) *problems {
	v := validator{AST: a, problems: problems{source: source}}
	v.collect(a.Expr(), false)

	// CEN-050: one kind of problem after the other; the order shows only where problems are cut off.
	for _, e := range v.lists {
		v.list(e.AsList())
	}
	for _, e := range v.maps {
		v.dict(e.AsMap())
	}
	v.older = !since.LiteralArguments.In(minor)
	v.literalArgument("duration", validDuration)
	v.literalArgument("timestamp", validTimestamp)
	v.literalArgument("matches", validPattern)
	for _, e := range v.calls {
		if since.FormatLiterals.In(minor) && e.AsCall().FunctionName() == "format" {
			v.format(e)
		}
	}
	if len(v.problems.list) == 0 {
		return nil
	}
	return &v.problems
}

// A validator looks at the literals and calls of one checked expression.
type validator struct {
	*ast.AST
	problems problems
	older    bool // a server looks only at patterns, when it makes a program of the expression

	// Parts of the expression, each after those inside it.
	lists, maps []ast.Expr // literals that must be of one type
	calls       []ast.Expr // of the functions that are validated
}

func (v *validator) add(id int64, text string) { v.problems.add(v.SourceInfo(), id, text) }

// collect finds what there is to validate in e. inFormat says that e stands somewhere in a call of format, where literals may be
// mixed (CTY-035).
func (v *validator) collect(e ast.Expr, inFormat bool) {
	switch e.Kind() {
	case ast.CallKind:
		c := e.AsCall()
		inside := inFormat || c.FunctionName() == "format"
		if c.IsMemberFunction() {
			v.collect(c.Target(), inside)
		}
		for _, arg := range c.Args() {
			v.collect(arg, inside)
		}
		switch c.FunctionName() {
		case "duration", "timestamp", "matches", "format":
			v.calls = append(v.calls, e)
		}
	case ast.ComprehensionKind:
		c := e.AsComprehension()
		for _, part := range []ast.Expr{c.IterRange(), c.AccuInit(), c.LoopCondition(), c.LoopStep(), c.Result()} {
			v.collect(part, inFormat)
		}
	case ast.ListKind:
		for _, elem := range e.AsList().Elements() {
			v.collect(elem, inFormat)
		}
		if !inFormat {
			v.lists = append(v.lists, e)
		}
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			v.collect(entry.AsMapEntry().Key(), inFormat)
			v.collect(entry.AsMapEntry().Value(), inFormat)
		}
		if !inFormat {
			v.maps = append(v.maps, e)
		}
	case ast.SelectKind:
		v.collect(e.AsSelect().Operand(), inFormat)
	case ast.StructKind:
		for _, field := range e.AsStruct().Fields() {
			v.collect(field.AsStructField().Value(), inFormat)
		}
	}
}

// list compares the elements with the first one, up to the first that differs: CEN-051.
func (v *validator) list(l ast.ListExpr) {
	var first *types.Type
	for i, elem := range l.Elements() {
		typ := v.valueType(elem, l.IsOptional(int32(i)))
		if first == nil {
			first = typ
			continue
		}
		if !first.IsEquivalentType(typ) {
			v.mismatch(elem, first, typ)
			return
		}
	}
}

// dict compares the key and the value of every entry with those of the first: CEN-051.
func (v *validator) dict(m ast.MapExpr) {
	var firstKey, firstValue *types.Type
	for _, e := range m.Entries() {
		entry := e.AsMapEntry()
		key, value := v.GetType(entry.Key().ID()), v.valueType(entry.Value(), entry.IsOptional())
		if firstKey == nil {
			firstKey, firstValue = key, value
			continue
		}
		if !firstKey.IsEquivalentType(key) {
			v.mismatch(entry.Key(), firstKey, key)
		}
		if !firstValue.IsEquivalentType(value) {
			v.mismatch(entry.Value(), firstValue, value)
		}
	}
}

// valueType returns the type that e contributes to a literal: of an optional element or entry, that of the value it may have.
func (v *validator) valueType(e ast.Expr, optional bool) *types.Type {
	typ := v.GetType(e.ID())
	if optional && len(typ.Parameters()) > 0 {
		return typ.Parameters()[0]
	}
	return typ
}

func (v *validator) mismatch(e ast.Expr, expected, actual *types.Type) {
	v.add(e.ID(), "expected type '"+checker.FormatCELType(expected)+"' but found '"+checker.FormatCELType(actual)+"'")
}

// literalArgument judges the first argument of each call of the function if it is a literal: CEN-052. Of s.matches(p) that is the
// pattern, of matches(s, p) the subject.
func (v *validator) literalArgument(function string, valid func(literal any) bool) {
	for _, e := range v.calls {
		c := e.AsCall()
		if v.older && !(function == "matches" && c.IsMemberFunction()) {
			continue
		}
		if c.FunctionName() != function || len(c.Args()) == 0 || c.Args()[0].Kind() != ast.LiteralKind {
			continue
		}
		if arg := c.Args()[0]; !valid(arg.AsLiteral().Value()) {
			v.add(arg.ID(), "invalid "+function+" argument")
		}
	}
}

func validDuration(literal any) bool {
	s, ok := literal.(string)
	if !ok {
		return false
	}
	_, err := time.ParseDuration(s)
	return err == nil
}

// The seconds of the first and the last timestamp: the beginning of year 1 and the end of year 9999.
const (
	firstSecond = -62135596800
	lastSecond  = 253402300799
)

func validTimestamp(literal any) bool {
	var seconds int64
	switch x := literal.(type) {
	case string:
		t, err := time.Parse(time.RFC3339, x)
		if err != nil {
			return false
		}
		seconds = t.Unix()
	case int64:
		seconds = x
	default:
		return false
	}
	return firstSecond <= seconds && seconds <= lastSecond
}

func validPattern(literal any) bool {
	s, ok := literal.(string)
	if !ok {
		return true
	}
	return pattern.Check(s) == nil
}
