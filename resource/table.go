package resource

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/patch"
	"github.com/crdkit/crdkit/internal/refusal"
)

// A Table is what kubectl get prints. It marshals as a Table of meta.k8s.io.
type Table struct {
	// APIVersion is the one that the client asked for: "" or meta.k8s.io/v1, or meta.k8s.io/v1beta1.
	APIVersion string
	// ListMeta is the metadata of the list. For a single object, a server sets the object's resourceVersion.
	ListMeta
	// Columns are the headers of the cells. In a watch, a server sends them with the first event only, and sets them to
	// nil, which marshals as null, for the others (TAB-033). They must not be modified.
	Columns []TableColumn
	Rows    []TableRow // nil if the table cannot be built: see [Version.Table]
	// IncludeObject says what a row contains besides its cells: "" or [IncludeMetadata], [IncludeObject] or
	// [IncludeNone]. Other values do not marshal: use [Table.Include] for what a client sent.
	IncludeObject string

	failure error // why the table cannot be built
}

// The values of Table.IncludeObject (TAB-031).
const (
	IncludeMetadata = "Metadata" // the object's metadata, as PartialObjectMetadata
	IncludeObject   = "Object"   // the object
	IncludeNone     = "None"     // null
)

// A ListMeta is the metadata of a list. In a Table, empty fields are absent.
type ListMeta struct {
	ResourceVersion    string `json:"resourceVersion,omitempty"`
	Continue           string `json:"continue,omitempty"`           // where the next page starts; empty on the last
	RemainingItemCount *int64 `json:"remainingItemCount,omitempty"` // how many objects follow; nil: unknown, or none
}

// A TableColumn is the header of a column.
type TableColumn struct {
	Name        string `json:"name"`
	Type        string `json:"type"`   // string, integer, number, boolean or date
	Format      string `json:"format"` // for clients; that of the first column, the name, is name
	Description string `json:"description"`
	Priority    int32  `json:"priority"` // above 0: kubectl shows the column with -o wide only
}

// A TableRow is the row of one object.
type TableRow struct {
	// Cells are nil, bool, int64, float64 or string, one for each column.
	Cells []any
	// Object is the whole object, whatever IncludeObject says.
	Object map[string]any
}

// Table returns the table of a list of v's objects, or of a single object, at the time now, up to which ages are
// counted. The objects are as [Version.Read] and other requests return them, and must not be modified while the table
// is in use. A nil object is treated as an empty one.
//
// The columns are the object's name, followed by the printer columns of the version, or by the age if it has none. A
// cell is null if there is no value at its path, if the value does not have the column's type, or if the path cannot be
// evaluated. If a path cannot be parsed, its column and all later ones are left out.
//
// For a server, an object with a list in a root field named items is a list, at any depth: each item has a row, and the
// object itself has none. If an item is not an object, the table cannot be built: [Table.Include] refuses it (500), and
// so does [Table.MarshalJSON].
//
// The time is linear in the number of cells. The paths are parsed once for each version. A table of more than
// 16,777,216 cells cannot be built, either. Its paths visit at most 10,000,000 values and 10,000 for each row, and its
// cells have at most 16 MiB of text and 4 KiB for each row: cells beyond that are null.
func (v *Version) Table(objects []map[string]any, now time.Time) Table {
	if v == nil {
		return Table{}
	}
	return v.columns().table(objects, now)
}

// ScaleTable returns the table of Scales at the time now. The Scales are as [Version.Scale] returns them. It is what
// kubectl get prints with --subresource=scale. Otherwise it is like [Version.Table], which is also the table of the
// status subresource.
func ScaleTable(scales []map[string]any, now time.Time) Table {
	return scaleColumns().table(scales, now)
}

func (c *columns) table(objects []map[string]any, now time.Time) Table {
	if slices.ContainsFunc(objects, jsonval.IsList) {
		var items []map[string]any
		for _, obj := range objects {
			var err error
			if items, err = appendObjects(items, obj); err != nil {
				return Table{Columns: c.headers, failure: refusal.Plain(err.Error())}
			}
		}
		objects = items
	}
	if len(objects) > maxCells/len(c.headers) {
		failure := refusal.Plain(fmt.Sprintf("the table has more than %d cells", maxCells))
		return Table{Columns: c.headers, failure: failure}
	}
	return Table{Columns: c.headers, Rows: c.rows(objects, now)}
}

// Include sets IncludeObject to the value in the query of a request. It refuses any value but the constants (400), and
// a table that cannot be built (500). The error is a [*field.Status].
func (t *Table) Include(includeObject string) error {
	switch includeObject {
	case "", IncludeMetadata, IncludeObject, IncludeNone:
		t.IncludeObject = includeObject
		return t.failure
	}
	invalid := field.Invalid(field.NewPath("includeObject"), includeObject, "must be 'Metadata', 'Object', 'None', or empty")
	return refusal.BadRequest("Unable to convert to Table as requested: " + invalid.Error())
}

// MarshalJSON writes t as a Table of the version in APIVersion. A direct call is faster than json.Marshal, which parses
// the result again.
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
	const perRow = 256 // an estimate
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
		if dst, err = patch.Append(dst, cell); err != nil {
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
		dst = append(dst, `{"kind":"`+partialKind+`","apiVersion":"`+apiVersion+`","metadata":`...)
		return append(append(dst, text...), "}}"...), err
	}
	return nil, fmt.Errorf("resource: a table cannot include %q of its objects", t.IncludeObject)
}

func metaVersion(apiVersion string) (string, error) {
	if v := cmp.Or(apiVersion, metaV1); v == metaV1 || v == metaV1beta1 {
		return v, nil
	}
	return "", fmt.Errorf("resource: a table cannot have the apiVersion %q", apiVersion)
}

// endsInitialEvents reports whether an object is the bookmark after the initial objects of a watch. An annotation marks
// it, so clients get its metadata even if they asked for IncludeNone.
func endsInitialEvents(obj map[string]any) bool {
	annotations, _ := metadata(obj)["annotations"].(map[string]any)
	return annotations["k8s.io/initial-events-end"] == "true"
}
