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

// checkColumns checks the columns at a path: CVL-050 to CVL-052. The key of a column's path is JSONPath in v1, too,
// although it is jsonPath there.
func (c *checker) checkColumns(columns []crd.Column, at *field.Path) {
	for i := range columns {
		if col := &columns[i]; !validColumn(col) {
			c.checkColumn(col, at.Child("additionalPrinterColumns").Index(i))
		}
	}
}

// validColumn reports whether checkColumn would find no errors.
func validColumn(col *crd.Column) bool {
	return col.Name != "" && slices.Contains(columnTypes, col.Type) && (col.Format == "" || slices.Contains(columnFormats, col.Format)) &&
		strings.HasPrefix(col.JSONPath, ".")
}

func (c *checker) checkColumn(col *crd.Column, at *field.Path) {
	types := "must be one of " + strings.Join(columnTypes, ",")
	if col.Name == "" {
		c.add(field.Required(at.Child("name"), ""))
	}
	if col.Type == "" {
		c.add(field.Required(at.Child("type"), types))
	} else if !slices.Contains(columnTypes, col.Type) {
		c.add(field.Invalid(at.Child("type"), col.Type, types))
	}
	if col.Format != "" && !slices.Contains(columnFormats, col.Format) {
		c.add(field.Invalid(at.Child("format"), col.Format, "must be one of "+strings.Join(columnFormats, ",")))
	}
	if col.JSONPath == "" {
		c.add(field.Required(at.Child("JSONPath"), ""))
	} else {
		c.simplePath(col.JSONPath, at.Child("JSONPath"))
	}
}

// simplePath requires a path to begin with a dot. It reports whether it does.
func (c *checker) simplePath(path string, at *field.Path) bool {
	if path[0] == '.' {
		return true
	}
	c.add(field.Invalid(at, path, "must be a simple json path starting with ."))
	return false
}

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
		at := at.Child(p.key)
		if p.path == "" {
			c.add(field.Required(at, ""))
		} else if c.simplePath(p.path, at) && !strings.HasPrefix(p.path, p.under+".") {
			c.add(field.Invalid(at, p.path, "should be a json path under "+p.under))
		}
	}
	selector := s.Scale.LabelSelectorPath
	if selector == nil || *selector == "" {
		return
	}
	at = at.Child("labelSelectorPath")
	if c.simplePath(*selector, at) && !strings.HasPrefix(*selector, ".spec.") && !strings.HasPrefix(*selector, ".status.") {
		c.add(field.Invalid(at, selector, "should be a json path under either .spec or .status"))
	}
}
