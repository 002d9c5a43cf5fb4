package crd

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// CDC-013: everything that a server keeps of a document is marshaled.
func TestMarshalRoundTrip(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"every key", everyV1, everyV1},
		{"TYP-007, DFT-001: what is always there", headV1, `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{},
			"spec":{"group":"","names":{"plural":"","kind":""},"scope":"","versions":null,"conversion":{"strategy":"None"}},
			"status":{"conditions":null,"acceptedNames":{"plural":"","kind":""},"storedVersions":null}}`},
		{"empty things", headV1 + `
metadata: {labels: {}}
spec:
  preserveUnknownFields: false
  conversion: {strategy: Webhook, webhook: {clientConfig: {caBundle: ""}}}
  versions: [{schema: {}, subresources: {}, additionalPrinterColumns: [], selectableFields: []}]
status: {conditions: [{type: A}]}
`, `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{},
			"spec":{"group":"","names":{"plural":"","kind":""},"scope":"","conversion":{"strategy":"Webhook","webhook":{"clientConfig":{},"conversionReviewVersions":null}},
				"versions":[{"name":"","served":false,"storage":false,"schema":{},"subresources":{}}]},
			"status":{"conditions":[{"type":"A","status":"","lastTransitionTime":null}],"acceptedNames":{"plural":"","kind":""},"storedVersions":null}}`},
		{"BET-004: v1beta1 becomes v1", everyV1beta1, `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{},
			"spec":{"group":"","names":{"plural":"","kind":""},"scope":"Namespaced","preserveUnknownFields":true,
				"conversion":{"strategy":"Webhook","webhook":{"clientConfig":{"url":"https://x"},"conversionReviewVersions":["v1"]}},
				"versions":[{"name":"v1","served":false,"storage":false,"schema":{"openAPIV3Schema":{"type":"object"}},"subresources":{"status":{}},
					"additionalPrinterColumns":[{"name":"Watt","type":"integer","jsonPath":".spec.watt"}],"selectableFields":[{"jsonPath":".spec.colour"}]}]},
			"status":{"conditions":null,"acceptedNames":{"plural":"","kind":""},"storedVersions":null}}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := mustParse(t, row.text)
			text, err := json.Marshal(d)
			require.NoError(t, err)
			require.JSONEq(t, row.want, string(text))

			again := new(CustomResourceDefinition)
			require.NoError(t, json.Unmarshal(text, again))
			require.Equal(t, d.V1().Spec.Names, again.Spec.Names)
			require.JSONEq(t, row.want, string(must(json.Marshal(again))))
		})
	}
	t.Run("UnmarshalJSON leaves the target alone", func(t *testing.T) {
		d := mustParse(t, everyV1)
		require.NoError(t, d.UnmarshalJSON([]byte("null")))
		require.ErrorContains(t, d.UnmarshalJSON([]byte("{}")), "crd: kind: is missing")
		require.Equal(t, mustParse(t, everyV1), d)
	})
}

// A definition marshals in the same way by value, in a struct or a map, as by pointer.
func TestMarshalByValue(t *testing.T) {
	d := mustParse(t, everyV1)
	want := string(must(json.Marshal(d)))
	text, err := json.Marshal(struct {
		Field CustomResourceDefinition
		Map   map[string]CustomResourceDefinition
		None  *CustomResourceDefinition
	}{*d, map[string]CustomResourceDefinition{"a": *d}, nil})
	require.NoError(t, err)
	require.JSONEq(t, `{"Field": `+want+`, "Map": {"a": `+want+`}, "None": null}`, string(text))
}
