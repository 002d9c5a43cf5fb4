package check

import (
	"fmt"
	"strings"

	"github.com/crdkit/crdkit/internal/cel/parse"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
)

// This file converts between this module's types and those of cel-go's checker.

// forCelGo returns a tree with its positions, and its source.
func forCelGo(t *parse.Tree) (*ast.AST, common.Source) {
	source := common.NewTextSource(t.Text)
	info := ast.NewSourceInfo(source)
	for id, at := range t.Places {
		if at != parse.NoPosition {
			offset := info.ComputeOffset(int32(at.Line), int32(at.Column))
			info.SetOffsetRange(int64(id), ast.OffsetRange{Start: offset, Stop: offset})
		}
	}
	return ast.NewAST(t.Root, info), withoutLines(source)
}

// problemsFrom returns the problems that cel-go has found in a source of forCelGo.
func problemsFrom(errs *common.Errors) *parse.Problems {
	p := new(parse.Problems)
	for _, e := range errs.GetErrors() {
		p.Add(parse.Position{Line: e.Location.Line(), Column: e.Location.Column()}, e.Message)
	}
	if len(p.List) >= parse.MaxProblems {
		// Only the printed form says how many more there were.
		printed := errs.ToDisplayString()
		last := printed[strings.LastIndexByte(printed, '\n')+1:]
		if _, err := fmt.Sscanf(last, "%d more errors were truncated", &p.Beyond); err != nil {
			p.Beyond = 0
		}
	}
	return p
}

// withoutLines returns source without its lines, so that cel-go prints no source lines with its problems. Printing them
// takes cel-go time quadratic in the length of a line.
func withoutLines(source common.Source) common.Source { return plainSource{source} }

type plainSource struct{ common.Source }

func (plainSource) Snippet(int) (string, bool) { return "", false }
