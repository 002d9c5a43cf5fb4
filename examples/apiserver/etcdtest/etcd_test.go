package etcdtest

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/crdkit/crdkit/examples/apiserver/internal/storage/etcd"
	"github.com/crdkit/crdkit/examples/apiserver/internal/stored"
	"github.com/crdkit/crdkit/server/storage"
	"github.com/crdkit/crdkit/server/storage/storagetest"
)

// startEtcd builds etcd, starts it, and returns its endpoint. etcd ends with the test, or with this process if that is
// killed.
func startEtcd(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "etcd")
	build := exec.Command("go", "build", "-o", binary, "./etcd")
	build.Stderr = os.Stderr
	require.NoError(t, build.Run())

	c := exec.Command(binary, t.TempDir())
	c.Stderr = os.Stderr
	stdin, err := c.StdinPipe()
	require.NoError(t, err)
	stdout, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	t.Cleanup(func() {
		stdin.Close()
		hang := time.AfterFunc(20*time.Second, func() { c.Process.Kill() })
		defer hang.Stop()
		c.Wait()
	})
	endpoint, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	return strings.TrimSpace(endpoint)
}

func open(t *testing.T, endpoint string, o etcd.Options) *etcd.Store {
	t.Helper()
	s, err := etcd.Open(t.Context(), []string{endpoint}, o)
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

func TestStore(t *testing.T) {
	endpoint := startEtcd(t)
	var stores atomic.Int64
	storagetest.Run(t, func(t *testing.T) storage.Store {
		// No prefix is a prefix of another.
		return open(t, endpoint, etcd.Options{Prefix: fmt.Sprintf("/test-%d/", stores.Add(1))})
	})

	t.Run("compacted revisions are gone", func(t *testing.T) {
		s := open(t, endpoint, etcd.Options{Prefix: "/compacted"})
		start, err := s.Revision(t.Context())
		require.NoError(t, err)
		revision, err := s.Create(t.Context(), "/a/1", []byte("one"))
		require.NoError(t, err)
		later, err := s.Update(t.Context(), "/a/1", []byte("two"), revision)
		require.NoError(t, err)
		client, err := clientv3.New(clientv3.Config{Endpoints: []string{endpoint}})
		require.NoError(t, err)
		defer client.Close()
		_, err = client.Compact(t.Context(), later)
		require.NoError(t, err)

		_, err = s.List(t.Context(), storage.Range{Prefix: "/a/", Revision: revision})
		require.ErrorIs(t, err, storage.ErrCompacted)
		w, err := s.Watch(t.Context(), "/a/", start)
		require.NoError(t, err)
		defer w.Close()
		_, err = w.Next(t.Context())
		require.ErrorIs(t, err, storage.ErrCompacted)
	})

	t.Run("history is bounded", func(t *testing.T) {
		s := open(t, endpoint, etcd.Options{Prefix: "/bounded", History: 50 * time.Millisecond})
		start, err := s.Revision(t.Context())
		require.NoError(t, err)
		_, err = s.Create(t.Context(), "/a/1", []byte("one"))
		require.NoError(t, err)
		require.Eventually(t, func() bool {
			_, err := s.List(t.Context(), storage.Range{Prefix: "/a/", Revision: start})
			return err == storage.ErrCompacted
		}, 10*time.Second, 10*time.Millisecond)
	})

	t.Run("a value may be too large", func(t *testing.T) {
		s := open(t, endpoint, etcd.Options{Prefix: "/large"})
		_, err := s.Create(t.Context(), "/a/1", make([]byte, 1800<<10))
		require.ErrorIs(t, err, storage.ErrTooLarge)
		_, err = s.Create(t.Context(), "/a/1", make([]byte, 4<<20))
		require.ErrorIs(t, err, storage.ErrTooLarge)
	})

	t.Run("no server", func(t *testing.T) {
		_, err := etcd.Open(t.Context(), []string{"127.0.0.1:1"}, etcd.Options{})
		require.Error(t, err)
	})
}

// Package stored reads the objects of a live etcd, and of a snapshot of it.
func TestStored(t *testing.T) {
	endpoint := startEtcd(t)
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{endpoint}})
	require.NoError(t, err)
	defer client.Close()
	const prefix = "/registry/example.com/widgets/"
	want := map[string]bool{}
	for i := range 1200 { // some pages
		value := fmt.Sprintf(`{"metadata":{"name":"w%d"}}`, i)
		want[value] = true
		_, err := client.Put(t.Context(), fmt.Sprintf("%sns/w%d", prefix, i), value)
		require.NoError(t, err)
	}
	_, err = client.Put(t.Context(), prefix+"ns/w7", `{"changed":true}`)
	require.NoError(t, err)
	_, err = client.Delete(t.Context(), prefix+"ns/w8")
	require.NoError(t, err)
	_, err = client.Put(t.Context(), "/registry/pods/ns/a", "k8s\x00")
	require.NoError(t, err)
	delete(want, `{"metadata":{"name":"w7"}}`)
	delete(want, `{"metadata":{"name":"w8"}}`)
	want[`{"changed":true}`] = true

	snapshot, err := client.Snapshot(t.Context())
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "snapshot.db")
	out, err := os.Create(file)
	require.NoError(t, err)
	_, err = io.Copy(out, snapshot)
	require.NoError(t, err)
	require.NoError(t, out.Close())

	for name, objects := range map[string]iter.Seq2[[]byte, error]{"live": stored.Etcd(t.Context(), client, prefix), "snapshot": stored.Snapshot(file, prefix)} {
		got := map[string]bool{}
		for body, err := range objects {
			require.NoError(t, err, name)
			require.False(t, got[string(body)], name)
			got[string(body)] = true
		}
		require.Equal(t, want, got, name)
	}
}

// The server on a real etcd, under load, and killed a few times, as by go run ./load -etcd.
func TestServer(t *testing.T) {
	endpoint, dir := startEtcd(t), t.TempDir()
	for binary, source := range map[string]string{"apiserver": ".", "load": "./load"} {
		build := exec.Command("go", "build", "-o", filepath.Join(dir, binary), source)
		build.Dir, build.Stderr = "..", os.Stderr
		require.NoError(t, build.Run())
	}
	load := exec.CommandContext(t.Context(), filepath.Join(dir, "load"),
		"-server", filepath.Join(dir, "apiserver"), "-etcd", endpoint, "-duration", "3s", "-kills", "3")
	out, err := load.CombinedOutput()
	require.NoError(t, err, "%s", out)
	t.Logf("%s", out)
}
