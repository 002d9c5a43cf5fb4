package crdcheck

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/format"
	"github.com/crdkit/crdkit/internal/since"
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
	var texts []string
	sent := map[string]bool{}
	for _, w := range locatedWarnings(d, old, since.Newest) {
		if w.once && sent[w.Text] {
			continue
		}
		sent[w.Text] = w.once
		texts = append(texts, w.Text)
	}
	return texts
}

// A Warning is a server's warning about a place in a definition.
type Warning struct {
	Text string
	Path *field.Path // of the keyword, with the schema's path as in errors: spec.validation for all versions

	once bool // a server sends the text once
}

// locatedWarnings returns the warnings of a server of that version, with the places.
func locatedWarnings(d, old *crd.CustomResourceDefinition, minor since.Minor) (all []Warning) {
	if d == nil || unusable(d) != nil || old != nil && unusable(old) != nil {
		return nil
	}
	profile := minor.Profile()
	before, now := warnings{profile: profile}, warnings{profile: profile}
	if old != nil {
		before.collect(old)
	}
	now.collect(d)
	known := make(map[string]bool, len(before.formats)+len(before.sets))
	for _, w := range slices.Concat(before.formats, before.sets) {
		known[w.Text] = true
	}
	slices.SortStableFunc(now.sets, func(a, b *Warning) int { return strings.Compare(a.Text, b.Text) })
	for _, w := range slices.Concat(now.formats, now.sets) {
		if !known[w.Text] {
			all = append(all, *w)
		}
	}
	return all
}

// warnings are the warnings about one definition.
type warnings struct {
	profile       since.Profile // of the server
	formats, sets []*Warning
}

func (w *warnings) collect(d *crd.CustomResourceDefinition) {
	s := d.Unversioned()
	for i, p := range schemasOf(&s) {
		found := false
		each(p, func(p *schema.JSONSchemaProps) { found = found || w.unknownFormat(p) || w.setOf(p) != "" })
		if found {
			w.add(p, schemaPath(i))
		}
	}
}

// hasUnknownFormat reports whether p has a format that is unknown for its type.
func hasUnknownFormat(p *schema.JSONSchemaProps) bool {
	return p.Format != "" && !format.Kept(p.Type, p.Format)
}

// unknownFormat reports whether the server warns about the format of p.
func (w *warnings) unknownFormat(p *schema.JSONSchemaProps) bool {
	switch {
	case p.Format == "", !w.profile.Has(since.FormatWarnings), p.Type != "string" && !w.profile.Has(since.OtherFormatWarnings):
		return false
	case p.Type == "string" && format.Lookup(p.Format).OfNames() && !w.profile.Has(since.ShortNameFormats):
		return true
	}
	return hasUnknownFormat(p)
}

// setOf returns the type of the items of a set if the server warns about it, and otherwise an empty string.
func (w *warnings) setOf(p *schema.JSONSchemaProps) string {
	if w.profile.Has(since.SetWarnings) && hasListType(p, "set") && p.Items != nil && p.Items.Schema != nil {
		if typ := p.Items.Schema.Type; typ == "array" || typ == "object" {
			return typ
		}
	}
	return ""
}

// schemaOrder has the keywords with schemas in the order of warnings.
var schemaOrder = []string{"items", "allOf", "anyOf", "oneOf", "not", "properties", "additionalProperties", "patternProperties",
	"additionalItems", "definitions", "dependencies"}

// add adds the warnings at and below p.
func (w *warnings) add(p *schema.JSONSchemaProps, at *field.Path) {
	if w.unknownFormat(p) {
		text := "unrecognized format " + strconv.Quote(p.Format)
		w.formats = append(w.formats, &Warning{Text: text, Path: at.Child("format")})
	}
	if typ := w.setOf(p); typ != "" {
		text := fmt.Sprintf("x-kubernetes-list-type: set for items of type %q is not supported by server-side apply or CEL "+
			"validation rules", typ)
		w.sets = append(w.sets, &Warning{Text: text, Path: at.Child("x-kubernetes-list-type"), once: true})
	}
	type child struct {
		p  *schema.JSONSchemaProps
		at *field.Path
	}
	below := map[string][]child{}
	for loc, q := range p.ChildrenByName() {
		below[loc.Keyword] = append(below[loc.Keyword], child{q, loc.Path(at)})
	}
	for _, keyword := range schemaOrder {
		for _, q := range below[keyword] {
			w.add(q.p, q.at)
		}
	}
}
