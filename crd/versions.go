package crd

import (
	"cmp"
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
func (d *CustomResourceDefinition) Serves(name string) bool {
	return slices.ContainsFunc(d.Spec.Versions, func(v Version) bool { return v.Served && v.Name == name })
}

// Stores reports whether objects may be stored in the version of that name: whether status.storedVersions has it.
func (d *CustomResourceDefinition) Stores(name string) bool {
	return slices.Contains(d.Status.StoredVersions, name)
}

// A Lookup says what holds for each version of a definition: its own, or what a v1beta1 document has for all versions. All that it returns
// is the definition's own, and must not be modified.
type Lookup struct {
	d        *CustomResourceDefinition
	versions map[string]*Version // the first of each name
	best     *Version            // of those served and not deprecated the first of the highest priority; nil if there is none

	schemas, subresources, columns bool // some version has its own
}

// Lookup looks at all versions of d once; the methods of the result do not. d must not be modified while it is in use.
func (d *CustomResourceDefinition) Lookup() *Lookup {
	l := &Lookup{d: d, versions: make(map[string]*Version, len(d.Spec.Versions))}
	for i := range d.Spec.Versions {
		v := &d.Spec.Versions[i]
		if l.versions[v.Name] == nil {
			l.versions[v.Name] = v
		}
		if v.Served && !v.Deprecated && (l.best == nil || version.Compare(v.Name, l.best.Name) > 0) {
			l.best = v
		}
		l.schemas = l.schemas || v.Schema != nil
		l.subresources = l.subresources || v.Subresources != nil
		l.columns = l.columns || len(v.AdditionalPrinterColumns) > 0
	}
	return l
}

// Schema returns the schema that holds for a version: nil if there is none. There is an error if the definition has no version of that name,
// and if it has schemas for all versions and for one of them.
func (l *Lookup) Schema(name string) (*schema.JSONSchemaProps, error) {
	top := l.d.Spec.Validation
	v, err := l.version(name, "schemas", top != nil && l.schemas)
	if err != nil {
		return nil, err
	}
	holder := cmp.Or(top, v.Schema)
	if holder == nil {
		return nil, nil
	}
	return holder.OpenAPIV3Schema, nil
}

// Subresources returns the subresources of a version, never nil without an error: a version without any has an empty [Subresources]. Errors
// are those of [Lookup.Schema].
func (l *Lookup) Subresources(name string) (*Subresources, error) {
	top := l.d.Spec.Subresources
	v, err := l.version(name, "subresources", top != nil && l.subresources)
	if err != nil {
		return nil, err
	}
	if s := cmp.Or(top, v.Subresources); s != nil {
		return s, nil
	}
	return &Subresources{}, nil
}

// Columns returns the columns that a table of a version's objects has behind their name: the additionalPrinterColumns, or the age where
// there are none. Errors are those of [Lookup.Schema].
func (l *Lookup) Columns(name string) ([]Column, error) {
	top := l.d.Spec.AdditionalPrinterColumns
	v, err := l.version(name, "additionalPrinterColumns", len(top) > 0 && l.columns)
	switch {
	case err != nil:
		return nil, err
	case len(top) > 0:
		return top, nil
	case len(v.AdditionalPrinterColumns) > 0:
		return v.AdditionalPrinterColumns, nil
	}
	return []Column{ageColumn()}, nil
}

// SelectableFields returns the fields of a version's objects that field selectors may name, besides metadata.name and metadata.namespace:
// those of all versions, or else the version's own. There is an error if the definition has no version of that name.
func (l *Lookup) SelectableFields(name string) ([]SelectableField, error) {
	v, err := l.version(name, "selectableFields", false)
	switch {
	case err != nil:
		return nil, err
	case l.d.Spec.SelectableFields != nil:
		return l.d.Spec.SelectableFields, nil
	}
	return v.SelectableFields, nil
}

// DeprecationWarning returns the warning that every request to a deprecated version gets, and whether the version of that name is
// deprecated: the document's own text, or one that offers the best version that is served, not deprecated and of a higher priority than
// this one.
func (l *Lookup) DeprecationWarning(name string) (string, bool) {
	v := l.versions[name]
	if v == nil || !v.Deprecated {
		return "", false
	}
	if v.DeprecationWarning != nil {
		return *v.DeprecationWarning, true
	}
	group, kind := l.d.Spec.Group, l.d.Spec.Names.Kind
	text := fmt.Sprintf("%s/%s %s is deprecated", group, name, kind)
	if l.best != nil && version.Compare(l.best.Name, name) > 0 {
		text += fmt.Sprintf("; use %s/%s %s", group, l.best.Name, kind)
	}
	return text, true
}

// version returns the version of a name. There is an error if what is asked for stands at the top and in some version (BET-006): so
// whoever has the version may look for it in either place first.
func (l *Lookup) version(name, what string, twice bool) (*Version, error) {
	v := l.versions[name]
	if v == nil {
		return nil, fmt.Errorf("crd: version %s not found in CustomResourceDefinition: %s", name, l.d.Name())
	}
	if twice {
		return nil, fmt.Errorf("crd: malformed CustomResourceDefinition %s version %s: top-level and per-version %s must be mutual exclusive",
			l.d.Name(), name, what)
	}
	return v, nil
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
