package crdcheck

import (
	"slices"
	"strings"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/definition"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/internal/since"
)

// server returns the server whose rules for metadata hold.
func (c *checker) server() objectmeta.Server {
	if c.minor == 0 {
		return objectmeta.Server{}
	}
	return objectmeta.Server{Profile: since.Minor(c.minor).Profile()}
}

// createMetadata returns the errors of the metadata of a new definition: CVL-002, CVL-003. valid says that the generic
// rules for objects are known to hold.
func (c *checker) createMetadata(meta map[string]any, valid bool) field.List {
	path, spec := metadataPath, &c.spec
	var errs field.List
	if !valid {
		errs = c.server().ValidateCreate(meta, path, false, objectmeta.Subdomain, c.list.Left())
	}
	if len(errs) == 1 && errs[0].Path == path {
		return errs // the metadata cannot be read
	}
	name, _ := meta["name"].(string)
	prefix, _ := meta["generateName"].(string)
	fits := func(name string) bool {
		rest, ok := strings.CutPrefix(name, spec.Names.Plural)
		return ok && len(rest) > 0 && rest[0] == '.' && rest[1:] == spec.Group
	}
	if prefix != "" {
		switch {
		case !fits(prefix):
			errs = insertAfter(errs, misnamed(path.Child("generateName"), prefix), "metadata.generateName")
		case name == "":
			name = objectmeta.GeneratedName(meta)
		}
	}
	if name != "" && !fits(name) {
		errs = insertAfter(errs, misnamed(path.Child("name"), name), "metadata.generateName", "metadata.name")
	}
	return refusal.DistinctErrors(errs)
}

func misnamed(at *field.Path, name string) *field.Error {
	return field.Invalid(at, name, `must be spec.names.plural+"."+spec.group`)
}

// insertAfter inserts e after the leading errors that are about one of the fields.
func insertAfter(errs field.List, e *field.Error, fields ...string) field.List {
	i := 0
	for i < len(errs) && slices.Contains(fields, errs[i].Field) {
		i++
	}
	return slices.Insert(errs, i, e)
}

// updateMetadata returns the errors of changed metadata: first those of any object, then those of a definition, some of
// which are the same (CVL-004, STR-012).
func updateMetadata(meta, old map[string]any, limit field.Limit) field.List {
	created, changed := objectmeta.ValidateUpdate(meta, old, metadataPath, false, limit)
	errs := refusal.Within(limit)
	errs.Append(created...)
	errs.Append(changed...)
	errs.Append(refusal.DistinctErrors(changed)...)
	return errs.Errors()
}

// checkApproval requires an approval for definitions in the groups of Kubernetes itself, unless the old definition was
// in the same state: APP-003.
func (c *checker) checkApproval(d, old *crd.CustomResourceDefinition) {
	if !definition.ProtectedGroup(c.spec.Group) {
		return
	}
	text, _ := d.Annotation(definition.ApprovalAnnotation)
	state, reason := definition.ReadApproval(text)
	if old != nil {
		text, _ := old.Annotation(definition.ApprovalAnnotation)
		if before, _ := definition.ReadApproval(text); before == state {
			return
		}
	}
	at := metadataPath.Child("annotations").Key(definition.ApprovalAnnotation)
	switch state {
	case definition.ApprovalMissing:
		c.add(field.Required(at, reason))
	case definition.ApprovalInvalid:
		c.add(field.Invalid(at, text, reason))
	}
}
