package resource_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

// lamps is a definition whose versions have different selectable fields.
const lamps = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: lamps.example.com}
spec:
  group: example.com
  scope: %s
  names: {plural: lamps, kind: Lamp}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.bulbs, statusReplicasPath: .status.bulbs, labelSelectorPath: .spec.selector}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              colour: {type: string, nullable: true}
              watt: {type: integer}
              bulbs: {type: integer}
              on: {type: boolean}
              selector: {type: string}
    selectableFields: [{jsonPath: .spec.colour}, {jsonPath: .spec.watt}, {jsonPath: .spec.on}]
  - name: v2
    served: true
    storage: false
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
    selectableFields: [{jsonPath: .spec.color}]
`

func lamp(tb testing.TB, scope, version string) *resource.Version {
	tb.Helper()
	return compile(tb, fmt.Sprintf(lamps, scope)).Version(version)
}

// SEL-001, STR-018: each version has its own fields, besides the name and, in a namespace, the namespace.
func TestSelectorFields(t *testing.T) {
	for _, row := range []struct{ scope, version, fields, refusal string }{
		{"Namespaced", "v1", "metadata.name=a,metadata.namespace=b,spec.colour=red,spec.on!=true,spec.watt=7", ""},
		{"Namespaced", "v1", "spec.color=red", "field label not supported: spec.color"},
		{"Namespaced", "v2", "spec.color=red", ""},
		{"Namespaced", "v2", "spec.colour=red", "field label not supported: spec.colour"},
		{"Cluster", "v1", "metadata.name=a", ""},
		{"Cluster", "v1", "metadata.namespace=b", "field label not supported: metadata.namespace"},
		{"Cluster", "v1", ".spec.colour=red", "field label not supported: .spec.colour"},
	} {
		s, refusal := lamp(t, row.scope, row.version).Selector("", row.fields)
		if row.refusal == "" {
			require.NoError(t, refusal, row.fields)
			require.Equal(t, row.fields, s.Fields())
			continue
		}
		require.Nil(t, s)
		require.Equal(t, &field.Status{Code: 400, Reason: "BadRequest", Message: row.refusal}, refusal)
	}
}

// SEL-004, SEL-005: an invalid selector is refused with 400. The labels are parsed first, then the fields.
func TestSelectorRefusals(t *testing.T) {
	v := lamp(t, "Namespaced", "v1")
	for _, row := range []struct{ name, labels, fields, want string }{
		{"labels", "a in (b", "", "unable to parse requirement: found '', expected: ',' or ')'"},
		{"fields", "", "spec.watt > 7", "invalid selector: 'spec.watt > 7'; can't understand 'spec.watt > 7'"},
		{"escape", "", `spec.colour=\x`, `invalid field selector: invalid escape sequence: \x`},
		{"labels before fields", "a b c", "x", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"},
		{"syntax before fields", "a=b", "x=1,spec.watt", "invalid selector: 'x=1,spec.watt'; can't understand 'spec.watt'"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, refusal := v.Selector(row.labels, row.fields)
			require.Nil(t, s)
			require.Equal(t, &field.Status{Code: 400, Reason: "BadRequest", Message: row.want}, refusal)
		})
	}
}

// SEL-002, SEL-003, SEL-005, SEL-006: both selectors must select an object.
func TestSelectorMatches(t *testing.T) {
	v := lamp(t, "Namespaced", "v1")
	created := v.Create(context.Background(), map[string]any{
		"apiVersion": "example.com/v1", "kind": "Lamp",
		"metadata": map[string]any{"name": "a", "namespace": "hall", "labels": map[string]any{"tier": "front"}},
		"spec":     map[string]any{"colour": nil, "watt": 1e3},
	})
	require.NoError(t, created.Err())
	for _, row := range []struct {
		labels, fields string
		want           bool
	}{
		{"", "", true},
		{"", "=", true},
		{"tier=front", "", true},
		{"tier!=front", "", false},
		{"size!=big,!size", "", true},
		{"", "metadata.name=a,metadata.namespace=hall", true},
		{"", "metadata.name!=a", false},
		{"", "spec.watt=1000", true},
		{"", "spec.watt=1e3", false},
		{"", "spec.colour=", true},
		{"", "spec.on=", true},
		{"", "spec.on!=true", true},
		{"", "spec.on=false", false},
		{"tier=front", "spec.watt=1000", true},
		{"tier=back", "spec.watt=1000", false},
		{"tier=front", "spec.watt=7", false},
	} {
		s, refusal := v.Selector(row.labels, row.fields)
		require.NoError(t, refusal)
		require.Equal(t, row.want, s.Matches(created.Object), "%s %s", row.labels, row.fields)
		require.Equal(t, row.labels == "" && (row.fields == "" || row.fields == "="), s.Empty())
	}
}

func TestSelectorNil(t *testing.T) {
	var none *resource.Selector
	require.True(t, none.Matches(map[string]any{}))
	require.True(t, none.Empty())
	require.Empty(t, none.Labels()+none.Fields())
	s, refusal := lamp(t, "Namespaced", "v1").Selector("!a", "spec.on=")
	require.NoError(t, refusal)
	require.True(t, s.Matches(nil))
}

// SEL-001, SEL-002.
func TestSelectableFields(t *testing.T) {
	v := lamp(t, "Namespaced", "v1")
	got, err := v.SelectableFields(map[string]any{"metadata": map[string]any{"name": "a"}, "spec": map[string]any{"watt": int64(7), "on": false}})
	require.NoError(t, err)
	require.Equal(t, map[string]string{
		"metadata.name": "a", "metadata.namespace": "", "spec.colour": "", "spec.watt": "7", "spec.on": "false",
	}, got)
	_, err = v.SelectableFields(map[string]any{"spec": map[string]any{"watt": struct{}{}}})
	require.ErrorContains(t, err, "unstructured.FromStruct")
}

// SUB-023: the label selector of a scale is any string; nothing parses it.
func TestScaleSelectorIsAnyString(t *testing.T) {
	v := lamp(t, "Namespaced", "v1")
	_, refusal := v.Selector("a in (", "")
	require.NotNil(t, refusal)
	created := v.Create(context.Background(), map[string]any{
		"apiVersion": "example.com/v1", "kind": "Lamp", "metadata": map[string]any{"name": "a", "namespace": "hall"},
		"spec": map[string]any{"selector": "a in ("},
	})
	require.NoError(t, created.Err())
}

func TestSelectorNoAllocs(t *testing.T) {
	s, refusal := lamp(t, "Namespaced", "v1").Selector("tier in (front,back),!old", "metadata.name!=b,spec.on=true,spec.watt=60")
	require.NoError(t, refusal)
	obj := map[string]any{
		"metadata": map[string]any{"name": "a", "labels": map[string]any{"tier": "front"}},
		"spec":     map[string]any{"on": true, "watt": int64(60)},
	}
	require.True(t, s.Matches(obj))
	given.RequireNoAllocs(t, map[string]func(){"Matches": func() { s.Matches(obj) }})
}

func ExampleVersion_Selector() {
	d, err := crd.Parse(fmt.Appendf(nil, lamps, "Namespaced"))
	if err != nil {
		log.Fatal(err)
	}
	r, err := resource.Compile(d)
	if err != nil {
		log.Fatal(err)
	}
	v := r.Version("v1")
	s, err := v.Selector("tier in (front,back)", "spec.watt!=60")
	if err != nil {
		log.Fatal(err)
	}
	for _, document := range []string{
		`{metadata: {name: hall, labels: {tier: front}}, spec: {watt: 40}}`,
		`{metadata: {name: stairs, labels: {tier: front}}, spec: {watt: 60}}`,
		`{metadata: {name: cellar}, spec: {watt: 40}}`,
	} {
		obj, err := unstructured.Decode([]byte(document))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(s.Matches(obj))
	}
	_, err = v.Selector("", "spec.size=3")
	var status *field.Status
	fmt.Println(errors.As(err, &status), status.Code, err)
	// Output:
	// true
	// false
	// false
	// true 400 field label not supported: spec.size
}
