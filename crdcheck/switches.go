package crdcheck

import (
	"slices"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/embedded"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/schema"
)

// switches say which checks are made: all on create, on update only those that the old definition passes. Each applies
// to the whole definition, whichever of the old schemas failed it: UPD-001.
type switches struct {
	facts facts // about the new schemas

	requireSchema        bool
	requireValidTypes    bool
	requireStructural    bool // schema.go adds what the new definition itself needs: SCH-005
	requirePruned        bool
	requireAtomicSets    bool
	requireMapKeys       bool // SCH-033
	requireKnownReview   bool
	requireValidCABundle bool
	established          bool // scope and kind are immutable

	stored           *storedExpressions
	unchangedSchemas map[string]bool // versions with the same schema as in the old definition
	tooManyFields    map[string]bool // versions that may have too many selectable fields; "": the definition
}

// storedExpressions are the texts of the rules and messageExpressions of the stored definition (CWH-010).
type storedExpressions struct{ rules, messages map[string]bool }

// onCreate returns the switches for a new definition. found has the facts about its schemas.
func onCreate(found map[*schema.JSONSchemaProps]facts) switches {
	var all facts
	for _, f := range found {
		all = all.or(f)
	}
	return switches{
		facts:         all,
		requireSchema: true, requireValidTypes: true, requireStructural: true, requirePruned: true,
		requireAtomicSets: true, requireMapKeys: true, requireKnownReview: true,
	}
}

// onUpdate returns the switches for a spec that replaces old, both in the server's form. found has the facts about the
// schemas of the new one.
func onUpdate(found map[*schema.JSONSchemaProps]facts, s, old *crd.Spec, stored *crd.CustomResourceDefinition) switches {
	established := stored.HasCondition(crd.Established)
	on := onCreate(found)
	on.established = established
	on.requireSchema = openAPISchema(old.Validation) != nil || !hasPerVersion(old, func(v *crd.Version) bool { return openAPISchema(v.Schema) == nil })
	on.stored = &storedExpressions{rules: map[string]bool{}, messages: map[string]bool{}}
	for _, p := range schemasOf(old) {
		on.relax(p)
	}
	if conversion := old.Conversion; conversion != nil {
		on.requireKnownReview = len(conversion.ConversionReviewVersions) == 0 || slices.ContainsFunc(conversion.ConversionReviewVersions, isKnownReview)
	}
	on.requireValidCABundle = established && caBundleError(caBundle(old)) == nil
	on.unchangedSchemas = unchangedSchemas(s, old)
	on.tooManyFields = tooManyFields(s, old)
	return on
}

// relax turns off the checks that an old schema fails.
func (on *switches) relax(p *schema.JSONSchemaProps) {
	hasDefault := false
	each(p, func(p *schema.JSONSchemaProps) {
		hasDefault = hasDefault || p.Default != nil
		if p.Type != "" && !isValidType(p.Type) {
			on.requireValidTypes = false
		}
		on.requireAtomicSets = on.requireAtomicSets && setItemsFault(p) == ""
		if on.requireMapKeys {
			var w schemaWalk
			w.mapKeys(p, nil)
			on.requireMapKeys = w.errs.Len() == 0
		}
		for i := range p.XValidations {
			on.stored.rules[p.XValidations[i].Rule] = true
			if text := p.XValidations[i].MessageExpression; text != "" {
				on.stored.messages[text] = true
			}
		}
	})
	if len(schema.Violations(nil, p, field.Limit{Errors: -1})) > 0 {
		on.requireStructural = false
	} else if hasDefault && on.requirePruned && changesStored(p) {
		on.requirePruned = false
	}
}

// unchangedSchemas returns the versions of s whose schemas are the same in old: UPD-006.
func unchangedSchemas(s, old *crd.Spec) map[string]bool {
	now, before := schemaOf(s), schemaOf(old)
	unchanged := map[string]bool{}
	type pair struct{ v, w *crd.Validation }
	compared := map[pair]bool{} // versions often share a schema
	for i := range s.Versions {
		name := s.Versions[i].Name
		v, ok := now(name)
		w, had := before(name)
		if !ok || !had {
			continue
		}
		same, done := compared[pair{v, w}]
		if !done {
			same = jsonval.EqualTyped(v, w)
			compared[pair{v, w}] = same
		}
		if same {
			unchanged[name] = true
		}
	}
	return unchanged
}

// schemaOf returns a function that returns the schema of a version in the server's form, and whether that is known:
// BET-006. If no version has a schema of its own, it is the schema of all versions, for any name.
func schemaOf(s *crd.Spec) func(name string) (*crd.Validation, bool) {
	own := hasPerVersion(s, hasSchema)
	first := make(map[string]*crd.Validation, len(s.Versions))
	for i := range s.Versions {
		if _, ok := first[s.Versions[i].Name]; !ok {
			first[s.Versions[i].Name] = s.Versions[i].Schema
		}
	}
	return func(name string) (*crd.Validation, bool) {
		switch {
		case !own:
			return s.Validation, true
		case s.Validation != nil:
			return nil, false
		}
		v, ok := first[name]
		return v, ok
	}
}

// tooManyFields returns the versions that may have too many selectable fields, because these existed before and have
// not changed.
func tooManyFields(s, old *crd.Spec) map[string]bool {
	allowed := map[string]bool{}
	check := func(name string, fields, old []crd.SelectableField) {
		if len(old) > maxSelectableFields && slices.Equal(fields, old) {
			allowed[name] = true
		}
	}
	check("", s.SelectableFields, old.SelectableFields)
	had := make(map[string][]crd.SelectableField, len(old.Versions))
	for i := range old.Versions {
		had[old.Versions[i].Name] = old.Versions[i].SelectableFields
	}
	for i := range s.Versions {
		v := &s.Versions[i]
		check(v.Name, v.SelectableFields, had[v.Name])
	}
	return allowed
}

// changesStored reports whether a server changes some default of a structural schema before it uses it. It is false for
// other schemas.
func changesStored(p *schema.JSONSchemaProps) bool {
	s, err := schema.CompileLoose(p)
	if err != nil {
		return false
	}
	prepared, err := embedded.StoredDefaults(p, s)
	return err == nil && prepared != p
}
