package server

import (
	"context"
	"fmt"

	"github.com/crdkit/crdkit/server/storage"
)

// A wrapping store wraps the errors of another store, as stores may.
type wrapping struct{ storage.Store }

func wrapped(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the store says: %w", err)
}

func (s wrapping) Get(ctx context.Context, key string) (storage.Item, error) {
	item, err := s.Store.Get(ctx, key)
	return item, wrapped(err)
}

func (s wrapping) List(ctx context.Context, r storage.Range) (storage.Page, error) {
	page, err := s.Store.List(ctx, r)
	return page, wrapped(err)
}

func (s wrapping) Revision(ctx context.Context) (int64, error) {
	revision, err := s.Store.Revision(ctx)
	return revision, wrapped(err)
}

func (s wrapping) Create(ctx context.Context, key string, value []byte, conditions ...storage.Condition) (int64, error) {
	revision, err := s.Store.Create(ctx, key, value, conditions...)
	return revision, wrapped(err)
}

func (s wrapping) Update(ctx context.Context, key string, value []byte, revision int64, conditions ...storage.Condition) (int64, error) {
	written, err := s.Store.Update(ctx, key, value, revision, conditions...)
	return written, wrapped(err)
}

func (s wrapping) Delete(ctx context.Context, key string, revision int64) (int64, error) {
	written, err := s.Store.Delete(ctx, key, revision)
	return written, wrapped(err)
}

func (s wrapping) Watch(ctx context.Context, prefix string, after int64) (storage.Watch, error) {
	w, err := s.Store.Watch(ctx, prefix, after)
	if err != nil {
		return nil, wrapped(err)
	}
	return wrappingWatch{w}, nil
}

type wrappingWatch struct{ storage.Watch }

func (w wrappingWatch) Next(ctx context.Context) (storage.Changes, error) {
	changes, err := w.Watch.Next(ctx)
	return changes, wrapped(err)
}
