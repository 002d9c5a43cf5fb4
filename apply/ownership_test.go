package apply_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/apply"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

// owned returns a Robot with several managers, and its version.
func owned(t *testing.T) (*apply.Version, map[string]any) {
	t.Helper()
	r := robot{t: t, Resource: compile(t)}
	for i, s := range []step{
		{by: "a", do: "apply", spec: "metadata: {name: robot, namespace: ns, labels: {app: web}}\n" +
			"spec: {tags: [x], words: [w], arms: [{name: l, side: left, reach: 1, tool: pen}], size: {x: 1}, free: {m: {q: 1}}}"},
		{by: "b", do: "apply", spec: "metadata: {name: robot, namespace: ns, labels: {app.kubernetes.io/name: web}}\nspec: {tags: [x, z], arms: [{name: l, side: left, reach: 1}, {name: r, side: left}]}"},
		{by: "b", do: "update status", spec: "status: {phase: up}"},
	} {
		require.NoError(t, r.request(i+1, s).Err())
	}
	return r.Version("v1").With(resource.RequestOptions{Namespace: "ns", Name: "robot"}), r.live
}

// SSA-051
func TestOwners(t *testing.T) {
	_, live := owned(t)
	for path, want := range map[string]string{
		`spec.tags[="x"]`:                        "a b",
		`.spec.tags[="z"]`:                       "b",
		`spec.arms[name="l",side="left"].reach`:  "a b",
		`spec.arms[name="l",side="left"].tool`:   "a",
		`spec.arms[name="l",side="left"]`:        "a b",
		`spec.size`:                              "a",
		`spec.size.x`:                            "a", // as a part of what is owned as a whole
		`spec.words[0]`:                          "a",
		`spec.free.m.q`:                          "a",
		`status.phase`:                           "b",
		`metadata.labels.app`:                    "a",
		`metadata.labels.app.kubernetes.io/name`: "b", // and not in the label app, whose name it begins with
		`spec`:                                   "",
		`spec.sizes`:                             "",
		`metadata.name`:                          "",
		``:                                       "",
		`.`:                                      "",
		`[`:                                      "",
		`spec.arms[name="l",side="left"].reach.more`: "", // a number has no fields
	} {
		owners, err := apply.Owners(live, path)
		require.NoError(t, err, path)
		var names []string
		for _, o := range owners {
			names = append(names, o.Manager)
		}
		require.Equal(t, want, strings.Join(names, " "), path)
	}
	none, err := apply.Owners(nil, "spec")
	require.NoError(t, err)
	require.Empty(t, none)
}

// The paths that Fields names are those that Owners takes, whatever keys, values and indexes are in them.
func TestFieldsAreOwned(t *testing.T) {
	_, live := owned(t)
	for _, manager := range []string{"a", "b"} {
		paths, err := apply.Fields(live, manager)
		require.NoError(t, err)
		require.NotEmpty(t, paths)
		require.IsIncreasing(t, paths)
		for _, path := range paths {
			owners, err := apply.Owners(live, path)
			require.NoError(t, err)
			found := false
			for _, o := range owners {
				found = found || o.Manager == manager
			}
			require.True(t, found, "%s owns %s", manager, path)
		}
	}
	paths, err := apply.Fields(live, "c")
	require.NoError(t, err)
	require.Empty(t, paths)
}

// SSA-050: what is extracted and applied again changes nothing.
func TestExtractAndApply(t *testing.T) {
	ctx := context.Background()
	v, live := owned(t)
	before := unstructured.Clone(live)
	for _, manager := range []string{"a", "b"} {
		mine, err := v.Extract(ctx, live, manager)
		require.NoError(t, err)
		require.Equal(t, before, live)
		r := v.Apply(ctx, mustJSON(t, mine), live, apply.Options{Manager: manager})
		require.NoError(t, r.Err())
		require.Equal(t, live, r.Object, manager)
	}
	none, err := v.Extract(ctx, live, "c")
	require.NoError(t, err)
	require.Nil(t, none)
	none, err = v.ExtractStatus(ctx, live, "b") // it updated the status, and did not apply it
	require.NoError(t, err)
	require.Nil(t, none)
	r := v.ApplyStatus(ctx, []byte("{apiVersion: example.com/v1, kind: Robot, metadata: {name: robot}, status: {replicas: 3}}"), live, apply.Options{Manager: "b"})
	require.NoError(t, r.Err())
	status, err := v.ExtractStatus(ctx, r.Object, "b")
	require.NoError(t, err)
	require.JSONEq(t, `{"apiVersion":"example.com/v1","kind":"Robot","metadata":{"name":"robot","namespace":"ns"},"status":{"replicas":3}}`, string(mustJSON(t, status)))
}

// The object may be in any version; what a manager applied is in the version in which it did.
func TestExtractOfAnotherVersion(t *testing.T) {
	ctx := context.Background()
	r := robot{t: t, Resource: compile(t)}
	require.NoError(t, r.request(1, step{by: "a", do: "apply", spec: "spec: {replicas: 1}"}).Err())
	require.NoError(t, r.request(2, step{by: "b", do: "apply v2", spec: "spec: {count: 1}"}).Err())
	require.Equal(t, "example.com/v2", r.live["apiVersion"])
	for manager, want := range map[string]string{
		"a": `{"apiVersion":"example.com/v1","kind":"Robot","metadata":{"name":"robot","namespace":"ns"},"spec":{"replicas":1}}`,
		"b": `{"apiVersion":"example.com/v2","kind":"Robot","metadata":{"name":"robot","namespace":"ns"},"spec":{"count":1}}`,
	} {
		mine, err := r.Version("v1").Extract(ctx, r.live, manager)
		require.NoError(t, err)
		require.JSONEq(t, want, string(mustJSON(t, mine)))
	}
}

// There are no conflicts unless Apply is refused because of them.
func TestConflicts(t *testing.T) {
	ctx := context.Background()
	v, live := owned(t)
	for _, c := range []struct {
		spec string
		want []string
	}{
		{`{spec: {size: {x: 2}, words: [v]}}`, []string{"spec.size", "spec.words"}},
		{`{spec: {arms: [{name: l, side: left, reach: 2}]}}`, []string{`spec.arms[name="l",side="left"].reach`, `spec.arms[name="l",side="left"].reach`}},
		{`{spec: {size: {x: 1}}}`, nil},
		{`{spec: {size: 1}}`, nil}, // which fails, but not for a conflict
	} {
		r := robot{t: t}
		_, body := r.body("example.com/v1", "Robot", c.spec)
		conflicts, err := v.Conflicts(ctx, body, live, apply.Options{Manager: "c", Force: true})
		require.NoError(t, err)
		var paths []string
		for _, c := range conflicts {
			paths = append(paths, c.Path)
			require.NotEqual(t, c.Live, c.Applied)
			require.NotNil(t, c.Applied)
			require.NotEmpty(t, c.Owner.Manager)
		}
		require.Equal(t, c.want, paths, c.spec)
		status := v.Apply(ctx, body, live, apply.Options{Manager: "c"}).Status()
		if c.want == nil {
			require.True(t, status == nil || status.Code != 409)
			continue
		}
		require.Len(t, status.Causes, len(c.want))
	}
	for _, body := range []string{"[", "[]"} {
		_, err := v.Conflicts(ctx, []byte(body), live, apply.Options{Manager: "c"})
		require.Error(t, err)
	}
	_, err := v.Conflicts(ctx, []byte("{}"), map[string]any{"metadata": 1}, apply.Options{Manager: "c"})
	require.Error(t, err)
	conflicts, err := v.Conflicts(ctx, []byte("{}"), nil, apply.Options{Manager: "c"})
	require.NoError(t, err)
	require.Empty(t, conflicts)
}
