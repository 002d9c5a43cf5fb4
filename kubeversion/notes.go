package kubeversion

import (
	"fmt"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/cel/ruleset"
	"github.com/crdkit/crdkit/internal/format"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/internal/since"
	"github.com/crdkit/crdkit/schema"
)

// A Note says how a part of a definition depends on a minor version.
type Note struct {
	// Path is its path in the document, such as
	// spec.versions[0].schema.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule. It is empty for a note
	// about the whole definition.
	Path  string
	Rule  string // the text of the rule or messageExpression, empty for other notes
	Needs string // the subject: isIP, "optional values", "format int32"
	Since string // the minor version that added it: 1.31
	Text  string // for people, without the path: "isIP came with 1.31"
}

// String returns the note as a line of text.
func (n Note) String() string {
	if n.Path == "" {
		return n.Text
	}
	return n.Path + ": " + n.Text
}

// notes are the notes about a definition. Each is about the versions before a minor version, or from one on.
type notes struct {
	missing []dated // not available in older versions
	inForce []dated // enforced by newer versions
	left    field.Limit
	omitted int
}

// anyLeft reports whether one more text is allowed. The first text is always accepted, however long it is.
func anyLeft(left *field.Limit) bool { return left.Errors > 0 && left.Bytes > 0 }

// take subtracts a text from the limit.
func take(left *field.Limit, text string) {
	left.Errors--
	left.Bytes -= len(text)
}

type dated struct {
	Note
	minor since.Minor
}

// newNote returns n about what a minor version added.
func newNote(minor since.Minor, n Note) dated {
	n.Since = minor.String()
	return dated{n, minor}
}

// at returns the notes for a minor version.
func (n *notes) at(m since.Minor) []Note {
	var all []Note
	for _, d := range n.missing {
		if m < d.minor {
			all = append(all, d.Note)
		}
	}
	for _, d := range n.inForce {
		if m >= d.minor {
			all = append(all, d.Note)
		}
	}
	return all
}

// collectNotes returns the notes about d. checked is the result of its check for the newest version.
func collectNotes(d *crd.CustomResourceDefinition, checked *crdcheck.Checked) *notes {
	n := &notes{left: refusal.OrDefault(field.Limit{})}
	visited := map[*ruleset.Rules]bool{}
	shared := false // the schema of all versions has been visited: v1beta1
	for i := range d.Spec.Versions {
		v := &d.Spec.Versions[i]
		p, root := v.Schema, field.NewPath("spec").Child("versions").Index(i).Child("schema")
		if p == nil {
			p, root = d.Spec.Validation, field.NewPath("spec").Child("validation")
			if shared {
				continue
			}
			shared = true
		}
		if p == nil || p.OpenAPIV3Schema == nil {
			continue
		}
		root = root.Child("openAPIV3Schema")
		if view := checked.Rules(v.Name); view != nil {
			if rules := ruleset.Of(view); !visited[rules] {
				visited[rules] = true
				n.rules(rules, root.String())
			}
		}
		n.formats(p.OpenAPIV3Schema, root, 0)
	}
	n.ratcheting(d)
	return n
}

// rules adds notes on what rules use.
func (n *notes) rules(rules *ruleset.Rules, root string) {
	needs, omitted := rules.Needs()
	n.omitted += omitted
	for _, need := range needs {
		at := root
		if need.Path != "" {
			at += "." + need.Path
		}
		if !anyLeft(&n.left) {
			n.omitted++
			continue
		}
		take(&n.left, at)
		rule := &need.Node.Rules[need.Index]
		key, text := "rule", rule.Rule
		if need.Message {
			key, text = "messageExpression", rule.MessageExpression
		}
		minor := since.Minor(need.Minor)
		n.missing = append(n.missing, newNote(minor, Note{
			Path: fmt.Sprintf("%s.x-kubernetes-validations[%d].%s", at, need.Index, key), Rule: text,
			Needs: need.Name, Text: need.Name + " came with " + minor.String(),
		}))
	}
}

// formats adds notes on schemas with a format that refuses values once it is enforced.
func (n *notes) formats(p *schema.JSONSchemaProps, at *field.Path, depth int) {
	if p == nil || depth > jsonval.MaxDepth {
		return
	}
	fact, why := format.EnforcedSince(p.Type, p.Format), ""
	switch fact {
	case since.NumberFormats:
		if keyword := outOfRange(p); keyword != "" {
			why = "its " + keyword + " is no value of the format, so that every value is invalid"
		}
	case since.ShortNameFormats:
		why = "versions before it take any string"
	}
	switch {
	case why == "":
	case !anyLeft(&n.left):
		n.omitted++
	default:
		path, name := at.String(), "format "+p.Format
		take(&n.left, path)
		n.inForce = append(n.inForce, newNote(fact.Minor(), Note{
			Path: path, Needs: name, Text: fmt.Sprintf("%s is enforced since %s: %s", name, fact.Minor(), why),
		}))
	}
	for loc, q := range p.ChildrenByName() {
		switch loc.Keyword {
		case "items", "properties", "additionalProperties":
			n.formats(q, loc.Path(at), depth+1)
		}
	}
}

// outOfRange returns the keyword of p, a number, whose value is outside the range of its format, or "". For double, it
// is always "", because every number in a schema is a double.
func outOfRange(p *schema.JSONSchemaProps) string {
	if p.Minimum == nil && p.Maximum == nil && p.MultipleOf == nil {
		return ""
	}
	s, err := schema.CompileLoose(&schema.JSONSchemaProps{
		Type: p.Type, Format: p.Format, Minimum: p.Minimum, Maximum: p.Maximum, MultipleOf: p.MultipleOf,
	})
	if err != nil || plan.Root(s).Number == nil {
		return ""
	}
	outside := func(b *plan.Bound) bool { return b != nil && b.OutOfRange }
	switch n := plan.Root(s).Number; {
	case outside(n.Minimum):
		return "minimum"
	case outside(n.Maximum):
		return "maximum"
	case outside(n.MultipleOf):
		return "multipleOf"
	}
	return ""
}

// ratcheting adds notes on the validation of updates.
func (n *notes) ratcheting(d *crd.CustomResourceDefinition) {
	add := func(f since.Fact, text string) {
		n.missing = append(n.missing, newNote(f.Minor(), Note{Needs: f.Name(), Text: text + f.Minor().String()}))
	}
	add(since.Ratcheting, "an update is refused for what was invalid before, too: ratcheting came with ")
	status := d.Spec.Subresources != nil && d.Spec.Subresources.Status != nil
	for i := range d.Spec.Versions {
		s := d.Spec.Versions[i].Subresources
		status = status || s != nil && s.Status != nil
	}
	if status {
		add(since.StatusRatcheting, "an update of the status is refused for what was invalid before, too: ratcheting of the status came with ")
	}
}
