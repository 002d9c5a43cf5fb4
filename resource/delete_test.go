package resource_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

func TestDelete(t *testing.T) {
	v := things(t, knobs).Version("v1")
	now := time.Date(2026, 8, 1, 12, 0, 0, 500, time.FixedZone("", 3600))
	const deleted, earlier, later = `"2026-08-01T11:00:00Z"`, `"2026-07-01T00:00:00Z"`, `"2026-09-01T00:00:00Z"`
	for _, c := range []struct {
		name, policy, meta string
		want               string // the metadata; empty: the object is deleted
	}{{
		name: "DEL-003: nothing keeps the object", meta: "{name: a, generation: 3}",
	}, {
		name: "DEL-003: a finalizer keeps it, as one that is being deleted", meta: "{name: a, generation: 3, finalizers: [x.io/f]}",
		want: "{name: a, generation: 4, finalizers: [x.io/f], deletionTimestamp: " + deleted + ", deletionGracePeriodSeconds: 0}",
	}, {
		name: "DEL-003: once only", meta: "{name: a, generation: 3, finalizers: [x.io/f], deletionTimestamp: " + earlier + ", deletionGracePeriodSeconds: 0}",
		want: "{name: a, generation: 3, finalizers: [x.io/f], deletionTimestamp: " + earlier + ", deletionGracePeriodSeconds: 0}",
	}, {
		name: "DEL-001, DEL-003: a deletion scheduled for later happens now", meta: "{name: a, generation: 3, finalizers: [x.io/f], deletionTimestamp: " + later + ", deletionGracePeriodSeconds: 30}",
		want: "{name: a, generation: 3, finalizers: [x.io/f], deletionTimestamp: " + deleted + ", deletionGracePeriodSeconds: 0}",
	}, {
		name: "DEL-002: Orphan", policy: "Orphan", meta: "{name: a, generation: 3}",
		want: "{name: a, generation: 4, finalizers: [orphan], deletionTimestamp: " + deleted + ", deletionGracePeriodSeconds: 0}",
	}, {
		name: "DEL-002: Foreground sets one finalizer, at the end", policy: "Foreground", meta: "{name: a, generation: 3, finalizers: [x.io/f, orphan, x.io/g]}",
		want: "{name: a, generation: 4, finalizers: [x.io/f, x.io/g, foregroundDeletion], deletionTimestamp: " + deleted + ", deletionGracePeriodSeconds: 0}",
	}, {
		name: "DEL-002: Background removes the finalizers of the garbage collector", policy: "Background", meta: "{name: a, generation: 3, finalizers: [orphan, foregroundDeletion]}",
	}, {
		name: "DEL-002: without a policy, the existing finalizers are used", meta: "{name: a, generation: 3, finalizers: [orphan, x.io/f]}",
		want: "{name: a, generation: 4, finalizers: [x.io/f, orphan], deletionTimestamp: " + deleted + ", deletionGracePeriodSeconds: 0}",
	}, {
		name: "DEL-002: foreground, too", meta: "{name: a, generation: 3, finalizers: [foregroundDeletion, x.io/f]}",
		want: "{name: a, generation: 4, finalizers: [x.io/f, foregroundDeletion], deletionTimestamp: " + deleted + ", deletionGracePeriodSeconds: 0}",
	}} {
		t.Run(c.name, func(t *testing.T) {
			old := thing(t, "{metadata: "+c.meta+", spec: {size: 9, zz: 1}}")
			before := unstructured.Clone(old)
			result := v.Delete(t.Context(), old, resource.DeleteOptions{PropagationPolicy: c.policy, Now: now})
			require.Equal(t, before, old, "old was modified")
			want := answer{deleted: c.want == ""}
			if c.want == "" {
				c.want = c.meta
			}
			// ORD-002: it is read as by a GET, and not validated.
			want.object = thing(t, "{metadata: "+c.want+", spec: {size: 9, colour: red}}")
			want.require(t, result)
		})
	}
}

func TestRefusedDeletes(t *testing.T) {
	v := things(t, knobs).Version("v1")
	answer{failure: `404 NotFound: things.example.com "" not found`}.require(t, v.Delete(t.Context(), nil, resource.DeleteOptions{}))
	result := v.Delete(t.Context(), thing(t, "{}"), resource.DeleteOptions{PropagationPolicy: "Bogus"})
	require.EqualError(t, result.Err(), `DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Bogus": supported values: "Foreground", "Background", "Orphan", "nil"`)
	require.Equal(t, 500, v.Delete(t.Context(), thing(t, "{apiVersion: example.com/v9}"), resource.DeleteOptions{}).Status().Code)
}

// DEL-002 to DEL-004: the deletion of an object with a finalizer.
func TestDeletionInSteps(t *testing.T) {
	v := things(t, knobs).Version("v1")
	created := v.Create(t.Context(), thing(t, "{metadata: {name: a, finalizers: [x.io/f]}, spec: {}}"))
	require.NoError(t, created.Err())
	marked := v.Delete(t.Context(), created.Object, resource.DeleteOptions{Now: time.Unix(1e9, 0)})
	require.False(t, marked.Deleted)
	released := v.Patch(t.Context(), mergePatch, []byte(`{"metadata":{"finalizers":null}}`), marked.Object)
	require.NoError(t, released.Err())
	require.True(t, released.Deleted)
	require.Equal(t, thing(t, `{metadata: {name: a, generation: 2, deletionTimestamp: "2001-09-09T01:46:40Z", deletionGracePeriodSeconds: 0}, spec: {colour: red}}`), released.Object)
}

// KCT-040: the preconditions of a deletion. The text has the kind, not the plural.
func TestPreconditions(t *testing.T) {
	old := given.Object(t, `{apiVersion: auto.example.com/v1, kind: Scaler, metadata: {name: ss, uid: u1, resourceVersion: "7"}}`)
	good, bad := "u1", "bad"
	version, other := "7", "8"
	require.NoError(t, resource.Preconditions{}.Check(old))
	require.NoError(t, resource.Preconditions{}.Check(nil))
	require.NoError(t, resource.Preconditions{UID: &good, ResourceVersion: &version}.Check(old))
	s := statusOf(t, resource.Preconditions{UID: &bad, ResourceVersion: &other}.Check(old))
	require.Equal(t, `409 Conflict: Operation cannot be fulfilled on Scaler.auto.example.com "ss": the UID in the precondition (bad) does not match the UID in record (u1). `+
		"The object might have been deleted and then recreated", encodeStatus(s))
	require.Equal(t, []string{"auto.example.com", "Scaler", "ss"}, []string{s.Group, s.Kind, s.Name})
	require.Equal(t, `409 Conflict: Operation cannot be fulfilled on Scaler.auto.example.com "ss": the ResourceVersion in the precondition (8) does not match the ResourceVersion in record (7). `+
		"The object might have been modified", encodeStatus(resource.Preconditions{UID: &good, ResourceVersion: &other}.Check(old)))
	require.Equal(t, `409 Conflict: Operation cannot be fulfilled on ConfigMap "": the UID in the precondition (u1) does not match the UID in record (). `+
		"The object might have been deleted and then recreated", encodeStatus(resource.Preconditions{UID: &good}.Check(map[string]any{"apiVersion": "v1", "kind": "ConfigMap"})))
}

func TestDeletedStatus(t *testing.T) {
	v := compile(t, gadgets).Version("v1")
	s := v.DeletedStatus(given.Object(t, `{metadata: {name: a, uid: u}}`))
	require.Equal(t, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":{"name":"a","group":"example.com","kind":"gadgets","uid":"u"}}`,
		encode(t, s), "KCT-021")
	require.Equal(t, 200, s.Code)
	require.NotNil(t, v.DeletedStatus(nil))
}
