package crd

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/version"
)

// Version returns the first version with that name, or nil. It points into d.
func (d *CustomResourceDefinition) Version(name string) *Version {
	return find(d.Spec.Versions, func(v *Version) bool { return v.Name == name })
}

// StorageVersion returns the name of the first version that is marked as the storage version, or an error if none is.
func (d *CustomResourceDefinition) StorageVersion() (string, error) {
	if v := d.storage(); v != nil {
		return v.Name, nil
	}
	return "", errors.New("crd: invalid CustomResourceDefinition, no storage version")
}

func (d *CustomResourceDefinition) storage() *Version {
	return find(d.Spec.Versions, func(v *Version) bool { return v.Storage })
}

// find returns a pointer to the first element of list for which match returns true, or nil.
func find[T any](list []T, match func(*T) bool) *T {
	for i := range list {
		if match(&list[i]) {
			return &list[i]
		}
	}
	return nil
}

// Serves reports whether the version with that name is served.
//
//go:noinline
func (d *CustomResourceDefinition) Serves(name string) bool {
	return slices.ContainsFunc(d.Spec.Versions, func(v Version) bool { return v.Served && v.Name == name })
}

// A Lookup returns what applies to each version of a definition: the version's own settings, or what a v1beta1 document
// has for all versions. Everything that it returns belongs to the definition, and must not be modified.
type Lookup struct {
	d        *CustomResourceDefinition
	versions map[string]*Version // the first of each name
	best     *Version            // the served one of the highest priority that is not deprecated, or nil

	schemas, subresources, columns bool // some version has its own
}

// Lookup examines all versions of d once; the methods of the result do not. d must not be modified while the result is
// in use.
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

// Schema returns the schema of a version, or nil if there is none. It is an error if the definition has no version with
// that name, or if it has both a schema for all versions and one for a single version.
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

// Subresources returns the subresources of a version. Without an error the result is never nil: a version without any
// has an empty [Subresources]. Errors are those of [Lookup.Schema].
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

// Columns returns the columns after the name in a table of a version's objects: the additionalPrinterColumns, or the
// age if there are none. Errors are those of [Lookup.Schema].
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

// SelectableFields returns the fields of a version's objects that field selectors may use in addition to metadata.name
// and metadata.namespace: those for all versions, or otherwise the version's own. It is an error if the definition has
// no version with that name.
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

// DeprecationWarning returns the warning for requests to a deprecated version, and whether the version with that name
// is deprecated. It is the document's own text, or a default one that recommends the best version that is served, not
// deprecated and of a higher priority than this one.
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

// version returns the version with a name. It is an error if the setting exists both at the top and in some version
// (BET-006), so callers may look in either place first.
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

// ageDescription is the API's description of metadata.creationTimestamp.
const ageDescription = "CreationTimestamp is a timestamp representing the server time when this object was created. " +
	"It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. " +
	"It is represented in RFC3339 form and is in UTC.\n\n" +
	"Populated by the system. Read-only. Null for lists. " +
	"More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata"

func ageColumn() Column {
	return Column{Name: "Age", Type: "date", Description: ageDescription, JSONPath: ".metadata.creationTimestamp"}
}
