package crdcheck

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/format"
	"github.com/crdkit/crdkit/schema"
)

// Warnings returns a server's warnings when it accepts d. First come formats that are unknown for their type, one
// warning for each occurrence, then item types that a set does not support, sorted. If d replaces old, only those
// warnings are returned whose format or text the old definition did not have; a nil old is a create. A server that
// refuses d sends no such warnings.
//
// Formats are in the order of the schemas: a schema's own, then those of its items, allOf, anyOf, oneOf, not,
// properties by name and additionalProperties. Nothing is modified. The result is nil if there are no warnings, and for
// definitions that no document can have: see [Validate].
func Warnings(d, old *crd.CustomResourceDefinition) []string {
	if d == nil || unusable(d) != nil || old != nil && unusable(old) != nil {
		return nil
	}
	before := warnings{sets: map[string]bool{}}
	if old != nil {
		before.collect(old)
	}
	now := warnings{sets: map[string]bool{}}
	now.collect(d)
	known := make(map[string]bool, len(before.formats))
	for _, f := range before.formats {
		known[f] = true
	}
	var texts []string
	for _, f := range now.formats {
		if !known[f] {
			texts = append(texts, "unrecognized format "+strconv.Quote(f))
		}
	}
	for _, typ := range slices.Sorted(maps.Keys(now.sets)) {
		if !before.sets[typ] {
			texts = append(texts, fmt.Sprintf("x-kubernetes-list-type: set for items of type %q is not supported by server-side apply or CEL "+
				"validation rules", typ))
		}
	}
	return texts
}

// warnings are the warnings about one definition.
type warnings struct {
	formats []string
	sets    map[string]bool // types of items
}

func (w *warnings) collect(d *crd.CustomResourceDefinition) {
	s := d.Unversioned()
	for _, p := range schemasOf(&s) {
		unknown := false
		each(p, func(p *schema.JSONSchemaProps) {
			unknown = unknown || hasUnknownFormat(p)
			if hasListType(p, "set") && p.Items != nil && p.Items.Schema != nil {
				if typ := p.Items.Schema.Type; typ == "array" || typ == "object" {
					w.sets[typ] = true
				}
			}
		})
		if unknown {
			w.addFormats(p)
		}
	}
}

func hasUnknownFormat(p *schema.JSONSchemaProps) bool {
	return p.Format != "" && !format.Kept(p.Type, p.Format)
}

// formatsOrder has the keywords with schemas in the order of warnings.
var formatsOrder = []string{"items", "allOf", "anyOf", "oneOf", "not", "properties", "additionalProperties", "patternProperties",
	"additionalItems", "definitions", "dependencies"}

// addFormats adds the unknown formats at and below p.
func (w *warnings) addFormats(p *schema.JSONSchemaProps) {
	if hasUnknownFormat(p) {
		w.formats = append(w.formats, p.Format)
	}
	below := map[string][]*schema.JSONSchemaProps{}
	for loc, q := range p.ChildrenByName() {
		below[loc.Keyword] = append(below[loc.Keyword], q)
	}
	for _, keyword := range formatsOrder {
		for _, q := range below[keyword] {
			w.addFormats(q)
		}
	}
}
