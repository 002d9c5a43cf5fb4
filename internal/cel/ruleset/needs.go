package ruleset

import (
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/cel/check"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/refusal"
)

// A Need is something that an expression uses and that was added in a minor version of Kubernetes after 1.25.
type Need struct {
	Path    string     // of the node with the rule: properties[spec].items; empty for the root
	Node    *plan.Node // the node that has the rule
	Index   int        // among the rules of the node
	Message bool       // the messageExpression uses it, not the rule
	Name    string     // the function or other feature: isIP, "optional values"
	Minor   int        // the first version whose new rules may use it: 31
}

// Needs returns what the rules of r use that was added in a minor version of Kubernetes, each name once per expression.
// The rules of a node come before those below it. Expressions that do not compile have no needs. Needs compiles all of
// them again, so it takes as long as [Compile]; the result is the caller's. It ends at the default [field.Limit], of
// needs and bytes of their paths; omitted is the number of needs that are left out.
func (r *Rules) Needs() (needs []Need, omitted int) {
	if r == nil || r.root == nil {
		return nil, 0
	}
	top := r.rules().top
	r.programs.lock()
	defer r.programs.unlock()
	c := needsCollector{programs: r.programs, left: refusal.OrDefault(field.Limit{})}
	c.place(top, nil)
	return c.needs, c.omitted
}

// A needsCollector collects needs.
type needsCollector struct {
	*programs
	needs   []Need
	left    field.Limit
	omitted int
}

// place adds the needs of the rules at and below p, whose path is at.
func (c *needsCollector) place(p *place, at *field.Path) {
	if p.typ != nil {
		for i := range p.node.Rules {
			c.rule(p, i, at)
		}
	}
	for _, l := range p.children {
		c.place(l.place, l.below(at))
	}
}

// rule adds the needs of a rule of p.
func (c *needsCollector) rule(p *place, index int, at *field.Path) {
	source := &p.node.Rules[index]
	path := ""
	for _, e := range [...]expression{{source.Rule, false, optional(source)}, {source.MessageExpression, true, optional(source)}} {
		if blank(e.text) {
			continue
		}
		expr, err := c.check(e, p.typ, true)
		if err != nil {
			return
		}
		for _, n := range check.Needs(expr.AST, e.text) {
			if c.left.Errors <= 0 || c.left.Bytes <= 0 {
				c.omitted++
				continue
			}
			if path == "" && at != nil {
				path = at.String()
			}
			c.left.Errors--
			c.left.Bytes -= len(path)
			c.needs = append(c.needs, Need{path, p.node, index, e.message, n.Name, int(n.Fact.Minor())})
		}
	}
}
