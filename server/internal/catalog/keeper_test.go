package catalog

import (
	"context"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/server/storage"
)

// A scripted store returns the changes that a test sends.
type scripted struct {
	storage.Store
	changes chan storage.Changes
	asked   chan struct{} // receives when the keeper has processed all previous changes
}

func (s scripted) Watch(context.Context, string, int64) (storage.Watch, error) {
	return scriptedWatch{s}, nil
}

type scriptedWatch struct{ s scripted }

func (w scriptedWatch) Close() {}

func (w scriptedWatch) Next(ctx context.Context) (storage.Changes, error) {
	w.s.asked <- struct{}{}
	select {
	case c := <-w.s.changes:
		return c, nil
	case <-ctx.Done():
		return storage.Changes{}, ctx.Err()
	}
}

// The keeper makes a new catalog when definitions change, and only then.
func TestKeeper(t *testing.T) {
	store := scripted{storage.NewMemory(storage.MemoryOptions{}), make(chan storage.Changes), make(chan struct{})}
	k, err := NewKeeper(t.Context(), store, Options{Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		k.Run(ctx)
		close(done)
	}()
	<-store.asked
	first := k.Catalog()

	store.changes <- storage.Changes{Revision: 8}
	<-store.asked
	require.Same(t, first, k.Catalog())

	const definition = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"kites.wind.example.com"},
		"spec":{"group":"wind.example.com","scope":"Cluster","names":{"plural":"kites","kind":"Kite"},"versions":[{"name":"v1","served":true,"storage":true,
		"schema":{"openAPIV3Schema":{"type":"object"}}}]}}`
	store.changes <- storage.Changes{Revision: 10, Events: []storage.Event{{Key: definitionsPrefix + "kites.wind.example.com", Value: []byte(definition), Revision: 9}}}
	<-store.asked
	second := k.Catalog()
	require.NotSame(t, first, second)
	require.Equal(t, int64(10), second.Revision)
	require.Equal(t, "9", second.Definition("kites.wind.example.com").ResourceVersion())
	cancel()
	<-done
}
