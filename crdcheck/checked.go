package crdcheck

import (
	"slices"

	"github.com/crdkit/crdkit/cel"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/cel/ruleset"
	"github.com/crdkit/crdkit/internal/since"
	"github.com/crdkit/crdkit/schema"
)

// A Checked is the result of the check of a definition, and has what the check compiled: its schemas and their rules.
// Package resource uses them instead of compiling them again. The check compiles only the parts of a schema that its
// rules read. If that is less than most of the schema, the schema is compiled when it is first needed. A Checked is
// safe for concurrent use, as long as the definition is not modified.
type Checked struct {
	definition *crd.CustomResourceDefinition
	sent, old  *crd.CustomResourceDefinition // for warnings: the definition with all its formats; old is nil for a create
	minor      int                           // the minor version of the server; 0 is the newest
	errs       field.List
	spec       crd.Spec // in the server's unversioned form

	// The schemas, set by checkSpec: that of all versions, and that of each version. Nil: no schema.
	top      *compiledSchema
	versions []*compiledSchema

	first      map[string]int // the index of the first version of each name
	perVersion bool           // some version has its own schema
}

// Compile is [Validate] for callers that will use the definition: it keeps what it compiled. d must not be modified
// afterwards.
func Compile(d *crd.CustomResourceDefinition) *Checked {
	c := checker{Checked: Checked{sent: d}}
	c.checkCreate(d)
	return c.result()
}

// CompileUpdate is [ValidateUpdate] for callers that will use d: it keeps what it compiled of d. Neither definition may
// be modified afterwards: [Checked.Warnings] compares them.
func CompileUpdate(d, old *crd.CustomResourceDefinition) *Checked {
	old = orEmpty(old)
	c := checker{Checked: Checked{sent: d, old: old}}
	c.checkUpdate(d, old)
	return c.result()
}

// CompileFor is [CompileUpdate], or [Compile] if old is nil, for a server of another version. Rules may call the
// functions of that version, and have its cost estimates. Defaults are not checked against formats that it does not
// enforce; the definition of the result does not have these. CompileFor does not report fields that the version does
// not know: package kubeversion removes them first. Other modules cannot call it, and use that package.
//
// Versions before 1.25 are treated as 1.25. 1.38 is known as of a prerelease.
//
// before is nil, or the result for the same definition and another version. Rules that are expensive to type-check are
// not checked again if the result is the same, and the checks for all versions together are limited to a third more
// time than the check for one.
func CompileFor(s since.Server, d, old *crd.CustomResourceDefinition, before *Checked) *Checked {
	c := checker{Checked: Checked{sent: d, old: old, minor: int(s.Minor)}, before: before}
	if old == nil {
		c.checkCreate(enforced(d, s.Minor))
	} else {
		c.checkUpdate(enforced(d, s.Minor), enforced(old, s.Minor))
	}
	return c.result()
}

// anyRules returns the rules of one of the schemas, with which those of others share what they can, or nil if there are
// none.
func (c *Checked) anyRules() *ruleset.Rules {
	if c == nil {
		return nil
	}
	for _, s := range slices.Concat(c.versions, []*compiledSchema{c.top}) {
		if s != nil && s.rules != nil {
			return s.rules
		}
	}
	return nil
}

// result returns a copy of the result, so that the checker does not escape to the heap.
func (c *checker) result() *Checked {
	checked := c.Checked
	checked.errs = c.list.Errors()
	checked.perVersion = hasPerVersion(&c.spec, hasSchema)
	checked.first = make(map[string]int, len(c.spec.Versions))
	for i := range c.spec.Versions {
		if _, ok := checked.first[c.spec.Versions[i].Name]; !ok {
			checked.first[c.spec.Versions[i].Name] = i
		}
	}
	return &checked
}

// Definition returns the definition that was checked. If that was nil, it returns an empty one.
func (c *Checked) Definition() *crd.CustomResourceDefinition { return c.definition }

// Errors returns a server's errors for the definition, in its order; nil if it accepts it. The list must not be
// modified.
func (c *Checked) Errors() field.List { return c.errs }

// Warnings is [Warnings] for the definition, with the places. A server sends the warning about sets of a type once; here
// it is repeated for each place.
func (c *Checked) Warnings() []Warning { return locatedWarnings(c.sent, c.old, since.Minor(c.minor)) }

// Schema returns the compiled schema of a version, also of a refused definition. Versions with equal schemas share one.
// Its defaults are those of the document, including what a server removes from them before it uses them (DEF-020). If
// two versions have the same name, it is the schema of the first. It must not be modified.
//
// It returns nil if there is no version of that name, if the version has no schema or one that is not structural, and
// if the check did not have to find out whether it is structural: it need not for an update of a definition that
// preserves unknown fields anyway.
func (c *Checked) Schema(version string) *schema.Structural {
	if s := c.compiled(version); s != nil {
		return s.structural()
	}
	return nil
}

// Rules returns the rules of the schema that [Checked.Schema] returns for a version, or nil if there is none. If the
// definition is accepted, they are already compiled. [cel.Rules.Costs] has the cost estimate of each.
func (c *Checked) Rules(version string) *cel.Rules {
	if s := c.compiled(version); s != nil && s.isStructural {
		if s.rules != nil {
			return ruleset.View[cel.Rules](s.rules)
		}
		return cel.Prepare(nil) // the schema has no rules
	}
	return nil
}

// compiled returns the schema of a version, or nil: BET-006.
func (c *Checked) compiled(version string) *compiledSchema {
	i, ok := c.first[version]
	switch {
	case !ok || i >= len(c.versions):
		return nil
	case c.top == nil:
		return c.versions[i]
	case c.perVersion:
		return nil // malformed: CVL-016
	}
	return c.top
}
