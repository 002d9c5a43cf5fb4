package explain

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/schemadoc"
	"github.com/crdkit/crdkit/kubeversion"
	"github.com/crdkit/crdkit/schema"
)

// An Info describes a field.
type Info struct {
	Kind        string          `json:"kind"`
	APIVersion  string          `json:"apiVersion"`
	Path        string          `json:"path"` // empty for the whole object
	Type        string          `json:"type"`
	Required    bool            `json:"required"`
	Nullable    bool            `json:"nullable,omitempty"`
	Description string          `json:"description,omitempty"`
	Default     json.RawMessage `json:"default,omitempty"`
	Enum        json.RawMessage `json:"enum,omitempty"`
	Bounds      []string        `json:"bounds,omitempty"`
	Immutable   string          `json:"immutable,omitempty"` // the rule that makes it so
	Removable   string          `json:"removable,omitempty"` // what can be removed, and added again, although it is immutable
	Rules       []Rule          `json:"rules,omitempty"`     // the rules about it
	Notes       []string        `json:"notes,omitempty"`     // which Kubernetes versions support it
	Fields      []Child         `json:"fields,omitempty"`
}

// A Rule is a rule about the field.
type Rule struct {
	Path    string  `json:"path"` // of the value that the rule validates; empty for the whole object
	Rule    string  `json:"rule"`
	Message string  `json:"message,omitempty"`
	Share   float64 `json:"share"` // of the limit of a rule
}

// A Child is a field of the field: of its items or values, if it is a list or a map.
type Child struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Required    bool   `json:"required,omitempty"`
	Description string `json:"description,omitempty"` // its first sentence
}

// Field explains a field of the objects of a version; an empty version is the storage version. words are the names in
// its path, without brackets for the items of lists and the values of maps. Without words it is the whole object.
func Field(d *crd.CustomResourceDefinition, version string, words []string) (*Info, error) {
	if version == "" {
		var err error
		if version, err = d.StorageVersion(); err != nil {
			return nil, fmt.Errorf("%s: %w", d.Name(), err)
		}
	}
	index := slices.IndexFunc(d.Spec.Versions, func(v crd.Version) bool { return v.Name == version })
	props, err := d.Lookup().Schema(version)
	if index < 0 || err != nil {
		return nil, fmt.Errorf("%s has no version %s", d.Name(), version)
	}
	if props == nil {
		props = &schema.JSONSchemaProps{}
	}
	info := &Info{Kind: d.Spec.Names.Kind, APIVersion: d.Spec.Group + "/" + version}
	base := field.NewPath("spec").Child("versions").Index(index).Child("schema").Child("openAPIV3Schema")
	f := walked{level: level{props: props, at: base}}
	for _, word := range words {
		if err := f.enter(word); err != nil {
			return nil, err
		}
	}
	info.Path, info.Required = strings.Join(f.words, "."), f.required
	info.describe(f.props)
	info.about(d, &f)
	return info, nil
}

// A walked is a position in a schema, and the path to it.
type walked struct {
	level
	words    []string
	required bool
	way      []level // all schemas from the root to the one above
}

// A level is a schema on the way to a field.
type level struct {
	props *schema.JSONSchemaProps
	at    *field.Path // in the document
	depth int         // the number of the field's words up to here
}

// enter goes to a field, through the items of lists and the values of maps.
func (f *walked) enter(word string) error {
	f.inside()
	p := f.props.Properties[word]
	switch {
	case p != nil:
		f.required = slices.Contains(f.props.Required, word)
		f.move(p, f.at.Child("properties").Key(word), append(f.words, word))
		return nil
	case f.props.AdditionalProperties != nil && f.props.AdditionalProperties.Schema != nil:
		f.required = false
		f.move(f.props.AdditionalProperties.Schema, f.at.Child("additionalProperties"), append(f.words, word))
		return nil
	}
	at := cmp.Or(strings.Join(f.words, "."), "the object")
	known := slices.Sorted(maps.Keys(f.props.Properties))
	return fmt.Errorf("%s has no field %s%s", at, word, Suggestion(word, known))
}

// inside goes into the items of lists, and of lists in lists.
func (f *walked) inside() {
	for f.props.Items != nil && f.props.Items.Schema != nil {
		f.move(f.props.Items.Schema, f.at.Child("items"), f.words)
	}
}

func (f *walked) move(p *schema.JSONSchemaProps, at *field.Path, words []string) {
	f.way = append(f.way, f.level)
	f.level, f.words = level{p, at, len(words)}, words
}

// describe sets the members that come from the field's schema.
func (i *Info) describe(p *schema.JSONSchemaProps) {
	i.Type, i.Nullable, i.Description = typeText(p), p.Nullable, p.Description
	if p.Default != nil {
		i.Default, _ = json.Marshal(p.Default) // it was decoded from JSON
	}
	if len(p.Enum) > 0 {
		i.Enum, _ = json.Marshal(p.Enum)
	}
	i.Bounds = bounds(p)
	if inner := p.Items; inner != nil && inner.Schema != nil {
		for _, b := range bounds(inner.Schema) {
			i.Bounds = append(i.Bounds, "items: "+b)
		}
		for inner.Schema.Items != nil && inner.Schema.Items.Schema != nil {
			inner = inner.Schema.Items
		}
		p = inner.Schema
	}
	if p.AdditionalProperties != nil && p.AdditionalProperties.Schema != nil {
		for _, b := range bounds(p.AdditionalProperties.Schema) {
			i.Bounds = append(i.Bounds, "values: "+b)
		}
	}
	required := map[string]bool{}
	for _, name := range p.Required {
		required[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(p.Properties)) {
		q := p.Properties[name]
		first, _, _ := strings.Cut(q.Description, ". ")
		first, _, _ = strings.Cut(first, "\n")
		i.Fields = append(i.Fields, Child{name, typeText(q), required[name], first})
	}
}

// typeText returns the text of a type: []string, map[string]object.
func typeText(p *schema.JSONSchemaProps) string {
	var b strings.Builder
	for {
		switch {
		case p.XIntOrString:
			b.WriteString("integer or string")
		case p.Type == "array" && p.Items != nil && p.Items.Schema != nil:
			b.WriteString("[]")
			p = p.Items.Schema
			continue
		case p.Type == "object" && p.AdditionalProperties != nil && p.AdditionalProperties.Schema != nil:
			b.WriteString("map[string]")
			p = p.AdditionalProperties.Schema
			continue
		case p.XEmbeddedResource:
			b.WriteString("object (a resource)")
		default:
			b.WriteString(cmp.Or(p.Type, "any"))
		}
		return b.String()
	}
}

// bounds returns the constraints of a schema.
func bounds(p *schema.JSONSchemaProps) (all []string) {
	count := func(keyword string, n *int64) {
		if n != nil {
			all = append(all, fmt.Sprintf("%s: %d", keyword, *n))
		}
	}
	number := func(keyword, exclusive string, n *float64, excludes bool) {
		if n != nil {
			if excludes {
				keyword = exclusive
			}
			all = append(all, keyword+": "+strconv.FormatFloat(*n, 'g', -1, 64))
		}
	}
	number("minimum", "more than", p.Minimum, p.ExclusiveMinimum)
	number("maximum", "less than", p.Maximum, p.ExclusiveMaximum)
	number("multipleOf", "", p.MultipleOf, false)
	count("minLength", p.MinLength)
	count("maxLength", p.MaxLength)
	count("minItems", p.MinItems)
	count("maxItems", p.MaxItems)
	count("minProperties", p.MinProperties)
	count("maxProperties", p.MaxProperties)
	if p.Pattern != "" {
		all = append(all, "pattern: "+p.Pattern)
	}
	if p.Format != "" {
		all = append(all, "format: "+p.Format)
	}
	switch {
	case p.XListType == nil:
	case *p.XListType == "map":
		all = append(all, "a list with the keys "+strings.Join(p.XListMapKeys, ", "))
	default:
		all = append(all, "list type: "+*p.XListType)
	}
	if p.XMapType != nil {
		all = append(all, "map type: "+*p.XMapType)
	}
	if schemadoc.Preserves(p) {
		all = append(all, "unknown fields are kept")
	}
	for _, c := range []struct {
		name string
		n    int
	}{{"allOf", len(p.AllOf)}, {"anyOf", len(p.AnyOf)}, {"oneOf", len(p.OneOf)}} {
		if c.n > 0 && !(p.XIntOrString && c.name == "anyOf") {
			all = append(all, fmt.Sprintf("%s: %d schemas", c.name, c.n))
		}
	}
	if p.Not != nil {
		all = append(all, "not: a schema")
	}
	return all
}

// about sets the rules about the field, with their costs, and notes about features that the oldest Kubernetes version
// lacks.
func (i *Info) about(d *crd.CustomResourceDefinition, f *walked) {
	shares := map[string]float64{} // by the path of a rule
	for _, s := range crdcheck.Costs(d).Schemas {
		for k := range s.Rules {
			shares[InDocument(s.Rules[k].Path)] = s.Rules[k].Share
		}
	}
	for index, l := range append(f.way, f.level) {
		for k := range l.props.XValidations {
			r := &l.props.XValidations[k]
			if !mentions(r.Rule, f.words[l.depth:]) {
				continue
			}
			share := math.Round(shares[fmt.Sprintf("%s.x-kubernetes-validations[%d]", l.at, k)]*1e6) / 1e6
			i.Rules = append(i.Rules, Rule{strings.Join(f.words[:l.depth], "."), r.Rule, r.Message, share})
			if immutable(r.Rule, f.words[l.depth:]) {
				i.Immutable, i.Removable = r.Rule, f.removable(index)
			}
		}
	}
	seen, place := map[string]bool{}, f.at.String()
	for _, v := range kubeversion.Range(d) {
		for _, n := range v.Notes {
			text, at := n.String(), InDocument(n.Path)
			if (at == place || strings.HasPrefix(at, place+".x-kubernetes-validations")) && !seen[text] {
				seen[text] = true
				i.Notes = append(i.Notes, text)
			}
		}
	}
}

// removable returns the path of the topmost value that an update can remove, with all below it, although the schema
// with that index on the way to the field has a rule that compares it with the old one: nothing is compared if there is
// no value. The result is empty if all fields up to that schema are required or have a default, or if a rule above
// seems to keep them.
func (f *walked) removable(index int) string {
	levels := append(f.way, f.level)
	for k := 1; k <= index; k++ {
		l, above := levels[k], levels[k-1]
		path := strings.Join(f.words[:l.depth], ".")
		if l.depth == above.depth {
			return path + "[]" // an item
		}
		name := f.words[l.depth-1]
		always := slices.Contains(above.props.Required, name) || l.props.Default != nil
		if always && above.props.Properties[name] == l.props {
			continue
		}
		if !slices.ContainsFunc(levels[:k], func(from level) bool { return keeps(from.props, f.words[from.depth:l.depth]) }) {
			return path
		}
	}
	return ""
}

// keeps reports whether one of the rules of p seems to compare whether a field is there with whether it was.
func keeps(p *schema.JSONSchemaProps, words []string) bool {
	return slices.ContainsFunc(p.XValidations, func(r schema.ValidationRule) bool {
		return strings.Contains(r.Rule, "oldSelf") && strings.Contains(r.Rule, "has(") && mentions(r.Rule, words)
	})
}

var identifier = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`)

// mentions reports whether a rule names all of these fields, which are below the value that it validates, in any way.
func mentions(rule string, words []string) bool {
	named := identifier.FindAllString(rule, -1)
	for _, word := range words {
		escaped, _ := types.EscapeName(word)
		if !slices.Contains(named, word) && !slices.Contains(named, escaped) && !strings.Contains(rule, strconv.Quote(word)) &&
			!strings.Contains(rule, "'"+word+"'") {
			return false
		}
	}
	return true
}

// immutable reports whether a rule only requires that a field does not change.
func immutable(rule string, words []string) bool {
	path := ""
	for _, word := range words {
		escaped, _ := types.EscapeName(word)
		path += "." + escaped
	}
	text := strings.Join(strings.Fields(rule), "")
	return text == "self"+path+"==oldSelf"+path || text == "oldSelf"+path+"==self"+path
}
