package crdcheck

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
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
	check := func(v *crd.Validation, at *field.Path) field.List {
		if fault := shapeFault(openAPISchema(v), 0); fault != "" {
			return field.List{field.Invalid(at.Child("openAPIV3Schema"), "", fault)}
		}
		return nil
	}
	path := field.NewPath("spec")
	errs := check(d.Spec.Validation, path.Child("validation"))
	for i := range d.Spec.Versions {
		errs = append(errs, check(d.Spec.Versions[i].Schema, path.Child("versions").Index(i).Child("schema"))...)
	}
	return errs
}

// shapeFault returns what makes a schema unusable, empty if nothing does.
func shapeFault(p *schema.JSONSchemaProps, depth int) string {
	switch {
	case p == nil:
		return ""
	case depth > schema.MaxDepth:
		return fmt.Sprintf("must not be nested deeper than %d levels", schema.MaxDepth)
	}
	if p.Items != nil {
		if fault := cmp.Or(shapeFault(p.Items.Schema, depth+1), listFault(p.Items.Schemas, depth+1)); fault != "" {
			return fault
		}
	}
	for _, l := range [...][]*schema.JSONSchemaProps{p.AllOf, p.AnyOf, p.OneOf} {
		if fault := listFault(l, depth+1); fault != "" {
			return fault
		}
	}
	for _, m := range [...]map[string]*schema.JSONSchemaProps{p.Properties, p.PatternProperties, p.Definitions} {
		if fault := mapFault(m, depth+1); fault != "" {
			return fault
		}
	}
	for _, s := range [...]*schema.SchemaOrBool{p.AdditionalProperties, p.AdditionalItems} {
		if s != nil {
			if fault := shapeFault(s.Schema, depth+1); fault != "" {
				return fault
			}
		}
	}
	if len(p.Dependencies) > 0 {
		for _, d := range p.Dependencies {
			if fault := shapeFault(d.Schema, depth+1); fault != "" {
				return fault
			}
		}
	}
	return shapeFault(p.Not, depth+1)
}

const nilFault = "must not have nil schemas in lists and maps"

func listFault(l []*schema.JSONSchemaProps, depth int) string {
	for _, q := range l {
		if q == nil {
			return nilFault
		}
		if fault := shapeFault(q, depth); fault != "" {
			return fault
		}
	}
	return ""
}

func mapFault(m map[string]*schema.JSONSchemaProps, depth int) string {
	if len(m) == 0 {
		return ""
	}
	for _, q := range m {
		if q == nil {
			return nilFault
		}
		if fault := shapeFault(q, depth); fault != "" {
			return fault
		}
	}
	return ""
}

// validTypes are what the type of a schema may be: SCH-009.
var validTypes = []string{"array", "boolean", "integer", "number", "object", "string"}

// facts are what a server looks for in all schemas of a definition.
type facts struct {
	hasDefault    bool // CVL-013
	hasExtensions bool // SCH-005
}

func factsOf(s *crd.Spec) (f facts) {
	schemasOf(s, func(p *schema.JSONSchemaProps) {
		each(p, false, func(p *schema.JSONSchemaProps) {
			f.hasDefault = f.hasDefault || p.Default != nil
			// x-kubernetes-map-type is not among them.
			f.hasExtensions = f.hasExtensions || p.XEmbeddedResource || p.XPreserveUnknownFields != nil || p.XIntOrString ||
				len(p.XListMapKeys) > 0 || p.XListType != nil || len(p.XValidations) > 0
		})
	})
	return f
}
