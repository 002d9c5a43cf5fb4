package resource

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/internal/cel/ruleset"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/storeddefaults"
	"github.com/crdkit/crdkit/schema"
)

// CompileChecked is [Compile] for a definition that [crdcheck.Compile] or [crdcheck.CompileUpdate] has checked. It takes over what those have
// compiled, schemas and rules, and compiles nothing again; only a schema with defaults that a server brings into form first (DEF-020)
// is compiled once more, with these, and its rules when objects need them. Versions with equal schemas share one.
//
// It refuses a definition that the check refused, and then errors.As finds each *[field.Error] of that; and a definition that a
// server takes but could not serve, as Compile does: one whose whole object has a default that is no object (DFV-005, PUF-003). Nil is an
// error.
//
// c may be used on, also for other Resources. Its definition must not be modified afterwards.
func CompileChecked(c *crdcheck.Checked) (*Resource, error) {
	if c == nil {
		return nil, errors.New("resource: no definition")
	}
	if err := c.Errors().Err(); err != nil {
		return nil, fmt.Errorf("resource: %w", err)
	}
	return compile(c.Definition(), c)
}

// compileSchema compiles the schema of a version, unless checked has it; checked may be nil.
func (r *Resource) compileSchema(name string, props *schema.JSONSchemaProps, checked *crdcheck.Checked) (*schema.Structural, error) {
	var s *schema.Structural
	if checked != nil {
		s = checked.Schema(name)
	}
	switch {
	case r.prunes && s != nil:
		return withServedDefaults(props, s)
	case r.prunes:
		s, errs := schema.Compile(props)
		if errs != nil {
			return nil, errs.Err()
		}
		return withServedDefaults(props, s)
	case s != nil || props == nil: // PUF-002
		return s, nil
	}
	return schema.CompileLoose(props)
}

// withServedDefaults returns s, which p was compiled to, with its defaults as a server uses them: without the unknown or malformed parts
// of metadata, and without the unknown fields that old definitions may have in them (DEF-020). It returns s itself if there is nothing
// to change about these, and does not modify it.
func withServedDefaults(p *schema.JSONSchemaProps, s *schema.Structural) (*schema.Structural, error) {
	if plan.Root(s).Below&plan.HasDefault == 0 {
		return s, nil
	}
	prepared, err := storeddefaults.Prepared(p, s)
	if err != nil || prepared == p {
		return s, err
	}
	return schema.CompileLoose(prepared)
}

// prepareRules gives each version its rules, those that checked has for its schema; checked may be nil. Versions have most of the others in
// common, and compile those once.
func (r *Resource) prepareRules(checked *crdcheck.Checked) {
	var rest []*version
	var schemas []*schema.Structural
	for _, name := range slices.Sorted(maps.Keys(r.versions)) {
		v := r.versions[name]
		if checked != nil && v.schema != nil && v.schema == checked.Schema(name) {
			v.rules = ruleset.Of(checked.Rules(name))
			continue
		}
		rest, schemas = append(rest, v), append(schemas, v.schema)
	}
	for i, rules := range ruleset.PrepareAll(schemas...) {
		rest[i].rules = rules
	}
}
