package bolt

import (
	"bytes"
	"context"

	"go.etcd.io/bbolt"

	"github.com/crdkit/crdkit/server/storage"
)

// Watch implements [storage.Store].
func (s *Store) Watch(ctx context.Context, prefix string, after int64) (storage.Watch, error) {
	w := &watch{s: s, prefix: []byte(prefix), at: after}
	return w, s.view(ctx, func(tx *bbolt.Tx) error {
		switch {
		case after > number(tx, revisionKey):
			return storage.ErrFuture
		case after < number(tx, compactedKey):
			return storage.ErrCompacted
		}
		return nil
	})
}

// A watch is a position in the log. There is no queue that could overflow: if a watch is not read for a long time, its
// position is compacted.
type watch struct {
	s      *Store
	prefix []byte
	at     int64 // the latest revision that was returned
}

// The limits of one call of Next.
const (
	maxEvents = 500
	maxBytes  = 256 << 10
)

// Next implements [storage.Watch].
func (w *watch) Next(ctx context.Context) (storage.Changes, error) {
	for {
		latest, changed := w.s.latest()
		if latest > w.at {
			return w.read(ctx, latest)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return storage.Changes{}, ctx.Err()
		case <-w.s.closing:
			return storage.Changes{}, storage.ErrClosed
		}
	}
}

// read returns the changes up to latest, within the limits of one call.
func (w *watch) read(ctx context.Context, latest int64) (out storage.Changes, err error) {
	err = w.s.view(ctx, func(tx *bbolt.Tx) error {
		if w.at < number(tx, compactedKey) {
			return storage.ErrCompacted
		}
		size := 0
		c := tx.Bucket(logBucket).Cursor()
		for k, v := c.Seek(encoded(w.at + 1)); k != nil && decoded(k) <= latest; k, v = c.Next() {
			if len(out.Events) == maxEvents || size > maxBytes {
				return nil
			}
			ch, err := decodeChange(k, v)
			if err != nil {
				return err
			}
			out.Revision = decoded(k)
			if bytes.HasPrefix(ch.key, w.prefix) {
				e, n, err := ch.event(tx, out.Revision)
				if err != nil {
					return err
				}
				out.Events, size = append(out.Events, e), size+n
			}
		}
		return nil
	})
	if err != nil {
		return storage.Changes{}, err
	}
	w.at = out.Revision
	return out, nil
}

// Close implements [storage.Watch].
func (w *watch) Close() {}
