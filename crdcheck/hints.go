package crdcheck

import (
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/schemadoc"
	"github.com/crdkit/crdkit/schema"
)

// Hints returns what a server does not report but the author of d should know. Hints are not part of a server's answer:
// their texts may change in any version. Each begins with the path of its schema in the document. The result is nil if
// there are none, and for a nil d. Nothing is modified.
//
// There is one so far: a list in a root field named items. A server treats an object with such a list as a list of
// objects.
func Hints(d *crd.CustomResourceDefinition) []string {
	if d == nil {
		return nil
	}
	var hints []string
	for i, p := range schemasOf(&d.Spec) {
		if mayBeList(p.Properties["items"]) {
			hints = append(hints, schemaPath(i).String()+".properties[items]: "+listHint)
		}
	}
	return hints
}

const listHint = "a server takes an object with a list in a root field named items for a list of objects: it stores the object, but answers each " +
	"request that reads or writes it with an internal error, and its table shows the items instead of the object. Use another name, or move the field into spec"

// mayBeList reports whether a schema accepts a list. p may be nil.
func mayBeList(p *schema.JSONSchemaProps) bool {
	return p != nil && (p.Type == "array" || p.Type == "" && schemadoc.Preserves(p))
}
