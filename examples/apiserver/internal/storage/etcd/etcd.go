// Package etcd is a store in an etcd cluster, of version 3.6 or newer.
//
// Revisions and history are those of etcd. Watches and lists at older revisions read the history. Every few minutes the
// store compacts it.
package etcd

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/crdkit/crdkit/server/storage"
)

// Options of a store. The zero value has good defaults.
type Options struct {
	Prefix  string        // of all keys, so that the cluster can be shared; empty is /crdkit
	History time.Duration // the minimum time for which changes are kept; 0 is 5 minutes
}

// progressInterval is how often watches without changes get their progress.
const progressInterval = 10 * time.Second

// A Store is a part of an etcd cluster. It is a [storage.Store].
type Store struct {
	client  *clientv3.Client
	prefix  string
	ctx     context.Context // until Close
	cancel  context.CancelFunc
	running sync.WaitGroup
}

var _ storage.Store = (*Store)(nil)

// Open connects to the cluster with those endpoints.
func Open(ctx context.Context, endpoints []string, o Options) (*Store, error) {
	if o.Prefix == "" {
		o.Prefix = "/crdkit"
	}
	if o.History <= 0 {
		o.History = 5 * time.Minute
	}
	client, err := clientv3.New(clientv3.Config{
		Endpoints: endpoints, DialTimeout: 5 * time.Second,
		DialKeepAliveTime: 30 * time.Second, DialKeepAliveTimeout: 10 * time.Second,
		Logger: zap.NewNop(), // errors are returned
	})
	if err != nil {
		return nil, err
	}
	s := &Store{client: client, prefix: o.Prefix}
	s.ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	reach, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if _, err := s.Revision(reach); err != nil {
		s.Close()
		return nil, fmt.Errorf("etcd at %s: %w", strings.Join(endpoints, ","), err)
	}
	s.running.Go(func() { s.every(progressInterval, func() { _ = client.RequestProgress(s.ctx) }) })
	forget := s.compactor()
	s.running.Go(func() { s.every(o.History, forget) })
	return s, nil
}

// every does something at an interval until the store is closed.
func (s *Store) every(interval time.Duration, do func()) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			do()
		case <-s.ctx.Done():
			return
		}
	}
}

// compactor returns a function that compacts up to the revision of its previous call.
func (s *Store) compactor() func() {
	var old int64
	return func() {
		if old > 0 {
			// Ignore the error: another server may have compacted already.
			_, _ = s.client.Compact(s.ctx, old)
		}
		if revision, err := s.Revision(s.ctx); err == nil {
			old = revision
		}
	}
}

// Close implements [storage.Store].
func (s *Store) Close() error {
	s.cancel()
	s.running.Wait()
	return s.client.Close()
}

// Revision implements [storage.Store].
func (s *Store) Revision(ctx context.Context) (int64, error) {
	r, err := s.client.Get(ctx, s.prefix, clientv3.WithCountOnly())
	if err != nil {
		return 0, s.known(err)
	}
	return r.Header.Revision, nil
}

// Get implements [storage.Store].
func (s *Store) Get(ctx context.Context, key string) (storage.Item, error) {
	r, err := s.client.Get(ctx, s.prefix+key)
	if err != nil {
		return storage.Item{}, s.known(err)
	}
	if len(r.Kvs) == 0 {
		return storage.Item{}, storage.ErrNotFound
	}
	return s.item(r.Kvs[0]), nil
}

// List implements [storage.Store].
func (s *Store) List(ctx context.Context, r storage.Range) (page storage.Page, err error) {
	size, limit := 0, r.Limit
	if r.Bytes > 0 {
		limit = firstLimit // etcd does not limit the size of a response: the first values tell how many to ask for
	}
	for {
		if r.Limit > 0 {
			limit = min(limit, r.Limit-len(page.Items))
		}
		got, err := s.list(ctx, r, limit)
		if err != nil {
			return page, err
		}
		page.Remaining = got.Count
		for _, kv := range got.Kvs {
			if r.Bytes > 0 && size > r.Bytes {
				break
			}
			page.Items = append(page.Items, s.item(kv))
			page.Remaining--
			size += len(kv.Value)
			r.After = page.Items[len(page.Items)-1].Key
		}
		if r.Revision == 0 {
			r.Revision = got.Header.Revision
		}
		page.Revision = r.Revision
		if r.Bytes == 0 || page.Remaining == 0 || size > r.Bytes || len(page.Items) == r.Limit {
			return page, nil
		}
		average := max(1, size/len(page.Items))
		limit = min(2*len(page.Items), (r.Bytes-size)/average+1)
	}
}

// firstLimit is the number of items that a list of limited size begins with.
const firstLimit = 8

// list returns items after r.After.
func (s *Store) list(ctx context.Context, r storage.Range, limit int) (*clientv3.GetResponse, error) {
	from := s.prefix + r.Prefix
	options := []clientv3.OpOption{
		clientv3.WithRange(clientv3.GetPrefixRangeEnd(from)), clientv3.WithLimit(int64(limit)), clientv3.WithRev(r.Revision),
	}
	if r.After != "" {
		from = s.prefix + r.After + "\x00"
	}
	got, err := s.client.Get(ctx, from, options...)
	if err != nil {
		return nil, s.known(err)
	}
	return got, nil
}

// Create implements [storage.Store].
func (s *Store) Create(ctx context.Context, key string, value []byte, conditions ...storage.Condition) (int64, error) {
	return s.write(ctx, key, 0, clientv3.OpPut(s.prefix+key, string(value)), conditions...)
}

// Update implements [storage.Store].
func (s *Store) Update(ctx context.Context, key string, value []byte, revision int64, conditions ...storage.Condition) (int64, error) {
	return s.write(ctx, key, revision, clientv3.OpPut(s.prefix+key, string(value)), conditions...)
}

// Delete implements [storage.Store].
func (s *Store) Delete(ctx context.Context, key string, revision int64) (int64, error) {
	return s.write(ctx, key, revision, clientv3.OpDelete(s.prefix+key))
}

// write does op if the conditions hold and the key has the given revision; 0 means that the key does not exist.
func (s *Store) write(ctx context.Context, key string, revision int64, op clientv3.Op, conditions ...storage.Condition) (int64, error) {
	compare := []clientv3.Cmp{clientv3.Compare(clientv3.ModRevision(s.prefix+key), "=", revision)}
	for _, c := range conditions {
		if c.Key != "" {
			compare = append(compare, clientv3.Compare(clientv3.ModRevision(s.prefix+c.Key), "=", c.Revision))
		} else { // of all keys in the range
			compare = append(compare, clientv3.Compare(clientv3.ModRevision(s.prefix+c.Prefix), "<", c.Revision+1).WithPrefix())
		}
	}
	r, err := s.client.Txn(ctx).
		If(compare...).
		Then(op).
		Else(clientv3.OpGet(s.prefix+key, clientv3.WithKeysOnly())).
		Commit()
	switch {
	case err != nil:
		return 0, s.known(err)
	case r.Succeeded:
		return r.Header.Revision, nil
	}
	switch there := r.Responses[0].GetResponseRange().Kvs; {
	case revision == 0 && len(there) > 0:
		return 0, storage.ErrExists
	case revision != 0 && len(there) == 0:
		return 0, storage.ErrNotFound
	case revision != 0 && there[0].ModRevision != revision:
		return 0, storage.ErrConflict
	}
	return 0, storage.ErrCondition
}

// Watch implements [storage.Store].
func (s *Store) Watch(ctx context.Context, prefix string, after int64) (storage.Watch, error) {
	latest, err := s.Revision(ctx)
	if err != nil {
		return nil, err
	}
	if after > latest {
		return nil, storage.ErrFuture
	}
	// The watch ends with Close, not with ctx, so that Next may have another context each time.
	held, cancel := context.WithCancel(s.ctx)
	responses := s.client.Watch(clientv3.WithRequireLeader(held), s.prefix+prefix, clientv3.WithPrefix(), clientv3.WithRev(after+1),
		clientv3.WithPrevKV(), clientv3.WithProgressNotify(), clientv3.WithFragment())
	return &watch{s: s, responses: responses, cancel: cancel, at: after}, nil
}

type watch struct {
	s         *Store
	responses clientv3.WatchChan
	cancel    context.CancelFunc
	at        int64
}

// Next implements [storage.Watch].
func (w *watch) Next(ctx context.Context) (out storage.Changes, err error) {
	for {
		select {
		case <-ctx.Done():
			return out, ctx.Err()
		case r, open := <-w.responses:
			switch {
			case !open:
				return out, storage.ErrClosed
			case r.Err() != nil:
				return out, w.s.known(r.Err())
			case r.IsProgressNotify():
				w.at = max(w.at, r.Header.Revision)
				return storage.Changes{Revision: w.at}, nil
			case len(r.Events) == 0:
				continue // the watch has begun
			}
			for _, e := range r.Events {
				event, err := w.s.event(e)
				if err != nil {
					return storage.Changes{}, err
				}
				out.Events = append(out.Events, event)
			}
			// Do not use the header's revision: there may be more events before it.
			w.at = max(w.at, out.Events[len(out.Events)-1].Revision)
			out.Revision = w.at
			return out, nil
		}
	}
}

// Close implements [storage.Watch].
func (w *watch) Close() { w.cancel() }

func (s *Store) event(e *clientv3.Event) (storage.Event, error) {
	out := storage.Event{Key: strings.TrimPrefix(string(e.Kv.Key), s.prefix), Revision: e.Kv.ModRevision}
	if e.PrevKv != nil {
		out.Previous = value(e.PrevKv)
	}
	if e.Type != mvccpb.DELETE {
		out.Value = value(e.Kv)
	}
	if !e.IsCreate() && out.Previous == nil {
		return out, storage.ErrCompacted // the previous value was compacted
	}
	return out, nil
}

func (s *Store) item(kv *mvccpb.KeyValue) storage.Item {
	return storage.Item{Key: strings.TrimPrefix(string(kv.Key), s.prefix), Value: value(kv), Revision: kv.ModRevision}
}

// value returns a value that is not nil.
func value(kv *mvccpb.KeyValue) []byte { return append([]byte{}, kv.Value...) }

// known converts errors to those of package storage.
func (s *Store) known(err error) error {
	switch {
	case errors.Is(err, rpctypes.ErrCompacted):
		return storage.ErrCompacted
	case errors.Is(err, rpctypes.ErrFutureRev):
		return storage.ErrFuture
	case errors.Is(err, rpctypes.ErrRequestTooLarge), strings.Contains(err.Error(), "larger than max"):
		return storage.ErrTooLarge
	case s.ctx.Err() != nil:
		return storage.ErrClosed
	}
	return err
}
