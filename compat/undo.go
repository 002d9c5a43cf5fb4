package compat

import (
	"maps"
	"reflect"
	"slices"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/keyword"
	"github.com/crdkit/crdkit/internal/origin"
	"github.com/crdkit/crdkit/internal/schemadoc"
	"github.com/crdkit/crdkit/internal/tool/constraint"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/schema"
)

// Two definitions usually differ in several places, and a witness may show another difference than the one that its
// finding is about. So a witness is also handled by two more definitions: one that has all differences but this one,
// and one that has this one alone.

// An effect reports whether the results of a request on two sides show a difference.
type effect func(was, is resource.Result) bool

// A contrast has the two definitions that show whether a witness is about one difference of was and is.
type contrast struct {
	was    *version
	undone *version // is, without the difference
	alone  *version // was, with only this difference

	invalid bool // a rule of one of the sides does not compile
}

// shows reports whether r has an effect because of the difference of c, and of no other. uncompiled says that a rule
// does not compile in one of the definitions although it does on its own side: it reads a field that is not there.
func (c *contrast) shows(r request, e effect) (shown, uncompiled bool) {
	undone := c.undone.handle(r)
	if !accepted(undone) {
		return false, !c.invalid && hasUncompiled(undone.Errors)
	}
	was := c.was.handle(r)
	if e(was, undone) {
		return false, false
	}
	alone := c.alone.handle(r)
	uncompiled = !c.invalid && hasUncompiled(alone.Errors)
	return !uncompiled && e(was, alone), uncompiled
}

// confirmed reports whether c shows that r has an effect.
func confirmed(c *contrast, r request, e effect) bool {
	shown, _ := c.shows(r, e)
	return shown
}

// hasUncompiled reports whether one of errs says that a rule does not compile.
func hasUncompiled(errs field.List) bool {
	return slices.ContainsFunc(errs, func(e *field.Error) bool { return origin.FaultOf(e) == origin.NotCompiled })
}

// contrastFor returns a contrast for one of the differences that q may be about, with which r has an effect. It returns
// nil if there is none: then r shows another difference, or several of them together. r has an effect on was and is.
func (p *pair) contrastFor(q *question, was, is *version, r request, e effect) *contrast {
	invalid := hasUncompiled(was.handle(r).Errors) || hasUncompiled(is.handle(r).Errors)
	for _, d := range p.differences(q) {
		if p.c.effort <= 0 {
			return nil
		}
		c := &contrast{was: was, undone: p.with(is, was, d, r), alone: p.with(was, is, d, r), invalid: invalid}
		if c.undone == nil || c.alone == nil {
			continue
		}
		shown, uncompiled := c.shows(r, e)
		if !shown && uncompiled {
			// Rules that only one side has belong to the difference if they read what differs.
			if d.part == "rule" {
				d.part = partNode
				c.alone = p.with(was, is, d, r)
			} else {
				d.onlySharedRules = true
				c.undone, c.alone = p.with(is, was, d, r), p.with(was, is, d, r)
			}
			if c.undone == nil || c.alone == nil {
				continue
			}
			shown, _ = c.shows(r, e)
		}
		if shown {
			return c
		}
	}
	return nil
}

// maxDifferences bounds how many differences are tried for one request.
const maxDifferences = 10

// differences returns what q may be about, the most likely first.
func (p *pair) differences(q *question) []difference {
	if q.differences == nil {
		q.differences = p.schemaDifferences(q)
		if p.old.prunes != p.now.prunes {
			q.differences = append(q.differences, difference{part: partPrunes})
		}
		if p.requestKind(q.schemaPath) == requestUpdate {
			q.differences = append(q.differences, difference{part: partStatus})
		}
		if p.storageMoved() {
			q.differences = append(q.differences, difference{part: partStorage})
		}
	}
	return q.differences
}

// schemaDifferences returns the differences of the schemas that q may be about.
func (p *pair) schemaDifferences(q *question) (found []difference) {
	path, parent := q.schemaPath, q.schemaPath[:max(len(q.schemaPath)-1, 0)]
	add := func(at constraint.Steps, part string) { found = append(found, difference{schemaPath: at, part: part}) }
	addField := func(at constraint.Steps, step constraint.Step) {
		if len(found) < maxDifferences {
			found = append(found, difference{schemaPath: at, part: partField, step: step})
		}
	}
	if k := q.restriction; k.keyword == "existingFieldRemoval" || k.keyword == keptKeyword && k.violated == nil {
		addField(parent, path[len(path)-1])
		add(parent, partPreserve)
		add(parent, partNode)
		return found
	}
	if q.restriction.keyword == "subresource" {
		return nil
	}
	found = append(found, difference{schemaPath: path, part: q.restriction.keyword, name: q.restriction.name, rule: q.rule})
	switch q.restriction.keyword {
	case "rule":
		for _, part := range []string{"default", "nullable", "type", "format", "listType"} {
			add(path, part)
		}
		addField(path, items)
		addField(path, undeclared)
	case "default":
		add(path, "nullable")
	case "nullable":
		add(path, "enum")
		add(path, "default")
	}
	if q.x != nil && q.y != nil {
		names, others := differingPresence(q.x, q.y)
		more, moreOthers := differingPresence(q.y, q.x)
		for _, name := range more {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		others = others || moreOthers
		if name := q.restriction.name; name != "" {
			addField(path, property(name))
		}
		for _, name := range names {
			if name != q.restriction.name {
				addField(path, property(name))
			}
		}
		if others {
			addField(path, undeclared)
			add(path, partPreserve)
		}
	}
	for _, name := range q.fields {
		addField(path, property(name))
	}
	switch q.restriction.keyword {
	case "type", "nullable", "format", "enum":
		add(path, partNode)
	}
	if len(path) > 0 && (path.Node(p.old.root) == nil || path.Node(p.now.root) == nil) {
		addField(parent, path[len(path)-1])
		add(parent, partPreserve)
	}
	return found
}

// A difference is a part of a schema, or of a definition, that two definitions may have differently.
type difference struct {
	schemaPath constraint.Steps // of the schema
	part       string           // a keyword as restrictions name it, or one of the parts below
	name       string           // of a required field
	rule       ruleKey
	step       constraint.Step // of partField

	onlySharedRules bool // along the schema path, leave out the rules that only one side has
}

// The parts that are not keywords.
const (
	partField  = "field"  // a field, or the items of a list, with everything below it
	partNode   = "node"   // everything at the schema path
	partPrunes = "prunes" // preserveUnknownFields of the definition
	partStatus = "status" // the status subresource

	partStorage = "storage" // the storage version
	// partPreserve is x-kubernetes-preserve-unknown-fields.
	partPreserve = "x-kubernetes-preserve-unknown-fields"
)

// stored reports whether d may affect how the storage version stores objects.
func (d *difference) stored() bool {
	switch d.part {
	case partField, partNode, "default", "nullable", partPreserve:
		return true
	}
	return false
}

// with returns v with the part of d as other has it. The result only handles requests with the values of r, or with
// some of these: what they do not need is left out of its schemas. It is nil if the definition does not compile.
func (p *pair) with(v, other *version, d difference, r request) *version {
	objects := []any{r.object}
	if r.stored != nil {
		objects = append(objects, r.stored)
	}
	for _, whole := range []bool{false, true} {
		if w := p.build(v, other, d, objects, whole || p.c.options.Converter != nil); w != nil {
			return w
		}
	}
	return nil
}

// build is with for given objects. It returns nil if the definition does not compile. whole says that nothing is left
// out of the schemas.
func (p *pair) build(v, other *version, d difference, objects []any, whole bool) *version {
	size := 0
	part := func(v *version) *schema.JSONSchemaProps {
		if v.props == nil {
			return nil
		}
		if whole {
			size += v.size()
			return v.props
		}
		return needed(v.props, objects, d.schemaPath, &size)
	}
	definition := *v.d
	definition.Spec.Validation, definition.Spec.Subresources, definition.Spec.Versions = nil, nil, nil
	if d.part == partPrunes {
		definition.Spec.PreserveUnknownFields = other.d.Spec.PreserveUnknownFields
	}
	storage, otherStorage := v.storage, other.storage
	if storage == nil {
		storage, otherStorage = v, other
	}
	if d.part == partStorage {
		if storage = v.siblings[otherStorage.name]; storage == nil {
			storage = otherStorage // the version is new
		}
	}
	for _, sides := range [][2]*version{{v, other}, {storage, otherStorage}} {
		from, to := sides[0], sides[1]
		if len(definition.Spec.Versions) > 0 && from == v {
			continue
		}
		props := part(from)
		if from == v || d.stored() {
			changed, ok := d.edit(props, part(to))
			if !ok && from == v {
				return nil
			} else if ok {
				props = changed
			}
		}
		one := crd.Version{Name: from.name, Served: true, Storage: from.name == storage.name}
		if props != nil {
			one.Schema = &crd.Validation{OpenAPIV3Schema: props}
		}
		if from.hasStatus && d.part != partStatus || to.hasStatus && d.part == partStatus {
			one.Subresources = &crd.Subresources{Status: &crd.SubresourceStatus{}}
		}
		definition.Spec.Versions = append(definition.Spec.Versions, one)
	}
	p.c.effort -= contrastEffort + size/schemasPerRequest
	compiled, err := p.c.resource(&definition)
	if err != nil {
		return nil
	}
	return p.c.newVersion(&definition, definition.Lookup(), compiled.Version(v.name))
}

// The effort of compiling a definition for a contrast, and the number of its schemas that costs as much as a request.
const (
	contrastEffort    = 5
	schemasPerRequest = 20
)

// size returns the number of schemas of v.
func (v *version) size() int {
	if v.schemas == 0 && v.props != nil {
		v.schemas = countSchemas(v.props)
	}
	return v.schemas
}

func countSchemas(p *schema.JSONSchemaProps) int {
	n := 1
	for _, q := range p.Children() {
		if q != nil {
			n += countSchemas(q)
		}
	}
	return n
}

// needed returns p without properties that none of values has, unless they have a default, lead along a schema path, or
// may be read by a rule. It adds the number of schemas that it looked at to size.
func needed(p *schema.JSONSchemaProps, values []any, schemaPath constraint.Steps, size *int) *schema.JSONSchemaProps {
	*size++
	if p.Default != nil || len(p.XValidations) > 0 || p.XEmbeddedResource || hasBranchesWithFields(p) {
		*size += len(p.Properties) // an estimate: rules are compiled when they are needed
		return p
	}
	along := func(s constraint.Step) (constraint.Steps, bool) {
		if len(schemaPath) > 0 && schemaPath[0] == s {
			return schemaPath[1:], true
		}
		return nil, false
	}
	q := *p
	if p.Properties != nil {
		q.Properties = map[string]*schema.JSONSchemaProps{}
		*size += len(p.Properties) / schemasPerRequest
		for name, child := range p.Properties {
			below := fieldsOf(values, name)
			rest, on := along(property(name))
			if on || len(below) > 0 || child.Default != nil {
				q.Properties[name] = needed(child, below, rest, size)
			}
		}
	}
	if a := p.AdditionalProperties; a != nil && a.Schema != nil {
		rest, _ := along(undeclared)
		if len(schemaPath) > 0 && !schemaPath[0].Item && p.Properties[schemaPath[0].Name] == nil {
			rest = schemaPath[1:]
		}
		q.AdditionalProperties = &schema.SchemaOrBool{Allows: true, Schema: needed(a.Schema, undeclaredOf(values, p), rest, size)}
	}
	if p.Items != nil && p.Items.Schema != nil {
		rest, _ := along(items)
		item := needed(p.Items.Schema, itemsOf(values), rest, size)
		if len(p.XListMapKeys) > 0 && item != p.Items.Schema {
			for _, key := range p.XListMapKeys {
				if child := p.Items.Schema.Properties[key]; child != nil && item.Properties[key] == nil {
					item.Properties[key] = child
				}
			}
		}
		q.Items = &schema.SchemaOrArray{Schema: item}
	}
	return &q
}

// hasBranchesWithFields reports whether a combinator of p describes fields or items. They must have a schema outside of
// the combinator, too.
func hasBranchesWithFields(p *schema.JSONSchemaProps) bool {
	some := func(b *schema.JSONSchemaProps) bool {
		return b != nil && (b.Properties != nil || b.Items != nil || b.AdditionalProperties != nil || hasBranchesWithFields(b))
	}
	return some(p.Not) || slices.ContainsFunc(slices.Concat(p.AllOf, p.AnyOf, p.OneOf), some)
}

// fieldsOf returns the values of a field of those of values that are objects.
func fieldsOf(values []any, name string) (out []any) {
	for _, v := range values {
		if m, ok := v.(map[string]any); ok {
			if w, has := m[name]; has {
				out = append(out, w)
			}
		}
	}
	return out
}

// undeclaredOf returns the values of fields for which p has no property.
func undeclaredOf(values []any, p *schema.JSONSchemaProps) (out []any) {
	for _, v := range values {
		m, _ := v.(map[string]any)
		for name, w := range m {
			if p.Properties[name] == nil {
				out = append(out, w)
			}
		}
	}
	return out
}

func itemsOf(values []any) (out []any) {
	for _, v := range values {
		list, _ := v.([]any)
		out = append(out, list...)
	}
	return out
}

// edit returns p with the part of d as other has it. It reports false if p has no schema at the schema path, or nothing
// to change.
func (d *difference) edit(p, other *schema.JSONSchemaProps) (*schema.JSONSchemaProps, bool) {
	switch d.part {
	case partPrunes, partStatus, partStorage:
		return p, true
	}
	if p == nil || other == nil {
		return nil, false
	}
	e := editor{d: d, more: branchesAt(other, d.schemaPath)}
	q := e.at(p, other, d.schemaPath, true)
	return q, e.done
}

// An editor edits one schema.
type editor struct {
	d    *difference
	more []*schema.JSONSchemaProps // branches of the other side for the same values
	done bool
}

// at returns p with the change. other is the schema for the same values on the other side; it is nil if there is none,
// and within combinators.
func (e *editor) at(p, other *schema.JSONSchemaProps, schemaPath constraint.Steps, structural bool) *schema.JSONSchemaProps {
	branches := func(list []*schema.JSONSchemaProps) []*schema.JSONSchemaProps {
		list = slices.Clone(list)
		for i := range list {
			list[i] = e.at(list[i], nil, schemaPath, false)
		}
		return list
	}
	q := *p
	if e.d.onlySharedRules {
		q.XValidations = sharedRules(p, other)
	}
	q.AllOf = branches(p.AllOf)
	if len(p.AnyOf) == 1 {
		q.AnyOf = branches(p.AnyOf)
	}
	if len(p.OneOf) == 1 {
		q.OneOf = branches(p.OneOf)
	}
	switch {
	case len(schemaPath) > 0:
		e.below(&q, other, schemaPath, structural)
	case structural:
		e.done = true
		e.d.take(&q, other)
		for _, b := range e.more {
			extra := &schema.JSONSchemaProps{}
			if e.d.takeKeyword(extra, b) {
				q.AllOf = append(slices.Clip(q.AllOf), extra)
			}
		}
	default:
		e.d.takeKeyword(&q, &schema.JSONSchemaProps{})
	}
	return &q
}

// sharedRules returns the rules of p that other has, too. other may be nil.
func sharedRules(p, other *schema.JSONSchemaProps) []schema.ValidationRule {
	return slices.DeleteFunc(slices.Clone(p.XValidations), func(r schema.ValidationRule) bool {
		return other == nil || !slices.ContainsFunc(other.XValidations, func(s schema.ValidationRule) bool { return ruleKeyOf(r) == ruleKeyOf(s) })
	})
}

func ruleKeyOf(r schema.ValidationRule) ruleKey {
	return ruleKey{r.Rule, r.OptionalOldSelf != nil && *r.OptionalOldSelf}
}

// below edits the schema to which the first step of the schema path leads from q.
func (e *editor) below(q, other *schema.JSONSchemaProps, schemaPath constraint.Steps, structural bool) {
	step := schemaPath[0]
	child := childOf(q, step)
	switch {
	case child != nil || !structural:
	case keepsUndeclared(q):
		child = anyValue
	case e.d.inMetadata() && len(schemaPath) > 1:
		child = &schema.JSONSchemaProps{Type: "object"}
	case e.d.inMetadata():
		child = &schema.JSONSchemaProps{Type: "string"}
	}
	if child == nil {
		return
	}
	setChild(q, step, e.at(child, childOf(other, step), schemaPath[1:], structural))
}

// childOf returns the schema one step below p, or nil.
func childOf(p *schema.JSONSchemaProps, step constraint.Step) *schema.JSONSchemaProps {
	switch {
	case p == nil:
		return nil
	case step.Item && p.Items != nil:
		return p.Items.Schema
	case step.Item:
		return nil
	case !step.Other && p.Properties[step.Name] != nil:
		return p.Properties[step.Name]
	case p.AdditionalProperties != nil:
		return p.AdditionalProperties.Schema
	}
	return nil
}

// setChild sets the schema one step below p, which is a copy; nil removes it.
func setChild(p *schema.JSONSchemaProps, step constraint.Step, child *schema.JSONSchemaProps) {
	switch {
	case step.Item && child == nil:
		p.Items = nil
	case step.Item:
		p.Items = &schema.SchemaOrArray{Schema: child}
	case step.Other && child == nil:
		p.AdditionalProperties = nil
	case step.Other:
		p.AdditionalProperties = &schema.SchemaOrBool{Allows: true, Schema: child}
	default:
		fields := map[string]*schema.JSONSchemaProps{}
		maps.Copy(fields, p.Properties)
		if fields[step.Name] = child; child == nil {
			delete(fields, step.Name)
		}
		p.Properties = fields
	}
}

// branchesAt returns the branches of combinators that always apply to the values at a schema path.
func branchesAt(p *schema.JSONSchemaProps, schemaPath constraint.Steps) (found []*schema.JSONSchemaProps) {
	own, branches := []*schema.JSONSchemaProps{p}, []*schema.JSONSchemaProps(nil)
	for i := 0; ; i++ {
		all := slices.Concat(own, branches)
		for j := 0; j < len(all) && len(all) < maxNodes; j++ {
			more := all[j].AllOf
			for _, some := range [][]*schema.JSONSchemaProps{all[j].AnyOf, all[j].OneOf} {
				if len(some) == 1 {
					more = slices.Concat(more, some)
				}
			}
			all = slices.Concat(all, more)
		}
		branches = all[len(own):]
		if i == len(schemaPath) {
			return branches
		}
		next := func(list []*schema.JSONSchemaProps) (out []*schema.JSONSchemaProps) {
			for _, q := range list {
				if c := childOf(q, schemaPath[i]); c != nil {
					out = append(out, c)
				}
			}
			return out
		}
		own, branches = next(own), next(branches)
	}
}

// inMetadata reports whether d is about a name in the metadata, which always has a schema.
func (d *difference) inMetadata() bool {
	return len(d.schemaPath) == 2 && d.schemaPath[0] == property("metadata")
}

// take makes the part of d of q, which is a copy, that of other, which may be nil.
func (d *difference) take(q, other *schema.JSONSchemaProps) {
	switch {
	case other == nil && d.inMetadata():
		other = &schema.JSONSchemaProps{Type: "string"}
	case other == nil:
		other = anyValue
	}
	switch d.part {
	case partNode:
		*q = *other
	case partField:
		child := childOf(other, d.step)
		if child == nil && !d.step.Item && keepsUndeclared(other) {
			child = anyValue
		}
		switch yes := true; {
		case !d.step.Other:
			setChild(q, d.step, child)
		case child == anyValue:
			q.AdditionalProperties, q.XPreserveUnknownFields = nil, &yes
		default:
			setChild(q, d.step, child)
			if q.XPreserveUnknownFields = other.XPreserveUnknownFields; q.Type == "" && !q.XIntOrString {
				q.Type = other.Type
			}
		}
		if !d.step.Item && !d.step.Other {
			required := *d
			required.part, required.name = "required", d.step.Name
			required.takeKeyword(q, other)
		}
	default:
		d.takeKeyword(q, other)
	}
}

// keepsUndeclared reports whether p keeps fields that it does not describe.
func keepsUndeclared(p *schema.JSONSchemaProps) bool {
	return schemadoc.Preserves(p) ||
		p.AdditionalProperties != nil && p.AdditionalProperties.Allows && p.AdditionalProperties.Schema == nil
}

// anyValue is a schema that accepts and preserves all values.
var anyValue = func() *schema.JSONSchemaProps {
	yes := true
	return &schema.JSONSchemaProps{XPreserveUnknownFields: &yes, Nullable: true}
}()

var schemaKeywords = keyword.Of[schema.JSONSchemaProps]()

// together has the keywords that a difference names by another name, or that make sense only together.
var together = map[string][]string{
	"type":             {"type", "x-kubernetes-int-or-string"},
	"maximum":          {"maximum", "exclusiveMaximum"},
	"minimum":          {"minimum", "exclusiveMinimum"},
	"listType":         {"x-kubernetes-list-type", "x-kubernetes-list-map-keys"},
	"embeddedResource": {"x-kubernetes-embedded-resource"},
}

// structuralOnly has the keywords that a branch of a combinator cannot add to a schema.
var structuralOnly = []string{"type", "nullable", "default", "allOf", "additionalProperties", "listType", "embeddedResource"}

// takeKeyword is take for a keyword. It reports whether q has the keyword then, and a branch of a combinator may have it.
func (d *difference) takeKeyword(q, other *schema.JSONSchemaProps) bool {
	switch d.part {
	case "required":
		q.Required = slices.DeleteFunc(slices.Clone(q.Required), func(name string) bool { return name == d.name })
		if slices.Contains(other.Required, d.name) {
			q.Required = append(q.Required, d.name)
			return true
		}
		return false
	case partPreserve:
		q.XPreserveUnknownFields = other.XPreserveUnknownFields
		if q.AdditionalProperties == nil || q.AdditionalProperties.Schema == nil {
			q.AdditionalProperties = other.AdditionalProperties
		}
		return false
	case "rule":
		q.XValidations = slices.DeleteFunc(slices.Clone(q.XValidations), d.isRule)
		for _, r := range other.XValidations {
			if d.isRule(r) {
				q.XValidations = append(q.XValidations, r)
			}
		}
		return false
	}
	names, ok := together[d.part]
	if !ok {
		names = []string{d.part}
	}
	has, to, from := false, reflect.ValueOf(q).Elem(), reflect.ValueOf(other).Elem()
	for k, name := range names {
		if i, ok := schemaKeywords.Find(name); ok {
			v := from.Field(i)
			to.Field(i).Set(v)
			has = has || k == 0 && !v.IsZero() && (v.Kind() != reflect.Slice || v.Len() > 0)
		}
	}
	return has && !slices.Contains(structuralOnly, d.part)
}

// isRule reports whether r is the rule of d.
func (d *difference) isRule(r schema.ValidationRule) bool { return ruleKeyOf(r) == d.rule }
