package stored_test

import (
	"encoding/binary"
	"iter"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"google.golang.org/protobuf/proto"

	"github.com/crdkit/crdkit/examples/apiserver/internal/storage/bolt"
	"github.com/crdkit/crdkit/examples/apiserver/internal/stored"
)

// texts collects values, and errors in parentheses.
func texts(objects iter.Seq2[[]byte, error]) (all []string) {
	for body, err := range objects {
		if err != nil {
			all = append(all, "("+err.Error()+")")
			continue
		}
		all = append(all, string(body))
	}
	return all
}

func TestFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "objects.db")
	s, err := bolt.Open(file, bolt.Options{})
	require.NoError(t, err)
	for _, key := range []string{"/example.com/gadgets/a", "/example.com/widgets/ns/a", "/example.com/widgets/ns/b"} {
		_, err := s.Create(t.Context(), key, []byte(`{"key":"`+key+`"}`))
		require.NoError(t, err)
	}
	_, err = s.Create(t.Context(), "/example.com/widgets/ns/c", []byte("k8s\x00"))
	require.NoError(t, err)
	require.NoError(t, s.Close())
	require.Equal(t, []string{`{"key":"/example.com/widgets/ns/a"}`, `{"key":"/example.com/widgets/ns/b"}`, "(/example.com/widgets/ns/c: the value is not JSON)"},
		texts(stored.File(file, "/example.com/widgets/")))
	for range stored.File(file, "/example.com/widgets/") {
		break
	}
	require.Len(t, texts(stored.File(filepath.Join(t.TempDir(), "none"), "/")), 1)
	require.Contains(t, texts(stored.Snapshot(file, "/"))[0], "not an etcd snapshot")
}

func TestSnapshot(t *testing.T) {
	file := filepath.Join(t.TempDir(), "snapshot.db")
	db, err := bbolt.Open(file, 0o600, nil)
	require.NoError(t, err)
	require.NoError(t, db.Update(func(tx *bbolt.Tx) error {
		bucket, err := tx.CreateBucket([]byte("key"))
		require.NoError(t, err)
		for i, change := range []struct{ key, value string }{
			{"/registry/example.com/widgets/ns/a", `{"a":1}`},
			{"/registry/example.com/widgets/ns/b", `{"b":1}`},
			{"/registry/example.com/widgets/ns/a", `{"a":2}`},
			{"/registry/example.com/widgets/ns/c", `{"c":1}`},
			{"/registry/example.com/widgets/ns/b", ""}, // deleted
			{"/registry/example.com/widgets/ns/d", "k8s:enc:"},
			{"/registry/pods/ns/a", "k8s\x00"},
		} {
			revision := append(binary.BigEndian.AppendUint64(nil, uint64(i+1)), '_')
			revision = binary.BigEndian.AppendUint64(revision, 0)
			if change.value == "" {
				revision = append(revision, 't')
			}
			pair, err := proto.Marshal(&mvccpb.KeyValue{Key: []byte(change.key), Value: []byte(change.value)})
			require.NoError(t, err)
			require.NoError(t, bucket.Put(revision, pair))
		}
		return nil
	}))
	require.NoError(t, db.Close())
	require.Equal(t, []string{"(/registry/example.com/widgets/ns/d: the value is not JSON)", `{"c":1}`, `{"a":2}`}, texts(stored.Snapshot(file, "/registry/example.com/widgets/")))
	for range stored.Snapshot(file, "/registry/example.com/widgets/") {
		break
	}
}
