package crd

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/jsonval"
)

// For any text: no panic, deterministic results, strict parsing agrees with lax parsing, and a marshaled definition
// parses to a definition that marshals the same way. Settling a status a second time does not change it.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"", "{}", everyV1, everyV1beta1, headV1 + "spec: {versions: [null, {schema: {openAPIV3Schema: {items: [], default: 1.0}}}]}",
		headV1beta1 + "spec: {version: v1, validation: {openAPIV3Schema: {properties: {n: 012}}}}", headV1 + "---\n" + headV1beta1,
		"apiVersion: v1\nkind: List\nitems: [{kind: a}]"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := Parse(data)
		same, findings, strictErr := ParseStrict(data)
		require.Equal(t, err, strictErr)
		require.Equal(t, d, same)
		_, allErr := ParseAll(data)
		_, bundleErr := ParseBundle(data)
		if err != nil {
			require.Nil(t, d)
			require.Nil(t, findings)
			return
		}
		require.NoError(t, allErr)
		require.NoError(t, bundleErr)
		d.Unversioned()
		for _, v := range d.Spec.Versions {
			d.Lookup().DeprecationWarning(v.Name)
			_, _ = d.Lookup().Columns(v.Name)
		}
		settled := *d
		settled.Status = d.Settle(nil, time.Time{})
		require.Equal(t, settled.Status, settled.Settle(nil, time.Time{}))

		text, err := json.Marshal(d)
		require.NoError(t, err)
		again, findings, err := ParseStrict(text)
		require.NoError(t, err)
		require.Empty(t, findings)
		// An invalid items is written as null, and a float with an integer value as an integer (CDC-010, CDC-013).
		// After that nothing changes.
		text = must(json.Marshal(again))
		require.Equal(t, string(text), string(must(json.Marshal(must(Parse(text))))))
		spec := again.Unversioned()
		written := must(Parse(text)).Unversioned()
		require.True(t, jsonval.EqualTyped(&spec, &written))
	})
}
