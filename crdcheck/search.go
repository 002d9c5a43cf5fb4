package crdcheck

import (
	"cmp"
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
	_, errs := inspect(d)
	return errs
}

// inspect tells what there is in each schema of a definition, or why it is unusable.
func inspect(d *crd.CustomResourceDefinition) (map[*schema.JSONSchemaProps]facts, field.List) {
	found := make(map[*schema.JSONSchemaProps]facts, 1)
	fault := func(v *crd.Validation) string {
		p := openAPISchema(v)
		if p == nil {
			return ""
		}
		var in inspection
		fault := in.schema(p, 0)
		found[p] = in.facts
		return fault
	}
	var errs field.List
	if text := fault(d.Spec.Validation); text != "" {
		errs = append(errs, field.Invalid(field.NewPath("spec", "validation", "openAPIV3Schema"), "", text))
	}
	for i := range d.Spec.Versions {
		if text := fault(d.Spec.Versions[i].Schema); text != "" {
			at := field.NewPath("spec", "versions").Index(i).Child("schema").Child("openAPIV3Schema")
			errs = append(errs, field.Invalid(at, "", text))
		}
	}
	return found, errs
}

// An inspection goes once through a schema.
type inspection struct{ facts facts }

// schema takes note of p, and of all in it. It returns what makes that unusable, empty if nothing does.
func (in *inspection) schema(p *schema.JSONSchemaProps, depth int) string {
	switch {
	case p == nil:
		return ""
	case depth > schema.MaxDepth:
		return fmt.Sprintf("must not be nested deeper than %d levels", schema.MaxDepth)
	}
	in.facts.note(p)
	depth++
	if p.Items != nil {
		if fault := cmp.Or(in.schema(p.Items.Schema, depth), in.list(p.Items.Schemas, depth)); fault != "" {
			return fault
		}
	}
	for _, l := range [...][]*schema.JSONSchemaProps{p.AllOf, p.AnyOf, p.OneOf} {
		if fault := in.list(l, depth); fault != "" {
			return fault
		}
	}
	for _, m := range [...]map[string]*schema.JSONSchemaProps{p.Properties, p.PatternProperties, p.Definitions} {
		if fault := in.values(m, depth); fault != "" {
			return fault
		}
	}
	for _, s := range [...]*schema.SchemaOrBool{p.AdditionalProperties, p.AdditionalItems} {
		if s != nil {
			if fault := in.schema(s.Schema, depth); fault != "" {
				return fault
			}
		}
	}
	if len(p.Dependencies) > 0 {
		for _, d := range p.Dependencies {
			if fault := in.schema(d.Schema, depth); fault != "" {
				return fault
			}
		}
	}
	return in.schema(p.Not, depth)
}

const nilFault = "must not have nil schemas in lists and maps"

func (in *inspection) list(l []*schema.JSONSchemaProps, depth int) string {
	for _, q := range l {
		if q == nil {
			return nilFault
		}
		if fault := in.schema(q, depth); fault != "" {
			return fault
		}
	}
	return ""
}

func (in *inspection) values(m map[string]*schema.JSONSchemaProps, depth int) string {
	if len(m) == 0 {
		return ""
	}
	for _, q := range m {
		if q == nil {
			return nilFault
		}
		if fault := in.schema(q, depth); fault != "" {
			return fault
		}
	}
	return ""
}

// validTypes are what the type of a schema may be: SCH-009.
var validTypes = []string{"array", "boolean", "integer", "number", "object", "string"}

// facts are what there is in a schema, whatever keyword it stands under.
type facts struct {
	hasDefault    bool // CVL-013
	hasExtensions bool // SCH-005
	hasRules      bool
	// unsure: a compiled form may have no room for so many properties, or for a default or an enum that is no JSON.
	unsure bool
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
