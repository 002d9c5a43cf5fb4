package crdcheck

import (
	"fmt"
	"maps"
	"slices"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/schema"
)

// each calls f with p and with every schema in it, whatever keyword it stands under: CVL-080. With sorted, the schemas of a map come by
// name. Nil schemas are left out.
func each(p *schema.JSONSchemaProps, sorted bool, f func(p *schema.JSONSchemaProps)) {
	if p == nil {
		return
	}
	f(p)
	children(p, sorted, func(q *schema.JSONSchemaProps) bool {
		each(q, sorted, f)
		return true
	})
}

// children calls f with the schemas that stand right under p, until it returns false. It reports whether it never did.
func children(p *schema.JSONSchemaProps, sorted bool, f func(q *schema.JSONSchemaProps) bool) bool {
	one := func(q *schema.JSONSchemaProps) bool { return q == nil || f(q) }
	list := func(l []*schema.JSONSchemaProps) bool {
		for _, q := range l {
			if !one(q) {
				return false
			}
		}
		return true
	}
	if p.Items != nil && !(one(p.Items.Schema) && list(p.Items.Schemas)) {
		return false
	}
	return list(p.AllOf) && list(p.AnyOf) && list(p.OneOf) && one(p.Not) &&
		eachValue(p.Properties, sorted, one) &&
		(p.AdditionalProperties == nil || one(p.AdditionalProperties.Schema)) &&
		eachValue(p.PatternProperties, sorted, one) &&
		(p.AdditionalItems == nil || one(p.AdditionalItems.Schema)) &&
		eachValue(p.Definitions, sorted, one) &&
		eachValue(p.Dependencies, sorted, func(d schema.SchemaOrStrings) bool { return one(d.Schema) })
}

// eachValue calls f with the values of m until it returns false, and reports whether it never did.
func eachValue[V any](m map[string]V, sorted bool, f func(v V) bool) bool {
	if len(m) == 0 {
		return true
	}
	if !sorted {
		for _, v := range m {
			if !f(v) {
				return false
			}
		}
		return true
	}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if !f(m[k]) {
			return false
		}
	}
	return true
}

// schemasOf calls f with the schemas of a definition in the server's form: that of all versions, and those of each.
func schemasOf(s *crd.Spec, f func(p *schema.JSONSchemaProps)) {
	if p := openAPISchema(s.Validation); p != nil {
		f(p)
	}
	for i := range s.Versions {
		if p := openAPISchema(s.Versions[i].Schema); p != nil {
			f(p)
		}
	}
}

// unusable refuses a definition with a schema that no document has: one that is deeper than any, or that has a nil in a list or a map. All
// else here goes to the bottom of schemas, and takes those for granted.
func unusable(d *crd.CustomResourceDefinition) field.List {
	return eachFault(d, func(p *schema.JSONSchemaProps) string {
		var in inspection
		in.schema(p)
		return in.fault
	})
}

// inspect sets in found what there is in each schema of a definition, or tells why it is unusable. It is the first walk through them, and
// does what it can at once.
func inspect(d *crd.CustomResourceDefinition, found map[*schema.JSONSchemaProps]facts) field.List {
	return eachFault(d, func(p *schema.JSONSchemaProps) string {
		w := schemaWalk{on: onCreate(nil), inspects: true}
		w.node(p, nil, mode{root: true})
		w.inspection.facts.faulty = w.errs.Len() > 0
		found[p] = w.inspection.facts
		return w.inspection.fault
	})
}

// eachFault returns what is found to be wrong with the schemas of a definition, as it stands, at their paths.
func eachFault(d *crd.CustomResourceDefinition, find func(p *schema.JSONSchemaProps) string) (errs field.List) {
	check := func(v *crd.Validation, at func() *field.Path) {
		if p := openAPISchema(v); p != nil {
			if text := find(p); text != "" {
				errs = append(errs, field.Invalid(at(), "", text))
			}
		}
	}
	check(d.Spec.Validation, func() *field.Path { return topSchemaPath })
	for i := range d.Spec.Versions {
		check(d.Spec.Versions[i].Schema, func() *field.Path { return schemaPath(i) })
	}
	return errs
}

// An inspection goes once through a schema, and stops at the first fault: what makes the schema unusable.
type inspection struct {
	facts facts
	fault string
	depth int
}

// enter takes note of p itself, and reports whether to go on.
func (in *inspection) enter(p *schema.JSONSchemaProps) bool {
	if in.depth > schema.MaxDepth {
		in.fault = fmt.Sprintf("must not be nested deeper than %d levels", schema.MaxDepth)
	}
	if in.fault != "" {
		return false
	}
	in.depth++
	in.facts.note(p)
	return true
}

// leave is called for what has been entered, when all in it has been but the schemas of patternProperties and additionalItems. It reports
// whether to go on.
func (in *inspection) leave(p *schema.JSONSchemaProps) bool {
	if len(p.PatternProperties) > 0 {
		in.values(p.PatternProperties)
	}
	if p.AdditionalItems != nil {
		in.schema(p.AdditionalItems.Schema)
	}
	in.depth--
	return in.fault == ""
}

// schema takes note of p, and of all in it. A nil one is none.
func (in *inspection) schema(p *schema.JSONSchemaProps) {
	if p == nil || !in.enter(p) {
		return
	}
	if p.Items != nil {
		in.schema(p.Items.Schema)
		in.list(p.Items.Schemas)
	}
	in.list(p.AllOf)
	in.list(p.AnyOf)
	in.list(p.OneOf)
	in.values(p.Properties)
	in.values(p.Definitions)
	if p.AdditionalProperties != nil {
		in.schema(p.AdditionalProperties.Schema)
	}
	for _, d := range p.Dependencies {
		in.schema(d.Schema)
	}
	in.schema(p.Not)
	in.leave(p)
}

func (in *inspection) list(l []*schema.JSONSchemaProps) {
	for _, q := range l {
		in.element(q)
	}
}

func (in *inspection) values(m map[string]*schema.JSONSchemaProps) {
	for _, q := range m {
		in.element(q)
	}
}

func (in *inspection) element(p *schema.JSONSchemaProps) {
	if p == nil {
		in.fault = nilFault
	}
	in.schema(p)
}

const nilFault = "must not have nil schemas in lists and maps"

// validTypes are what the type of a schema may be: SCH-009.
var validTypes = []string{"array", "boolean", "integer", "number", "object", "string"}

func isValidType(t string) bool {
	switch t {
	case "array", "boolean", "integer", "number", "object", "string":
		return true
	}
	return false
}

// facts are what there is in a schema, whatever keyword it stands under.
type facts struct {
	hasDefault    bool // CVL-013
	hasExtensions bool // SCH-005
	hasRules      bool
	// unsure: a compiled form may have no room for so many properties, or for a default or an enum that is no JSON.
	unsure bool
	// faulty: with all switches on there is something to say of it ([walkSchema]).
	faulty bool
}

// manyProperties is fewer than a compiled form has room for.
const manyProperties = 10_000

// note adds what p itself has.
func (f *facts) note(p *schema.JSONSchemaProps) {
	f.hasDefault = f.hasDefault || p.Default != nil
	f.hasRules = f.hasRules || len(p.XValidations) > 0
	// x-kubernetes-map-type is not among them.
	f.hasExtensions = f.hasExtensions || p.XEmbeddedResource || p.XPreserveUnknownFields != nil || p.XIntOrString ||
		len(p.XListMapKeys) > 0 || p.XListType != nil || len(p.XValidations) > 0
	f.unsure = f.unsure || len(p.Properties) > manyProperties || p.Default != nil && !isJSON(p.Default) ||
		slices.ContainsFunc(p.Enum, func(v any) bool { return !isJSON(v) })
}

// or returns what is in either of two schemas.
func (f facts) or(g facts) facts {
	return facts{
		hasDefault:    f.hasDefault || g.hasDefault,
		hasExtensions: f.hasExtensions || g.hasExtensions,
		hasRules:      f.hasRules || g.hasRules,
		unsure:        f.unsure || g.unsure,
		faulty:        f.faulty || g.faulty,
	}
}

func isJSON(v any) bool {
	switch v.(type) {
	case nil, bool, int64, string:
		return true
	}
	_, err := jsonval.Normalize(nil, v)
	return err == nil
}
