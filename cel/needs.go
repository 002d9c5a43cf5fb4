package cel

import (
	"github.com/crdkit/crdkit/cel/internal/check"
	"github.com/crdkit/crdkit/cel/internal/declare"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/plan"
)

// A Need is something that an expression uses and that came with a minor version of Kubernetes since 1.25.
type Need struct {
	Path    string // of the node with the rule: properties[spec].items; empty for the root
	Index   int    // among the rules of the node
	Message bool   // the messageExpression uses it, not the rule
	Name    string // the function, or the name of what else it is: isIP, "optional values"
	Minor   int    // the first whose new rules may use it: 31
}

// Needs returns what the rules of r use that came with a minor version of Kubernetes, of each expression each name once: the rules of a
// node come before those beneath it. Expressions that do not compile have no needs. It compiles all of them anew, so it takes as long as [Compile]; the result is
// the caller's.
func (r *Rules) Needs() []Need {
	if r == nil || r.root == nil {
		return nil
	}
	top := r.rules().top
	r.programs.lock()
	defer r.programs.unlock()
	var needs []Need
	r.programs.needs(top, nil, &needs)
	return needs
}

// needs appends the needs of the rules at p, which stands at a path, and beneath it.
func (c *programs) needs(p *place, at *field.Path, to *[]Need) {
	if p.typ != nil {
		for i := range p.node.Rules {
			need := Need{Index: i}
			if at != nil {
				need.Path = at.String()
			}
			c.ruleNeeds(&p.node.Rules[i], p.typ, need, to)
		}
	}
	for i := range p.children {
		l := &p.children[i]
		c.needs(l.place, l.below(at), to)
	}
}

func (c *programs) ruleNeeds(source *plan.Rule, typ *declare.Type, need Need, to *[]Need) {
	for _, e := range [...]expression{{source.Rule, false, optional(source)}, {source.MessageExpression, true, optional(source)}} {
		if blank(e.text) {
			continue
		}
		compile := c.checker.Rule
		if e.message {
			compile = c.checker.Message
		}
		expr, err := compile(e.text, typ, e.optional, true)
		if err != nil {
			return
		}
		for _, n := range check.Needs(expr.AST, e.text) {
			need.Message, need.Name, need.Minor = e.message, n.Name, int(n.Fact.Minor())
			*to = append(*to, need)
		}
	}
}
