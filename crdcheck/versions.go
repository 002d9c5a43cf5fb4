package crdcheck

import (
	"fmt"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
)

// checkVersion checks one version, in the order of CVL-001. at is its path, s its schema.
func (c *checker) checkVersion(v *crd.Version, at *field.Path, s *compiledSchema) {
	c.label(at, "name", v.Name) // CVL-014
	c.checkDeprecationWarning(v, at)
	c.checkSchema(s)
	c.checkSubresources(v.Subresources, at)
	c.checkColumns(v.AdditionalPrinterColumns, at)
	c.checkVersionSelectableFields(v, at, s)
}

// maxDeprecationWarning is the maximum length of a warning in bytes.
const maxDeprecationWarning = 256

// checkDeprecationWarning: CVL-015.
func (c *checker) checkDeprecationWarning(v *crd.Version, at *field.Path) {
	if v.DeprecationWarning == nil {
		return
	}
	at = at.Child("deprecationWarning")
	text := *v.DeprecationWarning
	invalid := func(detail string) { c.add(field.Invalid(at, v.DeprecationWarning, detail)) }
	if !v.Deprecated {
		invalid("can only be set for deprecated versions")
		return
	}
	if len(text) > maxDeprecationWarning {
		invalid(fmt.Sprintf("must be <= %d characters long", maxDeprecationWarning))
	}
	if text == "" {
		invalid("must not be an empty string")
	}
	for i, r := range text {
		if !unicode.IsPrint(r) {
			invalid(fmt.Sprintf("must only contain printable UTF-8 characters; non-printable character found at index %d", i))
			break
		}
	}
	if !utf8.ValidString(text) {
		invalid("must only contain printable UTF-8 characters")
	}
}

// checkPerVersion refuses settings at the top level and in versions, and equal settings in all versions: CVL-016,
// CVL-017. Only v1beta1 allows these, since v1 has one place for each, and a server moves what is equal (BET-002).
func (c *checker) checkPerVersion(path *field.Path) {
	s := &c.spec
	settings := [...]struct {
		what, key string
		top       bool
		has       func(v *crd.Version) bool
		same      func(v, w *crd.Version) bool
	}{
		{"schemas", "validation", s.Validation != nil, hasSchema, func(v, w *crd.Version) bool { return jsonval.EqualTyped(v.Schema, w.Schema) }},
		{"subresources", "subresources", s.Subresources != nil, hasSubresources, func(v, w *crd.Version) bool {
			return jsonval.EqualTyped(v.Subresources, w.Subresources)
		}},
		{"additionalPrinterColumns", "additionalPrinterColumns", len(s.AdditionalPrinterColumns) > 0, hasColumns, func(v, w *crd.Version) bool {
			return slices.Equal(v.AdditionalPrinterColumns, w.AdditionalPrinterColumns)
		}},
	}
	for _, w := range settings {
		if w.top && hasPerVersion(s, w.has) {
			c.add(field.Forbidden(path.Child(w.key), "top-level and per-version "+w.what+" are mutually exclusive"))
		}
	}
	for _, w := range settings {
		if samePerVersion(s, w.has, w.same) {
			c.add(field.Invalid(path.Child("versions"), versionsValue(s.Versions), fmt.Sprintf(
				"per-version %s may not all be set to identical values (top-level %s should be used instead)", w.what, w.key)))
		}
	}
}

func hasSchema(v *crd.Version) bool       { return v.Schema != nil }
func hasSubresources(v *crd.Version) bool { return v.Subresources != nil }
func hasColumns(v *crd.Version) bool      { return len(v.AdditionalPrinterColumns) > 0 }

// hasPerVersion reports whether has is true for some version.
func hasPerVersion(s *crd.Spec, has func(v *crd.Version) bool) bool {
	for i := range s.Versions {
		if has(&s.Versions[i]) {
			return true
		}
	}
	return false
}

// samePerVersion reports whether all versions have a setting, and have the same.
func samePerVersion(s *crd.Spec, has func(v *crd.Version) bool, same func(v, w *crd.Version) bool) bool {
	for i := range s.Versions {
		if v := &s.Versions[i]; !has(v) || i > 0 && !same(v, &s.Versions[0]) {
			return false
		}
	}
	return len(s.Versions) > 0
}

// checkVersions: CVL-018.
func (c *checker) checkVersions(at *field.Path) {
	versions := c.spec.Versions
	seen := make(map[string]bool, len(versions))
	storage := 0
	for i := range versions {
		seen[versions[i].Name] = true
		if versions[i].Storage {
			storage++
		}
	}
	if len(seen) < len(versions) {
		c.add(field.Invalid(at, versionsValue(versions), "must contain unique version names"))
	}
	if storage != 1 {
		c.add(field.Invalid(at, versionsValue(versions), "must have exactly one version marked as storage version"))
	}
}

// checkFirstVersion: CVL-019.
func (c *checker) checkFirstVersion(at *field.Path) {
	s := &c.spec
	if s.Version == "" {
		return
	}
	c.label(at, "version", s.Version)
	if len(s.Versions) > 0 && s.Versions[0].Name != s.Version {
		c.add(field.Invalid(at.Child("version"), s.Version, "must match the first version in spec.versions"))
	}
}
