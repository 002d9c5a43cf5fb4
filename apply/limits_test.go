package apply_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/apply"
	"github.com/crdkit/crdkit/internal/test/given"
)

// What structured-merge-diff would take minutes for is refused, or written without tracking.
func TestTooLarge(t *testing.T) {
	tags := given.List(40_000, func(i int) any { return fmt.Sprint(i * 7919 % 40_009) })
	v := compile(t).Version("v1")
	robot := func(spec map[string]any) map[string]any {
		return map[string]any{"apiVersion": "example.com/v1", "kind": "Robot", "metadata": map[string]any{"name": "robot", "namespace": "ns"}, "spec": spec}
	}
	o := apply.Options{Manager: "a"}
	live := v.Create(context.Background(), robot(map[string]any{"color": "red"}), o)
	require.NoError(t, live.Err())

	large := robot(map[string]any{"tags": tags})
	refused := v.Apply(context.Background(), given.JSON(t, large), live.Object, o)
	require.EqualError(t, refused.Err(),
		"Request entity too large: the object has too many fields, or too long paths to them, to track who owns which")

	kept := v.Update(context.Background(), large, live.Object, o)
	require.NoError(t, kept.Err())
	require.Len(t, kept.Object["spec"].(map[string]any)["tags"], len(tags))
	require.Equal(t, live.Object["metadata"].(map[string]any)["managedFields"], kept.Object["metadata"].(map[string]any)["managedFields"])
}
