package crdtest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/internal/manifest"
	"github.com/crdkit/crdkit/registry"
)

// routes has two versions and a conversion webhook: v1 has an address, v2 a host and a port.
const routes = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: routes.example.com}
spec:
  group: example.com
  names: {kind: Route, plural: routes, singular: route, listKind: RouteList}
  scope: Namespaced
  conversion:
    strategy: Webhook
    webhook: {conversionReviewVersions: [v1], clientConfig: {service: {name: a, namespace: b}}}
  versions:
    - name: v1
      served: true
      storage: false
      subresources: {status: {}}
      schema:
        openAPIV3Schema:
          type: object
          required: [spec]
          properties:
            spec: {type: object, required: [address], properties: {address: {type: string, pattern: "^[a-z]+:[1-9]$"}, tries: {type: integer, default: 1}}}
            status: {type: object, properties: {ready: {type: boolean}}}
    - name: v2
      served: true
      storage: true
      subresources: {status: {}}
      schema:
        openAPIV3Schema:
          type: object
          required: [spec]
          properties:
            spec:
              type: object
              required: [host, port]
              properties:
                host: {type: string, pattern: "^[a-z]+$"}
                port: {type: integer, minimum: 1, maximum: 9}
                tries: {type: integer, default: 1}
            status: {type: object, properties: {ready: {type: boolean}}}
`

// split converts Routes.
func split(_ context.Context, objects []map[string]any, apiVersion string) ([]map[string]any, error) {
	for _, obj := range objects {
		spec, _ := obj["spec"].(map[string]any)
		switch apiVersion {
		case "example.com/v2":
			address, _ := spec["address"].(string)
			host, port, ok := strings.Cut(address, ":")
			if !ok || len(port) != 1 {
				return nil, fmt.Errorf("no port in %q", address)
			}
			spec["host"], spec["port"] = host, int64(port[0]-'0')
			delete(spec, "address")
		default:
			spec["address"] = fmt.Sprintf("%v:%v", spec["host"], spec["port"])
			delete(spec, "host")
			delete(spec, "port")
		}
		obj["apiVersion"] = apiVersion
	}
	return objects, nil
}

// converting returns a set of a definition with a converter.
func converting(t testing.TB, definition string, conv conversion.ConverterFunc) *Set {
	t.Helper()
	reg, err := registry.Parse([]byte(definition))
	require.NoError(t, err)
	reg, err = reg.WithConverter(reg.Definitions()[0].Name(), conv)
	require.NoError(t, err)
	return New(reg)
}

// ECT-021: a case has the answer in the version of the request, what is stored, and what the other versions read.
func TestStoredAndRead(t *testing.T) {
	s := converting(t, routes, split)
	c := Case{
		Version: "v1", Object: `spec: {address: "a:1"}`,
		Want:   `{apiVersion: example.com/v1, spec: {address: "a:1"}}`,
		Stored: `{apiVersion: example.com/v2, spec: {host: a, port: 1}}`,
		Read: map[string]any{
			"v1": `{apiVersion: example.com/v1, spec: {address: "a:1", tries: 1}}`,
			"v2": `{apiVersion: example.com/v2, spec: {host: a, port: 1, tries: 1}}`,
		},
	}
	exact := c
	exact.WantExact = true
	exact.Want = `{spec: {address: "a:1", tries: 1}}`
	exact.Stored = `{spec: {host: a, port: 1, tries: 1}}`
	for _, c := range []*Case{&c, &exact} {
		failure, err := s.try(t.Context(), c)
		require.NoError(t, err)
		require.Empty(t, failure)
	}

	c.Stored, c.Read["v1"] = `spec: {port: 2}`, `spec: {address: "a:2"}`
	failure, err := s.try(t.Context(), &c)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(failure, `create Route example.com/v1: the stored object differs (-want +got)
    - spec.port: 2
    + spec.port: 1
    and what v1 reads differs (-want +got)
    - spec.address: "a:2"
    + spec.address: "a:1"
`), failure)

	for field, c := range map[string]*Case{
		"Stored":   {Object: `spec: {host: a, port: 1}`, Stored: "- 1"},
		"Read[v1]": {Object: `spec: {host: a, port: 1}`, Read: map[string]any{"v1": "- 1"}},
		"Read":     {Object: `spec: {host: a, port: 1}`, Read: map[string]any{"v9": "{}"}},
	} {
		_, err := s.try(t.Context(), c)
		require.ErrorContains(t, err, field+": ")
	}
}

// ECT-021: the converter of a set is used by golden files, samples, and comparisons.
func TestSetCarriesConverter(t *testing.T) {
	s := converting(t, routes, split)
	a := manifest.ParseArchive("-- object.yaml --\napiVersion: example.com/v1\nspec: {address: \"a:1\"}\n-- want.yaml --\nspec: {address: \"a:1\"}\n" +
		"-- stored.yaml --\nspec: {host: a, port: 1}\n")
	failure, err := s.tryFile(t.Context(), a, false)
	require.NoError(t, err)
	require.Empty(t, failure)
	a.Set(storedFile, "spec: {port: 2}\n")
	failure, err = s.tryFile(t.Context(), a, false)
	require.NoError(t, err)
	require.Contains(t, failure, "the stored object differs")
	_, err = s.tryFile(t.Context(), a, true)
	require.NoError(t, err)
	require.Contains(t, a.File(storedFile).Text, "port: 1\n", "an update rewrites the file")

	for _, version := range []string{"v1", "v2"} {
		require.NotNil(t, s.Sample(t, "Route", version).Full, version)
	}

	// The address may have two digits now, and the converter does not know.
	wider := strings.Replace(routes, "[1-9]$", "[1-9][0-9]?$", 1)
	r := &recorder{TB: t}
	converting(t, wider, split).Compatible(r, s)
	without := &recorder{TB: t}
	Parse(t, wider).Compatible(without, Parse(t, routes))
	require.NotContains(t, strings.Join(r.logs, "\n"), "webhook")
	require.Contains(t, strings.Join(without.logs, "\n"), "webhook")
}

// ECT-022: without a converter, objects are validated, and it is said once that nothing else is known.
func TestNoConverter(t *testing.T) {
	file := filepath.Join(t.TempDir(), "routes.yaml")
	require.NoError(t, os.WriteFile(file, []byte("# Two versions.\n"+routes), 0o600))
	s := Load(t, file)
	for _, c := range []Case{
		{Version: "v1", Object: `spec: {address: "a:1"}`},
		{Version: "v1", Object: `spec: {address: "a"}`, Errs: []Match{Invalid("spec.address")}},
		{Version: "v1", Old: `spec: {address: "a:1"}`, Patch: `spec: {address: "b:1"}`},
		{Version: "v2", Object: `spec: {host: a, port: 1}`, Want: `spec: {tries: 1}`, Stored: `spec: {tries: 1}`},
	} {
		failure, err := s.try(t.Context(), &c)
		require.NoError(t, err)
		require.Empty(t, failure)
	}
	r := &recorder{TB: t}
	s.notes.logUnconverted(r)
	s.notes.logUnconverted(r)
	require.Equal(t, []string{file + ":10: routes.example.com: what is stored is not known: the definition has a conversion webhook, " +
		"and the set has no converter for it (see registry.Registry.WithConverter)"}, r.logs)

	for _, c := range []Case{
		{Version: "v1", Object: `spec: {address: "a:1"}`, Want: `spec: {address: "a:1"}`},
		{Version: "v1", Object: `spec: {address: "a:1"}`, Stored: `spec: {host: a}`},
		{Version: "v1", Object: `spec: {address: "a:1"}`, Read: map[string]any{"v2": `spec: {host: a}`}},
	} {
		failure, err := s.try(t.Context(), &c)
		require.NoError(t, err)
		require.Contains(t, failure, "+ not known: the definition has a conversion webhook")
	}
	a := manifest.ParseArchive("-- object.yaml --\napiVersion: example.com/v1\nspec: {address: \"a:1\"}\n")
	_, err := s.tryFile(t.Context(), a, true)
	require.NoError(t, err)
	require.Nil(t, a.File(wantFile), "an update writes no answer that is not known")
	require.NotNil(t, s.Sample(t, "Route", "v1").Full)
}

func FuzzConverted(f *testing.F) { Fuzz(f, converting(f, routes, split), "Route") }
