package audit_test

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/audit"
	"github.com/crdkit/crdkit/internal/test/given"
)

// auditAll audits the objects of a text by a change of a definition, and returns the report.
func auditAll(t *testing.T, old, new, objects string) *audit.Report {
	t.Helper()
	a, err := audit.New(given.Definition(t, new), &audit.Options{Old: given.Definition(t, old)})
	require.NoError(t, err)
	report, err := a.Run(t.Context(), audit.Objects(strings.NewReader(objects)))
	require.NoError(t, err)
	return report
}

func definitionOf(spec, status string) string {
	return given.KindWithStatus("Namespaced", "taps.example.org", "Tap", spec, status)
}

// A status that a controller can no longer write is a finding, although an update ignores it because it is unchanged.
func TestStatus(t *testing.T) {
	const spec = `{type: object, properties: {size: {type: integer}}}`
	old := definitionOf(spec, `{type: object, properties: {phase: {type: string, enum: [Open, Closed]}}}`)
	new := definitionOf(spec, `{type: object, properties: {phase: {type: string, enum: [Closed]}}}`)
	const objects = `
{"apiVersion":"example.org/v1","kind":"Tap","metadata":{"name":"a","namespace":"n","resourceVersion":"1"},"status":{"phase":"Open"}}
{"apiVersion":"example.org/v1","kind":"Tap","metadata":{"name":"b","namespace":"n","resourceVersion":"1"},"status":{"phase":"Closed"}}
`
	r := auditAll(t, old, new, objects)
	require.Len(t, r.Findings, 1)
	f := r.Findings[0]
	require.Equal(t, audit.Status, f.Question)
	require.Equal(t, `status.phase: Unsupported value: "Open": supported values: "Closed"`, f.Text)
	require.Equal(t, []string{"n/a"}, f.Names)
	require.Equal(t, [3]int64{1, 1, 1}, [3]int64{r.Clean, r.Broken, r.New})
	require.Empty(t, auditAll(t, new, old, objects).Findings)

	// Without a status subresource, the error is that of a create.
	plain := func(text string) string { return strings.Replace(text, "subresources: {status: {}},", "", 1) }
	r = auditAll(t, plain(old), plain(new), objects)
	require.Len(t, r.Findings, 1)
	require.Equal(t, audit.Create, r.Findings[0].Question)
}

// What the change drops counts as broken by it.
func TestLosesData(t *testing.T) {
	old := definitionOf(`{type: object, properties: {size: {type: integer}, note: {type: string}}}`, `{type: object}`)
	new := definitionOf(`{type: object, properties: {size: {type: integer}}}`, `{type: object}`)
	const objects = `{"apiVersion":"example.org/v1","kind":"Tap","metadata":{"name":"a","namespace":"n"},"spec":{"note":"x","other":1}}`
	r := auditAll(t, old, new, objects)
	require.Len(t, r.Findings, 2)
	require.Equal(t, "spec.note", r.Findings[0].Path)
	require.Equal(t, [2]int64{0, 1}, [2]int64{r.Findings[0].Before, r.Findings[1].Before}, "spec.other is unknown to both")
	require.Equal(t, [3]int64{1, 0, 1}, [3]int64{r.Changed, r.Broken, r.New})
}

// Objects without a name have their number.
func TestNameless(t *testing.T) {
	d := definitionOf(`{type: object, properties: {size: {type: integer}}}`, `{type: object}`)
	r := auditAll(t, d, d, `
{"apiVersion":"example.org/v1","kind":"Tap","spec":{"size":"x"}}
{"apiVersion":"example.org/v1","kind":"Tap","metadata":{"namespace":"n"},"spec":{"size":"x"}}
{"apiVersion":"example.org/v1","kind":"Tap","metadata":{"namespace":"n","generateName":"t-"},"spec":{"size":"x"}}
`)
	var names []string
	for _, f := range r.Findings {
		if f.Path == "spec.size" {
			names = f.Names
		}
	}
	require.Equal(t, []string{"object 1, without a name", "n/(no name)", "n/t-*"}, names)
}

// Objects in the flow style of YAML, in UTF-16, and without a type in a typed list.
func TestObjectsAsTheyCome(t *testing.T) {
	const a, b = `{"apiVersion":"example.org/v1","kind":"Tap","metadata":{"name":"a"}}`, `{"apiVersion":"example.org/v1","kind":"Tap","metadata":{"name":"b"}}`
	utf16LE := func(text string) string {
		var out []byte
		for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
			out = binary.LittleEndian.AppendUint16(out, unit)
		}
		return string(out)
	}
	flow := `{apiVersion: example.org/v1, kind: Tap, metadata: {name: a}}`
	for name, text := range map[string]string{
		"flow":                 flow + "\n---\n" + strings.ReplaceAll(flow, "name: a", "name: b"),
		"flow after JSON":      a + "\n---\n" + strings.ReplaceAll(flow, "name: a", "name: b"),
		"a list in flow style": "{apiVersion: v1, kind: List, items: [" + flow + ",\n" + b + "]}",
		"UTF-16":               utf16LE(a + "\n" + b + "\n"),
		"YAML in UTF-16":       utf16LE(flow + "\n---\napiVersion: example.org/v1\nkind: Tap\nmetadata:\n  name: b\n"),
		"a typed list":         `{"kind":"TapList","apiVersion":"example.org/v1","items":[{"metadata":{"name":"a"}},` + b + `]}`,
		"a typed list in YAML": "apiVersion: example.org/v1\nitems:\n- metadata: {name: a}\n- " + b + "\nkind: TapList\n",
	} {
		t.Run(name, func(t *testing.T) {
			var found []map[string]any
			for body, err := range audit.Objects(strings.NewReader(text)) {
				require.NoError(t, err)
				found = append(found, given.Object(t, body))
			}
			require.Equal(t, []map[string]any{given.Object(t, a), given.Object(t, b)}, found)
		})
	}
	for body, err := range audit.Objects(strings.NewReader(`{"kind":"TapList","apiVersion":"example.org/v1","items":[{}]}`)) {
		require.NoError(t, err)
		require.Equal(t, `{"apiVersion":"example.org/v1","kind":"Tap"}`, string(body))
	}
}
