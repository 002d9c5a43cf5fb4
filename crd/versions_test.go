package crd

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BET-006, BET-007: the properties of a version.
func TestLookups(t *testing.T) {
	const perVersion = `metadata: {name: lamps.example.com}
spec:
  versions:
  - {name: v1, schema: {openAPIV3Schema: {type: object}}, subresources: {status: {}}, additionalPrinterColumns: [{name: A}], selectableFields: [{jsonPath: .a}]}
  - {name: v2, schema: {}}
  - {name: v1, schema: {openAPIV3Schema: {type: string}}}
`
	const topLevel = `metadata: {name: lamps.example.com}
spec:
  validation: {openAPIV3Schema: {type: object}}
  subresources: {status: {}}
  additionalPrinterColumns: [{name: A}]
  selectableFields: [{jsonPath: .a}]
  versions: [{name: v1}, {name: v2}]
`
	type answer struct {
		schema     string
		status     bool
		column     string
		selectable int
	}
	for _, row := range []struct {
		name, text, version string
		want                answer
	}{
		{"per version, the first of a name", headV1 + perVersion, "v1", answer{"object", true, "A", 1}},
		{"per version, nothing", headV1 + perVersion, "v2", answer{"", false, "Age", 0}},
		{"at the top", headV1beta1 + topLevel, "v2", answer{"object", true, "A", 1}},
		{"per version in v1beta1", headV1beta1 + perVersion, "v1", answer{"object", true, "A", 1}},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := mustParse(t, row.text)
			var got answer
			p, err := d.Lookup().Schema(row.version)
			require.NoError(t, err)
			if p != nil {
				got.schema = p.Type
			}
			s, err := d.Lookup().Subresources(row.version)
			require.NoError(t, err)
			got.status = s.Status != nil
			columns, err := d.Lookup().Columns(row.version)
			require.NoError(t, err)
			got.column = columns[0].Name
			fields, err := d.Lookup().SelectableFields(row.version)
			require.NoError(t, err)
			got.selectable = len(fields)
			require.Equal(t, row.want, got)
		})
	}
	t.Run("errors", func(t *testing.T) {
		d := mustParse(t, headV1beta1+topLevel)
		_, err := d.Lookup().Schema("v9")
		require.EqualError(t, err, "crd: version v9 not found in CustomResourceDefinition: lamps.example.com")
		_, err = d.Lookup().SelectableFields("v9")
		require.EqualError(t, err, "crd: version v9 not found in CustomResourceDefinition: lamps.example.com")

		d.Spec.Versions[1] = Version{Name: "v2", Schema: &Validation{}, Subresources: &Subresources{}, AdditionalPrinterColumns: []Column{{}}}
		_, err = d.Lookup().Schema("v1")
		require.EqualError(t, err, "crd: malformed CustomResourceDefinition lamps.example.com version v1: top-level and per-version schemas must be mutual exclusive")
		_, err = d.Lookup().Subresources("v1")
		require.EqualError(t, err, "crd: malformed CustomResourceDefinition lamps.example.com version v1: top-level and per-version subresources must be mutual exclusive")
		_, err = d.Lookup().Columns("v1")
		require.EqualError(t, err, "crd: malformed CustomResourceDefinition lamps.example.com version v1: top-level and per-version additionalPrinterColumns must be mutual exclusive")
	})
	t.Run("BET-007: the age", func(t *testing.T) {
		columns, err := mustParse(t, headV1+"spec: {versions: [{name: v1}]}").Lookup().Columns("v1")
		require.NoError(t, err)
		require.Len(t, columns, 1)
		require.Equal(t, "date", columns[0].Type)
		require.Equal(t, ".metadata.creationTimestamp", columns[0].JSONPath)
		require.Contains(t, columns[0].Description, "CreationTimestamp is a timestamp representing the server time when this object was created.")
		require.Contains(t, columns[0].Description, "UTC.\n\nPopulated by")
	})
}

// VER-010.
func TestVersions(t *testing.T) {
	d := mustParse(t, headV1+`
metadata: {name: lamps.example.com, generation: 4, resourceVersion: "9", deletionTimestamp: "2024-01-02T03:04:05Z", annotations: {api-approved.kubernetes.io: x}}
spec:
  names: {plural: lamps, kind: Lamp}
  versions: [{name: v1}, {name: v2, served: true, storage: true}, {name: v1, served: true}, {name: v3, storage: true}]
status:
  storedVersions: [v0]
  conditions: [{type: Established, status: "True"}]
`)
	name, err := d.StorageVersion()
	require.NoError(t, err)
	require.Equal(t, "v2", name)
	require.Same(t, &d.Spec.Versions[0], d.Version("v1"))
	require.Nil(t, d.Version("v9"))
	require.True(t, d.Serves("v1"), "any version of that name")
	require.False(t, d.Serves("v3"))

	require.Equal(t, "lamps.example.com", d.Name())
	require.Equal(t, int64(4), d.Generation())
	require.Equal(t, "9", d.ResourceVersion())
	require.True(t, d.Deleted())
	text, ok := d.Annotation("api-approved.kubernetes.io")
	require.Equal(t, "x", text)
	require.True(t, ok)
	_, ok = d.Annotation("y")
	require.False(t, ok)
	require.Same(t, &d.Status.Conditions[0], d.Condition(Established))
	require.True(t, d.HasCondition(Established))
	require.False(t, d.HasCondition(NamesAccepted))

	require.Equal(t, "Lamp", d.AcceptedNames().Kind, "there is no status yet")
	d.Status.AcceptedNames = Names{Plural: "old", Kind: "Old"}
	require.Equal(t, "Old", d.AcceptedNames().Kind)

	empty := &CustomResourceDefinition{}
	_, err = empty.StorageVersion()
	require.EqualError(t, err, "crd: invalid CustomResourceDefinition, no storage version")
	require.Empty(t, empty.Name())
	require.False(t, empty.Deleted())
}

// DPR-001, DPR-002.
func TestDeprecationWarning(t *testing.T) {
	const names = "spec:\n  group: example.com\n  names: {plural: widgets, kind: Widget}\n  versions:\n"
	for _, row := range []struct{ name, versions, version, want string }{
		{"a better one is served", "  - {name: v1, served: true, deprecated: true}\n  - {name: v2, served: true}\n", "v1",
			"example.com/v1 Widget is deprecated; use example.com/v2 Widget"},
		{"a better one, by priority", "  - {name: v1beta1, served: true, deprecated: true}\n  - {name: v1, served: true}\n", "v1beta1",
			"example.com/v1beta1 Widget is deprecated; use example.com/v1 Widget"},
		{"the best of several", "  - {name: v1, served: true, deprecated: true}\n  - {name: v2, served: true}\n  - {name: v10, served: true}\n  - {name: v3, served: true}\n", "v1",
			"example.com/v1 Widget is deprecated; use example.com/v10 Widget"},
		{"none is better", "  - {name: v2, served: true, deprecated: true}\n  - {name: v1, served: true}\n  - {name: v3beta1, served: true}\n  - {name: v4, served: true, deprecated: true}\n", "v2",
			"example.com/v2 Widget is deprecated"},
		{"a better one is not served", "  - {name: v1, served: true, deprecated: true}\n  - {name: v2}\n", "v1", "example.com/v1 Widget is deprecated"},
		{"equal priority is not better", "  - {name: v1, served: true, deprecated: true}\n  - {name: v01, served: true}\n", "v1", "example.com/v1 Widget is deprecated"},
		{"its own text", "  - {name: v1, deprecated: true, deprecationWarning: do not}\n  - {name: v2, served: true}\n", "v1", "do not"},
		{"its own text, empty", "  - {name: v1, deprecated: true, deprecationWarning: ''}\n", "v1", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			text, ok := mustParse(t, headV1+names+row.versions).Lookup().DeprecationWarning(row.version)
			require.Equal(t, row.want, text)
			require.True(t, ok)
		})
	}
	for name, versions := range map[string]string{"not deprecated": "  - {name: v1, served: true, deprecationWarning: x}\n", "unknown": "  - {name: v2, deprecated: true}\n"} {
		t.Run(name, func(t *testing.T) {
			text, ok := mustParse(t, headV1+names+versions).Lookup().DeprecationWarning("v1")
			require.Empty(t, text)
			require.False(t, ok)
		})
	}
}

// A Lookup is fast for thousands of versions.
func TestLookupOfMany(t *testing.T) {
	const n = 20_000
	for name, deprecated := range map[string]func(i int) bool{
		"all deprecated": func(int) bool { return true }, "half of them": func(i int) bool { return i%2 == 0 },
	} {
		t.Run(name, func(t *testing.T) {
			d := &CustomResourceDefinition{APIVersion: APIVersionV1beta1, Spec: Spec{Group: "example.com", Names: Names{Kind: "Lamp"}, Validation: &Validation{}}}
			for i := range n {
				d.Spec.Versions = append(d.Spec.Versions, Version{Name: "v" + strconv.Itoa(i), Served: true, Deprecated: deprecated(i)})
			}
			start := time.Now()
			l := d.Lookup()
			for i := range d.Spec.Versions {
				name := d.Spec.Versions[i].Name
				_, err := l.Schema(name)
				require.NoError(t, err)
				text, ok := l.DeprecationWarning(name)
				require.Equal(t, deprecated(i), ok)
				if ok && !deprecated(n-1) {
					require.Equal(t, "example.com/"+name+" Lamp is deprecated; use example.com/v19999 Lamp", text)
				}
			}
			require.Less(t, time.Since(start), 3*time.Second, "not linear")
		})
	}
}
