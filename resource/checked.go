package resource

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/internal/cel/ruleset"
	"github.com/crdkit/crdkit/internal/embedded"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/schema"
)

// CompileChecked is [Compile] for a definition that [crdcheck.Compile] or [crdcheck.CompileUpdate] has checked. It
// reuses the schemas and rules that the check compiled. Only a schema with defaults that a server normalizes first
// (DEF-020) is compiled again, with the normalized defaults; its rules are compiled when objects need them. Versions
// with equal schemas share one compiled schema.
//
// It refuses a definition that the check refused; errors.As finds each *[field.Error] of the check in the error. Like
// Compile, it also refuses a definition that a server accepts but cannot serve: one in which the whole object has a
// default that is not an object (DFV-005, PUF-003). Nil is an error.
//
// c may be used afterwards, and for other Resources. Its definition must not be modified afterwards.
func CompileChecked(c *crdcheck.Checked) (*Resource, error) {
	if c == nil {
		return nil, errors.New("resource: no definition")
	}
	if err := c.Errors().Err(); err != nil {
		return nil, fmt.Errorf("resource: %w", err)
	}
	return compile(c.Definition(), c)
}

// compileSchema compiles the schema of a version, unless checked has it already. checked may be nil.
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

// withServedDefaults returns s, the compiled form of p, with its defaults as a server uses them: without the unknown or
// malformed parts of metadata, and without the unknown fields that old definitions may have in them (DEF-020). It does
// not modify s, and returns s itself if nothing has to change.
func withServedDefaults(p *schema.JSONSchemaProps, s *schema.Structural) (*schema.Structural, error) {
	if plan.Root(s).Below&plan.HasDefault == 0 {
		return s, nil
	}
	prepared, err := embedded.StoredDefaults(p, s)
	if err != nil || prepared == p {
		return s, err
	}
	return schema.CompileLoose(prepared)
}

// prepareRules sets the rules of each version to those that checked has for its schema; checked may be nil. The
// remaining versions share what they have in common and compile it once.
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
