package crdcheck

import (
	"slices"

	"github.com/crdkit/crdkit/cel"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/cel/ruleset"
	"github.com/crdkit/crdkit/internal/errlist"
	"github.com/crdkit/crdkit/schema"
)

// A Checked is the judgement of a definition, with what was compiled for it: its schemas and their rules. Package resource takes them
// from there instead of compiling them again. To check a schema takes no more of it compiled than its rules see: where that is not most of
// it, it is compiled when somebody first asks for it. It is safe for concurrent use, as long as nobody modifies the definition.
type Checked struct {
	definition *crd.CustomResourceDefinition
	errs       field.List
	spec       crd.Spec // in the server's unversioned form

	// The schemas, once checkSpec has placed them: that of all versions, and those of each. Nil where there is none.
	top      *compiledSchema
	versions []*compiledSchema
}

// Compile is [Validate] for those who go on with the definition: it keeps what it compiled. d must not be modified afterwards.
func Compile(d *crd.CustomResourceDefinition) *Checked { return CompileWithin(d, field.Limit{}) }

// CompileWithin is [Compile] with another limit of errors.
func CompileWithin(d *crd.CustomResourceDefinition, limit field.Limit) *Checked {
	c := newChecker(limit)
	c.checkCreate(d)
	checked := c.Checked
	return &checked
}

// CompileMinor is [Compile] for an older server: rules may call what that minor version of Kubernetes 1 has, such as 31, and have the estimates
// that they had there. It says nothing of fields that the version does not know: package kubeversion takes them out first, and is
// what most should use. A minor of 0 is the newest; what is older than 25 counts as 25.
//
// before is nil, or the judgement of the same definition for another version: rules whose type check takes long are not checked again where the
// result is the same, and the checks for all versions end at a limit of time that is a third above that of one.
func CompileMinor(d *crd.CustomResourceDefinition, minor int, before *Checked) *Checked {
	c := newChecker(field.Limit{})
	c.minor, c.before = minor, before
	c.checkCreate(d)
	checked := c.Checked
	return &checked
}

// someRules returns the rules of one of the schemas, nil without any. All of them share what others may use.
func (c *Checked) someRules() *ruleset.Rules {
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

func newChecker(limit field.Limit) checker {
	return checker{list: errlist.Within(limit), judged: errlist.Within(limit)}
}

// CompileUpdate is [ValidateUpdate] for those who go on with d: it keeps what it compiled of that. d must not be modified afterwards. Of
// old nothing is kept.
func CompileUpdate(d, old *crd.CustomResourceDefinition) *Checked {
	return CompileUpdateWithin(d, old, field.Limit{})
}

// CompileUpdateWithin is [CompileUpdate] with another limit of errors.
func CompileUpdateWithin(d, old *crd.CustomResourceDefinition, limit field.Limit) *Checked {
	c := newChecker(limit)
	c.checkUpdate(d, old)
	checked := c.Checked
	return &checked
}

// Definition returns the definition that was checked, an empty one for nil.
func (c *Checked) Definition() *crd.CustomResourceDefinition { return c.definition }

// Errors returns what a server says against the definition, in its order; nil if it takes it. The list must not be modified.
func (c *Checked) Errors() field.List { return c.errs }

// Schema returns the compiled schema of a version, of a refused definition as well. It is the same one for all versions if they have equal
// schemas. Its defaults are those of the document, with what a server drops from them before it uses them (DEF-020). Of two versions
// with one name it is the schema of the first. It must not be modified.
//
// It returns nil if there is no version of that name, if the version has no schema or one that is not structural, and if nobody asked
// whether it is, as in the update of a definition that preserves unknown fields anyway.
func (c *Checked) Schema(version string) *schema.Structural {
	if s := c.compiled(version); s != nil {
		return s.structural()
	}
	return nil
}

// Rules returns the rules of what [Checked.Schema] returns for a version. If the definition is accepted they are compiled already.
// [cel.Rules.Costs] has the estimates for each. It returns nil if there is no such schema.
func (c *Checked) Rules(version string) *cel.Rules {
	if s := c.compiled(version); s != nil && s.isStructural {
		if s.rules != nil {
			return ruleset.View[cel.Rules](s.rules)
		}
		return cel.Prepare(nil) // there are none
	}
	return nil
}

// compiled returns the schema of a version, or nil: BET-006.
func (c *Checked) compiled(version string) *compiledSchema {
	for i, s := range c.versions {
		if c.spec.Versions[i].Name != version {
			continue
		}
		switch {
		case c.top == nil:
			return s
		case hasPerVersion(&c.spec, hasSchema):
			return nil // malformed: CVL-016
		}
		return c.top
	}
	return nil
}
