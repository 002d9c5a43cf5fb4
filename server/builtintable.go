package server

import (
	"time"

	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/server/internal/catalog"
)

// builtInTable returns the table of objects of a built-in kind at the time now.
func builtInTable(columns []catalog.Column, objects []map[string]any, now time.Time) resource.Table {
	var t resource.Table
	for _, c := range columns {
		header := resource.TableColumn{Name: c.Name, Type: c.Type, Description: c.Name + " of the object."}
		if c.Name == "Name" {
			header.Format = "name"
		}
		if c.Wide {
			header.Priority = 1
		}
		t.Columns = append(t.Columns, header)
	}
	for _, obj := range objects {
		cells := make([]any, len(columns))
		for i, c := range columns {
			cells[i] = c.Cell(obj, now)
		}
		t.Rows = append(t.Rows, resource.TableRow{Cells: cells, Object: obj})
	}
	return t
}
