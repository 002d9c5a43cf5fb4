package jsonschema

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/schemadoc"
	"github.com/crdkit/crdkit/schema"
)

// A Draft is a version of JSON Schema.
type Draft string

// The drafts.
const (
	Draft7       Draft = "draft-07"
	Draft2020_12 Draft = "2020-12"
)

// URI returns the value of $schema in a schema of the draft.
func (d Draft) URI() string {
	if d == Draft2020_12 {
		return "https://json-schema.org/draft/2020-12/schema"
	}
	return "http://json-schema.org/draft-07/schema#"
}

// Options say how schemas are made. The zero value is draft 7, closed.
type Options struct {
	Draft Draft
	Open  bool // unknown fields are allowed
}

// A Schema is the JSON Schema of a version of a definition.
type Schema struct {
	Group, Version, Kind string
	ListKind             string
	Document             map[string]any
	Notes                []string // what is left out: path: reason
}

// File returns the name of a file for the schema: example.org/widget_v1.json.
func (s *Schema) File() string {
	return s.Group + "/" + s.base() + ".json"
}

func (s *Schema) base() string { return strings.ToLower(s.Kind) + "_" + s.Version }

// maxDepth is the maximum nesting of a schema.
const maxDepth = 500

// Version returns the schema of a version. The error says that there is no such version, or that its schema is nested
// too deep.
func Version(d *crd.CustomResourceDefinition, version string, o Options) (*Schema, error) {
	if d.Version(version) == nil {
		return nil, fmt.Errorf("%s has no version %s", d.Name(), version)
	}
	lookup := d.Lookup()
	props, err := lookup.Schema(version)
	if err != nil {
		return nil, err
	}
	s := &Schema{Group: d.Spec.Group, Version: version, Kind: d.Spec.Names.Kind, ListKind: d.Spec.Names.ListKind}
	if tooDeep(props, 0) {
		return nil, fmt.Errorf("the schema of %s %s is nested too deep", d.Name(), version)
	}
	m := &maker{Options: o, defaults: map[*schema.JSONSchemaProps]bool{}, budget: maxNotes}
	root := map[string]any{}
	if props != nil {
		root = m.schema(props, nil, false, false)
		if root["additionalProperties"] == nil && !schemadoc.Preserves(props) && !o.Open {
			root["additionalProperties"] = false // whose type need not be given
		}
	}
	properties, _ := root["properties"].(map[string]any)
	if properties == nil {
		properties = map[string]any{}
	}
	hasStatus := false // if set, only the status's description is used, since manifests have no status
	if sub, err := lookup.Subresources(version); err == nil && sub != nil && sub.Status != nil {
		if status, ok := properties["status"].(map[string]any); ok {
			hasStatus = true
			maps.DeleteFunc(status, func(key string, _ any) bool {
				return key != "description" && key != "markdownDescription"
			})
		}
	}
	properties["apiVersion"] = map[string]any{"const": d.Spec.Group + "/" + version}
	properties["kind"] = map[string]any{"const": d.Spec.Names.Kind}
	properties["metadata"] = metadata(properties["metadata"])
	root["properties"] = properties
	required := []any{"apiVersion", "kind"}
	listed := map[any]bool{"apiVersion": true, "kind": true, "metadata": true, "status": hasStatus}
	rest, _ := root["required"].([]any)
	for _, name := range rest {
		if !listed[name] {
			listed[name] = true
			required = append(required, name)
		}
	}
	root["required"], root["type"] = required, "object"
	root["$schema"] = o.Draft.URI()
	root["$id"] = "https://" + d.Spec.Group + "/" + s.base() + ".json"
	root["title"] = d.Spec.Names.Kind
	if m.omitted > 0 {
		m.notes = append(m.notes, fmt.Sprintf("and %d more", m.omitted))
	}
	if len(m.notes) > 0 {
		root["$comment"] = "Not expressed here:\n" + strings.Join(m.notes, "\n")
	}
	s.Document, s.Notes = root, m.notes
	return s, nil
}

// tooDeep reports whether p, which is at that depth, or a schema below it is too deep.
func tooDeep(p *schema.JSONSchemaProps, depth int) bool {
	if p == nil || depth > maxDepth {
		return p != nil
	}
	for _, q := range p.Children() {
		if tooDeep(q, depth+1) {
			return true
		}
	}
	return false
}

// metadata returns the schema of metadata: members that clients may set have a type, and others may have any value. Of
// the definition's own schema only the bounds of names count.
func metadata(own any) map[string]any {
	orNull := func(typ string) map[string]any { return map[string]any{"type": []any{typ, "null"}} }
	properties := map[string]any{}
	for _, m := range objectmeta.Metadata.Members {
		switch {
		case m.Server:
		case m.Kind == objectmeta.String:
			properties[m.Name] = orNull("string")
		case m.Kind == objectmeta.StringMap:
			properties[m.Name] = map[string]any{"type": []any{"object", "null"}, "additionalProperties": orNull("string")}
		case m.Kind == objectmeta.StringList:
			properties[m.Name] = map[string]any{"type": []any{"array", "null"}, "items": orNull("string")}
		case m.Kind == objectmeta.ObjectList:
			properties[m.Name] = map[string]any{"type": []any{"array", "null"}, "items": orNull("object")}
		}
	}
	declared, _ := own.(map[string]any)
	named, _ := declared["properties"].(map[string]any)
	for _, name := range []string{"name", "generateName"} {
		if bounds, ok := named[name].(map[string]any); ok {
			properties[name] = bounds
		}
	}
	return map[string]any{"type": []any{"object", "null"}, "properties": properties}
}

// Merge returns one schema for files with documents of several kinds: each is validated by the schema of its apiVersion
// and kind, and one of another kind is accepted. The items of a list are validated by the schema of its kind, and those
// of a List by their own. The schema of metadata is there once, and referred to: ajv makes one function of a schema
// without references and of all that refer to it, which is too large for many kinds.
func Merge(schemas []*Schema, o Options) map[string]any {
	common := metadata(nil)
	all := map[string]any{"metadata": common}
	choices := []any{choice("v1", "List", listOf("#"))}
	for _, s := range schemas {
		name := s.Group + "_" + s.base()
		all[name] = withReference(s.part("#/"+o.at()+"/"+name+"/"), "metadata", common, "#/"+o.at()+"/metadata")
		to := "#/" + o.at() + "/" + name
		choices = append(choices, choice(s.Group+"/"+s.Version, s.Kind, map[string]any{"$ref": to}))
		if s.ListKind != "" {
			choices = append(choices, choice(s.Group+"/"+s.Version, s.ListKind, listOf(to)))
		}
	}
	return map[string]any{"$schema": o.Draft.URI(), o.at(): all, "allOf": choices}
}

// withReference returns a schema with a reference in place of the schema of a property, if that is the common one.
func withReference(document map[string]any, name string, common map[string]any, to string) map[string]any {
	properties, _ := document["properties"].(map[string]any)
	if !reflect.DeepEqual(properties[name], any(common)) {
		return document
	}
	document, properties = maps.Clone(document), maps.Clone(properties)
	document["properties"], properties[name] = properties, map[string]any{"$ref": to}
	return document
}

// List returns the schema of a list of objects of a schema.
func List(s *Schema, o Options) *Schema {
	to := "#/" + o.at() + "/" + s.base()
	l := &Schema{Group: s.Group, Version: s.Version, Kind: s.ListKind, Notes: s.Notes}
	l.Document = listOf(to)
	l.Document["$schema"], l.Document["$id"], l.Document["title"] = o.Draft.URI(), "https://"+l.Group+"/"+l.base()+".json", l.Kind
	l.Document[o.at()] = map[string]any{s.base(): s.part(to + "/")}
	l.Document["required"] = []any{"apiVersion", "kind", "items"}
	properties, _ := l.Document["properties"].(map[string]any)
	properties["apiVersion"], properties["kind"] = map[string]any{"const": s.Group + "/" + s.Version}, map[string]any{"const": s.ListKind}
	return l
}

// choice applies a schema to documents of an apiVersion and a kind.
//
//go:noinline
func choice(apiVersion, kind string, then map[string]any) map[string]any {
	return map[string]any{
		"if": map[string]any{
			"type": "object", "required": []any{"apiVersion", "kind"},
			"properties": map[string]any{"apiVersion": map[string]any{"const": apiVersion}, "kind": map[string]any{"const": kind}},
		},
		"then": then,
	}
}

// listOf returns the schema of an object with items.
//
//go:noinline
func listOf(ref string) map[string]any {
	return map[string]any{"type": "object", "properties": map[string]any{
		"items": map[string]any{"type": []any{"array", "null"}, "items": map[string]any{"$ref": ref}},
	}}
}

// part returns the schema as a part of another one, at a reference. It does not require apiVersion and kind, which the
// items of a list may lack.
func (s *Schema) part(at string) map[string]any {
	document := maps.Clone(s.Document)
	delete(document, "$schema")
	delete(document, "$id")
	required, _ := document["required"].([]any)
	document["required"] = slices.DeleteFunc(slices.Clone(required), func(name any) bool { return name == "apiVersion" || name == "kind" })
	if s.Document["definitions"] != nil || s.Document["$defs"] != nil {
		document, _ = rebased(document, at).(map[string]any)
	}
	return document
}

// rebased returns a schema of [Definition] whose references to its own parts begin at another place.
func rebased(v any, at string) any {
	switch x := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(x))
		for key, v := range x {
			if ref, ok := v.(string); ok && key == "$ref" {
				v = at + strings.TrimPrefix(ref, "#/")
			}
			out[key] = rebased(v, at)
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i, v := range x {
			out[i] = rebased(v, at)
		}
		return out
	}
	return v
}

// A maker makes one schema.
type maker struct {
	Options
	notes    []string
	budget   int                              // bytes for more notes
	omitted  int                              // notes for which there was none
	defaults map[*schema.JSONSchemaProps]bool // the results of hasDefault
}

// maxNotes bounds the text of notes, which have paths.
const maxNotes = 1 << 20

// A place is the path of a value in an object. The root is nil.
type place struct {
	above *place
	step  string // with the dot in front of a name
}

func (p *place) below(step string) *place { return &place{p, step} }

func (p *place) String() string {
	var steps []string
	for ; p != nil; p = p.above {
		steps = append(steps, p.step)
	}
	slices.Reverse(steps)
	return strings.TrimPrefix(strings.Join(steps, ""), ".")
}

func (m *maker) note(path *place, text string) {
	if m.budget <= 0 {
		m.omitted++
		return
	}
	m.notes = append(m.notes, path.String()+": "+text)
	m.budget -= len(m.notes[len(m.notes)-1])
}

// schema returns the JSON Schema of a schema at a path. null says that a server drops a null here, and open that p is
// for the items of a list that preserves their unknown fields.
func (m *maker) schema(p *schema.JSONSchemaProps, path *place, null, open bool) map[string]any {
	out := map[string]any{}
	if p.Description != "" {
		out["description"], out["markdownDescription"] = p.Description, p.Description
	}
	if p.Title != "" {
		out["title"] = p.Title
	}
	if p.Default != nil {
		out["default"] = jsonval.Clone(p.Default)
	}
	if p.XListType != nil && *p.XListType == "map" {
		m.note(path, "keys of the list: "+strings.Join(p.XListMapKeys, ", "))
	}
	for i := range p.XValidations {
		m.note(path, "rule "+strings.Join(strings.Fields(p.XValidations[i].Rule), " "))
	}
	null = null || p.Nullable || p.Default != nil || p.Type == "" && !p.XIntOrString // a default replaces a null
	m.typed(out, p, null)
	m.values(out, p, path, p, null)

	embedded := p.XEmbeddedResource
	if len(p.Properties) > 0 || embedded {
		properties, required := map[string]any{}, map[string]bool{}
		for _, name := range p.Required {
			required[name] = true
		}
		for _, name := range slices.Sorted(maps.Keys(p.Properties)) { // in order, for the notes
			properties[name] = m.schema(p.Properties[name], path.below("."+name), !required[name], false)
		}
		if embedded {
			properties["apiVersion"], properties["kind"] = map[string]any{"type": "string"}, map[string]any{"type": "string"}
			properties["metadata"] = metadata(properties["metadata"])
			names, _ := out["required"].([]any)
			for _, name := range []any{"apiVersion", "kind"} {
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
			out["required"] = names
		}
		out["properties"] = properties
	}
	switch {
	case p.AdditionalProperties != nil && p.AdditionalProperties.Schema != nil:
		out["additionalProperties"] = m.schema(p.AdditionalProperties.Schema, path.below(".*"), true, false)
	case p.AdditionalProperties != nil && p.AdditionalProperties.Allows, open, schemadoc.Preserves(p), m.Open, p.Type != "object":
	default:
		out["additionalProperties"] = false
	}
	if p.Items != nil && p.Items.Schema != nil {
		out["items"] = m.schema(p.Items.Schema, path.below("[]"), false, open || schemadoc.Preserves(p))
	}
	if p.XListType != nil && *p.XListType == "set" {
		out["uniqueItems"] = true
	}
	return out
}

// typed sets the type.
func (m *maker) typed(out map[string]any, p *schema.JSONSchemaProps, null bool) {
	switch {
	case p.XIntOrString && null:
		out["type"] = []any{"integer", "string", "null"}
	case p.XIntOrString:
		out["type"] = []any{"integer", "string"}
	case p.Type != "" && null:
		out["type"] = []any{p.Type, "null"}
	case p.Type != "":
		out["type"] = p.Type
	}
}

// values sets the keywords that constrain values, which schemas within allOf, anyOf, oneOf and not may have as well.
// around is the schema that declares the properties.
func (m *maker) values(out map[string]any, p *schema.JSONSchemaProps, path *place, around *schema.JSONSchemaProps,
	null bool) {
	if slices.ContainsFunc(p.Enum, hasObject) {
		m.note(path, "enum of objects, which a server compares with their defaults and without nulls")
	} else if len(p.Enum) > 0 {
		values, _ := jsonval.Clone(p.Enum).([]any)
		if null {
			values = append(values, nil)
		}
		out["enum"] = distinct(values)
	}
	m.numbers(out, p)
	count := func(name string, n *int64) {
		if n != nil {
			out[name] = *n
		}
	}
	count("maxLength", p.MaxLength)
	count("minLength", p.MinLength)
	count("maxItems", p.MaxItems)
	count("minItems", p.MinItems)
	if !m.hasDefault(around) { // defaults add properties
		count("minProperties", p.MinProperties)
	}
	if p.Pattern != "" {
		if pattern, ok := ecma(p.Pattern); ok {
			out["pattern"] = pattern
		} else {
			m.note(path, "pattern "+p.Pattern)
		}
	}
	if same[p.Format] {
		out["format"] = p.Format
	}
	var required []any
	for _, name := range p.Required {
		if !defaulted(around, name) {
			required = append(required, name)
		}
	}
	if required != nil {
		out["required"] = required
	}
	choices := map[string]any{}
	m.combined(choices, p, path, around)
	if null && len(choices) > 0 {
		choices = map[string]any{"if": map[string]any{"type": "null"}, "else": choices}
	}
	maps.Copy(out, choices)
	if p.MaxProperties != nil && !m.Open {
		all, _ := out["allOf"].([]any)
		out["allOf"] = append(all, map[string]any{ // a server does not count the nulls that it drops
			"if":   map[string]any{"additionalProperties": map[string]any{"not": map[string]any{"type": "null"}}},
			"then": map[string]any{"maxProperties": *p.MaxProperties},
		})
	}
}

// hasObject reports whether a value is or has an object.
func hasObject(v any) bool {
	list, _ := v.([]any)
	_, object := v.(map[string]any)
	return object || slices.ContainsFunc(list, hasObject)
}

// distinct returns values without those with the same JSON as an earlier one: JSON Schema requires the values of an
// enum to be unique.
func distinct(values []any) []any {
	seen := map[string]bool{}
	return slices.DeleteFunc(values, func(v any) bool {
		text, _ := json.Marshal(v) // it was decoded from JSON
		before := seen[string(text)]
		seen[string(text)] = true
		return before
	})
}

// same are the formats that other validators check as a server does, or not at all.
var same = map[string]bool{"date": true, "ipv4": true, "ipv6": true, "int32": true, "int64": true, "float": true, "double": true}

func (m *maker) numbers(out map[string]any, p *schema.JSONSchemaProps) {
	bound := func(name, exclusive string, v *float64, excludes bool) {
		switch {
		case v == nil:
		case excludes:
			out[exclusive] = *v
		default:
			out[name] = *v
		}
	}
	bound("maximum", "exclusiveMaximum", p.Maximum, p.ExclusiveMaximum)
	bound("minimum", "exclusiveMinimum", p.Minimum, p.ExclusiveMinimum)
	if p.MultipleOf != nil {
		out["multipleOf"] = *p.MultipleOf
	}
	if p.Format == "int32" && p.Type == "integer" {
		if p.Maximum == nil {
			out["maximum"] = 1<<31 - 1
		}
		if p.Minimum == nil {
			out["minimum"] = -1 << 31
		}
	}
}

// combined sets allOf, anyOf, oneOf and not. A server checks them after defaulting: those that depend on fields with
// defaults are left out.
func (m *maker) combined(out map[string]any, p *schema.JSONSchemaProps, path *place, around *schema.JSONSchemaProps) {
	several := func(name string, all []*schema.JSONSchemaProps) {
		if len(all) == 0 || p.XIntOrString && name == "anyOf" && intOrString(all) {
			return
		}
		for _, q := range all {
			switch {
			case m.aboutDefaults(q, around):
				m.note(path, name+", which depends on defaults")
				return
			case name == "oneOf" && m.inexact(q, around):
				m.note(path, "oneOf, which depends on what is not expressed here")
				return
			}
		}
		list := []any{}
		for _, q := range all {
			list = append(list, m.part(q, path, around, false))
		}
		out[name] = list
	}
	several("allOf", p.AllOf)
	several("anyOf", p.AnyOf)
	several("oneOf", p.OneOf)
	if p.Not != nil {
		if m.aboutDefaults(p.Not, around) || m.inexact(p.Not, around) {
			m.note(path, "not, which depends on what is not expressed here")
		} else {
			out["not"] = m.part(p.Not, path, around, false)
		}
	}
}

// part returns the JSON Schema of a schema within allOf, anyOf, oneOf or not.
func (m *maker) part(p *schema.JSONSchemaProps, path *place, around *schema.JSONSchemaProps, null bool) map[string]any {
	out := map[string]any{}
	if p.Type != "" {
		out["type"] = p.Type
	}
	m.values(out, p, path, around, null)
	properties := map[string]any{}
	for _, name := range p.Required { // a server drops a null before it looks for the field
		if q := child(around, name); q != nothing && !q.Nullable {
			properties[name] = map[string]any{"not": map[string]any{"type": "null"}}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Properties)) {
		below := m.part(p.Properties[name], path.below("."+name), child(around, name), true)
		if required, ok := properties[name].(map[string]any); ok && below["not"] == nil {
			maps.Copy(below, required)
		}
		properties[name] = below
	}
	if len(properties) > 0 {
		out["properties"] = properties
	}
	if p.Items != nil && p.Items.Schema != nil {
		out["items"] = m.part(p.Items.Schema, path.below("[]"), items(around), true)
	}
	if p.AdditionalProperties != nil && p.AdditionalProperties.Schema != nil {
		out["additionalProperties"] = m.part(p.AdditionalProperties.Schema, path.below(".*"), child(around, ""), true)
	}
	return out
}

var nothing = &schema.JSONSchemaProps{}

func child(p *schema.JSONSchemaProps, name string) *schema.JSONSchemaProps {
	switch {
	case p.Properties[name] != nil:
		return p.Properties[name]
	case p.AdditionalProperties != nil && p.AdditionalProperties.Schema != nil:
		return p.AdditionalProperties.Schema
	}
	return nothing
}

func items(p *schema.JSONSchemaProps) *schema.JSONSchemaProps {
	if p.Items != nil && p.Items.Schema != nil {
		return p.Items.Schema
	}
	return nothing
}

// beside returns the schema below around that describes the same value as the schema at a location in a combinator of
// around.
func beside(around *schema.JSONSchemaProps, at schema.Location) *schema.JSONSchemaProps {
	switch at.Keyword {
	case "properties", "additionalProperties":
		return child(around, at.Name)
	case "items":
		return items(around)
	}
	return around
}

// defaulted reports whether a field of a schema has a default.
func defaulted(p *schema.JSONSchemaProps, name string) bool {
	q := p.Properties[name]
	return q != nil && q.Default != nil
}

// hasDefault reports whether one of the fields of a schema has a default.
func (m *maker) hasDefault(p *schema.JSONSchemaProps) bool {
	has, known := m.defaults[p]
	if !known {
		for _, q := range p.Properties {
			has = has || q.Default != nil
		}
		m.defaults[p] = has
	}
	return has
}

// aboutDefaults reports whether a part of a schema could be about a field that defaults set.
func (m *maker) aboutDefaults(p, around *schema.JSONSchemaProps) bool {
	if (p.MinProperties != nil || p.MaxProperties != nil || len(p.Enum) > 0) && m.hasDefault(around) {
		return true
	}
	if slices.ContainsFunc(p.Required, func(name string) bool { return defaulted(around, name) }) {
		return true
	}
	for at, q := range p.Children() {
		c := beside(around, at)
		if at.Keyword != "additionalProperties" && (at.Keyword == "properties" && c.Default != nil || m.aboutDefaults(q, c)) {
			return true
		}
	}
	return false
}

// inexact reports whether a part of a schema may be weaker in JSON Schema than on a server, so that its negation would
// be stricter.
func (m *maker) inexact(p, around *schema.JSONSchemaProps) bool {
	if _, ok := ecma(p.Pattern); !ok || p.Format != "" || p.Not != nil || len(p.OneOf) > 0 || p.MinProperties != nil || p.MaxProperties != nil ||
		len(p.Enum) > 0 && (around.Nullable || slices.ContainsFunc(p.Enum, hasObject)) {
		return true
	}
	// A server drops undeclared fields before it validates; only an open schema accepts them.
	undeclared := func(name string) bool { return m.Open && child(around, name) == nothing }
	if slices.ContainsFunc(p.Required, undeclared) {
		return true
	}
	for at, q := range p.Children() {
		if at.Keyword == "properties" && undeclared(at.Name) || m.inexact(q, beside(around, at)) {
			return true
		}
	}
	return false
}

// intOrString reports whether a combinator only repeats x-kubernetes-int-or-string.
func intOrString(all []*schema.JSONSchemaProps) bool {
	return !slices.ContainsFunc(all, func(q *schema.JSONSchemaProps) bool { return q.Type != "integer" && q.Type != "string" })
}
