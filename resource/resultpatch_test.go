package resource_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/patch"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/resource"
)

// The patch with which an admission webhook changes an object into the one that would be stored.
func TestResultPatch(t *testing.T) {
	v := things(t, knobs).Version("v1")
	ctx := t.Context()
	old := thing(t, "{metadata: {name: a, generation: 3, uid: u}, spec: {colour: red}, status: {phase: Up}}")
	for _, c := range []struct {
		name   string
		result resource.Result
		want   string // empty: none
	}{{
		name: "defaults and unknown fields", result: v.Create(ctx, thing(t, "{metadata: {name: a}, spec: {size: 1, zz: 1}}")),
		want: `[{"op":"add","path":"/spec/colour","value":"red"},{"op":"remove","path":"/spec/zz"}]`,
	}, {
		name: "nothing to do", result: v.Create(ctx, thing(t, "{metadata: {name: a}, spec: {colour: red}}")),
	}, {
		name: "not what the server sets, nor the status", result: v.Create(ctx, thing(t,
			`{metadata: {name: a, uid: u, creationTimestamp: "2020-01-01T00:00:00Z", selfLink: s, generation: 7}, spec: {colour: red}, status: {phase: Nonsense}}`)),
	}, {
		name: "nor a null there", result: v.Create(ctx, thing(t, "{metadata: {name: a, creationTimestamp: null}, spec: {colour: red}}")),
	}, {
		name: "the rest of the metadata", result: v.Create(ctx, thing(t, `{metadata: {name: a, labels: {}, annotations: {a: null}, zz: 1}, spec: {colour: red}}`)),
		want: `[{"op":"replace","path":"/metadata/annotations/a","value":""},{"op":"remove","path":"/metadata/labels"},{"op":"remove","path":"/metadata/zz"}]`,
	}, {
		name: "a number in the form that storage gives it", result: v.Create(ctx, thing(t, `{"spec":{"colour":"red","ratio":1.0}}`)),
		want: `[{"op":"replace","path":"/spec/ratio","value":1}]`,
	}, {
		name: "an update: again neither the server's metadata nor the status", result: v.Update(ctx, thing(t, "{metadata: {name: a}, spec: {size: 1}, status: {phase: Down}}"), old),
		want: `[{"op":"add","path":"/spec/colour","value":"red"}]`,
	}, {
		name:   "an update of the status: nothing else",
		result: v.UpdateStatus(ctx, thing(t, "{metadata: {name: a, labels: {a: b}}, spec: {zz: 1}, status: {phase: Down, zz: 1}}"), old),
		want:   `[{"op":"remove","path":"/status/zz"}]`,
	}, {
		name: "an update of the status that has nothing to do", result: v.UpdateStatus(ctx, thing(t, "{spec: {zz: 1}, status: {phase: Down}}"), old),
	}, {
		name: "errors", result: v.Create(ctx, thing(t, "{spec: {size: 9, zz: 1}}")),
	}, {
		name: "a failure", result: v.Create(ctx, thing(t, "{apiVersion: example.com/v9, spec: {zz: 1}}")),
	}, {
		name: "an object that no JSON has", result: v.Create(ctx, map[string]any{"apiVersion": "example.com/v1", "kind": "Thing", "spec": math.NaN()}),
	}, {
		name: "a read, which nothing was sent with", result: v.Read(thing(t, "{spec: {zz: 1}}")),
	}, {
		name: "no request",
	}} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, string(c.result.Patch()))
		})
	}

	// The namespace of the request is added.
	result := compile(t, gadgets).Version("v1").With(resource.RequestOptions{Namespace: "ns"}).Create(ctx, gadget(t, "{metadata: {name: a}, spec: {replicas: 1}}"))
	require.Equal(t, `[{"op":"add","path":"/metadata/namespace","value":"ns"}]`, string(result.Patch()))
	// Without a status subresource, users may set the status.
	v = things(t, `schema: {openAPIV3Schema: {type: object, properties: {status: {type: object, properties: {phase: {type: string, default: Up}}}}}}`).Version("v1")
	require.Equal(t, `[{"op":"add","path":"/status/phase","value":"Up"}]`, string(v.Create(ctx, thing(t, "{status: {}}")).Patch()))
	require.Equal(t, `[{"op":"add","path":"/status/phase","value":"Up"}]`, string(v.Update(ctx, thing(t, "{status: {}}"), thing(t, "{}")).Patch()))
}

// The patch of CreateBody applies to the body.
func TestResultPatchOfABody(t *testing.T) {
	v := things(t, knobs).Version("v1")
	result := v.CreateBody(t.Context(), []byte(`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"},"spec":{"zz":1}}`))
	require.NoError(t, result.Err())
	require.Equal(t, `[{"op":"add","path":"/spec/colour","value":"red"},{"op":"remove","path":"/spec/zz"}]`, string(result.Patch()))
}

// serverOwned are the members of metadata that only a server sets.
var serverOwned = []string{
	"creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "generation", "managedFields", "resourceVersion", "selfLink", "uid",
}

// requirePatch checks that the result's patch turns what was sent into the result, except for the fields that only a
// server may set: those stay as they were sent.
func requirePatch(t *testing.T, sent map[string]any, result resource.Result, onStatus, keepsStatus bool) {
	t.Helper()
	text, err := patch.Encode(sent)
	require.NoError(t, err)
	if operations := result.Patch(); operations != nil {
		p, refused := patch.Accept(jsonPatch, operations)
		require.Nil(t, refused)
		require.Nil(t, p.Check())
		text, refused = p.Apply(text)
		require.Nil(t, refused, "%s\non %s", operations, encode(t, sent))
	}
	got := given.Object(t, text)
	before := asJSON(t, sent)

	want := asJSON(t, result.Object)
	member := func(to, from map[string]any, key string) {
		delete(to, key)
		if v, has := from[key]; has {
			to[key] = v
		}
	}
	if onStatus {
		status := want
		want = before
		member(want, status, "status")
		require.Equal(t, want, got)
		return
	}
	if keepsStatus {
		member(want, before, "status")
	}
	meta, _ := want["metadata"].(map[string]any)
	sentMeta, _ := before["metadata"].(map[string]any)
	if meta != nil {
		for _, key := range serverOwned {
			member(meta, sentMeta, key)
		}
		if len(meta) == 0 && sentMeta == nil {
			delete(want, "metadata")
		}
	}
	require.Equal(t, want, got, "%s\non %s", result.Patch(), encode(t, sent))
}

// asJSON returns an object encoded as JSON and decoded again.
func asJSON(t *testing.T, obj map[string]any) map[string]any {
	t.Helper()
	text, err := patch.Encode(obj)
	require.NoError(t, err)
	return given.Object(t, text)
}
