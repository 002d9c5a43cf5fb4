package resource_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/resource"
)

// An endingContext ends after it has been checked a number of times.
type endingContext struct {
	context.Context
	left int
	done chan struct{}
}

func endAfter(questions int) *endingContext {
	return &endingContext{context.Background(), questions, make(chan struct{})}
}

func (c *endingContext) Err() error {
	if c.left--; c.left == -1 {
		close(c.done)
	}
	if c.left < 0 {
		return context.Canceled
	}
	return nil
}

func (c *endingContext) Done() <-chan struct{} { return c.done }

// If the context of a request ends at any time, the result reports it. The context is checked between the steps.
func TestContextEnds(t *testing.T) {
	v := compile(t, gadgets).Version("v1")
	const (
		sent = "{metadata: {name: a, namespace: ns}, spec: {size: small, zz: 1, tags: [a, b], note: null}}"
		was  = "{metadata: {name: a, namespace: ns}, spec: {size: large, yy: 1, tags: [a]}}"
		bad  = "{metadata: {name: a, namespace: ns}, spec: {size: none, zz: 1, tags: [a, a], ratio: x}}"
	)
	for _, c := range []struct {
		name  string
		least int // steps
		call  func(ctx context.Context) resource.Result
	}{
		{"create", 6, func(ctx context.Context) resource.Result { return v.Create(ctx, gadget(t, sent)) }},
		{"a refused create", 6, func(ctx context.Context) resource.Result { return v.Create(ctx, gadget(t, bad)) }},
		{"create of a body", 6, func(ctx context.Context) resource.Result {
			return v.CreateBody(ctx, []byte(encode(t, gadget(t, sent))))
		}},
		{"update", 12, func(ctx context.Context) resource.Result { return v.Update(ctx, gadget(t, sent), gadget(t, was)) }},
		{"a refused update", 12, func(ctx context.Context) resource.Result { return v.Update(ctx, gadget(t, bad), gadget(t, was)) }},
		{"update of the status", 6, func(ctx context.Context) resource.Result {
			return v.UpdateStatus(ctx, gadget(t, "{metadata: {name: a, namespace: ns}, status: {replicas: 1}}"), gadget(t, was))
		}},
		{"patch", 12, func(ctx context.Context) resource.Result {
			return v.Patch(ctx, mergePatch, []byte(`{"spec":{"size":"small"}}`), gadget(t, was))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			whole := endAfter(1 << 20)
			want := c.call(whole)
			asked := 1<<20 - whole.left
			require.GreaterOrEqual(t, asked, c.least)
			for n := range asked {
				got := c.call(endAfter(n))
				require.NotNil(t, got.Failure, "after %d of %d questions", n, asked)
				require.Equal(t, "Internal error occurred: context canceled", got.Failure.Message)
				require.Empty(t, got.Errors)
			}
			require.Equal(t, want, c.call(endAfter(asked)))
		})
	}
}
