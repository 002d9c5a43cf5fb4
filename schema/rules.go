package schema

import (
	"slices"
	"strings"

	"github.com/crdkit/crdkit/field"
)

// CompileRules is [Compile] for those who check the rules of p first, and the rest later or never. ofRules is nil if there are none. Where
// rules see no more than a quarter of p, it has the nodes with rules, those above them, and of what is beneath what an expression could
// mention or what has a part in an estimate: so it does for checking rules, not for objects. Otherwise it is all of p.
//
// rest compiles p, or one of the schemas in it that is in no combinator: a part is a tree of its own, whose root is not a resource's unless
// it says so. Its errors are about what there is no room for. rest is nil if ofRules is all of p. errs are not nil if
// Compile fails, but for what was not compiled. Of violations they have just the number: [Violations] returns these.
func CompileRules(p *JSONSchemaProps) (ofRules *Structural, rest func(q *JSONSchemaProps) (*Structural, field.List), errs field.List) {
	errs, found := violations(nil, p, field.Limit{Errors: -1})
	if len(errs) > 0 {
		return nil, nil, errs
	}
	rest = func(q *JSONSchemaProps) (*Structural, field.List) {
		if q == p {
			return compileFound(p, found, nil)
		}
		var part survey
		part.unsupported(q, 0)
		s, errs := compileFound(q, findings{size: part.size, patterns: found.patterns}, nil)
		if s != nil {
			s.Root.Has &^= ResourceRoot
		}
		return s, errs
	}
	if len(found.ruled) == 0 {
		return nil, rest, nil
	}
	v := view{ruled: found.ruled, seen: make(map[*JSONSchemaProps]bool, len(found.ruled)), most: found.nodes / 4, text: searched * found.nodes}
	v.add(p)
	if len(v.seen) > v.most {
		ofRules, errs = rest(p)
		return ofRules, nil, errs
	}
	seen := found
	seen.size = v.size
	ofRules, errs = compileFound(p, seen, v.seen)
	return ofRules, rest, errs
}

// searched is how many bytes of rules are searched for names for each schema there is, which takes a tenth of the time in which these are
// compiled, and keeps the search linear.
const searched = 128

// A view gathers what the rules of a schema see of it, and the way to them.
type view struct {
	ruled map[*JSONSchemaProps]bool // those with rules at or beneath them
	seen  map[*JSONSchemaProps]bool
	most  int                // of these; if there are more, some are not looked at
	text  int                // how much may be searched for names yet; all count as mentioned if nothing is left
	size                     // of what is seen
	rules [][]ValidationRule // at the schema that is looked at, and above it
}

// add adds p, and what is seen of what is beneath.
func (v *view) add(p *JSONSchemaProps) {
	v.seen[p] = true
	if len(v.seen) > v.most {
		return
	}
	if p == nil {
		p = &JSONSchemaProps{} // of a schema made by hand
	}
	above := len(v.rules)
	if len(p.XValidations) > 0 {
		v.rules = append(v.rules, p.XValidations)
	}
	properties := 0
	for name, q := range p.Properties {
		if len(v.seen) > v.most {
			return
		}
		if v.ruled[q] || v.mentioned(p, name) {
			properties++
			v.add(q)
		}
	}
	v.size.add(p, properties)
	if items := itemsOf(p); items != nil && (len(v.rules) > 0 || v.ruled[items]) {
		v.add(items)
	}
	if a := p.AdditionalProperties; a != nil && a.Schema != nil && (len(v.rules) > 0 || v.ruled[a.Schema]) {
		v.add(a.Schema)
	}
	v.rules = v.rules[:above]
}

// mentioned reports whether a rule could know of that property of p: one that may be selected, by a name that stands in the text,
// that counts for the least size of a value (CTY-005), or by which a resource is known (CTY-020). Names that are escaped in expressions
// count as mentioned, and so does everything where it matters whether there are properties at all.
func (v *view) mentioned(p *JSONSchemaProps, name string) bool {
	switch {
	case len(v.rules) == 0:
		return false
	case p.AdditionalProperties != nil || p.XMapType != nil || !plainName(name):
		return true
	}
	v.text -= len(p.Required)
	if v.text <= 0 || slices.Contains(p.Required, name) {
		return true
	}
	switch name {
	case "apiVersion", "kind", "metadata", "name", "generateName":
		return true
	}
	for _, rules := range v.rules {
		for i := range rules {
			r := &rules[i]
			if v.text -= 1 + len(r.Rule) + len(r.MessageExpression) + len(r.FieldPath); v.text <= 0 {
				return true
			}
			if strings.Contains(r.Rule, name) || strings.Contains(r.MessageExpression, name) || strings.Contains(r.FieldPath, name) ||
				strings.Contains(r.FieldPath, `\`) {
				return true
			}
		}
	}
	return false
}

// plainName reports whether a property goes by its own name in expressions, or by one that contains it.
func plainName(name string) bool {
	for i := range len(name) {
		switch c := name[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_' && (i == 0 || name[i-1] != '_'):
		default:
			return false
		}
	}
	return true
}
