package crd

import (
	"errors"
	"fmt"
	"slices"

	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/version"
)

// Version returns the first version of that name, or nil. It points into d.
func (d *CustomResourceDefinition) Version(name string) *Version {
	for i := range d.Spec.Versions {
		if d.Spec.Versions[i].Name == name {
			return &d.Spec.Versions[i]
		}
	}
	return nil
}

// StorageVersion returns the name of the first version that is marked as the one objects are stored in, or an error if none is.
//
// Clauses: VER-010.
func (d *CustomResourceDefinition) StorageVersion() (string, error) {
	if v := d.storage(); v != nil {
		return v.Name, nil
	}
	return "", errors.New("crd: invalid CustomResourceDefinition, no storage version")
}

func (d *CustomResourceDefinition) storage() *Version {
	for i := range d.Spec.Versions {
		if d.Spec.Versions[i].Storage {
			return &d.Spec.Versions[i]
		}
	}
	return nil
}

// Serves reports whether a version of that name is served.
//
// Clauses: VER-010.
func (d *CustomResourceDefinition) Serves(name string) bool {
	return slices.ContainsFunc(d.Spec.Versions, func(v Version) bool { return v.Served && v.Name == name })
}

// Stores reports whether objects may be stored in the version of that name: whether status.storedVersions has it.
//
// Clauses: VER-010.
func (d *CustomResourceDefinition) Stores(name string) bool {
	return slices.Contains(d.Status.StoredVersions, name)
}

// Schema returns the schema that holds for a version: nil if there is none. It is the version's own, or the one that a v1beta1
// document has for all versions. There is an error if d has no version of that name, and if it has schemas in both places.
// The schema is d's own, and must not be modified.
//
// Clauses: BET-006.
func (d *CustomResourceDefinition) Schema(name string) (*schema.JSONSchemaProps, error) {
	v, perVersion, err := d.look(name, "schemas", d.Spec.Validation != nil, func(v *Version) bool { return v.Schema != nil })
	if err != nil {
		return nil, err
	}
	holder := d.Spec.Validation
	if perVersion {
		holder = v.Schema
	}
	if holder == nil {
		return nil, nil
	}
	return holder.OpenAPIV3Schema, nil
}

// Subresources returns the subresources of a version, never nil without an error: a version without any has an empty
// [Subresources]. Errors and ownership are those of [CustomResourceDefinition.Schema].
//
// Clauses: BET-006.
func (d *CustomResourceDefinition) Subresources(name string) (*Subresources, error) {
	v, perVersion, err := d.look(name, "subresources", d.Spec.Subresources != nil, func(v *Version) bool { return v.Subresources != nil })
	if err != nil {
		return nil, err
	}
	s := d.Spec.Subresources
	if perVersion {
		s = v.Subresources
	}
	if s == nil {
		s = &Subresources{}
	}
	return s, nil
}

// Columns returns the columns that a table of a version's objects has behind their name: the additionalPrinterColumns, or the age
// where there are none. Errors and ownership are those of [CustomResourceDefinition.Schema].
//
// Clauses: BET-006, BET-007.
func (d *CustomResourceDefinition) Columns(name string) ([]Column, error) {
	v, perVersion, err := d.look(name, "additionalPrinterColumns", len(d.Spec.AdditionalPrinterColumns) > 0,
		func(v *Version) bool { return len(v.AdditionalPrinterColumns) > 0 })
	if err != nil {
		return nil, err
	}
	columns := d.Spec.AdditionalPrinterColumns
	if perVersion {
		columns = v.AdditionalPrinterColumns
	}
	if len(columns) == 0 {
		columns = []Column{ageColumn()}
	}
	return columns, nil
}

// SelectableFields returns the fields of a version's objects that field selectors may name, besides metadata.name and
// metadata.namespace: those that a v1beta1 document has for all versions, or else the version's own. There is an error if d has
// no version of that name. The list is d's own, and must not be modified.
//
// Clause: BET-004.
func (d *CustomResourceDefinition) SelectableFields(name string) ([]SelectableField, error) {
	v := d.Version(name)
	switch {
	case v == nil:
		return nil, d.notFound(name)
	case d.Spec.SelectableFields != nil:
		return d.Spec.SelectableFields, nil
	}
	return v.SelectableFields, nil
}

func (d *CustomResourceDefinition) notFound(name string) error {
	return fmt.Errorf("crd: version %s not found in CustomResourceDefinition: %s", name, d.Name())
}

// look finds the version of a name, and whether it or the spec has what is asked for (BET-006).
func (d *CustomResourceDefinition) look(name, what string, top bool, has func(*Version) bool) (v *Version, perVersion bool, err error) {
	if v = d.Version(name); v == nil {
		return nil, false, d.notFound(name)
	}
	for i := range d.Spec.Versions {
		perVersion = perVersion || has(&d.Spec.Versions[i])
	}
	if top && perVersion {
		return nil, false, fmt.Errorf("crd: malformed CustomResourceDefinition %s version %s: top-level and per-version %s must be mutual exclusive",
			d.Name(), name, what)
	}
	return v, perVersion, nil
}

// ageDescription is the text that the API has for metadata.creationTimestamp.
const ageDescription = "CreationTimestamp is a timestamp representing the server time when this object was created. " +
	"It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. " +
	"It is represented in RFC3339 form and is in UTC.\n\n" +
	"Populated by the system. Read-only. Null for lists. " +
	"More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata"

func ageColumn() Column {
	return Column{Name: "Age", Type: "date", Description: ageDescription, JSONPath: ".metadata.creationTimestamp"}
}

// DeprecationWarning returns the warning that every request to a deprecated version gets, and whether the version of that name
// is deprecated: the document's own text, or one that offers the best version that is served, not deprecated and of a
// higher priority than this one.
//
// Clauses: DPR-001, DPR-002.
func (d *CustomResourceDefinition) DeprecationWarning(name string) (string, bool) {
	v := d.Version(name)
	if v == nil || !v.Deprecated {
		return "", false
	}
	if v.DeprecationWarning != nil {
		return *v.DeprecationWarning, true
	}
	kind, best := d.Spec.Names.Kind, name
	for _, other := range d.Spec.Versions {
		if other.Served && !other.Deprecated && version.Compare(other.Name, best) > 0 {
			best = other.Name
		}
	}
	text := fmt.Sprintf("%s/%s %s is deprecated", d.Spec.Group, name, kind)
	if best != name {
		text += fmt.Sprintf("; use %s/%s %s", d.Spec.Group, best, kind)
	}
	return text, true
}
