package crd

import (
	"cmp"
	"slices"

	"github.com/crdkit/crdkit/internal/jsonval"
)

// Unversioned returns the spec in the form in which a server validates and compares it, which determines the field
// names in its errors. For a v1 document, Version is the first version's name, and each of schema, subresources,
// columns and selectable fields moves from the versions to the top if it is equal in all of them. A definition with one
// version has everything at the top. For v1beta1 it is the document's spec.
//
// Parts are equal if a server writes them in the same way. Nil and empty lists and maps are equal. Nil and a pointer to a
// zero value are not equal, and neither are the defaults 1 and 1.0. d is not modified. The result shares with d what its
// pointers refer to, and its lists except Versions.
func (d *CustomResourceDefinition) Unversioned() Spec {
	s := d.Spec
	if d.APIVersion == APIVersionV1beta1 {
		return s
	}
	if s.PreserveUnknownFields == nil {
		s.PreserveUnknownFields = new(bool)
	}
	if len(s.Versions) == 0 {
		return s
	}
	s.Versions = slices.Clone(s.Versions)
	s.Version = s.Versions[0].Name
	hoist(&s.Validation, s.Versions, func(v *Version) **Validation { return &v.Schema }, jsonval.EqualTyped)
	hoist(&s.Subresources, s.Versions, func(v *Version) **Subresources { return &v.Subresources }, jsonval.EqualTyped)
	hoist(&s.AdditionalPrinterColumns, s.Versions, func(v *Version) *[]Column { return &v.AdditionalPrinterColumns }, slices.Equal)
	hoist(&s.SelectableFields, s.Versions, func(v *Version) *[]SelectableField { return &v.SelectableFields }, slices.Equal)
	return s
}

// hoist moves a setting of versions to the top if it is the same in all of them.
func hoist[T any](top *T, versions []Version, setting func(v *Version) *T, same func(a, b T) bool) {
	first := *setting(&versions[0])
	for i := range versions[1:] {
		if !same(*setting(&versions[i+1]), first) {
			return
		}
	}
	*top = first
	for i := range versions {
		*setting(&versions[i]) = *new(T)
	}
}

// V1 returns the definition as a v1 document: what a v1beta1 document has for all versions moves into each version,
// replacing what was there, and a document without versions gets the one that its version names. If d is v1, it is
// returned as it is. Otherwise d is not modified, and the result shares with it everything that pointers, maps and
// lists refer to, except Versions; its versions share these parts with each other, too.
func (d *CustomResourceDefinition) V1() *CustomResourceDefinition {
	if d.APIVersion != APIVersionV1beta1 {
		return d
	}
	out := *d
	out.APIVersion = APIVersionV1
	s := &out.Spec
	s.Versions = slices.Clone(s.Versions)
	if len(s.Versions) == 0 && s.Version != "" {
		s.Versions = []Version{{Name: s.Version, Served: true, Storage: true}}
	}
	for i := range s.Versions {
		v := &s.Versions[i]
		v.Schema = cmp.Or(s.Validation, v.Schema)
		v.Subresources = cmp.Or(s.Subresources, v.Subresources)
		if s.AdditionalPrinterColumns != nil {
			v.AdditionalPrinterColumns = s.AdditionalPrinterColumns
		}
		if s.SelectableFields != nil {
			v.SelectableFields = s.SelectableFields
		}
	}
	s.Version, s.Validation, s.Subresources, s.AdditionalPrinterColumns, s.SelectableFields = "", nil, nil, nil, nil
	return &out
}
