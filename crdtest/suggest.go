package crdtest

import (
	"context"

	"github.com/crdkit/crdkit/internal/listing"
	"github.com/crdkit/crdkit/internal/sample"
)

// suggestion returns an object that violates a row, with a mark at the violation, or "" if none is found.
func (m *maker) suggestion(ctx context.Context, row Row) string {
	broken, found := sample.Broken{}, false
	if row.Kind == kindRule {
		for _, r := range m.ver.rules() {
			if r.Path == row.Path && r.ValidationRule.Rule == row.Text && !found {
				b, err := m.from.BreakRule(ctx, r)
				broken, found = b, err == nil
			}
		}
	} else {
		for _, c := range m.all {
			if c.Path == row.Path && c.Text == row.Text && !found {
				b, err := m.from.Break(ctx, c)
				broken, found = b, err == nil
			}
		}
	}
	if !found {
		return ""
	}
	var marks []listing.Mark
	for _, e := range broken.Errors {
		if e.Path != nil {
			marks = append(marks, listing.Mark{At: e.Path.Segments(), Fail: true})
		}
	}
	text := listing.Print(broken.Object, "  ", marks)
	if broken.Old != nil {
		text += "in the place of\n" + listing.Print(broken.Old, "  ", nil)
	}
	return text
}
