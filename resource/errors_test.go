package resource_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/server/protocol"
)

// Functions that can refuse return nil, or an error with the Status.
func TestRefusalsAreErrors(t *testing.T) {
	v := things(t, pools).Version("v1")
	pool := thing(t, "{spec: {replicas: 1}}")
	broken := thing(t, "{items: [5]}")
	uid := "another"

	d := given.Definition(t, `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: cogs.example.com}, spec: {
		group: example.com, scope: Namespaced, names: {plural: cogs, kind: Cog}, versions: [{name: v1, served: true, storage: true}, {name: v2, served: true}],
		conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {url: "https://localhost/convert"}}}}}`)
	versions, err := conversion.Compile(d)
	require.NoError(t, err)
	cog := map[string]any{"apiVersion": "example.com/v1", "kind": "Cog", "metadata": map[string]any{"name": "a"}}
	cogs := map[string]any{"apiVersion": "example.com/v1", "kind": "CogList", "items": []any{cog}}
	hook := versions.Webhook(func() string { return "u" }, func(context.Context, []byte) ([]byte, error) { return []byte("{}"), nil })

	for name, call := range map[string]func(refused bool) error{
		"Decode": func(refused bool) error {
			_, _, err := v.Decode([]byte(choose(refused, "{}", `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"}}`)))
			return err
		},
		"Scale":    func(refused bool) error { _, err := v.Scale(choose(refused, nil, pool)); return err },
		"Selector": func(refused bool) error { _, err := v.Selector(choose(refused, "=", "a=b"), ""); return err },
		"NegotiateObject": func(refused bool) error {
			_, err := protocol.NegotiateObject(choose(refused, "text/html", "application/json"))
			return err
		},
		"NegotiateDiscovery": func(refused bool) error {
			_, err := protocol.NegotiateDiscovery(choose(refused, "text/html", "application/json"))
			return err
		},
		"Fits": func(refused bool) error { return protocol.Form{As: protocol.AsPartialObjectMetadata}.Fits(refused) },
		"FitsObject": func(refused bool) error {
			return protocol.Form{As: protocol.AsPartialObjectMetadata}.FitsObject(choose(refused, broken, pool))
		},
		"Include, the query": func(refused bool) error {
			table := v.Table(nil, noon)
			return table.Include(choose(refused, "x", "None"))
		},
		"Include, the table": func(refused bool) error {
			table := v.Table([]map[string]any{choose(refused, broken, pool)}, noon)
			return table.Include("")
		},
		"Check": func(refused bool) error {
			return resource.Preconditions{UID: choose(refused, &uid, nil)}.Check(pool)
		},
		"Convert": func(refused bool) error {
			_, err := versions.Convert(t.Context(), nil, cog, choose(refused, "example.com/v2", "example.com/v1"))
			return err
		},
		"ConvertList": func(refused bool) error {
			_, err := versions.ConvertList(t.Context(), nil, cogs, choose(refused, "example.com/v2", "example.com/v1"))
			return err
		},
		"Convert by a webhook": func(refused bool) error {
			_, err := versions.Convert(t.Context(), hook, cog, choose(refused, "example.com/v2", "example.com/v1"))
			return err
		},
		"Err": func(refused bool) error {
			return v.Update(t.Context(), choose(refused, thing(t, "{metadata: {name: b}, spec: {}}"), pool), pool).Err()
		},
	} {
		t.Run(name, func(t *testing.T) {
			require.True(t, call(false) == nil, "a success is an error that is nil")
			require.GreaterOrEqual(t, statusOf(t, call(true)).Code, 400)
		})
	}
}

func choose[T any](first bool, a, b T) T {
	if first {
		return a
	}
	return b
}
