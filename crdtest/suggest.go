package crdtest

import (
	"context"

	"github.com/crdkit/crdkit/internal/listing"
	"github.com/crdkit/crdkit/internal/sample"
)

// suggestion returns an object that violates a row, with a mark at the violation, or "" if none is found.
func (m *maker) suggestion(ctx context.Context, row Row) string {
	for _, b := range m.breakables() {
		if b.row.Path != row.Path || b.row.Kind != row.Kind || b.row.Text != row.Text {
			continue
		}
		if broken, err := b.broken(ctx); err == nil {
			return brokenText(broken)
		}
	}
	return ""
}

// brokenText prints an object with marks at its errors.
func brokenText(b sample.Broken) string {
	text := listing.Print(b.Object, "  ", errorMarks(b.Errors))
	if b.Old != nil {
		text += "in the place of\n" + listing.Print(b.Old, "  ", nil)
	}
	return text
}
