package crdcheck

import (
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/origin"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/schema"
)

// Validate returns the errors that a server reports when d is created, in its order; nil if it accepts d. A status in d
// is ignored: a server clears it first, together with the metadata that only a server sets.
//
// The fields of the errors are those of the server's unversioned form ([crd.CustomResourceDefinition.Unversioned]): a
// v1 definition whose versions all have the same schema gets errors at spec.validation.openAPIV3Schema.
//
// d has its defaults, as [crd.Parse] and [crd.CustomResourceDefinition.WithDefaults] set them. A nil d is an empty
// definition. A schema that no document can have is the only error: one that is nested deeper than 10,000 levels,
// perhaps because it contains itself, or that has a nil schema in a list or a map. d is not modified; bad values alias
// it. The errors end at the default [field.Limit].
func Validate(d *crd.CustomResourceDefinition) field.List {
	return Compile(d).errs
}

// ValidateUpdate returns the errors that a server reports when d replaces old, in its order; nil if it accepts d. Many
// errors that old already has are not reported. The status of d is ignored: it is that of old, with the storage version
// of d added to the stored versions. If the generic metadata check and that of definitions find the same error, it is
// there twice, as in a server's answer.
//
// Both have their defaults. old is as it is stored: it need not be valid, and its condition Established decides which
// of its names are immutable. A resourceVersion and a uid are required only if old has them. What [Validate] says about
// d applies to both.
func ValidateUpdate(d, old *crd.CustomResourceDefinition) field.List {
	return CompileUpdate(d, old).errs
}

// ValidateStatusUpdate returns the errors that a server reports for an update of the status subresource from old to d,
// in its order; nil if it accepts it. It checks the metadata, which such an update may change, and the accepted names.
// The spec of d is ignored: it is that of old, and is not compared with the stored versions. What [Validate] says about
// d applies to both.
func ValidateStatusUpdate(d, old *crd.CustomResourceDefinition) field.List {
	d, old = orEmpty(d), orEmpty(old)
	var c checker
	c.add(updateMetadata(updatedMetadata(d, old, false), withoutNamespace(old.Metadata), c.list.Left())...)
	c.checkNames(&d.Status.AcceptedNames, acceptedPath)
	return c.list.Errors()
}

func orEmpty(d *crd.CustomResourceDefinition) *crd.CustomResourceDefinition {
	if d == nil {
		return &crd.CustomResourceDefinition{}
	}
	return d
}

// A checker checks one definition. It does not escape to the heap.
type checker struct {
	Checked // the result, except errs

	list       refusal.List
	violations refusal.List // of the schemas so far: together they are within the limit
	status     crd.Status
	on         switches
	before     *Checked // the check for another version, whose expensive results are reused
}

// checkCreate checks a new definition.
func (c *checker) checkCreate(d *crd.CustomResourceDefinition) {
	d = orEmpty(d)
	c.definition = d
	found := make(map[*schema.JSONSchemaProps]facts, 1)
	if errs := inspect(d, found); errs != nil {
		c.add(errs...)
		return
	}
	c.spec, c.status, c.on = d.Unversioned(), updatedStatus(d, nil), onCreate(found)
	meta, valid := createdMetadata(d)
	c.add(c.createMetadata(meta, valid)...)
	c.checkSpec(found)
	c.checkStatus()
	c.checkApproval(d, nil)
	c.checkPreserving(nil)
	if c.list.Len() == 0 && !valid {
		// The generic check of any object is made only if there are no other errors (STR-011).
		c.add(c.server().ValidateCreate(meta, metadataPath, false, objectmeta.PathSegment, c.list.Left())...)
	}
}

// checkUpdate checks a definition that replaces old.
func (c *checker) checkUpdate(d, old *crd.CustomResourceDefinition) {
	d, old = orEmpty(d), orEmpty(old)
	c.definition = d
	found := make(map[*schema.JSONSchemaProps]facts, 1)
	errs := inspect(d, found)
	if errs == nil {
		errs = unusable(old)
	}
	if errs != nil {
		c.add(errs...)
		return
	}
	oldSpec := old.Unversioned()
	c.spec, c.status = d.Unversioned(), updatedStatus(d, old)
	c.on = onUpdate(found, &c.spec, &oldSpec, old)
	c.add(updateMetadata(updatedMetadata(d, old, !jsonval.EqualTyped(&c.spec, &oldSpec)), withoutNamespace(old.Metadata), c.list.Left())...)
	c.checkSpec(found)
	c.checkImmutable(&oldSpec)
	c.checkStatus()
	c.checkApproval(d, old)
	c.checkPreserving(&oldSpec)
}

//go:noinline
func (c *checker) add(errs ...*field.Error) {
	for _, e := range errs {
		origin.SetInDefinition(e)
	}
	c.list.Append(errs...)
}

// preserving reports whether preserveUnknownFields is true or nil. A server treats nil as true in these checks.
func preserving(s *crd.Spec) bool {
	return s.PreserveUnknownFields == nil || *s.PreserveUnknownFields
}

// preservingExplicitly reports whether preserveUnknownFields is true.
func preservingExplicitly(s *crd.Spec) bool {
	return s.PreserveUnknownFields != nil && *s.PreserveUnknownFields
}
