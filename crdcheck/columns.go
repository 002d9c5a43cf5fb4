package crdcheck

import (
	"slices"
	"strings"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
)

var (
	columnTypes   = []string{"boolean", "date", "integer", "number", "string"}
	columnFormats = []string{"byte", "date", "date-time", "double", "float", "int32", "int64", "password"}
)

// checkColumns checks the columns at a path: CVL-050 to CVL-052. Errors name the key of a column's path JSONPath, even
// in v1, where it is jsonPath.
func (c *checker) checkColumns(columns []crd.Column, at *field.Path) {
	for i := range columns {
		col := &columns[i]
		under := func(key string) *field.Path { return at.Child("additionalPrinterColumns").Index(i).Child(key) }
		if col.Name == "" {
			c.add(field.Required(under("name"), ""))
		}
		if col.Type == "" {
			c.add(field.Required(under("type"), mustBeOneOf(columnTypes)))
		} else if !slices.Contains(columnTypes, col.Type) {
			c.add(field.Invalid(under("type"), col.Type, mustBeOneOf(columnTypes)))
		}
		if col.Format != "" && !slices.Contains(columnFormats, col.Format) {
			c.add(field.Invalid(under("format"), col.Format, mustBeOneOf(columnFormats)))
		}
		if col.JSONPath == "" {
			c.add(field.Required(under("JSONPath"), ""))
		} else if col.JSONPath[0] != '.' {
			c.add(field.Invalid(under("JSONPath"), col.JSONPath, notSimple))
		}
	}
}

func mustBeOneOf(texts []string) string { return "must be one of " + strings.Join(texts, ",") }

const notSimple = "must be a simple json path starting with ."

// checkSubresources checks the scale below at: CVL-053.
func (c *checker) checkSubresources(s *crd.Subresources, at *field.Path) {
	if s == nil || s.Scale == nil {
		return
	}
	at = at.Child("subresources").Child("scale")
	for _, p := range [...]struct{ key, path, under string }{
		{"specReplicasPath", s.Scale.SpecReplicasPath, ".spec"},
		{"statusReplicasPath", s.Scale.StatusReplicasPath, ".status"},
	} {
		switch at := at.Child(p.key); {
		case p.path == "":
			c.add(field.Required(at, ""))
		case p.path[0] != '.':
			c.add(field.Invalid(at, p.path, notSimple))
		case !strings.HasPrefix(p.path, p.under+"."):
			c.add(field.Invalid(at, p.path, "should be a json path under "+p.under))
		}
	}
	selector := s.Scale.LabelSelectorPath
	if selector == nil || *selector == "" {
		return
	}
	at = at.Child("labelSelectorPath")
	switch {
	case (*selector)[0] != '.':
		c.add(field.Invalid(at, *selector, notSimple))
	case !strings.HasPrefix(*selector, ".spec.") && !strings.HasPrefix(*selector, ".status."):
		c.add(field.Invalid(at, selector, "should be a json path under either .spec or .status"))
	}
}
