package stored

import (
	"bytes"
	"context"
	"fmt"
	"iter"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/crdkit/crdkit/examples/apiserver/internal/storage/bolt"
)

// File returns the objects whose keys begin with prefix in the file of an example server, which must not be running.
func File(name, prefix string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for item, err := range bolt.Items(name, prefix) {
			if err != nil {
				yield(nil, err)
				return
			}
			if !object(item.Key, item.Value, yield) {
				return
			}
		}
	}
}

// pageSize is the number of objects in a request.
const pageSize = 500

// Etcd returns the objects whose keys begin with prefix in a live etcd cluster, all as they are at one revision.
func Etcd(ctx context.Context, client *clientv3.Client, prefix string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		from, revision := prefix, int64(0)
		for {
			page, err := client.Get(ctx, from, clientv3.WithRange(clientv3.GetPrefixRangeEnd(prefix)), clientv3.WithLimit(pageSize), clientv3.WithRev(revision))
			if err != nil {
				yield(nil, err)
				return
			}
			for _, kv := range page.Kvs {
				if !object(string(kv.Key), kv.Value, yield) {
					return
				}
			}
			if !page.More || len(page.Kvs) == 0 {
				return
			}
			from, revision = string(page.Kvs[len(page.Kvs)-1].Key)+"\x00", page.Header.Revision
			if err := ctx.Err(); err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

// object yields the value of a key.
func object(key string, value []byte, yield func([]byte, error) bool) bool {
	if !bytes.HasPrefix(bytes.TrimLeft(value, " \t\r\n"), []byte("{")) {
		return yield(nil, fmt.Errorf("%s: the value is not JSON", key))
	}
	return yield(value, nil)
}
