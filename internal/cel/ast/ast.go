package ast

import (
	"slices"

	"github.com/crdkit/crdkit/internal/cel/types"
)

// An AST is a checked expression.
type AST struct {
	root  *Expr
	facts []Fact
}

// A Fact is what the check finds out about a node.
type Fact struct {
	Type      *types.Type
	Reference *ReferenceInfo // of a name or a call; nil for other nodes
}

// NewCheckedAST returns a checked expression. facts are those of the nodes by their ids; entries of other ids are zero.
func NewCheckedAST(root *Expr, facts []Fact) *AST { return &AST{root, facts} }

// Expr returns the root of the tree.
func (a *AST) Expr() *Expr { return a.root }

// GetType returns the type of the node with that id: dyn if it is not known.
func (a *AST) GetType(id int64) *types.Type {
	if t := a.fact(id).Type; t != nil {
		return t
	}
	return types.DynType
}

// Reference returns what the node with that id refers to, or nil.
func (a *AST) Reference(id int64) *ReferenceInfo { return a.fact(id).Reference }

// GetOverloadIDs returns the ids of the overloads that the call with that id may be.
func (a *AST) GetOverloadIDs(id int64) []string {
	if r := a.Reference(id); r != nil {
		return r.OverloadIDs
	}
	return nil
}

// Facts returns what is known about the nodes by their ids. It is not modified.
func (a *AST) Facts() []Fact { return a.facts }

func (a *AST) fact(id int64) Fact {
	if uint64(id) >= uint64(len(a.facts)) {
		return Fact{}
	}
	return a.facts[id]
}

// A ReferenceInfo says what a node refers to.
type ReferenceInfo struct {
	Name        string      // of a variable, constant or type
	OverloadIDs []string    // of a function
	Value       types.Value // of a constant; otherwise nil
}

// NewIdentReference returns the reference to a variable or type, or to a constant with that value.
func NewIdentReference(name string, value types.Value) *ReferenceInfo {
	return &ReferenceInfo{Name: name, Value: value}
}

// NewFunctionReference returns the reference to one of some overloads.
func NewFunctionReference(overloads ...string) *ReferenceInfo {
	return &ReferenceInfo{OverloadIDs: slices.Clone(overloads)}
}

// AddOverload adds the id of an overload to r, unless r has it.
func (r *ReferenceInfo) AddOverload(id string) {
	if !slices.Contains(r.OverloadIDs, id) {
		r.OverloadIDs = append(r.OverloadIDs, id)
	}
}
