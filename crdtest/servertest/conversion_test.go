package servertest_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/crdtest"
	"github.com/crdkit/crdkit/crdtest/servertest"
	"github.com/crdkit/crdkit/registry"
	"github.com/crdkit/crdkit/server"
)

const lamps = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: lamps.example.com}
spec:
  group: example.com
  names: {kind: Lamp, plural: lamps}
  scope: Namespaced
  conversion:
    strategy: Webhook
    webhook: {conversionReviewVersions: [v1], clientConfig: {service: {name: a, namespace: b}}}
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, properties: {watts: {type: integer}}}}
    - name: v2
      served: true
      storage: false
      schema: {openAPIV3Schema: {type: object, properties: {power: {type: integer}}}}
`

// renamed converts Lamps by renaming their field.
func renamed(_ context.Context, objects []map[string]any, apiVersion string) ([]map[string]any, error) {
	for _, obj := range objects {
		from, to := "watts", "power"
		if apiVersion == "example.com/v1" {
			from, to = to, from
		}
		obj["apiVersion"], obj[to] = apiVersion, obj[from]
		delete(obj, from)
	}
	return objects, nil
}

// A server has the converters of the set, unless the options have others.
func TestConverters(t *testing.T) {
	reg, err := registry.Parse([]byte(lamps))
	require.NoError(t, err)
	reg, err = reg.WithConverter("lamps.example.com", conversion.ConverterFunc(renamed))
	require.NoError(t, err)
	const (
		lamp = "{apiVersion: example.com/v2, kind: Lamp, metadata: {name: a, namespace: shop}, power: 5}"
		url  = "http://any/apis/example.com/v1/namespaces/shop/lamps/a"
	)
	s := servertest.Serve(t, crdtest.New(reg), lamp)
	require.EqualValues(t, 5, get(t, s.Client(), url)["watts"])

	same := func(_ context.Context, objects []map[string]any, apiVersion string) ([]map[string]any, error) {
		for i := range objects {
			objects[i] = conversion.None(objects[i], apiVersion)
		}
		return objects, nil
	}
	o := server.Options{Converters: map[string]conversion.Converter{"lamps.example.com": conversion.ConverterFunc(same)}}
	s = servertest.ServeWith(t, o, crdtest.New(reg), lamp)
	require.NotContains(t, get(t, s.Client(), url), "watts")

	s = servertest.Serve(t, crdtest.Parse(t, lamps), "{apiVersion: example.com/v1, kind: Lamp, metadata: {name: a, namespace: shop}, watts: 5}")
	refused := get(t, s.Client(), "http://any/apis/example.com/v2/namespaces/shop/lamps/a")
	require.EqualValues(t, 500, refused["code"])
	require.Contains(t, refused["message"], "the webhook has no URL, and no converter was given")
}
