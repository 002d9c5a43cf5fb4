package openapi

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/schema"
)

// A schemaWriter writes schemas. It walks the document's own form, which has everything that is published; the compiled
// form of package schema has no descriptions.
type schemaWriter struct {
	f      format
	shared *prepared
	b      []byte
	// stack has the properties of the schemas that are being written. Those of each schema are sorted by name.
	stack []property
	err   error
}

// A property is a property of a node or a branch. Its schema may be nil.
type property struct {
	name string
	p    *schema.JSONSchemaProps
}

var noSchema schema.JSONSchemaProps

// publishable returns the schema, or nil if a server publishes a bare object instead (PV3-006), and the approximate
// length of its JSON.
func (f format) publishable(p *schema.JSONSchemaProps, preserveUnknown bool) (root *schema.JSONSchemaProps, size int) {
	switch {
	case p == nil:
		return nil, 0
	case f == formatV2 && (preserveUnknown || p.XPreserveUnknownFields != nil):
		return nil, 0 // PV2-003
	case schema.Violations(nil, p) != nil:
		return nil, 0
	}
	var s survey
	s.node(p)
	if s.unknownType {
		return nil, 0
	}
	return p, s.size
}

// A survey examines a structural schema before it is written.
type survey struct {
	unknownType bool // in a node: in a structural schema, branches have only known types
	size        int  // the approximate length of the JSON, without the branches
}

func (s *survey) node(p *schema.JSONSchemaProps) {
	if p == nil {
		return
	}
	s.size += 64 + len(p.Description) + len(p.Pattern)
	switch p.Type {
	case "", "array", "boolean", "integer", "number", "object", "string":
	default:
		s.unknownType = true
	}
	for i := range p.XValidations {
		s.size += 64 + len(p.XValidations[i].Rule) + len(p.XValidations[i].Message)
	}
	for loc, child := range p.Children() {
		if !loc.Combines() {
			s.size += len(loc.Name)
			s.node(child)
		}
	}
}

func itemsOf(p *schema.JSONSchemaProps) *schema.JSONSchemaProps {
	if p.Items == nil {
		return nil
	}
	return p.Items.Schema
}

// extensions are the extensions that only the definition of a kind has, as JSON. selectable may be empty.
type extensions struct {
	kinds, selectable string
}

// kind writes the definition of the kind that root describes, or a bare object if root is nil.
func (w *schemaWriter) kind(root *schema.JSONSchemaProps, x extensions) {
	if root == nil {
		w.b = appendAll(w.b, `{"type":"object",`, x.kinds)
		if x.selectable != "" {
			w.b = appendAll(w.b, ",", x.selectable)
		}
		w.b = append(w.b, '}')
		return
	}
	w.node(root, &x)
}

// node writes a node of the structural part. root is nil except for the root, which is always a resource.
//
// PV3-030 and PV3-031: what is written; PV3-050: in which order. PV2-001: what version 2 leaves out.
func (w *schemaWriter) node(p *schema.JSONSchemaProps, root *extensions) {
	if p == nil {
		p = &noSchema
	}
	if cap(w.b)-len(w.b) < 4<<10 {
		w.b = slices.Grow(w.b, cap(w.b)) // append would grow long texts by a quarter each time
	}
	v2 := w.f == formatV2
	preserves := p.XPreserveUnknownFields != nil
	typ, items, properties, required := p.Type, itemsOf(p), p.Properties, p.Required
	if v2 {
		if p.Nullable {
			typ, items, properties = "", nil, nil
		}
		if preserves {
			items, properties = nil, nil
		}
		if typ == "array" && items == nil || typ == "object" && preserves {
			typ = ""
		}
		required = requiredV2(p, properties)
	}
	embedded := p.XEmbeddedResource && !(v2 && preserves) // PV2-004
	if embedded {
		required = requiredOfResource(required)
	}

	w.open()
	w.text("description", p.Description)
	w.text("type", typ)
	w.flag("nullable", p.Nullable && !v2)
	w.text("format", p.Format)
	w.text("title", p.Title)
	if p.Default != nil && !v2 { // PV2-006
		w.value("default", p.Default)
	}
	w.bounds(p)
	w.texts("required", required)
	if items != nil {
		w.key("items")
		w.node(items, nil)
	}
	if !v2 {
		w.combinators(p)
	}
	w.properties(properties, embedded || root != nil, func(child *schema.JSONSchemaProps) { w.node(child, nil) })
	if a := p.AdditionalProperties; a != nil {
		w.key("additionalProperties")
		if a.Schema != nil {
			w.node(a.Schema, nil)
		} else {
			w.b = strconv.AppendBool(w.b, a.Allows)
		}
	}
	w.documentation(p)
	w.extensions(p, root)
	w.close()
}

// requiredV2 returns the names of the required properties, except those that may be null: PV2-001, steps 6 and 7.
func requiredV2(p *schema.JSONSchemaProps, properties map[string]*schema.JSONSchemaProps) []string {
	if a := p.AdditionalProperties; a != nil && a.Schema != nil && a.Schema.Nullable {
		return nil
	}
	nullable := func(name string) bool {
		child := properties[name]
		return child != nil && child.Nullable
	}
	if !slices.ContainsFunc(p.Required, nullable) {
		return p.Required
	}
	return slices.DeleteFunc(slices.Clone(p.Required), nullable)
}

// requiredOfResource adds the required fields of an embedded resource: PV3-034.
func requiredOfResource(required []string) []string {
	required = slices.Clip(required)
	for _, name := range [...]string{"kind", "apiVersion"} {
		if !slices.Contains(required, name) {
			required = append(required, name)
		}
	}
	return required
}

// properties writes the properties of a node or a branch, their schemas with write. A resource has three properties
// that replace declared ones: PV3-033, PV3-034.
func (w *schemaWriter) properties(declared map[string]*schema.JSONSchemaProps, resource bool, write func(p *schema.JSONSchemaProps)) {
	if len(declared) == 0 && !resource {
		return
	}
	start := len(w.stack)
	for name, p := range declared {
		if !resource || !plan.ResourceField(name) {
			w.stack = append(w.stack, property{name, p})
		}
	}
	if resource {
		w.stack = append(w.stack, property{name: "apiVersion"}, property{name: "kind"}, property{name: "metadata"})
	}
	slices.SortFunc(w.stack[start:], func(a, b property) int { return strings.Compare(a.name, b.name) })
	w.key("properties")
	w.open()
	for i, end := start, len(w.stack); i < end; i++ {
		child := w.stack[i] // the stack may be reallocated while the child is written
		w.name(child.name)
		switch {
		case !resource || !plan.ResourceField(child.name):
			write(child.p)
		case child.name == "apiVersion":
			w.b = append(w.b, w.shared.apiVersion...)
		case child.name == "kind":
			w.b = append(w.b, w.shared.kind...)
		default:
			w.b = append(w.b, w.shared.objectMeta...)
		}
	}
	w.close()
	w.stack = w.stack[:start]
}

// combinators writes the combinators of a node or a branch.
//
// PV3-032: int-or-string is written out as alternatives, unless they are already there.
func (w *schemaWriter) combinators(p *schema.JSONSchemaProps) {
	const alternatives = `"anyOf":[{"type":"integer"},{"type":"string"}]`
	spellOut := p.XIntOrString && !intOrString(p.AnyOf) &&
		(len(p.AllOf) == 0 || p.AllOf[0] == nil || !intOrString(p.AllOf[0].AnyOf))
	if spellOut && len(p.AnyOf) > 0 {
		w.key("allOf")
		w.b = append(w.b, "[{"+alternatives+"}"...)
		for _, branch := range p.AllOf {
			w.b = append(w.b, ',')
			w.branch(branch)
		}
		w.b = append(w.b, ']')
	} else {
		w.branches("allOf", p.AllOf)
	}
	w.branches("oneOf", p.OneOf)
	if spellOut && len(p.AnyOf) == 0 {
		w.separate()
		w.b = append(w.b, alternatives...)
	} else {
		w.branches("anyOf", p.AnyOf)
	}
	if p.Not != nil {
		w.key("not")
		w.branch(p.Not)
	}
}

// intOrString reports whether the branches are the two alternatives of int-or-string. In a structural schema, no other
// branches have types.
func intOrString(branches []*schema.JSONSchemaProps) bool {
	return len(branches) == 2 && branches[0] != nil && branches[0].Type == "integer"
}

func (w *schemaWriter) branches(key string, list []*schema.JSONSchemaProps) {
	w.list(key, len(list), func(i int) { w.branch(list[i]) })
}

// branch writes a schema inside a combinator: conditions on fields that are declared outside it.
func (w *schemaWriter) branch(p *schema.JSONSchemaProps) {
	if p == nil {
		p = &noSchema
	}
	w.open()
	w.text("type", p.Type) // only the branches of int-or-string have one
	w.text("format", p.Format)
	w.bounds(p)
	w.texts("required", p.Required)
	if items := itemsOf(p); items != nil {
		w.key("items")
		w.branch(items)
	}
	w.combinators(p)
	w.properties(p.Properties, false, w.branch)
	w.documentation(p)
	w.close()
}

// bounds writes the value keywords between default and required.
func (w *schemaWriter) bounds(p *schema.JSONSchemaProps) {
	w.float("maximum", p.Maximum)
	w.flag("exclusiveMaximum", p.ExclusiveMaximum)
	w.float("minimum", p.Minimum)
	w.flag("exclusiveMinimum", p.ExclusiveMinimum)
	w.integer("maxLength", p.MaxLength)
	w.integer("minLength", p.MinLength)
	w.text("pattern", p.Pattern)
	w.integer("maxItems", p.MaxItems)
	w.integer("minItems", p.MinItems)
	w.flag("uniqueItems", p.UniqueItems)
	w.float("multipleOf", p.MultipleOf)
	if len(p.Enum) > 0 {
		w.value("enum", p.Enum)
	}
	w.integer("maxProperties", p.MaxProperties)
	w.integer("minProperties", p.MinProperties)
}

func (w *schemaWriter) documentation(p *schema.JSONSchemaProps) {
	if docs := p.ExternalDocs; docs != nil {
		w.key("externalDocs")
		w.open()
		w.text("description", docs.Description)
		w.text("url", docs.URL)
		w.close()
	}
	if !emptyExample(p.Example) {
		w.value("example", p.Example)
	}
}

// emptyExample reports whether a server leaves out an example. Unlike defaults, empty examples are left out.
func emptyExample(v any) bool {
	switch x := v.(type) {
	case nil:
		return true
	case string:
		return x == ""
	case []any:
		return len(x) == 0
	case map[string]any:
		return len(x) == 0
	}
	return false
}

// extensions writes the extensions, sorted by name.
func (w *schemaWriter) extensions(p *schema.JSONSchemaProps, root *extensions) {
	w.flag("x-kubernetes-embedded-resource", p.XEmbeddedResource)
	if root != nil {
		w.separate()
		w.b = append(w.b, root.kinds...)
	}
	w.flag("x-kubernetes-int-or-string", p.XIntOrString)
	w.texts("x-kubernetes-list-map-keys", p.XListMapKeys)
	if p.XListType != nil {
		w.key("x-kubernetes-list-type")
		w.b = w.f.appendString(w.b, *p.XListType)
	}
	if p.XMapType != nil {
		w.key("x-kubernetes-map-type")
		w.b = w.f.appendString(w.b, *p.XMapType)
	}
	w.flag("x-kubernetes-preserve-unknown-fields", p.XPreserveUnknownFields != nil)
	if root != nil && root.selectable != "" {
		w.separate()
		w.b = append(w.b, root.selectable...)
	}
	w.list("x-kubernetes-validations", len(p.XValidations), func(i int) { w.rule(&p.XValidations[i]) })
}

func (w *schemaWriter) rule(r *schema.ValidationRule) {
	w.open()
	w.key("rule")
	w.b = w.f.appendString(w.b, r.Rule)
	w.text("message", r.Message)
	w.text("messageExpression", r.MessageExpression)
	if r.Reason != nil {
		w.text("reason", *r.Reason)
	}
	w.text("fieldPath", r.FieldPath)
	if r.OptionalOldSelf != nil {
		w.key("optionalOldSelf")
		w.b = strconv.AppendBool(w.b, *r.OptionalOldSelf)
	}
	w.close()
}

// The methods below write members of the object that was opened last.

func (w *schemaWriter) open()  { w.b = append(w.b, '{') }
func (w *schemaWriter) close() { w.b = append(w.b, '}') }

// separate writes a comma unless the object is still empty. No member ends with an opening brace.
func (w *schemaWriter) separate() {
	if w.b[len(w.b)-1] != '{' {
		w.b = append(w.b, ',')
	}
}

// key begins a member whose name needs no escapes, name begins any member.
func (w *schemaWriter) key(key string) {
	w.separate()
	w.b = appendAll(w.b, `"`, key, `":`)
}

func (w *schemaWriter) name(name string) {
	w.separate()
	w.b = append(w.f.appendString(w.b, name), ':')
}

func (w *schemaWriter) text(key, text string) {
	if text != "" {
		w.key(key)
		w.b = w.f.appendString(w.b, text)
	}
}

func (w *schemaWriter) texts(key string, list []string) {
	w.list(key, len(list), func(i int) { w.b = w.f.appendString(w.b, list[i]) })
}

// list writes a member with a list of n items, if there are any.
func (w *schemaWriter) list(key string, n int, item func(i int)) {
	if n == 0 {
		return
	}
	w.key(key)
	for i := range n {
		w.b = append(w.b, "[,"[min(i, 1)])
		item(i)
	}
	w.b = append(w.b, ']')
}

func (w *schemaWriter) flag(key string, on bool) {
	if on {
		w.key(key)
		w.b = append(w.b, "true"...)
	}
}

func (w *schemaWriter) integer(key string, n *int64) {
	if n != nil {
		w.key(key)
		w.b = strconv.AppendInt(w.b, *n, 10)
	}
}

func (w *schemaWriter) float(key string, x *float64) {
	if x != nil {
		w.value(key, *x)
	}
}

func (w *schemaWriter) value(key string, v any) {
	if e := jsonval.TooLarge(nil, v); e != nil && w.err == nil {
		w.err = fmt.Errorf("%s: %s", key, e.ErrorBody())
	}
	if w.err != nil {
		return
	}
	w.key(key)
	b, err := w.f.appendValue(w.b, v, 0)
	w.b = b
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("%s: %w", key, err)
	}
}
