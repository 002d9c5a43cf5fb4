package crdcheck

import (
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/errlist"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/schema"
)

// Validate returns what a server says against d on create, in its order; nil if it takes d. A status in d does not matter: it is
// wiped first, and so is what only a server sets in the metadata.
//
// The fields of the errors are those of the server's unversioned form ([crd.CustomResourceDefinition.Unversioned]): a v1 definition
// whose versions all have the same schema gets errors at spec.validation.openAPIV3Schema.
//
// d has its defaults, as [crd.Parse] and [crd.CustomResourceDefinition.WithDefaults] set them. A nil d is an empty definition. A schema that
// only Go can make is the only error: one that is nested deeper than [schema.MaxDepth], since it contains itself perhaps, or that has a
// nil schema in a list or a map. d is not modified; bad values alias it. The errors end at the default [field.Limit]; [CompileWithin] has another.
func Validate(d *crd.CustomResourceDefinition) field.List {
	return CompileWithin(d, field.Limit{}).errs
}

// ValidateUpdate returns what a server says against d in the place of old, in its order; nil if it takes d. Much of what was wrong in old
// already may stay so. The status of d does not matter: it is that of old, with the storage version of d among the stored ones. An
// error of the metadata that both the generic check of any object and that of definitions find is there twice, as it is in a server's
// answer.
//
// Both have their defaults. old is as it is stored: it need not be valid, and its condition Established decides which of its names are
// fixed. A resourceVersion and a uid are asked for only where old has them. What is said of d at [Validate] goes for both.
func ValidateUpdate(d, old *crd.CustomResourceDefinition) field.List {
	return CompileUpdateWithin(d, old, field.Limit{}).errs
}

// ValidateStatusUpdate returns what a server says against an update of the status subresource from old to d, in its order; nil if it takes
// it. It looks at the metadata, which such an update may change, and at the names that are accepted. The spec of d does not matter:
// it is that of old, and nobody asks whether it fits the stored versions. What is said of d at [Validate] goes for both.
func ValidateStatusUpdate(d, old *crd.CustomResourceDefinition) field.List {
	if d == nil {
		d = &crd.CustomResourceDefinition{}
	}
	if old == nil {
		old = &crd.CustomResourceDefinition{}
	}
	var c checker
	c.add(updateMetadata(updatedMetadata(d, old, false), old.Metadata, c.list.Left())...)
	c.checkNames(&d.Status.AcceptedNames, acceptedPath)
	return c.list.Errors()
}

// A checker checks one definition. It stays on the Go stack.
type checker struct {
	Checked // what comes of it; its errs are set in the end

	list   errlist.List
	judged errlist.List // the violations of the schemas so far: together they are within the limit
	status crd.Status
	on     switches
	minor  int
	before *Checked // for another version: what took long is not done again
}

// checkCreate checks a new definition.
func (c *checker) checkCreate(d *crd.CustomResourceDefinition) {
	defer func() { c.errs = c.list.Errors() }()
	if d == nil {
		d = &crd.CustomResourceDefinition{}
	}
	c.definition = d
	found := make(map[*schema.JSONSchemaProps]facts, 1)
	if errs := inspect(d, found); errs != nil {
		c.add(errs...)
		return
	}
	c.spec, c.status, c.on = d.Unversioned(), updatedStatus(d, nil), onCreate(found)
	meta, valid := createdMetadata(d)
	c.add(createMetadata(meta, &c.spec, valid, c.list.Left())...)
	c.checkSpec(found)
	c.checkStatus()
	c.checkApproval(d, nil)
	c.checkPreserving(nil)
	if c.list.Len() == 0 && !valid {
		// The generic check of any object comes when there is nothing else to say (STR-011).
		c.add(objectmeta.ValidateCreate(meta, metadataPath, false, objectmeta.PathSegment, c.list.Left())...)
	}
}

// checkUpdate checks a definition in the place of old.
func (c *checker) checkUpdate(d, old *crd.CustomResourceDefinition) {
	defer func() { c.errs = c.list.Errors() }()
	if d == nil {
		d = &crd.CustomResourceDefinition{}
	}
	if old == nil {
		old = &crd.CustomResourceDefinition{}
	}
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
	c.add(updateMetadata(updatedMetadata(d, old, !c.spec.Equal(&oldSpec)), old.Metadata, c.list.Left())...)
	c.checkSpec(found)
	c.checkImmutable(&oldSpec)
	c.checkStatus()
	c.checkApproval(d, old)
	c.checkPreserving(&oldSpec)
}

func (c *checker) add(errs ...*field.Error) { c.list.Append(errs...) }

// preserving reports whether preserveUnknownFields is true, or nil, which a server takes for true wherever it asks so.
func preserving(s *crd.Spec) bool {
	return s.PreserveUnknownFields == nil || *s.PreserveUnknownFields
}

// preservingExplicitly reports whether preserveUnknownFields is true.
func preservingExplicitly(s *crd.Spec) bool {
	return s.PreserveUnknownFields != nil && *s.PreserveUnknownFields
}
