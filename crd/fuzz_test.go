package crd

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Whatever the text: no panic, the same answer each time, strict parsing agrees with lax, and what a definition is written as parses
// to a definition that is written the same way. What a server makes of the status it leaves so when it looks again.
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
			d.Answers(v.Name, "get", true)
		}
		d.StoredVersionErrors()
		d.VersionsToMigrate()
		for _, name := range d.RemovableVersions() {
			require.NotNil(t, d.Version(name))
			require.False(t, d.Stores(name))
		}
		settled := *d
		settled.Status = d.Settle(nil, time.Time{})
		require.Equal(t, settled.Status, settled.Settle(nil, time.Time{}))

		text, err := json.Marshal(d)
		require.NoError(t, err)
		again, findings, err := ParseStrict(text)
		require.NoError(t, err)
		require.Empty(t, findings)
		// An items of neither kind is written as null, and a float as an integer where it is one (CDC-010, CDC-013): from
		// then on nothing changes.
		text = must(json.Marshal(again))
		require.Equal(t, string(text), string(must(json.Marshal(must(Parse(text))))))
		spec := again.Unversioned()
		written := must(Parse(text)).Unversioned()
		require.True(t, spec.Equal(&written))
	})
}
