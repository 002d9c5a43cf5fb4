package resource

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/patch"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/protocol"
)

// A Table is what kubectl get prints. It marshals as a Table of meta.k8s.io.
type Table struct {
	// APIVersion is the one that the client asked for: "" or [protocol.MetaV1], or [protocol.MetaV1beta1].
	APIVersion string
	// ListMeta is that of the list. For a single object a server sets the object's resourceVersion.
	ListMeta
	// Columns are the headers of the cells. A server sends them with the first event of a watch only, and sets them to nil, which
	// marshals as null, for the others (TAB-033). They must not be modified.
	Columns []TableColumn
	Rows    []TableRow // nil if there can be no table: see [Version.Table]
	// IncludeObject says what stands beside the cells of a row: "" or [IncludeMetadata], [IncludeObject] or [IncludeNone]. Anything
	// else does not marshal: [Table.Include] is the way for what a client sent.
	IncludeObject string

	failure error // why there is no table
}

// What Table.IncludeObject may be (TAB-031).
const (
	IncludeMetadata = "Metadata" // the object's metadata, as PartialObjectMetadata
	IncludeObject   = "Object"   // the object
	IncludeNone     = "None"     // null
)

// A ListMeta is what a list says of itself. What is empty is absent, in a Table.
type ListMeta struct {
	ResourceVersion    string `json:"resourceVersion,omitempty"`
	Continue           string `json:"continue,omitempty"`           // where the next page starts; empty: this is the last one
	RemainingItemCount *int64 `json:"remainingItemCount,omitempty"` // how many objects follow; nil: not known, or none
}

// A TableColumn is the header of a column.
type TableColumn struct {
	Name        string `json:"name"`
	Type        string `json:"type"`   // string, integer, number, boolean or date
	Format      string `json:"format"` // for clients; that of the first column, the name, is name
	Description string `json:"description"`
	Priority    int32  `json:"priority"` // above 0: kubectl shows it with -o wide only
}

// A TableRow is what a table shows of one object.
type TableRow struct {
	// Cells are nil, bool, int64, float64 or string, one for each column.
	Cells []any
	// Object is the whole object, whatever the table includes of it.
	Object map[string]any
}

// Table returns the table of a list of v's objects, or of a single one, at a moment: ages are counted up to there. The objects are as
// [Version.Read] and other requests have them, and stay the table's. A nil one is an object without anything.
//
// Its columns are the object's name, and the printer columns of the version, or the age where it has none. A cell is null where there
// is nothing at its path, where that is not of the column's type, and where the path cannot be evaluated. A column whose path cannot
// be parsed is left out, and so are all that follow it.
//
// An object with a list in a root field named items is a list for a server, at any depth: each item has a row, and the object has none. Where
// an item is no object there is no table at all: [Table.Include] refuses it (500), and so does [Table.MarshalJSON].
//
// The time it takes is linear in the number of cells. The paths are parsed once for a version.
func (v *Version) Table(objects []map[string]any, now time.Time) Table {
	if v == nil {
		return Table{}
	}
	return v.columns().table(objects, now)
}

// ScaleTable returns the table of Scales at a moment, as [Version.Scale] and [Version.UpdateScale] make them: what kubectl get prints
// with --subresource=scale. It is otherwise like [Version.Table], which is also the one for the status subresource.
func ScaleTable(scales []map[string]any, now time.Time) Table {
	return scaleColumns().table(scales, now)
}

func (c *columns) table(objects []map[string]any, now time.Time) Table {
	if slices.ContainsFunc(objects, protocol.IsList) {
		var items []map[string]any
		for _, obj := range objects {
			var err error
			if items, err = appendObjects(items, obj); err != nil {
				return Table{Columns: c.headers, failure: refusal.Plain(err.Error())}
			}
		}
		objects = items
	}
	return Table{Columns: c.headers, Rows: c.rows(objects, now)}
}

// Include sets IncludeObject to what a client asked for in the query of its request. It refuses what is none of the constants (400), and
// a table that cannot be made (500). The error is a [*field.Status].
func (t *Table) Include(includeObject string) error {
	switch includeObject {
	case "", IncludeMetadata, IncludeObject, IncludeNone:
		t.IncludeObject = includeObject
		return t.failure
	}
	invalid := field.Invalid(field.NewPath("includeObject"), includeObject, "must be 'Metadata', 'Object', 'None', or empty")
	return refusal.BadRequest("Unable to convert to Table as requested: " + invalid.Error())
}

// MarshalJSON writes t as a Table of the version that APIVersion says. Called directly it is faster than through package json, which
// reads what it gets here once more.
func (t Table) MarshalJSON() ([]byte, error) {
	if t.failure != nil {
		return nil, t.failure
	}
	apiVersion, err := metaVersion(t.APIVersion)
	if err != nil {
		return nil, err
	}
	meta, err := json.Marshal(t.ListMeta)
	if err != nil {
		return nil, err
	}
	columns, err := json.Marshal(t.Columns)
	if err != nil {
		return nil, err
	}
	const perRow = 256 // a guess
	dst := make([]byte, 0, len(columns)+perRow*(1+len(t.Rows)))
	dst = append(dst, `{"kind":"Table","apiVersion":"`+apiVersion+`","metadata":`...)
	dst = append(append(dst, meta...), `,"columnDefinitions":`...)
	dst = append(append(dst, columns...), `,"rows":[`...)
	for i := range t.Rows {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = t.appendRow(dst, &t.Rows[i], apiVersion); err != nil {
			return nil, err
		}
	}
	return append(dst, "]}"...), nil
}

func (t *Table) appendRow(dst []byte, r *TableRow, apiVersion string) ([]byte, error) {
	dst = append(dst, `{"cells":[`...)
	for i, cell := range r.Cells {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = appendCell(dst, cell); err != nil {
			return nil, err
		}
	}
	dst = append(dst, `],"object":`...)
	included := t.IncludeObject
	if included == IncludeNone && endsInitialEvents(r.Object) {
		included = IncludeMetadata
	}
	switch included {
	case IncludeNone:
		return append(dst, "null}"...), nil
	case IncludeObject:
		text, err := patch.Encode(r.Object)
		return append(append(dst, text...), '}'), err
	case "", IncludeMetadata:
		text, err := patch.Encode(metadata(r.Object))
		dst = append(dst, `{"kind":"PartialObjectMetadata","apiVersion":"`+apiVersion+`","metadata":`...)
		return append(append(dst, text...), "}}"...), err
	}
	return nil, fmt.Errorf("resource: a table cannot include %q of its objects", t.IncludeObject)
}

func appendCell(dst []byte, cell any) ([]byte, error) {
	switch x := cell.(type) {
	case nil:
		return append(dst, "null"...), nil
	case bool:
		return strconv.AppendBool(dst, x), nil
	case int64:
		return strconv.AppendInt(dst, x, 10), nil
	case string:
		if isPlain(x) {
			return append(append(append(dst, '"'), x...), '"'), nil
		}
	}
	text, err := json.Marshal(cell)
	return append(dst, text...), err
}

// isPlain reports whether a string is its own JSON, but for the quotes.
func isPlain(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ', c >= 0x7f, c == '"', c == '\\', c == '<', c == '>', c == '&':
			return false
		}
	}
	return true
}

func metaVersion(apiVersion string) (string, error) {
	switch apiVersion {
	case "":
		return protocol.MetaV1, nil
	case protocol.MetaV1, protocol.MetaV1beta1:
		return apiVersion, nil
	}
	return "", fmt.Errorf("resource: a table cannot have the apiVersion %q", apiVersion)
}

// endsInitialEvents reports whether an object is the bookmark behind the first objects of a watch, whose mark the metadata has, so
// that clients get those even if they asked for nothing.
func endsInitialEvents(obj map[string]any) bool {
	annotations, _ := metadata(obj)["annotations"].(map[string]any)
	return annotations["k8s.io/initial-events-end"] == "true"
}
