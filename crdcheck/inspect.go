package crdcheck

import (
	"fmt"
	"iter"
	"slices"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/schema"
)

// each calls f with p and with every schema below it, under any keyword: CVL-080. Nil schemas are left out.
func each(p *schema.JSONSchemaProps, f func(p *schema.JSONSchemaProps)) {
	if p == nil {
		return
	}
	f(p)
	for _, q := range p.Children() {
		each(q, f)
	}
}

// schemasOf iterates over the schemas of a spec: that of all versions, and that of each version. The index is that for
// [schemaPath].
func schemasOf(s *crd.Spec) iter.Seq2[int, *schema.JSONSchemaProps] {
	return func(yield func(int, *schema.JSONSchemaProps) bool) {
		if p := openAPISchema(s.Validation); p != nil && !yield(allVersions, p) {
			return
		}
		for i := range s.Versions {
			if p := openAPISchema(s.Versions[i].Schema); p != nil && !yield(i, p) {
				return
			}
		}
	}
}

// unusable refuses a definition with a schema that no document can have: one that is nested too deeply, or that has a
// nil in a list or a map. All other functions here rely on this check when they walk through schemas.
func unusable(d *crd.CustomResourceDefinition) field.List { return inspect(d, nil) }

// inspect is [unusable]. Unless found is nil, it sets found to the facts about each usable schema.
func inspect(d *crd.CustomResourceDefinition, found map[*schema.JSONSchemaProps]facts) (errs field.List) {
	for i, p := range schemasOf(&d.Spec) {
		facts, fault := inspectSchema(p, found != nil)
		switch {
		case fault != "":
			errs = append(errs, field.Invalid(schemaPath(i), "", fault))
		case found != nil:
			found[p] = facts
		}
	}
	return errs
}

// inspectSchema returns the facts about p, or the reason why it is unusable. If check is false, it does not set
// facts.faulty.
func inspectSchema(p *schema.JSONSchemaProps, check bool) (_ facts, fault string) {
	in := inspection{walk: schemaWalk{on: onCreate(nil), errs: refusal.Within(field.Limit{Errors: -1})}}
	in.schema(p, mode{root: true}, check)
	in.facts.faulty = in.walk.errs.Len() > 0
	return in.facts, in.fault
}

// An inspection walks once through a schema, and stops at the first fault that makes the schema unusable.
type inspection struct {
	facts facts
	fault string
	depth int
	walk  schemaWalk // counts the errors
}

// schema inspects p and all schemas below it. If check is set, it checks them like a schemaWalk, but in any order.
// Unlike a schemaWalk, it resolves the fieldPath of every rule, so it may set faulty for a schema without errors.
func (in *inspection) schema(p *schema.JSONSchemaProps, m mode, check bool) {
	switch {
	case p == nil:
		in.fault = "must not have nil schemas in lists and maps"
	case in.depth > jsonval.MaxDepth:
		in.fault = fmt.Sprintf("must not be nested deeper than %d levels", jsonval.MaxDepth)
	}
	if in.fault != "" {
		return
	}
	in.facts.note(p, m)
	m.passesDefaults = m.passesDefaults || p.Default != nil
	in.depth++
	for loc, q := range p.Children() {
		in.schema(q, m.of(p, loc), check && isChecked(loc))
	}
	in.depth--
	if !check || in.fault != "" || in.walk.errs.Len() > 0 {
		return
	}
	in.walk.keywords(p, nil, m)
	in.walk.extensions(p, nil)
	in.walk.lists(p, nil)
	in.walk.rules(p, nil, false)
}

// validTypes are the values that type may have: SCH-009.
var validTypes = []string{"array", "boolean", "integer", "number", "object", "string"}

func isValidType(t string) bool { return slices.Contains(validTypes, t) }

// facts are the facts about a schema and those below it, under any keyword.
type facts struct {
	hasDefault    bool // CVL-013
	hasExtensions bool // SCH-005
	hasRules      bool
	// unsure: it may not compile, because of too many properties, or of a default or an enum that is not JSON.
	unsure bool
	// faulty: with all switches on, it may have errors ([walkSchema]).
	faulty bool
	// defaulted has the schemas with a default that is checked, and without one above them, in any order.
	// resourceDefault: one of them is the root, or is in the metadata, kind or apiVersion of a resource.
	defaulted       []*schema.JSONSchemaProps
	resourceDefault bool
}

// manyProperties is a number of properties that a compiled schema can certainly have.
const manyProperties = 10_000

// note adds the facts about p itself. m is its mode.
func (f *facts) note(p *schema.JSONSchemaProps, m mode) {
	if p.Default != nil {
		f.hasDefault = true
		if !m.passesDefaults {
			f.defaulted = append(f.defaulted, p)
			f.resourceDefault = f.resourceDefault || m.root || m.meta
		}
	}
	f.hasRules = f.hasRules || len(p.XValidations) > 0
	// x-kubernetes-map-type does not count.
	f.hasExtensions = f.hasExtensions || p.XEmbeddedResource || p.XPreserveUnknownFields != nil || p.XIntOrString ||
		len(p.XListMapKeys) > 0 || p.XListType != nil || len(p.XValidations) > 0
	f.unsure = f.unsure || len(p.Properties) > manyProperties || p.Default != nil && !isJSON(p.Default) ||
		slices.ContainsFunc(p.Enum, func(v any) bool { return !isJSON(v) })
}

// or returns the facts that hold for at least one of two schemas, without defaulted and resourceDefault.
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
