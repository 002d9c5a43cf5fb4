package resource_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/resource"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// columnsOf returns a version whose printer columns are those of a YAML list.
func columnsOf(t testing.TB, list string) *resource.Version {
	t.Helper()
	return things(t, `additionalPrinterColumns: `+list+`, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}`).Version("v1")
}

// headers returns the names of a table's columns.
func headers(table resource.Table) (names []string) {
	for _, c := range table.Columns {
		names = append(names, c.Name)
	}
	return names
}

func TestColumns(t *testing.T) {
	v := columnsOf(t, `[{name: Color, type: string, jsonPath: .spec.color, description: The color}, {name: Ratio, type: number, format: double, jsonPath: .spec.ratio, priority: 1}, {name: Color, type: string, jsonPath: .spec.c, priority: -1}]`)
	table := v.Table(nil, noon)
	require.Equal(t, []string{"Name", "Color", "Ratio", "Color"}, headers(table))
	name := table.Columns[0]
	require.NotEmpty(t, name.Description)
	name.Description = ""
	require.Equal(t, resource.TableColumn{Name: "Name", Type: "string", Format: "name"}, name, "TAB-001")
	require.Equal(t, []resource.TableColumn{
		{Name: "Color", Type: "string", Description: "The color"},
		{Name: "Ratio", Type: "number", Format: "double", Priority: 1, Description: "Custom resource definition column (in JSONPath format): .spec.ratio"},
		{Name: "Color", Type: "string", Priority: -1, Description: "Custom resource definition column (in JSONPath format): .spec.c"},
	}, table.Columns[1:], "TAB-002")

	// TAB-003: without columns, the age is the only one.
	for _, list := range []string{"null", "[]"} {
		table := columnsOf(t, list).Table([]map[string]any{given.Object(t, `{metadata: {name: a, creationTimestamp: "2026-03-04T11:59:00Z"}}`)}, noon)
		require.Equal(t, []string{"Name", "Age"}, headers(table))
		require.Equal(t, []any{"a", "60s"}, table.Rows[0].Cells)
	}
	require.Equal(t, []string{"Name", "A"}, headers(columnsOf(t, `[{name: A, type: string, jsonPath: .a}]`).Table(nil, noon)), "TAB-003")

	// TAB-004: a column that cannot be parsed ends the list of columns.
	table = columnsOf(t, `[{name: Good, type: string, jsonPath: .a}, {name: Bad, type: string, jsonPath: ".spec.["}, {name: After, type: string, jsonPath: .b}]`).
		Table([]map[string]any{given.Object(t, `{metadata: {name: x}, a: 1, b: 2}`)}, noon)
	require.Equal(t, []string{"Name", "Good"}, headers(table))
	require.Equal(t, []any{"x", "1"}, table.Rows[0].Cells)
	require.Equal(t, []string{"Name"}, headers(columnsOf(t, `[{name: Bad, type: string, jsonPath: "..["}]`).Table(nil, noon)), "TAB-004: not even the age")
}

// TAB-020: each kind of value in a column of each type.
func TestCells(t *testing.T) {
	const (
		str = iota
		integer
		number
		boolean
		date
	)
	types := []string{"string", "integer", "number", "boolean", "date", "odd", ""}
	var list strings.Builder
	for _, name := range types {
		fmt.Fprintf(&list, "{name: %q, type: %q, jsonPath: .v}, ", name, name)
	}
	v := columnsOf(t, "["+list.String()+"]")
	type cells map[int]any
	for _, row := range []struct {
		name  string
		value any
		want  cells // all others are nil
	}{
		{"null", nil, cells{str: "<no value>"}},
		{"string", "str", cells{str: "str", date: "<invalid>"}},
		{"empty string", "", cells{str: "", date: "<unknown>"}},
		{"the string null", "null", cells{str: "null", date: "<unknown>"}},
		{"the year 1", "0001-01-01T00:00:00Z", cells{str: "0001-01-01T00:00:00Z", date: "<unknown>"}},
		{"integer", int64(7), cells{str: "7", integer: int64(7), number: 7.0}},
		{"big integer", int64(9007199254740993), cells{str: "9007199254740993", integer: int64(9007199254740993), number: 9007199254740992.0}},
		{"fraction", 1.9, cells{str: "1.9", integer: int64(1), number: 1.9}},
		{"negative fraction", -1.9, cells{str: "-1.9", integer: int64(-1), number: -1.9}},
		{"a million", 1e6, cells{str: "1e+06", integer: int64(1000000), number: 1e6}},
		{"nearly a million", 999999.5, cells{str: "999999.5", integer: int64(999999), number: 999999.5}},
		{"small", 0.00001, cells{str: "1e-05", integer: int64(0), number: 0.00001}},
		{"beyond integers", 1e21, cells{str: "1e+21", integer: int64(math.MinInt64), number: 1e21}},
		{"beyond integers, below", -1e21, cells{str: "-1e+21", integer: int64(math.MinInt64), number: -1e21}},
		{"true", true, cells{str: "true", boolean: true}},
		{"the string true", "true", cells{str: "true", date: "<invalid>"}},
		{"object", map[string]any{"b": int64(1), "a": "<&>"}, cells{str: `{"a":"\u003c\u0026\u003e","b":1}`}},
		{"list", []any{int64(1), nil, 1.5}, cells{str: `[1,null,1.5]`}},
		{"TAB-021 date", "2026-03-04T11:00:00Z", cells{str: "2026-03-04T11:00:00Z", date: "60m"}},
		{"TAB-021 fraction of a second and offset", "2026-03-04T13:59:59.5+02:00", cells{str: "2026-03-04T13:59:59.5+02:00", date: "0s"}},
		{"TAB-021 a second ahead", "2026-03-04T12:00:01.5Z", cells{str: "2026-03-04T12:00:01.5Z", date: "0s"}},
		{"TAB-021 two seconds ahead", "2026-03-04T12:00:02Z", cells{str: "2026-03-04T12:00:02Z", date: "<invalid>"}},
		{"TAB-021 a day alone", "2026-03-04", cells{str: "2026-03-04", date: "<invalid>"}},
		{"GEN-002 another type of integers", int32(7), cells{str: "7", integer: int64(7), number: 7.0}},
		{"GEN-002 number as text", json.Number("1.5"), cells{str: "1.5", integer: int64(1), number: 1.5}},
		{"GEN-002 no JSON value", struct{}{}, cells{}},
		{"GEN-002 no JSON number", math.NaN(), cells{str: "NaN", integer: int64(math.MinInt64)}},
		{"GEN-002 in a list", []any{math.Inf(1)}, cells{}},
	} {
		want := make([]any, len(types)+1)
		want[0] = "n"
		for i, cell := range row.want {
			want[i+1] = cell
		}
		obj := map[string]any{"metadata": map[string]any{"name": "n"}, "v": row.value}
		require.Equal(t, want, v.Table([]map[string]any{obj}, noon).Rows[0].Cells, "TAB-020 %s", row.name)
	}
	require.Equal(t, append([]any{""}, make([]any, len(types))...), v.Table([]map[string]any{nil}, noon).Rows[0].Cells, "TAB-020 nothing")
}

// TAB-012, TAB-020: literals and bytes in a path are strings only, except fractions and booleans.
func TestCellsOfLiterals(t *testing.T) {
	v := columnsOf(t, `[{name: A, type: string, jsonPath: .v 5}, {name: B, type: integer, jsonPath: .v 5}, {name: C, type: number, jsonPath: .v 1.5},
		{name: D, type: boolean, jsonPath: .v true}, {name: E, type: string, jsonPath: ".v.*"}, {name: F, type: integer, jsonPath: ".v.*"}, {name: G, type: string, jsonPath: ".l[*]"}]`)
	table := v.Table([]map[string]any{given.Object(t, `{metadata: {name: 5}, v: abc, l: [n1, n2]}`)}, noon)
	require.Equal(t, []any{"", "5", nil, 1.5, true, "97", nil, "n1"}, table.Rows[0].Cells)
}

// TAB-022: ages.
func TestAges(t *testing.T) {
	v := columnsOf(t, `[{name: Age, type: date, jsonPath: .at}]`)
	const day, year = 24 * time.Hour, 365 * 24 * time.Hour
	for _, row := range []struct {
		d    time.Duration
		want string
	}{
		{-2 * time.Second, "<invalid>"}, {-1500 * time.Millisecond, "0s"}, {-1, "0s"}, {0, "0s"}, {1999 * time.Millisecond, "1s"}, {119 * time.Second, "119s"},
		{2 * time.Minute, "2m"}, {121 * time.Second, "2m1s"}, {599 * time.Second, "9m59s"}, {10 * time.Minute, "10m"}, {3*time.Hour - 1, "179m"},
		{3 * time.Hour, "3h"}, {3*time.Hour + time.Minute, "3h1m"}, {8*time.Hour - 1, "7h59m"}, {8 * time.Hour, "8h"}, {2*day - 1, "47h"},
		{2 * day, "2d"}, {2*day + time.Hour, "2d1h"}, {8*day - 1, "7d23h"}, {8 * day, "8d"}, {year, "365d"}, {2*year - 1, "729d"},
		{2 * year, "2y"}, {2*year + day, "2y1d"}, {8*year - 1, "7y364d"}, {8 * year, "8y"}, {10*year + 300*day, "10y"},
	} {
		obj := map[string]any{"at": noon.Add(-row.d).Format(time.RFC3339Nano)}
		require.Equal(t, row.want, v.Table([]map[string]any{obj}, noon).Rows[0].Cells[1], "%s", row.d)
	}
	obj := map[string]any{"at": "0001-01-01T00:00:01Z"}
	require.Equal(t, "292y", v.Table([]map[string]any{obj}, noon).Rows[0].Cells[1], "no duration is longer")
}

const tableObject = `{apiVersion: example.com/v1, kind: Thing, metadata: {name: a, resourceVersion: "7", labels: {app: x}}, spec: {color: red}}`

// TAB-030, TAB-031: the JSON of a table.
func TestTableJSON(t *testing.T) {
	const columns = `[{"name":"Name","type":"string","format":"name","description":"D","priority":0},` +
		`{"name":"Color","type":"string","format":"","description":"the color","priority":0}]`
	v := columnsOf(t, `[{name: Color, type: string, jsonPath: .spec.color, description: the color}]`)
	make := func(objects ...map[string]any) resource.Table {
		table := v.Table(objects, noon)
		table.Columns = append([]resource.TableColumn(nil), table.Columns...)
		table.Columns[0].Description = "D"
		return table
	}
	left := int64(3)
	for _, row := range []struct {
		name  string
		table func() resource.Table
		want  string
	}{{
		"TAB-030 no objects", func() resource.Table { return make() },
		`{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{},"columnDefinitions":` + columns + `,"rows":[]}`,
	}, {
		"TAB-031 metadata is included", func() resource.Table {
			table := make(given.Object(t, tableObject))
			table.ListMeta = resource.ListMeta{ResourceVersion: "12", Continue: "next", RemainingItemCount: &left}
			return table
		},
		`{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"12","continue":"next","remainingItemCount":3},"columnDefinitions":` + columns +
			`,"rows":[{"cells":["a","red"],"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a","resourceVersion":"7","labels":{"app":"x"}}}}]}`,
	}, {
		"TAB-031 another version, TAB-033 without columns", func() resource.Table {
			table := make(given.Object(t, tableObject), nil)
			table.APIVersion, table.Columns = "meta.k8s.io/v1beta1", nil
			return table
		},
		`{"kind":"Table","apiVersion":"meta.k8s.io/v1beta1","metadata":{},"columnDefinitions":null,"rows":[
			{"cells":["a","red"],"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1beta1","metadata":{"name":"a","resourceVersion":"7","labels":{"app":"x"}}}},
			{"cells":["",null],"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1beta1","metadata":{}}}]}`,
	}, {
		"TAB-031 nothing is included, but of the bookmark behind the first events", func() resource.Table {
			table := make(given.Object(t, tableObject), given.Object(t, `{metadata: {annotations: {k8s.io/initial-events-end: "true"}}}`))
			require.NoError(t, table.Include("None"))
			return table
		},
		`{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{},"columnDefinitions":` + columns + `,"rows":[{"cells":["a","red"],"object":null},
			{"cells":["",null],"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"annotations":{"k8s.io/initial-events-end":"true"}}}}]}`,
	}, {
		"TAB-031 the object is included", func() resource.Table {
			table := make(given.Object(t, tableObject))
			require.NoError(t, table.Include("Object"))
			return table
		},
		`{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{},"columnDefinitions":` + columns + `,"rows":[{"cells":["a","red"],"object":` + encode(t, given.Object(t, tableObject)) + `}]}`,
	}} {
		require.JSONEq(t, row.want, encode(t, row.table()), row.name)
	}
	require.True(t, strings.HasPrefix(encode(t, make()), `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{},"columnDefinitions":[{"name":`), "the server's order")

	table := make(given.Object(t, tableObject))
	require.Equal(t, `400 BadRequest: Unable to convert to Table as requested: includeObject: Invalid value: "Bogus": must be 'Metadata', 'Object', 'None', or empty`,
		encodeStatus(table.Include("Bogus")), "TAB-031")
	require.Empty(t, table.IncludeObject)
	for _, odd := range []resource.Table{{IncludeObject: "Bogus", Rows: table.Rows}, {APIVersion: "meta.k8s.io/v2"}, {IncludeObject: resource.IncludeObject, Rows: []resource.TableRow{{Object: given.Loop()}}}} {
		_, err := json.Marshal(odd)
		require.Error(t, err)
	}
}

// TAB-034: a Scale has its own columns.
func TestScaleTable(t *testing.T) {
	s := given.Object(t, `{kind: Scale, apiVersion: autoscaling/v1, metadata: {name: a, creationTimestamp: "2026-03-04T11:00:00Z"}, spec: {replicas: 3}, status: {replicas: 0}}`)
	table := resource.ScaleTable([]map[string]any{s, {}}, noon)
	require.Equal(t, []string{"Name", "Desired", "Available", "Age"}, headers(table))
	require.Equal(t, []any{"a", int64(3), int64(0), "60m"}, table.Rows[0].Cells)
	require.Equal(t, []any{"", nil, nil, nil}, table.Rows[1].Cells)
}

// A table can also be built from a resource with a converter. Table does not modify its objects.
func TestTableLeavesObjectsAlone(t *testing.T) {
	v := columnsOf(t, `[{name: A, type: string, jsonPath: ..}, {name: B, type: string, jsonPath: .spec}]`)
	obj := given.Object(t, tableObject)
	encode(t, v.Table([]map[string]any{obj}, noon))
	require.Equal(t, given.Object(t, tableObject), obj)
	require.Equal(t, []any{"", nil, nil}, v.Table([]map[string]any{given.Loop()}, noon).Rows[0].Cells)
}

// The columns of a version are prepared once, by the first caller.
func TestConcurrentTables(t *testing.T) {
	v := columnsOf(t, `[{name: Color, type: string, jsonPath: .spec.color}, {name: Big, type: integer, jsonPath: ".l[?(@>1)]"}]`)
	obj := given.Object(t, `{metadata: {name: a}, spec: {color: red}, l: [1, 2]}`)
	given.Concurrently(1, func() {
		assert.Equal(t, []any{"a", "red", int64(2)}, v.Table([]map[string]any{obj}, noon).Rows[0].Cells)
	})
}

func TestTableAllocations(t *testing.T) {
	v := columnsOf(t, `[{name: Color, type: string, jsonPath: .spec.color}, {name: Size, type: integer, jsonPath: .spec.size}, {name: Ready, type: string, jsonPath: ".status.conditions[?(@.type=='Ready')].status"}]`)
	obj := given.Object(t, `{metadata: {name: a}, spec: {color: red, size: 5}, status: {conditions: [{type: Synced, status: "False"}, {type: Ready, status: "True"}]}}`)
	objects := []map[string]any{obj, obj, obj, obj}
	require.Equal(t, []any{"a", "red", int64(5), "True"}, v.Table(objects, noon).Rows[3].Cells)
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() { v.Table(objects, noon) }), 2.0, "the rows, and the cells of all rows")
}

func BenchmarkTable(b *testing.B) {
	v := columnsOf(b, `[{name: Color, type: string, jsonPath: .spec.color}, {name: Size, type: integer, jsonPath: .spec.size}, {name: Ready, type: string, jsonPath: ".status.conditions[?(@.type=='Ready')].status"}, {name: Age, type: date, jsonPath: .metadata.creationTimestamp}]`)
	one := given.Object(b, `{metadata: {name: a, creationTimestamp: "2026-01-02T03:04:05Z"}, spec: {color: red, size: 5}, status: {conditions: [{type: Synced, status: "False"}, {type: Ready, status: "True"}]}}`)
	objects := make([]map[string]any, 500)
	for i := range objects {
		objects[i] = one
	}
	given.Bench(b, "cells", func() { v.Table(objects, noon) })
	b.Run("JSON", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := json.Marshal(v.Table(objects, noon)); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// TAB-030: a server treats an object with a list named items as a list. Its items are the rows.
func TestTableOfItems(t *testing.T) {
	v := columnsOf(t, `[{name: A, type: string, jsonPath: .a}]`)
	table := v.Table([]map[string]any{
		thing(t, "{a: before}"), thing(t, "{items: []}"), thing(t, "{a: no, items: [{a: 1, metadata: {name: x}}, {items: [{a: deep}, {}]}]}"), thing(t, "{items: {}}"),
	}, noon)
	var rows [][]any
	for _, row := range table.Rows {
		rows = append(rows, row.Cells)
	}
	require.Equal(t, [][]any{{"a", "before"}, {"x", "1"}, {"", "deep"}, {"", nil}, {"a", nil}}, rows)
	require.NoError(t, table.Include(""))

	table = v.Table([]map[string]any{thing(t, "{items: [{}, 5]}")}, noon)
	require.Empty(t, table.Rows)
	require.Equal(t, "500 : items member is not an object: map[string]interface {}", encodeStatus(table.Include("")))
	require.Equal(t, 400, statusOf(t, table.Include("x")).Code, "the query comes first")
	_, err := table.MarshalJSON()
	require.EqualError(t, err, "items member is not an object: map[string]interface {}")

	self := map[string]any{}
	self["items"] = []any{self, self}
	require.Len(t, v.Table([]map[string]any{self}, noon).Rows, 1, "what contains itself is no list")
}

// A table has bounds on cells, on what its paths visit, and on text, with room for each row.
func TestTableBounds(t *testing.T) {
	table := func(columns []crd.Column, objects ...map[string]any) resource.Table {
		d := given.Definition(t, given.Kind("Cluster", "things.example.com", "Thing", "{type: object}"))
		d.Spec.Versions[0].AdditionalPrinterColumns = columns
		r, err := resource.Compile(d)
		require.NoError(t, err)
		return r.Version("v1").Table(objects, time.Time{})
	}
	full := func(cells []any) (n int) {
		for _, cell := range cells {
			if cell != nil {
				n++
			}
		}
		return n
	}
	text := slices.Repeat([]crd.Column{{Name: "a", Type: "string", JSONPath: ".spec"}}, 50_000)
	cells := table(text, map[string]any{"spec": map[string]any{"a": strings.Repeat("x", 1<<20)}}).Rows[0].Cells
	require.Len(t, cells, 50_001)
	require.Equal(t, 1+16, full(cells), "16 MiB")

	work := slices.Repeat([]crd.Column{{Name: "a", Type: "integer", JSONPath: ".l[*]"}}, 50_000)
	cells = table(work, map[string]any{"l": slices.Repeat([]any{int64(1)}, 100_000)}).Rows[0].Cells
	require.Equal(t, 1+100, full(cells), "10 million values")

	wide := slices.Repeat([]crd.Column{{Name: "a", Type: "integer", JSONPath: ".a"}}, 1<<20-1)
	objects := slices.Repeat([]map[string]any{{}}, 17)
	small := table(wide, objects[:2]...)
	require.NoError(t, small.Include(""))
	large := table(wide, objects...)
	require.EqualError(t, large.Include(""), "the table has more than 16777216 cells")
	require.Nil(t, large.Rows)

	many := table(text[:2], slices.Repeat([]map[string]any{{"spec": strings.Repeat("x", 2048)}}, 20_000)...)
	require.Equal(t, 3, full(many.Rows[19_999].Cells), "rows have room of their own")
}
