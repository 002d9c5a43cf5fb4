package apply_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/apply"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

// All requests, with a body that each of them takes.
func requests(v *apply.Version, live map[string]any) map[string]func(apply.Options) resource.Result {
	ctx := context.Background()
	const merge = "application/merge-patch+json"
	obj := map[string]any{
		"apiVersion": "example.com/v1", "kind": "Robot", "metadata": map[string]any{"name": "robot", "namespace": "ns", "resourceVersion": "1"},
		"spec": map[string]any{"port": "http"},
	}
	created := unstructured.Clone(obj)
	delete(created["metadata"].(map[string]any), "resourceVersion")
	scale := map[string]any{
		"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": map[string]any{"name": "robot", "namespace": "ns"}, "spec": map[string]any{"replicas": int64(2)},
	}
	body := []byte("{apiVersion: example.com/v1, kind: Robot, metadata: {name: robot}, spec: {color: blue}, status: {phase: x}}")
	return map[string]func(apply.Options) resource.Result{
		"Apply":       func(o apply.Options) resource.Result { return v.Apply(ctx, body, live, o) },
		"ApplyStatus": func(o apply.Options) resource.Result { return v.ApplyStatus(ctx, body, live, o) },
		"ApplyScale":  func(o apply.Options) resource.Result { return v.ApplyScale(ctx, body, live, o) },
		"Create":      func(o apply.Options) resource.Result { return v.Create(ctx, created, o) },
		"CreateBody": func(o apply.Options) resource.Result {
			return v.CreateBody(ctx, []byte(`{"apiVersion":"example.com/v1","kind":"Robot","metadata":{"name":"robot"},"spec":{}}`), o)
		},
		"Update":       func(o apply.Options) resource.Result { return v.Update(ctx, obj, live, o) },
		"UpdateStatus": func(o apply.Options) resource.Result { return v.UpdateStatus(ctx, obj, live, o) },
		"UpdateScale":  func(o apply.Options) resource.Result { return v.UpdateScale(ctx, scale, live, o) },
		"Patch": func(o apply.Options) resource.Result {
			return v.Patch(ctx, merge, []byte(`{"spec":{"replicas":3}}`), live, o)
		},
		"PatchStatus": func(o apply.Options) resource.Result {
			return v.PatchStatus(ctx, merge, []byte(`{"status":{"phase":"y"}}`), live, o)
		},
		"PatchScale": func(o apply.Options) resource.Result {
			return v.PatchScale(ctx, merge, []byte(`{"spec":{"replicas":3}}`), live, o)
		},
	}
}

// stored returns a Robot that m made.
func stored(t *testing.T) map[string]any {
	t.Helper()
	r := robot{t: t, Resource: compile(t)}
	require.NoError(t, r.request(1, step{by: "m", do: "apply", spec: "spec: {replicas: 1}"}).Err())
	return r.live
}

// SSA-010
func TestOptions(t *testing.T) {
	live := stored(t)
	v := compile(t).Version("v1").With(resource.RequestOptions{Namespace: "ns", Name: "robot"})
	for name, request := range requests(v, live) {
		t.Run(name, func(t *testing.T) {
			applies := strings.HasPrefix(name, "Apply")
			for _, c := range []struct {
				options apply.Options
				want    string
			}{
				{apply.Options{Manager: strings.Repeat("m", 129)}, "fieldManager: Too long: may not be more than 128 bytes"},
				{apply.Options{Manager: "a\nb"}, "fieldManager: Invalid value: \"a\\nb\": invalid character U+000A (at position 1)"},
				{apply.Options{Manager: "a\xff"}, "invalid character U+FFFD '�' (at position 1)"},
			} {
				s := request(c.options).Status()
				require.Equal(t, http.StatusUnprocessableEntity, s.Code, "%+v", c.options)
				require.Contains(t, s.Message, c.want)
			}
			if !applies {
				require.ErrorContains(t, request(apply.Options{Manager: "m", Force: true}).Err(), "force: Forbidden: may not be specified for non-apply patch")
				require.NoError(t, request(apply.Options{}).Err())
				require.NoError(t, request(apply.Options{Manager: strings.Repeat("é", 64)}).Err())
				return
			}
			require.ErrorContains(t, request(apply.Options{}).Err(), "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is required for apply patch")
			if name != "ApplyScale" {
				require.NoError(t, request(apply.Options{Manager: "other", Force: true}).Err())
			}
		})
	}
}

// A write that names no manager is one of unknown.
func TestUnnamedManager(t *testing.T) {
	v := compile(t).Version("v1").With(resource.RequestOptions{Namespace: "ns", Name: "robot"})
	r := requests(v, stored(t))["Patch"](apply.Options{})
	require.NoError(t, r.Err())
	owners, err := apply.Owners(r.Object, "spec.replicas")
	require.NoError(t, err)
	require.Len(t, owners, 1)
	require.Equal(t, "unknown", owners[0].Manager)
}

// The time of a request without one is that of the call.
func TestNow(t *testing.T) {
	v := compile(t).Version("v1").With(resource.RequestOptions{Namespace: "ns", Name: "robot"})
	before := time.Now().Truncate(time.Second)
	r := requests(v, nil)["Apply"](apply.Options{Manager: "m"})
	require.NoError(t, r.Err())
	owners, err := apply.Owners(r.Object, "spec.color")
	require.NoError(t, err)
	require.Len(t, owners, 1)
	require.WithinRange(t, owners[0].Since, before, time.Now())
}

// A resource without the version answers as package resource does.
func TestNilVersion(t *testing.T) {
	none := compile(t).Version("v9").With(resource.RequestOptions{})
	require.Nil(t, none)
	for name, request := range requests(none, stored(t)) {
		require.Equal(t, http.StatusNotFound, request(apply.Options{Manager: "m"}).Status().Code, name)
	}
	_, err := none.Extract(context.Background(), nil, "m")
	require.Error(t, err)
	_, err = none.ExtractStatus(context.Background(), nil, "m")
	require.Error(t, err)
	_, err = none.Conflicts(context.Background(), nil, nil, apply.Options{})
	require.Error(t, err)
}

// SSA-011: strict field validation refuses what YAML has twice, and Warn, which is the default, warns of it.
func TestFieldValidation(t *testing.T) {
	body := []byte("{apiVersion: example.com/v1, kind: Robot, metadata: {name: robot}, spec: {replicas: 1, replicas: 2}}")
	run := func(validation string) resource.Result {
		v := compile(t).Version("v1").With(resource.RequestOptions{Namespace: "ns", Name: "robot", FieldValidation: validation})
		return v.Apply(context.Background(), body, nil, apply.Options{Manager: "m"})
	}
	require.ErrorContains(t, run(resource.FieldValidationStrict).Err(), `error strict decoding patch: error converting YAML to JSON: yaml: unmarshal errors:`)
	require.Empty(t, run(resource.FieldValidationIgnore).Warnings)
	warned := run("")
	require.NoError(t, warned.Err())
	require.Len(t, warned.Warnings, 1)
	require.Contains(t, warned.Warnings[0], `key "replicas" already set in map`)
}

// What is no object at all is refused, and so is a body without a kind.
func TestBodies(t *testing.T) {
	v := compile(t).Version("v1").With(resource.RequestOptions{Namespace: "ns", Name: "robot"})
	for body, want := range map[string]string{
		"":        "invalid object type: /, Kind=",
		"null":    "invalid object type: /, Kind=",
		"{}":      "invalid object type: /, Kind=",
		"[]":      "cannot unmarshal array into Go value",
		"1":       "cannot unmarshal number into Go value",
		"x":       "cannot unmarshal string into Go value",
		"true":    "cannot unmarshal bool into Go value",
		"\x00":    "error encoding patch",
		"a: [1":   "error encoding patch",
		"--- |\n": "cannot unmarshal string into Go value",
	} {
		s := v.Apply(context.Background(), []byte(body), nil, apply.Options{Manager: "m"}).Status()
		require.Equal(t, http.StatusBadRequest, s.Code, "%q", body)
		require.Contains(t, s.Message, want, "%q", body)
	}
}

// The caller's admission comes after the managers are known, in applies, too.
func TestAdmit(t *testing.T) {
	live := stored(t)
	for _, old := range []map[string]any{nil, live} {
		called := 0
		v := compile(t).Version("v1").With(resource.RequestOptions{
			Namespace: "ns", Name: "robot", Admit: func(_ context.Context, obj, was map[string]any) (map[string]any, error) {
				called++
				require.NotEmpty(t, obj["metadata"].(map[string]any)["managedFields"])
				require.Equal(t, old == nil, was == nil)
				obj = unstructured.Clone(obj)
				obj["spec"].(map[string]any)["port"] = "admitted"
				return obj, nil
			},
		})
		for name, request := range requests(v, old) {
			if strings.Contains(name, "Status") || strings.Contains(name, "Scale") || strings.HasPrefix(name, "Create") != (old == nil) && name != "Apply" {
				continue
			}
			called = 0
			r := request(apply.Options{Manager: "m"})
			require.NoError(t, r.Err(), name)
			require.Equal(t, 1, called, name)
			require.Equal(t, "admitted", r.Object["spec"].(map[string]any)["port"], name)
			owners, err := apply.Owners(r.Object, "spec.port")
			require.NoError(t, err)
			if name != "Update" && name != "Create" { // which sent a port of their own
				require.Empty(t, owners, name)
			}
		}
	}
}

// SSA-037: managedFields that no server wrote stop an apply, and count for nothing in other writes.
func TestUnreadableManagedFields(t *testing.T) {
	entry := func(key string, v any) map[string]any {
		e := map[string]any{
			"manager": "x", "operation": "Update", "apiVersion": "example.com/v1", "fieldsType": "FieldsV1", "time": "2026-01-01T00:00:00Z",
			"fieldsV1": map[string]any{"f:spec": map[string]any{"f:port": map[string]any{}}},
		}
		e[key] = v
		return e
	}
	deep := map[string]any{}
	for range 9000 {
		deep = map[string]any{"f:a": deep}
	}
	cyclic := map[string]any{}
	cyclic["f:a"] = cyclic
	for _, c := range []struct {
		entry any
		want  string // of the refusal of an apply; empty: it succeeds
		asked string // of Owners, where it is another
	}{
		{entry: entry("operation", "Delete"), want: "failed to decode managed fields: operation must be `Apply` or `Update`"},
		{entry: entry("apiVersion", ""), want: "apiVersion must not be empty"},
		{entry: entry("fieldsType", ""), want: "missing fieldsType in managed fields entry 0"},
		{entry: entry("fieldsType", "FieldsV2"), want: `invalid fieldsType "FieldsV2" in managed fields entry 0`},
		{entry: entry("fieldsV1", map[string]any{"k:x": map[string]any{}}), want: "error decoding set: parsing key as path element"},
		{entry: entry("fieldsV1", map[string]any{"f:x": "y"}), want: "error decoding set: f:x: an object is expected"},
		{entry: entry("fieldsV1", map[string]any{"?:x": map[string]any{}})},
		{entry: entry("fieldsV1", nil)},
		{entry: entry("fieldsV1", deep)},
		{entry: entry("fieldsV1", cyclic), want: "metadata.managedFields", asked: "contains itself"},
		{entry: entry("apiVersion", "example.com/v0")},
		{entry: entry("apiVersion", "other.com/v1")},
		{entry: entry("time", "yesterday"), asked: "-"},
	} {
		live := stored(t)
		live["metadata"].(map[string]any)["managedFields"] = []any{c.entry}
		v := compile(t).Version("v1").With(resource.RequestOptions{Namespace: "ns", Name: "robot"})
		all := requests(v, live)
		for name, request := range all {
			require.NotPanics(t, func() { request(apply.Options{Manager: "m"}) }, "%s: %v", name, c.want)
		}
		_, err := apply.Owners(live, "spec.port")
		_, failed := apply.Fields(live, "x")
		require.Equal(t, err, failed)
		if c.want == "" {
			require.NoError(t, err)
			continue
		}
		require.Error(t, err, c.want)
		require.Error(t, all["Apply"](apply.Options{Manager: "m"}).Err(), c.want)
		if c.asked == "" {
			require.ErrorContains(t, all["Apply"](apply.Options{Manager: "m"}).Err(), c.want)
			r := all["Patch"](apply.Options{Manager: "m"})
			require.NoError(t, r.Err(), c.want)
			require.Nil(t, r.Object["metadata"].(map[string]any)["managedFields"], c.want)
		}
	}
}

// STR-001, ORD-002: what a create ignores in the metadata is ignored before managers are computed, so nobody owns it.
func TestIgnoredMetadataIsNotOwned(t *testing.T) {
	obj, err := unstructured.Decode([]byte(`{"apiVersion":"example.com/v1","kind":"Robot","metadata":{"name":"robot","namespace":"ns","labels":{"a":"b"},
		"creationTimestamp":"2020-01-01T00:00:00Z","deletionTimestamp":"2020-01-01T00:00:00Z","deletionGracePeriodSeconds":5,"uid":"u","selfLink":"s"}}`))
	require.NoError(t, err)
	r := compile(t).Version("v1").Create(t.Context(), obj, apply.Options{Manager: "a"})
	require.Nil(t, r.Status())
	entries := r.Object["metadata"].(map[string]any)["managedFields"].([]any)
	require.Len(t, entries, 1)
	require.JSONEq(t, `{"f:metadata":{"f:labels":{".":{},"f:a":{}}}}`, string(mustJSON(t, entries[0].(map[string]any)["fieldsV1"].(map[string]any))))
	require.Equal(t, int64(5), obj["metadata"].(map[string]any)["deletionGracePeriodSeconds"], "the input is not modified")
}

// SSA-023: an apply is not decoded, so that the server's own times replace malformed ones.
func TestMalformedTimes(t *testing.T) {
	v := compile(t).Version("v1").With(resource.RequestOptions{Namespace: "ns", Name: "robot"})
	body := func(meta string, replicas int) []byte {
		return fmt.Appendf(nil, `{"apiVersion":"example.com/v1","kind":"Robot","metadata":{"name":"robot",%s},"spec":{"replicas":%d}}`, meta, replicas)
	}
	live := stored(t)
	live["metadata"].(map[string]any)["creationTimestamp"] = "2026-01-02T03:04:05Z"
	o := apply.Options{Manager: "m", Force: true}
	for _, malformed := range []string{`"creationTimestamp":"2020-01-02"`, `"creationTimestamp":""`, `"creationTimestamp":5`} {
		r := v.Apply(t.Context(), body(malformed, 1), nil, o)
		require.NoError(t, r.Err())
		require.NotContains(t, r.Object["metadata"], "creationTimestamp")

		r = v.Apply(t.Context(), body(malformed, 2), live, o)
		require.NoError(t, r.Err())
		require.Equal(t, "2026-01-02T03:04:05Z", r.Object["metadata"].(map[string]any)["creationTimestamp"])
		require.Equal(t, int64(2), r.Stored["spec"].(map[string]any)["replicas"])

		require.Equal(t, http.StatusUnprocessableEntity, v.Apply(t.Context(), body(malformed, 10), live, o).Status().Code)
		require.NoError(t, v.ApplyStatus(t.Context(), body(malformed, 1), live, o).Err())
	}
	for _, malformed := range []string{`"deletionTimestamp":"x"`, `"deletionTimestamp":""`} {
		r := v.Apply(t.Context(), body(malformed, 1), nil, o)
		require.NoError(t, r.Err())
		require.NotContains(t, r.Object["metadata"], "deletionTimestamp")
		require.Contains(t, string(mustJSON(t, r.Object)), `"f:deletionTimestamp"`)

		r = v.Apply(t.Context(), body(malformed, 10), live, o)
		require.Equal(t, http.StatusUnprocessableEntity, r.Status().Code)
		require.Len(t, r.Errors, 2)
		require.Nil(t, r.Stored)
		require.Equal(t, "metadata", r.Errors[0].Field)
		require.Contains(t, r.Errors[0].Error(), malformed)
		require.Contains(t, r.Errors[0].Error(), `as "2006-01-02T15:04:05Z07:00": cannot parse`)
		require.Equal(t, "spec.replicas", r.Errors[1].Field)

		require.NoError(t, v.ApplyStatus(t.Context(), body(malformed, 1), live, o).Err())
		deleted := maps.Clone(live)
		deleted["metadata"] = maps.Clone(live["metadata"].(map[string]any))
		deleted["metadata"].(map[string]any)["deletionTimestamp"] = "2026-01-03T00:00:00Z"
		r = v.Apply(t.Context(), body(malformed, 2), deleted, o)
		require.NoError(t, r.Err())
		require.Equal(t, "2026-01-03T00:00:00Z", r.Object["metadata"].(map[string]any)["deletionTimestamp"])
	}
}

// SSA-033: a new manager that changes nothing has no time in a server's answer, and is sorted before the others.
func TestUntimed(t *testing.T) {
	live := stored(t)
	v := compile(t).Version("v1").With(resource.RequestOptions{Namespace: "ns", Name: "robot"})
	body := []byte(`{"apiVersion":"example.com/v1","kind":"Robot","metadata":{"name":"robot"},"spec":{"replicas":1}}`)
	applied := func(live map[string]any, hour int, untimed bool) *robot {
		now := time.Date(2026, 1, 1, hour, 0, 0, 0, time.UTC)
		r := v.Apply(t.Context(), body, live, apply.Options{Manager: "z", Now: now, Untimed: untimed})
		require.NoError(t, r.Err())
		return &robot{t: t, live: r.Object}
	}
	r := applied(live, 5, true)
	require.Equal(t, "z Apply: spec.replicas\nm Apply 1: spec.replicas", r.owners())
	require.Equal(t, r.owners(), applied(r.live, 6, true).owners())

	r = applied(live, 5, false)
	require.Equal(t, "z Apply 5: spec.replicas\nm Apply 1: spec.replicas", r.owners())
	require.Equal(t, "m Apply 1: spec.replicas\nz Apply 5: spec.replicas", applied(r.live, 6, false).owners())
}
