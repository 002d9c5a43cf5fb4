package resource

import (
	"cmp"
	"encoding/json"
	"math"
	"strconv"
	"sync"
	"time"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/query"
)

// This file has the columns of a table: their headers, and how the value of a cell is found and printed.

// columns are the columns of one kind of table.
type columns struct {
	headers []TableColumn // the name, then those of printed
	printed []column
}

// A column finds the value of a cell and prints it.
type column struct {
	path  *query.Path
	print func(v any, now time.Time) any // nil for an unknown type: its cells are null
}

// printers has a function for each type of column, which returns nil for a value of another type.
var printers = map[string]func(v any, now time.Time) any{
	"string": textCell, "integer": integerCell, "number": numberCell, "boolean": booleanCell, "date": dateCell,
}

// lazyColumns returns a function that prepares a table's columns on its first call.
func lazyColumns(printed []crd.Column) func() *columns {
	return sync.OnceValue(func() *columns { return newColumns(printed) })
}

// newColumns prepares the columns. If a path cannot be parsed, its column and all later ones are left out.
//
// Clauses: TAB-001, TAB-002, TAB-004.
func newColumns(printed []crd.Column) *columns {
	c := &columns{headers: []TableColumn{{
		Name: "Name", Type: "string", Format: "name",
		Description: "The object's name, which no other object of its kind has in the same namespace.",
	}}}
	for _, p := range printed {
		path, err := query.ParsePath(p.JSONPath)
		if err != nil {
			break
		}
		description := cmp.Or(p.Description, "Custom resource definition column (in JSONPath format): "+p.JSONPath)
		c.headers = append(c.headers, TableColumn{p.Name, p.Type, p.Format, description, p.Priority})
		c.printed = append(c.printed, column{path, printers[p.Type]})
	}
	return c
}

// The limits of a table. Cells beyond these limits are null.
const (
	maxCells                 = 1 << 24
	maxVisited, visitedByRow = 10_000_000, 10_000 // values that paths visit
	maxText, textByRow       = 16 << 20, 4 << 10  // bytes in cells
)

// rows returns a row for each object.
func (c *columns) rows(objects []map[string]any, now time.Time) []TableRow {
	rows := make([]TableRow, len(objects))
	visits := maxVisited + visitedByRow*int64(len(objects))
	text := maxText + textByRow*int64(len(objects))
	width := len(c.headers)
	cells := make([]any, width*len(objects))
	for i, obj := range objects {
		row := cells[:width:width]
		cells = cells[width:]
		name := metadata(obj)["name"]
		if _, ok := name.(string); !ok {
			name = ""
		}
		row[0] = name
		for j := range c.printed {
			if text <= 0 {
				break
			}
			cell := c.printed[j].cell(obj, now, &visits)
			if s, ok := cell.(string); ok {
				if text -= int64(len(s)); text < 0 {
					cell = nil
				}
			}
			row[j+1] = cell
		}
		rows[i] = TableRow{Cells: row, Object: obj}
	}
	return rows
}

// cell returns the value that a column shows for an object: nil, a bool, int64, float64 or string. The path may visit
// as many values as visits has left.
//
// Clauses: TAB-012, TAB-020.
func (c *column) cell(obj map[string]any, now time.Time, visits *int64) any {
	v, ok := c.path.First(obj, visits)
	if !ok || c.print == nil {
		return nil
	}
	switch v.(type) {
	case nil, bool, int64, float64, string, map[string]any, []any, query.PathInt, query.PathByte:
	default:
		normal, err := jsonval.Normalize(nil, v)
		if err != nil {
			return nil
		}
		v = normal
	}
	return c.print(v, now)
}

// textCell prints any value. Maps and lists are JSON with sorted keys.
func textCell(v any, _ time.Time) any {
	switch x := v.(type) {
	case nil:
		return "<no value>"
	case string:
		return v
	case bool:
		return strconv.FormatBool(x)
	case int64:
		return strconv.FormatInt(x, 10)
	case query.PathInt:
		return strconv.FormatInt(int64(x), 10)
	case query.PathByte:
		return strconv.Itoa(int(x))
	case float64:
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	if !jsonval.Encodable(v) {
		return nil
	}
	text, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return string(text)
}

func integerCell(v any, _ time.Time) any {
	switch x := v.(type) {
	case int64:
		return v
	case float64:
		// Beyond int64 the result depends on the server's machine. This is the result on most of them.
		if x >= -(1<<63) && x < 1<<63 {
			return int64(x)
		}
		return int64(math.MinInt64)
	}
	return nil
}

func numberCell(v any, _ time.Time) any {
	switch x := v.(type) {
	case int64:
		return float64(x)
	case float64:
		if math.Abs(x) <= math.MaxFloat64 { // JSON has no other numbers
			return v
		}
	}
	return nil
}

func booleanCell(v any, _ time.Time) any {
	if _, ok := v.(bool); ok {
		return v
	}
	return nil
}

// dateCell prints how long ago a date is (TAB-021).
func dateCell(v any, now time.Time) any {
	s, ok := v.(string)
	if !ok {
		return nil
	}
	at, err := time.Parse(time.RFC3339, s)
	switch {
	case s == "", s == "null", err == nil && at.IsZero():
		return "<unknown>"
	case err != nil:
		return query.InvalidAge
	}
	return query.Age(now.Sub(at))
}

// scaleColumns are the columns of the scale subresource, whose objects are Scales (TAB-034).
var scaleColumns = lazyColumns([]crd.Column{
	{Name: "Desired", Type: "integer", Description: "How many replicas there should be", JSONPath: ".spec.replicas"},
	{Name: "Available", Type: "integer", Description: "How many replicas there are", JSONPath: ".status.replicas"},
	{Name: "Age", Type: "date", Description: "How long ago the object was created", JSONPath: ".metadata.creationTimestamp"},
})
