package apply_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/apply"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/resource"
)

// SSA-032: fields that were owned separately are owned as a whole once the schema says that they are atomic. What was
// owned as a whole stays so until a manager owns a part.
func TestSchemaChange(t *testing.T) {
	ctx := context.Background()
	atomic := compile(t).Version("v1").With(resource.RequestOptions{Namespace: "ns", Name: "robot"})
	d := given.Definition(t, strings.Replace(robots, "x-kubernetes-map-type: atomic", "x-kubernetes-map-type: granular", 1))
	compiled, err := resource.Compile(d)
	require.NoError(t, err)
	changed, err := apply.Compile(compiled)
	require.NoError(t, err)
	granular := changed.Version("v1").With(resource.RequestOptions{Namespace: "ns", Name: "robot"})

	body := func(fields string) []byte {
		return []byte("{apiVersion: example.com/v1, kind: Robot, metadata: {name: robot}, " + fields + "}")
	}
	owned := func(r resource.Result, manager string) []string {
		require.NoError(t, r.Err())
		fields, err := apply.Fields(r.Object, manager)
		require.NoError(t, err)
		return fields
	}
	first := granular.Apply(ctx, body("spec: {size: {x: 1}}"), nil, apply.Options{Manager: "a"})
	require.Equal(t, []string{"spec.size.x"}, owned(first, "a"))
	next := atomic.Apply(ctx, body("spec: {port: 1}"), first.Object, apply.Options{Manager: "b"})
	require.Equal(t, []string{"spec.size"}, owned(next, "a"))
	back := granular.Apply(ctx, body("spec: {port: 1, size: {z: 1}}"), next.Object, apply.Options{Manager: "b"})
	require.Equal(t, []string{"spec.size"}, owned(back, "a"))
	require.Equal(t, []string{"spec.port", "spec.size.z"}, owned(back, "b"))
}
